//! ATIF: trajectories as Harbor, Terminal-Bench and `NeMo` exchange them.
//!
//! Read are the messages of steps whose source is `agent`, the arguments of their tool calls, and
//! the trajectories of sub-agents within the document. What a sub-agent answers stands once more in
//! the observation of its call. Steps that were copied from an earlier trajectory, and `extra` with
//! what the agent tool itself recorded, are passed over. A trajectory that writes a summary of
//! another one's context is `summary`.

use memchr::memmem;

use super::chat;
use super::{AgentCall, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// ATIF trajectories.
pub struct Atif;

/// Trajectories within trajectories that are looked into.
const LEVELS: u32 = 16;

/// What stands in a trajectory beside what is said in it.
const ABOUT: [&str; 9] = [
    "schema_version",
    "session_id",
    "trajectory_id",
    "agent",
    "notes",
    "final_metrics",
    "continued_trajectory_ref",
    "trajectory_path",
    "extra",
];

/// What stands in a step beside what is said in it.
const ABOUT_STEP: [&str; 4] = ["model_name", "metrics", "llm_call_count", "extra"];

impl Transcript for Atif {
    fn id(&self) -> &'static str {
        "atif"
    }

    fn reads(&self) -> &'static str {
        "ATIF trajectories (Harbor, Terminal-Bench, NeMo)"
    }

    fn recognised_by(&self) -> &'static str {
        "an object with a `schema_version` that starts with `ATIF`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let version = record.get("schema_version");
        version.and_then(|version| version.body()).is_some_and(|body| body.starts_with(b"ATIF"))
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let id = record.fields(["session_id", "trajectory_id"]).into_iter().flatten().next();
        let session_id = id.and_then(|id| id.owned()).or_else(|| session.id.clone());
        trajectory(record, &Origin { session_id, ..Origin::default() }, 0, sink);
    }
}

fn trajectory<'a>(record: Raw<'a>, origin: &Origin, level: u32, sink: Sink<'_, 'a>) {
    let [agent, session, id] = record.fields(["agent", "session_id", "trajectory_id"]);
    let name = agent.and_then(|agent| agent.get("name"));
    let ids = [id, session, name].into_iter().flatten();
    let summarises =
        ids.filter_map(|id| id.body()).any(|id| memmem::find(id, b"-summarization").is_some());
    let own_id = id.or(session).and_then(|id| id.owned());
    // All of a document is one session: what a sub-agent answers is known again by that.
    let origin = Origin {
        agent: name.and_then(|name| name.owned()),
        agent_id: own_id.filter(|_| level > 0),
        called: level > 0,
        ..origin.clone()
    };
    for (key, value) in record.entries() {
        match key.text().as_deref() {
            Some("steps") if summarises => json::all(value, Channel::Summary, &origin, sink),
            Some("steps") => value.items().for_each(|item| step(item, &origin, level, sink)),
            Some("subagent_trajectories") if level < LEVELS => {
                value.items().for_each(|item| trajectory(item, &origin, level + 1, sink));
            }
            Some(key) if ABOUT.contains(&key) => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
}

fn step<'a>(step: Raw<'a>, origin: &Origin, level: u32, sink: Sink<'_, 'a>) {
    let [id, source, time, copied] =
        step.fields(["step_id", "source", "timestamp", "is_copied_context"]);
    let speaker = match source.and_then(|source| source.text()).as_deref() {
        Some("agent" | "assistant") => Channel::Assistant,
        Some("user") => Channel::User,
        _ => Channel::System,
    };
    if copied.is_some_and(|flag| flag.is_true()) {
        sink(Item::Echo(step));
        return;
    }
    // A step's number is one within its trajectory.
    let number = id.map(|id| String::from_utf8_lossy(id.bytes).trim_matches('"').to_owned());
    let message_id = match (&origin.agent_id, number) {
        (Some(agent), Some(number)) => Some(format!("{agent}/{number}")),
        (_, number) => number,
    };
    let timestamp = time.and_then(|time| time.owned());
    let origin = Origin { message_id, timestamp, ..origin.clone() };
    for (key, value) in step.entries() {
        match key.text().as_deref() {
            Some("message") if speaker == Channel::Assistant => {
                chat::content(value, &origin, sink);
            }
            Some("message") => json::all(value, speaker, &origin, sink),
            Some("reasoning_content") => json::all(value, Channel::Thinking, &origin, sink),
            Some("tool_calls") => value.items().for_each(|item| call(item, &origin, sink)),
            Some("observation") => {
                let results = value.get("results").into_iter().flat_map(|results| results.items());
                results.for_each(|item| result(item, &origin, level, sink));
            }
            Some(key) if ABOUT_STEP.contains(&key) => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
}

fn call<'a>(call: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, arguments, extra] = call.fields(["tool_call_id", "arguments", "extra"]);
    let agent = arguments.and_then(|arguments| arguments.get("subagent_type"));
    if let (Some(id), Some(agent)) = (id, agent) {
        let id = id.owned().unwrap_or_default();
        sink(Item::Call(AgentCall { id, agent: agent.owned(), description: None }));
    }
    chat::call(call, origin, sink);
    extra.map(|extra| sink(Item::Echo(extra)));
}

fn result<'a>(result: Raw<'a>, origin: &Origin, level: u32, sink: Sink<'_, 'a>) {
    let [call, content, agents, extra] =
        result.fields(["source_call_id", "content", "subagent_trajectory_ref", "extra"]);
    let origin = Origin { tool_call_id: call.and_then(|call| call.owned()), ..origin.clone() };
    let agent = agents.and_then(|agents| agents.items().next());
    if let Some(agent) = agent {
        let mut ids = agent.fields(["trajectory_id", "session_id"]).into_iter().flatten();
        let answer = Origin {
            place: "observation",
            agent: None,
            agent_id: ids.find_map(|id| id.owned()),
            agent_call: origin.tool_call_id.clone(),
            called: true,
            ..origin.clone()
        };
        let parts = content.into_iter().flat_map(|content| content.items());
        let texts = parts.filter_map(|part| part.get("text")).chain(content);
        for text in texts.filter(Raw::is_string) {
            let (channel, body) = (Channel::AgentResult, Body::Text(text));
            sink(Item::Message(Message { channel, body, origin: answer.clone() }));
        }
    } else {
        if let Some(tool_call_id) = origin.tool_call_id.clone() {
            let flag = |name: &str| extra.and_then(|extra| extra.get(name));
            let refused = ["is_error", "tool_result_is_error"]
                .iter()
                .any(|name| flag(name).is_some_and(|flag| flag.is_true()))
                || flag("success").is_some_and(|flag| flag.bytes == b"false");
            sink(Item::Result { tool_call_id, taken: !refused });
        }
        if let Some(content) = content {
            json::all(content, Channel::ToolResult, &origin, sink);
        }
    }
    for reference in agents.into_iter().flat_map(|agents| agents.items()) {
        // Some keep the whole trajectory where they refer to it.
        if reference.get("steps").is_some() && level < LEVELS {
            let origin = Origin { message_id: None, tool_call_id: None, ..origin.clone() };
            trajectory(reference, &origin, level + 1, sink);
        } else {
            json::echo(&reference, &ABOUT, sink);
        }
    }
    extra.map(|extra| sink(Item::Echo(extra)));
}
