//! Every cap of the program, in one place.
//!
//! A cap is enforced while a buffer fills, never after it: what exceeds one becomes a record or a
//! counted skip with its offset.

/// The caps. [`Limits::default`] is what the command line uses.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes that are read at a time, and the size of a chunk that one thread scans.
    pub chunk: usize,
    /// Bytes of the largest frame (a JSONL line, a JSON document).
    pub frame: usize,
    /// Bytes of the largest block, its delimiters included.
    pub block: usize,
    /// Levels of lists and mappings in a block.
    pub nesting: usize,
    /// Nodes of a block.
    pub nodes: usize,
    /// Layers of JSON strings that are decoded to find a block.
    pub layers: u8,
    /// Bytes of a log without roles that are looked at before a needle, for the start of its block;
    /// half of it for the start of its line, and as much again for the report above a block.
    pub look_back: usize,
    /// Wrappers around one another that are taken off.
    pub wrappers: u8,
    /// Lines after a tool call in which its result is looked for.
    pub look_ahead: u64,
    /// Reviews that are remembered to tell copies from reviews; beyond it the oldest are forgotten.
    /// As many calls of an input are remembered, to name agents and to follow submissions.
    pub remembered: usize,
    /// Bytes of one output line.
    pub record: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            chunk: 4 << 20,
            frame: 256 << 20,
            block: 4 << 20,
            nesting: 64,
            nodes: 100_000,
            layers: 3,
            look_back: 128 << 10,
            wrappers: 4,
            look_ahead: 64,
            remembered: 1 << 20,
            record: 1 << 20,
        }
    }
}
