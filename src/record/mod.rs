//! The record: one review in its normalised form, and the specification of the wire format.
//!
//! A record is one line of JSON. Every key stands on every record, in the order of the fields
//! below; what is not known is `null`, what has no entries is `[]`; a key never changes its type.
//! Keys may be added; a change that breaks readers changes `schema`.
//!
//! # Ids
//!
//! Each id is the first 128 bits of a SHA-256, as 32 lower-case hexadecimal digits. The hashed
//! bytes are the parts named below in UTF-8, with one NUL byte between two parts:
//!
//! | id | parts |
//! |---|---|
//! | `id` | [`SCHEMA`], `source.input`, `source.offset` in decimal, `contract` |
//! | `content_id` | `contract`, the [canonical content](Review::content_id) |
//! | `findings[].id` | `contract`, `path`, `category` (else `rule`), `message` with each run of white space folded to one blank and trimmed, an occurrence number in decimal (from 0) |
//!
//! An absent part is the empty text. The occurrence number tells findings of one review apart
//! whose other parts are the same. Line numbers are no part of a finding's id, so that it survives
//! an edit above it.

use std::ops::Range;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

mod excerpt;
mod ids;
mod words;

pub use excerpt::Excerpt;
pub use ids::record_id;
pub(crate) use words::words;
pub use words::{Basis, Carrier, Channel, Level, Status, Verdict};

use ids::hash;

/// The name and major version of the wire format.
pub const SCHEMA: &str = "revextract/1";

/// A line and a column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
}

impl Place {
    /// The first character.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place behind `text`, which starts here.
    #[must_use]
    pub fn after(self, text: &[u8]) -> Self {
        let (lines, rest, column) = match memchr::memrchr(b'\n', text) {
            Some(end) => (memchr::memchr_iter(b'\n', &text[..=end]).count(), &text[end + 1..], 1),
            None => (0, text, self.column),
        };
        // A byte that goes on with a character is none of its own.
        let chars = rest.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        Self { line: self.line + lines as u64, column: column + chars as u64 }
    }

    /// Where this place of a text is in another one, in which that text starts at `start`.
    #[must_use]
    pub const fn from(self, start: Self) -> Self {
        let column = if self.line == 1 { self.column + start.column - 1 } else { self.column };
        Self { line: self.line + start.line - 1, column }
    }
}

/// What is wrong with a review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Violation {
    /// The rule's stable code; `--explain` tells its meaning.
    pub code: &'static str,
    /// How much it weighs.
    pub level: Level,
    /// Where the rule comes from.
    pub basis: Basis,
    /// The JSON pointer of the node it is about.
    pub pointer: String,
    /// Line from 1: in the input for text, in the decoded message for text inside JSON.
    pub line: Option<u64>,
    /// Column in characters from 1.
    pub column: Option<u64>,
    /// What is wrong, for people.
    pub message: String,
    /// The value found, as text.
    pub found: Option<String>,
}

/// What was mended to read a review.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Repair {
    /// The repair's stable code.
    pub code: &'static str,
    /// Line from 1, as of a violation.
    pub line: u64,
    /// Column in characters from 1.
    pub column: u64,
}

/// One point of a review.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Finding {
    /// Stable over line shifts; see the module's documentation.
    pub id: String,
    /// In one scale: critical, high, medium, low, info.
    pub severity: Option<&'static str>,
    /// As written.
    pub severity_raw: Option<String>,
    /// The reviewer's own heading.
    pub category: Option<String>,
    /// What is wrong.
    pub message: Option<String>,
    /// What to do.
    pub recommendation: Option<String>,
    /// The file, with `/` between its parts; null where the location names no file.
    pub path: Option<String>,
    /// First line, from 1.
    pub line: Option<u64>,
    /// Last line, from 1.
    pub end_line: Option<u64>,
    /// Column, from 1.
    pub column: Option<u64>,
    /// The location as written.
    pub location_raw: Option<String>,
    /// The rule or checklist item that it rests on.
    pub rule: Option<String>,
    /// The requirement that it rests on.
    pub requirement: Option<String>,
    /// The contract's own scope.
    pub scope: Option<String>,
    /// The contract takes no account of it.
    pub ignored: bool,
}

/// An automatic check that a review reports on.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// pass, fail or skipped.
    pub status: Option<String>,
    /// The tool that ran.
    pub tool: Option<String>,
    /// How many errors it gave.
    pub errors: Option<u64>,
    /// How many warnings it gave.
    pub warnings: Option<u64>,
    /// How many tests passed.
    pub passed: Option<u64>,
    /// How many tests failed.
    pub failed: Option<u64>,
    /// How many tests were skipped.
    pub skipped: Option<u64>,
    /// Why it failed or was skipped.
    pub reason: Option<String>,
}

/// An exit criterion that a review ticks off.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Check {
    /// The criterion.
    pub item: Option<String>,
    /// Whether it is met.
    pub satisfied: Option<bool>,
    /// What shows it.
    pub evidence: Option<String>,
    /// Where the criterion stands.
    pub reference: Option<String>,
}

/// A review without its source: what a contract makes of a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Review {
    /// In one scale for all contracts.
    pub verdict: Option<Verdict>,
    /// A hard stop.
    pub critical: bool,
    /// In the contract's own words, as written.
    pub verdict_raw: Option<String>,
    /// What the contract's rules imply, in its own words.
    pub verdict_expected: Option<&'static str>,
    /// As written.
    pub score: Option<i64>,
    /// The end of the score's scale.
    pub score_max: Option<i64>,
    /// Who reviewed.
    pub reviewer: Option<String>,
    /// What was reviewed.
    pub phase: Option<String>,
    /// Which round it is.
    pub iteration: Option<i64>,
    /// The reviewer's own summary.
    pub summary: Option<String>,
    /// What must change.
    pub findings: Vec<Finding>,
    /// What could change; of no weight for the verdict.
    pub suggestions: Vec<Finding>,
    /// Automatic checks.
    pub gates: Vec<Gate>,
    /// Exit criteria.
    pub checklist: Vec<Check>,
    /// Suggested for the commit.
    pub commit_message: Option<String>,
    /// What is wrong with the review.
    pub violations: Vec<Violation>,
    /// What was mended to read it.
    pub repairs: Vec<Repair>,
    /// What the contract allows and the record has no key for.
    pub extra: Option<serde_json::Map<String, serde_json::Value>>,
}

/// The transcript format that a review was read in: its name, with `+lossy` behind it where the
/// text is no longer what was written (a screen that was recorded, say).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The format's name.
    pub id: &'static str,
    /// The text is no longer what was written.
    pub lossy: bool,
}

impl From<&'static str> for Format {
    fn from(id: &'static str) -> Self {
        Self { id, lossy: false }
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.lossy {
            serializer.collect_str(&format_args!("{}+lossy", self.id))
        } else {
            serializer.serialize_str(self.id)
        }
    }
}

/// Where a review stood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    /// The input's name as given.
    pub input: String,
    /// The transcript format.
    pub transcript: Format,
    /// Who spoke.
    pub channel: Channel,
    /// The session that the message is part of.
    pub session_id: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The agent's id within the session.
    pub agent_id: Option<String>,
    /// The message's id.
    pub message_id: Option<String>,
    /// The tool call that carries the block, or that the block is the result of.
    pub tool_call_id: Option<String>,
    /// When, as the transcript says.
    pub timestamp: Option<String>,
    /// Line from 1: of the opener in text, of the frame in a JSON transcript.
    pub line: u64,
    /// First byte of the block in the input, from 0.
    pub offset: u64,
    /// Bytes of the block in the input.
    pub length: u64,
    /// Layers of JSON strings that were decoded.
    pub depth: u8,
    /// The block's number within its message, from 0.
    pub index: u32,
    /// The last block of its reviewer in the message; null where the message has no known end.
    pub last: Option<bool>,
    /// Whether the tool took it; null where nothing says so.
    pub accepted: Option<bool>,
    /// Stands elsewhere too (only with `--copies mark`).
    pub copy: bool,
}

impl Source {
    /// Takes where the block stands in the input.
    pub fn stands_at(&mut self, span: &Range<u64>) {
        (self.offset, self.length) = (span.start, span.end - span.start);
    }
}

/// A review with its source: what is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Stable over splits, retries and threads.
    pub id: String,
    /// The same for the same review, wherever it stands.
    pub content_id: String,
    /// The contract's name.
    pub contract: &'static str,
    /// How the block was carried.
    pub carrier: Carrier,
    /// What is to be said about it against its contract.
    pub status: Status,
    /// The review.
    pub review: Review,
    /// Where it stood.
    pub source: Source,
    /// Texts were shortened to keep the line within its cap.
    pub truncated: bool,
    /// The block's text (only with `--raw`).
    pub raw: Option<String>,
    /// For people, no part of the wire format: what stands where the violations are, each by its
    /// number, and then where the repairs are. Empty where nobody asked.
    pub excerpts: Vec<Option<Excerpt>>,
}

/// The content keys of a record, in their order; one list for the record and for its hash.
macro_rules! content {
    ($out:expr, $review:expr) => {
        $out.serialize_field("score", &$review.score)?;
        $out.serialize_field("score_max", &$review.score_max)?;
        $out.serialize_field("reviewer", &$review.reviewer)?;
        $out.serialize_field("phase", &$review.phase)?;
        $out.serialize_field("iteration", &$review.iteration)?;
        $out.serialize_field("summary", &$review.summary)?;
        $out.serialize_field("findings", &$review.findings)?;
        $out.serialize_field("suggestions", &$review.suggestions)?;
        $out.serialize_field("gates", &$review.gates)?;
        $out.serialize_field("checklist", &$review.checklist)?;
        $out.serialize_field("commit_message", &$review.commit_message)?;
    };
}

impl Record {
    /// The record of a review, with its ids.
    pub fn new(
        contract: &'static str,
        carrier: Carrier,
        status: Status,
        review: Review,
        source: Source,
    ) -> Self {
        Self {
            id: record_id(&source.input, source.offset, contract),
            content_id: review.content_id(contract),
            contract,
            carrier,
            status,
            review,
            source,
            truncated: false,
            raw: None,
            excerpts: Vec::new(),
        }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let review = &self.review;
        let mut out = serializer.serialize_struct("Record", 27)?;
        out.serialize_field("type", "review")?;
        out.serialize_field("schema", SCHEMA)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("content_id", &self.content_id)?;
        out.serialize_field("contract", self.contract)?;
        out.serialize_field("carrier", &self.carrier)?;
        out.serialize_field("status", &self.status)?;
        out.serialize_field("verdict", &review.verdict)?;
        out.serialize_field("critical", &review.critical)?;
        out.serialize_field("verdict_raw", &review.verdict_raw)?;
        out.serialize_field("verdict_expected", &review.verdict_expected)?;
        content!(out, review);
        out.serialize_field("violations", &review.violations)?;
        out.serialize_field("repairs", &review.repairs)?;
        out.serialize_field("extra", &review.extra_text())?;
        out.serialize_field("source", &self.source)?;
        out.serialize_field("truncated", &self.truncated)?;
        if let Some(raw) = &self.raw {
            out.serialize_field("raw", raw)?;
        }
        out.end()
    }
}

/// A review's content, without what depends on where and how it was carried.
struct Content<'a>(&'a Review);

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let review = self.0;
        let mut out = serializer.serialize_struct("Content", 15)?;
        out.serialize_field("verdict", &review.verdict)?;
        out.serialize_field("critical", &review.critical)?;
        out.serialize_field("verdict_raw", &review.verdict_raw)?;
        content!(out, review);
        out.serialize_field("extra", &review.extra_text())?;
        out.end()
    }
}

impl Review {
    /// The numbers of the violations that weigh most, `count` of them at most; as they stand where
    /// they weigh the same.
    pub fn foremost(&self, count: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.violations.len()).collect();
        numbers.sort_by_key(|number| self.violations[*number].level);
        numbers.truncate(count);
        numbers
    }

    /// The record's `extra`: JSON text with its keys in order, or null where there is none.
    fn extra_text(&self) -> Option<String> {
        let extra = self.extra.as_ref().filter(|extra| !extra.is_empty())?;
        let sorted: std::collections::BTreeMap<_, _> = extra.iter().collect();
        Some(serde_json::to_string(&sorted).expect("invariant: a JSON value can be written"))
    }

    /// The id of the review's content under `contract`.
    ///
    /// The canonical content is the JSON object, without blanks, of the record's keys `verdict`,
    /// `critical`, `verdict_raw`, `score`, `score_max`, `reviewer`, `phase`, `iteration`,
    /// `summary`, `findings`, `suggestions`, `gates`, `checklist`, `commit_message` and `extra`, in
    /// this order, with the values of the record before any shortening. What depends on the place
    /// or the carrier (status, violations, repairs, source) is left out, and so is
    /// `verdict_expected`, which follows from the rest.
    pub fn content_id(&self, contract: &str) -> String {
        let content =
            serde_json::to_string(&Content(self)).expect("invariant: a review can be written");
        hash(&[contract, &content])
    }

    /// Gives each finding and suggestion its id, as the module's documentation says.
    pub fn number_findings(&mut self, contract: &str) {
        let mut seen = std::collections::HashMap::new();
        for finding in self.findings.iter_mut().chain(&mut self.suggestions) {
            let folded = finding
                .message
                .as_deref()
                .unwrap_or_default()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let path = finding.path.as_deref().unwrap_or_default();
            let heading =
                finding.category.as_deref().or(finding.rule.as_deref()).unwrap_or_default();
            let occurrence: &mut u32 = seen
                .entry((path.to_owned(), heading.to_owned(), folded.clone()))
                .and_modify(|count| *count += 1)
                .or_default();
            finding.id = hash(&[contract, path, heading, &folded, &occurrence.to_string()]);
        }
    }
}
