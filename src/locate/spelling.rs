//! Delimiter lines in another spelling than the contract's.
//!
//! Takes one line, tells whether it is meant for a delimiter line of a name: other cases, blanks or
//! underscores for hyphens, other dashes and more or fewer of them, bold or code marks around all
//! of it, a tag, characters that nobody sees. A line that says anything besides is a mention in
//! prose and never a delimiter; nor is a line that a diff takes out. Never looks at another line.

use super::delimited::{delimiter, prefix, stripped};
use super::repairs;
use crate::repair::{self, characters};

/// No delimiter line is longer, whatever stands before and behind its name.
const LONGEST: usize = 256;

/// Dashes that a typographer or an editor puts for hyphens, with the hyphens that each stands for.
const DASHES: [(char, usize); 9] = [
    ('-', 1),
    ('\u{2010}', 1),
    ('\u{2011}', 1),
    ('\u{2212}', 1),
    ('\u{2500}', 1),
    ('\u{2501}', 1),
    ('–', 2),
    ('—', 3),
    ('―', 3),
];

/// Marks of which three or more are drawn like dashes.
const RULES: [char; 4] = ['=', '*', '~', '_'];

/// A delimiter line as it was spelt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling<'t> {
    /// What stands before it, as before a right one.
    pub prefix: &'t [u8],
    /// Whether it closes a block.
    pub closes: bool,
    /// It would be a comment or a heading where it stands within a block.
    pub is_comment: bool,
    /// Words stand before it, or more behind it: what, where a block is open, may be its text.
    pub is_among_words: bool,
    /// How much of the line stands before what starts the block behind it, if that stands there.
    pub body: Option<usize>,
    /// What was mended to read it.
    pub repairs: Vec<&'static repair::Kind>,
}

/// Reads `line`, which is no right delimiter line, as a misspelt one of `name`.
pub fn misspelt<'t>(line: &'t [u8], name: &str) -> Option<Spelling<'t>> {
    alone(line, name).or_else(|| among_words(line, name))
}

/// Reads a line that says nothing else.
fn alone<'t>(line: &'t [u8], name: &str) -> Option<Spelling<'t>> {
    let (prefix, parts) = parts(line)?;
    let plain = plain(name);
    let closes = match role(&parts.word, &plain) {
        Some(Role::Closes) => true,
        Some(Role::Opens) => false,
        None if typos(&parts.word, &plain) <= 1 => false,
        None => return None,
    };
    let mut repairs = Vec::new();
    if parts.has_invisible {
        repairs.push(&characters::INVISIBLE);
    }
    let seen: String = String::from_utf8_lossy(&line[prefix.len()..])
        .chars()
        .filter(|char| !characters::is_invisible(*char))
        .collect();
    if delimiter(seen.as_bytes(), name).is_none() {
        repairs.push(&repairs::DELIMITER_SPELLING);
    }
    let is_comment = parts.is_comment;
    Some(Spelling { prefix, closes, is_comment, is_among_words: false, body: None, repairs })
}

/// Reads a line in which an opening line stands behind words and a colon, or before what starts the
/// block.
fn among_words<'t>(line: &'t [u8], name: &str) -> Option<Spelling<'t>> {
    let (text, prefix) = prefix(line).ok()?;
    let head = &text[..text.len().min(LONGEST)];
    let opener = format!("---{name}---");
    let body = head
        .strip_prefix(opener.as_bytes())
        .filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace) && !has_dashes(rest))
        .map(|rest| line.len() - text.len() + opener.len() + leading_blanks(rest))
        .filter(|start| *start < line.len());
    let is_led = || {
        let words = text.trim_ascii_end().strip_suffix(opener.as_bytes());
        let words = words.filter(|words| words.len() < LONGEST && words.ends_with(b" "));
        words.and_then(|words| words.trim_ascii_end().strip_suffix(b":")).is_some_and(announces)
    };
    let repairs = vec![&repairs::DELIMITER_SPELLING];
    (body.is_some() || is_led()).then_some(Spelling {
        prefix,
        closes: false,
        is_comment: false,
        is_among_words: true,
        body,
        repairs,
    })
}

/// Whether words say that a review follows, and nothing that makes it an example or a quote.
fn announces(words: &[u8]) -> bool {
    const REVIEW: [&str; 6] = ["review", "report", "result", "output", "verdict", "answer"];
    const BESIDE: [&str; 22] = [
        "",
        "a",
        "and",
        "below",
        "code",
        "complete",
        "final",
        "follows",
        "full",
        "here",
        "is",
        "my",
        "now",
        "of",
        "our",
        "qa",
        "quality",
        "sdlc",
        "security",
        "structured",
        "the",
        "this",
    ];
    let words = String::from_utf8_lossy(words).to_ascii_lowercase();
    let mut words = words.split(' ').map(|word| word.trim_matches(['*', '#']));
    let mut names_review = false;
    let all_known = words.all(|word| {
        let is_review = REVIEW.contains(&word);
        names_review |= is_review;
        is_review || BESIDE.contains(&word)
    });
    all_known && names_review
}

fn has_dashes(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"---").is_some()
}

fn leading_blanks(text: &[u8]) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// Whether `line` is meant to close the block of `name` that is open, with `block_prefix` before
/// its lines: it has a part of the name only, or is a slip of the hand away from the right one.
pub fn nearly_closes(line: &[u8], block_prefix: &[u8], name: &str) -> bool {
    if !is_level(line, block_prefix) {
        return false;
    }
    let Some((_, parts)) =
        parts(line).filter(|(_, parts)| !parts.is_comment && parts.marks != Frame::Half)
    else {
        return false;
    };
    let word = parts.word.as_str();
    let right = format!("end{}", plain(name));
    if typos(word, &right) <= 2 {
        return true;
    }
    let rest = ["/", "endof", "end", "close"].iter().find_map(|mark| word.strip_prefix(mark));
    let rest = rest.or_else(|| word.strip_suffix("end"));
    rest.is_some_and(|rest| {
        (parts.marks == Frame::Dashes || !rest.is_empty()) && is_shortened(rest, name)
    })
}

/// Whether a line stands as far out as the lines of a block with `prefix` before them.
pub fn is_level(line: &[u8], prefix: &[u8]) -> bool {
    let own = &line[stripped(line, prefix)..];
    !own.first().is_none_or(u8::is_ascii_whitespace)
}

/// Whether the end of `line` names the delimiter, whatever else it says.
pub fn is_named(line: &[u8], name: &str) -> bool {
    let end = &line[line.len().saturating_sub(LONGEST)..];
    plain(&String::from_utf8_lossy(end)).contains(&plain(name))
}

/// What a name opens or closes by the word beside it.
enum Role {
    Opens,
    Closes,
}

fn role(word: &str, plain: &str) -> Option<Role> {
    const OPENS: [&str; 5] = ["beginof", "startof", "begin", "start", "open"];
    const CLOSES: [&str; 4] = ["/", "endof", "end", "close"];
    let beside = |mark: &&str| {
        word.strip_prefix(mark) == Some(plain) || word.strip_suffix(mark) == Some(plain)
    };
    if CLOSES.iter().any(beside) {
        Some(Role::Closes)
    } else {
        OPENS.iter().any(beside).then_some(Role::Opens)
    }
}

/// The parts of a line that may be a delimiter.
struct Parts {
    /// The letters and digits of its name, in small letters, with a slash before them if one stands
    /// there.
    word: String,
    has_invisible: bool,
    is_comment: bool,
    marks: Frame,
}

/// The marks around a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// Dashes on both sides, or a tag.
    Dashes,
    /// Other marks on both sides.
    Rule,
    /// Dashes on the left only.
    Half,
}

fn parts(line: &[u8]) -> Option<(&[u8], Parts)> {
    if line.len() > LONGEST {
        return None;
    }
    let (rest, prefix) = prefix(line).ok()?;
    let rest = std::str::from_utf8(rest).ok()?;
    let first = rest.find(|char: char| char.is_alphanumeric() || char == '/')?;
    let (last, last_char) = rest.char_indices().rfind(|(_, char)| char.is_alphanumeric())?;
    let end = last + last_char.len_utf8();
    // A backslash at the end starts what was cut off.
    if end <= first || rest.ends_with('\\') {
        return None;
    }
    let (before, middle, after) = (&rest[..first], &rest[first..end], &rest[end..]);
    let has_invisible = rest.chars().any(characters::is_invisible);
    let (left, right) = (Marks::of(before)?, Marks::of(after)?);
    // A colon or a full stop may end the line; none may start it.
    if left.stops > 0 || right.stops > 1 || left.angles.1 > 0 || right.angles.0 > 0 {
        return None;
    }
    let is_tag = left.angles == (1, 0) && right.angles == (0, 1);
    if !is_tag && (left.angles != (0, 0) || right.angles != (0, 0)) {
        return None;
    }
    // What a diff takes out has a dash more before it.
    if left.dashes == right.dashes + 1 && right.dashes >= 3 {
        return None;
    }
    let is_strong = is_tag || (left.is_rule() && right.is_rule());
    let is_half = left.dashes >= 3 && right.is_bare();
    if !(is_strong || is_half) {
        return None;
    }
    let mut word = String::with_capacity(middle.len());
    for (index, char) in middle.chars().enumerate() {
        match char {
            '/' if index == 0 => word.push(char),
            '_' => {}
            _ if char.is_ascii_alphanumeric() => word.push(char.to_ascii_lowercase()),
            _ if is_blank(char) || dash(char).is_some() || characters::is_invisible(char) => {}
            _ => return None,
        }
    }
    let marks = match () {
        () if !is_strong => Frame::Half,
        () if is_tag || left.dashes >= 2 => Frame::Dashes,
        () => Frame::Rule,
    };
    Some((prefix, Parts { word, has_invisible, is_comment: left.hashes > 0, marks }))
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r') || characters::is_unusual_blank(char)
}

fn dash(char: char) -> Option<usize> {
    DASHES.iter().find(|(dash, _)| *dash == char).map(|(_, hyphens)| *hyphens)
}

/// The marks on one side of a name.
#[derive(Debug, Default)]
struct Marks {
    /// How many hyphens the dashes stand for.
    dashes: usize,
    /// How many there are of each other mark that a rule is drawn with.
    rules: [usize; RULES.len()],
    hashes: usize,
    /// Full stops and colons.
    stops: usize,
    /// `<` and `>`.
    angles: (usize, usize),
}

impl Marks {
    /// The marks in `text`; `None` where anything else stands there.
    fn of(text: &str) -> Option<Self> {
        let mut marks = Self::default();
        for char in text.chars() {
            let rule = RULES.iter().position(|mark| *mark == char);
            match char {
                _ if is_blank(char) || characters::is_invisible(char) => {}
                // A backslash keeps Markdown from drawing a rule.
                '`' | '\\' => {}
                '#' => marks.hashes += 1,
                '.' | ':' => marks.stops += 1,
                '<' => marks.angles.0 += 1,
                '>' => marks.angles.1 += 1,
                _ => match (dash(char), rule) {
                    (Some(hyphens), _) => marks.dashes += hyphens,
                    (_, Some(index)) => marks.rules[index] += 1,
                    _ => return None,
                },
            }
        }
        Some(marks)
    }

    /// Whether they are what stands on one side of a delimiter's name: dashes, in bold perhaps, or
    /// another rule.
    fn is_rule(&self) -> bool {
        let [equals, stars, tildes, underscores] = self.rules;
        if self.dashes >= 2 {
            return equals == 0 && tildes == 0 && stars <= 3 && underscores <= 2;
        }
        self.dashes == 0
            && self.rules.iter().any(|count| *count >= 3)
            && self.rules.iter().filter(|count| **count > 0).count() == 1
    }

    /// Whether there is no mark but what may be around a whole line.
    fn is_bare(&self) -> bool {
        let [equals, stars, tildes, underscores] = self.rules;
        self.dashes == 0 && equals == 0 && tildes == 0 && stars <= 3 && underscores <= 2
    }
}

/// The letters and digits of a text, in small letters.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect()
}

/// Whether `text` is made of some of the words of a name, in their order.
fn is_shortened(text: &str, name: &str) -> bool {
    let mut rest = text;
    for word in name.split('-') {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.is_empty()
}

/// How many letters must be put in, taken out, changed or swapped with the next to make one of two
/// short texts out of the other; three or more are three.
fn typos(one: &str, other: &str) -> usize {
    const MANY: usize = 3;
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len().abs_diff(other.len()) >= MANY || one.len().max(other.len()) > LONGEST {
        return MANY;
    }
    let mut rows = [vec![0; other.len() + 1], (0..=other.len()).collect(), Vec::new()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1; other.len() + 1];
        for (j, b) in other.iter().enumerate() {
            row[j + 1] = (rows[1][j] + usize::from(a != b)).min(rows[1][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                row[j + 1] = row[j + 1].min(rows[0][j - 1] + 1);
            }
        }
        rows[2] = row;
        rows.rotate_left(1);
    }
    rows[1].last().copied().unwrap_or(MANY).min(MANY)
}

#[cfg(test)]
mod tests;
