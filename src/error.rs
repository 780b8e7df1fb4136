//! Errors: what the program cannot go on with. A broken review is no error but a record.

use std::borrow::Cow;
use std::fmt;
use std::io;

/// Why something could not be read or written.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of error.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input could not be opened or read to its end.
    Input {
        /// Its name.
        input: String,
        /// The byte up to which it was read.
        offset: u64,
        /// Why.
        error: io::Error,
    },
    /// The output could not be written.
    Output(io::Error),
}

impl Error {
    /// An input that could not be read beyond `offset`.
    pub fn input(input: &str, offset: u64, error: io::Error) -> Self {
        Self(Box::new(ErrorKind::Input { input: input.to_owned(), offset, error }))
    }

    /// What kind it is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether other inputs can still be read.
    pub fn can_continue(&self) -> bool {
        matches!(*self.0, ErrorKind::Input { .. })
    }

    /// Whether whoever reads the output has gone: no fault of ours.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(&*self.0, ErrorKind::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self(Box::new(ErrorKind::Output(error)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Input { input, offset: 0, error } => write!(out, "{input}: {error}"),
            ErrorKind::Input { input, offset, error } => {
                write!(out, "{input}: {error} (read up to byte {offset})")
            }
            ErrorKind::Output(error) => write!(out, "cannot write: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            ErrorKind::Input { error, .. } | ErrorKind::Output(error) => Some(error),
        }
    }
}

/// A text of one line without characters that do something to a terminal: names come from outside.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_harmful = |char: char| {
        char.is_control()
            || matches!(char, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut printable = String::with_capacity(text.len());
    for char in text.chars() {
        if is_harmful(char) {
            printable.extend(char.escape_unicode());
        } else {
            printable.push(char);
        }
    }
    Cow::Owned(printable)
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn names_do_nothing_to_a_terminal() {
        assert_eq!(printable("größe ✓"), "größe ✓");
        assert_eq!(printable("a\u{1b}[2J\n\u{202e}b"), "a\\u{1b}[2J\\u{a}\\u{202e}b");
    }
}
