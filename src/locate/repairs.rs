//! The kinds of repair by which a block is found although its frame is broken.

use crate::repair::Kind;

/// The kinds of repair by which a block is found.
pub static REPAIRS: &[&Kind] =
    &[&DELIMITER_SPELLING, &CLOSER_NEARLY, &OPENER_MISSING, &HALF_FENCE, &CALL_AS_TEXT];

/// A delimiter line in another spelling.
pub static DELIMITER_SPELLING: Kind = Kind {
    code: "delimiter-spelling",
    meaning: "A line that says nothing but the delimiter's name is spelt otherwise: in capitals, with \
              blanks or underscores, with other dashes, in bold or code marks, behind a backslash, as \
              a tag; or words before the opening line announce the review, or the block starts right \
              behind it. It is read as the delimiter; a mention within a sentence is none.",
    before: "--- SDLC Review Output ---",
    after: "---sdlc-review-output---",
};
/// A closing line that is only nearly right.
pub static CLOSER_NEARLY: Kind = Kind {
    code: "closer-nearly-right",
    meaning: "The line right below an open block has a part of the closing line's name, one or two \
              letters of it wrong, or the right line is stuck to the end of the block's last one. It \
              closes the block, if no right closing line does.",
    before: "---end-sdlc-review---",
    after: "---end-sdlc-review-output---",
};
/// A block without its opening line.
pub static OPENER_MISSING: Kind = Kind {
    code: "opener-missing",
    meaning: "A closing line stands right below a mapping of its contract, and no opening line above \
              it. The block starts with the mapping.",
    before: "reviewer: Me\\nscore: 3\\nverdict: FAIL\\n---end-sdlc-review-output---",
    after: "---sdlc-review-output---\\nreviewer: Me\\nscore: 3\\nverdict: FAIL\\n\
            ---end-sdlc-review-output---",
};
/// A code fence that is closed within a block and opened nowhere in it.
pub static HALF_FENCE: Kind = Kind {
    code: "half-fence",
    meaning: "The last line of a block closes a code fence that no line of the block opens: it was \
              opened above the block, or not at all. The line is no part of the block.",
    before: "verdict: FAIL\\n```\\n---end-sdlc-review-output---",
    after: "verdict: FAIL\\n---end-sdlc-review-output---",
};
/// A tool call that was printed.
pub static CALL_AS_TEXT: Kind = Kind {
    code: "call-as-text",
    meaning: "A call of the tool that takes a review was printed as text, and never made. The review \
              in it is read; nothing says that the tool took it.",
    before: "<invoke name=\"submit_review\"><parameter name=\"verdict\">fail</parameter></invoke>",
    after: "{\"verdict\": \"fail\"}",
};
