//! The outline of a mapping: its top-level keys, read without a parser.
//!
//! Which contract a block belongs to must be known for broken blocks as well, so this never fails:
//! it takes what looks like a key at the outermost level, of YAML or JSON.

/// The top-level keys of a text that may be a mapping, and the text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'a> {
    keys: Vec<&'a str>,
    text: &'a str,
}

/// Keys beyond this number tell nothing more.
const KEYS: usize = 64;

impl<'a> Outline<'a> {
    /// The outline of `text`.
    pub fn of(text: &'a str) -> Self {
        let start = text.trim_start();
        let keys = if start.starts_with('{') { json_keys(start) } else { yaml_keys(text) };
        Self { keys, text }
    }

    /// Whether `key` stands at the outermost level.
    pub fn has(&self, key: &str) -> bool {
        self.keys.contains(&key)
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

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// The keys at the least indentation of a block mapping.
fn yaml_keys(text: &str) -> Vec<&str> {
    let mut keys = Vec::new();
    let mut base = None;
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        let Some(key) = yaml_key(body) else { continue };
        let indent = line.len() - body.len();
        if indent <= *base.get_or_insert(indent) {
            keys.push(key);
            if keys.len() == KEYS {
                break;
            }
        }
    }
    keys
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

/// The texts before a colon at the first level of an object.
fn json_keys(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut keys = Vec::new();
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
                    keys.push(&text[start..at]);
                    if keys.len() == KEYS {
                        break;
                    }
                }
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        at += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_yaml_and_json() {
        let keys = |text| Outline::of(text).keys;
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
