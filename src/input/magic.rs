//! What an input is, by its first bytes.
//!
//! Takes the bytes that have come, gives what they are the start of, or that more of them are
//! needed to tell. Never looks at a name.

/// What bytes can be the start of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something to read as it is.
    Plain,
    /// Text in UTF-16.
    Utf16,
    /// gzip members.
    Gzip,
    /// zstd frames.
    Zstd,
    /// xz streams.
    Xz,
    /// bzip2 streams.
    Bzip2,
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
    /// A `SQLite` database.
    Sqlite,
    /// A Parquet file.
    Parquet,
}

/// The first bytes of a kind: the lowest and the highest that each may be.
const MAGICS: &[(&[u8], &[u8], Kind)] = &[
    (b"\xff\xfe", b"\xff\xfe", Kind::Utf16),
    (b"\xfe\xff", b"\xfe\xff", Kind::Utf16),
    (b"\x1f\x8b", b"\x1f\x8b", Kind::Gzip),
    (b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd", Kind::Zstd),
    // A frame of zstd that is to be skipped.
    (b"\x50\x2a\x4d\x18", b"\x5f\x2a\x4d\x18", Kind::Zstd),
    (b"\xfd7zXZ\0", b"\xfd7zXZ\0", Kind::Xz),
    // The level, then a block or the end.
    (b"BZh1\x31\x41\x59\x26\x53\x59", b"BZh9\x31\x41\x59\x26\x53\x59", Kind::Bzip2),
    (b"BZh1\x17\x72\x45\x38\x50\x90", b"BZh9\x17\x72\x45\x38\x50\x90", Kind::Bzip2),
    (b"PK\x03\x04", b"PK\x03\x04", Kind::Zip),
    (b"PK\x05\x06", b"PK\x05\x06", Kind::Zip),
    (b"PK\x07\x08", b"PK\x07\x08", Kind::Zip),
    (b"SQLite format 3\0", b"SQLite format 3\0", Kind::Sqlite),
    // A control character, so that no text is taken for one.
    (b"PAR1\x00", b"PAR1\x08", Kind::Parquet),
    (b"PAR1\x0e", b"PAR1\x1f", Kind::Parquet),
];

/// Bytes by which every kind is told.
pub const ENOUGH: usize = 512;

/// What `start` is the start of; none where more bytes are needed to tell. `ends` says that no more
/// will come.
pub fn kind(start: &[u8], ends: bool) -> Option<Kind> {
    let mut is_open = false;
    for (low, high, kind) in MAGICS {
        let fits = start
            .iter()
            .zip(*low)
            .zip(*high)
            .all(|((byte, low), high)| (low..=high).contains(&byte));
        if fits && start.len() >= low.len() {
            return Some(*kind);
        }
        is_open |= fits;
    }
    match is_tar(start, ends) {
        Some(true) => Some(Kind::Tar),
        None => None,
        Some(false) => (ends || !is_open).then_some(Kind::Plain),
    }
}

/// Whether this is a tar: the header of its first member has no magic number at its start.
fn is_tar(start: &[u8], ends: bool) -> Option<bool> {
    const NAME: usize = 100;
    let Some(first) = start.first() else { return if ends { Some(false) } else { None } };
    let name = &start[..start.len().min(NAME)];
    let length = memchr::memchr(0, name).unwrap_or(name.len());
    let padded = name[length..].iter().all(|byte| *byte == 0);
    // Text is told from a name by its first line: no record is to wait for a hundred bytes.
    let is_text =
        name.contains(&b'\n') && !(first.is_ascii_alphanumeric() || b"._/".contains(first));
    if *first < b' ' || !padded || is_text {
        return Some(false);
    }
    // The mode and the checksum.
    for field in [100..108, 148..156] {
        let field = start.get(field.start..field.end.min(start.len())).unwrap_or_default();
        if !field.iter().all(|byte| matches!(byte, b'0'..=b'7' | b' ' | 0)) {
            return Some(false);
        }
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some(true);
    }
    match start.get(..ENOUGH) {
        Some(header) => Some(has_checksum(header)),
        None if ends => Some(false),
        None => None,
    }
}

/// Whether a header's checksum is right: how a tar from before there was a magic number is told.
fn has_checksum(header: &[u8]) -> bool {
    let (before, rest) = header.split_at(148);
    let (field, after) = rest.split_at(8);
    let sum: u32 = before.iter().chain(after).map(|byte| u32::from(*byte)).sum::<u32>() + 8 * 32;
    let digits = field.split(|byte| matches!(byte, b' ' | 0)).find(|part| !part.is_empty());
    let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| u32::from_str_radix(digits, 8).ok()) == Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_by_its_first_bytes_and_by_no_fewer() {
        for (low, high, kind) in MAGICS {
            for magic in [low, high] {
                for length in 0..magic.len() {
                    let told = super::kind(&magic[..length], false);
                    assert_eq!(told, None, "{kind:?}: {:?}", &magic[..length]);
                }
                assert_eq!(super::kind(magic, false), Some(*kind));
            }
        }
    }

    #[test]
    fn text_is_told_from_a_tar_before_a_block_can_end() {
        for text in
            ["{\"type\":\"user\"}\n", "---\n", "# Review\n", "- a\n", "BZh9 is a name", "PAR1: no"]
        {
            let padded = format!("{text}{}", "x".repeat(101));
            let told = (1..=padded.len()).find_map(|length| {
                super::kind(&padded.as_bytes()[..length], false).map(|kind| (length, kind))
            });
            let (length, kind) = told.expect("it is told");
            assert_eq!(kind, Kind::Plain, "{text}");
            assert!(length <= 101, "{text}: {length}");
            if text.ends_with('\n') {
                assert!(length <= text.len(), "{text}: {length}");
            }
        }
    }

    #[test]
    fn a_tar_is_told_by_its_header() {
        for name in ["a/b.jsonl", "odd\nname", &"long".repeat(25)] {
            let mut header = tar::Header::new_gnu();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(3);
            header.set_mode(0o644);
            header.set_cksum();
            assert_eq!(super::kind(&header.as_bytes()[..200], false), None, "{name}");
            assert_eq!(super::kind(header.as_bytes(), false), Some(Kind::Tar), "{name}");
            // Without a magic number, as it was once.
            header.as_mut_bytes()[257..265].fill(0);
            assert_eq!(super::kind(header.as_bytes(), false), Some(Kind::Plain), "{name}");
            header.set_cksum();
            assert_eq!(super::kind(header.as_bytes(), false), Some(Kind::Tar), "{name}");
        }
    }
}
