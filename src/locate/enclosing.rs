//! The fence, object or mapping that stands around a hit.
//!
//! Goes forward over lines from where nothing is decided (in a log from the look-back on, so that
//! the answer is the same however the log arrives) to the first of them that holds the hit. Every
//! line is visited once, whatever the number of hits: what was searched in vain is remembered.

use std::ops::Range;

use super::fenced::{Fence, fence};
use super::locator::{Locator, Until, View, own_text};
use super::{Block, Form, Kind, Spot, between, delimited, repairs};
use crate::contract::{CONTRACTS, Claim, Outline, yaml_key};
use crate::record::{Carrier, Place};
use crate::transcript::raw::{End, end_of_value};

/// What stands around a hit.
pub(super) enum Enclosing {
    /// A block, or a frame.
    Found(Spot),
    /// Nothing; and nothing that starts before this byte holds a later hit either.
    None(u64),
    /// More text is needed.
    Wait(Until),
}

/// Something that spans lines.
struct Construct {
    span: Range<u64>,
    body: Range<u64>,
    prefix: Vec<u8>,
    carrier: Carrier,
    closed: bool,
    /// A fence that says that code stands in it.
    is_code: bool,
}

impl Construct {
    /// What stands as it is, with nothing around it.
    fn bare(span: Range<u64>, prefix: &[u8], closed: bool) -> Self {
        Self {
            body: span.clone(),
            span,
            prefix: prefix.to_vec(),
            carrier: Carrier::Bare,
            closed,
            is_code: false,
        }
    }
}

/// Finds what stands around the hit at `at`, on `line`.
pub(super) fn find(locator: &Locator<'_>, view: View<'_>, at: u64, line: &Range<u64>) -> Enclosing {
    let mut position = locator.decided.max(locator.searched);
    if locator.log {
        let reach = at.saturating_sub(locator.limits.look_back as u64);
        if reach > position {
            // From the first line on that starts there.
            let newline = memchr::memchr(b'\n', view.get(reach - 1..at));
            position = newline.map_or(line.start, |length| reach + length as u64);
        }
    }
    while position <= at {
        // The hit's own line is known; it may be long, and hold many objects.
        let here = if line.contains(&position) {
            position..line.end
        } else {
            let Ok(here) = view.line_at(position) else {
                return Enclosing::Wait(Until::Byte(b'\n'));
            };
            here
        };
        match construct(locator, view, &here) {
            Ok(Some(construct)) if construct.span.contains(&at) => {
                return match claim(locator, view, construct) {
                    Ok(spot) => Enclosing::Found(spot),
                    Err(end) => Enclosing::None(end),
                };
            }
            Ok(Some(construct)) => position = construct.span.end.max(here.end),
            Ok(None) => position = here.end,
            Err(until) => return Enclosing::Wait(until),
        }
    }
    match within_line(locator, view, at, line) {
        Some(spot) => Enclosing::Found(spot),
        None => Enclosing::None(position),
    }
}

/// The spot of a construct if a contract claims it; else where it ends.
fn claim(locator: &Locator<'_>, view: View<'_>, construct: Construct) -> Result<Spot, u64> {
    let Construct { span, mut body, prefix, mut carrier, closed, is_code } = construct;
    if is_code {
        return Err(span.end);
    }
    let block = Block::cut(view.get(body.clone()), Place::START, &prefix);
    // A fence may hold a list with the review in it.
    let inner = block.text.trim_start().strip_prefix('[').map(str::trim_start);
    let inner = inner.filter(|it| carrier == Carrier::Fenced && it.starts_with('{'));
    let outline = Outline::of(inner.unwrap_or(&block.text));
    let claimed = locator.choice.claim(&outline, locator.channel).filter(|(contract, claim)| {
        // Common keys in the middle of prose are no review, unless they were asked for.
        let alone = view.get(view.base..span.start).trim_ascii().is_empty()
            && view.get(span.end..view.end()).trim_ascii().is_empty();
        *claim == Claim::Sure
            || carrier == Carrier::Fenced
            || (!locator.log && alone)
            || locator.choice.names(*contract)
    });
    let mut mended = Vec::new();
    if let Some((contract, _)) = claimed
        && let Some(closer) = between::last_closer(locator, view, &body, contract)
    {
        // A closing line within the fence, and no opening one: the block is what is above it.
        mended.push((&repairs::OPENER_MISSING, body.start));
        mended.extend(closer.repairs);
        (body.end, carrier) = (closer.span.start, Carrier::Delimited);
    }
    let kind = match claimed {
        Some((contract, _)) => Kind::Block(contract, carrier),
        // What a closing line follows is looked at with it.
        None if between::is_followed_by_closer(locator, view, span.end) => return Err(span.end),
        None if carrier == Carrier::Bare && closed && starts_json(&block.text) => Kind::Frame,
        None => return Err(span.end),
    };
    let before = span.start..span.start;
    let form = Form::Plain;
    Ok(Spot { kind, span, body, prefix, form, closed, thinking: false, before, repairs: mended })
}

fn starts_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// What starts on the line `here`, if anything does.
fn construct(
    locator: &Locator<'_>,
    view: View<'_>,
    here: &Range<u64>,
) -> Result<Option<Construct>, Until> {
    let own = own_text(view.get(here.clone()));
    if locator.closes_fence_around(here.start, own) {
        return Ok(None);
    }
    if let Some(open) = fence(own) {
        return fenced(locator, view, here, open).map(Some);
    }
    let length = delimited::prefix(own).map_or(0, |(_, prefix)| prefix.len());
    let (prefix, own) = own.split_at(length);
    if matches!(own.first(), Some(b'{' | b'[')) {
        return object(locator, view, here.start + length as u64);
    }
    let key = key_of(own);
    let opens = key.is_some_and(|key| {
        let admitted = CONTRACTS.iter().filter(|contract| locator.choice.admits(**contract));
        admitted.into_iter().any(|contract| contract.opening_keys().contains(&key))
    });
    if opens { mapping(locator, view, here, prefix).map(Some) } else { Ok(None) }
}

/// The key that a line starts with. Only its start is looked at: the line may be long.
fn key_of(own: &[u8]) -> Option<&str> {
    let head = &own[..own.len().min(LINE_START as usize)];
    match std::str::from_utf8(head) {
        Ok(head) => yaml_key(head),
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).ok().and_then(yaml_key),
    }
}

/// The fence that `open` on the line `here` starts.
fn fenced(
    locator: &Locator<'_>,
    view: View<'_>,
    here: &Range<u64>,
    open: Fence<'_>,
) -> Result<Construct, Until> {
    let limit = here.start + locator.limits.block as u64;
    let (mut start, mut open, mut position) = (here.clone(), open, here.end);
    let whole =
        |start: &Range<u64>, open: Fence<'_>, body_end: u64, end: u64, closed: bool| Construct {
            span: start.start..end,
            body: start.end..body_end,
            prefix: open.prefix.to_vec(),
            carrier: Carrier::Fenced,
            closed,
            is_code: !open.holds_data(),
        };
    let mut at_first = true;
    while position < view.end() && position < limit {
        let Ok(line) = view.line_at(position) else {
            if view.end() < limit + LINE_START {
                return Err(Until::Byte(b'\n'));
            }
            // A line without end: it closes nothing.
            position = limit;
            break;
        };
        let own = own_text(view.get(line.clone()));
        if open.is_closed_by(own) {
            return Ok(whole(&start, open, line.start, line.end, true));
        }
        // A fence that says what stands in it opens one: the one before it was a closing line.
        if let Some(next) = fence(own).filter(|next| open.info.is_empty() && !next.info.is_empty())
        {
            (start, open, at_first) = (line.clone(), next, true);
            position = line.end;
            continue;
        }
        position = line.end;
        let stripped = own[delimited::stripped(own, open.prefix)..].trim_ascii_start();
        if at_first && !stripped.is_empty() {
            at_first = false;
            // An object ends with its last brace, whatever lines stand in its texts.
            if stripped.starts_with(b"{") && open.prefix.is_empty() {
                let object = line.start + (own.len() - stripped.len()) as u64;
                let text = view.get(object..view.end().min(limit));
                match end_of_value(text, 0) {
                    End::At(length) => {
                        let last = object + length as u64 - 1;
                        let line = view.line(last, u64::MAX).map_err(|_| Until::Byte(b'\n'))?;
                        position = line.end;
                    }
                    // Its end may lie behind lines that look like the end of the fence.
                    End::Torn | End::Cut if !view.ends && view.end() < limit => {
                        return Err(Until::Byte(b'\n'));
                    }
                    _ => {}
                }
            }
        }
    }
    if view.ends || position >= limit {
        let end = position.min(limit).min(view.end());
        return Ok(whole(&start, open, end, end, false));
    }
    Err(Until::Byte(open.marks[0]))
}

/// The object or array that starts at `start`.
fn object(locator: &Locator<'_>, view: View<'_>, start: u64) -> Result<Option<Construct>, Until> {
    let limit = start + locator.limits.block as u64;
    let whole =
        |length: usize, closed: bool| Construct::bare(start..start + length as u64, b"", closed);
    let arrived = view.get(start..limit.min(view.end()));
    let end = end_of_value(arrived, 0);
    // What stands behind the value's end has no say in where it must have ended before.
    let reach = if let End::At(length) = end { start + length as u64 } else { limit };
    let extent = extent(view, start, reach);
    let text = match (end, extent) {
        (End::At(length), Some(extent)) if extent >= reach => return Ok(Some(whole(length, true))),
        (_, Some(extent)) if view.ends || extent <= view.end() => view.get(start..extent),
        _ => return Err(Until::Byte(b'\n')),
    };
    let end = end_of_value(text, 0);
    if matches!(end, End::Broken(_)) && !text.starts_with(b"{") {
        return Ok(None);
    }
    let text = without_words(text.trim_ascii_end());
    // A quote too many or too few: broken, but not cut.
    let closed = !matches!(end, End::Torn) && text.ends_with(b"}");
    Ok(Some(whole(text.len(), closed)))
}

/// A broken object without the words that stand behind its last brace on the same line.
fn without_words(text: &[u8]) -> &[u8] {
    let Some(end) = memchr::memrchr(b'}', text).map(|at| at + 1) else { return text };
    let rest = text[end..].trim_ascii_start();
    let is_part = |byte: &u8| b"\"'`{[]:,\n".contains(byte);
    if rest.iter().any(is_part) { text } else { &text[..end] }
}

/// The bytes of the object that starts at `start` of a text that is there as a whole, and whether its
/// end was found.
pub(super) fn object_at(
    locator: &Locator<'_>,
    view: View<'_>,
    start: u64,
) -> Option<(Range<u64>, bool)> {
    let construct = object(locator, view, start).ok()??;
    Some((construct.span, construct.closed))
}

/// How much of a line tells what it is.
const LINE_START: u64 = 256;

/// Where an object that starts at `start` must have ended: before a delimiter line or a fence, or
/// behind a blank line or one that may be its last, where something else than a part of an object
/// starts. `None` where the text that tells has not arrived.
pub(super) fn extent(view: View<'_>, start: u64, limit: u64) -> Option<u64> {
    // The line that it starts on ends beyond the limit, mostly: nothing else is looked at then.
    let first = view.get(start..limit);
    let mut position = match memchr::memchr(b'\n', first) {
        Some(length) => start + length as u64 + 1,
        None if view.ends || view.end() >= limit => limit,
        None => return None,
    };
    let mut may_end = view.get(start..position).trim_ascii_end().ends_with(b"}");
    while position < limit && (position < view.end() || !view.ends) {
        let line = view.line_at(position);
        let head = view.get(position..position + LINE_START);
        if line.is_err() && head.len() < LINE_START as usize {
            return None;
        }
        let own = own_text(&head[..memchr::memchr(b'\n', head).unwrap_or(head.len())]);
        let body = own.trim_ascii();
        let goes_on = own.starts_with(b" ")
            || own.starts_with(b"\t")
            || matches!(body.first(), None | Some(b'"' | b'}' | b']'));
        if (may_end && !goes_on) || body.starts_with(b"---") || body.starts_with(b"```") {
            return Some(position);
        }
        may_end = body.is_empty() || own.trim_ascii_end() == b"}";
        position = line.map_or(limit, |line| line.end);
    }
    Some(position.min(limit))
}

/// The mapping in block style whose first line is `here`.
fn mapping(
    locator: &Locator<'_>,
    view: View<'_>,
    here: &Range<u64>,
    prefix: &[u8],
) -> Result<Construct, Until> {
    let limit = here.start + locator.limits.block as u64;
    let range = here.start..view.end().min(limit);
    let (end, stopped) = mapping_end(view, range, prefix);
    if !stopped && !view.ends && view.end() < limit {
        return Err(Until::Byte(b'\n'));
    }
    Ok(Construct::bare(here.start..end, prefix, true))
}

/// Whether all lines of `text` may be those of a mapping in block style.
pub fn mapping_reaches(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let text = text.strip_prefix(b"---").unwrap_or(text);
    let view = View::whole(text);
    mapping_end(view, 0..view.end(), b"").0 == view.end()
}

/// Where the lines that start at `range.start` stop being those of a mapping in block style, and
/// whether they do so before the end of the range.
pub(super) fn mapping_end(view: View<'_>, range: Range<u64>, prefix: &[u8]) -> (u64, bool) {
    let mut position = range.start;
    let mut end = range.start;
    while position < range.end {
        let line = match view.line_at(position) {
            Ok(line) if line.end <= range.end => line,
            // A line that the range cuts is none of them; one that has not all arrived may be.
            Ok(_) => return (end, true),
            Err(_) => return (end, view.end() > range.end),
        };
        let own = own_text(view.get(line.clone()));
        let own = &own[delimited::stripped(own, prefix)..];
        let blank = own.trim_ascii().is_empty();
        let goes_on = matches!(own.first(), None | Some(b' ' | b'\t' | b'#'))
            || own == b"-"
            || own.starts_with(b"- ")
            || (position == range.start && own.starts_with(b"```"))
            || key_of(own).is_some();
        if !goes_on {
            return (end, true);
        }
        position = line.end;
        if !blank {
            end = position;
        }
    }
    (end, false)
}

/// An object or array in the middle of the line that holds the hit.
fn within_line(locator: &Locator<'_>, view: View<'_>, at: u64, line: &Range<u64>) -> Option<Spot> {
    const TRIES: usize = 8;
    /// A try that breaks off sooner than this costs nothing.
    const CHEAP: usize = 256;
    let from = line.start.max(locator.decided);
    let bytes = view.get(from..line.end);
    let mut tries = 0;
    let mut at_byte = 0;
    while tries < TRIES {
        let start = at_byte + memchr::memchr2(b'{', b'[', bytes.get(at_byte..)?)?;
        at_byte = start + 1;
        match end_of_value(bytes, start) {
            End::At(end) => {
                let span = from + start as u64..from + end as u64;
                if span.contains(&at) {
                    return claim(locator, view, Construct::bare(span, b"", true)).ok();
                }
                at_byte = end;
            }
            End::Broken(place) if place - start < CHEAP => {}
            _ => tries += 1,
        }
    }
    None
}
