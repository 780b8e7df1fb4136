//! Lists in another shape, and JSON within texts.

use super::{Mender, groups, kinds};
use crate::contract::Shape;
use crate::parse::{self, Caps, Kind as Meaning, Node, Scalar, Value};
use crate::repair::words;

impl Mender {
    /// Brings a node into a list of `item`.
    pub(super) fn list(&mut self, node: &mut Node<'_>, item: &Shape) {
        self.unpack(node);
        let place = node.place;
        match &mut node.value {
            Value::Scalar(Scalar { text, kind: Meaning::Text, .. }) => {
                if words::says_none(text) {
                    node.value = Value::List(Vec::new());
                    self.note(&kinds::NONE, place);
                }
            }
            Value::Scalar(_) => {}
            Value::Map(entries) if entries.is_empty() => {
                node.value = Value::List(Vec::new());
                self.note(&kinds::NONE, place);
            }
            Value::Map(entries) => {
                let Shape::Map(map) = item else { return };
                let Some(items) = groups::items(entries, map, place) else { return };
                node.value = Value::List(items);
                self.note(&kinds::LIST_OF_MAPPING, place);
            }
            Value::List(items) => {
                let Shape::Map(_) = item else { return };
                let [only] = items.as_mut_slice() else { return };
                match &mut only.value {
                    Value::List(inner) => {
                        *items = std::mem::take(inner);
                        self.note(&kinds::LIST_IN_LIST, place);
                    }
                    Value::Scalar(Scalar { text, kind: Meaning::Text, .. })
                        if words::says_none(text) =>
                    {
                        self.note(&kinds::NONE, only.place);
                        items.clear();
                    }
                    _ => {}
                }
            }
        }
    }

    /// Reads the JSON list or mapping that a text is.
    pub(super) fn unpack(&mut self, node: &mut Node<'_>) {
        let Value::Scalar(Scalar { text, kind: Meaning::Text, .. }) = &node.value else { return };
        let text = text.trim();
        let within = |open: char, close: char| text.starts_with(open) && text.ends_with(close);
        if !within('[', ']') && !within('{', '}') {
            return;
        }
        // It may stand some levels deep, and the tree goes no deeper than the cap.
        let caps = Caps { nesting: self.caps.nesting / 2, nodes: self.caps.nodes };
        let reading = parse::json::parse(text, caps);
        let Some(inner) = reading.node.filter(|_| reading.faults.is_empty()) else { return };
        self.caps.nodes = self.caps.nodes.saturating_sub(inner.count());
        let inner = inner.into_owned().moved(&|_| node.place);
        self.note(&kinds::JSON_TEXT, node.place);
        node.value = inner.value;
    }
}
