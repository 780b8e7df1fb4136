//! Emitters: records as bytes of a dialect.
//!
//! An emitter is one file that implements [`Emitter`] and one line in [`EMITTERS`]. It takes
//! records in order and writes them; it never leaves one out without counting it.

use std::io::{self, Write};

use crate::record::Record;

pub mod ndjson;
pub mod pretty;

pub use ndjson::EndRecord;

/// The emitters.
pub static EMITTERS: &[&dyn Emitter] = &[&ndjson::Ndjson, &pretty::Pretty];

/// A dialect.
pub trait Emitter: Sync {
    /// Its name on the command line.
    fn id(&self) -> &'static str;

    /// One line for lists: what it writes and for whom.
    fn about(&self) -> &'static str;

    /// Whether it shows the lines that violations and repairs are about.
    fn shows_excerpts(&self) -> bool {
        false
    }

    /// Starts a document.
    fn start(&self, page: Page) -> Box<dyn Emission>;
}

/// What a document is written on.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Bytes that a line stays under, where a record is a line.
    pub line: usize,
    /// Columns that people see side by side.
    pub width: usize,
    /// Whether it shows colours.
    pub color: bool,
}

/// A document that is being written.
pub trait Emission {
    /// Writes a record.
    fn record(&mut self, record: Record, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what is known at the end of an input.
    fn end_of_input(&mut self, end: &EndRecord, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what stands at the end of the document.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The emitter with this name.
pub fn by_id(id: &str) -> Option<&'static dyn Emitter> {
    EMITTERS.iter().copied().find(|emitter| emitter.id() == id)
}
