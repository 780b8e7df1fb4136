//! Needles: the texts without which there is no review.
//!
//! All of them are searched at once over raw bytes, before anything is split, decoded or parsed.
//! They hold no byte that JSON escapes, so they are found in an escaped text as well. Takes bytes,
//! gives [`Hit`]s; what a hit means is told where its line is looked at.

use std::borrow::Cow;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::contract::{CONTRACTS, Contract};
use crate::transcript;

/// What a needle is for.
#[derive(Clone, Copy)]
pub enum Needle {
    /// The name in a contract's delimiter lines.
    Delimiter(&'static dyn Contract),
    /// Stands in the blocks of a contract and in little else.
    Sure,
    /// Stands in the blocks of contracts, and in much else.
    Weak,
    /// Opens or closes a passage of reasoning.
    Thinking,
    /// Stands in records that say what others need.
    Record,
}

/// Where a needle stands.
#[derive(Clone, Copy)]
pub struct Hit {
    /// Its first byte.
    pub at: u64,
    /// The byte after its last.
    pub end: u64,
    /// What it is for.
    pub needle: Needle,
}

/// The tags around reasoning, without the mark that closes them.
const THINKING: [&str; 4] = ["<think", "</think", "<reasoning>", "</reasoning>"];

struct Needles {
    searcher: AhoCorasick,
    kinds: Vec<Needle>,
    longest: usize,
}

fn needles() -> &'static Needles {
    static NEEDLES: OnceLock<Needles> = OnceLock::new();
    NEEDLES.get_or_init(|| {
        let mut texts: Vec<Cow<'static, [u8]>> = Vec::new();
        let mut kinds = Vec::new();
        let mut put = |text: Cow<'static, [u8]>, needle: Needle| {
            if !texts.contains(&text) {
                texts.push(text);
                kinds.push(needle);
            }
        };
        for contract in CONTRACTS {
            if let Some(name) = contract.delimiter() {
                put(name.as_bytes().into(), Needle::Delimiter(*contract));
                let spellings = spellings(name).into_iter().map(String::into_bytes);
                for spelling in spellings.chain(unusual(name)) {
                    put(spelling.into(), Needle::Delimiter(*contract));
                }
            }
        }
        let mut add = |text: &'static str, needle: Needle| put(text.as_bytes().into(), needle);
        for contract in CONTRACTS {
            for text in contract.needles() {
                add(text, Needle::Sure);
            }
        }
        for contract in CONTRACTS {
            for text in contract.weak_needles() {
                add(text, Needle::Weak);
            }
        }
        for text in THINKING {
            add(text, Needle::Thinking);
        }
        for text in transcript::NEEDLES {
            add(text, Needle::Record);
        }
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or_default();
        // Only the leftmost kinds of match have a SIMD prefilter, and it takes no more needles.
        debug_assert!(texts.len() <= 64, "{} needles", texts.len());
        let searcher = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(&texts)
            .expect("invariant: a handful of short needles fits any searcher");
        Needles { searcher, kinds, longest }
    })
}

/// The spellings of a delimiter's name that are searched for: its words in small letters, in capitals
/// or with capitals before them, the first one perhaps an abbreviation; with hyphens, blanks,
/// underscores or nothing between them. More of them cost the search its speed.
fn spellings(name: &str) -> Vec<String> {
    type Case<'c> = &'c dyn Fn(&str) -> String;
    let words: Vec<&str> = name.split('-').collect();
    let title = |word: &str| {
        let (first, rest) = word.split_at_checked(1).unwrap_or_default();
        first.to_ascii_uppercase() + rest
    };
    let same = |word: &str| word.to_owned();
    let upper = |word: &str| word.to_ascii_uppercase();
    let cases: [(Case<'_>, Case<'_>); 6] = [
        (&same, &same),
        (&upper, &upper),
        (&title, &title),
        (&upper, &title),
        (&upper, &same),
        (&title, &same),
    ];
    let mut spellings = Vec::new();
    for between in ["-", " ", "_", ""] {
        for (first, other) in cases {
            let words = words.iter().enumerate();
            let words = words.map(|(at, word)| if at == 0 { first(word) } else { other(word) });
            spellings.push(words.collect::<Vec<_>>().join(between));
        }
    }
    spellings
}

/// The starts of a delimiter's name with an unusual character behind them, by the first bytes of it:
/// hyphens, blanks and what nobody sees between two words.
fn unusual(name: &str) -> Vec<Vec<u8>> {
    /// Of U+2000 to U+203F, U+2212, and U+00A0 with U+00AD.
    const STARTS: [&[u8]; 3] = [b"\xe2\x80", b"\xe2\x88", b"\xc2"];
    let first = name.split('-').next().unwrap_or_default();
    let joined = |word: &str, start: &[u8]| [word.as_bytes(), start].concat();
    let cases = [first.to_owned(), first.to_ascii_uppercase()];
    let mut unusual: Vec<_> =
        cases.iter().flat_map(|word| STARTS.map(|start| joined(word, start))).collect();
    for (at, _) in name.match_indices('-') {
        unusual.push(joined(&name[..=at], STARTS[0]));
    }
    unusual
}

/// Bytes of the longest needle.
pub fn longest() -> usize {
    needles().longest
}

/// Whether any needle stands in `bytes`.
pub fn any(bytes: &[u8]) -> bool {
    needles().searcher.is_match(bytes)
}

/// Every hit in `bytes`, in order; `base` is the offset of the first byte.
pub fn hits(bytes: &[u8], base: u64) -> impl Iterator<Item = Hit> + '_ {
    let needles = needles();
    needles.searcher.find_iter(bytes).map(move |found| Hit {
        at: base + found.start() as u64,
        end: base + found.end() as u64,
        needle: needles.kinds[found.pattern().as_usize()],
    })
}
