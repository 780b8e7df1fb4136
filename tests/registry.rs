//! The tables and the folders agree: a contract, transcript, wrapper or emitter is one file and one line,
//! and no other file knows it by name.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{cases, root};
use revextract::contract::{CONTRACTS, all_rules};
use revextract::emit::EMITTERS;
use revextract::repair;
use revextract::transcript::TRANSCRIPTS;
use revextract::wrapper::WRAPPERS;

/// The ids of a table.
fn ids(table: &str) -> Vec<&'static str> {
    match table {
        "transcript" => TRANSCRIPTS.iter().map(|entry| entry.id()).collect(),
        "wrapper" => WRAPPERS.iter().map(|entry| entry.id()).collect(),
        "contract" => CONTRACTS.iter().map(|entry| entry.id()).collect(),
        _ => EMITTERS.iter().map(|entry| entry.id()).collect(),
    }
}

/// Files that serve all entries of a table, and are none themselves.
fn shared(table: &str) -> &'static [&'static str] {
    match table {
        "transcript" => &[
            "mod", "raw", "time", "layer", "opening", "frame", "shape", "beside", "api", "chat",
            "spans", "stop",
        ],
        "wrapper" => &["mod", "field", "line", "origins", "time", "unwrapping"],
        "contract" => {
            &["mod", "check", "cut", "fields", "location", "outline", "schema", "shape", "template"]
        }
        _ => &["mod"],
    }
}

fn files(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file() && path.extension().is_some_and(|kind| kind == "rs"))
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .collect()
}

#[test]
fn every_file_is_in_its_table() {
    for table in ["wrapper", "transcript", "contract", "emit"] {
        let ids = ids(table);
        let unique: BTreeSet<_> = ids.iter().copied().collect();
        assert_eq!(unique.len(), ids.len(), "{table}: an id stands twice");
        let named: BTreeSet<String> = ids.iter().map(|id| id.replace('-', "_")).collect();
        let mut found = files(&root().join("src").join(table));
        for file in shared(table) {
            assert!(found.remove(*file), "{table}/{file}.rs is gone: take it out of `shared`");
        }
        assert_eq!(found, named, "src/{table} and its table");
    }
}

#[test]
fn no_other_file_knows_one_by_name() {
    let ids: Vec<(&str, &str)> = ["wrapper", "transcript", "contract"]
        .into_iter()
        .flat_map(|table| ids(table).into_iter().map(move |id| (table, id)))
        // Words of the language as well, or of roles.
        .filter(|(_, id)| !["text", "json", "review-file", "gemini"].contains(id))
        .collect();
    let mut stack = vec![root().join("src")];
    while let Some(folder) = stack.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                stack.push(path);
                continue;
            }
            let relative = path.strip_prefix(root()).expect("below").display().to_string();
            let text = fs::read_to_string(&path).expect("a source file");
            for (table, id) in &ids {
                let own = format!("src/{table}/{}", id.replace('-', "_"));
                let in_table = format!("src/{table}/mod.rs");
                let in_schemas = relative.starts_with("src/contract/schemas/");
                if relative.starts_with(&own) || relative == in_table || in_schemas {
                    continue;
                }
                assert!(!text.contains(&format!("\"{id}\"")), "{relative} names {id}");
            }
        }
    }
}

#[test]
fn every_entry_has_its_cases() {
    let names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    let count = |start: &str| names.iter().filter(|name| name.starts_with(start)).count();
    for id in ids("contract") {
        let folder = format!("contract/{id}");
        for (kinds, least) in
            [(&["valid-"][..], 6), (&["invalid-", "inconsistent-"], 6), (&["malformed-"], 3)]
        {
            let found: usize = kinds.iter().map(|kind| count(&format!("{folder}/{kind}"))).sum();
            assert!(found >= least, "{folder}: {found} cases of {kinds:?}, {least} are asked for");
        }
    }
    for table in ["transcript", "wrapper"] {
        for id in ids(table) {
            let cases = count(&format!("{table}/{id}/"));
            assert!(cases >= 3, "{table}/{id}: {cases} cases, three are asked for");
        }
    }
}

/// A kind of repair has cases that need it (two or more), one that looks like it and must not be
/// touched, and one in which it meets another fault; what a person says of each names the repairs.
#[test]
fn every_repair_has_its_cases() {
    let cases = cases();
    let folders = fs::read_dir(root().join("corpus/repair")).map_or_else(
        |_| BTreeSet::new(),
        |entries| {
            entries
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect()
        },
    );
    let codes: BTreeSet<String> = repair::all().map(|kind| kind.code.to_owned()).collect();
    assert_eq!(folders, codes, "corpus/repair and the table");
    for code in &codes {
        let of_kind = |kind: &str| -> Vec<_> {
            let start = format!("repair/{code}/{kind}-");
            cases.iter().filter(|case| case.name.starts_with(&start)).collect()
        };
        let named = |case: &&common::Case| {
            let records = case.truth["records"].as_array().into_iter().flatten();
            let codes = records.flat_map(|r| r["repairs"].as_array().into_iter().flatten());
            codes.filter_map(|code| code.as_str().map(str::to_owned)).collect::<BTreeSet<_>>()
        };
        let (needs, not, with) = (of_kind("needs"), of_kind("not"), of_kind("with"));
        assert!(needs.len() >= 2, "{code}: two cases that need it");
        assert!(!not.is_empty(), "{code}: a case that looks like it and must not be touched");
        assert!(!with.is_empty(), "{code}: a case in which it meets another fault");
        assert!(needs.iter().chain(&with).all(|case| named(case).contains(code)), "{code}");
        assert!(not.iter().all(|case| !named(case).contains(code)), "{code}");
    }
}

#[test]
fn repairs_are_told_apart() {
    let mut codes: BTreeSet<_> = all_rules().iter().map(|rule| rule.code).collect();
    for kind in repair::all() {
        assert!(codes.insert(kind.code), "{} stands twice", kind.code);
        assert!(kind.meaning.ends_with('.'), "{}: sentences", kind.code);
        assert!(kind.before != kind.after, "{}: before and after", kind.code);
        let words = kind.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(words, "{}: small letters and hyphens", kind.code);
    }
}

#[test]
fn rules_are_told_apart() {
    let mut codes = BTreeSet::new();
    for rule in all_rules() {
        assert!(codes.insert(rule.code), "{} stands twice", rule.code);
        assert!(
            rule.meaning.ends_with('.') && rule.mend.ends_with('.'),
            "{}: sentences",
            rule.code
        );
        let words = rule.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(words, "{}: small letters and hyphens", rule.code);
    }
}
