//! Recordings of terminals by asciinema: what was sent to the terminal, in events.
//!
//! The texts of the events are put one behind the other; lines and words are split over them as it
//! happened. What comes out is a terminal's output, always lossy.

use super::{Line, Output, Unwrap, Wrapper};
use crate::limits::Limits;
use crate::transcript::Raw;
use crate::transcript::raw::{Piece, pieces};

/// Recordings of terminals.
pub struct Asciicast;

impl Wrapper for Asciicast {
    fn id(&self) -> &'static str {
        "asciicast"
    }

    fn takes_off(&self) -> &'static str {
        "the events of a recording by asciinema; what they sent to the terminal is joined"
    }

    fn recognised_by(&self) -> &'static str {
        "a first line with `version` 2 or 3 and the size of the terminal"
    }

    fn opens(&self, start: &[u8]) -> bool {
        if !start.starts_with(b"{") {
            return false;
        }
        let [version, width, term] = Raw::at(start, 0, 0).fields(["version", "width", "term"]);
        let is_own = version.is_some_and(|version| matches!(version.bytes, b"2" | b"3"));
        is_own && (width.is_some() || term.is_some_and(|term| term.is_object()))
    }

    fn unwrap(&self, _: &Limits) -> Box<dyn Unwrap> {
        Box::new(Events { opened: false })
    }
}

struct Events {
    opened: bool,
}

impl Unwrap for Events {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        if !std::mem::replace(&mut self.opened, true) {
            out.is_lossy();
            return true;
        }
        let text = line.text();
        if text.first() != Some(&b'[') {
            return text.first() == Some(&b'#');
        }
        let mut items = Raw::at(text, 0, 0).items();
        let [Some(_), Some(code), Some(data)] = [items.next(), items.next(), items.next()] else {
            return false;
        };
        let Some(body) = data.body().filter(|_| code.is_string()) else { return false };
        if !code.is("o") {
            return true;
        }
        let start = data.offset + 1;
        let mut parts = pieces(body).peekable();
        while let Some(part) = parts.next() {
            let next = match parts.peek() {
                Some(Piece::Plain(at, _) | Piece::Escape(at, _)) => *at,
                None => body.len(),
            };
            match part {
                Piece::Plain(at, _) => out.copy(line, start + at..start + next),
                Piece::Escape(at, char) => {
                    out.decoded(char.encode_utf8(&mut [0; 4]), line, start + at..start + next);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::unwrapped;

    #[test]
    fn events_are_joined() {
        let text = "{\"version\": 2, \"width\": 80, \"height\": 24}\n\
                    [0.1, \"o\", \"---sdlc-re\"]\n[0.2, \"i\", \"q\"]\n# a comment\n\
                    [0.3, \"o\", \"view-\\u001b[1moutput---\\r\\nx\"]\n[0.4, \"o\", \"\\r\\n\"]\n";
        assert_eq!(unwrapped(text).unwrap(), "---sdlc-review-output---\r\nx\r\n");
        assert_eq!(unwrapped("{\"version\":2,\"eval\":{}}\n[1,\"o\",\"x\"]\n"), None);
    }
}
