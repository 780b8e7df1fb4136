//! stub
#![forbid(unsafe_code)]
pub mod contract;
pub mod limits;
pub mod locate;
pub mod parse;
pub mod record;
pub mod scan;
pub mod settle;
pub mod transcript;
