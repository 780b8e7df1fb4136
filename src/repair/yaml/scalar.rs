//! Single values: what a text means that goes over lines or stands in quotes of whatever kind.
//!
//! Takes the pieces of a value as they stand, gives its text. Knows nothing of keys and columns.

use std::borrow::Cow;

use super::line::is_blank;
use crate::parse::{self, Caps, Kind, Scalar, Value};
use crate::repair::characters::{is_curly_double, is_curly_single};

/// A piece of a value: a line's own text, and how many blank lines stand before it.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'t> {
    /// Blank lines before it.
    pub blank: usize,
    /// The text, without blanks around it.
    pub text: &'t str,
}

/// The pieces as YAML folds them: a line break is a blank, a blank line a line break.
pub fn fold<'t>(pieces: &[Piece<'t>]) -> Cow<'t, str> {
    let [first, rest @ ..] = pieces else { return Cow::Borrowed("") };
    if rest.is_empty() {
        return Cow::Borrowed(first.text);
    }
    let mut text = first.text.to_owned();
    for piece in rest {
        if piece.blank == 0 {
            text.push(' ');
        }
        text.extend(std::iter::repeat_n('\n', piece.blank));
        text.push_str(piece.text);
    }
    Cow::Owned(text)
}

/// The pieces of a text of several lines.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut blank = 0;
    for line in text.lines() {
        let line = line.trim_matches([' ', '\t']);
        if line.is_empty() && !pieces.is_empty() {
            blank += 1;
        } else {
            pieces.push(Piece { blank, text: line });
            blank = 0;
        }
    }
    pieces
}

/// The header of a block scalar: `|` or `>` with its signs; `None` where words follow.
pub fn header(rest: &str) -> Option<Header> {
    let style = rest.chars().next().filter(|char| matches!(char, '|' | '>'))?;
    let word = rest.split([' ', '\t']).next()?;
    let behind = rest[word.len()..].trim_start_matches([' ', '\t']);
    let mut header = Header { style, indent: None, chomp: None };
    for sign in word.chars().skip(1) {
        match sign {
            '1'..='9' if header.indent.is_none() => {
                header.indent = sign.to_digit(10).map(|digit| digit as usize);
            }
            '+' | '-' if header.chomp.is_none() => header.chomp = Some(sign),
            _ => return None,
        }
    }
    (behind.is_empty() || behind.starts_with('#')).then_some(header)
}

/// The header of a block scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    style: char,
    /// By how many columns its lines are indented, if it says so.
    pub indent: Option<usize>,
    chomp: Option<char>,
}

impl Header {
    /// The text of a block scalar with these lines, whose indentation is off.
    pub fn text(self, lines: &[&str], ended: bool) -> String {
        let size = lines.iter().map(|line| line.len() + 2).sum::<usize>();
        let mut snippet = String::with_capacity(size + 8);
        snippet.extend(["k: ", self.style.encode_utf8(&mut [0; 4]), "1"]);
        snippet.extend(self.chomp);
        for line in lines {
            snippet.push('\n');
            if !line.is_empty() {
                snippet.push(' ');
            }
            snippet.push_str(line);
        }
        if ended {
            snippet.push('\n');
        }
        let caps = Caps { nesting: 2, nodes: 4 };
        let reading = parse::yaml::parse(&snippet, caps);
        let node = reading.node.filter(|_| reading.faults.is_empty());
        match node.as_ref().and_then(|node| node.get("k")).map(|node| &node.value) {
            Some(Value::Scalar(scalar)) => scalar.text.clone().into_owned(),
            _ => lines.join("\n"),
        }
    }
}

/// Where the quotes close that open at byte `at` of a text: the byte of the closing one.
pub fn closing(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(at)?;
    let mut from = at + 1;
    loop {
        let step = if quote == b'"' {
            memchr::memchr2(quote, b'\\', bytes.get(from..)?)?
        } else {
            memchr::memchr(quote, bytes.get(from..)?)?
        };
        let found = from + step;
        let is_pair = quote == b'\'' && bytes.get(found + 1) == Some(&quote);
        if bytes[found] == b'\\' || is_pair {
            from = found + 2;
        } else {
            return Some(found);
        }
    }
}

/// Where the bracket or brace closes that opens at byte `at` of a text.
pub fn flow_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut from) = (0_usize, at);
    let mut before = b' ';
    bytes.get(at).filter(|byte| matches!(byte, b'[' | b'{'))?;
    while let Some(&byte) = bytes.get(from) {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(from);
                }
            }
            // A quote opens a text only where a value may start.
            b'"' | b'\'' if matches!(before, b'[' | b'{' | b',' | b':') => {
                from = closing(text, from)?;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        from += 1;
    }
    None
}

/// What quotes that do not close as YAML wants were meant to hold.
#[derive(Debug, PartialEq, Eq)]
pub enum Quotes {
    /// The outer ones hold the whole: the text within.
    Around,
    /// The first one has no twin.
    Unclosed,
    /// They are part of the text.
    Within,
}

/// Tells what the quotes of a text are, which starts with one.
pub fn quotes(text: &str) -> Quotes {
    let Some(quote) = text.chars().next() else { return Quotes::Within };
    let inner = &text[quote.len_utf8()..];
    // An apostrophe within a word is no quote.
    let is_letter = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    let mut found = inner.match_indices(quote).filter(|(at, _)| {
        let (before, after) = (&inner[..*at], &inner[at + quote.len_utf8()..]);
        let is_apostrophe =
            quote == '\'' && is_letter(before.chars().last()) && is_letter(after.chars().next());
        !is_apostrophe && !before.ends_with('\\')
    });
    let Some((second, _)) = found.next() else { return Quotes::Unclosed };
    let last = inner.len() - quote.len_utf8();
    let opens = inner[..second].chars().last().is_none_or(|char| {
        is_blank(char) || matches!(char, '(' | '[' | '{' | '=' | ':' | ',' | '/')
    });
    // `the workers' state`: with one such apostrophe the first and the last quote are a pair.
    let owns = quote == '\''
        && inner[..second].ends_with(['s', 'S'])
        && inner[second + 1..].starts_with(' ')
        && found.next().is_some_and(|(at, _)| at == last)
        && found.next().is_none();
    let is_around = second == last || owns || opens;
    if is_around && inner.ends_with(quote) { Quotes::Around } else { Quotes::Within }
}

/// A text without the comma or semicolon behind its quotes; `None` where the quotes do not hold the
/// whole of what stands before it.
pub fn without_comma(text: &str) -> Option<&str> {
    let whole = text.strip_suffix([',', ';'])?;
    let is_whole = closing(whole, 0) == Some(whole.len() - 1) || quotes(whole) == Quotes::Around;
    (whole.len() > 1 && is_whole).then_some(whole)
}

/// What stands between a straight quote and the typographic one that closes it.
pub fn within_mixed(text: &str) -> Option<&str> {
    let is_close = |char: char| match text.chars().next() {
        Some('"') => is_curly_double(char),
        Some('\'') => is_curly_single(char),
        _ => false,
    };
    let inner = text.get(1..)?;
    let inner = inner.strip_suffix(is_close)?;
    (!inner.contains(is_close)).then_some(inner)
}

/// What stands within single quotes that do not close as YAML wants: no escapes but that of the
/// quote itself.
pub fn unquote(inner: &str) -> String {
    inner.replace("\\'", "'").replace("''", "'")
}

/// What stands within double quotes, its escapes read; `None` where one of them is unknown.
pub fn unescape(inner: &str) -> Option<Cow<'_, str>> {
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    // Bare quotes are escaped, so that the parser reads the rest.
    let mut snippet = String::with_capacity(inner.len() + 16);
    snippet.push('"');
    let mut is_escaped = false;
    for char in inner.chars() {
        if char == '"' && !is_escaped {
            snippet.push('\\');
        }
        is_escaped = char == '\\' && !is_escaped;
        snippet.push(char);
    }
    snippet.push('"');
    let reading = parse::yaml::parse(&snippet, Caps { nesting: 1, nodes: 2 });
    let node = reading.node.filter(|_| reading.faults.is_empty())?;
    match node.value {
        Value::Scalar(scalar) => Some(Cow::Owned(scalar.text.into_owned())),
        _ => None,
    }
}

/// A plain scalar.
pub fn plain(text: Cow<'_, str>) -> Scalar<'_> {
    let kind = Kind::of_plain(&text);
    Scalar::of_plain(text, kind)
}

/// Where a comment starts that YAML would cut off a plain text.
pub fn comment(text: &str) -> Option<usize> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), b"#");
    { starts }.find(|at| *at > 0 && matches!(text.as_bytes()[at - 1], b' ' | b'\t'))
}

/// Whether the number sign at `at` starts a remark that stands apart from a text, as people write
/// one: two blanks before it, and one behind.
pub fn is_set_off(text: &str, at: usize) -> bool {
    text[..at].ends_with("  ") && text[at..].starts_with("# ")
}

/// Whether YAML reads a plain text of one line as something else.
pub fn needs_quotes(text: &str) -> bool {
    let second = text.chars().nth(1);
    let is_mark = match text.chars().next() {
        Some('-' | '?' | ':') => second.is_none_or(|char| matches!(char, ' ' | '\t')),
        Some(first) => "&*!%@`|>[]{},\"'#".contains(first),
        None => false,
    };
    is_mark || text.contains(": ") || text.contains(":\t") || text.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_three_kinds() {
        for (text, wanted) in [
            (r#""The "retry" flag is ignored when "timeout" is set""#, Quotes::Around),
            (r#""retry" flag is ignored"#, Quotes::Within),
            (r#""retry" and "timeout""#, Quotes::Within),
            (r#""no end"#, Quotes::Unclosed),
            ("'It's whole'", Quotes::Around),
            (r"'It\'s whole'", Quotes::Around),
            ("'The workers' state is lost'", Quotes::Around),
            ("'retry' and 'timeout'", Quotes::Within),
            ("'retry' flag doesn't work", Quotes::Within),
            ("'It's open", Quotes::Unclosed),
        ] {
            assert_eq!(quotes(text), wanted, "{text}");
        }
    }

    #[test]
    fn headers_and_texts_that_look_like_one() {
        for text in ["|", ">-", "|2+", ">+1", "| # why", "|-  "] {
            assert!(header(text).is_some(), "{text}");
        }
        for text in ["| head -1", "> 80%", "|| x", "|0", ">--", "a"] {
            assert_eq!(header(text), None, "{text}");
        }
        let header = header(">").expect("a header");
        assert_eq!(header.text(&["a", "b", "", "  c"], true), "a b\n\n  c\n");
    }
}
