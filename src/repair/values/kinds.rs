//! The kinds of repair of values.

use crate::repair::Kind;

/// A wrapper around the review or around a part of it.
pub static WRAPPER: Kind = Kind {
    code: "wrapper",
    meaning: "The review stands in a mapping with a single key that the contract does not know, or \
              is the only entry of a list; so may a part of it. What is within is read. Several \
              mappings in a list are not one review.",
    before: "{\"output\": {\"pass\": false, …}}",
    after: "{\"pass\": false, …}",
};
/// A mapping as a list of its pairs.
pub static PAIRS: Kind = Kind {
    code: "list-of-pairs",
    meaning: "Each key of a mapping stands in an entry of its own in a list. They are one mapping, \
              if no key stands twice.",
    before: "- score: 8\n- verdict: PASS",
    after: "score: 8\nverdict: PASS",
};
/// A key in another spelling.
pub static KEY: Kind = Kind {
    code: "key-spelling",
    meaning: "A key of the contract has another case, other joints between its words, or marks \
              around it. It is that key, unless the key is there as well: then neither counts.",
    before: "**Hardening Suggestions**: []",
    after: "hardening_suggestions: []",
};
/// JSON in a text.
pub static JSON_TEXT: Kind = Kind {
    code: "json-in-text",
    meaning: "Where a list or a mapping is asked for stands a text that is one, written as JSON. It \
              is read; its parts have the place of the text.",
    before: "\"findings\": \"[{\\\"severity\\\": \\\"low\\\"}]\"",
    after: "\"findings\": [{\"severity\": \"low\"}]",
};
/// An empty list in words.
pub static NONE: Kind = Kind {
    code: "empty-list-in-words",
    meaning: "Where a list is asked for stands a word that says that there is nothing to list \
              (`none`, `No findings.`, `N/A`), or an empty mapping. `null`, nothing, or a sentence \
              about some of the entries is no empty list.",
    before: "findings: No findings.",
    after: "findings: []",
};
/// A mapping where a list is asked for.
pub static LIST_OF_MAPPING: Kind = Kind {
    code: "mapping-for-list",
    meaning: "Where a list is asked for stands one entry of it, or a mapping of its entries under \
              numbers, under names, or grouped by severity. It is the list of these, in the order \
              of the text; a name is kept, and a group's word is that of its entries. Groups of \
              which one disagrees with its entries, and mere counts, are no list.",
    before: "findings: {\"1\": {…}, \"2\": {…}}",
    after: "findings: [{…}, {…}]",
};
/// A list in a list.
pub static LIST_IN_LIST: Kind = Kind {
    code: "list-in-list",
    meaning: "A list has one entry, which is the list that is asked for.",
    before: "\"findings\": [[{…}, {…}]]",
    after: "\"findings\": [{…}, {…}]",
};
/// A text where a mapping is asked for.
pub static TEXT_FOR_MAPPING: Kind = Kind {
    code: "text-for-mapping",
    meaning: "An entry of a list is a text where the contract asks for a mapping. It is kept as the \
              entry's message; what the text does not say is missing.",
    before: "findings:\n  - Query text is concatenated",
    after: "findings:\n  - (message) Query text is concatenated",
};
/// A word in another spelling.
pub static WORD: Kind = Kind {
    code: "word-spelling",
    meaning: "One of the contract's words has another case, other joints, marks around it, or a \
              symbol beside it that says the same. It is that word. A word with a condition, a \
              question or another word beside it is none.",
    before: "verdict: \"**Pass** ✅\"",
    after: "verdict: PASS",
};
/// A word with a remark.
pub static REMARK: Kind = Kind {
    code: "word-with-remark",
    meaning: "A remark stands behind a word that refuses, or behind the worst severity: it does not \
              soften it. A remark that takes the word back, and any remark behind an acceptance, \
              leaves no word at all.",
    before: "verdict: \"FAIL: layering\"",
    after: "verdict: FAIL",
};
/// A word in another form.
pub static FORM: Kind = Kind {
    code: "word-form",
    meaning: "A refusal stands in an inflected form or in another language. It is the contract's \
              word for it. An acceptance is taken in no other form.",
    before: "verdict: failed",
    after: "verdict: fail",
};
/// A number in a text.
pub static NUMBER: Kind = Kind {
    code: "number-in-text",
    meaning: "Where a number is asked for stands a text that is one, in quotes or marks, or out of \
              the contract's own scale. It is that number. Nothing is computed or rounded: `4/5`, \
              `85%` and `~8` are no numbers.",
    before: "score: 8/10",
    after: "score: 8",
};
/// A boolean in a text.
pub static BOOLEAN: Kind = Kind {
    code: "boolean-in-text",
    meaning: "Where `true` or `false` is asked for stands a text that is one. Other words are read \
              only towards the side that speaks against the work: `no` is no pass, `yes` is none \
              either.",
    before: "\"pass\": \"false\"",
    after: "\"pass\": false",
};
/// A number where a text is asked for.
pub static VALUE_FOR_TEXT: Kind = Kind {
    code: "value-for-text",
    meaning: "A number, `true` or `false` stands without quotes where JSON needs a text. The text \
              is what was written.",
    before: "\"phase\": 4",
    after: "\"phase\": \"4\"",
};
/// A list where a text is asked for.
pub static LIST_FOR_TEXT: Kind = Kind {
    code: "list-for-text",
    meaning: "Where one text is asked for stands a list of texts. They are its lines.",
    before: "\"reasoning\": [\"One.\", \"Two.\"]",
    after: "\"reasoning\": \"One.\\nTwo.\"",
};
/// A location in parts.
pub static LOCATION: Kind = Kind {
    code: "location-in-parts",
    meaning: "A location is a mapping of a file and a line where one text is asked for. It is \
              `FILE:LINE`.",
    before: "location: {file: src/a.rs, line: 4}",
    after: "location: src/a.rs:4",
};
