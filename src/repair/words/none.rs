//! None: whether a text says that a list is empty.
//!
//! Takes the whole text of a value. Whoever says `none` and goes on (`none critical`, `none beyond
//! those above`, `no critical findings`) speaks of some, and a count of some is no empty list; nor
//! is `null`, or a text with nothing in it. English only: an empty list speaks for the work.

use super::decoration::Symbol;
use super::{letters, strip};

/// What is counted in the lists of reviews.
const THINGS: &[&str] = &["finding", "issue", "problem", "concern", "suggestion", "defect"];

/// Whether `text` says that there is nothing to list.
pub fn says_none(text: &str) -> bool {
    if text.len() > 80 {
        return false;
    }
    let core =
        strip(text, &|symbol| matches!(symbol, Symbol::Cheer | Symbol::Green | Symbol::Plain));
    let core = core.strip_prefix('(').and_then(|core| core.strip_suffix(')')).unwrap_or(core);
    let core = letters(core);
    if matches!(
        core.as_str(),
        "none"
            | "n/a"
            | "not applicable"
            | "nothing"
            | "nothing found"
            | "nothing to report"
            | "none found"
            | "none identified"
            | "none reported"
            | "none at all"
            | "empty list"
    ) {
        return true;
    }
    let Some((count, thing)) = core.split_once(' ') else { return false };
    let thing = ["found", "identified", "detected", "reported", "to report"]
        .iter()
        .find_map(|end| thing.strip_suffix(end))
        .map_or(thing, str::trim_end);
    let singular = thing.strip_suffix('s').unwrap_or(thing);
    matches!(count, "no" | "zero" | "0") && THINGS.contains(&singular)
}
