//! Inputs for measurements: transcripts of a given shape and size, the same for the same seed.
//!
//! ```sh
//! cargo run --release --example generate -- SHAPE MEGABYTES [SEED] > FILE
//! ```
//!
//! | shape | what it is |
//! |---|---|
//! | `sparse` | a log in Markdown, a block every 64 KB |
//! | `sessions` | Claude Code sessions, a block in one line of 200, lines up to 2 MB |
//! | `none` | Claude Code sessions without a review |
//! | `dense` | a log in Markdown, every other KB a block, of four contracts in turn |
//! | `dense-sessions` | Claude Code sessions, a block in every message, with long texts full of escapes |
#![allow(clippy::print_stderr, reason = "a program of its own")]

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use serde_json::json;

const WORDS: &[&str] = &[
    "the",
    "query",
    "of",
    "a",
    "handler",
    "is",
    "not",
    "checked",
    "before",
    "it",
    "reaches",
    "the",
    "store",
    "token",
    "session",
    "order",
    "and",
    "then",
    "another",
    "request",
    "reads",
    "stale",
    "rows",
    "cache",
    "which",
    "nobody",
    "invalidates",
    "while",
    "migration",
    "runs",
    "file",
    "test",
    "covers",
    "only",
    "happy",
    "path",
    "error",
    "swallowed",
    "retry",
    "without",
    "limit",
    "naïve",
    "façade",
    "review",
    "change",
    "diff",
    "module",
    "lock",
    "held",
    "across",
    "await",
];

const FILES: &[&str] = &[
    "src/auth/login.rs",
    "src/orders/query.rs",
    "web/checkout/Form.tsx",
    "pkg/store/rows.go",
    "app/models/user.py",
    "lib/retry.ts",
    "src/cache/mod.rs",
    "db/migrate/0042_orders.sql",
];

/// A small generator of numbers (PCG).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        let state = self.0;
        self.0 =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (((state >> 18) ^ state) >> 27) as u32;
        mixed.rotate_right((state >> 59) as u32)
    }

    fn below(&mut self, limit: usize) -> usize {
        ((u64::from(self.next()) * limit as u64) >> 32) as usize
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn sentence(&mut self) -> String {
        let mut text = String::new();
        for index in 0..8 + self.below(12) {
            let word = self.pick(WORDS);
            if index == 0 {
                text.extend(word.chars().next().map(|first| first.to_ascii_uppercase()));
                text.push_str(&word[1..]);
            } else {
                let _ = write!(text, " {word}");
            }
        }
        text.push('.');
        text
    }

    /// Paragraphs of about this many bytes.
    fn prose(&mut self, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            text.push_str(&self.sentence());
            text.push_str(if self.below(5) == 0 { "\n\n" } else { " " });
        }
        text.push('\n');
        text
    }

    fn location(&mut self) -> String {
        format!("{}:{}", self.pick(FILES), 1 + self.below(900))
    }
}

/// A review of SDLC reviewers, between its lines.
fn sdlc(numbers: &mut Numbers) -> String {
    const REVIEWERS: &[&str] = &["Security Reviewer", "Code Reviewer", "Architecture Reviewer"];
    let findings = numbers.below(5);
    let fails = numbers.below(3) == 0;
    let (score, verdict) =
        if fails { (3 + numbers.below(4), "FAIL") } else { (8 + numbers.below(3), "PASS") };
    let mut text = format!(
        "---sdlc-review-output---\nreviewer: \"{}\"\nphase: \"Phase 4 - Implementation\"\nscore: {score}\nverdict: {verdict}\n",
        numbers.pick(REVIEWERS)
    );
    text.push_str(if findings == 0 { "findings: []\n" } else { "findings:\n" });
    for _ in 0..findings {
        let severity = if fails { "high" } else { "low" };
        let _ = write!(
            text,
            "  - severity: {severity}\n    category: injection\n    scope: in-scope\n    requirement: \"FR-{}\"\n    description: \"{}\"\n    location: \"{}\"\n    recommendation: \"{}\"\n",
            numbers.below(90),
            numbers.sentence(),
            numbers.location(),
            numbers.sentence(),
        );
    }
    let _ = write!(
        text,
        "reasoning: \"{} {}\"\n---end-sdlc-review-output---\n",
        numbers.sentence(),
        numbers.sentence()
    );
    text
}

/// The critic of a developer agent, in a fence.
fn critic(numbers: &mut Numbers) -> String {
    let passes = numbers.below(3) > 0;
    let severity = if passes { "suggestion" } else { "blocking" };
    let findings: Vec<_> = (0..=numbers.below(3))
        .map(|_| {
            json!({
                "severity": severity, "file": numbers.pick(FILES), "line": 1 + numbers.below(900),
                "issue": numbers.sentence(), "fix": numbers.sentence(),
            })
        })
        .collect();
    let value = json!({
        "pass": passes, "iteration": 1 + numbers.below(3),
        "gates": {"build": {"status": "pass"}, "lint": {"status": "pass", "errors": 0}, "test": {"status": "pass"}, "secrets": {"status": "pass"}},
        "findings": findings,
    });
    format!("```json\n{value:#}\n```\n")
}

/// A reviewer between the steps of a workflow, in a fence.
fn workflow(numbers: &mut Numbers) -> String {
    let rejects = numbers.below(2) == 0;
    let (verdict, status) = if rejects { ("reject", "rejected") } else { ("approve", "approved") };
    let mut text = format!(
        "```yaml\nverdict: {verdict}\nphase: 5\nhandover:\n  role: workflow-reviewer-phase5\n  status: {status}\n"
    );
    if rejects {
        text.push_str("findings:\n");
        for _ in 0..=numbers.below(3) {
            let _ = write!(
                text,
                "  - checklist-item: item {}\n    what-missing: {}\n    fix-instruction: {}\n",
                numbers.below(20),
                numbers.sentence(),
                numbers.sentence(),
            );
        }
    } else {
        let _ = writeln!(text, "attestation: {}\nfindings: []", numbers.sentence());
    }
    text.push_str("```\n");
    text
}

/// A review of `AgentMux`, in a fence.
fn agentmux(numbers: &mut Numbers) -> String {
    let fails = numbers.below(2) == 0;
    let mut text = format!(
        "```yaml\nverdict: {}\nsummary: |\n  {}\n  {}\n",
        if fails { "fail" } else { "pass" },
        numbers.sentence(),
        numbers.sentence()
    );
    text.push_str(if fails { "findings:\n" } else { "findings: []\n" });
    for _ in 0..usize::from(fails) * (1 + numbers.below(3)) {
        let _ = write!(
            text,
            "  - location: \"{}\"\n    issue: \"{}\"\n    severity: high\n    recommendation: \"{}\"\n",
            numbers.location(),
            numbers.sentence(),
            numbers.sentence(),
        );
    }
    if !fails {
        let _ = writeln!(text, "commit_message: \"{}\"", numbers.sentence());
    }
    text.push_str("```\n");
    text
}

/// A review of any of four contracts.
fn review(numbers: &mut Numbers, index: usize) -> String {
    [sdlc, critic, workflow, agentmux][index % 4](numbers)
}

/// A line of a Claude Code session.
fn line(numbers: &mut Numbers, index: usize, assistant: bool, text: &str) -> String {
    let role = if assistant { "assistant" } else { "user" };
    let content = if assistant {
        json!([{"type": "text", "text": text}])
    } else {
        json!([{"type": "tool_result", "tool_use_id": format!("toolu_{index:08}"), "content": text}])
    };
    let mut message = json!({"role": role, "content": content});
    if assistant {
        message["id"] = format!("msg_{index:08}").into();
        message["model"] = "claude-sonnet-4-5".into();
        message["stop_reason"] = "end_turn".into();
    }
    let value = json!({
        "parentUuid": format!("{:08x}-0000-4000-8000-{:012x}", numbers.next(), index), "isSidechain": false,
        "userType": "external", "cwd": "/srv/app", "sessionId": "5f0e1d2c-0000-4000-8000-000000000001", "version": "2.1.0",
        "gitBranch": "main", "type": role, "message": message, "uuid": format!("{:08x}-0000-4000-8000-{:012x}", numbers.next(), index + 1),
        "timestamp": format!("2026-06-05T{:02}:{:02}:{:02}.000Z", index / 3600 % 24, index / 60 % 60, index % 60),
    });
    let mut line = value.to_string();
    line.push('\n');
    line
}

/// The length of a tool's output: mostly short, a few up to 2 MB.
fn length(numbers: &mut Numbers) -> usize {
    match numbers.below(1_000) {
        0 => 1_000_000 + numbers.below(900_000),
        1..=19 => 20_000 + numbers.below(80_000),
        _ => 200 + numbers.below(6_000),
    }
}

fn piece(shape: &str, numbers: &mut Numbers, index: usize) -> Option<String> {
    Some(match shape {
        "sparse" => format!("{}\n{}\n", numbers.prose(63 << 10), sdlc(numbers)),
        "dense" => {
            let block = review(numbers, index);
            format!("{}\n{block}\n", numbers.prose(block.len()))
        }
        "sessions" if index % 200 == 100 => {
            let text = format!("{}\n{}", numbers.prose(400), sdlc(numbers));
            line(numbers, index, true, &text)
        }
        "sessions" | "none" => {
            let bytes = length(numbers);
            let text = numbers.prose(bytes);
            line(numbers, index, index.is_multiple_of(3), &text)
        }
        "dense-sessions" => {
            let text = format!(
                "{}\n{}",
                numbers.prose(1 << 10).replace(". ", ".\n\t\"\\\" "),
                review(numbers, index)
            );
            line(numbers, index, true, &text)
        }
        _ => return None,
    })
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let size = args.get(1).and_then(|size| size.parse::<usize>().ok());
    let (Some(shape), Some(size)) = (args.first(), size) else {
        eprintln!("usage: generate SHAPE MEGABYTES [SEED]");
        return ExitCode::FAILURE;
    };
    let mut numbers = Numbers(args.get(2).and_then(|seed| seed.parse().ok()).unwrap_or(1));
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut written = 0;
    for index in 0.. {
        let Some(piece) = piece(shape, &mut numbers, index) else {
            eprintln!("there is no shape `{shape}`");
            return ExitCode::FAILURE;
        };
        if out.write_all(piece.as_bytes()).is_err() {
            return ExitCode::FAILURE;
        }
        written += piece.len();
        if written >= size * 1_000_000 {
            break;
        }
    }
    if out.flush().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
