//! The members of a zip whose directory is not there, since its end is cut off.
//!
//! Takes the file, gives the members one after the other by the headers that stand before them, as
//! far as these say where the next one starts. The archive as such is reported as cut.

use std::fs::File;
use std::io;

use rawzip::{CompressionMethod, FileReader, RangeReader, ZipVerification};

use super::members::Walk;
use super::meter::Meter;
use super::source::read_all_at;
use super::stream::Stream;
use super::zip::{self, Member};
use crate::error::Error;

const SIGNATURE: &[u8] = b"PK\x03\x04";
const HEADER: usize = 30;

/// Goes through the members; `error` says why the directory cannot be read.
pub fn walk(
    walk: &mut Walk<'_>,
    name: &str,
    file: &File,
    depth: usize,
    error: io::Error,
) -> Result<(), Error> {
    let mut offset = 0;
    while let Some(next) = member(walk, name, file, depth, offset)? {
        offset = next;
    }
    walk.fail(name, offset, error)
}

/// Reads the member at `offset`, and says where the next one starts.
fn member(
    walk: &mut Walk<'_>,
    archive: &str,
    file: &File,
    depth: usize,
    offset: u64,
) -> Result<Option<u64>, Error> {
    let Some(Header { flags, method, check, compressed, name, start }) = header(file, offset)
    else {
        return Ok(None);
    };
    let Ok(reader) = file.try_clone().map(FileReader::from) else { return Ok(None) };
    let has_size = flags & 1 << 3 == 0 && compressed != u64::from(u32::MAX);
    if !has_size && method != CompressionMethod::DEFLATE {
        return Ok(None);
    }
    let end = if has_size { start + compressed } else { u64::MAX };
    if !name.ends_with('/') {
        // Where the size stands behind the member, its end is where the decoder stops.
        let taken = Meter::new(walk.limits);
        let member = Member {
            name: format!("{archive}!{name}"),
            method,
            is_encrypted: flags & 1 != 0,
            bytes: Stream::counted(RangeReader::new(reader, start..end), &taken),
            check: has_size.then_some(check),
        };
        if !zip::read(walk, archive, member, depth)? {
            return Ok(None);
        }
        if !has_size {
            return Ok(behind_sizes(file, start + taken.went_in()));
        }
    }
    Ok(Some(end))
}

/// What stands before a member.
struct Header {
    flags: u16,
    method: CompressionMethod,
    check: ZipVerification,
    compressed: u64,
    name: String,
    start: u64,
}

fn header(file: &File, offset: u64) -> Option<Header> {
    let mut bytes = [0; HEADER];
    if read_all_at(file, &mut bytes, offset).ok()? < HEADER || !bytes.starts_with(SIGNATURE) {
        return None;
    }
    let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let long = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
    let mut name = vec![0; usize::from(short(26))];
    let at = offset + HEADER as u64;
    if read_all_at(file, &mut name, at).ok()? < name.len() {
        return None;
    }
    Some(Header {
        flags: short(6),
        method: CompressionMethod::new(short(8)),
        check: ZipVerification { crc: long(14), uncompressed_size: u64::from(long(22)) },
        compressed: u64::from(long(18)),
        start: at + name.len() as u64 + u64::from(short(28)),
        name: String::from_utf8_lossy(&name).into_owned(),
    })
}

/// Where the next member starts behind the sizes that stand at `offset`: with a signature or
/// without, in four bytes each or in eight.
fn behind_sizes(file: &File, offset: u64) -> Option<u64> {
    let mut bytes = [0; 28];
    let length = read_all_at(file, &mut bytes, offset).ok()?;
    let at = [12, 16, 20, 24]
        .into_iter()
        .find(|at| bytes[..length][(*at).min(length)..].starts_with(SIGNATURE));
    at.map(|at| offset + at as u64)
}
