//! An answer while it is streamed: its parts, and the pieces of each.

use std::collections::HashMap;

use super::super::{Line, Output};
use crate::transcript::Raw;

/// What a piece costs beside its text, in bytes.
const PIECE: usize = 128;

/// What tells answers apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// The one message of a stream whose events name none.
    Message,
    /// A choice of a completion: the completion's id, and the choice's index.
    Choice(String, String),
    /// An item of a response.
    Item(String),
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub key: Key,
    /// Its JSON up to its parts.
    pub head: Output,
    /// Its JSON behind them.
    tail: &'static str,
    parts: Vec<Part>,
    by_key: HashMap<String, usize>,
    held: usize,
}

/// A part: one text that comes in pieces, or a value that came as a whole.
#[derive(Debug)]
struct Part {
    /// One of the calls that a chat message lists in an array of their own.
    listed: bool,
    /// Its JSON up to its text.
    head: Output,
    named: bool,
    /// What stands between that and the text.
    before: &'static str,
    text: Output,
    /// The quote behind the last piece.
    close: Output,
    /// Its JSON behind the text.
    after: &'static str,
    is_value: bool,
}

/// How a part is put together.
#[derive(Clone, Copy)]
pub struct Form {
    /// Its JSON up to its text, without what is copied from its first event.
    pub head: &'static str,
    /// What stands between what is copied and the text, with the text's first quote.
    pub before: &'static str,
    /// Its JSON behind the text.
    pub after: &'static str,
    /// Whether it is a call in a chat message.
    pub listed: bool,
}

/// Puts text that stands nowhere into `out`, for byte `at` of the line.
pub fn glue(out: &mut Output, text: &str, line: &Line<'_>, at: usize) {
    out.decoded(text, line, at..at);
}

/// Copies a value as it is written.
pub fn copy(out: &mut Output, value: &Raw<'_>, line: &Line<'_>) {
    out.copy(line, value.offset..value.offset + value.bytes.len());
}

impl Answer {
    /// An answer without parts; what is said of it is put into its `head`.
    pub fn new(key: Key, head: Output, tail: &'static str) -> Self {
        Self { key, head, tail, parts: Vec::new(), by_key: HashMap::new(), held: PIECE }
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Where in the log around its first byte stands.
    pub fn origin(&self) -> Option<u64> {
        let outputs = self.parts.iter().flat_map(|part| [&part.head, &part.text, &part.close]);
        // Parts start in the order of the log; so do their pieces.
        std::iter::once(&self.head).chain(outputs).find_map(Output::origin)
    }

    /// Adds a piece to the part with this key, which starts here if there is none.
    pub fn piece(&mut self, key: &str, form: Form, piece: &Raw<'_>, line: &Line<'_>) {
        let index = self.part(key, form, line);
        let (Some(part), Some(body)) = (self.parts.get_mut(index), piece.body()) else {
            return;
        };
        if !body.is_empty() {
            let start = piece.offset + 1;
            part.text.copy(line, start..start + body.len());
            part.close = Output::default();
            glue(&mut part.close, "\"", line, start + body.len());
            self.held += body.len() + PIECE;
        }
    }

    /// Adds a value that came as a whole.
    pub fn value(&mut self, key: &str, value: &Raw<'_>, line: &Line<'_>) {
        const VALUE: Form = Form { head: "", before: "", after: "", listed: false };
        let index = self.part(key, VALUE, line);
        if let Some(part) = self.parts.get_mut(index).filter(|part| part.text.is_empty()) {
            part.is_value = true;
            copy(&mut part.text, value, line);
            self.held += value.bytes.len();
        }
    }

    /// Notes what tells a call from others, each value behind its key: its id, and last its name.
    pub fn name(
        &mut self,
        key: &str,
        form: Form,
        values: &[(&'static str, Option<Raw<'_>>)],
        line: &Line<'_>,
    ) {
        let index = self.part(key, form, line);
        let Some(part) = self.parts.get_mut(index).filter(|part| !part.named) else { return };
        for (prefix, value) in values {
            let is_said = |value: &&Raw<'_>| value.whole && value.body().is_some_and(|b| b != b"");
            if let Some(value) = value.as_ref().filter(is_said) {
                glue(&mut part.head, prefix, line, value.offset);
                copy(&mut part.head, value, line);
                self.held += prefix.len() + value.bytes.len() + PIECE;
                part.named |= prefix.contains("name");
            }
        }
    }

    fn part(&mut self, key: &str, form: Form, line: &Line<'_>) -> usize {
        if let Some(index) = self.by_key.get(key) {
            return *index;
        }
        let mut head = Output::default();
        glue(&mut head, form.head, line, 0);
        self.parts.push(Part {
            listed: form.listed,
            head,
            named: false,
            before: form.before,
            text: Output::default(),
            close: Output::default(),
            after: form.after,
            is_value: false,
        });
        self.by_key.insert(key.to_owned(), self.parts.len() - 1);
        self.held += 4 * PIECE + key.len();
        self.parts.len() - 1
    }

    /// Gives the answer as a line; open at its end if it is not whole.
    pub fn give(self, line: &Line<'_>, whole: bool, out: &mut Output) {
        if self.parts.is_empty() {
            return;
        }
        out.append(self.head);
        let in_array = self.tail.starts_with(']');
        let (listed, own): (Vec<_>, Vec<_>) = self.parts.into_iter().partition(|part| part.listed);
        let (has_list, count) = (!listed.is_empty(), own.len() + listed.len());
        let first_listed = own.len();
        for (number, part) in own.into_iter().chain(listed).enumerate() {
            if number == first_listed && has_list {
                glue(out, ",\"tool_calls\":[", line, 0);
            } else if number > 0 && (in_array || number > first_listed) {
                glue(out, ",", line, 0);
            }
            part.give(line, whole || number + 1 < count, out);
        }
        if whole {
            if has_list {
                glue(out, "]", line, 0);
            }
            glue(out, self.tail, line, 0);
        }
        glue(out, "\n", line, 0);
    }
}

impl Part {
    fn give(self, line: &Line<'_>, whole: bool, out: &mut Output) {
        out.append(self.head);
        if self.listed && !self.named {
            glue(out, ",\"function\":{\"name\":null", line, 0);
        }
        glue(out, self.before, line, 0);
        out.append(self.text);
        if !whole || self.is_value {
            return;
        }
        if self.close.is_empty() {
            glue(out, "\"", line, 0);
        } else {
            out.append(self.close);
        }
        glue(out, self.after, line, 0);
    }
}
