//! The bytes of one input, in chunks.
//!
//! A regular file is read by position, several chunks at once; anything else as it comes. gzip and
//! zstd are told by their first bytes, whatever the name says.

use std::fs::File;
use std::io::{self, Read};

use bytes::{Bytes, BytesMut};
use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use ruzstd::decoding::StreamingDecoder;

use super::Input;

/// Some bytes of an input, with the offset of the first.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// Where they start.
    pub offset: u64,
    /// The bytes.
    pub bytes: Bytes,
}

/// An input that is open.
pub struct Source {
    kind: Kind,
    offset: u64,
    chunk: usize,
}

enum Kind {
    /// A regular file, read by position.
    File(File),
    /// Anything else; `whole` chunks are filled, others given as they come.
    Stream(Box<dyn Read + Send>, bool),
}

/// Bytes by which compression is told.
const MAGIC: usize = 4;

impl Source {
    /// Opens an input; `chunk` is the size of its chunks in bytes.
    pub fn open(input: &Input, chunk: usize) -> io::Result<Self> {
        let kind = match input {
            Input::Stdin => stream(Box::new(io::stdin()), false)?,
            Input::File(path) => {
                let file = File::open(path)?;
                let kind = file.metadata()?;
                if kind.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                let mut magic = [0; MAGIC];
                let length = if kind.is_file() { read_at(&file, &mut magic, 0)? } else { 0 };
                if kind.is_file() && !is_compressed(&magic[..length]) {
                    Kind::File(file)
                } else {
                    stream(Box::new(file), kind.is_file())?
                }
            }
        };
        Ok(Self { kind, offset: 0, chunk })
    }

    /// The next chunks, at most `count` of them; none at the end.
    pub fn next(&mut self, count: usize) -> io::Result<Vec<Chunk>> {
        let chunks = match &mut self.kind {
            Kind::File(file) => read_chunks(file, self.offset, self.chunk, count)?,
            Kind::Stream(reader, whole) => {
                let size = if *whole { self.chunk } else { self.chunk.min(1 << 20) };
                let mut bytes = BytesMut::zeroed(size);
                let length = fill(reader, &mut bytes, *whole)?;
                bytes.truncate(length);
                let chunk = Chunk { offset: self.offset, bytes: bytes.freeze() };
                if length == 0 { Vec::new() } else { vec![chunk] }
            }
        };
        self.offset += chunks.iter().map(|chunk| chunk.bytes.len() as u64).sum::<u64>();
        Ok(chunks)
    }

    /// How far the input was read.
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
        let mut length = 0;
        while length < size {
            match read_at(file, &mut bytes[length..], offset + length as u64)? {
                0 => break,
                more => length += more,
            }
        }
        bytes.truncate(length);
        Ok((Chunk { offset, bytes: bytes.freeze() }, length == size))
    };
    let read: Vec<_> = (0..wanted).into_par_iter().map(read).collect::<io::Result<_>>()?;
    // A file that was cut short meanwhile ends with the first chunk that is not full.
    let full = read.iter().take_while(|(_, full)| *full).count();
    let chunks = read.into_iter().take(full + 1).map(|(chunk, _)| chunk);
    Ok(chunks.filter(|chunk| !chunk.bytes.is_empty()).collect())
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}

/// Reads once, or until `bytes` are full where `whole` says so.
fn fill(reader: &mut dyn Read, bytes: &mut [u8], whole: bool) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match reader.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // What was read before the fault is given first; the fault comes again.
            Err(_) if length > 0 => break,
            Err(error) => return Err(error),
        }
        if !whole {
            break;
        }
    }
    Ok(length)
}

fn is_compressed(start: &[u8]) -> bool {
    is_gzip(start) || is_zstd(start)
}

fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b")
}

fn is_zstd(start: &[u8]) -> bool {
    start.starts_with(b"\x28\xb5\x2f\xfd")
}

/// A stream, through a decoder where its first bytes ask for one.
fn stream(mut reader: Box<dyn Read + Send>, whole: bool) -> io::Result<Kind> {
    let mut magic = Vec::new();
    // No more is read than tells the formats apart, so that nothing waits for what may not come.
    while magic.len() < MAGIC && could_be_compressed(&magic) {
        let mut byte = [0];
        if fill(&mut reader, &mut byte, true)? == 0 {
            break;
        }
        magic.push(byte[0]);
    }
    let compressed = is_compressed(&magic);
    let zstd = is_zstd(&magic);
    let reader = io::Cursor::new(magic).chain(reader);
    Ok(match (compressed, zstd) {
        (false, _) => Kind::Stream(Box::new(reader), whole),
        (_, false) => Kind::Stream(Box::new(MultiGzDecoder::new(reader)), true),
        _ => {
            Kind::Stream(Box::new(ZstdFrames { reader: Some(Box::new(reader)), frame: None }), true)
        }
    })
}

fn could_be_compressed(start: &[u8]) -> bool {
    b"\x1f\x8b".starts_with(start) || b"\x28\xb5\x2f\xfd".starts_with(start)
}

/// zstd frames, one after the other.
struct ZstdFrames {
    reader: Option<Box<dyn Read + Send>>,
    frame: Option<StreamingDecoder<Box<dyn Read + Send>, ruzstd::decoding::FrameDecoder>>,
}

impl Read for ZstdFrames {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let length = frame.read(bytes)?;
                if length > 0 || bytes.is_empty() {
                    return Ok(length);
                }
                self.reader = self.frame.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut reader) = self.reader.take() else { return Ok(0) };
            let mut first = [0];
            if fill(&mut reader, &mut first, true)? == 0 {
                return Ok(0);
            }
            let reader: Box<dyn Read + Send> = Box::new(io::Cursor::new(first).chain(reader));
            let frame = StreamingDecoder::new(reader)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            self.frame = Some(frame);
        }
    }
}
