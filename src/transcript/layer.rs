//! Layers: a text within a JSON string within a text …, and the way back to the input's bytes.

use super::raw::{Raw, escaped_offset};

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
    /// A part of an outer text, as it stands.
    Part {
        /// Where it starts in the outer text.
        start: usize,
        /// The outer text.
        outer: &'a Layer<'a>,
    },
}

impl<'a> Layer<'a> {
    /// The text of a string in an outer text.
    pub fn string(raw: &Raw<'a>, outer: &'a Layer<'a>) -> Self {
        Self::String { body: raw.body().unwrap_or_default(), start: raw.offset + 1, outer }
    }

    /// The byte of the input that byte `offset` of this text comes from.
    pub fn input_offset(&self, offset: usize) -> u64 {
        match self {
            Self::Input(start) => start + offset as u64,
            Self::String { body, start, outer } => {
                outer.input_offset(start + escaped_offset(body, offset))
            }
            Self::Part { start, outer } => outer.input_offset(start + offset),
        }
    }

    /// How many strings were decoded.
    pub fn depth(&self) -> u8 {
        match self {
            Self::Input(_) => 0,
            Self::String { outer, .. } => outer.depth() + 1,
            Self::Part { outer, .. } => outer.depth(),
        }
    }
}
