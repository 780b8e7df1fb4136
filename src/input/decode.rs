//! Decoders of compressed streams and of UTF-16.
//!
//! Takes a stream, gives what it stands for, as far as what has come allows, and everything up to a
//! fault before the fault. Holds no more than the format's window, which has a cap. Engines are
//! driven by hand, since the readers of their crates lose what they decoded in the call that fails.

use std::io::{self, BufRead, Read};

use encoding_rs_io::DecodeReaderBytes;
use flate2::{Decompress, FlushDecompress};
use lzma_rust2::{Action, XzStream};

use super::magic::Kind;
use super::stream::{Fault, Stream};
use super::zstd::Zstd;
use crate::limits::Limits;

/// What an engine did with what it was given.
struct Step {
    taken: usize,
    given: usize,
    /// Whether the stream is at its end.
    ended: Result<bool, Fault>,
}

/// Decodes from memory to memory.
trait Engine {
    /// Whether a step that fails loses what it decoded. Its steps are cut evenly then, so that as much
    /// is lost however the bytes arrive.
    fn loses(&self) -> bool {
        false
    }

    fn step(&mut self, input: &[u8], output: &mut [u8], ends: bool) -> Step;
}

/// Starts a stream.
type Start = fn(&Limits) -> Box<dyn Engine>;

/// What a stream of this kind stands for; the stream itself where it is not compressed. `many` says
/// that another one may follow it.
pub fn open<'m>(
    kind: Kind,
    stream: Stream<'m>,
    limits: &'m Limits,
    many: bool,
) -> Box<dyn Read + 'm> {
    match kind {
        Kind::Gzip => Box::new(Decoder::new(stream, gzip, limits, many)),
        Kind::Bzip2 => Box::new(Decoder::new(stream, bzip2, limits, many)),
        Kind::Xz => Box::new(Decoder::new(stream, xz, limits, many)),
        Kind::Zstd => Box::new(Zstd::new(stream, limits)),
        Kind::Utf16 => Box::new(DecodeReaderBytes::new(stream)),
        _ => Box::new(stream),
    }
}

/// What a deflate stream without a header stands for.
pub fn deflate<'m>(stream: Stream<'m>, limits: &'m Limits) -> Box<dyn Read + 'm> {
    Box::new(Decoder::new(stream, raw_deflate, limits, false))
}

fn gzip(_: &Limits) -> Box<dyn Engine> {
    Box::new(Decompress::new_gzip(15))
}

fn raw_deflate(_: &Limits) -> Box<dyn Engine> {
    Box::new(Decompress::new(false))
}

fn bzip2(_: &Limits) -> Box<dyn Engine> {
    Box::new(bzip2::Decompress::new(false))
}

fn xz(limits: &Limits) -> Box<dyn Engine> {
    let kib = u32::try_from(limits.window >> 10).unwrap_or(u32::MAX);
    Box::new(XzStream::new_mem_limit(false, kib))
}

impl Engine for Decompress {
    fn step(&mut self, input: &[u8], output: &mut [u8], _: bool) -> Step {
        let before = (self.total_in(), self.total_out());
        let result = self.decompress(input, output, FlushDecompress::None);
        Step {
            taken: (self.total_in() - before.0) as usize,
            given: (self.total_out() - before.1) as usize,
            ended: result
                .map(|status| status == flate2::Status::StreamEnd)
                .map_err(|_| Fault::invalid("the deflate stream is broken")),
        }
    }
}

impl Engine for bzip2::Decompress {
    fn step(&mut self, input: &[u8], output: &mut [u8], _: bool) -> Step {
        let before = (self.total_in(), self.total_out());
        let result = self.decompress(input, output);
        Step {
            taken: (self.total_in() - before.0) as usize,
            given: (self.total_out() - before.1) as usize,
            ended: result
                .map(|status| status == bzip2::Status::StreamEnd)
                .map_err(|error| Fault::invalid(format!("the bzip2 stream is broken: {error}"))),
        }
    }
}

impl Engine for XzStream {
    fn loses(&self) -> bool {
        true
    }

    fn step(&mut self, input: &[u8], output: &mut [u8], ends: bool) -> Step {
        let before = (self.total_in(), self.total_out());
        let result = self.process(input, output, if ends { Action::Finish } else { Action::Run });
        Step {
            taken: (self.total_in() - before.0) as usize,
            given: (self.total_out() - before.1) as usize,
            ended: result
                .map(|result| result.status == lzma_rust2::Status::StreamEnd)
                .map_err(|error| Fault::invalid(format!("the xz stream is broken: {error}"))),
        }
    }
}

/// Compressed streams, one after the other.
struct Decoder<'m> {
    stream: Stream<'m>,
    start: Start,
    limits: &'m Limits,
    many: bool,
    /// The stream that is being decoded.
    engine: Option<Box<dyn Engine>>,
    fault: Option<Fault>,
    /// Bytes that were taken.
    taken: u64,
    /// What an even step gave, and how much of it was handed on.
    held: Option<(Vec<u8>, usize)>,
}

/// Bytes that an even step takes and gives at most.
const EVEN: usize = 1 << 10;

impl<'m> Decoder<'m> {
    fn new(stream: Stream<'m>, start: Start, limits: &'m Limits, many: bool) -> Self {
        let engine = start(limits);
        let held = engine.loses().then(|| (Vec::new(), 0));
        Self { stream, start, limits, many, engine: Some(engine), fault: None, taken: 0, held }
    }

    /// Goes on to the next stream; false where there is none.
    fn next(&mut self) -> io::Result<bool> {
        loop {
            let next = self.stream.fill_buf()?;
            // Zeros fill up the last block of a tape or a device.
            let zeros = next.iter().take_while(|byte| **byte == 0).count();
            if next.is_empty() || !self.many {
                return Ok(false);
            }
            if zeros == 0 {
                self.engine = Some((self.start)(self.limits));
                return Ok(true);
            }
            self.stream.consume(zeros);
            self.taken += zeros as u64;
        }
    }

    /// Decodes as far as one step goes that gives anything.
    fn decode(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while !bytes.is_empty() {
            if let Some(fault) = &self.fault {
                return Err(fault.clone().into());
            }
            let Some(engine) = &mut self.engine else {
                if self.next()? {
                    continue;
                }
                return Ok(0);
            };
            // An engine may have more to give than it was asked for, even where no more comes.
            let wanted = match self.held {
                Some(_) => EVEN - self.taken as usize % EVEN,
                None => 1,
            };
            let (input, missing) = match self.stream.ahead(wanted) {
                Ok([]) => (&[][..], Some(Fault::cut("the compressed data is cut"))),
                Ok(input) if self.held.is_some() => (&input[..wanted.min(input.len())], None),
                Ok(input) => (input, None),
                Err(error) => (&[][..], Some(error.into())),
            };
            let Step { taken, given, ended } = engine.step(input, bytes, missing.is_some());
            self.stream.consume(taken);
            self.taken += taken as u64;
            match ended {
                Ok(true) => self.engine = None,
                Ok(false) if given > 0 => {}
                Ok(false) if missing.is_some() => self.fault = missing,
                Ok(false) if taken == 0 => {
                    self.fault = Some(Fault::invalid("the compressed data cannot be decoded"));
                }
                Ok(false) => {}
                Err(fault) => self.fault = Some(missing.unwrap_or(fault)),
            }
            if given > 0 {
                return Ok(given);
            }
        }
        Ok(0)
    }
}

impl Read for Decoder<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Some((mut held, mut from)) = self.held.take() else { return self.decode(bytes) };
        let mut result = Ok(());
        // So that the steps know that they are even.
        self.held = Some((Vec::new(), 0));
        if from == held.len() && !bytes.is_empty() {
            (held, from) = (vec![0; EVEN], 0);
            let decoded = self.decode(&mut held);
            held.truncate(*decoded.as_ref().unwrap_or(&0));
            result = decoded.map(|_| ());
        }
        let length = (held.len() - from).min(bytes.len());
        bytes[..length].copy_from_slice(&held[from..from + length]);
        self.held = Some((held, from + length));
        result.map(|()| length)
    }
}
