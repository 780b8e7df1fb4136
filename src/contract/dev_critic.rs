//! `dev-critic`: a critic that checks a developer agent's work round by round.
//!
//! One JSON object, closed at every level: four automatic gates and the findings. It may pass if
//! no gate failed and no finding is blocking; a gate that was skipped has not failed. Texts that
//! look like a credential are masked, since a record goes where the transcript does not.

use std::collections::BTreeSet;

use super::fields::{self, UNEXPLAINED_FAIL, text};
use super::{Claim, Contract, Outline, Rule, Setting, location, prose, schema};
use crate::parse::{Node, Value};
use crate::record::{Basis, Finding, Gate, Level, Review, Verdict};

mod secret;
#[cfg(test)]
mod tests;

/// The contract.
pub struct DevCritic;

static SCHEMA: schema::Schema = schema::Schema::new(include_str!("schemas/dev-critic.json"), &[]);

/// The keys that the record has fields for.
const KEYS: &[&str] = &["pass", "iteration", "gates", "findings"];
const GATE_KEYS: &[&str] =
    &["status", "tool", "errors", "warnings", "passed", "failed", "skipped_count", "skip_reason"];
const FINDING_KEYS: &[&str] = &["severity", "file", "line", "rule", "issue", "fix"];
const GATES: &[&str] = &["build", "lint", "test", "secrets"];

impl Contract for DevCritic {
    fn id(&self) -> &'static str {
        "dev-critic"
    }

    fn about(&self) -> &'static str {
        "a critic of a developer agent: four gates, findings, rounds"
    }

    fn carriers(&self) -> &'static str {
        "one JSON object: a whole message, or a fence in it"
    }

    fn needles(&self) -> &'static [&'static str] {
        &["gates"]
    }

    fn opening_keys(&self) -> &'static [&'static str] {
        &["pass", "iteration", "gates", "findings", "escalate"]
    }

    fn identify(&self, outline: &Outline<'_>) -> Claim {
        let fits = outline.has("gates")
            && outline.count(&["pass", "iteration", "findings"]) >= 2
            && GATES.iter().any(|gate| outline.mentions(gate));
        fields::claim(outline, Claim::Sure, fits)
    }

    fn is_json(&self) -> bool {
        true
    }

    fn schema(&self) -> &'static schema::Schema {
        &SCHEMA
    }

    fn rules(&self) -> &'static [&'static Rule] {
        RULES
    }

    fn read(&self, node: &Node<'_>, _setting: &Setting<'_>, review: &mut Review) {
        let pass = node.get("pass").and_then(Node::boolean);
        let escalate = node.get("escalate").and_then(Node::boolean);
        review.verdict = match (pass, escalate) {
            (_, Some(true)) => Some(Verdict::Escalate),
            (Some(true), _) => Some(Verdict::Pass),
            (Some(false), _) => Some(Verdict::Fail),
            (None, _) => None,
        };
        review.verdict_raw = fields::written(node, "pass");
        review.iteration = node.get("iteration").and_then(Node::integer);
        fields::keep_rest(review, node, "", KEYS);
        read_gates(node, review);
        read_findings(node, review);
        review.critical = review.findings.iter().any(is_blocking);
        review.verdict_expected = expected(node, review);

        check_verdict(node, pass, review);
        check_escalation(node, pass, review);
        check_secrets(node, review);
    }
}

fn read_gates(node: &Node<'_>, review: &mut Review) {
    for entry in node.get("gates").map(Node::entries).unwrap_or_default() {
        let (name, gate) = (&*entry.key, &entry.node);
        let pointer = format!("/gates/{}", name.replace('~', "~0").replace('/', "~1"));
        if !matches!(gate.value, Value::Map(_)) {
            continue;
        }
        let count = |key| gate.get(key).and_then(Node::integer).and_then(|n| n.try_into().ok());
        let (skip_reason, error_summary) = (text(gate, "skip_reason"), text(gate, "error_summary"));
        // Of two reasons the record has room for one.
        let mut known = GATE_KEYS.to_vec();
        if skip_reason.is_none() {
            known.push("error_summary");
        }
        fields::keep_rest(review, gate, &pointer, &known);
        let status = text(gate, "status");
        let pointer = format!("{pointer}/status");
        // The search for secrets may not be skipped at all: that is a fault of its shape.
        let may_skip = GATES.contains(&name) && name != "secrets";
        if status.as_deref() == Some("skipped") && skip_reason.is_none() && may_skip {
            let message = format!("the gate `{name}` was skipped, and nothing says why");
            review.breaks(&SKIP_REASON_MISSING, node, &pointer, message);
        }
        if status.as_deref() == Some("fail") && error_summary.is_none() && name == "build" {
            let message = "the build failed, and nothing says with what".to_owned();
            review.breaks(&ERROR_SUMMARY_MISSING, node, &pointer, message);
        }
        review.gates.push(Gate {
            name: name.to_owned(),
            status,
            tool: text(gate, "tool"),
            errors: count("errors"),
            warnings: count("warnings"),
            passed: count("passed"),
            failed: count("failed"),
            skipped: count("skipped_count"),
            reason: skip_reason.or(error_summary),
        });
    }
}

fn read_findings(node: &Node<'_>, review: &mut Review) {
    for (pointer, item) in fields::items(node, "findings") {
        if !fields::is_entry(item) {
            continue;
        }
        let severity = fields::word(item, "severity", &["blocking", "important", "suggestion"]);
        let mut finding = Finding {
            severity: severity.map(|word| match word {
                "blocking" => "critical",
                "important" => "high",
                _ => "medium",
            }),
            severity_raw: fields::written(item, "severity"),
            recommendation: text(item, "fix"),
            rule: text(item, "rule"),
            ..fields::plain_finding(item)
        };
        if let Some(issue) = text(item, "issue") {
            finding.message = Some(issue);
        }
        let file = text(item, "file");
        let place = file.as_deref().map(location::parse_path).unwrap_or_default();
        fields::place(&mut finding, place, file);
        let line = item.get("line").and_then(Node::integer).and_then(|line| line.try_into().ok());
        if let Some(line) = line.filter(|line| *line > 0) {
            (finding.line, finding.end_line, finding.column) = (Some(line), None, None);
        }
        fields::keep_rest(review, item, &pointer, FINDING_KEYS);
        if let Some(rule) = finding.rule.as_deref().filter(|rule| !is_citation(rule)) {
            let message = format!("`{rule}` cites neither a rule's anchor nor a gate");
            review.breaks(&RULE_CITATION, node, &format!("{pointer}/rule"), message);
        }
        review.findings.push(finding);
    }
}

/// Whether `rule` reads `rules/FILE.md#ANCHOR` or `gate/NAME`.
fn is_citation(rule: &str) -> bool {
    let is_word = |text: &str| !text.is_empty() && !text.contains([' ', '\t', '\n', '<', '>', '#']);
    if let Some(name) = rule.strip_prefix("gate/") {
        return is_word(name) && !name.contains('/');
    }
    let cited = rule.strip_prefix("rules/").and_then(|rest| rest.split_once(".md#"));
    cited.is_some_and(|(file, anchor)| is_word(file) && is_word(anchor))
}

fn is_blocking(finding: &Finding) -> bool {
    finding.severity == Some("critical")
}

/// The names of the gates that failed.
fn failed(review: &Review) -> Vec<&str> {
    let failed = |gate: &&Gate| gate.status.as_deref() == Some("fail");
    review.gates.iter().filter(failed).map(|gate| gate.name.as_str()).collect()
}

/// What `pass` has to be, if all that it hangs on could be read.
fn expected(node: &Node<'_>, review: &Review) -> Option<&'static str> {
    if !failed(review).is_empty() || review.findings.iter().any(is_blocking) {
        return Some("false");
    }
    let did_not_fail = |name: &&str| {
        let gate = review.gates.iter().find(|gate| gate.name == *name);
        gate.and_then(|gate| gate.status.as_deref()).is_some_and(|s| s == "pass" || s == "skipped")
    };
    let gates_known = GATES.iter().all(did_not_fail);
    let findings_known = fields::list(node, "findings")?.len() == review.findings.len()
        && review.findings.iter().all(|finding| finding.severity.is_some());
    (gates_known && findings_known).then_some("true")
}

fn check_verdict(node: &Node<'_>, pass: Option<bool>, review: &mut Review) {
    let failed = failed(review).join(", ");
    let blocking = review.findings.iter().filter(|finding| is_blocking(finding)).count();
    match pass {
        Some(true) => {
            if !failed.is_empty() {
                let message = format!("`pass` is true, but these gates failed: {failed}");
                review.breaks(&PASS_WITH_FAILED_GATE, node, "/pass", message);
            }
            if blocking > 0 {
                let message = format!("`pass` is true, but {blocking} finding(s) are blocking");
                review.breaks(&PASS_WITH_BLOCKING_FINDING, node, "/pass", message);
            }
        }
        Some(false) if review.verdict_expected == Some("true") => {
            let message = "`pass` is false, but no gate failed and no finding is blocking";
            review.breaks(&UNEXPLAINED_FAIL, node, "/pass", message.to_owned());
        }
        _ => {}
    }
}

fn check_escalation(node: &Node<'_>, pass: Option<bool>, review: &mut Review) {
    let escalates = node.get("escalate").map(Node::boolean);
    if escalates == Some(Some(true)) && pass == Some(true) {
        let message = "`escalate` is true, and so is `pass`".to_owned();
        review.breaks(&ESCALATE_WITH_PASS, node, "/escalate", message);
    }
    let is_last = review.iteration.is_some_and(|iteration| iteration >= 3);
    let goes_on = matches!(escalates, None | Some(Some(false)));
    let failed = failed(review).join(", ");
    if is_last && goes_on && !failed.is_empty() {
        let message = format!("the third round, these gates fail, no escalation: {failed}");
        review.breaks(&ESCALATION_MISSING, node, "/iteration", message);
    }
}

/// Names the credentials among the matched patterns. Masks all that stand below the gate
/// `secrets`, under whatever key, wherever the review says them, the violations of its syntax and
/// its shape included. Where the syntax is broken, the gate may be what could not be read: then
/// what is shown of the text is looked through as well.
fn check_secrets(node: &Node<'_>, review: &mut Review) {
    let gate = node.get("gates").and_then(|gates| gates.get("secrets"));
    let patterns = gate.and_then(|gate| gate.get("matched_patterns"));
    let patterns = patterns.map(Node::items).unwrap_or_default();
    for (number, pattern) in patterns.iter().enumerate() {
        if secret::within(pattern.text().unwrap_or_default()).next().is_some() {
            let message = "the entry looks like a secret and not like a pattern's name".to_owned();
            let pointer = format!("/gates/secrets/matched_patterns/{number}");
            review.breaks(&SECRET_EXPOSED, node, &pointer, message);
        }
    }
    let mut secrets = BTreeSet::new();
    if let Some(gate) = gate {
        secret::below(gate, &mut secrets);
    }
    for fault in review.violations.iter().filter(|each| each.basis == Basis::Syntax) {
        for text in fault.found.iter().chain([&fault.message]) {
            secrets.extend(secret::within(text).map(str::to_owned));
        }
    }
    secret::mask(review, &secrets);
}

static RULES: &[&Rule] = &[
    &PASS_WITH_FAILED_GATE,
    &PASS_WITH_BLOCKING_FINDING,
    &UNEXPLAINED_FAIL,
    &SKIP_REASON_MISSING,
    &ERROR_SUMMARY_MISSING,
    &ESCALATION_MISSING,
    &ESCALATE_WITH_PASS,
    &RULE_CITATION,
    &SECRET_EXPOSED,
];

static PASS_WITH_FAILED_GATE: Rule = prose(
    "pass-with-failed-gate",
    Level::Conflict,
    "The work may go on only if no gate failed. A gate that was skipped has not failed.",
    "Set `pass` to false, or correct the gate's status.",
);
static PASS_WITH_BLOCKING_FINDING: Rule = prose(
    "pass-with-blocking-finding",
    Level::Conflict,
    "A blocking finding forbids that the work goes on.",
    "Set `pass` to false, or give the finding another severity.",
);
static SKIP_REASON_MISSING: Rule = prose(
    "skip-reason-missing",
    Level::Conflict,
    "A gate that did not run says why, or else it cannot be told from one that was forgotten.",
    "Add `skip_reason` to the gate.",
);
static ERROR_SUMMARY_MISSING: Rule = prose(
    "error-summary-missing",
    Level::Warning,
    "A build that failed says with what, so that the next round can start from it.",
    "Add `error_summary` with the first error and how many there are.",
);
static ESCALATION_MISSING: Rule = prose(
    "escalation-missing",
    Level::Conflict,
    "The third round is the last one: if gates still fail then, someone else has to decide.",
    "Set `escalate` to true.",
);
static ESCALATE_WITH_PASS: Rule = prose(
    "escalate-with-pass",
    Level::Conflict,
    "What passes needs nobody else's decision. The record's verdict is `escalate`.",
    "Set one of `pass` and `escalate` to false.",
);
static RULE_CITATION: Rule = prose(
    "rule-citation",
    Level::Warning,
    "A finding cites its rule in a form that can be followed: `rules/FILE.md#ANCHOR`, or \
     `gate/NAME`.",
    "Write the rule's file with its anchor, such as `rules/errors.md#no-unwrap`.",
);
static SECRET_EXPOSED: Rule = prose(
    "secret-exposed",
    Level::Warning,
    "The list names the patterns that matched, never what they matched. An entry that looks like a \
     credential is masked in the record; the transcript still holds it.",
    "Write the pattern's name, and revoke the credential.",
);
