//! Finds the reviews that agents write (verdict, score, findings) inside agent transcripts, checks
//! each against its contract, and gives one normalised record per review.
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | container | what a transcript may be kept in: compression, an archive, UTF-16 |
//! | wrapper | what stands around the lines of a log within another one: that of a CI job, of a terminal |
//! | transcript | an input: a session file of an agent tool, a Markdown log, a bare review file |
//! | frame | the unit a transcript is cut into: a JSONL line, a JSON document, a text log |
//! | message | a piece of text or a tool input out of a frame, with its channel and origin |
//! | channel | who speaks: the agent, a sub-agent, a tool, a person … |
//! | block | the bytes that may be a review, with the carrier they came in |
//! | template | a block that is an unfilled form, and no review |
//! | contract | a review format: how to find it, its schema, its rules, its mapping to a record |
//! | record | the normalised review that is written |
//! | copy | the same review of the same session again, elsewhere |
//! | violation | what is wrong with a review |
//! | repair | what was mended to read it |
//! | damage | what is wrong with a frame |
//!
//! # The flow
//!
//! ```text
//!  drive ─ inputs in order, small ones together, chunks searched in parallel
//!    │
//!    │   input ──────→ wrapper ──→ transcript → locate → parse, repair → contract → record → emit
//!    │   bytes out of   lines of    frames,      blocks   Node, mended    violations, review   NDJSON
//!    │   containers     the log     messages
//!    │
//!  reading ─ one input: out of its wrappers, a window on its bytes, the walk from hit to hit,
//!    │         frames in parallel
//!    │         scan     = transcript + locate, through the layers of strings in a frame
//!    │         pipeline = scan → parse, repair → contract → record
//!    │
//!  settle ─ what hangs on other messages: copies, a tool's answer, the name of an agent
//! ```
//!
//! - [`input`] opens paths, directories and stdin, and takes transcripts out of their containers.
//! - [`wrapper`] takes off what stands around the lines of another log. One file per wrapper, in [`WRAPPERS`](wrapper::WRAPPERS).
//! - [`transcript`] says who says what in a frame. One file per format, in [`TRANSCRIPTS`](transcript::TRANSCRIPTS).
//! - [`locate`] finds blocks in a text, from needle to needle.
//! - [`parse`] reads a block into a tree with places, YAML and JSON alike.
//! - [`repair`] reads what is broken or of another shape, names what it mended, and never improves
//!   the outcome. One list of kinds per file, in [`REPAIRS`](repair::REPAIRS).
//! - [`contract`] checks it and reads it into a review. One file per contract, in [`CONTRACTS`](contract::CONTRACTS).
//! - [`record`] is the wire format, and its specification.
//! - [`emit`] writes it. One file per dialect, in [`EMITTERS`](emit::EMITTERS).
//!
//! The four tables are the points of extension: a new wrapper, transcript, contract or emitter is
//! one file and one line in its table, and nothing else knows it by name.
//!
//! # What holds
//!
//! - A broken review is data: a record with violations. An [`error::Error`] means "cannot go on".
//! - The same input gives the same records, to the byte, whatever the number of threads and however
//!   the bytes arrive.
//! - Nothing is left out silently: templates, copies, stray delimiters and damaged frames are
//!   counted in the [`EndRecord`](emit::EndRecord).
//! - Every buffer has a cap in [`limits::Limits`], enforced while it fills. What is beyond a cap is
//!   a record that says so, or counted, or an error of its member, after which the rest is read.
//!
//! # As a library
//!
//! ```
//! use revextract::{drive::extract, pipeline::Options, record::{Status, Verdict}};
//!
//! let log = b"Done.\n\n\
//!     ---sdlc-review-output---\n\
//!     reviewer: \"Security Reviewer\"\n\
//!     phase: \"Phase 4 - Implementation\"\n\
//!     score: 9\n\
//!     verdict: PASS\n\
//!     findings: []\n\
//!     reasoning: \"Every query is bound. Nothing is left open.\"\n\
//!     ---end-sdlc-review-output---\n";
//! let (records, _) = extract("session.md", [&log[..]], &Options::default());
//! assert_eq!(records[0].status, Status::Valid);
//! assert_eq!(records[0].review.verdict, Some(Verdict::Pass));
//! ```

#![forbid(unsafe_code)]

pub mod about;
pub mod cli;
pub mod contract;
pub mod drive;
pub mod emit;
pub mod error;
pub mod input;
pub mod limits;
pub mod locate;
pub mod output;
pub mod parse;
pub mod pipeline;
pub mod reading;
pub mod record;
pub mod repair;
pub mod scan;
pub mod settle;
pub mod transcript;
pub mod window;
pub mod wrapper;
