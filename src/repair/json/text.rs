//! Texts and keys in quotes of any kind.

use std::borrow::Cow;

use super::kinds;
use super::reader::{Broken, Reader};
use super::tail::{self, Within};
use crate::parse::TWO_READINGS;
use crate::repair::characters::{CURLY_QUOTES, is_curly_double, is_curly_single, narrow};
use crate::transcript::raw;

/// What a text in quotes is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Key,
    Value,
}

/// The quotes around a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Double,
    Single,
    Curly,
}

impl Quotes {
    fn of(open: char) -> Self {
        match open {
            '"' => Self::Double,
            '\'' => Self::Single,
            _ => Self::Curly,
        }
    }

    /// Whether `char` may close a text that these quotes open.
    fn may_close(self, char: char) -> bool {
        match self {
            Self::Double => char == '"',
            Self::Single => char == '\'',
            Self::Curly => char == '"' || is_curly_double(char) || is_curly_single(char),
        }
    }
}

impl<'t> Reader<'t, '_> {
    /// Reads a text in quotes; the opening one is next.
    pub(super) fn quoted(
        &mut self,
        role: Role,
        within: Within<'_>,
    ) -> Result<Cow<'t, str>, Broken> {
        let Some(open) = self.peek() else { return self.broken("a text is expected here") };
        let quotes = Quotes::of(open);
        match quotes {
            Quotes::Double => {}
            Quotes::Single => self.note_once(&kinds::SINGLE_QUOTES, self.at),
            Quotes::Curly => self.note(&CURLY_QUOTES, self.at),
        }
        let start = self.at + open.len_utf8();
        let mut inner = None;
        let mut chars = self.text[start..].char_indices();
        let (end, close) = loop {
            let Some((offset, char)) = chars.next() else {
                self.at = self.text.len();
                return self.broken("the text is not closed");
            };
            let at = start + offset;
            if char == '\\' {
                chars.next();
                continue;
            }
            if !quotes.may_close(char) {
                continue;
            }
            let rest = &self.text[at + char.len_utf8()..];
            let ends = match role {
                Role::Key => ends_key(rest),
                Role::Value => tail::ends_value(rest, within),
            };
            if role == Role::Value && self.starts_key_within(start, at, within) {
                self.at = at;
                let message = "either the text above is not closed and a key starts here, or the \
                               quotes belong to the text"
                    .to_owned();
                self.fault(&TWO_READINGS, message);
                return Err(Broken);
            }
            if ends {
                break (at, char);
            }
            if role == Role::Key {
                self.at = at;
                return self.broken("`:` is expected here");
            }
            inner.get_or_insert(at);
        };
        self.at = end + close.len_utf8();
        if let Some(at) = inner.filter(|_| quotes == Quotes::Double) {
            self.note(&kinds::INNER_QUOTES, at);
        }
        Ok(self.unescaped(start, end, quotes))
    }

    /// Whether the quote at `at`, within a text that starts at `start`, looks like that of the next
    /// key: a known one, behind a comma or at the start of a line.
    fn starts_key_within(&self, start: usize, at: usize, within: Within<'_>) -> bool {
        let before = self.text[start..at].trim_end_matches([' ', '\t']);
        (before.is_empty() || before.ends_with([',', '，', '\n', '\r']))
            && tail::starts_known_key(&self.text[at..], within)
    }

    /// The text between two quotes.
    fn unescaped(&mut self, start: usize, end: usize, quotes: Quotes) -> Cow<'t, str> {
        let body = &self.text[start..end];
        if let Some(at) = body.find(|char: char| char < ' ') {
            self.note(&kinds::CONTROL, start + at);
        }
        if !body.contains('\\') {
            return Cow::Borrowed(body);
        }
        let is_single = quotes == Quotes::Single;
        if let Some(at) = bad_escape(body, is_single) {
            self.note(&kinds::ESCAPE, start + at);
            return Cow::Owned(body.replace("\\\"", "\"").replace("\\'", "'"));
        }
        let body = if is_single { Cow::Owned(body.replace("\\'", "'")) } else { body.into() };
        Cow::Owned(raw::unescape(body.as_bytes()).into_owned())
    }
}

fn ends_key(rest: &str) -> bool {
    let rest = tail::skip(tail::reach(rest));
    let is_comment = ["//", "/*", "#"].iter().any(|mark| rest.starts_with(mark));
    let first = rest.chars().next().map(|char| narrow(char).unwrap_or(char));
    is_comment || matches!(first, Some(':' | '='))
}

/// The first backslash that makes no escape.
fn bad_escape(body: &str, is_single: bool) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'\\', &bytes[at..]) {
        at += step;
        let rest = &bytes[at + 1..];
        let is_quote = is_single && rest.first() == Some(&b'\'');
        if !is_quote && !crate::parse::json::is_escape(rest) {
            return Some(at);
        }
        at = (at + 2).min(bytes.len());
    }
    None
}
