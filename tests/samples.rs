//! Real files of real agents, which are no part of the project: none of them holds a review, so
//! none may come out. Looks for them in `REVEXTRACT_SAMPLES`, or beside the project.

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{command, root};

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
    for path in &all {
        let output =
            command(&folder).arg(path).stdin(Stdio::null()).output().expect("the program runs");
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(600).collect::<String>();
        if output.status.code() != Some(0) || !output.stdout.is_empty() || !output.stderr.is_empty()
        {
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
    assert!(whole.stdout.is_empty() && whole.stderr.is_empty(), "all in one run");
}
