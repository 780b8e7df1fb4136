use super::super::fields::testing::{covers, faults, read, with};
use super::*;

const BASE: &str = "handover:
  role: workflow-reviewer-phase3
  cycle: 1
  status: rejected
  next-action: fix
verdict: reject
phase: 3
checklist:
  - item: Pages are mapped
    satisfied: no
    evidence: 1.10
    methodology-ref: §2
findings:
  - checklist-item: Pages are mapped
    what-missing: The login page
    methodology-ref: §2
    fix-instruction: Map it
    owner: me
reviewerCycle: 2
summary: One page is not there
attestation: Seen
authorizer: The user
";

const APPROVAL: &str = "handover: {role: workflow-reviewer-pass2, status: approved}
verdict: approve
pass: 2
checklist: [{item: a, satisfied: true}]
findings: []
attestation: All seen
";

fn of(text: &str) -> Review {
    read(&WorkflowReviewer, text, Setting::default())
}

/// `no` is a text in YAML 1.2, which the schema reports; most tests want a review without fault.
fn base() -> String {
    with(BASE, "satisfied: no", "satisfied: false")
}

#[test]
fn a_valid_review() {
    let review = of(&base());
    assert_eq!(review.violations, []);
    assert_eq!(review.verdict, Some(Verdict::Fail));
    assert_eq!(review.verdict_raw.as_deref(), Some("reject"));
    assert_eq!(review.verdict_expected, Some("reject"));
    assert_eq!(review.reviewer.as_deref(), Some("workflow-reviewer-phase3"));
    assert_eq!((review.phase.as_deref(), review.iteration), (Some("phase 3"), Some(2)));
    assert_eq!(review.summary.as_deref(), Some("One page is not there"));
    let check = &review.checklist[0];
    assert_eq!((check.satisfied, check.evidence.as_deref()), (Some(false), Some("1.10")));
    let finding = &review.findings[0];
    assert_eq!((finding.severity, finding.message.as_deref()), (None, Some("The login page")));
    assert_eq!(finding.rule.as_deref(), Some("Pages are mapped"));
    assert_eq!(
        serde_json::Value::from(review.extra.expect("it is there")),
        serde_json::json!({
            "handover": {"role": "workflow-reviewer-phase3", "cycle": 1, "status": "rejected",
                         "next-action": "fix"},
            "handover_schema": "handover-2",
            "attestation": "Seen",
            "authorizer": "The user",
            "findings/0/owner": "me",
        })
    );
    let review = of(APPROVAL);
    assert_eq!(review.violations, []);
    assert_eq!(review.verdict_expected, Some("approve"));
    assert_eq!(review.summary.as_deref(), Some("All seen"));
    assert_eq!(review.extra.expect("it is there")["handover_schema"], "handover-1");
}

#[test]
fn each_rule_broken_and_kept() {
    let base = base();
    let escalated = with(&with(&base, "rejected", "escalated-to-user"), "reject", "escalate");
    let finding = "[{checklist-item: a, what-missing: b, fix-instruction: c}]";
    let cases: &[(String, &[&str])] = &[
        (with(&base, "rejected", "approved"), &["verdict-status-mismatch /handover/status"]),
        (with(&base, "  status: rejected\n", ""), &[]),
        (with(&base, "phase: 3", "phase: 5"), &["role-number-mismatch /phase"]),
        (with(&base, "phase: 3", "cycle: 3"), &["role-number-mismatch /cycle"]),
        (with(&base, "phase: 3\n", ""), &[]),
        (with(&base, "phase: 3", "phase: 3\npass: null"), &[]),
        (with(&base, "phase: 3", "phase: 3\npass: 1"), &["several-steps /pass"]),
        (with(&base, "reviewerCycle: 2", "reviewerCycle: 3"), &["must-escalate /verdict"]),
        (with(&escalated, "reviewerCycle: 2", "reviewerCycle: 3"), &[]),
        (
            with(APPROVAL, "findings: []", &format!("findings: {finding}")),
            &["approve-with-findings /findings"],
        ),
        (
            with(APPROVAL, "satisfied: true", "satisfied: false"),
            &["approve-with-unsatisfied-item /checklist/0/satisfied"],
        ),
        (with(APPROVAL, "All seen", "' '"), &["blank-attestation /attestation"]),
        (with(APPROVAL, "All seen", "''"), &["schema-empty-text /attestation"]),
        (with(APPROVAL, "attestation: All seen\n", ""), &["schema-required "]),
        (with(APPROVAL, "verdict: approve\n", ""), &["schema-required "]),
        (with(&base, "phase3", "phase-3"), &["schema-pattern /handover/role"]),
        (
            with(&base, "phase: 3", "phase: 9"),
            &["schema-range /phase", "role-number-mismatch /phase"],
        ),
        (with(BASE, "owner: me", "owner: you"), &["schema-type /checklist/0/satisfied"]),
        (with(&base, "cycle: 1", "cycle: first"), &[]),
        (
            with(
                &escalated,
                &escalated[escalated.find("findings").expect("it is there")..],
                "findings: []",
            ),
            &["schema-items /findings"],
        ),
    ];
    let mut broken = Vec::new();
    for (text, wanted) in cases {
        assert_eq!(faults(&of(text)), *wanted, "{text}");
        broken.extend(*wanted);
    }
    covers(&WorkflowReviewer, &broken);
}

#[test]
fn a_role_that_is_almost_right() {
    let review = of(&with(&base(), "phase3", "phase-3"));
    assert!(review.violations[0].message.ends_with("; `workflow-reviewer-phase3` does"));
    for role in ["team", "phase9", "phase-9", "phase+3", "phase03", "pass6", "cycle0", "phase3x"] {
        let review = of(&with(&base(), "phase3", role));
        assert_eq!(faults(&review), ["schema-pattern /handover/role"], "{role}");
        assert!(!review.violations[0].message.contains(';'), "{role}");
    }
}

#[test]
fn generations_of_the_envelope() {
    let generation =
        |text: &str| of(text).extra.and_then(|mut extra| extra.remove("handover_schema"));
    let base = base();
    assert_eq!(generation(&base).expect("it is there"), "handover-2");
    assert_eq!(
        generation(&with(&base, "cycle: 1", "cycle: first")).expect("it is there"),
        "handover-1"
    );
    assert_eq!(
        generation(&with(&base, "  next-action: fix\n", "")).expect("it is there"),
        "handover-1"
    );
    assert_eq!(generation(&with(&base, "rejected", "no")), None);
    assert_eq!(generation("verdict: reject\n"), None);
}

#[test]
fn what_can_be_said_of_a_broken_review() {
    let cases = [
        ("verdict: approve\n", Some(Verdict::Pass), None),
        ("verdict: approved\nchecklist: [{satisfied: false}]", None, Some("reject")),
        ("verdict: escalate\nfindings: [A text]", Some(Verdict::Escalate), Some("escalate")),
        ("reviewerCycle: 3\nfindings: [A text]", None, Some("escalate")),
        ("checklist: [{satisfied: true}]\nfindings: none", None, None),
        ("handover: 3\nchecklist: {a: b}\nfindings: [[], 3, ~]\n", None, Some("reject")),
        ("[]", None, None),
    ];
    for (text, verdict, expected) in cases {
        let review = of(text);
        assert_eq!((review.verdict, review.verdict_expected), (verdict, expected), "{text}");
    }
}

#[test]
fn which_mappings_are_reviews() {
    let cases = [
        (BASE, Claim::Sure),
        ("handover:\n  role: workflow-reviewer-phase3\n", Claim::Sure),
        ("handover: {}\nverdict: reject\n", Claim::Sure),
        ("handover:\n  role: composer\n", Claim::None),
        ("verdict: reject\nrole: workflow-reviewer-phase3\n", Claim::None),
        ("{\"$schema\": 1, \"handover\": 1, \"verdict\": 1}", Claim::None),
    ];
    for (text, claim) in cases {
        assert_eq!(WorkflowReviewer.identify(&Outline::of(text)), claim, "{text}");
    }
    assert_eq!(WorkflowReviewer.called_as(), Some("workflow-reviewer-"));
}
