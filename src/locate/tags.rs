//! The tags around reasoning.
//!
//! Takes the hits of a tag with the text around them, tells whether it opens or closes, and whether
//! a closing one without an opening one is meant or only mentioned. Never looks beyond its line.

use std::ops::Range;

use super::Spot;
use super::locator::{View, own_text};
use super::needles::{Hit, Needle};

/// The longest rest of a tag behind its needle.
const TAG_REST: u64 = 16;

/// The tags among `hits` that close reasoning.
pub(super) fn closings<'h>(view: View<'h>, hits: &'h [Hit]) -> impl Iterator<Item = Hit> + 'h {
    tags(hits).filter(move |hit| is_closing(view, hit.at)).copied()
}

fn tags(hits: &[Hit]) -> impl Iterator<Item = &Hit> {
    hits.iter().filter(|hit| matches!(hit.needle, Needle::Thinking))
}

/// Whether the tag at `at` is one that closes.
pub(super) fn is_closing(view: View<'_>, at: u64) -> bool {
    view.get(at..at + 2) == b"</"
}

/// Whether the tag at `at` stands in inline code: named, not meant.
pub(super) fn is_quoted(view: View<'_>, at: u64) -> bool {
    at > 0 && view.get(at - 1..at) == b"`"
}

/// Whether a closing tag on `line` closes what no tag opened: it stands first or last on its line,
/// or right before what a review starts with. In the middle of a sentence it is mentioned.
fn is_meant(view: View<'_>, tag: &Hit, line: &Range<u64>) -> bool {
    const STARTS: [&[u8]; 3] = [b"{", b"---", b"```"];
    if is_quoted(view, tag.at) {
        return false;
    }
    let rest = view.get(tag.end..line.end.min(tag.end + TAG_REST));
    let length = memchr::memchr(b'>', rest).map_or(0, |length| length + 1);
    let after = own_text(view.get(tag.end + length as u64..line.end)).trim_ascii_start();
    after.is_empty()
        || STARTS.iter().any(|start| after.starts_with(start))
        || view.get(line.start..tag.at).trim_ascii().is_empty()
}

/// The last of the closing tags that is meant on `line`.
pub(super) fn last_meant(view: View<'_>, closings: &[Hit], line: &Range<u64>) -> Option<u64> {
    let from = closings.partition_point(|tag| tag.at < line.start);
    let to = closings.partition_point(|tag| tag.at < line.end);
    let mut tags = closings.get(from..to)?.iter().rev();
    tags.find(|tag| is_meant(view, tag, line)).map(|tag| tag.at)
}

/// The first tag of a message that closes reasoning, where no tag before it opens any. What stands
/// within a block of `found` is a text of that block.
pub(super) fn lone_close(view: View<'_>, hits: &[Hit], found: &[Spot]) -> Option<u64> {
    let within = |at: u64| {
        let next = found.partition_point(|spot| spot.span.end <= at);
        found.get(next).is_some_and(|spot| spot.span.start <= at)
    };
    let mut line = 0..0;
    let first = tags(hits).find(|hit| {
        if !is_closing(view, hit.at) {
            return !is_quoted(view, hit.at) && !within(hit.at);
        }
        if !line.contains(&hit.at) {
            line = view.line(hit.at, u64::MAX).unwrap_or(0..0);
        }
        !within(hit.at) && is_meant(view, hit, &line)
    })?;
    is_closing(view, first.at).then_some(first.at)
}
