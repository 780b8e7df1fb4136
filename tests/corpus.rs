//! Every case of the corpus, from the command line.
//!
//! A case must give its `expected.ndjson` to the byte, whole and in pieces, with one thread and
//! with four; and what a person wrote into its `truth.json`. After a change that is meant to change
//! records, `REVEXTRACT_BLESS=1 cargo test --test corpus` writes the expectations anew; read the
//! difference before you commit it.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::{Case, cases, records};
use rayon::prelude::*;
use serde_json::Value;

/// Runs a check on all cases and fails with what all of them say.
fn check(cases: &[Case], check: impl Fn(&Case) -> Result<(), String> + Sync) {
    let faults: Vec<String> = cases
        .par_iter()
        .filter_map(|case| check(case).err().map(|fault| format!("{}: {fault}", case.name)))
        .collect();
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), cases.len(), faults.join("\n"));
}

fn differs(what: &str, expected: &[u8], came: &[u8]) -> Result<(), String> {
    if expected == came {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (expected, came) = (text(expected), text(came));
    let mut pairs = expected.lines().zip(came.lines()).enumerate();
    Err(match pairs.find(|(_, (a, b))| a != b) {
        Some((index, (a, b))) => {
            format!("{what}: line {}\n  expected {a}\n  came     {b}", index + 1)
        }
        None => {
            format!("{what}: {} lines, expected {}", came.lines().count(), expected.lines().count())
        }
    })
}

#[test]
fn as_files() {
    let bless = std::env::var_os("REVEXTRACT_BLESS").is_some();
    check(&cases(), |case| {
        let output = case.run(&["-j1"]);
        if output.status.code() != Some(0) || !output.stderr.is_empty() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}, stderr: {stderr}", output.status));
        }
        let path = case.folder.join("expected.ndjson");
        if bless {
            fs::write(&path, &output.stdout).map_err(|error| error.to_string())?;
        }
        let expected = fs::read(&path).map_err(|error| format!("expected.ndjson: {error}"))?;
        differs("-j1", &expected, &output.stdout)?;
        differs("-j4", &expected, &case.run(&["-j4"]).stdout)
    });
}

#[test]
fn in_pieces_on_stdin() {
    let mut cases = cases();
    cases.retain(Case::is_file);
    check(&cases, |case| {
        let expected =
            fs::read(case.folder.join("expected.ndjson")).map_err(|error| error.to_string())?;
        for size in [1, 7, 64 << 10, usize::MAX] {
            for threads in ["-j1", "-j4"] {
                let output = case.run_in_pieces(size, &[threads]);
                differs(&format!("pieces of {size}, {threads}"), &expected, &output.stdout)?;
            }
        }
        Ok(())
    });
}

#[test]
fn as_people_say() {
    check(&cases(), |case| {
        let expected =
            fs::read(case.folder.join("expected.ndjson")).map_err(|error| error.to_string())?;
        let came = records(&expected);
        let wanted = case.truth["records"].as_array().ok_or("no records in truth.json")?;
        if came.len() != wanted.len() {
            return Err(format!("{} records, expected {}", came.len(), wanted.len()));
        }
        for (number, (want, record)) in wanted.iter().zip(&came).enumerate() {
            truth(want, record).map_err(|fault| format!("record {}: {fault}", number + 1))?;
            // What is mended is always said.
            if want["repairs"].is_null() && record["repairs"] != Value::Array(Vec::new()) {
                return Err(format!("record {}: {}", number + 1, record["repairs"]));
            }
            let format = &case.truth["transcript"];
            let came = &record["source"]["transcript"];
            if !format.is_null() && came != format {
                return Err(format!(
                    "record {}: transcript is {came}, expected {format}",
                    number + 1
                ));
            }
        }
        Ok(())
    });
}

/// What a person says of a record.
fn truth(want: &Value, record: &Value) -> Result<(), String> {
    for (key, value) in want.as_object().ok_or("a truth is an object")? {
        let at = |pointer: &str| record.pointer(pointer).cloned().unwrap_or_default();
        let came = match key.as_str() {
            "findings" => Value::from(at("/findings").as_array().map_or(0, Vec::len)),
            "line" | "channel" | "accepted" | "last" => at(&format!("/source/{key}")),
            "violations" => {
                let codes = codes(record, &["error", "conflict"]);
                let all = codes_of_all(record);
                let named: Vec<_> = value.as_array().into_iter().flatten().cloned().collect();
                let missing = named.iter().find(|code| !all.contains(code));
                let further = codes.iter().find(|code| !named.contains(code));
                if let Some(code) = missing.or(further) {
                    return Err(format!("violations {all:?}, expected {named:?}: {code}"));
                }
                continue;
            }
            "repairs" => {
                let named: BTreeSet<_> =
                    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let all: BTreeSet<_> = record["repairs"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|r| r["code"].as_str())
                    .collect();
                if named != all {
                    return Err(format!("repairs {all:?}, expected {named:?}"));
                }
                continue;
            }
            "fields" => {
                // What stands at some pointers: texts that a repair must not lose.
                for (pointer, want) in value.as_object().into_iter().flatten() {
                    let came = at(pointer);
                    if came != *want {
                        return Err(format!("{pointer} is {came}, expected {want}"));
                    }
                }
                continue;
            }
            "contract" | "status" | "verdict" | "score" | "reviewer" | "carrier" => {
                at(&format!("/{key}"))
            }
            _ => return Err(format!("unknown key {key}")),
        };
        let fits =
            came == *value || value.as_array().is_some_and(|options| options.contains(&came));
        if !fits {
            return Err(format!("{key} is {came}, expected {value}"));
        }
    }
    Ok(())
}

fn codes(record: &Value, levels: &[&str]) -> Vec<Value> {
    let all = record["violations"].as_array().into_iter().flatten();
    all.filter(|violation| levels.contains(&violation["level"].as_str().unwrap_or_default()))
        .map(|violation| violation["code"].clone())
        .collect()
}

fn codes_of_all(record: &Value) -> Vec<Value> {
    codes(record, &["error", "conflict", "warning", "note"])
}
