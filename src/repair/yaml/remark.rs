//! Remarks: whether a comment beside a word of the outcome may be dropped.
//!
//! Takes the comment and the word. Dropped is what is known to say nothing about the word; of
//! anything else nobody can tell that it does not take the word back. Behind a refusal, and behind
//! what is no outcome, a comment goes unless it has a word that qualifies.

use super::line::{Blanks, is_blank};
use super::reader::{OUTCOME, Reader, refuses};
use super::scalar::{self, Piece};
use super::value::Class;
use super::{descent, kinds};
use crate::repair::words;

/// Keys of the outcome of a single finding.
const GRADES: &[&str] = &["severity", "priority"];

/// Words of a remark that agrees with an outcome, or says nothing of it.
const AGREES: &[&str] = &[
    "a",
    "all",
    "alles",
    "an",
    "and",
    "are",
    "build",
    "checks",
    "ci",
    "clean",
    "completed",
    "criteria",
    "decision",
    "done",
    "everything",
    "excellent",
    "final",
    "fine",
    "gate",
    "gates",
    "good",
    "great",
    "green",
    "grün",
    "gut",
    "is",
    "it",
    "lgtm",
    "lint",
    "look",
    "looks",
    "me",
    "meets",
    "met",
    "my",
    "nice",
    "of",
    "ok",
    "okay",
    "our",
    "overall",
    "passed",
    "passing",
    "quality",
    "reached",
    "reasoning",
    "result",
    "satisfied",
    "score",
    "see",
    "severity",
    "solid",
    "status",
    "summary",
    "tests",
    "the",
    "this",
    "threshold",
    "verdict",
    "very",
    "well",
    "works",
    "yes",
];

/// Words beside the numbers of a scale.
const SCALE: &[&str] = &[
    "above",
    "and",
    "at",
    "between",
    "exceeds",
    "from",
    "is",
    "least",
    "max",
    "maximum",
    "meets",
    "met",
    "min",
    "minimum",
    "of",
    "out",
    "passing",
    "points",
    "range",
    "reached",
    "scale",
    "the",
    "threshold",
    "to",
];

/// Those of them that say which scale it is.
const ANCHORS: &[&str] =
    &["least", "max", "maximum", "min", "minimum", "of", "range", "scale", "threshold"];

/// The words that a form lets choose among.
const CHOICES: &[&str] = &[
    "approve",
    "approved",
    "blocking",
    "correct",
    "critical",
    "critical_fail",
    "escalate",
    "escalated",
    "fail",
    "false",
    "high",
    "important",
    "incorrect",
    "info",
    "is",
    "low",
    "medium",
    "pass",
    "patch",
    "reject",
    "rejected",
    "suggestion",
    "true",
];

/// Words that join them.
const JOINTS: &[&str] = &["allowed", "either", "of", "one", "options", "or", "values"];

/// Words of a remark on an empty list.
const LISTS: &[&str] = &["a", "an", "array", "clean", "empty", "is", "list", "lgtm", "ok"];

/// Whether a comment is known to leave `word` as it is.
fn is_harmless(remark: &str, word: &str) -> bool {
    if !remark.chars().all(is_usual) || remark.contains("->") {
        return false;
    }
    let (said, own) = (parts(remark), parts(word));
    if said.is_empty() || said == own {
        return true;
    }
    if said.iter().any(|part| part.contains(|char: char| char.is_numeric())) {
        return is_scale(remark, &said, &own);
    }
    let agrees = |part: &String| AGREES.contains(&part.as_str()) || own.contains(part);
    (!remark.contains('>') && said.iter().all(agrees)) || is_choice(remark, &said, &own)
}

/// Whether a comment is known to leave an empty list as it is.
fn is_harmless_to_none(remark: &str) -> bool {
    let own = remark.trim_start_matches('#').trim_matches(is_blank);
    let is_known = |part: &String| LISTS.contains(&part.as_str());
    words::says_none(own) || (own.chars().all(is_usual) && parts(own).iter().all(is_known))
}

/// Whether a character may stand in a remark that says nothing: no question, no arrow, no warning.
fn is_usual(char: char) -> bool {
    char.is_alphanumeric()
        || is_blank(char)
        || ".,;:!()[]/|-–—>*_\"'’`#&✅✔☑✓🎉👍🟢💯\u{fe0f}≥".contains(char)
        || char == '='
}

/// The words of a text in small letters.
fn parts(text: &str) -> Vec<String> {
    let parts = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a comment names the scale or the threshold of a number.
fn is_scale(remark: &str, said: &[String], own: &[String]) -> bool {
    let is_number = |part: &&String| part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Vec<&String> = said.iter().filter(is_number).collect();
    let others: Vec<&str> =
        said.iter().filter(|part| !is_number(part)).map(String::as_str).collect();
    let is_anchored = others.iter().any(|part| ANCHORS.contains(part));
    let is_part = remark.contains('/') || others.contains(&"of");
    others.iter().all(|part| SCALE.contains(part))
        && match *numbers.as_slice() {
            [_] => is_anchored || remark.contains(['/', '>', '≥']),
            // `9 of 10`, `1-10`.
            [first, _] => {
                own.first() == Some(first)
                    || (matches!(first.as_str(), "0" | "1") && !is_part && !remark.contains('='))
            }
            _ => false,
        }
}

/// Whether a comment lists the words of which this is one.
fn is_choice(remark: &str, said: &[String], own: &[String]) -> bool {
    let is_known =
        |part: &String| CHOICES.contains(&part.as_str()) || JOINTS.contains(&part.as_str());
    let lists = remark.contains(['|', '/']) || said.iter().any(|part| part == "or");
    lists
        && !own.is_empty()
        && said.iter().all(is_known)
        && own.iter().all(|part| said.contains(part))
}

/// Whether a value says that a list is empty.
fn is_none(text: &str) -> bool {
    let text = text.trim_matches(is_blank);
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    inner.is_some_and(|inner| inner.trim_matches(is_blank).is_empty()) || words::says_none(text)
}

impl<'t> Reader<'t, '_> {
    /// Whether a comment may take back the word beside it, which is the value that is waited for.
    pub fn is_taken_back(&self, word: &str, remark: &str, class: Class) -> bool {
        let key = self.tree.awaited_key();
        let is_outcome = |key: &&str| OUTCOME.contains(key) || GRADES.contains(key);
        match (class, key.filter(is_outcome)) {
            (Class::Word, Some(key)) if !refuses(key, word) => !is_harmless(remark, word),
            (Class::Word, _) => scalar::qualifies(remark),
            (Class::Collection, Some(_)) => is_none(word) && !is_harmless_to_none(remark),
            _ => false,
        }
    }

    /// Whether a comment behind a text is none of it.
    pub fn is_apart(&self, text: &str, at: usize) -> bool {
        let entry = self.tree.awaited_entry();
        let is_entry = entry.is_some_and(|shape| descent::is_entry(shape, self.shape));
        if is_entry && is_none(&text[..at]) {
            return is_harmless_to_none(&text[at..]);
        }
        scalar::is_set_off(text, at)
    }

    /// The comments around a single value: `behind` it, on the lines right below `last` that are
    /// indented deeper than its key, and behind its key where it stands on a line of its own.
    pub fn remarks(&self, behind: &'t str, last: usize) -> Vec<&'t str> {
        let below = self.lines.iter().skip(last + 1).map_while(|line| {
            let blanks = Blanks::at(line.text, 0, 0);
            let is_deeper = self.tree.indent().is_some_and(|indent| blanks.column > indent);
            Some(&line.text[blanks.end..]).filter(|own| is_deeper && own.starts_with('#'))
        });
        let behind = Some(behind.trim_matches(is_blank)).filter(|own| own.starts_with('#'));
        self.remark.into_iter().chain(behind).chain(below).collect()
    }

    /// Adds comments to the word that is open, if one of them may take it back.
    pub fn keep_remarks(&mut self, word: &str, remarks: &[&'t str]) {
        let Some(mut open) = self.scalar.take() else { return };
        if remarks.iter().any(|remark| self.is_taken_back(word, remark, open.class)) {
            self.repair(&kinds::HASH, open.place);
            open.pieces.extend(remarks.iter().map(|text| Piece { blank: 0, text }));
        }
        self.scalar = Some(open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_that_say_nothing() {
        for (remark, word) in [
            ("# threshold 7", "PASS"),
            ("# threshold: 8", "9"),
            ("# of 10", "9"),
            ("# out of 10", "9"),
            ("# /10", "9"),
            ("# 9 of 10", "9"),
            ("# 1-10", "9"),
            ("# scale from 1 to 10", "9"),
            ("# >= 7", "9"),
            ("# all gates green", "PASS"),
            ("# looks good", "PASS"),
            ("# PASS or FAIL", "PASS"),
            ("# PASS | FAIL | CRITICAL_FAIL", "PASS"),
            ("# critical/high/medium/low", "low"),
            ("# verdict: PASS ✅", "PASS"),
            ("# -----", "PASS"),
        ] {
            assert!(is_harmless(remark, word), "{remark}");
        }
    }

    #[test]
    fn remarks_that_may_take_back() {
        for (remark, word) in [
            ("# unverified, one leak left", "PASS"),
            ("# borderline", "PASS"),
            ("# with reservations", "PASS"),
            ("# tentative", "PASS"),
            ("# draft", "PASS"),
            ("# wip", "PASS"),
            ("# to be confirmed", "PASS"),
            ("# TBD", "PASS"),
            ("# blocked by #12", "PASS"),
            ("# minus the leak", "PASS"),
            ("# with 1 critical", "PASS"),
            ("# wenn grün", "PASS"),
            ("# FAIL", "PASS"),
            ("# pass or fail?", "PASS"),
            ("# -> FAIL", "PASS"),
            ("# 3 of 10", "9"),
            ("# 4", "9"),
            ("# -4", "9"),
            ("# critical in prod", "low"),
        ] {
            assert!(!is_harmless(remark, word), "{remark}");
        }
        assert!(is_harmless_to_none("# no findings") && is_harmless_to_none("# empty list"));
        assert!(!is_harmless_to_none("# except the leak"));
        assert!(!is_harmless_to_none("# but one critical is open"));
    }
}
