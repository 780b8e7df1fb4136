//! Suspicion: what a text may hold that YAML reads without an error and wrongly.
//!
//! Takes a text and its strict reading, tells whether a second look is worth its time. One pass
//! over the bytes and one over the tree.

use super::flow;
use super::tree::known;
use crate::contract::{MapShape, Shape};
use crate::parse::{Entry, Node, Value};
use crate::repair::characters::{
    is_curly_double, is_curly_single, is_invisible, is_unusual_blank, narrow,
};
use crate::repair::descent::{self, Within};

/// Whether a text that reads as `node` may say something else.
pub fn is_suspect(text: &str, shape: &Shape, node: Option<&Node<'_>>) -> bool {
    let bytes = text.as_bytes();
    let has_comment = memchr::memchr_iter(b'#', bytes).any(|at| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let is_glued = || bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        before.is_some_and(|byte| is_blank(byte) || (byte == b'\n' && is_glued()))
    });
    let is_odd = |char: char| {
        is_invisible(char)
            || is_unusual_blank(char)
            || is_curly_double(char)
            || is_curly_single(char)
            || narrow(char).is_some()
    };
    has_comment
        || (!text.is_ascii() && text.chars().any(|char| !char.is_ascii() && is_odd(char)))
        || node.is_none_or(|node| is_misread(node, shape, true))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether the tree has a key that tells of a misreading, or one text where more is asked for.
/// `is_review` where this may be what stands around the whole review. Depth is capped where the
/// tree is built.
fn is_misread(node: &Node<'_>, shape: &Shape, is_review: bool) -> bool {
    match (&node.value, shape) {
        (Value::Map(_), Shape::Text | Shape::Word(_) | Shape::Integer(_)) => true,
        (Value::Map(entries), _) => {
            let is_known = |entry: &Entry<'_>| {
                let map = descent::mapping(shape, false).map;
                map.is_some_and(|map| map.field(&entry.key).is_some())
            };
            let has_known = entries.iter().any(is_known);
            let wraps = is_review && entries.len() == 1 && !has_known;
            let Within { map, others } = descent::mapping(shape, wraps);
            // The names of a list's items may be texts.
            let own = map.filter(|_| has_known || shape.map().is_some());
            let is_split =
                |pair: &[Entry<'_>]| own.is_some_and(|map| flow::is_rest(&pair[0], &pair[1], map));
            let is_odd = |entry: &Entry<'_>| match map.and_then(|map| map.field(&entry.key)) {
                Some(field) => is_misread(&entry.node, field, false),
                None => {
                    own.is_some_and(|map| is_odd_key(&entry.key, map))
                        || others.is_some_and(|shape| is_misread(&entry.node, shape, wraps))
                }
            };
            entries.iter().any(is_odd) || entries.windows(2).any(is_split)
        }
        (Value::List(items), _) => descent::item(shape)
            .is_some_and(|item| items.iter().any(|node| is_misread(node, item, is_review))),
        // A text in place of a mapping may be one whose colons were not seen.
        (Value::Scalar(scalar), Shape::Map(_)) => scalar.plain && scalar.text.contains(':'),
        _ => false,
    }
}

/// Whether a key that the mapping does not know is a text, or a key of a mapping within it.
fn is_odd_key(key: &str, map: &MapShape) -> bool {
    let is_text = key.contains(char::is_whitespace) || key.contains(['*', '`', '"']);
    is_text || map.fields.iter().any(|(_, field)| has_key(field, key))
}

/// Whether a list's items or a mapping have this key.
fn has_key(shape: &Shape, key: &str) -> bool {
    match shape {
        Shape::List(item) => has_key(item, key),
        Shape::Map(map) => {
            known(map, key, true).is_some() || map.fields.iter().any(|(_, f)| has_key(f, key))
        }
        _ => false,
    }
}
