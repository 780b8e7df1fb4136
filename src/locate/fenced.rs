//! The grammar of Markdown code fences.
//!
//! Takes one line, tells whether it opens a fence or closes a given one.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{take_while, take_while_m_n};
use nom::combinator::{all_consuming, verify};

use super::delimited::prefix;

/// The line that opens a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence<'t> {
    /// What stands before it.
    pub prefix: &'t [u8],
    /// The back-ticks or tildes.
    pub marks: &'t [u8],
    /// What is said to stand in it: `yaml`, `json`, or nothing.
    pub info: &'t [u8],
}

/// Reads `line` as one that opens a fence.
pub fn fence(line: &[u8]) -> Option<Fence<'_>> {
    type Error<'t> = nom::error::Error<&'t [u8]>;
    let run =
        |mark: u8| take_while_m_n::<_, &[u8], Error<'_>>(3, usize::MAX, move |byte| byte == mark);
    let info = verify(take_while(|_| true), |info: &[u8]| !info.contains(&b'`'));
    let mut whole = all_consuming((prefix, alt((run(b'`'), run(b'~'))), info));
    let (_, (prefix, marks, info)) = whole.parse(line).ok()?;
    Some(Fence { prefix, marks, info: info.trim_ascii() })
}

impl Fence<'_> {
    /// Whether data may stand in it, by what is said of it: not code of a language.
    pub fn holds_data(&self) -> bool {
        const DATA: [&[u8]; 9] =
            [b"", b"yaml", b"yml", b"json", b"jsonc", b"json5", b"text", b"txt", b"plaintext"];
        let word = self.info.split(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
        DATA.iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// Whether `line` closes this fence: as many marks or more, nothing else, indented no deeper.
    pub fn is_closed_by(&self, line: &[u8]) -> bool {
        fence(line).is_some_and(|close| {
            close.info.is_empty()
                && close.marks[0] == self.marks[0]
                && close.marks.len() >= self.marks.len()
                && indent(close.prefix) <= indent(self.prefix) + 1
        })
    }
}

fn indent(prefix: &[u8]) -> usize {
    prefix.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_and_closes() {
        let open = fence(b"```yaml").unwrap();
        assert_eq!((open.marks, open.info), (&b"```"[..], &b"yaml"[..]));
        assert!(open.is_closed_by(b"```"));
        assert!(open.is_closed_by(b"````  \r"));
        for line in ["``", "~~~", "```rust", "     ```", "x ```", ""] {
            assert!(!open.is_closed_by(line.as_bytes()), "{line}");
        }
        let quoted = fence(b"> ~~~ json").unwrap();
        assert_eq!((quoted.prefix, quoted.info), (&b"> "[..], &b"json"[..]));
        assert!(quoted.is_closed_by(b"> ~~~"));
        assert_eq!(fence(b"```a`b"), None);
    }
}
