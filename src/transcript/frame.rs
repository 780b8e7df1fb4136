//! Frames: a line or a document that should be one JSON record, and often is not.
//!
//! Takes the bytes of a frame, gives its records: several where they stand one after the other,
//! what there is of one that is torn, and the whole record behind one that was cut. Everything
//! else is counted by kind with its offset, never passed over in silence.

use super::raw::{End, Raw, end_of_value};
use super::shape::skip_padding;
use crate::record::words;

words! {
    /// What is wrong with a frame.
    Damage {
        /// The frame ends before its record does.
        Torn = "torn",
        /// A record was cut and another one follows on the same line.
        Spliced = "spliced",
        /// Something that is no JSON stands where a record should.
        Garbage = "garbage",
        /// A line feed stands in a string as it is, so that the record reaches over several lines.
        LineFeed = "line-feed",
        /// A run of NUL bytes.
        Nul = "nul",
        /// Bytes that are no UTF-8.
        Encoding = "encoding",
        /// Half of a surrogate pair in a text.
        Surrogate = "surrogate",
        /// A text whose characters stand one by one, each under its number.
        Numbered = "numbered-characters",
        /// A text stands in a place that the record's format does not have. It is read as in JSON
        /// of no known format.
        UnknownPlace = "unknown-place",
        /// Longer than the cap; it is passed over.
        TooLarge = "too-large",
    }
}

/// How many places of a broken line are tried for the start of a next record.
const TRIES: usize = 64;

/// Gives each record of `frame`, and each fault of it with its byte in the frame.
pub fn records<'a>(
    frame: &'a [u8],
    mut record: impl FnMut(Raw<'a>),
    mut damage: impl FnMut(Damage, usize),
) {
    let mut at = 0;
    while at < frame.len() {
        let start = at + skip_padding(&frame[at..]);
        if frame[at..start].contains(&0) {
            damage(Damage::Nul, at);
        }
        at = start;
        let rest = &frame[at..];
        if rest.is_empty() {
            break;
        }
        let broken = match end_of_value(rest, 0) {
            End::At(length) if matches!(rest[0], b'{' | b'[') => {
                record(Raw { bytes: &rest[..length], offset: at, whole: true });
                at += length;
                continue;
            }
            End::Broken(place) => place,
            End::At(_) => 0,
            End::Torn | End::Cut => rest.len(),
        };
        let next = next_record(rest, broken);
        let own = &rest[..next.unwrap_or(rest.len())];
        if matches!(rest[0], b'{' | b'[') {
            damage(if next.is_some() { Damage::Spliced } else { Damage::Torn }, at);
            record(Raw { bytes: own, offset: at, whole: false });
        } else {
            damage(Damage::Garbage, at);
        }
        at += own.len();
    }
}

/// Where in `bytes`, which broke at `broken`, the next record starts: an object that reaches
/// exactly to the end, or as far as another one.
fn next_record(bytes: &[u8], broken: usize) -> Option<usize> {
    // The record that breaks the first one starts shortly before the place where that is seen.
    let near = memchr::memmem::rfind(&bytes[..broken.min(bytes.len())], b"{\"");
    let later = memchr::memmem::find_iter(&bytes[1..], b"{\"").map(|at| at + 1);
    near.into_iter().chain(later.filter(|at| starts_record(bytes, *at)).take(TRIES)).find(|at| {
        let rest = &bytes[*at..];
        *at > 0
            && matches!(end_of_value(rest, 0), End::At(length)
                if rest.get(length..).is_none_or(|after| after.trim_ascii().is_empty()
                    || after.trim_ascii_start().starts_with(b"{")
                    || after[0] == 0))
    })
}

/// Whether an object at `at` is no value within another one, by what stands before it; or starts
/// as records do.
fn starts_record(bytes: &[u8], at: usize) -> bool {
    const HEADS: [&[u8]; 3] = [b"{\"parentUuid\":", b"{\"timestamp\":", b"{\"type\":"];
    let before = bytes[..at].trim_ascii_end().last();
    let inner = matches!(before, Some(b':' | b',' | b'['));
    !inner || HEADS.iter().any(|head| bytes[at..].starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(frame: &str) -> (Vec<&str>, Vec<Damage>) {
        let (mut found, mut faults) = (Vec::new(), Vec::new());
        records(
            frame.as_bytes(),
            |raw| found.push(std::str::from_utf8(raw.bytes).unwrap()),
            |damage, _| faults.push(damage),
        );
        (found, faults)
    }

    #[test]
    fn whole_records_are_read_as_they_stand() {
        assert_eq!(read(r#" {"a":1} "#), (vec![r#"{"a":1}"#], vec![]));
        assert_eq!(read(r#"{"a":1}{"b":2}"#), (vec![r#"{"a":1}"#, r#"{"b":2}"#], vec![]));
        assert_eq!(read("\0\0{\"a\":1}\0"), (vec![r#"{"a":1}"#], vec![Damage::Nul, Damage::Nul]));
    }

    #[test]
    fn the_record_behind_a_cut_one_is_found() {
        let whole = r#"{"type":"x","message":{"content":[{"type":"text","text":"hello"}]}}"#;
        for cut in 1..whole.len() {
            let line = format!("{}{whole}", &whole[..cut]);
            let (found, faults) = read(&line);
            assert_eq!(found.last(), Some(&whole), "cut at {cut}");
            assert_eq!(faults, [Damage::Spliced], "cut at {cut}");
        }
    }

    #[test]
    fn what_is_no_json_is_counted() {
        assert_eq!(read("}} what"), (vec![], vec![Damage::Garbage]));
        assert_eq!(read(r#"{"a":1} tail"#), (vec![r#"{"a":1}"#], vec![Damage::Garbage]));
        assert_eq!(read(r#"{"a":"cut"#), (vec![r#"{"a":"cut"#], vec![Damage::Torn]));
    }
}
