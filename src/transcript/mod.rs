//! Transcripts: what a frame of a tool's log says, and who says it.
//!
//! A transcript format is one file that implements [`Transcript`] and one line in [`TRANSCRIPTS`].
//! It takes a JSON record and gives [`Item`]s: messages with their channel, calls of agents,
//! results of tools. It never looks for reviews, never decodes a text that nobody asks for, and
//! never fails: unknown records and keys give nothing.
//!
//! Formats are told apart record by record, so that a log in which several are mixed (or plain
//! lines stand between the records) is read all the same.

use std::borrow::Cow;
use std::sync::Arc;

use crate::record::Channel;

mod aider;
mod anthropic_api;
mod api;
mod atif;
mod beside;
mod chat;
mod claude_code;
mod claude_stream;
mod cline;
mod codex;
mod codex_exec;
mod codex_tui;
mod copilot;
mod cursor;
pub mod frame;
mod gemini;
mod gemini_stream;
mod http_log;
mod inspect;
mod json;
mod langfuse;
mod langsmith;
pub mod layer;
mod openai_api;
mod opencode;
mod openhands;
pub mod opening;
mod otel;
mod pi;
mod qwen;
pub mod raw;
mod review_file;
pub mod shape;
mod spans;
mod stop;
mod swe_agent;
mod text;
mod time;
mod vscode_chat;

pub use beside::Beside;
pub use raw::Raw;
pub use stop::Stop;

/// The transcript formats, in the order in which a record is offered to them; the last record
/// format takes every record.
pub static TRANSCRIPTS: &[&dyn Transcript] = &[
    &qwen::Qwen,
    &gemini_stream::GeminiStream,
    &langfuse::Langfuse,
    &claude_code::ClaudeCode,
    &cline::Cline,
    &cursor::Cursor,
    &opencode::Opencode,
    &pi::Pi,
    &claude_stream::ClaudeStream,
    &codex::Codex,
    &codex_exec::CodexExec,
    &gemini::Gemini,
    &copilot::Copilot,
    &vscode_chat::VscodeChat,
    &anthropic_api::AnthropicApi,
    &http_log::HttpLog,
    &openhands::OpenHands,
    &swe_agent::SweAgent,
    &atif::Atif,
    &inspect::Inspect,
    &aider::Aider,
    &codex_tui::CodexTui,
    &langsmith::LangSmith,
    &otel::Otel,
    &openai_api::OpenAiApi,
    &json::Json,
    &review_file::ReviewFile,
    &text::Text,
];

/// A transcript format.
pub trait Transcript: Sync {
    /// Its name, as in a record's `source.transcript`.
    fn id(&self) -> &'static str;

    /// One line for lists: what it reads.
    fn reads(&self) -> &'static str;

    /// One line for lists: how it is recognised.
    fn recognised_by(&self) -> &'static str;

    /// How an input of this format is cut into frames, where `-t` asks for it.
    fn shape(&self) -> shape::Shape {
        shape::Shape::Lines
    }

    /// Whether this record is of this format, by its keys.
    fn knows(&self, _record: &Raw<'_>) -> bool {
        false
    }

    /// What the first record of an input says about all that follow, and what stands in files
    /// beside it.
    fn session(&self, _first: &Raw<'_>, _beside: &Beside) -> Session {
        Session::default()
    }

    /// Whose word a plain text is that stands in a file of this name, where a tool keeps texts in
    /// files of their own.
    fn keeps(&self, _name: &str) -> Option<Channel> {
        None
    }

    /// For a log of plain text whose lines tell who speaks: whether this, its first line that is
    /// not blank, opens one, or one further on, from which on it is such a log.
    fn opens(&self, _line: &[u8]) -> bool {
        false
    }

    /// Who speaks on this line of a log that [`opens`](Self::opens).
    fn speaker(&self, _line: &[u8]) -> Channel {
        Channel::Text
    }

    /// Gives what a record says, in order. Whatever of a record that holds a needle is in no item
    /// is read by the generic walk, and counted as an unknown place.
    fn read<'a>(&self, _record: Raw<'a>, _session: &Session, _sink: Sink<'_, 'a>) {}
}

/// Takes the items of a record. True where the item was taken for a review, so that nothing
/// within it needs to be looked at.
pub type Sink<'s, 'a> = &'s mut dyn FnMut(Item<'a>) -> bool;

/// A log of plain text.
#[derive(Clone, Copy)]
pub struct Log {
    /// Its format.
    pub format: &'static dyn Transcript,
    /// Whose word it is, where its lines do not tell.
    pub channel: Channel,
}

impl Log {
    /// The log that opens with `line`, its first that is not blank, in an input of this name; or
    /// one of the format `asked` for, if the lines of such a log tell who speaks.
    pub fn of(name: &str, line: &[u8], asked: Option<&'static dyn Transcript>) -> Self {
        let asked = asked.filter(|format| format.speaker(b"") != Channel::Text);
        let with_roles =
            asked.or_else(|| TRANSCRIPTS.iter().copied().find(|format| format.opens(line)));
        let keeps = TRANSCRIPTS.iter().find_map(|format| format.keeps(name));
        Self { format: with_roles.unwrap_or(&text::Text), channel: keeps.unwrap_or(Channel::Text) }
    }

    /// Who speaks on `line`.
    pub fn speaker(&self, line: &[u8]) -> Channel {
        match self.format.speaker(line) {
            Channel::Text => self.channel,
            channel => channel,
        }
    }
}

/// What holds for all records of an input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The agent's id.
    pub agent_id: Option<String>,
    /// The session that called this one, or whose history it starts with.
    pub parent: Option<String>,
    /// It starts with that history.
    pub forked: bool,
    /// The call of the agent whose file this is.
    pub call: Option<AgentCall>,
    /// Who speaks, where a file beside the input says so.
    pub speaker: Option<Channel>,
    /// The folder that the agent works in.
    pub cwd: Option<Arc<str>>,
}

/// What a record says.
#[derive(Debug)]
pub enum Item<'a> {
    /// Somebody says something.
    Message(Message<'a>),
    /// An agent calls another one.
    Call(AgentCall),
    /// A tool answers.
    Result {
        /// The call that it answers.
        tool_call_id: String,
        /// Whether the tool took what it was given.
        taken: bool,
    },
    /// A part of the record that repeats what is said elsewhere, or that nobody says: it is passed
    /// over.
    Echo(Raw<'a>),
    /// What the format keeps as JSON in a string.
    Nested(Nested<'a>),
    /// A part of the record that is nested deeper than is looked into.
    TooDeep(Raw<'a>),
    /// A fault of the record, and its byte in the frame.
    Fault(frame::Damage, usize),
}

/// JSON in a string, which the format reads as it reads the record around it.
#[derive(Debug)]
pub struct Nested<'a> {
    /// The string.
    pub raw: Raw<'a>,
    /// Who says it, where it is a text after all.
    pub channel: Channel,
    /// Where it comes from.
    pub origin: Origin,
    /// Gives what the JSON says.
    pub read: for<'b> fn(Raw<'b>, &Origin, Sink<'_, 'b>),
}

/// A piece of text or a tool input, with its channel and where it comes from.
#[derive(Debug)]
pub struct Message<'a> {
    /// Who speaks.
    pub channel: Channel,
    /// What is said.
    pub body: Body<'a>,
    /// Where it comes from.
    pub origin: Origin,
}

/// What is said.
#[derive(Debug, Clone)]
pub enum Body<'a> {
    /// A text, as a JSON string.
    Text(Raw<'a>),
    /// A text in several JSON strings, one after the other.
    Joined(Vec<Raw<'a>>),
    /// A tool call: the tool's name and its input, an object or a string.
    Call(Cow<'a, str>, Raw<'a>),
    /// A value that may be a review itself.
    Value(Raw<'a>),
    /// A log of its own, whose records say who speaks: a document in a JSON string, or an answer
    /// that was streamed, as a JSON string or as an array of its events.
    Log(Raw<'a>),
}

impl<'a> Body<'a> {
    /// The parts of the record that it stands in.
    pub fn raws(&self) -> &[Raw<'a>] {
        match self {
            Self::Text(raw) | Self::Call(_, raw) | Self::Value(raw) | Self::Log(raw) => {
                std::slice::from_ref(raw)
            }
            Self::Joined(raws) => raws,
        }
    }
}

/// Where a message comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The kind of place within the format. The same message stands in several kinds of place, so
    /// this is what tells copies from reviews that say the same.
    pub place: &'static str,
    /// The session.
    pub session_id: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The agent's id.
    pub agent_id: Option<String>,
    /// The message's id.
    pub message_id: Option<String>,
    /// An id of the record that no other record has in any session: where it comes again, it is
    /// the same record.
    pub record_id: Option<String>,
    /// A later message with the same id replaces this one.
    pub revisable: bool,
    /// The tool call that the message is, or that it answers.
    pub tool_call_id: Option<String>,
    /// The call of the agent that speaks here.
    pub agent_call: Option<String>,
    /// Only a call seen before tells whether an agent speaks here or another tool.
    pub needs_call: bool,
    /// The one who speaks was called by another agent.
    pub called: bool,
    /// When.
    pub timestamp: Option<String>,
    /// The folder that the one who speaks works in.
    pub cwd: Option<Arc<str>>,
    /// Why the model stopped where the message ends, if the transcript says so.
    pub stop: Option<Stop>,
}

impl Origin {
    /// The same in another kind of place.
    #[must_use]
    pub fn at(&self, place: &'static str) -> Self {
        Self { place, ..self.clone() }
    }

    /// The same in this kind of place, unless it has one.
    #[must_use]
    pub fn or_at(&self, place: &'static str) -> Self {
        if self.place.is_empty() { self.at(place) } else { self.clone() }
    }
}

/// Gives a text from this kind of place; nothing where the value is no string.
fn text_message<'a>(
    text: Raw<'a>,
    channel: Channel,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if text.is_string() {
        let origin = origin.at(place);
        sink(Item::Message(Message { channel, body: Body::Text(text), origin }));
    }
}

/// An agent calls another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentCall {
    /// The call's id.
    pub id: String,
    /// The name of the agent that is called.
    pub agent: Option<String>,
    /// What it is called for.
    pub description: Option<String>,
}

/// Texts that stand in records which say what others need, the calls of agents, or in which no
/// other needle can stand: the starts of texts whose characters are numbered, answers in pieces.
pub static NEEDLES: &[&str] = &[
    // And of `subagent_type`.
    "agent_type",
    "agent_name",
    "subagent.started",
    "read_agent",
    claude_code::NEEDLES[0],
    claude_code::NEEDLES[1],
    "content_block_delta",
    "chat.completion.chunk",
    "response.output_text.delta",
    "_arguments.delta",
];

/// Whether this needle opens a text whose characters are numbered.
pub fn opens_numbered(needle: &[u8]) -> bool {
    claude_code::NEEDLES.iter().any(|start| start.as_bytes() == needle)
}

/// The format of a record: the first that knows it, else the one that takes all.
pub fn of_record(record: &Raw<'_>) -> &'static dyn Transcript {
    TRANSCRIPTS.iter().copied().find(|format| format.knows(record)).unwrap_or(&json::Json)
}

/// The format of a record, if one knows it for its own.
pub fn known(record: &Raw<'_>) -> Option<&'static dyn Transcript> {
    TRANSCRIPTS.iter().copied().find(|format| format.knows(record))
}

/// The format of a record that no other one knows.
pub fn generic() -> &'static dyn Transcript {
    &json::Json
}

/// The format of a file that is one review.
pub fn review_file() -> &'static dyn Transcript {
    &review_file::ReviewFile
}

/// The format with this name.
pub fn by_id(id: &str) -> Option<&'static dyn Transcript> {
    TRANSCRIPTS.iter().copied().find(|format| format.id() == id)
}
