//! The scan of a frame: transcript, then location.
//!
//! Takes a JSON frame, or a block that was located in a log, and gives [`Event`]s in order: blocks
//! with their source, and what the reviews around them need to know. Goes into the layers of
//! strings within a frame. Never parses a block, keeps nothing from one frame to the next.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use crate::contract::{Contract, Setting};
use crate::limits::Limits;
use crate::locate::{Block, Choice, Kind, Spot, Strays};
use crate::record::{Carrier, Channel, Place, Review, Source, words};
use crate::transcript::frame::Damage;
use crate::transcript::layer::Layer;
use crate::transcript::{self, AgentCall, Log, Origin, Session, Stop, Transcript};

mod frame;
mod text;

/// What came of a frame.
pub enum Event<'t> {
    /// A block.
    Found(Box<Found<'t>>),
    /// Something that reviews elsewhere hang on.
    News(News),
    /// Something is left out.
    LeftOut(LeftOut),
    /// A fault of the frame, and its byte in the input.
    Damage(Damage, u64),
    /// A message was looked at.
    Message(Strays),
}

/// What reviews elsewhere hang on.
#[derive(Debug)]
pub enum News {
    /// An agent calls another one.
    Call(AgentCall),
    /// A tool answers.
    Result {
        /// The call that it answers.
        tool_call_id: String,
        /// Whether the tool took what it was given.
        taken: bool,
    },
    /// A review is handed in by this call.
    Submitted {
        /// The call.
        tool_call_id: String,
        /// The agent that calls.
        agent: Agent,
    },
}

/// A block with its source.
pub struct Found<'t> {
    /// The contract.
    pub contract: &'static dyn Contract,
    /// How the block is carried.
    pub carrier: Carrier,
    /// The block; or the review that a message without a block tells of.
    pub block: Result<Block<'t>, Box<Review>>,
    /// Whether its end was found.
    pub closed: bool,
    /// Whether the text that it stands in breaks off within its last line.
    pub cut: bool,
    /// What stands around it.
    pub setting: Setting<'t>,
    /// Where it stands.
    pub source: Source,
    /// How it belongs to other messages.
    pub ties: Ties,
}

/// How a block belongs to other messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ties {
    /// The kind of place within the format.
    pub place: &'static str,
    /// The number of the message within its frame.
    pub message: u32,
    /// The call of the agent that speaks.
    pub agent_call: Option<String>,
    /// Only if that call is known is it an agent that speaks.
    pub needs_call: bool,
    /// Only if that call's description starts so is it a review.
    pub needs_description: Option<&'static str>,
    /// An id that the same record has wherever it is repeated, in any session.
    pub record_id: Option<String>,
    /// The session that called this one, or whose history it starts with.
    pub parent: Option<String>,
    /// It starts with that history.
    pub forked: bool,
    /// A later message with the same id replaces this one.
    pub revisable: bool,
}

/// An agent of a session, as far as the transcript tells them apart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Agent {
    session: Option<String>,
    id: Option<String>,
    call: Option<String>,
}

impl Agent {
    /// The agent that a source and its ties name.
    pub fn of(source: &Source, ties: &Ties) -> Self {
        Self {
            session: source.session_id.clone(),
            id: source.agent_id.clone(),
            call: ties.agent_call.clone(),
        }
    }
}

words! {
    /// What may hold a review and is not read for one.
    LeftOut {
        /// A message on a channel that is not read.
        Hidden = "hidden-channel",
        /// The input of a tool call in which no review was found.
        OtherInput = "other-input",
        /// What nobody says: a text in a place that the transcript's format does not have, or, in
        /// JSON of no known format, what would be a review if an agent said it or gave it to a tool.
        UnknownSpeaker = "unknown-speaker",
        /// What a tool gave back, where no call says that the tool is an agent.
        UnknownCaller = "unknown-caller",
        /// A log within more layers of strings than are decoded, or a part of a record within more
        /// levels of objects and lists than are looked into.
        TooDeep = "too-deep",
    }
}

/// What is looked for, and on which channels.
#[derive(Clone)]
pub struct Scope {
    /// Which contracts.
    pub choice: Choice,
    /// Which channels.
    pub channels: Vec<Channel>,
    /// The format of all records, where it is not told by each.
    pub transcript: Option<&'static dyn Transcript>,
    /// The caps.
    pub limits: Limits,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            choice: Choice::default(),
            channels: Channel::DEFAULT.to_vec(),
            transcript: None,
            limits: Limits::default(),
        }
    }
}

/// The scan of one frame.
pub struct Scan<'s> {
    scope: &'s Scope,
    session: &'s Session,
    input: &'s str,
    /// The frame's line in the input.
    line: u64,
    /// Whose word all of the input is, where its name tells.
    kept: Option<Log>,
    messages: u32,
    /// How many blocks were given, and how much was left out and counted.
    noticed: u64,
    sink: &'s mut dyn FnMut(Event<'_>),
}

/// A frame, and what stands around it.
#[derive(Clone, Copy)]
struct Frame<'a> {
    bytes: &'a [u8],
    start: Here<'a>,
    /// The places that are known.
    places: &'a Places<'a>,
    /// Who says all that is said in it, if it stands in a message.
    speech: Option<&'a Speech>,
}

/// A byte of a frame, its place in the text that the frame is a part of, and the text from it on.
#[derive(Clone, Copy)]
struct Here<'a> {
    at: usize,
    place: Place,
    layer: Layer<'a>,
}

/// The places of a frame that are known: a frame is gone through from front to back, but for short
/// ways back.
struct Places<'a> {
    /// The last one that was asked for.
    last: Cell<Here<'a>>,
    /// One in every [`STRIDE`] bytes that were gone through, the first byte before all.
    passed: RefCell<Vec<Here<'a>>>,
}

/// No way back to a place that was passed is longer than this many bytes.
const STRIDE: usize = 64 << 10;

impl<'a> Places<'a> {
    fn new(start: Here<'a>) -> Self {
        Self { last: Cell::new(start), passed: RefCell::new(vec![start]) }
    }
}

impl<'a> Frame<'a> {
    /// The byte `offset` of the frame.
    fn at(&self, offset: usize) -> Here<'a> {
        let mut passed = self.places.passed.borrow_mut();
        let mut last = self.places.last.get();
        if last.at > offset {
            let before = passed.partition_point(|here| here.at <= offset);
            last = before.checked_sub(1).map_or(self.start, |index| passed[index]);
        }
        loop {
            let farthest = passed.last().map_or(0, |here| here.at);
            let mut next = farthest + STRIDE;
            // No place is within a character.
            while self.bytes.get(next).is_some_and(|byte| byte & 0xc0 == 0x80) {
                next += 1;
            }
            if next >= offset {
                break;
            }
            last = self.after(last, next);
            passed.push(last);
        }
        let here = self.after(last, offset);
        self.places.last.set(here);
        here
    }

    /// The byte `offset`, which is not before `last`.
    fn after(&self, last: Here<'a>, offset: usize) -> Here<'a> {
        let place = last.place.after(&self.bytes[last.at..offset]);
        Here { at: offset, place, layer: last.layer.from(offset - last.at) }
    }
}

/// Who says something, and where.
#[derive(Clone)]
struct Speech {
    source: Source,
    ties: Ties,
    /// The one who speaks was called by another agent.
    called: bool,
    /// The folder that the one who speaks works in.
    cwd: Option<Arc<str>>,
    /// Why the model stopped at the end of the message.
    stop: Option<Stop>,
}

impl<'s> Scan<'s> {
    /// A scan of the frame that stands on `line` of the input of this name.
    pub fn new(
        scope: &'s Scope,
        session: &'s Session,
        input: &'s str,
        line: u64,
        sink: &'s mut dyn FnMut(Event<'_>),
    ) -> Self {
        Self { scope, session, input, line, kept: None, messages: 0, noticed: 0, sink }
    }

    /// Says what log the input is: where its name tells whose word it is, that holds for its
    /// records as well.
    #[must_use]
    pub fn in_log(mut self, log: Log) -> Self {
        self.kept = (log.channel != Channel::Text).then_some(log);
        self
    }

    /// Looks into a JSON frame of a log of lines, as [`frame`](Self::frame) does: in a record that
    /// reaches over several, line feeds stand in its strings.
    pub fn line(&mut self, bytes: &[u8], offset: u64) {
        if let Some(at) = memchr::memchr(b'\n', bytes.trim_ascii_end()) {
            (self.sink)(Event::Damage(Damage::LineFeed, offset + at as u64));
        }
        self.frame(bytes, offset);
    }

    /// Looks into a JSON frame that starts at `offset` of the input.
    pub fn frame(&mut self, bytes: &[u8], offset: u64) {
        let place = Place { line: self.line, column: 1 };
        let start = Here { at: 0, place, layer: Layer::Input(offset) };
        let origin = Origin { place: "text", ..Origin::default() };
        let speech = self.kept.map(|log| self.speech(log.format.id(), log.channel, origin));
        self.records(Frame { bytes, start, places: &Places::new(start), speech: speech.as_ref() });
    }

    /// Takes a block that was located in a log of the format `kind`, at `place`; `log` is the text
    /// around it, from `base` on.
    pub fn block(&mut self, log: &[u8], base: u64, kind: Log, spot: &Spot, place: Place) {
        let Kind::Block(contract, carrier) = spot.kind else { return };
        let start = (spot.span.start - base) as usize;
        let line = memchr::memrchr(b'\n', &log[..start]).map_or(0, |end| end + 1);
        let channel = kind.speaker(&log[line..]);
        let mut speech = self.speech(kind.format.id(), channel, Origin::default());
        if spot.thinking {
            speech.source.channel = Channel::Thinking;
        }
        if !self.scope.channels.contains(&speech.source.channel) {
            self.leave_out(LeftOut::Hidden);
            return;
        }
        let slice =
            |range: Range<u64>| &log[(range.start - base) as usize..(range.end - base) as usize];
        let body = slice(spot.body.clone());
        let before = String::from_utf8_lossy(slice(spot.before.clone()));
        speech.source.stands_at(&spot.span);
        self.found(Found {
            contract,
            carrier,
            block: Ok(Block::of(spot, log, base, place)),
            closed: spot.closed,
            cut: !body.ends_with(b"\n"),
            setting: Setting { before: &before, ..Setting::default() },
            source: speech.source,
            ties: Ties { place: "text", ..speech.ties },
        });
    }

    /// Takes an input that is one review.
    pub fn file(&mut self, text: &[u8], contract: &'static dyn Contract, closed: bool) {
        let format = transcript::review_file().id();
        let channel = self.kept.map_or(Channel::Text, |log| log.channel);
        let mut speech = self.speech(format, channel, Origin::default());
        if !self.scope.channels.contains(&channel) {
            if self.kept.is_some() {
                self.leave_out(LeftOut::Hidden);
            }
            return;
        }
        speech.source.length = text.len() as u64;
        speech.ties.place = "file";
        let block = Block::cut(text, Place::START, b"");
        self.whole(contract, Carrier::Bare, block, closed, speech);
    }

    fn found(&mut self, found: Found<'_>) {
        self.noticed += 1;
        (self.sink)(Event::Found(Box::new(found)));
    }

    /// Counts what is not read.
    fn leave_out(&mut self, what: LeftOut) {
        self.noticed += 1;
        (self.sink)(Event::LeftOut(what));
    }

    /// Gives a block that is all that is said.
    fn whole(
        &mut self,
        contract: &'static dyn Contract,
        carrier: Carrier,
        block: Block<'_>,
        closed: bool,
        speech: Speech,
    ) {
        let closed = closed && !text::may_go_on(&block.text, speech.stop);
        self.found(Found {
            contract,
            carrier,
            block: Ok(block),
            closed,
            cut: !closed,
            setting: Setting {
                before: "",
                after: Some(""),
                cwd: speech.cwd.as_deref(),
                stop: speech.stop,
                recorded: carrier == Carrier::Event,
            },
            source: Source { last: Some(true), ..speech.source },
            ties: speech.ties,
        });
    }

    /// Who says something, by the origin of a message.
    fn speech(&self, format: &'static str, channel: Channel, origin: Origin) -> Speech {
        let ties = Ties {
            place: origin.place,
            message: self.messages,
            agent_call: origin.agent_call,
            needs_call: origin.needs_call,
            needs_description: None,
            record_id: origin.record_id,
            parent: self.session.parent.clone(),
            forked: self.session.forked,
            revisable: origin.revisable,
        };
        let source = Source {
            input: self.input.to_owned(),
            transcript: format.into(),
            channel,
            session_id: origin.session_id,
            agent: origin.agent,
            agent_id: origin.agent_id,
            message_id: origin.message_id,
            tool_call_id: origin.tool_call_id,
            timestamp: origin.timestamp,
            line: self.line,
            offset: 0,
            length: 0,
            depth: 0,
            index: 0,
            last: None,
            accepted: None,
            copy: false,
        };
        Speech { source, ties, called: origin.called, cwd: origin.cwd, stop: origin.stop }
    }
}

impl Speech {
    /// Says that this is said within something that `outer` says: a log has no say in it; what is
    /// hidden on either side stays so; and what is not known here is as it is there.
    fn within(&mut self, outer: &Self) {
        let (own, around) = (self.source.channel, outer.source.channel);
        if around != Channel::Text && !own.is_hidden() {
            self.source.channel = around;
        }
        self.source.transcript = outer.source.transcript;
        self.source.session_id =
            self.source.session_id.take().or_else(|| outer.source.session_id.clone());
        self.cwd = self.cwd.take().or_else(|| outer.cwd.clone());
        self.source.timestamp =
            self.source.timestamp.take().or_else(|| outer.source.timestamp.clone());
        // Whether an agent speaks at all is for the call outside to say: a log within may name any.
        if outer.ties.needs_call {
            self.ties.needs_call = true;
            self.ties.agent_call.clone_from(&outer.ties.agent_call);
        } else if self.ties.agent_call.is_none() {
            self.ties.agent_call.clone_from(&outer.ties.agent_call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_back_leads_to_the_same_place() {
        // Characters of two bytes, so that strides end within some of them, and lines.
        let text: String = (0..80_000)
            .map(|at| {
                if at % 777 == 0 {
                    '\n'
                } else if at % 3 == 0 {
                    'é'
                } else {
                    'a'
                }
            })
            .collect();
        let bytes = text.as_bytes();
        let start = Here { at: 0, place: Place::START, layer: Layer::Input(7) };
        let places = Places::new(start);
        let frame = Frame { bytes, start, places: &places, speech: None };
        let mut offset = 0;
        for step in 0..500 {
            // Far ahead and back again, but never within a character.
            offset = (offset + 39_119 + step) % bytes.len();
            while !text.is_char_boundary(offset) {
                offset += 1;
            }
            let here = frame.at(offset);
            assert_eq!(here.place, Place::START.after(&bytes[..offset]), "{offset}");
            assert_eq!(here.layer.input_offset(0), 7 + offset as u64);
        }
        let passed = places.passed.borrow();
        assert!(passed.len() > 1, "nothing was passed");
        assert!(passed.iter().all(|here| text.is_char_boundary(here.at)), "within a character");
    }
}
