//! Contracts: what a review format looks like, how it is found, and what its rules are.
//!
//! A contract is one file that implements [`Contract`] and one line in [`CONTRACTS`]. It takes a
//! parsed block and gives a [`Review`]: the fields in the normalised form, and every violation. It
//! never changes a declared verdict, and never reads anything but the block and its [`Setting`].

use std::sync::OnceLock;

use crate::parse::{Node, Value};
use crate::record::{Basis, Level, Review, Violation};
use crate::transcript::Stop;

mod agentmux_review;
mod check;
mod codex_review;
mod cut;
mod dev_critic;
mod fields;
pub mod location;
mod outline;
pub mod schema;
mod sdlc_review;
mod shape;
mod template;
mod workflow_reviewer;

pub use check::{Checked, check};
#[cfg(test)]
pub(crate) use fields::testing::quickly;
pub use outline::{Outline, announced, behind_comments, yaml_key};
pub use shape::{MapShape, Shape};
pub(crate) use template::is_placeholder;

/// The contracts, in the order in which a block is offered to them.
pub static CONTRACTS: &[&dyn Contract] = &[
    &sdlc_review::SdlcReview,
    &dev_critic::DevCritic,
    &workflow_reviewer::WorkflowReviewer,
    &agentmux_review::AgentmuxReview,
    &codex_review::CodexReview,
];

/// A review format.
pub trait Contract: Sync {
    /// Its name, as in a record's `contract`.
    fn id(&self) -> &'static str;

    /// One line for lists: whose reviews these are.
    fn about(&self) -> &'static str;

    /// One line for lists: where they stand.
    fn carriers(&self) -> &'static str;

    /// Texts of which at least one stands in every block that is surely of this contract, and in
    /// little else. ASCII without `"`, `\` and control characters, so that no JSON writer escapes
    /// them.
    fn needles(&self) -> &'static [&'static str];

    /// Texts that stand in every block, but in much else too: they make a frame worth reading.
    fn weak_needles(&self) -> &'static [&'static str] {
        &[]
    }

    /// The name between the dashes of the delimiter lines, `---NAME---` and `---end-NAME---`.
    fn delimiter(&self) -> Option<&'static str> {
        None
    }

    /// The keys that may open a review which stands as a bare mapping.
    fn opening_keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// How surely a mapping with this outline is a review of this contract.
    fn identify(&self, outline: &Outline<'_>) -> Claim;

    /// Whether the input of a call of this tool is such a review. `name` is the tool's own name,
    /// without a server's prefix.
    fn submitted_by(&self, _name: &str) -> bool {
        false
    }

    /// Whether a file with this name holds such a review. `name` is the last part of the path.
    fn kept_in(&self, _name: &str) -> bool {
        false
    }

    /// What the description of an agent's call starts with, if the agent answers with such a
    /// review.
    fn called_as(&self) -> Option<&'static str> {
        None
    }

    /// For a message without a block: the review that its prose tells of, if this contract asks
    /// for a block and a reviewer's report stands there without one.
    fn missing(&self, _message: &str, _agent: Option<&str>) -> Option<Review> {
        None
    }

    /// Whether an object in braces is JSON, and never YAML in flow style.
    fn is_json(&self) -> bool {
        false
    }

    /// Its JSON Schema, in the project's own wording.
    fn schema(&self) -> &'static schema::Schema;

    /// Its rules over fields, each of which [`read`](Self::read) may report.
    fn rules(&self) -> &'static [&'static Rule];

    /// Reads the fields into the normalised form and checks the rules over fields. The shape is
    /// checked before this, by [`schema`](Self::schema); a node of a wrong shape is passed over
    /// here.
    fn read(&self, node: &Node<'_>, setting: &Setting<'_>, review: &mut Review);
}

/// How many violations of its shape, and how many of the rules over fields, are noted of a block. A
/// person reads the first few; the rest would only cost time and room.
pub const VIOLATIONS: usize = 1_000;

/// How surely a mapping is a review of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// It is none.
    None,
    /// Its keys fit, but common ones: only from an agent's own message, or where asked for.
    Weak,
    /// Its keys are the contract's own.
    Sure,
}

/// What stands around a block in its message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setting<'a> {
    /// The text before the block, from the end of the block before it.
    pub before: &'a str,
    /// The text after the last block of a message, without fences and blanks; `None` where the
    /// message has no known end.
    pub after: Option<&'a str>,
    /// The folder that the one who speaks works in, if the transcript says so.
    pub cwd: Option<&'a str>,
    /// Why the model stopped at the end of the message, if the transcript says so.
    pub stop: Option<Stop>,
    /// The agent tool itself recorded the block as a review.
    pub recorded: bool,
}

/// A rule that a review may break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its stable code.
    pub code: &'static str,
    /// How much a breach weighs.
    pub level: Level,
    /// Where it comes from.
    pub basis: Basis,
    /// What it asks for and why.
    pub meaning: &'static str,
    /// How a review that breaks it is mended.
    pub mend: &'static str,
}

/// A rule over fields that the contract's document states in words only.
pub(crate) const fn prose(
    code: &'static str,
    level: Level,
    meaning: &'static str,
    mend: &'static str,
) -> Rule {
    Rule { code, level, basis: Basis::Prose, meaning, mend }
}

impl Review {
    /// Notes that the node at `pointer` breaks `rule`. Its place is that of the nearest node.
    /// Beyond [`VIOLATIONS`] it notes no more than the first breach of each rule, so that the
    /// review's status does not hang on how many there are.
    pub fn breaks(&mut self, rule: &Rule, root: &Node<'_>, pointer: &str, message: String) {
        // The rules over fields come last: if one stands that far from the end, all behind it are.
        let before = self.violations.len().checked_sub(VIOLATIONS);
        let is_full = before.is_some_and(|at| self.violations[at].basis == Basis::Prose);
        if is_full {
            let stands = |rule: &Rule| self.violations.iter().any(|each| each.code == rule.code);
            let is_known = stands(rule);
            if !stands(&schema::TOO_MANY) {
                self.violations.push(schema::too_many(root));
            }
            if is_known {
                return;
            }
        }
        let node = root.nearest(pointer);
        self.violations.push(Violation {
            code: rule.code,
            level: rule.level,
            basis: rule.basis,
            pointer: pointer.to_owned(),
            line: Some(node.place.line),
            column: Some(node.place.column),
            message,
            found: found(node).filter(|_| !std::ptr::eq(node, root)),
        });
    }
}

/// What stands at a node; `None` where nothing does, as behind the colon of `phase:`.
fn found(node: &Node<'_>) -> Option<String> {
    let is_nothing = node.is_null() && matches!(&node.value, Value::Scalar(s) if s.text.is_empty());
    (!is_nothing).then(|| node.excerpt())
}

/// The contract with this name.
pub fn by_id(id: &str) -> Option<&'static dyn Contract> {
    CONTRACTS.iter().copied().find(|contract| contract.id() == id)
}

/// Every rule that there is, once: syntax, shape, then each contract's own.
pub fn all_rules() -> &'static [&'static Rule] {
    static ALL: OnceLock<Vec<&'static Rule>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<&'static Rule> = Vec::new();
        let shared = [crate::parse::RULES, crate::locate::RULES, schema::RULES];
        let own = CONTRACTS.iter().map(|contract| contract.rules());
        for rule in shared.into_iter().chain(own).flatten() {
            if !all.iter().any(|known| known.code == rule.code) {
                all.push(rule);
            }
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::fields::testing::{checked, faults, quickly};
    use super::*;
    use crate::parse::{Kind, Scalar};
    use crate::record::{Place, Status};

    /// An sdlc-review with these findings.
    fn with_findings(findings: &str) -> String {
        format!(
        "{{\"reviewer\": \"Security Reviewer\", \"phase\": \"1\", \"score\": 9, \"verdict\": \"FAIL\",
         \"reasoning\": \"It is bad. It is.\", \"findings\": [{findings}]}}"
    )
    }

    #[test]
    fn violations_are_capped() {
        let sdlc = &sdlc_review::SdlcReview;
        let empty = with_findings(&vec!["{}"; 20_000].join(","));
        quickly("empty findings", || {
            let checked = checked(sdlc, &empty);
            let count = |code: &str| {
                checked.review.violations.iter().filter(|each| each.code == code).count()
            };
            assert_eq!(checked.status, Status::Invalid);
            assert_eq!((count("too-many-violations"), count("schema-required")), (1, VIOLATIONS));
            assert_eq!(count("scope-absent"), VIOLATIONS);
        });
        // The conflict comes behind the notes, and counts all the same.
        let finding = r#"{"severity": "low", "category": "x", "description": "a", "location": "b",
        "recommendation": "c"}"#;
        let noted = with_findings(&vec![finding; 2_000].join(","));
        let checked = checked(sdlc, &noted);
        assert_eq!(checked.status, Status::Inconsistent);
        let all = faults(&checked.review);
        assert!((VIOLATIONS..VIOLATIONS + 5).contains(&all.len()), "{}", all.len());
        assert!(all.contains(&"verdict-mismatch /verdict".to_owned()));
        assert!(all.iter().any(|each| each.starts_with("too-many-violations")));
    }

    #[test]
    fn unknown_keys_are_capped() {
        let keys: Vec<_> = (0..90_000).map(|key| format!("\"k{key}\": 1")).collect();
        let text = format!("{{\"pass\": true, {}}}", keys.join(","));
        quickly("unknown keys", || {
            let checked = checked(&dev_critic::DevCritic, &text);
            let count = checked.review.violations.len();
            assert!((VIOLATIONS..VIOLATIONS + 5).contains(&count), "{count}");
        });
    }

    #[test]
    fn what_is_found_where_nothing_stands() {
        let scalar = |text: &'static str, kind| Node {
            place: Place::START,
            value: Value::Scalar(Scalar::of_plain(text.into(), kind)),
        };
        assert_eq!(found(&scalar("", Kind::Null)), None);
        assert_eq!(found(&scalar("~", Kind::Null)).as_deref(), Some("~"));
        assert_eq!(found(&scalar("null", Kind::Null)).as_deref(), Some("null"));
        assert_eq!(found(&scalar("", Kind::Text)).as_deref(), Some(""));
        assert_eq!(found(&scalar("a", Kind::Text)).as_deref(), Some("a"));
    }
}
