//! What a text says: the blocks in it, and the frames of a log within it.

use std::ops::Range;

use super::{Event, Found, Frame, Here, LeftOut, Places, Scan, Speech};
use crate::contract::{CONTRACTS, Setting};
use crate::locate::{Block, Choice, Kind, Locator, Spot, View, needles};
use crate::record::{Carrier, Channel, Place};
use crate::transcript::frame::Damage;
use crate::transcript::layer::{Layer, Strings};
use crate::transcript::{self, Raw, Stop, raw, shape};

impl Scan<'_> {
    /// Looks into a text.
    pub(super) fn text(&mut self, raws: &[Raw<'_>], speech: &Speech, outer: &Layer<'_>) {
        let strings = Strings::of(raws);
        // No needle holds a character that is escaped, so there is no need to decode for this.
        if !needles::any(&strings.body) {
            return;
        }
        let text = raw::unescape(&strings.body);
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
        let layer = Layer::strings(&strings, outer);
        if text.contains(char::REPLACEMENT_CHARACTER)
            && let Some(at) = raw::lone_surrogate(&strings.body)
        {
            let offset = outer.input_offset(strings.around(at));
            (self.sink)(Event::Damage(Damage::Surrogate, offset));
        }
        speech.source.depth = layer.depth();
        let message = Said { text: &text, layer: &layer, speech: &speech, whole: strings.whole };
        self.spots(&message, &spots);
        if speech.called {
            self.missing(&message, &spots);
        }
    }

    /// Gives the blocks of a text, and looks into the frames in it.
    fn spots(&mut self, message: &Said<'_>, spots: &[Spot]) {
        let text = message.text;
        let last = spots.iter().rposition(|spot| matches!(spot.kind, Kind::Block(..)));
        let span = |spot: &Spot| spot.span.start as usize..spot.span.end as usize;
        let spans = message.layer.input_spans(&spots.iter().map(span).collect::<Vec<_>>());
        let end = text.trim_end().len() as u64;
        let mut index = 0;
        let (mut place, mut counted) = (Place::START, 0);
        let (mut rest, mut passed) = (*message.layer, 0);
        for (number, spot) in spots.iter().enumerate() {
            let (opens, start) = (spot.span.start as usize, spot.body.start as usize);
            let opening = place.after(&text.as_bytes()[counted..opens]);
            place = opening.after(&text.as_bytes()[opens..start]);
            counted = start;
            let Kind::Block(contract, carrier) = spot.kind else {
                rest = rest.from(spot.span.start as usize - passed);
                passed = spot.span.start as usize;
                self.nested(message, spot, Here { at: 0, place, layer: rest });
                continue;
            };
            let Speech { mut source, ties, .. } = message.speech.clone();
            if spot.thinking {
                source.channel = Channel::Thinking;
            }
            if !self.scope.channels.contains(&source.channel) {
                continue;
            }
            source.stands_at(&spans[number]);
            source.index = index;
            source.last = Some(false);
            index += 1;
            let body = message.slice(&spot.body);
            // Why the model stopped says something of what stands at the message's end, but for the
            // start of a line.
            let behind = text[spot.span.end as usize..].trim();
            let is_last = spot.span.end >= end || (!behind.contains('\n') && !text.ends_with('\n'));
            let stop = message.speech.stop.filter(|_| is_last);
            let after = if Some(number) == last {
                own_words(message.slice(&(spot.span.end..text.len() as u64)))
            } else {
                ""
            };
            self.found(Found {
                contract,
                carrier,
                block: Ok(Block::of(spot, text.as_bytes(), 0, opening)),
                closed: spot.closed && (carrier != Carrier::Bare || !may_go_on(body, stop)),
                cut: !body.ends_with('\n') && (!message.whole || stop == Some(Stop::Limit)),
                setting: Setting {
                    before: message.slice(&spot.before),
                    after: Some(after),
                    cwd: message.speech.cwd.as_deref(),
                    stop,
                    recorded: false,
                },
                source,
                ties,
            });
        }
    }

    /// Looks into a frame of a log within a text. What an agent says is no log, but for records
    /// that are surely those of a transcript, in what it relays.
    fn nested(&mut self, message: &Said<'_>, spot: &Spot, start: Here<'_>) {
        let channel = message.speech.source.channel;
        let bytes = message.slice(&spot.span).as_bytes();
        let is_log = match channel {
            Channel::Assistant => false,
            Channel::AgentResult => {
                transcript::known(&Raw::at(bytes, shape::skip_padding(bytes), 0)).is_some()
            }
            _ => true,
        };
        if is_log && message.layer.depth() >= self.scope.limits.layers {
            self.leave_out(LeftOut::TooDeep);
        } else if is_log {
            let speech = Some(message.speech);
            self.records(Frame { bytes, start, places: &Places::new(start), speech });
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
            source.stands_at(&message.layer.input_span(0..message.text.len()));
            source.last = Some(true);
            self.found(Found {
                contract,
                carrier: Carrier::Bare,
                block: Err(Box::new(review)),
                closed: true,
                cut: false,
                setting: Setting { after: Some(""), ..Setting::default() },
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

/// What is said after a block: the text without the fence and the elements that close around it.
fn own_words(text: &str) -> &str {
    let text = text.trim();
    let mut text = text.trim_start_matches(['`', '~']).trim_start();
    while let Some((name, rest)) = text.strip_prefix("</").and_then(|tag| tag.split_once('>')) {
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            break;
        }
        text = rest.trim_start();
    }
    text
}

/// Whether a block that has no mark of its end may have gone on: the model was stopped.
pub(super) fn may_go_on(body: &str, stop: Option<Stop>) -> bool {
    stop == Some(Stop::Limit) && !body.trim_end().ends_with(['}', ']'])
}
