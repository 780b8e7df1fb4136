//! What the README shows is what the program does: its examples are run, and its tables name all
//! that there is.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use common::{PROGRAM, root};
use revextract::cli::Args;
use revextract::contract::CONTRACTS;
use revextract::emit::EMITTERS;
use revextract::limits::Limits;
use revextract::record::{Channel, Status};
use revextract::scan::LeftOut;
use revextract::transcript::TRANSCRIPTS;
use revextract::transcript::frame::Damage;
use revextract::wrapper::WRAPPERS;

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// A command of a `console` block, and the output that stands below it.
struct Example {
    line: usize,
    command: String,
    output: String,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            let command = command.to_owned();
            examples.push(Example { line: index + 1, command, output: String::new() });
        } else if inside {
            let example = examples.last_mut().expect("a console block starts with a command");
            example.output.push_str(line);
            example.output.push('\n');
        }
    }
    examples
}

/// The path with the program under test first.
fn path() -> std::ffi::OsString {
    let mut path = Path::new(PROGRAM).parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

/// Runs a command with the program under test first in the path.
fn bash(command: &str) -> (String, String) {
    let output = Command::new("bash")
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", path())
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

/// Says so on stderr itself: cargo keeps `println!` back where a test passes.
fn skipped(line: usize, reason: &str) {
    let mut err = std::io::stderr();
    writeln!(err, "skipped: README.md, line {line}: {reason}").unwrap();
}

fn names(command: &str, program: &str) -> bool {
    command.split(|char: char| !char.is_alphanumeric() && char != '-').any(|word| word == program)
}

#[test]
fn every_example_gives_what_is_shown() {
    let examples = examples(&readme());
    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    let mut faults = Vec::new();
    let mut ran = 0;
    for Example { line, command, output } in &examples {
        if command.starts_with("cargo ") {
            skipped(*line, "a test runs within cargo, which would run itself");
            assert_eq!(output, "", "line {line}: nobody checks what is shown here");
        } else if names(command, "jq") && !has_jq {
            skipped(*line, "jq is not installed");
        } else {
            let (came, stderr) = bash(command);
            ran += 1;
            if came != *output || !stderr.is_empty() {
                faults.push(format!(
                    "line {line}: {command}\nexpected\n{output}came\n{came}stderr: {stderr}"
                ));
            }
        }
    }
    assert!(ran >= 4, "{ran} examples ran");
    assert!(faults.is_empty(), "{} examples:\n{}", faults.len(), faults.join("\n"));
}

/// The script of the hook, given what an agent tool gives: a broken review comes back to the agent on
/// stderr with exit code 2, once; all else lets the agent end.
#[test]
fn the_hook_hands_a_broken_review_back() {
    if Command::new("jq").arg("--version").output().is_err() {
        return skipped(0, "jq is not installed");
    }
    let text = readme();
    let (_, section) = text.split_once("\n### In a hook\n").unwrap();
    let (_, script) = section.split_once("```sh\n").unwrap();
    let (script, _) = script.split_once("```").unwrap();
    let block = |verdict: &str, end: &str| {
        format!(
            "I checked it.\n\n---sdlc-review-output---\nreviewer: \"Security Reviewer\"\nphase: \"Phase 4\"\n\
             score: 5\nverdict: {verdict}\nfindings:\n  - severity: high\n    category: injection\n    \
             scope: in-scope\n    requirement: \"FR-3\"\n    description: \"Filter is concatenated\"\n    \
             location: \"src/query.rs:88\"\n    recommendation: \"Bind it\"\nreasoning: \"One path is open. \
             It blocks.\"\n{end}"
        )
    };
    let end = "---end-sdlc-review-output---\n";
    let (fits, contradicts, cut) = (block("FAIL", end), block("PASS", end), block("FAIL", ""));
    for (message, again, code, told) in [
        (Some(fits.as_str()), false, 0, ""),
        (Some(contradicts.as_str()), false, 2, "conflict[verdict-mismatch]"),
        (Some(contradicts.as_str()), true, 0, ""),
        (Some(cut.as_str()), false, 2, "error[close-missing]"),
        (Some("Nothing to review."), false, 0, ""),
        (None, false, 0, ""),
    ] {
        let mut input = serde_json::json!({
            "session_id": "5f0c", "transcript_path": "/home/dev/.claude/projects/shop/5f0c.jsonl",
            "cwd": "/home/dev/shop", "permission_mode": "default", "hook_event_name": "SubagentStop",
            "stop_hook_active": again, "agent_id": "a1b2", "agent_type": "security-reviewer",
            "agent_transcript_path": "/home/dev/.claude/projects/shop/5f0c/subagents/agent-a1b2.jsonl",
        });
        if let Some(message) = message {
            input["last_assistant_message"] = message.into();
        }
        let output = common::run_with(
            Command::new("sh").args(["-c", script]).env("PATH", path()),
            input.to_string().as_bytes(),
            usize::MAX,
        );
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{message:?}: {stderr}");
        assert_eq!(stderr.is_empty(), told.is_empty(), "{stderr}");
        assert!(stderr.contains(told) && !stderr.contains('\u{1b}'), "{stderr}");
        assert!(told.is_empty() || stderr.starts_with("Your review"), "{stderr}");
        assert_eq!(output.stdout, b"", "stdout is for the agent tool");
    }
}

/// The first cells of the rows of the tables below the heading, up to the next heading.
fn rows(text: &str, heading: &str) -> Vec<String> {
    let (_, section) = text
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("the README has no heading {heading}"));
    let section = section.split("\n#").next().unwrap();
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
}

/// The row whose first cell is this name.
fn row<'r>(rows: &'r [String], name: &str) -> &'r str {
    rows.iter()
        .find(|row| row.starts_with(&format!("| `{name}` |")))
        .unwrap_or_else(|| panic!("no row of {name} in {rows:#?}"))
}

/// A cell as Markdown shows it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn the_tables_name_everything_that_there_is() {
    let text = readme();

    let contracts = rows(&text, "### Contracts");
    for contract in CONTRACTS {
        let row = row(&contracts, contract.id());
        for said in [contract.about(), contract.carriers()] {
            assert!(row.contains(&cell(said)), "{}: {said}", contract.id());
        }
    }
    assert_eq!(contracts.len(), CONTRACTS.len(), "a row for each contract: {contracts:#?}");

    let transcripts = rows(&text, "### Transcripts");
    let channels = rows(&text, "### Channels and copies");
    for format in TRANSCRIPTS {
        let own = row(&transcripts, format.id());
        for said in [format.reads(), format.recognised_by()] {
            assert!(own.contains(&cell(said)), "{}: {said}", format.id());
        }
        row(&channels, format.id());
    }
    assert_eq!(transcripts.len(), TRANSCRIPTS.len(), "{transcripts:#?}");
    assert_eq!(channels.len(), TRANSCRIPTS.len(), "{channels:#?}");

    let wrappers = rows(&text, "### Wrappers");
    for wrapper in WRAPPERS {
        let row = row(&wrappers, wrapper.id());
        for said in [wrapper.takes_off(), wrapper.recognised_by()] {
            assert!(row.contains(&cell(said)), "{}: {said}", wrapper.id());
        }
    }
    assert_eq!(wrappers.len(), WRAPPERS.len(), "{wrappers:#?}");

    let emitters = rows(&text, "### Emitters");
    for emitter in EMITTERS {
        assert!(row(&emitters, emitter.id()).contains(&cell(emitter.about())), "{}", emitter.id());
    }
    assert_eq!(emitters.len(), EMITTERS.len(), "{emitters:#?}");

    for channel in Channel::ALL {
        assert!(text.contains(&format!("`{}`", channel.word())), "{channel:?}");
    }
    let statuses = rows(&text, "### Status and verdict");
    for status in Status::ALL {
        row(&statuses, status.word());
    }
    assert_eq!(statuses.len(), Status::ALL.len());
}

#[test]
fn what_is_left_out_damaged_or_limited_is_told() {
    let text = readme();
    let left_out = rows(&text, "## In a pipe");
    for kind in LeftOut::ALL {
        row(&left_out, kind.word());
    }
    assert_eq!(left_out.len(), LeftOut::ALL.len(), "{left_out:#?}");

    let rows = rows(&text, "## Damage and limits");
    for kind in Damage::ALL {
        row(&rows, kind.word());
    }
    let (damage, limits): (Vec<&String>, Vec<&String>) =
        rows.iter().partition(|row| row.starts_with("| `"));
    assert_eq!(damage.len(), Damage::ALL.len(), "{damage:#?}");
    // Below the head of their table, how much and how many times its size an input may expand to
    // stand in one row.
    let fields = format!("{:?}", Limits::default()).matches(": ").count();
    assert_eq!(limits.len() - 2, fields - 1, "{limits:#?}");
}

#[test]
fn the_flags_are_those_of_the_program() {
    let rows = rows(&readme(), "## Flags");
    let mut command = Args::command();
    command.build();
    let mut flags: Vec<String> =
        command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned).collect();
    for arg in command.get_arguments() {
        let Some(long) = arg.get_long() else { continue };
        let shown = |row: &&String| {
            row.contains(&format!("`--{long} ")) || row.contains(&format!("`--{long}`"))
        };
        let row = rows.iter().find(shown).unwrap_or_else(|| panic!("no row of --{long}"));
        if let Some(short) = arg.get_short() {
            assert!(row.contains(&format!("`-{short}`, `--{long}")), "-{short} in {row}");
        }
        // What a flag can be set to stands in its row, unless a table of its own tells.
        for value in arg.get_possible_values() {
            let bare = matches!(value.get_name(), "true" | "false");
            assert!(bare || row.contains(value.get_name()), "{} in {row}", value.get_name());
        }
    }
    flags.sort();
    let mut named: Vec<String> = rows
        .iter()
        .flat_map(|row| row.split('|').nth(1).unwrap().split("--").skip(1))
        .map(|rest| rest.split([' ', '`']).next().unwrap().to_owned())
        .collect();
    named.sort();
    assert_eq!(named, flags);
}

#[test]
fn the_keys_of_a_record_are_those_of_the_program() {
    let rows = rows(&readme(), "## The record").join("\n");
    let output =
        Command::new(PROGRAM).args(["--raw", "corpus/demo"]).current_dir(root()).output().unwrap();
    let mut keys = Vec::new();
    for record in common::records(&output.stdout) {
        keys.extend(record.as_object().unwrap().keys().cloned());
        for key in ["source", "findings", "gates", "checklist", "violations"] {
            let inner = record[key].get(0).unwrap_or(&record[key]);
            keys.extend(inner.as_object().into_iter().flat_map(|map| map.keys().cloned()));
        }
    }
    keys.sort();
    keys.dedup();
    assert!(keys.len() > 50, "{keys:?}");
    for key in keys {
        assert!(rows.contains(&format!("`{key}`")), "the table of the record does not name {key}");
    }
}
