//! Repairs of values: what stands in another shape than the contract's, and can mean only one thing.

use super::Kind;
use crate::contract::Shape;
use crate::parse::Reading;

/// The kinds of repair of values.
pub static REPAIRS: &[&Kind] = &[];

/// Brings the values of a reading into the contract's shape.
pub fn mend(_reading: &mut Reading<'_>, _shape: &Shape) {}
