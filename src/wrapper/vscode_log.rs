//! The log in which VS Code keeps a chat session since 1.109: not what is, but how it became so.
//!
//! The pieces of one answer are spread over its lines, so it is replayed up to its end, and gives
//! one line for each request then, on which all that was asked and answered stands. A record leads
//! back to the entry that changed the answer last. An entry that leads nowhere, and what is beyond
//! the cap, goes on as it stands.

use super::{Kept, Line, Output, Unwrap, Wrapper};
use crate::limits::Limits;
use crate::transcript::Raw;

mod replay;

use replay::{Changes, Entry};

/// The log of a chat session of VS Code.
pub struct VscodeLog;

/// Keys of a session, some of which stand at its start.
const KEYS: &[&str] =
    &["version", "sessionId", "creationDate", "requesterUsername", "responderUsername", "requests"];

impl Wrapper for VscodeLog {
    fn id(&self) -> &'static str {
        "vscode-log"
    }

    fn takes_off(&self) -> &'static str {
        "the log of changes of a VS Code chat session; it is replayed, and gives its requests"
    }

    fn recognised_by(&self) -> &'static str {
        "a line with `kind` 0 whose `v` is a session"
    }

    fn opens(&self, start: &[u8]) -> bool {
        if !start.starts_with(b"{") {
            return false;
        }
        let [kind, value] = Raw::at(start, 0, 0).fields(["kind", "v"]);
        let is_session =
            |value: Raw<'_>| value.entries().any(|(key, _)| KEYS.iter().any(|own| key.is(own)));
        kind.is_some_and(|kind| kind.bytes == b"0") && value.is_some_and(is_session)
    }

    fn unwrap(&self, limits: &Limits) -> Box<dyn Unwrap> {
        Box::new(Log {
            state: None,
            first: None,
            changed: Vec::new(),
            is_torn: false,
            taken: 0,
            cap: limits.replay,
        })
    }
}

/// Bytes that an entry may take in the state: its own, and what each value in it costs beside.
fn cost(entry: &[u8]) -> usize {
    const VALUE: usize = 96;
    entry.len() + VALUE * memchr::memchr3_iter(b'[', b'{', b',', entry).count()
}

/// The entries of a log, as far as they came.
struct Log {
    state: Option<serde_json::Value>,
    /// Where the entry stands that gave the first state.
    first: Option<Kept>,
    /// Where the entry stands that changed the answer of each request last, and its bytes.
    changed: Vec<(Kept, usize)>,
    /// What went on as it stands has no line end.
    is_torn: bool,
    /// Bytes that the entries may take in the state.
    taken: usize,
    cap: usize,
}

impl Unwrap for Log {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let is_entry = self.entry(line, out);
        self.is_torn = !is_entry && !line.bytes.ends_with(b"\n");
        is_entry
    }

    fn held(&self) -> Option<u64> {
        self.first.as_ref().map(Kept::offset)
    }

    fn end(&mut self, out: &mut Output) {
        self.give(out);
    }
}

impl Log {
    /// Takes a line that is an entry. False where it is none, or leads nowhere.
    fn entry(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text();
        if !text.starts_with(b"{") {
            return false;
        }
        let cost = cost(text);
        let entry = if cost > self.cap { None } else { Entry::of(text) };
        let Some(entry) = entry else { return false };
        let is_first = matches!(entry, Entry::First(_));
        // Another session, or the same one written anew.
        if is_first || self.taken + cost > self.cap {
            self.give(out);
        }
        let changes = entry.changes(self.state.as_ref());
        if !entry.apply(&mut self.state) {
            return false;
        }
        if is_first {
            self.first = Some(line.mark());
        }
        self.taken += cost;
        let count = self.state.as_ref().map_or(0, replay::count);
        match changes {
            Changes::From(from) => self.changed.truncate(from),
            Changes::One(index) => {
                if let Some(changed) = self.changed.get_mut(index) {
                    *changed = (line.mark(), text.len());
                }
            }
            Changes::None => {}
        }
        self.changed.resize_with(count, || (line.mark(), text.len()));
        true
    }

    /// Gives the requests of the state, and forgets it.
    fn give(&mut self, out: &mut Output) {
        /// Bytes that lead back to one place.
        const PART: usize = u16::MAX as usize;
        let requests = self.state.take().map(replay::requests).into_iter().flatten();
        for (request, (mark, length)) in requests.zip(self.changed.drain(..)) {
            let (text, line) = (request + "\n", mark.line());
            if std::mem::take(&mut self.is_torn) {
                out.decoded("\n", &line, 0..0);
            }
            let mut rest = &text[..];
            while !rest.is_empty() {
                let mut end = PART.min(rest.len());
                while !rest.is_char_boundary(end) {
                    end -= 1;
                }
                let (part, behind) = rest.split_at(end);
                out.decoded(part, &line, 0..length);
                rest = behind;
            }
        }
        self.first = None;
        self.taken = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{tests::unwrapped, unwrap};
    use super::*;
    use crate::record::Place;

    const FIRST: &str = r#"{"kind":0,"v":{"version":3,"sessionId":"s","requests":[{"requestId":"a","response":[]}]}}"#;
    const ANSWER: &str =
        r#"{"kind":2,"k":["requests",0,"response"],"v":[{"value":"---sdlc-"},{"value":"review"}]}"#;
    const ASKED: &str = r#"{"kind":2,"k":["requests"],"v":[{"requestId":"b"}]}"#;
    const RESULT: &str = r#"{"kind":1,"k":["requests",0,"result"],"v":{}}"#;

    #[test]
    fn requests_come_out_whole() {
        let log = [FIRST, ANSWER, ASKED, RESULT].join("\n") + "\n";
        let came = unwrapped(&log).unwrap();
        let lines: Vec<serde_json::Value> =
            came.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["response"][1]["value"], "review");
        assert_eq!(lines[0]["result"], serde_json::json!({}));
        assert_eq!(lines[1], serde_json::json!({"requestId":"b","sessionId":"s"}));
        assert_eq!(lines.len(), 2);
        // Each leads back to the entry that changed its answer.
        let (text, origins) = unwrap(log.as_bytes(), &Limits::default()).unwrap();
        let second = text.iter().position(|byte| *byte == b'\n').unwrap() as u64 + 1;
        let start = |entry: &str| log.find(entry).unwrap() as u64;
        for at in [0, 5, second - 1] {
            assert_eq!(origins.offset(at), start(ANSWER), "{at}");
        }
        assert_eq!(origins.offset(second), start(ASKED));
        let lines = [1, 2].map(|line| origins.place(Place { line, column: 1 }).line);
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn what_is_no_entry_goes_on_as_it_stands() {
        let torn = &ANSWER[..40];
        let nowhere = r#"{"kind":1,"k":["requests",7,"response"],"v":[]}"#;
        let log = [FIRST, "a word", nowhere, torn].join("\n");
        let came = unwrapped(&log).unwrap();
        assert!(came.starts_with(&["a word", nowhere, torn].join("\n")), "{came}");
        assert_eq!(unwrapped("{\"kind\":0,\"v\":{\"name\":1}}\n"), None);
        assert_eq!(unwrapped("{\"kind\":1,\"v\":{\"version\":1}}\n"), None);
    }

    #[test]
    fn beyond_the_cap_entries_go_on_as_they_stand() {
        let cap = cost(FIRST.as_bytes()) + 2 * cost(ASKED.as_bytes());
        let limits = Limits { replay: cap, ..Limits::default() };
        let count = |log: &[&str]| {
            let (text, _) = unwrap(log.join("\n").as_bytes(), &limits).unwrap();
            let text = String::from_utf8(text).unwrap();
            (text.matches("requestId\":").count(), text.matches("\"kind\"").count())
        };
        assert_eq!(count(&[FIRST, ASKED, ASKED]), (3, 0));
        assert_eq!(count(&[FIRST, ASKED, ASKED, ASKED]), (4, 1));
        // A new first state starts anew.
        assert_eq!(count(&[FIRST, ASKED, ASKED, ASKED, FIRST, ASKED]), (6, 1));
    }
}
