//! `agentmux-review`: the verdict that a reviewer writes to a file or hands to a tool.
//!
//! A mapping with a verdict, a summary and, if it fails, the findings. Its keys are common ones, so
//! the file's or the tool's name tells that it is a review. On a pass the findings are of no
//! account; they are kept and marked.

use super::fields::{self, text};
use super::{Claim, Contract, Outline, Rule, Setting, prose, schema};
use crate::parse::{Node, Value};
use crate::record::{Finding, Level, Review, Verdict};

#[cfg(test)]
mod tests;

/// The contract.
pub struct AgentmuxReview;

static SCHEMA: schema::Schema =
    schema::Schema::new(include_str!("schemas/agentmux-review.json"), &[]);

const KEYS: &[&str] = &["verdict", "summary", "findings", "commit_message", "role"];
const FINDING_KEYS: &[&str] = &["location", "issue", "severity", "recommendation"];
const SEVERITIES: &[&str] = &["critical", "high", "medium", "low", "info"];

impl Contract for AgentmuxReview {
    fn id(&self) -> &'static str {
        "agentmux-review"
    }

    fn about(&self) -> &'static str {
        "AgentMux reviewers: pass or fail, findings, a commit message"
    }

    fn carriers(&self) -> &'static str {
        "a review.yaml or review_ROLE.yaml that a tool writes, the input of submit_review, a fence"
    }

    fn needles(&self) -> &'static [&'static str] {
        &["submit_review", "review.yaml", "review_"]
    }

    fn weak_needles(&self) -> &'static [&'static str] {
        &["verdict"]
    }

    fn opening_keys(&self) -> &'static [&'static str] {
        &["verdict", "summary", "findings", "commit_message"]
    }

    fn identify(&self, outline: &Outline<'_>) -> Claim {
        let fits = outline.has_all(&["verdict", "summary"])
            && outline.count(&["handover", "gates", "score"]) == 0
            && outline.value("verdict").is_some_and(is_like_a_verdict);
        fields::claim(outline, Claim::Weak, fits)
    }

    fn submitted_by(&self, name: &str) -> bool {
        name == "submit_review"
    }

    fn kept_in(&self, name: &str) -> bool {
        let role = name.strip_prefix("review_").and_then(|rest| rest.strip_suffix(".yaml"));
        let is_role = |role: &str| {
            !role.is_empty()
                && role.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '-'))
        };
        matches!(name, "review.yaml" | "review.yml") || role.is_some_and(is_role)
    }

    fn schema(&self) -> &'static schema::Schema {
        &SCHEMA
    }

    fn rules(&self) -> &'static [&'static Rule] {
        RULES
    }

    fn read(&self, node: &Node<'_>, _setting: &Setting<'_>, review: &mut Review) {
        let word = fields::word(node, "verdict", &["pass", "fail"]);
        review.verdict =
            word.map(|word| if word == "pass" { Verdict::Pass } else { Verdict::Fail });
        review.verdict_raw = fields::written(node, "verdict");
        review.reviewer = text(node, "role");
        review.summary = text(node, "summary");
        review.commit_message = text(node, "commit_message");
        fields::keep_rest(review, node, "", KEYS);
        for (pointer, item) in fields::items(node, "findings") {
            if fields::is_entry(item) {
                read_finding(node, &pointer, item, review);
            }
        }
        let is_critical = |each: &Finding| !each.ignored && each.severity == Some("critical");
        review.critical = review.findings.iter().any(is_critical);
    }
}

/// Whether a text starts with a form of one of the two words, whatever the case and the marks
/// around it. Other verdicts (`guilty`, `benign`) belong to other matters.
fn is_like_a_verdict(text: &str) -> bool {
    let text = text.trim_start_matches(|char: char| !char.is_alphabetic());
    let word = text.split(|char: char| !char.is_alphabetic()).next().unwrap_or_default();
    let forms =
        ["pass", "passed", "passes", "passing", "fail", "failed", "fails", "failing", "failure"];
    forms.iter().any(|form| word.eq_ignore_ascii_case(form))
}

fn read_finding(root: &Node<'_>, pointer: &str, item: &Node<'_>, review: &mut Review) {
    let ignored = review.verdict == Some(Verdict::Pass);
    if !matches!(item.value, Value::Map(_)) {
        review.findings.push(Finding { ignored, ..fields::plain_finding(item) });
        return;
    }
    let mut finding = Finding {
        severity: fields::word(item, "severity", SEVERITIES),
        severity_raw: fields::written(item, "severity"),
        message: text(item, "issue"),
        recommendation: text(item, "recommendation"),
        ignored,
        ..Finding::default()
    };
    fields::locate(&mut finding, text(item, "location"));
    fields::keep_rest(review, item, pointer, FINDING_KEYS);

    let rule = if ignored { &IGNORED_FINDING_TEXT } else { &FINDING_TEXT };
    for key in ["issue", "recommendation"] {
        let Some(node) = item.get(key) else {
            review.breaks(rule, root, pointer, format!("the finding has no `{key}`"));
            continue;
        };
        if !fields::is_text(node) || fields::trimmed(node).is_none() {
            let message = format!("the finding's `{key}` is no text, or blank");
            review.breaks(rule, root, &format!("{pointer}/{key}"), message);
        }
    }
    if item.get("severity").is_some_and(|node| !node.is_null()) && finding.severity.is_none() {
        let message = format!("the severity is none of {}", SEVERITIES.join(", "));
        review.breaks(&UNKNOWN_SEVERITY, root, &format!("{pointer}/severity"), message);
    }
    if finding.location_raw.is_some() && finding.path.is_none() {
        let message = "the location names no file".to_owned();
        review.breaks(&LOCATION_UNPARSED, root, &format!("{pointer}/location"), message);
    }
    review.findings.push(finding);
}

static RULES: &[&Rule] =
    &[&FINDING_TEXT, &IGNORED_FINDING_TEXT, &UNKNOWN_SEVERITY, &LOCATION_UNPARSED];

static FINDING_TEXT: Rule = prose(
    "finding-text-missing",
    Level::Error,
    "On a fail every finding says what is wrong (`issue`) and what to do about it \
     (`recommendation`), since the next round works from them.",
    "Write both texts.",
);
static IGNORED_FINDING_TEXT: Rule = prose(
    "ignored-finding-text-missing",
    Level::Note,
    "A finding lacks its `issue` or its `recommendation`. On a pass the findings are of no \
     account, so nothing hangs on it.",
    "Write both texts, or leave the finding out.",
);
static UNKNOWN_SEVERITY: Rule = prose(
    "unknown-severity",
    Level::Warning,
    "The severity is none of critical, high, medium, low and info, so that the finding cannot be \
     ranked. Nothing refuses such a review.",
    "Use one of the five words.",
);
static LOCATION_UNPARSED: Rule = prose(
    "location-unparsed",
    Level::Note,
    "The location names no file, so that the finding cannot be shown at its line.",
    "Write the file's path and line, such as `src/auth.py:42`.",
);
