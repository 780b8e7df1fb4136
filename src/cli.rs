//! The command line: one declaration, from which parsing and help come.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::record::{Channel, Status};

/// Finds the reviews that agents write inside agent transcripts, checks each against its contract,
/// and writes one normalised NDJSON record per review.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(name = "revextract", version, max_term_width = 100)]
#[command(after_help = "Exit: 0 all inputs were read to their end, whatever was found; 1 what \
    --fail-on asks for was found; 2 wrong usage, or an input could not be read.")]
pub struct Args {
    /// Files and directories to read; `-` is stdin, and so is none at all
    pub paths: Vec<PathBuf>,

    /// Read every record as this format, rather than telling it by its keys; --list transcripts
    /// names them
    #[arg(short, long, value_name = "NAME", help_heading = "Input")]
    pub transcript: Option<String>,

    /// Read the paths that FILE names, one a line; `-` is stdin
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub files_from: Option<PathBuf>,

    /// Name the one input so in records
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub input_name: Option<String>,

    /// Go on as the one input, a plain file, grows, until the program is ended
    #[arg(long, conflicts_with = "output", help_heading = "Input")]
    pub follow: bool,

    /// Look for this contract only (repeatable); weak carriers of it count in logs without roles;
    /// --list contracts names them
    #[arg(short, long, value_name = "NAME", help_heading = "Choice")]
    pub contract: Vec<String>,

    /// Read these channels only
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Choice")]
    pub channel: Vec<Channel>,

    /// Write records of these statuses only
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Choice")]
    pub status: Vec<Status>,

    /// Write templates as well
    #[arg(long, help_heading = "Choice")]
    pub templates: bool,

    /// Read what stands there and mend nothing
    #[arg(long, help_heading = "Choice")]
    pub no_repair: bool,

    /// Leave copies of a review out, or mark them
    #[arg(long, value_enum, default_value_t = Copies::Drop, help_heading = "Choice")]
    pub copies: Copies,

    /// Write in this dialect; --list emitters names them
    #[arg(short, long, value_name = "NAME", default_value = "ndjson", help_heading = "Output")]
    pub emit: String,

    /// Write to FILE, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Add each block's text to its record
    #[arg(long, help_heading = "Output")]
    pub raw: bool,

    /// Write what was read and left out at the end of each input
    #[arg(long, help_heading = "Output")]
    pub end_record: bool,

    /// Keep lines under this many bytes by shortening the longest texts
    #[arg(long, value_name = "BYTES", help_heading = "Output",
        value_parser = clap::value_parser!(u32).range(4096..))]
    pub max_record_bytes: Option<u32>,

    /// Exit with 1 if any of these was found
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum, help_heading = "Verdict")]
    pub fail_on: Vec<FailOn>,

    /// List what there is of a kind
    #[arg(long, value_enum, value_name = "KIND", help_heading = "About")]
    pub list: Option<List>,

    /// Tell what a rule asks for and how to mend what breaks it, or show what a repair does;
    /// --list rules and --list repairs name them
    #[arg(long, value_name = "CODE", help_heading = "About")]
    pub explain: Option<String>,

    /// Print the JSON Schema of the records (`json`), or of a contract (`contract:NAME`)
    #[arg(long, value_name = "WHAT", help_heading = "About")]
    pub print_schema: Option<String>,

    /// Use this many threads; 0 is one per core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, help_heading = "Run")]
    pub threads: usize,

    /// Show colours, where the dialect has any: on a terminal, always or never
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto,
        help_heading = "Run")]
    pub color: Color,

    /// Say nothing on stderr but errors
    #[arg(short, long, help_heading = "Run")]
    pub quiet: bool,

    /// Say on stderr what was read and left out
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Run")]
    pub verbose: bool,
}

/// When colours are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Wherever the output goes.
    Always,
    /// Nowhere.
    Never,
}

/// What to do with copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Copies {
    /// Leave them out, and count them.
    Drop,
    /// Write them with `copy: true`.
    Mark,
}

/// What there are lists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum List {
    /// The contracts.
    Contracts,
    /// The transcript formats.
    Transcripts,
    /// The wrappers.
    Wrappers,
    /// The emitters.
    Emitters,
    /// The rules.
    Rules,
    /// The repairs.
    Repairs,
}

/// What a gate can fail on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A review that says fail.
    Fail,
    /// A hard stop.
    Critical,
    /// A review that asks for a person.
    Escalate,
    /// A review that breaks its contract: invalid, malformed or inconsistent.
    Invalid,
    /// A review without its end.
    Incomplete,
    /// A reviewer's message without its block.
    Missing,
    /// No review at all.
    None,
}
