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
    /// Answers that are streamed at a time in one log; beyond it the oldest is given as it is.
    pub streams: usize,
    /// Lines after a tool call in which its result is looked for.
    pub look_ahead: u64,
    /// Reviews that are remembered to tell copies from reviews; beyond it the oldest are forgotten.
    /// As many calls of an input are remembered, to name agents and to follow submissions.
    pub remembered: usize,
    /// Bytes of memory for the entries of a log of changes that are replayed from one first state on.
    pub replay: usize,
    /// Violations of a review, and as many of its repairs, that people are shown with their line.
    pub excerpts: usize,
    /// Bytes of one output line.
    pub record: usize,
    /// Bytes that a compressed input or an archive may expand to, whatever its size.
    pub expansion: u64,
    /// How many times its size it may expand to beyond that. Both are counted over the whole input.
    pub ratio: u64,
    /// Bombs that are passed over in one input before the rest of it is.
    pub bombs: u64,
    /// Members of an archive, those of archives in it included.
    pub members: u64,
    /// Layers of compression and archives around a transcript.
    pub containers: usize,
    /// Bytes that an xz or zstd decoder keeps to refer back to.
    pub window: u64,
    /// Bytes of a zip that are put aside in a temporary file, where it cannot be read by position.
    pub spool: u64,
    /// Bytes that tell a tar's member, its name included.
    pub header: u64,
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
            streams: 64,
            look_ahead: 64,
            remembered: 1 << 20,
            replay: 256 << 20,
            excerpts: 100,
            record: 1 << 20,
            expansion: 256 << 20,
            ratio: 1000,
            bombs: 4,
            members: 1 << 20,
            containers: 8,
            window: 128 << 20,
            spool: 4 << 30,
            header: 1 << 20,
        }
    }
}
