//! YAML in any style: block and flow, plain, quoted and folded, with any indentation.

use serde_yaml::Value;

use super::Tree;
use super::faults::{Careless, Fault};
use crate::common::Numbers;

/// Writes a review. One in flow style from its first brace on is none of a contract that asks for
/// JSON.
pub fn write(
    tree: &Tree,
    numbers: &mut Numbers,
    careless: &mut Careless,
    asks_for_json: bool,
) -> String {
    let mut writer = Writer { numbers, careless };
    if writer.careless.fault.is_none() && !asks_for_json && writer.numbers.below(12) == 0 {
        return writer.flow(tree, 1) + "\n";
    }
    let indent = [0, 0, 0, 2, 5][writer.numbers.below(5)];
    writer.block(tree, indent)
}

struct Writer<'n> {
    numbers: &'n mut Numbers,
    careless: &'n mut Careless,
}

fn pad(indent: usize) -> String {
    " ".repeat(indent)
}

impl Writer<'_> {
    /// A mapping or list in block style, its lines at `indent`.
    fn block(&mut self, tree: &Tree, indent: usize) -> String {
        let mut out = String::new();
        match tree {
            Tree::Map(entries) => {
                for (key, value) in entries {
                    self.comment(&mut out, indent);
                    let entry = self.entry(key, value, indent);
                    out.push_str(&entry);
                }
            }
            Tree::List(items) => {
                for item in items {
                    self.comment(&mut out, indent);
                    let shift = usize::from(self.careless.strikes(Fault::ItemOff));
                    let indent = indent + shift;
                    let gap = 1 + self.numbers.below(3);
                    let inner = indent + 1 + gap;
                    out.push_str(&(pad(indent) + "-"));
                    match item {
                        Tree::Map(_) => {
                            let text = self.block(item, inner);
                            if text.trim_start().starts_with('#') || self.numbers.below(6) == 0 {
                                out.push('\n');
                                out.push_str(&text);
                            } else {
                                out.push_str(&pad(gap));
                                out.push_str(text.trim_start_matches(' '));
                            }
                        }
                        item => out.push_str(&self.scalar(item, indent)),
                    }
                }
            }
            _ => {}
        }
        out
    }

    fn comment(&mut self, out: &mut String, indent: usize) {
        // Beside a fault nobody could tell it from a text.
        let may_comment = self.careless.fault.is_none();
        match self.numbers.below(30) {
            0 if may_comment => *out += &(pad(indent) + "# a comment: with a key\n"),
            1 => out.push('\n'),
            _ => {}
        }
    }

    fn entry(&mut self, key: &str, value: &Tree, indent: usize) -> String {
        let (name, colon) = self.careless.key(key);
        let name = match self.numbers.below(12) {
            0 if name == key => format!("\"{key}\""),
            1 if name == key => format!("'{key}'"),
            _ => name,
        };
        let head = pad(indent) + &name + &colon;
        let is_flow = self.numbers.below(8) == 0;
        match value {
            Tree::Map(entries) if !entries.is_empty() && !is_flow => {
                let inner = indent + 1 + self.numbers.below(6);
                head + "\n" + &self.block(value, inner)
            }
            Tree::List(items) if !items.is_empty() && !is_flow => {
                let inner = indent + [0, 2, 2, 4, 1][self.numbers.below(5)];
                head + "\n" + &self.block(value, inner)
            }
            Tree::Map(_) | Tree::List(_) => head + " " + &self.flow(value, indent + 1) + "\n",
            value => head + &self.scalar(value, indent),
        }
    }

    /// A scalar behind a colon or a dash that stands at `indent`, to the end of its last line.
    fn scalar(&mut self, tree: &Tree, indent: usize) -> String {
        match tree {
            Tree::Plain(text) => format!(" {text}\n"),
            Tree::Word(text) => match self.numbers.below(4) {
                0 => format!(" \"{text}\"\n"),
                1 => format!(" '{text}'\n"),
                2 => format!("  {text}  # a comment\n"),
                _ => format!(" {text}\n"),
            },
            Tree::Text(text) => {
                if let Some(written) = self.careless.text(text, indent) {
                    return written;
                }
                let styles: [fn(&mut Self, &str) -> String; 6] = [
                    |_, text| format!(" {text}\n"),
                    |_, text| format!(" '{}'\n", text.replace('\'', "''")),
                    |_, text| format!(" {}\n", quoted(text)),
                    |writer, text| writer.folded_over(" \"", &quoted(text)[1..]),
                    |writer, text| writer.literal(text),
                    |writer, text| writer.folded_over(" >-\n  ", &format!("{text}\n")),
                ];
                let style = styles[self.numbers.below(styles.len())];
                let written = style(self, text);
                let written =
                    if means(&written, text) { written } else { format!(" {}\n", quoted(text)) };
                indented(&written, indent)
            }
            Tree::Map(_) | Tree::List(_) => " ".to_owned() + &self.flow(tree, indent + 1) + "\n",
        }
    }

    fn literal(&mut self, text: &str) -> String {
        let indent = 1 + self.numbers.below(5);
        let chomp = ["", "-", "+"][self.numbers.below(3)];
        let mark = if self.numbers.below(3) == 0 { indent.to_string() } else { String::new() };
        let lines: String = text
            .lines()
            .map(|line| if line.is_empty() { "\n".to_owned() } else { pad(indent) + line + "\n" })
            .collect();
        format!(" |{mark}{chomp}\n{lines}")
    }

    /// Breaks a text at some of its blanks.
    fn folded_over(&mut self, start: &str, text: &str) -> String {
        let mut out = start.to_owned();
        for (number, word) in text.split(' ').enumerate() {
            if number > 0 {
                out.push_str(if self.numbers.below(5) == 0 { "\n  " } else { " " });
            }
            out.push_str(word);
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }

    /// In flow style; lines after the first are at `indent` or deeper.
    fn flow(&mut self, tree: &Tree, indent: usize) -> String {
        let gap =
            if self.numbers.below(3) == 0 { format!("\n{}", pad(indent)) } else { " ".into() };
        match tree {
            Tree::Map(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| format!("{key}: {}", self.flow(value, indent)))
                    .collect();
                format!("{{{}}}", entries.join(&format!(",{gap}")))
            }
            Tree::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.flow(item, indent)).collect();
                format!("[{}]", items.join(&format!(",{gap}")))
            }
            Tree::Text(text) => {
                let plain = serde_yaml::from_str(&format!("{{k: {text}, l: 1}}"));
                let is_plain = plain.is_ok_and(|value: Value| {
                    value["l"].is_u64() && value["k"].as_str() == Some(text)
                });
                if is_plain && self.numbers.below(2) == 0 { text.clone() } else { quoted(text) }
            }
            Tree::Word(text) | Tree::Plain(text) => text.clone(),
        }
    }
}

/// JSON's way to write a text is YAML's as well.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text can be written")
}

/// Whether what is written behind a key means `text` to a YAML parser. What looks like a number is a
/// text where a contract says so.
fn means(written: &str, text: &str) -> bool {
    let value: Result<Value, _> = serde_yaml::from_str(&format!("k:{written}l: 1\n"));
    let Ok(value) = value else { return false };
    let is_like_number =
        written.trim() == text && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    value["l"].is_u64()
        && (is_like_number || value["k"].as_str().is_some_and(|came| came.trim() == text))
}

/// The lines after the first, as many blanks deeper.
fn indented(written: &str, indent: usize) -> String {
    let mut lines = written.split_inclusive('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        if !line.trim().is_empty() {
            out.push_str(&pad(indent));
        }
        out.push_str(line);
    }
    out
}
