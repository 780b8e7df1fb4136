//! What stands around a review or a part of it, and mappings that are written as lists.

use std::collections::HashSet;

use super::{Mender, keys, kinds};
use crate::contract::MapShape;
use crate::parse::{DUPLICATE_KEY, Entry, Fault, Node, Value};
use crate::record::Place;

/// Wrappers whose name says that what is within is no answer.
const OTHERS: &[&str] = &[
    "after",
    "assuming",
    "before",
    "could",
    "demo",
    "desired",
    "draft",
    "dummy",
    "earlier",
    "example",
    "examples",
    "expected",
    "fake",
    "form",
    "format",
    "goal",
    "hypothetical",
    "ideal",
    "if",
    "input",
    "last",
    "mock",
    "no",
    "not",
    "old",
    "once",
    "other",
    "past",
    "pending",
    "placeholder",
    "possible",
    "previous",
    "proposed",
    "sample",
    "schema",
    "should",
    "spec",
    "target",
    "template",
    "tentative",
    "unless",
    "until",
    "when",
    "would",
    "wrong",
];

/// Wrappers around one another that are looked through.
const LAYERS: usize = 4;

impl Mender {
    /// Takes a review out of what stands around it.
    pub(super) fn unwrap(&mut self, node: &mut Node<'_>, map: &MapShape) {
        if is_review(node, map) {
            return;
        }
        // Tried on a copy: what leads to no review stays as it is.
        let mut inner = node.clone();
        let mut around = Vec::new();
        let repairs = self.repairs.len();
        for _ in 0..LAYERS {
            let place = inner.place;
            self.unpack(&mut inner);
            if is_review(&inner, map) {
                break;
            }
            let within = match &mut inner.value {
                Value::Map(entries) => within(entries, map),
                Value::List(items) if items.len() == 1 => items.pop(),
                _ => None,
            };
            let Some(within) = within else { break };
            around.push(place);
            inner = within;
        }
        self.unpack(&mut inner);
        if is_review(&inner, map) {
            for place in around {
                self.note(&kinds::WRAPPER, place);
            }
            *node = inner;
        } else if is_pairs_of_review(&inner, map) {
            for place in around {
                self.note(&kinds::WRAPPER, place);
            }
            *node = inner;
            self.merge(node);
        } else {
            self.repairs.truncate(repairs);
        }
    }

    /// Brings a part of a review into a mapping.
    pub(super) fn part(&mut self, node: &mut Node<'_>, map: &MapShape) {
        self.unpack(node);
        let knows = |entries: &[Entry<'_>]| entries.iter().any(|each| keys::knows(map, &each.key));
        match &mut node.value {
            Value::List(items) if items.len() == 1 && knows(items[0].entries()) => {
                let place = node.place;
                if let Some(inner) = items.pop() {
                    *node = inner;
                    self.note(&kinds::WRAPPER, place);
                }
            }
            Value::List(items)
                if is_pairs(items) && items.iter().all(|item| knows(item.entries())) =>
            {
                self.merge(node);
            }
            _ => {}
        }
    }

    /// Makes one mapping of a list of pairs. Of a key that stands twice neither counts.
    fn merge(&mut self, node: &mut Node<'_>) {
        let Value::List(items) = &mut node.value else { return };
        let mut entries: Vec<Entry<'_>> = Vec::with_capacity(items.len());
        for item in std::mem::take(items) {
            if let Value::Map(pair) = item.value {
                entries.extend(pair);
            }
        }
        let (mut seen, mut twice) = (HashSet::new(), HashSet::new());
        for entry in &entries {
            if !seen.insert(&*entry.key) && twice.insert(entry.key.clone().into_owned()) {
                self.faults.push(again(entry));
            }
        }
        entries.retain(|entry| !twice.contains(&*entry.key));
        node.value = Value::Map(entries);
        self.note(&kinds::PAIRS, node.place);
    }
}

fn again(entry: &Entry<'_>) -> Fault {
    let place: Place = entry.place;
    let message = format!("the key `{}` stands here again", entry.key);
    let found = Some(entry.key.clone().into_owned());
    Fault { rule: &DUPLICATE_KEY, place, message, found }
}

/// What stands under the single key of a wrapper.
fn within<'a>(entries: &mut Vec<Entry<'a>>, map: &MapShape) -> Option<Node<'a>> {
    let [entry] = entries.as_slice() else { return None };
    if keys::knows(map, &entry.key) || words_of(&entry.key).any(|part| OTHERS.contains(&&*part)) {
        return None;
    }
    entries.pop().map(|entry| entry.node)
}

/// The words of a key in small letters: `exampleOutput` and `example_output` have two.
fn words_of(key: &str) -> impl Iterator<Item = String> {
    let parts = key.split(|char: char| !char.is_alphanumeric());
    parts.flat_map(|part| {
        let mut words = vec![String::new()];
        for (index, char) in part.chars().enumerate() {
            if index > 0 && char.is_uppercase() {
                words.push(String::new());
            }
            if let Some(last) = words.last_mut() {
                last.extend(char.to_lowercase());
            }
        }
        // Capitals throughout are one word.
        if words.iter().all(|word| word.chars().count() < 2) { vec![words.concat()] } else { words }
    })
}

/// Whether a node has most of the keys that a review must have.
fn is_review(node: &Node<'_>, map: &MapShape) -> bool {
    is_enough(node.entries().iter(), map)
}

fn is_enough<'n, 'a: 'n>(entries: impl Iterator<Item = &'n Entry<'a>>, map: &MapShape) -> bool {
    let known = entries.filter(|entry| {
        let is_required = |name: &String| keys::is_same(name, &entry.key);
        map.required.iter().any(is_required)
    });
    let enough = map.required.len().div_ceil(2).max(2).min(map.required.len());
    known.take(enough).count() == enough
}

/// Whether a list is one of mappings with one key each.
fn is_pairs(items: &[Node<'_>]) -> bool {
    items.len() > 1 && items.iter().all(|item| item.entries().len() == 1)
}

fn is_pairs_of_review(node: &Node<'_>, map: &MapShape) -> bool {
    let items = node.items();
    is_pairs(items) && is_enough(items.iter().flat_map(Node::entries), map)
}
