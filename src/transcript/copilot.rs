//! GitHub Copilot CLI sessions: `events.jsonl`, the flat files before it, and the one JSON document
//! of the first versions.
//!
//! The agent's word is `assistant.message`, with the calls of its tools in it; `tool.execution_start`
//! repeats a call. Sub-agents speak in the same file, with the call that started them beside what
//! they say; the answer stands again as the result of that call, in short and in detail. A result
//! does not name its tool, so only the call tells whether an agent answers. What a person writes
//! stands twice too, as it was typed and as the model gets it; hooks, requests for permission and
//! pieces of what comes whole are passed over.

use std::borrow::Cow;

use super::gemini::is_uuid;
use super::raw::owned;
use super::{
    AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json,
    text_message,
};
use crate::record::Channel;

/// GitHub Copilot CLI sessions.
pub struct Copilot;

/// What the types of events start with.
const HEADS: &[&str] = &[
    "session.",
    "user.",
    "assistant.",
    "tool.",
    "subagent.",
    "system.",
    "hook.",
    "skill.",
    "permission.",
    "external_tool.",
];

/// Types of events, or what they start with, that repeat what others say.
const REPEATING: &[&str] = &[
    "hook.",
    "permission.",
    "assistant.message_delta",
    "assistant.streaming_delta",
    "assistant.reasoning_delta",
    "tool.execution_partial_result",
    "tool.execution_progress",
];

/// A tool that gives the answer of an agent in the background.
const READ_AGENT: &str = "read_agent";
/// A tool that calls an agent.
const TASK: &str = "task";
/// The tool by which an agent says its last word.
const TASK_COMPLETE: &str = "task_complete";

impl Transcript for Copilot {
    fn id(&self) -> &'static str {
        "copilot"
    }

    fn reads(&self) -> &'static str {
        "GitHub Copilot CLI sessions: events.jsonl, older flat files and documents"
    }

    fn recognised_by(&self) -> &'static str {
        "records with an object `data` and a type such as `session.…`, `assistant.…`, `tool.…`; `chatMessages` with `timeline`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, data, id, time, messages, timeline] =
            record.fields(["type", "data", "id", "timestamp", "chatMessages", "timeline"]);
        if messages.is_some() && timeline.is_some() {
            return true;
        }
        // The ids stand behind the data, where a record that is torn does not reach.
        let has_id = id.or(time).is_some() || !record.whole;
        let is_event = has_id && data.is_some_and(|data| data.is_object());
        is_event
            && kind.and_then(|kind| kind.body()).is_some_and(|kind| {
                kind == b"abort" || HEADS.iter().any(|head| kind.starts_with(head.as_bytes()))
            })
    }

    fn session(&self, first: &Raw<'_>, beside: &Beside) -> Session {
        let [data, own] = first.fields(["data", "sessionId"]);
        let told = own.or_else(|| data?.get("sessionId")).and_then(|id| id.owned());
        // The folder of a session has its name, or its only file has.
        let kept = || match beside.stem()? {
            "events" => beside.folder(1),
            stem => Some(stem).filter(|stem| is_uuid(stem)),
        };
        let id = told.or_else(|| kept().map(str::to_owned));
        Session { id, ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, data, id, time, agent_id, messages, timeline] = record.fields([
            "type",
            "data",
            "id",
            "timestamp",
            "agentId",
            "chatMessages",
            "timeline",
        ]);
        if let Some(messages) = messages {
            let origin = Origin { session_id: session.id.clone(), ..Origin::default() };
            messages.items().for_each(|message| chat_message(message, &origin, sink));
            timeline.map(|timeline| sink(Item::Echo(timeline)));
            return;
        }
        let (Some(kind), Some(data)) = (kind.and_then(|kind| kind.text()), data) else { return };
        let [message_id, parent, own_agent] =
            data.fields(["messageId", "parentToolCallId", "agentId"]);
        let agent_call = owned(parent);
        let agent_id = owned(agent_id).or_else(|| owned(own_agent));
        let origin = Origin {
            session_id: session.id.clone(),
            called: agent_call.is_some() || agent_id.is_some(),
            agent_id,
            agent_call,
            message_id: owned(message_id).or_else(|| owned(id)),
            timestamp: owned(time),
            ..Origin::default()
        };
        event(&kind, data, &origin, sink);
    }
}

/// Gives what an event says.
fn event<'a>(kind: &str, data: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [content, call_id, name, arguments, summary] =
        data.fields(["content", "toolCallId", "toolName", "arguments", "summary"]);
    let call_id = call_id.and_then(|id| id.owned());
    match kind {
        "assistant.message" => assistant_message(data, origin, sink),
        "assistant.reasoning" => {
            json::all(data, Channel::Thinking, &origin.at("reasoning"), sink);
        }
        "tool.execution_start" | "tool.user_requested" | "external_tool.requested" => {
            if let (Some(name), Some(arguments)) = (name, arguments) {
                let origin = Origin { tool_call_id: call_id, ..origin.at("execution_start") };
                call(name, arguments, &origin, sink);
            }
        }
        "tool.execution_complete" => execution_complete(data, call_id, origin, sink),
        "subagent.started" => {
            if let (Some(id), Some(agent)) = (call_id, data.get("agentName")) {
                let agent = agent.owned();
                sink(Item::Call(AgentCall { id, agent, ..AgentCall::default() }));
            }
            json::all(data, Channel::System, &origin.at("subagent"), sink);
        }
        "session.task_complete" => {
            if let Some(summary) = summary {
                text_message(summary, Channel::Assistant, "session.task_complete", origin, sink);
            }
        }
        "session.compaction_complete" => {
            json::all(data, Channel::Summary, &origin.at("compaction"), sink);
        }
        "user.message" => {
            if let Some(content) = content {
                json::all(content, Channel::User, &origin.at("user.message"), sink);
            }
            // What the model gets of it, and what hangs on it.
            sink(Item::Echo(data));
        }
        _ if REPEATING.iter().any(|own| kind.starts_with(own)) => {
            sink(Item::Echo(data));
        }
        _ => json::all(data, Channel::System, &origin.at("system"), sink),
    }
}

fn assistant_message<'a>(data: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [content, requests, reasoning] = data.fields(["content", "toolRequests", "reasoningText"]);
    if let Some(reasoning) = reasoning {
        text_message(reasoning, Channel::Thinking, "reasoning", origin, sink);
    }
    if let Some(content) = content {
        said(content, Channel::Assistant, origin, sink);
    }
    for request in requests.into_iter().flat_map(|requests| requests.items()) {
        let [id, name, arguments, intention] =
            request.fields(["toolCallId", "name", "arguments", "intentionSummary"]);
        let origin =
            Origin { tool_call_id: id.and_then(|id| id.owned()), ..origin.at("toolRequests") };
        if let (Some(name), Some(arguments)) = (name, arguments) {
            agent_call(&name, &arguments, origin.tool_call_id.as_deref(), sink);
            call(name, arguments, &origin, sink);
        }
        // Put together out of the arguments.
        intention.map(|intention| sink(Item::Echo(intention)));
    }
}

/// Gives a text: a string, or the texts of parts.
fn said<'a>(content: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    text_message(content, speaker, "message", origin, sink);
    let texts: Vec<_> = content.items().filter_map(|part| part.get("text")).collect();
    if !texts.is_empty() {
        let (body, origin) = (Body::Joined(texts), origin.at("message"));
        sink(Item::Message(Message { channel: speaker, body, origin }));
    }
}

/// Gives what a tool is given; by `task_complete` the agent says its last word.
fn call<'a>(name: Raw<'a>, arguments: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let Some(tool) = name.text() else { return };
    // Its name may be that of a contract's own tool.
    sink(Item::Echo(name));
    if tool == TASK_COMPLETE {
        json::all(arguments, Channel::Assistant, origin, sink);
        return;
    }
    let (channel, body) = (Channel::ToolInput, Body::Call(tool, arguments));
    sink(Item::Message(Message { channel, body, origin: origin.clone() }));
}

/// Gives the call of an agent, if a tool calls one or asks for its answer.
fn agent_call(name: &Raw<'_>, arguments: &Raw<'_>, id: Option<&str>, sink: Sink<'_, '_>) {
    let Some(id) = id.filter(|_| name.is(TASK) || name.is(READ_AGENT)) else { return };
    // The arguments may be an object in a string.
    let decoded = arguments.text().map(|text| Cow::into_owned(text).into_bytes());
    let inner = decoded.as_deref().map(|bytes| Raw::at(bytes.trim_ascii_start(), 0, 0));
    let [agent, description] =
        inner.as_ref().unwrap_or(arguments).fields(["agent_type", "description"]);
    sink(Item::Call(AgentCall {
        id: id.to_owned(),
        agent: agent.and_then(|agent| agent.owned()),
        description: description.and_then(|text| text.owned()),
    }));
}

fn execution_complete<'a>(data: Raw<'a>, id: Option<String>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [success, result, error, telemetry] =
        data.fields(["success", "result", "error", "toolTelemetry"]);
    if let Some(tool_call_id) = id.clone() {
        let taken = success.map_or_else(|| error.is_none(), |success| success.is_true());
        sink(Item::Result { tool_call_id, taken });
    }
    let origin = Origin {
        tool_call_id: id.clone(),
        agent_call: id,
        needs_call: true,
        called: true,
        ..origin.clone()
    };
    let places = [("content", "result"), ("detailedContent", "detailed"), ("contents", "contents")];
    for (key, place) in places {
        if let Some(answer) = result.and_then(|result| result.get(key)) {
            json::all(answer, Channel::AgentResult, &origin.at(place), sink);
        }
    }
    if let Some(text) = result.filter(Raw::is_string) {
        json::all(text, Channel::AgentResult, &origin.at("result"), sink);
    }
    if let Some(error) = error {
        json::all(error, Channel::ToolResult, &origin.at("error"), sink);
    }
    telemetry.map(|telemetry| sink(Item::Echo(telemetry)));
}

/// Gives a message of the first versions' document.
fn chat_message<'a>(message: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [role, content, calls] = message.fields(["role", "content", "tool_calls"]);
    let speaker = match role.and_then(|role| role.text()).as_deref() {
        Some("assistant") => Channel::Assistant,
        Some("user") => Channel::User,
        Some("tool") => Channel::ToolResult,
        _ => Channel::System,
    };
    if let Some(content) = content {
        said(content, speaker, origin, sink);
    }
    for each in calls.into_iter().flat_map(|calls| calls.items()) {
        let [id, function] = each.fields(["id", "function"]);
        let [name, arguments] =
            function.map(|function| function.fields(["name", "arguments"])).unwrap_or_default();
        let origin =
            Origin { tool_call_id: id.and_then(|id| id.owned()), ..origin.at("tool_calls") };
        if let (Some(name), Some(arguments)) = (name, arguments) {
            call(name, arguments, &origin, sink);
        }
    }
}
