//! Repairs of YAML.
//!
//! Takes a block's text, its contract's shape and the strict reading, gives the reading that counts.
//! A block is read tolerantly where the strict reading has faults, or where it is right and
//! something in it is suspicious: a number sign behind a blank, an unusual character, a key that
//! the contract does not know. The tolerant reader goes over the lines once; it knows the
//! contract's keys and hands ordinary values to the strict parser. What it reads without a repair is
//! what the strict parser reads.

mod flow;
mod kinds;
mod line;
mod reader;
mod remark;
mod scalar;
mod seat;
mod suspect;
mod tree;
mod value;

pub use kinds::REPAIRS;

use std::collections::HashSet;

use self::line::{Blanks, Key, Line, is_language, is_mark};
use crate::contract::Shape;
use crate::parse::{CAP, Caps, DOCUMENTS, DUPLICATE_KEY, EMPTY, Node, Reading, Value, YAML};

/// Reads `text` tolerantly, if the strict reading is broken, or right and not what was written.
pub fn mend<'t>(
    text: &'t str,
    shape: &Shape,
    strict: Reading<'t>,
    closed: bool,
    caps: Caps,
) -> Reading<'t> {
    let is_hopeless = |rule| rule == &CAP || rule == &EMPTY;
    let is_broken = !strict.faults.is_empty();
    if strict.faults.iter().any(|fault| is_hopeless(fault.rule))
        || !(is_broken || suspect::is_suspect(text, shape, strict.node.as_ref()))
    {
        return strict;
    }
    let Some(mended) = reader::Reader::read(text, shape, closed, caps) else { return strict };
    // A reading with a gap is no better than the strict one, whose fault is named by the parser.
    let has_gap = mended.faults.iter().any(|fault| fault.rule == &YAML || is_hopeless(fault.rule));
    let has = |reading: &Reading<'_>, rule| reading.faults.iter().any(|fault| fault.rule == rule);
    let are_two = has(&strict, &DOCUMENTS) && has(&mended, &DUPLICATE_KEY);
    if are_two {
        return without_contradicted(strict, mended.node.as_ref(), shape);
    }
    if has_gap || mended.repairs.is_empty() && mended.faults.is_empty() || mended.node.is_none() {
        return strict;
    }
    mended
}

/// The part of `text` that starts with a key of the contract, where nothing but words stands before
/// it.
pub fn announced<'t>(text: &'t str, shape: &Shape) -> Option<&'t str> {
    let mut has_words = false;
    for line in Line::all(text) {
        let at = Blanks::at(line.text, 0, 0).end;
        let own = &line.text[at..];
        let key = Key::at(line.text, at);
        if let Some(key) = key.filter(|key| key.is_word() || is_known(shape, key)) {
            let is_first = at == 0 && has_words && is_known(shape, &key);
            return is_first.then(|| &text[line.start..]);
        }
        if own.starts_with(['-', '[', '{', '?']) && !is_mark(own) {
            return None;
        }
        let is_passed = own.is_empty() || own.starts_with(['#', '%']);
        has_words |= !(is_passed || is_mark(own) || is_language(own));
    }
    None
}

fn is_known(shape: &Shape, key: &Key<'_>) -> bool {
    shape.map().is_some_and(|map| tree::known(map, key.name, false).is_some())
}

/// The strict reading of the first of several documents. Where that is no whole review, a later one
/// goes on with it: of a key that both say neither counts, and the reading of the whole has left it
/// out.
fn without_contradicted<'t>(
    mut strict: Reading<'t>,
    whole: Option<&Node<'t>>,
    shape: &Shape,
) -> Reading<'t> {
    let Some((node, whole)) = strict.node.as_mut().zip(whole) else { return strict };
    let is_whole =
        shape.map().is_some_and(|map| map.required.iter().all(|key| node.get(key).is_some()));
    if let Value::Map(entries) = &mut node.value
        && !is_whole
    {
        let kept: HashSet<&str> = whole.entries().iter().map(|entry| &*entry.key).collect();
        entries.retain(|entry| kept.contains(&*entry.key));
    }
    strict
}

#[cfg(test)]
mod tests;
