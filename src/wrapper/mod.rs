//! Wrappers: what stands around the lines of another log.
//!
//! A wrapper is one file that implements [`Wrapper`] and one line in [`WRAPPERS`]. It takes the
//! lines of a log, and gives the log that they carry together with the way back, its
//! [`Origins`]. It never looks at what it carries, drops no line that is none of its own, and decides
//! line by line, so that a log in which others write between its lines is read all the same.

use crate::limits::Limits;

mod asciicast;
mod cri;
mod docker;
mod field;
mod gemini_deltas;
mod github_actions;
mod line;
mod origins;
mod prefix;
mod sse;
mod terminal;
mod time;
mod unwrapping;
mod vscode_log;

pub use line::{Kept, Line};
pub use origins::{Origins, Output};
pub use sse::joined;
pub use unwrapping::Unwrapping;

/// The wrappers, in the order in which a line is offered to them.
pub static WRAPPERS: &[&dyn Wrapper] = &[
    &sse::Sse,
    &gemini_deltas::GeminiDeltas,
    &docker::Docker,
    &cri::Cri,
    &github_actions::GithubActions,
    &vscode_log::VscodeLog,
    &asciicast::Asciicast,
    &terminal::Terminal,
    &prefix::Prefix,
];

/// A wrapper.
pub trait Wrapper: Sync {
    /// Its name.
    fn id(&self) -> &'static str;

    /// One line for lists: what it takes off.
    fn takes_off(&self) -> &'static str;

    /// One line for lists: how it is recognised.
    fn recognised_by(&self) -> &'static str;

    /// Whether a line opens a log in this wrapper. Asked of the first lines of a log; `start` is
    /// the line without its end, or its first KiB.
    fn opens(&self, start: &[u8]) -> bool;

    /// A byte that opens a log in this wrapper wherever it stands, also behind the first lines.
    /// What the log says before this byte is not given to the wrapper.
    fn opened_by(&self) -> Option<u8> {
        None
    }

    /// Takes it off a log, from this line on.
    fn unwrap(&self, limits: &Limits) -> Box<dyn Unwrap>;
}

/// Taking a wrapper off a log, line by line.
pub trait Unwrap {
    /// Takes the next line. False where it is none of this wrapper's and goes on as it stands,
    /// behind what was given to `out`.
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool;

    /// The first byte of what is held back, counted in the log around, if anything is.
    fn held(&self) -> Option<u64> {
        None
    }

    /// The log ends: gives what was held back.
    fn end(&mut self, _out: &mut Output) {}
}

/// The log in a text that is there as a whole; nothing where the text is in no wrapper.
pub fn unwrap(text: &[u8], limits: &Limits) -> Option<(Vec<u8>, Origins)> {
    let mut unwrapping = Unwrapping::new(limits);
    let given = unwrapping.push(text);
    let rest = unwrapping.end();
    let mut given = given?;
    given.extend_from_slice(&rest);
    (given != text).then(|| (given, unwrapping.into_origins()))
}

/// The mark at the start of some files.
const MARK: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out of a text, in any pieces.
    pub(super) fn unwrapped(text: &str) -> Option<String> {
        let limits = Limits::default();
        let whole = unwrap(text.as_bytes(), &limits).map(|(text, _)| text);
        for size in [1, 2, 7, 64] {
            let mut unwrapping = Unwrapping::new(&limits);
            let mut out = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                out.extend(unwrapping.push(piece).unwrap_or_else(|| piece.to_vec()));
            }
            out.extend(unwrapping.end());
            let expected = whole.as_deref().unwrap_or(text.as_bytes());
            let [came, expected] = [&out[..], expected].map(String::from_utf8_lossy);
            assert_eq!(came, expected, "pieces of {size}");
        }
        whole.map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn what_is_in_no_wrapper_stays_as_it_is() {
        for text in [
            "",
            "# Log\n\nnothing\n",
            "{\"type\":\"assistant\",\"log\":\"x\"}\n",
            "2026-11-30 the day of the review\nscore: 8\n",
            "- stdout: P is pending\n",
        ] {
            assert_eq!(unwrapped(text), None, "{text}");
        }
    }

    #[test]
    fn wrappers_stand_around_each_other() {
        let text = "2026-11-30T12:00:00.1234567Z \
            {\"log\":\"2026-11-30T11:59:59Z stdout F a \\\"b\\\"\\n\",\"stream\":\"stdout\",\"time\":\"x\"}\n";
        assert_eq!(unwrapped(text).as_deref(), Some("a \"b\"\n"));
        let (_, origins) = unwrap(text.as_bytes(), &Limits::default()).unwrap();
        let quote = text.find("\\\"b").unwrap() as u64;
        assert_eq!((origins.offset(2), origins.offset(3)), (quote, quote + 2));
        assert_eq!(origins.end(6), quote + 7);
        assert_eq!(origins.time(0), Some("2026-11-30T11:59:59Z"));
    }
}
