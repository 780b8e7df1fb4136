//! zstd frames, one after the other, those that are to be skipped included.
//!
//! Takes a stream, gives what its frames stand for, block by block. Everything up to a fault comes
//! out before the fault.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::stream::{Fault, Stream};
use crate::limits::Limits;

/// A decoder of zstd frames.
pub struct Zstd<'m> {
    stream: Stream<'m>,
    frame: FrameDecoder,
    /// A frame is being decoded.
    is_open: bool,
    fault: Option<Fault>,
}

/// An empty last block and a checksum. A decoder gives what it keeps to refer back to only once its
/// frame is at its end, so a frame that breaks off is brought to one.
const LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

impl<'m> Zstd<'m> {
    /// Nothing read yet.
    pub fn new(stream: Stream<'m>, limits: &Limits) -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(limits.window);
        Self { stream, frame, is_open: false, fault: None }
    }

    /// What is wrong: the stream's own fault, where it has one.
    fn fault(&self, error: &FrameDecoderError) -> Fault {
        let of_stream = self.stream.fault().cloned();
        of_stream.unwrap_or_else(|| match error {
            FrameDecoderError::WindowSizeTooBig { .. } => {
                Fault::invalid("the zstd frame asks for more memory than is allowed")
            }
            _ => Fault::invalid(format!("the zstd frame is cut or broken: {error}")),
        })
    }

    /// Decodes the next block of a frame.
    fn block(&mut self) {
        let one = || BlockDecodingStrategy::UptoBlocks(1);
        if let Err(error) = self.frame.decode_blocks(&mut self.stream, one()) {
            self.fault = Some(self.fault(&error));
            let _ = self.frame.decode_blocks(&LAST_BLOCK[..], one());
        }
    }

    /// Goes on to the next frame; false where there is none.
    fn next(&mut self) -> io::Result<bool> {
        if self.stream.fill_buf()?.is_empty() {
            return Ok(false);
        }
        match self.frame.reset(&mut self.stream) {
            Ok(()) => self.is_open = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut (&mut self.stream).take(length), &mut io::sink())?;
                if skipped < length {
                    self.fault = Some(Fault::cut("the zstd frame is cut"));
                }
            }
            Err(error) => self.fault = Some(self.fault(&error)),
        }
        Ok(true)
    }

    /// Closes a frame that is at its end.
    fn close(&mut self) {
        self.is_open = false;
        let (stands, is) =
            (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum());
        if self.fault.is_none() && stands.is_some() && stands != is {
            self.fault = Some(Fault::invalid("the checksum of the zstd frame is wrong"));
        }
    }
}

impl Read for Zstd<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while !bytes.is_empty() {
            if self.is_open {
                let length = self.frame.read(bytes)?;
                if length > 0 {
                    return Ok(length);
                }
                if self.fault.is_some() || self.frame.is_finished() {
                    self.close();
                } else {
                    self.block();
                }
            } else if let Some(fault) = &self.fault {
                return Err(fault.clone().into());
            } else if !self.next()? {
                break;
            }
        }
        Ok(0)
    }
}
