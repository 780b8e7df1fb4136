//! The fields of a logger's prefix: what may stand before the text of a line. Takes a line, gives
//! what looks like fields from its start on; whether they are none of the text is told by others.

use std::ops::Range;

use super::time;

/// What a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A time of day, with or without a date.
    Time,
    /// How grave it is.
    Level,
    /// Something in brackets; or host and program behind a time of syslog.
    Bracket,
    /// A service of docker compose, with the bar behind it.
    Service,
    /// A name, with a colon or before a dash or a bar.
    Name,
    /// A dash.
    Dash,
    /// A bar.
    Bar,
}

impl Kind {
    /// Whether a field of this kind need not be the same in all lines.
    pub fn is_sure(self) -> bool {
        !matches!(self, Self::Name | Self::Dash | Self::Bar)
    }
}

/// Something that may be a field.
#[derive(Debug, Clone)]
pub struct Field {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub text: Range<usize>,
    /// The byte behind it and one blank.
    pub end: usize,
    /// The time in it.
    pub time: Option<Range<usize>>,
    /// It is hardly anything else.
    pub sure: bool,
    /// It names a pod of Kubernetes.
    pub is_pod: bool,
}

/// A prefix has no more fields than this.
const MANY: usize = 8;

/// Bytes of the longest field.
const LONG: usize = 128;

const LEVELS: [&str; 14] = [
    "TRACE", "DEBUG", "VERBOSE", "INFO", "NOTICE", "WARN", "WARNING", "ERR", "ERROR", "SEVERE",
    "CRIT", "CRITICAL", "FATAL", "ALERT",
];

/// What looks like fields at the start of `line`.
pub fn fields(line: &[u8]) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut at = 0;
    while fields.len() < MANY && at < line.len() {
        let has_time = fields.iter().any(|field| field.time.is_some());
        let rest = &line[at..(at + LONG).min(line.len())];
        let Some(mut field) = service(rest, at)
            .or_else(|| clock(rest).filter(|_| !has_time))
            .or_else(|| bracket(rest))
            .or_else(|| level(rest))
            .or_else(|| separator(rest).filter(|_| !fields.is_empty()))
            .or_else(|| program(rest).filter(|_| is_after_syslog(&fields, line)))
            .or_else(|| name(rest).filter(|_| !fields.is_empty()))
        else {
            break;
        };
        field.text = field.text.start + at..field.text.end + at;
        field.time = field.time.map(|time| time.start + at..time.end + at);
        let end = field.end + at;
        let blank = usize::from(matches!(line.get(end), Some(b' ' | b'\t')));
        field.end = end + blank;
        // A further field may stand behind several blanks, but not right behind this one.
        let blanks = line[field.end..].iter().take_while(|byte| **byte == b' ').count();
        let adjoins = blank == 0 && line.get(end).is_some_and(|next| *next != b'[');
        at = field.end + blanks;
        fields.push(field);
        if adjoins {
            break;
        }
    }
    fields
}

fn field(kind: Kind, length: usize) -> Field {
    Field { kind, text: 0..length, end: length, time: None, sure: true, is_pod: false }
}

/// Whether a field may end before `rest`.
fn ends(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b' ' | b'\t' | b'['))
}

fn clock(bytes: &[u8]) -> Option<Field> {
    let length = time::any(bytes)?;
    Some(Field { time: Some(0..length), ..field(Kind::Time, length) })
}

fn is_level(word: &[u8]) -> bool {
    LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level.as_bytes()))
}

fn level(bytes: &[u8]) -> Option<Field> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = &bytes[..length];
    let colon = usize::from(bytes.get(length) == Some(&b':'));
    if !is_level(word) || !ends(&bytes[length + colon..]) {
        return None;
    }
    let sure = word.iter().all(u8::is_ascii_uppercase);
    Some(Field { sure, ..field(Kind::Level, length + colon) })
}

fn bracket(bytes: &[u8]) -> Option<Field> {
    let inner = bytes.strip_prefix(b"[")?;
    let length = memchr::memchr(b']', inner)?;
    let inner = &inner[..length];
    let is_text = |byte: &u8| matches!(byte, b'[' | b'{' | b'"' | b'\'' | b'`');
    // A box of a list, or a value of JSON.
    if inner.trim_ascii().len() < 2 || inner.iter().any(is_text) {
        return None;
    }
    let colon = usize::from(bytes.get(length + 2) == Some(&b':'));
    if !ends(&bytes[length + 2 + colon..]) {
        return None;
    }
    let starts = (0..length).filter(|at| *at == 0 || matches!(inner[at - 1], b' ' | b'|' | b'/'));
    let time = starts.into_iter().find_map(|start| {
        let length = time::any(&inner[start..])?;
        Some(start + 1..start + 1 + length)
    });
    let is_pod = inner.starts_with(b"pod/");
    let has_level = inner.split(|byte| !byte.is_ascii_alphabetic()).any(is_level);
    let sure = time.is_some() || is_pod || has_level;
    Some(Field { time, sure, is_pod, ..field(Kind::Bracket, length + 2 + colon) })
}

/// Bytes of a name.
fn name_of(bytes: &[u8]) -> usize {
    let is_in = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./@".contains(byte);
    let is_start = bytes.first().is_some_and(u8::is_ascii_alphanumeric);
    if is_start { bytes.iter().take_while(|byte| is_in(byte)).count() } else { 0 }
}

/// A service of docker compose: its name, filled up with blanks, and a bar.
fn service(bytes: &[u8], at: usize) -> Option<Field> {
    let length = name_of(bytes);
    let blanks = bytes[length..].iter().take_while(|byte| **byte == b' ').count();
    let bar = length + blanks;
    let is_one = at == 0 && length > 0 && blanks > 0 && bytes.get(bar) == Some(&b'|');
    if !is_one || !ends(&bytes[bar + 1..]) {
        return None;
    }
    // Names of containers end with a number.
    let digits = bytes[..length].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = bytes[..length - digits].last();
    let sure = digits > 0 && matches!(before, Some(b'-' | b'_'));
    (sure || blanks > 1).then_some(Field { sure, ..field(Kind::Service, bar + 1) })
}

fn separator(bytes: &[u8]) -> Option<Field> {
    let kind = match bytes.first()? {
        b'-' => Kind::Dash,
        b'|' => Kind::Bar,
        _ => return None,
    };
    (bytes.get(1) == Some(&b' ')).then_some(field(kind, 1))
}

fn is_after_syslog(fields: &[Field], line: &[u8]) -> bool {
    matches!(fields, [.., last] if last.kind == Kind::Time && time::is_syslog(&line[last.text.start..]))
}

/// Host and program, as syslog has them.
fn program(bytes: &[u8]) -> Option<Field> {
    let host = name_of(bytes);
    let rest = bytes.get(host + 1..).filter(|_| host > 0 && bytes.get(host) == Some(&b' '))?;
    let length = name_of(rest);
    let number = match rest.get(length) {
        Some(b'[') => memchr::memchr(b']', &rest[length..])? + 1,
        _ => 0,
    };
    let colon = length + number;
    let is_one = length > 0 && rest.get(colon) == Some(&b':') && ends(&rest[colon + 1..]);
    is_one.then(|| field(Kind::Bracket, host + 1 + colon + 1))
}

/// A name with a colon, or before a dash or a bar.
fn name(bytes: &[u8]) -> Option<Field> {
    let mut length = name_of(bytes);
    while length > 0 && bytes[length..].starts_with(b"::") {
        match name_of(&bytes[length + 2..]) {
            0 => break,
            more => length += 2 + more,
        }
    }
    let mut end = length;
    if bytes.get(end) == Some(&b'[') {
        end += memchr::memchr(b']', &bytes[end..])? + 1;
    }
    let rest = &bytes[end..];
    let is_one = length > 0
        && (rest.starts_with(b" - ")
            || rest.starts_with(b" | ")
            || (rest.starts_with(b":") && ends(&rest[1..])));
    let colon = usize::from(rest.first() == Some(&b':'));
    is_one.then(|| Field { text: 0..length, sure: false, ..field(Kind::Name, end + colon) })
}
