//! Descent: what the contract asks for within a value that does not stand in its shape.
//!
//! Takes a shape and how something is written in its place, gives the shapes of what is within. The
//! wrong shapes are those that [`values`](super::values) bring into the right one: what
//! is read by the syntax must be read alike in both. Says what may be meant, and never what is.

use crate::contract::{MapShape, Shape};

/// What the items are of a list that stands where `shape` is asked for. A list may hold a list, a
/// mapping may stand as a list of one or of its pairs, and a text as a list of its lines.
pub fn item(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::List(item) => Some(item),
        Shape::Map(_) | Shape::Text => Some(shape),
        _ => None,
    }
}

/// What stands in a mapping.
#[derive(Debug, Clone, Copy, Default)]
pub struct Within<'s> {
    /// Its keys, as far as the contract knows them.
    pub map: Option<&'s MapShape>,
    /// What stands under any other key, if it is known.
    pub others: Option<&'s Shape>,
}

/// What stands in a mapping where `shape` is asked for; `wraps` where it is one around the whole
/// review. In place of a list it is an item, or has the items under their names or in groups.
pub fn mapping(shape: &Shape, wraps: bool) -> Within<'_> {
    match shape {
        Shape::Map(map) => Within { map: Some(map), others: wraps.then_some(shape) },
        Shape::List(item) => Within { map: item.map(), others: item.map().map(|_| &**item) },
        _ => Within::default(),
    }
}

/// Whether an entry of a list may stand where `shape` is asked for, as a text instead of a mapping.
/// The whole review stands in no list.
pub fn is_entry(shape: &Shape, review: &Shape) -> bool {
    shape.map().is_some() && !std::ptr::eq(shape, review)
}
