//! The report above a block: the score that it states, whose report it is, and how many sentences
//! a text has. One pass over the text each.

use super::reviewers::{REVIEWERS, Reviewer, folded};
use crate::record::Place;

/// A `Quality Score: X/10` in prose.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated<'a> {
    /// Where it starts in the text, in bytes.
    pub at: usize,
    /// As written, from the first word to the ten.
    pub text: &'a str,
    /// The number before the slash, as written.
    pub number: &'a str,
}

impl Stated<'_> {
    /// The number, if it is a whole one of the scale.
    pub fn score(&self) -> Option<i64> {
        self.number.parse().ok().filter(|score| (1..=10).contains(score))
    }

    /// Whether it is the number `score`: `8.0` is 8.
    pub fn is(&self, score: i64) -> bool {
        let (whole, fraction) = self.number.split_once('.').unwrap_or((self.number, ""));
        whole.parse() == Ok(score) && fraction.bytes().all(|digit| digit == b'0')
    }

    /// Its place in the text that it was found in.
    pub fn place(&self, text: &str) -> Place {
        let before = &text[..self.at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Place {
            line: memchr::memchr_iter(b'\n', before.as_bytes()).count() as u64 + 1,
            column: before[line_start..].chars().count() as u64 + 1,
        }
    }
}

/// The scores that a report states, in their order. Emphasis may stand around any part.
pub fn scores(text: &str) -> impl Iterator<Item = Stated<'_>> {
    memchr::memchr2_iter(b'q', b'Q', text.as_bytes()).filter_map(move |at| score_at(text, at))
}

fn score_at(text: &str, at: usize) -> Option<Stated<'_>> {
    const MARKS: [char; 5] = [' ', '\t', '*', '_', '`'];
    if text[..at].ends_with(|before: char| before.is_alphanumeric()) {
        return None;
    }
    let rest = word(&text[at..], "quality")?;
    let rest = word(rest.trim_start_matches(MARKS), "score")?;
    let rest = rest.trim_start_matches(MARKS).strip_prefix(':')?.trim_start_matches(MARKS);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, rest) = rest.split_at(end);
    number.parse::<f64>().ok()?;
    let rest = rest.trim_start_matches(MARKS).strip_prefix('/')?.trim_start_matches(MARKS);
    let rest = rest.strip_prefix("10")?;
    let is_ten = !rest.trim_start_matches('.').starts_with(|next: char| next.is_alphanumeric());
    let text = &text[at..text.len() - rest.len()];
    is_ten.then_some(Stated { at, text, number })
}

/// What follows `word`, if the text starts with it in whatever case.
fn word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let start = text.get(..word.len())?;
    start.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

/// The reviewer whose report this is by its own words: one in a heading (`# Security Review`), at
/// the start of a line or behind `Reviewer:`. None where it names none or several, as whoever
/// reports on reviews does.
pub fn reviewer(text: &str) -> Option<&'static Reviewer> {
    let titles: Vec<_> =
        REVIEWERS.iter().map(|each| (each, folded(each.domain()) + " review")).collect();
    let mut found: Option<&'static Reviewer> = None;
    for line in text.lines().filter(|line| contains_review(line)) {
        let is_heading = line.trim_start().starts_with('#');
        let line = folded(line);
        let line = line.strip_prefix("reviewer ").unwrap_or(&line);
        for (reviewer, title) in &titles {
            // ` review` may go on with `er`.
            let is_title = |at: usize| {
                let after = &line[at + title.len()..];
                let is_whole = after.strip_prefix("er").unwrap_or(after);
                (is_whole.is_empty() || is_whole.starts_with(' '))
                    && (at == 0 || (is_heading && line[..at].ends_with(' ')))
            };
            if line.match_indices(title.as_str()).any(|(at, _)| is_title(at)) {
                // Two display names of one domain fold to the same title.
                match found {
                    Some(other) if folded(other.name) != folded(reviewer.name) => return None,
                    Some(_) => {}
                    None => found = Some(reviewer),
                }
            }
        }
    }
    found
}

/// Whether a line may name a reviewer: spares most lines the folding.
fn contains_review(line: &str) -> bool {
    memchr::memmem::find(line.as_bytes(), b"eview").is_some()
        || memchr::memmem::find(line.as_bytes(), b"EVIEW").is_some()
}

/// How many sentences `text` has. A point within a word (`config.py`) or behind an abbreviation
/// ends none, nor does one before a small letter.
pub fn sentences(text: &str) -> usize {
    const SHORT: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "approx", "no", "incl"];
    let text = text.trim();
    let mut count = 0;
    let mut start = 0;
    // Where the word before a mark starts, as far as `seen`: words are looked through once.
    let (mut word, mut seen) = (0, 0);
    for (at, mark) in text.match_indices(['.', '!', '?', '。']) {
        let after = text[at + mark.len()..].trim_start_matches(['"', '\'', ')', '*', '`', '”']);
        let next = after.trim_start();
        let breaks = after.is_empty()
            || mark == "。"
            || (next.len() < after.len() && !next.starts_with(|first: char| first.is_lowercase()));
        if let Some(blank) = text[seen..at].rfind(char::is_whitespace) {
            word = seen + blank + text[seen + blank..].chars().next().map_or(0, char::len_utf8);
        }
        seen = at;
        let last = &text[word.max(start)..at];
        let is_short = mark == "." && !after.is_empty() && SHORT.iter().any(|s| is_word(last, s));
        if breaks && !is_short {
            if text[start..at].contains(char::is_alphanumeric) {
                count += 1;
            }
            start = at + mark.len();
        }
    }
    count + usize::from(text[start..].contains(char::is_alphanumeric))
}

/// Whether `text` is `word` in whatever case, perhaps behind opening parentheses. Looks no further
/// back than it must.
fn is_word(text: &str, word: &str) -> bool {
    let bytes = text.as_bytes();
    let before = bytes.len().checked_sub(word.len()).map(|length| bytes.split_at(length));
    before.is_some_and(|(before, last)| {
        last.eq_ignore_ascii_case(word.as_bytes()) && before.iter().rev().all(|&byte| byte == b'(')
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::fields::testing::quickly;
    use super::*;

    #[test]
    fn time_is_linear() {
        for part in [
            "x",
            ".",
            ".)",
            ".) ",
            "(",
            "e.g.",
            "no.",
            "。",
            "\u{2003}.",
            "Quality Score: 1",
            "**",
            "1/10",
            "quality score:",
            "# Security review ",
            "eview\n",
            "# Review\n",
            "a b ",
        ] {
            for start in ["x", "((((", "# Security Reviews ", "Quality Score: "] {
                let start = start.repeat(1 + (1 << 18) / start.len());
                let text = start + &part.repeat((3 << 18) / part.len());
                quickly(part, || (sentences(&text), scores(&text).count(), reviewer(&text)));
            }
        }
    }

    #[test]
    fn a_score_in_prose() {
        let number = |text: &str| scores(text).last().map(|stated| stated.number.to_owned());
        for (text, wanted) in [
            ("Quality Score: 8/10", Some("8")),
            ("**Quality Score:** 8/10", Some("8")),
            ("**Quality Score**: **8**/10.", Some("8")),
            ("### quality  score : 8 / 10", Some("8")),
            ("Quality Score: 3/10\nQuality Score: 7.5/10", Some("7.5")),
            ("Quality Score: 8/100", None),
            ("Quality Score: 8/10.5", None),
            ("Quality Score: X/10", None),
            ("Quality Score: ./10", None),
            ("Quality Score: 8", None),
            ("Quality Score 8/10", None),
            ("Inequality Score: 8/10", None),
            ("Quäl Qualit\u{e4}", None),
        ] {
            assert_eq!(number(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn where_a_score_stands() {
        let text = "Ä report\nÄ **Quality Score: 8/10**, good";
        let stated = scores(text).next().expect("a score stands there");
        assert_eq!(stated.place(text), Place { line: 2, column: 5 });
        assert_eq!(stated.text, "Quality Score: 8/10");
    }

    #[test]
    fn whose_report() {
        let name = |text| reviewer(text).map(|reviewer| reviewer.name);
        for (text, wanted) in [
            ("# Security Review\nfine", Some("Security Reviewer")),
            ("## Final Code Quality Review Report", Some("Code Quality Reviewer")),
            ("**Reviewer:** Test Coverage Reviewer", Some("Test Coverage Reviewer")),
            ("UX & Accessibility Review: fine", Some("UX & Accessibility Reviewer")),
            ("## UX and Accessibility review", Some("UX & Accessibility Reviewer")),
            ("It needs a security review", None),
            ("# Security Reviews of last year", None),
            ("# Security Review\n# Architecture Review", None),
            ("# Review", None),
        ] {
            assert_eq!(name(text), wanted, "{text}");
        }
    }

    #[test]
    fn sentences_of_a_text() {
        for (text, wanted) in [
            ("", 0),
            ("One", 1),
            ("One. Two", 2),
            ("See src/a.py:3, i.e. the loop. Score 5/10 — two of 3.5 points. \"Done.\"", 3),
            ("Really?! Yes...", 2),
            ("A, e.g. B, is bad. no capital", 1),
            ("A (E.g. B) is bad.", 1),
            ("A ((cf. B)) is bad. Or (No. 3)", 2),
            ("Say no.e.g. B", 2),
        ] {
            assert_eq!(sentences(text), wanted, "{text}");
        }
    }
}
