//! The window on an input: the bytes that are not decided yet, with the hits in them.
//!
//! Takes chunks in order, gives one contiguous text. A needle that lies across two chunks is found
//! where they meet, so that it does not matter how an input is cut.

use bytes::{Buf, BytesMut};

use crate::locate::View;
use crate::locate::needles::{self, Hit};
use crate::record::Place;
use crate::transcript::shape;

/// The bytes from `base` on that have arrived and were not let go.
pub struct Window {
    bytes: BytesMut,
    base: u64,
    /// The place of byte `base`.
    place: Place,
    /// A byte further on, and its place.
    cursor: (u64, Place),
    /// Whether a line starts with byte `base`.
    opens_line: bool,
    /// Where the last line starts that has no end yet.
    last_line: u64,
    /// Its first byte that is no padding.
    last_start: Option<u8>,
    hits: Vec<Hit>,
}

impl Default for Window {
    /// An empty window at the start of an input.
    fn default() -> Self {
        Self {
            bytes: BytesMut::new(),
            base: 0,
            place: Place::START,
            cursor: (0, Place::START),
            opens_line: true,
            last_line: 0,
            last_start: None,
            hits: Vec::new(),
        }
    }
}

impl Window {
    /// The bytes.
    pub fn text(&self) -> &[u8] {
        &self.bytes
    }

    /// What is there of the text, and whether that is all.
    pub fn view(&self, ends: bool) -> View<'_> {
        View { text: &self.bytes, base: self.base, opens_line: self.opens_line, ends }
    }

    /// Where the last line starts that has no end yet, if it starts as JSON does or has not yet
    /// started.
    pub fn open_record(&self) -> Option<u64> {
        let is_there = self.last_line > self.base || self.opens_line;
        let may_be = self.last_start.is_none_or(|first| matches!(first, b'{' | b'['));
        (is_there && may_be).then_some(self.last_line)
    }

    /// The offset of the first byte.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The place of the first byte.
    pub fn base_place(&self) -> Place {
        self.place
    }

    /// The offset after the last byte.
    pub fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// The hits in it, in order.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// The bytes from `start` on.
    pub fn from(&self, start: u64) -> &[u8] {
        let start = usize::try_from(start.saturating_sub(self.base)).unwrap_or(usize::MAX);
        &self.bytes[start.min(self.bytes.len())..]
    }

    /// Takes the next bytes, with the hits within them.
    pub fn push(&mut self, bytes: &[u8], hits: impl IntoIterator<Item = Hit>) {
        let joint = self.end();
        let reach = needles::longest() - 1;
        let left = self.bytes.len().saturating_sub(reach);
        let mut across = self.bytes[left..].to_vec();
        across.extend_from_slice(&bytes[..reach.min(bytes.len())]);
        let base = self.base + left as u64;
        self.hits
            .extend(needles::hits(&across, base).filter(|hit| hit.at < joint && hit.end > joint));
        self.hits.extend(hits);
        self.bytes.extend_from_slice(bytes);
        if let Some(end) = memchr::memrchr(b'\n', bytes) {
            self.last_line = joint + end as u64 + 1;
            self.last_start = None;
        }
        if self.last_start.is_none() {
            let fresh = self.from(self.last_line.max(joint));
            self.last_start = fresh.get(shape::skip_padding(fresh)).copied();
        }
    }

    /// Lets go what lies before `keep`; hits before `resume` are not needed again.
    pub fn advance(&mut self, keep: u64, resume: u64) {
        self.place = self.place_at(keep);
        let count = usize::try_from(keep - self.base).unwrap_or(usize::MAX).min(self.bytes.len());
        if count > 0 {
            self.opens_line = self.bytes[count - 1] == b'\n';
        }
        self.bytes.advance(count);
        self.base = keep;
        if self.cursor.0 < keep {
            self.cursor = (keep, self.place);
        }
        let done = self.hits.partition_point(|hit| hit.at < resume);
        self.hits.drain(..done);
    }

    /// Lets go everything, and goes on at `offset`, which is at `place`.
    pub fn restart(&mut self, offset: u64, place: Place) {
        self.bytes.clear();
        self.hits.clear();
        self.base = offset;
        self.place = place;
        self.cursor = (offset, place);
        self.opens_line = true;
        self.last_line = offset;
        self.last_start = None;
    }

    /// The place of byte `at`.
    pub fn place_at(&mut self, at: u64) -> Place {
        let (from, place) = if at >= self.cursor.0 { self.cursor } else { (self.base, self.place) };
        let index = |offset: u64| (offset - self.base) as usize;
        let place = place.after(&self.bytes[index(from)..index(at)]);
        self.cursor = (at, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_is_found_however_the_text_is_cut() {
        let text = b"one verdict two\nsdlc-review-output three workflow-reviewer-x\nverdict";
        let whole: Vec<_> = needles::hits(text, 0).map(|hit| (hit.at, hit.end)).collect();
        assert_eq!(whole.len(), 4);
        for size in 1..text.len() {
            let mut window = Window::default();
            let mut offset = 0;
            for piece in text.chunks(size) {
                window.push(piece, needles::hits(piece, offset).collect::<Vec<_>>());
                offset += piece.len() as u64;
            }
            let cut: Vec<_> = window.hits().iter().map(|hit| (hit.at, hit.end)).collect();
            assert_eq!(cut, whole, "pieces of {size}");
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let mut window = Window::default();
        window.push(b"a\nb\nc\nd", []);
        assert_eq!(window.place_at(4).line, 3);
        assert_eq!(window.place_at(0).line, 1);
        window.advance(2, 2);
        assert_eq!(window.place_at(6).line, 4);
        assert_eq!(window.place_at(2).line, 2);
    }
}
