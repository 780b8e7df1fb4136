//! Aider's `.aider.chat.history.md`: plain text whose lines tell who speaks.
//!
//! What a person says stands behind `#### `, what Aider itself and its tools say behind `> `, and
//! all else is the agent's; a block belongs to whoever says its first line. One file holds many
//! runs, none of which has an id.

use super::Transcript;
use crate::record::Channel;

/// Aider's chat history.
pub struct Aider;

impl Transcript for Aider {
    fn id(&self) -> &'static str {
        "aider"
    }

    fn reads(&self) -> &'static str {
        "Aider's .aider.chat.history.md, with the roles that its lines tell"
    }

    fn recognised_by(&self) -> &'static str {
        "a first line `# aider chat started at …`"
    }

    fn opens(&self, line: &[u8]) -> bool {
        line.starts_with(b"# aider chat started at ")
    }

    fn speaker(&self, line: &[u8]) -> Channel {
        if line.starts_with(b"#### ") {
            Channel::User
        } else if matches!(line, [b'>'] | [b'>', b' ' | b'\r' | b'\n', ..]) {
            Channel::ToolResult
        } else {
            Channel::Assistant
        }
    }
}
