//! However the bytes arrive, the same comes out: every case of the corpus, cut in two and into
//! pieces of many sizes, with the caps of real use and with tiny ones that make every buffer let go
//! early.
//!
//! A short text is cut at each byte. A long one is cut at so many that all of its runs together read
//! some megabytes, or at each byte where `REVEXTRACT_ALL_CUTS` is set; pieces of one byte, in which
//! every case is read as well, end at all of them.

mod common;

use std::fs;

use common::{Case, cases};
use rayon::prelude::*;
use revextract::drive::extract;
use revextract::pipeline::Options;

fn run<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, options: &Options) -> String {
    let (records, end) = extract("input", pieces, options);
    let mut text = String::new();
    for record in records {
        text.push_str(&serde_json::to_string(&record).expect("a record is JSON"));
        text.push('\n');
    }
    text + &serde_json::to_string(&end).expect("an end record is JSON")
}

/// The places at which a text is cut in two.
fn cuts(length: usize) -> Vec<usize> {
    /// Bytes that all runs over a text read.
    const BYTES: usize = 2 << 20;
    let all = std::env::var_os("REVEXTRACT_ALL_CUTS").is_some();
    let many = if all { length } else { (BYTES / length.max(1)).max(100) };
    let step = length.div_ceil(many.max(1)).max(1);
    // An odd offset per step, so that long inputs are cut at ever other places.
    (0..length).step_by(step).map(|at| (at + at / step % step).min(length)).collect()
}

fn check(options_of: impl Fn(&Case) -> Options + Sync) {
    let faults: Vec<String> = cases()
        .par_iter()
        .filter(|case| case.is_plain())
        .filter_map(|case| {
            let bytes = fs::read(case.folder.join(&case.input)).expect("the input is there");
            let options = options_of(case);
            let whole = run([&bytes[..]], &options);
            for cut in cuts(bytes.len()) {
                let (left, right) = bytes.split_at(cut);
                let came = run([left, right], &options);
                if came != whole {
                    return Some(format!("{} cut at {cut}:\n{whole}\n{came}", case.name));
                }
            }
            for size in [1, 2, 3, 5, 16, 100, 1000] {
                let came = run(bytes.chunks(size), &options);
                if came != whole {
                    return Some(format!("{} in pieces of {size}:\n{whole}\n{came}", case.name));
                }
            }
            None
        })
        .collect();
    assert!(faults.is_empty(), "{} cases:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_same_with_the_caps_of_real_use() {
    check(Case::options);
}

#[test]
fn the_same_with_tiny_caps() {
    check(|case| {
        let mut options = case.options();
        options.scope.limits.look_back = 200;
        options.scope.limits.block = 600;
        options
    });
}
