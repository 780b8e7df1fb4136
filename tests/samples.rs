//! Real files of real agents, which are no part of the project: no agent says a review in them, so
//! none may come out but what the agent tool itself recorded as one. Looks for them in
//! `REVEXTRACT_SAMPLES`, or beside the project.

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{command, records, root};
use revextract::contract::CONTRACTS;
use serde_json::Value;

fn samples() -> PathBuf {
    match std::env::var_os("REVEXTRACT_SAMPLES") {
        Some(folder) => {
            let folder = PathBuf::from(folder);
            assert!(folder.is_dir(), "REVEXTRACT_SAMPLES is no folder: {}", folder.display());
            folder
        }
        None => root().join("../shared/samples"),
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// The lines of a JSONL file in which the agent tool recorded a review of a contract that there is.
/// Their texts were cut out before they were published, so that each is `invalid`.
fn recorded(path: &Path) -> Vec<u64> {
    let is_review = |line: &[u8]| {
        let record: Value = serde_json::from_slice(line).unwrap_or_default();
        let review = record.pointer("/payload/review_output").filter(|value| value.is_object());
        let keys = review.map(Value::to_string).unwrap_or_default();
        let mut needles = CONTRACTS.iter().flat_map(|contract| contract.needles());
        needles.any(|needle| keys.contains(needle))
    };
    let bytes = std::fs::read(path).expect("a file");
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    lines.filter(|(line, _)| is_review(line)).map(|(_, number)| number).collect()
}

#[test]
fn real_files_give_no_false_record() {
    let folder = samples();
    if !folder.is_dir() {
        // Not through `println!`, which cargo keeps back where a test passes.
        let mut err = std::io::stderr();
        writeln!(err, "skipped: there are no samples at {}", folder.display()).expect("stderr");
        return;
    }
    let mut all = Vec::new();
    files(&folder, &mut all);
    all.sort();
    assert!(!all.is_empty(), "{} is empty", folder.display());
    let mut faults = Vec::new();
    let mut reviews = 0;
    for path in &all {
        let output =
            command(&folder).arg(path).stdin(Stdio::null()).output().expect("the program runs");
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(600).collect::<String>();
        let wanted = recorded(path);
        reviews += wanted.len();
        let came = records(&output.stdout);
        let fits = came
            .iter()
            .map(|record| record["source"]["line"].as_u64())
            .eq(wanted.iter().map(|line| Some(*line)))
            && came.iter().all(|record| record["status"] == "invalid");
        if output.status.code() != Some(0) || !fits || !output.stderr.is_empty() {
            faults.push(format!(
                "{}: {}\n  stdout: {}\n  stderr: {}",
                path.display(),
                output.status,
                text(&output.stdout),
                text(&output.stderr),
            ));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), all.len(), faults.join("\n"));
    let whole = command(&folder).arg(&folder).output().expect("the program runs");
    assert_eq!(whole.status.code(), Some(0), "all in one run");
    assert_eq!(records(&whole.stdout).len(), reviews, "all in one run");
    assert!(whole.stderr.is_empty(), "all in one run");
}
