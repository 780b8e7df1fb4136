//! Gemini CLI sessions: the JSON document of a chat, its JSONL form, and what `--output-format json`
//! gives.
//!
//! A message is the agent's where its type is `gemini`; the calls of its tools stand in it with
//! their results. In the JSONL form a message is appended again whenever it changes, so the last
//! one counts; `$set` may hold all messages once more, so what stands there is a copy. What
//! `$rewindTo` takes back was said nevertheless, and stays a review. A sub-agent's answer is the
//! input of its `complete_task`, and stands again in the result of its parent's call and in how
//! that result is shown; how other results are shown repeats them, and is passed over.

use super::raw::owned;
use super::{
    AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Stop, Transcript, json,
};
use crate::record::Channel;

/// Gemini CLI sessions.
pub struct Gemini;

/// Types of messages.
const KINDS: &[&str] = &["user", "gemini", "model", "info", "error", "warning"];

/// What a message of no more than these keys may hold, where its type is a word of many formats.
const KEYS: &[&str] = &["id", "timestamp", "type", "content", "parts", "displayContent"];

/// Tools that call an agent by its name.
const AGENT_TOOLS: &[&str] = &["invoke_agent", "delegate_to_agent"];

impl Transcript for Gemini {
    fn id(&self) -> &'static str {
        "gemini"
    }

    fn reads(&self) -> &'static str {
        "Gemini CLI sessions, JSON or JSONL, those of sub-agents too; gemini --output-format json"
    }

    fn recognised_by(&self) -> &'static str {
        "`sessionId` with `projectHash`; messages with `id` and the type `gemini`; `$set`; `response` with `stats`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [session, project, id, time, kind, content, parts, set, rewind, response, stats] =
            record.fields([
                "sessionId",
                "projectHash",
                "id",
                "timestamp",
                "type",
                "content",
                "parts",
                "$set",
                "$rewindTo",
                "response",
                "stats",
            ]);
        if session.is_some() && project.is_some() {
            return true;
        }
        if let Some(change) = set.or(rewind) {
            let is_change = set.is_none_or(|_| change.is_object());
            return is_change && record.entries().count() == 1;
        }
        if let (Some(response), Some(stats)) = (response, stats) {
            let [models, tools] = stats.fields(["models", "tools"]);
            return response.is_string() && (models.is_some() || tools.is_some());
        }
        let (Some(kind), true) = (kind, id.is_some() && time.is_some()) else { return false };
        let has_own_keys = || record.entries().all(|(key, _)| KEYS.iter().any(|own| key.is(own)));
        kind.is("gemini")
            || (content.or(parts).is_some()
                && KINDS.iter().any(|own| kind.is(own))
                && has_own_keys())
    }

    fn session(&self, first: &Raw<'_>, beside: &Beside) -> Session {
        let [id, kind, output_id] = first.fields(["sessionId", "kind", "session_id"]);
        let id = id.or(output_id).and_then(|id| id.owned());
        if !kind.is_some_and(|kind| kind.is("subagent")) {
            return Session { id, ..Session::default() };
        }
        // The folder has the name of the session that calls; there its answer stands again.
        let parent = beside.folder(1).filter(|name| *name != CHATS).map(str::to_owned);
        Session { agent_id: id.clone(), id, parent, ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [id, output_id, messages, summary, set, response, kind] = record.fields([
            "sessionId",
            "session_id",
            "messages",
            "summary",
            "$set",
            "response",
            "type",
        ]);
        let own = id.or(output_id).and_then(|id| id.owned());
        let origin = Origin {
            session_id: session.id.clone().or(own),
            agent_id: session.agent_id.clone(),
            called: session.agent_id.is_some(),
            ..Origin::default()
        };
        if kind.is_some() && messages.is_none() {
            message(record, MESSAGE, &origin, sink);
            return;
        }
        if let Some(summary) = summary {
            json::all(summary, Channel::Summary, &origin.at("summary"), sink);
        }
        for each in messages.into_iter().flat_map(|messages| messages.items()) {
            message(each, MESSAGE, &origin, sink);
        }
        if let Some(set) = set {
            for (key, value) in set.entries() {
                if key.is("messages") {
                    value.items().for_each(|each| message(each, "$set", &origin, sink));
                } else {
                    json::all(value, Channel::Summary, &origin.at("$set"), sink);
                }
            }
        }
        if let Some(response) = response {
            let origin = origin.at("response");
            let body = Body::Text(response);
            sink(Item::Message(Message { channel: Channel::Assistant, body, origin }));
        }
    }
}

/// The folder in which sessions stand that no other one called.
const CHATS: &str = "chats";

/// The kind of place of messages in the order in which they were said.
const MESSAGE: &str = "message";

/// Gives what a message says and what its tools get and give.
fn message<'a>(message: Raw<'a>, place: &'static str, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, time, kind, content, parts, display, thoughts, calls] = message.fields([
        "id",
        "timestamp",
        "type",
        "content",
        "parts",
        "displayContent",
        "thoughts",
        "toolCalls",
    ]);
    let id = id.and_then(|id| id.owned());
    let origin = Origin {
        place,
        record_id: id.clone().filter(|id| is_uuid(id)),
        message_id: id,
        timestamp: time.and_then(|time| time.owned()),
        // A whole list of messages is no later state of one.
        revisable: place == MESSAGE,
        stop: Stop::of(&message),
        ..origin.clone()
    };
    let speaker = match kind.and_then(|kind| kind.text()).as_deref() {
        Some("gemini" | "model") => Channel::Assistant,
        Some("user") => Channel::User,
        _ => Channel::System,
    };
    if let Some(thoughts) = thoughts {
        json::all(thoughts, Channel::Thinking, &origin.at("thoughts"), sink);
    }
    if let Some(content) = content.or(parts) {
        said(content, speaker, &origin, sink);
    }
    if let Some(display) = display {
        sink(Item::Echo(display));
    }
    for call in calls.into_iter().flat_map(|calls| calls.items()) {
        tool_call(call, &origin, sink);
    }
}

/// Gives the text of a message: a string, a part, or parts that are one text together.
pub(super) fn said<'a>(content: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    let mut texts = Vec::new();
    let single = (!content.is_array()).then_some(content);
    for part in content.items().chain(single) {
        if part.is_string() {
            texts.push(part);
            continue;
        }
        let [text, thought] = part.fields(["text", "thought"]);
        if thought.is_some_and(|flag| flag.is_true()) {
            json::all(part, Channel::Thinking, &origin.at("thoughts"), sink);
        } else if let Some(text) = text.filter(Raw::is_string) {
            texts.push(text);
        } else if speaker != Channel::Assistant {
            json::all(part, speaker, origin, sink);
        }
    }
    if !texts.is_empty() {
        let body = Body::Joined(texts);
        sink(Item::Message(Message { channel: speaker, body, origin: origin.clone() }));
    }
}

/// Gives a tool's input and result.
fn tool_call<'a>(call: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, name, args, result, display, status, agent_id, time] = call.fields([
        "id",
        "name",
        "args",
        "result",
        "resultDisplay",
        "status",
        "agentId",
        "timestamp",
    ]);
    let id = owned(id);
    let name = name.and_then(|name| name.text()).unwrap_or_default();
    let agent = Agent::of(&name, args.as_ref(), display.as_ref(), agent_id.is_some());
    let origin = Origin {
        record_id: origin.record_id.as_ref().zip(id.as_ref()).map(|(a, b)| format!("{a}/{b}")),
        tool_call_id: id.clone(),
        timestamp: owned(time).or_else(|| origin.timestamp.clone()),
        ..origin.clone()
    };
    if let (Some(agent), Some(id)) = (&agent, &id) {
        sink(Item::Call(AgentCall {
            id: id.clone(),
            agent: agent.name.clone(),
            ..AgentCall::default()
        }));
    }
    if let Some(args) = args {
        input(name.clone(), args, &origin, sink);
    }
    if let (Some(tool_call_id), Some(status)) = (id.clone(), status) {
        let taken = status.is("success");
        if taken || status.is("error") || status.is("cancelled") {
            sink(Item::Result { tool_call_id, taken });
        }
    }
    let Some(agent) = agent else {
        if let Some(result) = result {
            json::all(result, Channel::ToolResult, &origin.at("result"), sink);
        }
        if let Some(display) = display {
            sink(Item::Echo(display));
        }
        return;
    };
    let origin = Origin {
        agent: agent.name,
        agent_id: owned(agent_id),
        agent_call: id,
        called: true,
        ..origin
    };
    if let Some(result) = result {
        json::all(result, Channel::AgentResult, &origin.at("result"), sink);
    }
    if let Some(display) = display {
        let answer = display.get("result").or(display.is_string().then_some(display));
        if let Some(answer) = answer {
            json::all(answer, Channel::AgentResult, &origin.at("resultDisplay"), sink);
        }
        // What it did meanwhile stands in its own session.
        sink(Item::Echo(display));
    }
}

/// Gives what a tool is given; by `complete_task` a sub-agent says its answer.
pub(super) fn input<'a>(
    name: std::borrow::Cow<'a, str>,
    args: Raw<'a>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if name == "complete_task" {
        let origin = Origin { called: true, ..origin.at("complete_task") };
        json::all(args, Channel::Assistant, &origin, sink);
        return;
    }
    let place = if origin.place == MESSAGE { "args" } else { origin.place };
    let (channel, body) = (Channel::ToolInput, Body::Call(name, args));
    sink(Item::Message(Message { channel, body, origin: origin.at(place) }));
}

/// The agent that a tool is.
pub(super) struct Agent {
    pub(super) name: Option<String>,
}

impl Agent {
    /// The agent, if the tool of this name is one: it says so itself, or how its result is shown.
    pub(super) fn of(
        name: &str,
        args: Option<&Raw<'_>>,
        display: Option<&Raw<'_>>,
        has_id: bool,
    ) -> Option<Self> {
        let named = args.and_then(|args| args.get("agent_name")).and_then(|name| name.owned());
        let [progress, shown] = display
            .map(|display| display.fields(["isSubagentProgress", "agentName"]))
            .unwrap_or_default();
        let is_agent = has_id
            || AGENT_TOOLS.contains(&name)
            || progress.is_some_and(|flag| flag.is_true())
            || display.and_then(Raw::body).is_some_and(|shown| tells_end_of(shown, name));
        let shown = shown.and_then(|name| name.owned());
        is_agent.then(|| Self { name: shown.or(named).or_else(|| Some(name.to_owned())) })
    }
}

/// Whether a shown result says that the agent of this name has ended.
fn tells_end_of(shown: &[u8], name: &str) -> bool {
    let rest = shown.strip_prefix(b"Subagent ").and_then(|rest| rest.strip_prefix(name.as_bytes()));
    rest.is_some_and(|rest| rest.to_ascii_lowercase().starts_with(b" finished"))
}

/// Whether an id is one that no other session has.
pub(super) fn is_uuid(id: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| {
            if dashes.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        })
}
