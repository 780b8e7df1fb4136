//! A line of a log that stands in a wrapper, and one that is held back. Knows where in its log each
//! of its bytes stands; never what is in it.

use std::cell::Cell;

use crate::record::Place;

/// A line of the log around, with its line end if it has one.
pub struct Line<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    offset: u64,
    start: Place,
    /// The last place that was asked for: a line is gone through from front to back.
    cursor: Cell<(usize, Place)>,
}

impl<'a> Line<'a> {
    /// The line whose first byte stands at `offset` and `start` of its log.
    pub fn new(bytes: &'a [u8], offset: u64, start: Place) -> Self {
        Self { bytes, offset, start, cursor: Cell::new((0, start)) }
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
        let (from, place) = self.cursor.get();
        let (from, place) = if from <= at { (from, place) } else { (0, self.start) };
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
