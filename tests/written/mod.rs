//! Reviews as models write them: any review of any contract, in any style of YAML and JSON, and with
//! faults of every kind put in.

pub mod faults;
pub mod json;
pub mod reviews;
pub mod yaml;

/// A review that is to be written.
#[derive(Clone, Debug)]
pub enum Tree {
    Map(Vec<(String, Tree)>),
    List(Vec<Tree>),
    /// A text: quoted, or not, as its characters allow.
    Text(String),
    /// A word of the contract, with quotes or without.
    Word(String),
    /// A number or a boolean, never in quotes.
    Plain(String),
}

impl Tree {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// The value of a key of the outermost mapping.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Tree> {
        let Tree::Map(entries) = self else { return None };
        entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}
