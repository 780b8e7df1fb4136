//! The kinds of repair of JSON.

use crate::repair::Kind;

/// All of them.
pub static ALL: &[&Kind] = &[
    &TRAILING_COMMA,
    &MISSING_COMMA,
    &COMMENT,
    &SINGLE_QUOTES,
    &LITERAL,
    &CONTROL,
    &ESCAPE,
    &INNER_QUOTES,
    &KEY_QUOTES,
    &TEXT_QUOTES,
    &COLON,
    &ELLIPSIS,
    &ESCAPED_TWICE,
    &BRACKET,
];

/// A comma with nothing behind it.
pub static TRAILING_COMMA: Kind = Kind {
    code: "json-trailing-comma",
    meaning: "A comma stands before a closing bracket, at the end of the value, or twice. It is \
              left out.",
    before: "\"findings\": [{\"issue\": \"x\",},],",
    after: "\"findings\": [{\"issue\": \"x\"}]",
};
/// No comma.
pub static MISSING_COMMA: Kind = Kind {
    code: "json-missing-comma",
    meaning: "No comma stands between two members of an object or a list. It is put in where the \
              next member is sure to start: a key of the contract, or an opening bracket.",
    before: "\"pass\": false \"iteration\": 1",
    after: "\"pass\": false, \"iteration\": 1",
};
/// A comment.
pub static COMMENT: Kind = Kind {
    code: "json-comment",
    meaning: "A comment (`//`, `/* */` or `#`) stands between the parts of a value. It is left out; \
              within a text it stays.",
    before: "\"pass\": false, // one blocker",
    after: "\"pass\": false,",
};
/// Single quotes around texts.
pub static SINGLE_QUOTES: Kind = Kind {
    code: "json-single-quotes",
    meaning: "Keys or texts stand in single quotes, as Python writes them. An apostrophe within a \
              text does not end it. Named once, at the first of them.",
    before: "{'issue': 'Worker doesn't stop'}",
    after: "{\"issue\": \"Worker doesn't stop\"}",
};
/// A literal of another language.
pub static LITERAL: Kind = Kind {
    code: "json-literal",
    meaning: "`True`, `False` or `None`, as Python writes them, or `undefined`, stand for JSON's \
              `true`, `false` and `null`.",
    before: "\"pass\": False",
    after: "\"pass\": false",
};
/// A control character in a text.
pub static CONTROL: Kind = Kind {
    code: "json-control-character",
    meaning: "A line break, a tab or another control character stands in a text as it is. It stays.",
    before: "\"issue\": \"First line\nsecond line\"",
    after: "\"issue\": \"First line\\nsecond line\"",
};
/// A backslash that escapes nothing.
pub static ESCAPE: Kind = Kind {
    code: "json-escape",
    meaning: "A backslash stands before a character that JSON does not escape: the text was not \
              escaped at all. Every backslash in it is itself, but for one before a quote.",
    before: "\"file\": \"C:\\src\\new.rs\"",
    after: "\"file\": \"C:\\\\src\\\\new.rs\"",
};
/// Quotes within a text.
pub static INNER_QUOTES: Kind = Kind {
    code: "json-inner-quotes",
    meaning: "A text holds quotes that are not escaped. A quote ends the text only where a part of \
              the object follows.",
    before: "\"fix\": \"Move the \"set\" step up\"",
    after: "\"fix\": \"Move the \\\"set\\\" step up\"",
};
/// A key without quotes.
pub static KEY_QUOTES: Kind = Kind {
    code: "json-key-quotes",
    meaning: "A key stands without quotes, with one of them, or in marks of Markdown.",
    before: "{pass: false}",
    after: "{\"pass\": false}",
};
/// A text without quotes.
pub static TEXT_QUOTES: Kind = Kind {
    code: "json-text-quotes",
    meaning: "A text, or a score out of its scale, stands without quotes where the contract asks \
              for one. It goes as far as its \
              line, or to the comma before the next key.",
    before: "\"issue\": Lock order differs,",
    after: "\"issue\": \"Lock order differs\",",
};
/// Another sign than a colon.
pub static COLON: Kind = Kind {
    code: "json-colon",
    meaning: "`=`, `=>` or `;` stands between a key and its value, or, behind a key of the contract \
              in quotes, nothing. It is read as a colon.",
    before: "\"iteration\" => 1",
    after: "\"iteration\": 1",
};
/// Dots for what was left out.
pub static ELLIPSIS: Kind = Kind {
    code: "json-ellipsis",
    meaning: "Dots stand where more members were. They are left out, and the review is malformed: \
              nobody knows what is missing.",
    before: "\"findings\": [{\"issue\": \"x\"}, ...]",
    after: "\"findings\": [{\"issue\": \"x\"}]",
};
/// Escaped once too often.
pub static ESCAPED_TWICE: Kind = Kind {
    code: "json-escaped-twice",
    meaning: "Every quote of the object has a backslash before it, or the whole object stands in a \
              string: it was escaped once too often. One layer is taken off.",
    before: "{\\\"verdict\\\": \\\"fail\\\"}",
    after: "{\"verdict\": \"fail\"}",
};
/// Brackets that do not match.
pub static BRACKET: Kind = Kind {
    code: "json-bracket",
    meaning: "A closing bracket is missing before that of a part around it, or stands once too \
              often at the end. A part that is not closed because the text ends is never mended.",
    before: "\"findings\": [{\"issue\": \"x\"]}",
    after: "\"findings\": [{\"issue\": \"x\"}]}",
};
