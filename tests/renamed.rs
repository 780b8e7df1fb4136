//! Versions of a format that nobody knows yet: a key is renamed throughout a transcript, and no
//! review may be lost without being counted.
//!
//! Every key of every case of a transcript format is renamed once, by itself. What was a review must
//! come out as one, or the end record of its frame must count something that is left out or stands
//! in an unknown place. As the formats are, none of their cases has an unknown place.
//!
//! Left out are the cases of wrappers and containers, whose keys are those of no transcript format;
//! of `text`, `review-file` and `aider`, which have no records; cases with arguments, which may ask
//! for a format or leave out reviews; and the keys within a review, which are its contract's, as
//! are numbers, under which the characters of one stand at times.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

use common::{Case, cases};
use rayon::prelude::*;
use revextract::drive::extract;
use revextract::emit::EndRecord;
use revextract::pipeline::Options;
use revextract::record::Record;

/// The keys of JSON objects that stand in no string, and where; the bytes of `reviews` are passed
/// over.
fn keys<'t>(text: &'t str, reviews: &[Range<usize>]) -> BTreeMap<&'t str, Vec<usize>> {
    let mut keys: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let from = &rest[start + 1..];
        let Some(end) = end_of_string(from) else { break };
        let (key, behind) = (&from[..end], &from[end + 1..]);
        let at = text.len() - from.len();
        let is_review = reviews.iter().any(|review| review.contains(&at));
        let is_key = behind.trim_start().starts_with(':') && !key.contains('\\');
        if is_key && !is_review && key.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            keys.entry(key).or_default().push(at);
        }
        rest = behind;
    }
    keys
}

/// Where the string ends whose opening quote stands before `text`.
fn end_of_string(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The text with the key that stands at `places` renamed to one that no format has and that is as
/// long, so that all else stays in its place.
fn renamed(text: &str, key: &str, places: &[usize]) -> String {
    let other = |char: char| match char {
        'a'..='m' | 'A'..='M' => (char as u8 + 13) as char,
        'n'..='z' | 'N'..='Z' => (char as u8 - 13) as char,
        char => char,
    };
    let new_key: String = key.chars().map(other).collect();
    let mut new = text.to_owned();
    for at in places {
        new.replace_range(*at..*at + key.len(), &new_key);
    }
    new
}

/// How much is counted that is no record.
fn counted(end: &EndRecord) -> u64 {
    end.left_out.values().chain(end.damage.values()).sum::<u64>() + end.templates + end.strays
}

/// The bytes of a review.
fn span(record: &Record) -> Range<usize> {
    let start = record.source.offset as usize;
    start..start + record.source.length as usize
}

/// How many keys a case has, and what is lost where they are renamed.
fn check(case: &Case) -> (usize, Vec<String>) {
    let bytes = fs::read(case.folder.join(&case.input)).expect("the input is there");
    let Ok(text) = String::from_utf8(bytes) else { return (0, Vec::new()) };
    let options = Options::default();
    let read = |text: &str| extract(&case.input, [text.as_bytes()], &options);
    let (records, end) = read(&text);
    let reviews: Vec<_> = records.iter().map(span).collect();
    let keys = keys(&text, &reviews);
    let mut faults = Vec::new();
    for (key, places) in &keys {
        let text = renamed(&text, key, places);
        let (after, end_after) = read(&text);
        // A review that is read otherwise, or at one of its copies, is not lost.
        let is_lost = |record: &&Record| {
            let span = span(record);
            !after.iter().any(|other| {
                let at = other.source.offset as usize;
                other.content_id == record.content_id
                    || at < span.end && span.start < at + other.source.length as usize
            })
        };
        for record in records.iter().filter(is_lost) {
            // The frame by itself, so that no other one's counts stand for it.
            let line = text.lines().nth(record.source.line as usize - 1).unwrap_or_default();
            let end_after = if end.frames == 1 { end_after.clone() } else { read(line).1 };
            if counted(&end_after) == 0 {
                faults.push(format!(
                    "{}: {key} renamed: the review on line {} is lost uncounted",
                    case.name, record.source.line
                ));
            }
        }
    }
    (keys.len(), faults)
}

/// The cases of the transcript formats that have records.
fn record_cases() -> Vec<Case> {
    let mut cases = cases();
    let without = ["transcript/review-file/", "transcript/text/", "transcript/aider/"];
    cases.retain(|case| {
        case.is_file()
            && case.name.starts_with("transcript/")
            && !without.iter().any(|format| case.name.starts_with(format))
    });
    cases
}

#[test]
fn nothing_is_lost_uncounted() {
    let mut cases = record_cases();
    cases.retain(|case| case.args().is_empty());
    let results: Vec<_> = cases.par_iter().map(check).collect();
    let faults: Vec<_> = results.iter().flat_map(|(_, faults)| faults).collect();
    assert!(faults.is_empty(), "{} of {}:\n{faults:#?}", faults.len(), results.len());
    let renamed: usize = results.iter().map(|(keys, _)| keys).sum();
    assert!(renamed > 2000 || std::env::var_os("REVEXTRACT_CASES").is_some(), "{renamed} keys");
}

/// A format that is read completely has no place that it does not know; a case of one that has
/// says how many, as `unknown_places`.
#[test]
fn formats_know_their_places() {
    let faults: Vec<_> = record_cases()
        .iter()
        .filter_map(|case| {
            let bytes = fs::read(case.folder.join(&case.input)).expect("the input is there");
            let (_, end) = extract(&case.input, [&bytes[..]], &Options::default());
            let wanted = case.truth["unknown_places"].as_u64().unwrap_or_default();
            let found = end.damage.get("unknown-place").copied().unwrap_or_default();
            (found != wanted).then(|| format!("{}: {found}, not {wanted}", case.name))
        })
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
