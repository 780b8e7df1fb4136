//! Event files of version 1: one event a file, each with its kind.
//!
//! Takes an event, gives what it says: messages, thoughts and calls of the agent, what tools and the
//! agents that it called give back. Never reads the parsed `action`, which repeats its call.

use super::super::chat::content;
use super::super::{AgentCall, Body, Item, Message, Origin, Raw, Sink, json};
use super::{call, said};
use crate::record::Channel;

/// Kinds of events of version 1 by which nobody says anything.
const BESIDE: [&str; 8] = [
    "ConversationStateUpdateEvent",
    "ConversationErrorEvent",
    "CondensationRequest",
    "PauseEvent",
    "InterruptEvent",
    "TokenEvent",
    "LLMCompletionLogEvent",
    "StreamingDeltaEvent",
];

/// An event of version 1.
pub(super) fn event<'a>(event: Raw<'a>, kind: &str, origin: &Origin, sink: Sink<'_, 'a>) {
    let [source, message, extended, call_id, thought, sender, reason, error] = event.fields([
        "source",
        "llm_message",
        "extended_content",
        "tool_call_id",
        "thought",
        "sender",
        "rejection_reason",
        "error",
    ]);
    let origin = Origin {
        record_id: origin.message_id.clone(),
        tool_call_id: call_id.and_then(|id| id.owned()),
        ..origin.clone()
    };
    match kind {
        "MessageEvent" => {
            if let Some(extended) = extended {
                json::all(extended, Channel::System, &origin, sink);
            }
            let Some(message) = message else { return };
            if source.is_some_and(|source| source.is("agent")) {
                let agent = sender.and_then(|sender| sender.owned()).or(origin.agent);
                super::super::chat::message(
                    message,
                    Some(Channel::Assistant),
                    &Origin { agent, ..origin },
                    sink,
                );
            } else {
                json::all(message, Channel::User, &origin, sink);
            }
        }
        "ActionEvent" => {
            if let Some(thought) = thought {
                let origin = Origin { tool_call_id: None, ..origin.clone() };
                content(thought, &origin, sink);
            }
            action(event, &origin, sink);
        }
        "ObservationEvent" => observation(event, &origin, sink),
        "AgentErrorEvent" | "UserRejectObservation" => {
            if let Some(tool_call_id) = origin.tool_call_id.clone() {
                sink(Item::Result { tool_call_id, taken: false });
            }
            for text in [reason, error].into_iter().flatten() {
                json::all(text, Channel::ToolResult, &origin, sink);
            }
        }
        "SystemPromptEvent" => json::all(event, Channel::System, &origin, sink),
        "Condensation" | "CondensationSummaryEvent" => {
            json::all(event, Channel::Summary, &origin, sink);
        }
        kind if BESIDE.contains(&kind) => {
            sink(Item::Echo(event));
        }
        _ => {}
    }
}

/// What an agent does in version 1.
fn action<'a>(event: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [action, tool_name, tool_call, reasoning, blocks, items, summary] = event.fields([
        "action",
        "tool_name",
        "tool_call",
        "reasoning_content",
        "thinking_blocks",
        "responses_reasoning_item",
        "summary",
    ]);
    for thinking in [reasoning, blocks, items].into_iter().flatten() {
        json::all(thinking, Channel::Thinking, origin, sink);
    }
    if let Some(summary) = summary {
        sink(Item::Echo(summary));
    }
    let [kind, text, data, thought] =
        action.map_or([None; 4], |action| action.fields(["kind", "message", "data", "thought"]));
    let is_kind = |name: &str| kind.is_some_and(|kind| kind.is(name));
    let is_tool = |name: &str| tool_name.is_some_and(|tool| tool.is(name));
    let repeated = |sink: Sink<'_, 'a>| {
        [tool_call, action].into_iter().flatten().for_each(|raw| {
            sink(Item::Echo(raw));
        });
    };
    if is_kind("FinishAction") || is_tool("finish") {
        said(text, "final_thought", origin, sink);
        repeated(sink);
        return;
    }
    if is_kind("ThinkAction") || is_tool("think") {
        if let Some(thought) = thought {
            json::all(thought, Channel::Thinking, origin, sink);
        }
        repeated(sink);
        return;
    }
    let [call_name, written] =
        tool_call.map_or([None; 2], |call| call.fields(["name", "arguments"]));
    // Of an MCP tool the parsed arguments are the whole input; elsewhere its kind stands among them.
    let data = data.filter(|_| is_kind("MCPToolAction"));
    let name = tool_name.or(call_name).and_then(|name| name.text());
    if let (Some(name), Some(input)) = (name, data.or(written).or(action)) {
        if let (true, Some(id)) = (calls_agent(&name), origin.tool_call_id.clone()) {
            let agent = action.and_then(|action| action.get("subagent_type"));
            let agent = agent.and_then(|agent| agent.owned());
            sink(Item::Call(AgentCall { id, agent, description: None }));
        }
        call(name, input, origin, sink);
    }
    repeated(sink);
}

/// Whether a tool of version 1 has other agents do the work.
fn calls_agent(tool: &str) -> bool {
    matches!(tool, "delegate" | "task" | "TaskTool" | "DelegateTool" | "task_tool_set")
}

/// What a tool answers in version 1.
fn observation<'a>(event: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [observation, tool_name] = event.fields(["observation", "tool_name"]);
    let Some(observation) = observation else { return };
    let [kind, is_error, error, exit, text, agent, agent_id] = observation.fields([
        "kind",
        "is_error",
        "error",
        "exit_code",
        "content",
        "subagent",
        "task_id",
    ]);
    let is_agent = tool_name.and_then(|name| name.text()).is_some_and(|name| calls_agent(&name))
        || kind.is_some_and(|kind| kind.is("TaskObservation") || kind.is("DelegateObservation"));
    if is_agent {
        let origin = Origin {
            place: "delegate",
            agent: agent.and_then(|agent| agent.owned()),
            agent_id: agent_id.and_then(|id| id.owned()),
            agent_call: origin.tool_call_id.clone(),
            called: true,
            ..origin.clone()
        };
        let parts = text.into_iter().flat_map(|text| text.items()).chain(text);
        for part in parts.map(|part| part.get("text").unwrap_or(part)).filter(Raw::is_string) {
            let (channel, body) = (Channel::AgentResult, Body::Text(part));
            sink(Item::Message(Message { channel, body, origin: origin.clone() }));
        }
        return;
    }
    if let Some(tool_call_id) = origin.tool_call_id.clone() {
        let failed = is_error.is_some_and(|flag| flag.is_true())
            || error.is_some_and(|error| error.bytes != b"null" && error.bytes != b"false")
            || exit.is_some_and(|exit| !matches!(exit.bytes, b"0" | b"null"));
        sink(Item::Result { tool_call_id, taken: !failed });
    }
    json::all(observation, Channel::ToolResult, origin, sink);
}
