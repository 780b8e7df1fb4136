//! The output of `claude -p`: `stream-json` lines, the JSON array of the same events, and the one
//! `result` object of `json`.
//!
//! The last text stands twice, in its message and in the `result` event; a structured answer
//! stands as a tool input, as `structured_output` and as text. What a sub-agent says stands in its
//! own messages and in the result of its call; that of one in the background in a notification.
//! Partial messages (`stream_event`) come whole as well, and inputs that were denied or asked about
//! stand in their calls. A history that is replayed keeps the `uuid` of its records.

use super::claude_code::read_content;
use super::raw::owned;
use super::{
    Beside, Body, Item, Message, Origin, Raw, Session, Sink, Stop, Transcript, json, text_message,
};
use crate::record::Channel;

/// `claude -p --output-format stream-json` and `json`.
pub struct ClaudeStream;

impl Transcript for ClaudeStream {
    fn id(&self) -> &'static str {
        "claude-stream"
    }

    fn reads(&self) -> &'static str {
        "claude -p --output-format stream-json or json, as lines or as one array"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and `session_id` or `parent_tool_use_id`, or a `result` with a `subtype`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, session, parent, subtype, request, response] = record.fields([
            "type",
            "session_id",
            "parent_tool_use_id",
            "subtype",
            "request",
            "response",
        ]);
        kind.is_some_and(|kind| {
            session.is_some()
                || parent.is_some()
                || (subtype.is_some() && kind.is("result"))
                || (request.is_some() && kind.is("control_request"))
                || (response.is_some() && kind.is("control_response"))
        })
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let [id, cwd] = first.fields(["session_id", "cwd"]);
        Session { id: owned(id), cwd: owned(cwd).map(Into::into), ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, subtype, message, beside, id, parent, agent, uuid, time] = record.fields([
            "type",
            "subtype",
            "message",
            "tool_use_result",
            "session_id",
            "parent_tool_use_id",
            "subagent_type",
            "uuid",
            "timestamp",
        ]);
        let agent_call = owned(parent);
        let uuid = owned(uuid);
        let origin = Origin {
            session_id: owned(id).or_else(|| session.id.clone()),
            agent: owned(agent).filter(|_| agent_call.is_some()),
            message_id: message
                .and_then(|message| owned(message.get("id")))
                .or_else(|| uuid.clone()),
            record_id: uuid,
            timestamp: owned(time),
            cwd: session.cwd.clone(),
            stop: message.as_ref().and_then(Stop::of),
            called: agent_call.is_some(),
            agent_call,
            ..Origin::default()
        };
        let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
        match &*kind {
            "assistant" | "user" => {
                let Some(content) = message.and_then(|message| message.get("content")) else {
                    return;
                };
                let is_agent = kind == "assistant";
                let speaker = if is_agent { Channel::Assistant } else { Channel::User };
                read_content(content, speaker, beside, &origin, sink);
            }
            "result" => result(record, &origin, sink),
            "system" => system(record, subtype, &origin, sink),
            "control_response" | "stream_event" => {
                sink(Item::Echo(record));
            }
            "thinking" => json::walk(record, Channel::Thinking, &origin, sink),
            "tool_use_summary" => json::walk(record, Channel::Summary, &origin, sink),
            "rate_limit_event" | "tool_progress" | "auth_status" | "conversation_reset"
            | "prompt_suggestion" | "keep_alive" | "control_request" => {
                json::walk(record, Channel::System, &origin, sink);
            }
            _ => {}
        }
    }
}

/// Gives what a run ends with.
fn result<'a>(record: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [result, structured, denials, errors] =
        record.fields(["result", "structured_output", "permission_denials", "errors"]);
    if let Some(value) = structured.filter(Raw::is_object) {
        let origin = origin.at("structured_output");
        let (channel, body) = (Channel::Event, Body::Value(value));
        sink(Item::Message(Message { channel, body, origin }));
    }
    if let Some(result) = result {
        text_message(result, Channel::Assistant, "result", origin, sink);
    }
    if let Some(denials) = denials {
        sink(Item::Echo(denials));
    }
    if let Some(errors) = errors {
        json::walk(errors, Channel::System, origin, sink);
    }
}

/// Gives what the tool tells of a run; that a task in the background has ended is its answer.
fn system<'a>(record: Raw<'a>, subtype: Option<Raw<'a>>, origin: &Origin, sink: Sink<'_, 'a>) {
    let tells = |word: &str| subtype.is_some_and(|subtype| subtype.is(word));
    if tells("task_notification") || tells("task_updated") {
        let [task, call, summary, result, patch] =
            record.fields(["task_id", "tool_use_id", "summary", "result", "patch"]);
        let patched = patch.map_or([None; 2], |patch| patch.fields(["result", "summary"]));
        let agent_id = owned(task);
        // A command in the background is a task as well: only the call tells.
        let answer = Origin {
            message_id: agent_id.clone().or_else(|| origin.message_id.clone()),
            agent_id,
            agent_call: owned(call),
            needs_call: true,
            called: true,
            ..origin.clone()
        };
        for text in [result, summary].into_iter().chain(patched).flatten() {
            text_message(text, Channel::AgentResult, "task_notification", &answer, sink);
        }
        for (_, value) in record
            .entries()
            .filter(|(key, _)| !["summary", "result", "patch"].iter().any(|told| key.is(told)))
        {
            json::walk(value, Channel::System, origin, sink);
        }
    } else {
        json::walk(record, Channel::System, &origin.at("system"), sink);
    }
}
