//! The log of Codex's surface (`CODEX_TUI_RECORD_SESSION`), and the bare stream of its events: that
//! of an old `codex exec --json`, and of its server.
//!
//! Each record to the surface holds an event, as a rollout does; here nothing else stands beside
//! them, so commands and patches are read where they begin. A message is told as an item, as an
//! event and at the end of its turn: copies. Pieces of it are echoes. What the surface sends is the
//! person's.

use super::codex::event;
use super::{Beside, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// The log of Codex's surface.
pub struct CodexTui;

impl Transcript for CodexTui {
    fn id(&self) -> &'static str {
        "codex-tui"
    }

    fn reads(&self) -> &'static str {
        "the session log of Codex's surface, and bare streams of its events"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `ts`, `dir` and `kind`, or with an event in `msg`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        record.fields(["ts", "dir", "kind"]).iter().all(Option::is_some) || told(record).is_some()
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let id = told(first).and_then(|event| event.get("session_id")).and_then(|id| id.owned());
        Session { id, ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [time, direction, payload] = record.fields(["ts", "dir", "payload"]);
        let origin = Origin {
            place: "codex-log",
            session_id: session.id.clone(),
            timestamp: time.and_then(|time| time.owned()),
            ..Origin::default()
        };
        if let Some(told) = payload.and_then(|payload| told(&payload)).or_else(|| told(&record)) {
            event(told, &origin, sink);
        } else {
            let sent = direction.is_some_and(|direction| direction.is("from_tui"));
            let channel = if sent { Channel::User } else { Channel::System };
            json::walk(record, channel, &origin, sink);
        }
    }
}

/// The event in a record.
fn told<'a>(record: &Raw<'a>) -> Option<Raw<'a>> {
    let [id, message, parameters] = record.fields(["id", "msg", "params"]);
    let message = match parameters {
        Some(parameters) => parameters.get("msg"),
        None => message.filter(|_| id.is_some()),
    };
    message.filter(|message| message.get("type").is_some_and(|kind| kind.is_string()))
}
