//! The two laws of repairs, over reviews of every contract written in every style: what is valid is
//! read as it is, without repairs; and with a fault of any kind put in, the record is the same, or no
//! pass. `REVEXTRACT_ROUNDS` asks for more than the usual number of reviews.

mod common;
mod written;

use common::{Numbers, rounds};
use rayon::prelude::*;
use revextract::drive::extract;
use revextract::pipeline::Options;
use revextract::record::{Finding, Record, Status, Verdict};
use written::faults::{Careless, Fault};
use written::{Tree, json, reviews, yaml};

/// A session in which an agent says the review.
fn session(contract: usize, block: &str, is_json: bool, is_cut: bool) -> String {
    let name = reviews::CONTRACTS[contract].0;
    let text = if name.starts_with("sdlc") {
        let closer = if is_cut { "" } else { "\n---end-sdlc-review-output---\n" };
        format!("Report.\n\n---sdlc-review-output---\n{block}{closer}")
    } else {
        let info = if is_json { "json" } else { "yaml" };
        let closer = if is_cut { "" } else { "\n```\n" };
        format!("The review:\n\n```{info}\n{block}{closer}")
    };
    let message = serde_json::json!({"type": "assistant", "uuid": "1", "sessionId": "s",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}});
    format!("{message}\n")
}

fn asks_for_json(contract: usize) -> bool {
    ["dev-critic", "codex-review"].contains(&reviews::CONTRACTS[contract].0)
}

fn read(session: &str) -> Vec<Record> {
    extract("x.jsonl", [session.as_bytes()], &Options::default()).0
}

/// What a record says, with blanks folded: a line that was broken may come back with a blank.
fn said(record: &Record) -> String {
    let review = &record.review;
    let of_finding = |finding: &Finding| {
        let Finding { severity, category, message, recommendation, location_raw, .. } = finding;
        let Finding { requirement, line, path, rule, .. } = finding;
        format!(
            "{severity:?} {category:?} {message:?} {recommendation:?} {location_raw:?} {requirement:?} {line:?} {path:?} {rule:?}"
        )
    };
    let findings: Vec<_> = review.findings.iter().map(of_finding).collect();
    let all = format!(
        "{} {:?} {} {:?} {:?} {:?} {:?} {:?} {findings:?} {:?} {:?}",
        record.contract,
        review.verdict,
        review.critical,
        review.score,
        review.reviewer,
        review.phase,
        review.iteration,
        review.summary,
        review.commit_message,
        review.checklist,
    );
    all.replace("\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_pass(record: &Record) -> bool {
    record.status == Status::Valid && record.review.verdict == Some(Verdict::Pass)
}

fn none() -> Careless {
    Careless { fault: None, passed: 0, struck: false }
}

/// The record of a review that is written without a fault.
fn plainly(contract: usize, tree: &Tree) -> Record {
    let text = json::write(tree, &mut Numbers(0), &mut none());
    let mut records = read(&session(contract, &text, true, false));
    assert_eq!(records.len(), 1, "{text}");
    let record = records.remove(0);
    assert_eq!(record.status, Status::Valid, "{text}\n{:?}", record.review.violations);
    assert_eq!(record.review.repairs, [], "{text}");
    record
}

#[test]
fn any_style_is_read_alike() {
    (0..rounds(3_000) as u64).into_par_iter().for_each(|seed| {
        let mut numbers = Numbers(seed);
        let (contract, _, tree) = reviews::review(&mut numbers);
        let wanted = plainly(contract, &tree);
        let is_json = numbers.below(4) == 0;
        let text = if is_json {
            json::write(&tree, &mut numbers, &mut none())
        } else {
            yaml::write(&tree, &mut numbers, &mut none(), asks_for_json(contract))
        };
        let records = read(&session(contract, &text, is_json, false));
        assert_eq!(records.len(), 1, "seed {seed}:\n{text}");
        let record = &records[0];
        assert_eq!(
            record.status,
            Status::Valid,
            "seed {seed}:\n{text}\n{:?}",
            record.review.violations
        );
        assert_eq!(record.review.repairs, [], "seed {seed}:\n{text}");
        assert_eq!(said(record), said(&wanted), "seed {seed}:\n{text}");
        assert_eq!(record.content_id, wanted.content_id, "seed {seed}:\n{text}");
    });
}

#[test]
fn with_a_fault_it_is_the_same_or_no_pass() {
    let faults: Vec<(bool, Fault)> =
        [(false, Fault::YAML), (true, Fault::JSON), (false, Fault::ANY), (true, Fault::ANY)]
            .into_iter()
            .flat_map(|(is_json, faults)| faults.iter().map(move |fault| (is_json, *fault)))
            .collect();
    faults.par_iter().for_each(|(is_json, fault)| {
        let (mut struck, mut same) = (0, 0);
        for seed in 0..rounds(600) as u64 {
            let mut numbers = Numbers(seed);
            let (contract, passes, tree) = reviews::review(&mut numbers);
            let wanted = plainly(contract, &tree);
            let mut spoilt = tree.clone();
            let mut careless =
                Careless { fault: Some(*fault), passed: numbers.below(6), struck: false };
            careless.struck = fault.spoil_tree(&mut spoilt, &mut numbers);
            let mut text = if *is_json {
                json::write(&spoilt, &mut numbers, &mut careless)
            } else {
                yaml::write(&spoilt, &mut numbers, &mut careless, asks_for_json(contract))
            };
            careless.struck |= fault.spoil_text(&mut text, &mut numbers);
            if !careless.struck {
                continue;
            }
            struck += 1;
            let records = read(&session(contract, &text, *is_json, *fault == Fault::Cut));
            let is_same = matches!(&records[..], [record] if said(record) == said(&wanted));
            same += u32::from(is_same);
            let excused = is_same || (fault.changes() && passes && *fault != Fault::Verdict);
            for record in &records {
                assert!(
                    excused || !is_pass(record),
                    "{fault:?}, seed {seed}:\n{text}\n{}\n{}\n{:?}",
                    said(&wanted),
                    said(record),
                    record.review.repairs,
                );
            }
        }
        assert!(struck > 5, "{fault:?} was put in {struck} times");
        if std::env::var_os("REVEXTRACT_RATES").is_some() {
            use std::io::Write as _;
            let _ = writeln!(
                std::io::stderr(),
                "{fault:?} (json: {is_json}): {same} of {struck} read as meant"
            );
        }
    });
}
