//! What a JSON frame says: records, messages, tool calls.

use super::{Event, Frame, Scan, Speech, place_after};
use crate::contract::{CONTRACTS, Outline};
use crate::locate::{Block, call};
use crate::record::{Carrier, Channel, Place};
use crate::transcript::frame::{self, Damage};
use crate::transcript::layer::Layer;
use crate::transcript::{self, Body, Item, Message, Raw};

impl Scan<'_> {
    /// The records of a frame.
    pub(super) fn records(&mut self, frame: Frame<'_>) {
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
}
