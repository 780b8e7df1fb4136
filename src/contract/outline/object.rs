//! The keys at the first level of an object, also of one that is no JSON.

use super::{KEYS, Key, behind, broken_key, yaml_key};
use crate::repair::characters::is_invisible;

/// The member up to the comma, brace or line end behind it, which may stand within a list or an
/// object: then it is cut.
pub(super) fn json_value(rest: &str) -> &str {
    let rest = rest.trim_start();
    let ends = |text: &str| text.find([',', '}', '\n']).unwrap_or(text.len());
    let Some(text) = rest.strip_prefix('"') else { return rest[..ends(rest)].trim_end() };
    let mut at = 0;
    while let Some(step) = memchr::memchr3(b'"', b'\\', b'\n', &text.as_bytes()[at..]) {
        match text.as_bytes()[at + step] {
            b'\\' => at = (at + step + 2).min(text.len()),
            b'"' => {
                let end = at + step + 2;
                // `"pass" | "fail"` is one value to choose from two.
                let is_choice = rest[end..].trim_start_matches(' ').starts_with('|');
                let end = if is_choice { end + ends(&rest[end..]) } else { end };
                return rest[..end].trim_end();
            }
            _ => return &rest[..=at + step],
        }
    }
    rest
}

/// Levels of an object behind which no key of its first one is looked for.
const DEPTH: usize = 64;

/// The longest line that leads to an object.
const LEAD: usize = 1024;

/// The object of a text that starts with something else: with characters that nobody sees, with
/// comments, or with a line that announces it.
pub(super) fn object_behind_lead(text: &str) -> Option<&str> {
    let opens = |text: &str| text.starts_with(['{', '｛']);
    let blank = |char: char| char.is_whitespace() || is_invisible(char);
    let start = behind_comments(text);
    if opens(start) {
        return Some(start);
    }
    let brace = start.bytes().take(LEAD).position(|byte| byte == b'{')?;
    let (lead, object) = (start[..brace].trim_matches(blank), &start[brace..]);
    let announces = lead.eq_ignore_ascii_case("json") || lead.ends_with([':', '：']);
    // A key of YAML announces nothing.
    let is_key = yaml_key(lead).is_some() || broken_key(lead).is_some();
    let is_quoted = object[1..].trim_start().starts_with('"');
    (announces && !is_key && is_quoted && !lead.contains('\n')).then_some(object)
}

/// The object of a text that words announce, which may say what they please of it.
pub fn announced(text: &str) -> Option<&str> {
    let opens = behind_comments(text).starts_with(['{', '｛']);
    if opens { None } else { object_behind_lead(text) }
}

/// A text without the comments and characters that nobody sees at its start, if an object follows
/// them.
pub fn behind_comments(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_whitespace() || is_invisible(char));
        let end = if rest.starts_with("//") || rest.starts_with('#') {
            memchr::memchr(b'\n', rest.as_bytes())
        } else if rest.starts_with("/*") {
            memchr::memmem::find(rest.as_bytes(), b"*/").map(|at| at + 1)
        } else {
            return rest;
        };
        let Some(end) = end else { return rest };
        rest = &rest[end + 1..];
    }
}

/// The keys of an object that may be none of JSON.
pub(super) fn object_keys(text: &str) -> Vec<Key<'_>> {
    let (keys, is_odd) = json_keys(text);
    if !is_odd && !keys.is_empty() {
        return keys;
    }
    let loose = loose_keys(text);
    if loose.len() > keys.len() { loose } else { keys }
}

/// Whether a byte outside of texts is none of JSON. Letters are looked at word by word.
fn is_odd(bytes: &[u8], at: usize) -> bool {
    let byte = bytes[at];
    let starts_word = byte.is_ascii_alphabetic()
        && !at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric());
    let is_literal =
        || [&b"true"[..], b"false", b"null"].iter().any(|word| bytes[at..].starts_with(word));
    !byte.is_ascii() || matches!(byte, b'\'' | b'\\') || (starts_word && !is_literal())
}

/// The texts before a colon at the first level of an object, and whether something stands between
/// its texts that is none of JSON.
pub(super) fn json_keys(text: &str) -> (Vec<Key<'_>>, bool) {
    let bytes = text.as_bytes();
    let mut keys = Vec::new();
    let mut odd = false;
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at + 1;
                at = start;
                while let Some(step) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                    at += step;
                    if bytes[at] == b'"' {
                        break;
                    }
                    at = (at + 2).min(bytes.len());
                }
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                let is_key = bytes[at + 1..]
                    .iter()
                    .find(|byte| !byte.is_ascii_whitespace())
                    .is_some_and(|&byte| byte == b':');
                if depth == 1 && is_key {
                    let rest = behind(text, &text[start..=at]);
                    keys.push(Key { name: &text[start..at], rest });
                    if keys.len() == KEYS {
                        break;
                    }
                }
            }
            _ => odd = odd || is_odd(bytes, at),
        }
        if depth == 0 || depth > DEPTH {
            break;
        }
        at += 1;
    }
    (keys, odd)
}

/// What stands behind a key in the declaration of a type.
const TYPES: &[&str] = &[
    "boolean", "bool", "string", "str", "number", "integer", "int", "float", "object", "array",
    "any", "unknown",
];

/// The keys at the first level of an object that is no JSON: in other quotes or none, with escaped
/// quotes, or before full-width colons.
pub(super) fn loose_keys(text: &str) -> Vec<Key<'_>> {
    let mut keys = Vec::new();
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        rest = &rest[char.len_utf8()..];
        match char {
            '"' => in_text = !in_text,
            _ if in_text => {}
            '{' | '[' | '｛' | '［' => depth += 1,
            '}' | ']' | '｝' | '］' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || depth > DEPTH {
            break;
        }
        let may_start = matches!(char, '{' | '｛' | ',' | '，' | '\n');
        if depth > 1 || in_text || !may_start {
            continue;
        }
        let Some((name, behind)) = loose_key(rest) else { continue };
        rest = behind;
        // `{pass: boolean}` is a type.
        let value = json_value(behind);
        if !TYPES.contains(&value.split(';').next().unwrap_or_default().trim_end()) {
            keys.push(Key { name, rest: behind });
            if keys.len() == KEYS {
                break;
            }
        }
    }
    keys
}

/// The key that starts here, in any quotes or in none, and what stands behind its colon.
fn loose_key(text: &str) -> Option<(&str, &str)> {
    let is_mark = |char: char| matches!(char, '\\' | '"' | '\'' | '“' | '”' | '‘' | '’' | '`');
    let is_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let mut start = text.trim_start_matches([' ', '\t', '\u{a0}']);
    // Line breaks of an object that was escaped once too often.
    while let Some(rest) = ["\\n", "\\r", "\\t"].iter().find_map(|mark| start.strip_prefix(mark)) {
        start = rest.trim_start_matches(' ');
    }
    let start = start.trim_start_matches(is_mark);
    let end = start.find(|char| !is_word(char)).filter(|end| (1..=64).contains(end))?;
    let behind = start[end..].trim_start_matches(is_mark).trim_start_matches(' ');
    let rest = behind.strip_prefix([':', '：'])?;
    Some((&start[..end], rest))
}
