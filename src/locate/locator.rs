//! The walk over a text from hit to hit.
//!
//! A text is a whole message, or a log that arrives in pieces. Between two hits nothing is looked
//! at, so a text without reviews costs no more than the search for needles. What a hit leads to is
//! decided by the text before it (as far as the look-back goes) and after it; where the piece ends
//! too early the walk stops there, says what it waits for, and is taken up again with more text.

use std::ops::Range;

use super::enclosing::{self, Enclosing};
use super::needles::{self, Hit, Needle};
use super::{Choice, Kind, Spot, Strays, between, element, fenced, leaked, record, tags};
use crate::limits::Limits;
use crate::record::Channel;
use crate::transcript::shape;

/// A piece of a text.
#[derive(Clone, Copy)]
pub struct View<'t> {
    /// The bytes.
    pub text: &'t [u8],
    /// The offset of the first.
    pub base: u64,
    /// Whether a line starts with the first.
    pub opens_line: bool,
    /// Whether the text ends here.
    pub ends: bool,
}

impl<'t> View<'t> {
    /// A text that is there as a whole.
    pub fn whole(text: &'t [u8]) -> Self {
        Self { text, base: 0, opens_line: true, ends: true }
    }

    pub(super) fn end(&self) -> u64 {
        self.base + self.text.len() as u64
    }

    pub(super) fn get(&self, range: Range<u64>) -> &'t [u8] {
        let index = |offset: u64| {
            usize::try_from(offset.saturating_sub(self.base))
                .unwrap_or(usize::MAX)
                .min(self.text.len())
        };
        &self.text[index(range.start)..index(range.end).max(index(range.start))]
    }

    /// The line that `at` lies in, with its line end; else where it starts, if its end has not
    /// arrived. Its start is no more than `reach` before `at`, but for a line of JSON.
    pub(super) fn line(&self, at: u64, reach: u64) -> Result<Range<u64>, u64> {
        let newline = memchr::memrchr(b'\n', self.get(self.base..at));
        let start = newline.map_or(self.base, |end| self.base + end as u64 + 1);
        let is_start = newline.is_some() || self.opens_line;
        let is_json = is_start && shape::opens_json(self.get(start..at + 1));
        self.line_from(if is_json { start } else { start.max(at.saturating_sub(reach)) }, at)
    }

    /// The line that starts at `start`.
    pub(super) fn line_at(&self, start: u64) -> Result<Range<u64>, u64> {
        self.line_from(start, start)
    }

    fn line_from(&self, start: u64, at: u64) -> Result<Range<u64>, u64> {
        match memchr::memchr(b'\n', self.get(at..self.end())) {
            Some(length) => Ok(start..at + length as u64 + 1),
            None if self.ends => Ok(start..self.end()),
            None => Err(start),
        }
    }
}

/// The bytes of a line without its line end.
pub(super) fn own_text(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// What must arrive before the walk can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Anything: all that is there was decided.
    More,
    /// The end of a line.
    LineEnd,
    /// A delimiter line or the like: something with a needle in it.
    Needle,
    /// One of these bytes.
    Byte(u8),
}

/// Where the walk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The first byte of the text that is needed again.
    pub keep: u64,
    /// The first byte from which on nothing was decided.
    pub resume: u64,
    /// What is waited for.
    pub until: Until,
}

/// The walk over one text.
pub struct Locator<'c> {
    pub(super) choice: &'c Choice,
    /// Who speaks.
    pub channel: Channel,
    pub(super) limits: &'c Limits,
    /// The text is a log: no roles, no known end.
    pub(super) log: bool,
    /// The end of the last thing found: nothing before it is looked at again.
    pub(super) decided: u64,
    /// Up to here there is no fence, object or mapping that a later hit could lie in.
    pub(super) searched: u64,
    /// The end of a delimited block, and the line above it that opens a fence.
    pub(super) fence_around: Option<(u64, Vec<u8>)>,
    /// The end of the last line that closes what no line opened.
    pub(super) closed: u64,
    /// Lines of a log before this byte were looked at for the start of a record.
    pub(super) above: u64,
    /// Where the last line starts, or its rest, that is known to be no record: it may hold many hits.
    no_record: Option<u64>,
    resume: u64,
    /// Where the line starts of the hit that waits for more: looked for from a later hit, less of a
    /// long line would be found.
    waiting: Option<u64>,
    thinking: Option<u64>,
    /// The last tag that closes reasoning, in a message.
    last_close: Option<u64>,
    /// The ends of elements that carry calls.
    ends: element::Ends,
    /// What is left over.
    pub strays: Strays,
}

/// What came of a hit.
pub(super) enum Step {
    /// Nothing.
    Nothing,
    /// Something.
    Found(Spot),
    /// More text is needed.
    Wait(Until),
}

impl<'c> Locator<'c> {
    /// The walk over a whole message on `channel`.
    pub fn message(choice: &'c Choice, channel: Channel, limits: &'c Limits) -> Self {
        Self {
            choice,
            channel,
            limits,
            log: false,
            decided: 0,
            searched: 0,
            fence_around: None,
            closed: 0,
            above: 0,
            no_record: None,
            resume: 0,
            waiting: None,
            thinking: None,
            last_close: None,
            ends: element::Ends::default(),
            strays: Strays::default(),
        }
    }

    /// The walk over a log without roles.
    pub fn log(choice: &'c Choice, limits: &'c Limits) -> Self {
        Self { log: true, ..Self::message(choice, Channel::Text, limits) }
    }

    /// Passes over the text before `offset`.
    pub fn skip_to(&mut self, offset: u64) {
        self.decided = offset;
        self.resume = offset;
        self.waiting = None;
    }

    /// Walks on over the text in `view`; `hits` are those in it, in order.
    pub fn walk(&mut self, view: View<'_>, hits: &[Hit], found: &mut Vec<Spot>) -> Wait {
        let closings: Vec<Hit> = tags::closings(view, hits).collect();
        self.last_close = closings.last().map(|hit| hit.at);
        let found_before = found.len();
        let first = hits.partition_point(|hit| hit.at < self.resume);
        let mut line = 0..0;
        let mut line_close = None;
        let mut until = Until::More;
        // A line that is not decided is needed from its start.
        let mut undecided = u64::MAX;
        // A needle may lie across the end of what has arrived.
        let reach = if view.ends { 0 } else { needles::longest() as u64 - 1 };
        let passed = hits.last().map_or(0, |hit| hit.at + 1);
        self.resume = self.resume.max(passed).max(view.end().saturating_sub(reach));
        for (index, hit) in hits.iter().enumerate().skip(first) {
            if hit.at < self.decided {
                continue;
            }
            if !line.contains(&hit.at) {
                line = match view.line(hit.at, self.near()) {
                    Ok(line) => self.waiting.take().unwrap_or(line.start)..line.end,
                    Err(start) => {
                        self.resume = start.max(self.decided);
                        undecided = self.resume;
                        until = Until::LineEnd;
                        break;
                    }
                };
                line_close = tags::last_meant(view, &closings, &line);
            }
            match self.step(view, &hits[index..], &line) {
                Step::Nothing => {}
                Step::Found(mut spot) => {
                    // The line's rest, if the spot ends within it.
                    let closes_line = line_close.is_some_and(|close| spot.span.end <= close);
                    spot.thinking = self.is_thinking(&spot, closes_line);
                    self.decided = spot.span.end;
                    found.push(spot);
                }
                Step::Wait(what) => {
                    self.resume = hit.at;
                    self.waiting = Some(line.start);
                    undecided = line.start.max(self.decided);
                    until = what;
                    break;
                }
            }
        }
        if !self.log
            && let Some(close) = tags::lone_close(view, hits, &found[found_before..])
        {
            let drafts = found[found_before..].iter_mut();
            drafts.filter(|spot| spot.span.end <= close).for_each(|spot| spot.thinking = true);
        }
        // And the byte before, which tells whether a line starts there.
        let look_back = self.limits.look_back as u64 + 1;
        let keep = self.decided.max(self.resume.saturating_sub(look_back)).min(view.end());
        Wait { keep: keep.min(undecided), resume: self.resume, until }
    }

    fn step(&mut self, view: View<'_>, hits: &[Hit], line: &Range<u64>) -> Step {
        let hit = hits[0];
        let rest = line.start.max(self.decided)..line.end;
        // In a log nobody says anything.
        let is_said = !self.log && super::speaks(self.channel);
        if is_said
            && !self.choice.strict
            && matches!(hit.needle, Needle::Sure)
            && let Some(spot) = leaked::find(self, view, hit.at, line)
        {
            return Step::Found(spot);
        }
        if self.no_record != Some(rest.start) {
            match record::at(self, view, &rest) {
                Ok(Some(spot)) => return Step::Found(spot),
                Ok(None) => self.no_record = Some(rest.start),
                Err(until) => return Step::Wait(until),
            }
        }
        match hit.needle {
            Needle::Thinking => self.tag(view, hit.at, line),
            Needle::Delimiter(contract) => between::step(self, view, hits, line, contract),
            Needle::Sure => {
                let call =
                    is_said.then(|| element::find(&mut self.ends, self.choice, view, hit.at, line));
                match call.flatten() {
                    Some(spot) => Step::Found(spot),
                    None => self.around(view, hit.at, line),
                }
            }
            Needle::Weak if super::speaks(self.channel) || !self.choice.contracts.is_empty() => {
                self.around(view, hit.at, line)
            }
            Needle::Weak | Needle::Record => Step::Nothing,
        }
    }

    /// A tag around reasoning. It closes anywhere; it opens where it starts a line, and in a
    /// message anywhere if a tag that closes follows.
    fn tag(&mut self, view: View<'_>, at: u64, line: &Range<u64>) -> Step {
        if tags::is_quoted(view, at) {
            return Step::Nothing;
        }
        if tags::is_closing(view, at) {
            self.thinking = None;
        } else if view.get(line.start..at).trim_ascii().is_empty()
            || (!self.log && self.last_close.is_some_and(|close| at < close))
        {
            self.thinking = Some(at);
        }
        Step::Nothing
    }

    /// Whether a spot lies in reasoning: after an open tag, or on a line that a lone tag closes.
    fn is_thinking(&self, spot: &Spot, closes_line: bool) -> bool {
        if matches!(spot.kind, Kind::Frame) && self.log {
            return false;
        }
        let limit = self.limits.block as u64;
        let opened =
            self.thinking.is_some_and(|since| (since..=since + limit).contains(&spot.span.start));
        opened || closes_line
    }

    /// How far back the start of a line is looked for, and then the report above it.
    pub(super) fn near(&self) -> u64 {
        if self.log { self.limits.look_back as u64 / 2 } else { u64::MAX }
    }

    /// The text before a block, as far as it is looked at.
    pub(super) fn before(&self, start: u64) -> Range<u64> {
        let from = self.decided.max(start.saturating_sub(self.near()));
        from.min(start)..start
    }

    /// The line above a block, if it opens a fence.
    pub(super) fn line_above(&self, view: View<'_>, start: u64) -> Option<Vec<u8>> {
        if start <= self.decided {
            return None;
        }
        let above = view.line(start - 1, self.near() / 2).ok()?;
        let own = own_text(view.get(above));
        fenced::fence(own).map(|_| own.to_vec())
    }

    /// Whether the line at `start` closes the fence around the block before it. It would otherwise
    /// pass for one that opens.
    pub(super) fn closes_fence_around(&self, start: u64, own: &[u8]) -> bool {
        let around = self.fence_around.as_ref().filter(|(end, _)| *end == start);
        around
            .and_then(|(_, open)| fenced::fence(open))
            .is_some_and(|fence| fence.is_closed_by(own))
    }

    /// The fence, object or mapping around a hit.
    pub(super) fn around(&mut self, view: View<'_>, at: u64, line: &Range<u64>) -> Step {
        let before = view.get(at.saturating_sub(1)..at);
        if at < self.searched || before.first().is_some_and(u8::is_ascii_alphabetic) {
            return Step::Nothing;
        }
        match enclosing::find(self, view, at, line) {
            Enclosing::Found(spot) => Step::Found(spot),
            Enclosing::None(searched) => {
                self.searched = searched;
                Step::Nothing
            }
            Enclosing::Wait(until) => Step::Wait(until),
        }
    }
}
