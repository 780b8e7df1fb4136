//! Seats: where in the tree a dash or a key belongs.
//!
//! Takes a column and a key, gives the open list or mapping that they belong to, or that they open.
//! Changes nothing.

use super::line::{Blanks, Key, Line};
use super::reader::Reader;
use super::tree::{Map, Open, known};
use super::value::{Class, Style};
use crate::contract::Shape;
use crate::repair::values::is_part;

/// Where a dash or a key belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The number of the open list or mapping, from the outermost; their number, where a new one
    /// opens.
    pub depth: usize,
    /// The contract's key that is meant, if it is one.
    pub name: Option<String>,
    /// It stands where YAML wants it.
    pub fits: bool,
}

impl Reader<'_, '_> {
    /// Whether the value of the innermost key or dash is still to come.
    fn waits(&self) -> bool {
        self.tree.waits() && self.scalar.is_none()
    }

    /// The seat of a dash at `column` with `key` behind it; `is_inner` where it follows another dash,
    /// `is_alone` where nothing follows it.
    pub fn item(
        &self,
        column: usize,
        key: Option<&Key<'_>>,
        is_inner: bool,
        is_alone: bool,
    ) -> Option<Seat> {
        let depth = self.tree.open.len();
        let here = |depth: usize, fits: bool| Some(Seat { depth, name: None, fits });
        if is_inner {
            return here(depth, true);
        }
        if self.tree.open.is_empty() {
            return self.scalar.is_none().then_some(Seat { depth: 0, name: None, fits: true });
        }
        if self.waits() {
            let fits = match self.tree.open.last()? {
                Open::List(list) => column > list.indent,
                Open::Map(map) => column >= map.indent,
            };
            if fits {
                return here(depth, true);
            }
        }
        let lists = || {
            self.tree.open.iter().enumerate().rev().filter_map(|(depth, open)| match open {
                Open::List(list) => Some((depth, list)),
                Open::Map(_) => None,
            })
        };
        if let Some((depth, _)) = lists().find(|(_, list)| list.indent == column) {
            return here(depth, true);
        }
        if self.waits() && matches!(self.tree.awaited(), Some(Shape::List(_))) {
            return here(depth, false);
        }
        // A dash alone on its line is no text, where none goes on at its column.
        let in_text = self
            .scalar
            .as_ref()
            .is_some_and(|open| open.parent.is_none_or(|parent| column > parent));
        let nearest = lists()
            .filter(|(_, list)| {
                let shape = list.item.and_then(Shape::map);
                shape.is_some_and(|shape| match key {
                    Some(key) => known(shape, key.name, !key.decorated).is_some(),
                    None => is_alone && !in_text,
                })
            })
            .min_by_key(|(_, list)| list.indent.abs_diff(column));
        nearest.and_then(|(depth, _)| here(depth, false))
    }

    /// Whether an item may stand here that starts with `key` behind a mark that is no dash: one of a
    /// list that is waited for, or of the innermost one that is open.
    pub fn asks_for_item(&self, key: Option<&Key<'_>>, is_glued: bool) -> bool {
        let innermost = || {
            self.tree.open.iter().rev().find_map(|open| match open {
                Open::List(list) => list.item,
                Open::Map(_) => None,
            })
        };
        let item = match self.tree.awaited() {
            Some(Shape::List(item)) if self.waits() => Some(&**item),
            _ => innermost(),
        };
        match item {
            Some(Shape::Map(map)) => key.is_some_and(|key| known(map, key.name, true).is_some()),
            Some(Shape::Text) => !is_glued,
            _ => false,
        }
    }

    /// The seat of a key at `column`; `is_inner` where it follows a dash.
    pub fn entry(&self, column: usize, key: &Key<'_>, is_inner: bool) -> Option<Seat> {
        let depth = self.tree.open.len();
        if is_inner || self.tree.open.is_empty() {
            let shape =
                if self.tree.open.is_empty() { Some(self.shape) } else { self.tree.awaited() };
            // Among the pairs of a review no text stands.
            let is_pair = is_inner
                && shape.is_some_and(|shape| std::ptr::eq(shape, self.shape))
                && key.spaced
                && !key.wide
                && !key.decorated;
            let pair = || is_pair.then_some(Seat { depth, name: None, fits: true });
            return Self::opens(depth, shape, key).or_else(pair);
        }
        if self.waits() {
            let (indent, outer) = match self.tree.open.last()? {
                Open::List(list) => (list.indent, None),
                Open::Map(map) => (map.indent, Some(map)),
            };
            let awaited = self.tree.awaited();
            if column > indent {
                if self.names_location(column) {
                    return Some(Seat { depth, name: None, fits: true });
                }
                // A single value is asked for: this is a key of the mapping around, or its text.
                return match (Class::of(awaited), outer) {
                    (Class::Text | Class::Word, Some(map)) => Self::new_in(map, depth - 1, key),
                    _ => Self::opens(depth, awaited, key),
                };
            }
            // A mapping that is not indented.
            let is_own = |map| known(map, key.name, true).is_some();
            let outer_has = outer.is_some_and(|map| map.known(key.name, true).is_some());
            if awaited.and_then(Shape::map).is_some_and(is_own) && !outer_has {
                return Some(Seat { fits: false, ..Self::opens(depth, awaited, key)? });
            }
        }
        let maps = || {
            self.tree.open.iter().enumerate().rev().filter_map(|(depth, open)| match open {
                Open::Map(map) => Some((depth, map)),
                Open::List(_) => None,
            })
        };
        let exact = maps().find(|(_, map)| map.indent == column);
        let Some((depth, map)) = exact else {
            let mut fitting: Vec<_> =
                maps().filter(|(_, map)| map.known(key.name, true).is_some()).collect();
            if fitting.iter().any(|(_, map)| !map.has(key.name)) {
                fitting.retain(|(_, map)| !map.has(key.name));
            }
            let nearest = fitting.iter().min_by_key(|(_, map)| map.indent.abs_diff(column))?;
            let spaced = (key.spaced || key.wide) && !key.equals;
            let name = Some(key.name.to_owned());
            return spaced.then_some(Seat { depth: nearest.0, name, fits: false });
        };
        if let Some(name) = map.known(key.name, false) {
            return Some(Seat { depth, name: Some(name.to_owned()), fits: true });
        }
        // A key of the innermost mapping that has lost its indentation.
        let inner = maps().take_while(|(inner, _)| *inner > depth);
        let lost = { inner }.find_map(|(depth, map)| Self::new_in(map, depth, key));
        if lost.is_some() {
            return lost;
        }
        let in_loose_text = self.scalar.as_ref().is_some_and(|open| match &open.style {
            Style::Block { indent, .. } => indent.is_none() || open.irregular,
            _ => false,
        });
        let is_entry = key.is_word() && !in_loose_text;
        // An unknown key with blanks goes on with the text above, if there is one.
        let stands_alone =
            self.scalar.is_none() && key.spaced && !key.wide && !key.decorated && !key.equals;
        (is_entry || stands_alone).then_some(Seat { depth, name: None, fits: true })
    }

    /// Whether the lines from here on, as far as they are indented so, are the parts of a location.
    fn names_location(&self, column: usize) -> bool {
        let Some(awaits) = self.tree.waiting_key() else { return false };
        let mut lines =
            self.lines[self.at..].iter().map(|line| (line, Blanks::at(line.text, 0, 0)));
        let is_part = |line: &Line<'_>, blanks: Blanks| {
            let key = Key::at(line.text, blanks.end).filter(Key::is_word);
            blanks.column == column && key.is_some_and(|key| is_part(awaits, key.name))
        };
        let first = lines.next().is_some_and(|(line, blanks)| is_part(line, blanks));
        first && { lines }
            .take_while(|(line, blanks)| !line.is_blank() && blanks.column >= column)
            .all(|(line, blanks)| is_part(line, blanks))
    }

    /// The seat of a key that a mapping does not have yet, where it stands in a wrong column.
    fn new_in(map: &Map<'_, '_>, depth: usize, key: &Key<'_>) -> Option<Seat> {
        let name =
            map.known(key.name, true).filter(|name| !map.has(name) && key.spaced && !key.equals)?;
        Some(Seat { depth, name: Some(name.to_owned()), fits: false })
    }

    /// The seat of a key that opens a mapping where `shape` is asked for.
    fn opens(depth: usize, shape: Option<&Shape>, key: &Key<'_>) -> Option<Seat> {
        let map = match shape {
            Some(Shape::List(item)) => item.map(),
            shape => shape.and_then(Shape::map),
        };
        let name = map.and_then(|map| known(map, key.name, false)).map(str::to_owned);
        let is_text = Class::of(shape) == Class::Text;
        let is_key = name.is_some() || (key.is_word() && !is_text);
        is_key.then_some(Seat { depth, name, fits: true })
    }

    /// Whether a line within quotes is an entry of the contract, where one must stand.
    pub fn is_entry(&self, line: Line<'_>) -> bool {
        let blanks = Blanks::at(line.text, 0, 0);
        let Some(mut key) = Key::at(line.text, blanks.end) else { return false };
        let mut column = blanks.column;
        if let Some(own) = line.text[blanks.end..].strip_prefix("- ") {
            let at = line.text.len() - own.len();
            let Some(inner) = Key::at(line.text, at) else { return false };
            (key, column) = (inner, column + 2);
        }
        self.tree.open.iter().any(|open| match open {
            Open::Map(map) => {
                map.indent == column && key.is_word() && map.known(key.name, true).is_some()
            }
            Open::List(_) => false,
        })
    }
}
