//! opencode: what `opencode export` writes, the files of its storage tree, and the events of
//! `opencode run --format json`.
//!
//! A message is a head, which says who speaks, with parts; in the storage tree each of them is a
//! file of its own. A tool's part holds what it was given and what it gave back. What the `task`
//! tool gives back is the last text of the sub-agent's session; it is given under that session's
//! id where the part names it, so that it is told from the session's own text. A structured answer
//! stands in the head of its message as well. Texts that are `synthetic` were put there by the
//! tool. What a part says beside that (`metadata`, changes of files) repeats other parts.

use memchr::memmem;

use super::raw::owned;
use super::{
    AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json,
    text_message,
};
use crate::record::Channel;

/// opencode exports, storage files and events.
pub struct Opencode;

impl Transcript for Opencode {
    fn id(&self) -> &'static str {
        "opencode"
    }

    fn reads(&self) -> &'static str {
        "opencode export, its storage tree (session, message and part files), opencode run --format json"
    }

    fn recognised_by(&self) -> &'static str {
        "an object with a session's `info` and `messages`, or records with `sessionID`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        Kind::of(record).is_some()
    }

    fn session(&self, first: &Raw<'_>, beside: &Beside) -> Session {
        match Kind::of(first) {
            Some(Kind::Export(info, _)) => {
                let [id, parent] = info.fields(["id", "parentID"]);
                Session { id: owned(id), parent: owned(parent), ..Session::default() }
            }
            Some(Kind::Part(id, message)) => of_part(id.owned(), message.owned(), beside),
            Some(Kind::Event(id, _) | Kind::Head(id) | Kind::Row(id, _)) => {
                Session { id: id.owned(), ..Session::default() }
            }
            _ => Session::default(),
        }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        match Kind::of(&record) {
            Some(Kind::Export(info, messages)) => {
                let [id, parent] = info.fields(["id", "parentID"]);
                let session = Session {
                    id: owned(id).or_else(|| session.id.clone()),
                    parent: owned(parent),
                    ..Session::default()
                };
                sink(Item::Echo(info));
                for message in messages.items() {
                    match message.fields(["info", "parts"]) {
                        [None, None] => row(message, message, &session, sink),
                        [info, _] => with_parts(message, info, &session, sink),
                    }
                }
            }
            Some(Kind::Message(info)) => with_parts(record, Some(info), session, sink),
            Some(Kind::Head(_)) => head(record, &Turn::of(Some(record), session), sink),
            Some(Kind::Part(id, message)) => {
                let time = record.get("time").or_else(|| record.path(&["state", "time"]));
                let time = time.and_then(|time| time.get("end").or_else(|| time.get("start")));
                let origin = Origin {
                    session_id: id.owned(),
                    message_id: message.owned(),
                    agent: session.agent.clone(),
                    timestamp: time.and_then(|time| time.time()),
                    called: session.parent.is_some(),
                    ..Origin::default()
                };
                let turn = Turn { channel: session.speaker.unwrap_or(Channel::Text), origin };
                part(record, &turn, sink);
            }
            Some(Kind::Event(id, given)) => {
                let Some(given) = given else {
                    json::walk(record, Channel::System, &Origin::default(), sink);
                    return;
                };
                let [message, time] = [given.get("messageID"), record.get("timestamp")];
                let origin = Origin {
                    session_id: id.owned(),
                    message_id: owned(message),
                    timestamp: time.and_then(|time| time.time()),
                    ..Origin::default()
                };
                // Parts of the agent's messages only, when they are complete.
                part(given, &Turn { channel: Channel::Assistant, origin }, sink);
            }
            Some(Kind::Row(id, data)) => {
                let session = Session { id: id.owned(), ..Session::default() };
                row(record, data, &session, sink);
            }
            Some(Kind::Beside) => {
                sink(Item::Echo(record));
            }
            None => {}
        }
    }
}

/// What a record is, with what tells it.
enum Kind<'a> {
    /// A session with its messages: the session's head, and they.
    Export(Raw<'a>, Raw<'a>),
    /// A message with its parts: its head.
    Message(Raw<'a>),
    /// The head of a message: its session.
    Head(Raw<'a>),
    /// A part: its session and its message.
    Part(Raw<'a>, Raw<'a>),
    /// An event: its session, and the part that it gives.
    Event(Raw<'a>, Option<Raw<'a>>),
    /// A message of the second generation as its table keeps it: its session, and the message.
    Row(Raw<'a>, Raw<'a>),
    /// The head of a session, or a change of a file: nobody says it.
    Beside,
}

impl<'a> Kind<'a> {
    fn of(record: &Raw<'a>) -> Option<Self> {
        let [info, messages, parts, given, kind, session, row_session, message, role, data, time] =
            record.fields([
                "info",
                "messages",
                "parts",
                "part",
                "type",
                "sessionID",
                "session_id",
                "messageID",
                "role",
                "data",
                "time_created",
            ]);
        if let Some(info) = info.filter(Raw::is_object) {
            if let Some(messages) = messages.filter(Raw::is_array) {
                let [id, project, folder, time] =
                    info.fields(["id", "projectID", "directory", "time"]);
                let is_session = id.is_some() && project.or(folder).or(time).is_some();
                return is_session.then_some(Self::Export(info, messages));
            }
            let is_head = parts.is_some() && info.get("sessionID").is_some();
            return is_head.then_some(Self::Message(info));
        }
        if let Some(session) = session.filter(Raw::is_string) {
            let is_error = || kind.is_some_and(|kind| kind.is("error"));
            return match (kind, message, role, given) {
                (Some(_), Some(message), ..) => Some(Self::Part(session, message)),
                (_, _, Some(_), _) => Some(Self::Head(session)),
                (Some(_), _, _, Some(given)) => Some(Self::Event(session, Some(given))),
                _ => is_error().then_some(Self::Event(session, None)),
            };
        }
        if let (Some(session), Some(data), Some(_), Some(_)) =
            (row_session, data.filter(Raw::is_object), kind, time)
        {
            return Some(Self::Row(session, data));
        }
        let [project, folder, slug, file, added, removed, after, patch] = record.fields([
            "projectID",
            "directory",
            "slug",
            "file",
            "additions",
            "deletions",
            "after",
            "patch",
        ]);
        let is_session = project.is_some() && folder.or(slug).is_some();
        let is_change = file.is_some() && added.and(removed).is_some() && after.or(patch).is_some();
        (is_session || is_change).then_some(Self::Beside)
    }
}

/// What the storage tree says of a part: who speaks stands in the file of its message.
fn of_part(id: Option<String>, message: Option<String>, beside: &Beside) -> Session {
    let (Some(id), Some(message)) = (id, message) else { return Session::default() };
    let (file, folder) = (format!("{message}.json"), id.as_str());
    // The first versions kept a session's parts in one folder more.
    let head =
        [3, 4].into_iter().find_map(|levels| beside.read(levels, &["message", folder, &file]));
    let parent = beside.read(4, &["info", &format!("{id}.json")]).and_then(|info| {
        let info = Raw::at(&info, info.len() - info.trim_ascii_start().len(), 0);
        owned(info.get("parentID"))
    });
    let mut session = Session { id: Some(id), parent, ..Session::default() };
    if let Some(head) = head {
        let head = Raw::at(&head, head.len() - head.trim_ascii_start().len(), 0);
        let turn = Turn::of(Some(head), &session);
        session.agent = turn.origin.agent;
        session.speaker = Some(turn.channel).filter(|channel| *channel != Channel::Text);
    }
    session
}

/// Who speaks in a message.
struct Turn {
    channel: Channel,
    origin: Origin,
}

impl Turn {
    /// What the head of a message says.
    fn of(head: Option<Raw<'_>>, session: &Session) -> Self {
        let [id, of_session, role, agent, mode, summary, time] = head.map_or([None; 7], |head| {
            head.fields(["id", "sessionID", "role", "agent", "mode", "summary", "time"])
        });
        let is_summary = summary.is_some_and(|flag| flag.is_true());
        let channel = match role.and_then(|role| role.text()).as_deref() {
            Some("assistant") if is_summary => Channel::Summary,
            Some("assistant") => Channel::Assistant,
            Some("user") => Channel::User,
            _ => Channel::Text,
        };
        // In a person's message it is the agent that is addressed.
        let agent = agent.or(mode).filter(|_| channel == Channel::Assistant);
        let origin = Origin {
            session_id: owned(of_session).or_else(|| session.id.clone()),
            agent: owned(agent),
            message_id: owned(id),
            timestamp: time.and_then(|time| time.get("created")).and_then(|time| time.time()),
            called: session.parent.is_some(),
            ..Origin::default()
        };
        Self { channel, origin }
    }

    /// The channel of what is neither said by the agent nor a tool's.
    fn hidden(&self) -> Channel {
        if self.channel.is_hidden() { self.channel } else { Channel::ToolResult }
    }
}

/// Gives a message with its parts.
fn with_parts<'a>(message: Raw<'a>, info: Option<Raw<'a>>, session: &Session, sink: Sink<'_, 'a>) {
    let turn = Turn::of(info, session);
    for (key, value) in message.entries() {
        if key.is("info") {
            head(value, &turn, sink);
        } else if key.is("parts") {
            value.items().for_each(|each| part(each, &turn, sink));
        }
    }
}

/// What the head of a message says of it.
const ABOUT: [&str; 9] =
    ["agent", "mode", "model", "modelID", "path", "summary", "tools", "format", "metadata"];

/// Gives what the head of a message holds beside who speaks.
fn head<'a>(head: Raw<'a>, turn: &Turn, sink: Sink<'_, 'a>) {
    let [structured, system, error] = head.fields(["structured", "system", "error"]);
    if let Some(value) = structured.filter(Raw::is_object) {
        let origin = turn.origin.at("structured");
        let body = Body::Value(value);
        sink(Item::Message(Message { channel: Channel::Event, body, origin }));
    }
    if let Some(system) = system {
        text_message(system, Channel::System, "system", &turn.origin, sink);
    }
    if let Some(error) = error {
        json::walk(error, Channel::System, &turn.origin, sink);
    }
    json::echo(&head, &ABOUT, sink);
}

/// Gives a part of a message.
fn part<'a>(part: Raw<'a>, turn: &Turn, sink: Sink<'_, 'a>) {
    let [kind, text, synthetic, ignored, call, name, state, time, metadata] = part.fields([
        "type",
        "text",
        "synthetic",
        "ignored",
        "callID",
        "tool",
        "state",
        "time",
        "metadata",
    ]);
    let is = |flag: Option<Raw<'a>>| flag.is_some_and(|flag| flag.is_true());
    match kind.and_then(|kind| kind.text()).as_deref() {
        Some("text") => {
            // Only what comes bit by bit has an end.
            let streamed = time.is_some_and(|time| time.get("end").is_some());
            let channel = match turn.channel {
                _ if is(synthetic) || is(ignored) => Channel::System,
                Channel::Text if streamed => Channel::Assistant,
                channel => channel,
            };
            if let Some(text) = text {
                text_message(text, channel, "text", &turn.origin, sink);
            }
            metadata.map(|metadata| sink(Item::Echo(metadata)));
        }
        Some("reasoning") => json::walk(part, Channel::Thinking, &turn.origin, sink),
        Some("tool") => {
            if let (Some(name), Some(state)) = (name, state) {
                tool(name, owned(call), state, turn, sink);
            }
            metadata.map(|metadata| sink(Item::Echo(metadata)));
        }
        Some("subtask" | "file" | "agent") => json::walk(part, turn.hidden(), &turn.origin, sink),
        Some("compaction" | "patch" | "snapshot" | "retry" | "step-start" | "step-finish") => {
            sink(Item::Echo(part));
        }
        _ => {}
    }
}

/// Gives a tool's call and what came of it.
fn tool<'a>(name: Raw<'a>, id: Option<String>, state: Raw<'a>, turn: &Turn, sink: Sink<'_, 'a>) {
    let [status, input, metadata, structured] =
        state.fields(["status", "input", "metadata", "structured"]);
    let failed = status.is_some_and(|status| status.is("error"));
    let ended = failed || status.is_some_and(|status| status.is("completed"));
    let origin = Origin { tool_call_id: id.clone(), ..turn.origin.clone() };
    let is_agent = name.is("task");
    let [agent, description] = input
        .filter(|_| is_agent)
        .map_or([None; 2], |input| input.fields(["subagent_type", "description"]));
    if let (true, Some(id)) = (is_agent, &id) {
        let (agent, description) = (owned(agent), owned(description));
        sink(Item::Call(AgentCall { id: id.clone(), agent, description }));
    }
    // What an agent says that answers this call.
    let answers = || {
        let child = [metadata, structured]
            .into_iter()
            .flatten()
            .flat_map(|keeps| keeps.fields(["sessionId", "sessionID"]))
            .find_map(owned);
        Origin {
            message_id: origin.message_id.clone().filter(|_| child.is_none()),
            session_id: child.or_else(|| origin.session_id.clone()),
            agent: owned(agent),
            agent_call: id.clone(),
            called: true,
            ..origin.clone()
        }
    };
    for (key, value) in state.entries() {
        match key.text().as_deref() {
            Some("input") => {
                let channel =
                    if turn.channel.is_hidden() { turn.channel } else { Channel::ToolInput };
                let origin = origin.at("input");
                let body = Body::Call(name.text().unwrap_or_default(), value);
                sink(Item::Message(Message { channel, body, origin }));
            }
            Some("output" | "content") if is_agent && !failed && !turn.channel.is_hidden() => {
                let texts = value.items().filter_map(|item| item.get("text"));
                for text in texts.chain([value]).filter(Raw::is_string) {
                    let answer = without_metadata(text);
                    text_message(answer, Channel::AgentResult, "task", &answers(), sink);
                }
            }
            Some("output" | "content" | "error") => {
                let origin = origin.at("output");
                json::walk(value, Channel::ToolResult, &origin, sink);
            }
            // What is shown of the call, and the input before it was whole.
            Some("title" | "metadata" | "structured" | "attachments" | "raw" | "result") => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
    if let (true, Some(tool_call_id)) = (ended, id) {
        sink(Item::Result { tool_call_id, taken: !failed });
    }
}

/// An agent's answer without what the tool puts below it.
fn without_metadata(text: Raw<'_>) -> Raw<'_> {
    match memmem::rfind(text.bytes, b"<task_metadata>") {
        // The byte after the text stands for the closing quote.
        Some(end) => Raw { bytes: &text.bytes[..=end], whole: true, ..text },
        None => text,
    }
}

/// Messages of the second generation that are no agent's: a command of a person, a change of the
/// agent or of the model.
const BESIDE: [&str; 5] = ["shell", "system", "skill", "agent-switched", "model-switched"];

/// Gives a message of the second generation: `row` names it, `data` is what it says.
fn row<'a>(row: Raw<'a>, data: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
    let [id, kind] = row.fields(["id", "type"]);
    let [text, summary, content, agent, time, files] =
        data.fields(["text", "summary", "content", "agent", "time", "files"]);
    let origin = Origin {
        session_id: session.id.clone(),
        agent: owned(agent),
        message_id: owned(id),
        timestamp: time.and_then(|time| time.get("created")).and_then(|time| time.time()),
        called: session.parent.is_some(),
        ..Origin::default()
    };
    match kind.and_then(|kind| kind.text()).as_deref() {
        Some("assistant") => {
            let turn = Turn { channel: Channel::Assistant, origin };
            for part in content.into_iter().flat_map(|content| content.items()) {
                let [kind, text, id, name, state] =
                    part.fields(["type", "text", "id", "name", "state"]);
                match kind.and_then(|kind| kind.text()).as_deref() {
                    Some("text") => {
                        if let Some(text) = text {
                            text_message(text, Channel::Assistant, "text", &turn.origin, sink);
                        }
                    }
                    Some("reasoning") => json::walk(part, Channel::Thinking, &turn.origin, sink),
                    Some("tool") => {
                        if let (Some(name), Some(state)) = (name, state) {
                            tool(name, owned(id), state, &turn, sink);
                        }
                    }
                    _ => {}
                }
            }
        }
        Some("user") => {
            for said in [text, files].into_iter().flatten() {
                json::walk(said, Channel::User, &origin, sink);
            }
        }
        Some("synthetic") => {
            if let Some(text) = text {
                text_message(text, Channel::System, "text", &origin, sink);
            }
        }
        Some("compaction") => {
            if let Some(summary) = summary {
                text_message(summary, Channel::Summary, "summary", &origin, sink);
            }
        }
        Some(kind) if BESIDE.contains(&kind) => {
            sink(Item::Echo(row));
        }
        _ => {}
    }
}
