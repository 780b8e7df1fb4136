//! A block that was escaped once too often: `{\"verdict\": …}`, or a JSON string that holds it.
//!
//! Takes such a block's text, gives it with one layer of escapes taken off, and leads the places of
//! what is read in it back to where it stands.

use super::{kinds, reader};
use crate::contract::Shape;
use crate::parse::{self, Caps, Node, Reading};
use crate::record::Place;
use crate::transcript::raw;

/// A text without one layer of escapes.
pub struct Unescaped {
    text: String,
    /// Where an escape was taken off: the place behind it in `text`, and in the block.
    steps: Vec<(Place, Place)>,
}

/// Takes one layer of escapes off a block that has one too many.
pub fn once(text: &str) -> Option<Unescaped> {
    let block = text.trim();
    let inner = block.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let body = inner.unwrap_or(block);
    let mut head = body.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
    // Line breaks were escaped as well.
    while let Some(rest) = ["\\n", "\\r", "\\t"].iter().find_map(|mark| head.strip_prefix(mark)) {
        head = rest.trim_start_matches(['{', '[', ' ']);
    }
    let opens = head.starts_with("\\\"");
    if !opens || !body.starts_with(['{', '[']) {
        return None;
    }
    // A quote without its backslash would be none of this layer's.
    let quotes = memchr::memchr_iter(b'"', body.as_bytes());
    let mut before = quotes.map(|at| body.as_bytes()[at - 1]);
    if !before.all(|byte| byte == b'\\') {
        return None;
    }
    let start = body.as_ptr().addr() - text.as_ptr().addr();
    let mut here = Place::START.after(&text.as_bytes()[..start]);
    let mut there = Place::START;
    let (mut out, mut steps) = (String::with_capacity(body.len()), vec![(there, here)]);
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let plain = &rest[..at];
        let length = if rest[at + 1..].starts_with('u') { 6 } else { 2 };
        let escape = rest.get(at..rest.len().min(at + length))?;
        // Half of a pair cannot be taken off by itself, nor what is no escape.
        if !escape.is_ascii() || !parse::json::is_escape(&escape.as_bytes()[1..]) {
            return None;
        }
        let char = raw::unescape(escape.as_bytes());
        here = here.after(plain.as_bytes()).after(escape.as_bytes());
        there = there.after(plain.as_bytes()).after(char.as_bytes());
        out.push_str(plain);
        out.push_str(&char);
        steps.push((there, here));
        rest = &rest[at + escape.len()..];
    }
    out.push_str(rest);
    Some(Unescaped { text: out, steps })
}

impl Unescaped {
    /// Reads the text, strictly and else tolerantly.
    pub fn read(&self, shape: &Shape, closed: bool, caps: Caps) -> Reading<'static> {
        let strict = parse::json::parse(&self.text, caps);
        let mut reading = if strict.faults.is_empty() {
            strict
        } else {
            reader::read(&self.text, shape, closed, caps)
        };
        reading = reading.moved(&|place| self.lead_back(place));
        let start = self.steps.first().map_or(Place::START, |(_, here)| *here);
        reading.repairs.insert(0, kinds::ESCAPED_TWICE.at(start));
        Reading { node: reading.node.map(Node::into_owned), ..reading }
    }

    fn lead_back(&self, place: Place) -> Place {
        let index = self.steps.partition_point(|(there, _)| *there <= place);
        let (there, here) = self.steps[index.saturating_sub(1)];
        let column = if there.line == place.line {
            here.column + place.column - there.column
        } else {
            place.column
        };
        Place { line: here.line + place.line - there.line, column }
    }
}
