//! Blanks and comments, and what a comment says of the members beside it.
//!
//! A list with a comment that says that members were left out is not whole, and one that holds
//! nothing but a comment does not say that there is nothing.

use super::kinds;
use super::reader::Reader;
use super::tail;
use crate::parse::JSON;
use crate::repair::characters::{BLANK, INVISIBLE, is_invisible, is_unusual_blank};
use crate::repair::{remark, words};

/// Words that tell of members which do not stand there.
const LEFT_OUT: &[&str] = &[
    "above",
    "abridged",
    "below",
    "brevity",
    "earlier",
    "elided",
    "etc",
    "further",
    "more",
    "omit",
    "omitted",
    "other",
    "others",
    "previous",
    "remaining",
    "rest",
    "same",
    "see",
    "shortened",
    "similar",
    "skipped",
    "truncated",
];

impl<'t> Reader<'t, '_> {
    /// Refuses a comment behind the value of `key`, on its line, that may take it back.
    pub(super) fn check_remark(&mut self, key: &str, word: &str) {
        let behind = self.text[self.at..].trim_start_matches([' ', '\t', ',', '，']);
        let comment = tail::comment(behind).map(|(comment, _)| comment);
        let words = |comment: &'t str| comment.trim_matches(['/', '*', '#', ' ', '\t']);
        if remark::refuses(key, word) {
            return;
        }
        if comment.is_some_and(|comment| remark::takes_back(key, word, words(comment))) {
            self.fault(&JSON, format!("the comment may take back the value of `{key}`"));
        }
    }

    /// Passes over blanks and comments.
    pub(super) fn blanks(&mut self) {
        while let Some(char) = self.peek() {
            match char {
                ' ' | '\t' | '\n' | '\r' => self.at += 1,
                '/' if self.text[self.at..].starts_with("//") => self.comment("\n"),
                // One without an end would hide the rest.
                '/' if self.text[self.at..].starts_with("/*") => {
                    if !self.text[self.at..].contains("*/") {
                        return;
                    }
                    self.comment("*/");
                }
                '#' => self.comment("\n"),
                char if is_invisible(char) || is_unusual_blank(char) => {
                    let kind = if is_invisible(char) { &INVISIBLE } else { &BLANK };
                    self.note(kind, self.at);
                    self.at += char.len_utf8();
                }
                _ => return,
            }
        }
    }

    fn comment(&mut self, end: &str) {
        self.note(&kinds::COMMENT, self.at);
        let rest = &self.text[self.at..];
        let length = rest.find(end).map_or(rest.len(), |at| at + end.len());
        if tells_of_more(&rest[..length], self.in_list) {
            self.fault(&JSON, "members were left out here, as the comment says".to_owned());
        }
        self.at += length;
    }
}

/// Whether a comment tells of members that were left out, or holds one.
fn tells_of_more(comment: &str, in_list: bool) -> bool {
    if comment.contains("...") || comment.contains('…') {
        return true;
    }
    let mut words = comment.split(|char: char| !char.is_alphabetic());
    let is_left_out = |word: &str| LEFT_OUT.iter().any(|known| known.eq_ignore_ascii_case(word));
    in_list && (comment.contains(['{', '}']) || words.any(is_left_out))
}

/// Whether what stands in the brackets of an empty list leaves no doubt that it is empty: nothing,
/// or a comment that says that there is nothing.
pub fn states_nothing(body: &str) -> bool {
    let marks = |char: char| char.is_whitespace() || "/*#,]］".contains(char);
    let text = body.trim_matches(marks);
    text.is_empty() || words::says_none(text)
}
