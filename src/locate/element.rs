//! A tool call that is written as elements of a message's text: `<use_mcp_tool>` with a tool's name
//! and its arguments, `<write_to_file>` with a path and what is to stand there.
//!
//! Some tools ask for their calls so and read them out of the text, which makes them real calls.
//! Takes a text that is there as a whole and a hit in it, gives the block that the call carries.

use std::ops::Range;

use memchr::memmem;

use super::call::{kept_in, submits};
use super::locator::View;
use super::{Choice, Kind, Spot};
use crate::contract::{CONTRACTS, Contract, Outline};
use crate::record::Carrier;

/// The block of the call whose tool or file is named at `at`, on `line`.
pub(super) fn find(choice: &Choice, view: View<'_>, at: u64, line: &Range<u64>) -> Option<Spot> {
    let before = view.get(line.start..at);
    let opening = memchr::memrchr(b'<', before)?;
    let (name, own) = split(&before[opening + 1..], b'>')?;
    let start = line.start + (opening + name.len() + 2) as u64;
    let value_end = start + memchr::memchr(b'<', view.get(start..line.end))? as u64;
    let after = view.get(value_end..view.end());
    if memchr::memchr(b'<', own).is_some() {
        return None;
    }
    let value = std::str::from_utf8(view.get(start..value_end)).ok()?.trim();
    let after = closed(after, name)?;
    let (contract, carrier, element) = carried(choice, name, value)?;
    let body =
        after.trim_ascii_start().strip_prefix(b"<")?.strip_prefix(element)?.strip_prefix(b">")?;
    let closing = memmem::find_iter(body, b"</").find(|end| {
        body[end + 2..].strip_prefix(element).is_some_and(|rest| rest.starts_with(b">"))
    });
    let start = view.end() - body.len() as u64;
    let end = closing.map_or(view.end(), |length| start + length as u64);
    let text = String::from_utf8_lossy(view.get(start..end));
    if Outline::of(&text).count(contract.opening_keys()) == 0 {
        return None;
    }
    // The line that the element opens is no line of the block.
    let blank = view.get(start..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Some(Spot {
        kind: Kind::Block(contract, carrier),
        span: line.start + opening as u64..end,
        body: start + blank as u64..end,
        prefix: Vec::new(),
        closed: closing.is_some(),
        thinking: false,
        before: line.start..line.start,
    })
}

/// What a call carries that names a tool or a file so: the contract, the carrier, and the element in
/// which the block stands.
fn carried(
    choice: &Choice,
    name: &[u8],
    value: &str,
) -> Option<(&'static dyn Contract, Carrier, &'static [u8])> {
    match name {
        b"tool_name" => {
            let mut admitted = CONTRACTS.iter().copied().filter(|each| choice.admits(*each));
            let contract = admitted.find(|contract| submits(*contract, value))?;
            Some((contract, Carrier::ToolInput, b"arguments"))
        }
        b"path" => Some((kept_in(choice, value)?, Carrier::File, b"content")),
        _ => None,
    }
}

fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(at, text)?;
    Some((&text[..end], &text[end + 1..]))
}

/// What stands behind the end of the element of this name, which starts `text`.
fn closed<'t>(text: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    text.strip_prefix(b"</")?.strip_prefix(name)?.strip_prefix(b">")
}
