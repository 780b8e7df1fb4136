//! Layers: a text within a JSON string within a text …, and the way back to the input's bytes.

use std::borrow::Cow;

use super::raw::{Raw, escaped_offsets};
use crate::wrapper::Origins;

/// A text that stands in one JSON string, or in several that follow one another.
pub struct Strings<'a> {
    /// The escaped text.
    pub body: Cow<'a, [u8]>,
    /// Where each string's text starts in `body`, and where in the text around, counted from the
    /// start of the first string.
    starts: Vec<(usize, usize)>,
    /// Whether the end of the last string is there.
    pub whole: bool,
}

impl<'a> Strings<'a> {
    /// The text in these strings; whatever is no string says nothing.
    pub fn of(raws: &[Raw<'a>]) -> Self {
        let first = raws.first().map_or(0, |raw| raw.offset);
        let whole = raws.last().is_none_or(|raw| raw.whole);
        if let [raw] = raws {
            let body = Cow::Borrowed(raw.body().unwrap_or_default());
            return Self { body, starts: vec![(0, 1)], whole };
        }
        let (mut body, mut starts) = (Vec::new(), Vec::with_capacity(raws.len().max(1)));
        if raws.is_empty() {
            starts.push((0, 0));
        }
        for raw in raws {
            // Before the first one there is nothing that a record could start with.
            starts.push((body.len(), (raw.offset + 1).saturating_sub(first)));
            body.extend_from_slice(raw.body().unwrap_or_default());
        }
        Self { body: Cow::Owned(body), starts, whole }
    }

    /// Where byte `offset` of the escaped text stands in the text around, counted from the start of
    /// the first string.
    pub fn around(&self, offset: usize) -> usize {
        let before = self.starts.partition_point(|(start, _)| *start <= offset);
        let (start, around) = self.starts[before.saturating_sub(1)];
        around + offset - start
    }
}

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
    /// Strings in an outer text, as one.
    Strings {
        /// The strings.
        strings: &'a Strings<'a>,
        /// How much of their escaped text stands before this text.
        passed: usize,
        /// The outer text, from the first string on.
        outer: &'a Layer<'a>,
    },
    /// The log in a text that a wrapper stands around.
    Unwrapped {
        /// The way back to that text.
        origins: &'a Origins,
        /// How much of the log stands before this text.
        passed: u64,
        /// That text.
        outer: &'a Layer<'a>,
    },
}

impl<'a> Layer<'a> {
    /// The text of a string that stands at the start of `outer`.
    pub fn string(raw: &Raw<'a>, outer: &'a Layer<'a>) -> Self {
        Self::String { body: raw.body().unwrap_or_default(), start: 1, outer }
    }

    /// The text of `strings`, the first of which stands at the start of `outer`.
    pub fn strings(strings: &'a Strings<'a>, outer: &'a Layer<'a>) -> Self {
        Self::Strings { strings, passed: 0, outer }
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
            Self::Strings { strings, passed, outer } => {
                let escaped = escaped_offsets(&strings.body[*passed..], offsets);
                let offsets: Vec<_> =
                    escaped.into_iter().map(|offset| strings.around(passed + offset)).collect();
                // The strings may stand in another order than their texts.
                outer.in_any_order(&offsets)
            }
            Self::Unwrapped { origins, passed, outer } => {
                let origin = |offset: &usize| origins.offset(passed + *offset as u64) as usize;
                outer.in_any_order(&offsets.iter().map(origin).collect::<Vec<_>>())
            }
        }
    }

    /// The bytes of the input that these bytes of this text come from, in whatever order.
    fn in_any_order(&self, offsets: &[usize]) -> Vec<u64> {
        if offsets.is_sorted() {
            return self.input_offsets(offsets);
        }
        let mut order: Vec<_> = (0..offsets.len()).collect();
        order.sort_by_key(|index| offsets[*index]);
        let sorted: Vec<_> = order.iter().map(|index| offsets[*index]).collect();
        let mut found = vec![0; offsets.len()];
        for (index, offset) in order.into_iter().zip(self.input_offsets(&sorted)) {
            found[index] = offset;
        }
        found
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
            Self::Strings { strings, passed, outer } => {
                let escaped = escaped_offsets(&strings.body[passed..], &[offset])[0];
                Self::Strings { strings, passed: passed + escaped, outer }
            }
            Self::Unwrapped { origins, passed, outer } => {
                Self::Unwrapped { origins, passed: passed + offset as u64, outer }
            }
        }
    }

    /// How many strings were decoded.
    pub fn depth(&self) -> u8 {
        match self {
            Self::Input(_) => 0,
            Self::String { outer, .. } | Self::Strings { outer, .. } => outer.depth() + 1,
            Self::Unwrapped { outer, .. } => outer.depth(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_lead_back_to_where_each_stands() {
        let frame = br#"{"a": "x\ny", "b": "\u00e9z", "c": "end"}"#;
        let root = Raw::at(frame, 0, 0);
        let raws: Vec<_> = root.entries().map(|(_, value)| value).collect();
        let strings = Strings::of(&raws);
        assert_eq!(super::super::raw::unescape(&strings.body), "x\nyézend");
        let outer = Layer::Input(100 + raws[0].offset as u64);
        let layer = Layer::strings(&strings, &outer);
        let at = |text: &str| 100 + memchr::memmem::find(frame, text.as_bytes()).unwrap() as u64;
        assert_eq!(
            layer.input_offsets(&[0, 1, 2, 3, 5, 6]),
            [at("x\\n"), at("\\ny"), at("y\""), at("\\u00e9"), at("z\""), at("end"),]
        );
        assert_eq!(layer.from(3).input_offsets(&[0, 2, 3]), [at("\\u00e9"), at("z\""), at("end")]);
        assert_eq!(layer.depth(), 1);
        let turned = Strings::of(&[raws[0], raws[2], raws[1]]);
        let layer = Layer::strings(&turned, &outer);
        assert_eq!(layer.input_offsets(&[2, 3, 6]), [at("y\""), at("end"), at("\\u00e9")]);
    }
}
