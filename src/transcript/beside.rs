//! Files beside an input, in which some tools keep what its records lack: whose message a part is,
//! which agent a file belongs to.
//!
//! Takes paths relative to the input's folder, gives the bytes of small files. Never fails: where
//! there is no such file, or no folder at all (stdin, a member of an archive), it gives nothing.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::input::uncompressed;

/// The place of an input in the file system, if it has one.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    path: Option<PathBuf>,
}

/// Bytes of the largest file that is read.
const CAP: u64 = 1 << 20;

impl Beside {
    /// The place of the input at `path`. One that is compressed stands where it stood before.
    pub fn file(path: &Path) -> Self {
        let name = path.file_name().and_then(|name| name.to_str());
        let path = name.map_or(path.to_owned(), |name| path.with_file_name(uncompressed(name)));
        Self { path: Some(path) }
    }

    /// The input's file name without its last extension.
    pub fn stem(&self) -> Option<&str> {
        self.path.as_deref()?.file_stem()?.to_str()
    }

    /// The name of the folder that is `levels` above the input.
    pub fn folder(&self, levels: usize) -> Option<&str> {
        self.path.as_deref()?.ancestors().nth(levels)?.file_name()?.to_str()
    }

    /// The file that `parts` lead to from the folder `levels` above the input. The parts may stem
    /// from the input, so only plain names are taken.
    pub fn read(&self, levels: usize, parts: &[&str]) -> Option<Vec<u8>> {
        let mut path = self.path.as_deref()?.ancestors().nth(levels)?.to_owned();
        for part in parts {
            let mut components = Path::new(part).components();
            let name = components.next()?;
            if !matches!(name, Component::Normal(_)) || components.next().is_some() {
                return None;
            }
            path.push(name);
        }
        let file = File::open(path).ok()?;
        let kind = file.metadata().ok()?;
        if !kind.is_file() || kind.len() > CAP {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(CAP).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_below_are_read() {
        let beside =
            Beside::file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/transcript/x.rs"));
        assert!(beside.read(1, &["mod.rs"]).is_some());
        assert!(beside.read(2, &["transcript", "mod.rs"]).is_some());
        assert_eq!(
            (beside.stem(), beside.folder(1), beside.folder(2)),
            (Some("x"), Some("transcript"), Some("src"))
        );
        let compressed = Beside::file(Path::new("/a/b.jsonl.zst"));
        assert_eq!((compressed.stem(), compressed.folder(1)), (Some("b"), Some("a")));
        for parts in
            [&["..", "lib.rs"][..], &["/etc/passwd"], &["transcript/mod.rs"], &[""], &["nothing"]]
        {
            assert!(beside.read(1, parts).is_none(), "{parts:?}");
        }
        assert!(Beside::default().read(1, &["mod.rs"]).is_none());
    }
}
