//! Contracts: what a review format looks like, how it is found, and what its rules are.
//!
//! A contract is one file that implements [`Contract`] and one line in [`CONTRACTS`]. It takes a
//! parsed block and gives a [`Review`]: the fields in the normalised form, and every violation. It
//! never changes a declared verdict, and never reads anything but the block and its [`Setting`].

use std::sync::OnceLock;

use crate::parse::Node;
use crate::record::{Basis, Level, Review, Violation};

mod agentmux_review;
mod check;
mod dev_critic;
mod fields;
pub mod location;
mod outline;
pub mod schema;
mod sdlc_review;
mod template;
mod workflow_reviewer;

pub use check::{Checked, check};
pub use outline::{Outline, yaml_key};

/// The contracts, in the order in which a block is offered to them.
pub static CONTRACTS: &[&dyn Contract] = &[
    &sdlc_review::SdlcReview,
    &dev_critic::DevCritic,
    &workflow_reviewer::WorkflowReviewer,
    &agentmux_review::AgentmuxReview,
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

    /// Its JSON Schema, in the project's own wording.
    fn schema(&self) -> &'static schema::Schema;

    /// Its rules over fields, each of which [`read`](Self::read) may report.
    fn rules(&self) -> &'static [&'static Rule];

    /// Reads the fields into the normalised form and checks the rules over fields. The shape is
    /// checked before this, by [`schema`](Self::schema); a node of a wrong shape is passed over
    /// here.
    fn read(&self, node: &Node<'_>, setting: &Setting<'_>, review: &mut Review);
}

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
    pub fn breaks(&mut self, rule: &Rule, root: &Node<'_>, pointer: &str, message: String) {
        let node = root.nearest(pointer);
        self.violations.push(Violation {
            code: rule.code,
            level: rule.level,
            basis: rule.basis,
            pointer: pointer.to_owned(),
            line: Some(node.place.line),
            column: Some(node.place.column),
            message,
            found: (!std::ptr::eq(node, root)).then(|| node.excerpt()),
        });
    }
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
