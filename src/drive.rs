//! The drive: inputs through the flow, in order and in parallel.
//!
//! Takes inputs, gives settled records in the order of the inputs and of the bytes in each,
//! whatever the number of threads and however the bytes arrive. Chunks are read and searched in
//! parallel, frames and small inputs read in parallel; the walk from hit to hit and what hangs on
//! other messages go in order. Holds no more of an input than what is not decided yet.

use std::io;

use rayon::prelude::*;

use crate::emit::EndRecord;
use crate::error::Error;
use crate::input::{self, Input, Meter, Source};
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
            read_alone(&input, options, settle, handler)?;
            continue;
        }
        let reads: Vec<_> = small.par_iter().map(|input| read_small(input, options)).collect();
        for (input, read) in small.iter().zip(reads) {
            match read {
                Some(transcripts) => {
                    for transcript in transcripts {
                        hand_on(transcript, settle, handler)?;
                    }
                }
                None => read_alone(input, options, settle, handler)?,
            }
        }
    }
    Ok(())
}

/// Reads an input as it comes.
fn read_alone(
    input: &Input,
    options: &Options,
    settle: &mut Settle<'_>,
    handler: &mut dyn Handler,
) -> Result<(), Error> {
    let limits = &options.scope.limits;
    let own = name(input, options);
    input::visit(input, &own, limits, &Meter::new(limits), &mut |name, source| {
        let mut end = EndRecord::new(name.to_owned());
        let beside = beside(input, name == own);
        let read = read(name, source, beside, options, &mut |line, outcome| {
            deliver(settle, handler, &mut end, line, outcome)
        });
        finish(settle, handler, end, read)
    })
}

/// A transcript that was read and whose outcomes wait for their turn.
struct Transcript {
    name: String,
    outcomes: Vec<(u64, Option<Outcome>)>,
    read: Outcomes,
}

/// Reads a small input whole. Gives up where it expands to more than a small one may be: nothing
/// that can grow is held in memory.
fn read_small(input: &Input, options: &Options) -> Option<Vec<Transcript>> {
    let limits = &options.scope.limits;
    let meter = Meter::up_to(limits.chunk as u64);
    let mut transcripts = Vec::new();
    let own = name(input, options);
    let visited = input::visit(input, &own, limits, &meter, &mut |name, source| {
        let mut outcomes = Vec::new();
        // Once it is given up, no more of it is wanted.
        if !meter.has_tripped() {
            let beside = beside(input, name == own);
            let read = read(name, source, beside, options, &mut |line, outcome| {
                outcomes.push((line, outcome));
                Ok(())
            });
            transcripts.push(Transcript { name: name.to_owned(), outcomes, read });
        }
        Ok(())
    });
    (visited.is_ok() && !meter.has_tripped()).then_some(transcripts)
}

/// Settles what came of a transcript, and hands it on.
fn hand_on(
    Transcript { name, outcomes, read }: Transcript,
    settle: &mut Settle<'_>,
    handler: &mut dyn Handler,
) -> Result<(), Error> {
    let mut end = EndRecord::new(name);
    for (line, outcome) in outcomes {
        deliver(settle, handler, &mut end, line, outcome)?;
    }
    finish(settle, handler, end, read)
}

fn name(input: &Input, options: &Options) -> String {
    options.input_name.clone().unwrap_or_else(|| input.name())
}

/// Where an input stands in the file system; a member of an archive stands nowhere.
fn beside(input: &Input, is_file: bool) -> Beside {
    match input {
        Input::File(path) | Input::Followed(path) if is_file => Beside::file(path),
        _ => Beside::default(),
    }
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

/// Reads one transcript, if it could be opened.
fn read(
    name: &str,
    source: Result<Source<'_>, (u64, io::Error)>,
    beside: Beside,
    options: &Options,
    deliver: Deliver<'_>,
) -> Outcomes {
    let mut reading = Reading::new(name, options, deliver);
    reading.stands_at(beside);
    let mut bytes = 0;
    let fault = match source {
        Ok(source) => read_chunks(source, name, &mut reading, &mut bytes).err(),
        Err((offset, error)) => Some(Error::input(name, offset, error)),
    };
    let (tally, result) = match &fault {
        // Nobody takes what comes out any more.
        Some(error) if !error.can_continue() => (Tally::default(), Ok(())),
        _ => reading.end(),
    };
    (tally, bytes, result.err().or(fault))
}

fn read_chunks(
    mut source: Source<'_>,
    name: &str,
    reading: &mut Reading<'_, '_>,
    bytes: &mut u64,
) -> Result<(), Error> {
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
