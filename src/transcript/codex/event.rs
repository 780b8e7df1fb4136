//! Events: what Codex tells its own surface while it works.
//!
//! Takes an event, as a rollout keeps it or as a log of the surface does, gives what it says. Most
//! of it stands in items as well, and is a copy there; a log of the surface has nothing else. An
//! event of a type that is not known here is in no item, so that it is counted.

use super::super::raw::owned;
use super::item::{call, response_item};
use super::{agents, text_message};
use crate::record::Channel;
use crate::transcript::{Body, Item, Message, Origin, Raw, Sink, json};

/// What the types of events start with that tell of the work of tools: what a command puts out
/// stands there up to three times, and as the call's output.
const OF_TOOLS: &[&str] = &[
    "exec_command_",
    "exec_approval_",
    "apply_patch_approval_",
    "patch_apply_",
    "turn_diff",
    "web_search_",
    "image_generation_",
    "view_image_",
    "guardian_",
    "dynamic_tool_call_response",
    "terminal_interaction",
    "item_started",
    "mcp_list_tools_response",
];

/// Types of events with which the tool tells of itself and of the person.
const OF_SETUP: &[&str] = &[
    "session_configured",
    "task_started",
    "turn_started",
    "turn_aborted",
    "turn_context",
    "token_count",
    "error",
    "warning",
    "stream_error",
    "background_event",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_settings_applied",
    "thread_rolled_back",
    "context_compacted",
    "undo_started",
    "undo_completed",
    "deprecation_notice",
    "plan_update",
    "skills_update_available",
    "sub_agent_activity",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_agent_interaction_begin",
    "collab_waiting_begin",
    "collab_close_begin",
    "collab_resume_begin",
    "request_user_input",
    "elicitation_request",
    "get_history_entry_response",
    "shutdown_complete",
];

/// Gives what an event says.
pub(in crate::transcript) fn event<'a>(event: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [kind, message, last, item, review, history, call_id] = event.fields([
        "type",
        "message",
        "last_agent_message",
        "item",
        "review_output",
        "initial_messages",
        "call_id",
    ]);
    let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
    let call_id = call_id.and_then(|id| id.owned());
    let of_call = || Origin { tool_call_id: call_id.clone(), ..origin.clone() };
    match &*kind {
        "agent_message" => {
            if let Some(message) = message {
                text_message(message, Channel::Assistant, "agent_message", origin, sink);
            }
        }
        "task_complete" | "turn_complete" => {
            if let Some(last) = last {
                text_message(last, Channel::Assistant, "task_complete", origin, sink);
            }
        }
        "item_completed" => {
            if let Some(item) = item {
                completed(item, origin, sink);
            }
        }
        "raw_response_item" => {
            if let Some(item) = item {
                response_item(item, origin, sink);
            }
        }
        "exec_command_begin" => {
            call("exec_command".into(), event, "exec_command", &of_call(), sink);
        }
        "patch_apply_begin" => call("apply_patch".into(), event, "patch_apply", &of_call(), sink),
        "mcp_tool_call_begin" | "mcp_tool_call_end" | "dynamic_tool_call_request" => {
            tool_call(event, origin, sink);
        }
        "exited_review_mode" => {
            if let Some(review) = review.filter(Raw::is_object) {
                let origin = origin.at("exited_review_mode");
                let (channel, body) = (Channel::Event, Body::Value(review));
                sink(Item::Message(Message { channel, body, origin }));
            }
            sink(Item::Echo(event));
        }
        "user_message" | "entered_review_mode" | "session_prompt" => {
            json::walk(event, Channel::User, origin, sink);
        }
        // The history that a session is taken up with.
        "session_configured" if history.is_some() => {
            for told in history.into_iter().flat_map(|history| history.items()) {
                self::event(told, origin, sink);
            }
        }
        "collab_waiting_end"
        | "collab_close_end"
        | "collab_agent_interaction_end"
        | "collab_resume_end" => collab(event, origin, sink),
        kind if kind.ends_with("_delta") || kind.ends_with("_section_break") => {
            sink(Item::Echo(event));
        }
        kind if kind.starts_with("agent_reasoning") => {
            json::walk(event, Channel::Thinking, origin, sink);
        }
        kind if OF_TOOLS.iter().any(|own| kind.starts_with(own)) => {
            sink(Item::Echo(event));
        }
        kind if OF_SETUP.contains(&kind) => json::walk(event, Channel::System, origin, sink),
        _ => {}
    }
}

/// Gives an item of a turn that is done.
fn completed<'a>(item: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    const PLACE: &str = "item_completed";
    let [kind, id, content, text, tool, arguments, states] =
        item.fields(["type", "id", "content", "text", "tool", "arguments", "agents_states"]);
    let id = id.and_then(|id| id.owned());
    let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
    match &*kind {
        "AgentMessage" | "agentMessage" | "Plan" | "plan" => {
            let origin = Origin { message_id: id, ..origin.clone() };
            let parts = content.into_iter().flat_map(|content| content.items());
            let parts = parts.filter_map(|part| part.path(&["Text", "text"]).or(part.get("text")));
            for text in parts.chain(text) {
                text_message(text, Channel::Assistant, PLACE, &origin, sink);
            }
        }
        "McpToolCall" | "DynamicToolCall" => {
            let origin = Origin { tool_call_id: id, ..origin.clone() };
            if let (Some(tool), Some(input)) = (tool.and_then(|tool| tool.text()), arguments) {
                call(tool, input, PLACE, &origin, sink);
            }
            tool.map(|tool| sink(Item::Echo(tool)));
            for (_, value) in
                item.entries().filter(|(key, _)| !key.is("tool") && !key.is("arguments"))
            {
                json::walk(value, Channel::ToolResult, &origin, sink);
            }
        }
        "CollabAgentToolCall" => {
            states_of(states, PLACE, origin, sink);
            for (_, value) in item.entries().filter(|(key, _)| !key.is("agents_states")) {
                json::walk(value, Channel::User, origin, sink);
            }
        }
        "UserMessage" | "HookPrompt" => json::walk(item, Channel::User, origin, sink),
        "Reasoning" => json::walk(item, Channel::Thinking, origin, sink),
        "ContextCompaction" => json::walk(item, Channel::Summary, origin, sink),
        "CommandExecution" | "FileChange" => {
            sink(Item::Echo(item));
        }
        "WebSearch" | "Extension" | "ImageGeneration" | "ImageView" | "SubAgentActivity"
        | "EnteredReviewMode" | "ExitedReviewMode" => {
            json::walk(item, Channel::ToolResult, origin, sink);
        }
        _ => {}
    }
}

/// Gives the answers in the states of agents by thread, each with a message.
pub(in crate::transcript) fn states_of<'a>(
    states: Option<Raw<'a>>,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    for (thread, state) in states.into_iter().flat_map(|states| states.entries()) {
        if let Some(text) = state.get("message") {
            let origin = agents::of_agent(thread.owned(), None, origin);
            text_message(text, Channel::AgentResult, place, &origin, sink);
        }
    }
}

/// Gives the call of a tool of a server, and whether it was taken.
fn tool_call<'a>(event: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [invocation, call_id, camel_id, result] =
        event.fields(["invocation", "call_id", "callId", "result"]);
    let id = call_id.or(camel_id).and_then(|id| id.owned());
    let origin = Origin { tool_call_id: id.clone(), ..origin.clone() };
    let [tool, arguments] = invocation.unwrap_or(event).fields(["tool", "arguments"]);
    tool.map(|tool| sink(Item::Echo(tool)));
    if let (Some(tool), Some(input)) = (tool.and_then(|tool| tool.text()), arguments) {
        call(tool, input, "mcp_tool_call", &origin, sink);
    }
    if let (Some(id), Some(result)) = (id, result) {
        let failed = result.get("Err").is_some()
            || result.path(&["Ok", "isError"]).is_some_and(|flag| flag.is_true())
            || result.path(&["Ok", "is_error"]).is_some_and(|flag| flag.is_true());
        sink(Item::Result { tool_call_id: id, taken: !failed });
        json::walk(result, Channel::ToolResult, &origin, sink);
    }
}

/// Gives the answers of agents that were waited for, asked or closed.
fn collab<'a>(event: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    const PLACE: &str = "collab";
    let [statuses, by_thread, status, receiver, role, nickname, prompt] = event.fields([
        "agent_statuses",
        "statuses",
        "status",
        "receiver_thread_id",
        "receiver_agent_role",
        "receiver_agent_nickname",
        "prompt",
    ]);
    for entry in statuses.into_iter().flat_map(|statuses| statuses.items()) {
        let [thread, role, nickname, state] =
            entry.fields(["thread_id", "agent_role", "agent_nickname", "status"]);
        if let Some(state) = state {
            let agent = owned(role).or_else(|| owned(nickname));
            agents::answer(state, owned(thread), agent, PLACE, origin, sink);
        }
    }
    for (thread, state) in by_thread.into_iter().flat_map(|states| states.entries()) {
        agents::answer(state, thread.owned(), None, PLACE, origin, sink);
    }
    if let Some(status) = status {
        let agent = owned(role).or_else(|| owned(nickname));
        agents::answer(status, owned(receiver), agent, PLACE, origin, sink);
    }
    if let Some(prompt) = prompt {
        json::walk(prompt, Channel::User, origin, sink);
    }
}
