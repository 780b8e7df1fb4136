//! Docker's json-file logs: one JSON object around each line of a container.
//!
//! The daemon cuts lines at 16 KiB, also within an escape of a JSON line that the container writes:
//! the pieces of a stream are joined as decoded text, until its line ends. Two streams may take
//! turns.

use super::{Line, Output, Unwrap, Wrapper};
use crate::limits::Limits;
use crate::transcript::Raw;
use crate::transcript::raw::{Piece, pieces};

/// Docker's json-file logs.
pub struct Docker;

impl Wrapper for Docker {
    fn id(&self) -> &'static str {
        "docker"
    }

    fn takes_off(&self) -> &'static str {
        "the JSON around each line in Docker's json-file logs; lines that were split are joined"
    }

    fn recognised_by(&self) -> &'static str {
        "lines {\"log\":\"…\",\"stream\":\"stdout\",\"time\":\"…\"}, in any order of the keys"
    }

    fn opens(&self, start: &[u8]) -> bool {
        let entry = Raw::at(start, 0, 0);
        let is_own =
            |key: &Raw<'_>| ["log", "stream", "time", "attrs"].iter().any(|own| key.is(own));
        let mut own = entry.entries().take_while(|(key, _)| is_own(key));
        start.starts_with(b"{") && own.any(|(key, value)| key.is("log") && value.is_string())
    }

    fn unwrap(&self, limits: &Limits) -> Box<dyn Unwrap> {
        Box::new(Entries { open: Vec::new(), cap: limits.frame })
    }
}

/// The entries of a log.
struct Entries {
    /// The streams whose last line has no end yet, in the order in which these lines started.
    open: Vec<Open>,
    cap: usize,
}

/// A line that has no end yet.
struct Open {
    stdout: bool,
    text: Output,
    /// Half of a surrogate pair at its end, and what stands for it if the other half is missing.
    half: Option<(u16, Output)>,
}

impl Unwrap for Entries {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text().trim_ascii_end();
        if !text.starts_with(b"{") {
            return false;
        }
        let entry = Raw::at(text, 0, 0);
        let [Some(log), Some(stream), Some(time)] = entry.fields(["log", "stream", "time"]) else {
            return false;
        };
        let whole = entry.whole && entry.bytes.len() == text.len();
        let is_stream = stream.is("stdout") || stream.is("stderr");
        let (Some(body), Some(time)) = (log.body(), time.body()) else { return false };
        if !whole || !is_stream {
            return false;
        }
        let stdout = stream.is("stdout");
        let mut open = match self.open.iter().position(|open| open.stdout == stdout) {
            Some(index) => self.open.remove(index),
            None => Open { stdout, text: Output::default(), half: None },
        };
        let place = self.open.len();
        if open.text.is_empty() {
            open.text.at_time(time);
        }
        open.add(line, body, log.offset + 1, out);
        if open.text.len() > self.cap {
            open.give(out);
        }
        if !open.text.is_empty() || open.half.is_some() {
            self.open.insert(place, open);
        }
        true
    }

    fn held(&self) -> Option<u64> {
        let alone = |open: &Open| open.half.as_ref().and_then(|(_, alone)| alone.origin());
        self.open.iter().filter_map(|open| open.text.origin().or_else(|| alone(open))).min()
    }

    fn end(&mut self, out: &mut Output) {
        for mut open in self.open.drain(..) {
            open.give(out);
        }
    }
}

impl Open {
    /// Adds the decoded `body`, which stands at byte `start` of `line`; gives each line that ends.
    fn add(&mut self, line: &Line<'_>, body: &[u8], start: usize, out: &mut Output) {
        let mut parts = pieces(body).peekable();
        while let Some(part) = parts.next() {
            let next = match parts.peek() {
                Some(Piece::Plain(at, _) | Piece::Escape(at, _)) => *at,
                None => body.len(),
            };
            match part {
                Piece::Plain(at, plain) => {
                    self.settle_half();
                    self.text.copy(line, start + at..start + at + plain.len());
                }
                Piece::Escape(at, char) => {
                    let escape = start + at..start + next;
                    let unit = half(&body[at..next]);
                    let joined = unit.zip(self.half.as_ref()).and_then(|(low, (high, _))| {
                        char::decode_utf16([*high, low]).next().and_then(Result::ok)
                    });
                    if joined.is_some() {
                        self.half = None;
                    }
                    self.settle_half();
                    let char = joined.unwrap_or(char);
                    let mut buffer = [0; 4];
                    let text: &str = char.encode_utf8(&mut buffer);
                    if let Some(unit) = unit.filter(|_| joined.is_none() && next == body.len()) {
                        let mut alone = Output::default();
                        alone.decoded(text, line, escape);
                        self.half = Some((unit, alone));
                        continue;
                    }
                    self.text.decoded(text, line, escape);
                    if char == '\n' {
                        out.append(std::mem::take(&mut self.text));
                    }
                }
            }
        }
    }

    fn settle_half(&mut self) {
        if let Some((_, alone)) = self.half.take() {
            self.text.append(alone);
        }
    }

    fn give(&mut self, out: &mut Output) {
        self.settle_half();
        out.append(std::mem::take(&mut self.text));
    }
}

/// The unit of an escape that is half of a surrogate pair.
fn half(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u").filter(|digits| digits.len() == 4)?;
    let unit = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xd800..0xe000).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::super::tests::unwrapped;

    fn entry(log: &str, stream: &str) -> String {
        format!(
            "{{\"log\":\"{log}\",\"stream\":\"{stream}\",\"time\":\"2026-11-30T12:00:00.5Z\"}}\n"
        )
    }

    fn join(entries: &[(&str, &str)]) -> Option<String> {
        unwrapped(&entries.iter().map(|(log, stream)| entry(log, stream)).collect::<String>())
    }

    #[test]
    fn pieces_of_a_stream_are_joined() {
        let came = join(&[
            (r#"{\"a\":\"x"#, "stdout"),
            (r"oops\n", "stderr"),
            (r#"y\"}\n"#, "stdout"),
            (r"last", "stdout"),
        ]);
        assert_eq!(came.as_deref(), Some("oops\n{\"a\":\"xy\"}\nlast"));
        // An escape of the line that the container wrote, cut behind its backslash.
        let inner = join(&[(r#"{\"a\":\"x\\"#, "stdout"), (r#"ny\"}\n"#, "stdout")]);
        assert_eq!(inner.as_deref(), Some("{\"a\":\"x\\ny\"}\n"));
    }

    #[test]
    fn a_surrogate_pair_may_be_split() {
        assert_eq!(join(&[(r"a\ud83d", "stdout"), (r"\ude00\n", "stdout")]).unwrap(), "a😀\n");
        assert_eq!(join(&[(r"a\ud83d", "stdout"), (r"b\n", "stdout")]).unwrap(), "a\u{fffd}b\n");
        assert_eq!(join(&[(r"a\ud83d", "stdout")]).unwrap(), "a\u{fffd}");
    }

    #[test]
    fn keys_in_any_order_and_other_lines_between() {
        let text = "{\"time\":\"t\",\"attrs\":{\"a\":\"b\"},\"stream\":\"stdout\",\"log\":\"a\\n\"}\n\
                    plain\n{\"log\":1}\n";
        assert_eq!(unwrapped(text).unwrap(), "a\nplain\n{\"log\":1}\n");
        assert_eq!(unwrapped("{\"time\":\"t\",\"level\":\"info\",\"log\":\"a\\n\"}\n"), None);
    }
}
