//! What the events of each API say, and how an answer of that API is put together.

use super::super::{Line, Output};
use super::Streams;
use super::answer::{Answer, Form, Key, copy, glue};
use crate::transcript::Raw;

/// An API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's Messages.
    Anthropic,
    /// Chat completions, and completions before them.
    Chat,
    /// OpenAI's Responses.
    Responses,
}

/// Events of Anthropic's API.
const ANTHROPIC: [&str; 8] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
];

/// What the events of the Responses API start with.
const RESPONSES: &[u8] = b"response.";

/// The API that this is an event of.
pub fn api(event: &Raw<'_>) -> Option<Api> {
    if !event.is_object() {
        return None;
    }
    let [kind, object, choices] = event.fields(["type", "object", "choices"]);
    if let Some(kind) = kind.and_then(|kind| kind.body()) {
        if kind.starts_with(RESPONSES) {
            return Some(Api::Responses);
        }
        return ANTHROPIC.iter().any(|own| own.as_bytes() == kind).then_some(Api::Anthropic);
    }
    let first = choices.and_then(|choices| choices.items().next());
    let [delta, text] = first.map_or([None; 2], |choice| choice.fields(["delta", "text"]));
    let is_chunk = object.is_some_and(|object| object.is("chat.completion.chunk"));
    let is_text = object.is_some_and(|object| object.is("text_completion")) && text.is_some();
    (is_chunk || is_text || delta.is_some()).then_some(Api::Chat)
}

/// Whether an event of such an API has this name.
pub fn is_name(name: &[u8]) -> bool {
    name.starts_with(RESPONSES) || ANTHROPIC.iter().any(|own| own.as_bytes() == name)
}

/// A text, or what is thought.
const fn text(head: &'static str, after: &'static str) -> Form {
    Form { head, before: "", after, listed: false }
}

const SAID: Form = text("{\"type\":\"text\",\"text\":\"", "}");
const THOUGHT: Form = text("{\"type\":\"thinking\",\"thinking\":\"", "}");
const TOOL_USE: Form =
    Form { head: "{\"type\":\"tool_use\"", before: ",\"input\":\"", after: "}", listed: false };
const CONTENT: Form = text(",\"content\":\"", "");
const REASONING: Form = text(",\"reasoning_content\":\"", "");
const REFUSAL: Form = text(",\"refusal\":\"", "");
const TOOL_CALL: Form =
    Form { head: "{\"type\":\"function\"", before: ",\"arguments\":\"", after: "}}", listed: true };
const OUTPUT_TEXT: Form = text("{\"type\":\"output_text\",\"text\":\"", "}");
const ARGUMENTS: Form = text("\"arguments\":\"", "");

/// The text of a value, as a key.
fn key(value: Option<Raw<'_>>) -> String {
    value.map_or_else(String::new, |value| String::from_utf8_lossy(value.bytes).into_owned())
}

/// The start of an answer: `before`, the id as it is written, `after`.
fn head(before: &str, id: Option<Raw<'_>>, after: &str, line: &Line<'_>) -> Output {
    let mut head = Output::default();
    glue(&mut head, before, line, 0);
    if let Some(id) = id.filter(|id| id.whole && id.is_string()) {
        glue(&mut head, "\"id\":", line, id.offset);
        copy(&mut head, &id, line);
        glue(&mut head, ",", line, id.offset + id.bytes.len());
    }
    glue(&mut head, after, line, 0);
    head
}

/// A message of Anthropic's API.
fn message(key: Key, id: Option<Raw<'_>>, line: &Line<'_>) -> Answer {
    let before = "{\"type\":\"message\",\"role\":\"assistant\",\"stop_reason\":null,";
    Answer::new(key, head(before, id, "\"content\":[", line), "]}")
}

impl Streams {
    pub(super) fn anthropic(&mut self, event: &Raw<'_>, line: &Line<'_>, out: &mut Output) {
        let [kind, index, block, delta, started] =
            event.fields(["type", "index", "content_block", "delta", "message"]);
        let index = key(index);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("message_start") => {
                // One that has no end yet gets none.
                self.finish(&Key::Message, false, line, out);
                let id = started.and_then(|message| message.get("id"));
                self.answer(Key::Message, line, out, |key| message(key, id, line));
            }
            Some("message_stop") => self.finish(&Key::Message, true, line, out),
            Some("error") => self.finish(&Key::Message, false, line, out),
            Some("content_block_start") => {
                let Some(block) = block else { return };
                let answer = self.answer(Key::Message, line, out, |key| message(key, None, line));
                let [kind, id, name, text, thinking] =
                    block.fields(["type", "id", "name", "text", "thinking"]);
                let text = match kind.and_then(|kind| kind.text()).as_deref() {
                    Some("text") => text.zip(Some(SAID)),
                    Some("thinking") => thinking.zip(Some(THOUGHT)),
                    Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                        let values = [(",\"id\":", id), (",\"name\":", name)];
                        answer.name(&index, TOOL_USE, &values, line);
                        None
                    }
                    _ => {
                        answer.value(&index, &block, line);
                        None
                    }
                };
                if let Some((text, form)) = text {
                    answer.piece(&index, form, &text, line);
                }
            }
            Some("content_block_delta") => {
                let Some(delta) = delta else { return };
                let answer = self.answer(Key::Message, line, out, |key| message(key, None, line));
                let [text, thinking, json] = delta.fields(["text", "thinking", "partial_json"]);
                let pieces = [(text, SAID), (thinking, THOUGHT), (json, TOOL_USE)];
                for (piece, form) in pieces {
                    if let Some(piece) = piece {
                        answer.piece(&index, form, &piece, line);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn chat(&mut self, event: &Raw<'_>, line: &Line<'_>, out: &mut Output) {
        let [id, choices] = event.fields(["id", "choices"]);
        for choice in choices.into_iter().flat_map(|choices| choices.items()) {
            let [index, delta, text, finish] =
                choice.fields(["index", "delta", "text", "finish_reason"]);
            let own = Key::Choice(key(id), key(index));
            let parts = delta.map(|delta| {
                delta.fields([
                    "content",
                    "reasoning",
                    "reasoning_content",
                    "refusal",
                    "tool_calls",
                    "function_call",
                ])
            });
            let [content, reasoning, thought, refusal, calls, function] = parts.unwrap_or_default();
            let pieces = [
                ("content", content.or(text), CONTENT),
                ("reasoning", reasoning.or(thought), REASONING),
                ("refusal", refusal, REFUSAL),
            ];
            let is_text = |piece: &Raw<'_>| piece.body().is_some_and(|body| !body.is_empty());
            let pieces: Vec<_> = pieces
                .into_iter()
                .filter_map(|(key, piece, form)| Some((key, piece.filter(is_text)?, form)))
                .collect();
            let calls: Vec<_> = calls.into_iter().flat_map(|calls| calls.items()).collect();
            if !pieces.is_empty() || !calls.is_empty() || function.is_some_and(|f| f.is_object()) {
                let answer = self.answer(own.clone(), line, out, |key| {
                    let after = "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\"";
                    let before = "{\"object\":\"chat.completion\",";
                    Answer::new(key, head(before, id, after, line), "}}]}")
                });
                for (key, piece, form) in pieces {
                    answer.piece(key, form, &piece, line);
                }
                for call in calls {
                    let [index, id, function] = call.fields(["index", "id", "function"]);
                    call_piece(answer, &key(index), id, function, line);
                }
                call_piece(answer, "function", None, function, line);
            }
            if finish.is_some_and(|finish| finish.is_string()) {
                self.finish(&own, true, line, out);
            }
        }
    }

    pub(super) fn responses(&mut self, event: &Raw<'_>, line: &Line<'_>, out: &mut Output) {
        let [kind, response, item, item_id, part, delta] =
            event.fields(["type", "response", "item", "item_id", "content_index", "delta"]);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("response.created" | "response.in_progress") => {
                let id = response.and_then(|response| response.get("id")).filter(|id| id.whole);
                self.response = key(id.filter(Raw::is_string));
                self.given = false;
            }
            Some("response.output_item.added") => {
                if let Some(item) = item {
                    self.start_item(&item, line, out);
                }
            }
            Some("response.output_item.done") => {
                let Some(item) = item else { return };
                let own = Key::Item(key(item.get("id")));
                // All that was said of it is said again.
                self.open.retain(|answer| answer.key != own);
                self.given = true;
                let id = self.response_id();
                glue(out, &format!("{{\"object\":\"response\",{id}\"output\":["), line, 0);
                copy(out, &item, line);
                glue(out, if item.whole { "]}\n" } else { "\n" }, line, 0);
            }
            Some("response.output_text.delta" | "response.refusal.delta") => {
                self.item_piece(key(item_id), &key(part), OUTPUT_TEXT, delta, line, out);
            }
            Some(
                "response.function_call_arguments.delta"
                | "response.custom_tool_call_input.delta"
                | "response.mcp_call_arguments.delta",
            ) => self.item_piece(key(item_id), "", ARGUMENTS, delta, line, out),
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                // What has no end of its own ends with the response, or is cut off by it.
                let whole = kind.is_some_and(|kind| kind.is("response.completed"));
                let is_item = |answer: &Answer| matches!(answer.key, Key::Item(_));
                while let Some(index) = self.open.iter().position(is_item) {
                    self.close(index, whole, line, out);
                    self.given = true;
                }
                // Of a stream that starts late this may be all there is.
                if let Some(response) = response.filter(|_| !std::mem::take(&mut self.given)) {
                    copy(out, &response, line);
                    glue(out, "\n", line, 0);
                }
            }
            _ => {}
        }
    }

    /// The id of the response, as a member of an object.
    fn response_id(&self) -> String {
        if self.response.is_empty() { String::new() } else { format!("\"id\":{},", self.response) }
    }

    /// Notes what an item is, before its pieces come.
    fn start_item(&mut self, item: &Raw<'_>, line: &Line<'_>, out: &mut Output) {
        let [kind, id, call, name] = item.fields(["type", "id", "call_id", "name"]);
        let before = format!("{{\"object\":\"response\",{}\"output\":[{{", self.response_id());
        let kind_of = kind.filter(|kind| kind.whole);
        let mut start = head(&before, id, "", line);
        let mut note = |name: &str, value: Option<Raw<'_>>| {
            if let Some(value) = value.filter(|value| value.whole && value.is_string()) {
                glue(&mut start, name, line, value.offset);
                copy(&mut start, &value, line);
                glue(&mut start, ",", line, value.offset + value.bytes.len());
            }
        };
        note("\"type\":", kind_of);
        note("\"call_id\":", call);
        note("\"name\":", name);
        let is_message = kind_of.is_some_and(|kind| kind.is("message"));
        let tail = if is_message { "]}]}" } else { "}]}" };
        if is_message {
            glue(&mut start, "\"role\":\"assistant\",\"content\":[", line, 0);
        }
        let own = Key::Item(key(id));
        self.finish(&own, false, line, out);
        self.answer(own, line, out, |key| Answer::new(key, start, tail));
    }

    /// Adds a piece to an item. One whose start is not there is a message, if that may be.
    fn item_piece(
        &mut self,
        id: String,
        part: &str,
        form: Form,
        piece: Option<Raw<'_>>,
        line: &Line<'_>,
        out: &mut Output,
    ) {
        let Some(piece) = piece else { return };
        let is_call = form.head == ARGUMENTS.head;
        let answer = self.answer(Key::Item(id), line, out, |key| {
            let (start, tail) = if is_call {
                ("{\"object\":\"response\",\"output\":[{\"type\":\"function_call\",", "}]}")
            } else {
                let start = "{\"object\":\"response\",\"output\":[{\"type\":\"message\",\
                             \"role\":\"assistant\",\"content\":[";
                (start, "]}]}")
            };
            Answer::new(key, head(start, None, "", line), tail)
        });
        answer.piece(part, form, &piece, line);
    }
}

/// Adds what is new of a call in a chat message.
fn call_piece(
    answer: &mut Answer,
    key: &str,
    id: Option<Raw<'_>>,
    function: Option<Raw<'_>>,
    line: &Line<'_>,
) {
    let Some(function) = function.filter(Raw::is_object) else { return };
    let [name, arguments] = function.fields(["name", "arguments"]);
    let key = format!("call {key}");
    let values = [(",\"id\":", id), (",\"function\":{\"name\":", name)];
    answer.name(&key, TOOL_CALL, &values, line);
    if let Some(arguments) = arguments {
        answer.piece(&key, TOOL_CALL, &arguments, line);
    }
}
