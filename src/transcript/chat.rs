//! Messages as chat APIs and the frameworks around them write them.
//!
//! Takes a message, or a list of them, and gives what each says by its role: a text or parts as
//! content, calls of tools beside or within it, and what a tool answers. The shapes are those of
//! `OpenAI`, Anthropic, OpenTelemetry, `LangChain` and what resembles them. What others than the
//! assistant say is given as it stands: roles within it speak for nobody.

use super::raw::owned;
use super::{Body, Item, Message, Origin, Raw, Sink, Stop, json};
use crate::record::Channel;

/// Keys of a message that repeat what stands under its others.
const REPEATED: [&str; 7] = [
    "extra",
    "additional_kwargs",
    "response_metadata",
    "content_blocks",
    "provider_specific_fields",
    "tool_call_chunks",
    "raw",
];

/// Gives what a message says, or each of a list (of lists) of them. `speaker` speaks where a
/// message has no role.
pub(super) fn messages<'a>(
    value: Raw<'a>,
    speaker: Option<Channel>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if value.is_array() {
        for item in value.items() {
            if item.is_array() {
                item.items().for_each(|item| message(item, speaker, origin, sink));
            } else {
                message(item, speaker, origin, sink);
            }
        }
    } else {
        message(value, speaker, origin, sink);
    }
}

/// Gives what a message says.
pub(super) fn message<'a>(
    message: Raw<'a>,
    speaker: Option<Channel>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    message_level(message, speaker, origin, SERIALISED, sink);
}

/// Messages around one another that are looked into: one serialised, in one that is kept.
const SERIALISED: u32 = 4;

fn message_level<'a>(
    message: Raw<'a>,
    speaker: Option<Channel>,
    origin: &Origin,
    levels: u32,
    sink: Sink<'_, 'a>,
) {
    let [role, kind, id, time, content, call_id, is_error, status, error, lc, kwargs, data] =
        message.fields([
            "role",
            "type",
            "id",
            "timestamp",
            "content",
            "tool_call_id",
            "is_error",
            "status",
            "error",
            "lc",
            "kwargs",
            "data",
        ]);
    let kwargs = kwargs.filter(|_| lc.is_some());
    let inner = kwargs.or(data).filter(|raw| raw.is_object() && content.is_none() && levels > 0);
    if let Some(inner) = inner {
        // A message that LangChain serialised: its class speaks for it.
        let class = id.and_then(|id| id.items().last()).or(kind).or(role);
        let speaker = class.map_or(speaker, |class| channel_of(&class).or(speaker));
        message_level(inner, speaker, origin, levels - 1, sink);
        return;
    }
    let speaker = match (role, kind.and_then(|kind| channel_of(&kind))) {
        // A role that nobody knows is none that an agent has.
        (Some(role), _) if role.is_string() => {
            Some(channel_of(&role).unwrap_or(Channel::ToolResult))
        }
        (_, Some(own)) => Some(own),
        _ => speaker,
    };
    let Some(speaker) = speaker else { return };
    if message.is_string() && speaker == Channel::Assistant {
        said(message, origin, sink);
        return;
    }
    let origin = Origin {
        // Where the format has an id of its own, that one counts.
        message_id: origin.message_id.clone().or_else(|| owned(id)),
        timestamp: owned(time).or_else(|| origin.timestamp.clone()),
        stop: stop(&message).or(origin.stop),
        ..origin.clone()
    };
    if speaker == Channel::ToolResult
        && let Some(tool_call_id) = owned(call_id)
    {
        let refused = is_error.is_some_and(|flag| flag.is_true())
            || status.is_some_and(|status| status.is("error"))
            || error.is_some_and(|error| error.bytes != b"null");
        sink(Item::Result { tool_call_id, taken: !refused });
    }
    if speaker != Channel::Assistant {
        json::all(message, speaker, &origin, sink);
        return;
    }
    assistant(message, &origin, sink);
}

/// Why the model stopped, which frameworks keep beside what the API gave.
fn stop(message: &Raw<'_>) -> Option<Stop> {
    Stop::of(message).or_else(|| Stop::of(&message.get("response_metadata")?))
}

/// Gives what a message of the assistant says.
fn assistant<'a>(message: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [content, parts, calls, legacy_call] =
        message.fields(["content", "parts", "tool_calls", "function_call"]);
    for (key, value) in message.entries() {
        match key.text().as_deref() {
            Some(
                "reasoning" | "reasoning_content" | "reasoning_details" | "thinking"
                | "thinking_blocks",
            ) => {
                json::all(value, Channel::Thinking, origin, sink);
            }
            Some(key) if REPEATED.contains(&key) => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
    for content in [content, parts].into_iter().flatten() {
        self::content(content, origin, sink);
    }
    let calls = calls.into_iter().flat_map(|calls| calls.items());
    calls.chain(legacy_call).for_each(|raw| {
        call(raw, origin, sink);
    });
}

/// Gives what the content of an assistant's message says: a text, an object, or parts.
pub(super) fn content<'a>(content: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    if content.is_array() {
        content.items().for_each(|item| part(item, origin, sink));
    } else {
        part(content, origin, sink);
    }
}

/// Gives what a part of an assistant's message says.
fn part<'a>(part: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    if part.is_string() {
        said(part, origin, sink);
        return;
    }
    let [kind, text, content] = part.fields(["type", "text", "content"]);
    match kind.and_then(|kind| kind.text()).as_deref() {
        Some("reasoning" | "thinking" | "redacted_thinking" | "reasoning-delta") => {
            json::all(part, Channel::Thinking, origin, sink);
        }
        Some(
            "tool_result"
            | "tool-result"
            | "tool_call_response"
            | "toolResult"
            | "function_call_output"
            | "server_tool_call_response",
        ) => json::all(part, Channel::ToolResult, origin, sink),
        _ if call(part, origin, sink) => {}
        _ => {
            let said_here = [text, content].into_iter().flatten();
            // The assistants of OpenAI say what they say in a `value` of its own.
            let texts = said_here.map(|text| text.get("value").unwrap_or(text));
            let mut any = false;
            for text in texts.filter(Raw::is_string) {
                any = true;
                said(text, origin, sink);
            }
            if !any && part.is_object() {
                // An answer that its program has parsed.
                json::walk(part, Channel::Assistant, &origin.or_at("message"), sink);
            }
        }
    }
}

/// Gives a call of a tool, in whatever shape. False where it is none.
pub(super) fn call<'a>(call: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) -> bool {
    let [function, name, tool_name, function_name, input, arguments, args, parameters] = call
        .fields([
            "function",
            "name",
            "toolName",
            "function_name",
            "input",
            "arguments",
            "args",
            "parameters",
        ]);
    let [inner_name, inner_arguments] =
        function.map_or([None; 2], |function| function.fields(["name", "arguments"]));
    // The name stands under `function` itself at times.
    let name =
        inner_name.or(name).or(tool_name).or(function_name).or(function.filter(Raw::is_string));
    let input = inner_arguments.or(input).or(arguments).or(args).or(parameters);
    let text = name.and_then(|name| name.text());
    let (Some(raw), Some(name), Some(input)) = (name, text, input) else { return false };
    sink(Item::Echo(raw));
    let ids = call.fields(["id", "tool_call_id", "toolCallId", "call_id"]);
    let tool_call_id = ids.into_iter().flatten().find_map(|id| id.owned());
    let origin = Origin { tool_call_id, ..origin.or_at("tool_call") };
    let body = Body::Call(name, input);
    sink(Item::Message(Message { channel: Channel::ToolInput, body, origin }));
    true
}

/// Gives a text of the assistant.
fn said<'a>(text: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let body = Body::Text(text);
    let origin = origin.or_at("message");
    sink(Item::Message(Message { channel: Channel::Assistant, body, origin }));
}

/// The channel that a word for a role means, if it is one.
pub(super) fn channel_of(word: &Raw<'_>) -> Option<Channel> {
    Some(match word.text()?.as_ref() {
        "assistant" | "agent" | "model" | "ai" | "AIMessage" | "AIMessageChunk" | "ASSISTANT" => {
            Channel::Assistant
        }
        "user" | "human" | "HumanMessage" | "HumanMessageChunk" | "USER" => Channel::User,
        "system" | "developer" | "SystemMessage" | "SYSTEM" => Channel::System,
        "tool" | "function" | "environment" | "ToolMessage" | "FunctionMessage" | "TOOL" => {
            Channel::ToolResult
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_within_messages_cost_no_stack() {
        const DEEP: usize = 100_000;
        let text = "{\"lc\":1,\"kwargs\":".repeat(DEEP) + "\"deep\"" + &"}".repeat(DEEP);
        let raw = Raw::at(text.as_bytes(), 0, 0);
        let mut items = 0;
        message(raw, Some(Channel::Assistant), &Origin::default(), &mut |_| {
            items += 1;
            false
        });
        assert_eq!(items, 0, "what lies deeper is in no item, so that it is counted");
    }
}
