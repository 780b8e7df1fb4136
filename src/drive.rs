//! The drive: inputs through the flow, in order and in parallel.
//!
//! Takes inputs, gives settled records in the order of the inputs and of the bytes in each,
//! whatever the number of threads and however the bytes arrive. Chunks are read and searched in
//! parallel, frames and small inputs read in parallel; the walk from hit to hit and what hangs on
//! other messages go in order. Holds no more of an input than what is not decided yet.

use rayon::prelude::*;

use crate::emit::EndRecord;
use crate::error::Error;
use crate::input::{Input, Source};
use crate::locate::needles::{self, Hit};
use crate::pipeline::{Harvest, Options};
use crate::reading::{Deliver, Reading, Tally};
use crate::record::Record;
use crate::scan::LeftOut;
use crate::settle::{Outcome, Settle};
use crate::transcript::Beside;
use crate::transcript::frame::Damage;

/// Takes what comes out.
pub trait Handler {
    /// A record, in order.
    fn record(&mut self, record: Record) -> Result<(), Error>;
    /// The end of an input, or of what could be read of it.
    fn end_of_input(&mut self, end: EndRecord, faults: &[(Damage, u64, u64)]) -> Result<(), Error>;
    /// An input could not be read whole.
    fn problem(&mut self, error: Error);
    /// All that has arrived was read: what waits in a buffer is wanted now.
    fn pause(&mut self) -> Result<(), Error>;
}

/// Small inputs are read together, up to this number.
const TOGETHER: usize = 64;

/// Reads all inputs.
pub fn run(
    inputs: impl Iterator<Item = Result<Input, Error>>,
    options: &Options,
    settle: &mut Settle<'_>,
    handler: &mut dyn Handler,
) -> Result<(), Error> {
    let mut inputs = inputs.peekable();
    let is_small =
        |input: &Input| input.size().is_some_and(|size| size <= options.scope.limits.chunk as u64);
    while let Some(input) = inputs.next() {
        let input = match input {
            Ok(input) => input,
            Err(error) => {
                handler.problem(error);
                continue;
            }
        };
        let mut small = Vec::new();
        if is_small(&input) {
            small.push(input.clone());
            while small.len() < TOGETHER {
                match inputs.next_if(|next| next.as_ref().is_ok_and(is_small)) {
                    Some(Ok(next)) => small.push(next),
                    _ => break,
                }
            }
        }
        if small.len() < 2 {
            let mut end = EndRecord::new(name(&input, options));
            let read = read(&input, options, &mut |line, outcome| {
                deliver(settle, handler, &mut end, line, outcome)
            });
            finish(settle, handler, end, read)?;
            continue;
        }
        let reads: Vec<_> = small
            .par_iter()
            .map(|input| {
                let mut outcomes = Vec::new();
                let read = read(input, options, &mut |line, outcome| {
                    outcomes.push((line, outcome));
                    Ok(())
                });
                (outcomes, read)
            })
            .collect();
        for (input, (outcomes, read)) in small.iter().zip(reads) {
            let mut end = EndRecord::new(name(input, options));
            for (line, outcome) in outcomes {
                deliver(settle, handler, &mut end, line, outcome)?;
            }
            finish(settle, handler, end, read)?;
        }
    }
    Ok(())
}

fn name(input: &Input, options: &Options) -> String {
    options.input_name.clone().unwrap_or_else(|| input.name())
}

/// Settles an outcome, and hands on what is settled by it.
fn deliver(
    settle: &mut Settle<'_>,
    handler: &mut dyn Handler,
    end: &mut EndRecord,
    line: u64,
    outcome: Option<Outcome>,
) -> Result<(), Error> {
    let pause = outcome.is_none();
    match outcome {
        Some(outcome) => settle.take(outcome, line),
        None => settle.pass(line),
    }
    while let Some(record) = settle.settled() {
        *end.records.entry(record.status.word()).or_default() += 1;
        handler.record(record)?;
    }
    if pause { handler.pause() } else { Ok(()) }
}

/// Hands on what still waits, and the end of the input.
fn finish(
    settle: &mut Settle<'_>,
    handler: &mut dyn Handler,
    mut end: EndRecord,
    (tally, bytes, error): Outcomes,
) -> Result<(), Error> {
    settle.end();
    deliver(settle, handler, &mut end, u64::MAX, None)?;
    let Harvest { messages, templates, strays, damage, mut left_out, .. } = tally.harvest;
    let faults: Vec<_> =
        damage.into_iter().map(|(damage, (count, first))| (damage, count, first)).collect();
    end.bytes = bytes;
    end.frames = tally.frames;
    end.frames_parsed = tally.frames_parsed;
    end.messages = messages;
    end.templates = templates;
    end.strays = strays;
    end.copies = std::mem::take(&mut settle.copies);
    *left_out.entry(LeftOut::UnknownCaller).or_default() +=
        std::mem::take(&mut settle.unknown_callers);
    left_out.retain(|_, count| *count > 0);
    end.left_out = left_out.into_iter().map(|(what, count)| (what.word(), count)).collect();
    end.damage = faults.iter().map(|(damage, count, _)| (damage.word(), *count)).collect();
    end.complete = error.is_none();
    let fatal = match error {
        Some(error) if error.can_continue() => {
            handler.problem(error);
            None
        }
        error => error,
    };
    handler.end_of_input(end, &faults)?;
    fatal.map_or(Ok(()), Err)
}

/// What came of reading an input: what was counted, its bytes, and why it could not be read whole.
type Outcomes = (Tally, u64, Option<Error>);

/// Reads one input.
fn read(input: &Input, options: &Options, deliver: Deliver<'_>) -> Outcomes {
    let name = name(input, options);
    let mut reading = Reading::new(&name, options, deliver);
    if let Input::File(path) = input {
        reading.stands_at(Beside::file(path));
    }
    let mut bytes = 0;
    let fault = read_chunks(input, &name, options, &mut reading, &mut bytes).err();
    let (tally, result) = match &fault {
        // Nobody takes what comes out any more.
        Some(error) if !error.can_continue() => (Tally::default(), Ok(())),
        _ => reading.end(),
    };
    (tally, bytes, result.err().or(fault))
}

fn read_chunks(
    input: &Input,
    name: &str,
    options: &Options,
    reading: &mut Reading<'_, '_>,
    bytes: &mut u64,
) -> Result<(), Error> {
    let chunk = options.scope.limits.chunk;
    let mut source = Source::open(input, chunk).map_err(|error| Error::input(name, 0, error))?;
    let batch = rayon::current_num_threads().max(1) * 2;
    loop {
        let chunks =
            source.next(batch).map_err(|error| Error::input(name, source.offset(), error))?;
        if chunks.is_empty() {
            return Ok(());
        }
        *bytes = source.offset();
        let hits: Vec<Vec<Hit>> = chunks
            .par_iter()
            .map(|chunk| needles::hits(&chunk.bytes, chunk.offset).collect())
            .collect();
        for (chunk, hits) in chunks.into_iter().zip(hits) {
            reading.push(&chunk.bytes, hits)?;
        }
        reading.pause()?;
    }
}

/// Reads an input that is in memory, in the pieces that it comes in.
pub fn extract<'p>(
    name: &str,
    pieces: impl IntoIterator<Item = &'p [u8]>,
    options: &Options,
) -> (Vec<Record>, EndRecord) {
    struct Records(Vec<Record>, EndRecord);
    impl Handler for Records {
        fn record(&mut self, record: Record) -> Result<(), Error> {
            self.0.push(record);
            Ok(())
        }
        fn end_of_input(&mut self, end: EndRecord, _: &[(Damage, u64, u64)]) -> Result<(), Error> {
            self.1 = end;
            Ok(())
        }
        fn problem(&mut self, _: Error) {}
        fn pause(&mut self) -> Result<(), Error> {
            Ok(())
        }
    }
    let mut records = Records(Vec::new(), EndRecord::new(name.to_owned()));
    let mut settle = Settle::new(&options.scope);
    let mut end = EndRecord::new(name.to_owned());
    let mut offset = 0;
    let mut deliver = |line, outcome| deliver(&mut settle, &mut records, &mut end, line, outcome);
    let mut reading = Reading::new(name, options, &mut deliver);
    let mut fault = None;
    for piece in pieces {
        let hits = needles::hits(piece, offset).collect();
        offset += piece.len() as u64;
        fault = fault.or(reading.push(piece, hits).and_then(|()| reading.pause()).err());
    }
    let (tally, result) = reading.end();
    let outcomes = (tally, offset, result.err().or(fault));
    let _ = finish(&mut settle, &mut records, end, outcomes);
    let Records(records, end) = records;
    (records, end)
}
