//! The shape that a contract's JSON Schema gives its reviews, in the terms that a repair needs.
//!
//! Takes a schema with its references put in place, gives a tree. Says less than the schema: what
//! is possible where, and never what is wrong.

use serde_json::Value as Json;

/// What may stand at a place of a review.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Anything: the schema does not say, or allows several types.
    Any,
    /// A text.
    Text,
    /// One of these words.
    Word(Vec<String>),
    /// `true` or `false`.
    Boolean,
    /// A whole number, with the greatest that is allowed.
    Integer(Option<i64>),
    /// A number.
    Number,
    /// A list.
    List(Box<Shape>),
    /// A mapping.
    Map(MapShape),
}

/// A mapping of known keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MapShape {
    /// The keys and what stands under them, in the schema's order.
    pub fields: Vec<(String, Shape)>,
    /// The keys that must be there.
    pub required: Vec<String>,
    /// No other keys are allowed.
    pub closed: bool,
}

impl Shape {
    /// The shape of what `schema` allows besides null.
    pub(super) fn of(schema: &Json) -> Self {
        let text = |key: &str| schema.get(key).and_then(Json::as_str);
        if let Some(options) = schema.get("enum").and_then(Json::as_array) {
            let words: Vec<String> =
                options.iter().filter_map(Json::as_str).map(str::to_owned).collect();
            return if words.len() == options.len() { Self::Word(words) } else { Self::Any };
        }
        // What is meant stands before what is let pass.
        if let Some(first) = schema.get("anyOf").and_then(|options| options.get(0)) {
            return Self::of(first);
        }
        let name = match schema.get("type") {
            Some(Json::Array(names)) => {
                let mut names =
                    names.iter().filter_map(Json::as_str).filter(|name| *name != "null");
                names.next().filter(|_| names.next().is_none())
            }
            _ => text("type"),
        };
        match name {
            Some("string") => Self::Text,
            Some("boolean") => Self::Boolean,
            Some("integer") => Self::Integer(schema.get("maximum").and_then(Json::as_i64)),
            Some("number") => Self::Number,
            Some("array") => Self::List(Box::new(schema.get("items").map_or(Self::Any, Self::of))),
            Some("object") => Self::Map(MapShape::of(schema)),
            _ if schema.get("properties").is_some() || schema.get("allOf").is_some() => {
                Self::Map(MapShape::of(schema))
            }
            _ => Self::Any,
        }
    }

    /// What stands under a key of this name, nearest to the top.
    pub fn named(&self, key: &str) -> Option<&Self> {
        let mut level = vec![self];
        while !level.is_empty() {
            if let Some(found) = level.iter().find_map(|shape| shape.map()?.field(key)) {
                return Some(found);
            }
            level = level.into_iter().flat_map(Self::below).collect();
        }
        None
    }

    /// What stands right below it.
    fn below(&self) -> Vec<&Self> {
        match self {
            Self::List(item) => vec![item],
            Self::Map(map) => map.fields.iter().map(|(_, shape)| shape).collect(),
            _ => Vec::new(),
        }
    }

    /// In words, what may stand here; none where that may be anything.
    pub fn words(&self) -> Option<String> {
        Some(match self {
            Self::Any => return None,
            Self::Text => "a text".to_owned(),
            Self::Word(words) => format!("one of the words {}", words.join(", ")),
            Self::Boolean => "true or false".to_owned(),
            Self::Integer(Some(most)) => format!("a whole number up to {most}"),
            Self::Integer(None) => "a whole number".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a mapping".to_owned(),
        })
    }

    /// The mapping that may stand here, if one may.
    pub fn map(&self) -> Option<&MapShape> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }
}

impl MapShape {
    fn of(schema: &Json) -> Self {
        let mut map = Self::default();
        map.add(schema);
        map
    }

    /// Adds what a schema, or one that it is composed of, says.
    fn add(&mut self, schema: &Json) {
        for (key, schema) in
            schema.get("properties").and_then(Json::as_object).into_iter().flatten()
        {
            if self.field(key).is_none() {
                self.fields.push((key.clone(), Shape::of(schema)));
            }
        }
        let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
        self.required.extend(required.filter_map(Json::as_str).map(str::to_owned));
        self.closed |= schema.get("additionalProperties") == Some(&Json::Bool(false));
        for part in schema.get("allOf").and_then(Json::as_array).into_iter().flatten() {
            self.add(part);
        }
    }

    /// What stands under `key`, if it is known.
    pub fn field(&self, key: &str) -> Option<&Shape> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, shape)| shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::CONTRACTS;

    #[test]
    fn every_contract_is_a_mapping_with_findings() {
        for contract in CONTRACTS {
            let map = contract.schema().shape().map().expect("a mapping");
            let findings = map.field("findings").expect("findings");
            let Shape::List(item) = findings else { panic!("{}: {findings:?}", contract.id()) };
            assert!(item.map().is_some_and(|map| !map.fields.is_empty()), "{}", contract.id());
            assert!(!map.required.is_empty(), "{}", contract.id());
        }
    }

    #[test]
    fn a_key_is_found_on_whatever_level() {
        let sdlc = CONTRACTS[0].schema().shape();
        let words = |key: &str| sdlc.named(key).and_then(Shape::words);
        assert_eq!(words("score").as_deref(), Some("a whole number up to 10"));
        assert_eq!(words("description").as_deref(), Some("a text"));
        assert!(words("severity").is_some_and(|words| words.contains("critical, high")));
        assert_eq!(words("nope"), None);
    }

    #[test]
    fn references_are_put_in_place() {
        let shapes = CONTRACTS.iter().filter_map(|contract| contract.schema().shape().map());
        let handover = shapes.into_iter().find_map(|map| map.field("handover")).unwrap();
        assert!(handover.map().is_some_and(|map| map.field("role").is_some()), "{handover:?}");
    }
}
