//! Bytes that come one after the other, with sight of those that come next.
//!
//! Takes any reader, gives its bytes once, and what they are by the first of them. Keeps a fault,
//! so that whoever asks again is told the same. Never reads more than is asked for or than tells
//! the formats apart: nothing waits for what may not come.

use std::io::{self, BufRead, Read};

use super::magic::{self, Kind};
use super::meter::Meter;

/// A fault that can be told more than once.
#[derive(Debug, Clone)]
pub struct Fault(io::ErrorKind, String);

impl Fault {
    /// A fault in what is read.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self(io::ErrorKind::InvalidData, message.into())
    }

    /// What is read ends too early.
    pub fn cut(message: impl Into<String>) -> Self {
        Self(io::ErrorKind::UnexpectedEof, message.into())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self(error.kind(), error.to_string())
    }
}

impl From<Fault> for io::Error {
    fn from(Fault(kind, message): Fault) -> Self {
        Self::new(kind, message)
    }
}

/// Bytes that are held at most.
const BUFFER: usize = 32 << 10;

/// A reader with sight of what comes next.
pub struct Stream<'m> {
    reader: Box<dyn Read + 'm>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    fault: Option<Fault>,
    /// Told of each byte that is taken, where these are the bytes that go in.
    meter: Option<&'m Meter>,
}

impl<'m> Stream<'m> {
    /// Nothing read yet.
    pub fn new(reader: impl Read + 'm) -> Self {
        Self {
            reader: Box::new(reader),
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            ended: false,
            fault: None,
            meter: None,
        }
    }

    /// The same, of bytes that `meter` counts as going in.
    pub fn counted(reader: impl Read + 'm, meter: &'m Meter) -> Self {
        Self { meter: Some(meter), ..Self::new(reader) }
    }

    /// What the next bytes are the start of.
    pub fn kind(&mut self) -> Kind {
        loop {
            let next = &self.buffer[self.start..self.end];
            // A fault comes again when it is read up to.
            if let Some(kind) = magic::kind(next, self.ended || self.fault.is_some()) {
                return kind;
            }
            self.more();
        }
    }

    /// The fault at which the bytes end, if they were read up to it.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref().filter(|_| self.start == self.end)
    }

    /// The next bytes: no fewer than `length`, where so many come before the end or a fault.
    pub fn ahead(&mut self, length: usize) -> io::Result<&[u8]> {
        if self.buffer.len() - self.start < length {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < length.min(self.buffer.len())
            && !self.ended
            && self.fault.is_none()
        {
            self.more();
        }
        self.fill_buf()
    }

    /// Reads once, behind what is there.
    fn more(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.ended || self.fault.is_some() || self.end == self.buffer.len() {
            return;
        }
        match read(&mut *self.reader, &mut self.buffer[self.end..]) {
            Ok(0) => self.ended = true,
            Ok(length) => self.end += length,
            Err(error) => self.fault = Some(error.into()),
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut next = self.fill_buf()?;
        let length = next.read(bytes)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Stream<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.more();
        }
        match &self.fault {
            Some(fault) if self.start == self.end => Err(fault.clone().into()),
            _ => Ok(&self.buffer[self.start..self.end]),
        }
    }

    fn consume(&mut self, length: usize) {
        let length = length.min(self.end - self.start);
        self.start += length;
        if let Some(meter) = self.meter {
            meter.takes(length as u64);
        }
    }
}

/// Reads once, whatever interrupts it.
pub fn read(reader: &mut dyn Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time, then a fault.
    struct Drops(&'static [u8]);

    impl Read for Drops {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            match self.0.split_first() {
                Some((first, rest)) => {
                    bytes[0] = *first;
                    self.0 = rest;
                    Ok(1)
                }
                None => Err(io::Error::other("gone")),
            }
        }
    }

    #[test]
    fn what_was_seen_is_still_given_and_a_fault_comes_again() {
        let mut stream = Stream::new(Drops(b"\x1f\x8b\x08rest"));
        assert_eq!(stream.kind(), Kind::Gzip);
        assert!(stream.fault().is_none());
        let mut all = Vec::new();
        for _ in 0..2 {
            assert_eq!(
                stream.read_to_end(&mut all).map_err(|error| error.to_string()),
                Err("gone".to_owned())
            );
        }
        assert_eq!(all, b"\x1f\x8b\x08rest");
        assert!(stream.fault().is_some());
    }

    #[test]
    fn no_more_is_read_than_tells_the_formats_apart() {
        let mut stream = Stream::new(Drops(b"{\"type\":1}\n{\"type\":2}\n"));
        assert_eq!(stream.kind(), Kind::Plain);
        assert!(stream.end <= 11, "{}", stream.end);
    }
}
