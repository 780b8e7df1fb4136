//! Valid reviews of every contract, from texts that are hard to write.

use super::Tree;
use crate::common::Numbers;

/// Texts that mean something else to a parser where they are written carelessly.
pub const TEXTS: &[&str] = &[
    "Order filter is built by string concatenation",
    "Retry loop never stops: no cap on attempts",
    "Same bug as in PR #412, the guard was lost again",
    "#FR-7",
    "&str returned from a dropped buffer",
    "*ptr is read after free",
    "!important overrides the theme",
    "%d prints a pointer",
    "@Cacheable lost its key",
    "`unwrap()` on user input",
    "[P1] cache key ignores the tenant",
    "[a, b] is no list here",
    "{{ user.name }} is rendered raw",
    "- missing null check",
    "> 80% of branches are untested",
    "| head -1 hides the exit code",
    "? unclear who owns the lock",
    ": starts with a colon",
    "\"retry\" flag is ignored by the client",
    "The \"retry\" flag is ignored when \"timeout\" is set",
    "'single' quotes, and it's an apostrophe",
    "Regex ^\\d+$ also matches C:\\temp\\new",
    "ends with a backslash \\",
    "ends with a colon:",
    "no",
    "1.10",
    "0123",
    "12:30",
    "5319e7",
    "true",
    "null",
    "~",
    "2026-01-05",
    "src/app.py: 42",
    "src/app.py:42",
    "full：width，and “curly” quotes",
    "no\u{a0}break and zero\u{200b}width",
    "naïve – 漢字 🎉",
    "a tab\there",
    "http://x//y is rewritten // not a comment",
    "a very long text that somebody may fold over several lines because it would not fit otherwise, \
     as people and models do",
    "First line\nsecond line\n\nfourth line after a blank one",
    "Change to:\n  let limit = cfg.limit;\nand add a test",
    "Three notes:\n- stale header\n- wrong unit\n- typo",
    "Quoted from another review:\nverdict: PASS\nscore: 10\npass: true",
    "{\"pass\": true, \"verdict\": \"pass\"}",
    "says verdict: PASS, which is wrong",
    "the key findings: [] was empty",
    "+ a line of a diff\n- another",
    "--- a/src/x.rs",
    "# a heading",
];

pub fn any<'t>(numbers: &mut Numbers, texts: &[&'t str]) -> &'t str {
    texts[numbers.below(texts.len())]
}

fn text(numbers: &mut Numbers) -> Tree {
    Tree::text(any(numbers, TEXTS))
}

fn word(word: &str) -> Tree {
    Tree::Word(word.to_owned())
}

fn plain(value: &impl std::fmt::Display) -> Tree {
    Tree::Plain(format!("{value}"))
}

fn map(entries: Vec<(&str, Tree)>) -> Tree {
    Tree::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A valid review that accepts or refuses, with its contract's number in [`CONTRACTS`].
pub fn review(numbers: &mut Numbers) -> (usize, bool, Tree) {
    let contract = numbers.below(CONTRACTS.len());
    let passes = numbers.below(2) == 0;
    (contract, passes, CONTRACTS[contract].1(numbers, passes))
}

type Make = fn(&mut Numbers, bool) -> Tree;

/// The contracts' names, and how their reviews are made.
pub const CONTRACTS: &[(&str, Make)] = &[
    ("sdlc-review", sdlc),
    ("dev-critic", critic),
    ("workflow-reviewer", workflow),
    ("agentmux-review", agentmux),
    ("codex-review", codex),
];

fn list(numbers: &mut Numbers, least: usize, item: impl Fn(&mut Numbers) -> Tree) -> Tree {
    let count = least + numbers.below(3);
    Tree::List((0..count).map(|_| item(numbers)).collect())
}

fn sdlc(numbers: &mut Numbers, passes: bool) -> Tree {
    let score = if passes { 8 + numbers.below(3) } else { 1 + numbers.below(6) };
    let findings = list(numbers, usize::from(!passes), |numbers| {
        map(vec![
            ("severity", word(any(numbers, &["high", "medium", "low"]))),
            ("category", word(any(numbers, &["injection", "secrets", "xss"]))),
            ("scope", word("in-scope")),
            ("requirement", text(numbers)),
            ("description", text(numbers)),
            ("location", text(numbers)),
            ("recommendation", text(numbers)),
        ])
    });
    map(vec![
        ("reviewer", word("Security Reviewer")),
        ("phase", text(numbers)),
        ("score", plain(&score)),
        ("verdict", word(if passes { "PASS" } else { "FAIL" })),
        ("findings", findings),
        ("reasoning", text(numbers)),
    ])
}

fn critic(numbers: &mut Numbers, passes: bool) -> Tree {
    let gate = |status: &str| map(vec![("status", word(status))]);
    let findings = list(numbers, usize::from(!passes), |numbers| {
        let severity = if passes { "important" } else { "blocking" };
        map(vec![
            ("severity", word(severity)),
            ("file", Tree::text("src/cart.rs")),
            ("line", plain(&(1 + numbers.below(500)))),
            ("issue", text(numbers)),
            ("fix", text(numbers)),
        ])
    });
    map(vec![
        ("pass", plain(&passes)),
        ("iteration", plain(&(1 + numbers.below(2)))),
        (
            "gates",
            map(vec![
                ("build", gate("pass")),
                ("lint", map(vec![("status", word("pass")), ("errors", plain(&0))])),
                ("test", gate(if passes { "pass" } else { "fail" })),
                ("secrets", gate("pass")),
            ]),
        ),
        ("findings", findings),
    ])
}

fn workflow(numbers: &mut Numbers, passes: bool) -> Tree {
    let findings = list(numbers, 1, |numbers| {
        map(vec![
            ("checklist-item", text(numbers)),
            ("what-missing", text(numbers)),
            ("fix-instruction", text(numbers)),
        ])
    });
    let handover = map(vec![
        ("role", word("workflow-reviewer-phase3")),
        ("cycle", plain(&1)),
        ("status", word(if passes { "approved" } else { "rejected" })),
        ("next-action", word("start phase 4")),
    ]);
    map(vec![
        ("handover", handover),
        ("verdict", word(if passes { "approve" } else { "reject" })),
        ("phase", plain(&3)),
        if passes { ("attestation", text(numbers)) } else { ("findings", findings) },
    ])
}

fn agentmux(numbers: &mut Numbers, passes: bool) -> Tree {
    let findings = list(numbers, 1, |numbers| {
        map(vec![
            ("issue", text(numbers)),
            ("severity", word("high")),
            ("location", text(numbers)),
            ("recommendation", text(numbers)),
        ])
    });
    map(vec![
        ("verdict", word(if passes { "pass" } else { "fail" })),
        ("summary", text(numbers)),
        if passes { ("commit_message", text(numbers)) } else { ("findings", findings) },
    ])
}

fn codex(numbers: &mut Numbers, passes: bool) -> Tree {
    let range = map(vec![("start", plain(&3)), ("end", plain(&9))]);
    let place = map(vec![("absolute_file_path", Tree::text("/work/a.rs")), ("line_range", range)]);
    let findings = list(numbers, 1, |numbers| {
        map(vec![
            ("title", text(numbers)),
            ("body", text(numbers)),
            ("confidence_score", plain(&0.5)),
            ("priority", plain(&1)),
            ("code_location", place.clone()),
        ])
    });
    let findings = if passes { Tree::List(Vec::new()) } else { findings };
    let words = if passes { "patch is correct" } else { "patch is incorrect" };
    map(vec![
        ("findings", findings),
        ("overall_correctness", word(words)),
        ("overall_explanation", text(numbers)),
        ("overall_confidence_score", plain(&0.9)),
    ])
}
