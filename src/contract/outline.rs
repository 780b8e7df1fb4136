//! The outline of a mapping: its top-level keys, read without a parser.
//!
//! Which contract a block belongs to must be known for broken blocks as well, so this never fails:
//! it takes what looks like a key at the outermost level, of YAML or JSON. A text that does not
//! start as a mapping, such as a piece of a program, has none.

mod object;

pub use object::{announced, behind_comments};
use object::{json_keys, json_value, object_behind_lead, object_keys};

use crate::repair::characters::{is_invisible, is_unusual_blank, narrow};

/// The top-level keys of a text that may be a mapping, and the text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'a> {
    keys: Vec<Key<'a>>,
    text: &'a str,
    is_json: bool,
}

/// A key at the outermost level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key<'a> {
    name: &'a str,
    /// The text behind its colon.
    rest: &'a str,
}

impl Key<'_> {
    /// Whether this is `name`, but for capitals and characters that nobody sees.
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
            || (!self.name.is_ascii()
                && self.name.chars().filter(|char| !is_invisible(*char)).eq(name.chars()))
    }
}

/// Keys beyond this number tell nothing more.
const KEYS: usize = 64;

/// Single keys around a mapping that are looked through: what stands in `{"output": {…}}` is told by
/// its own keys.
const WRAPPERS: usize = 4;

impl<'a> Outline<'a> {
    /// The outline of `text`; where that is a mapping in one with a single key, of both.
    pub fn of(text: &'a str) -> Self {
        let start = object_behind_lead(text).unwrap_or(text).trim_start();
        let is_json = start.starts_with(['{', '｛']);
        let mut keys = if is_json { object_keys(start) } else { yaml_keys(text) };
        let mut from = 0;
        for _ in 0..WRAPPERS {
            let [Key { rest, .. }] = keys[from..] else { break };
            let inner = if is_json { rest.trim_start() } else { below(rest) };
            if inner.is_empty() || (is_json && !inner.starts_with('{')) {
                break;
            }
            from = keys.len();
            keys.extend(if is_json { json_keys(inner).0 } else { yaml_keys(inner) });
        }
        Self { keys, text, is_json }
    }

    /// Whether `key` stands at the outermost level.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|each| each.is(key))
    }

    /// The text behind `key` where it stands first, up to the end of the line in YAML and of the
    /// member in JSON, without blanks around it. Where a line of YAML says nothing by itself
    /// (`verdict: |`), the next one.
    pub fn value(&self, key: &str) -> Option<&'a str> {
        let rest = self.keys.iter().find(|each| each.is(key))?.rest;
        Some(if self.is_json { json_value(rest) } else { yaml_value(rest) })
    }

    /// Its keys with their values.
    pub fn values(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let value = if self.is_json { json_value } else { yaml_value };
        self.keys.iter().map(move |key| (key.name, value(key.rest)))
    }

    /// Whether all of `keys` stand there.
    pub fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    /// How many of `keys` stand there.
    pub fn count(&self, keys: &[&str]) -> usize {
        keys.iter().filter(|key| self.has(key)).count()
    }

    /// Whether `words` stand anywhere in the text.
    pub fn mentions(&self, words: &str) -> bool {
        memchr::memmem::find(self.text.as_bytes(), words.as_bytes()).is_some()
    }
}

/// The keys at the least indentation of a block mapping. It starts with one, or with an entry of a
/// list that does; a fence and the start of a document may stand above.
fn yaml_keys(text: &str) -> Vec<Key<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut keys = Vec::new();
    let mut base = None;
    let mut is_first = true;
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        let is_head = is_first && ["---", "```", "~~~"].iter().any(|mark| body.starts_with(mark));
        if body.trim().is_empty() || body.starts_with('#') || is_head {
            continue;
        }
        let key = yaml_key(body).or_else(|| broken_key(body));
        if is_first && key.is_none() && body.strip_prefix("- ").and_then(yaml_key).is_none() {
            break;
        }
        is_first = false;
        let Some(name) = key else { continue };
        let indent = line.len() - body.len();
        if indent <= *base.get_or_insert(indent) {
            keys.push(Key { name, rest: behind(text, name) });
            if keys.len() == KEYS {
                break;
            }
        }
    }
    keys
}

/// What follows the colon behind `key`, which is a part of `text`.
fn behind<'a>(text: &'a str, key: &str) -> &'a str {
    let end = key.as_ptr().addr() + key.len() - text.as_ptr().addr();
    text[end..].split_once(is_colon).map_or("", |(_, rest)| rest)
}

/// Whether a character is a colon of whatever width.
fn is_colon(char: char) -> bool {
    char == ':' || narrow(char) == Some(':')
}

/// The lines below a key of YAML that has nothing behind its colon and more deeply indented lines
/// under it; else nothing.
fn below(rest: &str) -> &str {
    let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
    let is_below = line.trim().is_empty() && below.starts_with(' ');
    if is_below { below } else { "" }
}

fn yaml_value(rest: &str) -> &str {
    let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
    // The mark that closes a bold key right behind its colon.
    let line = line.strip_prefix("**").unwrap_or(line).trim();
    let is_header = line.len() <= 3 && line.starts_with(['|', '>']);
    if line.is_empty() || is_header {
        let next = below.lines().next().unwrap_or_default();
        if next.starts_with(' ') {
            return next.trim();
        }
    }
    line
}

/// The key that a line starts with, if it does: a word, perhaps quoted, before a colon.
pub fn yaml_key(line: &str) -> Option<&str> {
    let (key, rest) = match line.as_bytes().first()? {
        quote @ (b'"' | b'\'') => line[1..].split_once(char::from(*quote))?,
        _ => line.split_at(line.find(':')?),
    };
    let rest = rest.trim_start_matches(' ').strip_prefix(':')?;
    let is_key = !key.is_empty()
        && key.len() <= 64
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    (is_key && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))).then_some(key)
}

/// The key of a line that is no YAML, or another key to YAML: in bold, with a full-width colon, with
/// characters that nobody sees in it, or with an unusual blank behind it.
fn broken_key(line: &str) -> Option<&str> {
    let body = line.trim_start_matches(is_invisible);
    let bare = body.strip_prefix("**").unwrap_or(body);
    let is_bold = bare.len() < body.len();
    let (end, colon) = bare.char_indices().take(64).find(|(_, char)| is_colon(*char))?;
    let name = bare[..end].trim_end();
    let rest = &bare[end + colon.len_utf8()..];
    let (name, rest) = match name.strip_suffix("**") {
        Some(name) if is_bold => (name, rest),
        _ if is_bold => (name, rest.strip_prefix("**")?),
        _ => (name, rest),
    };
    let is_letter = |char: char| {
        char.is_ascii_alphanumeric() || matches!(char, '_' | '-') || is_invisible(char)
    };
    let is_blank = |char: char| char.is_ascii_whitespace() || is_unusual_blank(char);
    let is_apart = rest.is_empty() || rest.starts_with(is_blank) || colon != ':';
    (is_apart && !name.is_empty() && name.chars().all(is_letter)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::fields::testing::quickly;
    use super::*;

    fn keys(text: &str) -> Vec<&str> {
        Outline::of(text).keys.iter().map(|key| key.name).collect()
    }

    #[test]
    fn time_is_linear() {
        for part in [
            " ", "\"", "\\", "a", "a:", "a: ", "a: b\n", " a: b\n", "'", "'a' ", "- a: b\n", "x\n",
            "{", "\"a\" ", "\"a\": {", "\"b\", ", "---\n", "\n", "\u{feff}",
        ] {
            for start in ["", "{", "a:", "{\"a\":", "{\"a", "x: 1\n  "] {
                let text = format!("{start}{}", part.repeat((1 << 20) / part.len()));
                quickly(part, || {
                    let outline = Outline::of(&text);
                    (outline.value("a").is_some(), outline.values().count(), yaml_key(&text))
                });
            }
        }
    }

    #[test]
    fn a_program_has_no_keys() {
        for text in [
            "const r = {\n  verdict: 'pass',\n  summary: 'fine',\n};\n",
            "export interface Review {\n  verdict: string;\n  summary: string;\n}\n",
            "let review = Review {\n    verdict: \"pass\",\n    summary: text,\n};\n",
            "r = dict(\n  verdict= 1)\nr = {\n  \"verdict\": \"pass\",\n  \"summary\": s,\n}\n",
            "class Review:\n    verdict: str\n    summary: str\n",
            "r := Review{\n\tVerdict: \"pass\",\n\tSummary: s,\n}\n",
            "r := map[string]string{\n  \"verdict\": \"pass\",\n  \"summary\": s,\n}\n",
            "Here it is:\nverdict: pass\nsummary: fine\n",
            "- one\n- two\nverdict: pass\n",
            "{pass: boolean, iteration: number; gates: any}",
            "{\n  verdict: string;\n  summary: string;\n}\n",
            "{verdict, summary, findings}",
        ] {
            assert_eq!(keys(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn keys_that_are_broken() {
        for (text, wanted) in [
            ("**verdict:** fail\nsummary: x\n", "fail"),
            ("**verdict**: fail\nsummary: x\n", "fail"),
            ("verdict：fail\nsummary：x\n", "fail"),
            ("ver\u{200b}dict: fail\nsummary: x\n", "fail"),
            ("\u{200b}verdict: fail\nsummary: x\n", "fail"),
            ("verdict:\u{a0}fail\nsummary: x\n", "fail"),
        ] {
            let outline = Outline::of(text);
            assert_eq!(outline.value("verdict"), Some(wanted), "{text}");
            assert!(outline.has_all(&["verdict", "summary"]), "{text}");
        }
        for text in ["**Note** verdict: fail\n", "verdict:fail\n", "**a\n", "一：二\n"] {
            assert_eq!(keys(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_may_stand_above_the_first_key() {
        for text in [
            "\n  \n# A review\n---\nverdict: pass\n",
            "---  # one\nverdict: pass\n",
            "```yaml\nverdict: pass\n```\n",
            "\u{feff}verdict: pass\n",
            "- reviewer: Me\nverdict: pass\n",
        ] {
            assert_eq!(keys(text), ["verdict"], "{text}");
        }
    }

    #[test]
    fn values_of_yaml_and_json() {
        for (text, wanted) in [
            ("verdict: pass\nb: 1", "pass"),
            ("\"verdict\" : **Pass**.\r\nb: 1", "**Pass**."),
            ("a: 1\nverdict: |\n  pass\n", "pass"),
            ("verdict:\n  pass\n", "pass"),
            ("verdict:\nb: 1\n", ""),
            ("verdict:", ""),
            ("verdict: 'a: b'", "'a: b'"),
            (r#"{"verdict": "pa\"s, s", "b": 1}"#, r#""pa\"s, s""#),
            (r#"{"b": 1, "verdict" :true}"#, "true"),
            (r#"{"verdict": "pass" | "fail", "b": 1}"#, r#""pass" | "fail""#),
            (r#"{"verdict": "pass" |"#, r#""pass" |"#),
            (r#"{"verdict": "cut"#, r#""cut"#),
            ("{\"verdict\": \"cut\\", "\"cut\\"),
            ("{\"verdict\": \"torn\n", "\"torn"),
            (r#"{"verdict":"#, ""),
        ] {
            assert_eq!(Outline::of(text).value("verdict"), Some(wanted), "{text}");
        }
        assert_eq!(Outline::of("a: 1").value("b"), None);
        let values: Vec<_> =
            Outline::of("a: 1\nb:\n  c: 2\n").values().map(|(key, _)| key).collect();
        assert_eq!(values, ["a", "b"]);
    }

    #[test]
    fn a_single_key_around_a_mapping_is_looked_through() {
        assert_eq!(keys(r#"{"output": {"a": 1, "b": {"c": 2}}}"#), ["output", "a", "b"]);
        assert_eq!(keys(r#"{"x": {"y": { "a": {"c": 2}, "b": 1}}}"#), ["x", "y", "a", "b"]);
        assert_eq!(keys("review:\n  a: 1\n  b:\n    c: 2\n"), ["review", "a", "b"]);
        assert_eq!(keys(r#"{"x": {"a": 1, "b": 1}, "y": 2}"#), ["x", "y"]);
        assert_eq!(keys(r#"{"x": [{"a": 1, "b": 1}]}"#), ["x"]);
        assert_eq!(keys("review: text\n  a: 1\n"), ["review"]);
        assert_eq!(keys("review:\n- a\n"), ["review"]);
        let outline = Outline::of(r#"{"output": {"a": "x", "b": 1}}"#);
        assert_eq!(outline.value("a"), Some("\"x\""));
    }

    #[test]
    fn keys_of_what_is_no_json() {
        for text in [
            "{'a': 'x', 'b': {'c': 1}}",
            "{a: 1, b: {c: 2}}",
            "{\\\"a\\\": \\\"x, y: z\\\", \\\"b\\\": 1}",
            "{“a”: 1, “b”: 2}",
            "{\"a\"：1，\"b\"：2}",
            "{\n  a: 1\n  b: 2\n}",
        ] {
            assert_eq!(keys(text), ["a", "b"], "{text}");
        }
        assert_eq!(Outline::of("{'verdict': 'fail', 'b': 1}").value("verdict"), Some("'fail'"));
    }

    #[test]
    fn keys_of_yaml_and_json() {
        assert_eq!(keys("a: 1\nb:\n  c: 2\n- d\n\"e\": x\nnot a key\nf:g\n"), ["a", "b", "e"]);
        assert_eq!(keys("  a: 1\n  b: 2\n    c: 3\n"), ["a", "b"]);
        assert_eq!(
            keys(r#"{"a": {"x": "y: z"}, "b": ["c", {"d": 1}], "e": "\""}"#),
            ["a", "b", "e"]
        );
        assert_eq!(keys(r#"{"a": 1, "b": "cut"#), ["a", "b"]);
        assert_eq!(keys(""), [""; 0]);
    }

    #[test]
    fn a_late_key_ends_no_search() {
        assert!(Outline::of("{\"a\": NaN, 'x': 2, \"gates\": tru").has("gates"));
    }
}
