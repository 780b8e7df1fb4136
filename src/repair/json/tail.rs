//! What follows a quote: whether it is where a value or key would end.
//!
//! Takes the text behind a quote, looks at no more than [`REACH`] bytes of it, tells. So each quote
//! costs a bounded time, and the whole text a linear one.

use crate::contract::MapShape;
use crate::repair::characters::{
    is_curly_double, is_curly_single, is_invisible, is_unusual_blank, narrow,
};

/// How many bytes behind a quote tell whether it ends a value.
const REACH: usize = 240;

/// The longest key.
const KEY: usize = 64;

/// Words that may stand as items of a list.
const LITERALS: &[&str] = &["true", "false", "null", "True", "False", "None", "undefined"];

/// What a value is a member of.
#[derive(Clone, Copy)]
pub enum Within<'s> {
    /// The value of a key of an object, with what the contract knows of the object's keys.
    Map(Option<&'s MapShape>),
    /// An item of a list.
    List,
    /// Nothing: it is the whole text.
    Nothing,
}

/// The start of a text, as far as it is looked at.
pub fn reach(text: &str) -> &str {
    let end = (0..=REACH.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

/// Whether a value may end before `rest`.
pub fn ends_value(rest: &str, within: Within<'_>) -> bool {
    let rest = skip(reach(rest));
    let Some((first, behind)) = split(rest) else { return true };
    match first {
        ',' => follows_comma(skip(behind), within),
        ';' => starts_known_key(skip(behind), within),
        '}' | ']' => follows_close(skip(behind), within),
        '|' => true,
        // A mark of a comment within a text: `"Leftover "// TODO" in the loop"`.
        '#' | '/' => comment(rest).is_some_and(|(comment, behind)| {
            !comment.contains(is_quote) && (behind.is_empty() || ends_value(behind, within))
        }),
        _ => starts_known_key(rest, within),
    }
}

/// Whether what stands behind a comma may be the next member.
fn follows_comma(rest: &str, within: Within<'_>) -> bool {
    let Some((first, behind)) = split(rest) else { return true };
    match (first, within) {
        ('}' | ']' | ',' | '…', _) => true,
        ('#' | '/', _) => {
            comment(rest).is_some_and(|(_, behind)| follows_comma(skip(behind), within))
        }
        ('.', _) => behind.starts_with(".."),
        (first, Within::Map(_)) => {
            let opens_next = first == '{' && starts_known_key(skip(behind), within);
            opens_next
                || key(rest).is_some()
                || faulty_key(rest, within).is_some()
                || is_cut_key(rest)
        }
        (first, _) => {
            let is_literal = || LITERALS.iter().any(|literal| rest.starts_with(literal));
            is_quote(first)
                || first.is_ascii_digit()
                || matches!(first, '{' | '[' | '-')
                || is_literal()
        }
    }
}

/// Whether what stands behind a closing bracket may follow one.
fn follows_close(rest: &str, within: Within<'_>) -> bool {
    let Some((first, behind)) = split(rest) else { return true };
    match first {
        ',' | '}' | ']' | '#' | '`' | ';' => true,
        '/' => behind.starts_with(['/', '*']),
        '{' => !matches!(within, Within::Nothing),
        _ => key(rest).is_some_and(|(name, _)| !name.is_empty() && is_quote(first)),
    }
}

/// Whether a key that the contract knows here starts.
pub fn starts_known_key(rest: &str, within: Within<'_>) -> bool {
    key(reach(rest)).is_some_and(|(name, _)| is_known(name, within))
}

/// Whether the contract knows a key of this name there.
pub fn is_known(name: &str, within: Within<'_>) -> bool {
    let Within::Map(Some(map)) = within else { return false };
    map.fields.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// A key that the contract knows, whose own marks are broken.
pub struct FaultyKey<'t> {
    pub name: &'t str,
    /// Bytes with its marks, up to the colon.
    pub length: usize,
    /// The marks around it are no quotes, or not two.
    pub marks: bool,
}

/// The key that the contract knows and that starts here, with a quote too few, in other marks, or
/// without its colon.
pub fn faulty_key<'t>(rest: &'t str, within: Within<'_>) -> Option<FaultyKey<'t>> {
    let rest = reach(rest);
    let is_mark = |char: char| is_quote(char) || matches!(char, '`' | '*');
    let inner = rest.trim_start_matches(is_mark);
    let before = &rest[..rest.len() - inner.len()];
    let end = inner.find(|char| !is_word(char))?;
    let (name, behind) = inner.split_at(end);
    if before.is_empty() || !is_known(name, within) {
        return None;
    }
    let next = behind.trim_start_matches(is_mark);
    let after = &behind[..behind.len() - next.len()];
    let (sign, value) = split(skip(next))?;
    let has_colon = matches!(sign, ':' | '=');
    // `"fix" "Drop it"`, `"fix"; "Drop it"`: words in quotes, and then a value.
    let value = if sign == ';' { skip(value) } else { skip(next) };
    let starts_value = |char: char| is_quote(char) || matches!(char, '{' | '[' | '0'..='9');
    let is_value = value.starts_with(starts_value);
    let length = before.len() + name.len() + after.len();
    let marks = before.len() != 1 || after != before || !before.starts_with(is_quote);
    (has_colon || (before == after && is_value)).then_some(FaultyKey { name, length, marks })
}

/// The key that starts here, and what stands behind its colon: in quotes of any kind, or a bare
/// word.
pub fn key(rest: &str) -> Option<(&str, &str)> {
    let first = rest.chars().next()?;
    let (name, behind) = if is_quote(first) {
        let body = &rest[first.len_utf8()..];
        let end = body.find(|char| is_quote(char) || char == '\n').filter(|end| *end <= KEY)?;
        let quote = body[end..].chars().next().filter(|char| is_quote(*char))?;
        (&body[..end], &body[end + quote.len_utf8()..])
    } else {
        let end = rest.find(|char: char| !is_word(char)).unwrap_or(rest.len());
        // A word with a quote behind it lost the one before it.
        let behind = &rest[end..];
        let is_key = (1..=KEY).contains(&end) && !first.is_ascii_digit();
        (is_key.then(|| &rest[..end])?, behind.strip_prefix(['"', '\'']).unwrap_or(behind))
    };
    let (colon, behind) = split(skip_comment(skip(behind)))?;
    (colon == ':' || (colon == '=' && is_quote(first))).then_some((name, behind))
}

/// Whether the text ends within a key, or right behind it.
fn is_cut_key(rest: &str) -> bool {
    let name = rest.trim_start_matches(is_quote).trim_end();
    name.len() <= KEY && name.trim_end_matches(is_quote).chars().all(is_word)
}

/// Whether a character may stand in a key without quotes.
pub fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-')
}

/// Whether a character is a quote of any kind.
pub fn is_quote(char: char) -> bool {
    matches!(char, '"' | '\'') || is_curly_double(char) || is_curly_single(char)
}

/// Without the blanks at its start, unusual ones too.
pub fn skip(text: &str) -> &str {
    text.trim_start_matches(|char: char| {
        matches!(char, ' ' | '\t' | '\n' | '\r') || is_unusual_blank(char) || is_invisible(char)
    })
}

/// The comment that starts here, and what stands behind it, as far as that is looked at.
pub fn comment(text: &str) -> Option<(&str, &str)> {
    let end = if text.starts_with('#') || text.starts_with("//") {
        text.find('\n').map_or(text.len(), |end| end + 1)
    } else if text.starts_with("/*") {
        text.find("*/").map_or(text.len(), |end| end + 2)
    } else {
        return None;
    };
    Some(text.split_at(end))
}

/// Without the comment in marks at its start, and the blanks behind it.
fn skip_comment(text: &str) -> &str {
    let comment = comment(text).filter(|(comment, _)| comment.ends_with("*/"));
    comment.map_or(text, |(_, behind)| skip(behind))
}

/// The first character, as the ASCII one that it stands for, and the rest.
fn split(text: &str) -> Option<(char, &str)> {
    let first = text.chars().next()?;
    Some((narrow(first).unwrap_or(first), &text[first.len_utf8()..]))
}
