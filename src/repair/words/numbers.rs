//! Numbers: what number a text stands for.
//!
//! Takes a text and the greatest number that the contract allows, gives the digits of one number.
//! Never computes: a share is read only where its whole is the contract's own scale, a percentage,
//! a range, an estimate or a number in words is none.

use super::decoration::Symbol;
use super::strip;
use crate::parse::Kind;

/// The number that `text` stands for, as JSON writes it. `whole` asks for an integer.
pub fn number(text: &str, max: Option<i64>, whole: bool) -> Option<&str> {
    if text.len() > 80 {
        return None;
    }
    let core = strip(text, &|symbol| symbol == Symbol::Plain);
    let part = max.and_then(|max| {
        let (part, scale) = core.split_once('/').or_else(|| core.split_once(" out of "))?;
        let (part, scale) = (mended(part), mended(scale));
        let is_scale = scale.trim() == max.to_string();
        (is_scale && is_within(part.trim(), max)).then(|| part.trim())
    });
    let digits = part.unwrap_or(core);
    if digits.contains(['e', 'E']) {
        return None;
    }
    match Kind::number(digits)? {
        Kind::Number(number) if !whole || number.fract() == 0.0 => Some(digits),
        _ => None,
    }
}

/// One side of a share without marks of its own: `**8**/10`.
fn mended(side: &str) -> &str {
    strip(side, &|_| false)
}

fn is_within(digits: &str, max: i64) -> bool {
    digits.parse::<i64>().is_ok_and(|number| (0..=max).contains(&number))
}
