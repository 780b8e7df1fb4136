//! What a JSON frame says: records, messages, tool calls.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Agent, Event, Frame, Here, LeftOut, News, Places, Scan, Speech};
use crate::contract::{CONTRACTS, Outline};
use crate::locate::needles::Needle;
use crate::locate::{Block, call, needles};
use crate::record::{Carrier, Channel, Place};
use crate::transcript::frame::{self, Damage};
use crate::transcript::layer::{Layer, Strings};
use crate::transcript::raw::{End, end_of_value};
use crate::transcript::shape::skip_padding;
use crate::transcript::{self, Body, Item, Message, Nested, Raw, Sink, Transcript, shape};
use crate::wrapper::{self, Origins};

impl Scan<'_> {
    /// The records of a frame.
    pub(super) fn records(&mut self, frame: Frame<'_>) {
        for record in self.split(frame) {
            let format = self.scope.transcript.unwrap_or_else(|| transcript::of_record(&record));
            self.record(frame, record, format);
        }
    }

    /// Cuts a frame into records.
    fn split<'a>(&mut self, frame: Frame<'a>) -> Vec<Raw<'a>> {
        let (mut records, mut faults) = (Vec::new(), Vec::new());
        frame::records(
            frame.bytes,
            // An array of records is a log as well.
            |record| {
                if record.is_array() {
                    records.extend(record.items());
                } else {
                    records.push(record);
                }
            },
            |fault, at| faults.push((fault, at)),
        );
        if let Err(error) = std::str::from_utf8(frame.bytes) {
            faults.push((Damage::Encoding, error.valid_up_to()));
        }
        for (fault, at) in faults {
            (self.sink)(Event::Damage(fault, frame.start.layer.input_offset(at)));
        }
        records
    }

    fn record(&mut self, frame: Frame<'_>, record: Raw<'_>, format: &dyn Transcript) {
        let session = self.session;
        self.items(frame, record, format.id(), &mut |sink| format.read(record, session, sink));
    }

    /// What a format gives of a record.
    fn items<'a>(
        &mut self,
        frame: Frame<'_>,
        record: Raw<'a>,
        format: &'static str,
        read: &mut dyn FnMut(Sink<'_, 'a>),
    ) {
        let is_generic = format == transcript::generic().id();
        let mut known = Vec::new();
        let mut unread = Unread::default();
        // What calls and answers there are is not for what any tool gives back to say.
        let has_say = frame.speech.is_none_or(|outer| !outer.ties.needs_call);
        read(&mut |item| {
            match item {
                Item::Message(message) => {
                    let spans: Vec<_> = message.body.raws().iter().map(span).collect();
                    let is_value = matches!(message.body, Body::Value(_));
                    let body = (is_generic && self.scope.channels.contains(&message.channel))
                        .then(|| message.body.clone());
                    let before = self.noticed;
                    let taken = self.message(frame, message, format);
                    if self.noticed > before {
                        unread.noticed.extend(spans.iter().map(|span| span.start));
                    } else if let Some(body) = body {
                        self.unread(&body, &mut unread);
                    }
                    // A value that is no review is known by its parts only.
                    if taken || !is_value {
                        known.extend(spans);
                    }
                    return taken;
                }
                Item::Echo(raw) => known.push(span(&raw)),
                Item::TooDeep(raw) => {
                    known.push(span(&raw));
                    self.leave_out(LeftOut::TooDeep);
                }
                Item::Nested(nested) => {
                    known.push(span(&nested.raw));
                    self.json_in_string(frame, nested, format);
                }
                Item::Call(call) if has_say => (self.sink)(Event::News(News::Call(call))),
                Item::Call(_) => {}
                Item::Result { tool_call_id, taken } => {
                    if has_say {
                        (self.sink)(Event::News(News::Result { tool_call_id, taken }));
                    }
                }
                Item::Fault(fault, at) => {
                    let offset = frame.start.layer.input_offset(at);
                    (self.sink)(Event::Damage(fault, offset));
                }
            }
            false
        });
        if is_generic {
            for _ in 0..unread.count() {
                self.leave_out(LeftOut::UnknownSpeaker);
            }
        } else {
            known.sort_unstable_by_key(|span| span.start);
            self.unknown(frame, record, &known);
        }
    }

    /// Notes what would be a review if an agent said it, or gave it to a tool.
    fn unread(&self, body: &Body<'_>, unread: &mut Unread) {
        let (Body::Text(raw) | Body::Value(raw)) = body else { return };
        if !raw.is_object() && !raw.body().is_some_and(needles::any) {
            return;
        }
        let text = raw.text().unwrap_or_else(|| String::from_utf8_lossy(raw.bytes));
        if self.would_be_review(&text) {
            unread.spans.push(span(raw));
        }
        // An answer that was streamed holds no needle but in pieces.
        // Nor is a block found by its delimiter in JSON that breaks off, or is escaped once more.
        let is_delimiter = |hit: needles::Hit| {
            matches!(hit.needle, Needle::Delimiter(_)) && text[..hit.at as usize].ends_with("---")
        };
        if raw.is_string()
            && (needles::hits(text.as_bytes(), 0).any(is_delimiter)
                || wrapper::unwrap(text.as_bytes(), &self.scope.limits).is_some())
        {
            unread.spans.push(span(raw));
        }
        let blocks = call::blocks(&self.scope.choice, "", *raw);
        unread.spans.extend(blocks.iter().map(|block| span(&block.raw)));
    }

    /// Looks into JSON that a format keeps in a string.
    fn json_in_string(&mut self, frame: Frame<'_>, nested: Nested<'_>, format: &'static str) {
        let Nested { raw, channel, origin, read } = nested;
        if !raw.body().is_some_and(needles::any) {
            return;
        }
        let decoded = raw.text().unwrap_or_default();
        let bytes = decoded.as_bytes();
        let Some(at) = json_start(bytes) else {
            let body = Body::Text(raw);
            self.message(frame, Message { channel, body, origin }, format);
            return;
        };
        let outer = frame.at(raw.offset).layer;
        if outer.depth() >= self.scope.limits.layers {
            self.leave_out(LeftOut::TooDeep);
            return;
        }
        let start = Here { at: 0, place: Place::START, layer: Layer::string(&raw, &outer) };
        let inner = Frame { bytes, start, places: &Places::new(start), speech: frame.speech };
        let value = Raw::at(bytes, at, 0);
        if !value.whole {
            let offset = start.layer.input_offset(at);
            (self.sink)(Event::Damage(Damage::Torn, offset));
        }
        self.items(inner, value, format, &mut |sink| read(value, &origin, sink));
    }

    /// Reads what stands in no place that the record's format knows, as in JSON of no known format.
    fn unknown(&mut self, frame: Frame<'_>, record: Raw<'_>, known: &[Range<usize>]) {
        let mut ends = Vec::with_capacity(known.len());
        let mut reach = 0;
        for span in known {
            reach = reach.max(span.end);
            ends.push(reach);
        }
        // Whether any byte of `span` is in a known place.
        let is_known = |span: &Range<usize>| {
            let before = known.partition_point(|known| known.start < span.end);
            before.checked_sub(1).is_some_and(|last| ends[last] > span.start)
        };
        let is_sign = |hit: &needles::Hit| match hit.needle {
            Needle::Thinking => false,
            Needle::Record => {
                let start = hit.at as usize - record.offset;
                transcript::opens_numbered(&record.bytes[start..hit.end as usize - record.offset])
            }
            Needle::Delimiter(_) | Needle::Sure | Needle::Weak => true,
        };
        let mut hits = needles::hits(record.bytes, record.offset as u64).filter(is_sign);
        if hits.all(|hit| is_known(&(hit.at as usize..hit.end as usize))) {
            return;
        }
        let generic = transcript::generic();
        generic.read(record, self.session, &mut |item| {
            let message = match item {
                Item::Message(message) => message,
                Item::TooDeep(raw) => {
                    if !is_known(&span(&raw)) {
                        self.leave_out(LeftOut::TooDeep);
                    }
                    return false;
                }
                _ => return false,
            };
            if message.body.raws().iter().map(span).any(|span| is_known(&span))
                || is_name(&message.body)
            {
                return false;
            }
            if message.channel == Channel::Text {
                // In a transcript with roles, what nobody says is no agent's word.
                return self.left_out(&message.body, LeftOut::UnknownSpeaker);
            }
            let at = message.body.raws().first().map_or(0, |raw| raw.offset);
            let is_text = !matches!(message.body, Body::Value(_));
            let taken = self.message(frame, message, generic.id());
            if is_text || taken {
                let offset = frame.start.layer.input_offset(at);
                (self.sink)(Event::Damage(Damage::UnknownPlace, offset));
            }
            taken
        });
    }

    /// Looks into a message. True where it is a review as a whole.
    fn message(&mut self, frame: Frame<'_>, message: Message<'_>, format: &'static str) -> bool {
        let mut speech = self.speech(format, message.channel, message.origin);
        if let Some(outer) = frame.speech {
            speech.within(outer);
        }
        if let Body::Log(raw) = message.body {
            self.log(raw, &speech, frame);
            return false;
        }
        if !self.scope.channels.contains(&speech.source.channel) {
            return self.left_out(&message.body, LeftOut::Hidden);
        }
        self.messages += 1;
        match message.body {
            Body::Text(_) | Body::Joined(_) => {
                let raws = message.body.raws();
                let first = raws.first().map_or(0, |raw| raw.offset);
                self.text(raws, &speech, &frame.at(first).layer);
                false
            }
            Body::Value(raw) => self.value(raw, speech, frame),
            Body::Call(tool, input) => {
                self.call(&tool, input, &speech, frame);
                true
            }
            Body::Log(_) => false,
        }
    }

    /// Looks into a log of its own: a document in a string, or what was streamed. What is no record
    /// of a known format in it is nobody's word.
    fn log(&mut self, raw: Raw<'_>, speech: &Speech, frame: Frame<'_>) {
        let limits = &self.scope.limits;
        if raw.is_array() {
            let events = raw.items().map(|event| event.get("data").unwrap_or(event));
            let (inner, origins) = wrapper::joined(events, limits);
            self.unwrapped(&inner, &origins, &frame.start.layer, speech);
            return;
        }
        let Some(text) = raw.text() else { return };
        let outer = frame.at(raw.offset).layer;
        if outer.depth() >= limits.layers {
            self.leave_out(LeftOut::TooDeep);
            return;
        }
        let layer = Layer::string(&raw, &outer);
        let bytes = text.as_bytes();
        if shape::opens_json(bytes) {
            let start = Here { at: 0, place: Place::START, layer };
            let places = &Places::new(start);
            self.known(Frame { bytes, start, places, speech: Some(speech) });
        } else if let Some((inner, origins)) = wrapper::unwrap(bytes, limits) {
            self.unwrapped(&inner, &origins, &layer, speech);
        } else if needles::any(bytes) {
            self.leave_out(LeftOut::UnknownSpeaker);
        }
    }

    /// Looks into the records of a log that a wrapper stood around.
    fn unwrapped(&mut self, log: &[u8], origins: &Origins, outer: &Layer<'_>, speech: &Speech) {
        let layer = Layer::Unwrapped { origins, passed: 0, outer };
        let (mut start, mut place) = (0, Place::START);
        for line in log.split_inclusive(|byte| *byte == b'\n') {
            let here = Here { at: 0, place, layer: layer.from(start) };
            if shape::opens_json(line) {
                let places = &Places::new(here);
                self.known(Frame { bytes: line, start: here, places, speech: Some(speech) });
            }
            start += line.len();
            place = place.after(line);
        }
    }

    /// The records of a frame that a format knows.
    fn known(&mut self, frame: Frame<'_>) {
        if !needles::any(frame.bytes) {
            return;
        }
        for record in self.split(frame) {
            if let Some(format) = transcript::known(&record) {
                self.record(frame, record, format);
            } else if needles::any(record.bytes) {
                self.leave_out(LeftOut::UnknownSpeaker);
            }
        }
    }

    /// Counts what may hold a review and is not read. A value is one or is looked at part by part:
    /// true where it is one.
    fn left_out(&mut self, body: &Body<'_>, what: LeftOut) -> bool {
        let is_review = match body {
            Body::Value(raw) => self.would_be_review(&String::from_utf8_lossy(raw.bytes)),
            _ => false,
        };
        let is_text = !matches!(body, Body::Value(_));
        if is_review || is_text && needles::any(&Strings::of(body.raws()).body) {
            self.leave_out(what);
        }
        is_review
    }

    /// Whether `text` is a review where an agent speaks.
    fn would_be_review(&self, text: &str) -> bool {
        self.scope.choice.claim(&Outline::of(text), Channel::ToolInput).is_some()
    }

    /// Takes a value that may be a review. True where it is.
    fn value(&mut self, raw: Raw<'_>, mut speech: Speech, frame: Frame<'_>) -> bool {
        let json = String::from_utf8_lossy(raw.bytes);
        let channel = speech.source.channel;
        let Some((contract, _)) = self.scope.choice.claim(&Outline::of(&json), channel) else {
            return false;
        };
        let carrier = if channel == Channel::Event { Carrier::Event } else { Carrier::Bare };
        let here = frame.at(raw.offset);
        speech.source.stands_at(&here.layer.input_span(0..raw.bytes.len()));
        speech.source.depth = here.layer.depth();
        let block = Block::whole(json, here.place);
        self.whole(contract, carrier, block, raw.whole, speech);
        true
    }

    /// Looks into a tool call.
    fn call(&mut self, tool: &str, input: Raw<'_>, speech: &Speech, frame: Frame<'_>) {
        let blocks = self.with_object(input, frame, &mut |scan, object, frame| {
            let Some((tool, input)) = call::relayed(tool, &object) else {
                return scan.made(tool, object, speech, frame);
            };
            scan.with_object(input, frame, &mut |scan, object, frame| {
                scan.made(&tool, object, speech, frame)
            })
        });
        if blocks == 0 && needles::any(input.bytes) {
            self.leave_out(LeftOut::OtherInput);
        }
    }

    /// Gives the input of a tool call, out of the string that it may stand in.
    fn with_object(
        &mut self,
        input: Raw<'_>,
        frame: Frame<'_>,
        take: &mut dyn FnMut(&mut Self, Raw<'_>, Frame<'_>) -> usize,
    ) -> usize {
        let decoded = input.text().filter(|decoded| decoded.trim_start().starts_with('{'));
        let Some(decoded) = decoded else { return take(self, input, frame) };
        let outer = frame.at(input.offset).layer;
        let bytes = decoded.as_bytes();
        let start = Here { at: 0, place: Place::START, layer: Layer::string(&input, &outer) };
        let object = Raw::at(bytes, bytes.len() - bytes.trim_ascii_start().len(), 0);
        take(
            self,
            object,
            Frame { bytes, start, places: &Places::new(start), speech: frame.speech },
        )
    }

    /// Gives what a tool call hands in or carries, and how many blocks there are.
    fn made(&mut self, tool: &str, input: Raw<'_>, speech: &Speech, frame: Frame<'_>) -> usize {
        if frame.speech.is_none_or(|outer| !outer.ties.needs_call)
            && CONTRACTS.iter().any(|contract| call::submits(*contract, tool))
            && let Some(tool_call_id) = speech.source.tool_call_id.clone()
        {
            let agent = Agent::of(&speech.source, &speech.ties);
            (self.sink)(Event::News(News::Submitted { tool_call_id, agent }));
        }
        self.carried(tool, input, speech, frame)
    }

    /// Gives the blocks that a tool call with this input carries, and how many there are.
    fn carried(&mut self, tool: &str, input: Raw<'_>, speech: &Speech, frame: Frame<'_>) -> usize {
        let blocks = call::blocks(&self.scope.choice, tool, input);
        let count = blocks.len();
        let mut blocks = blocks.into_iter().enumerate().peekable();
        while let Some((index, first)) = blocks.next() {
            // The blocks that stand in one string, together.
            let raw = first.raw;
            let mut within = vec![first];
            while let Some((_, next)) = blocks.next_if(|(_, next)| next.raw.offset == raw.offset) {
                within.push(next);
            }
            let here = frame.at(raw.offset);
            let layer = if raw.is_string() { Layer::string(&raw, &here.layer) } else { here.layer };
            let spans: Vec<_> = within.iter().map(|block| block.span.clone()).collect();
            let spans = layer.input_spans(&spans);
            for (number, carried) in within.into_iter().enumerate() {
                let mut speech = speech.clone();
                speech.source.stands_at(&spans[number]);
                speech.source.depth = layer.depth();
                speech.source.index = (index + number) as u32;
                let block = if raw.is_string() {
                    carried.block
                } else {
                    carried.block.moved_to(here.place)
                };
                self.whole(carried.contract, carried.carrier, block, carried.raw.whole, speech);
            }
        }
        count
    }
}

/// What would be a review in JSON of no known format, if it were known who says it.
#[derive(Default)]
struct Unread {
    /// The values and texts that it stands in.
    spans: Vec<Range<usize>>,
    /// Where values and texts start in which a block was found, or that were counted.
    noticed: BTreeSet<usize>,
}

impl Unread {
    /// How many there are in which nothing was noticed.
    fn count(mut self) -> usize {
        // From the inner ones to those around them.
        self.spans.sort_unstable_by_key(|span| std::cmp::Reverse(span.start));
        let mut count = 0;
        for span in self.spans {
            if self.noticed.range(span.clone()).next().is_none() {
                self.noticed.insert(span.start);
                count += 1;
            }
        }
        count
    }
}

/// Where JSON starts that is all that `bytes` hold, or that is cut off at their end; `None` where
/// they are a text.
fn json_start(bytes: &[u8]) -> Option<usize> {
    let start = skip_padding(bytes);
    let text = &bytes[start..];
    let follows = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    let opens = match text.first()? {
        b'{' => matches!(follows, Some(b'"' | b'}')),
        b'[' => matches!(follows, Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    };
    let is_json = opens
        && match end_of_value(text, 0) {
            End::At(length) => text[length..].trim_ascii().is_empty(),
            End::Torn | End::Cut => true,
            End::Broken(_) => false,
        };
    is_json.then_some(start)
}

/// Whether a text is a mere name, of a tool or of a file, in which nothing is said.
fn is_name(body: &Body<'_>) -> bool {
    let Body::Text(raw) = body else { return false };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:/\\".contains(byte);
    raw.body().is_some_and(|body| body.iter().all(is_part))
}

/// The bytes of the frame that a value takes.
fn span(raw: &Raw<'_>) -> Range<usize> {
    raw.offset..raw.offset + raw.bytes.len()
}
