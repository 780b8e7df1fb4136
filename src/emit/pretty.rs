//! Pretty: reviews for people, in the manner of rustc. Also what a hook hands back to an agent.
//!
//! Takes records, gives for each what the review says in short, then every violation and every
//! repair with its line, a caret under the place, and what to write instead. Long lists are cut
//! with a count. What comes from an input can do nothing to a terminal: control characters are
//! shown, not sent. No wire format: programs read `ndjson`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{Emission, Emitter, EndRecord, Page};
use crate::record::{Finding, Level, Record, Status, Verdict};

mod report;
mod text;

use report::Report;
use text::{fit, fold};

/// Pretty.
pub struct Pretty;

/// Findings of a review that are named.
const FINDINGS: usize = 20;

impl Emitter for Pretty {
    fn id(&self) -> &'static str {
        "pretty"
    }

    fn about(&self) -> &'static str {
        "for people and agents: each review in short, then what is wrong, where, and what to write"
    }

    fn shows_excerpts(&self) -> bool {
        true
    }

    fn start(&self, page: Page) -> Box<dyn Emission> {
        Box::new(Sheet { page, verdicts: BTreeMap::new(), levels: BTreeMap::new(), repairs: 0 })
    }
}

/// A document, and what was counted in it.
struct Sheet {
    page: Page,
    /// Reviews by what they say; `None` is no verdict.
    verdicts: BTreeMap<Option<Verdict>, usize>,
    levels: BTreeMap<Level, usize>,
    repairs: usize,
}

impl Emission for Sheet {
    fn record(&mut self, record: Record, out: &mut dyn Write) -> io::Result<()> {
        let review = &record.review;
        *self.verdicts.entry(review.verdict).or_default() += 1;
        for violation in &review.violations {
            *self.levels.entry(violation.level).or_default() += 1;
        }
        self.repairs += review.repairs.len();
        self.headline(&record, out)?;
        self.findings("finding", &review.findings, out)?;
        self.findings("suggestion", &review.suggestions, out)?;
        writeln!(out)?;
        Report { page: self.page, record: &record }.write(out)
    }

    fn end_of_input(&mut self, end: &EndRecord, out: &mut dyn Write) -> io::Result<()> {
        let EndRecord { input, bytes, templates, copies, strays, complete, .. } = end;
        let records: u64 = end.records.values().sum();
        let whole = if *complete { "" } else { "; it could not be read to its end" };
        writeln!(
            out,
            "{}: {bytes} bytes, {}; {templates} templates, {copies} copies, {strays} stray \
             delimiters left out{whole}\n",
            fold(input),
            counted(records as usize, "review"),
        )
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let total: usize = self.verdicts.values().sum();
        if total == 0 {
            return writeln!(out, "no review was found");
        }
        let verdict = |(verdict, count): (&Option<Verdict>, &usize)| {
            format!("{count} {}", verdict.map_or("without a verdict", Verdict::word))
        };
        let verdicts: Vec<_> = self.verdicts.iter().rev().map(verdict).collect();
        let level = |(level, count): (&Level, &usize)| counted(*count, level.word());
        let mut wrong: Vec<_> = self.levels.iter().map(level).collect();
        if self.repairs > 0 {
            wrong.push(counted(self.repairs, "repair"));
        }
        let (total, verdicts) = (counted(total, "review"), verdicts.join(", "));
        if wrong.is_empty() {
            return writeln!(out, "{total}: {verdicts}");
        }
        writeln!(out, "{total}: {verdicts}; {}", wrong.join(", "))?;
        writeln!(out, "`revextract --explain CODE` tells more about a code in brackets")
    }
}

impl Sheet {
    fn styled(&self, text: &str, style: Style) -> String {
        if self.page.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// What the review says, and where it stands.
    fn headline(&self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let Record { review, source, contract, status, .. } = record;
        let bold = Style::new().bold();
        let color = |color: AnsiColor| bold.fg_color(Some(color.into()));
        let head = self.styled(&format!("review[{contract}]"), color(AnsiColor::BrightCyan));
        let verdict = match review.verdict {
            Some(verdict @ Verdict::Pass) => self.styled(verdict.word(), color(AnsiColor::Green)),
            Some(verdict @ Verdict::Fail) => {
                self.styled(verdict.word(), color(AnsiColor::BrightRed))
            }
            Some(verdict @ Verdict::Escalate) => {
                self.styled(verdict.word(), color(AnsiColor::Yellow))
            }
            None => self.styled("no verdict", bold),
        };
        let critical = if review.critical { ", critical" } else { "" };
        let score = match (review.score, review.score_max) {
            (Some(score), Some(most)) => format!(", {score} of {most}"),
            (Some(score), None) => format!(", score {score}"),
            _ => String::new(),
        };
        let named = [&review.reviewer, &review.phase].into_iter().flatten();
        let who = named.map(|text| fold(text)).collect::<Vec<_>>().join(", ");
        let rest = format!("{critical}{score}, {}", status.word());
        let taken = "review[]: no verdict ()".len() + contract.len() + rest.len();
        let who = match who.as_str() {
            "" => who,
            who => format!(" ({})", fit(who, self.page.width.saturating_sub(taken).max(20))),
        };
        writeln!(out, "{head}: {verdict}{rest}{who}")?;
        let arrow = self.styled("  -->", color(AnsiColor::BrightBlue));
        writeln!(out, "{arrow} {}:{}", fold(&source.input), source.line)?;
        let mut say = |what: String| {
            let sign = self.styled("   =", color(AnsiColor::BrightBlue));
            writeln!(out, "{sign} {what}")
        };
        if let (None, Some(raw)) = (review.verdict, &review.verdict_raw) {
            say(format!("the verdict says `{}`, which does not count", fit(&fold(raw), 60)))?;
        }
        if let Some(expected) = review.verdict_expected
            && review.verdict_raw.as_deref().is_some_and(|raw| raw != expected)
        {
            say(format!("the rules of the contract imply `{expected}`"))?;
        }
        if record.status == Status::Template {
            say("an unfilled form, no review".to_owned())?;
        }
        Ok(())
    }

    /// The findings, a line each.
    fn findings(&self, what: &str, all: &[Finding], out: &mut dyn Write) -> io::Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        let blue = Style::new().bold().fg_color(Some(AnsiColor::BrightBlue.into()));
        writeln!(out, "{} {}", self.styled("   =", blue), counted(all.len(), what))?;
        for finding in all.iter().take(FINDINGS) {
            let raw = finding.severity_raw.as_deref();
            let severity = fit(&fold(finding.severity.or(raw).unwrap_or("-")), 12);
            let place = match (&finding.path, finding.line) {
                (Some(path), Some(line)) => format!("{}:{line}: ", fold(path)),
                (Some(path), None) => format!("{}: ", fold(path)),
                _ => String::new(),
            };
            let message = finding.message.as_deref().unwrap_or("(no text)");
            let line = format!("     {severity:8}  {place}{}", fold(message));
            writeln!(out, "{}", fit(&line, self.page.width))?;
        }
        match all.len().checked_sub(FINDINGS) {
            None | Some(0) => Ok(()),
            Some(further) => writeln!(out, "     … and {further} more"),
        }
    }
}

/// A number of things.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
