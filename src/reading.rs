//! Reading one input: its bytes, in whatever pieces, through the flow.
//!
//! Takes pieces of bytes in order, gives outcomes with their lines. What is in a wrapper is read as
//! the log that it carries, and records lead back to the input. The walk from hit to hit goes in
//! order, frames are read in parallel. Holds no more of an input than what is not decided yet,
//! and gives the same however the pieces are cut.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use crate::error::Error;
use crate::limits::Limits;
use crate::locate::needles::{self, Hit};
use crate::locate::{Kind, Locator, Spot, Until, Wait};
use crate::pipeline::{Harvest, Options, flow};
use crate::record::{Channel, Place};
use crate::scan::{News, Scan};
use crate::settle::Outcome;
use crate::transcript::frame::Damage;
use crate::transcript::opening::Opening;
use crate::transcript::raw::{End, end_of_value};
use crate::transcript::shape::{self, Shape};
use crate::transcript::{self, Beside, Log, Raw, Session, Transcript};
use crate::window::Window;
use crate::wrapper::Unwrapping;

mod document;

/// What was counted in an input.
#[derive(Default)]
pub struct Tally {
    /// What its frames gave, without the outcomes.
    pub harvest: Harvest,
    /// Lines of the input, or one for a document.
    pub frames: u64,
    /// Frames that were looked into.
    pub frames_parsed: u64,
}

/// Takes an outcome with its line; `None` where all that has arrived is read.
pub type Deliver<'d> = &'d mut dyn FnMut(u64, Option<Outcome>) -> Result<(), Error>;

/// An input that is being read.
pub struct Reading<'o, 'd> {
    name: &'o str,
    options: &'o Options,
    limits: &'o Limits,
    deliver: Deliver<'d>,
    unwrapping: Unwrapping<'o>,
    window: Window,
    shape: Option<Shape>,
    session: Option<Session>,
    beside: Beside,
    /// What the lines are that are no records.
    log: Log,
    /// The search for a line that tells who speaks from there on.
    opening: Option<Opening>,
    locator: Locator<'o>,
    wait: Wait,
    /// Bytes that were not decided when the walk stopped.
    undecided: u64,
    /// A line beyond the cap is passed over up to its end.
    discarding: bool,
    /// Calls whose result is looked for, and the last line to look at.
    awaited: HashMap<String, u64>,
    /// Lines before this byte were looked at, for records or for results.
    looked: u64,
    /// No more bytes will come.
    ended: bool,
    /// The log was read as one document.
    is_document: bool,
    tally: Tally,
}

impl<'o, 'd> Reading<'o, 'd> {
    /// Nothing read yet of the input of this name.
    pub fn new(name: &'o str, options: &'o Options, deliver: Deliver<'d>) -> Self {
        let limits = &options.scope.limits;
        let log = Log::of(name, b"", options.scope.transcript);
        let mut locator = Locator::log(&options.scope.choice, limits);
        locator.channel = log.speaker(b"");
        Self {
            name,
            options,
            limits,
            deliver,
            unwrapping: Unwrapping::new(limits),
            window: Window::default(),
            shape: options.scope.transcript.map(Transcript::shape),
            session: None,
            beside: Beside::default(),
            log,
            opening: options.scope.transcript.is_none().then(Opening::default),
            locator,
            wait: Wait { keep: 0, resume: 0, until: Until::More },
            undecided: 0,
            discarding: false,
            awaited: HashMap::new(),
            looked: 0,
            ended: false,
            is_document: false,
            tally: Tally::default(),
        }
    }

    /// Says where the input stands in the file system.
    pub fn stands_at(&mut self, beside: Beside) {
        self.beside = beside;
    }

    /// Says that all that has arrived was read.
    pub fn pause(&mut self) -> Result<(), Error> {
        let line = self.window.place_at(self.window.base()).line;
        (self.deliver)(line, None)
    }

    /// Says that no more will come, and gives what was counted.
    pub fn end(mut self) -> (Tally, Result<(), Error>) {
        let rest = self.unwrapping.end();
        let result = self.unwrapped(&rest);
        self.ended = true;
        let result = result.and_then(|()| self.step(true));
        let is_one = self.is_document && !self.unwrapping.is_on();
        self.tally.frames = if is_one { 1 } else { self.unwrapping.lines() };
        (self.tally, result)
    }

    /// Takes the next bytes, with the hits in them.
    pub fn push(&mut self, bytes: &[u8], hits: Vec<Hit>) -> Result<(), Error> {
        match self.unwrapping.push(bytes) {
            None => self.read(bytes, hits),
            Some(bytes) => self.unwrapped(&bytes),
        }
    }

    /// Takes the next bytes out of the wrappers.
    fn unwrapped(&mut self, bytes: &[u8]) -> Result<(), Error> {
        for piece in bytes.chunks(self.limits.chunk) {
            self.read(piece, needles::hits(piece, self.window.end()).collect())?;
        }
        Ok(())
    }

    /// Takes the next bytes of the log, with the hits in them.
    fn read(&mut self, bytes: &[u8], mut hits: Vec<Hit>) -> Result<(), Error> {
        let opening = self.opening.as_mut().and_then(|opening| opening.find(bytes));
        let Some((at, format)) = opening else { return self.go_on(bytes, hits) };
        self.opening = None;
        let (before, behind) = bytes.split_at(at);
        let first = self.window.end() + at as u64;
        let later = hits.split_off(hits.partition_point(|hit| hit.at < first));
        // One across the cut is found again where the two parts meet.
        hits.retain(|hit| hit.end <= first);
        self.go_on(before, hits)?;
        // All that comes before is read as it was, however much of it waits for more.
        self.step(false)?;
        self.log = Log { format, ..self.log };
        self.locator.channel = self.log.speaker(b"");
        self.go_on(behind, later)
    }

    /// Takes the next bytes of a log of one format.
    fn go_on(&mut self, bytes: &[u8], hits: Vec<Hit>) -> Result<(), Error> {
        let start = self.window.end();
        let mut from = 0;
        let newline = memchr::memchr(b'\n', bytes);
        if !self.discarding
            && let (Some(record), Some(end)) = (self.window.open_record(), newline)
            && start + end as u64 - record > self.limits.frame as u64
        {
            self.discard(record);
        }
        if self.discarding {
            from = newline.map_or(bytes.len(), |end| end + 1);
            let place = self.window.place_at(start).after(&bytes[..from]);
            self.restart(start + from as u64, place);
            self.discarding = newline.is_none();
        }
        let first = start + from as u64;
        let known = self.window.hits().len();
        self.window.push(&bytes[from..], hits.into_iter().filter(|hit| hit.at >= first));
        let is_hit = self.window.hits().len() > known;
        if self.is_ready(&bytes[from..], is_hit) {
            self.step(false)?;
        } else {
            self.cap();
        }
        Ok(())
    }

    /// Whether what the walk waits for may have come with `bytes`. A long construct that is still
    /// open is not walked again for every few bytes.
    fn is_ready(&self, bytes: &[u8], is_hit: bool) -> bool {
        const SHORT: u64 = 64 << 10;
        let undecided = self.window.end() - self.wait.resume;
        let beyond = undecided > (self.limits.block + needles::longest()) as u64;
        let grown = undecided <= SHORT || undecided >= self.undecided + self.undecided / 4;
        match self.wait.until {
            Until::More => true,
            Until::LineEnd => memchr::memchr(b'\n', bytes).is_some(),
            Until::Needle => is_hit || beyond,
            Until::Byte(byte) => (memchr::memchr(byte, bytes).is_some() && grown) || beyond,
        }
    }

    /// Goes on as far as what has arrived allows.
    fn step(&mut self, ends: bool) -> Result<(), Error> {
        if self.shape.is_none() {
            self.shape = shape::of(self.window.text(), ends);
            if self.shape.is_some() {
                self.open_log();
            }
        }
        match self.shape {
            None => {
                self.cap();
                Ok(())
            }
            Some(Shape::Lines) => self.lines(ends),
            Some(Shape::Document) => {
                let too_large = self.window.text().len() > self.limits.frame;
                if too_large {
                    self.damage(Damage::TooLarge, 0);
                } else if !ends || self.document()? {
                    return Ok(());
                }
                self.shape = Some(Shape::Lines);
                self.lines(ends)
            }
        }
    }

    /// Tells from the first line who speaks in a log of plain text.
    fn open_log(&mut self) {
        if self.log.format.speaker(b"") != Channel::Text {
            return;
        }
        let text = self.window.text();
        let head = &text[shape::skip_padding(text)..];
        let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
        self.log = Log::of(self.name, line, self.options.scope.transcript);
        self.locator.channel = self.log.speaker(b"");
    }

    /// Notes a fault at byte `offset` of the log.
    fn damage(&mut self, damage: Damage, offset: u64) {
        let offset = self.unwrapping.origins().offset(offset);
        self.tally.harvest.damage.entry(damage).or_insert((0, offset)).0 += 1;
    }

    /// Passes over a line that grows beyond the cap.
    fn cap(&mut self) {
        let waits_from = (self.wait.until == Until::LineEnd).then_some(self.wait.resume);
        let Some(start) = self.window.open_record().or(waits_from) else { return };
        if self.window.end() - start > self.limits.frame as u64 {
            self.discard(start);
        }
    }

    /// Lets go of the line that starts at `start`, up to its end.
    fn discard(&mut self, start: u64) {
        self.damage(Damage::TooLarge, start);
        let end = self.window.end();
        let place = self.window.place_at(end);
        self.restart(end, place);
        self.discarding = true;
    }

    /// Goes on at `offset`, which is at `place`, with nothing kept of what is before.
    fn restart(&mut self, offset: u64, place: Place) {
        self.window.restart(offset, place);
        self.unwrapping.let_go(offset, place);
        self.locator.skip_to(offset);
        self.looked = offset;
        self.wait = Wait { keep: offset, resume: offset, until: Until::More };
    }

    /// Walks over lines of text and records.
    fn lines(&mut self, ends: bool) -> Result<(), Error> {
        self.open_session();
        let mut spots = Vec::new();
        let base = self.window.base();
        self.wait = self.locator.walk(self.window.view(ends), self.window.hits(), &mut spots);
        self.undecided = self.window.end() - self.wait.resume;
        if ends {
            self.torn_end(&spots);
            self.tally.harvest.stray(std::mem::take(&mut self.locator.strays));
        }
        let spots: Vec<_> = spots
            .into_iter()
            .map(|spot| {
                let place = self.window.place_at(spot.span.start);
                (spot, place)
            })
            .collect();
        let harvests = self.read_spots(&spots);
        for ((spot, place), harvest) in spots.iter().zip(harvests) {
            self.results(spot.span.start)?;
            self.looked = spot.span.end;
            self.take(harvest, place.line)?;
        }
        self.results(if ends { self.window.end() } else { self.wait.resume })?;
        let mut keep = self.wait.keep;
        if !self.awaited.is_empty() {
            keep = keep.min(self.looked);
        }
        // A record is needed from its start, wherever in it a needle turns up.
        if let Some(start) = self.window.open_record() {
            keep = keep.min(start.max(base));
        }
        self.window.advance(keep.max(base), self.wait.resume);
        self.unwrapping.let_go(self.window.base(), self.window.base_place());
        self.cap();
        Ok(())
    }

    /// Counts a last record that is torn and that nothing else looks into.
    fn torn_end(&mut self, spots: &[Spot]) {
        let Some(start) = self.window.open_record() else { return };
        let line = self.window.from(start);
        let start_of_record = shape::skip_padding(line);
        let looked_into = spots.last().is_some_and(|spot| spot.span.end > start);
        let is_torn = shape::opens_json(line)
            && matches!(end_of_value(&line[start_of_record..], 0), End::Torn | End::Cut);
        if is_torn && !looked_into {
            self.damage(Damage::Torn, start + start_of_record as u64);
        }
    }

    /// What the first record says of all, once it is there. Plain lines may stand before it.
    fn open_session(&mut self) {
        /// A record that starts further on than this is no first one.
        const HEAD: u64 = 1 << 20;
        if self.session.is_some() {
            return;
        }
        let view = self.window.view(self.ended);
        let starts_here = view.opens_line && shape::opens_json(view.text);
        let below = || memchr::memmem::find(view.text, b"\n{").map(|at| at + 1);
        let start = if starts_here { Some(shape::skip_padding(view.text)) } else { below() };
        let Some(line) = start.map(|start| &view.text[start..]) else {
            if self.window.end() > HEAD {
                self.session = Some(Session::default());
            }
            return;
        };
        let end = memchr::memchr(b'\n', line);
        if end.is_some() || self.ended {
            let first = Raw::at(&line[..end.unwrap_or(line.len())], 0, 0);
            // An array of records may stand on one line.
            let first = first.items().next().unwrap_or(first);
            self.session = Some(transcript::of_record(&first).session(&first, &self.beside));
        }
    }

    fn read_spots(&self, spots: &[(Spot, Place)]) -> Vec<Harvest> {
        let (text, base) = (self.window.text(), self.window.base());
        let session = self.session.clone().unwrap_or_default();
        let log = self.log;
        let read = |(spot, place): &(Spot, Place)| {
            flow(self.options, |sink| {
                let mut scan =
                    Scan::new(&self.options.scope, &session, self.name, place.line, sink)
                        .in_log(log);
                match spot.kind {
                    Kind::Frame => {
                        let index = |offset: u64| (offset - base) as usize;
                        let frame = &text[index(spot.span.start)..index(spot.span.end)];
                        scan.line(frame, spot.span.start);
                    }
                    Kind::Block(..) => scan.block(text, base, log, spot, *place),
                }
            })
        };
        if spots.len() < 2 {
            spots.iter().map(read).collect()
        } else {
            spots.par_iter().map(read).collect()
        }
    }

    /// Counts what came of a frame, and hands its outcomes on.
    fn take(&mut self, harvest: Harvest, line: u64) -> Result<(), Error> {
        let Harvest { outcomes, messages, templates, strays, left_out, damage } = harvest;
        let total = &mut self.tally.harvest;
        total.messages += messages;
        total.templates += templates;
        total.strays += strays;
        for (what, count) in left_out {
            *total.left_out.entry(what).or_default() += count;
        }
        for (damage, (count, first)) in damage {
            let first = self.unwrapping.origins().offset(first);
            total.damage.entry(damage).or_insert((0, first)).0 += count;
        }
        self.tally.frames_parsed += 1;
        for mut outcome in outcomes {
            if let Outcome::Record(record, _) = &mut outcome {
                self.unwrapping.origins().lead_back(record);
            }
            let until = line + self.limits.look_ahead;
            let call = match &outcome {
                Outcome::News(News::Submitted { tool_call_id, .. }) => Some(tool_call_id),
                Outcome::Record(record, _) => record.source.tool_call_id.as_ref(),
                Outcome::News(News::Result { tool_call_id, .. }) => {
                    self.awaited.remove(tool_call_id);
                    None
                }
                Outcome::News(News::Call(_)) => None,
            };
            if let Some(call) = call.filter(|call| !call.is_empty()) {
                self.awaited.entry(call.clone()).or_insert(until);
            }
            (self.deliver)(line, Some(outcome))?;
        }
        Ok(())
    }

    /// Looks for results that are awaited, in the lines from where it last looked up to `end`.
    fn results(&mut self, end: u64) -> Result<(), Error> {
        if self.awaited.is_empty() || self.looked >= end {
            self.looked = self.looked.max(end);
            return Ok(());
        }
        let mut line_number = self.window.place_at(self.looked).line;
        let Ok(calls) = AhoCorasick::new(self.awaited.keys()) else { return Ok(()) };
        while self.looked < end {
            self.awaited.retain(|_, until| *until >= line_number);
            if self.awaited.is_empty() {
                self.looked = end;
                break;
            }
            let text = self.window.from(self.looked);
            let limit = (end - self.looked) as usize;
            let length = match memchr::memchr(b'\n', &text[..limit.min(text.len())]) {
                Some(length) => length + 1,
                // The rest of the line is still to come.
                None if end < self.window.end() || !self.ended => break,
                None => limit,
            };
            let line = &text[..length];
            // Only a line that is a record by itself: the parts of a torn one are another matter.
            let record = line[shape::skip_padding(line)..].trim_ascii_end();
            let is_answer = calls.is_match(line)
                && record.starts_with(b"{")
                && end_of_value(record, 0) == End::At(record.len());
            let offset = self.looked;
            self.looked += length as u64;
            if is_answer {
                let session = self.session.clone().unwrap_or_default();
                let line = line.to_vec();
                let harvest = flow(self.options, |sink| {
                    Scan::new(&self.options.scope, &session, self.name, line_number, sink)
                        .in_log(self.log)
                        .frame(&line, offset);
                });
                self.take(harvest, line_number)?;
            }
            line_number += 1;
        }
        Ok(())
    }
}
