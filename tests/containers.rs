//! Archives, compressed files, other encodings and files that grow, from outside: what comes out of
//! those that are broken, that expand without end or that are no transcripts. Sound ones are cases
//! of the corpus.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use common::{command, records, run_with};
use serde_json::Value;

/// A block whose reviewer is `name`.
fn block(name: &str) -> String {
    format!(
        "---sdlc-review-output---\nreviewer: {name}\nphase: Phase 1 - Plan\nscore: 9\nverdict: PASS\n\
         findings: []\nreasoning: The plan names its risks. Nothing is open.\n\
         ---end-sdlc-review-output---\n"
    )
}

/// An empty folder of a test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("containers").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program in a folder.
fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder).args(args).stdin(Stdio::null()).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The reviewers that came out, in their order.
fn reviewers(output: &Output) -> Vec<String> {
    let records = records(&output.stdout);
    let reviews = records.iter().filter(|record| record["type"] == "review");
    reviews.map(|record| record["reviewer"].as_str().unwrap().to_owned()).collect()
}

/// The inputs that were read to their end, and those that were not.
fn ends(output: &Output) -> Vec<(String, bool)> {
    let records = records(&output.stdout);
    let ends = records.iter().filter(|record| record["type"] == "end");
    ends.map(|end| (end["input"].as_str().unwrap().to_owned(), end["complete"].as_bool().unwrap()))
        .collect()
}

fn end(input: &str, complete: bool) -> (String, bool) {
    (input.to_owned(), complete)
}

/// A member of a zip, as it stands there.
struct Member<'m> {
    name: &'m str,
    method: u16,
    flags: u16,
    crc: u32,
    size: usize,
    packed: Vec<u8>,
}

fn stored<'m>(name: &'m str, bytes: &[u8]) -> Member<'m> {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let (crc, size) = (crc.sum(), bytes.len());
    Member { name, method: 0, flags: 0, crc, size, packed: bytes.to_vec() }
}

fn deflated<'m>(name: &'m str, bytes: &[u8]) -> Member<'m> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    Member { method: 8, packed: encoder.finish().unwrap(), ..stored(name, bytes) }
}

fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for Member { name, method, flags, crc, size, packed } in members {
        let offset = bytes.len() as u32;
        let mut header = Vec::new();
        for short in [63, *flags, *method, 0, 0] {
            header.extend(short.to_le_bytes());
        }
        for long in [*crc, packed.len() as u32, *size as u32] {
            header.extend(long.to_le_bytes());
        }
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0; 2]);
        bytes.extend([b"PK\x03\x04", &header[..], name.as_bytes(), packed].concat());
        directory.extend([b"PK\x01\x02\x3f\0", &header[..], &[0; 10]].concat());
        directory.extend([&offset.to_le_bytes(), name.as_bytes()].concat());
    }
    let count = (members.len() as u16).to_le_bytes();
    let offset = (bytes.len() as u32).to_le_bytes();
    let length = (directory.len() as u32).to_le_bytes();
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &length, &offset, &[0; 2]].concat();
    [bytes, directory, end].concat()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A zstd frame that stands for `blocks` times 128 KiB of line ends, in four bytes each.
fn zstd_bomb(blocks: usize) -> Vec<u8> {
    let mut bytes = b"\x28\xb5\x2f\xfd\x00\x38".to_vec();
    for index in 1..=blocks {
        let header = (128u32 << 10) << 3 | 1 << 1 | u32::from(index == blocks);
        bytes.extend(&header.to_le_bytes()[..3]);
        bytes.push(b'\n');
    }
    bytes
}

/// Runs the program on a file, and on the same bytes on stdin in pieces: all must come out alike.
fn run_both(folder: &Path, name: &str) -> Output {
    let as_file = run(folder, &["--end-record", name]);
    let bytes = fs::read(folder.join(name)).unwrap();
    for size in [1000, usize::MAX] {
        let mut command = command(folder);
        let on_stdin = run_with(command.args(["--end-record", "--input-name", name]), &bytes, size);
        assert_eq!(stderr(&on_stdin), stderr(&as_file), "{name} in pieces of {size}");
        assert!(on_stdin.stdout == as_file.stdout, "{name} in pieces of {size}");
        assert_eq!(on_stdin.status.code(), as_file.status.code());
    }
    as_file
}

#[test]
fn members_that_cannot_be_read_are_passed_over_and_the_rest_is_read() {
    let folder = scratch("members");
    let mut broken =
        deflated("broken.md", format!("{}{}", block("Lost"), "x\n".repeat(50)).as_bytes());
    broken.packed[30] ^= 0x55;
    let mut wrong = stored("wrong.md", block("Altered").as_bytes());
    wrong.crc ^= 1;
    let members = [
        stored("first.md", block("First").as_bytes()),
        Member { flags: 1, ..stored("secret.md", block("Secret").as_bytes()) },
        Member { method: 97, ..stored("unknown.md", block("Unknown").as_bytes()) },
        broken,
        wrong,
        stored("state.vscdb", b"SQLite format 3\0rest"),
        deflated("last.md", block("Last").as_bytes()),
    ];
    fs::write(folder.join("a.zip"), zip(&members)).unwrap();
    fs::write(folder.join("b.md"), block("Other input")).unwrap();
    run_both(&folder, "a.zip");
    let output = run(&folder, &["--end-record", "a.zip", "b.md"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(reviewers(&output), ["First", "Altered", "Last", "Other input"]);
    let wanted = [
        end("a.zip!first.md", true),
        end("a.zip!secret.md", false),
        end("a.zip!unknown.md", false),
        end("a.zip!broken.md", false),
        end("a.zip!wrong.md", false),
        end("a.zip!state.vscdb", false),
        end("a.zip!last.md", true),
        end("b.md", true),
    ];
    assert_eq!(ends(&output), wanted);
    let said = stderr(&output);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 5, "{said}");
    for (line, word) in lines.iter().zip(["encrypted", "97", "broken", "checksum", "SQLite"]) {
        assert!(line.starts_with("revextract: a.zip!") && line.contains(word), "{line}");
    }
}

#[test]
fn what_stands_before_a_cut_comes_out() {
    let folder = scratch("cut");
    let (one, two) = (block("One"), block("Two"));
    let long = format!("{two}{}", "Nothing more.\n".repeat(3000));
    let archive = tar(&[("one.md", one.as_bytes()), ("two.md", long.as_bytes())]);
    let zipped = zip(&[deflated("one.md", one.as_bytes()), stored("two.md", long.as_bytes())]);
    let short = archive.len() - 20_000;
    // What cuts a member is said of the member, and of the archive, since more may have followed.
    for (name, bytes, archive) in [
        ("cut.tar", &archive[..short], true),
        ("cut.tgz", &gzip(&archive)[..gzip(&archive).len() - 60], true),
        ("cut.zip", &zipped[..zipped.len() - 20_000], true),
        (
            "cut.gz",
            &gzip(&[one.as_bytes(), long.as_bytes()].concat())[..gzip(long.as_bytes()).len() - 20],
            false,
        ),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
        let output = run_both(&folder, name);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_eq!(reviewers(&output), ["One", "Two"], "{name}");
        let said = stderr(&output);
        assert!(said.contains("cut") && said.contains("read up to byte"), "{name}: {said}");
        let wanted: &[_] = if archive {
            &[
                end(&format!("{name}!one.md"), true),
                end(&format!("{name}!two.md"), false),
                end(name, false),
            ]
        } else {
            &[end(name, false)]
        };
        assert_eq!(ends(&output), wanted, "{name}: {said}");
    }
}

#[test]
fn a_frame_of_zstd_that_breaks_off_gives_what_it_held() {
    let folder = scratch("cut_zst");
    let whole = fs::read(common::root().join("tests/data/review-log.zst")).unwrap();
    let whole_records = run_with(&mut command(&folder), &whole, usize::MAX);
    // One block that stands as it is, then one that is cut.
    let text = block("One");
    let mut bytes = b"\x28\xb5\x2f\xfd\x00\x58".to_vec();
    bytes.extend(&((text.len() as u32) << 3).to_le_bytes()[..3]);
    bytes.extend(text.as_bytes());
    bytes.extend(&(1000u32 << 3 | 1).to_le_bytes()[..3]);
    bytes.extend(b"too short");
    fs::write(folder.join("cut.zst"), &bytes).unwrap();
    let output = run_both(&folder, "cut.zst");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(reviewers(&output), ["One"]);
    assert_eq!(ends(&output), [end("cut.zst", false)]);

    // A byte that no decoder stumbles over is told by the checksum.
    let mut altered = whole;
    let last = altered.len() - 1;
    altered[last] ^= 1;
    let output = run_with(&mut command(&folder), &altered, usize::MAX);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(output.stdout, whole_records.stdout);
}

#[test]
fn a_bomb_is_passed_over_and_the_rest_is_read() {
    let folder = scratch("bomb");
    let bomb = zstd_bomb(4000);
    assert!(bomb.len() < 20_000);
    let members = [
        stored("first.md", block("First").as_bytes()),
        stored("bomb.zst", &[zstd_bomb(1), bomb].concat()),
        stored("last.md", block("Last").as_bytes()),
    ];
    fs::write(folder.join("a.zip"), zip(&members)).unwrap();
    fs::write(folder.join("b.md"), block("Other input")).unwrap();
    let output = run(&folder, &["--end-record", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(reviewers(&output), ["First", "Last", "Other input"]);
    let said = stderr(&output);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("a.zip!bomb.zst") && said.contains("a bomb, passed over"), "{said}");
    let wanted = [
        end("./a.zip!first.md", true),
        end("./a.zip!bomb.zst", false),
        end("./a.zip!last.md", true),
        end("./b.md", true),
    ];
    assert_eq!(ends(&output), wanted);
    let records = records(&output.stdout);
    let bytes = records.iter().find(|end| end["complete"] == false).unwrap()["bytes"].as_u64();
    assert!(bytes.unwrap() <= 257 << 20, "{bytes:?}");
}

#[test]
fn a_zip_that_holds_itself_ends() {
    let folder = scratch("nested");
    let mut bytes = block("Innermost").into_bytes();
    for _ in 0..12 {
        bytes =
            zip(&[stored("inner.zip", &bytes), stored("beside.md", block("Beside").as_bytes())]);
    }
    fs::write(folder.join("a.zip"), bytes).unwrap();
    let output = run_both(&folder, "a.zip");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(reviewers(&output), ["Beside"; 8]);
    let said = stderr(&output);
    assert!(said.contains("more than 8 layers") && said.lines().count() == 1, "{said}");
}

#[test]
fn names_of_members_do_nothing_to_a_terminal() {
    let folder = scratch("names");
    let name = "../\x1b[2J\n\u{202e}\u{9b}x.md";
    let secret = Member { flags: 1, ..stored(name, b"x") };
    let bytes = zip(&[stored(name, block("One").as_bytes()), secret]);
    fs::write(folder.join("a.zip"), bytes).unwrap();
    let output = run(&folder, &["--end-record", "-v", "a.zip"]);
    assert_eq!(records(&output.stdout)[0]["source"]["input"], format!("a.zip!{name}"));
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.replace('\n', "").chars().any(char::is_control), "{text:?}");
    }
    assert!(stderr(&output).lines().all(|line| line.starts_with("revextract: ")));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is written");
}

#[test]
fn databases_are_refused_with_a_way_out() {
    let folder = scratch("refused");
    fs::write(folder.join("a.db"), b"SQLite format 3\0\x10\0\x01\x01").unwrap();
    fs::write(folder.join("b.parquet"), b"PAR1\x15\x04\x15\x20PAR1").unwrap();
    fs::write(folder.join("c.md"), block("Read")).unwrap();
    fs::write(folder.join("d.md"), format!("PAR1 is a word.\n\n{}", block("Read as well")))
        .unwrap();
    let output = run(&folder, &["a.db", "b.parquet", "c.md", "d.md"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(reviewers(&output), ["Read", "Read as well"]);
    let said = stderr(&output);
    for word in ["opencode export", "state.vscdb", "stream-json", "duckdb -c"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert_eq!(said.lines().count(), 2, "{said}");
}

#[test]
fn small_files_that_expand_come_out_in_order_with_any_number_of_threads() {
    let folder = scratch("expanding");
    for (index, name) in ["a", "b", "c", "d"].iter().enumerate() {
        // Beyond what is held of a small input, and below.
        let filler = "All is quiet.\n".repeat(if index % 2 == 0 { 900_000 } else { 10 });
        let text = format!("{}{filler}{}", block(&format!("{name}1")), block(&format!("{name}2")));
        fs::write(folder.join(format!("{name}.gz")), gzip(text.as_bytes())).unwrap();
        fs::write(folder.join(format!("{name}.md")), block(&format!("{name}3"))).unwrap();
    }
    let one = run(&folder, &["-j1", "--end-record", "."]);
    let wanted: Vec<_> = ["a", "b", "c", "d"]
        .iter()
        .flat_map(|name| (1..=3).map(move |n| format!("{name}{n}")))
        .collect();
    assert_eq!((one.status.code(), stderr(&one)), (Some(0), String::new()));
    assert_eq!(reviewers(&one), wanted);
    assert!(run(&folder, &["-j4", "--end-record", "."]).stdout == one.stdout);
}

#[test]
fn an_archive_without_members_is_accounted_for() {
    let folder = scratch("empty");
    fs::write(folder.join("a.zip"), zip(&[])).unwrap();
    let output = run_both(&folder, "a.zip");
    assert_eq!((output.status.code(), ends(&output)), (Some(0), vec![end("a.zip", true)]));
}

/// A program that is running, and the lines of its stdout.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(folder: &Path, args: &[&str], stdin: Stdio) -> Self {
        let mut command = command(folder);
        let command = command.args(args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    fn reviewer(&self) -> String {
        let line = self.lines.recv_timeout(Duration::from_secs(20)).expect("a record comes");
        let record: Value = serde_json::from_str(&line).unwrap();
        record["reviewer"].as_str().unwrap().to_owned()
    }

    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(400)).is_err()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_gz_on_stdin_hands_on_what_has_come() {
    let mut running = Running::start(&scratch("gz_stdin"), &[], Stdio::piped());
    let mut stdin = running.child.stdin.take().unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for name in ["One", "Two"] {
        encoder.write_all(block(name).as_bytes()).unwrap();
        encoder.flush().unwrap();
        stdin.write_all(&std::mem::take(encoder.get_mut())).unwrap();
        stdin.flush().unwrap();
        assert_eq!(running.reviewer(), name);
    }
    drop(stdin);
    // What is missing is the end of the gzip member.
    assert_eq!(running.child.wait().unwrap().code(), Some(2));
}

#[test]
fn a_file_that_grows_is_followed() {
    let folder = scratch("follow");
    let path = folder.join("log.md");
    fs::write(&path, block("One")).unwrap();
    let mut running = Running::start(&folder, &["--follow", "log.md"], Stdio::null());
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    assert_eq!(running.reviewer(), "One");
    let two = block("Two");
    let (head, tail) = two.split_at(two.len() - 10);
    file.write_all(head.as_bytes()).unwrap();
    assert!(running.is_silent(), "the last line is not whole");
    file.write_all(tail.as_bytes()).unwrap();
    assert_eq!(running.reviewer(), "Two");
    for byte in block("Three").bytes() {
        file.write_all(&[byte]).unwrap();
    }
    assert_eq!(running.reviewer(), "Three");
    assert!(running.child.try_wait().unwrap().is_none(), "it goes on");

    file.set_len(10).unwrap();
    let output = wait(running);
    assert_eq!(output.0, Some(2));
    assert!(output.1.contains("log.md: the file has become shorter"), "{}", output.1);
}

/// Waits for the end; gives the exit code and stderr.
fn wait(mut running: Running) -> (Option<i32>, String) {
    let mut said = String::new();
    let mut stderr = running.child.stderr.take().unwrap();
    std::io::Read::read_to_string(&mut stderr, &mut said).unwrap();
    (running.child.wait().unwrap().code(), said)
}

#[test]
fn only_one_regular_file_is_followed() {
    let folder = scratch("follow_usage");
    fs::write(folder.join("a.md"), block("One")).unwrap();
    fs::write(folder.join("b.gz"), gzip(block("One").as_bytes())).unwrap();
    fs::write(folder.join("c.tar"), tar(&[("a.md", b"x")])).unwrap();
    for (args, word) in [
        (&["--follow"][..], "exactly one"),
        (&["--follow", "-"], "exactly one"),
        (&["--follow", "."], "exactly one"),
        (&["--follow", "a.md", "a.md"], "exactly one"),
        (&["--follow", "missing.md"], "exactly one"),
        (&["--follow", "--files-from", "a.md"], "exactly one"),
        (&["--follow", "-o", "out.ndjson", "a.md"], "--output"),
        (&["--follow", "b.gz"], "cannot be followed"),
        (&["--follow", "c.tar"], "cannot be followed"),
    ] {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(word), "{args:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
