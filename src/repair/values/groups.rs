//! Mappings that stand where a list of mappings is asked for.
//!
//! One entry of the list; entries under their numbers, ids or names; or entries grouped by one of
//! the words that each of them has (`{critical: […], low: […]}`). A name is kept as a text of its
//! entry, and a group's word is given to the entries that have none of their own. Where an entry
//! says another word than its group, or where there is no room for its name, nothing is done.

use super::keys;
use crate::contract::{MapShape, Shape};
use crate::parse::{Entry, Kind as Meaning, Node, Scalar, Value};
use crate::record::Place;
use crate::repair::words;

/// The key under which the name of an entry is kept.
const NAME: &str = "name";

/// The entries that a mapping at `place` holds; `None`, and the mapping as it was, if it is none of
/// these.
pub(super) fn items<'a>(
    entries: &mut Vec<Entry<'a>>,
    map: &MapShape,
    place: Place,
) -> Option<Vec<Node<'a>>> {
    if entries.iter().any(|entry| keys::knows(map, &entry.key)) {
        let value = Value::Map(std::mem::take(entries));
        return Some(vec![Node { place, value }]);
    }
    if entries.iter().all(|entry| is_numbered(entry, map)) {
        return Some(std::mem::take(entries).into_iter().map(|entry| entry.node).collect());
    }
    let has_room = !map.closed && map.field(NAME).is_none();
    if has_room && entries.iter().all(|entry| is_named(entry, map)) {
        return Some(std::mem::take(entries).into_iter().map(with_name).collect());
    }
    grouped(entries, map)
}

/// Whether an entry is one of a list, under its number or id: `1`, `F2`, `SEC-003`.
fn is_numbered(entry: &Entry<'_>, map: &MapShape) -> bool {
    let key = entry.key.trim();
    let name = key.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_id = name.len() < key.len()
        && key.len() <= 24
        && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | ' ' | '#'));
    let is_item = knows_any(&entry.node, map)
        || matches!(&entry.node.value, Value::Scalar(scalar) if scalar.kind == Meaning::Text);
    is_id && is_item
}

fn knows_any(node: &Node<'_>, map: &MapShape) -> bool {
    node.entries().iter().any(|inner| keys::knows(map, &inner.key))
}

/// Whether an entry has most of what one of the list must have.
fn is_named(entry: &Entry<'_>, map: &MapShape) -> bool {
    let known = entry.node.entries().iter().filter(|inner| keys::knows(map, &inner.key)).count();
    known >= map.required.len().div_ceil(2).max(2) && entry.node.get(NAME).is_none()
}

fn with_name(entry: Entry<'_>) -> Node<'_> {
    let Entry { key, place, mut node } = entry;
    if let Value::Map(entries) = &mut node.value {
        let name = Node { place, value: Value::Scalar(Scalar::of_text(key)) };
        entries.push(Entry { key: NAME.into(), place, node: name });
    }
    node
}

/// The entries of lists that stand under one of the words that each entry has. Empty groups say
/// that there is nothing only where every word has one.
fn grouped<'a>(entries: &mut Vec<Entry<'a>>, map: &MapShape) -> Option<Vec<Node<'a>>> {
    let (field, options) = map.fields.iter().find_map(|(name, shape)| match shape {
        Shape::Word(options) if map.required.contains(name) => Some((name, options)),
        _ => None,
    })?;
    let mut groups = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        let word = options.iter().find(|option| *option == &*entry.key);
        let word =
            word.map(String::as_str).or_else(|| Some(words::word(&entry.key, options)?.0))?;
        let Value::List(items) = &entry.node.value else { return None };
        let fits = |item: &Node<'_>| {
            let own = item.entries().iter().find(|inner| keys::is_same(field, &inner.key));
            let agrees = own.is_none_or(|own| {
                let text = own.node.text().unwrap_or_default();
                text == word || words::word(text, options).is_some_and(|(own, _)| own == word)
            });
            knows_any(item, map) && agrees
        };
        if groups.contains(&word) || !items.iter().all(fits) {
            return None;
        }
        groups.push(word);
    }
    let is_empty = entries.iter().all(|entry| entry.node.items().is_empty());
    if is_empty && groups.len() < options.len() {
        return None;
    }
    let mut found = Vec::new();
    for (entry, word) in std::mem::take(entries).into_iter().zip(groups) {
        let Value::List(items) = entry.node.value else { continue };
        for mut item in items {
            if let Value::Map(inner) = &mut item.value
                && !inner.iter().any(|inner| keys::is_same(field, &inner.key))
            {
                let mut scalar = Scalar::of_text(word.to_owned().into());
                scalar.written = (*word != *entry.key).then(|| entry.key.clone());
                let node = Node { place: entry.place, value: Value::Scalar(scalar) };
                inner.push(Entry { key: field.clone().into(), place: entry.place, node });
            }
            found.push(item);
        }
    }
    Some(found)
}
