//! The members of a tar.
//!
//! Takes a stream, gives its members in their order. Links, folders and devices are passed over.
//! Holds one header with its name, which has a cap.

use std::cell::Cell;
use std::io::{self, Read};

use ::tar::Archive;

use super::members::Walk;
use super::meter::Metered;
use super::stream::{Fault, Stream};
use crate::error::Error;

/// A block of a tar.
const BLOCK: u64 = 512;

/// Goes through the members; `depth` is how many layers may be taken off each.
pub fn walk(
    walk: &mut Walk<'_>,
    name: &str,
    stream: Stream<'_>,
    depth: usize,
) -> Result<(), Error> {
    let (offset, limit) = (Cell::new(0), Cell::new(0));
    let mut archive = Archive::new(Headers { stream, offset: &offset, limit: &limit });
    let mut members = 0;
    let faulted = |walk: &mut Walk<'_>, error| walk.fail(name, offset.get(), error);
    let mut entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return faulted(walk, error),
    };
    let mut end = 0;
    loop {
        // What is left of the last member is passed over, then comes a header.
        limit.set(end.max(offset.get()).saturating_add(walk.limits.header));
        let Some(entry) = entries.next() else { break };
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return faulted(walk, error),
        };
        limit.set(u64::MAX);
        let kind = entry.header().entry_type();
        // A sparse member is larger than what stands in the archive for it.
        let is_sparse = kind.is_gnu_sparse();
        let stands =
            if is_sparse { entry.header().entry_size().unwrap_or(0) } else { entry.size() };
        end = entry.raw_file_position().saturating_add(stands).saturating_add(BLOCK);
        if !(kind.is_file() || kind.is_contiguous() || is_sparse) {
            continue;
        }
        members += 1;
        let member = format!("{name}!{}", String::from_utf8_lossy(&entry.path_bytes()));
        if let Err(error) = walk.meter.member() {
            if walk.meter.is_spent() {
                return faulted(walk, error);
            }
            walk.fail(&member, 0, error)?;
            continue;
        }
        let left = entry.size();
        let whole = Whole { reader: entry, left };
        let stream = if is_sparse {
            Stream::new(Metered::new(whole, walk.meter))
        } else {
            Stream::new(whole)
        };
        walk.stream(&member, stream, depth)?;
    }
    // Whoever writes the archive is not to find its pipe closed; and what it is compressed with is
    // checked at the end.
    limit.set(u64::MAX);
    if let Err(error) = io::copy(&mut archive.into_inner(), &mut io::sink()) {
        return faulted(walk, error);
    }
    if members == 0 { walk.nothing(name) } else { Ok(()) }
}

/// The archive, up to a limit that keeps names and headers from growing.
struct Headers<'m, 'c> {
    stream: Stream<'m>,
    offset: &'c Cell<u64>,
    limit: &'c Cell<u64>,
}

impl Read for Headers<'_, '_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.limit.get().saturating_sub(self.offset.get());
        if left == 0 {
            return Err(Fault::invalid("a header of the tar is too large").into());
        }
        let wanted = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let length = self.stream.read(&mut bytes[..wanted])?;
        self.offset.set(self.offset.get() + length as u64);
        Ok(length)
    }
}

/// A member that must have as many bytes as its header says.
struct Whole<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(bytes)?;
        if length == 0 && self.left > 0 && !bytes.is_empty() {
            return Err(Fault::cut("the tar is cut within this member").into());
        }
        self.left = self.left.saturating_sub(length as u64);
        Ok(length)
    }
}
