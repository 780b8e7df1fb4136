//! Versions of a format that nobody knows yet: a key is renamed throughout a transcript, and no
//! review may be lost without being counted.
//!
//! Every key of every case is renamed once, by itself. What was a review must come out as one, or
//! the end record of its frame must count something that is left out or stands in an unknown place.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::{Case, cases};
use rayon::prelude::*;
use revextract::drive::extract;
use revextract::emit::EndRecord;
use revextract::pipeline::Options;

/// The keys of JSON objects that stand in no string.
fn keys(text: &str) -> BTreeSet<&str> {
    let mut keys = BTreeSet::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let from = &rest[start + 1..];
        let Some(end) = end_of_string(from) else { break };
        let (key, behind) = (&from[..end], &from[end + 1..]);
        if behind.trim_start().starts_with(':') && !key.is_empty() && !key.contains('\\') {
            keys.insert(key);
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

/// The text with `key` renamed wherever it is a key outside of strings.
fn renamed(text: &str, key: &str) -> String {
    let mut new = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let from = &rest[start + 1..];
        let Some(end) = end_of_string(from) else { break };
        let (word, behind) = (&from[..end], &from[end + 1..]);
        new.push_str(&rest[..=start]);
        new.push_str(word);
        if word == key && behind.trim_start().starts_with(':') {
            new.push_str("Renamed");
        }
        new.push('"');
        rest = behind;
    }
    new + rest
}

/// How much is counted that is no record.
fn counted(end: &EndRecord) -> u64 {
    end.left_out.values().chain(end.damage.values()).sum::<u64>() + end.templates + end.strays
}

fn check(case: &Case) -> Result<usize, String> {
    let bytes = fs::read(case.folder.join(&case.input)).map_err(|error| error.to_string())?;
    let Ok(text) = String::from_utf8(bytes) else { return Ok(0) };
    let options = Options::default();
    let read = |text: &str| extract(&case.input, [text.as_bytes()], &options);
    let (records, end) = read(&text);
    let keys = keys(&text);
    for key in &keys {
        let (after, _) = read(&renamed(&text, key));
        let lost = records.iter().filter(|record| {
            // A review that is read otherwise is not lost: its place says that it is the same.
            let same = |other: &&revextract::record::Record| {
                other.content_id == record.content_id || other.source.line == record.source.line
            };
            !after.iter().any(|other| same(&other))
        });
        for record in lost {
            // The frame by itself, so that no other one's counts stand for it.
            let line = text.lines().nth(record.source.line as usize - 1).unwrap_or_default();
            let frame = if end.frames == 1 { text.as_str() } else { line };
            let (_, end) = read(&renamed(frame, key));
            if counted(&end) == 0 {
                return Err(format!(
                    "{key} renamed: the review on line {} is lost uncounted",
                    record.source.line
                ));
            }
        }
    }
    Ok(keys.len())
}

#[test]
fn nothing_is_lost_uncounted() {
    let mut cases = cases();
    // A review's own keys are no matter of a transcript format.
    cases.retain(|case| {
        let own = ["transcript/review-file/", "transcript/text/", "contract/"];
        case.is_file()
            && case.args().is_empty()
            && !own.iter().any(|own| case.name.starts_with(own))
    });
    let results: Vec<_> = cases
        .par_iter()
        .map(|case| check(case).map_err(|fault| format!("{}: {fault}", case.name)))
        .collect();
    let faults: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(faults.is_empty(), "{} of {}:\n{faults:#?}", faults.len(), results.len());
    let renamed: usize = results.into_iter().flatten().sum();
    assert!(renamed > 500 || std::env::var_os("REVEXTRACT_CASES").is_some(), "{renamed} keys");
}
