//! Items of the Responses API: messages, calls of tools and their outputs.
//!
//! Takes an item, as the payload of a record or as a line by itself, gives what it says. An item of
//! a type that is not known here is in no item given, so that it is counted.

use std::borrow::Cow;

use super::super::raw::owned;
use super::{agents, text_message};
use crate::record::Channel;
use crate::transcript::{Body, Item, Message, Origin, Raw, Sink, json};

/// Types of items in which other tools than the agent's own speak.
const OF_TOOLS: &[&str] = &[
    "web_search_call",
    "image_generation_call",
    "tool_search_call",
    "tool_search_output",
    "tool_result",
    "ghost_snapshot",
];

/// Whether a line is an item by itself: its type with the keys that go with it.
pub(super) fn is_bare(kind: &Raw<'_>, record: &Raw<'_>) -> bool {
    let has = |keys: [&str; 2]| record.fields(keys).iter().all(Option::is_some);
    match kind.text().as_deref() {
        Some("message") => {
            const KINDS: [&str; 3] = ["input_text", "output_text", "input_image"];
            let [role, content] = record.fields(["role", "content"]);
            let part = content.and_then(|content| content.items().next()?.get("type"));
            let is_known = |part: Raw<'_>| KINDS.iter().any(|kind| part.is(kind));
            role.is_some() && part.is_some_and(is_known)
        }
        Some("function_call") => has(["call_id", "arguments"]),
        Some("custom_tool_call") => has(["call_id", "input"]),
        Some("function_call_output" | "custom_tool_call_output") => has(["call_id", "output"]),
        Some("local_shell_call") => has(["status", "action"]),
        Some("reasoning") => has(["summary", "encrypted_content"]) || has(["summary", "id"]),
        _ => false,
    }
}

/// Gives what an item says.
pub(super) fn response_item<'a>(item: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [kind, role, content, name, arguments, input, call_id, output, id, action, author] = item
        .fields([
            "type",
            "role",
            "content",
            "name",
            "arguments",
            "input",
            "call_id",
            "output",
            "id",
            "action",
            "author",
        ]);
    let (id, call_id) = (owned(id), owned(call_id));
    let record_id = call_id.as_ref().or(id.as_ref()).filter(|id| id.len() >= UNIQUE).cloned();
    let origin = Origin { message_id: id, tool_call_id: call_id, record_id, ..origin.clone() };
    let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
    match &*kind {
        "message" => {
            let speaker = match role.and_then(|role| role.text()).as_deref() {
                Some("assistant") => Channel::Assistant,
                Some("user") => Channel::User,
                Some("tool") => Channel::ToolResult,
                _ => Channel::System,
            };
            let texts = content.into_iter().flat_map(|content| content.items());
            let texts = texts.filter_map(|item| item.get("text").or_else(|| item.get("refusal")));
            for text in texts.chain(content).filter(Raw::is_string) {
                let tells = speaker == Channel::User && notifies(&text);
                let channel = if tells { Channel::AgentResult } else { speaker };
                text_message(text, channel, "message", &origin, sink);
            }
        }
        "agent_message" => {
            if let Some(content) = content {
                agents::told(content, author, "inter_agent_message", &origin, sink);
            }
        }
        "function_call" | "custom_tool_call" => {
            if let (Some(name), Some(input)) =
                (name.and_then(|name| name.text()), arguments.or(input))
            {
                call(name, input, "function_call", &origin, sink);
            }
        }
        "local_shell_call" => {
            if let Some(action) = action {
                call("local_shell".into(), action, "function_call", &origin, sink);
            }
        }
        "function_call_output" if output.is_some_and(|output| agents::is_told(&output)) => {
            if let Some(output) = output {
                // The answers in it are messages of those who give them.
                let origin = Origin { message_id: None, tool_call_id: None, ..origin };
                text_message(output, Channel::AgentResult, "function_call_output", &origin, sink);
            }
        }
        "function_call_output" | "custom_tool_call_output" => {
            if let Some(output) = output {
                let origin = Origin { place: "function_call_output", ..origin };
                json::walk(output, Channel::ToolResult, &origin, sink);
            }
        }
        "reasoning" => json::walk(item, Channel::Thinking, &origin, sink),
        "compaction" | "compaction_summary" | "context_compaction" => {
            json::walk(item, Channel::Summary, &origin, sink);
        }
        "additional_tools" => json::walk(item, Channel::System, &origin, sink),
        of_tool if OF_TOOLS.contains(&of_tool) => {
            json::walk(item, Channel::ToolResult, &origin, sink);
        }
        _ => {}
    }
}

/// Bytes from which on an id is taken for one that no other session has: those of some models are
/// mere numbers.
const UNIQUE: usize = 20;

/// Whether a user's message is the tool's, and tells that a sub-agent has ended.
fn notifies(text: &Raw<'_>) -> bool {
    const HEAD: &[u8] = b"<subagent_notification>";
    text.body().is_some_and(|body| {
        body.get(..HEAD.len()).is_some_and(|head| head.eq_ignore_ascii_case(HEAD))
    })
}

/// Gives the call of a tool.
pub(super) fn call<'a>(
    name: Cow<'a, str>,
    input: Raw<'a>,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let origin = origin.at(place);
    let body = Body::Call(name, input);
    sink(Item::Message(Message { channel: Channel::ToolInput, body, origin }));
}
