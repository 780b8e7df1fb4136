//! The tree that the tolerant reader builds: open lists and mappings, innermost last.
//!
//! Takes keys, items and values in the order of the text, gives a [`Node`]. A key that stands twice
//! loses its values, as in the strict reading.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::contract::{MapShape, Shape};
use crate::parse::{Entry, Kind, Node, Scalar, Value};
use crate::record::Place;
use crate::repair::descent::Within;

/// A list or mapping that is still open.
pub enum Open<'t, 's> {
    /// A list.
    List(List<'t, 's>),
    /// A mapping.
    Map(Map<'t, 's>),
}

/// An open list.
pub struct List<'t, 's> {
    /// The column of its dashes, from 0.
    pub indent: usize,
    /// What its items are, if the contract says so.
    pub item: Option<&'s Shape>,
    place: Place,
    items: Vec<Node<'t>>,
    /// A dash whose value has not come yet, and the place behind it.
    waiting: Option<Place>,
}

/// An open mapping.
pub struct Map<'t, 's> {
    /// The column of its keys, from 0.
    pub indent: usize,
    /// What the contract says of it.
    pub shape: Option<&'s MapShape>,
    /// What stands under keys that the contract does not know, if that is known.
    others: Option<&'s Shape>,
    place: Place,
    entries: Vec<Entry<'t>>,
    seen: HashSet<Cow<'t, str>>,
    twice: HashSet<Cow<'t, str>>,
    /// A key whose value has not come yet, with its place and the one behind its colon.
    waiting: Option<(Cow<'t, str>, Place, Place)>,
}

impl Map<'_, '_> {
    /// The key of the contract that is meant by `name`, if it stands in this mapping's shape; the
    /// flag asks for its exact spelling.
    pub fn known<'a>(&'a self, name: &str, exact: bool) -> Option<&'a str> {
        known(self.shape?, name, exact)
    }

    /// Whether `key` has come already.
    pub fn has(&self, key: &str) -> bool {
        self.seen.contains(key)
    }
}

/// The key of `shape` that is meant by `name`.
pub fn known<'s>(shape: &'s MapShape, name: &str, exact: bool) -> Option<&'s str> {
    let fields = || shape.fields.iter().map(|(key, _)| key.as_str());
    let same = fields().find(|key| *key == name);
    if exact || same.is_some() {
        return same;
    }
    fields().find(|key| super::line::folded(key).eq(super::line::folded(name)))
}

/// The open lists and mappings.
#[derive(Default)]
pub struct Tree<'t, 's> {
    /// Innermost last.
    pub open: Vec<Open<'t, 's>>,
    root: Option<Node<'t>>,
    /// Nodes that were built.
    pub nodes: usize,
}

impl<'t, 's> Tree<'t, 's> {
    /// Whether a key or a dash waits for its value.
    pub fn waits(&self) -> bool {
        match self.open.last() {
            Some(Open::List(list)) => list.waiting.is_some(),
            Some(Open::Map(map)) => map.waiting.is_some(),
            None => false,
        }
    }

    /// The key whose value is waited for.
    pub fn waiting_key(&self) -> Option<&str> {
        match self.open.last()? {
            Open::List(_) => None,
            Open::Map(map) => map.waiting.as_ref().map(|(key, ..)| &**key),
        }
    }

    /// What the contract says of the value that is waited for.
    pub fn awaited(&self) -> Option<&'s Shape> {
        match self.open.last()? {
            Open::List(list) => list.item,
            Open::Map(map) => {
                let (key, ..) = map.waiting.as_ref()?;
                map.shape?.field(key).or(map.others)
            }
        }
    }

    /// What the contract says of the entry of a list that is waited for, which may be a text.
    pub fn awaited_entry(&self) -> Option<&'s Shape> {
        match self.open.last()? {
            Open::List(list) => list.item,
            Open::Map(map) => {
                let (key, ..) = map.waiting.as_ref()?;
                map.others.filter(|_| map.shape.is_none_or(|shape| shape.field(key).is_none()))
            }
        }
    }

    /// The column of the innermost keys or dashes.
    pub fn indent(&self) -> Option<usize> {
        self.open.last().map(|open| match open {
            Open::List(list) => list.indent,
            Open::Map(map) => map.indent,
        })
    }

    /// Opens a list.
    pub fn list(&mut self, indent: usize, item: Option<&'s Shape>, place: Place) {
        let list = List { indent, item, place, items: Vec::new(), waiting: None };
        self.open.push(Open::List(list));
    }

    /// Opens a mapping.
    pub fn map(&mut self, indent: usize, within: Within<'s>, place: Place) {
        self.open.push(Open::Map(Map {
            indent,
            shape: within.map,
            others: within.others,
            place,
            entries: Vec::new(),
            seen: HashSet::new(),
            twice: HashSet::new(),
            waiting: None,
        }));
    }

    /// Takes the dash of an item of the innermost list; `behind` is the place behind it.
    pub fn dash(&mut self, behind: Place) {
        self.settle();
        if let Some(Open::List(list)) = self.open.last_mut() {
            list.waiting = Some(behind);
        }
    }

    /// Takes a key of the innermost mapping; false if it stood there before.
    pub fn key(&mut self, key: Cow<'t, str>, place: Place, behind: Place) -> bool {
        self.settle();
        let Some(Open::Map(map)) = self.open.last_mut() else { return true };
        let is_first = map.seen.insert(key.clone());
        if !is_first {
            map.twice.insert(key.clone());
        }
        map.waiting = Some((key, place, behind));
        is_first
    }

    /// Gives what is waited for; at the start of a text, the whole.
    pub fn value(&mut self, node: Node<'t>) {
        self.nodes += 1;
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(list)) => {
                list.waiting = None;
                list.items.push(node);
            }
            Some(Open::Map(map)) => {
                if let Some((key, place, _)) = map.waiting.take() {
                    map.entries.push(Entry { key, place, node });
                }
            }
        }
    }

    /// Drops the key or the dash whose value was cut off.
    pub fn drop_waiting(&mut self) {
        match self.open.last_mut() {
            Some(Open::List(list)) => list.waiting = None,
            Some(Open::Map(map)) => map.waiting = None,
            None => {}
        }
    }

    /// Gives nothing to what still waits.
    pub fn settle(&mut self) {
        let place = match self.open.last() {
            Some(
                Open::List(List { waiting: Some(behind), .. })
                | Open::Map(Map { waiting: Some((_, _, behind)), .. }),
            ) => *behind,
            _ => return,
        };
        let nothing = Scalar::of_plain(Cow::Borrowed(""), Kind::Null);
        self.value(Node { place, value: Value::Scalar(nothing) });
    }

    /// Closes what stands within the first `depth`.
    pub fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.settle();
            let node = match self.open.pop() {
                Some(Open::List(list)) => {
                    Node { place: list.place, value: Value::List(list.items) }
                }
                Some(Open::Map(mut map)) => {
                    map.entries.retain(|entry| !map.twice.contains(&entry.key));
                    Node { place: map.place, value: Value::Map(map.entries) }
                }
                None => return,
            };
            self.value(node);
        }
    }

    /// Drops the finding that is still open, if one is.
    pub fn drop_cut_item(&mut self) {
        for depth in (0..self.open.len()).rev() {
            let Open::List(list) = &self.open[depth] else { continue };
            let is_finding = list.item.is_some_and(|item| item.map().is_some());
            if is_finding {
                self.close_to(depth + 1);
                if let Some(Open::List(list)) = self.open.last_mut() {
                    list.items.pop();
                }
                return;
            }
        }
    }

    /// Closes everything and gives the whole.
    pub fn finish(mut self) -> Option<Node<'t>> {
        self.close_to(0);
        self.root
    }
}
