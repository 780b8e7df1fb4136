//! Qwen Code sessions: the envelope of Claude Code's records around the messages of Gemini CLI.
//!
//! A message's parts are texts, thoughts, calls of tools and their results. What a record keeps of
//! a tool's result beside its message repeats it, and so do the records of the system: telemetry,
//! and the history that a compression leaves. A sub-agent's answer is the result of the call of
//! `task`; how that is shown repeats it once more.

use super::raw::owned;
use super::{
    AgentCall, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json, text_message,
};
use crate::record::Channel;

/// Qwen Code sessions.
pub struct Qwen;

/// Tools that call an agent.
const AGENT_TOOLS: &[&str] = &["task", "agent"];

impl Transcript for Qwen {
    fn id(&self) -> &'static str {
        "qwen"
    }

    fn reads(&self) -> &'static str {
        "Qwen Code session JSONL"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and `sessionId` whose message has `parts`, or with `systemPayload` or `toolCallResult`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, session, message, payload, result] =
            record.fields(["type", "sessionId", "message", "systemPayload", "toolCallResult"]);
        kind.is_some()
            && session.is_some()
            && (payload.is_some()
                || result.is_some()
                || message.is_some_and(|message| message.get("parts").is_some()))
    }

    fn read<'a>(&self, record: Raw<'a>, _: &Session, sink: Sink<'_, 'a>) {
        let [kind, subtype, message, id, uuid, time, agent_id, agent, sidechain, result, payload] =
            record.fields([
                "type",
                "subtype",
                "message",
                "sessionId",
                "uuid",
                "timestamp",
                "agentId",
                "agentName",
                "isSidechain",
                "toolCallResult",
                "systemPayload",
            ]);
        let (uuid, agent_id) = (owned(uuid), owned(agent_id));
        let origin = Origin {
            place: "message",
            session_id: owned(id),
            agent: owned(agent),
            called: agent_id.is_some() || sidechain.is_some_and(|flag| flag.is_true()),
            agent_id,
            record_id: uuid.clone(),
            message_id: uuid,
            timestamp: owned(time),
            ..Origin::default()
        };
        let speaker = match kind.and_then(|kind| kind.text()).as_deref() {
            Some("assistant") => Channel::Assistant,
            Some("tool_result") => Channel::ToolResult,
            // A notification and the like is delivered as if a person had written it.
            Some("user") if subtype.is_none_or(|word| !word.is_string()) => Channel::User,
            _ => Channel::System,
        };
        let shown = result.and_then(|result| result.get("resultDisplay"));
        let status = result.and_then(|result| result.get("status"));
        if let Some(message) = message {
            let [parts, role] = message.fields(["parts", "role"]);
            let spoken = speaker == Channel::Assistant && role.is_some_and(|role| role.is("user"));
            let speaker = if spoken { Channel::User } else { speaker };
            if let Some(parts) = parts {
                read_parts(parts, speaker, shown.as_ref(), status.as_ref(), &origin, sink);
            }
        }
        if let Some(shown) = shown.filter(|shown| shows_agent(shown)) {
            let call = result.and_then(|result| owned(result.get("callId")));
            let origin = relayed("resultDisplay", call, Some(&shown), &origin);
            if let Some(answer) = shown.get("result") {
                json::all(answer, Channel::AgentResult, &origin, sink);
            }
        }
        for repeated in [result, payload].into_iter().flatten() {
            sink(Item::Echo(repeated));
        }
    }
}

/// Whether a shown result is that of an agent.
fn shows_agent(shown: &Raw<'_>) -> bool {
    shown.get("type").is_some_and(|kind| kind.is("task_execution"))
}

/// Where the answer of the agent comes from that was called by `call`.
fn relayed(
    place: &'static str,
    call: Option<String>,
    shown: Option<&Raw<'_>>,
    origin: &Origin,
) -> Origin {
    let name = shown.and_then(|shown| shown.get("subagentName")).and_then(|name| name.owned());
    Origin {
        place,
        agent: name,
        tool_call_id: call.clone(),
        agent_call: call,
        called: true,
        ..origin.clone()
    }
}

/// Gives what the parts of a message say; its texts are one text.
fn read_parts<'a>(
    parts: Raw<'a>,
    speaker: Channel,
    shown: Option<&Raw<'a>>,
    status: Option<&Raw<'a>>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let mut texts = Vec::new();
    let single = (!parts.is_array()).then_some(parts);
    for part in parts.items().chain(single) {
        let [text, thought, call, response] =
            part.fields(["text", "thought", "functionCall", "functionResponse"]);
        if call.is_some() || response.is_some() {
            joined(std::mem::take(&mut texts), speaker, origin, sink);
        }
        if let Some(call) = call {
            function_call(call, speaker, origin, sink);
        } else if let Some(response) = response {
            function_response(response, shown, status, origin, sink);
        } else if let Some(text) = text {
            if thought.is_some_and(|flag| flag.is_true()) {
                text_message(text, Channel::Thinking, "thought", origin, sink);
            } else if text.is_string() {
                texts.push(text);
            }
        } else if part.is_string() {
            texts.push(part);
        }
    }
    joined(texts, speaker, origin, sink);
}

/// Gives the parts of one text.
fn joined<'a>(texts: Vec<Raw<'a>>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    if !texts.is_empty() {
        let body = Body::Joined(texts);
        sink(Item::Message(Message { channel: speaker, body, origin: origin.clone() }));
    }
}

fn function_call<'a>(call: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, name, args] = call.fields(["id", "name", "args"]);
    let (Some(name), Some(args)) = (name.and_then(|name| name.text()), args) else { return };
    let id = id.and_then(|id| id.owned());
    if let (Some(id), true) = (&id, AGENT_TOOLS.contains(&&*name)) {
        let [agent, description] = args.fields(["subagent_type", "description"]);
        sink(Item::Call(AgentCall {
            id: id.clone(),
            agent: agent.and_then(|agent| agent.owned()),
            description: description.and_then(|text| text.owned()),
        }));
    }
    let channel = if speaker == Channel::Assistant { Channel::ToolInput } else { speaker };
    let origin = Origin { place: "functionCall", tool_call_id: id, ..origin.clone() };
    sink(Item::Message(Message { channel, body: Body::Call(name, args), origin }));
}

fn function_response<'a>(
    response: Raw<'a>,
    shown: Option<&Raw<'a>>,
    status: Option<&Raw<'a>>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let [id, name, given] = response.fields(["id", "name", "response"]);
    let id = id.and_then(|id| id.owned());
    let Some(given) = given else { return };
    if let Some(tool_call_id) = id.clone() {
        let failed =
            status.map_or_else(|| given.get("error").is_some(), |status| !status.is("success"));
        sink(Item::Result { tool_call_id, taken: !failed });
    }
    let is_agent = shown.is_some_and(shows_agent)
        || name.and_then(|name| name.text()).is_some_and(|name| AGENT_TOOLS.contains(&&*name));
    if is_agent {
        let origin = relayed("functionResponse", id, shown, origin);
        json::all(given, Channel::AgentResult, &origin, sink);
    } else {
        let origin = Origin { place: "functionResponse", tool_call_id: id, ..origin.clone() };
        json::all(given, Channel::ToolResult, &origin, sink);
    }
}
