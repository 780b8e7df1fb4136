//! From an input to the transcripts in it: compression taken off, archives taken apart.
//!
//! Takes an input, gives each transcript in it to a visitor, in the archive's order, one at a time
//! and as a stream. The name of a member is text in a name, never a path to open. A fault is one of
//! the member it stands in wherever the rest can still be read.

use std::fs::File;
use std::io::{self, Read};

use super::follow::Follow;
use super::magic::{self, Kind};
use super::meter::{Meter, Metered};
use super::source::{Source, read_all_at};
use super::stream::{Fault, Stream};
use super::{Input, decode, tar, zip};
use crate::error::Error;
use crate::limits::Limits;

/// Takes a transcript by its name, or why it cannot be read and at which byte. Fails only where
/// nothing more is wanted.
pub type Visit<'v> =
    &'v mut dyn FnMut(&str, Result<Source<'_>, (u64, io::Error)>) -> Result<(), Error>;

/// Visits the transcripts of an input called `name`.
pub fn visit(
    input: &Input,
    name: &str,
    limits: &Limits,
    meter: &Meter,
    visit: Visit<'_>,
) -> Result<(), Error> {
    let mut walk = Walk { limits, meter, visit, whole: false, followed: false };
    let depth = limits.containers;
    let path = match input {
        Input::Stdin => return walk.stream(name, Stream::counted(io::stdin(), meter), depth),
        Input::File(path) | Input::Followed(path) => path,
    };
    let (file, is_file, kind) = match open(path) {
        Ok(opened) => opened,
        Err(error) => return walk.fail(name, 0, error),
    };
    if matches!(input, Input::Followed(_)) {
        walk.followed = true;
        return walk.stream(name, Stream::counted(Follow::new(file), meter), depth);
    }
    walk.whole = is_file;
    match kind {
        Some(Kind::Plain) => walk.leaf(name, Source::file(file, limits.chunk)),
        Some(Kind::Zip) => {
            meter.takes(file.metadata().map_or(0, |file| file.len()));
            walk.zip(name, file, depth)
        }
        _ => walk.stream(name, Stream::counted(file, meter), depth),
    }
}

/// Opens a file; tells whether it is a regular one, and then of which kind.
fn open(path: &std::path::Path) -> io::Result<(File, bool, Option<Kind>)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Ok((file, false, None));
    }
    let mut start = [0; magic::ENOUGH];
    let length = read_all_at(&file, &mut start, 0)?;
    Ok((file, true, magic::kind(&start[..length], true)))
}

/// The walk through one input.
pub struct Walk<'w> {
    pub limits: &'w Limits,
    pub meter: &'w Meter,
    visit: Visit<'w>,
    /// All of the input is there: nothing is to be handed on before a chunk is full.
    whole: bool,
    followed: bool,
}

impl Walk<'_> {
    /// Gives a transcript to the visitor.
    fn leaf(&mut self, name: &str, source: Source<'_>) -> Result<(), Error> {
        (self.visit)(name, Ok(source))
    }

    /// Says that something could not be read beyond `offset`.
    pub fn fail(&mut self, name: &str, offset: u64, error: io::Error) -> Result<(), Error> {
        (self.visit)(name, Err((offset, error)))
    }

    /// An archive without members is a transcript without bytes: each input is accounted for.
    pub fn nothing(&mut self, name: &str) -> Result<(), Error> {
        self.leaf(name, Source::stream(Box::new(io::empty()), true, self.limits.chunk))
    }

    /// Goes through a stream; `depth` is how many layers may still be taken off.
    pub fn stream(
        &mut self,
        name: &str,
        mut stream: Stream<'_>,
        depth: usize,
    ) -> Result<(), Error> {
        let kind = stream.kind();
        let (chunk, whole) = (self.limits.chunk, self.whole);
        match kind {
            Kind::Plain | Kind::Utf16 => {
                let reader = decode::open(kind, stream, self.limits, true);
                return self.leaf(name, Source::stream(reader, whole, chunk));
            }
            Kind::Sqlite | Kind::Parquet => return self.fail(name, 0, way_out(kind)),
            _ => {}
        }
        let refusal = if self.followed {
            Some("a compressed file or an archive cannot be followed".to_owned())
        } else {
            let most = self.limits.containers;
            (depth == 0).then(|| format!("more than {most} layers of compression and archives"))
        };
        if let Some(message) = refusal {
            return self.fail(name, 0, io::Error::new(io::ErrorKind::Unsupported, message));
        }
        match kind {
            Kind::Tar => tar::walk(self, name, stream, depth - 1),
            Kind::Zip => {
                let (file, fault) = match spool(&mut stream, self.limits.spool) {
                    Ok(spooled) => spooled,
                    Err(error) => return self.fail(name, 0, error),
                };
                self.zip(name, file, depth)?;
                fault.map_or(Ok(()), |error| self.fail(name, 0, error))
            }
            _ => {
                let reader = decode::open(kind, stream, self.limits, true);
                let meter = self.meter;
                self.stream(name, Stream::new(Metered::new(reader, meter)), depth - 1)
            }
        }
    }

    fn zip(&mut self, name: &str, file: File, depth: usize) -> Result<(), Error> {
        zip::walk(self, name, file, depth.saturating_sub(1))
    }
}

/// What else leads to the reviews in a file that is no transcript.
fn way_out(kind: Kind) -> io::Error {
    let message = match kind {
        Kind::Sqlite => {
            "a SQLite database is no transcript; for opencode run `opencode export SESSION_ID > \
             session.json`, for Cursor (state.vscdb) take its agent-transcripts JSONL or the \
             output of its CLI with `--output-format stream-json`"
        }
        _ => {
            "a Parquet file is no transcript; run `duckdb -c \"COPY (FROM 'x.parquet') TO \
             'x.jsonl'\"`"
        }
    };
    io::Error::new(io::ErrorKind::Unsupported, message)
}

/// Puts a stream aside in a file without a name, with the fault at which it ended.
fn spool(stream: &mut Stream<'_>, cap: u64) -> io::Result<(File, Option<io::Error>)> {
    let mut file = tempfile::tempfile()?;
    let fault = match io::copy(&mut stream.take(cap), &mut file) {
        Err(error) if stream.fault().is_none() => return Err(error),
        copied => copied.err(),
    };
    if stream.read(&mut [0])? > 0 {
        let message = format!("a zip of more than {cap} bytes that is not read from a file");
        return Err(Fault::invalid(message).into());
    }
    Ok((file, fault))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Walks through a stream; gives each transcript's name with its bytes or its fault.
    fn walk(bytes: &[u8], limits: &Limits) -> Vec<(String, Result<u64, String>)> {
        let meter = Meter::new(limits);
        let mut seen = Vec::new();
        let mut visit = |name: &str, source: Result<Source<'_>, (u64, io::Error)>| {
            let read = source.map_err(|(_, error)| error).and_then(|mut source| {
                while !source.next(1)?.is_empty() {}
                Ok(source.offset())
            });
            seen.push((name.to_owned(), read.map_err(|error| error.to_string())));
            Ok(())
        };
        let mut walk =
            Walk { limits, meter: &meter, visit: &mut visit, whole: true, followed: false };
        let stream = Stream::counted(bytes, &meter);
        assert!(walk.stream("a", stream, limits.containers).is_ok());
        seen
    }

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = ::tar::Builder::new(Vec::new());
        for (name, bytes) in members {
            let mut header = ::tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            builder.append_data(&mut header, name, *bytes).expect("memory takes it");
        }
        builder.into_inner().expect("memory takes it")
    }

    fn faults(seen: &[(String, Result<u64, String>)], word: &str) -> Vec<String> {
        let is_fault = |read: &Result<u64, String>| {
            read.as_ref().err().is_some_and(|message| message.contains(word))
        };
        seen.iter().filter(|(_, read)| is_fault(read)).map(|(name, _)| name.clone()).collect()
    }

    #[test]
    fn after_some_bombs_the_rest_is_passed_over() {
        let limits = Limits { expansion: 1 << 20, ratio: 2, bombs: 2, ..Limits::default() };
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&vec![b'\n'; 4 << 20]).expect("memory takes it");
        let bomb = encoder.finish().expect("memory takes it");
        let members = [("b0", &bomb[..]), ("t0", b"x"), ("b1", &bomb), ("t1", b"x"), ("b2", &bomb)];
        let rest = [("t2", &b"x"[..]), ("b3", &bomb)];
        let seen = walk(&archive(&[&members[..], &rest[..]].concat()), &limits);
        assert_eq!(faults(&seen, "a bomb"), ["a!b0", "a!b1", "a!b2"]);
        assert_eq!(faults(&seen, "more than 2 bombs"), ["a"]);
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    #[test]
    fn members_headers_and_what_is_put_aside_have_caps() {
        let members = [("1", &b"x"[..]), ("2", b"x"), ("3", b"x"), ("4", b"x")];
        let limits = Limits { members: 2, ..Limits::default() };
        let seen = walk(&archive(&members), &limits);
        assert_eq!(faults(&seen, "more than 2 members"), ["a"]);
        assert_eq!(seen.len(), 3, "{seen:?}");

        let limits = Limits { header: 4000, ..Limits::default() };
        let (short, long) = ("n/".repeat(500), "n/".repeat(5000));
        let seen = walk(&archive(&[(&short, b"x"), (&long, b"x")]), &limits);
        assert_eq!(faults(&seen, "header of the tar"), ["a"]);
        assert_eq!(seen[0], (format!("a!{short}"), Ok(1)));

        let limits = Limits { spool: 20, ..Limits::default() };
        let seen =
            walk(&archive(&[("z", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")]), &limits);
        assert_eq!(faults(&seen, "more than 20 bytes"), ["a!z"]);
    }

    #[test]
    fn what_a_decoder_keeps_has_a_cap() {
        // A frame that asks for 256 MiB, and one that asks for 128 KiB.
        for (window, fits) in [(b'\x90', false), (b'\x38', true)] {
            let bytes = [&b"\x28\xb5\x2f\xfd\x00"[..], &[window], b"\x09\x00\x00x"].concat();
            let seen = walk(&bytes, &Limits::default());
            assert_eq!(seen[0].1.is_ok(), fits, "{seen:?}");
        }
        let path = "corpus/container/stream/xz-two-streams/input.jsonl.xz";
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(root.join(path)).expect("the corpus is there");
        for (window, fits) in [(1 << 20, false), (64 << 20, true)] {
            let seen = walk(&bytes, &Limits { window, ..Limits::default() });
            assert_eq!(seen[0].1.is_ok(), fits, "{seen:?}");
        }
    }

    #[test]
    fn a_sparse_member_counts_by_what_it_expands_to() {
        let limits = Limits { expansion: 1 << 20, ratio: 2, ..Limits::default() };
        let mut header = ::tar::Header::new_gnu();
        header.set_path("holes").expect("a name");
        header.set_entry_type(::tar::EntryType::GNUSparse);
        header.set_size(0);
        let gnu = header.as_gnu_mut().expect("a header of GNU");
        gnu.set_real_size(1 << 40);
        gnu.sparse[0].set_offset(1 << 40);
        gnu.sparse[0].set_length(0);
        header.set_cksum();
        let seen = walk(&[header.as_bytes(), &archive(&[("next", b"x")])[..]].concat(), &limits);
        assert_eq!(faults(&seen, "a bomb"), ["a!holes"], "{seen:?}");
        assert_eq!(seen[1], ("a!next".to_owned(), Ok(1)));
    }
}
