use super::super::fields::testing::{covers, faults, read, with};
use super::*;

const BASE: &str = r#"reviewer: "Code Quality Reviewer"
phase: Phase 4
score: 7
verdict: PASS
findings:
  - severity: medium
    category: naming
    scope: in-scope
    requirement: FR-3
    description: |
      Two names
      for one thing
    location: src/a.py:3
    recommendation: Use one
hardening_suggestions:
  - severity: low
    category: dry
    description: Share it
    location: Order service
    recommendation: Move it
reasoning: It is fine. The names at src/a.py:3 differ.
"#;

fn of(text: &str) -> Review {
    read(&SdlcReview, text, Setting::default())
}

#[test]
fn a_valid_review() {
    let review = of(BASE);
    assert_eq!(review.violations, []);
    assert_eq!(review.verdict, Some(Verdict::Pass));
    assert!(!review.critical);
    assert_eq!(review.verdict_raw.as_deref(), Some("PASS"));
    assert_eq!(review.verdict_expected, Some("PASS"));
    assert_eq!((review.score, review.score_max), (Some(7), Some(10)));
    assert_eq!(review.phase.as_deref(), Some("Phase 4"));
    let finding = &review.findings[0];
    assert_eq!(finding.message.as_deref(), Some("Two names\nfor one thing"));
    assert_eq!((finding.path.as_deref(), finding.line), (Some("src/a.py"), Some(3)));
    assert_eq!(finding.requirement.as_deref(), Some("FR-3"));
    let suggestion = &review.suggestions[0];
    assert_eq!((&suggestion.path, suggestion.severity), (&None, Some("low")));
    assert_eq!(suggestion.location_raw.as_deref(), Some("Order service"));
    assert_eq!(review.extra, None);
}

#[test]
fn each_rule_broken_and_kept() {
    let scope = "    scope: in-scope\n";
    let requirement = "    requirement: FR-3\n";
    let reasoning = "reasoning: It is fine. The names at src/a.py:3 differ.";
    let clean = BASE[..BASE.find("findings").expect("it is there")].to_owned()
        + "findings: []\n"
        + reasoning;
    let ten = with(&clean, "score: 7", "score: 9");
    let security = with(&with(BASE, "Code Quality", "Security"), "naming", "secrets");
    let cases: &[(String, &[&str])] = &[
        (with(BASE, "Code Quality Reviewer", "Some One"), &["unknown-reviewer /reviewer"]),
        (with(BASE, "Code Quality", "code quality"), &["unknown-reviewer /reviewer"]),
        (with(&with(BASE, "Code Quality", "AWS Compliance"), "naming", "identity"), &[]),
        (with(&with(BASE, "Code Quality", "UX Accessibility"), "naming", "alt-text"), &[]),
        (with(BASE, "phase: Phase 4\n", ""), &["phase-absent "]),
        (with(BASE, "Phase 4", "\" \""), &["phase-absent /phase"]),
        (with(BASE, "Phase 4", ""), &["phase-absent /phase"]),
        (with(BASE, "Phase 4", "4"), &[]),
        (with(BASE, "naming", "secrets"), &["unknown-category /findings/0/category"]),
        (with(BASE, &format!("{scope}{requirement}"), ""), &["scope-absent /findings/0"]),
        (with(BASE, "in-scope", "other"), &["out-of-scope-finding /findings/0/scope"]),
        (with(BASE, "in-scope", "In-Scope"), &["scope-spelling /findings/0/scope"]),
        (with(BASE, "in-scope", "in scope"), &["scope-spelling /findings/0/scope"]),
        (with(BASE, "in-scope", "IN_SCOPE"), &["scope-spelling /findings/0/scope"]),
        (with(BASE, "in-scope", "not in-scope"), &["out-of-scope-finding /findings/0/scope"]),
        (
            with(&with(BASE, "medium", "critical"), "in-scope", "InScope"),
            &["scope-spelling /findings/0/scope", "verdict-mismatch /verdict"],
        ),
        (with(BASE, requirement, ""), &["requirement-absent /findings/0"]),
        (
            with(BASE, "severity: low", "severity: high"),
            &["hardening-severity /hardening_suggestions/0/severity"],
        ),
        (with(BASE, reasoning, "reasoning: Fine."), &["reasoning-length /reasoning"]),
        (with(BASE, reasoning, "reasoning: A. B. C. D."), &["reasoning-length /reasoning"]),
        (with(BASE, reasoning, "reasoning: A. B. C."), &[]),
        (with(BASE, "score: 7", "score: 6"), &["verdict-mismatch /verdict"]),
        (with(&with(BASE, "score: 7", "score: 6"), "PASS", "FAIL"), &[]),
        (with(BASE, "PASS", "FAIL"), &["verdict-mismatch /verdict"]),
        (with(BASE, "PASS", "CRITICAL_FAIL"), &["verdict-mismatch /verdict"]),
        (with(BASE, "medium", "critical"), &["verdict-mismatch /verdict"]),
        (with(&with(BASE, "medium", "critical"), "PASS", "CRITICAL_FAIL"), &[]),
        (
            with(&with(BASE, "medium", "critical"), "in-scope", "other"),
            &["out-of-scope-finding /findings/0/scope"],
        ),
        (security.clone(), &["verdict-mismatch /verdict"]),
        (with(&security, "score: 7", "score: 8"), &[]),
        (ten.clone(), &["suspiciously-positive /score"]),
        (with(&ten, "score: 9", "score: 8"), &[]),
        (with(&ten, "score: 9", "score: 10"), &["suspiciously-positive /score"]),
        (with(&ten, "score: 9", "score: 95"), &["schema-range /score"]),
        (with(BASE, "score: 7", "score: 9"), &[]),
        (with(BASE, "verdict: PASS", "verdict: pass"), &["schema-enum /verdict"]),
        (with(BASE, "score: 7", "score: 12"), &["schema-range /score"]),
        (with(BASE, "score: 7", "score: 7.5"), &["schema-type /score"]),
        (with(BASE, "score: 7", "score: 7.0"), &[]),
        (with(BASE, "reviewer: \"Code Quality Reviewer\"\n", ""), &["schema-required "]),
        (with(BASE, "    recommendation: Use one\n", ""), &["schema-required /findings/0"]),
    ];
    let mut broken = Vec::new();
    for (text, wanted) in cases {
        assert_eq!(faults(&of(text)), *wanted, "{text}");
        broken.extend(*wanted);
    }
    broken.extend(["score-disagrees-with-report", "block-not-last", "missing-block"]);
    covers(&SdlcReview, &broken);
}

#[test]
fn what_stands_around_the_block() {
    let cases: &[(&str, Option<&str>, &[&str])] = &[
        ("# Report\n**Quality Score:** 7/10\n", Some(" \n"), &[]),
        ("Quality Score: 7.0/10", None, &[]),
        ("Quality Score: 6/10", None, &["score-disagrees-with-report /score"]),
        ("Quality Score: 7.5/10", None, &["score-disagrees-with-report /score"]),
        ("Quality Score: 7/10, before: Quality Score: 5/10", None, &[]),
        ("", Some("Done."), &["block-not-last "]),
    ];
    for &(before, after, wanted) in cases {
        let review = read(&SdlcReview, BASE, Setting { before, after, ..Setting::default() });
        assert_eq!(faults(&review), wanted, "{before}");
    }
}

#[test]
fn what_can_be_said_of_a_broken_review() {
    let cases: &[(&str, &str, Option<&str>)] = &[
        ("score: 7", "score: seven", None),
        ("score: 7", "score: 0", None),
        ("severity: medium", "severity: blocker", None),
        ("verdict: PASS", "verdict: maybe", Some("PASS")),
    ];
    for (old, new, expected) in cases {
        assert_eq!(of(&with(BASE, old, new)).verdict_expected, *expected, "{new}");
    }
    let review = of("verdict: maybe\nscore: 30\nfindings:\n- A text\n- [1]\n- {owner: me}\n");
    assert_eq!((review.verdict, review.verdict_raw.as_deref()), (None, Some("maybe")));
    assert_eq!(review.score, Some(30));
    assert_eq!(review.findings.len(), 2);
    assert_eq!(review.findings[0].message.as_deref(), Some("A text"));
    assert_eq!(review.extra.expect("it is there")["findings/2/owner"], "me");
    let review = of("hardening_suggestions: [An idea]\n");
    assert_eq!(review.suggestions[0].message.as_deref(), Some("An idea"));
    let review = of("score: x\nfindings:\n- severity: critical\n");
    assert!(review.critical);
    assert_eq!(review.verdict_expected, Some("CRITICAL_FAIL"));
    for text in ["[]", "x", "findings: 3", "findings: {a: [b]}", "hardening_suggestions: [[], 1]"] {
        of(text);
    }
}

#[test]
fn which_mappings_are_reviews() {
    let cases = [
        (BASE, Claim::Weak),
        ("reviewer: a\nverdict: b\n", Claim::None),
        ("{\"reviewer\": 1, \"score\": 2, \"verdict\": 3}", Claim::Weak),
        ("{\"reviewer\": 1, \"score\": 2, \"verdict\": 3, \"type\": \"review\"}", Claim::None),
    ];
    for (text, claim) in cases {
        assert_eq!(SdlcReview.identify(&Outline::of(text)), claim, "{text}");
    }
}

#[test]
fn a_report_without_a_block() {
    let name = |message: &str, agent| {
        SdlcReview.missing(message, agent).map(|review| review.reviewer.expect("it is there"))
    };
    let score = "Quality Score: 6/10";
    let cases: &[(&str, Option<&str>, Option<&str>)] = &[
        (score, Some("security-reviewer"), Some("Security Reviewer")),
        (score, Some("sdlc:ux_accessibility_reviewer"), Some("UX & Accessibility Reviewer")),
        (score, Some("Style Reviewer"), Some("Style Reviewer")),
        ("# Security Review\nQuality Score: 6/10", None, Some("Security Reviewer")),
        ("# Security Review\nQuality Score: 6/10", Some("coder"), Some("Security Reviewer")),
        (score, None, None),
        (score, Some("coder"), None),
        (score, Some("workflow-reviewer-phase3"), None),
        ("Quality Score: 6.5/10", Some("security-reviewer"), None),
        ("Quality Score: 11/10", Some("security-reviewer"), None),
        ("# Security Review\n", Some("security-reviewer"), None),
        ("# Security Review\nQuality Score: 6/10\nQuality Score: 7/10", None, None),
        ("# Security Review\n# Test Coverage Review\nQuality Score: 6/10", None, None),
    ];
    for (message, agent, wanted) in cases {
        assert_eq!(name(message, *agent).as_deref(), *wanted, "{message} {agent:?}");
    }
    let review = SdlcReview
        .missing("# Security Review\n\n - **Quality Score:** 6/10", None)
        .expect("it is there");
    assert_eq!((review.verdict, review.score, review.score_max), (None, Some(6), Some(10)));
    assert_eq!(faults(&review), ["missing-block "]);
    assert_eq!((review.violations[0].line, review.violations[0].column), (Some(3), Some(6)));
}
