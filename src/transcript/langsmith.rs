//! `LangSmith` runs, as the API and the SDK's exports give them.
//!
//! Read are the `outputs` of runs: those of an `llm` are what a model said; those of chains and of
//! other runs around it repeat that, and are read where there is no such one. What a `tool` was
//! given is a tool's input, what it put out its result. `inputs` are what others said; `events`,
//! `serialized` and `extra` are what the program noted.

use super::raw::owned;
use super::spans::{self, Kind};
use super::{Item, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// `LangSmith` runs.
pub struct LangSmith;

impl Transcript for LangSmith {
    fn id(&self) -> &'static str {
        "langsmith"
    }

    fn reads(&self) -> &'static str {
        "LangSmith runs, as lines or with their child runs"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `run_type` and `inputs` or `outputs`, or with a list of such `runs`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let is_run = |record: &Raw<'_>| {
            let [kind, inputs, outputs] = record.fields(["run_type", "inputs", "outputs"]);
            kind.is_some_and(|kind| kind.is_string()) && (inputs.is_some() || outputs.is_some())
        };
        let first = record.get("runs").and_then(|runs| runs.items().next());
        is_run(record) || first.is_some_and(|first| is_run(&first))
    }

    fn read<'a>(&self, record: Raw<'a>, _: &Session, sink: Sink<'_, 'a>) {
        match record.get("runs").filter(Raw::is_array) {
            Some(runs) => runs.items().for_each(|item| run(item, None, LEVELS, sink)),
            None => run(record, None, LEVELS, sink),
        }
    }
}

/// What the program notes of a run, and what repeats its inputs and outputs.
const ABOUT: [&str; 12] = [
    "name",
    "events",
    "serialized",
    "extra",
    "tags",
    "manifest",
    "feedback_stats",
    "session_name",
    "inputs_preview",
    "outputs_preview",
    "inputs_or_s3_urls",
    "dotted_order",
];

/// Runs within runs that are looked into.
const LEVELS: u32 = 64;

/// Gives what a run says; `around` is the trace of the run around it.
fn run<'a>(record: Raw<'a>, around: Option<&String>, levels: u32, sink: Sink<'_, 'a>) {
    let [id, trace, kind, time, name, inputs, error] =
        record.fields(["id", "trace_id", "run_type", "start_time", "name", "inputs", "error"]);
    let id = owned(id);
    // The outermost run has the id of its trace.
    let trace = owned(trace).or_else(|| around.cloned()).or_else(|| id.clone());
    let is = |word: &str| kind.is_some_and(|kind| kind.is(word));
    let kind = match () {
        () if is("llm") => Kind::Model,
        () if is("tool") || is("retriever") || is("embedding") => Kind::Tool,
        () => Kind::Outer,
    };
    let origin =
        Origin { timestamp: owned(time), ..spans::origin(trace.clone(), id.clone(), kind) };
    if is("tool")
        && let (Some(name), Some(inputs)) = (name.and_then(|name| name.text()), inputs)
    {
        // A tool that takes one text is given it as `input`.
        let given = inputs.get("input").filter(|_| inputs.entries().count() == 1);
        let origin = Origin { tool_call_id: id.clone(), ..origin.clone() };
        spans::tool_call(name, given.unwrap_or(inputs), &origin, sink);
        let failed = error.is_some_and(|error| error.is_string());
        id.map(|tool_call_id| sink(Item::Result { tool_call_id, taken: !failed }));
    }
    for (key, value) in record.entries() {
        match key.text().as_deref() {
            Some("outputs") => spans::output(value, kind, &origin, sink),
            Some("inputs") if kind != Kind::Tool => json::all(value, Channel::User, &origin, sink),
            Some("error") => json::all(value, Channel::ToolResult, &origin, sink),
            Some("child_runs") if levels > 0 => {
                value.items().for_each(|item| run(item, trace.as_ref(), levels - 1, sink));
            }
            Some(key) if ABOUT.contains(&key) => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
}
