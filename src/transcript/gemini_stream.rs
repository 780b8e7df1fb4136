//! The events of `gemini --output-format stream-json`; the wrapper `gemini-deltas` has joined the
//! pieces of its answers to one line each.
//!
//! The text of an answer stands in its message alone; the last event repeats nothing. A tool's
//! result does not name the tool, so whether a sub-agent answers is told by its call.

use super::gemini::{Agent, input, said};
use super::{AgentCall, Beside, Item, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// `gemini --output-format stream-json`.
pub struct GeminiStream;

impl Transcript for GeminiStream {
    fn id(&self) -> &'static str {
        "gemini-stream"
    }

    fn reads(&self) -> &'static str {
        "gemini --output-format stream-json, each message on one line"
    }

    fn recognised_by(&self) -> &'static str {
        "`init` with `model`, `tool_use` with `tool_name`, `tool_result` with `tool_id`, `message` with a `role` and a text"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, session, model, subtype, role, content, id, tool, tool_id, severity, status] =
            record.fields([
                "type",
                "session_id",
                "model",
                "subtype",
                "role",
                "content",
                "id",
                "tool_name",
                "tool_id",
                "severity",
                "status",
            ]);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("init") => session.is_some() && model.is_some() && subtype.is_none(),
            Some("message") => {
                id.is_none()
                    && content.is_some_and(|content| content.is_string())
                    && role.is_some_and(|role| role.is("user") || role.is("assistant"))
            }
            Some("tool_use") => tool.is_some(),
            Some("tool_result") => tool_id.is_some(),
            Some("error") => severity.is_some(),
            Some("result") => status.is_some() && subtype.is_none() && session.is_none(),
            _ => false,
        }
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let id = first.get("session_id").and_then(|id| id.owned());
        Session { id, ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, time, role, content, tool, id, parameters, status, output] = record.fields([
            "type",
            "timestamp",
            "role",
            "content",
            "tool_name",
            "tool_id",
            "parameters",
            "status",
            "output",
        ]);
        let origin = Origin {
            place: "message",
            session_id: session.id.clone(),
            timestamp: time.and_then(|time| time.owned()),
            ..Origin::default()
        };
        let id = id.and_then(|id| id.owned());
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("message") => {
                let is_agent = role.is_some_and(|role| role.is("assistant"));
                let speaker = if is_agent { Channel::Assistant } else { Channel::User };
                if let Some(content) = content {
                    said(content, speaker, &origin, sink);
                }
            }
            Some("tool_use") => {
                let name = tool.and_then(|tool| tool.text()).unwrap_or_default();
                if let Some(tool) = tool {
                    // Its name may be that of a contract's own tool.
                    sink(Item::Echo(tool));
                }
                let agent = Agent::of(&name, parameters.as_ref(), None, false);
                if let (Some(agent), Some(id)) = (agent, id.clone()) {
                    sink(Item::Call(AgentCall { id, agent: agent.name, ..AgentCall::default() }));
                }
                if let Some(parameters) = parameters {
                    let origin = Origin { place: "tool_use", tool_call_id: id, ..origin };
                    input(name, parameters, &origin, sink);
                }
            }
            Some("tool_result") => {
                if let (Some(tool_call_id), Some(status)) = (id.clone(), status) {
                    sink(Item::Result { tool_call_id, taken: status.is("success") });
                }
                if let Some(output) = output {
                    let origin = Origin {
                        place: "tool_result",
                        tool_call_id: id.clone(),
                        agent_call: id,
                        needs_call: true,
                        called: true,
                        ..origin
                    };
                    json::all(output, Channel::AgentResult, &origin, sink);
                }
            }
            _ => json::all(record, Channel::System, &origin, sink),
        }
    }
}
