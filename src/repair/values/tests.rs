use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::contract::{CONTRACTS, Contract, by_id, quickly};
use crate::parse::{self, Caps, Reading};
use crate::record::Place;

const CAPS: Caps = Caps { nesting: 64, nodes: 100_000 };

fn contract(start: &str) -> &'static dyn Contract {
    let mut contracts = CONTRACTS.iter().copied();
    contracts.find(|contract| contract.id().starts_with(start)).expect("a contract")
}

fn mended<'t>(contract: &dyn Contract, text: &'t str) -> Reading<'t> {
    let mut reading = parse::parse(text, CAPS);
    super::mend(&mut reading, contract.schema().shape(), CAPS);
    reading
}

fn codes(reading: &Reading<'_>) -> Vec<&'static str> {
    let mut codes: Vec<_> = reading.repairs.iter().map(|repair| repair.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// What is mended, the same in JSON and YAML: contract, fields besides those of a whole review,
/// what is wanted of them, and how it is mended.
fn table() -> Vec<(&'static str, Json, Json, Vec<&'static str>)> {
    let finding = json!({"severity": "high", "file": "a.rs", "issue": "An overflow"});
    vec![
        ("sdlc", json!({"score": "8"}), json!({"score": 8}), vec!["number-in-text"]),
        ("sdlc", json!({"score": "8/10"}), json!({"score": 8}), vec!["number-in-text"]),
        ("sdlc", json!({"score": "8/5"}), json!({"score": "8/5"}), vec![]),
        ("sdlc", json!({"score": [8]}), json!({"score": [8]}), vec![]),
        ("sdlc", json!({"score": true}), json!({"score": true}), vec![]),
        ("sdlc", json!({"score": null}), json!({"score": null}), vec![]),
        ("sdlc", json!({"verdict": "Fail."}), json!({"verdict": "FAIL"}), vec!["word-spelling"]),
        ("sdlc", json!({"verdict": ["FAIL"]}), json!({"verdict": ["FAIL"]}), vec![]),
        ("sdlc", json!({"verdict": false}), json!({"verdict": false}), vec![]),
        ("sdlc", json!({"verdict": ""}), json!({"verdict": ""}), vec![]),
        ("sdlc", json!({"findings": "None"}), json!({"findings": []}), vec!["empty-list-in-words"]),
        ("sdlc", json!({"findings": {}}), json!({"findings": []}), vec!["empty-list-in-words"]),
        ("sdlc", json!({"findings": "[]"}), json!({"findings": []}), vec!["json-in-text"]),
        ("sdlc", json!({"findings": [[]]}), json!({"findings": []}), vec!["list-in-list"]),
        ("sdlc", json!({"findings": null}), json!({"findings": null}), vec![]),
        ("sdlc", json!({"findings": ""}), json!({"findings": ""}), vec![]),
        ("sdlc", json!({"findings": false}), json!({"findings": false}), vec![]),
        ("sdlc", json!({"findings": 0}), json!({"findings": 0}), vec![]),
        ("sdlc", json!({"findings": "[{}"}), json!({"findings": "[{}"}), vec![]),
        ("sdlc", json!({"findings": "[] and more"}), json!({"findings": "[] and more"}), vec![]),
        ("sdlc", json!({"Score": 7}), json!({"Score": null}), vec![]),
        ("critic", json!({"pass": "no"}), json!({"pass": false}), vec!["boolean-in-text"]),
        ("critic", json!({"pass": "yes"}), json!({"pass": "yes"}), vec![]),
        ("critic", json!({"escalate": "yes"}), json!({"escalate": true}), vec!["boolean-in-text"]),
        ("critic", json!({"escalate": "no"}), json!({"escalate": "no"}), vec![]),
        (
            "critic",
            json!({"findings": finding}),
            json!({"findings": [finding]}),
            vec!["mapping-for-list"],
        ),
        (
            "critic",
            json!({"findings": [finding.to_string()]}),
            json!({"findings": [finding]}),
            vec!["json-in-text"],
        ),
        (
            "critic",
            json!({"findings": {"1": finding, "2": "A text"}}),
            json!({"findings": [finding, "A text"]}),
            vec!["mapping-for-list", "text-for-mapping"],
        ),
        ("critic", json!({"findings": {"high": 2}}), json!({"findings": {"high": 2}}), vec![]),
        (
            "workflow",
            json!({"handover": [{"role": "workflow-reviewer-pass1"}]}),
            json!({"handover": {"role": "workflow-reviewer-pass1"}}),
            vec!["wrapper"],
        ),
        (
            "workflow",
            json!({"attestation": ["One.", "Two."]}),
            json!({"attestation": "One.\nTwo."}),
            vec!["list-for-text"],
        ),
        ("workflow", json!({"attestation": []}), json!({"attestation": []}), vec![]),
        ("workflow", json!({"attestation": [[]]}), json!({"attestation": [[]]}), vec![]),
        (
            "codex-",
            json!({"overall_confidence_score": "0.7"}),
            json!({"overall_confidence_score": 0.7}),
            vec!["number-in-text"],
        ),
    ]
}

/// A review that fits.
fn whole(contract: &str) -> Json {
    match contract {
        "sdlc" => json!({"reviewer": "Security Reviewer", "phase": "Phase 4", "score": 8,
            "verdict": "PASS", "findings": [], "reasoning": "It is. It is good."}),
        "critic" => json!({"pass": false, "iteration": 1, "findings": [], "gates": {
            "build": {"status": "pass"}, "lint": {"status": "pass"}, "test": {"status": "fail"},
            "secrets": {"status": "pass"}}}),
        "workflow" => json!({"handover": {"role": "workflow-reviewer-pass1"}, "verdict": "approve",
            "attestation": "All of it.", "findings": []}),
        "agentmux" => json!({"verdict": "fail", "summary": "One gap.",
            "findings": [{"issue": "No timeout", "recommendation": "Set one"}]}),
        _ => json!({"findings": [], "overall_correctness": "patch is correct",
            "overall_explanation": "Fine."}),
    }
}

fn named(name: &str) -> &'static dyn Contract {
    contract(if name == "critic" { "dev" } else { name })
}

#[test]
fn values_in_json_and_yaml() {
    for (name, fields, wanted, kinds) in table() {
        let mut review = whole(name);
        for (key, value) in fields.as_object().expect("fields") {
            review[key] = value.clone();
        }
        let as_json = review.to_string();
        let as_yaml = serde_yaml::to_string(&review).expect("YAML");
        for text in [as_json, as_yaml] {
            let reading = mended(named(name), &text);
            let came = reading.node.as_ref().expect("a review").to_json();
            if reading.faults.is_empty() {
                for (key, value) in wanted.as_object().expect("fields") {
                    let came = came.get(key).cloned().unwrap_or_default();
                    assert_eq!(came, *value, "{name}: {key} in {text}");
                }
            } else {
                // The table's key in another spelling stands beside the right one.
                assert_eq!(reading.faults[0].rule.code, "duplicate-key", "{text}");
                assert!(came.get("score").is_none(), "{text}");
            }
            assert_eq!(codes(&reading), kinds, "{text}");
        }
    }
}

#[test]
fn what_fits_is_not_touched() {
    for name in ["sdlc", "critic", "workflow", "agentmux", "codex-"] {
        let review = whole(name);
        for text in [review.to_string(), serde_yaml::to_string(&review).expect("YAML")] {
            let strict = parse::parse(&text, CAPS);
            assert!(named(name).schema().fits(strict.node.as_ref().expect("a review")), "{text}");
            assert_eq!(mended(named(name), &text), strict, "{text}");
        }
    }
}

/// What was mended needs no second mending.
#[test]
fn mending_is_done_once() {
    for (name, fields, _, _) in table() {
        let mut review = whole(name);
        for (key, value) in fields.as_object().expect("fields") {
            review[key] = value.clone();
        }
        let text = json!({"output": [review]}).to_string();
        let mut reading = mended(named(name), &text);
        assert!(codes(&reading).contains(&"wrapper"), "{text}");
        let node = reading.node.clone();
        reading.repairs.clear();
        super::mend(&mut reading, named(name).schema().shape(), CAPS);
        assert_eq!(reading.node, node, "{text}");
        reading.repairs.retain(|repair| repair.code != "text-for-mapping");
        assert_eq!(reading.repairs, [], "{text}");
    }
}

#[test]
fn what_stood_there_is_kept() {
    let reading = mended(contract("sdlc"), "score: 8/10\nverdict: \"FAIL: layers\"\n");
    let node = reading.node.expect("a review");
    let of = |key: &str| node.get(key).map(|node| (node.text(), node.written()));
    assert_eq!(of("score"), Some((Some("8"), Some("8/10"))));
    assert_eq!(of("verdict"), Some((Some("FAIL"), Some("FAIL: layers"))));
    assert_eq!(reading.repairs.len(), 2);
    assert_eq!((reading.repairs[1].line, reading.repairs[1].column), (2, 10));
}

#[test]
fn wrappers() {
    let review = whole("critic");
    let text = |wrapped: Json| wrapped.to_string();
    for (wrapped, layers) in [
        (json!({"output": review}), 1),
        (json!([review]), 1),
        (json!({"a": {"b": {"c": {"d": review}}}}), 4),
        (json!({"reviews": [review]}), 2),
        (json!({"output": review.to_string()}), 1),
        (json!(review.to_string()), 0),
    ] {
        let text = text(wrapped);
        let reading = mended(contract("dev"), &text);
        assert_eq!(reading.node.map(|node| node.to_json()), Some(review.clone()), "{text}");
        let count = reading.repairs.iter().filter(|repair| repair.code == "wrapper").count();
        assert_eq!(count, layers, "{text}");
    }
    for wrapped in [
        json!([review, review]),
        json!({"a": review, "b": 1}),
        json!({"a": review, "b": review}),
        json!({"example": review}),
        json!({"expected_output": review}),
        json!({"a": {"b": {"c": {"d": {"e": review}}}}}),
        json!({"a": {"pass": true}}),
        json!({"findings": review}),
        json!({"a": "text"}),
        json!([]),
        json!({}),
        json!([[[]]]),
        json!("text"),
    ] {
        let text = text(wrapped.clone());
        let reading = mended(contract("dev"), &text);
        let node = reading.node.expect("a value");
        assert!(node.get("pass").is_none(), "{text}");
        assert!(!reading.repairs.iter().any(|repair| repair.code == "wrapper"), "{text}");
    }
}

#[test]
fn two_spellings_of_a_key_count_for_neither() {
    for text in [
        r#"{"verdict": "FAIL", "Verdict": "PASS"}"#,
        r#"{"Verdict": "PASS", "verdict": "FAIL"}"#,
        r#"{"VERDICT": "PASS", "**verdict**": "PASS"}"#,
    ] {
        let reading = mended(contract("sdlc"), text);
        assert_eq!(reading.faults[0].rule.code, "duplicate-key", "{text}");
        assert_eq!(reading.node.expect("a mapping").entries().len(), 0, "{text}");
    }
    let pairs = r#"[{"score": 8}, {"verdict": "PASS"}, {"reviewer": "A"}, {"score": 8}]"#;
    let reading = mended(contract("sdlc"), pairs);
    assert_eq!(reading.faults.len(), 1);
    assert_eq!(reading.faults[0].place, Place { line: 1, column: 57 });
    let node = reading.node.expect("a mapping");
    assert!(node.get("score").is_none() && node.get("verdict").is_some());
}

/// A form is told by its placeholders: none of them may be lost.
#[test]
fn a_form_stays_a_form() {
    for text in [
        "verdict: PASS | FAIL\nscore: <1-10>\nreviewer: [Reviewer Name]\n",
        "reviewer: [Your Name]\nreasoning: [What You Saw]\nverdict: [PASS/FAIL]\n",
        "reasoning: [<one>, <two>]\nfindings:\n  - <finding>\n",
        "{\"verdict\": \"<PASS|FAIL>\", \"findings\": [\"<finding>\"], \"reasoning\": [\"<a>\"]}",
        "{\"verdict\": \"{{verdict}}\", \"score\": \"{{score}}/10\", \"findings\": \"...\"}",
    ] {
        let strict = parse::parse(text, CAPS);
        assert_eq!(strict.faults, [], "{text}");
        assert_eq!(mended(contract("sdlc"), text), strict, "{text}");
    }
}

#[test]
fn json_in_a_text_is_capped() {
    let deep = json!({"pass": true, "findings": format!("{}{}", "[".repeat(60), "]".repeat(60))});
    let text = deep.to_string();
    let reading = mended(contract("dev"), &text);
    assert_eq!(codes(&reading), [""; 0]);
    // All texts together may hold no more nodes than one block.
    let many = format!("[{}0]", "0,".repeat(60_000));
    let reading_of = |text: &str| {
        let reading = mended(contract("workflow"), text);
        reading.repairs.iter().filter(|repair| repair.code == "json-in-text").count()
    };
    let one = json!({"handover": {}, "verdict": "approve", "findings": many});
    assert_eq!(reading_of(&one.to_string()), 1);
    let two = json!({"handover": {}, "verdict": "approve", "findings": many, "checklist": many});
    assert_eq!(reading_of(&two.to_string()), 1);
}

#[test]
fn time_is_linear() {
    let list = |item: &str| format!("[{}]", vec![item; 60_000].join(","));
    let sdlc = |findings: &str| {
        format!(
            "{{\"reviewer\": \"A\", \"score\": 8, \"verdict\": \"FAIL\", \"findings\": {findings}}}"
        )
    };
    let mut keys = String::new();
    for key in 0..60_000 {
        let _ = write!(keys, "\"k{key}\": {{\"Severity\": 1}},");
    }
    for text in [
        sdlc(&list("\"a text\"")),
        sdlc(&list("{\"severity\": \"not a word: but long\"}")),
        sdlc(&list("{\"Severity\": \"FAIL critical\"}")),
        sdlc(&list("[{\"severity\": 1}]")),
        sdlc(&list("\"[[[[[[[[\"")),
        sdlc(&format!("{{{keys}\"z\": 1}}")),
        format!("{{{keys}\"z\": 1}}"),
        list("{\"score\": 8}"),
        list("{\"a\": {\"b\": 8}}"),
    ] {
        let head: String = text.chars().take(90).collect();
        quickly(&head, || mended(contract("sdlc"), &text).repairs.len());
        quickly(&head, || mended(contract("dev"), &text).repairs.len());
    }
    assert!(by_id("none").is_none());
}
