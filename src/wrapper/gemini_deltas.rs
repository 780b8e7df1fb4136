//! The answers of `gemini --output-format stream-json`, which it writes piece by piece.
//!
//! Takes its events, gives the pieces of an answer as one message, once another event follows or
//! the log ends. The escaped texts of the pieces are copied one behind the other, so every piece
//! leads back to where it stands. A piece that is torn ends its message, which is left open there.
//! Lines that are no events go on as they stand, and end nothing.

use super::{Line, Output, Unwrap, Wrapper};
use crate::limits::Limits;
use crate::transcript::Raw;

/// Answers of Gemini in pieces.
pub struct GeminiDeltas;

impl Wrapper for GeminiDeltas {
    fn id(&self) -> &'static str {
        "gemini-deltas"
    }

    fn takes_off(&self) -> &'static str {
        "the pieces in which gemini --output-format stream-json gives an answer; they are joined"
    }

    fn recognised_by(&self) -> &'static str {
        "`init` with a `session_id` and a `model`, or a `message` of the `assistant` with `delta`"
    }

    fn opens(&self, start: &[u8]) -> bool {
        if !start.starts_with(b"{") {
            return false;
        }
        let event = Raw::at(start, 0, 0);
        let [kind, session, model, subtype] =
            event.fields(["type", "session_id", "model", "subtype"]);
        let is_start = kind.is_some_and(|kind| kind.is("init"))
            && session.is_some()
            && model.is_some()
            && subtype.is_none();
        is_start || Piece::of(&event).is_some()
    }

    fn unwrap(&self, limits: &Limits) -> Box<dyn Unwrap> {
        Box::new(Answers { answer: None, cap: limits.frame })
    }
}

/// A piece of an answer.
struct Piece<'l> {
    text: Raw<'l>,
    time: Option<Raw<'l>>,
    /// The event is there to its end.
    whole: bool,
}

impl<'l> Piece<'l> {
    fn of(event: &Raw<'l>) -> Option<Self> {
        let [kind, time, role, content, delta] =
            event.fields(["type", "timestamp", "role", "content", "delta"]);
        let is_own = kind?.is("message") && role?.is("assistant");
        // In one that is torn the mark may be gone.
        let is_piece = delta.map_or(!event.whole, |delta| delta.is_true());
        let text = content.filter(Raw::is_string)?;
        let time = time.filter(|time| time.whole && time.is_string());
        (is_own && is_piece).then_some(Self { text, time, whole: event.whole })
    }
}

/// The answer that is being given.
struct Answer {
    /// Its message, up to the last piece.
    message: Output,
    /// What ends the message behind that piece.
    close: Output,
    held: usize,
}

/// The answers of a stream.
struct Answers {
    answer: Option<Answer>,
    /// The most bytes that are held.
    cap: usize,
}

impl Unwrap for Answers {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text();
        if !text.starts_with(b"{") {
            return false;
        }
        let event = Raw::at(text, 0, 0);
        // A torn event that starts no answer goes on as it stands.
        let piece = Piece::of(&event).filter(|piece| piece.whole || self.answer.is_some());
        let Some(piece) = piece else {
            self.give(out);
            return false;
        };
        self.add(&piece, line);
        if let Some(answer) = self.answer.as_mut().filter(|_| !piece.whole) {
            answer.close = Output::default();
            answer.close.decoded("\n", line, text.len()..text.len());
        }
        if !piece.whole || self.answer.as_ref().is_some_and(|answer| answer.held > self.cap) {
            self.give(out);
        }
        true
    }

    fn held(&self) -> Option<u64> {
        self.answer.as_ref().and_then(|answer| answer.message.origin())
    }

    fn end(&mut self, out: &mut Output) {
        self.give(out);
    }
}

impl Answers {
    /// Adds a piece to the answer, which starts here if there is none.
    fn add(&mut self, piece: &Piece<'_>, line: &Line<'_>) {
        /// What a piece costs beside its text, in bytes.
        const PIECE: usize = 128;
        let answer = self.answer.get_or_insert_with(|| {
            let mut message = Output::default();
            message.decoded("{\"type\":\"message\",\"role\":\"assistant\",", line, 0..0);
            if let Some(time) = &piece.time {
                let range = time.offset..time.offset + time.bytes.len();
                message.decoded("\"timestamp\":", line, range.start..range.start);
                message.copy(line, range.clone());
                message.decoded(",", line, range.end..range.end);
            }
            message.decoded("\"content\":\"", line, piece.text.offset..piece.text.offset);
            Answer { message, close: Output::default(), held: 0 }
        });
        let start = piece.text.offset + 1;
        let end = start + piece.text.body().map_or(0, <[u8]>::len);
        answer.message.copy(line, start..end);
        answer.close = Output::default();
        answer.close.decoded("\"}\n", line, end..end);
        answer.held += end - start + PIECE;
    }

    /// Gives the answer, if there is one.
    fn give(&mut self, out: &mut Output) {
        if let Some(answer) = self.answer.take() {
            out.append(answer.message);
            out.append(answer.close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{tests::unwrapped, unwrap};
    use super::*;

    const START: &str = r#"{"type":"init","session_id":"s","model":"m"}"#;
    const ASKED: &str = r#"{"type":"message","role":"user","content":"a"}"#;
    const ONE: &str =
        r#"{"type":"message","timestamp":"t","role":"assistant","content":"b\"","delta":true}"#;
    const TWO: &str = r#"{"delta":true,"content":"\u00e4c","role":"assistant","type":"message"}"#;
    const TOOL: &str = r#"{"type":"tool_use","tool_name":"x"}"#;

    fn joined(lines: &[&str]) -> Vec<String> {
        let text = lines.join("\n") + "\n";
        unwrapped(&text).unwrap_or(text).lines().map(str::to_owned).collect()
    }

    #[test]
    fn pieces_are_joined_up_to_the_next_event() {
        let answer =
            r#"{"type":"message","role":"assistant","timestamp":"t","content":"b\"\u00e4c"}"#;
        assert_eq!(joined(&[START, ASKED, ONE, TWO, TOOL]), [START, ASKED, answer, TOOL]);
        assert_eq!(joined(&[START, ONE, "a word", TWO]), [START, "a word", answer]);
        // Without its start, and with an end of the log behind it.
        assert_eq!(joined(&[ONE, TWO]), [answer]);
    }

    #[test]
    fn other_messages_pass() {
        let whole = r#"{"type":"message","role":"assistant","content":"b"}"#;
        assert_eq!(joined(&[whole, ASKED]), [whole, ASKED]);
        assert_eq!(joined(&[START, whole, ONE]).len(), 3);
    }

    #[test]
    fn a_torn_piece_ends_its_message() {
        let torn = r#"{"type":"message","role":"assistant","content":"x\u00"#;
        let open = r#"{"type":"message","role":"assistant","timestamp":"t","content":"b\"x\u00"#;
        assert_eq!(joined(&[START, ONE, torn, TOOL]), [START, open, TOOL]);
        // One that starts none goes on as it stands.
        assert_eq!(joined(&[START, torn]), [START, torn]);
    }

    #[test]
    fn a_piece_leads_back_to_its_line() {
        let text = [START, ONE, TWO, TOOL].join("\n");
        let (came, origins) = unwrap(text.as_bytes(), &Limits::default()).unwrap();
        let at = came.windows(6).position(|part| part == b"\\u00e4").unwrap() as u64;
        assert_eq!(origins.offset(at) as usize, text.find("\\u00e4").unwrap());
    }

    #[test]
    fn beyond_the_cap_an_answer_goes_on_as_another() {
        let limits = Limits { frame: 300, ..Limits::default() };
        let text = [START, ONE, ONE, ONE, ONE, ONE, ONE, TOOL].join("\n");
        let (came, _) = unwrap(text.as_bytes(), &limits).unwrap();
        assert_eq!(String::from_utf8(came).unwrap().lines().count(), 4);
    }
}
