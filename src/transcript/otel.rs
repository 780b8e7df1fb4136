//! OpenTelemetry: spans and log records as OTLP/JSON, and spans as SDKs print them.
//!
//! What a model says stands in attributes of the span that called it, by convention: the messages
//! of `gen_ai.output.messages` (or of the events `gen_ai.choice`), `gen_ai.completion.N` of
//! `OpenLLMetry`, `llm.output_messages.N` of `OpenInference`, `ai.response` of the Vercel SDK.
//! Attributes with any span's output (`output.value`, `traceloop.entity.output` …) repeat it, on
//! that span and on all around it. A span is a call of a model by what it says of itself, and only
//! where no other call of a model of the same record is within it. Inputs, prompts, instructions and
//! definitions of tools are hidden, whatever roles stand in them; results of tools as well. An
//! attribute of no convention is left out and counted.

use std::collections::{HashMap, HashSet};

use super::raw::owned;
use super::spans::{self, Kind};
use super::{Item, Origin, Raw, Session, Sink, Transcript, json, time};
use crate::record::Channel;

mod attributes;
mod value;

use attributes::Attributes;

/// OpenTelemetry.
pub struct Otel;

impl Transcript for Otel {
    fn id(&self) -> &'static str {
        "otel"
    }

    fn reads(&self) -> &'static str {
        "OpenTelemetry spans and log records with gen_ai, OpenInference or Vercel AI attributes"
    }

    fn recognised_by(&self) -> &'static str {
        "`resourceSpans` or `resourceLogs`; an object `attributes` with the ids of a trace and a span"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [spans, logs] = record.fields(["resourceSpans", "resourceLogs"]);
        spans.or(logs).is_some_and(|list| list.is_array()) || is_printed(record)
    }

    fn read<'a>(&self, record: Raw<'a>, _: &Session, sink: Sink<'_, 'a>) {
        let [spans, logs] = record.fields(["resourceSpans", "resourceLogs"]);
        let mut all = Vec::new();
        if spans.is_none() && logs.is_none() {
            all.push(Span::of(record));
        }
        for resource in spans.into_iter().flat_map(|spans| spans.items()) {
            within(resource, ["scopeSpans", "instrumentationLibrarySpans"], "spans", &mut all);
        }
        for resource in logs.into_iter().flat_map(|logs| logs.items()) {
            within(resource, ["scopeLogs", "instrumentationLibraryLogs"], "logRecords", &mut all);
        }
        let tree = Tree::of(&all);
        for span in &all {
            tree.read(span, sink);
        }
    }
}

/// Whether this is a span as an SDK prints it.
fn is_printed(record: &Raw<'_>) -> bool {
    let [attributes, context, camel, snake, span_camel, span_snake] =
        record.fields(["attributes", "context", "traceId", "trace_id", "spanId", "span_id"]);
    let has_ids = camel.or(snake).is_some() && span_camel.or(span_snake).is_some()
        || context.is_some_and(|context| context.get("trace_id").is_some());
    has_ids && attributes.is_some_and(|attributes| attributes.is_object() || attributes.is_array())
}

/// Gathers the spans or log records of a resource.
fn within<'a>(resource: Raw<'a>, scopes: [&str; 2], list: &str, all: &mut Vec<Span<'a>>) {
    for scope in resource.fields(scopes).into_iter().flatten().flat_map(|scopes| scopes.items()) {
        let items = scope.get(list).into_iter().flat_map(|list| list.items());
        all.extend(items.map(Span::of));
    }
}

/// A span, or a log record.
struct Span<'a> {
    trace: Option<String>,
    id: Option<String>,
    parent: Option<String>,
    time: Option<String>,
    failed: bool,
    name: Option<Raw<'a>>,
    attributes: Attributes<'a>,
    events: Vec<Attributes<'a>>,
    /// The body of a log record, with the name of its event.
    body: Option<Raw<'a>>,
}

impl<'a> Span<'a> {
    fn of(raw: Raw<'a>) -> Self {
        let [context, trace, trace_snake, id, id_snake, parent, parent_snake] = raw.fields([
            "context",
            "traceId",
            "trace_id",
            "spanId",
            "span_id",
            "parentSpanId",
            "parent_id",
        ]);
        let [end, end_snake, at, status, attributes, events, body, event] = raw.fields([
            "endTimeUnixNano",
            "end_time",
            "timeUnixNano",
            "status",
            "attributes",
            "events",
            "body",
            "eventName",
        ]);
        let [context_trace, context_id] =
            context.map_or([None; 2], |context| context.fields(["trace_id", "span_id"]));
        let code = status
            .and_then(|status| status.fields(["code", "status_code"]).into_iter().flatten().next());
        let failed = code.is_some_and(|code| {
            code.bytes == b"2" || code.is("STATUS_CODE_ERROR") || code.is("ERROR")
        });
        let nanos = end.or(at).and_then(|nanos| {
            let digits = nanos.owned().or_else(|| String::from_utf8(nanos.bytes.to_vec()).ok())?;
            time::of_nanoseconds(digits.parse().ok().filter(|nanos| *nanos > 0)?)
        });
        let events = events.into_iter().flat_map(|events| events.items()).map(|event| {
            let [name, attributes] = event.fields(["name", "attributes"]);
            Attributes::of(attributes, name)
        });
        Self {
            trace: owned(trace.or(trace_snake).or(context_trace)),
            id: owned(id.or(id_snake).or(context_id)),
            parent: owned(parent.or(parent_snake)).filter(|parent| !parent.is_empty()),
            time: nanos.or_else(|| owned(end_snake)),
            failed,
            name: raw.get("name"),
            attributes: Attributes::of(attributes, event),
            events: events.collect(),
            body,
        }
    }
}

/// The spans of a record, by their ids.
struct Tree<'s> {
    parents: HashMap<&'s str, &'s str>,
    agents: HashMap<&'s str, String>,
    /// Spans with a call of a model within them.
    around: HashSet<&'s str>,
}

/// Spans around a span that are looked at for the name of its agent.
const LEVELS: usize = 64;

impl<'s> Tree<'s> {
    fn of(spans: &'s [Span<'_>]) -> Self {
        let mut tree =
            Self { parents: HashMap::new(), agents: HashMap::new(), around: HashSet::new() };
        for span in spans {
            if let (Some(id), Some(parent)) = (&span.id, &span.parent) {
                tree.parents.insert(id, parent);
            }
            if let (Some(id), Some(agent)) = (&span.id, span.attributes.agent()) {
                tree.agents.insert(id, agent);
            }
        }
        for span in spans.iter().filter(|span| span.attributes.kind() == Kind::Model) {
            let mut parent = span.parent.as_deref();
            // What is above one that was seen was seen with it.
            while let Some(id) = parent.filter(|id| tree.around.insert(id)) {
                parent = tree.parents.get(id).copied();
            }
        }
        tree
    }

    /// The agent whose span this is, or stands within.
    fn agent(&self, span: &'s Span<'_>) -> Option<&String> {
        let around = std::iter::successors(span.id.as_deref(), |id| self.parents.get(id).copied());
        around.take(LEVELS).find_map(|id| self.agents.get(id))
    }

    fn read<'a>(&self, span: &'s Span<'a>, sink: Sink<'_, 'a>) {
        let kind = match span.attributes.kind() {
            Kind::Model if span.id.as_deref().is_some_and(|id| self.around.contains(id)) => {
                Kind::Outer
            }
            kind => kind,
        };
        let origin = Origin {
            agent: self.agent(span).cloned().or_else(|| span.attributes.agent()),
            timestamp: span.time.clone(),
            ..spans::origin(span.trace.clone(), span.id.clone(), kind)
        };
        span.name.map(|name| sink(Item::Echo(name)));
        span.attributes.read(kind, span.failed, &origin, sink);
        for event in &span.events {
            event.read_event(kind, &origin, sink);
        }
        if let Some(body) = span.body {
            if span.attributes.is_choice() {
                let origin = spans::origin(span.trace.clone(), span.id.clone(), Kind::Model);
                let origin = Origin { timestamp: span.time.clone(), ..origin };
                value::message(body, &origin, sink);
            } else {
                json::all(body, Channel::User, &origin, sink);
            }
        }
    }
}
