//! The generic walk: JSON of no format that we know.
//!
//! Every string is a message and every object may be a review. Who speaks is told by the nearest
//! object around it that has a `role`, `type`, `source` or `author` with a word we know; where
//! there is none the channel is `text`. An object with a tool's `name` and an input is a call; the
//! definition of a tool, and what else an API is told beside the messages, is nobody's word.

use super::frame::Damage;
use super::{Body, Item, Message, Origin, Raw, Session, Sink, Transcript};
use crate::record::Channel;

/// Any JSON.
pub struct Json;

impl Transcript for Json {
    fn id(&self) -> &'static str {
        "json"
    }

    fn reads(&self) -> &'static str {
        "JSON and JSONL of any other shape: every string, with the role that stands nearest"
    }

    fn recognised_by(&self) -> &'static str {
        "JSON that no other format knows"
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let origin = Origin { place: "json", session_id: session.id.clone(), ..Origin::default() };
        walk(record, Channel::Text, &origin, sink);
    }
}

/// Levels of nesting that are looked into.
const LEVELS: u32 = 64;

/// Keys under which an agent is told what to do and how to answer.
const INSTRUCTIONS: &[&str] = &[
    "prompt",
    "instructions",
    "system",
    "system_prompt",
    "systemInstruction",
    "system_instruction",
    "developer",
    "tools",
    "functions",
    "functionDeclarations",
    "function_declarations",
    "input_schema",
    "inputSchema",
    "schema",
    "json_schema",
    "response_format",
    "response_schema",
    "responseSchema",
];

/// Gives every string and object within `value`, on `channel` where nothing nearer says who speaks.
/// What stands within a hidden channel stays hidden, whatever role is named in it.
pub(super) fn walk<'a>(value: Raw<'a>, channel: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    if !channel.is_hidden() {
        walk_level(value, channel, origin, LEVELS, sink);
        return;
    }
    walk_level(value, channel, origin, LEVELS, &mut |item| match item {
        Item::Message(message) if !message.channel.is_hidden() => {
            sink(Item::Message(Message { channel, ..message }))
        }
        item => sink(item),
    });
}

fn walk_level<'a>(
    value: Raw<'a>,
    channel: Channel,
    origin: &Origin,
    levels: u32,
    sink: Sink<'_, 'a>,
) {
    // A frame is read because something stands in it; most of its values do not hold it.
    if !crate::locate::needles::any(value.bytes) {
        return;
    }
    if levels == 0 {
        sink(Item::TooDeep(value));
        return;
    }
    if value.is_string() {
        sink(Item::Message(Message { channel, body: Body::Text(value), origin: origin.clone() }));
    } else if value.is_array() {
        for item in value.items() {
            walk_level(item, channel, origin, levels - 1, sink);
        }
    } else if value.is_object() {
        if is_schema(&value) {
            // It describes reviews, and is none.
            return;
        }
        let here = Speaker::of(&value, channel, origin);
        if let Some((name, input)) = here.call {
            let channel = if channel.is_hidden() { channel } else { Channel::ToolInput };
            let body = Body::Call(name, input);
            sink(Item::Message(Message { channel, body, origin: here.origin.clone() }));
            // What stands beside it is what came of it.
            let channel = if channel.is_hidden() { channel } else { Channel::ToolResult };
            let rest = value.entries().filter(|(_, value)| value.offset != input.offset);
            rest.for_each(|(_, value)| {
                walk_level(value, channel, &here.origin, levels - 1, &mut |item| match item {
                    Item::Message(message) => sink(Item::Message(Message { channel, ..message })),
                    item => sink(item),
                });
            });
            return;
        }
        let body = Body::Value(value);
        let taken = sink(Item::Message(Message {
            channel: here.channel,
            body,
            origin: here.origin.clone(),
        }));
        if taken {
            return;
        }
        if let Some(characters) = spread(&value) {
            sink(Item::Fault(Damage::Numbered, value.offset));
            let (channel, body, origin) =
                (here.channel, Body::Joined(characters), here.origin.clone());
            sink(Item::Message(Message { channel, body, origin }));
        }
        for (key, value) in value.entries() {
            let channel = match key.text().as_deref() {
                Some("thinking" | "reasoning" | "reasoning_content")
                    if !here.channel.is_hidden() =>
                {
                    Channel::Thinking
                }
                Some(key) if INSTRUCTIONS.contains(&key) && !here.channel.is_hidden() => {
                    Channel::System
                }
                _ => here.channel,
            };
            walk_level(value, channel, &here.origin, levels - 1, sink);
        }
    }
}

/// The characters of a text that stand in an object one by one.
fn spread<'a>(value: &Raw<'a>) -> Option<Vec<Raw<'a>>> {
    let characters = super::claude_code::characters(value)?;
    let is_character = |raw: &Raw<'_>| raw.text().is_some_and(|text| text.chars().count() == 1);
    characters.iter().all(is_character).then_some(characters)
}

/// Gives every string and object within `value` on `channel`, whatever roles stand in it: all of it
/// is the word of one.
pub(super) fn all<'a>(value: Raw<'a>, channel: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    all_of_level(value, channel, origin, LEVELS, sink);
}

fn all_of_level<'a>(
    value: Raw<'a>,
    channel: Channel,
    origin: &Origin,
    levels: u32,
    sink: Sink<'_, 'a>,
) {
    if !crate::locate::needles::any(value.bytes) {
        return;
    }
    if levels == 0 {
        sink(Item::TooDeep(value));
        return;
    }
    let message = |body| Item::Message(Message { channel, body, origin: origin.clone() });
    if value.is_string() {
        sink(message(Body::Text(value)));
    } else if value.is_array() {
        value.items().for_each(|item| all_of_level(item, channel, origin, levels - 1, sink));
    } else if value.is_object() && !is_schema(&value) && !sink(message(Body::Value(value))) {
        for (key, value) in value.entries() {
            sink(Item::Echo(key));
            all_of_level(value, channel, origin, levels - 1, sink);
        }
    }
}

/// Passes over what stands in an object under these keys, as what repeats or describes what is read.
/// What stands under a key that is not named stays unknown.
pub(super) fn echo<'a>(object: &Raw<'a>, keys: &[&str], sink: Sink<'_, 'a>) {
    for (key, value) in object.entries() {
        if keys.iter().any(|known| key.is(known)) {
            sink(Item::Echo(value));
        }
    }
}

/// Whether this is the JSON Schema of an object; its `type` is in capitals at times.
fn is_schema(value: &Raw<'_>) -> bool {
    let [kind, properties] = value.fields(["type", "properties"]);
    properties.is_some() && kind.is_some_and(|kind| kind.is("object") || kind.is("OBJECT"))
}

/// What an object says about those who speak within it.
struct Speaker<'a> {
    channel: Channel,
    origin: Origin,
    call: Option<(std::borrow::Cow<'a, str>, Raw<'a>)>,
}

impl<'a> Speaker<'a> {
    fn of(object: &Raw<'a>, channel: Channel, origin: &Origin) -> Self {
        let [
            role,
            kind,
            source,
            author,
            id,
            session,
            session_snake,
            time,
            name,
            input,
            arguments,
            args,
            parameters,
            schema,
            schema_camel,
        ] = object.fields([
            "role",
            "type",
            "source",
            "author",
            "id",
            "sessionId",
            "session_id",
            "timestamp",
            "name",
            "input",
            "arguments",
            "args",
            "parameters",
            "input_schema",
            "inputSchema",
        ]);
        // What an author is stands in an object of its own at times.
        let author = author.map(|author| author.get("role").unwrap_or(author));
        let mut here = Self { channel, origin: origin.clone(), call: None };
        let words = [role, kind, source, author].into_iter().flatten();
        let mut channels = words.filter_map(|word| channel_of(&word.text()?));
        let function = role.is_some_and(|role| role.is("function")).then_some(Channel::ToolResult);
        if let Some(spoken) = function.or_else(|| channels.next()) {
            here.channel = spoken;
        }
        if let Some(id) = id.and_then(|id| id.owned()) {
            here.origin.message_id = Some(id);
        }
        if let Some(session) = session.or(session_snake).and_then(|session| session.owned()) {
            here.origin.session_id = Some(session);
        }
        if let Some(time) = time.and_then(|time| time.owned()) {
            here.origin.timestamp = Some(time);
        }
        // A tool is defined by the same keys that call it, but by what its input looks like.
        let is_given = |raw: &Raw<'_>| raw.bytes != b"null";
        let input = [input, arguments, args].into_iter().flatten().find(is_given);
        let is_definition = name.is_some()
            && input.is_none()
            && (schema.or(schema_camel).is_some() || parameters.is_some_and(|raw| is_schema(&raw)));
        if is_definition && !here.channel.is_hidden() {
            here.channel = Channel::System;
        }
        let parameters = parameters.filter(|_| here.channel != Channel::System);
        let input = input.or(parameters);
        if let (Some(name), Some(input)) = (name.and_then(|name| name.text()), input) {
            here.origin.tool_call_id = here.origin.message_id.take();
            here.call = Some((name, input));
        }
        here
    }
}

/// The channel that a word for a role means.
fn channel_of(word: &str) -> Option<Channel> {
    Some(match word {
        "assistant" | "agent" | "model" | "ai" | "AIMessage" | "gemini" => Channel::Assistant,
        "user" | "human" | "HumanMessage" => Channel::User,
        "system" | "developer" => Channel::System,
        "tool" | "tool_result" | "toolResult" | "function_call_output" | "environment" => {
            Channel::ToolResult
        }
        "thinking" | "reasoning" => Channel::Thinking,
        "summary" | "compaction" | "compacted" => Channel::Summary,
        _ => return None,
    })
}
