//! A line of a log that stands in a wrapper, and one that is held back. Knows where in its log each
//! of its bytes stands; never what is in it.

use std::cell::{Cell, RefCell};

use crate::record::Place;

/// A line of the log around, with its line end if it has one.
pub struct Line<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    offset: u64,
    start: Place,
    /// The last place that was asked for: a line is gone through from front to back.
    cursor: Cell<(usize, Place)>,
    /// The places after each [`STRIDE`] bytes that were gone through, for the ways back.
    passed: RefCell<Vec<Place>>,
}

/// No way to a place that was passed is longer than this many bytes.
const STRIDE: usize = 4 << 10;

impl<'a> Line<'a> {
    /// The line whose first byte stands at `offset` and `start` of its log.
    pub fn new(bytes: &'a [u8], offset: u64, start: Place) -> Self {
        Self { bytes, offset, start, cursor: Cell::new((0, start)), passed: RefCell::default() }
    }

    /// Its first byte in its log.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes without the line end.
    pub fn text(&self) -> &'a [u8] {
        let text = self.bytes.strip_suffix(b"\n").unwrap_or(self.bytes);
        text.strip_suffix(b"\r").unwrap_or(text)
    }

    /// The same line without its first `length` bytes.
    #[must_use]
    pub fn from(&self, length: usize) -> Self {
        let bytes = self.bytes.get(length..).unwrap_or_default();
        Self::new(bytes, self.offset + length as u64, self.place(length))
    }

    /// The same line, to be looked at once more later.
    pub fn keep(&self) -> Kept {
        Kept { bytes: self.bytes.to_vec(), offset: self.offset, start: self.start }
    }

    /// Where the line stands, without its bytes: for what is put together out of many lines.
    pub fn mark(&self) -> Kept {
        Kept { bytes: Vec::new(), offset: self.offset, start: self.start }
    }

    /// The place of its byte `at` in its log.
    pub(super) fn place(&self, at: usize) -> Place {
        let mut passed = self.passed.borrow_mut();
        let mut last = passed.last().copied().unwrap_or(self.start);
        let ahead = self.bytes.get(passed.len() * STRIDE..at).unwrap_or_default();
        for stride in ahead.chunks_exact(STRIDE) {
            last = on_line(last, stride);
            passed.push(last);
        }
        let strides = (at / STRIDE).min(passed.len());
        let stride = strides.checked_sub(1).and_then(|index| passed.get(index).copied());
        let (from, place) = (strides * STRIDE, stride.unwrap_or(self.start));
        let cursor = self.cursor.get();
        let (from, place) = if (from..=at).contains(&cursor.0) { cursor } else { (from, place) };
        // Only its last byte ends the line.
        let place = on_line(place, self.bytes.get(from..at).unwrap_or_default());
        self.cursor.set((at, place));
        place
    }
}

/// The place behind `text`, which starts at `place` and has no line end but its last byte.
pub(super) fn on_line(place: Place, text: &[u8]) -> Place {
    let chars = text.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    Place { column: place.column + chars as u64, ..place }
}

/// A line that is held back.
#[derive(Debug)]
pub struct Kept {
    bytes: Vec<u8>,
    offset: u64,
    start: Place,
}

impl Kept {
    /// The line.
    pub fn line(&self) -> Line<'_> {
        Line::new(&self.bytes, self.offset, self.start)
    }

    /// Its first byte in its log.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_leads_to_the_same_place() {
        let text = "aé".repeat(3 * STRIDE);
        let start = Place { line: 3, column: 9 };
        let line = Line::new(text.as_bytes(), 0, start);
        let mut at = 0;
        for step in 0..500 {
            at = (at + 7919 + step) % (text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            for at in [at, 0, 3] {
                assert_eq!(line.place(at), on_line(start, &text.as_bytes()[..at]), "{at}");
            }
        }
        assert!(line.passed.borrow().len() > 4, "nothing was passed");
    }
}
