//! Plain text and Markdown: a log without roles.
//!
//! Has no records, so there is nothing to read here: its blocks are located in the log itself, on
//! the channel `text`, and JSON records that stand on lines of it are read in their own format.

use super::Transcript;

/// Plain text and Markdown.
pub struct Text;

impl Transcript for Text {
    fn id(&self) -> &'static str {
        "text"
    }

    fn reads(&self) -> &'static str {
        "plain text and Markdown logs, and lines between JSON records"
    }

    fn recognised_by(&self) -> &'static str {
        "whatever is no JSON"
    }
}
