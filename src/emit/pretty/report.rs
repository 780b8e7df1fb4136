//! What is wrong with a review and what was mended, each with its line.
//!
//! The layout is that of `annotate-snippets`, which renders rustc's own diagnostics.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{
    AnnotationKind, Group, Level as Weight, Message, Origin, Renderer, Snippet, Title,
};

use super::text::{fold, visible};
use crate::contract::{self, Shape};
use crate::emit::Page;
use crate::error::printable;
use crate::limits::Limits;
use crate::parse::advice::{self, Advice};
use crate::record::{Basis, Excerpt, Level, Record, Repair, Violation};
use crate::repair;

/// Blanks that may stand for what comes before a line.
const MARGIN: usize = 10_000;

/// A record whose faults are to be written.
pub(super) struct Report<'r> {
    pub(super) page: Page,
    pub(super) record: &'r Record,
}

impl Report<'_> {
    /// Writes all of it.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let review = &self.record.review;
        // What a code means is said once.
        let mut known = HashSet::new();
        let numbers = review.foremost(Self::count());
        for number in &numbers {
            let violation = &review.violations[*number];
            let group = self.violation(violation, self.excerpt(*number), &mut known);
            self.render(group, out)?;
        }
        Self::further(review.violations.len(), numbers.len(), "violation", out)?;
        let first = review.violations.len();
        let shown = review.repairs.len().min(Self::count());
        for (number, repair) in review.repairs.iter().take(shown).enumerate() {
            let group = self.repair(repair, self.excerpt(first + number), &mut known);
            self.render(group, out)?;
        }
        Self::further(review.repairs.len(), shown, "repair", out)?;
        Ok(())
    }

    /// How many violations, and how many repairs, are written.
    fn count() -> usize {
        Limits::default().excerpts
    }

    fn further(all: usize, shown: usize, what: &str, out: &mut dyn Write) -> io::Result<()> {
        match all.saturating_sub(shown) {
            0 => Ok(()),
            1 => writeln!(out, "… and 1 more {what}\n"),
            further => writeln!(out, "… and {further} more {what}s\n"),
        }
    }

    fn render(&self, group: Group<'_>, out: &mut dyn Write) -> io::Result<()> {
        let renderer = if self.page.color { Renderer::styled() } else { Renderer::plain() };
        writeln!(out, "{}\n", renderer.term_width(self.page.width).render(&[group]))
    }

    fn excerpt(&self, number: usize) -> Option<&Excerpt> {
        self.record.excerpts.get(number)?.as_ref()
    }

    fn violation<'g>(
        &self,
        violation: &Violation,
        excerpt: Option<&Excerpt>,
        known: &mut HashSet<&'static str>,
    ) -> Group<'g> {
        let advice = excerpt.and_then(|excerpt| advice::of(violation.code, excerpt));
        // The message of a fault of syntax says what to write as well: that is the help here.
        let own = advice.as_ref().filter(|advice| advice.message() == violation.message);
        let title = fold(own.map_or(&violation.message, |advice| &advice.what));
        let level = match violation.level {
            Level::Error => Weight::ERROR,
            Level::Conflict => Weight::ERROR.with_name("conflict"),
            Level::Warning => Weight::WARNING,
            Level::Note => Weight::NOTE,
        };
        let place = violation.line.map(|line| (line, violation.column.unwrap_or(1)));
        // A fault of syntax is at a character; what is found there is the rest of the line.
        let found = violation.found.as_deref().filter(|_| violation.basis != Basis::Syntax);
        let group =
            self.place(level.primary_title(title).id(violation.code), place, excerpt, found);
        let rule = contract::all_rules().iter().find(|rule| rule.code == violation.code);
        let is_new = known.insert(violation.code);
        let asked = excerpt.filter(|_| violation.basis == Basis::Syntax).and_then(|excerpt| {
            let (key, shape) = self.asked(excerpt)?;
            Some(format!("under `{key}` the contract asks for {}", shape.words()?))
        });
        let group = match asked {
            Some(asked) => group.element(self.message(Weight::NOTE, &asked)),
            None => group,
        };
        let why = rule.filter(|_| is_new).map(|rule| rule.meaning);
        let mend = rule.filter(|_| is_new).map(|rule| rule.mend);
        self.explained(group, why, advice.as_ref(), mend)
    }

    /// The key that a line is about, and what its contract has under that name.
    fn asked<'e>(&self, excerpt: &'e Excerpt) -> Option<(&'e str, &'static Shape)> {
        let key = advice::key(excerpt)?;
        let shape = contract::by_id(self.record.contract)?.schema().shape();
        Some((key, shape.named(key)?))
    }

    fn repair<'g>(
        &self,
        repair: &Repair,
        excerpt: Option<&Excerpt>,
        known: &mut HashSet<&'static str>,
    ) -> Group<'g> {
        let kind = repair::all().find(|kind| kind.code == repair.code);
        let meaning = kind.map_or("", |kind| kind.meaning);
        let (title, rest) = meaning.split_once(". ").unwrap_or((meaning, ""));
        let title = Weight::NOTE.with_name("repaired").primary_title(title.trim_end_matches('.'));
        let place = Some((repair.line, repair.column));
        let group = self.place(title.id(repair.code), place, excerpt, None);
        let is_new = known.insert(repair.code);
        let advice = excerpt.and_then(advice::of_line);
        let like = kind
            .filter(|_| is_new)
            .map(|kind| format!("`{}` is read as `{}`", fold(kind.before), fold(kind.after)));
        let why = Some(rest).filter(|rest| is_new && !rest.is_empty());
        self.explained(group, why, advice.as_ref(), like.as_deref())
    }

    /// A title with the place that it is about; `found` is what is marked there.
    fn place<'g>(
        &self,
        title: Title<'g>,
        place: Option<(u64, u64)>,
        excerpt: Option<&Excerpt>,
        found: Option<&str>,
    ) -> Group<'g> {
        let source = &self.record.source;
        let path = fold(&source.input);
        // Lines count in the decoded message there.
        let section = (source.depth > 0).then(|| format!("line {}, in its text", source.line));
        let (line, column) = place.unwrap_or((source.line, 1));
        let Some(excerpt) = excerpt else {
            let origin = Origin::path(path).section(section);
            return title.element(origin.line(line as usize).char_column(column as usize));
        };
        let span = span(excerpt, found);
        let shown = |range: Range<usize>| visible(&excerpt.text[range]);
        // What stood before the line in the input is shown as blanks: columns count from there.
        let margin = (column as usize).saturating_sub(excerpt.column).min(MARGIN);
        let before = " ".repeat(margin) + &shown(0..span.start);
        let marked = shown(span.clone());
        let marks = before.len()..before.len() + marked.len();
        let text = before + &marked + &shown(span.end..excerpt.text.len());
        let snippet = Snippet::source(text)
            .line_start(line as usize)
            .annotation(AnnotationKind::Primary.span(marks));
        if margin + excerpt.column == column as usize {
            return title.element(snippet.path(path).section(section));
        }
        let origin = Origin::path(path).section(section);
        title.element(origin.line(line as usize).char_column(column as usize)).element(snippet)
    }

    /// Adds why something is wrong, and what to write.
    fn explained<'g>(
        &self,
        mut group: Group<'g>,
        why: Option<&str>,
        advice: Option<&Advice>,
        mend: Option<&str>,
    ) -> Group<'g> {
        if let Some(why) = why {
            group = group.element(self.message(Weight::NOTE, why));
        }
        match (advice, mend) {
            (Some(advice), _) => {
                group = group.element(Weight::HELP.message(printable(&advice.edit).into_owned()));
            }
            (None, Some(mend)) => group = group.element(self.message(Weight::HELP, mend)),
            (None, None) => {}
        }
        group
    }

    /// A message, folded to the page.
    fn message<'g>(&self, level: Weight<'g>, text: &str) -> Message<'g> {
        /// What stands before it on each line.
        const SIGN: usize = 16;
        let width = self.page.width.saturating_sub(SIGN).max(40);
        let whole = textwrap::WordSplitter::NoHyphenation;
        let options = textwrap::Options::new(width).break_words(false).word_splitter(whole);
        level.message(textwrap::wrap(text, options).join("\n"))
    }
}

/// What is marked of an excerpt: what was found, where it stands at the place; else a character.
fn span(excerpt: &Excerpt, found: Option<&str>) -> Range<usize> {
    let (at, here) = (excerpt.at(), excerpt.here());
    let quote = usize::from(here.starts_with(['"', '\'']));
    let found = found.filter(|found| !found.is_empty() && here[quote..].starts_with(found));
    let length = match found {
        Some(found) => found.len() + 2 * quote,
        None => here.chars().next().map_or(0, char::len_utf8),
    };
    let end = (at + length).min(excerpt.text.len());
    // The closing quote may be missing, and something else stand there.
    let end = (at..=end).rev().find(|end| excerpt.text.is_char_boundary(*end)).unwrap_or(at);
    at..end
}
