//! How an input is cut into frames: line by line, or as one document.
//!
//! Told by the first line that is not blank, as soon as it is there, so that it never hangs on how
//! the bytes arrive. Takes the head of the input, gives the [`Shape`]; looks at no second line.

use super::raw::{End, end_of_value};
use crate::contract::{self, Claim, Outline};

/// How an input is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// JSON records and plain text, line by line, in any mixture.
    Lines,
    /// One document: JSON over several lines, or a file that is one review.
    Document,
}

/// A first line that is longer than this is no reason to wait for its end.
const HEAD: usize = 32 << 20;

/// Comments and headings at the start that are passed over, in bytes.
const COMMENTS: usize = 64 << 10;

/// The shape of the input that starts with `head`; `None` where more of it is needed.
/// `end` says that there is no more.
pub fn of(head: &[u8], end: bool) -> Option<Shape> {
    let mut start = skip_padding(head);
    let (line, line_end) = loop {
        let line_end = memchr::memchr(b'\n', &head[start..]).map(|length| start + length);
        let line = &head[start..line_end.unwrap_or(head.len())];
        match line_end {
            // A comment of YAML, or a heading: the line below tells.
            Some(end) if end < COMMENTS && line.first().is_none_or(|first| *first == b'#') => {
                start = end + 1 + skip_padding(&head[end + 1..]);
            }
            _ => break (line, line_end),
        }
    };
    if line_end.is_none() && !end && head.len() < HEAD {
        return None;
    }
    Some(match line.first() {
        Some(b'{' | b'[') => match end_of_value(line, 0) {
            // JSON that goes on in the next line: no record of a JSONL log.
            End::Torn => Shape::Document,
            End::At(length) if line[length..].trim_ascii().is_empty() && may_open(line) => {
                Shape::Document
            }
            // The only line there is, and cut short.
            End::Cut if line_end.is_none() => Shape::Document,
            _ => Shape::Lines,
        },
        _ if may_open(line) || line.trim_ascii_end() == b"---" => Shape::Document,
        _ => Shape::Lines,
    })
}

/// The first byte that is neither a byte order mark, nor a blank, nor padding.
pub fn skip_padding(bytes: &[u8]) -> usize {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let is_padding = |byte: &&u8| byte.is_ascii_whitespace() || **byte == 0;
    mark + bytes[mark..].iter().take_while(is_padding).count()
}

/// Whether a line starts as a JSON record does.
pub fn opens_json(line: &[u8]) -> bool {
    matches!(line[skip_padding(line)..].first(), Some(b'{' | b'['))
}

/// Whether a review may start with this line.
fn may_open(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    if text.starts_with('{') {
        let outline = Outline::of(&text);
        return contract::CONTRACTS.iter().any(|each| each.identify(&outline) > Claim::None);
    }
    let Some(key) = contract::yaml_key(text.trim_end()) else { return false };
    contract::CONTRACTS.iter().any(|contract| contract.opening_keys().contains(&key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_by_the_first_line() {
        for (head, shape) in [
            ("hello\n", Shape::Lines),
            ("{\"a\":1}\n", Shape::Lines),
            ("\n\n  {\"a\":1}\n", Shape::Lines),
            ("{\n", Shape::Document),
            ("[\n", Shape::Document),
            ("[{\"a\": 1,\n", Shape::Document),
            ("[warn] nothing\n", Shape::Lines),
            ("{\"a\":\"cut here\n", Shape::Lines),
            ("{draft} of it\n", Shape::Lines),
        ] {
            assert_eq!(of(head.as_bytes(), false), Some(shape), "{head}");
            for cut in 0..head.trim_end().len() {
                assert_eq!(of(&head.as_bytes()[..cut], false), None, "{head} cut at {cut}");
            }
        }
        assert_eq!(of(b"{\"a\": \"cut", true), Some(Shape::Document));
        assert_eq!(of(b"", true), Some(Shape::Lines));
    }
}
