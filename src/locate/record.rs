//! Records in a log: the line of a hit, if that is a record of a transcript and no review.
//!
//! Takes a hit's line with the text around it, gives the [`Spot`] of a frame. A record is one line,
//! unless somebody wrote line feeds into its strings as they are: then it reaches over several, and
//! the line of the hit may be any of them. Never parses a record.

use std::ops::Range;

use super::locator::{Locator, Until, View};
use super::{Form, Kind, Spot};
use crate::contract::Outline;
use crate::transcript::raw::{self, End, Raw};
use crate::transcript::{self, shape};

/// The record on `line`, the line of a hit.
pub fn at(
    locator: &mut Locator<'_>,
    view: View<'_>,
    line: &Range<u64>,
) -> Result<Option<Spot>, Until> {
    let bytes = view.get(line.clone());
    let start = shape::skip_padding(bytes);
    let bytes = bytes[start..].trim_ascii_end();
    let opens = bytes.starts_with(b"{") || bytes.starts_with(b"[{") || bytes.starts_with(b"[[");
    if !opens {
        return if locator.log { around(locator, view, line.start) } else { Ok(None) };
    }
    // What is indented may be a line of a review's text.
    let is_indented = view.get(line.start..line.start + start as u64).contains(&b' ');
    let value = Raw::at(bytes, 0, 0);
    // A review that stands on one line is a block; it may stand in a fence.
    let claimed = || {
        let text = String::from_utf8_lossy(value.bytes);
        locator.choice.claim(&Outline::of(&text), locator.channel).is_some()
    };
    let is_known = transcript::known(&value).is_some();
    let end = raw::end_of_value(bytes, 0);
    let is_record = is_known
        || !is_indented
            && match end {
                End::At(_) => !claimed(),
                End::Cut | End::Broken(_) => bytes.starts_with(b"{\"") && !claimed(),
                // Cut behind a part of it, if it does not go on in the next line.
                End::Torn => {
                    let next = view.get(line.end..line.end + 1);
                    if locator.log && next.is_empty() && !view.ends {
                        return Err(Until::More);
                    }
                    let is_cut = matches!(next.first(), None | Some(b'{'));
                    locator.log && is_cut && bytes.starts_with(b"{\"") && !claimed()
                }
            };
    if !is_record {
        return Ok(None);
    }
    let mut span = line.clone();
    if locator.log
        && end == End::Cut
        && let Some(end) = end_over_lines(locator, view, line.start + start as u64)?
    {
        span.end = end;
    }
    Ok(Some(frame(span)))
}

/// The record that starts on a line above `line` and reaches over it.
fn around(locator: &mut Locator<'_>, view: View<'_>, line: u64) -> Result<Option<Spot>, Until> {
    let from = locator.above.max(locator.decided).max(line.saturating_sub(locator.near()));
    let above = view.get(from..line);
    let at_start = (from == 0 || from == locator.decided) && above.starts_with(b"{\"");
    let start = memchr::memmem::rfind(above, b"\n{\"").map(|at| from + at as u64 + 1);
    if let Some(start) = start.or(at_start.then_some(from))
        && let Some(end) = end_over_lines(locator, view, start)?
        && end > line
    {
        return Ok(Some(frame(start..end)));
    }
    locator.above = line;
    Ok(None)
}

/// The end of the line on which the record ends that starts at `start`, if it ends there and line
/// feeds stand in its strings.
fn end_over_lines(locator: &Locator<'_>, view: View<'_>, start: u64) -> Result<Option<u64>, Until> {
    let limit = start + locator.limits.block as u64;
    let is_all = view.ends || view.end() >= limit;
    match raw::end_of_value(view.get(start..view.end().min(limit)), 0) {
        End::At(length) => match view.line_at(start + length as u64) {
            Ok(line) => Ok(Some(line.end)),
            Err(_) => Err(Until::LineEnd),
        },
        End::Cut if !is_all => Err(Until::Byte(b'"')),
        End::Torn if !is_all => Err(Until::Byte(b'}')),
        End::Cut | End::Torn | End::Broken(_) => Ok(None),
    }
}

fn frame(span: Range<u64>) -> Spot {
    Spot {
        kind: Kind::Frame,
        body: span.clone(),
        prefix: Vec::new(),
        form: Form::Plain,
        closed: true,
        thinking: false,
        before: span.start..span.start,
        span,
        repairs: Vec::new(),
    }
}
