//! Repairs of JSON.
//!
//! Takes the text of a block that is broken JSON, gives the tree with the repairs that it took, and
//! faults where nothing can be said for certain. Reads the text once, from left to right, guided by
//! the keys and types of the contract; what decides whether a quote ends a text is a bounded piece
//! of what follows. Never runs on what the strict reading accepts.

mod bare;
mod comment;
mod kinds;
mod reader;
mod tail;
mod text;
mod unescape;

use super::Kind;
use crate::contract::{Shape, behind_comments};
use crate::parse::{CAP, Caps, DUPLICATE_KEY, Reading};

/// The kinds of repair of JSON.
pub static REPAIRS: &[&Kind] = kinds::ALL;

/// Whether `text` starts as an object or a list, behind comments and characters that nobody sees.
pub fn opens(text: &str) -> bool {
    behind_comments(text).starts_with(['{', '[', '｛', '［'])
}

/// Reads `text` tolerantly, if the strict reading is broken in a way that can be mended.
pub fn mend<'t>(
    text: &'t str,
    shape: &Shape,
    strict: Reading<'t>,
    closed: bool,
    caps: Caps,
) -> Reading<'t> {
    let mendable = |code| code != CAP.code && code != DUPLICATE_KEY.code;
    if !strict.faults.iter().any(|fault| mendable(fault.rule.code)) {
        return strict;
    }
    let reading = match unescape::once(text) {
        Some(unescaped) => unescaped.read(shape, closed, caps),
        None => reader::read(text, shape, closed, caps),
    };
    // What cannot be mended stays as the strict reading says it.
    if reading.repairs.is_empty() && reading.faults.iter().all(|fault| mendable(fault.rule.code)) {
        let names_two = |code| code == crate::parse::TWO_READINGS.code;
        if !reading.faults.iter().any(|fault| names_two(fault.rule.code)) {
            return strict;
        }
    }
    reading
}

#[cfg(test)]
mod tests;
