//! The flow, from a frame to its records.
//!
//! Takes what a scan finds, gives records. This is the one place where the stages stand together:
//! transcript and location (in the scan), parsing, repair, contract, record. What comes before is `input`
//! and `drive`, what comes after are `settle` and `emit`.

use std::collections::{BTreeMap, HashSet};

use crate::contract;
use crate::locate::{Block, Strays};
use crate::parse::Caps;
use crate::record::{Excerpt, Place, Record, Repair, Review, Status, Violation};
use crate::repair;
use crate::scan::{Event, Found, LeftOut, Scope, Ties};
use crate::settle::Outcome;
use crate::transcript::frame::Damage;

/// What is to be done.
#[derive(Clone, Default)]
pub struct Options {
    /// What is looked for, where, within which caps.
    pub scope: Scope,
    /// Templates are records too.
    pub templates: bool,
    /// Records carry their block's text.
    pub raw: bool,
    /// Records carry the lines that their violations and repairs are about.
    pub excerpts: bool,
    /// The name of the one input, in place of its own.
    pub input_name: Option<String>,
}

/// What came of one or more frames.
#[derive(Debug, Default)]
pub struct Harvest {
    /// Records, and what others need to know, in order.
    pub outcomes: Vec<Outcome>,
    /// Messages that were looked into.
    pub messages: u64,
    /// Templates, which are no reviews.
    pub templates: u64,
    /// Delimiter lines without a block.
    pub strays: u64,
    /// What may hold a review and is not read for one, by number.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Faults of frames: how many, and the first one's byte.
    pub damage: BTreeMap<Damage, (u64, u64)>,
}

/// The flow: what a scan finds becomes records.
pub fn flow(options: &Options, scan: impl FnOnce(&mut dyn FnMut(Event<'_>))) -> Harvest {
    let mut harvest = Harvest::default();
    // transcript → locate
    scan(&mut |event| match event {
        Event::Found(found) => {
            let ties = found.ties.clone();
            let record = record(options, *found);
            harvest.keep(options, record, ties);
        }
        other => harvest.note(other),
    });
    harvest.mark_last();
    harvest
}

/// A block becomes a record.
fn record(options: &Options, found: Found<'_>) -> Record {
    let Found { contract, carrier, block, closed, cut, setting, source, .. } = found;
    let mut block = match block {
        Ok(block) => block,
        Err(review) => {
            return Record::new(contract.id(), carrier, Status::MissingBlock, *review, source);
        }
    };
    if cut && !closed && !repair::json::opens(&block.text) {
        block.drop_cut_line();
    }
    let limits = &options.scope.limits;
    let caps = Caps { nesting: limits.nesting, nodes: limits.nodes };
    // parse, repair
    let reading = if options.scope.choice.strict {
        repair::strict(contract, &block.text, caps)
    } else {
        repair::read(contract, &block.text, closed, caps)
    };
    // contract
    let checked = contract::check(contract, &block, &reading, closed, &setting);
    // record
    let mut record = Record::new(contract.id(), carrier, checked.status, checked.review, source);
    if options.excerpts {
        record.excerpts = excerpts(&block, &record.review, limits.excerpts);
    }
    record.raw = options.raw.then(|| block.text.into_owned());
    record
}

/// The lines that the foremost violations and the first repairs of a review are about.
fn excerpts(block: &Block<'_>, review: &Review, count: usize) -> Vec<Option<Excerpt>> {
    let mut places = vec![None; review.violations.len()];
    for number in review.foremost(count) {
        let Violation { line, column, .. } = review.violations[number];
        places[number] = line.zip(column).map(|(line, column)| Place { line, column });
    }
    let of_repair = |repair: &Repair| Place { line: repair.line, column: repair.column };
    places.extend(review.repairs.iter().take(count).map(of_repair).map(Some));
    block.excerpts(&places)
}

impl Harvest {
    fn keep(&mut self, options: &Options, record: Record, ties: Ties) {
        if record.status == Status::Template {
            self.templates += 1;
            if !options.templates {
                return;
            }
        }
        self.outcomes.push(Outcome::Record(Box::new(record), ties));
    }

    fn note(&mut self, event: Event<'_>) {
        match event {
            Event::Found(_) => {}
            Event::News(news) => self.outcomes.push(Outcome::News(news)),
            Event::LeftOut(what) => *self.left_out.entry(what).or_default() += 1,
            Event::Damage(damage, offset) => {
                self.damage.entry(damage).or_insert((0, offset)).0 += 1;
            }
            Event::Message(strays) => {
                self.messages += 1;
                self.stray(strays);
            }
        }
    }

    /// Counts delimiter lines without a block.
    pub fn stray(&mut self, strays: Strays) {
        self.strays += strays.openers + strays.closers;
    }

    /// Marks the last block of each reviewer in a message that has an end.
    fn mark_last(&mut self) {
        let mut later = HashSet::new();
        for outcome in self.outcomes.iter_mut().rev() {
            let Outcome::Record(record, ties) = outcome else { continue };
            let reviewer = record.review.reviewer.clone();
            if record.source.last.is_some() {
                record.source.last = Some(later.insert((ties.message, record.contract, reviewer)));
            }
        }
    }
}
