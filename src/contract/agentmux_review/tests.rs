use super::super::fields::testing::{covers, faults, read, with};
use super::*;

const BASE: &str = "verdict: fail
summary: |
  Two lines
  of summary
findings:
  - location: src/a.py:3
    issue: no
    severity: critical
    recommendation: |
      Check it
    owner: me
commit_message: ' fix: it '
round: 2
";

fn of(text: &str) -> Review {
    read(&AgentmuxReview, text, Setting::default())
}

#[test]
fn a_valid_review() {
    let review = of(BASE);
    assert_eq!(review.violations, []);
    assert_eq!((review.verdict, review.critical), (Some(Verdict::Fail), true));
    assert_eq!((review.verdict_expected, review.score_max), (None, None));
    assert_eq!(review.summary.as_deref(), Some("Two lines\nof summary"));
    assert_eq!(review.commit_message.as_deref(), Some("fix: it"));
    let finding = &review.findings[0];
    assert_eq!((finding.path.as_deref(), finding.line), (Some("src/a.py"), Some(3)));
    assert_eq!(finding.message.as_deref(), Some("no"));
    assert_eq!(finding.recommendation.as_deref(), Some("Check it"));
    assert!(!finding.ignored);
    assert_eq!(
        serde_json::Value::from(review.extra.expect("it is there")),
        serde_json::json!({"findings/0/owner": "me", "round": 2})
    );
}

#[test]
fn findings_of_a_pass_do_not_count() {
    let review = of(&with(BASE, "verdict: fail", "verdict: pass\nrole: tester"));
    assert_eq!(review.violations, []);
    assert_eq!((review.verdict, review.critical), (Some(Verdict::Pass), false));
    assert_eq!(review.reviewer.as_deref(), Some("tester"));
    assert!(review.findings[0].ignored);
}

#[test]
fn each_rule_broken_and_kept() {
    let pass = |text: &str| with(text, "verdict: fail", "verdict: pass");
    let blank = with(BASE, "issue: no", "issue: ' '");
    let absent = with(BASE, "    issue: no\n", "");
    let bare = "verdict: pass\nsummary: fine\n";
    let cases: &[(String, &[&str])] = &[
        (blank.clone(), &["finding-text-missing /findings/0/issue"]),
        (absent.clone(), &["finding-text-missing /findings/0"]),
        (with(BASE, "issue: no", "issue: [no]"), &["finding-text-missing /findings/0/issue"]),
        (pass(&blank), &["ignored-finding-text-missing /findings/0/issue"]),
        (pass(&absent), &["ignored-finding-text-missing /findings/0"]),
        (with(BASE, "critical", "blocker"), &["unknown-severity /findings/0/severity"]),
        (with(BASE, "critical", "info"), &[]),
        (with(BASE, "    severity: critical\n", ""), &[]),
        (with(BASE, "src/a.py:3", "Order service"), &["location-unparsed /findings/0/location"]),
        (with(BASE, "location: src/a.py:3\n    issue", "issue"), &[]),
        (bare.to_owned(), &[]),
        (with(bare, "pass", "fail"), &["schema-required "]),
        (with(bare, "pass", "fail") + "findings: []", &["schema-items /findings"]),
        (bare.to_owned() + "findings: []", &[]),
        (bare.to_owned() + "findings: fine", &["schema-type /findings"]),
        (bare.to_owned() + "findings: [fine]", &["schema-type /findings/0"]),
        (bare.to_owned() + "commit_message: [a]", &["schema-type /commit_message"]),
        (bare.to_owned() + "commit_message: 1.10", &[]),
        (with(bare, "pass", "PASS"), &["schema-enum /verdict"]),
        (with(bare, "verdict: pass\n", ""), &["schema-required "]),
        (with(bare, "fine", "' '"), &["schema-empty-text /summary"]),
    ];
    let mut broken = Vec::new();
    for (text, wanted) in cases {
        assert_eq!(faults(&of(text)), *wanted, "{text}");
        broken.extend(*wanted);
    }
    covers(&AgentmuxReview, &broken);
}

#[test]
fn what_can_be_said_of_a_broken_review() {
    let review = of("verdict: ' Fail'\nfindings: [A text, [], {issue: {}}]\n");
    assert_eq!((review.verdict, review.verdict_raw.as_deref()), (None, Some("Fail")));
    assert_eq!(review.findings.len(), 2);
    assert_eq!(review.findings[0].message.as_deref(), Some("A text"));
    for text in ["[]", "x", "findings: 3", "verdict: [fail]", "summary: {a: b}"] {
        assert_eq!(of(text).verdict, None);
    }
}

#[test]
fn which_mappings_are_reviews() {
    let cases = [
        (BASE, Claim::Weak),
        ("verdict: pass\nfindings: []\n", Claim::None),
        ("verdict: pass\nsummary: a\nhandover: {}\n", Claim::None),
        ("verdict: pass\nsummary: a\nscore: 3\n", Claim::None),
        ("verdict: guilty\nsummary: a\n", Claim::None),
        ("verdict: passport\nsummary: a\n", Claim::None),
        ("verdict:\nsummary: a\n", Claim::None),
        ("{\"verdict\":\"benign\",\"summary\":\"no fail\"}", Claim::None),
        ("{\"verdict\":\"PASS\",\"summary\":\"a\"}", Claim::Weak),
        ("verdict: **Fail**.\nsummary: a\n", Claim::Weak),
        ("verdict: \"✅ Passed\"\nsummary: a\n", Claim::Weak),
        ("verdict: pass | fail\nsummary: <a>\n", Claim::Weak),
        ("verdict: <pass|fail>\nsummary: <a>\n", Claim::Weak),
        ("verdict: |\n  pass\nsummary: a\n", Claim::Weak),
        ("const r = {\n  verdict: 'pass',\n  summary: 'a',\n}\n", Claim::None),
        ("{\"type\": \"object\", \"verdict\": 1, \"summary\": 1}", Claim::None),
    ];
    for (text, claim) in cases {
        assert_eq!(AgentmuxReview.identify(&Outline::of(text)), claim, "{text}");
    }
}

#[test]
fn names_of_files_and_tools() {
    for (name, wanted) in [
        ("review.yaml", true),
        ("review.yml", true),
        ("review_code-quality.yaml", true),
        ("review_.yaml", false),
        ("review_a b.yaml", false),
        ("review.yaml.bak", false),
        ("preview.yaml", false),
        ("review.md", false),
    ] {
        assert_eq!(AgentmuxReview.kept_in(name), wanted, "{name}");
    }
    assert!(AgentmuxReview.submitted_by("submit_review"));
    assert!(!AgentmuxReview.submitted_by("submit_review_draft"));
}
