//! Advice: what stands at a fault of syntax, and what to write instead, for that very line.
//!
//! Takes a rule's code and the line, gives words for people and agents. Guesses what was meant and
//! changes nothing: what a review says is for `parse` and `repair` to tell, never for this. A line
//! that shows no known fault gives no advice; then the rule's own `mend` has to do.

use super::{ALIAS, JSON, TAG, YAML};
use crate::record::Excerpt;

mod json;
mod yaml;

/// What is wrong with a line, and how it is mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What stands there, and what it does.
    pub what: String,
    /// What to write instead.
    pub edit: String,
}

impl Advice {
    fn new(what: impl Into<String>, edit: impl Into<String>) -> Self {
        Self { what: what.into(), edit: edit.into() }
    }

    /// Both in one sentence.
    pub fn message(&self) -> String {
        format!("{}; {}", self.what, self.edit)
    }
}

/// The advice for a breach of the rule with this code.
pub fn of(code: &str, excerpt: &Excerpt) -> Option<Advice> {
    match code {
        code if code == JSON.code => json::of(excerpt),
        code if [YAML.code, ALIAS.code, TAG.code].contains(&code) => yaml::of(excerpt),
        _ => None,
    }
}

/// The advice for a line that a repair mended, whatever kind it is of.
pub fn of_line(excerpt: &Excerpt) -> Option<Advice> {
    let is_json = excerpt.text.trim_start().starts_with(['{', '}', '[', ']', '"']);
    if is_json { json::of(excerpt) } else { yaml::of(excerpt) }
}

/// The key that the place is about: the nearest one before it on its line.
pub fn key(excerpt: &Excerpt) -> Option<&str> {
    let is_key = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    let text = &excerpt.text;
    let end = text[excerpt.at()..].find(is_key).map_or(text.len(), |next| excerpt.at() + next);
    let colons = text.match_indices(':').map(|(at, _)| at);
    let keys = colons.filter_map(|colon| {
        let before = text[..colon].trim_end().trim_end_matches(['"', '\'']);
        let start = before
            .rfind(|char| !is_key(char))
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        (start < before.len()).then_some((start, &before[start..]))
    });
    let mut before = keys.take_while(|(start, _)| *start <= end);
    // Of YAML, the one that opens the line: a colon may stand in a text.
    let is_json = text.trim_start().starts_with(['{', '}', '[', ']', '"']);
    if is_json { before.last() } else { before.next() }.map(|(_, key)| key)
}

/// A text as an edit shows it: its start and its end where it is long.
fn short(text: &str) -> String {
    const MOST: usize = 200;
    let count = text.chars().count();
    if count <= MOST {
        return text.to_owned();
    }
    let start: String = text.chars().take(MOST / 2).collect();
    let end: String = text.chars().skip(count - MOST / 4).collect();
    format!("{start} … {end}")
}

/// An edit that puts `text` there.
fn write(text: &str) -> String {
    format!("write `{}`", short(text))
}

#[cfg(test)]
mod tests {
    use crate::parse::{Caps, Fault, Reading, is_json, json, parse};

    const CAPS: Caps = Caps { nesting: 64, nodes: 1_000 };

    /// The first fault of a text, and what its message says to write.
    fn edit(text: &str) -> (Fault, Option<String>) {
        let Reading { faults, .. } =
            if is_json(text) { json::parse(text, CAPS) } else { parse(text, CAPS) };
        let fault = faults.into_iter().next().unwrap_or_else(|| panic!("no fault: {text}"));
        let edit = fault.message.split_once("write `").map(|(_, edit)| {
            let end = edit.rfind("`, ").or(edit.rfind("`; ")).or(edit.rfind('`'));
            edit[..end.expect("a closing back-tick")].to_owned()
        });
        (fault, edit)
    }

    /// What is to be written can be read, and says what was meant.
    #[test]
    fn a_line_of_yaml_is_read_once_it_is_written_so() {
        for (line, meant) in [
            ("text: Retry never stops: no cap", "Retry never stops: no cap"),
            ("text: The following is wrong:", "The following is wrong:"),
            ("text: &str is leaked", "&str is leaked"),
            ("text: *const u8 is leaked", "*const u8 is leaked"),
            ("text: !important is used", "!important is used"),
            ("text: @Autowired is missing", "@Autowired is missing"),
            ("text: `unwrap()` panics", "`unwrap()` panics"),
            ("text: %s is in the format", "%s is in the format"),
            ("text: {id} is not escaped", "{id} is not escaped"),
            ("text: [BLOCKER] It's open", "[BLOCKER] It's open"),
            ("text: > 10 items fail", "> 10 items fail"),
            ("text: | grep fails", "| grep fails"),
            ("text: - is no list", "- is no list"),
            ("text: ? what", "? what"),
            ("text: , starts so", ", starts so"),
            ("text: \"unwrap\" panics", "\"unwrap\" panics"),
            ("text: 'unwrap' panics", "'unwrap' panics"),
            ("text: \"The \"id\" isn't safe\"", "The \"id\" isn't safe"),
            ("text: \"The \\\"a\\\" and \"b\"\"", "The \"a\" and \"b\""),
            ("text: 'It doesn't work'", "It doesn't work"),
            ("text: \"matches \\d+ only\"", "matches \\d+ only"),
            ("text: \"C:\\Users\\x isn't\"", "C:\\Users\\x isn't"),
            ("text: \"never closed", "never closed"),
            ("text: a\u{7}b: c", "a\u{7}b: c"),
            ("text:no blank", "no blank"),
            ("text：wide", "wide"),
            ("text:\u{a0}odd", "odd"),
            ("\ttext: ok", "ok"),
            ("  text: too deep", "too deep"),
        ] {
            let around = |line: &str| format!("first: 1\n{line}\nlast: 2\n");
            let (fault, edit) = edit(&around(line));
            assert_eq!(fault.place.line, 2, "{line}: {fault:?}");
            let edit = edit.unwrap_or_else(|| panic!("{line}: {}", fault.message));
            let text = around(&edit);
            let reading = parse(&text, CAPS);
            assert_eq!(reading.faults, [], "{line}: {edit}");
            let node = reading.node.expect("a mapping");
            assert_eq!(node.get("text").and_then(|node| node.text()), Some(meant), "{edit}");
            assert_eq!(node.entries().len(), 3, "{edit}");
        }
    }

    #[test]
    fn a_fault_of_json_says_what_to_write() {
        for (text, wanted) in [
            (r#"{"a": 1,}"#, "leave the comma out"),
            (r#"{"a": [1,,2]}"#, "leave one of the commas out"),
            (r"{'a': 1}", "write `\"a\"`"),
            (r"{“a”: 1}", "write `\"a\"`"),
            (r"{a: 1}", "write `\"a\"`"),
            (r#"{"a": None}"#, "write `null`"),
            (r#"{"a": True}"#, "write `true`"),
            (r#"{"a": NaN}"#, "write `null`"),
            (r#"{"a": 05}"#, "write `5`"),
            (r#"{"a": not so}"#, "write `\"not so\"`"),
            (r#"{"a": "\d"}"#, r"write `\\d`"),
            ("{\"a\": \"b\tc\"}", "write `\\t`"),
            ("{\"a\": \"b\nc\"}", "write `\\n`"),
            ("{\"a\": 1 // one\n}", "leave out `// one`"),
            (r#"{"a": 1 "b": 2}"#, "write `, \"b\"`"),
            (r#"{"a" "b"}"#, "write `: \"b\"`"),
            (r#"{"a": "the "b" is"}"#, r#"as in `\"b\"`"#),
        ] {
            let (fault, _) = edit(text);
            assert!(fault.message.contains(wanted), "{text}: {}", fault.message);
        }
    }

    #[test]
    fn any_line_gets_advice_or_none_and_does_not_panic() {
        let parts =
            ["\"", "'", "\\", ":", " ", "é", "{", "]", "-", "#", "\t", "key: ", "\u{a0}", "："];
        let mut seed = 1_usize;
        for _ in 0..20_000 {
            let mut line = String::new();
            for _ in 0..12 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                line += parts[(seed >> 33) % parts.len()];
            }
            for text in [format!("a: 1\n{line}\n"), format!("{{\"a\": 1, {line}")] {
                for fault in parse(&text, CAPS).faults {
                    assert!(fault.message.len() > 5, "{text}");
                }
            }
        }
    }
}
