//! pi: session files, and the events of `pi --mode json`.
//!
//! The first line names the session, and the file of the session that it was forked from; the ids
//! of entries are unique within a session only. What a tool gives back is a record of its own. The
//! `subagent` tool gives back the sub-agent's last text, and beside it all that was said in the
//! sub-agent's run. Of the events only `message_end` is read: the others repeat it, in pieces or as
//! a whole.

use std::path::Path;

use super::{
    AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Stop, Transcript, json,
    text_message,
};
use crate::record::Channel;

/// pi session JSONL.
pub struct Pi;

/// Types of entries that hang on the entry before them.
const ENTRIES: &[&str] = &[
    "message",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
    "model_change",
    "thinking_level_change",
];

/// Events that tell of a message in pieces, or once more, each with a key that tells it from other
/// tools' events.
const EVENTS: &[(&str, &str)] = &[
    ("message_start", "message"),
    ("message_update", "message"),
    ("turn_end", "toolResults"),
    ("agent_end", "messages"),
    ("tool_execution_start", "toolCallId"),
    ("tool_execution_update", "toolCallId"),
    ("tool_execution_end", "toolCallId"),
];

impl Transcript for Pi {
    fn id(&self) -> &'static str {
        "pi"
    }

    fn reads(&self) -> &'static str {
        "pi session JSONL and pi --mode json"
    }

    fn recognised_by(&self) -> &'static str {
        "a `session` record with a `cwd`, entries with `type` and `parentId`, a `message` with a `role`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, cwd, parent, message, payload] =
            record.fields(["type", "cwd", "parentId", "message", "data"]);
        let Some(kind) = kind.and_then(|kind| kind.text()) else { return false };
        let is_message = message.is_some_and(|message| message.get("role").is_some());
        match kind.as_ref() {
            "session" => cwd.is_some(),
            "message_end" => is_message,
            // The first version had no tree.
            "message" if is_message => true,
            "custom" => parent.is_some() && payload.is_some(),
            kind if parent.is_some() && ENTRIES.contains(&kind) => true,
            kind => EVENTS.iter().any(|(event, key)| kind == *event && record.get(key).is_some()),
        }
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let [kind, id, parent] = first.fields(["type", "id", "parentSession"]);
        let id = id.filter(|_| kind.is_some_and(|kind| kind.is("session")));
        let parent = parent.and_then(|parent| parent.owned());
        Session {
            id: id.and_then(|id| id.owned()),
            parent: parent.and_then(|path| session_of(&path)),
            ..Session::default()
        }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, id, time, given, summary, content] =
            record.fields(["type", "id", "timestamp", "message", "summary", "content"]);
        let origin = Origin {
            session_id: session.id.clone(),
            message_id: id.and_then(|id| id.owned()),
            timestamp: time.and_then(|time| time.time()),
            ..Origin::default()
        };
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("message" | "message_end") => {
                if let Some(given) = given {
                    message(given, &origin, sink);
                }
            }
            Some("compaction" | "branch_summary") => {
                if let Some(summary) = summary {
                    text_message(summary, Channel::Summary, "summary", &origin, sink);
                }
                super::api::rest(&record, &["summary"], Channel::Summary, &origin, sink);
            }
            // What an extension puts into the session.
            Some("custom_message") => {
                if let Some(content) = content {
                    json::walk(content, Channel::System, &origin, sink);
                }
                super::api::rest(&record, &["content"], Channel::System, &origin, sink);
            }
            Some("session") => {
                sink(Item::Echo(record));
            }
            Some(kind)
                if ENTRIES.contains(&kind) || EVENTS.iter().any(|(event, _)| kind == *event) =>
            {
                sink(Item::Echo(record));
            }
            _ => {}
        }
    }
}

/// The id of the session that is kept in this file: `<time>_<id>.jsonl`.
fn session_of(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let stem = Path::new(name).file_stem()?.to_str()?;
    Some(stem.rsplit_once('_').map_or(stem, |(_, id)| id).to_owned())
}

/// Gives a message.
fn message<'a>(message: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [role, content, call, tool, error, details, command, output, summary, time, failure] =
        message.fields([
            "role",
            "content",
            "toolCallId",
            "toolName",
            "isError",
            "details",
            "command",
            "output",
            "summary",
            "timestamp",
            "errorMessage",
        ]);
    let timestamp = origin.timestamp.clone().or_else(|| time.and_then(|time| time.time()));
    let origin = Origin { timestamp, stop: Stop::of(&message), ..origin.clone() };
    let texts = || {
        let items = content.into_iter().flat_map(|content| content.items());
        items.filter_map(|item| item.get("text")).chain(content).filter(Raw::is_string)
    };
    match role.and_then(|role| role.text()).as_deref() {
        Some("assistant") => {
            if let Some(content) = content {
                said(content, &origin, sink);
            }
            failure.map(|failure| sink(Item::Echo(failure)));
        }
        Some("user") => {
            if let Some(content) = content {
                json::walk(content, Channel::User, &origin, sink);
            }
        }
        Some("toolResult") => {
            let id = call.and_then(|call| call.owned());
            let failed = error.is_some_and(|flag| flag.is_true());
            let is_agent = tool.is_some_and(|tool| tool.is(AGENT_TOOL)) && !failed;
            let origin = Origin { tool_call_id: id.clone(), ..origin };
            if is_agent {
                let origin = Origin { agent_call: id.clone(), called: true, ..origin.clone() };
                for text in texts() {
                    text_message(text, Channel::AgentResult, "subagent", &origin, sink);
                }
                if let Some(details) = details {
                    runs(details, &origin, sink);
                }
            } else {
                for given in [content, details].into_iter().flatten() {
                    json::walk(given, Channel::ToolResult, &origin, sink);
                }
            }
            if let Some(tool_call_id) = id {
                sink(Item::Result { tool_call_id, taken: !failed });
            }
        }
        // A command that a person runs.
        Some("bashExecution") => {
            if let Some(command) = command {
                text_message(command, Channel::User, "command", &origin, sink);
            }
            if let Some(output) = output {
                text_message(output, Channel::ToolResult, "output", &origin, sink);
            }
        }
        // `hookMessage` up to the second version.
        Some("custom" | "hookMessage") => {
            texts().for_each(|text| text_message(text, Channel::System, "custom", &origin, sink));
            if let Some(details) = details {
                json::walk(details, Channel::System, &origin, sink);
            }
        }
        Some("branchSummary" | "compactionSummary") => {
            if let Some(summary) = summary {
                text_message(summary, Channel::Summary, "summary", &origin, sink);
            }
        }
        _ => {}
    }
}

/// The tool by which an agent calls another one.
const AGENT_TOOL: &str = "subagent";

/// Gives what an agent says: content blocks, or a text.
fn said<'a>(content: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    text_message(content, Channel::Assistant, "text", origin, sink);
    for block in content.items() {
        let [kind, text, id, name, arguments, input, thinking] =
            block.fields(["type", "text", "id", "name", "arguments", "input", "thinking"]);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("text") => {
                if let Some(text) = text {
                    text_message(text, Channel::Assistant, "text", origin, sink);
                }
            }
            Some("thinking") => {
                if let Some(thinking) = thinking {
                    text_message(thinking, Channel::Thinking, "thinking", origin, sink);
                }
            }
            // The second word in files of other tools with the same entries.
            Some("toolCall" | "tool_use") => {
                let (Some(name), Some(input)) =
                    (name.and_then(|name| name.text()), arguments.or(input))
                else {
                    continue;
                };
                let id = id.and_then(|id| id.owned());
                if let (true, Some(id)) = (name == AGENT_TOOL, &id) {
                    let agent = input.get("agent").and_then(|agent| agent.owned());
                    sink(Item::Call(AgentCall { id: id.clone(), agent, description: None }));
                }
                let origin = Origin { place: "toolCall", tool_call_id: id, ..origin.clone() };
                let (channel, body) = (Channel::ToolInput, Body::Call(name, input));
                sink(Item::Message(Message { channel, body, origin }));
            }
            _ => {}
        }
    }
}

/// Gives what was said in the runs of sub-agents.
fn runs<'a>(details: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    json::echo(&details, &["projectAgentsDir", "mode", "agentScope"], sink);
    for run in details.get("results").into_iter().flat_map(|results| results.items()) {
        let [agent, messages] = run.fields(["agent", "messages"]);
        // What it was called with, and what its last message says.
        json::echo(&run, &["agent", "task", "finalOutput", "model"], sink);
        for told in run.fields(["stderr", "errorMessage"]).into_iter().flatten() {
            json::walk(told, Channel::ToolResult, origin, sink);
        }
        let origin = Origin {
            agent: agent.and_then(|agent| agent.owned()),
            tool_call_id: None,
            ..origin.clone()
        };
        for message in messages.into_iter().flat_map(|messages| messages.items()) {
            let [role, content] = message.fields(["role", "content"]);
            match role.and_then(|role| role.text()).as_deref() {
                Some("assistant") => {
                    if let Some(content) = content {
                        said(content, &origin, sink);
                    }
                    json::echo(&message, &["errorMessage"], sink);
                }
                Some("user") => json::walk(message, Channel::User, &origin, sink),
                Some("toolResult") => json::walk(message, Channel::ToolResult, &origin, sink),
                _ => {}
            }
        }
    }
}
