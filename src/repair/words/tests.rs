use super::*;
use crate::contract::{CONTRACTS, MapShape, Shape};

/// Every place of every contract at which words are asked for: where, and which.
fn vocabularies() -> Vec<(String, Vec<String>)> {
    fn below(path: &str, shape: &Shape, found: &mut Vec<(String, Vec<String>)>) {
        match shape {
            Shape::Word(words) => found.push((path.to_owned(), words.clone())),
            Shape::List(item) => below(&format!("{path}/0"), item, found),
            Shape::Map(MapShape { fields, .. }) => {
                for (key, shape) in fields {
                    below(&format!("{path}/{key}"), shape, found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for contract in CONTRACTS {
        below(contract.id(), contract.schema().shape(), &mut found);
    }
    found
}

fn of(path: &str) -> Vec<String> {
    let found = vocabularies().into_iter().find(|(known, _)| known == path);
    found.unwrap_or_else(|| panic!("{path} has no words")).1
}

fn read(path: &str, text: &str) -> Option<String> {
    word(text, &of(path)).map(|(word, _)| word.to_owned())
}

fn is_good(word: &str) -> bool {
    tone(&letters(word)) == Tone::Good
}

/// How bad a word is: the greater, the worse. Words of unlike matters are never compared.
fn rank(word: &str) -> u8 {
    match letters(word).as_str() {
        "critical fail" => 6,
        "escalate" | "escalated to user" | "critical" | "blocking" | "fail" | "reject"
        | "rejected" | "patch is incorrect" => 5,
        "high" | "important" => 4,
        "medium" | "suggestion" => 3,
        "low" => 2,
        "info" => 1,
        _ => 0,
    }
}

#[test]
fn every_word_of_a_verdict_or_severity_has_a_tone() {
    for (path, words) in vocabularies() {
        let is_known = path.ends_with("/verdict")
            || path.ends_with("/severity")
            || path.ends_with("overall_correctness")
            || path.ends_with("handover/status");
        for word in words.iter().filter(|_| is_known) {
            assert_ne!(tone(&letters(word)), Tone::Neutral, "{path}: {word}");
        }
    }
}

#[test]
fn a_word_in_another_spelling() {
    let verdict = "sdlc-review/verdict";
    for (text, wanted) in [
        ("pass", "PASS"),
        ("Pass ✅", "PASS"),
        ("✅ PASS", "PASS"),
        ("PASS.", "PASS"),
        ("PASS!", "PASS"),
        ("**PASS**.", "PASS"),
        ("**PASS** ✅", "PASS"),
        ("`PASS`", "PASS"),
        ("\"PASS\"", "PASS"),
        ("“Pass”", "PASS"),
        ("  pass\n", "PASS"),
        ("PASS,", "PASS"),
        ("PASS\u{200b}", "PASS"),
        ("\u{a0}PASS\u{a0}", "PASS"),
        ("ＰＡＳＳ", "PASS"),
        ("✔️ pass", "PASS"),
        ("🟢 Pass", "PASS"),
        ("PASS :white_check_mark:", "PASS"),
        ("<b>PASS</b>", "PASS"),
        ("***PASS***", "PASS"),
        ("Fail", "FAIL"),
        ("❌ **FAIL**.", "FAIL"),
        ("Critical Fail", "CRITICAL_FAIL"),
        ("critical-fail", "CRITICAL_FAIL"),
        ("CRITICAL\\_FAIL", "CRITICAL_FAIL"),
        ("CriticalFail", "CRITICAL_FAIL"),
        ("🚨 CRITICAL_FAIL 🚨", "CRITICAL_FAIL"),
    ] {
        let all = of(verdict);
        assert_eq!(word(text, &all), Some((wanted, How::Spelling)), "{text}");
    }
    assert_eq!(read("agentmux-review/verdict", "PASS").as_deref(), Some("pass"));
    assert_eq!(read("workflow-reviewer/verdict", "Approve").as_deref(), Some("approve"));
    let codex = "codex-review/overall_correctness";
    assert_eq!(read(codex, "Patch is correct.").as_deref(), Some("patch is correct"));
    assert_eq!(read(codex, "patch_is_incorrect").as_deref(), Some("patch is incorrect"));
    let status = "workflow-reviewer/handover/status";
    assert_eq!(read(status, "Escalated To User").as_deref(), Some("escalated-to-user"));
}

#[test]
fn a_refusal_with_a_remark_or_in_another_form() {
    let verdict = of("sdlc-review/verdict");
    for (text, wanted, how) in [
        ("FAIL: layering", "FAIL", How::Remark),
        ("FAIL (two high findings)", "FAIL", How::Remark),
        ("FAIL - 3 open points", "FAIL", How::Remark),
        ("FAIL — see below", "FAIL", How::Remark),
        ("**FAIL**: layering", "FAIL", How::Remark),
        ("**FAIL: layering**", "FAIL", How::Remark),
        ("❌ FAIL, tests are red", "FAIL", How::Remark),
        ("fail. Tests are red.", "FAIL", How::Remark),
        ("FAIL\nTests are red", "FAIL", How::Remark),
        ("CRITICAL_FAIL - secret in history", "CRITICAL_FAIL", How::Remark),
        ("CRITICAL_FAIL: tests fail on main", "CRITICAL_FAIL", How::Remark),
        ("Critical Fail (hard stop)", "CRITICAL_FAIL", How::Remark),
        ("failed", "FAIL", How::Form),
        ("FAILED", "FAIL", How::Form),
        ("Failed: layering", "FAIL", How::Form),
        ("FAILURE", "FAIL", How::Form),
        ("rejected", "FAIL", How::Form),
        ("Fehlgeschlagen", "FAIL", How::Form),
        ("Échec", "FAIL", How::Form),
        ("不通过", "FAIL", How::Form),
        ("❌ 不通过", "FAIL", How::Form),
        ("Critical failure", "CRITICAL_FAIL", How::Form),
    ] {
        assert_eq!(word(text, &verdict), Some((wanted, how)), "{text}");
    }
    assert_eq!(read("workflow-reviewer/verdict", "Rejected").as_deref(), Some("reject"));
    assert_eq!(read("workflow-reviewer/verdict", "escalated").as_deref(), Some("escalate"));
    let codex = "codex-review/overall_correctness";
    assert_eq!(
        read(codex, "patch is incorrect: off by one").as_deref(),
        Some("patch is incorrect")
    );
    assert_eq!(read(codex, "Incorrect").as_deref(), Some("patch is incorrect"));
    let severity = "sdlc-review/findings/0/severity";
    assert_eq!(read(severity, "critical: key in repo").as_deref(), Some("critical"));
    let severity = "dev-critic/findings/0/severity";
    assert_eq!(read(severity, "BLOCKING - data loss").as_deref(), Some("blocking"));
}

/// Texts that look favourable, and are not the word alone.
const FAVOURABLE: &[&str] = &[
    "W (conditional)",
    "W with comments",
    "W with conditions",
    "W?",
    "W ?",
    "not W",
    "no W",
    "W/F",
    "W or F",
    "F or W",
    "W|F",
    "W | F",
    "F -> W",
    "F => W",
    "F → W",
    "~~F~~ W",
    "~~F~~ **W**",
    "~~W~~",
    "W ❌",
    "❌ W",
    "W ⚠️",
    "⚠️ W",
    "W 🔴",
    "W*",
    "W**",
    "**W",
    "W - but see findings",
    "W: with reservations",
    "W, but",
    "W; fix later",
    "W...",
    "W…",
    "W..",
    "mostly W",
    "likely W",
    "W (with nits)",
    "W if fixed",
    "W after changes",
    "conditional W",
    "soft W",
    "W-ish",
    "W-with-comments",
    "W_WITH_COMMENTS",
    "almost W",
    "W pending",
    "W: pending",
    "non-W",
    "un-W",
    "W!?",
    "W?!",
    "<W>",
    "[W]",
    "{W}",
    "(W)",
    "{{W}}",
    "W :x:",
    "W :warning:",
    "not a F",
    "no F",
    "not F",
    "F (fixed, now W)",
    "F (resolved)",
    "F, later W",
    "F: now W",
    "F ✅",
    "✅ F",
    "F/W",
    "F?",
    "F (was W)",
    "W (was F)",
    "W then F",
    "W\nF",
    "F\nW",
    "W W",
    "W F",
    "F W",
    "would W",
    "should W",
    "can't W",
    "cannot W",
    "didn't W",
    "W=false",
    "W: false",
    "W: no",
    "W: 0",
    "F: 0",
    "F: none",
    "\"W\" or \"F\"",
    "'W' 'F'",
    "W 9/10",
    "W 80%",
    "W #1",
    "0 W",
    "W (8/10)",
    "WW",
    "xW",
    "Wx",
    "W1",
    "W:",
    "W -",
    "W —",
    "- W",
    "1. W",
    "> W",
    "# W",
    "W // ok",
    "W /* ok */",
    "Verdict: W",
    "verdict=W",
    "I say W",
    "",
    " ",
    "✅",
    "👍",
    "🟢",
    "❌",
    "OK",
    "ok",
    "LGTM",
    "lgtm!",
    "yes",
    "y",
    "true",
    "True",
    "1",
    "good",
    "great",
    "fine",
    "green",
    "ship it",
    "accepted",
    "accept",
    "passed",
    "PASSED",
    "passes",
    "passing",
    "Passed ✅",
    "approves",
    "approving",
    "bestanden",
    "réussi",
    "aprobado",
    "通过",
    "合格",
    "承認",
    "пройдено",
    "success",
    "succeeded",
    "successful",
    "clean",
    "no issues",
    "none",
    "null",
    "N/A",
    "TBD",
    "unknown",
    "pending",
    "skipped?",
    "conditional",
    "partial",
    "partially",
    "warn",
    "warning",
    "neutral",
    "mixed",
    "PA SS",
    "P A S S",
    "P.A.S.S.",
    "PАSS",
    "PASSWORD",
    "pass-through",
    "passable",
    "bypass",
    "PASS_CONDITIONAL",
    "CONDITIONAL_PASS",
    "SOFT_PASS",
    "correct",
    "patch is correct?",
    "patch is correct, mostly",
    "patch is correct but fragile",
    "patch is not incorrect",
    "the patch is correct",
    "is correct",
    "patch may be correct",
    "approve with comments",
    "approve?",
    "approve (nits)",
    "approve/reject",
    "not approve",
    "don't approve",
    "approve - after fixes",
];

#[test]
fn what_looks_favourable_is_no_pass() {
    let mut tried = 0;
    for (path, words) in vocabularies() {
        let refusal = words.iter().find(|word| REFUSALS.contains(&letters(word).as_str()));
        for good in words.iter().filter(|word| is_good(word)) {
            for form in FAVOURABLE {
                let text = form.replace('W', "\u{1}").replace('F', "\u{2}");
                // Capitals of the list's own words are no places.
                let is_pattern = form
                    .split(|char: char| !char.is_alphanumeric())
                    .any(|part| matches!(part, "W" | "F" | "WW" | "xW" | "Wx" | "W1"))
                    || form.starts_with("W_WITH");
                let text = if is_pattern {
                    let refusal = refusal.map_or("fail", String::as_str);
                    text.replace("\u{1}_\u{1}ITH", "W_WITH")
                        .replace('\u{1}', good)
                        .replace('\u{2}', refusal)
                } else {
                    (*form).to_owned()
                };
                if words.contains(&text) {
                    continue;
                }
                let came = word(&text, &words);
                assert!(!came.is_some_and(|(word, _)| is_good(word)), "{path}: {text:?}: {came:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
}

/// Texts in which two words of a verdict stand: none is chosen.
#[test]
fn two_words_are_none() {
    let verdict = of("sdlc-review/verdict");
    for text in [
        "PASS/FAIL",
        "FAIL -> PASS",
        "FAIL (fixed, now PASS)",
        "~~FAIL~~ PASS",
        "~~PASS~~ FAIL",
        "FAIL ✅",
        "✅ FAIL",
        "FAIL (approved by lead)",
        "FAIL | CRITICAL_FAIL",
        "FAIL or CRITICAL_FAIL",
        "FAIL, maybe CRITICAL_FAIL",
        "FAIL (critical)",
        "FAIL CRITICAL",
        "CRITICAL: FAIL",
        "FAIL, LGTM otherwise",
        "not pass",
        "FAIL: waived",
        "FAIL: 0",
        "FAIL?",
        "FAIL: none",
    ] {
        assert_eq!(word(text, &verdict), None, "{text}");
    }
}

#[test]
fn no_severity_is_lowered() {
    for (path, words) in vocabularies().into_iter().filter(|(path, _)| path.ends_with("severity")) {
        for one in &words {
            for other in words.iter().filter(|other| *other != one) {
                for text in [
                    format!("{one}/{other}"),
                    format!("{one} / {other}"),
                    format!("{one} to {other}"),
                    format!("{one}-{other}"),
                    format!("{one} - {other}"),
                    format!("{one} (could be {other})"),
                    format!("{one}, {other}"),
                    format!("{one} | {other}"),
                    format!("{one}|{other}"),
                    format!("{one} -> {other}"),
                    format!("{other} → {one}"),
                    format!("~~{other}~~ {one}"),
                    format!("not {other}"),
                    format!("not {one}"),
                    format!("non-{one}"),
                    format!("{one}?"),
                    format!("{one} or {other}"),
                    format!("below {other}"),
                    format!("{one}+"),
                    format!("{one}\n{other}"),
                    format!("{one}: was {other}"),
                ] {
                    assert_eq!(word(&text, &words), None, "{path}: {text}");
                }
            }
            // A remark may raise it, so only the worst has one.
            let remark = word(&format!("{one}: when it is public"), &words);
            assert_eq!(remark.is_some(), rank(one) >= 5, "{path}: {one}");
            let (spelt, _) = word(&format!("⚠️ **{}**", one.to_uppercase()), &words)
                .unwrap_or_else(|| panic!("{path}: {one}"));
            assert_eq!(spelt, one);
        }
        for text in [
            "P0",
            "P1",
            "sev-1",
            "minor",
            "major",
            "moderate",
            "urgent",
            "none",
            "",
            "info?",
            "lowest",
            "lower",
            "mediumish",
            "med",
            "crit",
            "high-ish",
            "blocker?",
            "trivial",
            "nit",
            "✅ low",
            "🔴 low",
            "low ❌",
            "informational",
            "low-risk",
            "1",
            "0",
        ] {
            assert_eq!(word(text, &words), None, "{path}: {text}");
        }
    }
}

/// A generator of numbers that needs no crate: the same ones on each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

/// Whatever stands around a word: what is read is the word itself or a worse one, and a good one
/// only where nothing but decoration stands around it.
#[test]
fn decorations_and_remarks_make_no_word_better() {
    const AROUND: &[&str] = &[
        "", "", " ", "*", "**", "_", "`", "\"", "'", "~~", "✅ ", "❌", " ⚠️", "🟢", "(", ")", "[",
        "]", ".", "!", "?", ":", "-", " - ", "/", "|", ",", "\u{200b}", "\u{a0}", "\n", "<", ">",
        "#", "→", " -> ",
    ];
    const REMARKS: &[&str] = &[
        "",
        "",
        "",
        "",
        "but",
        "not",
        "no",
        "if",
        "conditional",
        "now",
        "fixed",
        "PASS",
        "FAIL",
        "pass",
        "fail",
        "low",
        "critical",
        "approve",
        "reject",
        "was",
        "2 findings",
        "n't",
        "un",
        "ed",
        "s",
        "0",
        "8/10",
    ];
    let mut numbers = Numbers(7);
    let vocabularies = vocabularies();
    let mut read = 0;
    for _ in 0..200_000 {
        let (path, words) = &vocabularies[numbers.below(vocabularies.len())];
        let one = &words[numbers.below(words.len())];
        let mut parts = Vec::new();
        for _ in 0..numbers.below(3) {
            parts.push(numbers.one(AROUND));
            parts.push(numbers.one(REMARKS));
        }
        let at = parts.len();
        parts.push(one);
        for _ in 0..numbers.below(3) {
            parts.push(numbers.one(AROUND));
            parts.push(numbers.one(REMARKS));
        }
        let text = parts.concat();
        let Some((came, how)) = word(&text, words) else { continue };
        read += 1;
        // `unfail` and `critical_failed` are no longer the word that was put there.
        let goes_on =
            |part: Option<&&str>, at_end: bool| {
                let char = part.and_then(|part| {
                    if at_end { part.chars().next_back() } else { part.chars().next() }
                });
                char.is_some_and(|char| char.is_alphanumeric() || char == '_')
            };
        let before = parts[..at].iter().rev().find(|part| !part.is_empty());
        let behind = parts[at + 1..].iter().find(|part| !part.is_empty());
        if goes_on(before, true) || goes_on(behind, false) {
            continue;
        }
        assert!(rank(came) >= rank(one) || rank(one) == 0, "{path}: {text:?}: {came}");
        if is_good(came) {
            assert_eq!(how, How::Spelling, "{path}: {text:?}");
            let is_alone = parts.iter().enumerate().all(|(index, part)| {
                index == at || !part.contains(|char: char| char.is_alphanumeric())
            });
            assert!(is_alone || !is_good(one), "{path}: {text:?}");
            let is_doubtful = ["~~", "❌", "⚠️", "?", "(", "[", "<", "/", "|", "->", "→", "-", ":"]
                .iter()
                .any(|mark| text.contains(mark));
            assert!(!is_doubtful, "{path}: {text:?}");
        }
    }
    assert!(read > 5_000, "{read}");
}

#[test]
fn booleans() {
    let pass = |text: &str| boolean(text, false).map(|(value, _)| value);
    for text in [
        "false",
        "False",
        "FALSE",
        "no",
        "No.",
        "n",
        "off",
        "**false**",
        "❌ false",
        "false (two gates failed)",
        "false: lint",
        "No - see findings",
        "fail",
        "failed",
        "nein",
    ] {
        assert_eq!(pass(text), Some(false), "{text}");
    }
    for text in ["true", "True", "`true`", "TRUE ✅", "true."] {
        assert_eq!(pass(text), Some(true), "{text}");
    }
    for text in [
        "yes",
        "y",
        "on",
        "1",
        "0",
        "ok",
        "pass",
        "passed",
        "true?",
        "true (mostly)",
        "not false",
        "true/false",
        "true | false",
        "false -> true",
        "true ❌",
        "~~false~~ true",
        "no (true after the fix)",
        "",
        "nope?",
        "not true",
        "truey",
        "N/A",
        "none",
        "no-op",
        "no issues",
        "null",
        "true, but",
        "<true>",
        "false ✅",
    ] {
        assert_eq!(pass(text), None, "{text}");
    }
    let escalate = |text: &str| boolean(text, true).map(|(value, _)| value);
    for (text, wanted) in [
        ("true", Some(true)),
        ("yes", Some(true)),
        ("Yes - third round", Some(true)),
        ("true: a person decides", Some(true)),
        ("\"false\"", Some(false)),
        ("False", Some(false)),
        ("no", None),
        ("false (for now)", None),
        ("yes/no", None),
        ("not yes", None),
    ] {
        assert_eq!(escalate(text), wanted, "{text}");
    }
}

#[test]
fn numbers_of_texts() {
    let score = |text: &str| number(text, Some(10), true).map(str::to_owned);
    for (text, wanted) in [
        ("8", "8"),
        ("**8**", "8"),
        ("8.", "8"),
        (" 8 ", "8"),
        ("`8`", "8"),
        ("8/10", "8"),
        ("8 / 10", "8"),
        ("**8**/10", "8"),
        ("**8/10**", "8"),
        ("8 out of 10", "8"),
        ("8.0", "8.0"),
        ("10/10", "10"),
        ("0/10", "0"),
        ("\"7\"", "7"),
        ("85", "85"),
        ("-1", "-1"),
        ("8/10.", "8"),
        ("8,", "8"),
    ] {
        assert_eq!(score(text).as_deref(), Some(wanted), "{text}");
    }
    for text in [
        "4/5",
        "85%",
        "8.5",
        "~8",
        "8-9",
        "8+",
        "010",
        "7/10 (was 8/10)",
        "eight",
        "8/100",
        "11/10",
        "8/10/10",
        "80/100",
        "8 of 10",
        "7-8/10",
        "8.5/10",
        "~8/10",
        "8?",
        "8 or 9",
        "1e1",
        "0x8",
        "8_0",
        "8 (good)",
        "<8>",
        "[8]",
        "8 | 9",
        "",
        ".",
        "/10",
        "8/",
        "++8",
        "8..",
        "½",
        "VIII",
        "8/10 -> 9/10",
        "~~7~~ 8",
        "8 ❌",
        "１２x",
        "Infinity",
        "NaN",
        "9999999999999999999x",
    ] {
        assert_eq!(score(text), None, "{text}");
    }
    assert_eq!(number("0.8", None, false), Some("0.8"));
    assert_eq!(number("8/10", None, true), None);
}

#[test]
fn nothing_to_list() {
    for text in [
        "none",
        "None.",
        "NONE",
        "No findings.",
        "no issues found",
        "N/A",
        "n/a",
        "nothing",
        "No findings ✅",
        "**None**",
        "(none)",
        "No issues",
        "no finding",
        "0 findings",
        "zero issues",
        "No problems found.",
        "none found",
        "No findings to report",
        "Not applicable",
        "“none”",
    ] {
        assert!(says_none(text), "{text}");
    }
    for text in [
        "",
        "null",
        "~",
        "-",
        "none critical",
        "none beyond those above",
        "no critical findings",
        "4 findings kept (0 critical, 1 high)",
        "no",
        "nope",
        "No findings above low",
        "none?",
        "no new findings",
        "no further issues",
        "no other issues",
        "No blocking issues",
        "none ❌",
        "None of the findings are critical",
        "see above",
        "<none>",
        "none, except the one above",
        "nonexistent",
        "10 findings",
        "no issues with style",
        "N/A (see report)",
        "no findings yet",
        "TODO",
        "...",
        "clean",
        "keine",
        "no finding is minor",
    ] {
        assert!(!says_none(text), "{text}");
    }
}

#[test]
fn time_is_linear() {
    use crate::contract::quickly;
    let words = of("sdlc-review/verdict");
    for part in [
        "FAIL ",
        "*",
        "`",
        "✅",
        "❌",
        "critical ",
        "~",
        "-",
        " ",
        "\u{200b}",
        "_",
        ":x:",
        "a",
        "PASS",
        "/",
        ".",
        "\n",
        "\\",
        "<b>",
    ] {
        for start in ["", "FAIL: ", "PASS", "**", "no "] {
            let text = format!("{start}{}", part.repeat((1 << 20) / part.len()));
            quickly(part, || {
                (
                    word(&text, &words),
                    boolean(&text, false),
                    number(&text, Some(10), true),
                    says_none(&text),
                )
            });
        }
    }
}
