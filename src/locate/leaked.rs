//! A tool call that was printed instead of made: the markup or the JSON that a model writes for a
//! call, in the text of its message.
//!
//! Takes a message that is there as a whole and a hit in it, gives the block that the call would
//! have carried. Nothing says that any tool took it. What stands in inline code is a mention; a
//! call without a key of a review is none of ours. Looks at no byte more than once for the calls
//! that it finds, and at a bounded number for a hit that is none.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::call::submits;
use super::enclosing;
use super::locator::{Locator, View};
use super::{Block, Choice, Form, Kind, Spot, repairs};
use crate::contract::{CONTRACTS, Contract, Outline, Shape};
use crate::record::{Carrier, Place};
use crate::transcript::raw::{End, Raw, end_of_value};
use crate::transcript::{self, shape};

/// Bytes around a tool's name that tell that it is called.
const NEAR: usize = 512;

/// Bytes of a parameter that is none of a review.
const OTHER: usize = 4 << 10;

/// How much of a block tells by its keys that it is one.
const HEAD: usize = 4 << 10;

/// The block of the call of the tool that is named at `at`, on `line`; the text is all in `view`.
pub(super) fn find(
    locator: &Locator<'_>,
    view: View<'_>,
    at: u64,
    line: &Range<u64>,
) -> Option<Spot> {
    let text = view.text;
    let at = at as usize;
    let from = at.saturating_sub(NEAR).max(locator.decided as usize);
    let near = text.get(from..at)?;
    let name = name_around(text, from, at);
    let contract = called(locator.choice, std::str::from_utf8(&text[name.clone()]).ok()?)?;
    let spot = |span: Range<usize>, body: Range<usize>, form, closed| Spot {
        kind: Kind::Block(contract, Carrier::ToolInput),
        span: span.start as u64..span.end as u64,
        body: body.start as u64..body.end as u64,
        prefix: Vec::new(),
        form,
        closed,
        thinking: false,
        before: span.start as u64..span.start as u64,
        repairs: vec![(&repairs::CALL_AS_TEXT, span.start as u64)],
    };
    if let Some(start) = memchr::memrchr(b'<', near).map(|start| from + start)
        && !text[..start].ends_with(b"`")
        && let Some(call) = Call::read(&text[start..], Some(contract))
    {
        let span = start..start + call.end;
        return Some(spot(span.clone(), span, Form::Parameters, call.closed));
    }
    let start = json_arguments(text, from, &name).or_else(|| behind(text, from, &name))?;
    // Its keys stand near its start: no end is looked for without any.
    let head = &text[start..text.len().min(start + HEAD)];
    let is_text = text[start] == b'"';
    let has_key = |head: &[u8]| {
        let head = String::from_utf8_lossy(head);
        Outline::of(&block_of(&head, is_text)).count(contract.opening_keys()) > 0
    };
    if !has_key(head) || is_of_record(view, line) {
        return None;
    }
    let (body, closed) = if is_text {
        match end_of_value(text, start) {
            End::At(end) => (start..end, true),
            _ => (start..text.len(), false),
        }
    } else {
        let (span, closed) = enclosing::object_at(locator, view, start as u64)?;
        (span.start as usize..span.end as usize, closed)
    };
    let form = if is_text { Form::Escaped } else { Form::Plain };
    Some(spot(name.start..body.end, body, form, closed))
}

/// Whether `line` is a record of a transcript, which is quoted.
fn is_of_record(view: View<'_>, line: &Range<u64>) -> bool {
    let line = view.get(line.clone());
    shape::opens_json(line) && transcript::known(&Raw::at(line.trim_ascii(), 0, 0)).is_some()
}

/// The contract whose reviews the tool of this name takes.
fn called(choice: &Choice, tool: &str) -> Option<&'static dyn Contract> {
    let mut admitted = CONTRACTS.iter().copied().filter(|contract| choice.admits(*contract));
    admitted.find(|contract| submits(*contract, tool))
}

/// The tool's whole name.
fn name_around(text: &[u8], from: usize, at: usize) -> Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let start =
        text[from..at].iter().rposition(|byte| !is_part(byte)).map_or(from, |end| from + end + 1);
    let rest = &text[at..text.len().min(at + NEAR)];
    start..at + rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len())
}

/// Where the arguments start of a call that is an object with the tool's name in it.
fn json_arguments(text: &[u8], from: usize, name: &Range<usize>) -> Option<usize> {
    const NAMES: [&str; 4] = ["name", "tool", "tool_name", "function"];
    const ARGUMENTS: [&str; 5] = ["arguments", "input", "parameters", "args", "params"];
    /// Members between the name and the arguments: an id, a type.
    const MEMBERS: usize = 4;
    let before = text[from..name.start].strip_suffix(b"\"")?.trim_ascii_end();
    let before = before.strip_suffix(b":")?.trim_ascii_end().strip_suffix(b"\"")?;
    let key = memchr::memrchr(b'"', before)?;
    NAMES.iter().find(|known| known.as_bytes() == &before[key + 1..])?;
    let open = memchr::memrchr(b'{', &before[..key])?;
    let around = before[..open].trim_ascii_end();
    // Behind a sentence or a mark of code it is a mention.
    let is_alone = matches!(around.last(), None | Some(b'>' | b']' | b':' | b'[' | b',' | b'{'))
        || before[around.len()..open].contains(&b'\n');
    if !is_alone {
        return None;
    }
    let mut at = name.end + usize::from(text.get(name.end) == Some(&b'"'));
    for _ in 0..MEMBERS {
        at = skip(text, at, b',')?;
        let end = short_string(text, at)?;
        let member = &text[at + 1..end - 1];
        at = skip(text, end, b':')?;
        if ARGUMENTS.iter().any(|known| known.as_bytes() == member) {
            return matches!(text.get(at), Some(b'{' | b'"')).then_some(at);
        }
        at = match text.get(at)? {
            b'"' => short_string(text, at)?,
            _ => {
                at + text[at..text.len().min(at + NEAR)]
                    .iter()
                    .position(|byte| b",}{[".contains(byte))?
            }
        };
    }
    None
}

/// The end of the string that starts at `at`, if it is short.
fn short_string(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[..text.len().min(at + NEAR)];
    match near.get(at)? {
        b'"' => match end_of_value(near, at) {
            End::At(end) => Some(end),
            _ => None,
        },
        _ => None,
    }
}

/// Behind `mark` at `at`, and the blanks around it.
fn skip(text: &[u8], at: usize, mark: u8) -> Option<usize> {
    let near = text.get(at..text.len().min(at + NEAR))?;
    let rest = near.trim_ascii_start().strip_prefix(&[mark])?.trim_ascii_start();
    Some(at + near.len() - rest.len())
}

/// Where the object starts that stands behind the name of a tool, where the marks of a model's own
/// notation say that it is called: `call:NAME{…}`, `functions.NAME:0<|…|>{…}`, `[TOOL_CALLS]NAME{…}`.
fn behind(text: &[u8], from: usize, name: &Range<usize>) -> Option<usize> {
    const MARKS: [&[u8]; 5] = [b"call:", b"[TOOL_CALLS]", b"to=", b"|>", b"<tool_call>"];
    let before = text[from..name.start].trim_ascii_end();
    let is_called = MARKS.iter().any(|mark| before.ends_with(mark))
        || text[name.clone()].starts_with(b"functions.");
    if !is_called {
        return None;
    }
    let near = &text[name.end..text.len().min(name.end + NEAR)];
    let mut rest = near;
    loop {
        rest = rest.trim_ascii_start();
        if rest.first() == Some(&b'{') {
            return Some(name.end + near.len() - rest.len());
        }
        rest = if let Some(token) = rest.strip_prefix(b"<|") {
            &token[memmem::find(token, b"|>")? + 2..]
        } else if let Some(number) = rest.strip_prefix(b":") {
            &number[number.iter().take_while(|byte| byte.is_ascii_digit()).count()..]
        } else {
            rest.strip_prefix(b"json")?
        };
    }
}

fn block_of(text: &str, is_text: bool) -> Cow<'_, str> {
    if !is_text {
        return text.into();
    }
    Raw::at(text.as_bytes(), 0, 0)
        .text()
        .map_or_else(|| text.into(), |text| text.into_owned().into())
}

/// A call that is written as elements, with what it passes.
struct Call<'t> {
    parameters: Vec<Parameter<'t>>,
    /// Where it ends.
    end: usize,
    closed: bool,
}

struct Parameter<'t> {
    key: Cow<'t, str>,
    value: &'t [u8],
    /// Where the value starts.
    at: usize,
    closed: bool,
}

impl<'t> Call<'t> {
    /// Reads the call that `text` starts with; of a contract, only one that passes a key of it.
    fn read(text: &'t [u8], contract: Option<&dyn Contract>) -> Option<Self> {
        let head = Tag::read(text)?;
        let mut call = Self { parameters: Vec::new(), end: head.end, closed: false };
        loop {
            let rest = &text[call.end..];
            let start = call.end + rest.len() - rest.trim_ascii_start().len();
            let Some(tag) = Tag::read(&text[start..]) else { break };
            if tag.closes {
                if tag.element == head.element {
                    (call.end, call.closed) = (start + tag.end, true);
                }
                break;
            }
            let key = tag.value.clone().unwrap_or_else(|| tag.element.clone());
            let is_known = contract.is_none_or(|contract| is_key(contract, &key));
            let from = start + tag.end;
            let reach = if is_known { text.len() } else { text.len().min(from + OTHER) };
            let end = end_of(&text[from..reach], &tag.element);
            if end.is_none() && !is_known {
                break;
            }
            let (length, behind) = end.unwrap_or((reach - from, reach - from));
            let value = &text[from..from + length];
            call.parameters.push(Parameter { key, value, at: from, closed: end.is_some() });
            call.end = from + behind;
            if end.is_none() {
                break;
            }
        }
        let known = |contract: &dyn Contract| {
            call.parameters.iter().any(|one| contract.opening_keys().contains(&one.key.as_ref()))
        };
        (contract.is_none_or(known) && !call.parameters.is_empty()).then_some(call)
    }
}

/// Whether a review of the contract has this key.
fn is_key(contract: &dyn Contract, key: &str) -> bool {
    contract.schema().shape().map().is_some_and(|map| map.field(key).is_some())
}

/// Where the first end of the element stands in `text`, and where the text behind it starts.
fn end_of(text: &[u8], element: &str) -> Option<(usize, usize)> {
    memmem::find_iter(text, b"</").find_map(|at| {
        let tag = Tag::read(&text[at..]).filter(|tag| tag.element == element)?;
        Some((at, at + tag.end))
    })
}

/// A tag: `<invoke name="x">`, `<function=x>`, `<x>`, each perhaps with a prefix before its name.
struct Tag<'t> {
    closes: bool,
    element: Cow<'t, str>,
    /// What its name is said to be.
    value: Option<Cow<'t, str>>,
    end: usize,
}

impl<'t> Tag<'t> {
    /// The tag that `text` starts with.
    fn read(text: &'t [u8]) -> Option<Self> {
        let inner = text[..text.len().min(NEAR)].strip_prefix(b"<")?;
        let end = memchr::memchr(b'>', inner)?;
        let (closes, inner) = match inner[..end].strip_prefix(b"/") {
            Some(inner) => (true, inner),
            None => (false, &inner[..end]),
        };
        let length = inner.iter().position(|byte| b" \t\n=".contains(byte)).unwrap_or(inner.len());
        let (name, rest) = inner.split_at(length);
        let element = &name[memchr::memrchr(b':', name).map_or(0, |colon| colon + 1)..];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
        if element.is_empty() || !element.iter().all(is_name) {
            return None;
        }
        let value = rest.strip_prefix(b"=").or_else(|| {
            let at = memmem::find(rest, b"name=")?;
            let value = &rest[at + b"name=".len()..];
            let (quote, value) = value.split_first()?;
            Some(&value[..memchr::memchr(*quote, value)?])
        });
        let (element, value) =
            (String::from_utf8_lossy(element), value.map(String::from_utf8_lossy));
        Some(Self { closes, element, value, end: end + 2 })
    }
}

/// The block of a call whose elements are `text`, at `start`: an object, key by key.
pub(super) fn block(
    contract: &dyn Contract,
    text: &[u8],
    start: Place,
    closed: bool,
) -> Block<'static> {
    let call = Call::read(text, None);
    let parameters = call.map(|call| call.parameters).unwrap_or_default();
    let (mut json, mut places) = (String::from("{\n"), vec![start]);
    let (mut place, mut counted) = (start, 0);
    let shape = contract.schema().shape();
    for (index, parameter) in parameters.iter().enumerate() {
        place = place.after(&text[counted..parameter.at]);
        counted = parameter.at;
        if index > 0 {
            json.push_str(",\n");
            places.push(place);
        }
        let field = shape.map().and_then(|map| map.field(&parameter.key));
        json.push_str(&quoted(&parameter.key));
        json.push_str(":\n");
        places.push(place);
        let value = String::from_utf8_lossy(parameter.value);
        if is_data(&value, field) {
            let mut line = place;
            for part in value.trim_end().split_inclusive('\n') {
                json.push_str(part);
                places.push(line);
                line = line.after(part.as_bytes());
            }
        } else {
            let value = quoted(value.trim_matches(['\n', '\r']));
            // A text that breaks off is none.
            json.push_str(if parameter.closed { &value } else { &value[..value.len() - 1] });
            places.push(place);
        }
    }
    if closed {
        json.push_str("\n}");
        places.push(place);
    }
    Block::picked(json, &places)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether a parameter is a value in JSON, where the contract asks for none that is a text.
fn is_data(value: &str, field: Option<&Shape>) -> bool {
    let value = value.trim();
    let is_text = matches!(field, Some(Shape::Text | Shape::Word(_)));
    let is_scalar = || serde_json::from_str::<serde_json::Value>(value).is_ok();
    !is_text && (value.starts_with(['{', '[']) || is_scalar())
}

/// The block of arguments that stand in a JSON string, at `start`.
pub(super) fn unescaped(text: &str, start: Place) -> Block<'static> {
    Block::whole(block_of(text, true).into_owned().into(), start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::quickly;
    use crate::limits::Limits;
    use crate::locate::needles;
    use crate::record::Channel;

    fn spots(text: &str) -> Vec<Spot> {
        let (choice, limits) = (Choice::default(), Limits::default());
        let mut locator = Locator::message(&choice, Channel::Assistant, &limits);
        let hits: Vec<_> = needles::hits(text.as_bytes(), 0).collect();
        let mut spots = Vec::new();
        locator.walk(View::whole(text.as_bytes()), &hits, &mut spots);
        spots
    }

    /// The blocks in a message, and whether their end was found.
    fn found(text: &str) -> Vec<(String, bool)> {
        let spots = spots(text);
        let blocks = spots.iter().filter(|spot| matches!(spot.kind, Kind::Block(..)));
        blocks
            .map(|spot| {
                let place = Place::START.after(&text.as_bytes()[..spot.span.start as usize]);
                let block = Block::of(spot, text.as_bytes(), 0, place);
                (block.text.into_owned(), spot.closed)
            })
            .collect()
    }

    fn values(text: &str) -> serde_json::Value {
        let found = found(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        serde_json::from_str(&found[0].0).unwrap_or_default()
    }

    #[test]
    fn every_notation_is_read() {
        let wanted = serde_json::json!({"verdict": "fail", "summary": "It is bad"});
        let parameters = "<parameter name=\"verdict\">fail</parameter>\n\
                          <parameter name=\"summary\">It is bad</parameter>\n";
        let arguments = r#"{"verdict": "fail", "summary": "It is bad"}"#;
        let escaped = serde_json::Value::from(arguments).to_string();
        for text in [
            format!("count\n<invoke name=\"mcp__a__submit_review\">\n{parameters}</invoke>\n"),
            format!("<function_calls><invoke name='submit_review'>{parameters}</invoke>"),
            format!("<invoke name=\"submit_review\">{parameters}</invoke>"),
            "<function=submit_review>\n<parameter=verdict>\nfail\n</parameter>\n\
             <parameter=summary>\nIt is bad\n</parameter>\n</function>"
                .to_owned(),
            "<submit_review>\n<verdict>fail</verdict>\n<summary>It is bad</summary>\n\
             </submit_review>"
                .to_owned(),
            format!("{{\"name\": \"submit_review\", \"arguments\": {arguments}}}"),
            format!(
                "```json\n{{\n  \"tool\": \"submit_review\",\n  \"input\": {arguments}\n}}\n```"
            ),
            format!(
                "Now:\n{{\"type\":\"tool_use\",\"name\":\"submit_review\",\"id\":\"t\",\"input\":{arguments}}}"
            ),
            format!(
                "<tool_call>{{\"name\": \"submit_review\", \"arguments\": {escaped}}}</tool_call>"
            ),
            format!("call:submit_review{arguments}"),
            format!("[TOOL_CALLS]submit_review{arguments}"),
            format!(
                "<|tool_call_begin|>functions.submit_review:0<|tool_call_argument_begin|>{arguments}"
            ),
        ] {
            assert_eq!(values(&text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_call() {
        for text in [
            "I call submit_review with verdict fail.",
            "`<invoke name=\"submit_review\"><parameter name=\"verdict\">fail</parameter></invoke>`",
            "<invoke name=\"submit_reviews\"><parameter name=\"verdict\">fail</parameter></invoke>",
            "<invoke name=\"submit_review\"></invoke>",
            "<invoke name=\"submit_review\"><parameter name=\"path\">a</parameter></invoke>",
            "It is `{\"name\": \"submit_review\", \"arguments\": {\"verdict\": \"pass\"}}`.",
            "{\"name\": \"submit_review\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}",
            "submit_review({\"verdict\": \"pass\"})",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn a_call_that_breaks_off_has_no_end() {
        let text = "<invoke name=\"submit_review\"><parameter name=\"verdict\">pass</parameter>\
                    <parameter name=\"summary\">It is";
        let found = found(text);
        assert_eq!(
            found,
            [("{\n\"verdict\":\n\"pass\",\n\"summary\":\n\"It is".to_owned(), false)]
        );
    }

    #[test]
    fn many_tags_take_time_in_proportion() {
        for part in [
            "<invoke name=\"submit_review\">",
            "<invoke name=\"submit_review\"><parameter name=\"x\">",
            "<invoke name=\"submit_review\"><parameter name=\"verdict\">a</parameter>",
            "{\"name\": \"submit_review\", \"arguments\": {",
            "{\"name\": \"submit_review\", \"arguments\": \"",
            "call:submit_review{",
        ] {
            let text = part.repeat((1 << 17) / part.len());
            quickly(part, || spots(&text));
            quickly(part, || spots(&format!("{text}</parameter>")));
        }
    }
}
