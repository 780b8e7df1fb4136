//! What the tolerant reader must hold to: the strict reading of what is right, the mended values of
//! what is broken, faults where nothing is certain, time in proportion to the text, and never a pass
//! out of a piece.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::reader;
use crate::contract::quickly;
use crate::contract::{CONTRACTS, Contract};
use crate::drive::extract;
use crate::parse::{self, Caps, DOCUMENTS, JSON, Node, Reading, TWO_READINGS};
use crate::pipeline::Options;
use crate::record::{Status, Verdict};

const CAPS: Caps = Caps { nesting: 64, nodes: 1_000_000 };

/// The contract that has this key.
fn with_key(key: &str) -> &'static dyn Contract {
    let mut contracts = CONTRACTS.iter().copied();
    contracts.find(|each| each.opening_keys().contains(&key)).expect("it is there")
}

/// The contract whose reviews have `pass`, `gates`, and findings with a file, an issue and a fix.
fn with_gates() -> &'static dyn Contract {
    with_key("gates")
}

fn mended<'t>(contract: &dyn Contract, text: &'t str) -> Reading<'t> {
    let strict = parse::json::parse(text, CAPS);
    super::mend(text, contract.schema().shape(), strict, true, CAPS)
}

/// The inputs below a folder of the corpus.
fn inputs(folder: &Path, all: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            inputs(&path, all);
        } else if path.file_stem().is_some_and(|stem| stem == "input") {
            all.push((path.display().to_string(), fs::read(&path).expect("a file")));
        }
    }
}

/// That `text`, if the strict reading has no fault in it, reads the same tolerantly.
fn reads_the_same(name: &str, text: &str) -> bool {
    let strict = parse::json::parse(text, CAPS);
    if !strict.faults.is_empty() {
        return false;
    }
    for contract in CONTRACTS {
        let read = reader::read(text, contract.schema().shape(), true, CAPS);
        assert_eq!(read, strict, "{name}: {text}");
    }
    true
}

#[test]
fn what_is_right_reads_the_same() {
    let mut all = Vec::new();
    inputs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), &mut all);
    let options = Options { raw: true, templates: true, ..Options::default() };
    let mut right = 0;
    for (name, bytes) in all {
        let (records, _) = extract(&name, [&bytes[..]], &options);
        for text in records.into_iter().filter_map(|record| record.raw) {
            right += usize::from(parse::is_json(&text) && reads_the_same(&name, &text));
        }
    }
    assert!(right > 100, "the corpus has objects");
}

/// A generator of values.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn text(&mut self) -> String {
        const PIECES: &[&str] = &[
            "a",
            " ",
            "\"",
            "'",
            "\\",
            "\n",
            "\t",
            ",",
            ":",
            "{",
            "}",
            "[",
            "]",
            "//",
            "/*",
            "#",
            "...",
            "“",
            "：",
            "é",
            "\u{feff}",
            "\u{1}",
            "\", \"fix\": \"",
            "true",
            "\\u12",
            "😀",
        ];
        (0..self.below(8)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    fn value(&mut self, depth: usize) -> Json {
        const KEYS: &[&str] = &["pass", "findings", "issue", "fix", "gates", "severity", "x", ""];
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Json::Null,
            1 => (self.below(2) == 0).into(),
            2 => (i32::try_from(self.below(1000)).unwrap_or(0) - 500).into(),
            3 => (f64::from(u16::try_from(self.below(1000)).unwrap_or(0)) / 8.0).into(),
            4 => self.text().into(),
            5 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => (0..self.below(5))
                .map(|_| (KEYS[self.below(KEYS.len())].to_owned(), self.value(depth - 1)))
                .collect(),
        }
    }
}

#[test]
fn generated_values_read_the_same() {
    let mut numbers = Numbers(7);
    for _ in 0..2_000 {
        let value = numbers.value(4);
        // In a list: a scalar that ends with its text may have been cut.
        for text in [format!("[{value}]"), serde_json::to_string_pretty(&json!([value])).expect("")]
        {
            assert!(reads_the_same("generated", &text), "{text}");
        }
    }
}

/// A broken text, what it says, and the repairs it takes.
type Row = (&'static str, Json, &'static [&'static str]);

/// Broken commas, comments and quotes.
fn signs() -> Vec<Row> {
    vec![
        // Commas.
        (r#"{"pass": false,}"#, json!({"pass": false}), &["json-trailing-comma"]),
        (r#"{,"pass": false}"#, json!({"pass": false}), &["json-trailing-comma"]),
        (
            r#"{"pass": false,, "findings": [{"issue": "x"},],},"#,
            json!({"pass": false, "findings": [{"issue": "x"}]}),
            &["json-trailing-comma"; 4],
        ),
        (
            "{\"pass\": false \"iteration\": 1\n\"findings\": [{\"issue\": \"x\"} {\"issue\": \"y\"}]}",
            json!({"pass": false, "iteration": 1, "findings": [{"issue": "x"}, {"issue": "y"}]}),
            &["json-missing-comma"; 3],
        ),
        // Comments.
        (
            "{// a\n\"pass\" /* b */ : # c\n false // d\n, /* e \"pass\": true */ \"iteration\": 1}\n// f",
            json!({"pass": false, "iteration": 1}),
            &["json-comment"; 6],
        ),
        (
            r#"{"pass": False, "x": "a # b // c /* d */"}"#,
            json!({"pass": false, "x": "a # b // c /* d */"}),
            &["json-literal"],
        ),
        // Quotes.
        (
            "{'findings': [{'issue': 'The users' list isn't kept', 'fix': 'Say \"no\"'}]}",
            json!({"findings": [{"issue": "The users' list isn't kept", "fix": "Say \"no\""}]}),
            &["json-single-quotes"],
        ),
        (
            r#"{"findings": [{"issue": "a "b", "c" d", "fix": ""x" y "z""}]}"#,
            json!({"findings": [{"issue": "a \"b\", \"c\" d", "fix": "\"x\" y \"z\""}]}),
            &["json-inner-quotes"; 2],
        ),
        (
            "{'findings': [{'issue': 'Set 'mode' to 'off' first'}]}",
            json!({"findings": [{"issue": "Set 'mode' to 'off' first"}]}),
            &["json-single-quotes"],
        ),
        (
            "{“pass”: false, “findings”: [{“issue”: “It’s a “leak” there”}]}",
            json!({"pass": false, "findings": [{"issue": "It’s a “leak” there"}]}),
            &["curly-quotes"; 4],
        ),
    ]
}

/// Broken texts, words, keys, characters and brackets.
fn parts() -> Vec<Row> {
    vec![
        // Backslashes and control characters.
        (
            r#"{"findings": [{"file": "C:\src\new.rs", "issue": "\u12 and \d+"}]}"#,
            json!({"findings": [{"file": "C:\\src\\new.rs", "issue": "\\u12 and \\d+"}]}),
            &["json-escape"; 2],
        ),
        (
            "{\"findings\": [{\"issue\": \"a\tb\", \"fix\": \"c\r\nd\"}]}",
            json!({"findings": [{"issue": "a\tb", "fix": "c\r\nd"}]}),
            &["json-control-character"; 2],
        ),
        // Literals.
        (
            "{\"pass\": FALSE, \"iteration\": None, \"x\": [True, undefined]}",
            json!({"pass": false, "iteration": null, "x": [true, null]}),
            &["json-literal"; 4],
        ),
        // Keys, colons, texts without quotes.
        (
            "{pass: false, iteration\": 1, \"findings\": [{issue: \"x\"}]}",
            json!({"pass": false, "iteration": 1, "findings": [{"issue": "x"}]}),
            &["json-key-quotes"; 3],
        ),
        (
            r#"{"pass" => false, "iteration" = 1}"#,
            json!({"pass": false, "iteration": 1}),
            &["json-colon"; 2],
        ),
        (
            "{\"findings\": [{\"issue\": Locks, two of them, differ,\n\"fix\": One order\n}]}",
            json!({"findings": [{"issue": "Locks, two of them, differ", "fix": "One order"}]}),
            &["json-text-quotes"; 2],
        ),
        // Characters.
        (
            "｛\"pass\"：false，\"findings\"：［］｝",
            json!({"pass": false, "findings": []}),
            &["full-width-punctuation"; 7],
        ),
        (
            "\u{feff}{\u{200b}\"pass\":\u{a0}false}",
            json!({"pass": false}),
            &["invisible-character", "invisible-character", "unusual-blank"],
        ),
        // Brackets.
        (
            r#"{"findings": [{"issue": "x"], "pass": false}"#,
            json!({"findings": [{"issue": "x"}], "pass": false}),
            &["json-bracket"],
        ),
        (
            r#"{"gates": {"build": {"status": "fail"}}, "pass": false}}]"#,
            json!({"gates": {"build": {"status": "fail"}}, "pass": false}),
            &["json-bracket"; 2],
        ),
        // Escaped twice.
        (
            r#"{\"pass\": false, \"findings\": [{\"issue\": \"a \\\"b\\\"\\nc\"}]}"#,
            json!({"pass": false, "findings": [{"issue": "a \"b\"\nc"}]}),
            &["json-escaped-twice"],
        ),
        (
            r#"{\n  \"pass\": false,\n  \"iteration\": 1,\n}"#,
            json!({"pass": false, "iteration": 1}),
            &["json-escaped-twice", "json-trailing-comma"],
        ),
    ]
}

#[test]
fn broken_texts_are_mended() {
    let table: Vec<Row> = signs().into_iter().chain(parts()).collect();
    for (text, value, codes) in &table {
        let reading = mended(with_gates(), text);
        assert_eq!(reading.faults, [], "{text}");
        assert_eq!(reading.node.as_ref().map(Node::to_json).as_ref(), Some(value), "{text}");
        let came: Vec<_> = reading.repairs.iter().map(|repair| repair.code).collect();
        assert_eq!(&came, codes, "{text}");
    }
    let named = |kind: &super::Kind| {
        table.iter().any(|(_, _, codes)| codes.contains(&kind.code))
            || kind == &super::kinds::ELLIPSIS
    };
    assert!(super::REPAIRS.iter().all(|kind| named(kind)), "every kind is in the table");
}

#[test]
fn what_is_uncertain_stays_a_fault() {
    for text in [
        r#"{"pass": false, "findings": [...]}"#,
        r#"{"pass": true, "findings": [ /* 3 omitted */ ... ]}"#,
        r#"{"pass": true, "findings": […]}"#,
        r#"{"pass": true, "findings": [}"#,
        r#"{"pass": true, "findings": [}}"#,
        r#"{"pass": true, "findings": "#,
        r#"{"pass": true, "findings": [{"issue": "x""#,
        r#"{"pass": tru}"#,
        r#"{"pass": tru"#,
        r#"{"pass": true"#,
        r#"{"pass": true false}"#,
        r#"{"pass": true|false}"#,
        r#"{"pass": "pass" | "fail"}"#,
        r#"{"pass": NaN}"#,
        r#"{"pass": true, "iteration": Infinity}"#,
        r#"{"pass": true, "iteration": 0x10}"#,
        r#"{"pass": true /* , "findings": [{"issue": "x"}]}"#,
        r#"{"pass": true} but only if the build is green"#,
        r#"{"pass": true} {"pass": false}"#,
        r#"{"pass": true, "pass": false,}"#,
        r#"{"pass" true}"#,
        r#"{"pass": , "iteration": 1}"#,
        "{\"findings\": [{\"issue\": \"not closed,\n\"fix\": \"x\"}]}",
    ] {
        let reading = mended(with_gates(), text);
        assert!(!reading.faults.is_empty(), "{text}: {reading:?}");
    }
}

#[test]
fn two_readings_are_named() {
    let text = "{\"findings\": [{\"issue\": \"not closed,\n\"fix\": \"x\"}]}";
    let reading = mended(with_gates(), text);
    let codes: Vec<_> = reading.faults.iter().map(|fault| fault.rule.code).collect();
    assert_eq!(codes, [TWO_READINGS.code]);
    assert!(reading.faults[0].message.contains(" or "), "{reading:?}");
    for (text, rule) in [("{\"pass\": true} {}", &DOCUMENTS), ("{\"pass\": true} x", &JSON)] {
        let reading = mended(with_gates(), text);
        assert_eq!(reading.faults.first().map(|fault| fault.rule.code), Some(rule.code), "{text}");
        assert_eq!(reading.repairs, [], "{text}");
    }
}

#[test]
fn time_is_linear() {
    let shape = with_gates().schema().shape();
    for part in [
        ",",
        "\"a\" ",
        "\"a\",",
        "'a' ",
        "'",
        "\"",
        "\\",
        "\\\"",
        "// a\n",
        "/* a */",
        "/*",
        "/",
        "#",
        "#\n",
        "...",
        "…",
        "[",
        "{",
        "{\"a\":",
        "{'a':",
        "]",
        "}",
        "{},",
        "{} ",
        "a",
        "a ",
        "a,",
        "a, ",
        "True,",
        "“",
        "”",
        "“a” ",
        "：",
        "，",
        "｛",
        "\u{feff}",
        "\u{a0}",
        " ",
        "\n",
        "\t",
        "\\u",
        "\\d",
        "\"a\": 1 ",
        "\"issue\": a, ",
        "\"issue\": \"a\" ",
        "\"issue\": a\n",
        "issue\": 'a', ",
        "|",
        ":",
        "=",
        "\",\n\"",
        "\"issue\": \"a \"b\" c\", ",
    ] {
        for start in [
            "",
            "{",
            "[",
            "{\"findings\": [",
            "{\"findings\": [{\"issue\": ",
            "{\"pass\": \"",
            "{\\\"",
        ] {
            let text = format!("{start}{}", part.repeat((1 << 20) / part.len()));
            quickly(&format!("{start}{part}"), || {
                let strict = parse::json::parse(&text, CAPS);
                let read = reader::read(&text, shape, true, CAPS).faults.len();
                (super::mend(&text, shape, strict, true, CAPS).faults.len(), read)
            });
        }
    }
}

/// Reviews that are broken in many ways, and would pass if they were read to their ends.
const BROKEN: &[&str] = &[
    "{'pass': True, // fine\n \"iteration\" => 1 gates: {\"build\": {\"status\": \"pass\",}, \"lint\": \
     {\"status\": \"pass\"}, \"test\": {\"status\": pass\n}, \"secrets\": {\"status\": \"pass\"}},, \
     \"findings\": [{\"severity\": \"blocking\", \"file\": \"a\\b.rs\", \"issue\": \"a \"b\" c\td\", \
     \"fix\": \"Don't\",}]}",
    "{“pass”：true，“iteration”: 1, \"gates\": {\"build\": {\"status\": \"pass\"}, \"lint\": {\"status\": \
     \"pass\"}, \"test\": {\"status\": \"pass\"}, \"secrets\": {\"status\": \"pass\"}}, \"findings\": [ # \
     one\n{\"severity\": \"suggestion\", \"file\": \"a.rs\", \"issue\": \"x\" \"fix\": \"y\"}, \
     {\"severity\": \"suggestion\", \"file\": \"b.rs\", \"issue\": \"x\", \"fix\": \"y\"]}",
    "{\\\"pass\\\": true, \\\"iteration\\\": 1, \\\"gates\\\": {\\\"build\\\": {\\\"status\\\": \
     \\\"pass\\\"}}, \\\"findings\\\": [{\\\"severity\\\": \\\"blocking\\\"}]}",
];

#[test]
fn no_piece_of_a_review_is_a_pass() {
    let options = Options::default();
    for text in BROKEN {
        let ends = text.char_indices().map(|(at, _)| at).filter(|at| *at > 0);
        for end in ends {
            let piece = &text[..end];
            let reading = mended(with_gates(), piece);
            assert!(!reading.faults.is_empty(), "{piece}");
            for around in
                [format!("```json\n{piece}\n```\n"), format!("```json\n{piece}"), piece.to_owned()]
            {
                let (records, _) = extract("x.md", [around.as_bytes()], &options);
                let passes = records.iter().any(|record| {
                    record.status == Status::Valid && record.review.verdict == Some(Verdict::Pass)
                });
                assert!(!passes, "{around}");
            }
        }
    }
}
