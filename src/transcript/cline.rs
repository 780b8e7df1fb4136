//! Cline and its forks (Roo, Kilo): the two files of a task, and the messages files of Cline 4.
//!
//! A task's `api_conversation_history.json` is an array of messages with content blocks;
//! `ui_messages.json` is what was shown of them, a second copy. Older versions write tool calls as
//! elements of the agent's text, and what a tool gives back as a person's text. The final answer is
//! the input of `attempt_completion`, and is read as the agent's word. From Cline 4 on, an agent's
//! messages are one object in a file; those of sub-agents stand in files beside it.

use memchr::memmem;

use super::claude_code::read_content;
use super::{
    AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json,
    text_message,
};
use crate::record::Channel;

/// Cline, Roo and Kilo tasks.
pub struct Cline;

/// Texts by which the messages of a task's history are told: they have no key of their own. The
/// first is the name of a tool in a call, in which a quote within a text would be escaped.
const MARKS: &[&[u8]] = &[
    b"\"attempt_completion\"",
    b"<environment_details>",
    b"<attempt_completion>",
    b"<use_mcp_tool>",
    b"<write_to_file>",
    b"<apply_diff>",
];

/// Tools whose input is what the agent says, and the key that it stands under.
const SAYING: &[(&str, &str)] = &[
    ("attempt_completion", "result"),
    ("plan_mode_respond", "response"),
    ("act_mode_respond", "response"),
    ("ask_followup_question", "question"),
];

/// Tools by which an agent calls others.
const AGENT_TOOLS: &[&str] = &["use_subagents", "spawn_agent"];

/// Files of a task, which is their folder.
const TASK_FILES: &[&str] = &["api_conversation_history", "ui_messages"];

impl Transcript for Cline {
    fn id(&self) -> &'static str {
        "cline"
    }

    fn reads(&self) -> &'static str {
        "Cline, Roo and Kilo: api_conversation_history.json, ui_messages.json, *.messages.json"
    }

    fn recognised_by(&self) -> &'static str {
        "`ts` with `say` or `ask`; `role` and `content` with `ts`, a tool call as elements or `attempt_completion`; `messages` with `sessionId` and `agent`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        Kind::of(record).is_some()
    }

    fn session(&self, first: &Raw<'_>, beside: &Beside) -> Session {
        if let Some(Kind::File(id, _)) = Kind::of(first) {
            return of_file(&id, first);
        }
        let is_task = beside.stem().is_some_and(|stem| TASK_FILES.contains(&stem));
        let task = beside.folder(1).filter(|_| is_task);
        Session { id: task.map(str::to_owned), ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        match Kind::of(&record) {
            Some(Kind::Shown(kind)) => shown(record, kind, session, sink),
            Some(Kind::Message) => message(record, session, sink),
            Some(Kind::File(id, messages)) => {
                let session = of_file(&id, &record);
                if let Some(system) = record.get("system_prompt") {
                    let origin = Origin { session_id: session.id.clone(), ..Origin::default() };
                    text_message(system, Channel::System, "system", &origin, sink);
                }
                messages.items().for_each(|each| message(each, &session, sink));
            }
            None => {}
        }
    }
}

/// What a record is, with what tells it.
enum Kind<'a> {
    /// Something that was shown: what.
    Shown(Raw<'a>),
    /// A message.
    Message,
    /// The file of an agent: its session, and the messages.
    File(Raw<'a>, Raw<'a>),
}

impl<'a> Kind<'a> {
    fn of(record: &Raw<'a>) -> Option<Self> {
        let [kind, time, say, ask, role, content, session, messages, agent, version, model] =
            record.fields([
                "type",
                "ts",
                "say",
                "ask",
                "role",
                "content",
                "sessionId",
                "messages",
                "agent",
                "version",
                "modelInfo",
            ]);
        if let (Some(kind), Some(_), Some(what)) = (kind, time, say.or(ask)) {
            return (kind.is("say") || kind.is("ask")).then_some(Self::Shown(what));
        }
        if let (Some(session), Some(messages), Some(_)) = (session, messages, agent.or(version)) {
            return messages.is_array().then_some(Self::File(session, messages));
        }
        if role.is_none() || kind.is_some() {
            return None;
        }
        let content = content?;
        let is_marked = || MARKS.iter().any(|mark| memmem::find(content.bytes, mark).is_some());
        (time.or(model).is_some() || is_marked()).then_some(Self::Message)
    }
}

/// The session of an agent's file: `<session>`, or `<session>__<agent>` for a sub-agent.
fn of_file(id: &Raw<'_>, file: &Raw<'_>) -> Session {
    let id = id.owned().unwrap_or_default();
    let is_called = file.get("agent").is_some_and(|agent| !agent.is("lead"));
    let (session, agent_id) = match id.split_once("__") {
        Some((session, agent)) => (session.to_owned(), Some(agent.to_owned())),
        None if is_called => (id.clone(), Some(id)),
        None => (id, None),
    };
    Session { id: Some(session), agent_id, ..Session::default() }
}

/// Gives a message.
fn message<'a>(message: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
    let [role, content, id, time, summary] =
        message.fields(["role", "content", "id", "ts", "isSummary"]);
    let Some(content) = content else { return };
    let speaker = match role.and_then(|role| role.text()).as_deref() {
        _ if summary.is_some_and(|flag| flag.is_true()) => Channel::Summary,
        Some("assistant") => Channel::Assistant,
        Some("user") => Channel::User,
        _ => Channel::System,
    };
    let origin = Origin {
        session_id: session.id.clone(),
        agent_id: session.agent_id.clone(),
        called: session.agent_id.is_some(),
        message_id: id.and_then(|id| id.owned()),
        timestamp: time.and_then(|time| time.time()),
        ..Origin::default()
    };
    read_content(content, speaker, None, &origin, &mut |item| match item {
        Item::Message(Message { channel, body: Body::Call(name, input), origin }) => {
            call(channel, &name, input, origin, sink)
        }
        item => sink(item),
    });
}

/// Gives a tool call.
fn call<'a>(
    channel: Channel,
    name: &str,
    input: Raw<'a>,
    origin: Origin,
    sink: Sink<'_, 'a>,
) -> bool {
    let key = SAYING.iter().find(|(tool, _)| *tool == name).map(|(_, key)| *key);
    if let Some(text) = key.and_then(|key| input.get(key)).filter(Raw::is_string) {
        let channel = if channel.is_hidden() { channel } else { Channel::Assistant };
        let origin = Origin { tool_call_id: None, ..origin };
        text_message(text, channel, "attempt_completion", &origin, sink);
        return true;
    }
    if let (true, Some(id)) = (AGENT_TOOLS.contains(&name), &origin.tool_call_id) {
        sink(Item::Call(AgentCall { id: id.clone(), ..AgentCall::default() }));
    }
    let body = Body::Call(name.to_owned().into(), input);
    sink(Item::Message(Message { channel, body, origin }))
}

/// Gives what was shown.
fn shown<'a>(record: Raw<'a>, kind: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
    let [text, reasoning, time] = record.fields(["text", "reasoning", "ts"]);
    let origin = Origin {
        session_id: session.id.clone(),
        timestamp: time.and_then(|time| time.time()),
        ..Origin::default()
    };
    if let Some(reasoning) = reasoning {
        text_message(reasoning, Channel::Thinking, "reasoning", &origin, sink);
    }
    let Some(text) = text else { return };
    let place = "shown";
    let kind = kind.text();
    match kind.as_deref() {
        // Some versions show the task as a text; what was shown first is the task.
        Some("text") if is_first(&record) => {
            text_message(text, Channel::User, place, &origin, sink);
        }
        Some("text" | "completion_result") => {
            text_message(text, Channel::Assistant, place, &origin, sink);
        }
        // What the agent asks or proposes, mostly as an object in the text.
        Some("followup" | "plan_mode_respond" | "act_mode_respond") => {
            text_message(text, Channel::ToolInput, place, &origin, sink);
        }
        Some(kind @ ("command" | "use_mcp_server")) => {
            let origin = Origin { place, ..origin };
            let body = Body::Call(kind.to_owned().into(), text);
            sink(Item::Message(Message { channel: Channel::ToolInput, body, origin }));
        }
        // An object in the text says which tool: only some of them write.
        Some("tool") => {
            let writes = [&b"newFileCreated"[..], b"editedExistingFile", b"appliedDiff"];
            let head = &text.bytes[..text.bytes.len().min(HEAD)];
            if writes.iter().any(|tool| memmem::find(head, tool).is_some()) {
                let origin = Origin { place, ..origin };
                let body = Body::Call("tool".into(), text);
                sink(Item::Message(Message { channel: Channel::ToolInput, body, origin }));
            } else {
                text_message(text, Channel::ToolResult, place, &origin, sink);
            }
        }
        Some("reasoning") => text_message(text, Channel::Thinking, place, &origin, sink),
        Some("task" | "user_feedback" | "user_feedback_diff" | "api_req_started") => {
            text_message(text, Channel::User, place, &origin, sink);
        }
        Some("condense_context" | "summarize_task" | "condense") => {
            json::walk(record, Channel::Summary, &origin, sink);
        }
        // Results of tools, and what the program itself tells.
        _ => text_message(text, Channel::ToolResult, place, &origin, sink),
    }
}

/// Whether a record is the first item of its file, an array: nothing but blanks stands before it.
fn is_first(record: &Raw<'_>) -> bool {
    const BLANKS: usize = 16;
    (1..BLANKS).contains(&record.offset)
}

/// How much of a shown call is looked at for its tool.
const HEAD: usize = 256;
