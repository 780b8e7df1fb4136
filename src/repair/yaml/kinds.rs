//! The kinds of repair of YAML.
//!
//! Names what the reader mends; knows nothing of how.

use crate::repair::Kind;

/// The kinds of repair of YAML.
pub static REPAIRS: &[&Kind] = &[
    &QUOTE_PLAIN,
    &HASH,
    &INNER_QUOTES,
    &BACKSLASH,
    &UNCLOSED_QUOTE,
    &TRAILING_COMMA,
    &TAB,
    &INDENT,
    &ITEM_MARK,
    &BLOCK_SCALAR,
    &CONTINUATION,
    &BLANK_AFTER_COLON,
    &DOCUMENT_MARK,
    &DIFF_MARK,
    &KEY,
];

/// A plain text that means something else to YAML.
pub static QUOTE_PLAIN: Kind = Kind {
    code: "yaml-quote-plain",
    meaning: "A text without quotes holds a colon with a blank, or starts with a character that \
              YAML gives a meaning. The line is the text, as it stands.",
    before: "description: Retry loop never stops: no cap",
    after: "description: \"Retry loop never stops: no cap\"",
};
/// A text that a number sign would cut.
pub static HASH: Kind = Kind {
    code: "yaml-hash-in-text",
    meaning: "A number sign behind a blank starts a comment in YAML, which cuts the text before it. \
              In a text it is part of the text; behind a word of the outcome it is, where the \
              comment may take that word back.",
    before: "description: Same bug as in PR #412",
    after: "description: \"Same bug as in PR #412\"",
};
/// Quotes within quotes.
pub static INNER_QUOTES: Kind = Kind {
    code: "yaml-inner-quotes",
    meaning: "A text in quotes holds the same quotes or apostrophes, not escaped. The outer ones go, \
              the inner ones stay.",
    before: "description: \"The \"retry\" flag is ignored\"",
    after: "description: \"The \\\"retry\\\" flag is ignored\"",
};
/// Backslashes that escape nothing.
pub static BACKSLASH: Kind = Kind {
    code: "yaml-backslash",
    meaning: "A text in double quotes holds a backslash that is no escape of YAML: the text was not \
              escaped at all, and each of its backslashes stays.",
    before: "description: \"The pattern ^\\d+$ is too wide\"",
    after: "description: 'The pattern ^\\d+$ is too wide'",
};
/// A quote without its twin.
pub static UNCLOSED_QUOTE: Kind = Kind {
    code: "yaml-unclosed-quote",
    meaning: "A text starts with a quote that is not closed before the next key or the end of the \
              block. It ends there.",
    before: "description: \"The guard is gone",
    after: "description: \"The guard is gone\"",
};
/// The separator of JSON behind a value.
pub static TRAILING_COMMA: Kind = Kind {
    code: "yaml-trailing-comma",
    meaning: "A comma or semicolon follows a text in quotes or a list or mapping in brackets, as in \
              JSON. It is left out.",
    before: "description: \"The guard is gone\",",
    after: "description: \"The guard is gone\"",
};
/// Tabs.
pub static TAB: Kind = Kind {
    code: "yaml-tab",
    meaning: "A line is indented with a tab, or a tab follows the dash of a list. It counts as \
              blanks.",
    before: "findings:\\n\\t- severity: high",
    after: "findings:\\n    - severity: high",
};
/// Keys and items in a wrong column.
pub static INDENT: Kind = Kind {
    code: "yaml-indent",
    meaning: "A key or the dash of a list item stands in a column that fits nothing above it. The \
              contract's keys tell where it belongs.",
    before: "- severity: high\\n - severity: low",
    after: "- severity: high\\n- severity: low",
};
/// Items without the dash of YAML.
pub static ITEM_MARK: Kind = Kind {
    code: "yaml-item-mark",
    meaning: "An item of a list has no blank behind its dash, or another mark in its place (`*`, `+`, \
              `•`, `1.`). It is read as an item where the contract asks for a list.",
    before: "-severity: high",
    after: "- severity: high",
};
/// Lines of a block scalar in a wrong column.
pub static BLOCK_SCALAR: Kind = Kind {
    code: "yaml-block-scalar",
    meaning: "Lines of a block scalar (`|`, `>`) are indented less than they must be. The text goes \
              on up to the next key of the contract.",
    before: "description: |\\nThe name hides a write.",
    after: "description: |\\n  The name hides a write.",
};
/// A text that goes on in a line that looks like another thing.
pub static CONTINUATION: Kind = Kind {
    code: "yaml-continuation",
    meaning: "A text goes on in a line that is not indented, or that YAML takes for a key. What is \
              no key of the contract and holds blanks is the text's next line.",
    before: "reasoning: The write path is safe\\nbut one note: the read path is not",
    after: "reasoning: \"The write path is safe but one note: the read path is not\"",
};
/// A key with its value right behind the colon.
pub static BLANK_AFTER_COLON: Kind = Kind {
    code: "yaml-blank-after-colon",
    meaning: "A key of the contract has no blank behind its colon.",
    before: "score:8",
    after: "score: 8",
};
/// Marks of documents.
pub static DOCUMENT_MARK: Kind = Kind {
    code: "yaml-document-mark",
    meaning: "A line `---` or `...`, which starts or ends a YAML document, a rule, or the line of a \
              code fence stands within the block, or a lone `yaml` before it. Between keys it is \
              passed over, in a text it is text.",
    before: "reviewer: Security Reviewer\\n---\\nscore: 5",
    after: "reviewer: Security Reviewer\\nscore: 5",
};
/// The mark of a diff.
pub static DIFF_MARK: Kind = Kind {
    code: "yaml-diff-mark",
    meaning: "A line of a block scalar has the `+` of a diff in its first column, before its \
              indentation. The mark is left out.",
    before: "  fix: |\\n    Change to:\\n+    let limit = 3;",
    after: "  fix: |\\n    Change to:\\n    let limit = 3;",
};
/// A key in another spelling.
pub static KEY: Kind = Kind {
    code: "yaml-key",
    meaning: "A key of the contract stands in bold, in back-ticks, with other capitals, with blanks, \
              hyphens or underscores in place of one another, or with an equals sign for its colon.",
    before: "**Score:** 8",
    after: "score: 8",
};
