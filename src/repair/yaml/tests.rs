//! What the tolerant reader must hold to: the strict reading of what is right, time in proportion to
//! the text, and no outcome out of a text.

use std::fs;
use std::path::Path;

use super::reader::Reader;
use crate::contract::quickly;
use crate::contract::{CONTRACTS, Contract};
use crate::drive::extract;
use crate::parse::{self, Caps, Node, Reading, TWO_READINGS};
use crate::pipeline::Options;

const CAPS: Caps = Caps { nesting: 64, nodes: 100_000 };

/// The contract that has this key.
fn with_key(key: &str) -> &'static dyn Contract {
    let mut contracts = CONTRACTS.iter().copied();
    contracts.find(|each| each.opening_keys().contains(&key)).expect("it is there")
}

fn tolerant<'t>(contract: &dyn Contract, text: &'t str) -> Option<Reading<'t>> {
    Reader::read(text, contract.schema().shape(), true, CAPS)
}

fn mended(contract: &dyn Contract, text: &str) -> (serde_json::Value, Vec<&'static str>) {
    let reading =
        super::mend(text, contract.schema().shape(), parse::parse(text, CAPS), true, CAPS);
    assert_eq!(reading.faults, [], "{text}");
    let codes = reading.repairs.iter().map(|repair| repair.code).collect();
    (reading.node.as_ref().map(Node::to_json).unwrap_or_default(), codes)
}

/// What is wrong with how a text reads that the strict parser reads too: it must read the same, places
/// and all, or there is something to be said about it.
fn differs(contract: &dyn Contract, text: &str) -> Option<String> {
    let strict = Some(parse::parse(text, CAPS)).filter(|strict| strict.faults.is_empty())?;
    let read = tolerant(contract, text).filter(|read| read.node.is_some())?;
    let is_same = strict.node == read.node || !read.repairs.is_empty() || !read.faults.is_empty();
    let fault = || format!("{text:?}\n  {:?}\n  {:?}", strict.node, read.node);
    (!parse::is_json(text) && !is_same).then(fault)
}

/// The inputs below a folder of the corpus.
fn inputs(folder: &Path, all: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|each| each.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            inputs(&path, all);
        } else if path.file_stem().is_some_and(|stem| stem == "input") {
            all.push((path.display().to_string(), fs::read(&path).expect("a file")));
        }
    }
}

fn blocks() -> Vec<(String, &'static dyn Contract, String, bool)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut all = Vec::new();
    inputs(&corpus, &mut all);
    let options = Options { raw: true, templates: true, ..Options::default() };
    let mut blocks = Vec::new();
    for (name, bytes) in all {
        let (records, _) = extract(&name, [&bytes[..]], &options);
        for record in records {
            let contract = CONTRACTS.iter().find(|each| each.id() == record.contract);
            let is_sound = record.review.repairs.is_empty() && record.review.violations.is_empty();
            let (Some(contract), Some(raw)) = (contract, record.raw) else { continue };
            blocks.push((name.clone(), *contract, raw, is_sound));
        }
    }
    assert!(blocks.len() > 100, "the corpus has blocks");
    blocks
}

#[test]
fn what_is_right_reads_the_same() {
    for (name, contract, text, is_sound) in blocks() {
        assert_eq!(differs(contract, &text), None, "{name}");
        if is_sound && !parse::is_json(&text) {
            let read = tolerant(contract, &text);
            let spurious = read.map(|read| (read.repairs, read.faults)).unwrap_or_default();
            assert_eq!(spurious, (vec![], vec![]), "{name}\n{text}");
        }
    }
}

/// A generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn one_of<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.below(options.len())]
    }
}

/// Lines that make and break reviews.
const LINES: &[&str] = &[
    "reviewer: Security Reviewer",
    "score: 5",
    "verdict: FAIL",
    "verdict: PASS",
    "findings:",
    "findings: []",
    "- severity: high",
    "category: a",
    "description: A text",
    "description: |",
    "description: >-",
    "location: src/a.rs:3",
    "recommendation: \"Do it\"",
    "reasoning: It is",
    "and goes on",
    "note: one",
    "but one note: it",
    "# A remark",
    "",
    "---",
    "...",
    "- one",
    "description: \"It is",
    "not so\"",
    "description: 'It''s so'",
    "requirement: #FR-7",
    "phase: a # b",
    "phase: &a b",
    "phase: [a, b]",
    "phase: [a] b",
    "phase: {a: b}",
    "phase: - a",
    "score:8",
    "**Score:** 8",
    "score：8",
    "phase: \"a \"b\" c\"",
    "phase: \"\\d\"",
    "phase: a: b",
    "hardening_suggestions:",
    "phase:",
    "phase: \"a\" # b",
    "? a",
    ": b",
    "phase: *a",
    "phase: !t a",
    "'reasoning': x",
    "\"phase\" : y",
    "- - a",
    "-",
    "phase: |2-",
    "phase: >",
    "phase: ~",
    "}",
    "]",
    "phase: “a”",
    "ver\u{200b}dict: FAIL",
    "score:\u{a0}8",
    "phase: [a,",
    "b]",
    "phase: {a: b,",
    "phase: 'a",
    "b'",
    "```",
    "\"a\\",
    "b\"",
    "* severity: high",
    "-severity: high",
    "1. a",
    "+ a",
    "verdict = PASS",
    "a = b",
    "***",
    "yaml",
    "phase: 'it doesn't',",
    "findings: [],",
    "#x",
];

#[test]
fn whatever_the_lines_it_holds() {
    let sdlc = with_key("reviewer");
    let mut numbers = Numbers(1);
    let mut faults = Vec::new();
    let rounds = std::env::var("REVEXTRACT_ROUNDS").ok().and_then(|text| text.parse().ok());
    for _ in 0..rounds.unwrap_or(20_000) {
        let mut text = String::new();
        for _ in 0..=numbers.below(8) {
            text.push_str(numbers.one_of(&["", "", "", "  ", "    ", "      ", " ", "\t"]));
            text.push_str(numbers.one_of(LINES));
            text.push_str(numbers.one_of(&["\n", "\n", "\n", "\n", "\r\n", " \n"]));
        }
        faults.extend(differs(sdlc, &text));
    }
    faults.sort_by_key(String::len);
    let shown = &faults[..faults.len().min(5)];
    assert!(faults.is_empty(), "{} texts:\n{}", faults.len(), shown.join("\n"));
}

#[test]
fn time_is_linear() {
    let sdlc = with_key("reviewer");
    for part in [
        "a",
        " ",
        "\t",
        "\n",
        "- ",
        "-\n",
        "a: b\n",
        "a: \"b\n",
        "a: 'b\n",
        "a: [b\n",
        "a: {\n",
        "- a: \"b\n",
        "---\n",
        "# x\n",
        " x\n",
        "description: |\n",
        "reasoning: \"a \"b\" c\"\n",
        "- severity: high\n",
        "  - description: |\nx\n",
        "“a”: b\n",
        "phase: \"\\d\n",
        "b: c: d\n",
        "*",
        "a: &b c\n",
        "+x\n",
        "\u{200b}",
        "phase: ''x\n",
        "phase: [\"\n",
        "x y: z\n",
        "：",
    ] {
        for start in ["", "findings:\n- description: |\n", "reasoning: \"a\n", "reasoning: a\n"] {
            let text = format!("{start}{}", part.repeat((1 << 20) / part.len()));
            let began = std::time::Instant::now();
            std::hint::black_box(tolerant(sdlc, &text));
            assert!(began.elapsed().as_secs() < 5, "{part:?} after {start:?}");
        }
    }
}

#[test]
fn time_is_linear_in_two_parts() {
    let numbered = |line: &str| -> String {
        (0..10_000).map(|number| line.replace("{}", &number.to_string())).collect()
    };
    for text in [
        // Each key another one: no fault ends the reading.
        numbered("x{}: [a\n"),
        numbered("x{}: {a\n"),
        numbered("x{}: \"a\n"),
        numbered("x{}: |\n"),
        format!("reasoning: |\n{}{}", "\n".repeat(60_000), " x #y\n".repeat(10_000)),
        format!("reasoning: |\n{}{}", "\n".repeat(60_000), "x\n".repeat(30_000)),
        format!("reasoning: a\n{}{}", "\n".repeat(60_000), " x\n".repeat(20_000)),
        format!("findings:\n{}{}", "- [a\n".repeat(20_000), "]\n".repeat(20_000)),
        numbered("- severity: low\n  x{}: a #b\n"),
    ] {
        let sdlc = with_key("reviewer");
        quickly(&text[..20.min(text.len())], || tolerant(sdlc, &text));
    }
}

/// A review with these lines in place of its text.
fn review(lines: &str) -> String {
    format!(
        "reviewer: Security Reviewer\nphase: A\nscore: 5\nverdict: FAIL\nfindings:\n  - severity: \
         high\n    category: a\n{lines}\n    location: a.rs:1\n    recommendation: R\nreasoning: It is.\n"
    )
}

#[test]
fn texts_are_whole() {
    let sdlc = with_key("reviewer");
    for (lines, wanted, code) in [
        ("    description: a: b", "a: b", "yaml-quote-plain"),
        ("    description: &a b", "&a b", "yaml-quote-plain"),
        ("    description: *a* b", "*a* b", "yaml-quote-plain"),
        ("    description: !a b", "!a b", "yaml-quote-plain"),
        ("    description: %a", "%a", "yaml-quote-plain"),
        ("    description: @a", "@a", "yaml-quote-plain"),
        ("    description: [a] b", "[a] b", "yaml-quote-plain"),
        ("    description: [a", "[a", "yaml-quote-plain"),
        ("    description: {{ a }}", "{{ a }}", "yaml-quote-plain"),
        ("    description: > 80% x", "> 80% x", "yaml-quote-plain"),
        ("    description: a #1 b", "a #1 b", "yaml-hash-in-text"),
        ("    description: #1 b", "#1 b", "yaml-hash-in-text"),
        ("    description: 'a' b", "'a' b", "yaml-quote-plain"),
        ("    description: See\n      #1 b", "See #1 b", "yaml-hash-in-text"),
        ("    description: |\n      a\n#include b", "a\n#include b\n", "yaml-block-scalar"),
        ("    description: |2\n    a\n    # b", "a\n# b\n", "yaml-block-scalar"),
        ("    description: \"a \"b\" c\"", "a \"b\" c", "yaml-inner-quotes"),
        ("    description: 'a 'b' c'", "a 'b' c", "yaml-inner-quotes"),
        ("    description: 'it doesn't'", "it doesn't", "yaml-inner-quotes"),
        ("    description: 'it doesn't\n      stop'", "it doesn't stop", "yaml-inner-quotes"),
        ("    description: 'A\\'s \\n'", "A's \\n", "yaml-inner-quotes"),
        ("    description: \"a\",", "a", "yaml-trailing-comma"),
        ("    description: 'a''s';", "a's", "yaml-trailing-comma"),
        ("    description: 'it doesn't',", "it doesn't", "yaml-trailing-comma"),
        ("    description: \"a\\tb\", ", "a\tb", "yaml-trailing-comma"),
        ("    description: \"a\\d\",", "a\\d", "yaml-backslash"),
        ("    description: \"a\" or \"b\",", "\"a\" or \"b\",", "yaml-quote-plain"),
        ("    description: \"a”", "a", "curly-quotes"),
        ("    description: “a\"", "a", "curly-quotes"),
        ("    description: \"a\\d\\t\"", "a\\d\\t", "yaml-backslash"),
        ("    description: \"a b", "a b", "yaml-unclosed-quote"),
        ("    description: “a b”", "a b", "curly-quotes"),
        ("    description:\n      a: b c", "a: b c", "yaml-quote-plain"),
        ("    description: a\nb c", "a b c", "yaml-continuation"),
        ("    description: a\n\nb c: d", "a\nb c: d", "yaml-continuation"),
        ("    description: \"a\"\n    b c: d", "a b c: d", "yaml-continuation"),
        ("    description: a\n---\n    b", "a --- b", "yaml-document-mark"),
        ("    description: |\n      a\nb\n      c", "a\nb\nc\n", "yaml-block-scalar"),
        ("    description: |\n    a\n    b", "a\nb\n", "yaml-block-scalar"),
        ("    description: |\na: b\n  c", "a: b\n  c\n", "yaml-block-scalar"),
        ("    description: >\n    a\n    b", "a b\n", "yaml-block-scalar"),
        ("    description: |\n      a\n+     b", "a\nb\n", "yaml-diff-mark"),
        ("    description:a", "a", "yaml-blank-after-colon"),
        ("    description：a", "a", "full-width-punctuation"),
        ("    **Description:** a", "a", "yaml-key"),
        ("\tdescription: a", "a", "yaml-tab"),
        ("   description: a", "a", "yaml-indent"),
        ("description: a", "a", "yaml-indent"),
        ("    desc\u{200b}ription: a", "a", "invisible-character"),
        ("    description:\u{a0}a", "a", "unusual-blank"),
        ("\u{a0}\u{a0}\u{a0}\u{a0}description: a", "a", "unusual-blank"),
    ] {
        let text = review(lines);
        let (json, codes) = mended(sdlc, &text);
        assert_eq!(json["findings"][0]["description"], wanted, "{text}\n{json:#}");
        assert!(codes.contains(&code), "{text}\n{codes:?}");
        assert_eq!(json["findings"][0]["recommendation"], "R", "{text}");
        assert_eq!(json["verdict"], "FAIL", "{text}");
        assert_eq!(json["reasoning"], "It is.", "{text}");
    }
}

/// Whether a text of the sdlc contract reads without a fault, and its reading.
fn read(text: &str) -> (bool, serde_json::Value) {
    let shape = with_key("reviewer").schema().shape();
    let reading = super::mend(text, shape, parse::parse(text, CAPS), true, CAPS);
    (reading.faults.is_empty(), reading.node.as_ref().map(Node::to_json).unwrap_or_default())
}

#[test]
fn a_key_behind_a_text_that_decides_nothing() {
    let start = "reviewer: A\nphase: B\nreasoning: It is\nnot so\nscore: 9\n";
    let (is_read, json) = read(&format!("{start}verdict: FAIL\nfindings: []\n"));
    assert!(is_read && json["score"] == 9 && json["reasoning"] == "It is not so", "{json:#}");
    let (is_read, json) = read(&format!("verdict: PASS\n{start}findings: []\n"));
    assert!(is_read && json["score"] == 9, "{json:#}");
    for text in [
        format!("{start}verdict: PASS\nfindings: []\n"),
        format!("{start}findings: []\n"),
        format!("{start}verdict: FAIL\nfindings: []\nscore: 4\n"),
        format!("verdict: PASS\n{start}findings: []\nverdict: FAIL\n"),
    ] {
        assert!(!read(&text).0, "{text}");
    }
}

#[test]
fn the_last_text_has_no_end() {
    let (is_read, json) = read("verdict: FAIL\nscore: 2\nreasoning: \"It is. It\n");
    assert!(is_read && json["reasoning"] == "It is. It", "{json:#}");
    for text in [
        "verdict: FAIL\nscore: 2\nreasoning: \"It is. It",
        "score: 2\nreasoning: A\nverdict: \"PASS\n",
    ] {
        assert!(!read(text).0, "{text}");
    }
}

#[test]
fn no_outcome_out_of_a_text() {
    let agentmux = with_key("commit_message");
    for text in [
        "summary: |\nIt would be\nverdict: pass\nfindings: []\n",
        "summary: It would be\nthe outcome\nverdict: pass\nfindings: []\n",
        "summary: It would be\n   verdict: pass\nfindings: []\n",
        "verdict: \"pass\nsummary: It is: a\n",
        "summary: It would be\nverdict = pass\nfindings: []\n",
        "summary: |\n  It would be\nverdict = pass\nfindings: []\n",
        "verdict: pass\nsummary: &a It is\ncommit_message: *a\n",
        "verdict: pass\nsummary: It is: a\nfindings: [{issue: a\n",
        "verdict: pass\nsummary: It is\n---\nverdict: fail\nsummary: It is not\n",
    ] {
        let strict = parse::parse(text, CAPS);
        let reading = super::mend(text, agentmux.schema().shape(), strict, true, CAPS);
        assert_ne!(reading.faults, [], "{text}");
    }
    let text = "summary: |\nIt would be\nverdict: pass\nfindings: []\n";
    let reading =
        super::mend(text, agentmux.schema().shape(), parse::parse(text, CAPS), true, CAPS);
    assert_eq!(reading.faults[0].rule, &TWO_READINGS);
    for (verdict, wanted) in [
        ("verdict: pass # but only if: tests pass", "pass # but only if: tests pass"),
        ("verdict: pass # the gate is green", "pass"),
        ("verdict: &a pass", "&a pass"),
        ("verdict: \"pass\" if green", "\"pass\" if green"),
        ("verdict: pass\nonce it is green", "pass once it is green"),
        ("verdict: pass: not yet", "pass: not yet"),
    ] {
        let text = format!("{verdict}\nsummary: It is: a\n");
        assert_eq!(mended(agentmux, &text).0["verdict"], wanted, "{text}");
    }
}
