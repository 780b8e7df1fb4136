//! What the logs of tracing tools have in common: spans, of which those around others repeat what
//! these say.
//!
//! A trace is a session. A span that is a call of a model counts by its own id. All other spans of
//! a trace (agents, chains, the trace itself) repeat, level by level, what the calls within them
//! gave: a content that several of them have is one review, and none where a call of a model has it
//! too. Takes outputs in whatever shape, and gives what the model says in them.

use super::chat;
use super::{Body, Item, Message, Nested, Origin, Raw, Sink, json};
use crate::record::Channel;

/// Levels of an output that are looked into.
const LEVELS: u32 = 16;

/// What a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A call of a model.
    Model,
    /// A call of a tool, or of whatever else is no agent.
    Tool,
    /// Anything around them.
    Outer,
}

/// The origin of what a span says.
pub(super) fn origin(trace: Option<String>, span: Option<String>, kind: Kind) -> Origin {
    let (place, record_id) = match kind {
        // The place of a text or of a call, by what it is.
        Kind::Model => ("", None),
        Kind::Tool => ("tool", None),
        Kind::Outer => ("outer", trace.clone()),
    };
    Origin { place, session_id: trace, message_id: span, record_id, ..Origin::default() }
}

/// Gives what a span gave as its output: JSON, or JSON in a string, or a text.
pub(super) fn output<'a>(value: Raw<'a>, kind: Kind, origin: &Origin, sink: Sink<'_, 'a>) {
    match kind {
        Kind::Tool => json::all(value, Channel::ToolResult, origin, sink),
        _ if value.is_string() => nested(value, Channel::Assistant, origin, answer, sink),
        _ => answer(value, origin, sink),
    }
}

/// Gives JSON in a string.
pub(super) fn nested<'a>(
    raw: Raw<'a>,
    channel: Channel,
    origin: &Origin,
    read: for<'b> fn(Raw<'b>, &Origin, Sink<'_, 'b>),
    sink: Sink<'_, 'a>,
) {
    // A text takes the place that a message has.
    let is_json = raw.body().is_some_and(opens_json);
    let origin = if is_json { origin.clone() } else { origin.or_at("message") };
    sink(Item::Nested(Nested { raw, channel, origin, read }));
}

fn opens_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Gives what a model, or a program around it, answers.
pub(super) fn answer<'a>(value: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    answer_level(value, origin, LEVELS, sink);
}

/// Keys of an output under which a program keeps what it was given.
const INPUTS: [&str; 16] = [
    "input",
    "inputs",
    "question",
    "query",
    "prompt",
    "prompts",
    "system",
    "instructions",
    "chat_history",
    "history",
    "context",
    "documents",
    "intermediate_steps",
    "tools",
    "functions",
    "response_format",
];

fn answer_level<'a>(value: Raw<'a>, origin: &Origin, levels: u32, sink: Sink<'_, 'a>) {
    if levels == 0 {
        // It stays unknown.
    } else if value.is_array() {
        value.items().for_each(|item| answer_level(item, origin, levels - 1, sink));
    } else if value.body().is_some_and(opens_json) {
        nested(value, Channel::Assistant, origin, answer, sink);
    } else if value.is_string() {
        chat::content(value, origin, sink);
    } else if value.is_object() {
        let [role, lc, parts, calls, kind, message] =
            value.fields(["role", "lc", "parts", "tool_calls", "type", "message"]);
        let is_message = [role, lc, parts, calls].iter().any(Option::is_some)
            || kind.is_some_and(|kind| chat::channel_of(&kind).is_some());
        if is_message {
            chat::message(value, Some(Channel::Assistant), origin, sink);
        } else if let Some(message) = message.filter(Raw::is_object) {
            // A choice: its text repeats its message.
            let beside = ["text", "generation_info", "generationInfo", "logprobs", "delta"];
            json::echo(&value, &beside, sink);
            answer_level(message, origin, levels - 1, sink);
        } else if kind.is_some_and(|kind| kind.is_string()) {
            chat::content(value, origin, sink);
        } else if !chat::call(value, origin, sink) {
            object(value, origin, levels, sink);
        }
    }
}

/// Gives what an object says that is no message: it may be a review, or hold what is one.
fn object<'a>(value: Raw<'a>, origin: &Origin, levels: u32, sink: Sink<'_, 'a>) {
    let (channel, body) = (Channel::Assistant, Body::Value(value));
    if sink(Item::Message(Message { channel, body, origin: origin.or_at("message") })) {
        return;
    }
    for (key, value) in value.entries() {
        match key.text().as_deref() {
            Some("reasoning" | "reasoning_content" | "thinking") => {
                json::all(value, Channel::Thinking, origin, sink);
            }
            Some(key) if INPUTS.contains(&key) => json::all(value, Channel::User, origin, sink),
            _ => answer_level(value, origin, levels - 1, sink),
        }
    }
}

/// Gives the call of a tool that a span is.
pub(super) fn tool_call<'a>(
    name: std::borrow::Cow<'a, str>,
    input: Raw<'a>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let body = Body::Call(name, input);
    let origin = origin.clone();
    sink(Item::Message(Message { channel: Channel::ToolInput, body, origin }));
}
