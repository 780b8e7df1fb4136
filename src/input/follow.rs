//! A file that grows.
//!
//! Takes a regular file, gives its bytes and then waits for more. Never ends; a file that becomes
//! shorter is a fault, since what was read of it is no longer there.

use std::fs::File;
use std::io::{self, Read};
use std::thread::sleep;
use std::time::Duration;

/// How long it waits before it looks again.
const PAUSE: Duration = Duration::from_millis(100);

/// A reader of a file that grows.
pub struct Follow {
    file: File,
    offset: u64,
}

impl Follow {
    /// Nothing read yet.
    pub fn new(file: File) -> Self {
        Self { file, offset: 0 }
    }
}

impl Read for Follow {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.file.read(bytes)?;
            if length > 0 || bytes.is_empty() {
                self.offset += length as u64;
                return Ok(length);
            }
            if self.file.metadata()?.len() < self.offset {
                return Err(io::Error::other("the file has become shorter"));
            }
            sleep(PAUSE);
        }
    }
}
