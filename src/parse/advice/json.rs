//! Advice for a line of JSON.

use super::{Advice, write};
use crate::record::Excerpt;
use crate::repair::characters::{is_curly_double, is_curly_single};

/// What may be wrong at the place.
pub(super) fn of(excerpt: &Excerpt) -> Option<Advice> {
    let (before, here) = (excerpt.before(), excerpt.here());
    let last = before.trim_end().chars().next_back();
    let Some(first) = here.chars().next() else {
        let is_open = excerpt.to_end && in_text(before);
        return is_open.then(|| {
            Advice::new("a line break stands in a text", "write `\\n` in its place, on one line")
        });
    };
    let rest = here.trim_end();
    if in_text(before) {
        return text_fault(first, here);
    }
    Some(match first {
        '}' | ']' if last == Some(',') => {
            let what = format!("a comma stands before `{first}`, with nothing behind it");
            Advice::new(what, format!("leave the comma out: {}", write(&first.to_string())))
        }
        '}' | ']' | '|' => return None,
        '/' | '#' if first == '#' || rest.starts_with("//") || rest.starts_with("/*") => {
            let comment = rest.split_inclusive("*/").next().filter(|_| rest.starts_with("/*"));
            let comment = comment.unwrap_or(rest);
            Advice::new("JSON has no comments", format!("leave out `{}`", super::short(comment)))
        }
        ',' => Advice::new("a comma stands where a value should", "leave one of the commas out"),
        first if first == '\'' || is_curly_single(first) || is_curly_double(first) => {
            let inner = &rest[first.len_utf8()..];
            let closes = |char: char| {
                char == first || (first != '\'' && (is_curly_single(char) || is_curly_double(char)))
            };
            let text = inner.split(closes).next().unwrap_or(inner);
            Advice::new(
                "keys and texts of JSON stand in double quotes (`\"`)",
                write(&in_quotes(text)),
            )
        }
        '"' if matches!(last, Some('"' | '}' | ']' | 'e' | 'l' | '0'..='9')) => {
            let key = rest[1..].split('"').next().unwrap_or_default();
            // Behind a key a colon is missing, which the text before it tells.
            let is_value = is_key(before);
            let (what, sign) = if is_value { ("colon", ":") } else { ("comma", ",") };
            Advice::new(format!("a {what} is missing here"), write(&format!("{sign} \"{key}\"")))
        }
        '{' | '[' if matches!(last, Some('"' | '}' | ']')) => {
            let sign = if is_key(before) { ':' } else { ',' };
            Advice::new(format!("a `{sign}` is missing here"), write(&format!("{sign} {first}")))
        }
        _ if last == Some('"') && !is_key(before) => {
            let word = rest.split('"').next().unwrap_or_default();
            Advice::new(
                "a `\"` within a text ends it",
                format!("write `\\\"` for it, as in `\\\"{}\\\"`", super::short(word)),
            )
        }
        _ => return word_fault(rest, last),
    })
}

/// What is wrong with a word that JSON does not know.
fn word_fault(rest: &str, last: Option<char>) -> Option<Advice> {
    let is_word = |char: char| char.is_alphanumeric() || "_-+.".contains(char);
    let length = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(length);
    if word.is_empty() {
        return None;
    }
    if behind.trim_start().starts_with(':') && matches!(last, None | Some('{' | ',')) {
        let what = format!("the key `{word}` stands without quotes");
        return Some(Advice::new(what, write(&in_quotes(word))));
    }
    if last != Some(':') && last != Some('[') && last != Some(',') {
        return None;
    }
    let known = match word {
        "None" | "undefined" | "nil" | "NaN" | "Infinity" | "-Infinity" | "Null" | "NULL" => "null",
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        _ => "",
    };
    if !known.is_empty() {
        return Some(Advice::new(format!("`{word}` is no word of JSON"), write(known)));
    }
    let number = word.trim_start_matches(['+', '0']);
    if word.starts_with(['+', '0']) && number.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = if number.is_empty() { "0" } else { number };
        let what = format!("`{word}` is no number of JSON: no `+` and no `0` stands before one");
        return Some(Advice::new(what, write(number)));
    }
    let text = rest.split('"').next().unwrap_or(rest);
    let text = text.trim_end_matches(|char: char| ",}] ".contains(char));
    Some(Advice::new("a text stands without quotes", write(&in_quotes(text))))
}

/// What is wrong within a text.
fn text_fault(first: char, here: &str) -> Option<Advice> {
    match first {
        '\\' => {
            let bad: String = here.chars().take(2).collect();
            let what = format!("`{bad}` is no escape of JSON");
            Some(Advice::new(what, write(&format!("\\{bad}"))))
        }
        '\t' => Some(Advice::new("a tab stands in a text as it is", "write `\\t` in its place")),
        first if first.is_control() => {
            let edit = format!("write `\\u{:04x}` in its place, or leave it out", u32::from(first));
            Some(Advice::new("a control character stands in a text as it is", edit))
        }
        _ => None,
    }
}

/// Whether a text is open at the end of the line so far.
fn in_text(before: &str) -> bool {
    let (mut is_open, mut is_escaped) = (false, false);
    for byte in before.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_open => is_escaped = true,
            b'"' => is_open = !is_open,
            _ => {}
        }
    }
    is_open
}

/// Whether what ends the line so far is a text at the place of a key.
fn is_key(before: &str) -> bool {
    let Some(inner) = before.trim_end().strip_suffix('"') else { return false };
    let Some((rest, _)) = inner.rsplit_once('"') else { return false };
    matches!(rest.trim_end().chars().next_back(), None | Some('{' | ','))
}

fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
