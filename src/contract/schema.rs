//! The shape of a review: a contract's JSON Schema, checked through the `jsonschema` crate.
//!
//! Takes a parsed block, gives one violation per fault of the shape, with the place of the node.
//! A YAML scalar where the schema says text is the text that was written (`no`, `1.10`, `0123`).
//! Never fetches anything: references go to schemas that are bundled here.

use std::collections::HashSet;
use std::sync::OnceLock;

use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{Registry, Validator};
use serde_json::Value as Json;

use super::{Rule, Shape, VIOLATIONS, found};
use crate::parse::{Kind as Meaning, Node, Value};
use crate::record::{Basis, Level, Review, Violation};

/// A JSON Schema that is compiled when it is first used.
pub struct Schema {
    text: &'static str,
    /// Schemas that it refers to, each with its `$id`.
    bundled: &'static [(&'static str, &'static str)],
    compiled: OnceLock<(Json, Validator)>,
    shape: OnceLock<Shape>,
}

impl Schema {
    /// The schema of this JSON text.
    pub const fn new(text: &'static str, bundled: &'static [(&'static str, &'static str)]) -> Self {
        Self { text, bundled, compiled: OnceLock::new(), shape: OnceLock::new() }
    }

    /// Its JSON text, with what it refers to put in place.
    pub fn printed(&self) -> String {
        serde_json::to_string_pretty(&self.whole()).expect("invariant: a JSON value can be written")
    }

    /// What may stand where in a review.
    pub fn shape(&self) -> &Shape {
        self.shape.get_or_init(|| Shape::of(&self.whole()))
    }

    /// The schema with what it refers to put in place.
    fn whole(&self) -> Json {
        jsonschema::options()
            .with_registry(&self.registry())
            .dereference(&parsed(self.text))
            .expect("invariant: a bundled schema refers to bundled ones")
    }

    fn registry(&self) -> Registry<'static> {
        let mut registry = Registry::new();
        for (id, text) in self.bundled {
            registry = registry
                .add(*id, parsed(text))
                .expect("invariant: a bundled schema has a valid id");
        }
        registry.prepare().expect("invariant: bundled schemas refer to nothing")
    }

    fn compiled(&self) -> &(Json, Validator) {
        self.compiled.get_or_init(|| {
            let json = parsed(self.text);
            let validator = jsonschema::options()
                .with_registry(&self.registry())
                .build(&json)
                .expect("invariant: a bundled schema is valid");
            (json, validator)
        })
    }

    /// Whether `node` has the shape.
    pub fn fits(&self, node: &Node<'_>) -> bool {
        let (schema, validator) = self.compiled();
        validator.is_valid(&typed(node, Some(schema), schema))
    }

    /// The faults of the shape of `node`, in the order of the text, the first [`VIOLATIONS`] that
    /// turn up.
    pub fn check(&self, node: &Node<'_>) -> Vec<Violation> {
        let (schema, validator) = self.compiled();
        let value = typed(node, Some(schema), schema);
        let mut violations: Vec<_> = validator
            .iter_errors(&value)
            .flat_map(|error| violations(&error, node))
            .take(VIOLATIONS + 1)
            .collect();
        let is_capped = violations.len() > VIOLATIONS;
        violations.truncate(VIOLATIONS);
        violations.sort_by(|a, b| {
            (a.line, a.column, &a.pointer, a.code).cmp(&(b.line, b.column, &b.pointer, b.code))
        });
        violations.dedup();
        if is_capped {
            violations.push(too_many(node));
        }
        violations
    }

    /// Checks the shape of `node` and notes its faults.
    pub fn note(&self, node: &Node<'_>, review: &mut Review) {
        review.violations.extend(self.check(node));
    }
}

fn parsed(text: &str) -> Json {
    serde_json::from_str(text).expect("invariant: a bundled schema is JSON")
}

/// The value as JSON, guided by the schema: a scalar of YAML is text where the schema asks for one.
fn typed(node: &Node<'_>, schema: Option<&Json>, root: &Json) -> Json {
    match &node.value {
        Value::Scalar(scalar) => {
            let wants_text = schema.is_some_and(|schema| asks_for_text(schema, root));
            if wants_text && scalar.plain && scalar.kind != Meaning::Null {
                scalar.text.as_ref().into()
            } else {
                scalar.to_json()
            }
        }
        Value::List(items) => {
            let of_items = schema.and_then(|schema| below(schema, "items", root));
            items.iter().map(|item| typed(item, of_items, root)).collect()
        }
        Value::Map(entries) => entries
            .iter()
            .map(|entry| {
                let of_entry = schema.and_then(|schema| property(schema, &entry.key, root));
                (entry.key.clone().into_owned(), typed(&entry.node, of_entry, root))
            })
            .collect(),
    }
}

/// Whether all that `schema` allows besides null is text.
fn asks_for_text(schema: &Json, root: &Json) -> bool {
    let is_text = |types: &Json| match types {
        Json::String(name) => name == "string",
        Json::Array(names) => {
            names.iter().any(|name| name == "string")
                && names.iter().all(|name| name == "string" || name == "null")
        }
        _ => false,
    };
    let texts = |options: &Json| {
        options.as_array().is_some_and(|options| options.iter().all(Json::is_string))
    };
    parts(schema, root)
        .any(|part| part.get("type").is_some_and(is_text) || part.get("enum").is_some_and(texts))
}

/// What the schema says of the property `key`.
fn property<'s>(schema: &'s Json, key: &str, root: &'s Json) -> Option<&'s Json> {
    parts(schema, root).find_map(|part| part.get("properties")?.get(key))
}

/// What the schema says under `keyword`.
fn below<'s>(schema: &'s Json, keyword: &str, root: &'s Json) -> Option<&'s Json> {
    parts(schema, root).find_map(|part| part.get(keyword))
}

/// The schema itself, what it refers to within the same document, and what it is composed of.
fn parts<'s>(schema: &'s Json, root: &'s Json) -> impl Iterator<Item = &'s Json> {
    let target = schema
        .get("$ref")
        .and_then(Json::as_str)
        .and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    let composed = schema.get("allOf").and_then(Json::as_array).into_iter().flatten();
    std::iter::once(schema).chain(target).chain(composed)
}

/// One violation per fault, in the project's words.
fn violations(error: &jsonschema::ValidationError<'_>, root: &Node<'_>) -> Vec<Violation> {
    let pointer = error.instance_path().as_str();
    let here = |rule: &Rule, message: String| vec![violation(rule, root, pointer, message)];
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            here(&REQUIRED, format!("the key `{name}` is missing"))
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unknown_keys(root, pointer, unexpected)
        }
        Kind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => kind_named(*one).to_owned(),
                TypeKind::Multiple(several) => {
                    several.iter().map(kind_named).collect::<Vec<_>>().join(" or ")
                }
            };
            here(&TYPE, format!("{} stands where {wanted} is asked for", kind_of(error.instance())))
        }
        Kind::Enum { options } => {
            let words: Vec<_> = options
                .as_array()
                .into_iter()
                .flatten()
                .map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
                .collect();
            here(&ENUM, format!("the value is none of {}", words.join(", ")))
        }
        Kind::Constant { expected_value } => {
            here(&ENUM, format!("the value is not {expected_value}"))
        }
        Kind::Minimum { limit } => here(&RANGE, format!("the number is below {limit}")),
        Kind::Maximum { limit } => here(&RANGE, format!("the number is above {limit}")),
        Kind::MinLength { .. } => here(&LENGTH, "the text is empty".to_owned()),
        Kind::Pattern { pattern } => {
            let blank = pattern == r"\S";
            let message = if blank {
                "the text is blank".to_owned()
            } else {
                format!("the text does not fit the pattern {pattern}")
            };
            here(if blank { &LENGTH } else { &PATTERN }, message)
        }
        Kind::MinItems { limit: 1 } => here(&ITEMS, "the list is empty".to_owned()),
        Kind::MinItems { limit } => {
            here(&ITEMS, format!("the list has fewer than {limit} entries"))
        }
        Kind::MaxItems { limit } => here(&ITEMS, format!("the list has more than {limit} entries")),
        _ => here(&SHAPE, error.masked().to_string()),
    }
}

/// One violation per key of the mapping at `pointer` that is in `unexpected`.
fn unknown_keys(root: &Node<'_>, pointer: &str, unexpected: &[String]) -> Vec<Violation> {
    // All of them in one pass: there may be as many as a block has nodes.
    let unexpected: HashSet<&str> = unexpected.iter().map(String::as_str).collect();
    let entries = root.nearest(pointer).entries().iter();
    entries
        .filter(|entry| unexpected.contains(entry.key.as_ref()))
        .take(VIOLATIONS + 1)
        .map(|entry| Violation {
            code: CLOSED.code,
            level: CLOSED.level,
            basis: CLOSED.basis,
            pointer: format!("{pointer}/{}", entry.key.replace('~', "~0").replace('/', "~1")),
            line: Some(entry.place.line),
            column: Some(entry.place.column),
            message: format!("the key `{}` is none of this contract's", entry.key),
            found: found(&entry.node),
        })
        .collect()
}

fn violation(rule: &Rule, root: &Node<'_>, pointer: &str, message: String) -> Violation {
    let mut review = Review::default();
    review.breaks(rule, root, pointer, message);
    review.violations.remove(0)
}

/// The violation that stands for those beyond the cap.
pub(super) fn too_many(root: &Node<'_>) -> Violation {
    let message = format!("there are more than {VIOLATIONS} violations; not all are listed");
    violation(&TOO_MANY, root, "", message)
}

/// A JSON type in the words of the messages.
fn kind_named(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Null => "nothing",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::String => "a text",
        JsonType::Array => "a list",
        JsonType::Object => "a mapping",
    }
}

/// The JSON type of a value, with its article.
fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "nothing",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "a mapping",
    }
}

const fn shape(code: &'static str, meaning: &'static str, mend: &'static str) -> Rule {
    Rule { code, level: Level::Error, basis: Basis::Schema, meaning, mend }
}

/// The rules of shape, for all contracts alike.
pub static RULES: &[&Rule] =
    &[&REQUIRED, &CLOSED, &TYPE, &ENUM, &RANGE, &LENGTH, &PATTERN, &ITEMS, &SHAPE, &TOO_MANY];

static REQUIRED: Rule = shape(
    "schema-required",
    "A key that the contract asks for is missing.",
    "Add the key with its value; an empty list is written `[]`.",
);
static CLOSED: Rule = shape(
    "schema-unknown-key",
    "The contract allows no other keys here than its own.",
    "Remove the key, or write what it says into one of the contract's own.",
);
static TYPE: Rule = shape(
    "schema-type",
    "The value is of another type than the contract asks for: a list for a text, say, or a text for a number.",
    "Write the value in the type that the message names.",
);
static ENUM: Rule = shape(
    "schema-enum",
    "The value is none of the words that the contract allows, letter by letter.",
    "Use one of the words that the message names, and nothing around it.",
);
static RANGE: Rule = shape(
    "schema-range",
    "The number lies outside of the contract's range. It is neither clamped nor rescaled.",
    "Write a number within the range.",
);
static LENGTH: Rule = shape(
    "schema-empty-text",
    "A text that the contract asks for is empty or blank.",
    "Write the text.",
);
static PATTERN: Rule = shape(
    "schema-pattern",
    "The text does not have the form that the contract asks for.",
    "Write the text in the form that the message names.",
);
static ITEMS: Rule = shape(
    "schema-items",
    "The list has fewer or more entries than the contract allows.",
    "Add what is missing: a review that refuses says why.",
);
static SHAPE: Rule = shape(
    "schema-shape",
    "The value breaks the contract's schema in a way that no other code names.",
    "See the message, and the schema that `--print-schema contract:NAME` prints.",
);
/// More violations than are listed.
pub(super) static TOO_MANY: Rule = Rule {
    level: Level::Note,
    ..shape(
        "too-many-violations",
        "The block has more violations than the 1,000 of its shape, or the 1,000 of the rules over \
         its fields, that are listed. Of the rules over fields each that is broken is named once.",
        "Correct those that are listed, and check the review again.",
    )
};
