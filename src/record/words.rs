//! The words of the wire format: enums whose variants are what stands in the output.

/// Declares an enum whose variants have the names that stand in the output.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All of them, in their order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that stands in the output and on the command line.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|each| each.word() == word).ok_or_else(|| {
                    let all: Vec<_> = Self::ALL.iter().map(|each| each.word()).collect();
                    format!("`{word}` is none of {}", all.join(", "))
                })
            }
        }
    };
}

words! {
    /// What is to be said about a review against its contract; not about what it reviews.
    Status {
        /// Keeps its contract; warnings and notes do not count.
        Valid = "valid",
        /// Well shaped, but its fields contradict each other.
        Inconsistent = "inconsistent",
        /// Not of the contract's shape.
        Invalid = "invalid",
        /// Its YAML or JSON is broken; what was read with certainty is kept.
        Malformed = "malformed",
        /// Its end is missing; what was read with certainty is kept.
        Incomplete = "incomplete",
        /// A reviewer's message with a score in prose and no block.
        MissingBlock = "missing-block",
        /// An unfilled form of the contract (only with `--templates`).
        Template = "template",
    }
}

words! {
    /// What the review says, in one scale for all contracts.
    Verdict {
        /// Accepted.
        Pass = "pass",
        /// Refused.
        Fail = "fail",
        /// Handed to a person.
        Escalate = "escalate",
    }
}

words! {
    /// How a block was carried.
    Carrier {
        /// Between an opening and a closing line of the contract's own.
        Delimited = "delimited",
        /// In a Markdown code fence.
        Fenced = "fenced",
        /// As it is: a whole message, a whole file, or a JSON object in prose.
        Bare = "bare",
        /// As the input of a tool call.
        ToolInput = "tool-input",
        /// As the content of a file that a tool call writes.
        File = "file",
        /// As an event that the agent tool itself records.
        Event = "event",
    }
}

words! {
    /// Who speaks.
    Channel {
        /// The agent.
        Assistant = "assistant",
        /// The agent, in the input of a tool call.
        ToolInput = "tool-input",
        /// A sub-agent, as relayed to its parent.
        AgentResult = "agent-result",
        /// The agent tool itself.
        Event = "event",
        /// A log without roles.
        Text = "text",
        /// What a tool gave back.
        ToolResult = "tool-result",
        /// A person, or what is put in a person's place.
        User = "user",
        /// Instructions.
        System = "system",
        /// Reasoning.
        Thinking = "thinking",
        /// A summary of the session so far.
        Summary = "summary",
    }
}

impl Channel {
    /// Those that are read when none are named.
    pub const DEFAULT: &'static [Self] =
        &[Self::Assistant, Self::ToolInput, Self::AgentResult, Self::Event, Self::Text];

    /// Whether it is read only where it is named.
    pub fn is_hidden(self) -> bool {
        !Self::DEFAULT.contains(&self)
    }
}

words! {
    /// How much a violation weighs.
    Level {
        /// Makes the review `invalid`, or `malformed` where the syntax is broken.
        Error = "error",
        /// Makes the review `inconsistent`.
        Conflict = "conflict",
        /// No effect on the status.
        Warning = "warning",
        /// No effect on the status.
        Note = "note",
    }
}

words! {
    /// Where a rule comes from.
    Basis {
        /// YAML or JSON itself.
        Syntax = "syntax",
        /// The contract's schema: type, required, enum, range, pattern, closed object.
        Schema = "schema",
        /// What the contract's document states in words only.
        Prose = "prose",
    }
}

pub(crate) use words;
