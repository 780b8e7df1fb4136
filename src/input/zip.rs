//! The members of a zip.
//!
//! Takes a file, gives its members in the order of its directory. Folders and links are passed over.
//! Where the directory is not there, since the end is cut off, the members are read one after the
//! other as far as they go. Holds one entry at a time.

use std::fs::File;
use std::io::{self, Read};

use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipVerification};

use super::decode;
use super::magic::Kind;
use super::members::Walk;
use super::meter::Metered;
use super::stream::{Fault, Stream};
use super::zip_cut;
use crate::error::Error;

/// A member as it stands in the archive.
pub struct Member<'m> {
    /// Its name, whatever that is.
    pub name: String,
    /// How it is compressed.
    pub method: CompressionMethod,
    /// Whether it is encrypted.
    pub is_encrypted: bool,
    /// Its compressed bytes.
    pub bytes: Stream<'m>,
    /// What must come of them, where that is known.
    pub check: Option<ZipVerification>,
}

/// Goes through the members; `depth` is how many layers may be taken off each.
pub fn walk(walk: &mut Walk<'_>, name: &str, file: File, depth: usize) -> Result<(), Error> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let copy = file.try_clone();
    let archive = match (ZipArchive::from_file(file, &mut buffer), copy) {
        (Ok(archive), _) => archive,
        (Err(error), Ok(file)) => return zip_cut::walk(walk, name, &file, depth, fault(&error)),
        (Err(_), Err(error)) => return walk.fail(name, 0, error),
    };
    let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let mut entries = archive.entries(&mut buffer);
    let mut members = 0;
    loop {
        let entry = match entries.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(error) => return walk.fail(name, archive.directory_offset(), fault(&error)),
        };
        if entry.is_dir() || entry.mode().is_symlink() {
            continue;
        }
        members += 1;
        let found = archive.get_entry(entry.wayfinder());
        let (bytes, check) = match &found {
            Ok(found) => {
                let reader = found.reader();
                let check = reader.claim_verifier();
                (Stream::new(reader), Ok(check))
            }
            Err(error) => (Stream::new(io::empty()), Err(fault(error))),
        };
        let mut member = Member {
            name: format!("{name}!{}", String::from_utf8_lossy(entry.file_path().as_bytes())),
            method: entry.compression_method(),
            is_encrypted: entry.flags().is_encrypted(),
            bytes,
            check: None,
        };
        let goes_on = match check {
            Ok(check) => {
                member.check = Some(check);
                read(walk, name, member, depth)?
            }
            Err(error) => {
                walk.fail(&member.name, entry.local_header_offset(), error)?;
                true
            }
        };
        if !goes_on {
            return Ok(());
        }
    }
    if members == 0 { walk.nothing(name) } else { Ok(()) }
}

/// Reads a member; false where the rest of the archive is passed over.
pub fn read(
    walk: &mut Walk<'_>,
    archive: &str,
    member: Member<'_>,
    depth: usize,
) -> Result<bool, Error> {
    let Member { name, method, is_encrypted, bytes, check } = member;
    if let Err(error) = walk.meter.member() {
        if walk.meter.is_spent() {
            walk.fail(archive, 0, error)?;
            return Ok(false);
        }
        walk.fail(&name, 0, error)?;
        return Ok(true);
    }
    let (limits, meter) = (walk.limits, walk.meter);
    let unsupported = |message: String| io::Error::new(io::ErrorKind::Unsupported, message);
    if is_encrypted {
        walk.fail(&name, 0, unsupported("it is encrypted".to_owned()))?;
        return Ok(true);
    }
    let reader = match method {
        CompressionMethod::STORE => Box::new(bytes),
        CompressionMethod::DEFLATE => decode::deflate(bytes, limits),
        CompressionMethod::BZIP2 => decode::open(Kind::Bzip2, bytes, limits, true),
        CompressionMethod::XZ => decode::open(Kind::Xz, bytes, limits, true),
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => {
            decode::open(Kind::Zstd, bytes, limits, true)
        }
        other => {
            let message = format!("its compression method {} is unknown", other.as_u16());
            walk.fail(&name, 0, unsupported(message))?;
            return Ok(true);
        }
    };
    let checked = Checked { reader, crc: rawzip::Crc32::new(), size: 0, check };
    walk.stream(&name, Stream::new(Metered::new(checked, meter)), depth)?;
    Ok(true)
}

fn fault(error: &rawzip::Error) -> io::Error {
    Fault::invalid(format!("the zip is cut or broken: {error}")).into()
}

/// A member that must be what the archive says of it. Unlike the crate's own reader it checks only
/// once everything was given.
struct Checked<R> {
    reader: R,
    crc: rawzip::Crc32,
    size: u64,
    check: Option<ZipVerification>,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(bytes)?;
        self.crc.update(&bytes[..length]);
        self.size += length as u64;
        if length == 0
            && !bytes.is_empty()
            && let Some(check) = &self.check
        {
            let is = ZipVerification { crc: self.crc.checksum(), uncompressed_size: self.size };
            check.valid(is).map_err(|error| fault(&error))?;
        }
        Ok(length)
    }
}
