//! Advice for a line of YAML.

use super::{Advice, short, write};
use crate::record::Excerpt;
use crate::repair::characters::{is_invisible, is_unusual_blank, narrow};

/// What may be wrong far behind the start of a line.
fn far_on(head: &str, excerpt: &Excerpt) -> Option<Advice> {
    let line = Line::of(head)?;
    let is_plain = line.value.starts_with(char::is_alphanumeric);
    let is_colon = excerpt.here().starts_with(": ") || excerpt.here().trim_end() == ":";
    let end: String = excerpt.before().chars().rev().take(20).collect();
    let end: String = end.chars().rev().collect();
    (is_plain && is_colon).then(|| {
        let start: String = line.value.chars().take(40).collect();
        let text = format!("{start} … {end}: …");
        line.quoted("`: ` within an unquoted text ends it", &text)
    })
}

/// What may be wrong with the line.
pub(super) fn of(excerpt: &Excerpt) -> Option<Advice> {
    if let Some(head) = &excerpt.head {
        return far_on(head, excerpt);
    }
    let text = excerpt.text.trim_end();
    let blanks = text.len() - text.trim_start().len();
    if text[..blanks].contains('\t') {
        let edit = format!("{}{}", text[..blanks].replace('\t', "  "), &text[blanks..]);
        let what = "a tab stands in the indentation, where YAML takes blanks only";
        return Some(Advice::new(what, format!("{}, with blanks before it", write(edit.trim()))));
    }
    match Line::of(text) {
        Some(line) => line.value_fault(excerpt).or_else(|| line.indentation(excerpt)),
        None => colon(text).or_else(|| going_on(text, excerpt)),
    }
}

/// A line with a value: behind a key, or an entry of a list.
struct Line<'l> {
    /// All before the value: indentation, dashes, key and colon.
    lead: &'l str,
    /// At which column the key, or the value of an entry without one, starts.
    indent: usize,
    dashes: bool,
    key: Option<&'l str>,
    value: &'l str,
}

impl<'l> Line<'l> {
    fn of(text: &'l str) -> Option<Self> {
        let mut rest = text.trim_start_matches(' ');
        let mut dashes = false;
        while let Some(behind) = rest.strip_prefix("- ") {
            rest = behind.trim_start_matches(' ');
            dashes = true;
        }
        let indent = text.len() - rest.len();
        let key = key(rest).filter(|key| {
            rest[key.len()..]
                .strip_prefix(':')
                .is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\t']))
        });
        let value = match key {
            Some(key) => rest[key.len() + 1..].trim_start(),
            None if dashes => rest,
            None => return None,
        };
        Some(Self { lead: &text[..text.len() - value.len()], indent, dashes, key, value })
    }

    /// The line with another value.
    fn with(&self, value: &str) -> String {
        write(&format!("{}{value}", self.lead.trim_start()))
    }

    fn quoted(&self, what: impl Into<String>, text: &str) -> Advice {
        let behind = if self.lead.ends_with([' ', '\t']) { "" } else { " " };
        Advice::new(what, self.with(&format!("{behind}{}", quote(text))))
    }

    /// What is wrong with the value as it stands.
    fn value_fault(&self, excerpt: &Excerpt) -> Option<Advice> {
        let value = self.value;
        let first = value.chars().next()?;
        let behind = &value[first.len_utf8()..];
        let is_within = excerpt.at() > self.lead.len();
        match first {
            '"' => self.double_quoted(is_within),
            '\'' => self.single_quoted(is_within),
            '*' => Some(self.sign("`*` at the start of unquoted text makes it an alias")),
            '&' => Some(self.sign("`&` at the start of unquoted text makes it an anchor")),
            '!' => Some(self.sign("`!` at the start of unquoted text makes it a tag")),
            '`' => Some(self.quoted("a back-tick may not start unquoted text", value)),
            '@' | '%' | ',' | '}' | ']' => {
                Some(self.quoted(format!("`{first}` may not start unquoted text"), value))
            }
            '{' | '[' => self.in_brackets(first),
            '>' | '|' if !is_header(behind) => {
                let what =
                    format!("`{first}` opens a block scalar, whose text starts on the next line");
                Some(self.quoted(what, value))
            }
            '-' | '?' if behind.starts_with(' ') => {
                let kind = if first == '-' { "an entry of a list" } else { "a key" };
                Some(
                    self.quoted(
                        format!("`{first} ` opens {kind}, which may not stand here"),
                        value,
                    ),
                )
            }
            '>' | '|' => None,
            _ if value.contains(": ") || value.ends_with(':') => {
                Some(self.quoted("`: ` within an unquoted text ends it", value))
            }
            _ if value.contains(" #") => {
                Some(self.quoted("` #` within an unquoted text starts a comment", value))
            }
            _ if value.contains(|char: char| char.is_control() && char != '\t') => {
                Some(self.quoted("a control character stands in the text", value))
            }
            _ => None,
        }
    }

    /// A value with a sign that YAML takes for itself before it: the text's own, or meant so.
    fn sign(&self, what: &str) -> Advice {
        let sign = self.value.split(' ').next().unwrap_or_default();
        let Advice { what, edit } = self.quoted(what, self.value);
        let sign = short(sign);
        Advice::new(what, format!("{edit}; or leave `{sign}` out, if it is no part of the text"))
    }

    /// A value that starts as a list in brackets or a mapping in braces.
    fn in_brackets(&self, first: char) -> Option<Advice> {
        let mut open = Vec::new();
        let mut quote = None;
        for (at, char) in self.value.char_indices() {
            match char {
                _ if quote.is_some() => quote = quote.filter(|quote| *quote != char),
                '"' | '\'' => quote = Some(char),
                '{' => open.push('}'),
                '[' => open.push(']'),
                '}' | ']' => {
                    open.pop();
                    let behind = self.value[at + 1..].trim_start();
                    if open.is_empty() && !behind.is_empty() && !behind.starts_with('#') {
                        let what = format!("text stands behind what `{first}` opens");
                        return Some(self.quoted(what, self.value));
                    }
                }
                _ => {}
            }
        }
        let close = open.pop().filter(|_| quote.is_none())?;
        let what = format!("`{}` is opened and not closed", if close == '}' { '{' } else { '[' });
        let edit = format!("close it with `{close}`, or put each entry on lines of its own");
        Some(Advice::new(what, edit))
    }

    fn double_quoted(&self, is_within: bool) -> Option<Advice> {
        let (value, bytes) = (self.value, self.value.as_bytes());
        let mut at = 1;
        let mut fault = None;
        while at < bytes.len() && bytes[at] != b'"' {
            if bytes[at] == b'\\' {
                if fault.is_none() && !is_escape(&bytes[at + 1..]) {
                    fault = Some(at);
                }
                at += 1;
            }
            at += 1;
        }
        let behind = value.get(at + 1..).unwrap_or_default();
        let inner = value[1..].strip_suffix('"');
        if at >= bytes.len() {
            let what = "the `\"` that opens the text is not closed in this line";
            return Some(self.quoted(what, &value[1..]));
        }
        if !behind.trim().is_empty() && !behind.starts_with(" #") {
            let what = "a `\"` within a text in double quotes ends it";
            return Some(match inner {
                // Its backslashes are meant as escapes, perhaps.
                Some(inner) if inner.contains('\\') => {
                    Advice::new(what, self.with(&format!("\"{}\"", escape_quotes(inner))))
                }
                Some(inner) => self.quoted(what, inner),
                None => self.quoted("text stands behind the `\"` that ends the value", value),
            });
        }
        if let (Some(fault), Some(inner)) = (fault, inner) {
            let bad: String = value[fault..].chars().take(2).collect();
            return Some(self.quoted(format!("`{bad}` is no escape of YAML"), inner));
        }
        is_within.then(opened_above)
    }

    fn single_quoted(&self, is_within: bool) -> Option<Advice> {
        let value = self.value;
        let rest = value[1..].replace("''", "\u{0}\u{0}");
        let Some(end) = rest.find('\'') else {
            let what = "the `'` that opens the text is not closed in this line";
            return Some(self.quoted(what, &value[1..]));
        };
        let behind = &value[end + 2..];
        if behind.trim().is_empty() || behind.starts_with(" #") {
            return is_within.then(opened_above);
        }
        Some(match value[1..].strip_suffix('\'') {
            Some(inner) => self
                .quoted("a `'` within a text in single quotes ends it", &inner.replace("''", "'")),
            None => self.quoted("text stands behind the `'` that ends the value", value),
        })
    }

    /// Whether the key stands under that of the line above.
    fn indentation(&self, excerpt: &Excerpt) -> Option<Advice> {
        let key = self.key?;
        let above = Line::of(excerpt.above.as_deref()?)?;
        above.key?;
        let at = excerpt.text.len() - excerpt.text.trim_start().len();
        if self.dashes && !above.value.is_empty() && above.indent == at {
            let rest = excerpt.text.trim().trim_start_matches("- ").trim_start();
            let what = "`- ` starts an entry of a list, where another key of the entry is expected";
            return Some(Advice::new(what, format!("leave it out: {}", write(rest))));
        }
        let is_level = above.indent == self.indent;
        if self.dashes || is_level || above.value.is_empty() || excerpt.at() > self.lead.len() {
            return None;
        }
        let what = format!(
            "`{key}` is indented by {} and the key above it by {}, so that it belongs to neither",
            blanks(self.indent),
            above.indent,
        );
        let whole = format!("{}{}", " ".repeat(above.indent.min(40)), excerpt.text.trim());
        let edit = format!("{}, indented by {}", write(&whole), blanks(above.indent));
        Some(Advice::new(what, edit))
    }
}

fn opened_above() -> Advice {
    Advice::new(
        "a text in quotes that was opened further up ends in this line",
        "close its quote in the line in which that text ends",
    )
}

/// The key that a line starts with, in its quotes.
fn key(rest: &str) -> Option<&str> {
    let quote = rest.starts_with(['"', '\'']).then(|| &rest[..1]);
    let inner = &rest[quote.map_or(0, str::len)..];
    let is_key = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
    let length = inner.find(|char| !is_key(char)).unwrap_or(inner.len());
    let whole = length + 2 * quote.map_or(0, str::len);
    let closes = quote.is_none_or(|quote| inner[length..].starts_with(quote));
    (length > 0 && closes).then(|| &rest[..whole])
}

/// A key whose colon is none for YAML.
fn colon(text: &str) -> Option<Advice> {
    let text = text.trim_start().trim_start_matches("- ").trim_start();
    let key = key(text)?;
    let mut behind = text[key.len()..].chars();
    let sign = behind.next()?;
    let next = behind.as_str().chars().next()?;
    let what = match sign {
        ':' if is_unusual_blank(next) || is_invisible(next) => {
            "what stands behind the colon looks like a blank and is none"
        }
        ':' if !matches!(next, ':' | '/' | '\\') => "no blank stands behind the colon",
        sign if narrow(sign) == Some(':') => {
            "the colon is a full-width one, which YAML does not know"
        }
        _ => return None,
    };
    let is_blank = |char: char| char.is_whitespace() || is_invisible(char);
    let value = behind.as_str().trim_matches(is_blank);
    Some(Advice::new(what, write(&format!("{key}: {value}"))))
}

/// A line that goes on with a text above it, and is not indented so.
fn going_on(text: &str, excerpt: &Excerpt) -> Option<Advice> {
    let above = Line::of(excerpt.above.as_deref()?)?;
    let own = text.len() - text.trim_start().len();
    let key = above.key.filter(|_| !above.value.is_empty() && own <= above.indent)?;
    let indent = above.indent + 2;
    let what = format!("this line has no key, and is not indented deeper than `{key}` above it");
    let whole = format!("{}{}", " ".repeat(indent.min(40)), text.trim());
    Some(Advice::new(what, format!("{}, indented by {}", write(&whole), blanks(indent))))
}

fn blanks(count: usize) -> String {
    format!("{count} blank{}", if count == 1 { "" } else { "s" })
}

/// Whether what stands behind `|` or `>` still belongs to the opening of a block scalar.
fn is_header(behind: &str) -> bool {
    let rest = behind.trim_start_matches(|char: char| "+-123456789".contains(char)).trim();
    rest.is_empty() || rest.starts_with('#')
}

/// Whether what follows a backslash makes it an escape.
fn is_escape(rest: &[u8]) -> bool {
    let hex = |count: usize| {
        rest.get(1..=count).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match rest.first() {
        Some(b'x') => hex(2),
        Some(b'u') => hex(4),
        Some(b'U') => hex(8),
        Some(first) => b"0abt\tnvfre \"/\\N_LP".contains(first),
        None => true,
    }
}

/// The text with a backslash before each double quote that has none.
fn escape_quotes(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut is_escaped = false;
    for char in text.chars() {
        if char == '"' && !is_escaped {
            escaped.push('\\');
        }
        is_escaped = char == '\\' && !is_escaped;
        escaped.push(char);
    }
    escaped
}

fn escaped(char: char) -> String {
    format!("\\u{:04x}", u32::from(char))
}

/// The text in the quotes that need the fewest escapes.
fn quote(text: &str) -> String {
    let text = short(text);
    let is_odd = |char: char| char.is_control();
    if text.contains(['"', '\\']) && !text.contains('\'') && !text.contains(is_odd) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\t' => quoted.push_str("\\t"),
            char if char.is_control() => quoted.push_str(&escaped(char)),
            char => quoted.push(char),
        }
    }
    quoted + "\""
}
