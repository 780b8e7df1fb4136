//! The content of a message: a text, or blocks.
//!
//! Takes what stands in a message's `content`, gives its texts, calls of tools and results. A block
//! of a kind that is not known here is in no item, so that it is counted.

use memchr::memmem;

use super::{numbered, relay};
use crate::record::Channel;
use crate::transcript::frame::Damage;
use crate::transcript::raw::unescape;
use crate::transcript::{AgentCall, Body, Item, Message, Origin, Raw, Sink, json, text_message};

/// Gives what the `content` of a message says: a text, or content blocks. `beside` is what the
/// record keeps of a tool's result beside the message.
pub fn read_content<'a>(
    content: Raw<'a>,
    speaker: Channel,
    beside: Option<Raw<'a>>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if content.is_string() {
        said(content, speaker, origin, sink);
    }
    if spread(content, speaker, origin, sink) {
        return;
    }
    let mut call = None;
    for block in content.items() {
        if block.is_string() {
            said(block, speaker, origin, sink);
            continue;
        }
        let [kind, text, thinking, id, name, input, result_of, result, is_error, citations] = block
            .fields([
                "type",
                "text",
                "thinking",
                "id",
                "name",
                "input",
                "tool_use_id",
                "content",
                "is_error",
                "citations",
            ]);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("text") => {
                if let Some(text) = text {
                    said(text, speaker, origin, sink);
                }
                // What it quotes.
                if let Some(citations) = citations {
                    json::walk(citations, Channel::ToolResult, origin, sink);
                }
            }
            Some("thinking") => {
                if let Some(thinking) = thinking {
                    text_message(thinking, Channel::Thinking, "thinking", origin, sink);
                }
            }
            Some("reasoning") => json::walk(block, Channel::Thinking, origin, sink),
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                if let (Some(name), Some(input)) = (name.and_then(|name| name.text()), input) {
                    let id = id.and_then(|id| id.owned());
                    agent_call(id.as_deref(), &input, sink);
                    let channel =
                        if speaker == Channel::Assistant { Channel::ToolInput } else { speaker };
                    let origin = Origin {
                        place: "tool_use",
                        record_id: part_of(origin, id.as_deref()),
                        tool_call_id: id,
                        ..origin.clone()
                    };
                    let body = Body::Call(name, input);
                    sink(Item::Message(Message { channel, body, origin }));
                }
            }
            Some("tool_result" | "mcp_tool_result") => {
                let id = result_of.and_then(|id| id.owned());
                let refused = is_error.is_some_and(|flag| flag.is_true());
                if let Some(id) = &id {
                    let item = Item::Result { tool_call_id: id.clone(), taken: !refused };
                    sink(item);
                }
                if let Some(result) = result {
                    let relay = relay::Relay::of(&result, beside.as_ref());
                    let origin =
                        Origin { record_id: part_of(origin, id.as_deref()), ..origin.clone() };
                    relay.read(result, "tool_result", id.as_deref(), &origin, sink);
                    call = Some((relay, id, origin));
                }
            }
            // What the service's own tools found, and what a person attached.
            Some("document" | "search_result" | "image" | "container_upload") => {
                json::walk(block, Channel::ToolResult, origin, sink);
            }
            Some(kind) if kind.ends_with("_tool_result") => {
                json::walk(block, Channel::ToolResult, origin, sink);
            }
            _ => {}
        }
    }
    let Some(beside) = beside else { return };
    let place = "toolUseResult";
    if let Some((relay, id, origin)) = call {
        let again = relay.again(beside);
        for answer in again.into_iter().flatten() {
            relay.read(answer, place, id.as_deref(), &origin, sink);
        }
        // Prompts, and what else is told of the call.
        let origin = Origin { place, tool_call_id: id, ..origin };
        around(beside, again, &origin, sink);
    } else {
        json::walk(beside, Channel::ToolResult, &origin.at(place), sink);
    }
}

/// Gives what stands in an object beside these values of it, as a tool's word.
fn around<'a>(object: Raw<'a>, values: [Option<Raw<'a>>; 2], origin: &Origin, sink: Sink<'_, 'a>) {
    for (_, value) in object.entries() {
        let end = value.offset + value.bytes.len();
        let holds = |inner: &Raw<'_>| (value.offset..end).contains(&inner.offset);
        let is_own = |inner: &Raw<'_>| inner.offset == value.offset;
        if values.iter().flatten().any(is_own) {
            continue;
        }
        if values.iter().flatten().any(holds) {
            around(value, values, origin, sink);
        } else {
            json::walk(value, Channel::ToolResult, origin, sink);
        }
    }
}

/// Gives a text whose characters stand one by one. False where `value` is none.
pub(super) fn spread<'a>(
    value: Raw<'a>,
    speaker: Channel,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) -> bool {
    let Some(characters) = numbered::characters(&value) else { return false };
    sink(Item::Fault(Damage::Numbered, value.offset));
    let origin = origin.at(speaker.word());
    let body = Body::Joined(characters);
    sink(Item::Message(Message { channel: speaker, body, origin }));
    true
}

/// The id of a call or its result in a record, over all sessions.
fn part_of(origin: &Origin, call: Option<&str>) -> Option<String> {
    origin.record_id.as_ref().map(|id| format!("{id}\0{}", call.unwrap_or_default()))
}

/// Gives what a text says: a sub-agent's answer, if it tells that a task has ended.
fn said<'a>(text: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    if matches!(speaker, Channel::User | Channel::System) && relay::notifies(&text) {
        relay::notification(text, "task-notification", origin, sink);
    } else {
        text_message(text, speaker, speaker.word(), origin, sink);
    }
}

/// Gives the call of an agent, if the input of a tool call is one.
fn agent_call(id: Option<&str>, input: &Raw<'_>, sink: Sink<'_, '_>) {
    // An input may be an object in a string.
    let body = input.body().filter(|body| memmem::find(body, b"subagent_type").is_some());
    let decoded = body.map(unescape).unwrap_or_default();
    let decoded = decoded.trim_start().as_bytes();
    let input = if input.is_string() { Raw::at(decoded, 0, 0) } else { *input };
    let [agent, description] = input.fields(["subagent_type", "description"]);
    if let (Some(id), Some(agent)) = (id, agent) {
        sink(Item::Call(AgentCall {
            id: id.to_owned(),
            agent: agent.owned(),
            description: description.and_then(|text| text.owned()),
        }));
    }
}
