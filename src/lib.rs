//! stub
#![forbid(unsafe_code)]
pub mod contract;
pub mod limits;
pub mod locate;
pub mod parse;
pub mod record;
pub mod transcript;
