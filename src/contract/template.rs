//! Templates: forms of a contract that nobody filled in.
//!
//! A form stands in the contract's own document and in every reviewer's instructions, and comes
//! back as an answer at times. It is told by its placeholders: `<a text in angle brackets>`,
//! `{{name}}`, `[What Stands Here]`, alternatives with bars between them, `...`. One placeholder is
//! a mistake in a review; two are a form. Where the verdict is filled in, somebody made up their
//! mind: that is a review, whatever its findings say. What the agent tool itself recorded as a
//! review is one, however little it says.

use std::borrow::Cow;

use super::{Contract, Outline, Setting};
use crate::locate::Block;
use crate::parse::{Entry, Kind, Node, Reading, Scalar, Value};
use crate::record::{Place, Review};

/// How many placeholders make a form.
const ENOUGH: usize = 2;

/// Whether the block is a form. `review` is what the contract read in it.
pub fn is_template(
    contract: &dyn Contract,
    block: &Block<'_>,
    reading: &Reading<'_>,
    review: &Review,
    setting: &Setting<'_>,
) -> bool {
    if setting.recorded {
        return false;
    }
    if is_elided(&block.text) {
        return true;
    }
    let is_whole = reading.node.is_some() && reading.faults.is_empty();
    let of_tree = reading.node.as_ref().map_or(0, placeholders);
    if is_whole {
        return of_tree >= ENOUGH && !is_decided(review);
    }
    let is_form = of_tree >= ENOUGH
        || block.text.lines().flat_map(values).filter(|v| is_placeholder(v)).count() >= ENOUGH;
    is_form && !is_decided(review) && !is_decided(&of_lines(contract, &block.text))
}

/// Whether the verdict is one of the contract's words.
fn is_decided(review: &Review) -> bool {
    review.verdict.is_some() && !review.verdict_raw.as_deref().is_some_and(is_placeholder)
}

/// Whether a text is nothing but dots.
fn is_elided(text: &str) -> bool {
    let is_dot = |char| matches!(char, '.' | '…');
    text.contains(is_dot) && text.chars().all(|char| is_dot(char) || char.is_whitespace())
}

/// What the contract reads in the outermost keys of a broken block, line by line: the verdict may
/// stand behind the fault.
fn of_lines(contract: &dyn Contract, text: &str) -> Review {
    let scalar = |text: &'_ str| {
        let text = text.trim().trim_end_matches(',').trim_end();
        let bare = text.trim_matches(['"', '\'']);
        let kind = if bare.len() < text.len() { Kind::Text } else { Kind::of_plain(bare) };
        Value::Scalar(Scalar::of_plain(Cow::Owned(bare.to_owned()), kind))
    };
    let entries = Outline::of(text)
        .values()
        .map(|(key, value)| Entry {
            key: key.into(),
            place: Place::START,
            node: Node { place: Place::START, value: scalar(value) },
        })
        .collect();
    let mut review = Review::default();
    let node = Node { place: Place::START, value: Value::Map(entries) };
    contract.read(&node, &Setting::default(), &mut review);
    review
}

fn placeholders(node: &Node<'_>) -> usize {
    match &node.value {
        Value::Scalar(scalar) => usize::from(is_placeholder(&scalar.text)),
        Value::List(items) => items.iter().map(placeholders).sum(),
        Value::Map(entries) => entries
            .iter()
            .map(|entry| placeholders(&entry.node).max(usize::from(is_flow_of_words(entry))))
            .sum(),
    }
}

/// Whether a value is `[Words Like These]`, which YAML reads as a list.
fn is_flow_of_words(entry: &Entry<'_>) -> bool {
    let is_words = |item: &Node<'_>| {
        let Value::Scalar(Scalar { text, kind: Kind::Text, plain: true, .. }) = &item.value else {
            return false;
        };
        // A list in block style starts on a line of its own.
        item.place.line == entry.place.line && is_words(text)
    };
    let items = entry.node.items();
    !items.is_empty() && items.iter().all(is_words)
}

/// The values in a line of a broken block: what stands in double quotes behind a colon, a bracket
/// or a comma; without quotes, what stands behind a colon or the dash of a list.
fn values(line: &str) -> Vec<&str> {
    if line.contains('"') {
        let parts: Vec<_> = line.split('"').collect();
        let quoted = parts.windows(2).step_by(2);
        return quoted
            .filter(|pair| pair[0].trim_end().ends_with([':', '[', ',']))
            .map(|pair| pair[1])
            .collect();
    }
    let item = line.trim_start().strip_prefix("- ").unwrap_or(line);
    let value = item.split_once(':').map_or(item, |(_, value)| value);
    let is_value = item.len() < line.trim_start().len() || value.len() < item.len();
    let value = value.trim().trim_end_matches(',').trim_matches('\'');
    is_value.then_some(value).into_iter().collect()
}

/// Whether a text is one of the styles of a placeholder.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let within = |open: &str, close: &str| {
        text.strip_prefix(open).and_then(|text| text.strip_suffix(close)).filter(|t| !t.is_empty())
    };
    let is_angled =
        within("<", ">").is_some_and(|inner| !inner.contains(['<', '>', '\n', '=', '/']));
    let is_braced = within("{{", "}}").is_some_and(|inner| !inner.contains(['{', '}', '\n']));
    let is_bracketed = within("[", "]").is_some_and(is_words);
    let is_option = |word: &str| {
        let word = word.trim().trim_matches(['"', '\'', '`']);
        !word.is_empty()
            && word.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.'))
    };
    let mut options = text.split('|');
    let alternatives = text.len() < 200 && text.contains('|') && options.all(is_option);
    let is_dots = text == "…" || (text.len() >= 3 && text.bytes().all(|byte| byte == b'.'));
    is_angled || is_braced || is_bracketed || alternatives || is_dots
}

/// Whether what stands in brackets is words or alternatives, more than the mark of a checkbox.
fn is_words(inner: &str) -> bool {
    let is_letter = |char: char| {
        char.is_alphanumeric() || matches!(char, ' ' | '-' | '_' | '/' | '|' | ',' | '.' | '\'')
    };
    (2..200).contains(&inner.len())
        && inner.chars().all(is_letter)
        && inner.contains(|char: char| char.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::super::CONTRACTS;
    use super::super::fields::testing::{checked, quickly};
    use super::*;
    use crate::record::Status;

    #[test]
    fn placeholders_and_texts_that_look_like_some() {
        for text in [
            "<1-10>",
            "<finding description>",
            "PASS | FAIL | CRITICAL_FAIL",
            "pass|fail",
            "true | false",
            "{{score}}",
            "{{ reviewer name }}",
            "[Reviewer Name]",
            "[PASS/FAIL]",
            "[1-10]",
            "...",
            "…",
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
            "{a}",
            "{{}}",
            "[x]",
            "[ ]",
            "[]",
            "[a](b)",
            "[a] b",
            ".",
            "Wait...",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    /// The contract that has this key.
    fn with_key(key: &str) -> &'static dyn Contract {
        let mut contracts = CONTRACTS.iter().copied();
        contracts.find(|each| each.opening_keys().contains(&key)).expect("it is there")
    }

    fn status(contract: &dyn Contract, text: &str) -> Status {
        checked(contract, text).status
    }

    /// A review with this head and two findings.
    fn review(head: &str) -> String {
        let finding = "  - severity: low
    category: secrets|auth
    description: A text
    location: \"<multiple files>\"
    recommendation: A text
";
        format!("{head}\nfindings:\n{finding}{finding}reasoning: It is. It is bad.\n")
    }

    #[test]
    fn a_review_with_a_verdict_is_no_form() {
        let sdlc = with_key("reviewer");
        let filled = "reviewer: Security Reviewer\nphase: A\nscore: 9\nverdict: ";
        let of = |head: &str| status(sdlc, &review(head));
        assert_eq!(of(&format!("{filled}PASS")), Status::Valid);
        assert_eq!(of(&format!("{filled}FAIL")), Status::Inconsistent);
        assert_eq!(of(&format!("{filled}<PASS or FAIL>")), Status::Template);
        assert_eq!(of(&format!("{filled}PASS | FAIL")), Status::Template);
        assert_eq!(of(&format!("{filled}[PASS/FAIL]")), Status::Template);
        assert_eq!(of(&format!("{filled}{{{{verdict}}}}")), Status::Template);
        // Broken, with the verdict before or behind the fault.
        let broken = "note: a: b";
        assert_eq!(of(&format!("{filled}FAIL\n{broken}")), Status::Malformed);
        assert_eq!(of(&format!("{broken}\n{filled}FAIL")), Status::Malformed);
        assert_eq!(of(&format!("{broken}\n{filled}PASS | FAIL")), Status::Template);
        assert_eq!(of(&format!("{broken}\n{filled}")), Status::Template);
        let agentmux = with_key("commit_message");
        let json = r#"{"verdict": "fail", "summary": "<a>", "findings": [{"issue": "a|b"}] x}"#;
        assert_eq!(status(agentmux, json), Status::Malformed);
        assert_eq!(status(agentmux, &json.replace("fail", "pass|fail")), Status::Template);
        let critic = with_key("gates");
        let json = r#"{"findings": [{"issue": "<a>", "fix": "<b>"}], "gates": {}, "pass": true"#;
        assert_eq!(status(critic, &format!("{json}}}")), Status::Invalid);
        assert_eq!(status(critic, &format!("{json}, x}}")), Status::Malformed);
        assert_eq!(status(critic, &json.replace("true", "<true>")), Status::Template);
    }

    #[test]
    fn alternatives_in_quotes_are_no_verdict() {
        let agentmux = with_key("commit_message");
        for (json, wanted) in [
            (r#"{"verdict": "pass" | "fail", "summary": "<a>", "b": "<c>"}"#, Status::Template),
            (
                r#"{"b": <c>, "summary": "<a>", "d": "<e>", "verdict": "fail" |"pass"}"#,
                Status::Template,
            ),
            (r#"{"verdict": "fail", "summary": "<a>", "b": "<c>" | "<d>"}"#, Status::Malformed),
            (r#"{"verdict": "fail" | "pass", "summary": "It is read twice"}"#, Status::Malformed),
        ] {
            let checked = checked(agentmux, json);
            assert_eq!(checked.status, wanted, "{json}");
            assert_eq!(
                checked.review.verdict.is_some(),
                json.contains("{\"verdict\": \"fail\","),
                "{json}"
            );
        }
    }

    #[test]
    fn what_the_tool_recorded_is_no_form() {
        let agentmux = with_key("commit_message");
        let text = r#"{"verdict": "<pass or fail>", "summary": "[Two Sentences]"}"#;
        let block = Block::cut(text.as_bytes(), Place::START, b"");
        let reading = crate::parse::parse(&block.text, crate::parse::Caps { nesting: 9, nodes: 9 });
        for (recorded, wanted) in [(false, Status::Template), (true, Status::Invalid)] {
            let setting = Setting { recorded, ..Setting::default() };
            let checked = super::super::check(agentmux, &block, &reading, true, &setting);
            assert_eq!(checked.status, wanted);
        }
    }

    #[test]
    fn forms_in_other_styles() {
        let sdlc = with_key("reviewer");
        for text in [
            "reviewer: [Reviewer Name]\nscore: [1-10]\nverdict: [PASS/FAIL]\nfindings: []\n",
            "reviewer: \"[Reviewer Name]\"\nscore: {{score}}\nverdict: \"{{verdict}}\"\n",
            "reviewer: ...\nscore: …\nverdict: ...\n",
            "reviewer: [Your Name, Role]\nverdict: [PASS, FAIL]\n",
            "findings:\n  - <finding>\n  - <finding>\nverdict: A: B\n",
            "...",
            "\n…\n",
            "  ...\n\n  ...\n",
        ] {
            assert_eq!(status(sdlc, text), Status::Template, "{text}");
        }
        for text in [
            "",
            "\n \n",
            "findings:\n  - One text\n  - Another\nphase:\n  - A\n",
            "phase: [\"A b\"]\nreviewer: [\"C d\"]\n",
            "reviewer: [Reviewer Name]\n",
        ] {
            assert_ne!(status(sdlc, text), Status::Template, "{text}");
        }
    }

    #[test]
    fn time_is_linear() {
        let sdlc = with_key("reviewer");
        for part in [
            "<", "<a", "|", "a|", "\"", "\",\"", ":", ": ", "- ", "\n", "a:\n", "{{", ".", "… ",
            ", ", "[",
        ] {
            for start in ["", "<", "a: <", "{\"a\": \"", "[", "a: b: c\n"] {
                let text = format!("{start}{}", part.repeat((1 << 20) / part.len()));
                let block = Block::cut(text.as_bytes(), Place::START, b"");
                let reading = Reading { node: None, faults: Vec::new(), repairs: Vec::new() };
                quickly(part, || {
                    is_template(sdlc, &block, &reading, &Review::default(), &Setting::default());
                    is_placeholder(&text)
                });
            }
        }
    }
}
