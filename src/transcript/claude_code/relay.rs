//! Answers of sub-agents, as others tell them: the results of calls, the output of tasks in the
//! background, and notifications that such a task has ended.
//!
//! Takes the result of a tool call with what the record keeps beside it, or the text of a
//! notification; gives messages on the channel `agent-result`, and on a hidden one whatever else
//! another tool says. A result is never taken for an agent's where the record says that another
//! tool gave it.

use memchr::memmem;

use crate::record::Channel;
use crate::transcript::{Origin, Raw, Sink, json, text_message};

/// Whose answer the result of a tool call is.
pub(super) enum Relay<'a> {
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
    /// By the result, and by what stands beside it.
    pub(super) fn of(result: &Raw<'_>, beside: Option<&Raw<'t>>) -> Self {
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

    /// Gives what the result says.
    pub(super) fn read<'a>(
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
        match self {
            Self::Tool => json::walk(result, Channel::ToolResult, &origin, sink),
            Self::Task(task) => output(result, task, &origin, sink),
            Self::Agent | Self::Unknown if result.is_object() => {
                json::walk(result, Channel::ToolResult, &origin, sink);
            }
            Self::Agent | Self::Unknown => {
                for text in texts(result) {
                    answer(text, &origin, sink);
                }
                let others = result.items().filter(|block| {
                    block.is_object() && !block.get("text").is_some_and(|text| text.is_string())
                });
                for block in others {
                    json::walk(block, Channel::ToolResult, &origin, sink);
                }
            }
        }
    }

    /// The parts that say again what the result says, of what stands beside it.
    pub(super) fn again(&self, beside: Raw<'t>) -> [Option<Raw<'t>>; 2] {
        match self {
            Self::Agent if beside.is_object() => [beside.get("content"), None],
            Self::Task(task) => task.fields(["output", "result"]),
            Self::Agent | Self::Unknown if !beside.is_object() => [Some(beside), None],
            Self::Agent | Self::Unknown | Self::Tool => [None, None],
        }
    }
}

/// The texts of a result: itself, or its blocks.
fn texts(result: Raw<'_>) -> impl Iterator<Item = Raw<'_>> {
    let blocks = result.items().map(|block| block.get("text").unwrap_or(block));
    std::iter::once(result).chain(blocks).filter(Raw::is_string)
}

/// Gives what a sub-agent answers.
fn answer<'a>(text: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    // The head of an answer that is kept in a file of its own: cut anywhere, and a tool's word.
    let is_head = text.body().is_some_and(|body| body.starts_with(b"<persisted-output>"));
    let channel = if is_head { Channel::ToolResult } else { Channel::AgentResult };
    text_message(text, channel, origin.place, origin, sink);
}

/// Gives the output of a sub-agent's task. However often it is asked for, it is one answer.
fn output<'a>(result: Raw<'a>, task: &Raw<'_>, origin: &Origin, sink: Sink<'_, 'a>) {
    let id = task.get("task_id").and_then(|id| id.owned());
    let message_id = id.clone().or_else(|| origin.message_id.clone());
    let tool_call_id = origin.tool_call_id.clone().filter(|_| id.is_none());
    let origin =
        Origin { agent_call: None, agent_id: id, message_id, tool_call_id, ..origin.clone() };
    for text in texts(result) {
        let text = up_to_end_of(text, "<output>", "</output>").unwrap_or(text);
        answer(text, &origin, sink);
    }
}

const NOTIFICATION: &[u8] = b"<task-notification>";

/// Whether a text tells that a task has ended, and nothing before it.
pub(super) fn notifies(text: &Raw<'_>) -> bool {
    text.body().is_some_and(|body| body.trim_ascii_start().starts_with(NOTIFICATION))
}

/// Gives the answer of the sub-agent that a notification tells of; what else one says is a prompt.
pub(super) fn notification<'a>(
    text: Raw<'a>,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let Some(body) = text.body() else { return };
    let answer = Some(text).filter(|_| memmem::find(body, NOTIFICATION).is_some());
    let Some(answer) = answer.and_then(|text| up_to_end_of(text, "<result>", "</result>")) else {
        text_message(text, Channel::User, place, origin, sink);
        return;
    };
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
    let open = format!("<{name}>");
    let start = memmem::find(text, open.as_bytes())? + open.len();
    let length = memmem::find(&text[start..], format!("</{name}>").as_bytes())?;
    Some(String::from_utf8_lossy(&text[start..start + length]).trim().to_owned())
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
