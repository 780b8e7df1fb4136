//! The laws that fuzzing holds the program to. The same functions run as plain tests, in
//! `tests/laws.rs`, over mutations of the corpus.
#![allow(dead_code, reason = "each target holds one law")]

use revextract::contract::CONTRACTS;
use revextract::drive::extract as read;
use revextract::parse::{self, Caps, Kind, Node, Value as Own};
use revextract::pipeline::Options;
use revextract::record::{Record, Status};
use revextract::repair;
use serde_json::Value;

const CAPS: Caps = Caps { nesting: 64, nodes: 100_000 };

/// Any bytes: no panic, the same records in any pieces, each a JSON object that its own text
/// supports: no pass without the word for it in the input, each block within the input.
pub fn extract(data: &[u8]) {
    let mut options = Options::default();
    let (records, end) = read("x", [data], &options);
    let json = |records: &[_]| serde_json::to_string(records).expect("records are JSON");
    let middle = data.len() / 2;
    for size in [1.max(data.len() / 7), 3] {
        let (again, end_again) = read("x", data.chunks(size), &options);
        assert_eq!(json(&records), json(&again), "pieces of {size}");
        assert_eq!(format!("{end:?}"), format!("{end_again:?}"), "pieces of {size}");
    }
    let (again, _) = read("x", [&data[..middle], &data[middle..]], &options);
    assert_eq!(json(&records), json(&again), "in halves");
    for record in &records {
        let source = &record.source;
        assert!(source.offset + source.length <= data.len() as u64, "{source:?}");
        assert!(source.line >= 1 && source.line <= end.frames.max(1) + 1, "{source:?}");
        let broken = matches!(record.status, Status::Malformed | Status::Incomplete);
        let passes = record.review.verdict == Some(revextract::record::Verdict::Pass);
        assert!(!(broken && passes), "a broken review passes");
        if record.status == Status::Valid {
            assert!(record.review.verdict.is_some(), "a valid review has a verdict");
        }
    }
    // A review that is valid as it stands is the same where repairs are looked for, unless it holds
    // a fault that the parser passes over in silence: then it is mended, or malformed.
    options.scope.choice.strict = true;
    let (strict, _) = read("x", [data], &options);
    options.scope.choice.strict = false;
    for record in strict.iter().filter(|record| record.status == Status::Valid) {
        // A message that was revised has several of one id.
        let mut same = records.iter().filter(|other| other.id == record.id).peekable();
        let is_read_alike = |same: &Record| {
            !same.review.repairs.is_empty()
                || same.status == Status::Malformed
                || (same.status, &same.content_id) == (record.status, &record.content_id)
        };
        assert!(same.peek().is_none() || same.any(is_read_alike), "{record:?}");
    }
    // Tiny caps let go of everything early; still the same in any pieces.
    options.scope.limits.look_back = 64;
    options.scope.limits.block = 300;
    let (records, _) = read("x", [data], &options);
    let (again, _) = read("x", data.chunks(5), &options);
    assert_eq!(json(&records), json(&again), "with tiny caps");
}

/// JSON: what `serde_json` reads we read alike, and what it refuses we refuse.
pub fn json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let own = parse::json::parse(text, CAPS);
    let oracle: Result<Value, _> = serde_json::from_str(text);
    match (&own.node, oracle) {
        (Some(node), Ok(value)) if own.faults.is_empty() => {
            assert!(same(node, &value), "{node:?}\n{value}");
        }
        (_, Ok(value)) => {
            // It takes the last of two keys and goes deeper: we refuse both.
            let codes: Vec<_> = own.faults.iter().map(|fault| fault.rule.code).collect();
            let allowed = ["duplicate-key", "too-large"];
            assert!(codes.iter().all(|code| allowed.contains(code)), "{codes:?} in {value}");
            assert!(!codes.is_empty(), "nothing read and nothing wrong: {value}");
        }
        (_, Err(error)) => {
            // Half of a surrogate pair is no reason to lose a review.
            let half = text.contains("\\ud") || text.contains("\\uD");
            assert!(!own.faults.is_empty() || half, "{error}: {text}");
        }
    }
    for fault in &own.faults {
        assert!(fault.place.line >= 1 && fault.place.column >= 1);
    }
}

/// Repairs of a block, for every contract: what is read without any is the strict reading; each has
/// a place within the text and a known kind; and twice it is the same.
pub fn repair(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // YAML ends a line with a lone carriage return too.
    let lines = text.split(['\n', '\r']).count() as u64;
    for contract in CONTRACTS {
        let strict = repair::strict(*contract, text, CAPS);
        for closed in [true, false] {
            let reading = repair::read(*contract, text, closed, CAPS);
            let codes: Vec<_> = reading.faults.iter().map(|fault| fault.rule.code).collect();
            if reading.repairs.is_empty() && strict.faults.is_empty() {
                // Or it says why it is not: two readings, a key in two spellings.
                assert!(!codes.is_empty() || reading == strict, "{reading:?}\n{strict:?}");
            } else if reading.repairs.is_empty() {
                assert!(!codes.is_empty(), "{reading:?}\n{strict:?}");
            }
            for mended in &reading.repairs {
                assert!((1..=lines).contains(&mended.line) && mended.column >= 1, "{mended:?}");
                assert!(repair::all().any(|kind| kind.code == mended.code), "{mended:?}");
            }
            let again = repair::read(*contract, text, closed, CAPS);
            assert_eq!(reading, again, "twice the same");
        }
    }
}

fn same(node: &Node<'_>, value: &Value) -> bool {
    match (&node.value, value) {
        (Own::List(items), Value::Array(values)) => {
            items.len() == values.len() && items.iter().zip(values).all(|(a, b)| same(a, b))
        }
        (Own::Map(entries), Value::Object(values)) => {
            entries.len() == values.len()
                && entries.iter().all(|entry| {
                    values.get(entry.key.as_ref()).is_some_and(|b| same(&entry.node, b))
                })
        }
        (Own::Scalar(scalar), value) => match (scalar.kind, value) {
            (Kind::Null, Value::Null) => true,
            (Kind::Bool(a), Value::Bool(b)) => a == *b,
            (Kind::Number(a), Value::Number(b)) => b.as_f64() == Some(a),
            (Kind::Text, Value::String(text)) => scalar.text == *text,
            _ => false,
        },
        _ => false,
    }
}

/// YAML: where both we and another parser read a text as a mapping, the trees have the same shape
/// and texts; on a text that is one scalar, parsers differ. That parser is quadratic in flow depth,
/// so deep texts are left to ours alone.
pub fn yaml(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let own = parse::yaml::parse(text, CAPS);
    for fault in &own.faults {
        assert!(fault.place.line >= 1 && fault.place.column >= 1);
    }
    let flow = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    let is_map = own.node.as_ref().is_some_and(|node| !node.entries().is_empty());
    if !is_map || !own.faults.is_empty() || flow > 64 || !text.is_ascii() {
        return;
    }
    if let (Some(node), Ok(value)) = (&own.node, serde_yaml::from_str::<serde_yaml::Value>(text)) {
        assert!(alike(node, &value), "{node:?}\n{value:?}");
    }
}

fn alike(node: &Node<'_>, value: &serde_yaml::Value) -> bool {
    use serde_yaml::Value as Other;
    match (&node.value, value) {
        (Own::List(items), Other::Sequence(values)) => {
            items.len() == values.len() && items.iter().zip(values).all(|(a, b)| alike(a, b))
        }
        (Own::Map(entries), Other::Mapping(values)) => {
            entries.len() == values.len()
                && entries.iter().zip(values).all(|(entry, (_, b))| alike(&entry.node, b))
        }
        (Own::Scalar(scalar), Other::String(text)) => scalar.text == *text,
        // What a plain scalar means is another matter: YAML 1.1 and 1.2 disagree.
        (Own::Scalar(scalar), Other::Null | Other::Bool(_) | Other::Number(_)) => scalar.plain,
        _ => false,
    }
}
