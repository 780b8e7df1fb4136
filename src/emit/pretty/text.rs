//! Texts out of inputs, made fit for a page: harmless to a terminal, on one line, of a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::error::printable;
use crate::repair::characters::is_invisible;

/// A text on one line: each run of white space a blank, what could move the cursor or the reading
/// direction shown as an escape.
pub(super) fn fold(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// The text, cut to `width` columns.
pub(super) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut columns = 0;
    let is_within = |char: &char| {
        columns += char.width().unwrap_or_default();
        columns < width
    };
    text.chars().take_while(is_within).chain(['…']).collect()
}

/// A line of a block, character by character: what cannot be seen, or would do something to a
/// terminal, is U+FFFD. Tabs stay.
pub(super) fn visible(line: &str) -> String {
    let seen = |char: char| {
        let harms = (char.is_control() && char != '\t')
            || is_invisible(char)
            || matches!(char, '\u{61c}' | '\u{2028}' | '\u{2029}');
        if harms { char::REPLACEMENT_CHARACTER } else { char }
    };
    line.chars().map(seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(fold("a\u{1b}[2J\r\n  b\u{202e}c\u{9b}1m"), "a\\u{1b}[2J b\\u{202e}c\\u{9b}1m");
        assert_eq!(visible("a\u{1b}\t\u{200b}\u{9b}é"), "a\u{fffd}\t\u{fffd}\u{fffd}é");
    }

    #[test]
    fn texts_are_cut_by_what_they_take_on_a_screen() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("漢字漢字", 6), "漢字…");
        assert_eq!(fit("漢字漢字", 0), "…");
    }
}
