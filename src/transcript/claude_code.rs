//! Claude Code session files: the main file with or without sub-agents in it, and the files of
//! sub-agents of their own.
//!
//! A record is one content block of a message. A sub-agent's last answer stands three times: in
//! the sub-agent's own message, in the result of the parent's call, and once more beside that
//! result; that of one in the background in a notification, once where it is queued and once where
//! it is delivered, and in what `TaskOutput` gives of it. What a skill, a prompt, a file or a compaction summary puts into a session comes as
//! `user` records and is never the agent's own word.

use memchr::memmem;

use super::{AgentCall, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// Claude Code session JSONL.
pub struct ClaudeCode;

/// Types of records that hang on no message, with a key that tells them from other tools' where the
/// word alone does not.
const OWN_TYPES: &[(&str, &str)] = &[
    ("file-history-snapshot", ""),
    ("queue-operation", ""),
    ("last-prompt", ""),
    ("ai-title", ""),
    ("custom-title", ""),
    ("agent-name", ""),
    ("agent-color", ""),
    ("permission-mode", ""),
    ("worktree-state", ""),
    ("pr-link", ""),
    ("bridge-session", ""),
    ("summary", "leafUuid"),
    ("attachment", "attachment"),
    ("mode", "mode"),
    ("progress", "toolUseID"),
    ("progress", "parentToolUseID"),
];

impl Transcript for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude-code"
    }

    fn reads(&self) -> &'static str {
        "Claude Code session JSONL: main files, in-file sidechains, subagents/agent-*.jsonl"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and `sessionId`, `parentUuid` or `isSidechain`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, session, parent, sidechain] =
            record.fields(["type", "sessionId", "parentUuid", "isSidechain"]);
        let Some(kind) = kind else { return false };
        session.is_some()
            || parent.is_some()
            || sidechain.is_some()
            || OWN_TYPES
                .iter()
                .any(|(own, key)| kind.is(own) && (key.is_empty() || record.get(key).is_some()))
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [
            kind,
            message,
            id,
            uuid,
            time,
            agent_id,
            agent,
            sidechain,
            meta,
            compacted,
            result,
            content,
            summary,
            operation,
            cause,
            cwd,
        ] = record.fields([
            "type",
            "message",
            "sessionId",
            "uuid",
            "timestamp",
            "agentId",
            "attributionAgent",
            "isSidechain",
            "isMeta",
            "isCompactSummary",
            "toolUseResult",
            "content",
            "summary",
            "operation",
            "origin",
            "cwd",
        ]);
        let text = |value: Option<Raw<'a>>| value.and_then(|value| value.owned());
        let agent_id = text(agent_id).or_else(|| session.agent_id.clone());
        let is = |flag: Option<Raw<'a>>| flag.is_some_and(|flag| flag.is_true());
        let origin = Origin {
            session_id: text(id).or_else(|| session.id.clone()),
            agent: text(agent).or_else(|| session.agent.clone()),
            called: is(sidechain) || agent_id.is_some(),
            message_id: message.and_then(|message| text(message.get("id"))).or_else(|| text(uuid)),
            timestamp: text(time),
            cwd: text(cwd).map(Into::into).or_else(|| session.cwd.clone()),
            ..Origin::default()
        };
        // The agent that writes compaction summaries has a file like any sub-agent's.
        let summariser = agent_id.as_deref().is_some_and(|id| id.starts_with("acompact"));
        let origin = Origin { agent_id, ..origin };
        let content = message.and_then(|message| message.get("content")).or(content);
        // A record that is torn within its type still says whose message it holds.
        let kind = kind.filter(|kind| kind.whole).or_else(|| message?.get("role"));
        let speaker = match kind.and_then(|kind| kind.text()).as_deref() {
            _ if summariser => Channel::Summary,
            Some("assistant") => Channel::Assistant,
            Some("user") if is(compacted) => Channel::Summary,
            Some("user") if is(meta) => Channel::System,
            Some("user") => Channel::User,
            Some("system") => Channel::System,
            Some("summary") => {
                if let Some(summary) = summary {
                    text_message(summary, Channel::Summary, "summary", &origin, sink);
                }
                return;
            }
            Some("queue-operation") => {
                if let Some(content) =
                    content.filter(|_| operation.is_some_and(|raw| raw.is("enqueue")))
                {
                    notification(content, "queue-operation", &origin, sink);
                }
                // What is taken out again says nothing new.
                if let Some(content) = content.filter(|_| operation.is_some()) {
                    sink(Item::Echo(content));
                }
                return;
            }
            Some(kind) if OWN_TYPES.iter().any(|(own, _)| kind == *own) => {
                sink(Item::Echo(record));
                return;
            }
            _ => return,
        };
        let notifies = cause
            .and_then(|cause| cause.get("kind"))
            .is_some_and(|kind| kind.is("task-notification"));
        if let Some(content) = content.filter(|_| notifies && speaker != Channel::Assistant) {
            let texts = content.items().filter_map(|item| item.get("text"));
            for text in texts.chain([content]) {
                notification(text, "task-notification", &origin, sink);
            }
        } else if let Some(content) = content {
            read_content(content, speaker, result, &origin, sink);
        }
    }
}

/// Gives what the `content` of a message says: a text, or content blocks. `beside` is what the
/// record keeps of a tool's result beside the message.
pub(super) fn read_content<'a>(
    content: Raw<'a>,
    speaker: Channel,
    beside: Option<Raw<'a>>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if content.is_string() {
        said(content, speaker, origin, sink);
        return;
    }
    let mut call = None;
    for block in content.items() {
        let [kind, text, thinking, id, name, input, result_of, result, is_error] = block.fields([
            "type",
            "text",
            "thinking",
            "id",
            "name",
            "input",
            "tool_use_id",
            "content",
            "is_error",
        ]);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("text") => {
                if let Some(text) = text {
                    said(text, speaker, origin, sink);
                }
            }
            Some("thinking") => {
                if let Some(thinking) = thinking {
                    text_message(thinking, Channel::Thinking, "thinking", origin, sink);
                }
            }
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                if let (Some(name), Some(input)) = (name.and_then(|name| name.text()), input) {
                    let id = id.and_then(|id| id.owned());
                    agent_call(id.as_deref(), &input, sink);
                    let channel =
                        if speaker == Channel::Assistant { Channel::ToolInput } else { speaker };
                    let origin = Origin { place: "tool_use", tool_call_id: id, ..origin.clone() };
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
                    let relay = Relay::of(&result, beside.as_ref());
                    relay.read(result, "tool_result", id.as_deref(), origin, sink);
                    call = Some((relay, id));
                }
            }
            _ => {}
        }
    }
    if let (Some((relay, id)), Some(beside)) = (call, beside) {
        let place = "toolUseResult";
        let content = match relay {
            Relay::Agent => beside.get("content"),
            Relay::Task(task) => task.get("output"),
            _ => None,
        };
        relay.read(content.unwrap_or(beside), place, id.as_deref(), origin, sink);
    }
}

/// Gives what a text says: a sub-agent's answer, if it tells that a task has ended.
fn said<'a>(text: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    let told = matches!(speaker, Channel::User | Channel::System)
        && text.body().is_some_and(|body| body.trim_ascii_start().starts_with(NOTIFICATION));
    if told {
        notification(text, "task-notification", origin, sink);
    } else {
        text_message(text, speaker, speaker.word(), origin, sink);
    }
}

const NOTIFICATION: &[u8] = b"<task-notification>";

/// Gives the answer of the sub-agent that a notification tells of.
fn notification<'a>(text: Raw<'a>, place: &'static str, origin: &Origin, sink: Sink<'_, 'a>) {
    let Some(body) = text.body().filter(|body| memmem::find(body, NOTIFICATION).is_some()) else {
        return;
    };
    let Some(answer) = up_to_end_of(text, "<result>", "</result>") else { return };
    let agent_id = element(body, "task-id");
    let origin = Origin {
        agent_call: element(body, "tool-use-id"),
        message_id: origin.message_id.clone().or_else(|| agent_id.clone()),
        agent_id,
        called: true,
        ..origin.clone()
    };
    text_message(answer, Channel::AgentResult, place, &origin, sink);
}

/// The text in the first element of this name.
fn element(text: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inner.trim().to_owned())
}

/// A text up to where the element between `open` and `close` ends; `None` where there is none. What
/// stands above the element stays: the text of a string starts with its quote.
fn up_to_end_of<'a>(text: Raw<'a>, open: &str, close: &str) -> Option<Raw<'a>> {
    let start = memmem::find(text.bytes, open.as_bytes())? + open.len();
    let Some(length) = memmem::rfind(&text.bytes[start..], close.as_bytes()) else {
        return Some(text);
    };
    // The byte after the text stands for the closing quote.
    Some(Raw { bytes: &text.bytes[..=start + length], whole: true, ..text })
}

/// Whose answer the result of a tool call is.
enum Relay<'a> {
    /// A sub-agent's.
    Agent,
    /// A sub-agent's in the background: this is its task.
    Task(Raw<'a>),
    /// Perhaps a sub-agent's: only its call tells.
    Unknown,
    /// Another tool's.
    Tool,
}

impl<'t> Relay<'t> {
    fn of(result: &Raw<'_>, beside: Option<&Raw<'t>>) -> Self {
        if let Some(beside) = beside {
            let [count, agent, stdout, file, task] =
                beside.fields(["totalToolUseCount", "agentId", "stdout", "file", "task"]);
            if let Some(task) = task.filter(Raw::is_object) {
                // A command in the background is a task as well.
                let is_agent = task.get("task_type").is_none_or(|kind| {
                    kind.body().is_some_and(|kind| memmem::find(kind, b"agent").is_some())
                });
                return if is_agent { Self::Task(task) } else { Self::Tool };
            }
            if count.is_some() || agent.is_some() {
                return Self::Agent;
            }
            if stdout.is_some() || file.is_some() {
                return Self::Tool;
            }
        }
        let names_agent = |item: Raw<'_>| {
            item.get("text")
                .and_then(|text| text.body())
                .is_some_and(|text| text.starts_with(b"agentId: "))
        };
        if result.items().any(names_agent) { Self::Agent } else { Self::Unknown }
    }

    fn read<'a>(
        &self,
        result: Raw<'a>,
        place: &'static str,
        call: Option<&str>,
        origin: &Origin,
        sink: Sink<'_, 'a>,
    ) {
        let origin = Origin {
            place,
            tool_call_id: call.map(str::to_owned),
            agent_call: call.map(str::to_owned),
            needs_call: matches!(self, Self::Unknown),
            called: !matches!(self, Self::Tool),
            ..origin.clone()
        };
        if let Self::Task(task) = self {
            // However often its output is asked for, it is one answer.
            let id = task.get("task_id").and_then(|id| id.owned());
            let message_id = id.clone().or_else(|| origin.message_id.clone());
            let tool_call_id = origin.tool_call_id.clone().filter(|_| id.is_none());
            let origin =
                Origin { agent_call: None, agent_id: id, message_id, tool_call_id, ..origin };
            let inner = result.items().filter_map(|item| item.get("text"));
            for text in inner.chain([result]).filter(Raw::is_string) {
                let text = up_to_end_of(text, "<output>", "</output>").unwrap_or(text);
                text_message(text, Channel::AgentResult, place, &origin, sink);
            }
            return;
        }
        match self {
            Self::Tool => json::walk(result, Channel::ToolResult, &origin, sink),
            _ if result.is_string() => {
                text_message(result, Channel::AgentResult, place, &origin, sink);
            }
            _ => {
                for text in result.items().filter_map(|item| item.get("text")) {
                    text_message(text, Channel::AgentResult, place, &origin, sink);
                }
            }
        }
    }
}

/// Gives the call of an agent, if the input of a tool call is one.
fn agent_call(id: Option<&str>, input: &Raw<'_>, sink: Sink<'_, '_>) {
    let [agent, description] = input.fields(["subagent_type", "description"]);
    if let (Some(id), Some(agent)) = (id, agent) {
        sink(Item::Call(AgentCall {
            id: id.to_owned(),
            agent: agent.owned(),
            description: description.and_then(|text| text.owned()),
        }));
    }
}

/// Gives a text.
pub(super) fn text_message<'a>(
    text: Raw<'a>,
    channel: Channel,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if text.is_string() {
        let origin = Origin { place, ..origin.clone() };
        sink(Item::Message(Message { channel, body: Body::Text(text), origin }));
    }
}
