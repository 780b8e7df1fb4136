//! Texts in another shape.

use std::fmt::Write;

use super::{Mender, Under, kinds, text_node};
use crate::contract::is_placeholder;
use crate::parse::{Entry, Kind as Meaning, Node, Scalar, Value};
use crate::record::Place;

/// Keys of prose, which may have several lines. A name or a place is one: of several, none is the
/// one that is meant.
const PROSE: &[&str] = &[
    "reasoning",
    "summary",
    "overall_explanation",
    "attestation",
    "description",
    "recommendation",
    "issue",
    "fix",
    "body",
    "what-missing",
    "fix-instruction",
    "evidence",
    "error_summary",
    "skip_reason",
    "next-action",
    "commit_message",
];

impl Mender {
    /// Brings a node into a text.
    pub(super) fn text(&mut self, node: &mut Node<'_>, under: Option<Under<'_>>) {
        match &mut node.value {
            Value::Scalar(scalar) => {
                if !scalar.plain && !matches!(scalar.kind, Meaning::Text | Meaning::Null) {
                    scalar.kind = Meaning::Text;
                    self.note(&kinds::VALUE_FOR_TEXT, node.place);
                }
            }
            Value::List(items) => {
                let is_prose = under.is_some_and(|under| PROSE.contains(&under.key));
                if items.len() > 1 && !is_prose {
                    return;
                }
                let Some(text) = joined(items, under.map(|under| under.place)) else { return };
                *node = text_node(text.into(), node.place);
                self.note(&kinds::LIST_FOR_TEXT, node.place);
            }
            Value::Map(entries) => {
                if under.is_none_or(|under| under.key != "location") {
                    return;
                }
                let Some(text) = location(entries) else { return };
                *node = text_node(text.into(), node.place);
                self.note(&kinds::LOCATION, node.place);
            }
        }
    }
}

/// The texts of a list, a line each. `key` is where the list's key stands: behind it, in brackets
/// and without quotes, are the words of a form (`[Reviewer Name]`).
fn joined(items: &[Node<'_>], key: Option<Place>) -> Option<String> {
    let mut lines = Vec::with_capacity(items.len());
    for item in items {
        let Value::Scalar(Scalar { text, kind, plain, .. }) = &item.value else { return None };
        let may_be_form = *plain && key.is_none_or(|key| key.line == item.place.line);
        if *kind == Meaning::Null || may_be_form || is_placeholder(text) {
            return None;
        }
        lines.push(text.as_ref());
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A part of a location that stands under a key of its own.
enum Part {
    File,
    Line,
    End,
    Column,
}

impl Part {
    fn of(key: &str) -> Option<Self> {
        Some(match key {
            "file" | "path" | "filename" => Self::File,
            "line" | "lines" | "start_line" | "line_start" => Self::Line,
            "end_line" | "line_end" => Self::End,
            "column" | "col" => Self::Column,
            _ => return None,
        })
    }
}

/// Whether `part` under `key` is a part of a location, and no line of a text.
pub fn is_part(key: &str, part: &str) -> bool {
    key == "location" && Part::of(part).is_some()
}

/// `FILE:LINE` of a mapping that names both and nothing else.
fn location(entries: &[Entry<'_>]) -> Option<String> {
    let (mut file, mut line, mut end, mut column) = (None, None, None, None);
    for entry in entries {
        let Value::Scalar(Scalar { text, kind, .. }) = &entry.node.value else { return None };
        let part: &mut Option<&str> = match Part::of(&entry.key)? {
            Part::File => &mut file,
            Part::Line => &mut line,
            Part::End => &mut end,
            Part::Column => &mut column,
        };
        if *kind == Meaning::Null {
            continue;
        }
        if part.replace(text.trim()).is_some() {
            return None;
        }
    }
    let file = file.filter(|file| !file.is_empty() && !file.contains('\n'))?;
    let is_line = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_placeholder(file) || ![line, end, column].into_iter().flatten().all(is_line) {
        return None;
    }
    let mut text = String::from(file);
    if let Some(line) = line.filter(|line| !line.is_empty()) {
        let _ = write!(text, ":{line}");
        if let Some(end) = end.filter(|end| !end.is_empty() && *end != line) {
            let _ = write!(text, "-{end}");
        } else if let Some(column) = column.filter(|column| !column.is_empty()) {
            let _ = write!(text, ":{column}");
        }
    }
    Some(text)
}
