//! Where the output goes: stdout, or a file that is written whole or not at all.
//!
//! A regular file is written beside its place and renamed when it is whole; what is no regular
//! file (a pipe, a device) is written to as it stands.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// An output that is being written.
pub struct Output {
    out: BufWriter<Box<dyn Write>>,
    part: Option<Part>,
}

/// A file that is not whole yet. It is removed where it does not become so.
struct Part {
    written: PathBuf,
    wanted: PathBuf,
    whole: bool,
}

/// Bytes that are gathered before they are written.
const BUFFER: usize = 64 << 10;

impl Output {
    /// Opens the file at `path`; none, or `-`, is stdout.
    pub fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::to(Box::new(io::stdout()), None));
        };
        let fault = |error: io::Error| format!("{}: {error}", path.display());
        match path.metadata() {
            Ok(there) if there.is_dir() => return Err(fault(io::ErrorKind::IsADirectory.into())),
            Ok(there) if !there.is_file() => {
                let device = File::options().write(true).open(path).map_err(fault)?;
                return Ok(Self::to(Box::new(device), None));
            }
            _ => {}
        }
        let Some(name) = path.file_name() else {
            return Err(fault(io::ErrorKind::InvalidFilename.into()));
        };
        let mut name = name.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let file = File::create(&part).map_err(fault)?;
        let part = Part { written: part, wanted: path.to_owned(), whole: false };
        Ok(Self::to(Box::new(file), Some(part)))
    }

    fn to(out: Box<dyn Write>, part: Option<Part>) -> Self {
        Self { out: BufWriter::with_capacity(BUFFER, out), part }
    }

    /// Writes what is left; a file gets its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some(part) = &mut self.part {
            std::fs::rename(&part.written, &part.wanted)?;
            part.whole = true;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.whole {
            // Nothing more can be done about a part that cannot be removed.
            let _ = std::fs::remove_file(&self.written);
        }
    }
}
