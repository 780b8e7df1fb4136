//! The output of `claude -p`: `stream-json` lines, the JSON array of the same events, and the one
//! `result` object of `json`.
//!
//! The last text stands twice, in its message and in the `result` event; a structured answer
//! stands as a tool input, as `structured_output` and as text.

use super::claude_code::{read_content, text_message};
use super::{Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript};
use crate::record::Channel;

/// `claude -p --output-format stream-json` and `json`.
pub struct ClaudeStream;

impl Transcript for ClaudeStream {
    fn id(&self) -> &'static str {
        "claude-stream"
    }

    fn reads(&self) -> &'static str {
        "claude -p --output-format stream-json or json, as lines or as one array"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and `session_id` or `parent_tool_use_id`, or a `result` with a `subtype`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, session, parent, subtype] =
            record.fields(["type", "session_id", "parent_tool_use_id", "subtype"]);
        kind.is_some_and(|kind| {
            session.is_some() || parent.is_some() || (subtype.is_some() && kind.is("result"))
        })
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let [id, cwd] = first.fields(["session_id", "cwd"]);
        let text = |value: Option<Raw<'_>>| value.and_then(|value| value.owned());
        Session { id: text(id), cwd: text(cwd).map(Into::into), ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, message, id, parent, uuid, beside, result, structured, time] = record.fields([
            "type",
            "message",
            "session_id",
            "parent_tool_use_id",
            "uuid",
            "tool_use_result",
            "result",
            "structured_output",
            "timestamp",
        ]);
        let text = |value: Option<Raw<'a>>| value.and_then(|value| value.owned());
        let agent_call = text(parent);
        let origin = Origin {
            session_id: text(id).or_else(|| session.id.clone()),
            message_id: message.and_then(|message| text(message.get("id"))).or_else(|| text(uuid)),
            timestamp: text(time),
            cwd: session.cwd.clone(),
            called: agent_call.is_some(),
            agent_call,
            ..Origin::default()
        };
        let content = message.and_then(|message| message.get("content"));
        match (kind.and_then(|kind| kind.text()).as_deref(), content) {
            (Some("assistant"), Some(content)) => {
                read_content(content, Channel::Assistant, beside, &origin, sink);
            }
            (Some("user"), Some(content)) => {
                read_content(content, Channel::User, beside, &origin, sink);
            }
            (Some("result"), _) => {
                if let Some(value) = structured.filter(Raw::is_object) {
                    let origin = Origin { place: "structured_output", ..origin.clone() };
                    let body = Body::Value(value);
                    sink(Item::Message(Message { channel: Channel::Event, body, origin }));
                }
                if let Some(result) = result {
                    text_message(result, Channel::Assistant, "result", &origin, sink);
                }
            }
            // The pieces of messages that come whole as well.
            (Some("stream_event"), _) => {
                sink(Item::Echo(record));
            }
            _ => {}
        }
    }
}
