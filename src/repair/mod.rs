//! Repair: what a block says although its writer broke the syntax or the shape.
//!
//! Takes the text of a block and its contract, gives the same [`Reading`] as `parse` does, with the
//! [`Repair`]s that it took. The strict reading comes first: a block that parses, fits and holds no
//! silent fault comes out as `parse` read it, without repairs. Then, guided by the contract's
//! [`Shape`](crate::contract::Shape), the text is read tolerantly ([`yaml`], [`json`]), and values in another shape are
//! brought into the contract's ([`values`]). Every repair has a [`Kind`] with a stable code, and a
//! line and column.
//!
//! What a repair must never do: improve the outcome. No pass out of an unknown, qualified, negated,
//! empty or cut text; no severity lowered; no score rounded or clamped; no empty list that the text
//! does not state. Where two readings are possible nothing is chosen: the reading has a fault that
//! names both ([`TWO_READINGS`](crate::parse::TWO_READINGS)). No step may cost more than linear time
//! in the block's size.

use crate::contract::{Contract, Rule, announced};
use crate::parse::{self, Caps, EXCERPT, Fault, JSON, Reading, YAML};
use crate::record::{Place, Repair};

pub mod characters;
mod descent;
pub mod json;
mod remark;
pub mod values;
pub mod words;
pub mod yaml;

/// A kind of repair.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its stable code.
    pub code: &'static str,
    /// What is wrong, and what is read instead.
    pub meaning: &'static str,
    /// A line or two that need it.
    pub before: &'static str,
    /// The same as they are read.
    pub after: &'static str,
}

impl Kind {
    /// The repair of this kind at a place.
    pub const fn at(&self, place: Place) -> Repair {
        Repair { code: self.code, line: place.line, column: place.column }
    }
}

/// Every kind of repair, in the order in which they are tried.
pub static REPAIRS: &[&[&Kind]] =
    &[crate::locate::REPAIRS, characters::REPAIRS, yaml::REPAIRS, json::REPAIRS, values::REPAIRS];

/// Every kind of repair.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    REPAIRS.iter().flat_map(|kinds| kinds.iter().copied())
}

/// Reads `text`, a block of `contract`, as it stands.
pub fn strict<'t>(contract: &dyn Contract, text: &'t str, caps: Caps) -> Reading<'t> {
    if contract.is_json() && parse::is_json(text) {
        parse::json::parse(text, caps)
    } else {
        parse::parse(text, caps)
    }
}

/// Reads `text`, a block of `contract`: strictly, and mended where that does not do. `closed` tells
/// whether the block has its end.
pub fn read<'t>(contract: &dyn Contract, text: &'t str, closed: bool, caps: Caps) -> Reading<'t> {
    let strict = strict(contract, text, caps);
    let shape = contract.schema().shape();
    if let Some(object) = announced(text) {
        let message = "words stand before the object, and what they say of it is not known";
        return behind_words(contract, text, object, closed, caps, (&JSON, message));
    }
    if !contract.is_json()
        && !strict.faults.is_empty()
        && let Some(mapping) = yaml::announced(text, shape)
    {
        let message =
            "words stand before the first key, and what they say of the review is not known";
        return behind_words(contract, text, mapping, closed, caps, (&YAML, message));
    }
    // Comments and characters that nobody sees may stand before an object.
    let is_json = parse::is_json(text) || (!strict.faults.is_empty() && json::opens(text));
    let mut reading = if is_json {
        json::mend(text, shape, strict, closed, caps)
    } else {
        yaml::mend(text, shape, strict, closed, caps)
    };
    values::mend(&mut reading, shape, caps);
    reading
}

/// Reads the `end` of a text, and names the words before it as a fault: they may qualify it, as in
/// `If the build were green: {"pass": true, …}`.
fn behind_words<'t>(
    contract: &dyn Contract,
    text: &'t str,
    end: &'t str,
    closed: bool,
    caps: Caps,
    (rule, message): (&'static Rule, &str),
) -> Reading<'t> {
    let words = &text[..text.len() - end.len()];
    let start = Place::START.after(words.as_bytes());
    let mut reading = read(contract, end, closed, caps).moved(&|place| place.from(start));
    let found = words.trim().chars().take(EXCERPT).collect();
    let message = message.to_owned();
    let fault = Fault { rule, place: Place::START, message, found: Some(found) };
    reading.faults.insert(0, fault);
    reading
}
