//! What the logs of model APIs share: requests that repeat a conversation, and responses.
//!
//! A response is the agent's own word. A request is what the API is told: prompts, tools and
//! results are hidden, and an assistant's turn in it is what the agent said earlier. Such a turn
//! has no id, and stands again in every later request of its conversation. So it is known by how
//! the conversation starts, by its own text, and by how many of the same text stand before it;
//! where the response that gave it is in the log as well, it is a copy of that.
//!
//! A body is an object, or a text within a string. Never takes what no API says for an agent's word.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Body, Item, Message, Origin, Raw, Sink, anthropic_api, json, openai_api};
use crate::locate::needles;
use crate::record::Channel;

/// The kind of place of a turn that a request repeats.
const HISTORY: &str = "history";

/// The turns of one request.
pub(super) struct History {
    start: u64,
    /// How often each text was said so far.
    said: HashMap<u64, u32>,
}

impl History {
    /// The conversation that starts with these turns.
    pub(super) fn of<'a>(mut turns: impl Iterator<Item = Raw<'a>>) -> Self {
        let first = turns.find(|turn| turn.get("role").is_none_or(|role| role.is("user")));
        Self { start: first.map_or(0, |turn| said(&turn)), said: HashMap::new() }
    }

    /// Reads the turn of an assistant.
    pub(super) fn turn<'a>(
        &mut self,
        turn: &Raw<'a>,
        origin: &Origin,
        sink: Sink<'_, 'a>,
        read: impl FnOnce(&Origin, Sink<'_, 'a>),
    ) {
        if !needles::any(turn.bytes) {
            return;
        }
        let text = said(turn);
        let count = self.said.entry(text).or_default();
        *count += 1;
        let id = format!("{:016x}-{text:016x}-{count}", self.start);
        let origin = Origin { record_id: Some(id), message_id: None, ..origin.clone() };
        read(&origin, &mut |mut item| {
            if let Item::Message(message) = &mut item {
                message.origin.place = HISTORY;
                message.origin.message_id = None;
                if let (Some(id), Some(call)) =
                    (&mut message.origin.record_id, &message.origin.tool_call_id)
                {
                    // A turn may hand in the same review by two calls.
                    id.push_str(call);
                }
            }
            sink(item)
        });
    }
}

/// A hash of what a turn says, whatever else is noted beside it; the same on every machine.
fn said(turn: &Raw<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let [content, call] = turn.fields(["content", "function_call"]);
    let parts = content.into_iter().flat_map(|content| content.items());
    let texts = parts.filter_map(|part| part.get("text"));
    let arguments = call.and_then(|call| call.get("arguments"));
    for text in content.into_iter().chain(texts).chain(arguments).filter_map(|raw| raw.text()) {
        text.hash(&mut hasher);
    }
    hasher.finish()
}

/// Reads what an API answered: an object of its own, or a text in a string.
pub(super) fn response<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    if anthropic_api::is_response(&body) {
        anthropic_api::read_response(body, origin, sink);
    } else if openai_api::is_response(&body) {
        openai_api::read_response(body, origin, sink);
    } else {
        in_string(body, Channel::ToolResult, origin, sink);
    }
}

/// Reads what an API was told: an object of its own, or a text in a string.
pub(super) fn request<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    if anthropic_api::is_request(&body) {
        anthropic_api::read_request(body, origin, sink);
    } else if openai_api::is_request(&body) {
        openai_api::read_request(body, origin, sink);
    } else {
        in_string(body, Channel::System, origin, sink);
    }
}

/// Reads the turns of a conversation that stands among other things.
pub(super) fn turns<'a>(holder: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    if anthropic_api::is_request(&holder) {
        anthropic_api::read_turns(holder, origin, sink);
    } else {
        openai_api::read_turns(holder, origin, sink);
    }
}

/// Reads a body that is a text; on a hidden `channel` where it is none of an API's.
fn in_string<'a>(body: Raw<'a>, channel: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    let Some(text) = body.text() else {
        hidden(body, channel, origin, sink);
        return;
    };
    if is_of_api(text.trim_start().as_bytes()) {
        let (channel, body) = (Channel::Text, Body::Log(body));
        sink(Item::Message(Message { channel, body, origin: origin.clone() }));
    } else {
        hidden(body, channel, origin, sink);
    }
}

/// Reads an answer that was streamed, from the array of its events.
pub(super) fn events<'a>(events: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let (channel, body) = (Channel::Text, Body::Log(events));
    sink(Item::Message(Message { channel, body, origin: origin.clone() }));
}

/// Whether a text is a request or a response of an API, as far as its first value tells, or may be
/// one that was streamed.
fn is_of_api(text: &[u8]) -> bool {
    const STREAMED: [&[u8]; 4] = [b"data:", b"event:", b": ", b"id:"];
    if text.is_empty() {
        return false;
    }
    STREAMED.iter().any(|start| text.starts_with(start)) || is_body(&Raw::at(text, 0, 0))
}

/// Whether this is a request or a response of an API.
pub(super) fn is_body(value: &Raw<'_>) -> bool {
    anthropic_api::is_response(value)
        || openai_api::is_response(value)
        || anthropic_api::is_request(value)
        || openai_api::is_request(value)
}

/// Reads all entries of an object but those that `own` takes, as what an API is told or tells
/// beside its messages.
pub(super) fn rest<'a>(
    object: &Raw<'a>,
    own: &[&str],
    channel: Channel,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    for (key, value) in object.entries() {
        if !own.iter().any(|own| key.is(own)) {
            hidden(value, channel, origin, sink);
        }
    }
}

/// Gives all that stands in `value` on this channel, whatever roles are named in it.
pub(super) fn hidden<'a>(value: Raw<'a>, channel: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    json::walk(value, channel, origin, &mut |mut item| {
        if let Item::Message(message) = &mut item {
            message.channel = channel;
        }
        sink(item)
    });
}
