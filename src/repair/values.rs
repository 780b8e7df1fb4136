//! Repairs of values: what stands in another shape than the contract's, and can mean only one thing.
//!
//! Takes the tree that a block was read into, YAML and JSON alike, and goes down it along the
//! contract's shape: first what stands around a part, then its keys, then its lists, then its
//! values, so that repairs stack. A node that fits is never touched. What stood in place of a
//! scalar is kept in its `written`. A form stays a form: placeholders are left as they are.

use std::borrow::Cow;

use super::Kind;
use super::words::{self, How};
use crate::contract::{MapShape, Shape, is_placeholder};
use crate::parse::{Caps, Fault, Kind as Meaning, Node, Reading, Scalar, Value};
use crate::record::{Place, Repair};

mod groups;
mod keys;
mod kinds;
mod lists;
#[cfg(test)]
mod tests;
mod texts;
mod wrapping;

pub use texts::is_part;

/// The kinds of repair of values.
pub static REPAIRS: &[&Kind] = &[
    &kinds::WRAPPER,
    &kinds::PAIRS,
    &kinds::KEY,
    &kinds::JSON_TEXT,
    &kinds::NONE,
    &kinds::LIST_OF_MAPPING,
    &kinds::LIST_IN_LIST,
    &kinds::TEXT_FOR_MAPPING,
    &kinds::WORD,
    &kinds::REMARK,
    &kinds::FORM,
    &kinds::NUMBER,
    &kinds::BOOLEAN,
    &kinds::VALUE_FOR_TEXT,
    &kinds::LIST_FOR_TEXT,
    &kinds::LOCATION,
];

/// Keys whose `true` speaks against the work; of all others `false` does.
const ALARMS: &[&str] = &["escalate"];

/// Brings the values of a reading into the contract's shape.
pub fn mend(reading: &mut Reading<'_>, shape: &Shape, caps: Caps) {
    let Some(node) = &mut reading.node else { return };
    let mut mender = Mender { repairs: Vec::new(), faults: Vec::new(), caps };
    if let Shape::Map(map) = shape {
        mender.unwrap(node, map);
    }
    mender.node(node, shape, None);
    reading.repairs.append(&mut mender.repairs);
    if !mender.faults.is_empty() {
        reading.faults.append(&mut mender.faults);
        reading.faults.sort_by_key(|fault| fault.place);
    }
}

/// What comes of a walk.
struct Mender {
    repairs: Vec<Repair>,
    faults: Vec<Fault>,
    /// What JSON within texts may still take.
    caps: Caps,
}

/// The key under which a node stands.
#[derive(Clone, Copy)]
struct Under<'k> {
    key: &'k str,
    place: Place,
}

impl Mender {
    fn note(&mut self, kind: &Kind, place: Place) {
        self.repairs.push(kind.at(place));
    }

    /// Mends a node and what is below it. Goes no deeper than the shape does.
    fn node(&mut self, node: &mut Node<'_>, shape: &Shape, under: Option<Under<'_>>) {
        match shape {
            Shape::Any => {}
            Shape::Text => self.text(node, under),
            Shape::Word(words) => self.scalar(node, |text| word(text, words)),
            Shape::Boolean => {
                let bad = under.is_some_and(|under| ALARMS.contains(&under.key));
                self.scalar(node, |text| boolean(text, bad));
            }
            Shape::Integer(max) => self.scalar(node, |text| number(text, *max, true)),
            Shape::Number => self.scalar(node, |text| number(text, None, false)),
            Shape::List(item) => {
                self.list(node, item);
                if let Value::List(items) = &mut node.value {
                    for each in items {
                        self.node(each, item, None);
                        let is_text = each.text().is_some_and(|text| !is_placeholder(text));
                        if matches!(**item, Shape::Map(_)) && is_text {
                            self.note(&kinds::TEXT_FOR_MAPPING, each.place);
                        }
                    }
                }
            }
            Shape::Map(map) => {
                self.part(node, map);
                self.map(node, map);
            }
        }
    }

    fn map(&mut self, node: &mut Node<'_>, map: &MapShape) {
        let Value::Map(entries) = &mut node.value else { return };
        self.keys(entries, map);
        for entry in entries {
            if let Some(shape) = map.field(&entry.key) {
                let under = Under { key: &entry.key, place: entry.place };
                self.node(&mut entry.node, shape, Some(under));
            }
        }
    }

    /// Mends a text that stands where another value is asked for.
    fn scalar(&mut self, node: &mut Node<'_>, read: impl Fn(&str) -> Option<Mended>) {
        let Value::Scalar(scalar) = &mut node.value else { return };
        if scalar.kind != Meaning::Text {
            return;
        }
        let Some(Mended { text, meaning, kind }) = read(&scalar.text) else { return };
        let before = std::mem::replace(&mut scalar.text, Cow::Owned(text));
        scalar.kind = meaning;
        scalar.written.get_or_insert(before);
        self.note(kind, node.place);
    }
}

/// What a scalar becomes.
struct Mended {
    text: String,
    meaning: Meaning,
    kind: &'static Kind,
}

fn word(text: &str, words: &[String]) -> Option<Mended> {
    if words.iter().any(|word| word == text) {
        return None;
    }
    let (word, how) = words::word(text, words)?;
    let kind = match how {
        How::Spelling => &kinds::WORD,
        How::Remark => &kinds::REMARK,
        How::Form => &kinds::FORM,
    };
    Some(Mended { text: word.to_owned(), meaning: Meaning::Text, kind })
}

fn boolean(text: &str, bad: bool) -> Option<Mended> {
    let (value, _) = words::boolean(text, bad)?;
    let meaning = Meaning::Bool(value);
    Some(Mended { text: value.to_string(), meaning, kind: &kinds::BOOLEAN })
}

fn number(text: &str, max: Option<i64>, whole: bool) -> Option<Mended> {
    let digits = words::number(text, max, whole)?;
    let meaning = Meaning::number(digits)?;
    Some(Mended { text: digits.to_owned(), meaning, kind: &kinds::NUMBER })
}

/// A text as a node, where `place` is.
fn text_node(text: Cow<'_, str>, place: Place) -> Node<'_> {
    Node { place, value: Value::Scalar(Scalar::of_text(text)) }
}
