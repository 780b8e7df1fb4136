//! The output of `codex exec --json`: items of a thread, as they are completed.
//!
//! A command is the agent's, what it puts out is the tool's.

use super::claude_code::text_message;
use super::{Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
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
        // An item that is started or updated is given again when it is completed.
        let Some(item) = item.filter(|_| kind.is_some_and(|kind| kind.is("item.completed"))) else {
            if let Some(item) = item.filter(|_| kind.is_some()) {
                sink(Item::Echo(item));
            }
            return;
        };
        let [id, kind, item_kind, text, tool, arguments, error, command, output, exit] = item
            .fields([
                "id",
                "type",
                "item_type",
                "text",
                "tool",
                "arguments",
                "error",
                "command",
                "aggregated_output",
                "exit_code",
            ]);
        let id = id.and_then(|id| id.owned());
        let origin = Origin {
            place: "item",
            session_id: session.id.clone(),
            message_id: id.clone(),
            ..Origin::default()
        };
        match kind.or(item_kind).and_then(|kind| kind.text()).as_deref() {
            Some("agent_message" | "assistant_message") => {
                if let Some(text) = text {
                    text_message(text, Channel::Assistant, "item", &origin, sink);
                }
            }
            Some("mcp_tool_call") => {
                if let (Some(tool), Some(input)) = (tool.and_then(|tool| tool.text()), arguments) {
                    let origin = Origin { tool_call_id: id.clone(), ..origin };
                    let (channel, body) = (Channel::ToolInput, Body::Call(tool, input));
                    sink(Item::Message(Message { channel, body, origin }));
                }
                if let Some(tool_call_id) = id {
                    let taken = error.is_none_or(|error| error.bytes == b"null");
                    sink(Item::Result { tool_call_id, taken });
                }
            }
            Some("command_execution") => {
                if let Some(command) = command {
                    let origin = Origin { tool_call_id: id.clone(), ..origin.clone() };
                    let (channel, body) =
                        (Channel::ToolInput, Body::Call("command_execution".into(), command));
                    sink(Item::Message(Message { channel, body, origin }));
                }
                if let Some(output) = output {
                    json::walk(output, Channel::ToolResult, &origin, sink);
                }
                if let (Some(tool_call_id), Some(exit)) = (id, exit) {
                    let taken = matches!(exit.bytes, b"0" | b"null");
                    sink(Item::Result { tool_call_id, taken });
                }
            }
            Some("reasoning") => json::walk(item, Channel::Thinking, &origin, sink),
            Some(_) => json::walk(item, Channel::ToolResult, &origin, sink),
            None => {}
        }
    }
}
