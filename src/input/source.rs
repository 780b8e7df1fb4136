//! The bytes of one transcript, in chunks.
//!
//! A regular file is read by position, several chunks at once; anything else as it comes.

use std::fs::File;
use std::io::{self, Read};

use bytes::{Bytes, BytesMut};
use rayon::prelude::*;

use super::stream;

/// Some bytes of a transcript, with the offset of the first.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// Where they start.
    pub offset: u64,
    /// The bytes.
    pub bytes: Bytes,
}

/// A transcript that is open.
pub struct Source<'m> {
    kind: Kind<'m>,
    offset: u64,
    chunk: usize,
}

enum Kind<'m> {
    /// A regular file, read by position.
    File(File),
    /// Anything else; `whole` chunks are filled, others given as they come.
    Stream(Box<dyn Read + 'm>, bool),
}

/// Bytes that are asked for at a time, where no more may come for a while.
const AS_THEY_COME: usize = 64 << 10;

impl<'m> Source<'m> {
    /// A regular file, in chunks of `chunk` bytes.
    pub fn file(file: File, chunk: usize) -> Self {
        Self { kind: Kind::File(file), offset: 0, chunk }
    }

    /// Anything else; `whole` says that all of it is there, so that chunks are filled.
    pub fn stream(reader: Box<dyn Read + 'm>, whole: bool, chunk: usize) -> Self {
        Self { kind: Kind::Stream(reader, whole), offset: 0, chunk }
    }

    /// The next chunks, at most `count` of them; none at the end.
    pub fn next(&mut self, count: usize) -> io::Result<Vec<Chunk>> {
        let chunks = match &mut self.kind {
            Kind::File(file) => read_chunks(file, self.offset, self.chunk, count)?,
            Kind::Stream(reader, whole) => {
                let bytes = if *whole {
                    fill(reader, self.chunk)?
                } else {
                    let mut bytes = vec![0; self.chunk.min(AS_THEY_COME)];
                    let length = stream::read(reader, &mut bytes)?;
                    bytes.truncate(length);
                    bytes
                };
                let chunk = Chunk { offset: self.offset, bytes: bytes.into() };
                if chunk.bytes.is_empty() { Vec::new() } else { vec![chunk] }
            }
        };
        self.offset += chunks.iter().map(|chunk| chunk.bytes.len() as u64).sum::<u64>();
        Ok(chunks)
    }

    /// How far the transcript was read.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Reads up to `count` chunks by position, in parallel; stops before one that is not there.
fn read_chunks(file: &File, offset: u64, size: usize, count: usize) -> io::Result<Vec<Chunk>> {
    let left = file.metadata()?.len().saturating_sub(offset);
    let wanted = left.div_ceil(size as u64).clamp(1, count as u64) as usize;
    let read = |index: usize| -> io::Result<(Chunk, bool)> {
        let offset = offset + (index * size) as u64;
        let size = size.min(left.saturating_sub((index * size) as u64).max(1) as usize);
        let mut bytes = BytesMut::zeroed(size);
        let length = read_all_at(file, &mut bytes, offset)?;
        bytes.truncate(length);
        Ok((Chunk { offset, bytes: bytes.freeze() }, length == size))
    };
    let read: Vec<_> = (0..wanted).into_par_iter().map(read).collect::<io::Result<_>>()?;
    // A file that was cut short meanwhile ends with the first chunk that is not full.
    let full = read.iter().take_while(|(_, full)| *full).count();
    let chunks = read.into_iter().take(full + 1).map(|(chunk, _)| chunk);
    Ok(chunks.filter(|chunk| !chunk.bytes.is_empty()).collect())
}

/// Reads by position until `bytes` are full or the file is at its end.
pub fn read_all_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match read_at(file, &mut bytes[length..], offset + length as u64) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}

/// Reads `size` bytes, or up to the end. An archive may hold a million members of a few bytes each:
/// no more is touched than comes.
fn fill(reader: &mut dyn Read, size: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(size);
    match reader.take(size as u64).read_to_end(&mut bytes) {
        // What was read before the fault is given first; the fault comes again.
        Err(error) if bytes.is_empty() => Err(error),
        _ => Ok(bytes),
    }
}
