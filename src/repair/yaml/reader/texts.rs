//! Lines that are no keys: those of a text that goes on, and what is held between texts.

use super::Reader;
use crate::contract::Shape;
use crate::parse::{TWO_READINGS, YAML};
use crate::repair::yaml::kinds;
use crate::repair::yaml::line::{Blanks, Key, Line, is_mark};
use crate::repair::yaml::tree::known;
use crate::repair::yaml::value::{Class, OpenScalar, Style};

impl<'t> Reader<'t, '_> {
    /// Takes a line as text: the start of a value that is waited for, or more of the one above.
    pub(super) fn text_line(&mut self, line: Line<'t>, blanks: Blanks) -> Option<()> {
        let place = line.place(blanks.end);
        let end = line.text.len();
        if let Some(key) = Key::at(line.text, blanks.end)
            && key.is_word()
            && stands_in(self.shape, key.name)
        {
            let message = format!(
                "this line is a line of the text above it, or the key `{}` of a mapping that has \
                 ended",
                key.name
            );
            self.fault(&TWO_READINGS, place, message);
            return Some(());
        }
        let is_deeper = self.tree.indent().is_none_or(|indent| blanks.column > indent);
        let own = line.text[blanks.end..].trim_start_matches(['"', '\'']);
        if !is_deeper && self.is_last() && breaks_off_a_key(self.shape, own) {
            self.fault(&YAML, place, "the text ends here, within a key".to_owned());
            return Some(());
        }
        if self.scalar.is_none() {
            if !self.tree.waits() {
                self.fault(&YAML, place, "this line belongs to no key".to_owned());
                return Some(());
            }
            self.release(false);
            if self.tree.indent().is_some_and(|indent| blanks.column <= indent) {
                self.repair(&kinds::CONTINUATION, place);
            }
            self.begin(line, blanks.end, end);
            return Some(());
        }
        let blank = self.release(true);
        let open = self.scalar.as_mut()?;
        let is_indented = open.parent.is_none_or(|parent| blanks.column > parent);
        match &mut open.style {
            Style::Block { indent, lines, has_text, ended, .. } => {
                let (kind, own) = match line.text.strip_prefix('+').filter(|own| {
                    indent.is_some_and(|indent| Blanks::at(own, 0, 0).column + 1 >= indent)
                }) {
                    Some(own) => (&kinds::DIFF_MARK, own),
                    None => (&kinds::BLOCK_SCALAR, line.text),
                };
                // With a tab before the first line nobody counts columns; left of where the header
                // puts it the header is wrong.
                let is_left = indent.is_some_and(|indent| blanks.column < indent);
                if (blanks.tab || is_left) && lines.is_empty() {
                    *indent = None;
                }
                let content = *indent.get_or_insert(blanks.column);
                let own = Blanks::without(own, content);
                *has_text |= !own.is_empty();
                lines.push(own);
                *ended = line.ended;
                open.irregular |= *kind == kinds::BLOCK_SCALAR;
                self.repair(kind, place);
            }
            Style::Plain { commented } => {
                if !is_indented || *commented {
                    open.irregular = true;
                    self.repair(&kinds::CONTINUATION, place);
                }
                self.go_on(line, blanks.end, end, blank, false);
            }
            Style::Broken => self.go_on(line, blanks.end, end, blank, false),
            Style::Quoted(_) => {
                self.repair(&kinds::CONTINUATION, place);
                self.go_on(line, blanks.end, end, blank, false);
            }
        }
        Some(())
    }

    /// Gives the lines that are held to the text above, or passes over them. Gives the number of
    /// blank ones right before this line.
    pub(super) fn release(&mut self, to_text: bool) -> usize {
        let mut held = std::mem::take(&mut self.held);
        if !to_text {
            let own =
                held.iter().take_while(|index| self.is_glued_text(self.lines[**index])).count();
            if own > 0 {
                self.held = held.drain(..own).collect();
                self.release(true);
            }
        }
        let mut blank = 0;
        for index in held {
            let line = self.lines[index];
            let at = Blanks::at(line.text, 0, 0).end;
            let (own, place) = (&line.text[at..], line.place(at));
            if own.is_empty() {
                blank += 1;
            }
            if !to_text {
                let is_usual = own.is_empty()
                    || own.starts_with('#')
                    || (own.trim_end() == "---" && !self.started)
                    || (own.starts_with("...") && self.at >= self.lines.len());
                if !is_usual {
                    self.repair(&kinds::DOCUMENT_MARK, place);
                }
                continue;
            }
            if let Some(OpenScalar {
                style: Style::Block { lines, has_text, indent, .. }, ..
            }) = &mut self.scalar
            {
                *has_text |= !own.is_empty();
                let indent = indent.unwrap_or(0);
                lines.push(Blanks::without(line.text, indent));
                if !own.is_empty() {
                    self.repair(&kinds::BLOCK_SCALAR, place);
                }
            } else if !own.is_empty() {
                let kind = if is_mark(own) { &kinds::DOCUMENT_MARK } else { &kinds::CONTINUATION };
                self.repair(kind, place);
                self.go_on(line, at, line.text.len(), blank, false);
                blank = 0;
            }
        }
        blank
    }
}

impl Reader<'_, '_> {
    /// Whether a line that starts with a number sign and a letter is the last of the text above: no
    /// comment is written so, `#412` and `#include` are.
    fn is_glued_text(&self, line: Line<'_>) -> bool {
        let blanks = Blanks::at(line.text, 0, 0);
        let own = line.text[blanks.end..].strip_prefix('#');
        let is_glued = own.is_some_and(|own| own.starts_with(char::is_alphanumeric));
        is_glued
            && self.scalar.as_ref().is_some_and(|open| match &open.style {
                Style::Block { .. } => open.class == Class::Text,
                Style::Plain { commented: false } => {
                    open.class == Class::Text && open.parent.is_none_or(|p| blanks.column > p)
                }
                _ => false,
            })
    }
}

/// Whether a text is the start of a key that stands somewhere in a review.
fn breaks_off_a_key(shape: &Shape, text: &str) -> bool {
    match shape {
        Shape::List(item) => breaks_off_a_key(item, text),
        Shape::Map(map) => map.fields.iter().any(|(key, shape)| {
            (!text.is_empty() && key.starts_with(text)) || breaks_off_a_key(shape, text)
        }),
        _ => false,
    }
}

/// Whether `name` is a key anywhere in `shape`. A shape is as deep as its contract's schema.
fn stands_in(shape: &Shape, name: &str) -> bool {
    match shape {
        Shape::List(item) => stands_in(item, name),
        Shape::Map(map) => {
            known(map, name, true).is_some()
                || map.fields.iter().any(|(_, field)| stands_in(field, name))
        }
        _ => false,
    }
}
