//! The wire format: the published schema, the ids, the lines.

mod common;

use std::fs;

use common::{cases, records, root};
use revextract::emit::{EMITTERS, Emission, Page};
use revextract::record::{
    Carrier, Channel, Finding, Gate, Record, Review, Source, Status, Verdict, record_id,
};
use serde_json::Value;

fn source() -> Source {
    Source {
        input: "logs/a.jsonl".into(),
        transcript: "text".into(),
        channel: Channel::Text,
        session_id: None,
        agent: None,
        agent_id: None,
        message_id: None,
        tool_call_id: None,
        timestamp: None,
        line: 1,
        offset: 104_857_600,
        length: 10,
        depth: 0,
        index: 0,
        last: None,
        accepted: None,
        copy: false,
    }
}

fn review() -> Review {
    let finding = |message: &str| Finding {
        message: Some(message.into()),
        path: Some("src/a.rs".into()),
        category: Some("naming".into()),
        line: Some(3),
        ..Finding::default()
    };
    let mut review = Review {
        verdict: Some(Verdict::Fail),
        verdict_raw: Some("FAIL".into()),
        score: Some(5),
        score_max: Some(10),
        reviewer: Some("Réviewer".into()),
        findings: vec![finding("a  b\n c"), finding(" a b c "), finding("other")],
        ..Review::default()
    };
    review.number_findings("sdlc-review");
    review
}

fn line(record: Record, cap: usize) -> String {
    let mut out = Vec::new();
    let mut emission: Box<dyn Emission> =
        EMITTERS[0].start(Page { line: cap, width: 80, color: false });
    emission.record(record, &mut out).expect("a vector takes all");
    String::from_utf8(out).expect("UTF-8")
}

fn record() -> Record {
    Record::new("sdlc-review", Carrier::Delimited, Status::Valid, review(), source())
}

/// The vectors were computed with Python's hashlib:
/// `hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]`.
#[test]
fn ids_are_as_specified() {
    assert_eq!(
        record_id("logs/a.jsonl", 104_857_600, "sdlc-review"),
        "9f0ee097cd3bd41e64e7649513772c0b",
    );
    let review = review();
    let ids: Vec<_> = review.findings.iter().map(|finding| finding.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "fa95f33ba9d54ecc42b6b9b0d5aab822",
            "13d93751b99592d0214c492de2d5e3a7",
            "1a29f821a1dfcdc3525a45a523634a60"
        ]
    );
    assert_eq!(review.content_id("sdlc-review"), "9661b3eb0c4fd11a17545ba8146ac266");
}

/// Anyone can compute the ids from a line of the output.
#[test]
fn the_content_id_is_that_of_the_line() {
    let line = line(record(), 1 << 20);
    let value: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(value["content_id"], "9661b3eb0c4fd11a17545ba8146ac266");
    assert_eq!(value["id"], "9f0ee097cd3bd41e64e7649513772c0b");
}

#[test]
fn every_record_of_the_corpus_fits_the_printed_schema() {
    let schema = fs::read_to_string(root().join("src/record/schema.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let order: Vec<&str> =
        schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let mut count = 0;
    for case in cases() {
        let bytes = fs::read(case.folder.join("expected.ndjson")).expect("expected.ndjson");
        for (record, line) in
            records(&bytes).iter().zip(String::from_utf8(bytes.clone()).unwrap().lines())
        {
            if let Err(error) = validator.validate(record) {
                panic!("{}: {error} at {}", case.name, error.instance_path());
            }
            // The keys stand in the order of the schema.
            let places: Vec<_> =
                order.iter().map(|key| line.find(&format!("\"{key}\":"))).collect();
            assert!(places.iter().all(Option::is_some), "{}: a key is missing", case.name);
            count += 1;
        }
    }
    assert!(count > 200, "{count} records");
}

#[test]
fn no_reader_finds_another_line_end() {
    let mut record = record();
    record.review.summary =
        Some("a\u{85}b\u{2028}c\u{2029}d\u{9b}e\u{7f}f\u{1}g\né€😀\u{a0}".into());
    let line = line(record, 1 << 20);
    for char in ['\u{85}', '\u{2028}', '\u{2029}', '\u{9b}', '\u{7f}', '\u{1}'] {
        assert!(!line.contains(char), "{char:?}");
    }
    assert_eq!(line.matches('\n').count(), 1);
    let value: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(value["summary"], "a\u{85}b\u{2028}c\u{2029}d\u{9b}e\u{7f}f\u{1}g\né€😀\u{a0}");
}

#[test]
fn a_long_line_is_shortened() {
    for (findings, length) in [(1, 50_000), (3, 3_000), (2_000, 10), (40, 1_000)] {
        let mut record = record();
        let id = record.content_id.clone();
        record.review.findings = (0..findings)
            .map(|_| Finding { message: Some("é".repeat(length)), ..Finding::default() })
            .collect();
        record.review.summary = Some("short".into());
        let line = line(record, 8192);
        assert!(line.len() <= 8192, "{} bytes", line.len());
        let value: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(value["truncated"], true);
        assert_eq!(value["content_id"], id.as_str());
        assert!(!value["findings"].as_array().expect("a list").is_empty());
    }
    let mut gated = record();
    let gate = Gate { status: Some("x".repeat(50_000)), ..Gate::default() };
    gated.review.gates = vec![gate];
    let gated: Value = serde_json::from_str(&line(gated, 8192)).expect("JSON");
    assert_eq!(gated["gates"].as_array().map(Vec::len), Some(1), "its status is shortened");
    let short = line(record(), 8192);
    assert!(short.contains("\"truncated\":false"));
}
