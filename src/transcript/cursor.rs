//! Cursor: the lines of `agent-transcripts/`, and the tool calls of
//! `cursor-agent -p --output-format stream-json`, whose other events are those of `claude -p`.
//!
//! The lines have neither ids nor times; the session's id is the name of its folder. A sub-agent has
//! a file of its own in `subagents/`. Of a streamed tool call its start and its end hold the same
//! input. The older `.txt` transcripts are plain text.

use super::claude_code::read_content;
use super::{Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// Cursor transcripts.
pub struct Cursor;

/// The folder of all sessions, and that of a session's sub-agents.
const FOLDERS: [&str; 2] = ["agent-transcripts", "subagents"];

impl Transcript for Cursor {
    fn id(&self) -> &'static str {
        "cursor"
    }

    fn reads(&self) -> &'static str {
        "Cursor agent-transcripts JSONL with subagents/, tool calls of cursor-agent stream-json"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `role` and a `message` and no `type`, or `tool_call` records with a `tool_call`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, role, message, call] = record.fields(["type", "role", "message", "tool_call"]);
        match kind {
            None => {
                role.is_some_and(|role| role.is_string())
                    && message.is_some_and(|message| message.get("content").is_some())
            }
            Some(kind) => kind.is("tool_call") && call.is_some_and(|call| call.is_object()),
        }
    }

    fn session(&self, first: &Raw<'_>, beside: &Beside) -> Session {
        if let Some(id) = first.get("session_id") {
            return Session { id: id.owned(), ..Session::default() };
        }
        let [all, agents] = FOLDERS;
        let name = |name: Option<&str>| name.map(str::to_owned);
        let folder = beside.folder(1);
        if folder == Some(agents) {
            let (id, agent_id) = (name(beside.folder(2)), name(beside.stem()));
            Session { id, agent_id, ..Session::default() }
        } else if folder == Some(all) || beside.folder(2) == Some(all) {
            Session { id: name(beside.stem()), ..Session::default() }
        } else {
            Session::default()
        }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [role, message, call, id, call_id, time] = record.fields([
            "role",
            "message",
            "tool_call",
            "session_id",
            "call_id",
            "timestamp_ms",
        ]);
        let origin = Origin {
            session_id: id.and_then(|id| id.owned()).or_else(|| session.id.clone()),
            agent_id: session.agent_id.clone(),
            called: session.agent_id.is_some(),
            tool_call_id: call_id.and_then(|id| id.owned()),
            timestamp: time.and_then(|time| time.time()),
            ..Origin::default()
        };
        if let Some(call) = call {
            tool_call(call, &origin, sink);
            return;
        }
        let speaker = match role.and_then(|role| role.text()).as_deref() {
            Some("assistant") => Channel::Assistant,
            Some("user") => Channel::User,
            _ => Channel::System,
        };
        if let Some(content) = message.and_then(|message| message.get("content")) {
            read_content(content, speaker, None, &origin, sink);
        }
    }
}

/// Gives a tool call of the stream: `{"<name>ToolCall": {"args", "result"}}`.
fn tool_call<'a>(call: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    for (name, given) in call.entries() {
        let (Some(name), true) = (name.text(), given.is_object()) else { continue };
        let [input, result] = given.fields(["args", "result"]);
        if let Some(input) = input {
            let origin = origin.at("tool_call");
            let (channel, body) = (Channel::ToolInput, Body::Call(name, input));
            sink(Item::Message(Message { channel, body, origin }));
        }
        if let Some(result) = result {
            let origin = origin.at("tool_result");
            json::walk(result, Channel::ToolResult, &origin, sink);
            let [success, error] = result.fields(["success", "isError"]);
            let is_error = |raw: Raw<'_>| raw.get("isError").is_some_and(|flag| flag.is_true());
            let taken = success.is_some_and(|success| !is_error(success))
                && error.is_none_or(|flag| !flag.is_true());
            if let Some(tool_call_id) = origin.tool_call_id {
                sink(Item::Result { tool_call_id, taken });
            }
        }
    }
}
