//! Hashes that tell records, reviews and findings apart; the module above specifies them.

use sha2::{Digest, Sha256};

use super::SCHEMA;

/// The id of a record: its place in its input, under its contract.
pub fn record_id(input: &str, offset: u64, contract: &str) -> String {
    hash(&[SCHEMA, input, &offset.to_string(), contract])
}

/// The first 128 bits of the SHA-256 over the parts, a NUL between two, as hexadecimal digits.
pub(super) fn hash(parts: &[&str]) -> String {
    use std::fmt::Write as _;
    let mut hasher = Sha256::new();
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            hasher.update([0]);
        }
        hasher.update(part);
    }
    let mut text = String::with_capacity(32);
    for byte in &hasher.finalize()[..16] {
        write!(text, "{byte:02x}").expect("invariant: writing to a text cannot fail");
    }
    text
}
