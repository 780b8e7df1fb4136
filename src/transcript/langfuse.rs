//! Langfuse: traces as the UI and the API give them, observations and traces as lines of an export.
//!
//! Read is the `output` of observations. That of a `GENERATION` is what a model said; those of
//! other observations and of the trace repeat it, and are read where there is no such one. What a
//! `TOOL` was given is a tool's input, what it put out its result. A comment that an evaluation
//! wrote is its word, under its name. `input` is what others said, `metadata` what programs noted.

use super::chat;
use super::raw::owned;
use super::spans::{self, Kind};
use super::{Item, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// Langfuse exports.
pub struct Langfuse;

/// The types of observations, and what they are.
const TYPES: [(&str, Kind); 10] = [
    ("GENERATION", Kind::Model),
    ("SPAN", Kind::Outer),
    ("EVENT", Kind::Outer),
    ("AGENT", Kind::Outer),
    ("CHAIN", Kind::Outer),
    ("EVALUATOR", Kind::Outer),
    ("GUARDRAIL", Kind::Outer),
    ("TOOL", Kind::Tool),
    ("RETRIEVER", Kind::Tool),
    ("EMBEDDING", Kind::Tool),
];

impl Transcript for Langfuse {
    fn id(&self) -> &'static str {
        "langfuse"
    }

    fn reads(&self) -> &'static str {
        "Langfuse traces and observations, as downloaded or exported as lines"
    }

    fn recognised_by(&self) -> &'static str {
        "observations with a trace's id and a `type` in capitals; traces with `observations` or a project's id"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [id, camel, snake, kind, observations, project, project_snake, output, data, time] =
            record.fields([
                "id",
                "traceId",
                "trace_id",
                "type",
                "observations",
                "projectId",
                "project_id",
                "output",
                "data",
                "timestamp",
            ]);
        let head = record.get("trace").filter(Raw::is_object);
        let is_observation = |kind: Option<Raw<'_>>, trace: Option<Raw<'_>>| {
            trace.is_some() && kind.is_some_and(|kind| TYPES.iter().any(|(name, _)| kind.is(name)))
        };
        let first = data.and_then(|data| data.items().next());
        let is_page = first.is_some_and(|first| {
            let [kind, camel, snake] = first.fields(["type", "traceId", "trace_id"]);
            is_observation(kind, camel.or(snake))
        });
        let has_observations = observations.is_some_and(|observations| observations.is_array());
        let has_project = project.or(project_snake).is_some();
        let is_trace = has_observations || (has_project && output.is_some() && time.is_some());
        is_observation(kind, camel.or(snake)) || (id.or(head).is_some() && is_trace) || is_page
    }

    fn read<'a>(&self, record: Raw<'a>, _: &Session, sink: Sink<'_, 'a>) {
        match record.get("data").filter(Raw::is_array) {
            Some(page) => page.items().for_each(|item| entry(item, sink)),
            None => entry(record, sink),
        }
    }
}

/// Gives what an observation or a trace says.
fn entry<'a>(record: Raw<'a>, sink: Sink<'_, 'a>) {
    let [kind, head] = record.fields(["type", "trace"]);
    if kind.is_some() {
        observation(record, sink);
    } else {
        trace(record, head.unwrap_or(record), sink);
    }
}

/// What a trace, an observation or a score is described by.
const ABOUT: [&str; 15] = [
    "name",
    "metadata",
    "tags",
    "model",
    "modelParameters",
    "model_parameters",
    "promptName",
    "prompt_name",
    "sessionId",
    "session_id",
    "userId",
    "user_id",
    "externalId",
    "stringValue",
    "string_value",
];

/// The id of a trace, and what it says; `head` is the object with its id.
fn trace<'a>(record: Raw<'a>, head: Raw<'a>, sink: Sink<'_, 'a>) {
    let id = head.get("id").and_then(|id| id.owned());
    let time = head.get("timestamp").and_then(|time| time.owned());
    let origin = Origin { timestamp: time, ..spans::origin(id.clone(), id, Kind::Outer) };
    let observations = record.get("observations").filter(Raw::is_array);
    // What the trace gives at its end repeats what one of them gave.
    for item in observations.into_iter().flat_map(|list| list.items()) {
        observation(item, sink);
    }
    for (key, value) in record.entries() {
        match key.text().as_deref() {
            Some("trace") => said(value, Kind::Outer, false, &origin, sink),
            Some("output") => spans::output(value, Kind::Outer, &origin, sink),
            Some("input") => json::all(value, Channel::User, &origin, sink),
            Some("observations") => {}
            Some("scores") => value.items().for_each(|item| score(item, &origin, sink)),
            Some(key) if ABOUT.contains(&key) => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
}

/// Gives what an observation says.
fn observation<'a>(record: Raw<'a>, sink: Sink<'_, 'a>) {
    let [kind, id, camel, snake, start, start_snake, name, input, level] = record.fields([
        "type",
        "id",
        "traceId",
        "trace_id",
        "startTime",
        "start_time",
        "name",
        "input",
        "level",
    ]);
    let id = owned(id);
    let named = TYPES.iter().find(|(name, _)| kind.is_some_and(|kind| kind.is(name)));
    let kind_of = named.map_or(Kind::Outer, |(_, kind)| *kind);
    let is_agent = kind.is_some_and(|kind| kind.is("AGENT") || kind.is("EVALUATOR"));
    let origin = Origin {
        agent: owned(name.filter(|_| is_agent)),
        timestamp: owned(start.or(start_snake)),
        ..spans::origin(owned(camel.or(snake)), id.clone(), kind_of)
    };
    let is_call = kind.is_some_and(|kind| kind.is("TOOL"));
    if is_call && let (Some(name), Some(input)) = (name.and_then(|name| name.text()), input) {
        let failed = level.is_some_and(|level| level.is("ERROR"));
        let origin = Origin { tool_call_id: id.clone(), ..origin.clone() };
        spans::tool_call(name, input, &origin, sink);
        id.map(|tool_call_id| sink(Item::Result { tool_call_id, taken: !failed }));
    }
    said(record, kind_of, is_call, &origin, sink);
}

/// Gives the output of a span, and passes over what describes it; the input of a call is given
/// already.
fn said<'a>(record: Raw<'a>, kind: Kind, is_call: bool, origin: &Origin, sink: Sink<'_, 'a>) {
    for (key, value) in record.entries() {
        match key.text().as_deref() {
            Some("output") => spans::output(value, kind, origin, sink),
            Some("input") if !is_call => json::all(value, Channel::User, origin, sink),
            Some("statusMessage" | "status_message") => {
                json::all(value, Channel::ToolResult, origin, sink);
            }
            Some(key) if ABOUT.contains(&key) => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
}

/// Gives the comment of a score.
fn score<'a>(record: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, name, source] = record.fields(["id", "name", "source"]);
    let is_evaluation = source.is_some_and(|source| source.is("EVAL"));
    let origin = Origin {
        place: "score",
        message_id: id.and_then(|id| id.owned()),
        record_id: None,
        agent: name.and_then(|name| name.owned()),
        ..origin.clone()
    };
    for (key, value) in record.entries() {
        if !key.is("comment") {
            if ABOUT.iter().any(|about| key.is(about)) {
                sink(Item::Echo(value));
            }
        } else if is_evaluation {
            chat::content(value, &origin, sink);
        } else {
            json::all(value, Channel::User, &origin, sink);
        }
    }
}
