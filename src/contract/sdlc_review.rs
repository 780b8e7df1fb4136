//! `sdlc-review`: the reviewers of a software life cycle, each with a score from 1 to 10.
//!
//! The review stands between delimiter lines at the end of a report in Markdown. The verdict
//! follows from the score and from the findings within the requirements; the report states the
//! score a second time. Two generations are read alike: the older one has no `scope`,
//! `requirement` and `hardening_suggestions`.

use super::fields::{self, SEVERITIES, VERDICT_MISMATCH, text};
use super::{Claim, Contract, Outline, Rule, Setting, prose, schema};
use crate::parse::{Node, Value};
use crate::record::{Finding, Level, Review, Verdict, Violation};

mod report;
mod reviewers;
#[cfg(test)]
mod tests;

/// The contract.
pub struct SdlcReview;

static SCHEMA: schema::Schema = schema::Schema::new(include_str!("schemas/sdlc-review.json"), &[]);

const KEYS: &[&str] =
    &["reviewer", "phase", "score", "verdict", "findings", "reasoning", "hardening_suggestions"];

const FINDING_KEYS: &[&str] =
    &["severity", "category", "scope", "requirement", "description", "location", "recommendation"];

const VERDICTS: &[&str] = &["PASS", "FAIL", "CRITICAL_FAIL"];

impl Contract for SdlcReview {
    fn id(&self) -> &'static str {
        "sdlc-review"
    }

    fn about(&self) -> &'static str {
        "SDLC reviewers: a score from 1 to 10, findings by severity"
    }

    fn carriers(&self) -> &'static str {
        "between ---sdlc-review-output--- lines at the end of a report"
    }

    fn needles(&self) -> &'static [&'static str] {
        &["sdlc-review-output"]
    }

    fn weak_needles(&self) -> &'static [&'static str] {
        &["verdict", "Quality Score", "Quality score", "quality score"]
    }

    fn delimiter(&self) -> Option<&'static str> {
        Some("sdlc-review-output")
    }

    fn opening_keys(&self) -> &'static [&'static str] {
        KEYS
    }

    fn identify(&self, outline: &Outline<'_>) -> Claim {
        let fits = outline.has_all(&["reviewer", "verdict", "score"]);
        fields::claim(outline, Claim::Weak, fits)
    }

    fn missing(&self, message: &str, agent: Option<&str>) -> Option<Review> {
        missing(message, agent)
    }

    fn schema(&self) -> &'static schema::Schema {
        &SCHEMA
    }

    fn rules(&self) -> &'static [&'static Rule] {
        RULES
    }

    fn read(&self, node: &Node<'_>, setting: &Setting<'_>, review: &mut Review) {
        let word = fields::word(node, "verdict", VERDICTS);
        review.verdict = word.map(|word| match word {
            "PASS" => Verdict::Pass,
            _ => Verdict::Fail,
        });
        review.verdict_raw = fields::written(node, "verdict");
        review.score = node.get("score").and_then(Node::integer);
        review.score_max = Some(10);
        review.reviewer = text(node, "reviewer");
        review.phase = text(node, "phase");
        review.summary = text(node, "reasoning");
        fields::keep_rest(review, node, "", KEYS);

        let reviewer = review.reviewer.as_deref().and_then(reviewers::named);
        read_findings(node, reviewer, review);
        read_suggestions(node, review);
        let threshold = reviewer.map_or(reviewers::THRESHOLD, |reviewer| reviewer.threshold);
        review.verdict_expected = expected(node, review, threshold);
        review.critical = word == Some("CRITICAL_FAIL")
            || counted(review).any(|finding| finding.severity == Some("critical"));

        check_head(node, reviewer, review);
        check_verdict(node, word, threshold, review);
        check_setting(node, setting, review);
    }
}

fn finding(item: &Node<'_>) -> Finding {
    if !matches!(item.value, Value::Map(_)) {
        return fields::plain_finding(item);
    }
    let mut finding = Finding {
        severity: fields::word(item, "severity", SEVERITIES),
        severity_raw: fields::written(item, "severity"),
        category: text(item, "category"),
        message: text(item, "description"),
        recommendation: text(item, "recommendation"),
        requirement: text(item, "requirement"),
        scope: text(item, "scope"),
        ..Finding::default()
    };
    fields::locate(&mut finding, text(item, "location"));
    finding
}

/// Whether a scope means `in-scope`, however its letters are joined and whatever their case.
fn is_in_scope(scope: &str) -> bool {
    let letters = scope.chars().filter(|char| char.is_alphabetic());
    letters.flat_map(char::to_lowercase).eq("inscope".chars())
}

fn read_findings(node: &Node<'_>, reviewer: Option<&reviewers::Reviewer>, review: &mut Review) {
    for (pointer, item) in fields::items(node, "findings") {
        if !fields::is_entry(item) {
            continue;
        }
        let mut finding = finding(item);
        fields::keep_rest(review, item, &pointer, FINDING_KEYS);
        match &finding.scope {
            None => {
                let message = "the finding does not say that it is in scope".to_owned();
                review.breaks(&SCOPE_ABSENT, node, &pointer, message);
            }
            Some(scope) => {
                if scope == "in-scope" {
                } else if is_in_scope(scope) {
                    let message = format!("the scope is spelt `in-scope`, not `{scope}`");
                    review.breaks(&SCOPE_SPELLING, node, &format!("{pointer}/scope"), message);
                } else {
                    finding.ignored = true;
                    let message = format!("a finding with the scope `{scope}` does not count");
                    review.breaks(&OUT_OF_SCOPE, node, &format!("{pointer}/scope"), message);
                }
                if finding.requirement.is_none() {
                    let message = "the finding names no requirement".to_owned();
                    review.breaks(&REQUIREMENT_ABSENT, node, &pointer, message);
                }
            }
        }
        if let (Some(reviewer), Some(category)) = (reviewer, &finding.category)
            && !reviewer.files_under(category)
        {
            let message = format!("`{category}` is no category of the {}", reviewer.name);
            review.breaks(&UNKNOWN_CATEGORY, node, &format!("{pointer}/category"), message);
        }
        review.findings.push(finding);
    }
}

fn read_suggestions(node: &Node<'_>, review: &mut Review) {
    for (pointer, item) in fields::items(node, "hardening_suggestions") {
        if !fields::is_entry(item) {
            continue;
        }
        let suggestion = finding(item);
        fields::keep_rest(review, item, &pointer, FINDING_KEYS);
        if let Some(severity) = suggestion.severity
            && severity != "low"
        {
            let message = format!("a suggestion is `low` at most, not `{severity}`");
            review.breaks(&HARDENING_SEVERITY, node, &format!("{pointer}/severity"), message);
        }
        review.suggestions.push(suggestion);
    }
}

/// The findings that count towards the verdict.
fn counted(review: &Review) -> impl Iterator<Item = &Finding> {
    review.findings.iter().filter(|finding| !finding.ignored)
}

/// The verdict that the score and the findings imply, if all that it hangs on could be read.
fn expected(node: &Node<'_>, review: &Review, threshold: i64) -> Option<&'static str> {
    let list = fields::list(node, "findings")?;
    if counted(review).any(|finding| finding.severity == Some("critical")) {
        return Some("CRITICAL_FAIL");
    }
    // What has no readable severity might be critical.
    if list.len() != review.findings.len()
        || counted(review).any(|finding| finding.severity.is_none())
    {
        return None;
    }
    let score = review.score.filter(|score| (1..=10).contains(score))?;
    Some(if score < threshold { "FAIL" } else { "PASS" })
}

fn check_head(node: &Node<'_>, reviewer: Option<&reviewers::Reviewer>, review: &mut Review) {
    if let (None, Some(name)) = (reviewer, &review.reviewer) {
        let message = match reviewers::of_agent(name) {
            Some(known) => format!("`{name}` is no reviewer's display name; `{}` is", known.name),
            None => format!("`{name}` is none of the contract's reviewers"),
        };
        review.breaks(&UNKNOWN_REVIEWER, node, "/reviewer", message);
    }
    let phase = node.get("phase");
    if review.phase.is_none() && phase.is_none_or(|phase| matches!(phase.value, Value::Scalar(_))) {
        let pointer = if phase.is_some() { "/phase" } else { "" };
        let message = "the review does not say which phase it is about".to_owned();
        review.breaks(&PHASE_ABSENT, node, pointer, message);
    }
    if let Some(summary) = &review.summary {
        let count = report::sentences(summary);
        if !(2..=3).contains(&count) {
            let message = format!("the reasoning has {count} sentence(s) instead of 2 or 3");
            review.breaks(&REASONING_LENGTH, node, "/reasoning", message);
        }
    }
}

fn check_verdict(node: &Node<'_>, word: Option<&str>, threshold: i64, review: &mut Review) {
    if let (Some(declared), Some(expected)) = (word, review.verdict_expected)
        && declared != expected
    {
        let reason = match (expected, review.score) {
            ("CRITICAL_FAIL", _) => "a critical finding".to_owned(),
            ("FAIL", Some(score)) => format!("the score {score}, below {threshold},"),
            (_, Some(score)) => format!("the score {score}, with no critical finding,"),
            (_, None) => "the findings".to_owned(),
        };
        let message = format!("{reason} implies {expected}, not {declared}");
        review.breaks(&VERDICT_MISMATCH, node, "/verdict", message);
    }
    let is_clean = fields::list(node, "findings").is_some_and(<[_]>::is_empty);
    if let Some(score) = review.score.filter(|score| (9..=10).contains(score))
        && is_clean
    {
        let message = format!("a score of {score} without a single finding");
        review.breaks(&SUSPICIOUSLY_POSITIVE, node, "/score", message);
    }
}

fn check_setting(node: &Node<'_>, setting: &Setting<'_>, review: &mut Review) {
    if let Some(score) = review.score {
        let mut agrees = false;
        let mut last = None;
        for stated in report::scores(setting.before) {
            agrees |= stated.is(score);
            last = Some(stated);
        }
        // A report may quote an earlier score; one that agrees is the block's own.
        if let Some(stated) = last.filter(|_| !agrees) {
            let message = format!("the report says `{}`, the block {score}", stated.text);
            review.breaks(&SCORE_DISAGREES, node, "/score", message);
        }
    }
    if setting.after.is_some_and(|after| !after.trim().is_empty()) {
        let message = "text follows the block".to_owned();
        review.breaks(&BLOCK_NOT_LAST, node, "", message);
    }
}

fn missing(message: &str, agent: Option<&str>) -> Option<Review> {
    let mut stated = report::scores(message).filter(|stated| stated.score().is_some());
    let first = stated.next()?;
    let (last, is_one) = stated.fold((first, true), |(before, is_one), next| {
        let same = before.number == next.number;
        (next, is_one && same)
    });
    let agent = agent.filter(|agent| {
        let name = reviewers::folded(agent);
        name.ends_with("reviewer") && !name.starts_with("workflow reviewer")
    });
    let reviewer = match agent {
        Some(agent) => {
            let known = reviewers::of_agent(agent).or_else(|| report::reviewer(message));
            known.map_or(agent, |known| known.name)
        }
        // Who states several scores may be whoever reports on the reviewers.
        None => report::reviewer(message).filter(|_| is_one)?.name,
    };
    let place = last.place(message);
    Some(Review {
        score: last.score(),
        score_max: Some(10),
        reviewer: Some(reviewer.to_owned()),
        violations: vec![Violation {
            code: MISSING_BLOCK.code,
            level: MISSING_BLOCK.level,
            basis: MISSING_BLOCK.basis,
            pointer: String::new(),
            line: Some(place.line),
            column: Some(place.column),
            message: "the report has no block; the score was read from its prose".to_owned(),
            found: Some(last.text.to_owned()),
        }],
        ..Review::default()
    })
}

static RULES: &[&Rule] = &[
    &UNKNOWN_REVIEWER,
    &PHASE_ABSENT,
    &UNKNOWN_CATEGORY,
    &SCOPE_ABSENT,
    &SCOPE_SPELLING,
    &OUT_OF_SCOPE,
    &REQUIREMENT_ABSENT,
    &HARDENING_SEVERITY,
    &REASONING_LENGTH,
    &VERDICT_MISMATCH,
    &SUSPICIOUSLY_POSITIVE,
    &SCORE_DISAGREES,
    &BLOCK_NOT_LAST,
    &MISSING_BLOCK,
];

static UNKNOWN_REVIEWER: Rule = prose(
    "unknown-reviewer",
    Level::Warning,
    "The name is none of the reviewers' display names, letter by letter. The threshold is 7 then, \
     and no list of categories applies.",
    "Write the display name, such as `Security Reviewer`.",
);
static PHASE_ABSENT: Rule = prose(
    "phase-absent",
    Level::Warning,
    "The review does not say which phase it is about, so that reviews of several phases cannot be \
     told apart. Older templates have no such key.",
    "Add `phase`, such as `phase: \"Phase 4 - Implementation\"`.",
);
static UNKNOWN_CATEGORY: Rule = prose(
    "unknown-category",
    Level::Warning,
    "Each reviewer files its findings under a list of its own, by which they are counted later; \
     this category is not on it.",
    "Use the category of this reviewer's list that comes nearest.",
);
static SCOPE_ABSENT: Rule = prose(
    "scope-absent",
    Level::Note,
    "The finding does not say that it lies within the requirements, as the older templates do not. \
     It counts.",
    "Add `scope: in-scope` and the requirement, or move the point to `hardening_suggestions`.",
);
static SCOPE_SPELLING: Rule = prose(
    "scope-spelling",
    Level::Warning,
    "The scope means `in-scope`, but is spelt in another way, which other readers take for out of \
     scope. The finding counts.",
    "Write `scope: in-scope`.",
);
static OUT_OF_SCOPE: Rule = prose(
    "out-of-scope-finding",
    Level::Conflict,
    "Findings are measured against the requirements. One that says that it lies beyond them does \
     not count towards the verdict, and does not belong in the list.",
    "Move the point to `hardening_suggestions` with the severity `low`.",
);
static REQUIREMENT_ABSENT: Rule = prose(
    "requirement-absent",
    Level::Warning,
    "The finding says that it is in scope, but not which requirement puts it there.",
    "Add `requirement` with the requirement, criterion or decision, such as `requirement: \"FR-3\"`.",
);
static HARDENING_SEVERITY: Rule = prose(
    "hardening-severity",
    Level::Conflict,
    "A suggestion lies beyond the requirements and is `low` at most. It has no weight for the \
     verdict, whatever its severity says.",
    "Set the severity to `low`, or make it a finding and name its requirement.",
);
static REASONING_LENGTH: Rule = prose(
    "reasoning-length",
    Level::Note,
    "The reasoning sums the review up in two or three sentences.",
    "Shorten it to three sentences, or add what the score rests on.",
);
static SUSPICIOUSLY_POSITIVE: Rule = prose(
    "suspiciously-positive",
    Level::Note,
    "A score of 9 or 10 without any finding is seldom the outcome of a thorough review.",
    "Name what was checked in the reasoning, or add the findings of low severity.",
);
static SCORE_DISAGREES: Rule = prose(
    "score-disagrees-with-report",
    Level::Conflict,
    "The report above the block states a `Quality Score`, and it is another number than the \
     block's. The block's is kept.",
    "Write the same number in both places.",
);
static BLOCK_NOT_LAST: Rule = prose(
    "block-not-last",
    Level::Warning,
    "The block ends the message; whoever reads only the end of it misses a block with text below.",
    "Move the text above the block.",
);
static MISSING_BLOCK: Rule = prose(
    "missing-block",
    Level::Error,
    "A reviewer's report states a `Quality Score` but has no block, so that there is no verdict \
     and there are no findings to read. The score is the report's.",
    "Add the block between its delimiter lines at the end of the message.",
);
