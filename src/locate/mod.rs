//! Location: where in a message a review stands.
//!
//! Takes a message's text (or a log, piece by piece) with the hits of the needles in it, and gives
//! [`Spot`]s in order: blocks, and frames of a log within the text. Never parses a block, never
//! looks back beyond what was decided, and decides by the text alone, never by how it arrived.

use std::borrow::Cow;
use std::ops::Range;

use crate::contract::{CONTRACTS, Claim, Contract, Outline, Rule};
use crate::record::{Basis, Carrier, Channel, Level, Place, Repair};
use crate::repair;

mod between;
pub mod call;
mod delimited;
mod element;
mod enclosing;
mod excerpts;
mod fenced;
mod frames;
mod leaked;
mod locator;
pub mod needles;
mod record;
mod repairs;
mod shell;
mod spelling;
mod tags;

pub use enclosing::mapping_reaches;
pub use locator::{Locator, Until, View, Wait};
pub use repairs::REPAIRS;

/// What is looked for.
#[derive(Clone, Default)]
pub struct Choice {
    /// The contracts that were named; none named means all.
    pub contracts: Vec<&'static dyn Contract>,
    /// Whatever has a key of the one contract named is taken for one of its blocks.
    pub any_key: bool,
    /// Nothing is mended: what is misspelt is no delimiter, what is broken stays broken.
    pub strict: bool,
}

impl Choice {
    /// Blocks of this contract, by any of its keys.
    pub fn only(contract: &'static dyn Contract) -> Self {
        Self { contracts: vec![contract], any_key: true, strict: false }
    }

    /// Whether this contract is looked for.
    pub fn admits(&self, contract: &dyn Contract) -> bool {
        self.contracts.is_empty() || self.names(contract)
    }

    /// Whether this contract was named.
    pub fn names(&self, contract: &dyn Contract) -> bool {
        self.contracts.iter().any(|named| named.id() == contract.id())
    }

    /// The contract that claims a mapping with this outline, on this channel. A weak claim counts
    /// where an agent speaks, or where the contract was named.
    pub fn claim(
        &self,
        outline: &Outline<'_>,
        channel: Channel,
    ) -> Option<(&'static dyn Contract, Claim)> {
        if self.any_key {
            let contract = *self.contracts.first()?;
            let keys = outline.count(contract.opening_keys());
            return (keys > 0).then_some((contract, Claim::Sure));
        }
        let best = CONTRACTS
            .iter()
            .filter(|contract| self.admits(**contract))
            .map(|contract| (*contract, contract.identify(outline)))
            .rev()
            .max_by_key(|(_, claim)| *claim)?;
        match best {
            (_, Claim::None) => None,
            (contract, Claim::Weak) if !(speaks(channel) || self.names(contract)) => None,
            best => Some(best),
        }
    }
}

/// Whether an agent's own word stands on this channel.
pub fn speaks(channel: Channel) -> bool {
    matches!(
        channel,
        Channel::Assistant | Channel::AgentResult | Channel::Event | Channel::ToolInput
    )
}

/// What stands at a spot.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A block of a contract, in its carrier.
    Block(&'static dyn Contract, Carrier),
    /// A JSON value that is no review: a frame of a log.
    Frame,
}

/// How a block is written in its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Plain,
    /// As a JSON string.
    Escaped,
    /// As the elements of a tool call, one for each key.
    Parameters,
}

/// Something found in a text; all ranges are bytes of the text, counted from its very start.
#[derive(Clone)]
pub struct Spot {
    /// What it is.
    pub kind: Kind,
    /// The whole of it, with delimiters or fence.
    pub span: Range<u64>,
    /// The body, as it stands.
    pub body: Range<u64>,
    /// What stands before each of the body's lines.
    pub prefix: Vec<u8>,
    /// How the block is written in the body.
    pub form: Form,
    /// Whether its end was found.
    pub closed: bool,
    /// Whether it stands within a passage of reasoning.
    pub thinking: bool,
    /// The text before it, from the end of the block before, as far as it is looked at.
    pub before: Range<u64>,
    /// What was mended to find it, each with the byte of the text that it is about.
    pub repairs: Vec<(&'static repair::Kind, u64)>,
}

/// What is left over in a text, by number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Strays {
    /// Opening lines with nothing of a review under them.
    pub openers: u64,
    /// Closing lines without an opening one.
    pub closers: u64,
}

/// A block cut out of its text: what is parsed.
pub struct Block<'t> {
    /// The body without what stood before its lines.
    pub text: Cow<'t, str>,
    /// Where the body's first character stands, counted in the text.
    start: Place,
    /// Characters that were stripped from each line; empty where none were.
    stripped: Vec<u64>,
    /// How many lines below the first each line stands; empty where they follow one another.
    below: Vec<u64>,
    /// What was mended to find it; places count in the text around.
    pub repairs: Vec<Repair>,
}

impl<'t> Block<'t> {
    /// Cuts `body` out of a text in which it starts at `start`, without `prefix` before its lines
    /// and without a fence right within it.
    pub fn cut(body: &'t [u8], start: Place, prefix: &[u8]) -> Self {
        let (body, start) = without_fence(body, start, prefix);
        if prefix.is_empty() {
            return Self::whole(String::from_utf8_lossy(body), start);
        }
        let mut text = Vec::with_capacity(body.len());
        let mut stripped = Vec::new();
        let most = most_stripped(body, start, prefix);
        for line in body.split_inclusive(|byte| *byte == b'\n') {
            let length = delimited::stripped(line, prefix).min(most);
            stripped.push(String::from_utf8_lossy(&line[..length]).chars().count() as u64);
            text.extend_from_slice(&line[length..]);
        }
        let text = String::from_utf8_lossy(&text).into_owned().into();
        Self { text, start, stripped, below: Vec::new(), repairs: Vec::new() }
    }

    /// A block whose text is its own: nothing was stripped.
    pub fn whole(text: Cow<'t, str>, start: Place) -> Self {
        Self { text, start, stripped: Vec::new(), below: Vec::new(), repairs: Vec::new() }
    }

    /// A block of lines that need not follow one another, each with the place where its own text
    /// starts.
    pub fn picked(text: String, places: &[Place]) -> Self {
        let start = Place { column: 1, ..places.first().copied().unwrap_or(Place::START) };
        let stripped = places.iter().map(|place| place.column - 1).collect();
        let below = places.iter().map(|place| place.line - start.line).collect();
        Self { text: text.into(), start, stripped, below, repairs: Vec::new() }
    }

    /// The block at `spot` in `text`, which holds the bytes from `base` on; `place` is that of the
    /// spot's first byte.
    pub fn of(spot: &Spot, text: &'t [u8], base: u64, place: Place) -> Self {
        let index = |offset: u64| (offset - base) as usize;
        let at = |offset: u64| place.after(&text[index(spot.span.start)..index(offset)]);
        let body = &text[index(spot.body.start)..index(spot.body.end)];
        let start = at(spot.body.start);
        let block = match (spot.form, spot.kind) {
            (Form::Parameters, Kind::Block(contract, _)) => {
                leaked::block(contract, body, start, spot.closed)
            }
            (Form::Escaped, _) => leaked::unescaped(&String::from_utf8_lossy(body), start),
            _ => Self::cut(body, start, &spot.prefix),
        };
        let repairs = spot.repairs.iter().map(|(kind, offset)| kind.at(at(*offset))).collect();
        Self { repairs, ..block }
    }

    /// The same block in a text in which it starts at `start`.
    #[must_use]
    pub fn moved_to(self, start: Place) -> Self {
        Self { start, ..self }
    }

    /// The place in the text around of a place in the block.
    pub fn outer(&self, place: Place) -> Place {
        let index = place.line - 1;
        let stripped = usize::try_from(index).ok().and_then(|index| self.stripped.get(index));
        let first = if index == 0 { self.start.column - 1 } else { 0 };
        let below = usize::try_from(index).ok().and_then(|index| self.below.get(index)).copied();
        // What is after the last line stands right below it.
        let after = self
            .below
            .last()
            .map(|last| last + (index + 1).saturating_sub(self.below.len() as u64));
        Place {
            line: self.start.line + below.or(after).unwrap_or(index),
            column: place.column + stripped.copied().unwrap_or_default() + first,
        }
    }

    /// Without the last line, if the text breaks off within it: it may say something else.
    pub fn drop_cut_line(&mut self) {
        let end = self.text.rfind('\n').map_or(0, |end| end + 1);
        match &mut self.text {
            Cow::Borrowed(text) => *text = &text[..end],
            Cow::Owned(text) => text.truncate(end),
        }
    }
}

/// How much of a line may be stripped: where the first line is indented less than the one that opens
/// the block, the indentation of the others is their own.
fn most_stripped(body: &[u8], start: Place, prefix: &[u8]) -> usize {
    let whole = (start.column == 1).then_some(body);
    let below = || memchr::memchr(b'\n', body).map(|end| &body[end + 1..]);
    let mut lines = whole.or_else(below).unwrap_or_default().split(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    first
        .filter(|_| delimited::is_indentation(prefix))
        .map_or(usize::MAX, |line| delimited::stripped(line, prefix))
}

/// The body without a code fence that stands right within it, and where the rest starts.
fn without_fence<'t>(body: &'t [u8], start: Place, prefix: &[u8]) -> (&'t [u8], Place) {
    let own = |line: &'t [u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        &line[delimited::stripped(line, prefix)..]
    };
    let is_blank = |line: &[u8]| own_is_blank(line, prefix);
    let mut lines = body.split_inclusive(|byte| *byte == b'\n').peekable();
    let mut from = 0;
    let mut line_number = start.line;
    while let Some(line) = lines.next_if(|line| is_blank(line)) {
        from += line.len();
        line_number += 1;
    }
    let Some(fence) = lines.next().and_then(|line| {
        from += line.len();
        line_number += 1;
        fenced::fence(own(line))
    }) else {
        return (body, start);
    };
    let mut to = body.len();
    for line in body[from..].split_inclusive(|byte| *byte == b'\n').rev() {
        if is_blank(line) {
            to -= line.len();
            continue;
        }
        if fence.is_closed_by(own(line)) {
            to -= line.len();
        } else {
            to = body.len();
        }
        break;
    }
    (&body[from..to.max(from)], Place { line: line_number, column: 1 })
}

fn own_is_blank(line: &[u8], prefix: &[u8]) -> bool {
    line[delimited::stripped(line, prefix)..].trim_ascii().is_empty()
}

/// The rules that a block can break by the way it stands in its message.
pub static RULES: &[&Rule] = &[&CLOSE_MISSING];

/// The end is missing.
pub static CLOSE_MISSING: Rule = Rule {
    code: "close-missing",
    level: Level::Error,
    basis: Basis::Syntax,
    meaning: "The block has an opening line (or brace, or fence) and no closing one: the answer was \
              cut, or the closing line forgotten. What stands there is kept, except a pass.",
    mend: "End the block with its closing line; if the answer was cut, ask for the block again.",
};
