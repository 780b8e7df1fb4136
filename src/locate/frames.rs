//! What stands around a block whose delimiter lines are not both there and right.
//!
//! Takes the place of a delimiter line and the text around it, tells whether a review follows a
//! misspelt opening line, where a block ends that no right closing line ends, and where one starts
//! that no opening line starts. Each of its searches ends at the first line that is no part of a
//! block, so that no line is looked at for more than one of them.

use std::ops::Range;

use super::delimited::stripped;
use super::fenced::fence;
use super::locator::{Until, View, own_text};
use super::spelling;
use crate::contract::{Claim, Contract, Outline, yaml_key};
use crate::repair::characters;
use crate::transcript::raw::{End, end_of_value};

/// How much of a line tells what it is.
const LINE_START: u64 = 256;

/// Blank lines and fences that may stand between a misspelt opening line and the first key.
const LINES_BETWEEN: usize = 8;

/// Whether what starts at `start` starts a review of `contract`: with one of its keys, or with an
/// object.
pub(super) fn review_starts(
    view: View<'_>,
    start: u64,
    prefix: &[u8],
    contract: &dyn Contract,
) -> Result<bool, Until> {
    let mut position = start;
    for _ in 0..LINES_BETWEEN {
        let head = head_of(view, position)?;
        let own = &head[stripped(head, prefix)..];
        if own.trim_ascii().is_empty() || fence(own).is_some() {
            match view.line_at(position) {
                Ok(line) if line.end < view.end() || !view.ends => position = line.end,
                Ok(_) => return Ok(false),
                Err(_) => return Err(Until::LineEnd),
            }
            continue;
        }
        return Ok(own.trim_ascii_start().starts_with(b"{") || is_opening_key(own, contract));
    }
    Ok(false)
}

/// Whether a review of `contract` starts behind an opening line, `start` bytes on in its `line`: with
/// an object, or with one of its keys and another on the next line.
pub(super) fn starts_behind(
    view: View<'_>,
    line: &Range<u64>,
    start: u64,
    prefix: &[u8],
    contract: &dyn Contract,
) -> Result<bool, Until> {
    let own = view.get(line.start + start..line.end.min(line.start + start + LINE_START));
    if own.starts_with(b"{") {
        return Ok(true);
    }
    Ok(is_opening_key(own, contract) && review_starts(view, line.end, prefix, contract)?)
}

/// The start of the line at `position`, without its line end.
fn head_of(view: View<'_>, position: u64) -> Result<&[u8], Until> {
    let head = view.get(position..position + LINE_START);
    match memchr::memchr(b'\n', head) {
        Some(length) => Ok(own_text(&head[..length])),
        None if view.ends || head.len() as u64 >= LINE_START => Ok(head),
        None => Err(Until::LineEnd),
    }
}

/// Whether a line starts with a key of the contract, however it is decorated.
fn is_opening_key(own: &[u8], contract: &dyn Contract) -> bool {
    let own = String::from_utf8_lossy(own);
    let Some((key, _)) = own.split_once([':', '：']) else { return false };
    let key: String = key
        .chars()
        .filter(|char| !characters::is_invisible(*char) && !"*`\"'“”#".contains(*char))
        .map(|char| char.to_ascii_lowercase())
        .collect();
    let key = key.trim().replace([' ', '-'], "_");
    contract.opening_keys().contains(&key.as_str())
}

/// The line that closes the block whose lines start at `range.start`, though it is not spelt right:
/// it stands below the last of them, before anything that is no part of a block.
pub(super) fn near_closer(
    view: View<'_>,
    range: Range<u64>,
    prefix: &[u8],
    name: &str,
) -> Option<Range<u64>> {
    let mut position = range.start;
    let mut after_blank = false;
    while position < range.end {
        let line = view.line_at(position).ok().filter(|line| line.end <= range.end)?;
        let own = own_text(view.get(line.clone()));
        if spelling::nearly_closes(own, prefix, name) {
            return (position > range.start).then_some(line);
        }
        if let Some(length) = stuck(own, name)
            && !block_goes_on(view, line.end..range.end, prefix)
        {
            return Some(line.start + length as u64..line.end);
        }
        let own = &own[stripped(own, prefix)..];
        let is_blank = own.trim_ascii().is_empty();
        if after_blank && !is_blank && !goes_on(own) {
            return None;
        }
        after_blank = is_blank;
        position = line.end;
    }
    None
}

/// How much of a line stands before a right closing line that is stuck to its end: a value that
/// ends by itself.
fn stuck(own: &[u8], name: &str) -> Option<usize> {
    let before = own.trim_ascii_end().strip_suffix(b"---")?.strip_suffix(name.as_bytes())?;
    let before = before.strip_suffix(b"---end-")?.trim_ascii_end();
    matches!(before.last(), Some(b'"' | b'\'' | b']' | b'}')).then_some(before.len())
}

/// Whether the first line of `range` that is not blank may be one of a block.
fn block_goes_on(view: View<'_>, range: Range<u64>, prefix: &[u8]) -> bool {
    let rest = view.get(range.start..range.end.min(range.start + LINE_START));
    let mut lines = rest.split(|byte| *byte == b'\n').map(|line| &line[stripped(line, prefix)..]);
    let next = lines.find(|line| !line.trim_ascii().is_empty());
    next.is_some_and(|line| goes_on(line) && fence(line).is_none())
}

/// Where the body ends that a fence closes which nothing in it opens: the line of the fence.
pub(super) fn half_fence(view: View<'_>, body: &Range<u64>, prefix: &[u8]) -> Option<Range<u64>> {
    let text = view.get(body.clone()).trim_ascii_end();
    let start = memchr::memrchr(b'\n', text)? + 1;
    let is_fence = |line: &[u8]| {
        let own = &line[stripped(line, prefix)..];
        !own.first().is_none_or(u8::is_ascii_whitespace) && fence(own_text(own)).is_some()
    };
    let closes = fence(&text[start..]).is_some_and(|fence| fence.info.is_empty());
    let opened = text[..start].split(|byte| *byte == b'\n').any(is_fence);
    (closes && is_fence(&text[start..]) && !opened)
        .then_some(body.start + start as u64..body.start + text.len() as u64)
}

/// Whether a line without what stands before it may be one of a block.
fn goes_on(own: &[u8]) -> bool {
    let head = &own[..own.len().min(LINE_START as usize)];
    matches!(own.first(), None | Some(b' ' | b'\t' | b'#' | b'{' | b'}' | b']' | b'"'))
        || own == b"-"
        || own.starts_with(b"- ")
        || fence(own).is_some()
        || yaml_key(&String::from_utf8_lossy(head)).is_some()
}

/// The body of a block that starts within `above` and ends at its end, where a line closes it that
/// has `prefix` before it. `above` starts where a line does. The line above the body is given as
/// well if it names the delimiter: an opening line perhaps, spelt as no search finds it.
pub(super) fn body_above(
    view: View<'_>,
    above: Range<u64>,
    prefix: &[u8],
    contract: &dyn Contract,
) -> Option<(Range<u64>, Option<Range<u64>>)> {
    let text = view.get(above.clone());
    let start = object_above(text).or_else(|| mapping_above(text, prefix, contract))?;
    let name = contract.delimiter().unwrap_or_default();
    let before = text[..start].trim_ascii_end();
    let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let opener = spelling::is_named(&before[line..], name)
        .then_some(above.start + line as u64..above.start + before.len() as u64);
    let body = above.start + start as u64..above.end;
    let text = String::from_utf8_lossy(view.get(body.clone()));
    let text = unfenced(&text);
    // Enough of the contract's keys to know it by: its delimiter alone does not make a review.
    (contract.identify(&Outline::of(text)) > Claim::None).then_some((body, opener))
}

/// The text without a line that opens a fence above it.
fn unfenced(text: &str) -> &str {
    match text.split_once('\n') {
        Some((line, rest)) if fence(line.as_bytes()).is_some() => rest,
        _ => text,
    }
}

/// Where the object starts that ends with `text`.
fn object_above(text: &[u8]) -> Option<usize> {
    let end = text.trim_ascii_end();
    if !end.ends_with(b"}") {
        return None;
    }
    let start = memchr::memmem::rfind(end, b"\n{").map_or(0, |at| at + 1);
    (end_of_value(&end[start..], 0) == End::At(end.len() - start)).then_some(start)
}

/// Where the mapping starts that ends with `text`: at the first line of its last lines that has a
/// key of the contract, or at the fence above it. A key that stands twice starts another mapping
/// if there is a blank line or a rule between; else nobody knows where this one starts.
fn mapping_above(text: &[u8], prefix: &[u8], contract: &dyn Contract) -> Option<usize> {
    let mut top = None;
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut end = text.len();
    let mut below_blank = false;
    while end > 0 {
        let start = memchr::memrchr(b'\n', &text[..end - 1]).map_or(0, |at| at + 1);
        let own = own_text(&text[start..end]);
        let own = &own[stripped(own, prefix)..];
        if fence(own).is_some() && top.is_some() && seen.len() > 1 {
            return Some(start);
        }
        if !goes_on(own) || own.starts_with(b"{") {
            break;
        }
        let key = memchr::memchr(b':', &own[..own.len().min(LINE_START as usize)]);
        if let Some(key) = key.map(|length| &own[..length])
            && is_opening_key(own, contract)
            && !own.starts_with(b" ")
        {
            if seen.contains(&key) {
                return top.filter(|_| below_blank);
            }
            seen.push(key);
            top = Some(start);
        }
        below_blank = own.trim_ascii().is_empty();
        end = start;
    }
    top
}
