//! Fields: how every contract takes texts, words, findings and the other keys out of a block.
//!
//! Takes nodes of any shape and passes over what has the wrong one, since the schema has named it.
//! Texts are trimmed at both ends; a blank one is none.
//!
//! # What becomes of other keys
//!
//! A key that the record has no field for goes to `extra`, under its JSON pointer in the block
//! without the leading slash: `stack`, `findings/0/owner`, `gates/secrets/matched_patterns`.

use super::{Claim, Outline, Rule, location, prose};
use crate::parse::{Kind, Node, Scalar, Value};
use crate::record::{Finding, Level, Review};

/// The four severities that contracts share.
pub(super) const SEVERITIES: &[&str] = &["critical", "high", "medium", "low"];

/// A verdict that the other fields do not bear out.
pub(super) static VERDICT_MISMATCH: Rule = prose(
    "verdict-mismatch",
    Level::Conflict,
    "The verdict follows from the other fields by the contract's rules, and they imply another one \
     than the review declares. The declared one is kept; the implied one is `verdict_expected`.",
    "Set the verdict to the value of `verdict_expected`, or correct the field that implies it.",
);
/// A refusal without a reason.
pub(super) static UNEXPLAINED_FAIL: Rule = prose(
    "unexplained-fail",
    Level::Warning,
    "The review refuses, but nothing in it says why, so that nobody can act on it.",
    "Add the finding that led to the refusal, or accept.",
);

/// The text of `key`.
pub(super) fn text(node: &Node<'_>, key: &str) -> Option<String> {
    node.get(key).and_then(trimmed)
}

/// What was written under `key`, before any repair.
pub(super) fn written(node: &Node<'_>, key: &str) -> Option<String> {
    filled(node.get(key)?.written()?)
}

/// A text without blanks at its ends, if anything is left.
fn filled(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The text of a scalar.
pub(super) fn trimmed(node: &Node<'_>) -> Option<String> {
    filled(node.text()?)
}

/// Whether a node is what a contract calls a text: in YAML, whatever stands unquoted is one.
pub(super) fn is_text(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Scalar(Scalar { kind, plain, .. }) => {
            *kind == Kind::Text || (*plain && *kind != Kind::Null)
        }
        _ => false,
    }
}

/// The value of `key` if it is one of `words`, letter by letter.
pub(super) fn word(node: &Node<'_>, key: &str, words: &[&'static str]) -> Option<&'static str> {
    let text = node.get(key)?.text()?;
    words.iter().copied().find(|word| *word == text)
}

/// The list under `key`, if it is one.
pub(super) fn list<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n [Node<'a>]> {
    match &node.get(key)?.value {
        Value::List(items) => Some(items),
        _ => None,
    }
}

/// The entries of the list under `key`, each with its JSON pointer; none if it is no list.
pub(super) fn items<'n, 'a>(
    node: &'n Node<'a>,
    key: &str,
) -> impl Iterator<Item = (String, &'n Node<'a>)> {
    let items = list(node, key).unwrap_or_default().iter().enumerate();
    items.map(move |(number, item)| (format!("/{key}/{number}"), item))
}

/// Whether an entry of a list says something: a mapping or a text.
pub(super) fn is_entry(item: &Node<'_>) -> bool {
    matches!(item.value, Value::Map(_)) || item.text().is_some()
}

/// A finding that is a text instead of a mapping.
pub(super) fn plain_finding(item: &Node<'_>) -> Finding {
    Finding { message: trimmed(item), ..Finding::default() }
}

/// Sets the place of a finding to what `raw` names.
pub(super) fn locate(finding: &mut Finding, raw: Option<String>) {
    place(finding, raw.as_deref().map(location::parse).unwrap_or_default(), raw);
}

/// Sets the place of a finding.
pub(super) fn place(finding: &mut Finding, location: location::Location, raw: Option<String>) {
    finding.path = location.path;
    finding.line = location.line;
    finding.end_line = location.end_line;
    finding.column = location.column;
    finding.location_raw = raw;
}

/// Keeps the keys of the mapping at `pointer` that are none of `known`.
pub(super) fn keep_rest(review: &mut Review, node: &Node<'_>, pointer: &str, known: &[&str]) {
    for entry in node.entries() {
        if !known.contains(&&*entry.key) {
            let key = entry.key.replace('~', "~0").replace('/', "~1");
            keep(review, &format!("{pointer}/{key}"), entry.node.to_json());
        }
    }
}

/// Keeps the value at `pointer`.
pub(super) fn keep(review: &mut Review, pointer: &str, value: serde_json::Value) {
    let key = pointer.strip_prefix('/').unwrap_or(pointer);
    review.extra.get_or_insert_default().insert(key.to_owned(), value);
}

/// The claim where `fits`; none on a JSON Schema or on a line of a transcript, which has a `type`.
pub(super) fn claim(outline: &Outline<'_>, claim: Claim, fits: bool) -> Claim {
    let is_other = outline.count(&["type", "properties", "$schema"]) > 0;
    if fits && !is_other { claim } else { Claim::None }
}

#[cfg(test)]
pub(crate) mod testing {
    //! What the tests of every contract need.

    use super::super::{Checked, Contract, Setting, check};
    use crate::locate::Block;
    use crate::parse::{Caps, parse};
    use crate::record::{Place, Review};

    /// Runs `scan` on a text of about a megabyte, which takes seconds if it is not linear; once more
    /// where it does, since the machine may have been busy.
    pub fn quickly<T>(what: &str, scan: impl Fn() -> T) {
        let took = || {
            let start = std::time::Instant::now();
            std::hint::black_box(scan());
            start.elapsed()
        };
        let is_quick = |took: &std::time::Duration| took.as_secs() < 1;
        let tries = std::iter::repeat_with(took).take(5);
        assert!({ tries }.any(|took| is_quick(&took)), "{what:?} takes more than a second");
    }

    /// What a contract makes of a text, shape and rules checked.
    pub fn read(contract: &dyn Contract, text: &str, setting: Setting<'_>) -> Review {
        let reading = parse(text, Caps { nesting: 64, nodes: 10_000 });
        assert_eq!(reading.faults, [], "{text}");
        let node = reading.node.expect("the text holds something");
        let mut review = Review::default();
        contract.schema().note(&node, &mut review);
        contract.read(&node, &setting, &mut review);
        review
    }

    /// What comes of a text as a whole block.
    pub fn checked(contract: &dyn Contract, text: &str) -> Checked {
        let block = Block::cut(text.as_bytes(), Place::START, b"");
        let reading = parse(&block.text, Caps { nesting: 64, nodes: 1_000_000 });
        check(contract, &block, &reading, true, &Setting::default())
    }

    /// The violations as `code pointer`, in their order.
    pub fn faults(review: &Review) -> Vec<String> {
        let shown = |each: &crate::record::Violation| format!("{} {}", each.code, each.pointer);
        review.violations.iter().map(shown).collect()
    }

    /// `base` with the text `old` replaced, which must be there.
    pub fn with(base: &str, old: &str, new: &str) -> String {
        assert!(base.contains(old), "{old} is not in the text");
        base.replacen(old, new, 1)
    }

    /// That every rule of a contract has a case that breaks it, and the texts that explain it.
    pub fn covers(contract: &dyn Contract, broken: &[&str]) {
        for rule in contract.rules() {
            let breaks = |case: &&str| case.split(' ').next() == Some(rule.code);
            assert!(broken.iter().any(breaks), "no case breaks {}", rule.code);
            assert!(rule.meaning.ends_with('.') && rule.mend.ends_with('.'), "{}", rule.code);
        }
    }
}
