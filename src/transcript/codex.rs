//! Codex rollout JSONL, in the shape of today and in that of 2025, whose lines are bare items.
//!
//! The agent's word is `response_item` with the role `assistant`; events repeat it, up to three
//! times. Tool inputs are JSON in a string, or a patch; events repeat them as objects. A sub-agent
//! answers in a file of its own, and its parent is told of it in messages, in the output of the
//! call that waits for it, and in events. The session's id stands in the first record only; that of
//! a fork or of a sub-agent names the session whose history the file starts with. What a compaction
//! keeps of the history is never said again.

use super::raw::owned;
use super::{Beside, Origin, Raw, Session, Sink, Transcript, json, text_message};
use crate::record::Channel;

mod agents;
mod event;
mod item;

pub(super) use event::{event, states_of};

/// Codex rollout JSONL.
pub struct Codex;

impl Transcript for Codex {
    fn id(&self) -> &'static str {
        "codex"
    }

    fn reads(&self) -> &'static str {
        "Codex rollout JSONL, also of 2025; forks and sub-agents"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and an object `payload`; bare items of the Responses API"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, payload, state] = record.fields(["type", "payload", "record_type"]);
        let Some(kind) = kind else {
            return state.is_some_and(|state| state.is("state"))
                || is_old_head(record)
                || agents::tells(record);
        };
        payload.is_some_and(|payload| payload.is_object()) || item::is_bare(&kind, record)
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let [kind, payload] = first.fields(["type", "payload"]);
        if is_old_head(first) {
            return Session { id: owned(first.get("id")), ..Session::default() };
        }
        let Some(payload) = payload.filter(|_| kind.is_some_and(|kind| kind.is("session_meta")))
        else {
            return Session::default();
        };
        let [id, nickname, role, path, fork, parent, cwd] = payload
            .fields([
                "id",
                "agent_nickname",
                "agent_role",
                "agent_path",
                "forked_from_id",
                "parent_thread_id",
                "cwd",
            ])
            .map(owned);
        let spawn = payload.path(&["source", "subagent", "thread_spawn"]);
        let spawn = spawn.map_or([const { None }; 3], |spawn| {
            spawn.fields(["agent_nickname", "agent_role", "parent_thread_id"]).map(owned)
        });
        let [spawn_nickname, spawn_role, spawn_parent] = spawn;
        let path = path.and_then(|path| path.rsplit('/').next().map(str::to_owned));
        let names = [role, nickname, spawn_role, spawn_nickname, path];
        Session {
            agent: names.into_iter().flatten().find(|name| !name.is_empty()),
            forked: fork.as_ref().is_some_and(|fork| id.as_ref() != Some(fork)),
            cwd: cwd.map(Into::into),
            // A file that was resumed names itself.
            parent: fork.or(parent).or(spawn_parent).filter(|parent| id.as_ref() != Some(parent)),
            id,
            ..Session::default()
        }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [kind, payload, time, state] =
            record.fields(["type", "payload", "timestamp", "record_type"]);
        let origin = Origin {
            session_id: session.id.clone(),
            agent: session.agent.clone(),
            called: session.agent.is_some(),
            timestamp: time.and_then(|time| time.owned()),
            cwd: session.cwd.clone(),
            ..Origin::default()
        };
        let Some(payload) = payload else {
            if kind.is_some() {
                item::response_item(record, &origin, sink);
            } else if state.is_some() || is_old_head(&record) {
                json::walk(record, Channel::System, &origin, sink);
            } else {
                agents::answers(record, &origin, sink);
            }
            return;
        };
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("response_item") => item::response_item(payload, &origin, sink),
            Some("event_msg") => event(payload, &origin, sink),
            Some("session_meta" | "turn_context" | "world_state") => {
                json::walk(payload, Channel::System, &origin, sink);
            }
            Some("compacted") => json::walk(payload, Channel::Summary, &origin, sink),
            Some("inter_agent_communication" | "inter_agent_communication_metadata") => {
                let [author, content] = payload.fields(["author", "content"]);
                if let Some(content) = content {
                    agents::told(content, author, "inter_agent_communication", &origin, sink);
                }
            }
            _ => {}
        }
    }
}

/// Whether this is the first line of a file of 2025.
fn is_old_head(record: &Raw<'_>) -> bool {
    let [id, time, instructions, kind] = record.fields(["id", "timestamp", "instructions", "type"]);
    let is_text = |value: Option<Raw<'_>>| value.is_some_and(|value| value.is_string());
    is_text(id) && is_text(time) && instructions.is_some() && kind.is_none()
}
