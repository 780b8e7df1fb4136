//! NDJSON: one record a line, in UTF-8. The dialect that everything else starts from.
//!
//! Characters at which other tools end a line or a string (U+0085, U+2028, U+2029, the C1
//! controls, DEL) are escaped. A line that would be longer than its cap has its longest texts
//! shortened, and says `"truncated": true`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

use super::{Emission, Emitter, Page};
use crate::record::{Finding, Record, Review, SCHEMA, Source};

/// NDJSON.
pub struct Ndjson;

impl Emitter for Ndjson {
    fn id(&self) -> &'static str {
        "ndjson"
    }

    fn about(&self) -> &'static str {
        "one JSON record a line, for jq, DuckDB and every other reader"
    }

    fn start(&self, page: Page) -> Box<dyn Emission> {
        Box::new(Lines { line: page.line, buffer: Vec::new() })
    }
}

/// What is known at the end of an input.
#[derive(Debug, Clone, Default, Serialize)]
pub struct EndRecord {
    /// Always `end`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The wire format.
    pub schema: &'static str,
    /// The input's name.
    pub input: String,
    /// Bytes that were read, uncompressed.
    pub bytes: u64,
    /// Frames (lines, or one for a document).
    pub frames: u64,
    /// Frames that were looked into.
    pub frames_parsed: u64,
    /// Messages that were looked into.
    pub messages: u64,
    /// Records by status, copies left out or not as in the output.
    pub records: BTreeMap<&'static str, u64>,
    /// Templates, which are no reviews.
    pub templates: u64,
    /// Copies of reviews.
    pub copies: u64,
    /// Delimiter lines without a block.
    pub strays: u64,
    /// What may hold a review and is not read for one, by kind.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Faults of frames, by kind.
    pub damage: BTreeMap<&'static str, u64>,
    /// Whether the input was read to its end.
    pub complete: bool,
}

impl EndRecord {
    /// Nothing read yet.
    pub fn new(input: String) -> Self {
        Self { kind: "end", schema: SCHEMA, input, ..Self::default() }
    }
}

struct Lines {
    line: usize,
    buffer: Vec<u8>,
}

impl Emission for Lines {
    fn record(&mut self, mut record: Record, out: &mut dyn Write) -> io::Result<()> {
        self.write(&record)?;
        if self.buffer.len() >= self.line {
            record.truncated = true;
            self.shorten(record)?;
        }
        self.buffer.push(b'\n');
        out.write_all(&self.buffer)
    }

    fn end_of_input(&mut self, end: &EndRecord, out: &mut dyn Write) -> io::Result<()> {
        self.write(end)?;
        self.buffer.push(b'\n');
        out.write_all(&self.buffer)
    }
}

impl Lines {
    fn write(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.buffer.clear();
        let mut serializer =
            serde_json::Serializer::with_formatter(&mut self.buffer, SafeFormatter);
        value.serialize(&mut serializer).map_err(io::Error::from)
    }

    /// Shortens the longest texts, then the lists, until the line fits.
    fn shorten(&mut self, record: Record) -> io::Result<()> {
        let mut longest = 0;
        let mut whole = record;
        texts(&mut whole, &mut |text| longest = longest.max(text.len()));
        // The longest length of a text with which the line fits, by halving.
        let (mut fits, mut too_long) = (0, longest);
        while too_long - fits > 1 {
            let length = usize::midpoint(fits, too_long);
            self.write(&shortened(&whole, length, usize::MAX))?;
            if self.buffer.len() < self.line { fits = length } else { too_long = length }
        }
        let mut entries = usize::MAX;
        loop {
            self.write(&shortened(&whole, fits, entries))?;
            if self.buffer.len() < self.line || entries == 0 {
                return Ok(());
            }
            let review = &whole.review;
            let most =
                review.findings.len().max(review.violations.len()).max(review.checklist.len());
            entries = entries.min(most.max(review.suggestions.len())) / 2;
        }
    }
}

/// The record with no text longer than `length` bytes and no list longer than `entries`.
fn shortened(record: &Record, length: usize, entries: usize) -> Record {
    let mut record = record.clone();
    texts(&mut record, &mut |text| {
        if text.len() > length + '…'.len_utf8() {
            let end = (0..=length).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
    });
    let review = &mut record.review;
    review.findings.truncate(entries);
    review.suggestions.truncate(entries);
    review.violations.truncate(entries);
    review.checklist.truncate(entries);
    review.gates.truncate(entries);
    let extra = review.extra.as_ref().and_then(|extra| serde_json::to_string(extra).ok());
    if extra.is_some_and(|extra| extra.len() > length) {
        review.extra = None;
    }
    record
}

/// Every text of a record that may be long.
fn texts(record: &mut Record, each: &mut dyn FnMut(&mut String)) {
    fn finding(finding: &mut Finding, each: &mut dyn FnMut(&mut String)) {
        let texts = [
            &mut finding.severity_raw,
            &mut finding.category,
            &mut finding.message,
            &mut finding.recommendation,
            &mut finding.path,
            &mut finding.location_raw,
            &mut finding.rule,
            &mut finding.requirement,
            &mut finding.scope,
        ];
        texts.into_iter().flatten().for_each(each);
    }
    let Record { review, raw, source, .. } = record;
    let Review {
        verdict_raw,
        reviewer,
        phase,
        summary,
        commit_message,
        findings,
        suggestions,
        checklist,
        gates,
        violations,
        ..
    } = review;
    let texts = [verdict_raw, reviewer, phase, summary, commit_message, raw];
    texts.into_iter().flatten().for_each(&mut *each);
    findings.iter_mut().chain(suggestions).for_each(|entry| finding(entry, each));
    for check in checklist {
        let texts = [&mut check.item, &mut check.evidence, &mut check.reference];
        texts.into_iter().flatten().for_each(&mut *each);
    }
    for gate in gates {
        each(&mut gate.name);
        [&mut gate.status, &mut gate.tool, &mut gate.reason]
            .into_iter()
            .flatten()
            .for_each(&mut *each);
    }
    let Source { session_id, agent, agent_id, message_id, tool_call_id, timestamp, input, .. } =
        source;
    each(input);
    let texts = [session_id, agent, agent_id, message_id, tool_call_id, timestamp];
    texts.into_iter().flatten().for_each(&mut *each);
    for violation in violations {
        each(&mut violation.message);
        each(&mut violation.pointer);
        violation.found.iter_mut().for_each(&mut *each);
    }
}

/// JSON in which no other tool finds the end of a line.
struct SafeFormatter;

impl Formatter for SafeFormatter {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut from = 0;
        let bytes = fragment.as_bytes();
        // All of them but DEL start with one of two bytes.
        for at in memchr::memchr3_iter(0xc2, 0xe2, 0x7f, bytes) {
            let Some(char) = fragment[at..].chars().next() else { break };
            if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}') {
                CompactFormatter.write_string_fragment(out, &fragment[from..at])?;
                write!(out, "\\u{:04x}", u32::from(char))?;
                from = at + char.len_utf8();
            }
        }
        CompactFormatter.write_string_fragment(out, &fragment[from..])
    }
}
