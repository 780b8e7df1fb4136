//! What the program says about itself: lists, explanations, schemas. All of it comes from the
//! tables, so that it cannot disagree with what the program does.

use std::fmt::Write as _;

use crate::cli::List;
use crate::contract::{CONTRACTS, Rule, all_rules, by_id};
use crate::emit::EMITTERS;
use crate::repair;
use crate::transcript::TRANSCRIPTS;
use crate::wrapper::WRAPPERS;

/// The JSON Schema of a record.
pub const RECORD_SCHEMA: &str = include_str!("record/schema.json");

/// The list of a kind, a line each: the name, then what it is.
pub fn list(kind: List) -> String {
    let rows: Vec<Vec<&str>> = match kind {
        List::Contracts => CONTRACTS
            .iter()
            .map(|contract| vec![contract.id(), contract.about(), contract.carriers()])
            .collect(),
        List::Transcripts => TRANSCRIPTS
            .iter()
            .map(|format| vec![format.id(), format.reads(), format.recognised_by()])
            .collect(),
        List::Wrappers => WRAPPERS
            .iter()
            .map(|wrapper| vec![wrapper.id(), wrapper.takes_off(), wrapper.recognised_by()])
            .collect(),
        List::Emitters => {
            EMITTERS.iter().map(|emitter| vec![emitter.id(), emitter.about()]).collect()
        }
        List::Rules => all_rules()
            .iter()
            .map(|rule| {
                let meaning = first_sentence(rule.meaning);
                vec![rule.code, rule.level.word(), rule.basis.word(), meaning]
            })
            .collect(),
        List::Repairs => {
            repair::all().map(|kind| vec![kind.code, first_sentence(kind.meaning)]).collect()
        }
    };
    let mut widths = [0; 4];
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            widths[column] = widths[column].max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn first_sentence(meaning: &'static str) -> &'static str {
    meaning.split_inclusive(". ").next().unwrap_or_default().trim_end()
}

/// What a rule asks for and how to mend what breaks it, or what a repair does.
pub fn explain(code: &str) -> Option<String> {
    let rule = all_rules().iter().find(|rule| rule.code == code).map(|rule| of_rule(rule));
    rule.or_else(|| repair::all().find(|kind| kind.code == code).map(of_repair))
}

fn of_repair(kind: &repair::Kind) -> String {
    let indented =
        |text: &str| text.lines().fold(String::new(), |all, line| all + "    " + line + "\n");
    let repair::Kind { code, meaning, before, after } = kind;
    let (before, after) = (indented(before), indented(after));
    format!("{code} (repair)\n\n{meaning}\n\nWritten:\n\n{before}\nRead as:\n\n{after}")
}

fn of_rule(rule: &Rule) -> String {
    let code = rule.code;
    let owners: Vec<_> = CONTRACTS
        .iter()
        .filter(|contract| contract.rules().iter().any(|own| own.code == code))
        .map(|contract| contract.id())
        .collect();
    let owners = if owners.is_empty() { "every contract".to_owned() } else { owners.join(", ") };
    format!(
        "{code} ({level}, {basis}; {owners})\n\n{meaning}\n\nTo mend it: {mend}\n",
        level = rule.level.word(),
        basis = rule.basis.word(),
        meaning = rule.meaning,
        mend = rule.mend,
    )
}

/// The schema that is asked for.
pub fn schema(what: &str) -> Option<String> {
    match what.strip_prefix("contract:") {
        Some(name) => by_id(name).map(|contract| contract.schema().printed() + "\n"),
        None => (what == "json").then(|| RECORD_SCHEMA.to_owned()),
    }
}
