//! Streams of server-sent events, in which APIs of models give an answer piece by piece.
//!
//! Takes the lines of a stream, gives one JSON line per answer, in the shape that the API has for
//! an answer that is not streamed. The escaped texts of the pieces are copied one behind the other,
//! so every piece leads back to where it stands. An answer is given when its end is there; one that
//! has no end is given as far as it goes, and left open. Several answers may be streamed at a time,
//! each known by its id. Events may also stand on lines of their own, without `data:`. An event of
//! no such API passes as it stands.

use super::{Line, Origins, Output, Unwrap, Wrapper};
use crate::limits::Limits;
use crate::record::Place;
use crate::transcript::Raw;

mod answer;
mod events;

use answer::{Answer, Key};

/// Streams of server-sent events.
pub struct Sse;

impl Wrapper for Sse {
    fn id(&self) -> &'static str {
        "sse"
    }

    fn takes_off(&self) -> &'static str {
        "the events in which Anthropic's and OpenAI-like APIs stream an answer; its pieces are joined"
    }

    fn recognised_by(&self) -> &'static str {
        "lines `data: {…}` with an event of such an API, or the `event:` line before one"
    }

    fn opens(&self, start: &[u8]) -> bool {
        match Field::of(start) {
            Some(Field::Data(at)) => events::api(&Raw::at(start, at, 0)).is_some(),
            Some(Field::Event(name)) => events::is_name(name),
            Some(Field::Other | Field::Blank) => false,
            None => bare(start).is_some(),
        }
    }

    fn unwrap(&self, limits: &Limits) -> Box<dyn Unwrap> {
        Box::new(Streams::new(limits))
    }
}

/// The answers in events that stand one by one in a text.
pub fn joined<'a>(events: impl Iterator<Item = Raw<'a>>, limits: &Limits) -> (Vec<u8>, Origins) {
    let mut origins = Origins::default();
    origins.within(0, Place::START);
    let mut streams = Streams::new(limits);
    let bytes = origins.output(0, |out| {
        for event in events {
            let line = Line::new(event.bytes, event.offset as u64, Place::START);
            streams.event(&Raw::at(event.bytes, 0, 0), &line, out);
        }
        streams.end(out);
    });
    (bytes, origins)
}

/// What a line of a stream is.
enum Field<'l> {
    /// Data that starts at this byte.
    Data(usize),
    /// The name of an event.
    Event(&'l [u8]),
    /// What says nothing: a comment, an id, how to connect again.
    Other,
    /// The end of an event.
    Blank,
}

impl<'l> Field<'l> {
    fn of(line: &'l [u8]) -> Option<Self> {
        let value = |name: &[u8]| line.strip_prefix(name).map(<[u8]>::trim_ascii);
        if let Some(data) = value(b"data:") {
            let start = line.len() - line[5..].trim_ascii_start().len();
            return (!data.is_empty()).then_some(Self::Data(start));
        }
        if let Some(name) = value(b"event:") {
            return Some(Self::Event(name));
        }
        if line.is_empty() {
            return Some(Self::Blank);
        }
        let is_other = [&b":"[..], b"id:", b"retry:"].iter().any(|name| line.starts_with(name));
        is_other.then_some(Self::Other)
    }
}

/// The event that stands on a line without `data:`.
fn bare(line: &[u8]) -> Option<Raw<'_>> {
    let event = line.starts_with(b"{").then(|| Raw::at(line, 0, 0))?;
    // These words are others' as well.
    let is_vague = event.get("type").is_some_and(|kind| kind.is("error") || kind.is("ping"));
    (!is_vague && events::api(&event).is_some()).then_some(event)
}

/// The answers that are streamed.
struct Streams {
    /// Those that have no end yet, in the order in which they started.
    open: Vec<Answer>,
    /// The id of the last response that started, as it is written.
    response: String,
    /// The line before is of a stream.
    within: bool,
    /// And it ended an event.
    ended: bool,
    /// An item of that response was given.
    given: bool,
    /// The most bytes that are held, and the most answers.
    cap: usize,
    most: usize,
    /// Where the last line of a stream ends, for what is put at the end.
    last: Option<super::Kept>,
}

impl Unwrap for Streams {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text();
        let within = std::mem::take(&mut self.within);
        let is_own = match Field::of(text) {
            Some(Field::Data(at)) => self.data(line, at, out),
            Some(Field::Event(name)) => events::is_name(name),
            Some(Field::Other) => within,
            Some(Field::Blank) => within && !self.ended,
            None => bare(text).is_some_and(|event| self.event(&event, line, out)),
        };
        self.within = is_own;
        self.ended = text.is_empty();
        is_own
    }

    fn held(&self) -> Option<u64> {
        self.open.iter().filter_map(Answer::origin).min()
    }

    fn end(&mut self, out: &mut Output) {
        let Some(last) = self.last.take() else { return };
        for answer in self.open.drain(..) {
            answer.give(&last.line(), false, out);
        }
    }
}

impl Streams {
    fn new(limits: &Limits) -> Self {
        Self {
            open: Vec::new(),
            response: String::new(),
            given: false,
            within: false,
            ended: false,
            cap: limits.frame,
            most: limits.streams,
            last: None,
        }
    }

    /// Takes the data that starts at this byte of the line.
    fn data(&mut self, line: &Line<'_>, at: usize, out: &mut Output) -> bool {
        let text = line.text();
        if text[at..].trim_ascii() == b"[DONE]" {
            // It names no answer.
            if self.open.len() == 1 {
                self.close(0, true, line, out);
            }
            return true;
        }
        self.event(&Raw::at(text, at, 0), line, out)
    }

    fn event(&mut self, event: &Raw<'_>, line: &Line<'_>, out: &mut Output) -> bool {
        let Some(api) = events::api(event) else { return false };
        match api {
            events::Api::Anthropic => self.anthropic(event, line, out),
            events::Api::Chat => self.chat(event, line, out),
            events::Api::Responses => self.responses(event, line, out),
        }
        if !event.whole {
            // The stream breaks off here: nothing can be joined to half an escape.
            while !self.open.is_empty() {
                self.close(0, false, line, out);
            }
        }
        if self.open.iter().map(Answer::held).sum::<usize>() > self.cap {
            let largest = (0..self.open.len()).max_by_key(|index| self.open[*index].held());
            if let Some(largest) = largest {
                self.close(largest, false, line, out);
            }
        }
        let has_open = !self.open.is_empty();
        self.last = has_open.then(|| line.from(line.bytes.len()).keep());
        true
    }

    /// The answer with this key; it starts here if there is none.
    fn answer(
        &mut self,
        key: Key,
        line: &Line<'_>,
        out: &mut Output,
        start: impl FnOnce(Key) -> Answer,
    ) -> &mut Answer {
        if let Some(index) = self.open.iter().position(|answer| answer.key == key) {
            return &mut self.open[index];
        }
        if self.open.len() >= self.most {
            self.close(0, false, line, out);
        }
        self.open.push(start(key));
        let index = self.open.len() - 1;
        &mut self.open[index]
    }

    /// Gives an answer.
    fn close(&mut self, index: usize, whole: bool, line: &Line<'_>, out: &mut Output) {
        self.open.remove(index).give(line, whole, out);
    }

    /// Gives the answer with this key, if it has started.
    fn finish(&mut self, key: &Key, whole: bool, line: &Line<'_>, out: &mut Output) {
        if let Some(index) = self.open.iter().position(|answer| answer.key == *key) {
            self.close(index, whole, line, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::unwrapped;
    use super::super::unwrap;
    use super::*;

    fn chunk(id: &str, content: &str) -> String {
        format!(
            "data: {{\"id\":\"{id}\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\
             \"delta\":{{\"content\":\"{content}\"}},\"finish_reason\":null}}]}}\n\n"
        )
    }

    fn said(id: &str, content: &str, end: &str) -> String {
        format!(
            "{{\"object\":\"chat.completion\",\"id\":\"{id}\",\"choices\":[{{\"index\":0,\
             \"message\":{{\"role\":\"assistant\",\"content\":\"{content}{end}\n"
        )
    }

    const END: &str = "\"}}]}";

    #[test]
    fn escaped_pieces_are_joined_as_they_stand() {
        let text = chunk("a", "x\\n\\ud83d") + &chunk("a", "\\ude00\\\"") + "data: [DONE]\n\n";
        assert_eq!(unwrapped(&text).unwrap(), said("a", "x\\n\\ud83d\\ude00\\\"", END));
    }

    #[test]
    fn what_is_no_event_of_such_an_api_passes() {
        let text = format!(
            ": hello\n\nlog\n{}log\n\ndata: {{\"a\":1}}\n\n{}data: [DONE]\n\n\nlog\n",
            chunk("a", "x"),
            chunk("a", "y")
        );
        let rest = format!("log\n\ndata: {{\"a\":1}}\n\n{}\nlog\n", said("a", "xy", END));
        assert_eq!(unwrapped(&text).unwrap(), format!(": hello\n\nlog\n{rest}"));
        assert_eq!(unwrapped("data: {\"a\":1}\n\nevent: other\ndata: x\n\n"), None);
    }

    #[test]
    fn an_answer_beyond_a_cap_is_given_as_far_as_it_goes() {
        let given = |text: &str, limits: &Limits| {
            String::from_utf8(unwrap(text.as_bytes(), limits).unwrap().0).unwrap()
        };
        let limits = Limits { streams: 2, ..Limits::default() };
        let text: String = ["a", "b", "c", "b"].map(|id| chunk(id, "x")).concat();
        let open = ["a", "b", "c"].map(|id| said(id, if id == "b" { "xx" } else { "x" }, ""));
        assert_eq!(given(&text, &limits), open.concat());
        let limits = Limits { frame: 3 << 10, ..Limits::default() };
        let text = chunk("a", "word ").repeat(100) + "data: [DONE]\n\n";
        let came = given(&text, &limits);
        assert!(came.lines().count() > 3, "{came}");
        assert_eq!(came.matches("word ").count(), 100);
        assert!(came.ends_with(&format!("{END}\n")), "{came}");
    }

    #[test]
    fn a_stream_that_is_torn_anywhere_gives_what_there_is() {
        let text = chunk("a", "x\\n") + &chunk("a", "y") + "data: [DONE]\n\n";
        let first = chunk("a", "").find("\"content\":\"").unwrap() + 12;
        for end in first..text.len() {
            let (given, origins) = unwrap(&text.as_bytes()[..end], &Limits::default()).unwrap();
            let given = String::from_utf8(given).unwrap();
            assert!(given.contains(said("a", "x", "").trim_end()), "{end}: {given}");
            for at in 0..given.len() {
                assert!(origins.offset(at as u64) <= end as u64, "{end}: {at}");
            }
        }
    }
}
