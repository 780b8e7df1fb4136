//! The emitter for people: golden pages at two widths, and what holds for every record of the corpus.
//!
//! `tests/pretty/NAME.input` gives `tests/pretty/NAME.80.txt` and `NAME.200.txt`. After a change that
//! is meant to change pages, `REVEXTRACT_BLESS=1 cargo test --test pretty` writes them anew; read the
//! difference before you commit it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod common;

use std::fs;

use common::{cases, root};
use revextract::drive::extract;
use revextract::emit::{Page, by_id};
use revextract::pipeline::Options;
use revextract::record::Record;

/// The page of these records.
fn page(records: Vec<Record>, width: usize, color: bool) -> String {
    let mut emission = by_id("pretty").unwrap().start(Page { line: 1 << 20, width, color });
    let mut out = Vec::new();
    for record in records {
        emission.record(record, &mut out).unwrap();
    }
    emission.end(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn read(name: &str, bytes: &[u8], options: &Options) -> Vec<Record> {
    extract(name, [bytes], &Options { excerpts: true, ..options.clone() }).0
}

/// The options under which faults are seen as they stand.
fn strict() -> Options {
    let mut options = Options::default();
    options.scope.choice.strict = true;
    options
}

#[test]
fn pages_are_as_they_were_read() {
    let bless = std::env::var_os("REVEXTRACT_BLESS").is_some();
    let mut inputs: Vec<_> = fs::read_dir(root().join("tests/pretty"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "input"))
        .collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "{inputs:?}");
    for path in inputs {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let bytes = fs::read(&path).unwrap();
        for width in [80, 200] {
            let came = page(read(name, &bytes, &strict()), width, false);
            let golden = path.with_extension(format!("{width}.txt"));
            if bless {
                fs::write(&golden, &came).unwrap();
            }
            let expected = fs::read_to_string(&golden).unwrap();
            assert_eq!(came, expected, "{}", golden.display());
        }
    }
}

/// Each excerpt is what stands in the input at the place of its violation or repair.
#[test]
fn excerpts_are_the_lines_of_the_input() {
    let mut compared = 0;
    for case in cases().iter().filter(|case| case.is_plain()) {
        let bytes = fs::read(case.folder.join(&case.input)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        for record in read(&case.input, &bytes, &case.options()) {
            let review = &record.review;
            if record.source.depth > 0 || record.source.transcript.lossy {
                continue;
            }
            let violations = review.violations.iter().map(|each| each.line.zip(each.column));
            let places = violations.chain(review.repairs.iter().map(|r| Some((r.line, r.column))));
            assert!(record.excerpts.len() <= places.clone().count(), "{}", case.name);
            for (place, excerpt) in places.zip(&record.excerpts) {
                let (Some((line, column)), Some(excerpt)) = (place, excerpt) else { continue };
                let Some(line) = lines.get(line as usize - 1) else { continue };
                let stands: String = line.chars().skip(column as usize - 1).collect();
                let here = excerpt.here();
                // Within a wrapper that escapes characters the two are not the same, letter by letter.
                let is_escaped = line.contains('\\') && stands.contains('\\');
                assert!(
                    stands.starts_with(here) || is_escaped,
                    "{}: {place:?}: {here:?}, {stands:?}",
                    case.name
                );
                compared += usize::from(!is_escaped && !here.is_empty());
            }
        }
    }
    assert!(compared > 150, "{compared} excerpts");
}

/// Asking for excerpts changes nothing else.
#[test]
fn records_are_the_same_with_excerpts() {
    for case in cases().iter().filter(|case| case.is_plain()) {
        let bytes = fs::read(case.folder.join(&case.input)).unwrap();
        let mut with = read(&case.input, &bytes, &case.options());
        for record in &mut with {
            record.excerpts.clear();
        }
        let without = extract(&case.input, [&bytes[..]], &case.options()).0;
        assert_eq!(with, without, "{}", case.name);
    }
}

/// Whatever stands in an input, a page moves no cursor; and with colours it says the same.
#[test]
fn no_page_does_anything_to_a_terminal() {
    for case in cases().iter().filter(|case| case.is_plain()) {
        let bytes = fs::read(case.folder.join(&case.input)).unwrap();
        let records = read(&case.input, &bytes, &case.options());
        let plain = page(records.clone(), 100, false);
        let harms = |char: char| {
            (char.is_control() && char != '\n')
                || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}')
        };
        assert!(!plain.contains(harms), "{}: {plain:?}", case.name);
        let colored = page(records, 100, true);
        assert_eq!(colored.contains("\u{1b}["), plain.contains("review["), "{}", case.name);
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain, "{}", case.name);
    }
}
