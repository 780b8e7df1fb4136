//! A log in a wrapper gives the records that it gives alone, and they lead back to the input: every
//! case of the corpus, put into each kind of wrapper.

mod common;

use std::fs;

use common::{Case, cases};
use rayon::prelude::*;
use revextract::drive::extract;
use revextract::emit::EndRecord;
use revextract::pipeline::Options;
use revextract::record::Record;
use serde_json::{Value, json};

/// Puts the lines of a log into a wrapper.
type Wrap = fn(&str) -> String;

fn lines(log: &str) -> impl Iterator<Item = &str> {
    log.split_inclusive('\n')
}

/// Each line behind `prefix`.
fn behind(prefix: &str, log: &str) -> String {
    lines(log).flat_map(|line| [prefix, line]).collect()
}

/// What stands before the lines in the wrappers that leave lines as they are.
const PREFIXES: [&str; 5] = [
    "2026-11-30T12:00:00.1234567Z ",
    "review\tRun the reviewers\t2026-11-30T12:00:00.1234567Z ",
    "2026-11-30T12:00:00.123456789Z stdout F ",
    "[RUNNER 2026-02-03 09:14:11Z INFO Review] ",
    "Nov 30 12:00:00 build-7 reviewer[812]: ",
];

fn entry(log: &str) -> String {
    let entry = json!({"log": log, "stream": "stdout", "time": "2026-11-30T12:00:00.5Z"});
    format!("{entry}\n")
}

/// Docker's log of the lines, which are cut after so many characters.
fn docker(log: &str, size: usize) -> String {
    let cut = |line: &str| {
        let chars: Vec<char> = line.chars().collect();
        chars.chunks(size).map(|piece| entry(&piece.iter().collect::<String>())).collect::<String>()
    };
    lines(log).map(cut).collect()
}

/// Kubernetes' log of the lines, which are cut after so many characters, with those of another
/// stream between the pieces.
fn cri(log: &str, size: usize) -> String {
    let mut out = String::new();
    for line in lines(log) {
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        let chars: Vec<char> = text.chars().collect();
        let mut pieces: Vec<String> =
            chars.chunks(size).map(|piece| piece.iter().collect()).collect();
        let last = pieces.pop().unwrap_or_default();
        for piece in pieces {
            out += "2026-11-30T12:00:00.5Z stdout P ";
            out += &piece;
            out += "\n";
            out += "2026-11-30T12:00:00.5Z stderr P \n";
        }
        // A last line without its end is one that goes on.
        let tag = if end.is_empty() { "P" } else { "F" };
        out.extend(["2026-11-30T12:00:00.5Z stdout ", tag, " ", &last, end]);
    }
    out
}

const WRAPPERS: [(&str, Wrap); 5] = [
    ("docker", |log| docker(log, usize::MAX)),
    ("docker, cut", |log| docker(log, 50)),
    ("cri, cut", |log| cri(log, 60)),
    ("docker in github-actions", |log| behind(PREFIXES[1], &docker(log, 100))),
    ("github-actions in cri", |log| cri(&behind(PREFIXES[0], log), 1000)),
];

fn read(log: &str, options: &Options) -> (Vec<Record>, EndRecord) {
    extract("input", [log.as_bytes()], options)
}

/// What does not hang on where a record stands.
fn content(record: &Record) -> Value {
    let mut value = serde_json::to_value(record).expect("a record is JSON");
    value["id"].take();
    for key in ["line", "offset", "length", "timestamp"] {
        value["source"][key].take();
    }
    if record.source.depth == 0 {
        for list in ["violations", "repairs"] {
            for each in value[list].as_array_mut().expect("a list") {
                each["line"].take();
                each["column"].take();
            }
        }
    }
    value
}

fn counts(end: &EndRecord) -> Value {
    let mut value = serde_json::to_value(end).expect("an end record is JSON");
    value["bytes"].take();
    value["frames"].take();
    value
}

/// The logs of the corpus that are text.
fn logs() -> Vec<(Case, String)> {
    let files = cases().into_iter().filter(Case::is_file);
    files
        .filter_map(|case| {
            let bytes = fs::read(case.folder.join(&case.input)).expect("the input is there");
            Some((case, String::from_utf8(bytes).ok()?))
        })
        .collect()
}

fn check(check: impl Fn(&Case, &str) -> Result<(), String> + Sync) {
    let logs = logs();
    let faults: Vec<String> = logs
        .par_iter()
        .filter_map(|(case, log)| {
            check(case, log).err().map(|fault| format!("{}: {fault}", case.name))
        })
        .collect();
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), logs.len(), faults.join("\n"));
}

fn same(
    what: &str,
    alone: &(Vec<Record>, EndRecord),
    came: &(Vec<Record>, EndRecord),
) -> Result<(), String> {
    let contents = |records: &[Record]| records.iter().map(content).collect::<Vec<_>>();
    let (expected, records) = (contents(&alone.0), contents(&came.0));
    if expected != records {
        return Err(format!("{what}:\n  expected {expected:?}\n  came     {records:?}"));
    }
    let (expected, counted) = (counts(&alone.1), counts(&came.1));
    if expected != counted {
        return Err(format!("{what}:\n  expected {expected}\n  came     {counted}"));
    }
    Ok(())
}

#[test]
fn any_wrapper_gives_what_the_log_gives_alone() {
    check(|case, log| {
        let options = case.options();
        let alone = read(log, &options);
        WRAPPERS.iter().try_for_each(|(name, wrap)| {
            let came = read(&wrap(log), &options);
            same(name, &alone, &came)?;
            let known = |record: &Record| record.source.timestamp.is_some();
            if came.0.iter().all(known) { Ok(()) } else { Err(format!("{name}: no time")) }
        })
    });
}

#[test]
fn records_lead_back_to_the_lines_and_bytes_of_the_input() {
    check(|case, log| {
        let options = case.options();
        let alone = read(log, &options);
        PREFIXES.iter().try_for_each(|prefix| {
            let came = read(&behind(prefix, log), &options);
            same(prefix, &alone, &came)?;
            let length = prefix.len() as u64;
            let lines_before = |end: u64| {
                log.as_bytes()[..end as usize].split(|byte| *byte == b'\n').count() as u64 - 1
            };
            let offset = |at: u64| at + length * (lines_before(at) + 1);
            for (alone, came) in alone.0.iter().zip(&came.0) {
                let (source, wrapped) = (&alone.source, &came.source);
                let end = source.offset + source.length;
                // Behind the last byte, not before the next line's own.
                let end = if end > 0 { offset(end - 1) + 1 } else { offset(0) };
                let expected = (source.line, offset(source.offset), end);
                let came_at = (wrapped.line, wrapped.offset, wrapped.offset + wrapped.length);
                if expected != came_at {
                    return Err(format!("{prefix}: {came_at:?}, expected {expected:?}"));
                }
                let moved = if source.depth == 0 { prefix.chars().count() as u64 } else { 0 };
                for (a, b) in alone.review.violations.iter().zip(&came.review.violations) {
                    let expected = (a.line, a.column.map(|column| column + moved));
                    if expected != (b.line, b.column) {
                        return Err(format!("{prefix}: {b:?}, expected {expected:?}"));
                    }
                }
            }
            Ok(())
        })
    });
}
