//! stub
#![forbid(unsafe_code)]
pub mod about;
pub mod cli;
pub mod contract;
pub mod drive;
pub mod emit;
pub mod error;
pub mod input;
pub mod limits;
pub mod locate;
pub mod parse;
pub mod pipeline;
pub mod reading;
pub mod record;
pub mod scan;
pub mod settle;
pub mod transcript;
pub mod window;
