//! The output of `codex exec --json`: items of a thread, as they are completed.
//!
//! A command is the agent's, what it puts out is the tool's. An item that is started or updated is
//! given again when it is completed. What a sub-agent answers stands in the states of the call that
//! waits for it, each time it is asked for: one answer.

use super::codex::states_of;
use super::{
    Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json, text_message,
};
use crate::record::Channel;

/// `codex exec --json`.
pub struct CodexExec;

impl Transcript for CodexExec {
    fn id(&self) -> &'static str {
        "codex-exec"
    }

    fn reads(&self) -> &'static str {
        "codex exec --json"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` `thread.…`, `turn.…` or `item.…`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        const HEADS: [&[u8]; 3] = [b"thread.", b"turn.", b"item."];
        let [kind, item] = record.fields(["type", "item"]);
        kind.and_then(|kind| kind.body())
            .is_some_and(|kind| HEADS.iter().any(|head| kind.starts_with(head)))
            // The tail of a line that was cut, or of a version to come.
            || item.and_then(|item| item.get("id")).is_some_and(|id| {
                id.body().is_some_and(|id| id.starts_with(b"item_"))
            })
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let id = first.get("thread_id").and_then(|id| id.owned());
        Session { id, ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, item] = record.fields(["type", "item"]);
        let origin = Origin { place: "item", session_id: session.id.clone(), ..Origin::default() };
        match item {
            Some(item) if kind.is_some_and(|kind| kind.is("item.completed")) => {
                completed(item, &origin, sink);
            }
            // It is given again when it is completed.
            Some(item)
                if kind.is_some_and(|kind| kind.is("item.started") || kind.is("item.updated")) =>
            {
                sink(Item::Echo(item));
            }
            Some(_) => {}
            None => json::walk(record, Channel::System, &origin, sink),
        }
    }
}

/// Gives what an item says.
fn completed<'a>(item: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, kind, item_kind, text, tool, arguments, result, error, command, output, exit, states] =
        item.fields([
            "id",
            "type",
            "item_type",
            "text",
            "tool",
            "arguments",
            "result",
            "error",
            "command",
            "aggregated_output",
            "exit_code",
            "agents_states",
        ]);
    let id = id.and_then(|id| id.owned());
    let origin = Origin { message_id: id.clone(), ..origin.clone() };
    let of_call = || Origin { tool_call_id: id.clone(), ..origin.clone() };
    let kind = kind.or(item_kind).and_then(|kind| kind.text()).unwrap_or_default();
    match &*kind {
        "agent_message" | "assistant_message" => {
            if let Some(text) = text {
                text_message(text, Channel::Assistant, "item", &origin, sink);
            }
        }
        "mcp_tool_call" => {
            tool.map(|tool| sink(Item::Echo(tool)));
            if let (Some(tool), Some(input)) = (tool.and_then(|tool| tool.text()), arguments) {
                let (channel, body) = (Channel::ToolInput, Body::Call(tool, input));
                sink(Item::Message(Message { channel, body, origin: of_call() }));
            }
            let is_fault = error.is_some_and(|error| error.bytes != b"null");
            let refused = result.is_some_and(|result| {
                let flags = result.fields(["isError", "is_error"]);
                flags.into_iter().flatten().any(|flag| flag.is_true())
            });
            for said in [result, error].into_iter().flatten() {
                json::walk(said, Channel::ToolResult, &origin, sink);
            }
            if let Some(tool_call_id) = id {
                sink(Item::Result { tool_call_id, taken: !is_fault && !refused });
            }
        }
        "command_execution" => {
            if let Some(command) = command {
                let (channel, body) =
                    (Channel::ToolInput, Body::Call("command_execution".into(), command));
                sink(Item::Message(Message { channel, body, origin: of_call() }));
            }
            if let Some(output) = output {
                json::walk(output, Channel::ToolResult, &origin, sink);
            }
            if let (Some(tool_call_id), Some(exit)) = (id, exit) {
                let taken = matches!(exit.bytes, b"0" | b"null");
                sink(Item::Result { tool_call_id, taken });
            }
        }
        "collab_tool_call" => {
            states_of(states, "collab_tool_call", &origin, sink);
            for (_, value) in item.entries().filter(|(key, _)| !key.is("agents_states")) {
                json::walk(value, Channel::User, &origin, sink);
            }
        }
        "reasoning" => json::walk(item, Channel::Thinking, &origin, sink),
        "error" => json::walk(item, Channel::System, &origin, sink),
        "file_change" | "todo_list" => {
            sink(Item::Echo(item));
        }
        "web_search" => json::walk(item, Channel::ToolResult, &origin, sink),
        _ => {}
    }
}
