//! What the tests share: the cases of the corpus, and running the program.
#![allow(dead_code, reason = "each test uses its own part")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use revextract::contract;
use revextract::locate::Choice;
use revextract::pipeline::Options;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_revextract");

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A case of the corpus: a folder with one `input…`, what must come out of it, and what a person
/// says must be in that.
pub struct Case {
    pub folder: PathBuf,
    pub name: String,
    pub input: String,
    pub truth: serde_json::Value,
}

impl Case {
    /// Whether the input is one file, which can be given on stdin as well.
    pub fn is_file(&self) -> bool {
        self.folder.join(&self.input).is_file()
    }

    /// Whether the input is one file that the library reads as it is: no archive, nothing compressed,
    /// no UTF-16, which only the program takes apart.
    pub fn is_plain(&self) -> bool {
        self.is_file() && !self.name.starts_with("container")
    }

    pub fn args(&self) -> Vec<&str> {
        let args = self.truth["args"].as_array();
        args.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
    }

    /// The options of the library that its arguments stand for: which contracts are looked for.
    pub fn options(&self) -> Options {
        let args = self.args();
        let named = args
            .windows(2)
            .filter(|pair| pair[0] == "-c")
            .filter_map(|pair| contract::by_id(pair[1]));
        let mut options = Options::default();
        options.scope.choice = Choice {
            contracts: named.collect(),
            any_key: false,
            strict: args.contains(&"--no-repair"),
        };
        options
    }

    /// Runs the program on the input as a file.
    pub fn run(&self, args: &[&str]) -> Output {
        command(&self.folder)
            .args(self.args())
            .args(args)
            .arg(&self.input)
            .stdin(Stdio::null())
            .output()
            .expect("the program runs")
    }

    /// Runs the program on the input on stdin, in pieces of `size` bytes.
    pub fn run_in_pieces(&self, size: usize, args: &[&str]) -> Output {
        let bytes = fs::read(self.folder.join(&self.input)).expect("the input is there");
        let name = format!("--input-name={}", self.input);
        let args: Vec<&str> = self.args().into_iter().chain(args.iter().copied()).collect();
        run_with(command(&self.folder).args(args).arg(name), &bytes, size)
    }
}

pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).env_remove("NO_COLOR");
    command
}

/// Runs a command with `bytes` on stdin, in pieces of `size`.
pub fn run_with(command: &mut Command, bytes: &[u8], size: usize) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for piece in bytes.chunks(size.max(1)) {
                // The program may stop reading early.
                if stdin.write_all(piece).is_err() {
                    break;
                }
            }
        });
        child.wait_with_output().expect("the program ends")
    })
}

/// Every case below `corpus/`, in order; those whose name contains `REVEXTRACT_CASES`, where that is
/// set.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    collect(&root().join("corpus"), &mut cases);
    assert!(cases.len() > 100, "the corpus is there");
    if let Ok(wanted) = std::env::var("REVEXTRACT_CASES") {
        cases.retain(|case| case.name.contains(&wanted));
    }
    cases
}

fn collect(folder: &Path, cases: &mut Vec<Case>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    let input = entries.iter().find(|path| {
        path.file_name()
            .is_some_and(|name| name == "input" || name.to_string_lossy().starts_with("input."))
    });
    let truth = folder.join("truth.json");
    if let (Some(input), true) = (input, truth.exists()) {
        let text = fs::read_to_string(truth).expect("a truth");
        let name = folder.strip_prefix(root().join("corpus")).expect("below the corpus");
        cases.push(Case {
            folder: folder.to_owned(),
            name: name.display().to_string(),
            input: input.file_name().expect("a name").to_string_lossy().into_owned(),
            truth: serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", name.display())),
        });
        return;
    }
    for entry in entries.iter().filter(|entry| entry.is_dir()) {
        collect(entry, cases);
    }
}

/// The records of an output.
pub fn records(output: &[u8]) -> Vec<serde_json::Value> {
    let text = std::str::from_utf8(output).expect("the output is UTF-8");
    text.split_terminator('\n')
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A generator of numbers (SplitMix64): no more is needed, and it never changes.
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ (number >> 31)) % limit.max(1) as u64) as usize
    }
}

/// How many rounds `REVEXTRACT_ROUNDS` asks for, else the usual number.
pub fn rounds(usual: usize) -> usize {
    std::env::var("REVEXTRACT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
