//! The grammar of delimiter lines, and of what stands before a block's lines.
//!
//! A delimiter line is `---NAME---` or `---end-NAME---`, alone on its line but for blanks, and for
//! the marks of a blockquote, a box, a list or an indentation before it. These marks are no part
//! of the block: they are stripped from all its lines. Takes one line, never looks at another.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while_m_n};
use nom::character::complete::one_of;
use nom::combinator::{all_consuming, opt, recognize};
use nom::multi::{many0_count, many1_count};
use nom::sequence::{delimited, pair, terminated};
use nom::{IResult, Parser};

/// A delimiter line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiter<'t> {
    /// What stands before it.
    pub prefix: &'t [u8],
    /// Whether it closes a block.
    pub closes: bool,
}

/// Reads `line` as a delimiter line of `name`.
pub fn delimiter<'t>(line: &'t [u8], name: &str) -> Option<Delimiter<'t>> {
    let dashes = || tag::<_, &[u8], nom::error::Error<&[u8]>>("---");
    let word = pair(opt(tag("end-")), tag(name.as_bytes()));
    let blanks = take_while(is_blank);
    let mut whole = all_consuming((prefix, delimited(dashes(), word, dashes()), blanks));
    let (_, (prefix, (end, _), _)) = whole.parse(line).ok()?;
    Some(Delimiter { prefix, closes: end.is_some() })
}

/// The marks before a line's own text: indentation, blockquote, box, one list item; the mark of a
/// person's lines in some logs; and the byte order mark of a file.
pub fn prefix(line: &[u8]) -> IResult<&[u8], &[u8]> {
    let quote = recognize(alt((tag(">"), tag("│"), tag("┃"), tag("#### "), tag("\u{feff}"))));
    let blank = take_while_m_n(1, usize::MAX, |byte| byte == b' ' || byte == b'\t');
    let marks = many0_count(alt((quote, blank)));
    let number = terminated(take_while_m_n(1, 4, |byte: u8| byte.is_ascii_digit()), one_of(".)"));
    let bullet = recognize(one_of("-*+"));
    let [dot, circle, record, elbow] = BULLETS.map(tag);
    let mark = alt((number, bullet, dot, circle, record, elbow));
    let gap = recognize(many1_count(alt((tag(" "), tag(NO_BREAK)))));
    recognize(pair(marks, opt((mark, gap)))).parse(line)
}

/// The marks that a terminal puts before what an agent or a tool says. Its further lines stand
/// below the first word.
const BULLETS: [&str; 4] = ["•", "●", "⏺", "⎿"];

/// A blank at which no line is broken.
const NO_BREAK: &str = "\u{a0}";

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// How many bytes of `line` repeat the `prefix` of a block's first line. A list item's mark is
/// repeated as blanks.
pub fn stripped(line: &[u8], prefix: &[u8]) -> usize {
    let mut length = 0;
    for mark in marks(prefix) {
        match line.get(length..) {
            Some(own) if own.starts_with(mark) => length += mark.len(),
            Some([b' ', ..]) if is_item(mark) => length += 1,
            _ => break,
        }
    }
    length
}

/// Whether a prefix only indents what stands behind it: blanks, or the mark of an item.
pub fn is_indentation(prefix: &[u8]) -> bool {
    marks(prefix).all(|mark| matches!(mark, b" " | b"\t") || is_item(mark))
}

/// The characters of a prefix; one of several bytes is one mark.
fn marks(prefix: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = prefix;
    std::iter::from_fn(move || {
        let further = rest.get(1..)?.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
        let (mark, others) = rest.split_at(1 + further);
        rest = others;
        Some(mark)
    })
}

/// Whether a mark is one of an item, which stands before its first line only.
fn is_item(mark: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-*+.)".contains(byte);
    mark.iter().all(is_plain)
        || [NO_BREAK].iter().chain(&BULLETS).any(|item| item.as_bytes() == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_stands_alone_on_its_line() {
        let read = |line: &'static str| delimiter(line.as_bytes(), "x-y");
        let opener =
            |prefix: &'static str| Some(Delimiter { prefix: prefix.as_bytes(), closes: false });
        assert_eq!(read("---x-y---"), opener(""));
        assert_eq!(read("---x-y--- \t\r"), opener(""));
        assert_eq!(read("  > ---x-y---"), opener("  > "));
        assert_eq!(read("│ ---x-y---"), opener("│ "));
        assert_eq!(read("- ---x-y---"), opener("- "));
        assert_eq!(read(" 12. ---x-y---"), opener(" 12. "));
        assert_eq!(read("⏺ ---x-y---"), opener("⏺ "));
        assert_eq!(read("  ⎿ \u{a0}---x-y---"), opener("  ⎿ \u{a0}"));
        assert_eq!(read("---end-x-y---"), Some(Delimiter { prefix: b"", closes: true }));
        for line in [
            "`---x-y---`",
            "the ---x-y--- line",
            "---x-y--- opens",
            "----x-y---",
            "---x-y--",
            "---x-yz---",
            "",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn the_prefix_is_stripped_as_far_as_it_is_there() {
        let strip = |line: &'static str, prefix: &str| {
            &line[stripped(line.as_bytes(), prefix.as_bytes())..]
        };
        assert_eq!(strip("> a: 1", "> "), "a: 1");
        assert_eq!(strip(">   b", "> "), "  b");
        assert_eq!(strip(">", "> "), "");
        assert_eq!(strip("  a: 1", "- "), "a: 1");
        assert_eq!(strip("    a: 1", "⏺ "), "  a: 1");
        assert_eq!(strip("      a: 1", "  ⎿ \u{a0}"), " a: 1");
        assert_eq!(strip("┃ a: 1", "│ "), "┃ a: 1");
        assert_eq!(strip("a: 1", "   "), "a: 1");
        assert_eq!(strip("   - x", "   "), "- x");
    }
}
