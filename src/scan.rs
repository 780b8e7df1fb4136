//! The scan of a frame: transcript, then location.
//!
//! Takes a JSON frame, or a block that was located in a log, and gives [`Event`]s in order: blocks
//! with their source, and what the reviews around them need to know. Goes into the layers of
//! strings within a frame. Never parses a block, keeps nothing from one frame to the next.

use std::ops::Range;

use crate::contract::{CONTRACTS, Contract, Outline, Setting};
use crate::limits::Limits;
use crate::locate::{Block, Choice, Kind, Locator, Spot, Strays, View, call, needles};
use crate::record::{Carrier, Channel, Place, Review, Source};
use crate::transcript::frame::{self, Damage};
use crate::transcript::layer::Layer;
use crate::transcript::shape;
use crate::transcript::{self, AgentCall, Body, Item, Message, Origin, Raw, Session, Transcript};

/// What came of a frame.
pub enum Event<'t> {
    /// A block.
    Found(Box<Found<'t>>),
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
    },
    /// A fault of the frame, and its byte in the input.
    Damage(Damage, u64),
    /// A message was looked at.
    Message(Strays),
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
    messages: u32,
    sink: &'s mut dyn FnMut(Event<'_>),
}

/// A frame, and what stands around it.
#[derive(Clone, Copy)]
struct Frame<'a> {
    bytes: &'a [u8],
    layer: &'a Layer<'a>,
    /// The place of its first byte in the text that it is a part of.
    place: Place,
    /// Who says all that is said in it, if it stands in a message.
    speech: Option<&'a Speech>,
}

/// Who says something, and where.
#[derive(Clone)]
struct Speech {
    source: Source,
    ties: Ties,
    /// The one who speaks was called by another agent.
    called: bool,
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
        Self { scope, session, input, line, messages: 0, sink }
    }

    /// Looks into a JSON frame that starts at `offset` of the input.
    pub fn frame(&mut self, bytes: &[u8], offset: u64) {
        let place = Place { line: self.line, column: 1 };
        self.records(Frame { bytes, layer: &Layer::Input(offset), place, speech: None });
    }

    /// Takes a block that was located in a log; `log` is the text around it, from `base` on.
    pub fn block(&mut self, log: &[u8], base: u64, spot: &Spot) {
        let Kind::Block(contract, carrier) = spot.kind else { return };
        let mut speech = self.speech(transcript::log().id(), Channel::Text, Origin::default());
        if spot.thinking {
            speech.source.channel = Channel::Thinking;
        }
        if !self.scope.channels.contains(&speech.source.channel) {
            return;
        }
        let slice =
            |range: Range<u64>| &log[(range.start - base) as usize..(range.end - base) as usize];
        let line_start = (spot.span.start - base) as usize;
        let line_start = memchr::memrchr(b'\n', &log[..line_start]).map_or(0, |end| end + 1);
        let above = &log[line_start..(spot.body.start - base) as usize];
        let start = place_after(above, Place { line: self.line, column: 1 });
        let body = slice(spot.body.clone());
        let before = String::from_utf8_lossy(slice(spot.before.clone()));
        speech.source.offset = spot.span.start;
        speech.source.length = spot.span.end - spot.span.start;
        self.found(Found {
            contract,
            carrier,
            block: Ok(Block::cut(body, start, &spot.prefix)),
            closed: spot.closed,
            cut: !body.ends_with(b"\n"),
            setting: Setting { before: &before, after: None },
            source: speech.source,
            ties: Ties { place: "text", ..speech.ties },
        });
    }

    /// Takes an input that is one review.
    pub fn file(&mut self, text: &[u8], contract: &'static dyn Contract, closed: bool) {
        let format = transcript::review_file().id();
        let mut speech = self.speech(format, Channel::Text, Origin::default());
        if !self.scope.channels.contains(&Channel::Text) {
            return;
        }
        speech.source.length = text.len() as u64;
        speech.ties.place = "file";
        let block = Block::cut(text, Place::START, b"");
        self.whole(contract, Carrier::Bare, block, closed, speech);
    }

    fn found(&mut self, found: Found<'_>) {
        (self.sink)(Event::Found(Box::new(found)));
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
        self.found(Found {
            contract,
            carrier,
            block: Ok(block),
            closed,
            cut: !closed,
            setting: Setting { before: "", after: Some("") },
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
        };
        let source = Source {
            input: self.input.to_owned(),
            transcript: format,
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
        Speech { source, ties, called: origin.called }
    }

    fn records(&mut self, frame: Frame<'_>) {
        let (mut records, mut faults) = (Vec::new(), Vec::new());
        frame::records(
            frame.bytes,
            |record| records.push(record),
            |fault, at| faults.push((fault, at)),
        );
        if let Err(error) = std::str::from_utf8(frame.bytes) {
            faults.push((Damage::Encoding, error.valid_up_to()));
        }
        for (fault, at) in faults {
            (self.sink)(Event::Damage(fault, frame.layer.input_offset(at)));
        }
        for record in records {
            // An array of records is a log as well.
            if record.is_array() {
                record.items().for_each(|item| self.record(frame, item));
            } else {
                self.record(frame, record);
            }
        }
    }

    fn record(&mut self, frame: Frame<'_>, record: Raw<'_>) {
        let format = self.scope.transcript.unwrap_or_else(|| transcript::of_record(&record));
        let session = self.session;
        format.read(record, session, &mut |item| match item {
            Item::Message(message) => self.message(frame, message, format.id()),
            Item::Call(call) => {
                (self.sink)(Event::Call(call));
                false
            }
            Item::Result { tool_call_id, taken } => {
                (self.sink)(Event::Result { tool_call_id, taken });
                false
            }
        });
    }

    /// Looks into a message. True where it is a review as a whole.
    fn message(&mut self, frame: Frame<'_>, message: Message<'_>, format: &'static str) -> bool {
        let mut speech = self.speech(format, message.channel, message.origin);
        if let Some(outer) = frame.speech {
            speech.within(outer);
        }
        if !self.scope.channels.contains(&speech.source.channel) {
            return false;
        }
        self.messages += 1;
        match message.body {
            Body::Text(raw) => {
                self.text(raw, &speech, frame.layer);
                false
            }
            Body::Value(raw) => self.value(raw, speech, frame),
            Body::Call(tool, input) => {
                self.call(&tool, input, &speech, frame);
                true
            }
        }
    }

    /// Takes a value that may be a review. True where it is.
    fn value(&mut self, raw: Raw<'_>, mut speech: Speech, frame: Frame<'_>) -> bool {
        let json = String::from_utf8_lossy(raw.bytes);
        let channel = speech.source.channel;
        let Some((contract, _)) = self.scope.choice.claim(&Outline::of(&json), channel) else {
            return false;
        };
        let carrier = if channel == Channel::Event { Carrier::Event } else { Carrier::Bare };
        speech.source.offset = frame.layer.input_offset(raw.offset);
        speech.source.length =
            frame.layer.input_offset(raw.offset + raw.bytes.len()) - speech.source.offset;
        speech.source.depth = frame.layer.depth();
        let block = Block::whole(json, place_after(&frame.bytes[..raw.offset], frame.place));
        self.whole(contract, carrier, block, raw.whole, speech);
        true
    }

    /// Looks into a tool call.
    fn call(&mut self, tool: &str, input: Raw<'_>, speech: &Speech, frame: Frame<'_>) {
        if CONTRACTS.iter().any(|contract| call::submits(*contract, tool))
            && let Some(tool_call_id) = speech.source.tool_call_id.clone()
        {
            (self.sink)(Event::Submitted { tool_call_id });
        }
        // An input may be an object in a string.
        let decoded = input.text().filter(|decoded| decoded.trim_start().starts_with('{'));
        let Some(decoded) = decoded else {
            self.carried(tool, input, speech, frame);
            return;
        };
        let layer = Layer::string(&input, frame.layer);
        let bytes = decoded.as_bytes();
        let start = bytes.len() - bytes.trim_ascii_start().len();
        let inner = Frame { bytes, layer: &layer, place: Place::START, ..frame };
        self.carried(tool, Raw::at(bytes, start, 0), speech, inner);
    }

    /// Gives the blocks that a tool call carries.
    fn carried(&mut self, tool: &str, input: Raw<'_>, speech: &Speech, frame: Frame<'_>) {
        let blocks = call::blocks(&self.scope.choice, tool, input);
        for (index, carried) in blocks.into_iter().enumerate() {
            let call::Carried { contract, carrier, mut block, raw, span } = carried;
            let layer = if raw.is_string() {
                Layer::string(&raw, frame.layer)
            } else {
                block = block.moved_to(place_after(&frame.bytes[..raw.offset], frame.place));
                Layer::Part { start: raw.offset, outer: frame.layer }
            };
            let mut speech = speech.clone();
            speech.source.offset = layer.input_offset(span.start);
            speech.source.length = layer.input_offset(span.end) - speech.source.offset;
            speech.source.depth = layer.depth();
            speech.source.index = index as u32;
            self.whole(contract, carrier, block, raw.whole, speech);
        }
    }

    /// Looks into a text.
    fn text(&mut self, raw: Raw<'_>, speech: &Speech, outer: &Layer<'_>) {
        let Some(text) = raw.text() else { return };
        let hits: Vec<_> = needles::hits(text.as_bytes(), 0).collect();
        if hits.is_empty() {
            return;
        }
        let scope = self.scope;
        let walk = |choice: &Choice| {
            let mut locator = Locator::message(choice, speech.source.channel, &scope.limits);
            let mut spots = Vec::new();
            locator.walk(View::whole(text.as_bytes()), &hits, &mut spots);
            (spots, locator.strays)
        };
        let (mut spots, strays) = walk(&scope.choice);
        (self.sink)(Event::Message(strays));
        let mut speech = speech.clone();
        let is_block = |spot: &Spot| matches!(spot.kind, Kind::Block(..));
        if speech.ties.agent_call.is_some() && !spots.iter().any(is_block) {
            // Perhaps the agent was called for a review of a certain contract.
            let called = CONTRACTS.iter().copied().find(|contract| contract.called_as().is_some());
            if let Some(contract) = called.filter(|contract| scope.choice.admits(*contract)) {
                spots = walk(&Choice::only(contract)).0;
                speech.ties.needs_description = contract.called_as();
            }
        }
        let layer = Layer::string(&raw, outer);
        speech.source.depth = layer.depth();
        let message = Said { text: &text, layer: &layer, speech: &speech, whole: raw.whole };
        self.spots(&message, &spots);
        if speech.called {
            self.missing(&message, &spots);
        }
    }

    /// Gives the blocks of a text, and looks into the frames in it.
    fn spots(&mut self, message: &Said<'_>, spots: &[Spot]) {
        let text = message.text;
        let last = spots.iter().rposition(|spot| matches!(spot.kind, Kind::Block(..)));
        let mut index = 0;
        let (mut place, mut counted) = (Place::START, 0);
        for (number, spot) in spots.iter().enumerate() {
            let start = spot.body.start as usize;
            place = place_after(&text.as_bytes()[counted..start], place);
            counted = start;
            let Kind::Block(contract, carrier) = spot.kind else {
                self.nested(message, spot, place);
                continue;
            };
            let Speech { mut source, ties, .. } = message.speech.clone();
            if spot.thinking {
                source.channel = Channel::Thinking;
            }
            if !self.scope.channels.contains(&source.channel) {
                continue;
            }
            source.offset = message.layer.input_offset(spot.span.start as usize);
            source.length = message.layer.input_offset(spot.span.end as usize) - source.offset;
            source.index = index;
            source.last = Some(false);
            index += 1;
            let body = message.slice(&spot.body);
            let after =
                if Some(number) == last { own_words(&text[spot.span.end as usize..]) } else { "" };
            self.found(Found {
                contract,
                carrier,
                block: Ok(Block::cut(body.as_bytes(), place, &spot.prefix)),
                closed: spot.closed,
                cut: !body.ends_with('\n') && !message.whole,
                setting: Setting { before: message.slice(&spot.before), after: Some(after) },
                source,
                ties,
            });
        }
    }

    /// Looks into a frame of a log within a text. What an agent says is no log, but for records
    /// that are surely those of a transcript, in what it relays.
    fn nested(&mut self, message: &Said<'_>, spot: &Spot, place: Place) {
        let channel = message.speech.source.channel;
        let bytes = message.slice(&spot.span).as_bytes();
        let is_log = match channel {
            Channel::Assistant => false,
            Channel::AgentResult => {
                transcript::known(&Raw::at(bytes, shape::skip_padding(bytes), 0)).is_some()
            }
            _ => true,
        };
        if message.layer.depth() < self.scope.limits.layers && is_log {
            let layer = Layer::Part { start: spot.span.start as usize, outer: message.layer };
            self.records(Frame { bytes, layer: &layer, place, speech: Some(message.speech) });
        }
    }

    /// Gives the reviews that a text tells of without a block.
    fn missing(&mut self, message: &Said<'_>, spots: &[Spot]) {
        for contract in CONTRACTS.iter().copied() {
            let stands = |spot: &Spot| matches!(spot.kind, Kind::Block(found, _) if found.id() == contract.id());
            if !self.scope.choice.admits(contract) || spots.iter().any(stands) {
                continue;
            }
            let Speech { mut source, ties, .. } = message.speech.clone();
            let Some(review) = contract.missing(message.text, source.agent.as_deref()) else {
                continue;
            };
            source.offset = message.layer.input_offset(0);
            source.length = message.layer.input_offset(message.text.len()) - source.offset;
            source.last = Some(true);
            self.found(Found {
                contract,
                carrier: Carrier::Bare,
                block: Err(Box::new(review)),
                closed: true,
                cut: false,
                setting: Setting { before: "", after: Some("") },
                source,
                ties,
            });
        }
    }
}

/// A text with its source.
struct Said<'a> {
    text: &'a str,
    layer: &'a Layer<'a>,
    speech: &'a Speech,
    /// The text is there to its end.
    whole: bool,
}

impl<'a> Said<'a> {
    fn slice(&self, range: &Range<u64>) -> &'a str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
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
        self.ties.needs_call |= outer.ties.needs_call;
        self.ties.agent_call =
            self.ties.agent_call.take().or_else(|| outer.ties.agent_call.clone());
    }
}

/// The place after `text`, which starts at `start`.
fn place_after(text: &[u8], start: Place) -> Place {
    match memchr::memrchr(b'\n', text) {
        Some(end) => Place {
            line: start.line + memchr::memchr_iter(b'\n', text).count() as u64,
            column: String::from_utf8_lossy(&text[end + 1..]).chars().count() as u64 + 1,
        },
        None => Place {
            column: start.column + String::from_utf8_lossy(text).chars().count() as u64,
            ..start
        },
    }
}

/// What is said after a block: the text without the fence that closes around it.
fn own_words(text: &str) -> &str {
    let text = text.trim();
    text.trim_start_matches(['`', '~']).trim_start()
}
