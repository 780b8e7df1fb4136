//! Templates: forms of a contract that nobody filled in.
//!
//! A form stands in the contract's own document and in every reviewer's instructions, and comes
//! back as an answer at times. It is told by its placeholders: `<a text in angle brackets>`, or
//! alternatives with bars between them. One placeholder is a mistake in a review; two are a form.

use crate::locate::Block;
use crate::parse::{Node, Reading, Value};

/// How many placeholders make a form.
const ENOUGH: usize = 2;

/// Whether the block is a form.
pub fn is_template(block: &Block<'_>, reading: &Reading<'_>) -> bool {
    match &reading.node {
        Some(node) if reading.faults.is_empty() => placeholders(node) >= ENOUGH,
        // No whole tree: the values are what stands behind a colon.
        _ => block
            .text
            .lines()
            .filter_map(value)
            .filter(|text| is_placeholder(text))
            .nth(ENOUGH - 1)
            .is_some(),
    }
}

fn placeholders(node: &Node<'_>) -> usize {
    match &node.value {
        Value::Scalar(scalar) => usize::from(is_placeholder(&scalar.text)),
        Value::List(items) => items.iter().map(placeholders).sum(),
        Value::Map(entries) => entries.iter().map(|entry| placeholders(&entry.node)).sum(),
    }
}

fn value(line: &str) -> Option<&str> {
    let (_, value) = line.split_once(':')?;
    Some(value.trim().trim_end_matches(',').trim_matches(['"', '\'']))
}

/// Whether a text is `<…>` or alternatives.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let bracketed = text
        .strip_prefix('<')
        .and_then(|text| text.strip_suffix('>'))
        .is_some_and(|inner| !inner.is_empty() && !inner.contains(['<', '>', '\n', '=', '/']));
    let is_word = |word: &str| {
        let word = word.trim().trim_matches(['"', '\'', '`']);
        !word.is_empty()
            && word.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.'))
    };
    let mut options = text.split('|');
    let alternatives = text.len() < 200 && text.contains('|') && options.all(is_word);
    bracketed || alternatives
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_texts_that_look_like_some() {
        for text in [
            "<1-10>",
            "<finding description>",
            "PASS | FAIL | CRITICAL_FAIL",
            "pass|fail",
            "true | false",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in [
            "",
            "PASS",
            "<b>bold</b>",
            "a < b > c",
            "cat x | head -1",
            "|",
            "<img src=x>",
            "</script>",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
