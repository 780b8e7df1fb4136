//! A tool call that is written as elements of a message's text: `<use_mcp_tool>` with a tool's name
//! and its arguments, `<write_to_file>` with a path and what is to stand there.
//!
//! Some tools ask for their calls so and read them out of the text, which makes them real calls.
//! Takes a text that is there as a whole and a hit in it, gives the block that the call carries.
//! Looks for the end of an element once, whatever the number of hits.

use std::ops::Range;

use memchr::memmem;

use super::call::{kept_in, submits};
use super::locator::View;
use super::{Choice, Form, Kind, Spot};
use crate::contract::{CONTRACTS, Contract, Outline};
use crate::record::Carrier;

/// The elements in which blocks stand, with the elements before them that name the tool or the file.
const CARRIERS: [(&[u8], &[u8], Carrier); 2] =
    [(b"tool_name", b"arguments", Carrier::ToolInput), (b"path", b"content", Carrier::File)];

/// How much of a block tells by its keys that it is one.
const HEAD: usize = 4 << 10;

/// Where elements end, as far as that was looked for.
#[derive(Default)]
pub(super) struct Ends {
    /// For each carrier: from where on it was looked for, and where the end was found.
    known: [Option<(usize, Option<usize>)>; CARRIERS.len()],
}

impl Ends {
    /// Where the first end of the element that is number `index` stands at or behind `from`.
    fn find(&mut self, text: &[u8], index: usize, from: usize) -> Option<usize> {
        if let Some((since, end)) = self.known[index]
            && since <= from
            && end.is_none_or(|end| from <= end)
        {
            return end;
        }
        let name = CARRIERS[index].1;
        let end = memmem::find_iter(&text[from..], b"</")
            .map(|at| from + at)
            .find(|at| is_end(&text[*at..], name).is_some());
        self.known[index] = Some((from, end));
        end
    }
}

/// Bytes in which a tool or a file is named, before and behind a hit in its name.
const NAME: usize = 4 << 10;

/// The block of the call whose tool or file is named at `at`, on `line`; the text is all in `view`.
pub(super) fn find(
    ends: &mut Ends,
    choice: &Choice,
    view: View<'_>,
    at: u64,
    line: &Range<u64>,
) -> Option<Spot> {
    let text = view.text;
    let (at, line_start) = (at as usize, line.start as usize);
    // The element around a name is short: no more of a long line is searched for each hit.
    let near = line_start.max(at.saturating_sub(NAME));
    let opening = near + memchr::memrchr(b'<', text.get(near..at)?)?;
    let (name, _) = split(&text[opening + 1..at], b'>')?;
    let value_start = opening + name.len() + 2;
    let value_end = memchr::memchr(b'<', &text[value_start..text.len().min(at + NAME)])?;
    let (value, rest) =
        (&text[value_start..value_start + value_end], &text[value_start + value_end + 1..]);
    let index = CARRIERS.iter().position(|(named_by, ..)| *named_by == name)?;
    let (_, element, carrier) = CARRIERS[index];
    let contract = contract(choice, carrier, std::str::from_utf8(value).ok()?.trim())?;
    let rest = rest.strip_prefix(b"/")?.strip_prefix(name)?.strip_prefix(b">")?;
    let opened = rest.trim_ascii_start().strip_prefix(b"<")?.strip_prefix(element)?;
    // The line that the element opens is no line of the block.
    let start = text.len() - opened.strip_prefix(b">")?.trim_ascii_start().len();
    let end = ends.find(text, index, start);
    let body = start..end.unwrap_or(text.len());
    let head = String::from_utf8_lossy(&text[body.start..body.end.min(body.start + HEAD)]);
    if Outline::of(&head).count(contract.opening_keys()) == 0 {
        return None;
    }
    Some(Spot {
        kind: Kind::Block(contract, carrier),
        span: opening as u64..body.end as u64,
        body: body.start as u64..body.end as u64,
        prefix: Vec::new(),
        form: Form::Plain,
        closed: end.is_some(),
        thinking: false,
        before: opening as u64..opening as u64,
        repairs: Vec::new(),
    })
}

/// The contract whose reviews the tool or the file of this name carries.
fn contract(choice: &Choice, carrier: Carrier, name: &str) -> Option<&'static dyn Contract> {
    if carrier == Carrier::File {
        return kept_in(choice, name);
    }
    let mut admitted = CONTRACTS.iter().copied().filter(|contract| choice.admits(*contract));
    admitted.find(|contract| submits(*contract, name))
}

fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(at, text)?;
    Some((&text[..end], &text[end + 1..]))
}

/// What stands behind the tag that ends the element of this name, if `text` starts with it.
fn is_end<'t>(text: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    text.strip_prefix(b"</")?.strip_prefix(name)?.strip_prefix(b">")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Option<&str>> {
        let mut ends = Ends::default();
        let line = |at: usize| {
            let start = text[..at].rfind('\n').map_or(0, |end| end as u64 + 1);
            start..text[at..].find('\n').map_or(text.len(), |end| at + end + 1) as u64
        };
        let hits = text.match_indices("submit_review").chain(text.match_indices("review.yaml"));
        hits.map(|(at, _)| {
            let view = View::whole(text.as_bytes());
            let spot = find(&mut ends, &Choice::default(), view, at as u64, &line(at))?;
            Some(&text[spot.body.start as usize..spot.body.end as usize])
        })
        .collect()
    }

    #[test]
    fn a_call_is_its_name_and_right_behind_it_what_it_carries() {
        let call = |name: &str, body: &str| {
            format!("<tool_name>{name}</tool_name>\n<arguments>\n{body}</arguments>")
        };
        let body = r#"{"verdict": "pass"}"#;
        assert_eq!(found(&call("submit_review", body)), [Some(body)]);
        assert_eq!(found(&call(" rev_submit_review ", body)), [Some(body)]);
        assert_eq!(found(&call("submit_reviews", body)), [None]);
        assert_eq!(found(&call("submit_review", "{\"role\": 1}")), [None]);
        assert_eq!(found("<tool_name>submit_review</tool_name> it is"), [None]);
        assert_eq!(found("`submit_review` and <path>submit_review"), [None, None]);
        let file = "<path>a/review.yaml</path><content>\nverdict: pass\n</content></write_to_file>";
        assert_eq!(found(file), [Some("verdict: pass\n")]);
        assert_eq!(
            found(file.split_once("</content>").map_or("", |(cut, _)| cut)),
            [Some("verdict: pass\n")]
        );
    }

    #[test]
    fn ends_are_looked_for_once() {
        let text = b"<arguments> a </arguments> b </content> c";
        let mut ends = Ends::default();
        assert_eq!(ends.find(text, 0, 11), Some(14));
        assert_eq!(ends.find(text, 0, 13), Some(14));
        assert_eq!(ends.known[0], Some((11, Some(14))), "within what was searched");
        assert_eq!(ends.find(text, 0, 15), None);
        assert_eq!(ends.find(text, 0, 40), None);
        assert_eq!(ends.known[0], Some((15, None)), "there is none behind either");
        assert_eq!(ends.find(text, 0, 0), Some(14), "nothing is known before");
        assert_eq!(ends.find(text, 1, 0), Some(29), "each element has its own ends");
    }
}
