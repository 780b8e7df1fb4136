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
        "a line `# aider chat started at` a date, near its start, from there on"
    }

    fn opens(&self, line: &[u8]) -> bool {
        let date = line.strip_prefix(b"# aider chat started at ").and_then(|time| time.get(..10));
        date.is_some_and(|date| {
            date.iter().zip(b"0000-00-00").all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                _ => byte == form,
            })
        })
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
