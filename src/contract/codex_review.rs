//! `codex-review`: what Codex's review mode says of a patch.
//!
//! One JSON object. Codex records it as an event when it leaves review mode, and its reviewer says
//! the same in its last message; the event holds what the message says, with numbers in single
//! precision and without other keys. Priorities from 0 to 3 stand for severities; the title says
//! them once more. Paths are written in full.

use super::fields::{self, UNEXPLAINED_FAIL, VERDICT_MISMATCH, text};
use super::{Claim, Contract, Outline, Rule, Setting, prose, schema};
use crate::parse::{Kind, Node, Scalar, Value};
use crate::record::{Finding, Level, Review, Verdict};

#[cfg(test)]
mod tests;

/// The contract.
pub struct CodexReview;

static SCHEMA: schema::Schema = schema::Schema::new(include_str!("schemas/codex-review.json"), &[]);

const CORRECT: &str = "patch is correct";
const INCORRECT: &str = "patch is incorrect";

/// The keys that the record has fields for, and those that are kept in a form of their own.
const KEYS: &[&str] =
    &["findings", "overall_correctness", "overall_explanation", "overall_confidence_score"];
/// A key of findings, which few others have. The verdict comes last in most answers: in one that is
/// cut, only the findings tell what it was to be.
const PLACE: &str = "absolute_file_path";
const FINDING_KEYS: &[&str] = &["title", "body", "confidence_score", "priority", "code_location"];
const LOCATION_KEYS: &[&str] = &[PLACE, "line_range"];

impl Contract for CodexReview {
    fn id(&self) -> &'static str {
        "codex-review"
    }

    fn about(&self) -> &'static str {
        "the review mode of Codex: patch is correct or not, findings by priority"
    }

    fn carriers(&self) -> &'static str {
        "an exited_review_mode event, or one JSON object: a whole message, or a fence in it"
    }

    fn needles(&self) -> &'static [&'static str] {
        &["overall_correctness", PLACE]
    }

    fn opening_keys(&self) -> &'static [&'static str] {
        KEYS
    }

    fn identify(&self, outline: &Outline<'_>) -> Claim {
        let by_verdict = outline.has("overall_correctness")
            && outline.count(&["findings", "overall_explanation", "overall_confidence_score"]) > 0;
        let by_findings = outline.has("findings")
            && [PLACE, "confidence_score"].iter().all(|key| outline.mentions(key));
        fields::claim(outline, Claim::Sure, by_verdict || by_findings)
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

    fn read(&self, node: &Node<'_>, setting: &Setting<'_>, review: &mut Review) {
        let word = fields::word(node, "overall_correctness", &[CORRECT, INCORRECT]);
        review.verdict =
            word.map(|word| if word == CORRECT { Verdict::Pass } else { Verdict::Fail });
        review.verdict_raw = fields::written(node, "overall_correctness");
        review.summary = text(node, "overall_explanation");
        fields::keep_rest(review, node, "", KEYS);
        keep_confidence(review, node, "", "overall_confidence_score");
        for (pointer, item) in fields::items(node, "findings") {
            if fields::is_entry(item) {
                read_finding(node, &pointer, item, setting, review);
            }
        }
        review.critical = review.findings.iter().any(|each| each.severity == Some("critical"));
        review.verdict_expected = (urgent(review) > 0).then_some(INCORRECT);
        check_verdict(node, review);
    }
}

/// Keeps a confidence. Codex holds it in single precision, so this does too: the event and the
/// message that it was made of say the same.
fn keep_confidence(review: &mut Review, node: &Node<'_>, pointer: &str, key: &str) {
    let Some(node) = node.get(key).filter(|node| !node.is_null()) else { return };
    let single = match &node.value {
        Value::Scalar(Scalar { text, kind: Kind::Number(_), .. }) => text.parse::<f32>().ok(),
        _ => None,
    };
    let rounded = single.and_then(|single| serde_json::from_str(&single.to_string()).ok());
    fields::keep(review, &format!("{pointer}/{key}"), rounded.unwrap_or_else(|| node.to_json()));
}

fn read_finding(
    root: &Node<'_>,
    pointer: &str,
    item: &Node<'_>,
    setting: &Setting<'_>,
    review: &mut Review,
) {
    if !matches!(item.value, Value::Map(_)) {
        review.findings.push(fields::plain_finding(item));
        return;
    }
    let title = text(item, "title");
    let (mark, message) = title.as_deref().map(marked).unwrap_or_default();
    let priority = item.get("priority").and_then(Node::integer).and_then(severity);
    let by_title = mark.and_then(|mark| severity(mark.into()));
    // The mark as it is written, without its brackets.
    let written = title.as_deref().and_then(|title| title.get(1..3)).filter(|_| mark.is_some());
    let mut finding = Finding {
        severity: priority.or(by_title),
        severity_raw: fields::written(item, "priority").or_else(|| written.map(str::to_owned)),
        message: (!message.is_empty()).then(|| message.to_owned()),
        recommendation: text(item, "body"),
        ..Finding::default()
    };
    fields::keep_rest(review, item, pointer, FINDING_KEYS);
    keep_confidence(review, item, pointer, "confidence_score");
    if let (Some(_), Some(mark)) = (priority, mark)
        && priority != by_title
    {
        let message = format!("the title says P{mark}");
        review.breaks(&PRIORITY_DISAGREES, root, &format!("{pointer}/priority"), message);
    }
    if let Some(location) = item.get("code_location") {
        let pointer = format!("{pointer}/code_location");
        read_location(root, &pointer, location, setting, &mut finding, review);
    }
    review.findings.push(finding);
}

/// The severity that a priority stands for.
fn severity(priority: i64) -> Option<&'static str> {
    fields::SEVERITIES.get(usize::try_from(priority).ok()?).copied()
}

/// The priority in the mark that a title starts with, such as `[P1]`, and the title without it. A
/// title that is nothing else is kept.
fn marked(title: &str) -> (Option<u8>, &str) {
    let inner = title.strip_prefix('[').and_then(|rest| rest.strip_prefix(['P', 'p']));
    let Some((digits, rest)) = inner.and_then(|inner| inner.split_once(']')) else {
        return (None, title);
    };
    let priority = match digits.as_bytes() {
        [digit @ b'0'..=b'3'] => digit - b'0',
        _ => return (None, title),
    };
    let rest = rest.trim_start();
    (Some(priority), if rest.is_empty() { title } else { rest })
}

/// Reads where a finding is; `pointer` is that of its location.
fn read_location(
    root: &Node<'_>,
    pointer: &str,
    location: &Node<'_>,
    setting: &Setting<'_>,
    finding: &mut Finding,
    review: &mut Review,
) {
    if !matches!(location.value, Value::Map(_)) {
        fields::locate(finding, fields::trimmed(location));
        return;
    }
    fields::keep_rest(review, location, pointer, LOCATION_KEYS);
    finding.location_raw = text(location, PLACE);
    finding.path = finding.location_raw.as_deref().map(|path| relative(path, setting.cwd));
    let Some(range) = location.get("line_range") else { return };
    let pointer = format!("{pointer}/line_range");
    fields::keep_rest(review, range, &pointer, &["start", "end"]);
    let line = |key| range.get(key).and_then(Node::integer).and_then(|line| line.try_into().ok());
    let (start, end): (Option<u64>, Option<u64>) = (line("start"), line("end"));
    finding.line = start.filter(|line| *line > 0);
    match (start, end) {
        (Some(start), Some(end)) if start > end => {
            let message = format!("the lines start at {start} and end at {end}");
            review.breaks(&LINES_REVERSED, root, &pointer, message);
            // The record has no room for such an end.
            fields::keep(review, &pointer, range.to_json());
        }
        _ => finding.end_line = end.filter(|_| finding.line.is_some()),
    }
}

/// A path as it is below the working folder, else as it was written, both with `/` between its
/// parts.
fn relative(path: &str, cwd: Option<&str>) -> String {
    let path = unix(path);
    cwd.and_then(|cwd| below(&path, &unix(cwd))).unwrap_or(path)
}

/// What of `path` stands below `folder`, both from the root on; `None` where that is not certain.
fn below(path: &str, folder: &str) -> Option<String> {
    fn parts(path: &str) -> impl Iterator<Item = &str> {
        path.split('/').filter(|part| !matches!(*part, "" | "."))
    }
    let is_rooted = |path: &str| path.starts_with('/') || has_drive(path);
    if !(is_rooted(path) && is_rooted(folder)) {
        return None;
    }
    let mut rest = parts(path);
    for folder in parts(folder) {
        let same = |part: &str| {
            part == folder || (folder.ends_with(':') && part.eq_ignore_ascii_case(folder))
        };
        rest.next().filter(|part| same(part))?;
    }
    let rest: Vec<_> = rest.collect();
    (!rest.is_empty() && !rest.contains(&"..")).then(|| rest.join("/"))
}

/// With `/` between the parts of a path of Windows; elsewhere `\` is a letter like any other.
fn unix(path: &str) -> String {
    if has_drive(path) || path.starts_with("\\\\") {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

/// Whether a path starts with the letter of a drive.
fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// How many findings have priority 0 or 1. They make a patch incorrect; what can wait, or no finding
/// at all, implies neither verdict.
fn urgent(review: &Review) -> usize {
    let is_urgent = |each: &&Finding| matches!(each.severity, Some("critical" | "high"));
    review.findings.iter().filter(is_urgent).count()
}

fn check_verdict(node: &Node<'_>, review: &mut Review) {
    let count = urgent(review);
    match review.verdict {
        Some(Verdict::Pass) if count > 0 => {
            let message = format!("the patch is correct, but {count} finding(s) are P0 or P1");
            review.breaks(&VERDICT_MISMATCH, node, "/overall_correctness", message);
        }
        Some(Verdict::Fail) if fields::list(node, "findings").is_some_and(<[_]>::is_empty) => {
            let message = "the patch is incorrect, but there is no finding".to_owned();
            review.breaks(&UNEXPLAINED_FAIL, node, "/overall_correctness", message);
        }
        _ => {}
    }
}

static RULES: &[&Rule] =
    &[&VERDICT_MISMATCH, &UNEXPLAINED_FAIL, &PRIORITY_DISAGREES, &LINES_REVERSED];

static PRIORITY_DISAGREES: Rule = prose(
    "priority-disagrees-with-title",
    Level::Conflict,
    "The title says the priority once more, such as `[P1]`, and `priority` says another one. The \
     record's severity is that of `priority`.",
    "Correct `priority`, or the mark in the title.",
);
static LINES_REVERSED: Rule = prose(
    "line-range-reversed",
    Level::Conflict,
    "The range of lines starts after its end, so that it is not certain which lines are meant. \
     The record names the start only.",
    "Let `start` be the first line and `end` the last one.",
);
