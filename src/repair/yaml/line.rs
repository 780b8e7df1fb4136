//! Lines: what a line of a block may be, by its characters alone.
//!
//! Takes one line, tells its indentation, the dashes of list items, and the key that it may start
//! with, however decorated. Knows nothing of what stands above, nor of the contract.

use crate::record::Place;
use crate::repair::characters::{is_curly_double, is_curly_single, is_invisible, is_unusual_blank};

/// A line of a block.
#[derive(Debug, Clone, Copy)]
pub struct Line<'t> {
    /// Its number, from 1.
    pub number: u64,
    /// Its first byte in the block.
    pub start: usize,
    /// Its text, without its end.
    pub text: &'t str,
    /// Whether it has an end.
    pub ended: bool,
}

impl<'t> Line<'t> {
    /// The lines of a text.
    pub fn all(text: &'t str) -> Vec<Self> {
        let mut start = 0;
        let lines = text.split_inclusive('\n').zip(1..);
        lines
            .map(|(whole, number)| {
                let own = whole.strip_suffix('\n').unwrap_or(whole);
                let ended = own.len() < whole.len();
                let own = own.strip_suffix('\r').unwrap_or(own);
                let line = Self { number, start, text: own, ended };
                start += whole.len();
                line
            })
            .collect()
    }

    /// The place of its byte `at`.
    pub fn place(&self, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or(self.text);
        // A byte order mark at the very start is in no column.
        let before = before.strip_prefix('\u{feff}').filter(|_| self.start == 0).unwrap_or(before);
        Place { line: self.number, column: 1 + before.chars().count() as u64 }
    }

    /// Whether nothing stands in it.
    pub fn is_blank(&self) -> bool {
        self.text.chars().all(is_blank)
    }
}

/// Whether a character is a blank, of whatever kind, or cannot be seen.
pub fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t') || is_unusual_blank(char) || is_invisible(char)
}

/// Blanks in a line, and what is unusual in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blanks {
    /// Where they end, in bytes of the line.
    pub end: usize,
    /// The column that follows, from 0; a tab goes on to the next multiple of four.
    pub column: usize,
    /// A tab among them.
    pub tab: bool,
    /// A blank that is none for YAML.
    pub unusual: bool,
    /// A character without width.
    pub invisible: bool,
}

impl Blanks {
    /// The blanks at byte `at` of `text`, which is at `column`.
    pub fn at(text: &str, at: usize, column: usize) -> Self {
        let mut blanks = Self { end: at, column, ..Self::default() };
        for char in text.get(at..).unwrap_or_default().chars() {
            match char {
                ' ' => blanks.column += 1,
                '\t' => {
                    blanks.tab = true;
                    blanks.column = blanks.column / 4 * 4 + 4;
                }
                _ if is_unusual_blank(char) => {
                    blanks.unusual = true;
                    blanks.column += 1;
                }
                _ if is_invisible(char) => blanks.invisible = true,
                _ => break,
            }
            blanks.end += char.len_utf8();
        }
        blanks
    }

    /// A line without the blanks before column `content`, as far as there are any.
    pub fn without(text: &str, content: usize) -> &str {
        let mut column = 0;
        let mut rest = text;
        while let Some(blank) = rest.chars().next().filter(|char| matches!(char, ' ' | '\t')) {
            column = if blank == '\t' { column / 4 * 4 + 4 } else { column + 1 };
            if column > content {
                break;
            }
            rest = &rest[1..];
        }
        rest
    }
}

/// What stands for the dash of a list item at the start of a text: the bytes of it, and whether its
/// item starts right behind it.
pub fn item_mark(text: &str) -> Option<(usize, bool)> {
    let digits = text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let end = if digits > 0 {
        (digits < 4 && text[digits..].starts_with(['.', ')'])).then_some(digits + 1)?
    } else {
        let is_mark = |char: &char| "-*+•–—‣◦●▪·".contains(*char);
        text.chars().next().filter(is_mark)?.len_utf8()
    };
    let is_glued = !text[end..].starts_with([' ', '\t']);
    let is_dash = text.starts_with('-');
    (is_dash == is_glued).then_some((end, is_glued))
}

/// A key that a line may start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each tells one way to write a key")]
pub struct Key<'t> {
    /// What stands before the colon, without quotes and decoration.
    pub name: &'t str,
    /// Where it starts, in bytes of the line.
    pub start: usize,
    /// Where the text behind the colon starts.
    pub rest: usize,
    /// Where the value ends at the latest: before the mark that closes a decoration.
    pub end: usize,
    /// A blank or the line's end follows the colon.
    pub spaced: bool,
    /// The colon is a full-width one.
    pub wide: bool,
    /// Bold or in back-ticks.
    pub decorated: bool,
    /// In typographic quotes.
    pub curly: bool,
    /// An equals sign stands for the colon.
    pub equals: bool,
}

/// No key is longer, in bytes.
const KEY: usize = 120;

impl<'t> Key<'t> {
    /// The key at byte `at` of a line.
    pub fn at(line: &'t str, at: usize) -> Option<Self> {
        Self::with_colon(line, at).or_else(|| Self::with_equals(line, at))
    }

    /// A key of one word with an equals sign, blanks around it.
    fn with_equals(line: &'t str, at: usize) -> Option<Self> {
        let whole = line.get(at..)?;
        let end = whole.find(|char: char| !char.is_alphanumeric() && !matches!(char, '_' | '-'))?;
        let rest = whole[end..].trim_start_matches([' ', '\t']).strip_prefix('=')?;
        let spaced = rest.starts_with([' ', '\t']) && whole[end..].starts_with([' ', '\t']);
        (end > 0 && end < KEY && spaced).then_some(Self {
            name: &whole[..end],
            start: at,
            rest: line.len() - rest.len(),
            end: line.len(),
            spaced,
            wide: false,
            decorated: false,
            curly: false,
            equals: true,
        })
    }

    fn with_colon(line: &'t str, at: usize) -> Option<Self> {
        let whole = line.get(at..)?;
        let mut body = whole;
        let mark = ["**", "__", "*", "`"].into_iter().find(|mark| body.starts_with(mark));
        body = mark.map_or(body, |mark| &body[mark.len()..]);
        let first = body.chars().next()?;
        let is_close = |char: char| match first {
            '"' | '\'' => char == first,
            _ if is_curly_double(first) => is_curly_double(char),
            _ => is_curly_single(first) && is_curly_single(char),
        };
        let (quoted, curly) =
            (matches!(first, '"' | '\''), is_curly_double(first) || is_curly_single(first));
        let (name, behind) = if quoted || curly {
            let inner = &body[first.len_utf8()..];
            let (end, close) = inner.char_indices().take(KEY).find(|(_, char)| is_close(*char))?;
            (&inner[..end], &inner[end + close.len_utf8()..])
        } else {
            let end = body.char_indices().take(KEY).find(|(_, char)| is_colon(*char))?.0;
            (&body[..end], &body[end..])
        };
        // The decoration ends before the colon, or right behind it.
        let mut name = name.trim_matches(is_blank);
        let mut behind = behind.trim_start_matches(is_blank);
        let mut open = mark;
        if let Some(inner) = open.and_then(|mark| name.strip_suffix(mark)) {
            (name, open) = (inner.trim_end_matches(is_blank), None);
        } else if let Some(inner) = open.and_then(|mark| behind.strip_prefix(mark)) {
            (behind, open) = (inner.trim_start_matches(is_blank), None);
        }
        let colon = behind.chars().next().filter(|char| is_colon(*char))?;
        let mut rest = &behind[colon.len_utf8()..];
        let mut end = line.len();
        if let Some(mark) = open {
            if let Some(inner) = rest.strip_prefix(mark) {
                rest = inner;
            } else {
                // The whole line is bold: `**Verdict: FAIL**`.
                end = line.len() - (rest.len() - rest.trim_end().strip_suffix(mark)?.len());
            }
        }
        let spaced = rest.is_empty() || rest.starts_with(is_blank);
        let is_text = |char: char| {
            matches!(char, '{' | '}' | '[' | ']' | ',' | '#' | '\\' | '"' | '|' | '>' | '*' | '`')
        };
        (!name.is_empty() && !name.contains(is_text)).then_some(Self {
            name,
            start: at,
            rest: line.len() - rest.len(),
            end,
            spaced,
            wide: colon != ':',
            decorated: mark.is_some(),
            curly,
            equals: false,
        })
    }

    /// Whether it is written as YAML writes keys: nothing around it, one word.
    pub fn is_word(&self) -> bool {
        let is_letter =
            |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '/' | '$');
        let is_odd = self.wide || self.decorated || self.curly || self.equals;
        let is_strict = self.spaced && !is_odd;
        is_strict && self.name.chars().all(is_letter)
    }
}

fn is_colon(char: char) -> bool {
    matches!(char, ':' | '：' | '﹕' | '︓')
}

/// A spelling without what spellings differ in: capitals, blanks, hyphens, underscores.
pub fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Whether a line is one of the marks that stand between documents, a rule, or a fence.
pub fn is_mark(text: &str) -> bool {
    let own = text.trim_end_matches(is_blank).trim_start_matches(is_blank);
    let is_fence = |mark: &str| {
        own.strip_prefix(mark).is_some_and(|info| info.chars().all(char::is_alphanumeric))
    };
    let is_rule = own.len() > 2
        && own.starts_with(['-', '*', '_'])
        && own.bytes().all(|byte| Some(&byte) == own.as_bytes().first());
    own == "..." || is_rule || is_fence("```") || is_fence("~~~")
}

/// Whether a line is the name of the language that a fence would have.
pub fn is_language(text: &str) -> bool {
    ["yaml", "yml"].iter().any(|name| text.trim_matches(is_blank).eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_however_decorated() {
        for (line, name, rest) in [
            ("score: 8", "score", " 8"),
            ("score:8", "score", "8"),
            ("**Score:** 8", "Score", " 8"),
            ("**Score**: 8", "Score", " 8"),
            ("`score`: 8", "score", " 8"),
            ("\"score\" : 8", "score", " 8"),
            ("“score”：8", "score", "8"),
            ("what missing: x", "what missing", " x"),
            ("a:", "a", ""),
            ("score = 8", "score", " 8"),
        ] {
            let key = Key::at(line, 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((key.name, &line[key.rest..]), (name, rest), "{line}");
        }
        for line in [
            "",
            "score",
            "{a: 1}",
            "**Score: 8",
            ": x",
            "\"a",
            "[x]: y",
            "**a** b: c",
            "a == b",
            "a=b",
            "a b = c",
        ] {
            assert_eq!(Key::at(line, 0), None, "{line}");
        }
    }

    #[test]
    fn marks_of_items() {
        for (line, wanted) in [
            ("-a: b", Some((1, true))),
            ("* a: b", Some((1, false))),
            ("• a", Some((3, false))),
            ("12) a", Some((3, false))),
            ("- a: b", None),
            ("*a", None),
            ("1.5", None),
            ("a", None),
        ] {
            assert_eq!(item_mark(line), wanted, "{line}");
        }
    }

    #[test]
    fn blanks_and_their_column() {
        let blanks = Blanks::at("\t \u{a0}\u{200b}x", 0, 0);
        assert_eq!((blanks.end, blanks.column), ("\t \u{a0}\u{200b}".len(), 6));
        assert!(blanks.tab && blanks.unusual && blanks.invisible);
        assert_eq!(Blanks::at("  x", 0, 0), Blanks { end: 2, column: 2, ..Blanks::default() });
    }
}
