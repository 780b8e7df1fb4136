//! The laws that fuzzing holds the program to, over mutations of the corpus. The mutations come
//! from a seeded generator, so that a failure comes again; `REVEXTRACT_ROUNDS` asks for more.

mod common;
#[path = "../fuzz/laws.rs"]
mod laws;

use std::fs;

use common::{Numbers, cases, rounds};
use rayon::prelude::*;

/// What is put into a text: what the grammars turn on.
const PIECES: &[&str] = &[
    "\n",
    " ",
    "\t",
    "\r\n",
    "\0",
    "\"",
    "'",
    "\\",
    "\\n",
    "\\u0000",
    "\\ud83d",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ": ",
    "- ",
    "#",
    " #",
    "|",
    ">",
    "&a ",
    "*a",
    "!t ",
    "---",
    "...",
    "```",
    "```yaml\n",
    "> ",
    "│ ",
    "<think>",
    "</think>",
    "---sdlc-review-output---\n",
    "---end-sdlc-review-output---\n",
    "verdict: pass\n",
    "\"gates\"",
    "workflow-reviewer-phase3",
    "submit_review",
    "\u{feff}",
    "\u{a0}",
    "é",
    "😀",
    "null",
    "1e400",
    "{\"type\":\"assistant\",",
    "}{",
    "*** Begin Patch\n*** Add File: review.yaml\n+",
    "<<EOF",
    "\u{1b}[1m",
    "\u{1b}[2K",
    "\r",
    "\u{8}",
    "\n2026-11-30T12:00:00.1234567Z ",
    "\n2026-11-30T12:00:00.5Z stdout P ",
    "\n2026-11-30 12:00:00 INFO ",
    "\n[2026-11-30 12:00:00] ",
    "\nreviewer-1  | ",
    "{\"log\":\"x\\ud83d\",\"stream\":\"stdout\",\"time\":\"\"}\n",
    "[0.1,\"o\",\"x\\r\\n\"]\n",
];

fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(4) {
        let length = bytes.len();
        let at = numbers.below(length + 1);
        let to = (at + numbers.below(40)).min(length);
        match numbers.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 => {
                let piece = bytes[at..to].to_vec();
                let target = numbers.below(bytes.len() + 1);
                bytes.splice(target..target, piece);
            }
            3 if at < length => bytes[at] = numbers.below(256) as u8,
            _ => {
                let piece = PIECES[numbers.below(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
}

/// Holds a law for each text and its mutations.
fn hold(texts: &[(String, Vec<u8>)], usual: usize, law: fn(&[u8])) {
    texts.par_iter().enumerate().for_each(|(index, (name, text))| {
        let mut numbers = Numbers(index as u64);
        for round in 0..=rounds(usual) {
            let mut bytes = text.clone();
            if round > 0 {
                mutate(&mut bytes, &mut numbers);
            }
            if std::panic::catch_unwind(|| law(&bytes)).is_err() {
                let path = std::env::temp_dir().join(format!("revextract-law-{index}-{round}"));
                fs::write(&path, &bytes).expect("the input can be kept");
                panic!("{name}, round {round}: the input is in {}", path.display());
            }
        }
    });
}

fn inputs() -> Vec<(String, Vec<u8>)> {
    let files = cases().into_iter().filter(common::Case::is_plain);
    files
        .map(|case| {
            (case.name.clone(), fs::read(case.folder.join(&case.input)).expect("it is there"))
        })
        .collect()
}

/// The blocks of the corpus, as they were cut out.
fn blocks() -> Vec<(String, Vec<u8>)> {
    let mut blocks = Vec::new();
    for (name, bytes) in inputs() {
        let options =
            revextract::pipeline::Options { raw: true, templates: true, ..Default::default() };
        let (records, _) = revextract::drive::extract(&name, [&bytes[..]], &options);
        blocks.extend(
            records.into_iter().filter_map(|record| Some((name.clone(), record.raw?.into_bytes()))),
        );
    }
    assert!(blocks.len() > 200, "the corpus has blocks");
    blocks
}

#[test]
fn any_bytes() {
    hold(&inputs(), 20, laws::extract);
}

#[test]
fn json_as_another_parser_reads_it() {
    hold(&blocks(), 300, laws::json);
}

#[test]
fn yaml_as_another_parser_reads_it() {
    hold(&blocks(), 300, laws::yaml);
}

#[test]
fn repairs_of_any_block() {
    hold(&blocks(), 20, laws::repair);
}
