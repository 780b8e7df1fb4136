//! Repairs of YAML.
//!
//! Takes a block's text, its contract's shape and the strict reading, gives the reading that counts.
//! A block is read tolerantly where the strict reading has faults, or where it is right and
//! something in it is suspicious: a number sign behind a blank, an unusual character, a key that
//! the contract does not know. The tolerant reader goes over the lines once; it knows the
//! contract's keys and hands ordinary values to the strict parser. What it reads without a repair is
//! what the strict parser reads.

mod kinds;
mod line;
mod reader;
mod scalar;
mod seat;
mod suspect;
mod tree;
mod value;

pub use kinds::REPAIRS;

use crate::contract::Shape;
use crate::parse::{CAP, Caps, DOCUMENTS, DUPLICATE_KEY, EMPTY, Reading, YAML};

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
    if are_two
        || has_gap
        || mended.repairs.is_empty() && mended.faults.is_empty()
        || mended.node.is_none()
    {
        return strict;
    }
    mended
}

#[cfg(test)]
mod tests;
