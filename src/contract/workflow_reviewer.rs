//! `workflow-reviewer`: the reviewer between two steps of a workflow, which lets the next one start
//! or not.
//!
//! The whole answer of a sub-agent, as YAML or JSON, in a `handover` envelope of which there are two
//! generations. The verdict is said twice, in the review and in the envelope, and so is what was
//! reviewed, in the envelope's role and as a number. Findings have no severity.

use super::fields::{self, text};
use super::{Claim, Contract, Outline, Rule, Setting, prose, schema};
use crate::parse::{Node, Value};
use crate::record::{Check, Finding, Level, Review, Verdict};

#[cfg(test)]
mod tests;

/// The contract.
pub struct WorkflowReviewer;

/// What every role and every description of a call starts with.
const ROLE: &str = "workflow-reviewer-";

static SCHEMA: schema::Schema = schema::Schema::new(
    include_str!("schemas/workflow-reviewer.json"),
    &[(
        "https://github.com/revextract/revextract/schemas/handover-1.json",
        include_str!("schemas/handover-1.json"),
    )],
);
static FIRST_HANDOVER: schema::Schema =
    schema::Schema::new(include_str!("schemas/handover-1.json"), &[]);
static LATER_HANDOVER: schema::Schema =
    schema::Schema::new(include_str!("schemas/handover-2.json"), &[]);

/// The keys that the record has fields for; `handover` is kept whole besides.
const KEYS: &[&str] = &["verdict", "checklist", "findings", "reviewerCycle"];
const CHECK_KEYS: &[&str] = &["item", "satisfied", "evidence", "methodology-ref"];
const FINDING_KEYS: &[&str] =
    &["checklist-item", "what-missing", "methodology-ref", "fix-instruction"];
/// What may be reviewed: the key of its number, and the word in a role.
const KINDS: &[&str] = &["phase", "pass", "cycle"];
/// The highest number of each kind.
const LAST: &[i64] = &[8, 5, 5];

/// Each verdict with the status that says the same.
const VERDICTS: &[(&str, &str, Verdict)] = &[
    ("approve", "approved", Verdict::Pass),
    ("reject", "rejected", Verdict::Fail),
    ("escalate", "escalated-to-user", Verdict::Escalate),
];

impl Contract for WorkflowReviewer {
    fn id(&self) -> &'static str {
        "workflow-reviewer"
    }

    fn about(&self) -> &'static str {
        "reviewers between the steps of a workflow: approve, reject, escalate"
    }

    fn carriers(&self) -> &'static str {
        "YAML or JSON: a whole message, or a fence in it"
    }

    fn needles(&self) -> &'static [&'static str] {
        &[ROLE]
    }

    fn weak_needles(&self) -> &'static [&'static str] {
        &["verdict"]
    }

    fn opening_keys(&self) -> &'static [&'static str] {
        &[
            "handover",
            "verdict",
            "phase",
            "pass",
            "cycle",
            "checklist",
            "findings",
            "attestation",
            "reviewerCycle",
            "summary",
            "authorizer",
        ]
    }

    fn identify(&self, outline: &Outline<'_>) -> Claim {
        let fits = outline.has("handover") && (outline.has("verdict") || outline.mentions(ROLE));
        fields::claim(outline, Claim::Sure, fits)
    }

    fn called_as(&self) -> Option<&'static str> {
        Some(ROLE)
    }

    fn schema(&self) -> &'static schema::Schema {
        &SCHEMA
    }

    fn rules(&self) -> &'static [&'static Rule] {
        RULES
    }

    fn read(&self, node: &Node<'_>, _setting: &Setting<'_>, review: &mut Review) {
        let known = node
            .get("verdict")
            .and_then(Node::text)
            .and_then(|text| VERDICTS.iter().find(|(word, ..)| *word == text));
        review.verdict = known.map(|(.., verdict)| *verdict);
        review.verdict_raw = fields::written(node, "verdict");
        review.reviewer = node.get("handover").and_then(|handover| text(handover, "role"));
        review.iteration = node.get("reviewerCycle").and_then(Node::integer);
        fields::keep_rest(review, node, "", &[KEYS, KINDS, &["summary", "attestation"]].concat());
        read_summary(node, review);
        read_step(node, review);
        read_handover(node, review);
        read_checklist(node, review);
        read_findings(node, review);
        review.verdict_expected = expected(node, review);

        if let Some((word, status, _)) = known {
            check_status(node, word, status, review);
            check_approval(node, word, review);
            if *word == "reject" && review.iteration.is_some_and(|cycle| cycle >= 3) {
                let message = "the third refusal in a row goes to a person".to_owned();
                review.breaks(&MUST_ESCALATE, node, "/verdict", message);
            }
        }
    }
}

fn read_summary(node: &Node<'_>, review: &mut Review) {
    let (summary, attestation) = (text(node, "summary"), text(node, "attestation"));
    if summary.is_some()
        && let Some(attestation) = &attestation
    {
        fields::keep(review, "/attestation", attestation.as_str().into());
    }
    review.summary = summary.or(attestation);
}

/// The kind and number of what was reviewed, by the role: `phase` and 3 of
/// `workflow-reviewer-phase3`. None where the role does not fit the schema's pattern.
fn step_of_role(role: &str) -> Option<(&'static str, i64)> {
    let step = role.strip_prefix(ROLE)?;
    KINDS.iter().zip(LAST).find_map(|(kind, last)| {
        let [digit] = step.strip_prefix(kind)?.as_bytes() else { return None };
        let number = i64::from(digit.checked_sub(b'0')?);
        (1..=*last).contains(&number).then_some((*kind, number))
    })
}

/// Reads what was reviewed, and checks it against the role.
fn read_step(node: &Node<'_>, review: &mut Review) {
    let number = |kind: &&'static str| Some((*kind, node.get(kind)?.integer()?));
    let set: Vec<_> = KINDS.iter().filter_map(number).collect();
    let by_role = review.reviewer.as_deref().and_then(step_of_role);
    let of_role = |(kind, _): &&(&str, i64)| by_role.is_some_and(|(role, _)| role == *kind);
    let step = set.iter().find(of_role).or(set.first()).copied();
    review.phase = step.or(by_role).map(|(kind, number)| format!("{kind} {number}"));

    for (kind, number) in set.iter().filter(|other| Some(**other) != step) {
        fields::keep(review, &format!("/{kind}"), (*number).into());
    }
    if let [_, (second, _), ..] = set[..] {
        let kinds: Vec<_> = set.iter().map(|(kind, _)| *kind).collect();
        let message = format!("one review is about one step; these are set: {}", kinds.join(", "));
        review.breaks(&SEVERAL_STEPS, node, &format!("/{second}"), message);
    }
    if let (Some(step), Some(by_role)) = (step, by_role)
        && step != by_role
    {
        let message =
            format!("the role says {} {}, the review {} {}", by_role.0, by_role.1, step.0, step.1);
        review.breaks(&ROLE_NUMBER_MISMATCH, node, &format!("/{}", step.0), message);
    }
}

/// Names the generation of the envelope, and adds a hint where its role is almost right.
fn read_handover(node: &Node<'_>, review: &mut Review) {
    let Some(handover) = node.get("handover") else { return };
    // What fits the later generation fits the first one too, but for a cycle in words.
    let generations = [("handover-2", &LATER_HANDOVER), ("handover-1", &FIRST_HANDOVER)];
    let fitting = generations.iter().find(|(_, schema)| schema.fits(handover));
    if let Some((name, _)) = fitting {
        fields::keep(review, "/handover_schema", (*name).into());
    }
    let step = review.reviewer.as_deref().and_then(|role| role.strip_prefix(ROLE));
    let meant = step.map(|step| format!("{ROLE}{}", step.replace(['-', '_', ' '], "")));
    if let Some(meant) = meant.filter(|meant| step_of_role(meant).is_some()) {
        for violation in &mut review.violations {
            if violation.pointer == "/handover/role" && violation.code == "schema-pattern" {
                violation.message = format!("{}; `{meant}` does", violation.message);
            }
        }
    }
}

fn read_checklist(node: &Node<'_>, review: &mut Review) {
    for (pointer, item) in fields::items(node, "checklist") {
        if !fields::is_entry(item) {
            continue;
        }
        review.checklist.push(Check {
            item: text(item, "item").or_else(|| fields::trimmed(item)),
            satisfied: item.get("satisfied").and_then(Node::boolean),
            evidence: text(item, "evidence"),
            reference: text(item, "methodology-ref"),
        });
        fields::keep_rest(review, item, &pointer, CHECK_KEYS);
    }
}

fn read_findings(node: &Node<'_>, review: &mut Review) {
    for (pointer, item) in fields::items(node, "findings") {
        if !fields::is_entry(item) {
            continue;
        }
        let mut finding = fields::plain_finding(item);
        if matches!(item.value, Value::Map(_)) {
            finding = Finding {
                message: text(item, "what-missing"),
                recommendation: text(item, "fix-instruction"),
                rule: text(item, "checklist-item"),
                requirement: text(item, "methodology-ref"),
                ..Finding::default()
            };
        }
        review.findings.push(finding);
        fields::keep_rest(review, item, &pointer, FINDING_KEYS);
    }
}

/// The verdict that findings and checklist imply. Whether a refusal goes to a person is the
/// reviewer's choice before the third one.
fn expected(node: &Node<'_>, review: &Review) -> Option<&'static str> {
    let is_refused = !review.findings.is_empty()
        || review.checklist.iter().any(|check| check.satisfied == Some(false));
    if is_refused {
        let escalates = review.verdict == Some(Verdict::Escalate)
            || review.iteration.is_some_and(|cycle| cycle >= 3);
        return Some(if escalates { "escalate" } else { "reject" });
    }
    let is_clean = node.get("findings").is_none()
        || fields::list(node, "findings").is_some_and(<[_]>::is_empty);
    let is_ticked = !review.checklist.is_empty()
        && review.checklist.iter().all(|check| check.satisfied == Some(true))
        && fields::list(node, "checklist")?.len() == review.checklist.len();
    (is_clean && is_ticked).then_some("approve")
}

fn check_status(node: &Node<'_>, word: &str, wanted: &str, review: &mut Review) {
    let status = node.get("handover").and_then(|handover| handover.get("status")?.text());
    let is_known = |status: &&str| VERDICTS.iter().any(|(_, known, _)| known == status);
    if let Some(status) = status.filter(is_known).filter(|status| *status != wanted) {
        let message = format!("the verdict is `{word}`, the envelope's status `{status}`");
        review.breaks(&VERDICT_STATUS_MISMATCH, node, "/handover/status", message);
    }
}

/// What an approval must not have.
fn check_approval(node: &Node<'_>, word: &str, review: &mut Review) {
    if word != "approve" {
        return;
    }
    let count = fields::list(node, "findings").unwrap_or_default().len();
    if count > 0 {
        let message = format!("an approval with {count} finding(s)");
        review.breaks(&APPROVE_WITH_FINDINGS, node, "/findings", message);
    }
    for (pointer, item) in fields::items(node, "checklist") {
        if item.get("satisfied").and_then(Node::boolean) == Some(false) {
            let message = "an approval with a criterion that is not met".to_owned();
            let pointer = format!("{pointer}/satisfied");
            review.breaks(&APPROVE_WITH_UNSATISFIED, node, &pointer, message);
        }
    }
    let attestation = node.get("attestation").and_then(Node::text);
    if attestation.is_some_and(|text| !text.is_empty() && text.trim().is_empty()) {
        let message = "the attestation is blank".to_owned();
        review.breaks(&BLANK_ATTESTATION, node, "/attestation", message);
    }
}

static RULES: &[&Rule] = &[
    &VERDICT_STATUS_MISMATCH,
    &ROLE_NUMBER_MISMATCH,
    &SEVERAL_STEPS,
    &MUST_ESCALATE,
    &APPROVE_WITH_FINDINGS,
    &APPROVE_WITH_UNSATISFIED,
    &BLANK_ATTESTATION,
];

static VERDICT_STATUS_MISMATCH: Rule = prose(
    "verdict-status-mismatch",
    Level::Conflict,
    "The envelope's status says the verdict once more: approved, rejected or escalated-to-user. \
     Whoever reads only one of them must come to the same conclusion.",
    "Make `handover.status` say what `verdict` says.",
);
static ROLE_NUMBER_MISMATCH: Rule = prose(
    "role-number-mismatch",
    Level::Conflict,
    "The role ends with what was reviewed, and `phase`, `pass` or `cycle` says it once more; they \
     disagree.",
    "Correct the number, or the role.",
);
static SEVERAL_STEPS: Rule = prose(
    "several-steps",
    Level::Warning,
    "A review is about one phase, one pass or one cycle, and more than one of them is set.",
    "Keep the one that the role names.",
);
static MUST_ESCALATE: Rule = prose(
    "must-escalate",
    Level::Conflict,
    "The third refusal of the same step is not sent back again: a person decides.",
    "Set `verdict` to `escalate` and `handover.status` to `escalated-to-user`.",
);
static APPROVE_WITH_FINDINGS: Rule = prose(
    "approve-with-findings",
    Level::Conflict,
    "A finding is something to fix before the next step; an approval has none.",
    "Set `verdict` to `reject`, or empty the list.",
);
static APPROVE_WITH_UNSATISFIED: Rule = prose(
    "approve-with-unsatisfied-item",
    Level::Conflict,
    "An approval says that every criterion of the checklist is met; this one is not.",
    "Set `verdict` to `reject` and add a finding for the criterion.",
);
static BLANK_ATTESTATION: Rule = prose(
    "blank-attestation",
    Level::Warning,
    "An approval says what was verified. Blanks are long enough for the schema, but say nothing.",
    "Write what was verified, in a line.",
);
