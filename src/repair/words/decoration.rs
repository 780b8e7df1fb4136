//! Decoration: marks, quotes and symbols around a word that change nothing about it.
//!
//! Takes a text, gives the part of it that is not decoration. A mark must close what it opens:
//! `PASS*` has a footnote. A symbol counts as decoration only where it says nothing else than the
//! word. Brackets and angles are none, since they make a placeholder; nor is a line struck through.

use crate::repair::characters;

/// What a symbol says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    /// All is well.
    Cheer,
    /// Green: go, or the least of several grades.
    Green,
    /// Mind this.
    Warning,
    /// Stop.
    Stop,
    /// Nothing.
    Plain,
}

/// Symbols by what they say.
const SYMBOLS: &[(Symbol, &str)] = &[
    (Symbol::Cheer, "✅✔☑✓🎉👍🥳🙌👏🏆💯🚀✨🆗"),
    (Symbol::Green, "🟢💚🟩"),
    (Symbol::Warning, "⚠🟠🟡🔶🔸🟧🟨🧡💛❗❕"),
    (Symbol::Stop, "❌✗✘✖❎🔴🛑⛔🚫🚨👎💥🟥‼🔥☠💀"),
    (Symbol::Plain, "🔵⚪⚫🔷🔹▪▫•●○◆◇★☆⭐📝📌🔍🏁"),
];

/// The names by which Markdown writes symbols.
const NAMED: &[(&str, Symbol)] = &[
    (":white_check_mark:", Symbol::Cheer),
    (":heavy_check_mark:", Symbol::Cheer),
    (":+1:", Symbol::Cheer),
    (":tada:", Symbol::Cheer),
    (":green_circle:", Symbol::Green),
    (":warning:", Symbol::Warning),
    (":orange_circle:", Symbol::Warning),
    (":yellow_circle:", Symbol::Warning),
    (":x:", Symbol::Stop),
    (":red_circle:", Symbol::Stop),
    (":no_entry:", Symbol::Stop),
    (":rotating_light:", Symbol::Stop),
];

/// Marks that open and close around a word.
const PAIRS: &[(&str, &str)] = &[
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ("\"", "\""),
    ("'", "'"),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("«", "»"),
    ("「", "」"),
    ("<b>", "</b>"),
    ("<strong>", "</strong>"),
    ("<code>", "</code>"),
];

/// Whether a symbol is decoration here.
pub type Suits<'f> = &'f dyn Fn(Symbol) -> bool;

fn symbol(char: char) -> Option<Symbol> {
    if char.is_ascii() {
        return None;
    }
    SYMBOLS.iter().find(|(_, chars)| chars.contains(char)).map(|(symbol, _)| *symbol)
}

/// Whether a character has no meaning beside a word: a blank, or what varies a symbol.
fn is_blank(char: char) -> bool {
    char.is_whitespace()
        || characters::is_invisible(char)
        || matches!(char, '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// A text without the decoration around it, and without one mark at its end.
pub fn strip<'t>(text: &'t str, suits: Suits<'_>) -> &'t str {
    let mut text = text;
    let mut may_end = true;
    loop {
        text = text.trim_matches(is_blank);
        let inner = PAIRS.iter().find_map(|(open, close)| {
            let inner = text.strip_prefix(open)?.strip_suffix(close)?;
            (!inner.is_empty()).then_some(inner)
        });
        let inner = inner.or_else(|| {
            let (char, rest) = (text.chars().next()?, text.chars().next_back()?);
            let at_start = text.strip_prefix(char).filter(|_| symbol(char).is_some_and(suits));
            at_start.or_else(|| text.strip_suffix(rest).filter(|_| symbol(rest).is_some_and(suits)))
        });
        let inner = inner.or_else(|| {
            NAMED
                .iter()
                .filter(|(_, symbol)| suits(*symbol))
                .find_map(|(name, _)| text.strip_prefix(name).or_else(|| text.strip_suffix(name)))
        });
        let inner = inner.or_else(|| {
            let inner = text.strip_suffix(['.', '!', ',', ';', '。', '！'])?;
            let is_one =
                !inner.ends_with(|char: char| char.is_ascii_punctuation() && !closes(char));
            (may_end && is_one).then(|| {
                may_end = false;
                inner
            })
        });
        match inner {
            Some(inner) => text = inner,
            None => return text,
        }
    }
}

/// Whether a mark may close around a word.
fn closes(char: char) -> bool {
    matches!(char, '*' | '_' | '`' | '"' | '\'' | '>')
}

/// A text from its first word on.
pub fn lead<'t>(text: &'t str, suits: Suits<'_>) -> &'t str {
    skip(text, suits, &['*', '_', '`', '"', '\'', '“', '„', '‘', '«', '「'])
}

/// What stands behind a word without the marks that close around it.
pub fn tail<'t>(text: &'t str, suits: Suits<'_>) -> &'t str {
    skip(text, suits, &['*', '_', '`', '"', '\'', '“', '”', '’', '»', '」'])
}

fn skip<'t>(text: &'t str, suits: Suits<'_>, marks: &[char]) -> &'t str {
    let mut text = text;
    loop {
        text = text.trim_start_matches(is_blank).trim_start_matches(marks);
        let named = NAMED.iter().filter(|(_, symbol)| suits(*symbol));
        let Some(rest) = { named }.find_map(|(name, _)| text.strip_prefix(name)).or_else(|| {
            let char = text.chars().next()?;
            (is_blank(char) || symbol(char).is_some_and(suits)).then(|| &text[char.len_utf8()..])
        }) else {
            return text;
        };
        text = rest;
    }
}

/// Whether a text has a symbol that says something else than its word, an arrow to another word,
/// or is struck through.
pub fn contradicts(text: &str, suits: Suits<'_>) -> bool {
    let is_other = |char: char| symbol(char).is_some_and(|symbol| !suits(symbol));
    let named = NAMED.iter().filter(|(_, symbol)| !suits(*symbol));
    let arrows = ["~~", "->", "=>", "→", "➡", "⇒", "➜"];
    text.contains(is_other)
        || { named }.any(|(name, _)| text.contains(name))
        || arrows.iter().any(|arrow| text.contains(arrow))
}
