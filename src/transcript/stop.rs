//! Why a model stopped where its message ends.
//!
//! Takes what a transcript names as the reason, gives what it means for a review in the message.
//! A reason that nobody knows is none.

use super::Raw;

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It had said what it meant to say, or called a tool.
    Ended,
    /// It came to the limit of tokens: its answer is cut.
    Limit,
}

/// Keys under which the reason stands.
const KEYS: [&str; 5] =
    ["stop_reason", "finish_reason", "stopReason", "finishReason", "incomplete_details"];

/// Reasons, in the words of all APIs.
const REASONS: [(&str, Stop); 16] = [
    ("max_tokens", Stop::Limit),
    ("length", Stop::Limit),
    ("max_output_tokens", Stop::Limit),
    ("MAX_TOKENS", Stop::Limit),
    ("model_length", Stop::Limit),
    ("token_limit", Stop::Limit),
    ("model_context_window_exceeded", Stop::Limit),
    ("maxTokens", Stop::Limit),
    ("end_turn", Stop::Ended),
    ("stop", Stop::Ended),
    ("STOP", Stop::Ended),
    ("stop_sequence", Stop::Ended),
    ("tool_use", Stop::Ended),
    ("tool_calls", Stop::Ended),
    ("toolUse", Stop::Ended),
    ("endTurn", Stop::Ended),
];

impl Stop {
    /// Why the model stopped that said this message, or wrote what is said under this key of a record.
    pub fn of(message: &Raw<'_>) -> Option<Self> {
        let reasons = message.fields(KEYS);
        reasons.into_iter().flatten().find_map(|reason| {
            let reason = reason.get("reason").unwrap_or(reason);
            REASONS.iter().find(|(word, _)| reason.is(word)).map(|(_, stop)| *stop)
        })
    }
}
