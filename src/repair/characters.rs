//! Characters that look like others: what every repair of a syntax needs to know about them.
//!
//! Takes single characters, tells what they stand for. Knows nothing of YAML, JSON or contracts.

use super::Kind;

/// The kinds of repair that have to do with characters, in YAML and JSON alike.
pub static REPAIRS: &[&Kind] = &[&INVISIBLE, &BLANK, &FULL_WIDTH, &CURLY_QUOTES];

/// A character without width.
pub static INVISIBLE: Kind = Kind {
    code: "invisible-character",
    meaning: "A character that nobody sees (a byte order mark, a zero-width blank or joiner, a soft \
              hyphen) stands in a key, a delimiter or before a value. It is left out; within a text \
              it stays.",
    before: "ver\\u200bdict: FAIL",
    after: "verdict: FAIL",
};
/// A blank that is none for parsers.
pub static BLANK: Kind = Kind {
    code: "unusual-blank",
    meaning: "A no-break space or another blank that parsers take for a letter stands where the \
              syntax needs a blank. It is read as one; within a text it stays.",
    before: "score:\\u00a08",
    after: "score: 8",
};
/// Punctuation of another width.
pub static FULL_WIDTH: Kind = Kind {
    code: "full-width-punctuation",
    meaning: "A full-width colon, comma, bracket, brace or quote stands where the syntax needs its \
              ASCII twin. It is read as that; within a text it stays.",
    before: "score：8",
    after: "score: 8",
};
/// Typographic quotes.
pub static CURLY_QUOTES: Kind = Kind {
    code: "curly-quotes",
    meaning: "A key or value stands in typographic quotes. They are read as straight ones; within a \
              text they stay.",
    before: "verdict: “FAIL”",
    after: "verdict: \"FAIL\"",
};

/// Whether a character has no width and no meaning: it may stand anywhere, unseen.
pub fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{ad}' | '\u{180e}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is a blank that YAML and JSON take for a letter.
pub fn is_unusual_blank(char: char) -> bool {
    matches!(
        char,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// The ASCII character that a full-width one stands for in a syntax.
pub fn narrow(char: char) -> Option<char> {
    Some(match char {
        '：' | '﹕' | '︓' => ':',
        '，' | '﹐' | '、' => ',',
        '｛' => '{',
        '｝' => '}',
        '［' => '[',
        '］' => ']',
        '＂' => '"',
        '－' => '-',
        '＃' => '#',
        _ => return None,
    })
}

/// Whether a character is a typographic double quote.
pub fn is_curly_double(char: char) -> bool {
    matches!(char, '“' | '”' | '„' | '‟' | '«' | '»' | '＂' | '「' | '」')
}

/// Whether a character is a typographic single quote.
pub fn is_curly_single(char: char) -> bool {
    matches!(char, '‘' | '’' | '‚' | '‛' | '‹' | '›')
}
