//! Delimiter lines as they are spelt, and what is none.

use super::*;

const NAME: &str = "sdlc-review-output";

fn read(line: &str) -> Option<(bool, Vec<&'static str>)> {
    let spelling = misspelt(line.as_bytes(), NAME)?;
    Some((spelling.closes, spelling.repairs.iter().map(|kind| kind.code).collect()))
}

#[test]
fn what_is_meant_for_a_delimiter() {
    for line in [
        "--- SDLC-Review-Output ---",
        "---sdlc_review_output---",
        "---SDLC REVIEW OUTPUT---",
        "--sdlc-review-output--",
        "-----sdlc-review-output-----",
        "— sdlc-review-output —",
        "––sdlc-review-output––",
        "=== SDLC Review Output ===",
        "*** sdlc-review-output ***",
        "**---sdlc-review-output---**",
        "`---sdlc-review-output---`",
        "```---sdlc-review-output---",
        "## ---sdlc-review-output---",
        "---begin-sdlc-review-output---",
        "--- sdlc-review-output start ---",
        "---sdlc-review-output---:",
        "---sdlc-review-output",
        "---sdlc-review-outputs---",
        "- - - sdlc-review-output - - -",
        "<sdlc-review-output>",
        "> --- SDLC-Review-Output ---",
        "---\u{a0}sdlc-review-output\u{a0}---",
        "\\---sdlc-review-output---",
        "\u{2011}\u{2011}\u{2011}sdlc\u{2011}review\u{2011}output\u{2011}\u{2011}\u{2011}",
        "⏺ --- SDLC-Review-Output ---",
        "The review: ---sdlc-review-output---",
        "**Here is my final review**: ---sdlc-review-output---",
        "---sdlc-review-output--- reviewer: Me",
    ] {
        assert_eq!(read(line), Some((false, vec!["delimiter-spelling"])), "{line}");
    }
    for line in [
        "--- End SDLC Review Output ---",
        "---END_SDLC_REVIEW_OUTPUT---",
        "---/sdlc-review-output---",
        "---sdlc-review-output-end---",
        "--- end of sdlc-review-output ---",
        "---end-sdlc-review-output---```",
        "---end-sdlc-review-output---.",
        "</sdlc-review-output>",
        "</SDLC_Review_Output>",
    ] {
        assert_eq!(read(line), Some((true, vec!["delimiter-spelling"])), "{line}");
    }
    let invisible = "\u{feff}---sdlc-review-output---\u{200b}";
    assert_eq!(read(invisible), Some((false, vec!["invisible-character"])));
    let both = "---\u{200b}SDLC-review-output---";
    assert_eq!(read(both), Some((false, vec!["invisible-character", "delimiter-spelling"])));
}

#[test]
fn what_is_a_mention_or_another_line() {
    for line in [
        "the ---sdlc-review-output--- line",
        "The prompt was: ---sdlc-review-output---",
        "The expected output: ---sdlc-review-output---",
        "Now: ---sdlc-review-output---",
        "the opening line: `---sdlc-review-output---`",
        "the closing line: ---end-sdlc-review-output---",
        "the lines:---sdlc-review-output---",
        "Put `---sdlc-review-output---` first.",
        "---sdlc-review-output--- opens, ---end-sdlc-review-output--- closes",
        "\"---sdlc-review-output---\"",
        "# SDLC Review Output",
        "**SDLC Review Output**",
        "sdlc-review-output:",
        "sdlc-review-output",
        "--sdlc-review-output",
        "----sdlc-review-output---",
        "+---sdlc-review-output---",
        "+--- SDLC-Review-Output ---",
        "--- a/sdlc-review-output.md",
        "--- sdlc-review-output.md ---",
        "---other-review-output---",
        "---sdlc-review-output-template---",
        "---sdlc—review-output: fail---",
        "---",
        "",
    ] {
        assert_eq!(read(line), None, "{line}");
    }
    assert_eq!(read(&format!("---{}sdlc-review-output---", " ".repeat(400))), None);
}

#[test]
fn what_closes_an_open_block_only() {
    let closes = |line: &str| nearly_closes(line.as_bytes(), b"", NAME);
    for line in [
        "---end---",
        "---END---",
        "--- end review ---",
        "---end-sdlc-review---",
        "---end-review-output---",
        "---end-sdlc---",
        "---/review---",
        "---end-sdlc-reveiw-output---",
        "---ned-sdlc-review-output---",
        "---end-sdlc-revew-outpt---",
        "</review-output>",
        "=== END SDLC REVIEW ===",
    ] {
        assert!(closes(line), "{line}");
    }
    for line in [
        "---",
        "--- ",
        "  ---end---",
        "end",
        "=== END ===",
        "---end",
        "---end-other-output---",
        "---end-output-review---",
        "---sdlc-review---",
        "---the-end---",
        "# ---end---",
        "that is ---end---",
        "---end--- of it",
    ] {
        assert!(!closes(line), "{line}");
    }
    assert!(nearly_closes(b"> ---end---", b"> ", NAME));
    assert!(!nearly_closes(b">   ---end---", b"> ", NAME));
}

#[test]
fn slips_of_the_hand_are_counted() {
    for (one, other, count) in
        [("", "", 0), ("end", "end", 0), ("edn", "end", 1), ("en", "end", 1), ("ab", "cd", 2)]
    {
        assert_eq!(typos(one, other), count, "{one} {other}");
    }
    assert_eq!(typos("abcd", "wxyz"), 3);
    assert_eq!(typos("", "abcdef"), 3);
}
