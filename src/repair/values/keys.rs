//! Keys in another spelling.

use super::{Mender, kinds};
use crate::contract::MapShape;
use crate::parse::{DUPLICATE_KEY, Entry, Fault};
use crate::repair::characters;

/// No key of a contract, with its marks, is longer.
const LONGEST: usize = 80;

impl Mender {
    /// Gives the keys of a mapping the contract's spelling. Where a key stands in two spellings,
    /// neither counts.
    pub(super) fn keys(&mut self, entries: &mut Vec<Entry<'_>>, map: &MapShape) {
        let meant: Vec<Option<usize>> =
            entries.iter().map(|entry| meant(&entry.key, map)).collect();
        if meant.iter().all(Option::is_none) {
            return;
        }
        let mut counts = vec![0_usize; map.fields.len()];
        for (entry, meant) in entries.iter().zip(&meant) {
            let own = || map.fields.iter().position(|(name, _)| *name == entry.key);
            if let Some(count) = meant.or_else(own).and_then(|field| counts.get_mut(field)) {
                *count += 1;
            }
        }
        for (entry, meant) in entries.iter_mut().zip(meant) {
            let Some(field) = meant else { continue };
            let (Some((name, _)), Some(count)) = (map.fields.get(field), counts.get(field)) else {
                continue;
            };
            if *count > 1 {
                let message = format!("the key `{name}` stands here again, as `{}`", entry.key);
                let found = Some(entry.key.clone().into_owned());
                let place = entry.place;
                self.faults.push(Fault { rule: &DUPLICATE_KEY, place, message, found });
            } else {
                self.note(&kinds::KEY, entry.place);
            }
            entry.key = name.clone().into();
        }
        let is_one = |entry: &Entry<'_>| {
            let field = map.fields.iter().position(|(name, _)| *name == entry.key);
            field.and_then(|field| counts.get(field)).is_none_or(|count| *count < 2)
        };
        entries.retain(is_one);
    }
}

/// The field that a key means in another spelling; `None` if it is a field's own name, or no
/// field's or several fields' name.
fn meant(key: &str, map: &MapShape) -> Option<usize> {
    if key.len() > LONGEST || map.field(key).is_some() {
        return None;
    }
    let letters = folded(key)?;
    let is_meant = |name: &str| folded(name).is_some_and(|name| name == letters);
    let mut fields = map.fields.iter().enumerate().filter(|(_, (name, _))| is_meant(name));
    let (field, _) = fields.next()?;
    fields.next().is_none().then_some(field)
}

/// Whether a mapping of this shape knows a key, in whatever spelling.
pub(super) fn knows(map: &MapShape, key: &str) -> bool {
    map.field(key).is_some() || meant(key, map).is_some()
}

/// Whether `key` is `name`, in whatever spelling.
pub(super) fn is_same(name: &str, key: &str) -> bool {
    key == name
        || (key.len() <= LONGEST && folded(key).is_some_and(|key| Some(key) == folded(name)))
}

/// The letters and digits of a key, if there is nothing else but joints and marks.
fn folded(key: &str) -> Option<String> {
    let is_mark = |char: char| {
        char.is_whitespace()
            || characters::is_invisible(char)
            || matches!(char, '_' | '-' | '*' | '`' | '"' | '\'' | ':' | '：' | '“' | '”')
    };
    let is_key = key.chars().all(|char| char.is_alphanumeric() || is_mark(char));
    let letters: String =
        key.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    (is_key && !letters.is_empty()).then_some(letters)
}
