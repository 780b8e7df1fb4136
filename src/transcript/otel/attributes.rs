//! The attributes of a span, of an event or of a log record, and the conventions for their names.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::spans::{self, Kind};
use super::super::{Item, Origin, Raw, Sink, json};
use super::value::{self, plain};
use crate::record::Channel;

/// Attributes, with the name of the event that they belong to.
pub(super) struct Attributes<'a> {
    name: Option<Raw<'a>>,
    /// Names and values, as they stand.
    entries: Vec<(Cow<'a, str>, Raw<'a>)>,
}

/// Names under which any span keeps its output, in whatever shape.
const OUTPUTS: [&str; 10] = [
    "output.value",
    "traceloop.entity.output",
    "langfuse.observation.output",
    "langfuse.trace.output",
    "mlflow.spanOutputs",
    "final_result",
    "gcp.vertex.agent.llm_response",
    "braintrust.output_json",
    "braintrust.output",
    "lk.response.text",
];

/// Names under which the call of a model keeps what the model says.
const ANSWERS: [&str; 9] = [
    "gen_ai.output.messages",
    "gen_ai.completion",
    "gen_ai.choice",
    "ai.response.text",
    "ai.response.object",
    "ai.response.toolCalls",
    "ai.result.text",
    "ai.result.object",
    "ai.result.toolCalls",
];

/// What the names start with of the parts of an answer.
const PARTS: [&str; 3] = ["gen_ai.completion.", "llm.completions.", "llm.output_messages."];

/// What stands in a name of what others said, or of what a model is told about tools.
const INPUTS: [&str; 9] = [
    "input",
    "prompt",
    "instruction",
    "definition",
    "request",
    "tools",
    "functions",
    "all_messages",
    "history",
];

impl<'a> Attributes<'a> {
    /// A list of keys with values, or an object.
    pub(super) fn of(attributes: Option<Raw<'a>>, name: Option<Raw<'a>>) -> Self {
        let listed = attributes.into_iter().flat_map(|list| list.items()).filter_map(|entry| {
            let [key, value] = entry.fields(["key", "value"]);
            Some((key?, plain(value?)))
        });
        let printed = attributes.into_iter().flat_map(|object| object.entries());
        let entries =
            listed.chain(printed).filter_map(|(key, value)| Some((key.text()?, value))).collect();
        Self { name, entries }
    }

    fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.entries.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn first(&self, names: &[&str]) -> Option<Raw<'a>> {
        names.iter().find_map(|name| self.get(name))
    }

    /// The name of the agent whose span this is.
    pub(super) fn agent(&self) -> Option<String> {
        self.get("gen_ai.agent.name")?.owned()
    }

    /// What the span is, by what it says of itself.
    pub(super) fn kind(&self) -> Kind {
        let names = [
            "gen_ai.operation.name",
            "openinference.span.kind",
            "traceloop.span.kind",
            "langfuse.observation.type",
            "ai.operationId",
            "llm.request.type",
        ];
        for name in names {
            let word = self.get(name).and_then(|word| word.text());
            let Some(word) = word.map(|word| word.to_ascii_lowercase()) else { continue };
            return match word.as_str() {
                "chat" | "text_completion" | "generate_content" | "completion" | "llm"
                | "generation" => Kind::Model,
                "tool" | "execute_tool" | "retriever" | "embedding" | "embeddings" | "reranker"
                | "ai.toolcall" => Kind::Tool,
                word if word.contains(".do") => Kind::Model,
                _ => Kind::Outer,
            };
        }
        let says_model = self.entries.iter().any(|(key, _)| {
            key == "gen_ai.request.model" || PARTS.iter().any(|p| key.starts_with(p))
        });
        if says_model { Kind::Model } else { Kind::Outer }
    }

    /// Whether this is a log record of what a model says.
    pub(super) fn is_choice(&self) -> bool {
        let names = [self.name, self.get("event.name")];
        names.into_iter().flatten().any(|name| name.is("gen_ai.choice"))
    }

    /// Gives what the attributes of a span say.
    pub(super) fn read(&self, kind: Kind, failed: bool, origin: &Origin, sink: Sink<'_, 'a>) {
        let calls = self.calls(kind);
        if kind == Kind::Tool
            && let Some(tool_call_id) = self.first(&CALL_IDS).and_then(|id| id.owned())
        {
            sink(Item::Result { tool_call_id, taken: !failed });
        }
        for (key, value) in &self.entries {
            let part = PARTS.iter().find_map(|start| key.strip_prefix(start));
            if let Some(call) = calls.get(&value.offset) {
                let place = if kind == Kind::Model { "tool_call" } else { origin.place };
                let tool_call_id = call.id.and_then(|id| id.owned());
                let origin = Origin { place, tool_call_id, ..origin.clone() };
                if let Some(name) = call.name.and_then(|name| name.text()) {
                    spans::tool_call(name, *value, &origin, sink);
                }
            } else if ANSWERS.contains(&key.as_ref()) {
                answer(*value, origin, sink);
            } else if let Some(part) = part {
                answer_part(part, *value, origin, sink);
            } else if OUTPUTS.contains(&key.as_ref()) {
                spans::output(*value, kind, &origin.or_at("output"), sink);
            } else if key.contains("result") || key.contains("tool_response") {
                json::all(*value, Channel::ToolResult, origin, sink);
            } else if key.contains("reasoning") {
                json::all(*value, Channel::Thinking, origin, sink);
            } else if INPUTS.iter().any(|word| key.contains(word)) {
                json::all(*value, Channel::User, origin, sink);
            } else if key.ends_with(".name") || key.ends_with(".id") {
                sink(Item::Echo(*value));
            }
        }
    }

    /// The calls of tools whose name, id and input have an attribute each, by where the input
    /// stands.
    fn calls(&self, kind: Kind) -> HashMap<usize, Call<'a>> {
        let mut calls: HashMap<String, Call<'a>> = HashMap::new();
        if kind == Kind::Tool {
            let (id, name) = (self.first(&CALL_IDS), self.first(&CALL_NAMES));
            let input = self.first(&CALL_INPUTS);
            calls.insert(String::new(), Call { id, name, input });
        }
        for (key, value) in &self.entries {
            // `0.tool_calls.1.name`, `0.message.tool_calls.1.tool_call.function.name` …
            let Some(part) = PARTS.iter().find_map(|start| key.strip_prefix(start)) else {
                continue;
            };
            let Some((answer, rest)) = part.split_once("tool_calls.") else { continue };
            let Some((number, field)) = rest.split_once('.') else { continue };
            let call = calls.entry(format!("{answer}{number}")).or_default();
            match field.rsplit('.').next() {
                Some("id") => call.id = Some(*value),
                Some("name") => call.name = Some(*value),
                Some("arguments" | "input") => call.input = Some(*value),
                _ => {}
            }
        }
        let whole = calls.into_values().filter(|call| call.name.is_some());
        whole.filter_map(|call| Some((call.input?.offset, call))).collect()
    }

    /// Gives what an event of a span says.
    pub(super) fn read_event(&self, kind: Kind, origin: &Origin, sink: Sink<'_, 'a>) {
        let name = self.name.and_then(|name| name.text()).unwrap_or_default();
        match name.as_ref() {
            "gen_ai.choice" | "gen_ai.content.completion" => {
                for (key, value) in &self.entries {
                    if matches!(
                        key.as_ref(),
                        "message"
                            | "content"
                            | "tool_calls"
                            | "gen_ai.event.content"
                            | "gen_ai.completion"
                            | "gen_ai.choice"
                    ) {
                        answer(*value, origin, sink);
                    }
                }
            }
            "exception" => {
                for (_, value) in &self.entries {
                    json::all(*value, Channel::ToolResult, origin, sink);
                }
            }
            name if name.ends_with(".message") || name == "gen_ai.content.prompt" => {
                for (_, value) in &self.entries {
                    json::all(*value, Channel::User, origin, sink);
                }
            }
            _ => self.read(kind, false, origin, sink),
        }
    }
}

/// Gives what a model says: messages, calls or an answer, as JSON, in a string, or as a text.
fn answer<'a>(value: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    if value::is_structured(&value) {
        value::message(value, origin, sink);
    } else if value.is_string() {
        spans::nested(value, Channel::Assistant, origin, spans::answer, sink);
    } else {
        spans::answer(value, origin, sink);
    }
}

/// Gives a part of an answer that has an attribute of its own; `name` is what stands behind the
/// convention's name: the number of the answer first.
fn answer_part<'a>(name: &str, value: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let last = name.rsplit('.').next().unwrap_or_default();
    if name.contains("reasoning") || name.contains("thinking") {
        json::all(value, Channel::Thinking, origin, sink);
    } else if matches!(last, "content" | "text" | "tool_calls") {
        answer(value, origin, sink);
    } else if matches!(last, "name" | "id") {
        sink(Item::Echo(value));
    }
}

/// A call of a tool.
#[derive(Default)]
struct Call<'a> {
    id: Option<Raw<'a>>,
    name: Option<Raw<'a>>,
    input: Option<Raw<'a>>,
}

/// Names of the parts of the call that a span is.
const CALL_IDS: [&str; 3] = ["gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id"];
const CALL_NAMES: [&str; 3] = ["gen_ai.tool.name", "ai.toolCall.name", "tool.name"];
const CALL_INPUTS: [&str; 5] = [
    "gen_ai.tool.call.arguments",
    "ai.toolCall.args",
    "gcp.vertex.agent.tool_call_args",
    "input.value",
    "tool.parameters",
];
