//! Input: paths, directories and stdin as bytes.
//!
//! Takes what the command line names, gives [`Input`]s in a stable order and the transcripts in
//! them in chunks: compression taken off, archives taken apart, UTF-16 decoded. Never looks at what
//! the bytes say but for the magic numbers of these formats, whatever a name says.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::error::Error;

mod decode;
mod follow;
mod magic;
mod members;
mod meter;
mod source;
mod stream;
mod tar;
mod zip;
mod zip_cut;
mod zstd;

pub use members::{Visit, visit};
pub use meter::Meter;
pub use source::{Chunk, Source};

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A file that grows, which has no end.
    Followed(PathBuf),
}

impl Input {
    /// Its name in records.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) | Self::Followed(path) => path.display().to_string(),
        }
    }

    /// Its size in bytes, where a file system says so.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin | Self::Followed(_) => None,
            Self::File(path) => {
                path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
            }
        }
    }
}

/// The name of a file without what compression has added to it.
pub fn uncompressed(name: &str) -> &str {
    const SUFFIXES: [&str; 4] = [".gz", ".zst", ".xz", ".bz2"];
    SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

/// The inputs that a path stands for: `-` is stdin, a directory all files below it, hidden ones
/// too, in the order of their names.
pub fn expand(path: &Path) -> Box<dyn Iterator<Item = Result<Input, Error>>> {
    if path == Path::new("-") {
        return Box::new(std::iter::once(Ok(Input::Stdin)));
    }
    if !path.is_dir() {
        return Box::new(std::iter::once(Ok(Input::File(path.to_owned()))));
    }
    let name = path.display().to_string();
    let entries = WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
    Box::new(entries.filter_map(move |entry| match entry {
        Ok(entry) if entry.file_type().is_dir() => None,
        Ok(entry) => Some(Ok(Input::File(entry.into_path()))),
        // A link that leads back to a folder above it: its files are read where they stand.
        Err(error) if error.loop_ancestor().is_some() => None,
        Err(error) => {
            let name = error.path().map_or_else(|| name.clone(), |path| path.display().to_string());
            Some(Err(Error::input(&name, 0, error.into())))
        }
    }))
}
