//! Layers: a text within a JSON string within a text …, and the way back to the input's bytes.

use std::borrow::Cow;
use std::ops::Range;

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
        self.edge_around((offset, Edge::Start))
    }

    fn edge_around(&self, (offset, edge): (usize, Edge)) -> usize {
        // What ends where a string ends stands in that one, not in the next.
        let is_before = |start: usize| start < offset || (start == offset && edge == Edge::Start);
        let before = self.starts.partition_point(|(start, _)| is_before(*start));
        let (start, around) = self.starts[before.saturating_sub(1)];
        around + offset - start
    }
}

/// Which edge of a part of a text an offset marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Its first byte.
    Start,
    /// The byte behind its last one.
    End,
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
        self.lead_back(&[(offset, Edge::Start)])[0]
    }

    /// Where a span of this text stands in the input.
    pub fn input_span(&self, span: Range<usize>) -> Range<u64> {
        self.input_spans(std::slice::from_ref(&span)).swap_remove(0)
    }

    /// Where these spans of this text stand in the input, in one pass; they are in order, and none
    /// overlaps another.
    pub fn input_spans(&self, spans: &[Range<usize>]) -> Vec<Range<u64>> {
        let edges = |span: &Range<usize>| [(span.start, Edge::Start), (span.end, Edge::End)];
        let offsets = self.lead_back(&spans.iter().flat_map(edges).collect::<Vec<_>>());
        // Of one that goes over strings in another order than their texts, the start.
        offsets.chunks_exact(2).map(|edges| edges[0]..edges[1].max(edges[0])).collect()
    }

    /// The bytes of the input that these edges come from; they are in rising order.
    fn lead_back(&self, edges: &[(usize, Edge)]) -> Vec<u64> {
        let escaped = |body: &[u8]| {
            let offsets: Vec<_> = edges.iter().map(|(offset, _)| *offset).collect();
            escaped_offsets(body, &offsets).into_iter().zip(edges.iter().map(|(_, edge)| *edge))
        };
        match self {
            Self::Input(start) => edges.iter().map(|(offset, _)| start + *offset as u64).collect(),
            Self::String { body, start, outer } => {
                let around = |(offset, edge)| (start + offset, edge);
                outer.lead_back(&escaped(body).map(around).collect::<Vec<_>>())
            }
            Self::Strings { strings, passed, outer } => {
                let around = |(offset, edge)| (strings.edge_around((passed + offset, edge)), edge);
                let edges: Vec<_> = escaped(&strings.body[*passed..]).map(around).collect();
                // The strings may stand in another order than their texts.
                outer.in_any_order(&edges)
            }
            Self::Unwrapped { origins, passed, outer } => {
                let origin = |&(offset, edge): &(usize, Edge)| {
                    let offset = passed + offset as u64;
                    let origin = match edge {
                        Edge::Start => origins.offset(offset),
                        Edge::End => origins.end(offset),
                    };
                    (origin as usize, edge)
                };
                outer.in_any_order(&edges.iter().map(origin).collect::<Vec<_>>())
            }
        }
    }

    /// The bytes of the input that these edges come from, in whatever order.
    fn in_any_order(&self, edges: &[(usize, Edge)]) -> Vec<u64> {
        if edges.is_sorted_by_key(|(offset, _)| *offset) {
            return self.lead_back(edges);
        }
        let mut order: Vec<_> = (0..edges.len()).collect();
        order.sort_by_key(|index| edges[*index].0);
        let sorted: Vec<_> = order.iter().map(|index| edges[*index]).collect();
        let mut found = vec![0; edges.len()];
        for (index, offset) in order.into_iter().zip(self.lead_back(&sorted)) {
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
        let starts = |layer: Layer<'_>, offsets: &[usize]| -> Vec<_> {
            offsets.iter().map(|offset| layer.input_offset(*offset)).collect()
        };
        let accent = at("\\u00e9");
        assert_eq!(
            starts(layer, &[0, 1, 2, 3, 5, 6]),
            [at("x\\n"), at("\\ny"), at("y\""), accent, at("z\""), at("end"),]
        );
        assert_eq!(starts(layer.from(3), &[0, 2, 3]), [accent, at("z\""), at("end")]);
        assert_eq!(layer.depth(), 1);
        let spans = layer.input_spans(&[0..3, 3..6, 6..9]);
        assert_eq!(spans[..2], [at("x\\n")..at("y\"") + 1, accent..at("z\"") + 1]);
        assert_eq!(spans[2], at("end")..at("end") + 3);
        let turned = Strings::of(&[raws[0], raws[2], raws[1]]);
        let layer = Layer::strings(&turned, &outer);
        assert_eq!(starts(layer, &[2, 3, 6]), [at("y\""), at("end"), accent]);
        let spans = layer.input_spans(&[3..6, 6..9]);
        assert_eq!(spans, [at("end")..at("end") + 3, accent..at("z\"") + 1]);
    }

    #[test]
    fn what_says_nothing_moves_no_end() {
        let frame = br#"{"a": "", "b": "text"}"#;
        let root = Raw::at(frame, 0, 0);
        let raws: Vec<_> = root.entries().map(|(_, value)| value).collect();
        let strings = Strings::of(&[raws[1], raws[0]]);
        let outer = Layer::Input(raws[1].offset as u64);
        let start = raws[1].offset as u64 + 1;
        assert_eq!(Layer::strings(&strings, &outer).input_span(0..4), start..start + 4);
    }
}
