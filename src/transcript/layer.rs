//! Layers: a text within a JSON string within a text …, and the way back to the input's bytes.

use super::raw::{Raw, escaped_offsets};

/// Where the bytes of a text come from.
#[derive(Clone, Copy)]
pub enum Layer<'a> {
    /// The input itself, from this byte on.
    Input(u64),
    /// A string in an outer text.
    String {
        /// Its escaped text.
        body: &'a [u8],
        /// Where the escaped text starts in the outer text.
        start: usize,
        /// The outer text.
        outer: &'a Layer<'a>,
    },
}

impl<'a> Layer<'a> {
    /// The text of a string that stands at the start of `outer`.
    pub fn string(raw: &Raw<'a>, outer: &'a Layer<'a>) -> Self {
        Self::String { body: raw.body().unwrap_or_default(), start: 1, outer }
    }

    /// The byte of the input that byte `offset` of this text comes from.
    pub fn input_offset(&self, offset: usize) -> u64 {
        self.input_offsets(&[offset])[0]
    }

    /// The bytes of the input that these bytes of this text come from, in one pass; `offsets` are
    /// in rising order.
    pub fn input_offsets(&self, offsets: &[usize]) -> Vec<u64> {
        match self {
            Self::Input(start) => offsets.iter().map(|offset| start + *offset as u64).collect(),
            Self::String { body, start, outer } => {
                let escaped = escaped_offsets(body, offsets);
                let offsets: Vec<_> = escaped.into_iter().map(|offset| start + offset).collect();
                outer.input_offsets(&offsets)
            }
        }
    }

    /// The rest of this text, from its byte `offset` on.
    #[must_use]
    pub fn from(&self, offset: usize) -> Self {
        match *self {
            Self::Input(start) => Self::Input(start + offset as u64),
            Self::String { body, start, outer } => {
                let escaped = escaped_offsets(body, &[offset])[0];
                Self::String { body: &body[escaped..], start: start + escaped, outer }
            }
        }
    }

    /// How many strings were decoded.
    pub fn depth(&self) -> u8 {
        match self {
            Self::Input(_) => 0,
            Self::String { outer, .. } => outer.depth() + 1,
        }
    }
}
