use super::super::fields::testing::{checked, covers, faults, read, with};
use super::*;
use crate::record::Status;

const BASE: &str = r#"{
"pass": false, "iteration": 1.0,
"gates": {
"build": {"status": "skipped", "skip_reason": "no compiler"},
"lint": {"status": "fail", "tool": "ruff", "errors": 3, "warnings": 0},
"test": {"status": "pass", "passed": 7, "failed": 0, "skipped_count": 1},
"secrets": {"status": "pass", "matched_patterns": ["aws-access-key-id"]}},
"findings": [{"severity": "important", "file": ".\\src\\a.py", "line": 4,
"rule": "rules/errors.md#no-unwrap", "issue": "It panics", "fix": "Return it"}],
"stack": "python", "escalate": false}"#;

fn of(text: &str) -> Review {
    read(&DevCritic, text, Setting::default())
}

#[test]
fn a_valid_review() {
    let review = of(BASE);
    assert_eq!(review.violations, []);
    assert_eq!(review.verdict, Some(Verdict::Fail));
    assert_eq!(review.verdict_raw.as_deref(), Some("false"));
    assert_eq!(review.verdict_expected, Some("false"));
    assert_eq!((review.iteration, review.score_max), (Some(1), None));
    let names: Vec<_> = review.gates.iter().map(|gate| gate.name.as_str()).collect();
    assert_eq!(names, GATES);
    assert_eq!(review.gates[0].reason.as_deref(), Some("no compiler"));
    assert_eq!((review.gates[1].errors, review.gates[1].warnings), (Some(3), Some(0)));
    assert_eq!(review.gates[2].skipped, Some(1));
    let finding = &review.findings[0];
    assert_eq!(
        (finding.severity, finding.severity_raw.as_deref()),
        (Some("high"), Some("important"))
    );
    assert_eq!((finding.path.as_deref(), finding.line), (Some("src/a.py"), Some(4)));
    assert_eq!(finding.message.as_deref(), Some("It panics"));
    assert_eq!(finding.recommendation.as_deref(), Some("Return it"));
    assert_eq!(
        serde_json::Value::from(review.extra.expect("it is there")),
        serde_json::json!({
            "escalate": false,
            "stack": "python",
            "gates/secrets/matched_patterns": ["aws-access-key-id"],
        })
    );
}

#[test]
fn each_rule_broken_and_kept() {
    let green = with(BASE, r#""status": "fail", "tool""#, r#""status": "pass", "tool""#);
    let passed = with(&green, r#""pass": false"#, r#""pass": true"#);
    let third = with(BASE, "1.0", "3");
    let escalated = |text: &str| with(text, r#""escalate": false"#, r#""escalate": true"#);
    let cases: &[(String, &[&str])] = &[
        (with(BASE, r#""pass": false"#, r#""pass": true"#), &["pass-with-failed-gate /pass"]),
        (passed.clone(), &[]),
        (with(&passed, "important", "blocking"), &["pass-with-blocking-finding /pass"]),
        (green.clone(), &["unexplained-fail /pass"]),
        (with(&green, "important", "blocking"), &[]),
        (
            with(BASE, r#", "skip_reason": "no compiler""#, ""),
            &["skip-reason-missing /gates/build/status"],
        ),
        (with(BASE, "no compiler", " "), &["skip-reason-missing /gates/build/status"]),
        (
            with(BASE, r#""skipped", "skip_reason": "no compiler""#, r#""fail""#),
            &["error-summary-missing /gates/build/status"],
        ),
        (with(BASE, r#""skipped", "skip_reason""#, r#""fail", "error_summary""#), &[]),
        (third.clone(), &["escalation-missing /iteration"]),
        (escalated(&third), &[]),
        (with(&passed, "1.0", "3"), &[]),
        (escalated(&passed), &["escalate-with-pass /escalate"]),
        (with(BASE, "rules/errors.md#no-unwrap", "no-unwrap"), &["rule-citation /findings/0/rule"]),
        (
            with(BASE, "rules/errors.md#no-unwrap", "rules/a.md#"),
            &["rule-citation /findings/0/rule"],
        ),
        (with(BASE, "rules/errors.md#no-unwrap", "gate/"), &["rule-citation /findings/0/rule"]),
        (with(BASE, "rules/errors.md#no-unwrap", "gate/lint"), &[]),
        (
            with(BASE, "aws-access-key-id", "AKIAIOSFODNN7EXAMPL3"),
            &["secret-exposed /gates/secrets/matched_patterns/0"],
        ),
        (with(BASE, "\"stack\"", "\"stak\""), &["schema-unknown-key /stak"]),
        (with(BASE, "\"tool\"", "\"name\""), &["schema-unknown-key /gates/lint/name"]),
        (with(BASE, "1.0", "4"), &["schema-range /iteration", "escalation-missing /iteration"]),
        (with(BASE, "1.0", "1.5"), &["schema-type /iteration"]),
        (with(BASE, "\"important\"", "3"), &["schema-enum /findings/0/severity"]),
    ];
    let mut broken = Vec::new();
    for (text, wanted) in cases {
        assert_eq!(faults(&of(text)), *wanted, "{text}");
        broken.extend(*wanted);
    }
    covers(&DevCritic, &broken);
}

#[test]
fn a_secret_stands_nowhere_in_the_record() {
    let secret = "AKIAIOSFODNN7EXAMPL3";
    let patterns = r#"["aws-access-key-id"]"#;
    for text in [
        with(&with(BASE, "aws-access-key-id", secret), "It panics", &format!("See {secret}")),
        with(BASE, patterns, &format!("\"{secret}\"")),
        with(BASE, "matched_patterns\": [\"aws-access-key-id", &format!("matches\": [\"{secret}")),
        // The excerpt of the whole mapping is cut within the secret, wherever that may be.
        with(BASE, patterns, &format!("{{\"{}\": \"{secret}\"}}", "x".repeat(190 - 15))),
    ] {
        let review = of(&text);
        assert!(!review.violations.is_empty(), "{text}");
        let shown = format!("{review:?}");
        assert!(!shown.contains(&secret[..6]), "{shown}");
        assert!(shown.contains("AKIA…"), "{shown}");
    }
}

#[test]
fn a_secret_stands_in_no_fault_of_the_syntax() {
    let secret = "AKIAIOSFODNN7EXAMPLE";
    let gates = format!(r#"{{"secrets": {{"status": "fail", "matched_patterns": ["{secret}"]}}}}"#);
    for text in [
        format!(r#"{{"pass": false, "gates": {gates}, "findings": [ {secret} ]}}"#),
        format!(r#"{{"gates": {gates}, "findings": [], "{secret}": 1, "{secret}": 2}}"#),
        format!(r#"{{"gates": {{"secrets": {{"matched_patterns": [ {secret} ]}}}}}}"#),
        format!("gates: {gates}\nfindings: *{secret}\n"),
        format!("gates: {gates}\nfindings: []\n{secret}: 1\n{secret}: 2\n"),
    ] {
        let checked = checked(&DevCritic, &text);
        assert_eq!(checked.status, Status::Malformed, "{text}");
        let shown = format!("{:?}", checked.review);
        assert!(!shown.contains(&secret[..6]), "{shown}");
    }
}

#[test]
fn verdicts() {
    let cases = [
        (r#"{"pass": true, "gates": {}, "findings": []}"#, Some(Verdict::Pass), None),
        (r#"{"pass": "true", "findings": []}"#, None, None),
        (r#"{"escalate": true}"#, Some(Verdict::Escalate), None),
        (r#"{"gates": {"lint": {"status": "fail"}}}"#, None, Some("false")),
        (r#"{"findings": [{"severity": "blocking"}, 3, "x"]}"#, None, Some("false")),
        ("[]", None, None),
        (r#"{"gates": [1], "findings": {"a": 1}}"#, None, None),
        (r#"{"gates": {"build": 3}, "findings": [[], null]}"#, None, None),
    ];
    for (text, verdict, expected) in cases {
        let review = of(text);
        assert_eq!((review.verdict, review.verdict_expected), (verdict, expected), "{text}");
    }
    assert!(of(r#"{"findings": [{"severity": "blocking"}]}"#).critical);
}

#[test]
fn which_mappings_are_reviews() {
    let cases = [
        (BASE, Claim::Sure),
        (r#"{"iteration": 1, "gates": {"lint": {}}, "findings": []}"#, Claim::Sure),
        (r#"{"pass": true, "gates": {"lint": {}}}"#, Claim::None),
        (r#"{"pass": true, "gates": {"front": {}}, "findings": []}"#, Claim::None),
        (r#"{"pass": true, "iteration": 1, "findings": []}"#, Claim::None),
        (r#"{"type": "object", "pass": 1, "gates": "lint", "findings": 1}"#, Claim::None),
    ];
    for (text, claim) in cases {
        assert_eq!(DevCritic.identify(&Outline::of(text)), claim, "{text}");
    }
    let printed = DevCritic.schema().printed();
    let schema = Outline::of(&printed);
    assert_eq!(DevCritic.identify(&schema), Claim::None);
}
