//! The scan of a frame: transcript, then location.
//!
//! Takes a JSON frame, or a block that was located in a log, and gives [`Event`]s in order: blocks
//! with their source, and what the reviews around them need to know. Goes into the layers of
//! strings within a frame. Never parses a block, keeps nothing from one frame to the next.

use crate::contract::{CONTRACTS, Contract, Setting};
use crate::limits::Limits;
use crate::locate::{Block, Choice, Kind, Locator, Spot, Strays, call, needles};
use crate::record::{Carrier, Channel, Place, Review, Source};
use crate::transcript::frame::{self, Damage};
use crate::transcript::layer::Layer;
use crate::transcript::{self, AgentCall, Body, Item, Message, Origin, Raw, Session, Transcript};

/// What came of a frame.
pub enum Event<'t> {
    /// A block.
    Found(Found<'t>),
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
    /// Whether the text that it stands in was cut.
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
#[derive(Clone, Default)]
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

/// A frame or message to be looked into.
#[derive(Clone, Copy)]
struct Text<'a> {
    layer: &'a Layer<'a>,
    /// The place of its first byte, in the text that it is a part of.
    place: Place,
    /// Who speaks around it.
    around: Channel,
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
    pub fn frame(&mut self, frame: &[u8], offset: u64) {
        let place = Place { line: self.line, column: 1 };
        let layer = Layer::Input(offset);
        self.records(frame, Text { layer: &layer, place, around: Channel::Text });
    }

    /// Takes a block that was located in a log; `log` is the text around it, from `base` on.
    pub fn block(&mut self, log: &[u8], base: u64, spot: &Spot) {
        let Kind::Block(contract, carrier) = spot.kind else { return };
        let channel = if spot.thinking { Channel::Thinking } else { Channel::Text };
        if !self.scope.channels.contains(&channel) {
            return;
        }
        let slice = |range: &std::ops::Range<u64>| {
            &log[(range.start - base) as usize..(range.end - base) as usize]
        };
        let before = String::from_utf8_lossy(slice(&spot.before));
        let above = slice(&(spot.span.start..spot.body.start));
        let place = place_after(above, Place { line: self.line, column: 1 });
        let column = column_of(log, (spot.body.start - base) as usize);
        let start = Place { column: if place.line == self.line { column } else { 1 }, ..place };
        let source = Source {
            channel,
            transcript: transcript::log().id(),
            offset: spot.span.start,
            length: spot.span.end - spot.span.start,
            last: None,
            ..self.source(&Origin::default())
        };
        let ties = Ties { place: "text", ..Ties::default() };
        (self.sink)(Event::Found(Found {
            contract,
            carrier,
            block: Ok(Block::cut(slice(&spot.body), start, &spot.prefix)),
            closed: spot.closed,
            cut: !slice(&spot.body).ends_with(b"\n"),
            setting: Setting { before: &before, after: None },
            source,
            ties,
        }));
    }

    /// Takes an input that is one review.
    pub fn file(&mut self, text: &[u8], contract: &'static dyn Contract, closed: bool) {
        let source = Source {
            transcript: transcript::review_file().id(),
            length: text.len() as u64,
            last: Some(true),
            ..self.source(&Origin::default())
        };
        (self.sink)(Event::Found(Found {
            contract,
            carrier: Carrier::Bare,
            block: Ok(Block::cut(text, Place::START, b"")),
            closed,
            cut: !closed,
            setting: Setting { before: "", after: Some("") },
            source,
            ties: Ties { place: "file", ..Ties::default() },
        }));
    }

    fn source(&self, origin: &Origin) -> Source {
        Source {
            input: self.input.to_owned(),
            transcript: transcript::log().id(),
            channel: Channel::Text,
            session_id: origin.session_id.clone(),
            agent: origin.agent.clone(),
            agent_id: origin.agent_id.clone(),
            message_id: origin.message_id.clone(),
            tool_call_id: origin.tool_call_id.clone(),
            timestamp: origin.timestamp.clone(),
            line: self.line,
            offset: 0,
            length: 0,
            depth: 0,
            index: 0,
            last: None,
            accepted: None,
            copy: false,
        }
    }

    /// The records of a frame within `text`.
    fn records(&mut self, frame: &[u8], text: Text<'_>) {
        let (mut records, mut faults) = (Vec::new(), Vec::new());
        frame::records(frame, |record| records.push(record), |fault, at| faults.push((fault, at)));
        if std::str::from_utf8(frame).is_err() {
            faults.push((Damage::Encoding, 0));
        }
        for (fault, at) in faults {
            (self.sink)(Event::Damage(fault, text.layer.input_offset(at)));
        }
        for record in records {
            // An array of records is a log as well.
            if record.is_array() && !record.items().any(|item| item.is_array()) {
                record.items().for_each(|item| self.record(frame, item, text));
            } else {
                self.record(frame, record, text);
            }
        }
    }

    fn record(&mut self, frame: &[u8], record: Raw<'_>, text: Text<'_>) {
        let format = self.scope.transcript.unwrap_or_else(|| transcript::of_record(&record));
        let session = self.session;
        format.read(record, session, &mut |item| match item {
            Item::Message(message) => self.message(frame, &message, format.id(), text),
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
    fn message(&mut self, frame: &[u8], message: &Message<'_>, format: &'static str, text: Text<'_>) -> bool {
        let channel = within(text.around, message.channel);
        if !self.scope.channels.contains(&channel) {
            return false;
        }
        let source = Source { transcript: format, channel, ..self.source(&message.origin) };
        let number = self.messages;
        self.messages += 1;
        match &message.body {
            Body::Text(raw) => {
                self.text(*raw, &message.origin, &source, number, text.layer);
                false
            }
            Body::Value(raw) => {
                let json = String::from_utf8_lossy(raw.bytes);
                let outline = crate::contract::Outline::of(&json);
                let Some((contract, _)) = self.scope.choice.claim(&outline, channel) else {
                    return false;
                };
                let carrier =
                    if channel == Channel::Event { Carrier::Event } else { Carrier::Bare };
                let start = place_after(&frame[..raw.offset], text.place);
                let source = Source {
                    offset: text.layer.input_offset(raw.offset),
                    length: raw.bytes.len() as u64,
                    depth: text.layer.depth(),
                    last: Some(true),
                    ..source
                };
                self.emit(contract, carrier, Block::whole(json, start), raw.whole, source, &message.origin, number);
                true
            }
            Body::Call(tool, input) => {
                self.call(frame, tool, *input, &message.origin, &source, number, text);
                true
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "each is a part of one block's source")]
    fn emit(
        &mut self,
        contract: &'static dyn Contract,
        carrier: Carrier,
        block: Block<'_>,
        closed: bool,
        source: Source,
        origin: &Origin,
        message: u32,
    ) {
        let ties = ties(origin, message);
        (self.sink)(Event::Found(Found {
            contract,
            carrier,
            block: Ok(block),
            closed,
            cut: !closed,
            setting: Setting { before: "", after: Some("") },
            source,
            ties,
        }));
    }

    /// Looks into a tool call.
    #[allow(clippy::too_many_arguments, reason = "each is a part of one block's source")]
    fn call(
        &mut self,
        frame: &[u8],
        tool: &str,
        input: Raw<'_>,
        origin: &Origin,
        source: &Source,
        number: u32,
        text: Text<'_>,
    ) {
        if CONTRACTS.iter().any(|contract| call::submits(*contract, tool))
            && let Some(tool_call_id) = origin.tool_call_id.clone()
        {
            (self.sink)(Event::Submitted { tool_call_id });
        }
        // An input may be an object in a string.
        if let Some(decoded) = input.text().filter(|decoded| decoded.trim_start().starts_with('{')) {
            let layer = Layer::String {
                body: input.body().unwrap_or_default(),
                start: input.offset + 1,
                outer: text.layer,
            };
            let start = decoded.len() - decoded.trim_start().len();
            let inner = Raw::at(decoded.as_bytes(), start, 0);
            let text = Text { layer: &layer, place: Place::START, ..text };
            self.carried(decoded.as_bytes(), tool, inner, origin, source, number, text);
        } else {
            self.carried(frame, tool, input, origin, source, number, text);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "each is a part of one block's source")]
    fn carried(
        &mut self,
        frame: &[u8],
        tool: &str,
        input: Raw<'_>,
        origin: &Origin,
        source: &Source,
        number: u32,
        text: Text<'_>,
    ) {
        for (index, carried) in call::blocks(&self.scope.choice, tool, input).into_iter().enumerate() {
            let call::Carried { contract, carrier, mut block, raw, span } = carried;
            let (layer, depth);
            if raw.is_string() {
                layer = Layer::String {
                    body: raw.body().unwrap_or_default(),
                    start: raw.offset + 1,
                    outer: text.layer,
                };
                depth = text.layer.depth() + 1;
            } else {
                layer = Layer::Part { start: raw.offset, outer: text.layer };
                depth = text.layer.depth();
                block = block.moved_to(place_after(&frame[..raw.offset], text.place));
            }
            let offset = layer.input_offset(span.start);
            let source = Source {
                offset,
                length: layer.input_offset(span.end) - offset,
                depth,
                index: index as u32,
                last: Some(true),
                ..source.clone()
            };
            self.emit(contract, carrier, block, raw.whole, source, origin, number);
        }
    }

    /// Looks into a text.
    fn text(&mut self, raw: Raw<'_>, origin: &Origin, source: &Source, number: u32, outer: &Layer<'_>) {
        let (Some(body), Some(text)) = (raw.body(), raw.text()) else { return };
        let hits: Vec<_> = needles::hits(text.as_bytes(), 0).collect();
        if hits.is_empty() {
            return;
        }
        let layer = Layer::String { body, start: raw.offset + 1, outer };
        let scope = self.scope;
        let mut spots = Vec::new();
        let mut walk = |choice: &Choice| {
            let mut locator = Locator::message(choice, source.channel, &scope.limits);
            locator.walk(text.as_bytes(), 0, &hits, true, &mut spots);
            locator.strays
        };
        let strays = walk(&scope.choice);
        (self.sink)(Event::Message(strays));
        let mut needs_description = None;
        let blocks = |spots: &[Spot]| spots.iter().any(|spot| matches!(spot.kind, Kind::Block(..)));
        if origin.agent_call.is_some() && !blocks(&spots) {
            // Perhaps the agent was called for a review of a certain contract.
            let called = CONTRACTS.iter().copied().find(|contract| contract.called_as().is_some());
            if let Some(contract) = called.filter(|contract| scope.choice.admits(*contract)) {
                spots.clear();
                Locator::message(&Choice::only(contract), source.channel, &scope.limits).walk(
                    text.as_bytes(),
                    0,
                    &hits,
                    true,
                    &mut spots,
                );
                needs_description = contract.called_as();
            }
        }
        let message = Located { text: &text, layer: &layer, source, origin, number, needs_description };
        self.spots(&message, &spots, raw.whole);
        if origin.called {
            self.missing(&message, &spots);
        }
    }

    /// Gives the blocks of a message, and looks into the frames in it.
    fn spots(&mut self, message: &Located<'_>, spots: &[Spot], whole: bool) {
        let text = message.text;
        let slice = |range: &std::ops::Range<u64>| {
            text.get(range.start as usize..range.end as usize).unwrap_or_default()
        };
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
            let channel = if spot.thinking { Channel::Thinking } else { message.source.channel };
            if !self.scope.channels.contains(&channel) {
                continue;
            }
            let after = if Some(number) == last { own_words(&text[spot.span.end as usize..]) } else { "" };
            let offset = message.layer.input_offset(spot.span.start as usize);
            let source = Source {
                channel,
                offset,
                length: message.layer.input_offset(spot.span.end as usize) - offset,
                depth: message.layer.depth(),
                index,
                last: Some(false),
                ..message.source.clone()
            };
            index += 1;
            let ties = Ties {
                needs_description: message.needs_description,
                ..ties(message.origin, message.number)
            };
            let body = slice(&spot.body);
            (self.sink)(Event::Found(Found {
                contract,
                carrier,
                block: Ok(Block::cut(body.as_bytes(), place, &spot.prefix)),
                closed: spot.closed,
                cut: !body.ends_with('\n') && !whole,
                setting: Setting { before: slice(&spot.before), after: Some(after) },
                source,
                ties,
            }));
        }
    }

    /// Looks into a frame of a log within a message. What an agent says is no log.
    fn nested(&mut self, message: &Located<'_>, spot: &Spot, place: Place) {
        let channel = message.source.channel;
        if message.layer.depth() >= self.scope.limits.layers || channel == Channel::Assistant {
            return;
        }
        let layer = Layer::Part { start: spot.span.start as usize, outer: message.layer };
        let frame = &message.text.as_bytes()[spot.span.start as usize..spot.span.end as usize];
        self.records(frame, Text { layer: &layer, place, around: channel });
    }

    /// Gives the reviews that the message tells of without a block.
    fn missing(&mut self, message: &Located<'_>, spots: &[Spot]) {
        for contract in CONTRACTS.iter().copied() {
            let stands = |spot: &Spot| {
                matches!(spot.kind, Kind::Block(found, _) if found.id() == contract.id())
            };
            if !self.scope.choice.admits(contract) || spots.iter().any(stands) {
                continue;
            }
            let Some(review) = contract.missing(message.text, message.source.agent.as_deref()) else {
                continue;
            };
            let offset = message.layer.input_offset(0);
            let source = Source {
                offset,
                length: message.layer.input_offset(message.text.len()) - offset,
                depth: message.layer.depth(),
                last: Some(true),
                ..message.source.clone()
            };
            (self.sink)(Event::Found(Found {
                contract,
                carrier: Carrier::Bare,
                block: Err(Box::new(review)),
                closed: true,
                cut: false,
                setting: Setting { before: "", after: Some("") },
                source,
                ties: ties(message.origin, message.number),
            }));
        }
    }
}

/// A message's text, with its source.
struct Located<'a> {
    text: &'a str,
    layer: &'a Layer<'a>,
    source: &'a Source,
    origin: &'a Origin,
    number: u32,
    needs_description: Option<&'static str>,
}

fn ties(origin: &Origin, message: u32) -> Ties {
    Ties {
        place: origin.place,
        message,
        agent_call: origin.agent_call.clone(),
        needs_call: origin.needs_call,
        needs_description: None,
    }
}

/// The channel of what is said within something that is said: a log has no say in it, and what is
/// hidden on either side stays so.
fn within(around: Channel, own: Channel) -> Channel {
    if around == Channel::Text || own.is_hidden() { own } else { around }
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

/// The column of byte `at`.
fn column_of(text: &[u8], at: usize) -> u64 {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    String::from_utf8_lossy(&text[start..at]).chars().count() as u64 + 1
}

/// What is said after a block: the text without the fence that closes around it.
fn own_words(text: &str) -> &str {
    let text = text.trim();
    text.trim_start_matches(['`', '~']).trim_start()
}
