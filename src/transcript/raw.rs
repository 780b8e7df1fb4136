//! JSON in a frame, read lazily: a value is a range of the frame's bytes, looked into only where
//! somebody asks.
//!
//! Takes bytes that need not be valid UTF-8 nor whole. Never fails: a torn object gives the entries
//! that stand before the tear, and a string that is cut gives what there is of it. Strings are
//! decoded with bad sequences (a lone surrogate, an invalid byte) as U+FFFD. Skipping is iterative,
//! so depth costs no stack.

use std::borrow::Cow;

use memchr::memchr2;

use super::time;

/// A value within a frame.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'a> {
    /// Its bytes, from its first to its last.
    pub bytes: &'a [u8],
    /// Where they start in the frame.
    pub offset: usize,
    /// Whether its end was seen.
    pub whole: bool,
}

/// Where a value ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Just before this byte.
    At(usize),
    /// The bytes end before the value does, between two of its parts.
    Torn,
    /// The bytes end within a string of the value.
    Cut,
    /// What stands at this byte can stand in no value.
    Broken(usize),
}

/// Finds the end of the value that starts at `start` (no blank), by quotes and brackets.
pub fn end_of_value(bytes: &[u8], start: usize) -> End {
    let mut at = start;
    let mut depth = 0_usize;
    loop {
        let Some(&byte) = bytes.get(at) else { return End::Torn };
        match byte {
            b'"' => {
                let Some(end) = end_of_string(bytes, at) else { return End::Cut };
                at = end;
                // A quote in the wrong place turns texts into structure: seen at once by what follows.
                match bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) {
                    None | Some(b',' | b':' | b'}' | b']') => {}
                    Some(_) if depth == 0 => {}
                    Some(_) => return End::Broken(at),
                }
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                let Some(less) = depth.checked_sub(1) else { return End::Broken(at) };
                depth = less;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth > 0 => {
                at += 1;
                continue;
            }
            byte if is_word(byte) => {
                at += bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
            }
            _ => return End::Broken(at),
        }
        if depth == 0 {
            return End::At(at);
        }
    }
}

/// The byte after the closing quote of the string whose opening quote is at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// A byte of a number or of `true`, `false`, `null` (or of what others write in their place).
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

impl<'a> Raw<'a> {
    /// The value that starts at byte `start` of `frame`, as far as the frame goes.
    pub fn at(frame: &'a [u8], start: usize, base: usize) -> Self {
        let (end, whole) = match end_of_value(frame, start) {
            End::At(end) => (end, true),
            End::Torn | End::Cut | End::Broken(_) => (frame.len(), false),
        };
        Self { bytes: &frame[start..end], offset: base + start, whole }
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        self.bytes.first() == Some(&b'{')
    }

    /// Whether this is an array.
    pub fn is_array(&self) -> bool {
        self.bytes.first() == Some(&b'[')
    }

    /// Whether this is a string.
    pub fn is_string(&self) -> bool {
        self.bytes.first() == Some(&b'"')
    }

    /// Whether this is the word `true`.
    pub fn is_true(&self) -> bool {
        self.bytes == b"true"
    }

    /// The escaped text between the quotes, if this is a string.
    pub fn body(&self) -> Option<&'a [u8]> {
        let body = self.bytes.strip_prefix(b"\"")?;
        Some(if self.whole { &body[..body.len() - 1] } else { body })
    }

    /// The decoded text, if this is a string.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        self.body().map(unescape)
    }

    /// The decoded text as one of its own, if this is a string.
    pub fn owned(&self) -> Option<String> {
        self.text().map(Cow::into_owned)
    }

    /// The time that this says: a text as it stands, a number as milliseconds since 1970.
    pub fn time(&self) -> Option<String> {
        if self.is_string() {
            return self.owned();
        }
        let number = self.bytes.split(|byte| *byte == b'.').next()?;
        time::of_milliseconds(std::str::from_utf8(number).ok()?.parse().ok()?)
    }

    /// Whether this is a string with just this text.
    pub fn is(&self, word: &str) -> bool {
        self.body() == Some(word.as_bytes())
    }

    /// The entries of an object; nothing for any other value.
    pub fn entries(&self) -> Members<'a> {
        Members { raw: *self, at: if self.is_object() { 1 } else { usize::MAX } }
    }

    /// The items of an array; nothing for any other value.
    pub fn items(&self) -> impl Iterator<Item = Raw<'a>> + use<'a> {
        let mut members = Members { raw: *self, at: if self.is_array() { 1 } else { usize::MAX } };
        std::iter::from_fn(move || members.value())
    }

    /// The values of these keys, in one pass.
    pub fn fields<const N: usize>(&self, names: [&str; N]) -> [Option<Raw<'a>>; N] {
        let mut found = [None; N];
        for (key, value) in self.entries() {
            if let Some(slot) = names.iter().position(|name| key.is(name)) {
                found[slot] = Some(value);
            }
        }
        found
    }

    /// The value of this key.
    pub fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.fields([name])[0]
    }

    /// The value at the end of these keys.
    pub fn path(&self, names: &[&str]) -> Option<Raw<'a>> {
        names.iter().try_fold(*self, |raw, name| raw.get(name))
    }
}

/// The decoded text of a value that may be missing, if it is a string.
pub fn owned(value: Option<Raw<'_>>) -> Option<String> {
    value.and_then(|value| value.owned())
}

/// The members of an object or array, one after the other.
pub struct Members<'a> {
    raw: Raw<'a>,
    at: usize,
}

impl<'a> Members<'a> {
    fn skip(&mut self, also: u8) {
        let is_gap = |byte: &u8| byte.is_ascii_whitespace() || *byte == also || *byte == 0;
        let rest = self.raw.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| is_gap(byte)).count();
    }

    fn value(&mut self) -> Option<Raw<'a>> {
        self.skip(b',');
        let first = self.raw.bytes.get(self.at)?;
        if matches!(first, b'}' | b']' | b':') {
            return None;
        }
        let value = Raw::at(self.raw.bytes, self.at, self.raw.offset);
        if value.bytes.is_empty() {
            return None;
        }
        self.at += value.bytes.len();
        Some(value)
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Raw<'a>, Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.value().filter(Raw::is_string)?;
        self.skip(b':');
        Some((key, self.value()?))
    }
}

/// Decodes the text between the quotes of a JSON string; borrows where nothing is escaped.
pub fn unescape(body: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', body).is_none() {
        return String::from_utf8_lossy(body);
    }
    let mut text = String::with_capacity(body.len());
    for piece in Pieces::of(body) {
        match piece {
            Piece::Plain(_, plain) => text.push_str(&String::from_utf8_lossy(plain)),
            Piece::Escape(_, char) => text.push(char),
        }
    }
    Cow::Owned(text)
}

/// Where half of a surrogate pair stands in an escaped text.
pub fn lone_surrogate(body: &[u8]) -> Option<usize> {
    Pieces::of(body).find_map(|piece| match piece {
        Piece::Escape(start, char::REPLACEMENT_CHARACTER) => {
            let written = body[start + 2..start + 6].eq_ignore_ascii_case(b"fffd");
            (!written).then_some(start)
        }
        _ => None,
    })
}

/// The bytes of `body` at which bytes `decoded` of its decoded text start, in one pass over it;
/// `decoded` is in rising order.
pub fn escaped_offsets(body: &[u8], decoded: &[usize]) -> Vec<usize> {
    let mut found = Vec::with_capacity(decoded.len());
    let mut passed = 0;
    // A part of the body whose decoded text has `length` bytes, each of them `width` apart; true
    // where nothing is looked for behind it.
    let mut part = |start: usize, length: usize, width: usize| {
        while let Some(offset) = decoded.get(found.len())
            && *offset < passed + length
        {
            found.push(start + (offset - passed) * width);
        }
        passed += length;
        found.len() == decoded.len()
    };
    'pieces: for piece in Pieces::of(body) {
        match piece {
            Piece::Plain(start, plain) => {
                let mut at = start;
                for chunk in plain.utf8_chunks() {
                    let (valid, invalid) = (chunk.valid(), chunk.invalid());
                    if part(at, valid.len(), 1) {
                        break 'pieces;
                    }
                    at += valid.len();
                    if !invalid.is_empty() && part(at, char::REPLACEMENT_CHARACTER.len_utf8(), 0) {
                        break 'pieces;
                    }
                    at += invalid.len();
                }
            }
            Piece::Escape(start, char) => {
                if part(start, char.len_utf8(), 0) {
                    break;
                }
            }
        }
    }
    found.resize(decoded.len(), body.len());
    found
}

/// The parts of an escaped text, in order.
pub fn pieces(body: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    Pieces::of(body)
}

/// A part of an escaped text, with its offset.
pub enum Piece<'a> {
    /// Bytes that stand for themselves.
    Plain(usize, &'a [u8]),
    /// An escape, and the character that it stands for.
    Escape(usize, char),
}

struct Pieces<'a> {
    body: &'a [u8],
    at: usize,
}

impl<'a> Pieces<'a> {
    fn of(body: &'a [u8]) -> Self {
        Self { body, at: 0 }
    }

    /// The UTF-16 unit of the `\uXXXX` at `at`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let start = self.at;
        let rest = self.body.get(start..).filter(|rest| !rest.is_empty())?;
        if rest[0] != b'\\' {
            let length = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            self.at += length;
            return Some(Piece::Plain(start, &rest[..length]));
        }
        let (length, char) = match rest.get(1) {
            Some(b'n') => (2, '\n'),
            Some(b't') => (2, '\t'),
            Some(b'r') => (2, '\r'),
            Some(b'b') => (2, '\u{8}'),
            Some(b'f') => (2, '\u{c}'),
            Some(byte @ (b'"' | b'\\' | b'/')) => (2, char::from(*byte)),
            Some(b'u') => match self.unit(start) {
                Some(first) => {
                    let pair = self.unit(start + 6).map(|second| [first, second]);
                    let decoded =
                        pair.and_then(|pair| char::decode_utf16(pair).next()).and_then(Result::ok);
                    match decoded {
                        Some(char) if char.len_utf16() == 2 => (12, char),
                        _ => {
                            (6, char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER))
                        }
                    }
                }
                None => (1, '\\'),
            },
            // No escape of JSON: the backslash stands for itself.
            _ => (1, '\\'),
        };
        self.at += length;
        Some(Piece::Escape(start, char))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Raw<'_> {
        Raw::at(text.as_bytes(), 0, 0)
    }

    #[test]
    fn finds_what_is_asked_for() {
        let raw = root(r#"{"a": [1, {"b": "x\ny"}, "z"], "c" : {"d":true}, "e":null}"#);
        assert!(raw.whole);
        assert_eq!(raw.get("a").unwrap().items().count(), 3);
        let second = raw.get("a").unwrap().items().nth(1).unwrap();
        assert_eq!(second.get("b").unwrap().text().unwrap(), "x\ny");
        assert_eq!(second.get("b").unwrap().offset, 16);
        assert!(raw.path(&["c", "d"]).unwrap().is_true());
        assert!(raw.path(&["c", "x"]).is_none());
    }

    #[test]
    fn a_number_of_milliseconds_is_a_time() {
        for (written, time) in [
            ("0", Some("1970-01-01T00:00:00.000Z")),
            ("951782400001.5", Some("2000-02-29T00:00:00.001Z")),
            ("1788307199999", Some("2026-09-01T23:59:59.999Z")),
            ("4107542400000", Some("2100-03-01T00:00:00.000Z")),
            ("253402300800000", None),
            ("18446744073709551615", None),
            ("-1", None),
            ("true", None),
            ("\"2026-01-01T00:00:00Z\"", Some("2026-01-01T00:00:00Z")),
        ] {
            assert_eq!(root(written).time().as_deref(), time, "{written}");
        }
    }

    #[test]
    fn a_torn_value_gives_what_there_is() {
        let raw = root(r#"{"a": {"b": 1, "text": "cut he"#);
        assert!(!raw.whole);
        let text = raw.path(&["a", "text"]).unwrap();
        assert!(!text.whole);
        assert_eq!(text.text().unwrap(), "cut he");
        for length in 0..30 {
            let _ = root(&r#"{"a": {"b": 1, "text": "cut he"#[..length]).entries().count();
        }
    }

    #[test]
    fn a_spliced_record_is_broken_where_the_second_starts() {
        let text = r#"{"a":"cut{"b":1}"#;
        assert_eq!(end_of_value(text.as_bytes(), 0), End::Broken(11));
    }

    #[test]
    fn decodes_as_json_does_and_never_fails() {
        for (escaped, text) in [
            (r"plain", "plain"),
            (r"a\nb\t\u00e9\/\\", "a\nb\té/\\"),
            (r"\ud83d\ude00!", "😀!"),
            (r"\ud83d and \ude00", "\u{fffd} and \u{fffd}"),
            (r"\ud83dA", "\u{fffd}A"),
            (r"bad \x \u12", r"bad \x \u12"),
            ("cut\\", "cut\\"),
        ] {
            assert_eq!(unescape(escaped.as_bytes()), text, "{escaped}");
        }
        assert_eq!(unescape(b"a\\n\xff\xfeb"), "a\n\u{fffd}\u{fffd}b");
        assert_eq!(lone_surrogate(br"ab\uFFFD\ud83d\ude00\ud83d"), Some(20));
        assert_eq!(lone_surrogate(br"ab\ufffd\ud83d\ude00"), None);
    }

    #[test]
    fn offsets_lead_back_to_the_escaped_text() {
        let body = "a\\n\\ud83d\\ude00é\\u00e9x".as_bytes();
        let text = unescape(body);
        let of = |wanted: char| escaped_offsets(body, &[text.find(wanted).unwrap()])[0];
        assert_eq!(of('a'), 0);
        assert_eq!(of('\n'), 1);
        assert_eq!(of('😀'), 3);
        assert_eq!(of('x'), body.len() - 1);
        assert_eq!(escaped_offsets(body, &[0, 1, text.len()]), [0, 1, body.len()]);
        assert_eq!(escaped_offsets(b"\xff\xffx", &[0, 3, 6, 6, 9]), [0, 1, 2, 2, 3]);
    }
}
