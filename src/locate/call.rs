//! Blocks in tool calls: a review that is a tool's input, and a file that a call writes.
//!
//! Takes a tool's name and its input, gives the blocks with the strings that they stand in.
//! Which tools and files hold reviews is the contracts' business; a call that writes another file
//! gives nothing.

use std::borrow::Cow;

use super::shell;
use super::{Block, Choice};
use crate::contract::{CONTRACTS, Claim, Contract, Outline, yaml_key};
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

/// Tools by which an agent calls a tool of a server, which their input names.
const RELAYS: &[&str] = &["use_mcp_tool", "use_mcp_server", "CallMcpTool", "mcpToolCall"];

/// The call that stands in the input of a call of `tool`, if that only hands it on.
pub fn relayed<'a>(tool: &str, input: &Raw<'a>) -> Option<(Cow<'a, str>, Raw<'a>)> {
    if !RELAYS.contains(&tool) {
        return None;
    }
    let [name, name_camel, full_name, arguments, args] =
        input.fields(["tool_name", "toolName", "name", "arguments", "args"]);
    Some((name.or(name_camel).or(full_name)?.text()?, arguments.or(args)?))
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
/// Keys under which tools take all that is to stand in it.
const CONTENTS: [&str; 4] = ["content", "file_text", "contents", "fileText"];
/// Keys under which tools take what is to stand in a part of it.
const PARTS: [&str; 6] = ["new_string", "new_str", "newString", "newText", "text", "insert_text"];
/// Keys under which tools take how it is to be changed.
const PATCHES: [&str; 2] = ["patch", "diff"];

/// Lines of a file in which a key of a review must stand.
const HEAD: usize = 16;

/// How much of a file is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All of it: any key of a review makes it one, since the file's name says what it is.
    Whole,
    /// A part of it: a review only where the part is one by itself.
    Part,
}

impl Extent {
    /// Whether `text`, written so into a file of `contract`, is a review.
    fn admits(self, contract: &dyn Contract, text: &str) -> bool {
        let outline = Outline::of(text);
        if self == Self::Part {
            return contract.identify(&outline) > Claim::None;
        }
        let opens = |key: &str| contract.opening_keys().contains(&key);
        // The first line may be broken, and no key.
        outline.count(contract.opening_keys()) > 0
            || text.lines().take(HEAD).filter_map(yaml_key).any(opens)
    }
}

/// The files with reviews that a call writes: by path and content, by patch, by here-document.
fn written<'a>(choice: &Choice, input: Raw<'a>, found: &mut Vec<Carried<'a>>) {
    if input.is_string() {
        in_script(choice, input, found);
        // The input may be an object in a string of its own.
        return;
    }
    let path = input.fields(PATHS).into_iter().flatten().find_map(|path| path.text());
    if let Some(path) = path.as_deref() {
        let Some(contract) = kept_in(choice, path) else { return };
        let wholes = input.fields(CONTENTS).into_iter().flatten().map(|raw| (raw, Extent::Whole));
        let edits = input.get("edits").into_iter().flat_map(|edits| edits.items());
        let parts = std::iter::once(input).chain(edits).flat_map(|edit| edit.fields(PARTS));
        let parts = parts.flatten().map(|raw| (raw, Extent::Part));
        for (raw, extent) in wholes.chain(parts).filter(|(raw, _)| raw.is_string()) {
            let text = decoded(&raw);
            if extent.admits(contract, &text) {
                let span = 0..text.len();
                let block = Block::whole(text, Place::START);
                found.push(Carried { contract, carrier: Carrier::File, block, raw, span });
            }
        }
        let patches = input.fields(PATCHES).into_iter().flatten();
        patches.for_each(|patch| in_script(choice, patch, found));
        return;
    }
    if let Some(changes) = input.get("changes").filter(Raw::is_object) {
        changed(choice, changes, found);
    }
    for (_, value) in input.entries() {
        if value.is_string() {
            in_script(choice, value, found);
        } else if value.is_array() {
            value.items().filter(Raw::is_string).for_each(|item| in_script(choice, item, found));
        }
    }
}

/// The files that a patch writes which is given as changes by path.
fn changed<'a>(choice: &Choice, changes: Raw<'a>, found: &mut Vec<Carried<'a>>) {
    for (path, change) in changes.entries() {
        let contract = path.text().and_then(|path| kept_in(choice, &path));
        let [kind, add, update] = change.fields(["type", "add", "update"]);
        let [content, diff] = add.or(update).unwrap_or(change).fields(["content", "unified_diff"]);
        let is_written = add.is_some() || kind.is_some_and(|kind| kind.is("add"));
        let Some(contract) = contract else { continue };
        if let Some(raw) = content.filter(|raw| is_written && raw.is_string()) {
            let text = decoded(&raw);
            if Extent::Whole.admits(contract, &text) {
                let span = 0..text.len();
                let block = Block::whole(text, Place::START);
                found.push(Carried { contract, carrier: Carrier::File, block, raw, span });
            }
        }
        if let Some(raw) = diff.filter(Raw::is_string) {
            let text = decoded(&raw);
            let part = Lines::of(&text, &text).patch();
            if Extent::Part.admits(contract, &part.text) {
                let block = Block::picked(part.text, &part.places);
                found.push(Carried {
                    contract,
                    carrier: Carrier::File,
                    block,
                    raw,
                    span: part.span,
                });
            }
        }
    }
}

/// The contract whose reviews a file of this name holds.
pub(super) fn kept_in(choice: &Choice, path: &str) -> Option<&'static dyn Contract> {
    let name = path.rsplit(['/', '\\']).next()?;
    CONTRACTS.iter().copied().find(|contract| choice.admits(*contract) && contract.kept_in(name))
}

/// The files that a patch or a shell script writes.
fn in_script<'a>(choice: &Choice, raw: Raw<'a>, found: &mut Vec<Carried<'a>>) {
    let Some(text) = raw.text() else { return };
    let unwrapped = shell::unwrapped(&text);
    let mut lines = Lines::of(&text, unwrapped.as_deref().unwrap_or(&text));
    let mut last = "";
    while let Some(line) = lines.next() {
        let files = if let Some((path, extent)) = patched(last, line) {
            vec![(kept_in(choice, path), lines.patch(), extent)]
        } else {
            let documents = shell::here_documents(line);
            documents
                .iter()
                .filter_map(|document| {
                    let contract =
                        document.files.iter().find_map(|file| kept_in(choice, file.as_str()));
                    // A script that is run is looked into; one that is written is another file.
                    let is_looked_into = contract.is_none() && document.files.is_empty();
                    let extent = if document.appends { Extent::Part } else { Extent::Whole };
                    (!is_looked_into)
                        .then(|| (contract, lines.document(document, contract.is_some()), extent))
                })
                .collect()
        };
        last = line;
        for (contract, part, extent) in files {
            let Some(contract) = contract.filter(|contract| extent.admits(*contract, &part.text))
            else {
                continue;
            };
            let block = Block::picked(part.text, &part.places);
            let raw = Raw { whole: raw.whole && part.closed, ..raw };
            found.push(Carried { contract, carrier: Carrier::File, block, raw, span: part.span });
        }
    }
}

/// The path in a patch's line that starts a file, and how much of it the patch gives; `last` is the
/// line above.
fn patched<'t>(last: &str, line: &'t str) -> Option<(&'t str, Extent)> {
    const HEADS: [(&str, Extent); 3] = [
        ("*** Add File: ", Extent::Whole),
        ("*** Update File: ", Extent::Part),
        ("*** Move to: ", Extent::Part),
    ];
    let own = HEADS.iter().find_map(|(head, extent)| Some((line.strip_prefix(head)?, *extent)));
    let (path, extent) = own.or_else(|| {
        let extent = if last.starts_with("--- /dev/null") { Extent::Whole } else { Extent::Part };
        // The time of the file may stand behind a tab.
        let path = line.strip_prefix("+++ ")?.split('\t').next()?;
        (last.starts_with("--- ") || path.starts_with("b/")).then_some((path, extent))
    })?;
    Some((path.trim().trim_matches('"'), extent))
}

/// A part of a text, made of some of its lines.
#[derive(Default)]
struct Part {
    text: String,
    /// Where each line starts.
    places: Vec<Place>,
    span: std::ops::Range<usize>,
    /// Whether its end was found.
    closed: bool,
}

impl Part {
    /// Adds a line without its first `columns` characters, each of one byte.
    fn push(&mut self, line: &Line<'_>, columns: usize) {
        self.text.push_str(&line.text[columns..]);
        self.text.push('\n');
        self.places.push(Place { line: line.number, column: columns as u64 + 1 });
        if self.places.len() == 1 {
            self.span.start = line.span.start;
        }
        self.span.end = line.span.end;
    }
}

/// A line of a text.
#[derive(Clone)]
struct Line<'t> {
    number: u64,
    /// Its bytes in the text, with the line end.
    span: std::ops::Range<usize>,
    /// What it says, without the line end.
    text: &'t str,
}

/// The lines of a text.
#[expect(clippy::struct_field_names, reason = "the lines of the lines, and how far they are read")]
struct Lines<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
    /// Ends of here-documents that were looked for in vain.
    vain: usize,
}

/// A script has no more here-documents without an end than this: behind so many, none is looked for.
const VAIN: usize = 16;

impl<'t> Lines<'t> {
    /// The lines of `text`, which say what those of `own` say.
    fn of(text: &str, own: &'t str) -> Self {
        let mut start = 0;
        let spans = text.split_inclusive('\n').map(|line| {
            start += line.len();
            start - line.len()..start
        });
        let own = own.split_inclusive('\n').map(|line| line.trim_end_matches(['\n', '\r']));
        let lines = spans
            .zip(own)
            .zip(1..)
            .map(|((span, text), number)| Line { number, span, text })
            .collect();
        Self { lines, at: 0, vain: 0 }
    }

    fn next(&mut self) -> Option<&'t str> {
        let line = self.lines.get(self.at)?;
        self.at += 1;
        Some(line.text)
    }

    /// What a patch makes of a file, as far as it shows: the lines that it adds and leaves, up to
    /// the next file.
    fn patch(&mut self) -> Part {
        let mut part = Part { closed: true, ..Part::default() };
        while let Some(line) = self.lines.get(self.at) {
            let follows = self.lines.get(self.at + 1).map_or("", |line| line.text);
            let starts_file = line.text.starts_with("--- ") && follows.starts_with("+++ ");
            match line.text.as_bytes().first() {
                _ if starts_file => break,
                Some(b'+' | b' ') => part.push(line, 1),
                None => part.push(line, 0),
                Some(b'-' | b'\\') => {}
                Some(b'@') if line.text.starts_with("@@") => {}
                _ if line.text == "*** End of File" => {}
                _ => break,
            }
            self.at += 1;
        }
        part
    }

    /// The lines of a here-document. One without an end gives them all; one that is passed over
    /// gives none, and then what follows it is looked into.
    fn document(&mut self, document: &shell::HereDocument, is_wanted: bool) -> Part {
        let mut part = Part::default();
        let rest = &self.lines[self.at..];
        let is_end = |line: &Line<'_>| document.is_ended_by(line.text);
        let end = if self.vain < VAIN { rest.iter().position(is_end) } else { None };
        if !is_wanted {
            self.vain += usize::from(end.is_none());
            self.at += end.map_or(0, |end| end + 1);
            return part;
        }
        for line in &rest[..end.unwrap_or(rest.len())] {
            let tabs = line.text.len() - line.text.trim_start_matches('\t').len();
            part.push(line, if document.is_indented { tabs } else { 0 });
        }
        part.closed = end.is_some();
        self.at += end.map_or(rest.len(), |end| end + 1);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_without_an_end_take_time_in_proportion() {
        let mut script = String::new();
        for file in ["other.txt", "review.yaml"] {
            for number in 0..20_000 {
                script.extend(["cat > ", file, " <<EOF", &number.to_string(), "\\n"]);
            }
        }
        let text = format!("{{\"command\": \"{script}\"}}");
        let input = Raw::at(text.as_bytes(), 0, 0);
        let found = blocks(&Choice::default(), "Bash", input);
        // The first one that is a review's takes all that follows.
        assert!(found.len() <= 1, "{} blocks", found.len());
        let room: usize = found.iter().map(|carried| carried.block.text.len()).sum();
        assert!(room < text.len(), "{room} bytes out of {}", text.len());
    }
}
