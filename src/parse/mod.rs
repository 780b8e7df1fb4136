//! Parsing: the text of a block into a [`Node`] tree, one model for YAML and JSON, every node with
//! its line and column.
//!
//! Takes the block's text, gives the tree and what is wrong with the syntax ([`Fault`]s). A broken
//! text gives what was read with certainty before the fault: whole entries only. Duplicate keys,
//! aliases, tags, merge keys and further documents are faults; depth and number of nodes are
//! capped while the tree grows. Never guesses: mending is `repair`'s part.

use std::borrow::Cow;

use crate::contract::Rule;
use crate::record::{Basis, Level, Place, Repair};

pub mod advice;
pub mod json;
pub mod yaml;

/// A value with its place in the block.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    /// Where it starts in the block.
    pub place: Place,
    /// The value.
    pub value: Value<'a>,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// A single value.
    Scalar(Scalar<'a>),
    /// A list.
    List(Vec<Node<'a>>),
    /// A mapping, in the order of the text; no key stands twice.
    Map(Vec<Entry<'a>>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// The key's text.
    pub key: Cow<'a, str>,
    /// Where the key starts.
    pub place: Place,
    /// Its value.
    pub node: Node<'a>,
}

/// A single value: its text, and what the text means where the contract does not say.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar<'a> {
    /// The text: unescaped where it was quoted, else as written.
    pub text: Cow<'a, str>,
    /// What an unquoted text means.
    pub kind: Kind,
    /// An unquoted scalar of YAML: where the contract says text, its text counts and not its kind.
    pub plain: bool,
    /// What stood there, where a repair put another text in its place.
    pub written: Option<Cow<'a, str>>,
}

/// What a scalar means: JSON's types. In YAML only what JSON would write is a number, since
/// `010`, `0x1F` and `1_000` mean different things to different readers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Nothing, `null` or `~`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; integers in any notation (`2.0`) within ±2^53 are whole.
    Number(f64),
    /// A text.
    Text,
}

impl Kind {
    /// The meaning of an unquoted YAML scalar.
    pub fn of_plain(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" => Self::Bool(true),
            "false" | "False" | "FALSE" => Self::Bool(false),
            _ => Self::number(text.strip_prefix('+').unwrap_or(text)).unwrap_or(Self::Text),
        }
    }

    /// The number that JSON reads in `text`, if it is one and finite.
    pub fn number(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        // serde_json knows JSON's number grammar: no leading zero, no bare point, no underscore.
        let number: f64 = serde_json::from_str(text).ok()?;
        number.is_finite().then_some(Self::Number(number))
    }
}

/// What is wrong with a block's syntax.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// Where, in the block.
    pub place: Place,
    /// What is wrong, for people.
    pub message: String,
    /// What stands there.
    pub found: Option<String>,
}

/// What came out of a block's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<'a> {
    /// What was read with certainty; `None` where there is nothing.
    pub node: Option<Node<'a>>,
    /// What is wrong with the syntax, in the order of the text; empty where it is right.
    pub faults: Vec<Fault>,
    /// What was mended to read it; a parser mends nothing.
    pub repairs: Vec<Repair>,
}

impl Reading<'_> {
    /// The same reading, each place moved.
    #[must_use]
    pub fn moved(mut self, to: &dyn Fn(Place) -> Place) -> Self {
        self.node = self.node.map(|node| node.moved(to));
        for fault in &mut self.faults {
            fault.place = to(fault.place);
        }
        for repair in &mut self.repairs {
            let place = to(Place { line: repair.line, column: repair.column });
            (repair.line, repair.column) = (place.line, place.column);
        }
        self
    }
}

/// A text with this many faults is read no further.
pub(crate) const FAULTS: usize = 100;

/// Characters of a text that a fault or violation shows.
pub(crate) const EXCERPT: usize = 200;

/// The caps of one block, counted down while its tree grows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Caps {
    /// Levels of lists and mappings.
    pub nesting: usize,
    /// Nodes.
    pub nodes: usize,
}

/// Parses a block as what it looks like: JSON where it starts with a brace or bracket, unless only
/// YAML reads it; else YAML.
pub fn parse(text: &str, caps: Caps) -> Reading<'_> {
    if !is_json(text) {
        return yaml::parse(text, caps);
    }
    let json = json::parse(text, caps);
    // YAML in flow style, which needs no quotes around its keys.
    let opens_bare =
        body(text)[1..].trim_start().starts_with(|char: char| char.is_ascii_alphabetic());
    if json.faults.is_empty() || !opens_bare {
        return json;
    }
    let yaml = yaml::parse(text, caps);
    if yaml.faults.is_empty() { yaml } else { json }
}

/// Whether a block looks like JSON.
pub fn is_json(text: &str) -> bool {
    body(text).starts_with(['{', '['])
}

/// A block from its first character on that can be seen.
fn body(text: &str) -> &str {
    text.trim_start_matches(|char: char| char.is_whitespace() || char == '\u{feff}')
}

impl<'a> Node<'a> {
    /// The value of `key`, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The entries, if this is a mapping; else none.
    pub fn entries(&self) -> &[Entry<'a>] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items, if this is a list; else none.
    pub fn items(&self) -> &[Node<'a>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The source text of a scalar that is not null.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) if scalar.kind != Kind::Null => Some(&scalar.text),
            _ => None,
        }
    }

    /// What stood where the scalar stands, if it is not null: its text before any repair.
    pub fn written(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(Scalar { written: Some(written), .. }) => Some(written),
            _ => self.text(),
        }
    }

    /// The value of a whole number.
    pub fn integer(&self) -> Option<i64> {
        match &self.value {
            Value::Scalar(Scalar { kind: Kind::Number(number), .. })
                if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 =>
            {
                Some(*number as i64)
            }
            _ => None,
        }
    }

    /// The value of a boolean.
    pub fn boolean(&self) -> Option<bool> {
        match &self.value {
            Value::Scalar(Scalar { kind: Kind::Bool(value), .. }) => Some(*value),
            _ => None,
        }
    }

    /// Whether this is null or an empty scalar.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(Scalar { kind: Kind::Null, .. }))
    }

    /// The same tree, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Node<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let value = match self.value {
            Value::Scalar(scalar) => Value::Scalar(Scalar {
                text: owned(scalar.text),
                written: scalar.written.map(owned),
                ..scalar
            }),
            Value::List(items) => Value::List(items.into_iter().map(Node::into_owned).collect()),
            Value::Map(entries) => {
                let entries = entries.into_iter().map(|Entry { key, place, node }| Entry {
                    key: owned(key),
                    place,
                    node: node.into_owned(),
                });
                Value::Map(entries.collect())
            }
        };
        Node { place: self.place, value }
    }

    /// The same tree, each place moved.
    #[must_use]
    pub fn moved(mut self, to: &dyn Fn(Place) -> Place) -> Self {
        self.move_places(to);
        self
    }

    fn move_places(&mut self, to: &dyn Fn(Place) -> Place) {
        self.place = to(self.place);
        match &mut self.value {
            Value::Scalar(_) => {}
            Value::List(items) => items.iter_mut().for_each(|item| item.move_places(to)),
            Value::Map(entries) => {
                for entry in entries {
                    entry.place = to(entry.place);
                    entry.node.move_places(to);
                }
            }
        }
    }

    /// How many nodes the tree has.
    pub fn count(&self) -> usize {
        let inner: usize = match &self.value {
            Value::Scalar(_) => 0,
            Value::List(items) => items.iter().map(Node::count).sum(),
            Value::Map(entries) => entries.iter().map(|entry| entry.node.count()).sum(),
        };
        inner + 1
    }

    /// The node at a JSON pointer, or the nearest one above it that there is.
    pub fn nearest(&self, pointer: &str) -> &Node<'a> {
        let mut node = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match &node.value {
                Value::Map(_) => node.get(&step),
                Value::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
                Value::Scalar(_) => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The value as JSON, each scalar as what it means by itself.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar(scalar) => scalar.to_json(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(entries) => entries
                .iter()
                .map(|entry| (entry.key.clone().into_owned(), entry.node.to_json()))
                .collect(),
        }
    }

    /// The node as a short text, for the `found` of a violation.
    pub fn excerpt(&self) -> String {
        let text = match &self.value {
            Value::Scalar(scalar) => scalar.text.clone().into_owned(),
            _ => self.to_json().to_string(),
        };
        match text.char_indices().nth(EXCERPT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

impl Scalar<'_> {
    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self.kind {
            Kind::Null => serde_json::Value::Null,
            Kind::Bool(value) => value.into(),
            Kind::Number(number) if number.fract() == 0.0 && number.abs() <= 9e15 => {
                (number as i64).into()
            }
            Kind::Number(number) => number.into(),
            Kind::Text => self.text.as_ref().into(),
        }
    }
}

impl<'a> Scalar<'a> {
    /// A text, as if it had stood in quotes.
    pub const fn of_text(text: Cow<'a, str>) -> Self {
        Self { text, kind: Kind::Text, plain: false, written: None }
    }

    /// A scalar as it stands, unquoted.
    pub const fn of_plain(text: Cow<'a, str>, kind: Kind) -> Self {
        Self { text, kind, plain: true, written: None }
    }
}

/// A syntax rule.
const fn syntax(code: &'static str, meaning: &'static str, mend: &'static str) -> Rule {
    Rule { code, level: Level::Error, basis: Basis::Syntax, meaning, mend }
}

/// The rules of syntax, for all contracts alike.
pub static RULES: &[&Rule] = &[
    &YAML,
    &JSON,
    &DUPLICATE_KEY,
    &ALIAS,
    &TAG,
    &MERGE_KEY,
    &DOCUMENTS,
    &KEY,
    &CAP,
    &EMPTY,
    &TWO_READINGS,
];

/// The text is no YAML.
pub static YAML: Rule = syntax(
    "yaml-syntax",
    "The text is no YAML 1.2: a YAML parser stops at the place named.",
    "Put the value in double quotes, or write it as a block scalar (`|`) with its lines indented.",
);
/// The text is no JSON.
pub static JSON: Rule = syntax(
    "json-syntax",
    "The text is no JSON (RFC 8259): a JSON parser stops at the place named.",
    "Write the object with a JSON library; quote every key, escape `\"` and line breaks in texts.",
);
/// A key stands twice.
pub static DUPLICATE_KEY: Rule = syntax(
    "duplicate-key",
    "One mapping has the same key twice. Readers disagree on which value counts, so neither does.",
    "Keep one of the two.",
);
/// A YAML alias.
pub static ALIAS: Rule = syntax(
    "yaml-alias",
    "The text has a YAML anchor or alias (`&name`, `*name`). A review is plain data; a text that \
     merely starts with `&` or `*` is not read as one.",
    "Put the value in double quotes.",
);
/// A YAML tag.
pub static TAG: Rule = syntax(
    "yaml-tag",
    "The text has a YAML tag (`!name`). A review is plain data; a text that merely starts with `!` \
     is not read as one.",
    "Put the value in double quotes.",
);
/// A YAML merge key.
pub static MERGE_KEY: Rule = syntax(
    "yaml-merge-key",
    "The text has a YAML merge key (`<<`). A review is plain data.",
    "Write the merged keys out.",
);
/// More than one document.
pub static DOCUMENTS: Rule = syntax(
    "several-documents",
    "The block holds more than one YAML document or JSON value; a review is one.",
    "Put each review in a block of its own, and no `---` line inside a block.",
);
/// A key that is no scalar.
pub static KEY: Rule = syntax(
    "key-not-text",
    "A mapping has a list or a mapping as its key.",
    "Put the key in double quotes, or write the value behind a named key.",
);
/// A cap.
pub static CAP: Rule = syntax(
    "too-large",
    "The block is nested deeper than 64 levels, has more than 100,000 nodes or is longer than \
     4 MiB. It is read no further.",
    "A review is small: shorten its texts, or split it.",
);
/// Nothing there.
pub static EMPTY: Rule = syntax(
    "empty-block",
    "The block holds nothing but blanks and comments.",
    "Write the review between the delimiters.",
);
/// Two readings are possible.
pub static TWO_READINGS: Rule = syntax(
    "two-readings",
    "The text is broken, and can be mended in two ways that say different things. Neither is \
     chosen.",
    "Write the one that is meant: put a text in double quotes, a key on a line of its own.",
);
