//! The check of a block against its contract: shape, rules, and the status that follows.
//!
//! Takes what the parser made of a block, gives the review with its violations and its status. A
//! block that is broken or cut is not held to its shape, which it cannot show any more: it keeps
//! what was read with certainty, except a pass.

use super::{Contract, Setting, VIOLATIONS, cut, template};
use crate::locate::Block;
use crate::parse::{Fault, Reading};
use crate::record::{Level, Place, Repair, Review, Status, Verdict, Violation};
use crate::transcript::Stop;

/// A review with its status.
pub struct Checked {
    /// The review.
    pub review: Review,
    /// What is to be said about it.
    pub status: Status,
}

/// Checks `reading`, which is what came out of `block`, against `contract`.
pub fn check(
    contract: &dyn Contract,
    block: &Block<'_>,
    reading: &Reading<'_>,
    closed: bool,
    setting: &Setting<'_>,
) -> Checked {
    let mut review = Review::default();
    let whole = closed && reading.faults.is_empty();
    let mut cut_node = if closed { None } else { reading.node.clone() };
    if !closed {
        let shape = contract.schema().shape();
        // Where the writer stopped by itself, nothing broke off.
        let breaks_off = setting.stop != Some(Stop::Ended);
        let last = cut_node.as_mut().filter(|_| breaks_off);
        let broken = last.and_then(|node| cut::drop_broken(node, shape));
        review.violations.push(cut::violation(block, setting, broken.as_deref()));
    }
    review.violations.extend(reading.faults.iter().map(violation));
    let faults = review.violations.len();
    if let Some(node) = cut_node.as_ref().or(reading.node.as_ref()) {
        if whole {
            contract.schema().note(node, &mut review);
        }
        contract.read(node, setting, &mut review);
    }
    let is_template = template::is_template(contract, block, reading, &review, setting);
    if !whole {
        review.violations.truncate(faults);
        review.verdict_expected = None;
        review.verdict = review.verdict.filter(|verdict| *verdict != Verdict::Pass);
    }
    for violation in &mut review.violations {
        if let (Some(line), Some(column)) = (violation.line, violation.column) {
            let place = block.outer(Place { line, column });
            (violation.line, violation.column) = (Some(place.line), Some(place.column));
        }
    }
    review.repairs = repairs(block, reading);
    let breaks = |level| review.violations.iter().any(|violation| violation.level == level);
    let status = match () {
        () if is_template => Status::Template,
        () if !closed => Status::Incomplete,
        () if !reading.faults.is_empty() => Status::Malformed,
        () if breaks(Level::Error) => Status::Invalid,
        () if breaks(Level::Conflict) => Status::Inconsistent,
        () => Status::Valid,
    };
    review.number_findings(contract.id());
    Checked { review, status }
}

/// What was mended to find and to read the block, in the order of the text.
fn repairs(block: &Block<'_>, reading: &Reading<'_>) -> Vec<Repair> {
    let within = reading.repairs.iter().map(|repair| {
        let place = block.outer(Place { line: repair.line, column: repair.column });
        Repair { line: place.line, column: place.column, ..*repair }
    });
    let mut repairs: Vec<_> = block.repairs.iter().copied().chain(within).collect();
    repairs.sort_unstable_by_key(|repair| (repair.line, repair.column, repair.code));
    repairs.dedup();
    repairs.truncate(VIOLATIONS);
    repairs
}

fn violation(fault: &Fault) -> Violation {
    Violation {
        code: fault.rule.code,
        level: fault.rule.level,
        basis: fault.rule.basis,
        pointer: String::new(),
        line: Some(fault.place.line),
        column: Some(fault.place.column),
        message: fault.message.clone(),
        found: fault.found.clone(),
    }
}
