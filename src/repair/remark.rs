//! Remarks: whether a comment beside a word of the outcome may be dropped.
//!
//! Takes the comment, the word and its key. A comment is none of the value, as YAML has it, unless it
//! has a word that qualifies; beside a word that accepts, one that hedges or contradicts will do.
//! What is known to say nothing, such as the words of a form to choose from, always goes.

use super::words;

/// Keys by which a review's outcome is told.
pub const OUTCOME: &[&str] =
    &["verdict", "score", "pass", "escalate", "status", "findings", "overall_correctness"];
/// What a value starts with that makes no review look good.
const REFUSALS: &[&str] = &["fail", "critical", "reject", "escalate", "patch is incorrect"];

/// Keys by which a review accepts.
const DECIDES: &[&str] = &["verdict", "pass", "status", "overall_correctness"];

/// Keys of the outcome of a single finding.
const GRADES: &[&str] = &["severity", "priority"];

/// Words that do not go with a word that accepts.
const HEDGES: &[&str] = &[
    "aber",
    "assumed",
    "assumes",
    "awaiting",
    "barely",
    "blocked",
    "blocker",
    "blockers",
    "blocking",
    "borderline",
    "concern",
    "concerns",
    "confirm",
    "confirmed",
    "critical",
    "criticals",
    "depends",
    "draft",
    "excepto",
    "falls",
    "guess",
    "later",
    "leak",
    "left",
    "mais",
    "minus",
    "mostly",
    "nur",
    "open",
    "outstanding",
    "pero",
    "preliminary",
    "remaining",
    "reservation",
    "reservations",
    "salvo",
    "sauf",
    "si",
    "some",
    "tbc",
    "tbd",
    "tentative",
    "tentatively",
    "unconfirmed",
    "unresolved",
    "unsure",
    "untested",
    "unverified",
    "waiting",
    "weak",
    "wenn",
    "wip",
];

/// Severities that a remark must not name beside another one.
const WORSE: &[&str] = &["blocker", "blocking", "critical", "high", "major", "severe"];

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
    if said.is_empty() || said == own || words::says_none(remark.trim_start_matches(['#', ' '])) {
        return true;
    }
    if said.iter().any(|part| part.contains(|char: char| char.is_numeric())) {
        return is_scale(remark, &said, &own);
    }
    let agrees = |part: &String| AGREES.contains(&part.as_str()) || own.contains(part);
    (!remark.contains('>') && said.iter().all(agrees)) || is_choice(remark, &said, &own)
}

/// Whether a comment is known to leave an empty list as it is.
pub fn is_harmless_to_none(remark: &str) -> bool {
    let own = remark.trim_start_matches('#').trim_matches([' ', '\t']);
    let is_known = |part: &String| LISTS.contains(&part.as_str());
    words::says_none(own) || (own.chars().all(is_usual) && parts(own).iter().all(is_known))
}

/// Whether a character may stand in a remark that says nothing: no question, no arrow, no warning.
fn is_usual(char: char) -> bool {
    char.is_alphanumeric()
        || matches!(char, ' ' | '\t')
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
pub fn is_none(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    inner.is_some_and(|inner| inner.trim_matches([' ', '\t']).is_empty()) || words::says_none(text)
}

/// Whether a comment may take back the `word` beside it, which stands under `key`.
pub fn takes_back(key: &str, word: &str, remark: &str) -> bool {
    if DECIDES.contains(&key) && !refuses(key, word) {
        let hedges = |part: &String| HEDGES.contains(&part.as_str());
        return !is_harmless(remark, word)
            && (qualifies(remark) || parts(remark).iter().any(hedges));
    }
    let is_graded = GRADES.contains(&key) && {
        let own = parts(word);
        parts(remark).iter().any(|part| WORSE.contains(&part.as_str()) && !own.contains(part))
    };
    qualifies(remark) || (is_graded && !is_harmless(remark, word))
}

/// Whether a key tells of the outcome of a review or of a finding.
pub fn is_outcome(key: &str) -> bool {
    OUTCOME.contains(&key) || GRADES.contains(&key)
}

/// Whether the value of an outcome's key refuses.
pub fn refuses(name: &str, value: &str) -> bool {
    let word = value.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    match name {
        "pass" => word == "false",
        "escalate" => word == "true",
        _ => REFUSALS.iter().any(|refusal| word.starts_with(refusal)),
    }
}

/// Words by which a remark takes back what it stands behind, in part or whole.
const QUALIFIERS: &[&str] = &[
    "if",
    "but",
    "unless",
    "except",
    "excepting",
    "conditional",
    "conditionally",
    "condition",
    "conditions",
    "pending",
    "once",
    "after",
    "provided",
    "providing",
    "not",
    "only",
    "when",
    "until",
    "assuming",
    "subject",
    "though",
    "although",
    "however",
    "contingent",
    "temporarily",
    "provisional",
    "provisionally",
    "maybe",
    "perhaps",
    "no",
    "without",
    "fail",
    "failed",
    "fails",
    "should",
    "would",
    "before",
    "requires",
    "needs",
    "todo",
    "fixme",
    "wrong",
    "isn't",
    "don't",
    "first",
    "were",
    "barring",
    "caveat",
    "caveats",
    "almost",
    "nearly",
    "partial",
    "partially",
];

/// Whether a remark behind a word of the outcome qualifies it.
pub fn qualifies(remark: &str) -> bool {
    let is_letter = |char: char| char.is_alphanumeric() || matches!(char, '\'' | '’');
    let mut words = remark.split(|char| !is_letter(char)).filter(|word| !word.is_empty());
    words.any(|word| {
        QUALIFIERS
            .iter()
            .any(|known| known.chars().eq(word.chars().flat_map(char::to_lowercase).map(straight)))
    })
}

fn straight(char: char) -> char {
    if char == '’' { '\'' } else { char }
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
            ("# awaiting the security sign-off", "PASS"),
        ] {
            assert!(takes_back("verdict", word, remark), "{remark}");
        }
        for remark in
            ["# no findings", "# a comment", "# second round", "# two low findings, both noted"]
        {
            assert!(!takes_back("verdict", "PASS", remark), "{remark}");
        }
        assert!(takes_back("severity", "low", "# critical in prod"));
        assert!(!takes_back("severity", "high", "# data loss"));
        assert!(!takes_back("score", "4", "# the leak is open"));
        assert!(is_harmless_to_none("# no findings") && is_harmless_to_none("# empty list"));
        assert!(!is_harmless_to_none("# except the leak"));
        assert!(!is_harmless_to_none("# but one critical is open"));
    }

    #[test]
    fn a_remark_that_takes_back() {
        assert!(qualifies("# but only if the tests pass"));
        assert!(qualifies("# Not yet."));
        assert!(!qualifies("# PASS | CRITICAL"));
        assert!(!qualifies("# threshold 8"));
    }
}
