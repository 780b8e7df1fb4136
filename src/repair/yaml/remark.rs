//! The comments beside a value, and whether one of them belongs to it.

use super::kinds;
use super::line::{Blanks, is_blank};
use super::reader::Reader;
use super::scalar::{self, Piece};
use super::value::Class;
use crate::repair::descent;
use crate::repair::remark;

impl<'t> Reader<'t, '_> {
    /// Whether a comment may take back the word beside it, which is the value that is waited for.
    pub fn is_taken_back(&self, word: &str, comment: &str, class: Class) -> bool {
        let key = self.tree.waiting_key();
        match (class, key.filter(|key| remark::is_outcome(key))) {
            (Class::Word, Some(key)) => remark::takes_back(key, word, comment),
            (Class::Word, None) => remark::qualifies(comment),
            (Class::Collection, Some(_)) => {
                remark::is_none(word) && !remark::is_harmless_to_none(comment)
            }
            _ => false,
        }
    }

    /// Whether a comment behind a text is none of it.
    pub fn is_apart(&self, text: &str, at: usize) -> bool {
        let entry = self.tree.awaited_entry();
        let is_entry = entry.is_some_and(|shape| descent::is_entry(shape, self.shape));
        if is_entry && remark::is_none(&text[..at]) {
            return remark::is_harmless_to_none(&text[at..]);
        }
        scalar::is_set_off(text, at)
    }

    /// The comments around a single value: `behind` it, on the lines right below `last` that are
    /// indented deeper than its key, and behind its key where it stands on a line of its own.
    pub fn remarks(&self, behind: &'t str, last: usize) -> Vec<&'t str> {
        let below = self.lines.iter().skip(last + 1).map_while(|line| {
            let blanks = Blanks::at(line.text, 0, 0);
            let is_deeper = self.tree.indent().is_some_and(|indent| blanks.column > indent);
            Some(&line.text[blanks.end..]).filter(|own| is_deeper && own.starts_with('#'))
        });
        let behind = Some(behind.trim_matches(is_blank)).filter(|own| own.starts_with('#'));
        self.remark.into_iter().chain(behind).chain(below).collect()
    }

    /// Adds comments to the word that is open, if one of them may take it back.
    pub fn keep_remarks(&mut self, word: &str, remarks: &[&'t str]) {
        let Some(mut open) = self.scalar.take() else { return };
        if remarks.iter().any(|remark| self.is_taken_back(word, remark, open.class)) {
            self.repair(&kinds::HASH, open.place);
            open.pieces.extend(remarks.iter().map(|text| Piece { blank: 0, text }));
        }
        self.scalar = Some(open);
    }
}
