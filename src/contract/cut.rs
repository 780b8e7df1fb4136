//! What is left of a review whose block has no end.
//!
//! Takes the tree of such a block, gives it without the entry of a list that broke off, and says
//! what is known of the end. Whole entries are kept: one is whole that has all keys its contract
//! asks for. Never guesses how much was lost.

use super::{Setting, Shape};
use crate::locate::{Block, CLOSE_MISSING};
use crate::parse::{Node, Value};
use crate::record::Violation;
use crate::transcript::Stop;

/// Takes the last entry of the list that a block without an end ends in, if it is not whole; gives
/// the list's key.
pub(super) fn drop_broken(node: &mut Node<'_>, shape: &Shape) -> Option<String> {
    let Value::Map(entries) = &mut node.value else { return None };
    let entry = entries.last_mut()?;
    let field = shape.map()?.field(&entry.key)?;
    match (&mut entry.node.value, field) {
        (Value::List(items), Shape::List(item)) => {
            let last = items.last_mut()?;
            if is_whole(last, item) {
                return drop_broken(last, item);
            }
            items.pop();
            Some(entry.key.to_string())
        }
        (Value::Map(_), Shape::Map(_)) => drop_broken(&mut entry.node, field),
        _ => None,
    }
}

/// Whether an entry has all that the contract asks for.
fn is_whole(node: &Node<'_>, shape: &Shape) -> bool {
    let Some(map) = shape.map() else { return true };
    matches!(node.value, Value::Map(_))
        && map.required.iter().all(|key| node.get(key).is_some_and(|value| !value.is_null()))
}

/// The violation of a block without an end, at its last line; `broken` is the key of the list whose
/// last entry was taken out.
pub(super) fn violation(
    block: &Block<'_>,
    setting: &Setting<'_>,
    broken: Option<&str>,
) -> Violation {
    let lines = block.text.lines().count().max(1) as u64;
    let mut message = "the block ends here without its closing line".to_owned();
    message.push_str(match setting.stop {
        Some(Stop::Limit) => ": the answer was cut by the limit of tokens",
        Some(Stop::Ended) => ", and the answer with it: the line was forgotten",
        None => "",
    });
    if let Some(key) = broken {
        message.push_str("; the last of its ");
        message.push_str(key);
        message.push_str(" broke off and is left out");
    }
    Violation {
        code: CLOSE_MISSING.code,
        level: CLOSE_MISSING.level,
        basis: CLOSE_MISSING.basis,
        pointer: String::new(),
        line: Some(lines),
        column: Some(1),
        message,
        found: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::CONTRACTS;
    use super::*;
    use crate::parse::{Caps, parse};

    fn left(id: &str, text: &str) -> (usize, Option<String>) {
        let contract = CONTRACTS.iter().find(|contract| contract.id() == id).unwrap();
        let mut node = parse(text, Caps { nesting: 64, nodes: 1000 }).node.unwrap();
        let broken = drop_broken(&mut node, contract.schema().shape());
        (node.get("findings").map_or(0, |findings| findings.items().len()), broken)
    }

    #[test]
    fn whole_entries_are_kept() {
        let broken = Some("findings".to_owned());
        let by = |start: &str| {
            let mut ids = CONTRACTS.iter().map(|contract| contract.id());
            ids.find(|id| id.starts_with(start)).expect("a contract")
        };
        let whole = "verdict: FAIL\nfindings:\n  - severity: high\n    category: a\n    \
                     description: b\n    location: c\n    recommendation: d\n";
        let (sdlc, agentmux) = (by("sdlc"), by("agentmux"));
        assert_eq!(left(sdlc, whole), (1, None));
        for half in ["  - severity: low\n    category: a\n", "  -\n", "  - sever\n"] {
            assert_eq!(left(sdlc, &format!("{whole}{half}")), (1, broken.clone()), "{half}");
        }
        assert_eq!(left(sdlc, &format!("{whole}  - severity: low\nreasoning: d\n")), (2, None));
        // It asks for no key of a finding.
        assert_eq!(left(agentmux, "findings:\n  - issue: a\n  - issue: b\n"), (2, None));
        assert_eq!(left(agentmux, "findings:\n  - issue: a\n  -\n"), (1, broken));
    }
}
