//! The program from outside: exit codes, what stands on stdout and on stderr, inputs and outputs.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use clap::CommandFactory;
use common::{command, records, root, run_with};
use revextract::cli::Args;
use revextract::contract::{CONTRACTS, all_rules};
use revextract::emit::EMITTERS;
use revextract::repair;
use revextract::transcript::TRANSCRIPTS;
use serde_json::{Value, json};

/// A log of three reviews, two of which say fail.
const LOG: &str = "corpus/demo/checkout-review-log.md";
/// A session of two reviews: a hard stop, and one that is inconsistent.
const SESSION: &str = "corpus/demo/refunds-session.jsonl";
/// A file that is one review, which says pass.
const PASSED: &str = "corpus/demo/07_review/review.yaml";

/// Runs the program in the project's folder, with nothing on stdin.
fn run(args: &[&str]) -> Output {
    command(root()).args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs the program with `bytes` on stdin.
fn run_on(args: &[&str], bytes: &[u8]) -> Output {
    run_with(command(root()).args(args), bytes, usize::MAX)
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program ends by itself, not by a signal")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The records of a run that succeeds and says nothing on stderr.
fn records_of(args: &[&str]) -> Vec<Value> {
    let output = run(args);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{args:?}");
    records(&output.stdout)
}

/// An empty folder of a test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command_line").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A block whose finding says `description`.
fn block(description: &str) -> String {
    format!(
        "---sdlc-review-output---\nreviewer: Security Reviewer\nphase: Phase 1 - Plan\nscore: 5\n\
         verdict: FAIL\nfindings:\n  - severity: high\n    category: secrets\n    scope: in-scope\n    \
         requirement: R-1\n    description: \"{description}\"\n    location: src/main.rs:7\n    \
         recommendation: Mend it\nreasoning: One thing is wrong. It is to be mended.\n\
         ---end-sdlc-review-output---\n"
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn inputs(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["source"]["input"].as_str().unwrap()).collect()
}

// Exit codes and messages.

#[test]
fn whatever_is_found_the_exit_code_is_0() {
    for (path, count) in [
        (PASSED, 1),
        (LOG, 3),
        (SESSION, 2),
        ("corpus/contract/sdlc-review/malformed-verdict-twice", 1),
        ("corpus/transcript/text/nothing-at-all/input.md", 0),
    ] {
        let output = run(&[path]);
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{path}");
        assert_eq!(records(&output.stdout).len(), count, "{path}");
    }
}

#[test]
fn fail_on_asks_for_1() {
    let unreported = scratch("fail_on").join("agent-a1.jsonl");
    let record = json!({
        "type": "assistant", "isSidechain": true, "agentId": "a1", "sessionId": "s1", "uuid": "u1",
        "attributionAgent": "security-reviewer",
        "message": {"id": "m1", "role": "assistant", "content": [{"type": "text",
            "text": "# Security review\n\n**Quality Score: 6/10**\n\nMy verdict: the refund route is open."}]},
    });
    fs::write(&unreported, format!("{record}\n")).unwrap();
    let escalated = "corpus/contract/workflow-reviewer/valid-escalate-json-fence";
    let incomplete = "corpus/contract/sdlc-review/incomplete-cut-in-a-text";
    let inconsistent = "corpus/contract/sdlc-review/inconsistent-pass-with-critical";
    for (word, found_in, not_in) in [
        ("fail", LOG, PASSED),
        ("critical", SESSION, LOG),
        ("escalate", escalated, SESSION),
        ("invalid", "corpus/contract/sdlc-review/invalid-score-missing", LOG),
        ("invalid", "corpus/contract/sdlc-review/malformed-verdict-twice", incomplete),
        ("invalid", inconsistent, PASSED),
        ("incomplete", incomplete, SESSION),
        ("missing", text(&unreported), SESSION),
        ("none", "corpus/transcript/text/empty-file/input.txt", PASSED),
        ("escalate,fail", LOG, PASSED),
    ] {
        let asked = run(&["--fail-on", word, found_in]);
        assert_eq!((code(&asked), stderr(&asked)), (1, String::new()), "{word}: {found_in}");
        assert_eq!(stdout(&asked), stdout(&run(&[found_in])), "{word} changes no record");
        assert_eq!(code(&run(&["--fail-on", word, not_in])), 0, "{word}: {not_in}");
    }
}

#[test]
fn an_input_that_cannot_be_read_weighs_more_than_what_is_found() {
    assert_eq!(code(&run(&["--fail-on", "fail", LOG, "missing.md"])), 2);
}

#[test]
fn wrong_usage_is_2_and_says_what_there_is() {
    let contracts: Vec<_> = CONTRACTS.iter().map(|contract| contract.id()).collect();
    let transcripts: Vec<_> = TRANSCRIPTS.iter().map(|format| format.id()).collect();
    let cases: &[(&[&str], &[&str])] = &[
        (&["-c", "nope", LOG], &contracts),
        (&["-t", "nope", LOG], &transcripts),
        (&["-e", "nope", LOG], &["ndjson"]),
        (&["--channel", "assistant,nope", LOG], &["assistant", "thinking", "summary"]),
        (&["--status", "nope", LOG], &["malformed", "missing-block", "template"]),
        (&["--fail-on", "nope", LOG], &["critical", "escalate", "none"]),
        (&["--copies", "nope", LOG], &["drop", "mark"]),
        (
            &["--list", "nope"],
            &["contracts", "transcripts", "wrappers", "emitters", "rules", "repairs"],
        ),
        (&["--explain", "nope"], &["--list rules"]),
        (&["--print-schema", "nope"], &["json", "contract:NAME"]),
        (&["--print-schema", "contract:nope"], &["contract:nope", "contract:NAME"]),
        (&["--max-record-bytes", "10", LOG], &["4096"]),
        (&["--no-such-flag", LOG], &["--no-such-flag", "--help"]),
        (&["--input-name", "a", LOG, SESSION], &["--input-name", "one input"]),
        (&["--input-name", "a", "corpus/demo"], &["--input-name", "directory"]),
        (&["-q", "-v", LOG], &["--quiet", "--verbose"]),
    ];
    for (args, named) in cases {
        let output = run(args);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{args:?}");
        for name in *named {
            let message = stderr(&output);
            assert!(message.contains(name), "{args:?} does not name {name}: {message}");
        }
    }
}

#[test]
fn a_missing_file_among_good_ones_is_reported_and_the_others_are_read() {
    let output = run(&[PASSED, "no/such/file.md", LOG]);
    assert_eq!(code(&output), 2);
    assert_eq!(stdout(&output), stdout(&run(&[PASSED, LOG])));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).starts_with("revextract: no/such/file.md: "), "{}", stderr(&output));
    let quiet = run(&["-q", "no/such/file.md"]);
    assert!(stderr(&quiet).contains("no/such/file.md"), "-q hides no error");
}

#[test]
fn stderr_is_silent_on_success() {
    let output = run(&["corpus"]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    assert!(records(&output.stdout).len() > 200);
}

// Inputs.

#[test]
fn directories_are_read_in_the_order_of_names_hidden_ones_too() {
    let folder = scratch("directories");
    for name in ["b.md", "a.md", ".hidden/z.md", "c/.d.md", "c/a.md"] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, block(name)).unwrap();
    }
    fs::write(folder.join(".gitignore"), "*\n").unwrap();
    let output = command(&folder).arg(".").output().unwrap();
    assert_eq!(
        inputs(&records(&output.stdout)),
        ["./.hidden/z.md", "./a.md", "./b.md", "./c/.d.md", "./c/a.md"]
    );
    let output = command(&folder).args(["c", "b.md", "a.md"]).output().unwrap();
    assert_eq!(inputs(&records(&output.stdout)), ["c/.d.md", "c/a.md", "b.md", "a.md"]);
}

#[test]
fn files_from_names_paths_a_line_each() {
    let list = format!("{LOG}\n\n{PASSED}\n");
    let path = scratch("files_from").join("list");
    fs::write(&path, &list).unwrap();
    let wanted = stdout(&run(&[SESSION, LOG, PASSED]));
    assert_eq!(stdout(&run(&[SESSION, "--files-from", text(&path)])), wanted);
    assert_eq!(stdout(&run_on(&[SESSION, "--files-from", "-"], list.as_bytes())), wanted);
    // An empty list is no reason to read stdin.
    let nothing = run_on(&["--files-from", "-"], b"");
    assert_eq!((code(&nothing), stdout(&nothing)), (0, String::new()));

    let with_missing = run_on(&["--files-from", "-"], format!("missing.md\n{LOG}\n").as_bytes());
    assert_eq!(code(&with_missing), 2);
    assert_eq!(stdout(&with_missing), stdout(&run(&[LOG])));
    let no_list = run(&["--files-from", "no/such/list"]);
    assert_eq!(code(&no_list), 2);
    assert!(stderr(&no_list).contains("no/such/list"), "{}", stderr(&no_list));
}

#[test]
fn stdin_is_a_dash_and_so_is_none() {
    let bytes = fs::read(root().join(LOG)).unwrap();
    let none = run_on(&[], &bytes);
    let dash = run_on(&["-"], &bytes);
    assert_eq!(code(&none), 0);
    assert_eq!(inputs(&records(&none.stdout)), ["-"; 3]);
    assert_eq!(stdout(&none), stdout(&dash));
    let named = run_on(&["--input-name", LOG], &bytes);
    assert_eq!(stdout(&named), stdout(&run(&[LOG])), "named, it is as the file");
}

#[test]
fn empty_stdin_gives_nothing() {
    for args in [&[][..], &["-"], &["-t", "codex"], &["-t", "review-file"]] {
        let output = run_on(args, b"");
        assert_eq!(
            (code(&output), stdout(&output), stderr(&output)),
            (0, String::new(), String::new())
        );
    }
}

#[test]
fn compressed_inputs_are_told_by_their_first_bytes() {
    let folder = scratch("compressed");
    let plain = fs::read(root().join(LOG)).unwrap();
    let zst = fs::read(root().join("tests/data/review-log.zst")).unwrap();
    assert!(zst.len() < plain.len());
    let wanted = stdout(&run_on(&["--input-name", "log"], &plain));
    for (name, packed) in [("gz.md", gzip(&plain)), ("zst.jsonl", zst)] {
        fs::write(folder.join(name), &packed).unwrap();
        let path = folder.join(name);
        let as_file = run(&["--input-name", "log", text(&path)]);
        assert_eq!((code(&as_file), stderr(&as_file)), (0, String::new()), "{name}");
        assert_eq!(stdout(&as_file), wanted, "{name}");
        for size in [1, 1000, usize::MAX] {
            let mut command = command(root());
            let on_stdin = run_with(command.args(["--input-name", "log"]), &packed, size);
            assert_eq!(stdout(&on_stdin), wanted, "{name} in pieces of {size}");
        }
    }
    // The name alone makes nothing compressed.
    fs::write(folder.join("plain.gz"), &plain).unwrap();
    assert_eq!(stdout(&run(&["--input-name", "log", text(&folder.join("plain.gz"))])), wanted);
}

#[test]
fn members_and_frames_follow_one_another() {
    let plain = fs::read(root().join(LOG)).unwrap();
    let session = fs::read(root().join(SESSION)).unwrap();
    let (head, tail) = session.split_at(session.len() / 2);
    let output = run_on(&["--input-name", "s"], &[gzip(head), gzip(b""), gzip(tail)].concat());
    assert_eq!(code(&output), 0);
    assert_eq!(stdout(&output), stdout(&run_on(&["--input-name", "s"], &session)));

    let zst = fs::read(root().join("tests/data/review-log.zst")).unwrap();
    let twice = run_on(&["--copies", "mark", "--end-record"], &[&zst[..], &zst].concat());
    let twice = records(&twice.stdout);
    let end = twice.last().unwrap();
    assert_eq!(end["bytes"], 2 * plain.len(), "both frames are read");
    assert_eq!(end["complete"], true);
}

#[test]
fn what_stands_before_the_cut_of_a_gz_comes_out() {
    let plain = fs::read(root().join(LOG)).unwrap();
    let packed = gzip(&plain);
    let path = scratch("cut_gz").join("cut.gz");
    fs::write(&path, &packed[..packed.len() * 4 / 5]).unwrap();
    let whole = records_of(&[LOG]);
    let output = run(&["--end-record", text(&path), PASSED]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains(text(&path)), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    let came = records(&output.stdout);
    assert_eq!(came[0]["content_id"], whole[0]["content_id"]);
    let ends: Vec<_> = came.iter().filter(|record| record["type"] == "end").collect();
    assert_eq!(ends.len(), 2, "an end for each input");
    assert_eq!(ends[0]["complete"], false);
    assert_eq!((&ends[1]["complete"], &ends[1]["input"]), (&json!(true), &json!(PASSED)));
}

#[test]
fn a_record_comes_out_before_stdin_is_closed() {
    come_out_at_once(str::to_owned);
}

#[test]
fn a_record_in_a_wrapper_comes_out_before_stdin_is_closed() {
    let wrap = |entry: fn(&str) -> String| {
        move |log: &str| -> String { log.split_inclusive('\n').map(entry).collect() }
    };
    come_out_at_once(wrap(|line| {
        let entry = json!({"log": line, "stream": "stdout", "time": "2026-11-30T12:00:00Z"});
        format!("{entry}\n")
    }));
    come_out_at_once(wrap(|line| format!("2026-11-30T12:00:00.5Z stdout F {line}")));
    come_out_at_once(wrap(|line| format!("2026-11-30T12:00:00.1234567Z {line}")));
    // A time alone: the second line tells that it is a prefix.
    come_out_at_once(wrap(|line| format!("2026-11-30 12:00:00 {line}")));
    come_out_at_once(wrap(|line| format!("\u{1b}[2m{line}")));
}

/// Writes two blocks, each put into a wrapper, and waits for the record of each.
fn come_out_at_once(wrap: impl Fn(&str) -> String) {
    let mut child = command(root()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 0 {
            sender.send(std::mem::take(&mut line)).unwrap();
        }
    });
    for number in ["one", "two"] {
        stdin.write_all(wrap(&block(number)).as_bytes()).unwrap();
        stdin.flush().unwrap();
        let line = receiver.recv_timeout(Duration::from_secs(20));
        let line =
            line.unwrap_or_else(|_| panic!("no record of block {number} while stdin is open"));
        let record: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(record["findings"][0]["message"], number);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    reader.join().unwrap();
}

// Outputs.

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let path = scratch("head").join("log.md");
    let log: String = (0..4000).map(|number| block(&format!("number {number}"))).collect();
    fs::write(&path, log).unwrap();
    let mut child =
        command(root()).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    // The reader goes, and with it the pipe.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let record: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(record["findings"][0]["message"], "number 0");
}

#[test]
fn an_output_file_is_written_whole_and_renamed() {
    let folder = scratch("output");
    let path = folder.join("out.ndjson");
    fs::write(&path, "old\n").unwrap();
    let output = run(&["-o", text(&path), LOG]);
    assert_eq!((code(&output), stdout(&output)), (0, String::new()));
    assert_eq!(fs::read_to_string(&path).unwrap(), stdout(&run(&[LOG])));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
    let dash = run(&["-o", "-", LOG]);
    assert_eq!(stdout(&dash), stdout(&run(&[LOG])));
}

/// Runs that fail before or after the output file was opened.
const FAILING: [&[&str]; 2] = [&["--files-from", "no/such/list"], &["-c", "nope", LOG]];

#[test]
fn an_output_file_keeps_its_old_content_when_the_run_fails() {
    let path = scratch("output_fails").join("out.ndjson");
    fs::write(&path, "old\n").unwrap();
    for args in FAILING {
        assert_eq!(code(&run(&[args, &["-o", text(&path)]].concat())), 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\n", "{args:?}");
    }
}

#[test]
fn a_run_that_fails_leaves_nothing_beside_its_output_file() {
    let folder = scratch("output_left");
    for args in FAILING {
        assert_eq!(code(&run(&[args, &["-o", text(&folder.join("out.ndjson"))]].concat())), 2);
        assert_eq!(names(&folder), [""; 0], "{args:?}");
    }
}

#[test]
fn an_output_that_cannot_be_replaced_leaves_nothing_behind() {
    let folder = scratch("output_folder");
    fs::create_dir(folder.join("taken")).unwrap();
    let output = run(&["-o", text(&folder.join("taken")), LOG]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("taken"), "the message names it: {}", stderr(&output));
    assert_eq!(names(&folder), ["taken"], "nothing is left beside it");
}

/// `-o /dev/null` and `-o >(gzip)` name files that must not be replaced.
#[cfg(unix)]
#[test]
fn an_output_that_is_no_regular_file_is_written_to() {
    use std::os::unix::fs::FileTypeExt;
    let pipe = scratch("output_pipe").join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || sender.send(fs::read_to_string(pipe)));
        receiver
    };
    let output = run(&["-o", text(&pipe), LOG]);
    assert_eq!(code(&output), 0);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo(), "the pipe was replaced by a file");
    let came = reader.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    assert_eq!(came, stdout(&run(&[LOG])));
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_line_stays_under_its_cap() {
    let cap = 4096;
    let long = "a \\\"long\\\" text ".repeat(2000);
    let findings = (0..300).fold(String::new(), |list, number| {
        list + &format!("\n  - severity: low\n    description: \"no {number}\"")
    });
    let many = format!(
        "---sdlc-review-output---\nreviewer: \"Security Reviewer\"\nfindings:{findings}\n---end-sdlc-review-output---\n"
    );
    for log in [block(&long), many] {
        let whole = &records(&run_on(&[], log.as_bytes()).stdout)[0];
        assert_eq!(whole["truncated"], false);
        let short = run_on(&["--max-record-bytes", "4096"], log.as_bytes());
        assert!(short.stdout.len() <= cap, "{} bytes", short.stdout.len());
        assert!(
            short.stdout.len() > cap / 4,
            "{} bytes: more was cut than needed",
            short.stdout.len()
        );
        let short = &records(&short.stdout)[0];
        assert_eq!(short["truncated"], true);
        for key in ["id", "content_id", "status", "verdict", "score", "source"] {
            assert_eq!(short[key], whole[key], "{key}");
        }
        assert_eq!(short["findings"][0]["id"], whole["findings"][0]["id"]);
    }
}

#[test]
fn a_line_stays_under_its_cap_with_long_texts_in_its_source() {
    let long = "s".repeat(10_000);
    let record = json!({
        "type": "assistant", "sessionId": long, "uuid": "u1",
        "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": block("x")}]},
    });
    let output = run_on(&["--max-record-bytes", "4096"], format!("{record}\n").as_bytes());
    assert_eq!(records(&output.stdout).len(), 1);
    assert!(output.stdout.len() <= 4096, "{} bytes", output.stdout.len());
}

#[test]
fn characters_at_which_others_end_a_line_are_escaped() {
    let summary = "a\u{2028}b\u{2029}c\u{85}d\u{9b}e\u{7f}f\u{1b}g\tü";
    let review = json!({"verdict": "pass", "summary": summary}).to_string();
    let path = scratch("escapes").join("review.json");
    fs::write(&path, review).unwrap();
    let output = stdout(&run(&["--raw", text(&path)]));
    let bad: Vec<_> = output
        .trim_end_matches('\n')
        .chars()
        .filter(|char| char.is_control() || matches!(char, '\u{2028}' | '\u{2029}'))
        .collect();
    assert_eq!(bad, []);
    assert!(output.contains('ü'), "other characters stand as they are");
    assert_eq!(records(output.as_bytes())[0]["summary"], summary);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let args = ["--end-record", "--copies", "mark", "--templates", "corpus"];
    let one = run(&[&["-j1"], &args[..]].concat());
    let eight = run(&[&["-j8"], &args[..]].concat());
    assert!(one.stdout.len() > 100_000);
    assert!(one.stdout == eight.stdout, "-j1 and -j8 differ");
}

// What is let through.

#[test]
fn channels_admit_what_is_hidden_otherwise() {
    let path = "corpus/transcript/claude-code/decoys-everywhere/input.jsonl";
    let of = |record: &Value| record["source"]["channel"].as_str().unwrap().to_owned();
    let shown: BTreeSet<_> = records_of(&[path]).iter().map(of).collect();
    for hidden in ["user", "thinking", "tool-result", "system", "summary"] {
        assert!(!shown.contains(hidden));
        let records = records_of(&["--channel", hidden, path]);
        let channels: Vec<_> = records.iter().map(of).collect();
        assert_eq!(channels, [hidden], "--channel {hidden}");
    }
    let both = records_of(&["--channel", "user,thinking", path]);
    assert_eq!(
        both.iter().map(of).collect::<BTreeSet<_>>(),
        ["thinking", "user"].map(str::to_owned).into()
    );
}

#[test]
fn statuses_choose_records() {
    let all = records_of(&["corpus/demo"]);
    let chosen = records_of(&["--status", "inconsistent", "corpus/demo"]);
    assert_eq!((all.len(), chosen.len()), (6, 1));
    assert_eq!(chosen[0]["status"], "inconsistent");
    assert_eq!(records_of(&["--status", "valid,inconsistent", "corpus/demo"]), all);
}

#[test]
fn contracts_choose_records() {
    let of = |args: &[&str]| -> Vec<String> {
        let all = records_of(args);
        all.iter().map(|record| record["contract"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(of(&["-c", "dev-critic", "corpus/demo"]), ["dev-critic"]);
    assert_eq!(
        of(&["-c", "dev-critic", "-c", "workflow-reviewer", "corpus/demo"]),
        ["workflow-reviewer", "dev-critic"]
    );
}

#[test]
fn copies_are_left_out_or_marked() {
    let reviews = records_of(&[SESSION]);
    let marked = records_of(&["--copies", "mark", SESSION]);
    assert!(reviews.iter().all(|record| record["source"]["copy"] == false));
    let (copies, others): (Vec<_>, Vec<_>) =
        marked.into_iter().partition(|record| record["source"]["copy"] == true);
    assert_eq!(others, reviews);
    assert_eq!(copies.len(), 4, "each answer stands in the parent's result and beside it");
    for copy in copies {
        assert!(reviews.iter().any(|review| review["content_id"] == copy["content_id"]));
    }
}

#[test]
fn templates_are_written_where_asked_for() {
    let folder = "corpus/contract/sdlc-review/template-placeholders";
    assert_eq!(records_of(&[folder]), Vec::<Value>::new());
    for args in [&["--templates", folder][..], &["--status", "template", folder]] {
        let records = records_of(args);
        assert_eq!((records.len(), &records[0]["status"]), (1, &json!("template")));
        assert_eq!(records[0]["verdict"], Value::Null);
    }
    // A folder also holds the truth and the expectation, which are no reviews.
    let all = records_of(&["--status", "valid", "--templates", folder]);
    assert_eq!(all, Vec::<Value>::new(), "--status chooses among templates as well");
}

#[test]
fn raw_adds_the_text_of_the_block() {
    assert!(records_of(&[LOG]).iter().all(|record| record.get("raw").is_none()));
    let log = fs::read_to_string(root().join(LOG)).unwrap();
    for record in records_of(&["--raw", LOG]) {
        let raw = record["raw"].as_str().unwrap();
        assert!(log.contains(raw) && raw.contains("verdict"), "{raw}");
    }
}

#[test]
fn end_records_account_for_each_input() {
    let came = records_of(&["--end-record", PASSED, SESSION]);
    let kinds: Vec<_> = came.iter().map(|record| record["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["review", "end", "review", "review", "end"]);
    let size = fs::metadata(root().join(SESSION)).unwrap().len();
    let wanted = json!({
        "type": "end", "schema": "revextract/1", "input": SESSION, "bytes": size, "frames": 18,
        "frames_parsed": came[4]["frames_parsed"], "messages": came[4]["messages"],
        "records": {"valid": 1, "inconsistent": 1}, "templates": 0, "copies": 4, "strays": 0,
        "left_out": {"hidden-channel": 2, "other-input": 2}, "damage": {}, "complete": true,
    });
    assert_eq!(came[4], wanted);
    let template = "corpus/contract/sdlc-review/template-placeholders/input.md";
    assert_eq!(records_of(&["--end-record", template])[0]["templates"], 1);
    let deep = records_of(&["--end-record", "corpus/transcript/json/nested-too-deep/input.jsonl"]);
    assert_eq!(deep[1]["left_out"], json!({"too-deep": 1}));
    let nothing = run_on(&["--end-record"], b"");
    assert_eq!(records(&nothing.stdout)[0]["complete"], true, "an empty input has an end, too");
}

#[test]
fn verbose_accounts_for_damage() {
    let session = fs::read_to_string(root().join(SESSION)).unwrap();
    let review = session.lines().nth(10).unwrap();
    let mut log = format!("{review}\n").into_bytes();
    let padded = log.len();
    log.extend(format!("\0\0\0\0{review}\n").bytes());
    let torn = log.len();
    log.extend(review[..review.len() - 3].bytes());
    let output = run_on(&["-v", "--end-record"], &log);
    assert_eq!(code(&output), 0, "damage does not change the exit code");
    let message = stderr(&output);
    assert!(message.contains(&format!("-: 1 × nul, first at byte {padded}\n")), "{message}");
    assert!(message.contains(&format!("-: 1 × torn, first at byte {torn}\n")), "{message}");
    assert!(message.contains(&format!("-: {} bytes, ", log.len())), "{message}");
    let end = records(&output.stdout).pop().unwrap();
    assert_eq!(end["damage"], json!({"nul": 1, "torn": 1}));
    let silent = run_on(&[], &log);
    assert_eq!(stderr(&silent), "");
}

#[test]
fn the_last_line_is_a_frame_without_its_newline_too() {
    for log in ["one\ntwo\n", "one\ntwo"] {
        let output = run_on(&["--end-record"], log.as_bytes());
        assert_eq!(records(&output.stdout)[0]["frames"], 2, "{log:?}");
    }
}

/// The review of a record is whole; what is torn comes after it.
#[test]
fn a_record_that_is_torn_behind_its_review_gives_the_review() {
    let session = fs::read_to_string(root().join(SESSION)).unwrap();
    let review = session.lines().nth(10).unwrap();
    let other = session.lines().next().unwrap();
    let closer = review.find("---end-sdlc-review-output---").unwrap() + 40;
    let mut lost = Vec::new();
    for end in closer..review.len() {
        let log = format!("{other}\n{}", &review[..end]);
        if records(&run_on(&[], log.as_bytes()).stdout).len() != 1 {
            lost.push(&review[end.saturating_sub(15)..end]);
        }
    }
    assert!(lost.is_empty(), "lost where the line ends so: {lost:#?}");
}

#[test]
fn a_report_without_a_block_needs_no_other_words() {
    let record = json!({
        "type": "assistant", "isSidechain": true, "agentId": "a1", "sessionId": "s1", "uuid": "u1",
        "attributionAgent": "security-reviewer",
        "message": {"id": "m1", "role": "assistant", "content": [{"type": "text",
            "text": "# Security review\n\n**Quality Score: 6/10**\n\nThe refund route is open."}]},
    });
    let output = run_on(&[], format!("{record}\n").as_bytes());
    let statuses: Vec<_> =
        records(&output.stdout).iter().map(|record| record["status"].clone()).collect();
    assert_eq!(statuses, ["missing-block"]);
}

#[test]
fn a_transcript_that_is_named_is_read_as_such() {
    let of = |args: &[&str]| -> BTreeSet<String> {
        let all = records_of(args);
        all.iter()
            .map(|record| record["source"]["transcript"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of(&[SESSION]), ["claude-code".to_owned()].into());
    assert_eq!(of(&["-t", "json", SESSION]), ["json".to_owned()].into());
}

// The page for people.

#[test]
fn colours_are_shown_where_they_are_wanted() {
    let colored = |args: &[&str], environment: &[(&str, &str)]| {
        let mut program = command(root());
        program.args(["-e", "pretty", SESSION]).args(args).stdin(Stdio::null());
        for name in ["CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "CI"] {
            program.env_remove(name);
        }
        let output = program.envs(environment.iter().copied()).output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{args:?}");
        stdout(&output).contains('\u{1b}')
    };
    // stdout is a pipe here.
    assert!(!colored(&[], &[]));
    assert!(!colored(&["--color", "auto"], &[]));
    assert!(colored(&["--color", "always"], &[]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]), "the environment asks for it");
    assert!(!colored(&[], &[("NO_COLOR", "1")]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1")]), "a flag weighs more");
    assert_eq!(code(&run(&["--color", "sometimes", SESSION])), 2);
}

#[test]
fn a_file_has_no_colours_unless_asked_for() {
    let file = scratch("pretty").join("page.txt");
    for (args, colored) in [(&[][..], false), (&["--color", "always"][..], true)] {
        let mut program = command(root());
        program.args(["-e", "pretty", SESSION, "-o", text(&file)]).args(args);
        program.env("CLICOLOR_FORCE", "1").stdin(Stdio::null());
        assert_eq!(code(&program.output().unwrap()), 0);
        assert_eq!(fs::read_to_string(&file).unwrap().contains('\u{1b}'), colored, "{args:?}");
    }
}

#[test]
fn a_page_is_the_same_however_the_bytes_arrive() {
    let bytes = fs::read(root().join(LOG)).unwrap();
    let args = ["-e", "pretty", "--input-name", LOG];
    let whole = stdout(&run(&["-e", "pretty", LOG]));
    assert!(whole.starts_with("review[sdlc-review]: fail, 6 of 10"), "{whole}");
    for size in [7, 1 << 10] {
        for threads in ["-j1", "-j4"] {
            let mut program = command(root());
            let output = run_with(program.args(args).arg(threads), &bytes, size);
            assert_eq!(stdout(&output), whole, "pieces of {size}, {threads}");
        }
    }
    assert_eq!(
        stdout(&run(&["-e", "pretty", "corpus/transcript/text/nothing-at-all/input.md"])),
        "no review was found\n"
    );
    let filtered = stdout(&run(&["-e", "pretty", "--status", "template", LOG]));
    assert_eq!(filtered, "no review was found\n");
    let ended = stdout(&run(&["-e", "pretty", "--end-record", LOG]));
    assert!(ended.contains(&format!("{LOG}: ")) && ended.contains("3 reviews;"), "{ended}");
}

// What the program says about itself.

#[test]
fn lists_name_what_the_tables_hold() {
    let lists: [(&str, Vec<&str>); 5] = [
        ("contracts", CONTRACTS.iter().map(|contract| contract.id()).collect()),
        ("transcripts", TRANSCRIPTS.iter().map(|format| format.id()).collect()),
        ("emitters", EMITTERS.iter().map(|emitter| emitter.id()).collect()),
        ("rules", all_rules().iter().map(|rule| rule.code).collect()),
        ("repairs", repair::all().map(|kind| kind.code).collect()),
    ];
    for (kind, wanted) in lists {
        let output = run(&["--list", kind]);
        assert_eq!(code(&output), 0);
        let text = stdout(&output);
        let named: Vec<_> =
            text.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
        assert_eq!(named, wanted, "--list {kind}");
        let bare: Vec<_> = text.lines().filter(|line| line.split("  ").count() < 2).collect();
        assert_eq!(bare, [""; 0], "each says what it is");
    }
}

#[test]
fn every_rule_is_explained() {
    let codes = stdout(&run(&["--list", "rules"]));
    let codes: Vec<_> = codes.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(codes.len() > 40);
    for rule in codes {
        let output = run(&["--explain", rule]);
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{rule}");
        let text = stdout(&output);
        assert!(text.starts_with(&format!("{rule} (")), "{text}");
        let mend = text.split("To mend it: ").nth(1).unwrap_or_else(|| panic!("{rule}: {text}"));
        assert!(mend.trim().len() > 10, "{rule} says how it is mended: {text}");
    }
}

#[test]
fn every_repair_is_explained() {
    for kind in repair::all() {
        let output = run(&["--explain", kind.code]);
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{}", kind.code);
        let text = stdout(&output);
        for part in [kind.before, kind.after].iter().flat_map(|example| example.lines()) {
            assert!(text.contains(part), "{}: {text}", kind.code);
        }
    }
}

fn schema_of(contract: &str) -> Value {
    let output = run(&["--print-schema", &format!("contract:{contract}")]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{contract}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn each_contract_prints_its_schema() {
    let titles: Vec<_> =
        CONTRACTS.iter().map(|contract| schema_of(contract.id())["title"].clone()).collect();
    let ids: Vec<_> = CONTRACTS.iter().map(|contract| json!(contract.id())).collect();
    assert_eq!(titles, ids);
}

#[test]
fn a_printed_schema_stands_alone() {
    for contract in CONTRACTS {
        let schema = schema_of(contract.id());
        let validator = jsonschema::validator_for(&schema)
            .unwrap_or_else(|error| panic!("{}: {error}", contract.id()));
        assert!(!validator.is_valid(&json!({})), "{} takes anything", contract.id());
    }
}

#[test]
fn the_schema_of_records_fits_the_records() {
    let schema: Value = serde_json::from_slice(&run(&["--print-schema", "json"]).stdout).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert!(!schema.is_valid(&json!({"type": "review"})), "it takes anything");
    let args = ["--templates", "--copies", "mark", "--raw", "corpus"];
    for record in records_of(&args) {
        if let Err(error) = schema.validate(&record) {
            panic!("{error}, at {}: {record}", error.instance_path());
        }
    }
}

#[test]
fn help_names_every_flag_and_fits_100_columns() {
    for short in ["--help", "-h"] {
        let output = command(root()).arg(short).env("COLUMNS", "300").output().unwrap();
        assert_eq!(code(&output), 0);
        let help = stdout(&output);
        let wide: Vec<_> = help.lines().filter(|line| line.chars().count() > 100).collect();
        assert_eq!(wide, [""; 0], "{short}");
        for arg in Args::command().get_arguments() {
            if let Some(long) = arg.get_long() {
                assert!(help.contains(&format!("--{long}")), "{short} does not name --{long}");
            }
            if let Some(letter) = arg.get_short() {
                assert!(
                    help.contains(&format!("-{letter}, --")),
                    "{short} does not name -{letter}"
                );
            }
        }
        assert!(help.contains("Exit: 0"), "{short} tells the exit codes");
    }
}

#[test]
fn version_is_the_packages() {
    let output = run(&["--version"]);
    assert_eq!(stdout(&output), format!("revextract {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(stdout(&run(&["-V"])), stdout(&output));
}
