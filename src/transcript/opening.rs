//! The line by which a log of plain text tells who speaks in it, where it is not the first one.
//!
//! Takes the first bytes of a log in whatever pieces, gives the byte from which on the log is of a
//! format with roles. It hangs on nothing but what the log says up to this byte.

use super::{TRANSCRIPTS, Transcript};

/// Bytes of the start of a line by which it is known.
const START: usize = 40;

/// Bytes of a log in which the line is looked for.
const HEAD: usize = 64 << 10;

/// The search for the line.
pub struct Opening {
    /// The start of the line that was read last.
    line: Vec<u8>,
    /// The bytes that are left to be looked at.
    left: usize,
}

impl Default for Opening {
    fn default() -> Self {
        Self { line: Vec::with_capacity(START), left: HEAD }
    }
}

impl Opening {
    /// Looks at the next bytes: the format that opens in them, and how many come before that is
    /// certain.
    pub fn find(&mut self, bytes: &[u8]) -> Option<(usize, &'static dyn Transcript)> {
        let mut at = 0;
        while self.left > 0 && at < bytes.len() {
            let rest = &bytes[at..bytes.len().min(at + self.left)];
            let end = memchr::memchr(b'\n', rest);
            let length = end.unwrap_or(rest.len());
            let is_known = self.line.len() >= START;
            let taken = length.min(START - self.line.len().min(START));
            self.line.extend_from_slice(&rest[..taken]);
            let is_decided = self.line.len() >= START || end.is_some();
            if !is_known && is_decided && !matches!(self.line.first(), None | Some(b'{' | b'[')) {
                let format = TRANSCRIPTS.iter().find(|format| format.opens(&self.line));
                if let Some(format) = format {
                    self.left = 0;
                    return Some((at + taken, *format));
                }
            }
            let passed = end.map_or(rest.len(), |end| end + 1);
            if end.is_some() {
                self.line.clear();
            }
            self.left -= passed;
            at += passed;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the line is found, in pieces of this size.
    fn found(text: &str, size: usize) -> Option<usize> {
        let mut opening = Opening::default();
        let mut passed = 0;
        for piece in text.as_bytes().chunks(size) {
            if let Some((at, _)) = opening.find(piece) {
                return Some(passed + at);
            }
            passed += piece.len();
        }
        None
    }

    #[test]
    fn it_does_not_hang_on_the_pieces() {
        let line = "# aider chat started at 2024-08-05 19:33:02\n";
        let other = "-*- mode -*-\n> a line that is longer than what a line is known by\n\n";
        for (text, expected) in [
            (format!("{other}{line}"), Some(other.len() + START)),
            (format!("{other}# aider chat started at 2024-08-05\n"), Some(other.len() + 34)),
            (format!("{other}# aider chat started at noon\n"), None),
            (format!("{other} {line}"), None),
            (format!("{}{line}", other.repeat(HEAD / other.len() + 1)), None),
        ] {
            for size in [1, 2, 7, 31, text.len()] {
                assert_eq!(found(&text, size), expected, "pieces of {size}");
            }
        }
    }
}
