//! Logs of HTTP exchanges with model APIs: HAR files, cassettes of VCR-like recorders, logs of
//! proxies.
//!
//! Each exchange has a request and a response, with bodies as objects or as text in strings. Which
//! body is an API's is told by the body; whatever else came over the wire (a page, a tool's
//! answer, an upload) is nobody's word. A request repeats what was said before, so its turns are
//! copies where the responses are in the log too.

use super::{Origin, Raw, Session, Sink, Transcript, api};
use crate::record::Channel;

/// Logs of HTTP exchanges.
pub struct HttpLog;

impl Transcript for HttpLog {
    fn id(&self) -> &'static str {
        "http-log"
    }

    fn reads(&self) -> &'static str {
        "HAR files, JSON cassettes of VCR-like recorders, logs of LiteLLM and of other proxies"
    }

    fn recognised_by(&self) -> &'static str {
        "`log` with `entries`; `interactions` or `http_interactions`; `scope` with `method` and `status`; `request` and `response` with a `method`, `url`, `uri`, `status` or `status_code`; `call_type` with `messages`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        Form::of(record).is_some()
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let origin = Origin { session_id: session.id.clone(), ..Origin::default() };
        match Form::of(&record) {
            Some(Form::List { around, key, list }) => {
                for exchange in list.items() {
                    read_exchange(exchange, &origin, sink);
                }
                api::rest(&around, &[key], Channel::System, &origin, sink);
                api::rest(&record, &["log", key], Channel::System, &origin, sink);
            }
            Some(Form::Call) => {
                let origin = Origin { timestamp: time_of(&record), ..origin };
                api::turns(record, &origin, sink);
                if let Some(response) = record.get("response") {
                    api::response(response, &origin, sink);
                }
                api::rest(&record, &CALL, Channel::System, &origin, sink);
            }
            Some(Form::Exchange) | None => read_exchange(record, &origin, sink),
        }
    }
}

/// What a record is.
enum Form<'a> {
    /// A file of exchanges.
    List { around: Raw<'a>, key: &'static str, list: Raw<'a> },
    /// One exchange.
    Exchange,
    /// A call as LiteLLM logs it: the turns of the request, and the response.
    Call,
}

impl<'a> Form<'a> {
    fn of(record: &Raw<'a>) -> Option<Self> {
        let [log, interactions, http_interactions, scope, method, status, call_type, messages] =
            record.fields([
                "log",
                "interactions",
                "http_interactions",
                "scope",
                "method",
                "status",
                "call_type",
                "messages",
            ]);
        let entries = log.and_then(|log| log.get("entries")).zip(log);
        let lists = [
            entries.map(|(list, log)| (log, "entries", list)),
            interactions.map(|list| (*record, "interactions", list)),
            http_interactions.map(|list| (*record, "http_interactions", list)),
        ];
        for (around, key, list) in lists.into_iter().flatten() {
            if list.items().next().is_some_and(|first| is_exchange(&first)) {
                return Some(Self::List { around, key, list });
            }
        }
        if is_exchange(record) || (scope.is_some() && method.is_some() && status.is_some()) {
            return Some(Self::Exchange);
        }
        (call_type.is_some() && messages.is_some()).then_some(Self::Call)
    }
}

/// Keys of a call under which turns and the response stand.
const CALL: [&str; 3] = ["messages", "input", "response"];

/// Whether this holds a request and what came of it, and one of them is HTTP's.
fn is_exchange(record: &Raw<'_>) -> bool {
    const SIGNS: [&str; 5] = ["method", "url", "uri", "status", "status_code"];
    let [request, response] = record.fields(["request", "response"]);
    let is_http = |side: Raw<'_>| side.fields(SIGNS).iter().any(Option::is_some);
    match (request, response) {
        (Some(request), Some(response)) => {
            request.is_object() && (is_http(request) || is_http(response))
        }
        _ => false,
    }
}

/// Gives what a request and the response to it say.
fn read_exchange<'a>(exchange: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [request, response, body] = exchange.fields(["request", "response", "body"]);
    let origin = Origin { timestamp: time_of(&exchange), ..origin.clone() };
    let read_request = |body, sink: Sink<'_, 'a>| api::request(body, &origin, sink);
    if let Some(request) = request {
        side(request, &read_request, &origin, sink);
    }
    if let Some(body) = body {
        api::request(body, &origin, sink);
    }
    if let Some(response) = response {
        let read_response = |body, sink: Sink<'_, 'a>| api::response(body, &origin, sink);
        side(response, &read_response, &origin, sink);
    }
    api::rest(&exchange, &["request", "response", "body"], Channel::System, &origin, sink);
}

/// Keys under which the body of a request or of a response stands.
const BODIES: [&str; 6] = ["body", "content", "postData", "body_raw", "text", "string"];

/// Gives what one side of an exchange says: the side is the body itself, or holds it, or holds what
/// holds it.
fn side<'a>(
    side: Raw<'a>,
    read: &dyn Fn(Raw<'a>, Sink<'_, 'a>),
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let holds = |raw: &Raw<'a>| raw.is_object() && !api::is_body(raw);
    if !holds(&side) {
        read(side, sink);
        return;
    }
    for body in side.fields(BODIES).into_iter().flatten() {
        let inner: Vec<_> = if holds(&body) {
            body.fields(BODIES).into_iter().flatten().collect()
        } else {
            Vec::new()
        };
        if inner.is_empty() {
            read(body, sink);
            continue;
        }
        for body in inner {
            read(body, sink);
        }
        api::rest(&body, &BODIES, Channel::System, origin, sink);
    }
    api::rest(&side, &BODIES, Channel::System, origin, sink);
}

/// When an exchange took place, where it is told as a text.
fn time_of(exchange: &Raw<'_>) -> Option<String> {
    const TIMES: [&str; 5] =
        ["startedDateTime", "recorded_at", "timestamp", "startTime", "logged_at"];
    exchange.fields(TIMES).into_iter().flatten().find_map(|time| time.owned())
}
