//! A file that is one review: a YAML mapping or a JSON object and nothing else.
//!
//! The input as a whole is the block, on the channel `text`.

use super::Transcript;
use super::shape::Shape;

/// A bare review file.
pub struct ReviewFile;

impl Transcript for ReviewFile {
    fn id(&self) -> &'static str {
        "review-file"
    }

    fn reads(&self) -> &'static str {
        "a file that is one review, YAML or JSON"
    }

    fn recognised_by(&self) -> &'static str {
        "the whole input is one mapping with the keys of a contract"
    }

    fn shape(&self) -> Shape {
        Shape::Document
    }
}
