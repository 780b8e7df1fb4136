//! Unwrapping: the wrappers of one input, from the outermost in.
//!
//! Takes the bytes of an input in whatever pieces, and gives those of the log that it carries.
//! Looks for a wrapper in the first lines, and again in what a wrapper gives. An input in no
//! wrapper passes without being copied. Gives the same however the pieces are cut.

use std::borrow::Cow;

use super::{Line, MARK, Origins, Output, Unwrap, WRAPPERS, Wrapper};
use crate::limits::Limits;
use crate::record::Place;

/// Bytes of the start of a line by which a wrapper must know it.
const START: usize = 1 << 10;

/// Lines in which a wrapper is looked for, and their bytes.
const HEAD: (u64, u64) = (20, 64 << 10);

/// The wrappers of an input.
pub struct Unwrapping<'l> {
    limits: &'l Limits,
    stages: Vec<Stage>,
    origins: Origins,
    /// Looks for a further wrapper in what the last stage gives.
    look: Option<Look>,
}

/// Where a byte of a log stands.
#[derive(Clone, Copy)]
struct Position {
    offset: u64,
    place: Place,
    /// Whether the byte before it ends no line.
    within_line: bool,
}

impl Position {
    fn pass(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        self.place = self.place.after(bytes);
        self.within_line = bytes.last().map_or(self.within_line, |last| *last != b'\n');
    }
}

/// A wrapper that is being taken off.
struct Stage {
    wrapper: &'static dyn Wrapper,
    unwrap: Box<dyn Unwrap>,
    /// The line that has no end yet, and where it starts.
    line: Vec<u8>,
    start: Position,
    /// The line was beyond the cap, and passes as it stands.
    passing: bool,
}

/// The search for a wrapper.
struct Look {
    /// The first byte that was not passed on.
    position: Position,
    /// The start of a line that is not decided.
    held: Vec<u8>,
    /// Within a line that was decided.
    within: bool,
    /// Lines that are left of the head, and the byte at which it ends.
    head: Option<(u64, u64)>,
    /// The wrapper that a byte opens anywhere.
    anywhere: Option<(u8, &'static dyn Wrapper)>,
}

impl<'l> Unwrapping<'l> {
    /// Nothing known yet of an input.
    pub fn new(limits: &'l Limits) -> Self {
        let start = Position { offset: 0, place: Place::START, within_line: false };
        let look = Some(Look::new(start, &[]));
        Self { limits, stages: Vec::new(), origins: Origins::default(), look }
    }

    /// Takes the next bytes of the input, and gives the next bytes of the log; nothing where these
    /// are the same.
    pub fn push(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.stages.is_empty()
            && let Some(look) = self.look.as_mut().filter(|look| look.held.is_empty())
        {
            let (passed, found) = look.pass(bytes, false);
            if found.is_none() && passed == bytes.len() {
                return None;
            }
            let mut out = bytes[..passed].to_vec();
            self.go_on(found, &bytes[passed..], false, &mut out);
            return Some(out);
        }
        let mut out = Vec::new();
        self.take(0, bytes, false, &mut out);
        Some(out)
    }

    /// The input ends: gives what was held back.
    pub fn end(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.take(0, b"", true, &mut out);
        out
    }

    /// The way back from the log to the input.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// The way back from the log to the input.
    pub fn into_origins(self) -> Origins {
        self.origins
    }

    /// Whether the input is in a wrapper.
    pub fn is_on(&self) -> bool {
        !self.stages.is_empty()
    }

    /// How many lines of the input were given, the last one counted even if it has no end.
    pub fn lines(&self) -> u64 {
        let first = self.stages.first().map(|stage| stage.start);
        let position = first.or(self.look.as_ref().map(|look| look.position));
        position.map_or(0, |position| position.place.line - u64::from(!position.within_line))
    }

    /// Lets go of what leads back from before byte `before` of the log, which stands at `place`.
    pub fn let_go(&mut self, before: u64, place: Place) {
        let stages = &self.stages;
        self.origins.let_go(before, place, |number| {
            stages.get(number).and_then(|stage| stage.unwrap.held())
        });
    }

    /// Takes what the stage before `number` gives.
    fn take(&mut self, number: usize, bytes: &[u8], ends: bool, out: &mut Vec<u8>) {
        let (origins, cap) = (&mut self.origins, self.limits.frame);
        if let Some(stage) = self.stages.get_mut(number) {
            let given = origins.output(number, |output| stage.push(bytes, ends, cap, output));
            self.take(number + 1, &given, ends, out);
        } else if let Some(look) = &mut self.look {
            let mut bytes = Cow::Borrowed(bytes);
            if !look.held.is_empty() {
                let mut held = std::mem::take(&mut look.held);
                held.extend_from_slice(&bytes);
                bytes = Cow::Owned(held);
            }
            let (passed, found) = look.pass(&bytes, ends);
            out.extend_from_slice(&bytes[..passed]);
            self.go_on(found, &bytes[passed..], ends, out);
        } else {
            out.extend_from_slice(bytes);
        }
    }

    /// Goes on with what was not passed: in the wrapper that was found, or later.
    fn go_on(
        &mut self,
        found: Option<&'static dyn Wrapper>,
        rest: &[u8],
        ends: bool,
        out: &mut Vec<u8>,
    ) {
        let Some(look) = &mut self.look else { return };
        let Some(wrapper) = found else {
            look.held.extend_from_slice(rest);
            return;
        };
        let (number, start) = (self.stages.len(), look.position);
        self.origins.within(start.offset, start.place);
        let unwrap = wrapper.unwrap(self.limits);
        let within = look.head.is_some();
        self.stages.push(Stage { wrapper, unwrap, line: Vec::new(), start, passing: false });
        let may_go_on = within && self.stages.len() < usize::from(self.limits.wrappers);
        self.look = may_go_on.then(|| Look::new(start, &self.stages));
        self.take(number, rest, ends, out);
    }
}

impl Stage {
    fn push(&mut self, mut bytes: &[u8], ends: bool, cap: usize, out: &mut Output) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end + 1);
            if self.line.is_empty() {
                self.take(line, cap, out);
            } else {
                let mut held = std::mem::take(&mut self.line);
                held.extend_from_slice(line);
                self.take(&held, cap, out);
                // The buffer serves the next line as well.
                held.clear();
                self.line = held;
            }
            self.passing = false;
            bytes = rest;
        }
        self.line.extend_from_slice(bytes);
        if self.passing || self.line.len() > cap {
            self.passing = true;
            let line = std::mem::take(&mut self.line);
            self.copy(&line, out);
        }
        if ends {
            let line = std::mem::take(&mut self.line);
            if !line.is_empty() {
                self.take(&line, cap, out);
            }
            self.unwrap.end(out);
        }
    }

    /// Takes a line, or the rest of one that passes.
    fn take(&mut self, bytes: &[u8], cap: usize, out: &mut Output) {
        let own = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if self.passing || own.len() > cap {
            self.copy(bytes, out);
            return;
        }
        let line = Line::new(bytes, self.start.offset, self.start.place);
        let mark = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        if self.unwrap.line(&line.from(mark), out) {
            self.start.pass(bytes);
        } else {
            self.copy(bytes, out);
        }
    }

    /// Gives a line of others, or a part of it, as it stands.
    fn copy(&mut self, bytes: &[u8], out: &mut Output) {
        out.at_no_time();
        out.copy(&Line::new(bytes, self.start.offset, self.start.place), 0..bytes.len());
        self.start.pass(bytes);
    }
}

impl Look {
    /// The search from `position` on, within the wrappers of `stages`.
    fn new(position: Position, stages: &[Stage]) -> Self {
        let is_on =
            |wrapper: &dyn Wrapper| stages.iter().any(|stage| stage.wrapper.id() == wrapper.id());
        let anywhere = WRAPPERS
            .iter()
            .filter(|wrapper| !is_on(**wrapper))
            .find_map(|wrapper| Some((wrapper.opened_by()?, *wrapper)));
        let head = Some((HEAD.0, position.offset + HEAD.1));
        Self { position, held: Vec::new(), within: false, head, anywhere }
    }

    /// How many of these bytes pass, and the wrapper that the next one opens. What does not pass
    /// is to be given again.
    fn pass(&mut self, bytes: &[u8], ends: bool) -> (usize, Option<&'static dyn Wrapper>) {
        let start = self.position.offset;
        let mut at = 0;
        let mut found = None;
        while at < bytes.len() {
            let rest = &bytes[at..];
            if self.within || self.head.is_none() {
                let end = if self.head.is_some() { memchr::memchr(b'\n', rest) } else { None };
                let passed = end.map_or(rest.len(), |end| end + 1);
                let opener = self.anywhere.and_then(|(byte, wrapper)| {
                    Some((memchr::memchr(byte, &rest[..passed])?, wrapper))
                });
                if let Some((length, wrapper)) = opener {
                    at += length;
                    found = Some(wrapper);
                    break;
                }
                at += passed;
                self.within = end.is_none();
                continue;
            }
            let Some((lines, until)) = self.head else { break };
            if lines == 0 || start + at as u64 >= until {
                self.head = None;
                continue;
            }
            let end = memchr::memchr(b'\n', &rest[..rest.len().min(START)]);
            if end.is_none() && !ends && rest.len() < START {
                break;
            }
            found = opened(&rest[..end.unwrap_or(rest.len().min(START))]);
            if found.is_some() {
                break;
            }
            self.within = true;
            self.head = Some((lines - 1, until));
        }
        self.position.pass(&bytes[..at]);
        (at, found)
    }
}

/// The wrapper that a line opens.
fn opened(line: &[u8]) -> Option<&'static dyn Wrapper> {
    let line = line.strip_prefix(MARK).unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    WRAPPERS.iter().copied().find(|wrapper| wrapper.opens(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_beyond_the_cap_passes_as_it_stands() {
        let limits = Limits { frame: 100, ..Limits::default() };
        let entry = |text: &str| {
            format!("{{\"log\":\"{text}\\n\",\"stream\":\"stdout\",\"time\":\"t\"}}\n")
        };
        let long = entry(&"x".repeat(100));
        let text = [entry("a"), long.clone(), entry("b")].concat();
        for size in [1, 7, text.len()] {
            let mut unwrapping = Unwrapping::new(&limits);
            let mut out = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                out.extend(unwrapping.push(piece).unwrap_or_else(|| piece.to_vec()));
            }
            out.extend(unwrapping.end());
            assert_eq!(String::from_utf8(out).unwrap(), format!("a\n{long}b\n"), "{size}");
            assert_eq!((unwrapping.lines(), unwrapping.origins().place(Place::START).line), (3, 1));
        }
    }

    #[test]
    fn what_is_in_no_wrapper_is_not_copied() {
        let limits = Limits::default();
        let mut unwrapping = Unwrapping::new(&limits);
        let log = "{\"type\":\"user\"}\nplain text\n".repeat(5000);
        assert_eq!(unwrapping.push(log.as_bytes()), None);
        assert_eq!(unwrapping.push(b"no line end"), None);
        assert_eq!((unwrapping.end(), unwrapping.is_on()), (Vec::new(), false));
        assert_eq!(unwrapping.lines(), 10_001);
    }
}
