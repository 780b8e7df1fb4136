//! The block between two delimiter lines.
//!
//! Takes a hit in a delimiter's name with the hits behind it, gives the block that its line opens,
//! or closes where no line opens it. The last opening line wins, and a right delimiter line before
//! a misspelt one: where lines are spelt right, nothing is mended.

use std::ops::Range;

use super::delimited::delimiter;
use super::locator::{Locator, Step, Until, View, own_text};
use super::needles::{self, Hit, Needle};
use super::spelling::{self, misspelt};
use super::{Form, Kind, Spot, enclosing, frames, repairs};
use crate::contract::{CONTRACTS, Contract, Outline};
use crate::record::Carrier;
use crate::repair;
use crate::transcript::raw::{End, end_of_value};

/// A delimiter line, right or misspelt.
pub(super) struct Line {
    pub(super) span: Range<u64>,
    prefix: Vec<u8>,
    closes: bool,
    is_comment: bool,
    pub(super) repairs: Mended,
}

/// What was mended, each with the byte that it is about.
type Mended = Vec<(&'static repair::Kind, u64)>;

/// Looks at a delimiter line of `contract`: `line`, in which the first of `hits` stands.
pub(super) fn step(
    locator: &mut Locator<'_>,
    view: View<'_>,
    hits: &[Hit],
    line: &Range<u64>,
    contract: &'static dyn Contract,
) -> Step {
    let opener = match read(locator, view, line, contract, None) {
        Ok(Some(opener)) => opener,
        Ok(None) => {
            // A mention in prose; or escaped text of a JSON document within this text.
            let own = view.get(line.clone());
            let quoted = own.trim_ascii_start().starts_with(b"\"");
            return if quoted { locator.around(view, hits[0].at, line) } else { Step::Nothing };
        }
        Err(until) => return Step::Wait(until),
    };
    if !locator.choice.admits(contract) {
        return Step::Nothing;
    }
    if opener.closes {
        return closed_only(locator, view, opener, contract);
    }
    let limit = line.start + locator.limits.block as u64;
    let partner = match partner(locator, view, hits, &opener, limit, contract) {
        Ok(partner) => partner,
        Err(until) => return Step::Wait(until),
    };
    // A needle that starts before the limit may end behind it.
    let settled = limit + needles::longest() as u64;
    if partner.is_none() && !view.ends && view.end() < settled {
        return Step::Wait(Until::Needle);
    }
    let end = partner.as_ref().map_or(view.end().min(limit), |other| other.span.start);
    let closer = partner
        .filter(|partner| partner.closes)
        .or_else(|| nearly(locator, view, line.end..end, &opener, contract));
    match closer {
        Some(closer) => whole(locator, view, opener, closer, contract),
        None => cut(locator, view, opener, end, contract),
    }
}

/// Reads `line` as a delimiter line of the contract. `open` is the line that opens the block which is
/// open there: within one, a misspelt line counts only where no text of the block can stand.
fn read(
    locator: &Locator<'_>,
    view: View<'_>,
    line: &Range<u64>,
    contract: &dyn Contract,
    open: Option<&Line>,
) -> Result<Option<Line>, Until> {
    let name = contract.delimiter().unwrap_or_default();
    let own = own_text(view.get(line.clone()));
    if let Some(right) = delimiter(own, name) {
        let (prefix, closes) = (right.prefix.to_vec(), right.closes);
        let span = line.clone();
        return Ok(Some(Line { span, prefix, closes, is_comment: false, repairs: Vec::new() }));
    }
    let spelling = if locator.choice.strict { None } else { misspelt(own, name) };
    let Some(spelling) = spelling else { return Ok(None) };
    let may_stand = open.is_none_or(|open| {
        (open.is_comment || !spelling.is_comment)
            && !spelling.is_among_words
            && spelling::is_level(own, &open.prefix)
    });
    // What resembles an opening line may be a heading; what is under it tells.
    let is_meant = may_stand
        && match spelling.body {
            Some(start) => {
                frames::starts_behind(view, line, start as u64, spelling.prefix, contract)?
            }
            None if spelling.closes => true,
            None => frames::review_starts(view, line.end, spelling.prefix, contract)?,
        };
    let at = line.start + spelling.prefix.len() as u64;
    let end = spelling.body.map_or(line.end, |start| line.start + start as u64);
    Ok(is_meant.then(|| Line {
        span: line.start..end,
        prefix: spelling.prefix.to_vec(),
        closes: spelling.closes,
        is_comment: spelling.is_comment,
        repairs: spelling.repairs.iter().map(|kind| (*kind, at)).collect(),
    }))
}

/// The next delimiter line behind `opener`.
fn partner(
    locator: &Locator<'_>,
    view: View<'_>,
    hits: &[Hit],
    opener: &Line,
    limit: u64,
    contract: &dyn Contract,
) -> Result<Option<Line>, Until> {
    let mut seen = opener.span.end;
    for hit in &hits[1..] {
        let same = matches!(hit.needle, Needle::Delimiter(other) if other.id() == contract.id());
        if !same || hit.at < seen {
            continue;
        }
        if hit.at >= limit {
            break;
        }
        let line = view.line(hit.at, locator.near()).map_err(|_| Until::LineEnd)?;
        seen = line.end;
        if let Some(line) = read(locator, view, &line, contract, Some(opener))? {
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// The line that closes a block which no delimiter line closes.
fn nearly(
    locator: &Locator<'_>,
    view: View<'_>,
    body: Range<u64>,
    opener: &Line,
    contract: &dyn Contract,
) -> Option<Line> {
    if locator.choice.strict {
        return None;
    }
    let name = contract.delimiter().unwrap_or_default();
    let span = frames::near_closer(view, body, &opener.prefix, name)?;
    let repairs = vec![(&repairs::CLOSER_NEARLY, span.start)];
    Some(Line { span, prefix: Vec::new(), closes: true, is_comment: false, repairs })
}

/// The block between two lines.
fn whole(
    locator: &mut Locator<'_>,
    view: View<'_>,
    opener: Line,
    closer: Line,
    contract: &'static dyn Contract,
) -> Step {
    let start = opener.span.start;
    let before = locator.before(start);
    locator.fence_around = locator.line_above(view, start).map(|open| (closer.span.end, open));
    let mut repairs = opener.repairs;
    let mut body = opener.span.end..closer.span.start;
    let half = frames::half_fence(view, &body, &opener.prefix);
    if let Some(fence) = half.filter(|_| !locator.choice.strict) {
        body.end = fence.start;
        repairs.push((&repairs::HALF_FENCE, fence.start));
    }
    repairs.extend(closer.repairs);
    Step::Found(Spot {
        kind: Kind::Block(contract, Carrier::Delimited),
        span: start..closer.span.end,
        body,
        prefix: opener.prefix,
        form: Form::Plain,
        closed: true,
        thinking: false,
        before,
        repairs,
    })
}

/// The block that no line closes before `end`, if a review stands under its opening line.
fn cut(
    locator: &mut Locator<'_>,
    view: View<'_>,
    opener: Line,
    end: u64,
    contract: &'static dyn Contract,
) -> Step {
    let start = opener.span.end;
    let text = view.get(start..end);
    let blank = (text.len() - text.trim_ascii_start().len()) as u64;
    let own = &text[blank as usize..];
    let body_end = if own.starts_with(b"{") {
        object_end(view, start + blank, end)
    } else if own.starts_with("｛".as_bytes()) {
        // Where it broke off nobody can tell by its braces.
        end
    } else {
        enclosing::mapping_end(view, start..end, &opener.prefix).0
    };
    let body = start..body_end;
    let text = String::from_utf8_lossy(view.get(body.clone()));
    if Outline::of(&text).count(contract.opening_keys()) == 0 {
        locator.strays.openers += 1;
        return Step::Nothing;
    }
    let before = locator.before(opener.span.start);
    Step::Found(Spot {
        kind: Kind::Block(contract, Carrier::Delimited),
        span: opener.span.start..body.end,
        body,
        prefix: opener.prefix,
        form: Form::Plain,
        closed: false,
        thinking: false,
        before,
        repairs: opener.repairs,
    })
}

/// Where the object that starts at `start` ends, or must have ended, before `end`.
fn object_end(view: View<'_>, start: u64, end: u64) -> u64 {
    let text = view.get(start..end);
    match end_of_value(text, 0) {
        End::At(length) => start + length as u64,
        _ => enclosing::extent(view, start, end).unwrap_or(end).min(end),
    }
}

/// The block that `closer` closes and no line opens.
fn closed_only(
    locator: &mut Locator<'_>,
    view: View<'_>,
    closer: Line,
    contract: &'static dyn Contract,
) -> Step {
    let above = if locator.choice.strict { None } else { above(locator, view, &closer, contract) };
    locator.closed = closer.span.end;
    let Some((start, body, mut repairs)) = above else {
        locator.strays.closers += 1;
        return Step::Nothing;
    };
    let before = locator.before(start);
    repairs.extend(closer.repairs);
    Step::Found(Spot {
        kind: Kind::Block(contract, Carrier::Delimited),
        span: start..closer.span.end,
        body,
        prefix: closer.prefix,
        form: Form::Plain,
        closed: true,
        thinking: false,
        before,
        repairs,
    })
}

/// The review right above a closing line: where it starts, its body, and what was mended.
fn above(
    locator: &Locator<'_>,
    view: View<'_>,
    closer: &Line,
    contract: &dyn Contract,
) -> Option<(u64, Range<u64>, Mended)> {
    let end = closer.span.start;
    let decided = locator.decided.max(locator.closed);
    let reach = decided.max(end.saturating_sub(locator.near())).max(view.base);
    let is_start = match reach.checked_sub(1).filter(|_| reach > view.base) {
        Some(before) => view.get(before..reach) == b"\n",
        None => view.opens_line,
    };
    // From the first line on that starts there.
    let from = if is_start {
        reach
    } else {
        reach + memchr::memchr(b'\n', view.get(reach..end))? as u64 + 1
    };
    let (body, named) = frames::body_above(view, from..end, &closer.prefix, contract)?;
    let Some(named) = named else {
        return Some((body.start, body.clone(), vec![(&repairs::OPENER_MISSING, body.start)]));
    };
    // What names the delimiter and is no opening line quotes the block.
    let opener = read(locator, view, &named, contract, None).ok()?.filter(|line| !line.closes)?;
    Some((named.start, body, opener.repairs))
}

/// The line of the contract's that closes a block, if it is the last in `body`.
pub(super) fn last_closer(
    locator: &Locator<'_>,
    view: View<'_>,
    body: &Range<u64>,
    contract: &dyn Contract,
) -> Option<Line> {
    let text = view.get(body.clone()).trim_ascii_end();
    let start = body.start + memchr::memrchr(b'\n', text)? as u64 + 1;
    closer_at(locator, view, start..body.end, contract)
}

/// Whether the next line behind `at` that is not blank closes a block. Asks that the text is there
/// as a whole, so not of a log.
pub(super) fn is_followed_by_closer(locator: &Locator<'_>, view: View<'_>, at: u64) -> bool {
    /// Bytes in which that line is looked for.
    const NEAR: u64 = 256;
    if locator.log {
        return false;
    }
    let next = view.get(at..at + NEAR);
    let blank = next.len() - next.trim_ascii_start().len();
    let Some(line) = memchr::memrchr(b'\n', &next[..blank]) else { return false };
    let start = at + line as u64 + 1;
    let mut admitted = CONTRACTS.iter().filter(|contract| locator.choice.admits(**contract));
    admitted.any(|contract| closer_at(locator, view, start..at + NEAR, *contract).is_some())
}

/// The first line of `range`, if it closes a block of the contract.
fn closer_at(
    locator: &Locator<'_>,
    view: View<'_>,
    range: Range<u64>,
    contract: &dyn Contract,
) -> Option<Line> {
    contract.delimiter().filter(|_| !locator.choice.strict)?;
    let line = view.line_at(range.start).ok()?;
    let line = line.start..line.end.min(range.end);
    read(locator, view, &line, contract, None).ok()?.filter(|line| line.closes)
}
