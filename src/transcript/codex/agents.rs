//! What Codex tells an agent of its sub-agents.
//!
//! Takes the maps and messages in which the state of a sub-agent stands, gives its answers on the
//! channel `agent-result`. However often an answer is told, it is one: its message is the thread
//! that gave it.

use super::text_message;
use crate::record::Channel;
use crate::transcript::raw::unescape;
use crate::transcript::{Origin, Raw, Sink};

/// Whether this object tells of the state of agents: a notification, or what a call that waits for
/// them gives back.
pub(super) fn tells(record: &Raw<'_>) -> bool {
    let [status, before, agent, path, timed_out] =
        record.fields(["status", "previous_status", "agent_id", "agent_path", "timed_out"]);
    let is_map = |value: Option<Raw<'_>>| value.is_some_and(|value| value.is_object());
    let is_state = |value: Option<Raw<'_>>| value.is_some_and(|value| ended(&value).is_some());
    (is_map(status) && timed_out.is_some())
        || (is_state(status) && agent.or(path).is_some())
        || is_state(before)
}

/// Whether a text, as it stands in a JSON string, is such an object.
pub(super) fn is_told(text: &Raw<'_>) -> bool {
    const HEADS: [&[u8]; 3] =
        [b"{\\\"status\\\":{", b"{\\\"status\\\": {", b"{\\\"previous_status\\\":"];
    text.body().filter(|body| HEADS.iter().any(|head| body.starts_with(head))).is_some_and(|body| {
        let text = unescape(body);
        tells(&Raw::at(text.as_bytes(), 0, 0))
    })
}

/// The answer in the state of an agent that has ended; `None` in any other.
fn ended<'a>(state: &Raw<'a>) -> Option<Raw<'a>> {
    let [completed, errored] = state.fields(["completed", "errored"]);
    completed.or(errored)
}

/// Gives the answers in an object that tells of the state of agents.
pub(super) fn answers<'a>(record: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [status, before, agent, path] =
        record.fields(["status", "previous_status", "agent_id", "agent_path"]);
    let Some(status) = before.or(status) else { return };
    let thread = agent.or(path);
    // One and the same agent is named otherwise here and there, or not at all.
    let place = match thread {
        Some(_) => "subagent_notification",
        None if before.is_some() => "close_agent",
        None => "wait_agent",
    };
    if ended(&status).is_some() {
        answer(status, thread.and_then(|thread| thread.owned()), None, place, origin, sink);
        return;
    }
    for (thread, state) in status.entries() {
        answer(state, thread.owned(), None, place, origin, sink);
    }
}

/// Gives the answer in the state of the agent of `thread`.
pub(super) fn answer<'a>(
    state: Raw<'a>,
    thread: Option<String>,
    agent: Option<String>,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let Some(text) = ended(&state) else { return };
    let origin = of_agent(thread, agent, origin);
    text_message(text, Channel::AgentResult, place, &origin, sink);
}

/// Where an answer of the agent of `thread` comes from.
pub(super) fn of_agent(thread: Option<String>, agent: Option<String>, origin: &Origin) -> Origin {
    Origin {
        agent,
        message_id: thread.clone().or_else(|| origin.message_id.clone()),
        agent_id: thread,
        tool_call_id: None,
        called: true,
        ..origin.clone()
    }
}

/// Gives what one agent tells another: its answer, or a task.
pub(super) fn told<'a>(
    content: Raw<'a>,
    author: Option<Raw<'a>>,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let author = author.and_then(|author| author.owned());
    let origin =
        Origin { agent: author.or_else(|| origin.agent.clone()), called: true, ..origin.clone() };
    let parts = content.items().filter_map(|part| part.get("text"));
    for text in parts.chain([content]).filter(Raw::is_string) {
        let channel = if is_final_answer(&text) { Channel::AgentResult } else { Channel::User };
        text_message(text, channel, place, &origin, sink);
    }
}

/// Whether what one agent tells another is its answer, by the lines above it.
fn is_final_answer(text: &Raw<'_>) -> bool {
    const HEAD: usize = 512;
    text.body().is_some_and(|body| {
        let head = &body[..body.len().min(HEAD)];
        memchr::memmem::find(head, b"Message Type: FINAL_ANSWER").is_some()
    })
}
