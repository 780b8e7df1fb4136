//! Origins: the way back from an unwrapped log to the input.
//!
//! Takes the pieces of which an unwrapped log is put together, each with its place in the log
//! around it, and gives for a byte, a line and column or a span of the one those of the other. Never
//! holds text; lets go of what lies before the window.

use std::collections::VecDeque;
use std::ops::Range;

use super::line::{Line, on_line};
use crate::record::{Place, Record, record_id};

/// A run of unwrapped text whose bytes stand one after the other in the log around; its first
/// character may be written as an escape there.
#[derive(Debug, Clone)]
struct Segment {
    /// Its first byte in the unwrapped text.
    at: u64,
    place: Place,
    /// The same byte in the log around.
    from: u64,
    origin: Place,
    /// Bytes of what the escape stands for; none where there is no escape.
    lead: u16,
    /// Bytes of the escape.
    width: u16,
    /// The byte after the last one, in the log around.
    to: u64,
}

impl Segment {
    fn origin_of(&self, at: u64) -> u64 {
        let run = at.saturating_sub(self.at);
        let (lead, width) = (u64::from(self.lead), u64::from(self.width));
        let from = if run < lead { self.from } else { self.from + width + (run - lead) };
        from.min(self.to)
    }

    fn place_of(&self, place: Place) -> Place {
        if place.line > self.place.line {
            return Place { line: self.origin.line + place.line - self.place.line, ..place };
        }
        let run = place.column.saturating_sub(self.place.column);
        let escape = if run > 0 { u64::from(self.width.saturating_sub(1)) } else { 0 };
        Place { column: self.origin.column + run + escape, ..self.origin }
    }
}

/// The way back from an unwrapped text to the log around it.
#[derive(Debug)]
struct Trail {
    segments: VecDeque<Segment>,
    /// Nothing may be joined to the last segment.
    sealed: bool,
    /// From which byte on which time stands; an empty one is none.
    times: VecDeque<(u64, Box<str>)>,
    /// From here on the text is no longer what was written.
    lossy: Option<u64>,
    end: u64,
    end_place: Place,
}

impl Trail {
    /// The first `end` bytes, up to `place`, are the same in both.
    fn same(end: u64, place: Place) -> Self {
        let mut trail = Self {
            segments: VecDeque::new(),
            sealed: false,
            times: VecDeque::new(),
            lossy: None,
            end,
            end_place: place,
        };
        if end > 0 {
            let (at, start) = (0, Place::START);
            trail.push(Segment {
                at,
                place: start,
                from: 0,
                origin: start,
                lead: 0,
                width: 0,
                to: end,
            });
        }
        trail
    }

    fn push(&mut self, segment: Segment) {
        self.segments.push_back(segment);
    }

    /// The segment of byte `at`.
    fn segment(&self, at: u64) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.at <= at);
        self.segments.get(after.saturating_sub(1))
    }

    fn offset(&self, at: u64) -> u64 {
        self.segment(at).map_or(at, |segment| segment.origin_of(at))
    }

    /// Where what ends just before byte `end` ends in the log around.
    fn end_of(&self, end: u64) -> u64 {
        let Some(last) = end.checked_sub(1) else { return self.offset(end) };
        self.segment(last).map_or(end, |segment| {
            if last.saturating_sub(segment.at) < u64::from(segment.lead) {
                segment.from + u64::from(segment.width)
            } else {
                segment.origin_of(end)
            }
        })
    }

    /// A place in what ends just before byte `end`. The end itself stands behind the last byte: what
    /// comes next may not have arrived.
    fn place(&self, place: Place, end: u64) -> Place {
        let is_before = |segment: &Segment| segment.place <= place && segment.at < end;
        let after = self.segments.partition_point(is_before);
        self.segments.get(after.saturating_sub(1)).map_or(place, |segment| segment.place_of(place))
    }

    /// The time of the line of byte `at`.
    fn time(&self, at: u64) -> Option<&str> {
        let after = self.times.partition_point(|(start, _)| *start <= at);
        let time = self.times.get(after.checked_sub(1)?).map(|(_, time)| &**time);
        time.filter(|time| !time.is_empty())
    }

    /// Lets go of what leads back from before byte `before`, which stands at `place`.
    fn let_go(&mut self, before: u64, place: Option<Place>) {
        let done = self.segments.partition_point(|segment| segment.at <= before);
        self.segments.drain(..done.saturating_sub(1));
        // A segment of many lines is cut, so that it holds no more of the log around than it must.
        if let (Some(first), Some(place)) = (self.segments.front_mut(), place)
            && first.at < before
            && before - first.at >= u64::from(first.lead)
        {
            *first = Segment {
                at: before,
                place,
                from: first.origin_of(before),
                origin: first.place_of(place),
                lead: 0,
                width: 0,
                to: first.to,
            };
        }
        let done = self.times.partition_point(|(start, _)| *start <= before);
        self.times.drain(..done.saturating_sub(1));
    }
}

/// What a wrapper gives: text that is put together from pieces of lines.
#[derive(Debug)]
pub struct Output {
    bytes: Vec<u8>,
    trail: Trail,
}

impl Default for Output {
    fn default() -> Self {
        Self { bytes: Vec::new(), trail: Trail::same(0, Place::START) }
    }
}

impl Output {
    /// Gives bytes of `line` as they stand.
    pub fn copy(&mut self, line: &Line<'_>, range: Range<usize>) {
        let Some(bytes) = line.bytes.get(range.clone()).filter(|bytes| !bytes.is_empty()) else {
            return;
        };
        let (from, origin) = (line.offset() + range.start as u64, line.place(range.start));
        let to = from + bytes.len() as u64;
        match self.trail.segments.back_mut() {
            Some(last) if last.to == from && !self.trail.sealed => last.to = to,
            _ => {
                let (at, place) = (self.trail.end, self.trail.end_place);
                self.trail.push(Segment { at, place, from, origin, lead: 0, width: 0, to });
            }
        }
        self.trail.sealed = false;
        self.add(bytes);
    }

    /// Gives `text` for the escape of it that stands in `line`.
    pub fn decoded(&mut self, text: &str, line: &Line<'_>, escape: Range<usize>) {
        if text.is_empty() {
            return;
        }
        let (from, origin) = (line.offset() + escape.start as u64, line.place(escape.start));
        let short = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        self.trail.push(Segment {
            at: self.trail.end,
            place: self.trail.end_place,
            from,
            origin,
            lead: short(text.len()),
            width: short(escape.len()),
            to: from + escape.len() as u64,
        });
        // Only behind one character on the same line do columns run on.
        self.trail.sealed = text == "\n" || text.chars().count() > 1;
        self.add(text.as_bytes());
    }

    /// Gives what was put together apart from it.
    pub fn append(&mut self, other: Self) {
        let (at, place) = (self.trail.end, self.trail.end_place);
        let Trail { segments, times, lossy, sealed, .. } = other.trail;
        self.trail.segments.extend(segments.into_iter().map(|segment| Segment {
            at: segment.at + at,
            place: segment.place.from(place),
            ..segment
        }));
        self.trail.sealed = sealed;
        self.trail.times.extend(times.into_iter().map(|(start, time)| (start + at, time)));
        self.trail.lossy = self.trail.lossy.or(lossy.map(|since| since + at));
        self.add(&other.bytes);
    }

    /// Says that nothing tells when what comes next was written.
    pub fn at_no_time(&mut self) {
        if !self.trail.times.is_empty() {
            self.at_time(b"");
        }
    }

    /// Says when what comes next was written.
    pub fn at_time(&mut self, time: &[u8]) {
        let end = self.trail.end;
        let time = String::from_utf8_lossy(time);
        match self.trail.times.back_mut() {
            Some((_, last)) if **last == *time => {}
            Some((start, last)) if *start == end => *last = time.into(),
            _ => self.trail.times.push_back((end, time.into())),
        }
    }

    /// Says that from here on the text is no longer what was written.
    pub fn is_lossy(&mut self) {
        self.trail.lossy.get_or_insert(self.trail.end);
    }

    /// The first byte in the log around of what was given, if anything was.
    pub fn origin(&self) -> Option<u64> {
        self.trail.segments.front().map(|first| first.from)
    }

    /// How many bytes were given and not taken yet.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was given that was not taken yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn add(&mut self, bytes: &[u8]) {
        /// Between escapes stand a few bytes each: a loop is faster there than a search.
        const SHORT: usize = 32;
        self.bytes.extend_from_slice(bytes);
        self.trail.end += bytes.len() as u64;
        let ends_line = matches!(bytes, [.., b'\n']);
        let place = self.trail.end_place;
        self.trail.end_place = if ends_line || bytes.len() > SHORT {
            place.after(bytes)
        } else {
            bytes.iter().fold(place, |place, byte| match byte {
                b'\n' => Place { line: place.line + 1, column: 1 },
                byte => on_line(place, &[*byte]),
            })
        };
    }
}

/// The way back through all wrappers of an input, the outermost first.
#[derive(Debug, Default)]
pub struct Origins {
    trails: Vec<Trail>,
}

impl Origins {
    /// Adds a wrapper within the others. What came before it, `end` bytes up to `place`, has no
    /// such wrapper.
    pub(super) fn within(&mut self, end: u64, place: Place) {
        self.trails.push(Trail::same(end, place));
    }

    /// What the wrapper of this number gives, while `put` puts it together.
    pub(super) fn output(&mut self, number: usize, put: impl FnOnce(&mut Output)) -> Vec<u8> {
        let Some(trail) = self.trails.get_mut(number) else { return Vec::new() };
        let trail = std::mem::replace(trail, Trail::same(0, Place::START));
        let mut output = Output { bytes: Vec::new(), trail };
        put(&mut output);
        self.trails[number] = output.trail;
        output.bytes
    }

    /// The byte of the input that byte `at` of the text comes from.
    pub fn offset(&self, at: u64) -> u64 {
        self.trails.iter().rev().fold(at, |at, trail| trail.offset(at))
    }

    /// The byte of the input behind what ends just before byte `end` of the text.
    pub fn end(&self, end: u64) -> u64 {
        self.trails.iter().rev().fold(end, |end, trail| trail.end_of(end))
    }

    /// The place in the input of a place in the text.
    pub fn place(&self, place: Place) -> Place {
        self.place_before(place, u64::MAX)
    }

    /// Where a place stands of what ends just before byte `end`.
    fn place_before(&self, place: Place, end: u64) -> Place {
        let from = (place, end);
        let outwards = |(place, end): (Place, u64), trail: &Trail| {
            (trail.place(place, end), if end == u64::MAX { end } else { trail.end_of(end) })
        };
        self.trails.iter().rev().fold(from, outwards).0
    }

    /// When byte `at` of the text was written, as the innermost wrapper says that knows.
    pub fn time(&self, mut at: u64) -> Option<&str> {
        for trail in self.trails.iter().rev() {
            if let Some(time) = trail.time(at) {
                return Some(time);
            }
            at = trail.offset(at);
        }
        None
    }

    /// Whether the text before byte `end` is no longer what was written.
    pub fn are_lossy(&self, mut end: u64) -> bool {
        for trail in self.trails.iter().rev() {
            if trail.lossy.is_some_and(|since| since < end) {
                return true;
            }
            end = trail.end_of(end);
        }
        false
    }

    /// Says of a record that was read in the text where it stands in the input.
    pub fn lead_back(&self, record: &mut Record) {
        if self.trails.is_empty() {
            return;
        }
        let source = &mut record.source;
        let (start, end) = (source.offset, source.offset + source.length);
        if source.timestamp.is_none() {
            source.timestamp = self.time(start).map(str::to_owned);
        }
        source.transcript.lossy |= self.are_lossy(end);
        source.offset = self.offset(start);
        source.length = self.end(end).saturating_sub(source.offset);
        source.line = self.place_before(Place { line: source.line, column: 1 }, end).line;
        // What stands in a string counts in that string.
        if source.depth == 0 {
            for violation in &mut record.review.violations {
                let Some(line) = violation.line else { continue };
                let column = violation.column.unwrap_or(1);
                let place = self.place_before(Place { line, column }, end);
                violation.line = Some(place.line);
                violation.column = violation.column.map(|_| place.column);
            }
            for repair in &mut record.review.repairs {
                let place = Place { line: repair.line, column: repair.column };
                let place = self.place_before(place, end);
                (repair.line, repair.column) = (place.line, place.column);
            }
        }
        record.id = record_id(&source.input, source.offset, record.contract);
    }

    /// Lets go of what leads back from before byte `before` of the text, which stands at `place`,
    /// but for what the wrapper of a number still holds.
    pub(super) fn let_go(
        &mut self,
        mut before: u64,
        place: Place,
        held: impl Fn(usize) -> Option<u64>,
    ) {
        let mut place = Some(place);
        for (number, trail) in self.trails.iter_mut().enumerate().rev() {
            trail.let_go(before, place);
            if number == 0 {
                break;
            }
            // Lines may have changed places.
            let first = trail.segments.iter().min_by_key(|segment| segment.from);
            let held = held(number);
            let Some(first) = first.filter(|first| held.is_none_or(|held| first.from <= held))
            else {
                before = held.unwrap_or(0);
                place = None;
                continue;
            };
            (before, place) = (first.from, Some(first.origin));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_lead_back_to_where_they_stand() {
        let first = Line::new(b"1 ab\\u00e9c\n", 0, Place::START);
        let second = Line::new("2 d\u{e9}f\n".as_bytes(), 12, Place { line: 2, column: 1 });
        let mut output = Output::default();
        output.copy(&first, 2..4);
        output.decoded("\u{e9}", &first, 4..10);
        output.copy(&first, 10..12);
        output.at_time(b"12:00");
        output.copy(&second, 2..7);
        let text = "ab\u{e9}c\nd\u{e9}f\n";
        assert_eq!(output.bytes, text.as_bytes());
        let origins = Origins { trails: vec![output.trail] };
        let came: Vec<_> = [0, 2, 4, 5, 6, 7, 9].map(|at| origins.offset(at)).into();
        assert_eq!(came, [2, 4, 10, 11, 14, 15, 17]);
        assert_eq!([4, 5, 6, 11].map(|end| origins.end(end)), [10, 11, 12, 19]);
        let place = |line, column| {
            let place = origins.place(Place { line, column });
            (place.line, place.column)
        };
        assert_eq!([place(1, 1), place(1, 3), place(1, 4)], [(1, 3), (1, 5), (1, 11)]);
        assert_eq!([place(2, 1), place(2, 3)], [(2, 3), (2, 5)]);
        assert_eq!((origins.time(3), origins.time(8)), (None, Some("12:00")));
    }

    #[test]
    fn what_was_put_together_apart_is_moved() {
        let line = Line::new(b"xy\n", 40, Place { line: 5, column: 1 });
        let mut held = Output::default();
        held.is_lossy();
        held.decoded("\n", &line, 0..1);
        held.copy(&line, 1..3);
        let mut output = Output::default();
        output.copy(&line, 1..2);
        output.append(held);
        assert_eq!(output.bytes, b"y\ny\n");
        let mut origins = Origins { trails: vec![output.trail] };
        assert_eq!(origins.place(Place { line: 2, column: 1 }), Place { line: 5, column: 2 });
        assert_eq!([0, 1, 2].map(|at| origins.offset(at)), [41, 40, 41]);
        assert_eq!((origins.are_lossy(1), origins.are_lossy(2)), (false, true));
        origins.let_go(2, Place { line: 2, column: 1 }, |_| None);
        assert_eq!((origins.trails[0].segments.len(), origins.offset(2)), (1, 41));
        assert_eq!(origins.place(Place { line: 2, column: 1 }), Place { line: 5, column: 2 });
    }

    #[test]
    fn a_long_segment_holds_little_of_the_log_around() {
        let mut origins = Origins::default();
        origins.within(0, Place::START);
        origins.within(0, Place::START);
        for number in 1..=100 {
            let start = |line| Place { line, column: 1 };
            let around = Line::new(b"- x\n", (number - 1) * 4, start(number));
            origins.output(0, |output| output.copy(&around, 2..4));
            let within = Line::new(b"x\n", (number - 1) * 2, start(number));
            origins.output(1, |output| output.copy(&within, 0..2));
            origins.let_go((number - 1) * 2, start(number), |_| None);
            assert!(origins.trails.iter().all(|trail| trail.segments.len() <= 2));
            assert_eq!(origins.offset((number - 1) * 2), (number - 1) * 4 + 2);
            assert_eq!(origins.place(start(number)), Place { line: number, column: 3 });
        }
    }
}
