//! What a terminal was sent: colours, titles, cursor movements, lines that were written over.
//!
//! Escape sequences go; a carriage return within a line starts it anew, a backspace takes a
//! character. Colours leave a text as it was written; where the cursor was moved, where something was
//! erased or written over, the text is what is left of it, and said to be lossy from there on. The
//! sequences are told by code of our own, since what comes out must lead back to its bytes.

use std::ops::Range;

use super::{Line, Output, Unwrap, Wrapper};
use crate::limits::Limits;

const ESC: u8 = 0x1b;
const BACKSPACE: u8 = 0x08;

/// What the program `script` puts first.
const SCRIPT: &[u8] = b"Script started on ";

/// Terminal output.
pub struct Terminal;

impl Wrapper for Terminal {
    fn id(&self) -> &'static str {
        "terminal"
    }

    fn takes_off(&self) -> &'static str {
        "colours and other escape sequences of a terminal; what was written over goes"
    }

    fn recognised_by(&self) -> &'static str {
        "the first escape character, wherever it stands, or the header of script"
    }

    fn opens(&self, start: &[u8]) -> bool {
        start.starts_with(SCRIPT)
    }

    fn opened_by(&self) -> Option<u8> {
        Some(ESC)
    }

    fn unwrap(&self, _: &Limits) -> Box<dyn Unwrap> {
        Box::new(Screen { room: ROOM })
    }
}

/// Blanks that may be given before much was sent, and for each byte that is sent: a few bytes can
/// ask for a screen's width of them.
const ROOM: usize = 64 << 10;
const ROOM_PER_BYTE: usize = 8;

struct Screen {
    /// Blanks that may still be given.
    room: usize,
}

impl Unwrap for Screen {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text();
        if text.starts_with(SCRIPT) {
            out.is_lossy();
            return false;
        }
        // JSON escapes the escape character: a line of it without one is no terminal's.
        let is_json = text.starts_with(b"{") || text.starts_with(b"[");
        let is_plain = memchr::memchr3(ESC, b'\r', BACKSPACE, text).is_none();
        if is_plain || (is_json && memchr::memchr(ESC, text).is_none()) {
            return false;
        }
        let end = text.len() - text.iter().rev().take_while(|byte| **byte == b'\r').count();
        self.room = self.room.saturating_add(end.saturating_mul(ROOM_PER_BYTE));
        let (shown, lossy) = shown(&text[..end], &mut self.room);
        if lossy {
            out.is_lossy();
        }
        for part in shown {
            match part {
                Part::Text(range) => out.copy(line, range),
                Part::Blanks(count, escape) => out.decoded(&" ".repeat(count), line, escape),
            }
        }
        out.copy(line, text.len()..line.bytes.len());
        true
    }
}

/// A part of what a line shows in the end.
enum Part {
    Text(Range<usize>),
    /// The cursor was moved over so many blanks by this sequence.
    Blanks(usize, Range<usize>),
}

/// What a line shows in the end, with no more blanks than there is room for; and whether more than
/// that was written.
fn shown(text: &[u8], room: &mut usize) -> (Vec<Part>, bool) {
    let mut parts = Vec::new();
    let mut lossy = false;
    let mut ends = Ends::default();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = memchr::memchr3(ESC, b'\r', BACKSPACE, rest).unwrap_or(rest.len());
        if length > 0 {
            parts.push(Part::Text(at..at + length));
            at += length;
            continue;
        }
        match rest[0] {
            ESC => {
                let (length, effect) = sequence(text, at, &mut ends);
                match effect {
                    Effect::Nothing => {}
                    Effect::Lossy => lossy = true,
                    Effect::Forward(count) if count > *room => lossy = true,
                    Effect::Forward(count) => {
                        lossy = true;
                        *room -= count;
                        parts.push(Part::Blanks(count, at..at + length));
                    }
                }
                at += length;
            }
            b'\r' => {
                lossy |= !parts.is_empty();
                parts.clear();
                at += 1;
            }
            _ => {
                lossy = true;
                take_back(&mut parts, text);
                at += 1;
            }
        }
    }
    (parts, lossy)
}

/// Takes the last character off what is shown.
fn take_back(parts: &mut Vec<Part>, text: &[u8]) {
    match parts.last_mut() {
        Some(Part::Text(range)) => {
            let shown = &text[range.clone()];
            let tail = shown.iter().rev().take_while(|byte| **byte & 0xc0 == 0x80).count();
            range.end = range.end.saturating_sub(tail + 1).max(range.start);
            if range.start == range.end {
                parts.pop();
            }
        }
        Some(Part::Blanks(count, _)) => {
            *count -= 1;
            if *count == 0 {
                parts.pop();
            }
        }
        None => {}
    }
}

/// What a sequence does.
enum Effect {
    /// It changes no text.
    Nothing,
    /// It moves the cursor or erases something.
    Lossy,
    /// It moves the cursor to the right.
    Forward(usize),
}

/// Where the next bytes are that end a string, behind any place that was asked for: each is looked
/// for once, however many strings never end.
#[derive(Default)]
struct Ends {
    bell: usize,
    terminator: usize,
}

impl Ends {
    /// The end of a string that starts before byte `from`, and where what ends it ends.
    fn behind(&mut self, text: &[u8], from: usize, with_bell: bool) -> Option<usize> {
        let rest = text.get(from..)?;
        let place = |found: Option<usize>| found.map_or(usize::MAX, |at| from + at);
        if self.bell < from {
            self.bell = place(memchr::memchr(0x07, rest));
        }
        if self.terminator < from {
            self.terminator = place(memchr::memmem::find(rest, b"\x1b\\"));
        }
        if with_bell && self.bell < self.terminator {
            return Some(self.bell + 1);
        }
        (self.terminator < usize::MAX).then(|| self.terminator + 2)
    }
}

/// Bytes of the escape sequence at byte `at` of a line, and what it does. One that does not end
/// on the line is its first character alone.
fn sequence(text: &[u8], at: usize, ends: &mut Ends) -> (usize, Effect) {
    let bytes = &text[at..];
    let run = |start: usize, range: Range<u8>| {
        let rest = bytes.get(start..).unwrap_or_default();
        start + rest.iter().take_while(|byte| range.contains(byte)).count()
    };
    match bytes.get(1) {
        Some(b'[') => {
            let parameters = run(2, 0x30..0x40);
            let last = run(parameters, 0x20..0x30);
            match bytes.get(last) {
                Some(last_byte @ 0x40..0x7f) => {
                    (last + 1, control(&bytes[2..parameters], *last_byte))
                }
                _ => (last, Effect::Nothing),
            }
        }
        // Strings: titles, links, device control.
        Some(kind @ (b']' | b'P' | b'X' | b'^' | b'_')) => {
            let end = ends.behind(text, at + 2, *kind == b']');
            (end.map_or(2, |end| end - at), Effect::Nothing)
        }
        // Back to a saved cursor, lines up and down, a screen that is reset.
        Some(b'8' | b'D' | b'E' | b'M' | b'c') => (2, Effect::Lossy),
        Some(0x20..0x30) => ((run(1, 0x20..0x30) + 1).min(bytes.len()), Effect::Nothing),
        Some(0x30..0x7f) => (2, Effect::Nothing),
        _ => (1, Effect::Nothing),
    }
}

/// What a control sequence does.
fn control(parameters: &[u8], last: u8) -> Effect {
    /// More blanks than a screen is wide are none.
    const WIDE: usize = 500;
    let number = || std::str::from_utf8(parameters).ok().and_then(|text| text.parse().ok());
    match last {
        b'C' if parameters.is_empty() => Effect::Forward(1),
        b'C' => match number() {
            Some(count @ 1..=WIDE) => Effect::Forward(count),
            _ => Effect::Lossy,
        },
        // The rest of a line, of which nothing is written yet.
        b'K' if matches!(parameters, b"" | b"0") => Effect::Nothing,
        b'h' | b'l' if matches!(parameters, b"?1049" | b"?1047" | b"?47") => Effect::Lossy,
        b'@'..=b'H'
        | b'J'..=b'M'
        | b'P'
        | b'S'
        | b'T'
        | b'X'
        | b'd'
        | b'f'
        | b'`'
        | b'a'
        | b'e' => Effect::Lossy,
        b'u' if parameters.is_empty() => Effect::Lossy,
        _ => Effect::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::unwrapped;
    use super::*;

    fn show(line: &str) -> (String, bool) {
        let (parts, lossy) = shown(line.as_bytes(), &mut 1000);
        let text = |part: &Part| match part {
            Part::Text(range) => line[range.clone()].to_owned(),
            Part::Blanks(count, _) => " ".repeat(*count),
        };
        (parts.iter().map(text).collect(), lossy)
    }

    #[test]
    fn colours_lose_nothing() {
        for line in [
            "\u{1b}[1;31ma\u{1b}[0mb",
            "\u{1b}]0;title\u{7}ab",
            "\u{1b}]8;;http://x\u{1b}\\ab\u{1b}]8;;\u{1b}\\",
            "a\u{1b}[?25l\u{1b}(Bb\u{1b}[K",
            "a\u{1b}[38;2;1;2;3mb\u{1b}[",
        ] {
            assert_eq!(show(line), ("ab".to_owned(), false), "{line:?}");
        }
        // A string that does not end takes no more than its start.
        assert_eq!(show("\u{1b}]a"), ("a".to_owned(), false));
        // Only a title ends with a bell, and what ended one string ends no other.
        assert_eq!(show("\u{1b}Pa\u{7}b\u{1b}\\c\u{1b}]d").0, "cd");
    }

    #[test]
    fn strings_that_never_end_are_looked_through_once() {
        // Looked through for each, these would take minutes.
        let line = "\u{1b}]a".repeat(1 << 20);
        assert_eq!(show(&line), ("a".repeat(1 << 20), false));
    }

    #[test]
    fn what_is_written_over_is_lost() {
        for (line, text) in [
            ("10%\r20%\rdone", "done"),
            ("x\u{8}\u{e9}\u{8}ok", "ok"),
            ("a\u{1b}[2Cb", "a  b"),
            ("a\u{1b}[2K\u{1b}[1Gb", "ab"),
        ] {
            assert_eq!(show(line), (text.to_owned(), true), "{line:?}");
        }
    }

    #[test]
    fn a_few_bytes_ask_for_few_blanks() {
        let text = "\u{1b}[500Cx\n".repeat(10_000);
        let came = unwrapped(&text).unwrap();
        assert!(came.len() < ROOM + text.len() * (ROOM_PER_BYTE + 1), "{}", came.len());
        assert_eq!(came.matches('x').count(), 10_000);
    }

    #[test]
    fn opened_by_the_first_escape() {
        let text = "1%\r2%\nplain \u{1b}[1mbold\u{1b}[0m\r\n{\"a\":\"b\rc\"}\n3%\r4%\n";
        assert_eq!(unwrapped(text).unwrap(), "1%\r2%\nplain bold\r\n{\"a\":\"b\rc\"}\n4%\n");
        let late = "line\n".repeat(30_000) + "x\u{1b}[1my\n";
        assert_eq!(unwrapped(&late).unwrap(), "line\n".repeat(30_000) + "xy\n");
    }
}
