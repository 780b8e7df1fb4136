//! JSON (RFC 8259) with places: the strict reading of a block.
//!
//! Takes a block's text, gives the [`Node`] tree and its faults. `serde_json` names no place but
//! that of an error, so this is a parser of our own; numbers are left to `serde_json`. A lone
//! surrogate escape is U+FFFD. Reads nothing that is not JSON: mending is `repair`'s part.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{
    CAP, Caps, DOCUMENTS, DUPLICATE_KEY, EMPTY, Entry, FAULTS, Fault, JSON, Kind, Node, Reading,
    Scalar, Value, advice,
};
use crate::contract::Rule;
use crate::record::{Excerpt, Place};

/// Parses `text` as one JSON value.
pub fn parse(text: &str, caps: Caps) -> Reading<'_> {
    let mut parser =
        Parser { text, at: 0, place: Place::START, counted: 0, depth: 0, caps, faults: Vec::new() };
    parser.blanks();
    if parser.at == text.len() {
        parser.fault(&EMPTY, "there is nothing in the block".to_owned());
        return Reading { node: None, faults: parser.faults, repairs: Vec::new() };
    }
    let (node, whole) = parser.value();
    if whole {
        parser.blanks();
        if parser.at < text.len() {
            let (rule, message) = match parser.peek() {
                Some(b'{' | b'[') => (&DOCUMENTS, "a second value starts here"),
                _ => (&JSON, "something stands after the value"),
            };
            parser.fault(rule, message.to_owned());
        }
    }
    Reading { node, faults: parser.faults, repairs: Vec::new() }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The place of byte `counted`.
    place: Place,
    counted: usize,
    depth: usize,
    caps: Caps,
    faults: Vec<Fault>,
}

/// A value as far as it was read, and whether it was read to its end.
type Partial<'a> = (Option<Node<'a>>, bool);

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The place of the byte that is next. Counts on from the last place, so that all places of a
    /// text cost one pass.
    fn here(&mut self) -> Place {
        for char in self.text[self.counted..self.at].chars() {
            if char == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
        self.counted = self.at;
        self.place
    }

    fn fault(&mut self, rule: &'static Rule, message: String) {
        let place = self.here();
        let found: String =
            self.text[self.at..].chars().take(40).take_while(|&c| c != '\n').collect();
        let found = (!found.is_empty()).then_some(found);
        self.faults.push(Fault { rule, place, message, found });
    }

    fn broken<T>(&mut self, message: &str) -> Result<T, ()> {
        if self.at == self.text.len() {
            self.fault(&JSON, "the text ends here".to_owned());
            return Err(());
        }
        let column = self.here().column;
        let advice = advice::of(JSON.code, &Excerpt::of(self.line(), column, None));
        self.fault(&JSON, advice.map_or_else(|| message.to_owned(), |advice| advice.message()));
        Err(())
    }

    /// The line of the byte that is next.
    fn line(&self) -> &'a str {
        let bytes = self.text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..self.at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &bytes[self.at..]).map_or(bytes.len(), |end| self.at + end);
        &self.text[start..end]
    }

    fn value(&mut self) -> Partial<'a> {
        let place = self.here();
        if self.caps.nodes == 0 {
            self.fault(&CAP, "too many values".to_owned());
            return (None, false);
        }
        self.caps.nodes -= 1;
        let (value, whole) = match self.peek() {
            Some(b'{') => self.nested(Self::map),
            Some(b'[') => self.nested(Self::list),
            _ => (self.scalar().ok().map(Value::Scalar), true),
        };
        let whole = whole && value.is_some();
        (value.map(|value| Node { place, value }), whole)
    }

    fn nested(&mut self, read: fn(&mut Self) -> (Value<'a>, bool)) -> (Option<Value<'a>>, bool) {
        if self.depth == self.caps.nesting {
            self.fault(&CAP, format!("more than {} levels", self.caps.nesting));
            return (None, false);
        }
        self.depth += 1;
        self.at += 1;
        let (value, whole) = read(self);
        self.depth -= 1;
        (Some(value), whole)
    }

    fn list(&mut self) -> (Value<'a>, bool) {
        let mut items = Vec::new();
        let whole = self.members(b']', |parser| {
            let (item, whole) = parser.value();
            // An item that breaks off is none: a finding is whole or not there.
            if whole {
                items.extend(item);
                Ok(())
            } else {
                Err(())
            }
        });
        (Value::List(items), whole)
    }

    fn map(&mut self) -> (Value<'a>, bool) {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut seen = HashSet::new();
        let mut twice = HashSet::new();
        let whole = self.members(b'}', |parser| {
            let place = parser.here();
            if parser.peek() != Some(b'"') {
                return parser.broken("a key in double quotes is expected here");
            }
            let key = parser.string()?;
            if !seen.insert(key.clone()) && twice.insert(key.clone()) {
                let message = format!("the key `{key}` stands here again");
                let found = Some(key.clone().into_owned());
                parser.faults.push(Fault { rule: &DUPLICATE_KEY, place, message, found });
            }
            parser.blanks();
            if parser.peek() != Some(b':') {
                return parser.broken("`:` is expected here");
            }
            parser.at += 1;
            parser.blanks();
            let (node, whole) = parser.value();
            if whole {
                parser.blanks();
                // `"pass" | "fail"`: nobody has chosen.
                if parser.peek() == Some(b'|') {
                    return parser.broken("one value is expected here, not several");
                }
            }
            entries.extend(node.map(|node| Entry { key, place, node }));
            if whole { Ok(()) } else { Err(()) }
        });
        entries.retain(|entry| !twice.contains(&entry.key));
        (Value::Map(entries), whole)
    }

    /// Reads members up to `close`; false where the text breaks off.
    fn members(&mut self, close: u8, mut member: impl FnMut(&mut Self) -> Result<(), ()>) -> bool {
        self.blanks();
        if self.peek() == Some(close) {
            self.at += 1;
            return true;
        }
        loop {
            self.blanks();
            if member(self).is_err() || self.faults.len() >= FAULTS {
                return false;
            }
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return true;
                }
                _ => {
                    let message = format!("`,` or `{}` is expected here", char::from(close));
                    return self.broken::<()>(&message).is_ok();
                }
            }
        }
    }

    fn scalar(&mut self) -> Result<Scalar<'a>, ()> {
        if self.peek() == Some(b'"') {
            return Ok(Scalar::of_text(self.string()?));
        }
        let rest = &self.text[self.at..];
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
            .count();
        let word = &rest[..length];
        if self.depth > 0 && self.at + length == self.text.len() {
            // The text breaks off behind it: it may go on.
            self.at = self.text.len();
            return self.broken("a value is expected here");
        }
        let kind = match word {
            "null" => Kind::Null,
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            _ => match Kind::number(word) {
                Some(kind) => kind,
                None => return self.broken("a value is expected here"),
            },
        };
        self.at += length;
        Ok(Scalar { plain: false, ..Scalar::of_plain(Cow::Borrowed(word), kind) })
    }

    /// Reads a string; `at` is its opening quote.
    fn string(&mut self) -> Result<Cow<'a, str>, ()> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut end = start;
        let mut escaped = false;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    if !is_escape(&bytes[end + 1..]) {
                        self.at = end;
                        return self.broken("this is no escape of JSON");
                    }
                    end += 2;
                }
                Some(byte) if *byte < 0x20 => {
                    self.at = end;
                    return self.broken("a line break or control character stands in a text");
                }
                Some(_) => end += 1,
                None => {
                    self.at = bytes.len();
                    return self.broken("the text is not closed");
                }
            }
        }
        self.at = end + 1;
        let body = &self.text[start..end];
        Ok(if escaped { crate::transcript::raw::unescape(body.as_bytes()) } else { body.into() })
    }
}

/// Whether what follows a backslash makes it an escape.
pub(crate) fn is_escape(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => true,
        Some(b'u') => rest.len() > 4 && rest[1..5].iter().all(u8::is_ascii_hexdigit),
        _ => false,
    }
}
