//! Values in braces: texts without quotes that a comma has split.
//!
//! Takes what the strict parser read and the contract's shape. Knows nothing of lines.

use crate::contract::{MapShape, Shape};
use crate::parse::{Entry, Kind, Node, Value};
use crate::record::Place;

/// Puts texts together again that a comma has split; gives their places. A key without a value that
/// the contract does not know is the rest of the text before it.
pub fn rejoin(node: &mut Node<'_>, shape: Option<&Shape>) -> Vec<Place> {
    let mut places = Vec::new();
    rejoin_in(node, shape, &mut places);
    places
}

/// Depth is capped where the node is built.
fn rejoin_in(node: &mut Node<'_>, shape: Option<&Shape>, places: &mut Vec<Place>) {
    match (&mut node.value, shape) {
        (Value::List(items), Some(Shape::List(item))) => {
            for node in items {
                rejoin_in(node, Some(item), places);
            }
        }
        (Value::Map(entries), Some(Shape::Map(map))) => {
            let mut kept: Vec<Entry<'_>> = Vec::with_capacity(entries.len());
            for mut entry in std::mem::take(entries) {
                if let Some(before) = kept.last_mut()
                    && is_rest(before, &entry, map)
                    && let Value::Scalar(text) = &mut before.node.value
                {
                    let whole = text.text.to_mut();
                    whole.push_str(", ");
                    whole.push_str(&entry.key);
                    text.kind = Kind::Text;
                    places.push(before.node.place);
                    continue;
                }
                rejoin_in(&mut entry.node, map.field(&entry.key), places);
                kept.push(entry);
            }
            *entries = kept;
        }
        _ => {}
    }
}

/// Whether an entry is the rest of the text of the one before it.
pub fn is_rest(before: &Entry<'_>, entry: &Entry<'_>, map: &MapShape) -> bool {
    let is_text = matches!(map.field(&before.key), Some(Shape::Text | Shape::Any));
    let is_plain = matches!(&before.node.value, Value::Scalar(text) if text.plain);
    let is_empty = matches!(&entry.node.value, Value::Scalar(rest)
        if rest.plain && rest.kind == Kind::Null && rest.text.is_empty());
    is_text && is_plain && is_empty && map.field(&entry.key).is_none()
}
