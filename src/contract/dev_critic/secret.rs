//! Credentials in texts: what looks like one, and masking it throughout a review.

use std::collections::BTreeSet;
use std::ops::Bound::{Included, Unbounded};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::{Map, Value as Json};

use crate::parse::Node;
use crate::record::Review;

/// How known credentials start, and how many characters follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("SG.", 20),
    ("dop_v1_", 20),
    ("eyJ", 20),
    ("gho_", 20),
    ("ghp_", 20),
    ("ghr_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("hf_", 20),
    ("npm_", 30),
    ("pk_live_", 10),
    ("rk_live_", 10),
    ("sk-", 20),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("xapp-", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("ya29.", 20),
];

/// The parts of `text` that look like credentials.
pub fn within(text: &str) -> impl Iterator<Item = &str> {
    text.split(ends).map(value).filter(|part| looks_secret(part))
}

/// What no credential contains.
fn ends(char: char) -> bool {
    char.is_whitespace() || "\"'`,;:()[]{}<>|\\&?…".contains(char)
}

/// The value of `key=value`; what follows tells it from the padding of base64.
fn value(part: &str) -> &str {
    match part.split_once('=') {
        Some((_, value)) if !value.trim_matches('=').is_empty() => value,
        _ => part,
    }
}

/// Adds the credentials in `node` and below it.
pub fn below(node: &Node<'_>, secrets: &mut BTreeSet<String>) {
    secrets.extend(within(node.text().unwrap_or_default()).map(str::to_owned));
    node.items().iter().for_each(|item| below(item, secrets));
    for entry in node.entries() {
        secrets.extend(within(&entry.key).map(str::to_owned));
        below(&entry.node, secrets);
    }
}

fn looks_secret(part: &str) -> bool {
    let is_known = PREFIXES.iter().any(|(prefix, length)| {
        let rest = part.strip_prefix(prefix).unwrap_or_default();
        rest.len() >= *length && !is_name(rest)
    });
    is_known || is_random(part)
}

/// Whether what follows a prefix reads as the name of a pattern does: several short words in small
/// letters (`sk-ant-api-key-of-the-vendor`), with a digit at most.
fn is_name(rest: &str) -> bool {
    let rest = rest.trim_matches(['-', '_']);
    let is_part = |part: &str| {
        part.len() <= 14 && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    rest.contains(['-', '_']) && digits(rest) < 2 && rest.split(['-', '_']).all(is_part)
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Whether a part of `text` is long and looks drawn by chance.
fn is_random(text: &str) -> bool {
    let has = |run: &str, is: fn(&u8) -> bool| run.as_bytes().iter().any(is);
    let mixed = |run: &str| {
        has(run, u8::is_ascii_lowercase) && has(run, u8::is_ascii_uppercase) && digits(run) > 0
    };
    let is_run = |run: &str| {
        run.len() >= 20 && digits(run) >= 3 && has(run, u8::is_ascii_alphabetic) && bits(run) >= 3.0
    };
    // Base64 has slashes, and so have paths: those are less even.
    let is_base64 = text.len() >= 32
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
        && mixed(text)
        && bits(text) >= 4.3;
    is_base64 || text.split(|char: char| !char.is_ascii_alphanumeric()).any(is_run)
}

/// The entropy of a text in bits per byte.
fn bits(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / length;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}

/// Masks each of `secrets` in every text of the review.
pub fn mask(review: &mut Review, secrets: &BTreeSet<String>) {
    if secrets.is_empty() {
        return;
    }
    let mask = Mask::new(secrets);
    let hide = |text: &mut String| mask.hide(text);
    for finding in &mut review.findings {
        let texts = [
            &mut finding.severity_raw,
            &mut finding.category,
            &mut finding.message,
            &mut finding.recommendation,
            &mut finding.path,
            &mut finding.location_raw,
            &mut finding.rule,
            &mut finding.requirement,
            &mut finding.scope,
        ];
        texts.into_iter().flatten().for_each(hide);
    }
    review.verdict_raw.iter_mut().for_each(hide);
    for gate in &mut review.gates {
        hide(&mut gate.name);
        [&mut gate.status, &mut gate.tool, &mut gate.reason].into_iter().flatten().for_each(hide);
    }
    for violation in &mut review.violations {
        hide(&mut violation.pointer);
        hide(&mut violation.message);
        violation.found.iter_mut().for_each(hide);
    }
    review.extra = review.extra.take().map(|extra| mask.hide_entries(extra));
}

/// Finds the secrets of a review, however many, in one pass over a text.
struct Mask<'a> {
    secrets: &'a BTreeSet<String>,
    searcher: AhoCorasick,
}

impl<'a> Mask<'a> {
    fn new(secrets: &'a BTreeSet<String>) -> Self {
        // The form that takes room in proportion to the secrets, however long and however few.
        let searcher = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(secrets)
            .expect("invariant: a block is far smaller than what the searcher can hold");
        Self { secrets, searcher }
    }

    fn hide(&self, text: &mut String) {
        if self.searcher.is_match(text.as_str()) {
            let mut masked = String::with_capacity(text.len());
            self.searcher.replace_all_with(text, &mut masked, |_, secret, masked| {
                masked.push_str(&start(secret));
                true
            });
            *text = masked;
        }
        // An excerpt may end within a secret.
        let Some(cut) = text.strip_suffix('…') else { return };
        let last = value(cut.rsplit(ends).next().unwrap_or_default());
        let next = self.secrets.range::<str, _>((Included(last), Unbounded)).next();
        if last.chars().count() > 4 && next.is_some_and(|secret| secret.starts_with(last)) {
            *text = format!("{}{}", &cut[..cut.len() - last.len()], start(last));
        }
    }

    fn hide_json(&self, value: &mut Json) {
        match value {
            Json::String(text) => self.hide(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.hide_json(item)),
            Json::Object(entries) => *entries = self.hide_entries(std::mem::take(entries)),
            _ => {}
        }
    }

    fn hide_entries(&self, entries: Map<String, Json>) -> Map<String, Json> {
        let masked = entries.into_iter().map(|(mut key, mut value)| {
            self.hide(&mut key);
            self.hide_json(&mut value);
            (key, value)
        });
        masked.collect()
    }
}

/// What is shown of a secret.
fn start(secret: &str) -> String {
    secret.chars().take(4).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::fields::testing::quickly;
    use super::*;

    #[test]
    fn time_is_linear() {
        for part in [
            "a",
            "a1",
            "=",
            "-",
            "sk-",
            "AKIA",
            "sk-a1b2c3d4e5f6g7h8i9j0",
            "/",
            "a1B/",
            " ",
            "é",
            "ghp_0123456789abcdefghij0123456789abcdef ",
            "AKIAIOSFODNN7EXAMPLE…",
        ] {
            for start in ["", "sk-", "x=", "AKIA"] {
                let text = format!("{start}{}", part.repeat((1 << 20) / part.len()));
                quickly(part, || within(&text).count());
            }
        }
        let secret = "AKIAIOSFODNN7EXAMPLE".repeat(1 << 13);
        let secrets = BTreeSet::from([secret.clone(), secret[..1 << 16].to_owned()]);
        quickly("a long secret", || {
            let mut text = secret[1..].repeat(6) + "…";
            Mask::new(&secrets).hide(&mut text);
        });
    }

    #[test]
    fn what_looks_like_a_credential() {
        for (text, wanted) in [
            ("AKIAIOSFODNN7EXAMPL3", &["AKIAIOSFODNN7EXAMPL3"][..]),
            ("key: AKIAIOSFODNN7EXAMPL3, twice", &["AKIAIOSFODNN7EXAMPL3"]),
            (
                "ghp_0123456789abcdefghij0123456789abcdef",
                &["ghp_0123456789abcdefghij0123456789abcdef"],
            ),
            ("sk-ant-api03-Zm9vYmFyYmF6cXV4Cg", &["sk-ant-api03-Zm9vYmFyYmF6cXV4Cg"]),
            ("token=9f86d081884c7d659a2feaa0c55ad015", &["9f86d081884c7d659a2feaa0c55ad015"]),
            (
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                &["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"],
            ),
            ("AKIAIOSFODNN7EXAMPLE", &["AKIAIOSFODNN7EXAMPLE"]),
            ("AKIAIOSFODNNQEXAMPLE", &["AKIAIOSFODNNQEXAMPLE"]),
            (
                "ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
                &["ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"],
            ),
            ("sk_live_abcdefghijklmnop", &["sk_live_abcdefghijklmnop"]),
            ("aws-access-key-id", &[]),
            ("glpat-gitlab-personal-access-token-v2", &[]),
            ("AWS Access Key ID", &[]),
            ("AKIA[0-9A-Z]{16}", &[]),
            ("ghp_", &[]),
            ("sk-ant-api-key-of-the-vendor", &[]),
            ("generic-api-key-with-entropy-v2", &[]),
            ("GoogleCloudServiceAccountKey2", &[]),
            ("src/config/settings/production/keys.py:12", &[]),
            ("", &[]),
        ] {
            assert_eq!(within(text).collect::<Vec<_>>(), wanted, "{text}");
        }
    }

    #[test]
    fn a_secret_that_an_excerpt_cuts() {
        let secrets = BTreeSet::from(["AKIAIOSFODNN7EXAMPL3".to_owned()]);
        for (text, wanted) in [
            ("a AKIAIOSFODNN7EXAMPL3 b", "a AKIA… b"),
            ("a AKIAIOSFODNN7EX…", "a AKIA…"),
            ("a AKIA…", "a AKIA…"),
            ("a b…", "a b…"),
        ] {
            let mut text = text.to_owned();
            Mask::new(&secrets).hide(&mut text);
            assert_eq!(text, wanted);
        }
    }
}
