//! Codex rollout JSONL.
//!
//! The agent's word is `response_item` with the role `assistant`; events repeat it, up to three
//! times. Tool inputs are JSON in a string, or a patch. The session's id stands in the first
//! record only.

use super::claude_code::text_message;
use super::{Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// Codex rollout JSONL.
pub struct Codex;

impl Transcript for Codex {
    fn id(&self) -> &'static str {
        "codex"
    }

    fn reads(&self) -> &'static str {
        "Codex rollout JSONL"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and an object `payload`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, payload] = record.fields(["type", "payload"]);
        kind.is_some() && payload.is_some_and(|payload| payload.is_object())
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let [kind, payload] = first.fields(["type", "payload"]);
        let Some(payload) = payload.filter(|_| kind.is_some_and(|kind| kind.is("session_meta")))
        else {
            return Session::default();
        };
        let [id, nickname, role, cwd] =
            payload.fields(["id", "agent_nickname", "agent_role", "cwd"]);
        let text = |value: Option<Raw<'_>>| value.and_then(|value| value.owned());
        let agent = text(role).or_else(|| text(nickname));
        Session { id: text(id), agent, cwd: text(cwd).map(Into::into), ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, payload, time] = record.fields(["type", "payload", "timestamp"]);
        let Some(payload) = payload else { return };
        let origin = Origin {
            session_id: session.id.clone(),
            agent: session.agent.clone(),
            called: session.agent.is_some(),
            timestamp: time.and_then(|time| time.owned()),
            cwd: session.cwd.clone(),
            ..Origin::default()
        };
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("response_item") => response_item(payload, &origin, sink),
            Some("event_msg") => event(payload, &origin, sink),
            Some("session_meta" | "turn_context" | "world_state") => {
                json::walk(payload, Channel::System, &origin, sink);
            }
            Some("compacted") => json::walk(payload, Channel::Summary, &origin, sink),
            _ => {}
        }
    }
}

/// What the types of events start with that tell of the work of tools.
const TOOL_EVENTS: &[&str] = &["exec_command_", "patch_apply_", "turn_diff", "web_search_"];

fn response_item<'a>(item: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [kind, role, content, name, arguments, input, call_id, output, id, action, author] = item
        .fields([
            "type",
            "role",
            "content",
            "name",
            "arguments",
            "input",
            "call_id",
            "output",
            "id",
            "action",
            "author",
        ]);
    let text = |value: Option<Raw<'a>>| value.and_then(|value| value.owned());
    let origin = Origin { message_id: text(id), tool_call_id: text(call_id), ..origin.clone() };
    match kind.and_then(|kind| kind.text()).as_deref() {
        Some("message") => {
            let speaker = match role.and_then(|role| role.text()).as_deref() {
                Some("assistant") => Channel::Assistant,
                Some("user") => Channel::User,
                _ => Channel::System,
            };
            let texts = content.into_iter().flat_map(|content| content.items());
            for text in texts.filter_map(|item| item.get("text")) {
                text_message(text, speaker, "message", &origin, sink);
            }
        }
        Some("agent_message") => {
            let origin = Origin {
                agent: text(author).or_else(|| origin.agent.clone()),
                called: true,
                ..origin
            };
            let parts = content.into_iter().flat_map(|content| content.items());
            let texts = parts.filter_map(|part| part.get("text")).chain(content);
            for text in texts.filter(Raw::is_string) {
                let place = "inter_agent_message";
                // Whatever else one agent tells another is a task.
                let answer = is_final_answer(&text);
                let channel = if answer { Channel::AgentResult } else { Channel::User };
                text_message(text, channel, place, &origin, sink);
            }
        }
        Some("function_call" | "custom_tool_call") => {
            if let (Some(name), Some(input)) =
                (name.and_then(|name| name.text()), arguments.or(input))
            {
                call(name, input, "function_call", &origin, sink);
            }
        }
        Some("local_shell_call") => {
            if let Some(action) = action {
                call("local_shell".into(), action, "function_call", &origin, sink);
            }
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            if let Some(output) = output {
                let origin = Origin { place: "function_call_output", ..origin };
                json::walk(output, Channel::ToolResult, &origin, sink);
            }
        }
        Some("reasoning") => json::walk(item, Channel::Thinking, &origin, sink),
        _ => {}
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

fn event<'a>(payload: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [kind, message, last, invocation, call_id, result, review, item, statuses] = payload
        .fields([
            "type",
            "message",
            "last_agent_message",
            "invocation",
            "call_id",
            "result",
            "review_output",
            "item",
            "agent_statuses",
        ]);
    match kind.and_then(|kind| kind.text()).as_deref() {
        Some("agent_message") => {
            if let Some(message) = message {
                text_message(message, Channel::Assistant, "agent_message", origin, sink);
            }
        }
        Some("task_complete") => {
            if let Some(last) = last {
                text_message(last, Channel::Assistant, "task_complete", origin, sink);
            }
        }
        Some("item_completed") => {
            let item =
                item.filter(|item| item.get("type").is_some_and(|kind| kind.is("AgentMessage")));
            let content = item.and_then(|item| item.get("content"));
            for part in content.into_iter().flat_map(|content| content.items()) {
                if let Some(text) = part.path(&["Text", "text"]).or_else(|| part.get("text")) {
                    text_message(text, Channel::Assistant, "item_completed", origin, sink);
                }
            }
        }
        Some("mcp_tool_call_end") => {
            let id = call_id.and_then(|id| id.owned());
            let origin = Origin { tool_call_id: id.clone(), ..origin.clone() };
            if let Some(invocation) = invocation {
                let [tool, arguments] = invocation.fields(["tool", "arguments"]);
                if let (Some(tool), Some(input)) = (tool.and_then(|tool| tool.text()), arguments) {
                    call(tool, input, "mcp_tool_call_end", &origin, sink);
                }
            }
            if let (Some(id), Some(result)) = (id, result) {
                let failed = result.get("Err").is_some()
                    || result.path(&["Ok", "isError"]).is_some_and(|flag| flag.is_true())
                    || result.path(&["Ok", "is_error"]).is_some_and(|flag| flag.is_true());
                sink(Item::Result { tool_call_id: id, taken: !failed });
            }
        }
        Some("collab_waiting_end") => {
            for status in statuses.into_iter().flat_map(|statuses| statuses.items()) {
                let [thread, role, state] = status.fields(["thread_id", "agent_role", "status"]);
                let origin = Origin {
                    agent: role.and_then(|role| role.owned()),
                    agent_id: thread.and_then(|thread| thread.owned()),
                    called: true,
                    ..origin.clone()
                };
                if let Some(text) = state.and_then(|state| state.get("completed")) {
                    let place = "collab_waiting_end";
                    text_message(text, Channel::AgentResult, place, &origin, sink);
                }
            }
        }
        Some("exited_review_mode") => {
            if let Some(review) = review.filter(Raw::is_object) {
                let origin = Origin { place: "exited_review_mode", ..origin.clone() };
                let body = Body::Value(review);
                sink(Item::Message(Message { channel: Channel::Event, body, origin }));
            }
        }
        Some("user_message") => json::walk(payload, Channel::User, origin, sink),
        Some("agent_reasoning") => json::walk(payload, Channel::Thinking, origin, sink),
        Some(kind) if TOOL_EVENTS.iter().any(|own| kind.starts_with(own)) => {
            // What a command puts out stands here up to three times, and as the call's output.
            sink(Item::Echo(payload));
        }
        _ => {}
    }
}

fn call<'a>(
    name: std::borrow::Cow<'a, str>,
    input: Raw<'a>,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let origin = Origin { place, ..origin.clone() };
    sink(Item::Message(Message {
        channel: Channel::ToolInput,
        body: Body::Call(name, input),
        origin,
    }));
}
