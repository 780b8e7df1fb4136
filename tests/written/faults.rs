//! Faults of the kinds that models make, one at a time, at a place that a number chooses.

use super::Tree;
use crate::common::Numbers;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    // Texts of YAML.
    Unquoted,
    InnerQuotes,
    Backslashes,
    CurlyQuotes,
    NotIndented,
    Continued,
    // Keys of YAML.
    NoBreakBlank,
    WideColon,
    NoBlank,
    ZeroWidth,
    BoldKey,
    CapitalKey,
    // Lines of YAML.
    ItemOff,
    Tabs,
    DocumentMarks,
    // JSON.
    TrailingComma,
    MissingComma,
    Comment,
    SingleQuotes,
    PythonWords,
    RawBreaks,
    BadEscapes,
    JsonInnerQuotes,
    BareKeys,
    WideStructure,
    EscapedTwice,
    JsonCurlyQuotes,
    // Values.
    Number,
    Verdict,
    Severity,
    NoFindings,
    Wrapped,
    // Anything.
    Cut,
    LineGone,
    LineTwice,
    CharGone,
}

impl Fault {
    pub const YAML: &[Self] = &[
        Self::Unquoted,
        Self::InnerQuotes,
        Self::Backslashes,
        Self::CurlyQuotes,
        Self::NotIndented,
        Self::Continued,
        Self::NoBreakBlank,
        Self::WideColon,
        Self::NoBlank,
        Self::ZeroWidth,
        Self::BoldKey,
        Self::CapitalKey,
        Self::ItemOff,
        Self::Tabs,
        Self::DocumentMarks,
    ];
    pub const JSON: &[Self] = &[
        Self::TrailingComma,
        Self::MissingComma,
        Self::Comment,
        Self::SingleQuotes,
        Self::PythonWords,
        Self::RawBreaks,
        Self::BadEscapes,
        Self::JsonInnerQuotes,
        Self::BareKeys,
        Self::WideStructure,
        Self::EscapedTwice,
        Self::JsonCurlyQuotes,
    ];
    pub const ANY: &[Self] = &[
        Self::Number,
        Self::Verdict,
        Self::Severity,
        Self::NoFindings,
        Self::Wrapped,
        Self::Cut,
        Self::LineGone,
        Self::LineTwice,
        Self::CharGone,
    ];

    /// Whether the text that comes of it may say something else, in the writer's own eyes.
    pub fn changes(self) -> bool {
        matches!(self, Self::LineGone | Self::LineTwice | Self::CharGone | Self::Verdict)
    }

    /// Puts the fault into the review before it is written.
    pub fn spoil_tree(self, tree: &mut Tree, numbers: &mut Numbers) -> bool {
        let put = |tree: Option<&mut Tree>, change: &dyn Fn(&str) -> Option<String>| {
            let Some(place @ (Tree::Word(_) | Tree::Plain(_))) = tree else { return false };
            let (Tree::Word(old) | Tree::Plain(old)) = &*place else { return false };
            change(old).is_some_and(|new| {
                *place = Tree::Text(new);
                true
            })
        };
        let choice = numbers.below(1000);
        match self {
            Self::Number => put(tree.get_mut("score"), &|score| {
                Some(
                    [score.to_owned(), format!("{score}/10"), format!("**{score}**")][choice % 3]
                        .clone(),
                )
            }),
            Self::Verdict => {
                let key = ["verdict", "pass", "overall_correctness"]
                    .into_iter()
                    .find(|key| tree.get_mut(key).is_some())
                    .unwrap_or_default();
                put(tree.get_mut(key), &|word| {
                    Some(UNSURE[choice % UNSURE.len()].replace('_', word))
                })
            }
            Self::Severity => {
                let Some(Tree::List(items)) = tree.get_mut("findings") else { return false };
                put(items.first_mut().and_then(|item| item.get_mut("severity")), &|word| {
                    Some(
                        [word.to_uppercase(), format!("**{word}**"), format!(" {word}.")]
                            [choice % 3]
                            .clone(),
                    )
                })
            }
            Self::NoFindings => {
                let Some(Tree::List(items)) = tree.get_mut("findings") else { return false };
                if !items.is_empty() {
                    return false;
                }
                let none = ["none", "None.", "N/A", "No findings."][choice % 4];
                tree.get_mut("findings").map(|place| *place = Tree::text(none)).is_some()
            }
            Self::Wrapped => {
                *tree = Tree::Map(vec![("review".to_owned(), tree.clone())]);
                true
            }
            _ => false,
        }
    }

    /// Puts the fault into the review that is written.
    pub fn spoil_text(self, text: &mut String, numbers: &mut Numbers) -> bool {
        let lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
        let line = numbers.below(lines.len());
        let chars: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        let at = chars.get(numbers.below(chars.len())).copied().unwrap_or_default();
        match self {
            Self::Cut => text.truncate(at),
            Self::CharGone if !text.is_empty() => drop(text.remove(at)),
            Self::LineGone => *text = [&lines[..line], &lines[line + 1..]].concat().concat(),
            Self::LineTwice => *text = [&lines[..=line], &lines[line..]].concat().concat(),
            Self::DocumentMarks => *text = format!("---\n{text}---\n"),
            Self::Tabs if text.contains("\n  ") => *text = text.replace("\n  ", "\n\t"),
            _ => return false,
        }
        true
    }
}

/// What makes a word unsure; `_` is the word.
const UNSURE: &[&str] = &[
    "_ (conditional)",
    "_?",
    "_ with comments",
    "_ if the tests are added",
    "not _",
    "mostly _",
    "_/FAIL",
    "_ or fail",
    "almost _",
    "_ (pending)",
    "no _ yet",
    "_, but see the findings",
    "would _",
    "_ed",
    "~~_~~",
    "fail -> _",
    "un_",
    "_ ❌",
    "_ | fail",
    "<_>",
    "if fixed, _",
];

/// One fault on its way into a text.
pub struct Careless {
    pub fault: Option<Fault>,
    /// How many places that could have the fault are passed over.
    pub passed: usize,
    pub struck: bool,
}

impl Careless {
    /// Whether the fault is put in here.
    pub fn strikes(&mut self, fault: Fault) -> bool {
        if self.fault != Some(fault) || self.struck {
            return false;
        }
        self.struck = self.passed == 0;
        self.passed = self.passed.saturating_sub(1);
        self.struck
    }

    /// A key of YAML and its colon, with a blank behind where one is asked for.
    pub fn key(&mut self, key: &str) -> (String, String) {
        let name = if self.strikes(Fault::ZeroWidth) {
            format!("{}\u{200b}{}", &key[..1], &key[1..])
        } else if self.strikes(Fault::BoldKey) {
            format!("**{key}**")
        } else if self.strikes(Fault::CapitalKey) {
            key[..1].to_uppercase() + &key[1..]
        } else {
            key.to_owned()
        };
        let colon = if self.strikes(Fault::WideColon) {
            "："
        } else if self.strikes(Fault::NoBreakBlank) {
            ":\u{a0}"
        } else {
            ":"
        };
        (name, colon.to_owned())
    }

    /// A text of YAML, behind a colon or dash that stands at `indent`, if the fault is put in here.
    pub fn text(&mut self, text: &str, indent: usize) -> Option<String> {
        let is_line = !text.contains(['\n', '\t']);
        // Without quotes these are nothing, to anybody.
        let is_null = ["null", "~", "# a heading"].contains(&text);
        let pad = " ".repeat(indent);
        if is_line && !is_null && self.strikes(Fault::Unquoted) {
            return Some(format!(" {text}\n"));
        }
        if is_line && text.contains('"') && self.strikes(Fault::InnerQuotes) {
            return Some(format!(" \"{}\"\n", text.replace('\\', "\\\\")));
        }
        if is_line && text.contains('\\') && self.strikes(Fault::Backslashes) {
            return Some(format!(" \"{}\"\n", text.replace('"', "\\\"")));
        }
        if is_line && !text.contains(['"', '“', '”', '\\']) && self.strikes(Fault::CurlyQuotes)
        {
            return Some(format!(" “{text}”\n"));
        }
        if text.contains('\n') && self.strikes(Fault::NotIndented) {
            let lines: Vec<_> = text.lines().map(|line| format!("{pad}{line}\n")).collect();
            return Some(format!(" |\n{}", lines.concat()));
        }
        let middle = text.find(' ').filter(|_| text.len() > 60);
        if let Some(at) = middle.filter(|_| self.strikes(Fault::Continued)) {
            return Some(format!(" {}\n{pad}{}\n", &text[..at], &text[at + 1..]));
        }
        is_line.then_some(()).filter(|()| self.strikes(Fault::NoBlank))?;
        Some(format!("{}\n", serde_json::to_string(text).ok()?))
    }

    /// A key of JSON.
    pub fn json_key(&mut self, key: &str) -> String {
        if self.strikes(Fault::BareKeys) { key.to_owned() } else { format!("\"{key}\"") }
    }

    /// A text of JSON.
    pub fn json_text(&mut self, text: &str) -> String {
        let written = serde_json::to_string(text).expect("a text can be written");
        if text.contains('\n') && self.strikes(Fault::RawBreaks) {
            return written.replace("\\n", "\n");
        }
        // A sequence that JSON does not know: else nobody could tell.
        if text.contains("\\d") && self.strikes(Fault::BadEscapes) {
            return format!("\"{text}\"");
        }
        if text.contains('"') && !text.contains('{') && self.strikes(Fault::JsonInnerQuotes) {
            return written.replace("\\\"", "\"");
        }
        if !text.contains(['"', '“', '”', '\\', '\n', '\t']) && self.strikes(Fault::JsonCurlyQuotes)
        {
            return format!("“{text}”");
        }
        written
    }

    /// A whole JSON text.
    pub fn whole_json(&mut self, text: String) -> String {
        let is_simple = !text.contains(['\'', '\\', '：', '，', '“'])
            && !text.contains("\": \":")
            && !text.contains("\":\":");
        if is_simple && self.strikes(Fault::SingleQuotes) {
            return text.replace('"', "'");
        }
        if is_simple
            && (text.contains(": true") || text.contains(": false"))
            && self.strikes(Fault::PythonWords)
        {
            return text.replace(": true", ": True").replace(": false", ": False");
        }
        if is_simple && self.strikes(Fault::WideStructure) {
            return text.replace("\":", "\"：").replace("\",", "\"，");
        }
        if !text.contains('\\') && self.strikes(Fault::EscapedTwice) {
            return text.replace('"', "\\\"");
        }
        text
    }
}
