//! Words: which of a contract's words a text stands for.
//!
//! Takes a text and the words that may stand there, gives one of them, or none. Case, blanks and
//! decoration are dropped for any word. Only a word that speaks against what is reviewed is taken
//! in another form (`failed`, `échec`), or with a remark behind it: a remark may take back what it
//! follows, and no praise is read out of a text that says more than the praise. A text that says
//! both (`FAIL -> PASS`) stands for nothing. Knows nothing of contracts but their vocabulary.

mod decoration;
mod none;
mod numbers;
#[cfg(test)]
mod tests;

pub use decoration::strip;
pub use none::says_none;
pub use numbers::number;

use super::characters;
use decoration::Symbol;

/// How a text says its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// In another spelling, or decorated.
    Spelling,
    /// With a remark behind it.
    Remark,
    /// In an inflected form, or in another language.
    Form,
}

/// What a word says of the work that is reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// It is accepted.
    Good,
    /// It is refused, or somebody else must decide; the worst severity.
    Bad,
    /// A grave severity, but not the worst.
    Grave,
    /// Another severity.
    Mild,
    /// Nothing that is known here.
    Neutral,
}

/// The tones of the contracts' words, in small letters with one blank between their parts.
const TONES: &[(Tone, &[&str])] = &[
    (Tone::Good, &["pass", "approve", "approved", "patch is correct"]),
    (Tone::Bad, &["fail", "critical fail", "reject", "rejected", "patch is incorrect"]),
    (Tone::Bad, &["escalate", "escalated to user", "critical", "blocking"]),
    (Tone::Grave, &["high", "important"]),
    (Tone::Mild, &["medium", "low", "info", "suggestion"]),
];

/// Words that refuse and nothing else, one per contract: what the other forms stand for.
const REFUSALS: &[&str] = &["fail", "reject", "rejected", "patch is incorrect"];

/// Other forms of a refusal: English first, then as models answer in other languages.
const REFUSED: &[&str] = &[
    "fail",
    "failed",
    "fails",
    "failing",
    "failure",
    "reject",
    "rejected",
    "rejects",
    "rejecting",
    "rejection",
    "incorrect",
    "the patch is incorrect",
    "patch is not correct",
    "the patch is not correct", // German
    "fehlgeschlagen",
    "gescheitert",
    "durchgefallen",
    "nicht bestanden",
    "abgelehnt",
    // French
    "échec",
    "echec",
    "échoué",
    "echoue",
    "rejeté",
    "rejete",
    "refusé",
    "refuse",
    // Spanish, Portuguese, Italian
    "fallo",
    "fallido",
    "rechazado",
    "falha",
    "falhou",
    "reprovado",
    "rejeitado",
    "fallito",
    "respinto", // Chinese, Japanese, Korean, Russian
    "不通过",
    "未通过",
    "不合格",
    "失败",
    "失敗",
    "拒绝",
    "驳回",
    "却下",
    "실패",
    "провал",
    "отклонено",
];

/// Other forms of a hard stop.
const STOPPED: &[&str] =
    &["critical failure", "critical failed", "critical fails", "critically failed"];

/// Other forms of handing the decision to somebody else.
const ESCALATED: &[&str] = &[
    "escalate",
    "escalated",
    "escalates",
    "escalating",
    "escalation",
    "escalate to user",
    "escalated to user",
];

/// Words that take back the refusal before them. Whoever writes both has said two things.
const TAKEN_BACK: &[&str] = &[
    "pass",
    "passed",
    "passes",
    "passing",
    "approve",
    "approved",
    "approves",
    "accepted",
    "lgtm",
    "fixed",
    "resolved",
    "waived",
    "overridden",
    "overruled",
];

/// A way to say a word: letters in the form of [`TONES`].
#[derive(Clone, Copy)]
struct Form<'f, 'w> {
    letters: &'f str,
    word: &'w str,
    how: How,
}

/// The word that `text` stands for, and how it says it.
pub fn word<'w>(text: &str, words: &'w [String]) -> Option<(&'w str, How)> {
    let folded: Vec<(String, &str)> =
        words.iter().map(|word| (letters(word), word.as_str())).collect();
    let bad = || folded.iter().filter(|(word, _)| tone(word) == Tone::Bad);
    let spelt = folded.iter().find(|(word, _)| says(text, word, tone(word)));
    if let Some((_, word)) = spelt {
        return Some((word, How::Spelling));
    }
    let among = |known: &[&str]| {
        bad().find(|(word, _)| known.contains(&word.as_str())).map(|(_, word)| *word)
    };
    let targets = [
        (REFUSED, among(REFUSALS)),
        (STOPPED, among(&["critical fail"])),
        (ESCALATED, among(&["escalate", "escalated to user"])),
    ];
    let own = bad().map(|(letters, word)| Form { letters, word, how: How::Spelling });
    let others = targets.iter().filter_map(|(forms, word)| Some((forms, (*word)?)));
    let others = others.flat_map(|(forms, word)| {
        forms.iter().map(move |&letters| Form { letters, word, how: How::Form })
    });
    let (form, how) = longest(text, own.chain(others))?;
    let own = letters(form.word);
    let said = phrase(text);
    // What stands in the form itself is no second word.
    let rest = said.replacen(&format!(" {} ", form.letters), "  ", 1);
    let sorted = |text: &str| {
        let mut parts: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        parts.sort_unstable();
        parts
    };
    let parts = sorted(&said);
    let is_rival = |word: &str| {
        let is_part = own.split(' ').any(|part| part == word) || word == own;
        // `FAIL (critical)` may mean one word or the other.
        !is_part && (rest.contains(&format!(" {word} ")) || sorted(word) == parts)
    };
    let mut known = folded.iter().filter(|(word, _)| tone(word) != Tone::Neutral);
    (!known.any(|(word, _)| is_rival(word))).then_some((form.word, how))
}

/// Whether a text means `true` or `false`, where `bad` is the one that speaks against the work.
pub fn boolean(text: &str, bad: bool) -> Option<(bool, How)> {
    let names = |value: bool| if value { "true" } else { "false" };
    if says(text, names(!bad), Tone::Good) {
        return Some((!bad, How::Spelling));
    }
    let others: &[&str] = if bad {
        &["yes", "y", "on", "ja", "oui", "sí", "escalate", "escalated"]
    } else {
        &["no", "n", "off", "nein", "non", "nope", "否", "fail", "failed"]
    };
    let own = Form { letters: names(bad), word: names(bad), how: How::Spelling };
    let others = others.iter().map(|&letters| Form { letters, word: names(bad), how: How::Form });
    let (_, how) = longest(text, std::iter::once(own).chain(others))?;
    let against = if bad { ["false", "no", "not"] } else { ["true", "yes", "ok"] };
    let said = phrase(text);
    (!against.iter().any(|word| said.contains(&format!(" {word} ")))).then_some((bad, how))
}

/// The tone of a word in the form of [`TONES`].
pub(super) fn tone(letters: &str) -> Tone {
    let known = TONES.iter().find(|(_, words)| words.contains(&letters));
    known.map_or(Tone::Neutral, |(tone, _)| *tone)
}

/// A text in small letters, one blank between its parts, whatever joined them. What is no letter
/// and joins nothing stays.
pub(super) fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    let mut is_apart = false;
    for char in text.chars().filter(|char| !characters::is_invisible(*char)) {
        if char.is_whitespace() || matches!(char, '_' | '-' | '\\') {
            is_apart = true;
            continue;
        }
        if is_apart && !letters.is_empty() {
            letters.push(' ');
        }
        is_apart = false;
        letters.extend(plain(char).to_lowercase());
    }
    letters
}

/// The words of a text, with a blank on each side.
fn phrase(text: &str) -> String {
    let mut phrase = String::from(" ");
    for part in text.split(|char: char| !char.is_alphanumeric()).filter(|part| !part.is_empty()) {
        phrase.extend(part.chars().flat_map(char::to_lowercase));
        phrase.push(' ');
    }
    phrase
}

/// The ASCII twin of a full-width letter or digit.
fn plain(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
        _ => char,
    }
}

/// Whether a text is a word and its decoration, and nothing else.
fn says(text: &str, word: &str, tone: Tone) -> bool {
    // No word is that long; what is decorated so much is something else.
    if text.len() > 200 {
        return false;
    }
    let core = strip(text, &|symbol| suits(symbol, tone));
    // A joint joins two parts: `PASS -` breaks off.
    let joints = ['_', '-', '\\'];
    if core.starts_with(joints) || core.ends_with(joints) {
        return false;
    }
    let core = letters(core);
    core == word || (!core.contains(' ') && core == word.replace(' ', ""))
}

/// Whether a symbol beside a word of this tone says nothing against it.
fn suits(symbol: Symbol, tone: Tone) -> bool {
    match tone {
        Tone::Good => matches!(symbol, Symbol::Cheer | Symbol::Green | Symbol::Plain),
        Tone::Bad | Tone::Grave => matches!(symbol, Symbol::Stop | Symbol::Warning | Symbol::Plain),
        Tone::Mild => matches!(symbol, Symbol::Warning | Symbol::Green | Symbol::Plain),
        Tone::Neutral => symbol == Symbol::Plain,
    }
}

/// The longest of `forms` that a text starts with, if nothing behind it takes it back.
fn longest<'f, 'w>(
    text: &str,
    forms: impl Iterator<Item = Form<'f, 'w>>,
) -> Option<(Form<'f, 'w>, How)> {
    let start = decoration::lead(text, &|symbol| suits(symbol, Tone::Bad));
    let fits = |form: Form<'f, 'w>| Some((form, end_of(start, form.letters)?));
    // The first of two that are as long is the contract's own.
    let (form, end) = forms.filter_map(fits).reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let behind = &start[end..];
    if decoration::contradicts(text, &|symbol| suits(symbol, Tone::Bad)) {
        return None;
    }
    let rest = decoration::tail(behind, &|symbol| suits(symbol, Tone::Bad));
    if rest.chars().all(|char| matches!(char, '.' | ',' | ';' | '!')) && rest.len() <= 1 {
        return Some((form, form.how));
    }
    if !is_remark(behind, rest) {
        return None;
    }
    // `FAIL: <reason>` stands in a form.
    if rest.contains("{{") || rest.find('<').is_some_and(|at| rest[at..].contains('>')) {
        return None;
    }
    let said = phrase(rest);
    let is_nothing = matches!(said.trim(), "" | "0" | "none" | "no" | "null" | "n a");
    let is_taken_back = TAKEN_BACK.iter().any(|word| said.contains(&format!(" {word} ")));
    (!is_nothing && !is_taken_back).then_some((
        form,
        match form.how {
            How::Form => How::Form,
            _ => How::Remark,
        },
    ))
}

/// Where the form at the start of a text ends; `None` if there is none, or the word goes on.
fn end_of(text: &str, form: &str) -> Option<usize> {
    let is_joint = |char: char| char.is_whitespace() || matches!(char, '_' | '-' | '\\');
    let mut rest = text;
    for wanted in form.chars() {
        if wanted == ' ' {
            rest = rest.trim_start_matches(|char| is_joint(char) || characters::is_invisible(char));
            continue;
        }
        rest = rest.trim_start_matches(characters::is_invisible);
        let char = rest.chars().next()?;
        if !plain(char).to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
        rest = &rest[char.len_utf8()..];
    }
    // `_` between letters is a part of a word, at its end it is a mark.
    let after = rest.trim_start_matches('_');
    let goes_on = after.starts_with(char::is_alphanumeric);
    (!goes_on).then_some(text.len() - rest.len())
}

/// Whether what stands behind a word is a remark on it. `rest` is the same without the marks that
/// close around the word.
fn is_remark(behind: &str, rest: &str) -> bool {
    let before = &behind[..behind.len() - rest.len()];
    let mut chars = rest.chars();
    let Some(first) = chars.next() else { return false };
    let next_is_blank = chars.clone().next().is_none_or(char::is_whitespace);
    match first {
        ':' | '：' | '(' | '（' | '[' | '，' | '；' | '。' | '！' | '—' | '–' | '―' => {
            true
        }
        '.' | ',' | ';' | '!' => next_is_blank,
        '-' => {
            let is_arrow = chars.as_str().trim_start_matches('-').starts_with('>');
            !is_arrow && (next_is_blank || before.ends_with(char::is_whitespace))
        }
        _ => before.contains('\n'),
    }
}
