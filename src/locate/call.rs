//! Blocks in tool calls: a review that is a tool's input, and a file that a call writes.
//!
//! Takes a tool's name and its input, gives the blocks with the strings that they stand in.
//! Which tools and files hold reviews is the contracts' business; a call that writes another file
//! gives nothing.

use std::borrow::Cow;

use super::{Block, Choice};
use crate::contract::{CONTRACTS, Contract, Outline};
use crate::record::{Carrier, Channel, Place};
use crate::transcript::Raw;

/// A block in a tool call.
pub struct Carried<'a> {
    /// Its contract.
    pub contract: &'static dyn Contract,
    /// How it is carried.
    pub carrier: Carrier,
    /// The block.
    pub block: Block<'a>,
    /// The value of the input that it is, or that it stands in.
    pub raw: Raw<'a>,
    /// The block's bytes within the decoded text of `raw`, where that is a string.
    pub span: std::ops::Range<usize>,
}

/// Tools by which an agent hands in its answer, whatever it is.
const ANSWER_TOOLS: &[&str] = &["StructuredOutput", "structured_output"];

/// The blocks in a call of `tool` with `input`.
pub fn blocks<'a>(choice: &Choice, tool: &str, input: Raw<'a>) -> Vec<Carried<'a>> {
    let submitted = CONTRACTS
        .iter()
        .copied()
        .find(|contract| choice.admits(*contract) && submits(*contract, tool));
    if let Some(contract) = submitted {
        return as_input(contract, input).into_iter().collect();
    }
    if ANSWER_TOOLS.contains(&tool) {
        let text = decoded(&input);
        let claim = choice.claim(&Outline::of(&text), Channel::ToolInput);
        return claim.and_then(|(contract, _)| as_input(contract, input)).into_iter().collect();
    }
    let mut found = Vec::new();
    written(choice, input, &mut found);
    found
}

/// Whether a call of `tool` hands in a review: by its own name, behind any server's prefix.
pub fn submits(contract: &dyn Contract, tool: &str) -> bool {
    let own_names = tool.char_indices().filter(|(_, char)| matches!(char, '_' | '-' | '.' | ':'));
    contract.submitted_by(tool)
        || own_names.into_iter().any(|(at, _)| contract.submitted_by(&tool[at + 1..]))
}

/// The input as a whole; nothing where it names no key of a review (a mere submission of a file).
fn as_input<'a>(contract: &'static dyn Contract, raw: Raw<'a>) -> Option<Carried<'a>> {
    let text = decoded(&raw);
    let outline = Outline::of(&text);
    if outline.count(contract.opening_keys()) == 0 {
        return None;
    }
    let span = 0..if raw.is_string() { text.len() } else { raw.bytes.len() };
    let block = Block::whole(text, Place::START);
    Some(Carried { contract, carrier: Carrier::ToolInput, block, raw, span })
}

fn decoded<'a>(raw: &Raw<'a>) -> Cow<'a, str> {
    raw.text().unwrap_or_else(|| String::from_utf8_lossy(raw.bytes))
}

/// Keys under which tools take the path of a file.
const PATHS: [&str; 5] = ["file_path", "path", "filePath", "filename", "target_file"];
/// Keys under which tools take what is to stand in it.
const CONTENTS: [&str; 6] = ["content", "file_text", "contents", "new_string", "new_str", "text"];

/// The files with reviews that a call writes: by path and content, by patch, by here-document.
fn written<'a>(choice: &Choice, input: Raw<'a>, found: &mut Vec<Carried<'a>>) {
    if input.is_string() {
        in_script(choice, input, found);
        // The input may be an object in a string of its own.
        return;
    }
    let path = input.fields(PATHS).into_iter().flatten().find_map(|path| path.text());
    if let Some(contract) = path.as_deref().and_then(|path| kept_in(choice, path)) {
        let texts = input.fields(CONTENTS).into_iter().flatten();
        let edits = input.get("edits").into_iter().flat_map(|edits| edits.items());
        let edited = edits.filter_map(|edit| edit.get("new_string"));
        for raw in texts.chain(edited).filter(Raw::is_string) {
            let text = decoded(&raw);
            // An edit of a part of the file is no review.
            if contract.identify(&Outline::of(&text)) > crate::contract::Claim::None {
                let span = 0..text.len();
                let block = Block::whole(text, Place::START);
                found.push(Carried { contract, carrier: Carrier::File, block, raw, span });
            }
        }
        return;
    }
    for (_, value) in input.entries() {
        if value.is_string() {
            in_script(choice, value, found);
        } else if value.is_array() {
            value.items().filter(Raw::is_string).for_each(|item| in_script(choice, item, found));
        }
    }
}

/// The contract whose reviews a file of this name holds.
fn kept_in(choice: &Choice, path: &str) -> Option<&'static dyn Contract> {
    let name = path.rsplit(['/', '\\']).next()?;
    CONTRACTS.iter().copied().find(|contract| choice.admits(*contract) && contract.kept_in(name))
}

/// The files that a patch or a shell script writes.
fn in_script<'a>(choice: &Choice, raw: Raw<'a>, found: &mut Vec<Carried<'a>>) {
    let Some(text) = raw.text() else { return };
    let mut lines = Lines { text: &text, at: 0, number: 0 };
    while let Some((_, _, line)) = lines.next() {
        let file = if let Some(path) = patched(line) {
            kept_in(choice, path).map(|contract| (contract, lines.patch(), 1))
        } else if let Some((path, end)) = here_document(line) {
            kept_in(choice, path).map(|contract| (contract, lines.up_to(end), 0))
        } else {
            None
        };
        let Some((contract, part, columns)) = file else { continue };
        let start = Place { line: part.line, column: 1 };
        let block = Block::indented(part.text, start, columns);
        if contract.identify(&Outline::of(&block.text)) > crate::contract::Claim::None {
            found.push(Carried { contract, carrier: Carrier::File, block, raw, span: part.span });
        }
    }
}

/// The path in a patch's line that starts a file.
fn patched(line: &str) -> Option<&str> {
    let heads = ["*** Add File: ", "*** Update File: ", "+++ b/"];
    heads.iter().find_map(|head| line.strip_prefix(head)).map(str::trim)
}

/// The path and the end word of a here-document that goes to a file.
fn here_document(line: &str) -> Option<(&str, &str)> {
    let (before, after) = line.split_once("<<")?;
    let word = after.trim_start_matches('-').trim_start();
    let word = word.split_whitespace().next()?.trim_matches(['\'', '"', '\\']);
    // `cat > FILE <<END` and `cat <<END > FILE`, `tee FILE <<END`.
    let path = |part: &'_ str| -> Option<std::ops::Range<usize>> {
        let start =
            part.rfind('>').map(|at| at + 1).or_else(|| part.find("tee ").map(|at| at + 4))?;
        let rest = &part[start..];
        let skip = rest.len() - rest.trim_start().len();
        let length = rest[skip..].find(char::is_whitespace).unwrap_or(rest.len() - skip);
        Some(start + skip..start + skip + length)
    };
    let found =
        path(before).map(|range| &before[range]).or_else(|| path(after).map(|range| &after[range]));
    Some((found?.trim_matches(['\'', '"']), word))
}

/// A part of a text, made of whole lines.
struct Part {
    text: String,
    line: u64,
    span: std::ops::Range<usize>,
}

/// The lines of a text, with their place.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    number: u64,
}

impl<'t> Lines<'t> {
    /// The next line's number, offset and text.
    fn next(&mut self) -> Option<(u64, usize, &'t str)> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let start = self.at;
        self.at += length;
        self.number += 1;
        Some((self.number, start, rest[..length].trim_end_matches(['\n', '\r'])))
    }

    /// The added lines of a patch, up to the next file.
    fn patch(&mut self) -> Part {
        let mut part = Part { text: String::new(), line: self.number + 1, span: self.at..self.at };
        loop {
            let (at, number) = (self.at, self.number);
            let Some((_, _, line)) = self.next() else { break };
            let Some(added) = line.strip_prefix('+').filter(|_| !line.starts_with("+++ ")) else {
                if part.text.is_empty() && line.starts_with("@@") {
                    part.line = self.number + 1;
                    part.span = self.at..self.at;
                    continue;
                }
                (self.at, self.number) = (at, number);
                break;
            };
            part.text.push_str(added);
            part.text.push('\n');
            part.span.end = self.at;
        }
        part
    }

    /// The lines before the one that is `end`.
    fn up_to(&mut self, end: &str) -> Part {
        let start = self.at;
        let line = self.number + 1;
        loop {
            let at = self.at;
            match self.next() {
                Some((_, _, text)) if text.trim() != end => {}
                _ => {
                    return Part { text: self.text[start..at].to_owned(), line, span: start..at };
                }
            }
        }
    }
}
