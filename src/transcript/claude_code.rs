//! Claude Code session files: the main file with or without sub-agents in it, the files of
//! sub-agents of their own, the journal of a workflow, and a session as the web keeps it.
//!
//! A record is one content block of a message. A sub-agent's last answer stands three times: in
//! the sub-agent's own message, in the result of the parent's call, and once more beside that
//! result; that of one in the background in a notification, once where it is queued and once where
//! it is delivered, and in what `TaskOutput` gives of it. Progress records tell all that a
//! sub-agent has said so far, again and again; they are read, as copies or as the only source.
//! A session that is resumed or forked starts with the same records, which keep their `uuid`.
//! What a skill, a prompt, a file or a compaction summary puts into a session comes as `user`
//! records and is never the agent's own word, nor is what a tool keeps in `tool-results/`.

use super::raw::owned;
use super::{
    AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Stop, Transcript, json,
    text_message,
};
use crate::record::Channel;

mod content;
mod numbered;
mod relay;

pub(super) use content::read_content;
pub(super) use numbered::{NEEDLES, characters};

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
    ("frame-link", ""),
    ("relocated", "relocatedCwd"),
    ("atis-latch", ""),
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
        "Claude Code sessions: main files, in-file sidechains, subagents/agent-*.jsonl, web sessions"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and `sessionId`, `parentUuid` or `isSidechain`; `loglines`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, session, parent, sidechain, lines] =
            record.fields(["type", "sessionId", "parentUuid", "isSidechain", "loglines"]);
        let Some(kind) = kind else { return lines.is_some_and(|lines| lines.is_array()) };
        session.is_some()
            || parent.is_some()
            || sidechain.is_some()
            || OWN_TYPES
                .iter()
                .any(|(own, key)| kind.is(own) && (key.is_empty() || record.get(key).is_some()))
            || is_journal(&kind, record)
            || is_bare(&kind, record)
    }

    fn session(&self, _: &Raw<'_>, beside: &Beside) -> Session {
        // Files below the folder of a session that its records do not name, or name otherwise.
        let folder = (1..=LEVELS).find(|level| beside.folder(*level) == Some("subagents"));
        let id = folder.and_then(|level| beside.folder(level + 1)).map(str::to_owned);
        let stem = beside.stem().unwrap_or_default();
        let Some(agent_id) = stem.strip_prefix("agent-") else {
            return Session { id, ..Session::default() };
        };
        let meta = beside.read(1, &[&format!("{stem}.meta.json")]).unwrap_or_default();
        let [agent, call, description] = Raw::at(meta.trim_ascii_start(), 0, 0)
            .fields(["agentType", "toolUseId", "description"])
            .map(owned);
        Session {
            id,
            call: call.map(|id| AgentCall { id, agent: agent.clone(), description }),
            agent,
            agent_id: Some(agent_id.to_owned()),
            speaker: agent_id.starts_with(SUMMARISER).then_some(Channel::Summary),
            ..Session::default()
        }
    }

    fn keeps(&self, name: &str) -> Option<Channel> {
        let mut parts = name.rsplit(['/', '\\']);
        let (_, kind) = parts.next()?.rsplit_once('.')?;
        (matches!(kind, "txt" | "json") && parts.next() == Some("tool-results"))
            .then_some(Channel::ToolResult)
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        if let Some(lines) = record.get("loglines") {
            // A session's lines hold no session: one that does is in no place of this format.
            for line in lines.items().filter(|line| line.get("loglines").is_none()) {
                self.read(line, session, sink);
            }
            return;
        }
        let [kind, message, agent, sidechain, meta, compacted, result, content, operation, cause] =
            record.fields([
                "type",
                "message",
                "attributionAgent",
                "isSidechain",
                "isMeta",
                "isCompactSummary",
                "toolUseResult",
                "content",
                "operation",
                "origin",
            ]);
        let is = |flag: Option<Raw<'a>>| flag.is_some_and(|flag| flag.is_true());
        let mut origin = origin(&record, session);
        origin.agent = agent.and_then(|agent| agent.owned()).or_else(|| session.agent.clone());
        origin.called = is(sidechain) || origin.agent_id.is_some();
        // The agent that writes compaction summaries has a file like any sub-agent's.
        let is_summary = origin.agent_id.as_deref().is_some_and(|id| id.starts_with(SUMMARISER));
        let of_file = session.speaker.or(is_summary.then_some(Channel::Summary));
        let content = message.and_then(|message| message.get("content")).or(content);
        // A record that is torn within its type still says whose message it holds.
        let kind = kind.filter(|kind| kind.whole).or_else(|| message?.get("role"));
        let word = kind.and_then(|kind| kind.text()).unwrap_or_default();
        let speaker = match &*word {
            "assistant" => Channel::Assistant,
            "user" if is(compacted) => Channel::Summary,
            "user" if is(meta) => Channel::System,
            "user" => Channel::User,
            "system" => return system(record, content, &origin, sink),
            "progress" => return progress(record, &origin, sink),
            "summary" => return json::walk(record, Channel::Summary, &origin, sink),
            "attachment" => return attachment(record, &origin, sink),
            "result" | "started" => return journal(record, &origin, sink),
            "queue-operation" => {
                if let Some(content) =
                    content.filter(|_| operation.is_some_and(|raw| raw.is("enqueue")))
                {
                    relay::notification(content, "queue-operation", &origin, sink);
                }
                // What is taken out again says nothing new.
                if let Some(content) = content.filter(|_| operation.is_some()) {
                    sink(Item::Echo(content));
                }
                return;
            }
            own if OWN_TYPES.iter().any(|(known, _)| own == *known) => {
                sink(Item::Echo(record));
                return;
            }
            _ => return,
        };
        let speaker = of_file.unwrap_or(speaker);
        if let Some(call) = session.call.as_ref().filter(|_| speaker == Channel::Assistant) {
            origin.agent_call = Some(call.id.clone());
            sink(Item::Call(call.clone()));
        }
        let notifies = cause
            .and_then(|cause| cause.get("kind"))
            .is_some_and(|kind| kind.is("task-notification"));
        let is_spread =
            message.is_some_and(|message| content::spread(message, speaker, &origin, sink));
        match content.filter(|_| !is_spread) {
            Some(content) if notifies && speaker.is_hidden() => {
                let texts = content.items().filter_map(|item| item.get("text"));
                for text in texts.chain([content]) {
                    relay::notification(text, "task-notification", &origin, sink);
                }
            }
            Some(content) => read_content(content, speaker, result, &origin, sink),
            None => {}
        }
        around(record, &origin, sink);
    }
}

/// Levels of folders between that of a session and the files of its agents.
const LEVELS: usize = 4;

/// What the id of the agent starts with that writes compaction summaries.
const SUMMARISER: &str = "acompact";

/// Whether this is a record of a workflow's journal.
fn is_journal(kind: &Raw<'_>, record: &Raw<'_>) -> bool {
    let of_agent = kind.is("started") || kind.is("result");
    of_agent && record.fields(["agentId", "key"]).iter().all(Option::is_some)
}

/// Whether this is a message without its session, as exports have them.
fn is_bare(kind: &Raw<'_>, record: &Raw<'_>) -> bool {
    if !kind.is("user") && !kind.is("assistant") {
        return false;
    }
    let [message, time, uuid, session, call] =
        record.fields(["message", "timestamp", "uuid", "session_id", "parent_tool_use_id"]);
    let content = message.and_then(|message| message.get("content"));
    content.is_some() && (time.or(uuid)).is_some() && session.or(call).is_none()
}

/// Where a record comes from.
fn origin(record: &Raw<'_>, session: &Session) -> Origin {
    let [id, uuid, first, time, agent_id, message, cwd] = record.fields([
        "sessionId",
        "uuid",
        "forkedFrom",
        "timestamp",
        "agentId",
        "message",
        "cwd",
    ]);
    let uuid = owned(uuid);
    // In old files a sub-agent's session is named after the agent.
    let id = owned(id);
    let id = id.filter(|id| session.id.is_none() || !id.starts_with("agent-"));
    let first = first.and_then(|first| owned(first.get("messageUuid")));
    Origin {
        session_id: id.or_else(|| session.id.clone()),
        agent_id: owned(agent_id).or_else(|| session.agent_id.clone()),
        message_id: message.and_then(|message| owned(message.get("id"))).or_else(|| uuid.clone()),
        record_id: first.or(uuid),
        timestamp: owned(time),
        cwd: owned(cwd).map(Into::into).or_else(|| session.cwd.clone()),
        stop: message.as_ref().and_then(Stop::of),
        ..Origin::default()
    }
}

/// Gives what the tool tells a session of, and notifications among it.
fn system<'a>(record: Raw<'a>, content: Option<Raw<'a>>, origin: &Origin, sink: Sink<'_, 'a>) {
    if let Some(content) = content.filter(relay::notifies) {
        relay::notification(content, "task-notification", origin, sink);
        sink(Item::Echo(record));
    } else {
        json::walk(record, Channel::System, &origin.at("system"), sink);
    }
}

/// Gives what stands beside a message and is nobody's word there.
fn around<'a>(record: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    /// What a tool says of a call or a request.
    const OF_TOOLS: [&str; 3] = ["mcpMeta", "error", "errorDetails"];
    /// What stands in messages as well.
    const AGAIN: [&str; 3] = ["todos", "planContent", "thinkingMetadata"];
    for value in record.fields(OF_TOOLS).into_iter().flatten() {
        json::walk(value, Channel::ToolResult, origin, sink);
    }
    for value in record.fields(AGAIN).into_iter().flatten() {
        sink(Item::Echo(value));
    }
}

/// Gives what a sub-agent has said so far, or the output of a tool that still works.
fn progress<'a>(record: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    const PLACE: &str = "agent_progress";
    let [data, call] = record.fields(["data", "parentToolUseID"]);
    let Some(data) = data else { return };
    let [last, all, prompt, agent_id] =
        data.fields(["message", "normalizedMessages", "prompt", "agentId"]);
    let origin = Origin {
        place: PLACE,
        agent: None,
        agent_id: owned(agent_id).or_else(|| origin.agent_id.clone()),
        agent_call: owned(call),
        called: true,
        message_id: None,
        record_id: None,
        ..origin.clone()
    };
    let last = last.filter(Raw::is_object);
    if last.is_none() && all.is_none() {
        json::walk(data, Channel::ToolResult, &origin, sink);
        return;
    }
    let said = last.into_iter().chain(all.into_iter().flat_map(|all| all.items()));
    // The history is long, and stands here again and again: most of it holds nothing.
    for said in said.filter(|said| crate::locate::needles::any(said.bytes)) {
        let [kind, message, uuid, time, result] =
            said.fields(["type", "message", "uuid", "timestamp", "toolUseResult"]);
        // The envelope of a message may be missing.
        let message = message.unwrap_or(said);
        let [role, id, content] = message.fields(["role", "id", "content"]);
        let speaker = if kind.or(role).is_some_and(|role| role.is("assistant")) {
            Channel::Assistant
        } else {
            Channel::User
        };
        let uuid = owned(uuid);
        let origin = Origin {
            message_id: owned(id).or_else(|| uuid.clone()),
            record_id: uuid,
            timestamp: owned(time).or_else(|| origin.timestamp.clone()),
            ..origin.clone()
        };
        let Some(content) = content else { continue };
        read_content(content, speaker, result, &origin, &mut |item| match item {
            Item::Message(message) => {
                let origin = Origin { place: PLACE, ..message.origin };
                sink(Item::Message(Message { origin, ..message }))
            }
            item => sink(item),
        });
    }
    if let Some(prompt) = prompt {
        json::walk(prompt, Channel::User, &origin, sink);
    }
}

/// Gives what was put into a session beside its messages: files, hints, notifications.
fn attachment<'a>(record: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let prompt = record.path(&["attachment", "prompt"]);
    if let Some(prompt) = prompt.filter(relay::notifies) {
        relay::notification(prompt, "attachment", origin, sink);
        sink(Item::Echo(record));
    } else {
        json::walk(record, Channel::System, origin, sink);
    }
}

/// Gives what an agent of a workflow answers.
fn journal<'a>(record: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let Some(result) = record.get("result") else {
        json::walk(record, Channel::User, origin, sink);
        return;
    };
    let message_id = origin.agent_id.clone();
    let origin = Origin { place: "journal", message_id, called: true, ..origin.clone() };
    text_message(result, Channel::AgentResult, "journal", &origin, sink);
    if result.is_object() {
        let (channel, body) = (Channel::AgentResult, Body::Value(result));
        if !sink(Item::Message(Message { channel, body, origin })) {
            sink(Item::Echo(result));
        }
    }
}
