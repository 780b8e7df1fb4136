//! The reference reading of YAML 1.2: the events of granit-parser made into a [`Node`] tree.
//!
//! Takes a block's text, gives the tree and its faults. Never follows an alias, never keeps a
//! value whose key stands twice, and never looks at a scalar's tag but to refuse it.

use std::borrow::Cow;
use std::collections::HashSet;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, Tag};

use super::{
    ALIAS, CAP, Caps, DOCUMENTS, DUPLICATE_KEY, EMPTY, EXCERPT, Entry, FAULTS, Fault, KEY, Kind,
    MERGE_KEY, Node, Reading, Scalar, TAG, Value, YAML, advice,
};
use crate::contract::Rule;
use crate::record::{Excerpt, Place};

/// Parses `text` as one YAML document.
pub fn parse(text: &str, caps: Caps) -> Reading<'_> {
    let mut builder = Builder { text, caps, cursor: (1, text), ..Builder::default() };
    let mut options = Options::default();
    options.set_emit_comments(false);
    // A text that ends without a line break has none at its end.
    options.block_scalar_eof_without_line_feed = true;
    options.flow_nesting_limit = caps.nesting;
    options.block_nesting_limit = caps.nesting;
    for event in Parser::new_from_str_with_options(text, options) {
        let go_on = match event {
            Ok((event, span)) => builder.event(event, span),
            Err(error) => {
                let marker = error.marker();
                let place =
                    Place { line: marker.line().max(1) as u64, column: marker.col() as u64 + 1 };
                let place = builder.tab(place, &error.info()).unwrap_or(place);
                builder.fault(&YAML, place, error.info());
                false
            }
        };
        if !go_on || builder.faults.len() >= FAULTS {
            break;
        }
    }
    builder.finish()
}

/// A collection that is still growing.
enum Open<'a> {
    List(Place, Vec<Node<'a>>),
    Map(Place, OpenMap<'a>),
}

#[derive(Default)]
struct OpenMap<'a> {
    entries: Vec<Entry<'a>>,
    key: Option<(Cow<'a, str>, Place)>,
    seen: HashSet<Cow<'a, str>>,
    twice: HashSet<Cow<'a, str>>,
}

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    caps: Caps,
    open: Vec<Open<'a>>,
    root: Option<Node<'a>>,
    faults: Vec<Fault>,
    /// A line, and the text from it on.
    cursor: (u64, &'a str),
    documents: usize,
}

impl<'a> Builder<'a> {
    /// Takes one event; false where nothing after it can be read.
    fn event(&mut self, event: Event<'a>, span: Span) -> bool {
        let place = Place { line: span.start.line() as u64, column: span.start.col() as u64 + 1 };
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.fault(&DOCUMENTS, place, "a second document starts here".to_owned());
                    return false;
                }
                true
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_data(place, anchor, tag.as_deref());
                let plain = style == ScalarStyle::Plain;
                // The parser puts a `~` where nothing is written.
                let text = if plain && span.is_empty() { Cow::Borrowed("") } else { text };
                let kind = if plain { Kind::of_plain(&text) } else { Kind::Text };
                self.node(Node {
                    place,
                    value: Value::Scalar(Scalar { text, kind, plain, written: None }),
                })
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.plain_data(place, anchor, tag.as_deref());
                self.start(place, Open::List(place, Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.plain_data(place, anchor, tag.as_deref());
                self.start(place, Open::Map(place, OpenMap::default()))
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.fault(&ALIAS, place, "an alias stands here".to_owned());
                self.node(Node { place, value: Value::Scalar(NOTHING) })
            }
            _ => true,
        }
    }

    /// A review is plain data: no anchors, no tags.
    fn plain_data(&mut self, place: Place, anchor: usize, tag: Option<&Tag>) {
        if anchor != 0 {
            self.fault(&ALIAS, place, "an anchor stands before this value".to_owned());
        }
        if let Some(tag) = tag {
            self.fault(
                &TAG,
                place,
                format!("the tag `{}` stands before this value", tag.original()),
            );
        }
    }

    fn start(&mut self, place: Place, open: Open<'a>) -> bool {
        if matches!(self.open.last(), Some(Open::Map(_, OpenMap { key: None, .. }))) {
            self.fault(&KEY, place, "a key is a list or a mapping".to_owned());
            return false;
        }
        if self.open.len() >= self.caps.nesting {
            self.fault(&CAP, place, format!("more than {} levels", self.caps.nesting));
            return false;
        }
        self.open.push(open);
        true
    }

    /// Puts a finished node where it belongs.
    fn node(&mut self, node: Node<'a>) -> bool {
        if self.caps.nodes == 0 {
            self.fault(&CAP, node.place, "too many values".to_owned());
            return false;
        }
        self.caps.nodes -= 1;
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Map(_, map)) => {
                if let Some((key, place)) = map.key.take() {
                    map.entries.push(Entry { key, place, node });
                } else if let Value::Scalar(scalar) = node.value {
                    self.key(&scalar, node.place);
                }
            }
        }
        true
    }

    /// Takes the key of the entry that comes next. A key that counts for nothing loses its values.
    fn key(&mut self, key: &Scalar<'a>, place: Place) {
        let Some(Open::Map(_, map)) = self.open.last_mut() else { return };
        map.key = Some((key.text.clone(), place));
        let is_first = map.seen.insert(key.text.clone());
        let is_merge = key.plain && key.text == "<<";
        if is_first && !is_merge {
            return;
        }
        map.twice.insert(key.text.clone());
        if is_merge {
            self.fault(&MERGE_KEY, place, "a merge key stands here".to_owned());
        } else {
            self.fault(&DUPLICATE_KEY, place, format!("the key `{}` stands here again", key.text));
        }
    }

    fn end(&mut self) -> bool {
        let node = match self.open.pop() {
            Some(Open::List(place, items)) => Node { place, value: Value::List(items) },
            Some(Open::Map(place, mut map)) => {
                map.entries.retain(|entry| !map.twice.contains(&entry.key));
                Node { place, value: Value::Map(map.entries) }
            }
            None => return true,
        };
        self.node(node)
    }

    /// Where the tab stands that ends a text: the parser names the place where the text starts.
    fn tab(&self, place: Place, message: &str) -> Option<Place> {
        if !message.ends_with("found a tab") {
            return None;
        }
        let below = self.text.lines().enumerate().skip(place.line as usize);
        below.into_iter().find_map(|(index, line)| {
            let indent = &line[..line.len() - line.trim_start().len()];
            let column = indent.find('\t')? as u64 + 1;
            Some(Place { line: index as u64 + 1, column })
        })
    }

    /// Notes a fault, with the line that it stands on.
    fn fault(&mut self, rule: &'static Rule, place: Place, message: String) {
        // Faults come in the order of the text, but for a line or two.
        let (mut line, mut rest) = self.cursor;
        if place.line < line {
            (line, rest) = (1, self.text);
        }
        while line < place.line
            && let Some(end) = memchr::memchr(b'\n', rest.as_bytes())
        {
            rest = &rest[end + 1..];
            line += 1;
        }
        self.cursor = (line, rest);
        let own = rest.lines().next().unwrap_or_default();
        let above = self.text[..self.text.len() - rest.len()].lines().next_back();
        let message = advice::of(rule.code, &Excerpt::of(own, place.column, above))
            .map_or(message, |advice| advice.message());
        let found = rest.lines().next().map(|own| own.trim().chars().take(EXCERPT).collect());
        self.faults.push(Fault { rule, place, message, found });
    }

    /// Closes what is still open, without a key that has no value.
    fn finish(mut self) -> Reading<'a> {
        self.caps.nodes += self.open.len();
        let broken = !self.faults.is_empty();
        while !self.open.is_empty() {
            self.end();
            // An item that breaks off is none: a finding is whole or not there.
            if let (true, Some(Open::List(_, items))) = (broken, self.open.last_mut()) {
                items.pop();
            }
        }
        let nothing = self.root.as_ref().is_none_or(Node::is_null);
        if nothing && self.faults.is_empty() {
            self.fault(&EMPTY, Place::START, "there is nothing in the block".to_owned());
        }
        Reading { node: self.root.filter(|_| !nothing), faults: self.faults, repairs: Vec::new() }
    }
}

/// What stands in place of a value that is refused.
const NOTHING: Scalar<'static> = Scalar::of_plain(Cow::Borrowed(""), Kind::Null);
