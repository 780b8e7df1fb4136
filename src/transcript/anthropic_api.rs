//! Bodies of Anthropic's Messages API: responses, requests, the files of Message Batches, and the
//! pairs of both that claude-trace keeps.
//!
//! The content of a response is the agent's own word. In a request, turns of the assistant are its
//! earlier word, and the results of the tools in turns of the user tell what came of its calls; all
//! else is hidden. A response that was streamed stands in `body_raw` as
//! the text of its events, or in `events`.

use super::claude_code::read_content;
use super::{Origin, Raw, Session, Sink, Stop, Transcript, api};
use crate::record::Channel;

/// Bodies of Anthropic's Messages API.
pub struct AnthropicApi;

impl Transcript for AnthropicApi {
    fn id(&self) -> &'static str {
        "anthropic-api"
    }

    fn reads(&self) -> &'static str {
        "Anthropic Messages API: responses, requests, Message Batches files, claude-trace JSONL"
    }

    fn recognised_by(&self) -> &'static str {
        "`type` `message` with `role`, `content` and `stop_reason`, `usage` or `model`; `messages` with what only this API takes; `custom_id` with `params` or a `result` with a `type`; `request`, `response` and `logged_at`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        Form::of(record).is_some()
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let origin = Origin { session_id: session.id.clone(), ..Origin::default() };
        match Form::of(&record) {
            Some(Form::Response) => read_response(record, &origin, sink),
            Some(Form::BatchRequest(params)) => {
                read_request(params, &origin, sink);
                api::rest(&record, &["params"], Channel::System, &origin, sink);
            }
            Some(Form::BatchResult(result)) => {
                if let Some(message) = result.get("message") {
                    api::response(message, &origin, sink);
                }
                api::rest(&result, &["message"], Channel::ToolResult, &origin, sink);
                api::rest(&record, &["result"], Channel::System, &origin, sink);
            }
            Some(Form::Pair { request, response }) => {
                pair(record, request, response, &origin, sink);
            }
            // Asked for by its name, a record of any other shape is read as far as it goes.
            Some(Form::Request) | None => read_request(record, &origin, sink),
        }
    }
}

/// What a record is.
enum Form<'a> {
    Response,
    Request,
    BatchRequest(Raw<'a>),
    BatchResult(Raw<'a>),
    Pair { request: Raw<'a>, response: Option<Raw<'a>> },
}

impl<'a> Form<'a> {
    fn of(record: &Raw<'a>) -> Option<Self> {
        /// What may come of a request in a batch.
        const OUTCOMES: [&str; 4] = ["succeeded", "errored", "canceled", "expired"];
        let [custom, params, result, request, response, logged] =
            record.fields(["custom_id", "params", "result", "request", "response", "logged_at"]);
        if custom.is_some() {
            let ended = |result: &Raw<'a>| {
                result.get("type").is_some_and(|kind| OUTCOMES.iter().any(|word| kind.is(word)))
            };
            let asked = |params: &Raw<'a>| params.get("messages").is_some();
            return params
                .filter(asked)
                .map(Self::BatchRequest)
                .or_else(|| result.filter(ended).map(Self::BatchResult));
        }
        if let (Some(request), Some(_)) = (request.filter(Raw::is_object), logged.or(response)) {
            let is_trace = logged.is_some() && request.get("method").is_some();
            return is_trace.then_some(Self::Pair { request, response });
        }
        if is_response(record) || is_error(record) {
            return Some(Self::Response);
        }
        is_request(record).then_some(Self::Request)
    }
}

/// Whether this is a response of the API.
pub(super) fn is_response(body: &Raw<'_>) -> bool {
    let [kind, role, content, model, stop, usage] =
        body.fields(["type", "role", "content", "model", "stop_reason", "usage"]);
    kind.is_some_and(|kind| kind.is("message"))
        && role.is_some_and(|role| role.is("assistant"))
        && content.is_some()
        && model.or(stop).or(usage).is_some()
}

/// Whether this is what the API answers where it cannot.
fn is_error(body: &Raw<'_>) -> bool {
    let [kind, error] = body.fields(["type", "error"]);
    kind.is_some_and(|kind| kind.is("error"))
        && error.is_some_and(|error| error.get("type").is_some())
}

/// Whether this is a request to the API, by what others do not take.
pub(super) fn is_request(body: &Raw<'_>) -> bool {
    let [messages, system, version, beta, thinking, stop, tools, parts] = body.fields([
        "messages",
        "system",
        "anthropic_version",
        "anthropic_beta",
        "thinking",
        "stop_sequences",
        "tools",
        "parts",
    ]);
    let Some(messages) = messages.filter(|messages| messages.is_array() && parts.is_none()) else {
        return false;
    };
    let mut turns = messages.items();
    if !turns.next().is_some_and(|turn| turn.get("role").is_some_and(|role| role.is_string())) {
        return false;
    }
    let by_tools = || {
        let mut tools = tools.into_iter().flat_map(|tools| tools.items());
        tools.next().is_some_and(|tool| tool.get("input_schema").is_some())
    };
    let is_block = |block: Raw<'_>| {
        let kind = block.get("type");
        kind.is_some_and(|kind| BLOCKS.iter().any(|word| kind.is(word)))
    };
    let by_blocks = || {
        let contents = messages.items().filter_map(|turn| turn.get("content"));
        contents.flat_map(|content| content.items()).any(is_block)
    };
    system.or(version).or(beta).or(thinking).or(stop).is_some() || by_tools() || by_blocks()
}

/// Types of content blocks that other APIs do not have.
const BLOCKS: [&str; 3] = ["tool_use", "tool_result", "thinking"];

/// Gives what a response says.
pub(super) fn read_response<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [content, id] = body.fields(["content", "id"]);
    let message_id = id.and_then(|id| id.owned());
    let origin = Origin { message_id, stop: Stop::of(&body), ..origin.clone() };
    if let Some(content) = content {
        blocks(content, Channel::Assistant, &origin, sink);
    }
    api::rest(&body, &["content"], Channel::System, &origin, sink);
}

/// Gives what a request says.
pub(super) fn read_request<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    read_turns(body, origin, sink);
    api::rest(&body, &["messages"], Channel::System, origin, sink);
}

/// Gives what the turns of a request say.
pub(super) fn read_turns<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let turns = || body.get("messages").into_iter().flat_map(|messages| messages.items());
    let mut history = api::History::of(turns());
    for turn in turns() {
        let [role, content] = turn.fields(["role", "content"]);
        let Some(content) = content else { continue };
        match role.and_then(|role| role.text()).as_deref() {
            Some("assistant") => history.turn(&turn, origin, sink, |origin, sink| {
                blocks(content, Channel::Assistant, origin, sink);
            }),
            Some("user") => blocks(content, Channel::User, origin, sink),
            _ => api::hidden(content, Channel::System, origin, sink),
        }
    }
}

/// Gives what content blocks say, those of other tools than the agent's own included.
fn blocks<'a>(content: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    read_content(content, speaker, None, origin, sink);
    let results = origin.at("result");
    for block in content.items() {
        let [kind, parts, citations] = block.fields(["type", "content", "citations"]);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("text") => {
                if let Some(citations) = citations {
                    api::hidden(citations, Channel::ToolResult, &results, sink);
                }
            }
            Some("tool_result" | "mcp_tool_result") => {
                let parts = parts.into_iter().flat_map(|parts| parts.items());
                for part in parts.filter(|part| !part.get("type").is_some_and(|k| k.is("text"))) {
                    api::hidden(part, Channel::ToolResult, &results, sink);
                }
            }
            Some("thinking" | "tool_use" | "server_tool_use" | "mcp_tool_use") => {}
            Some(kind) if kind.ends_with("_result") => {
                api::hidden(block, Channel::ToolResult, &results, sink);
            }
            Some("compaction") => api::hidden(block, Channel::Summary, &results, sink),
            _ if speaker != Channel::Assistant => api::hidden(block, speaker, &results, sink),
            _ => {}
        }
    }
}

/// Keys under which a response stands in a pair.
const RESPONSE: [&str; 3] = ["body", "body_raw", "events"];

/// Gives what a request and the response to it say.
fn pair<'a>(
    record: Raw<'a>,
    request: Raw<'a>,
    response: Option<Raw<'a>>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    let body = request.get("body");
    let time = record.get("logged_at").and_then(|time| time.owned());
    let origin = Origin {
        session_id: body.and_then(|body| session_of(&body)).or_else(|| origin.session_id.clone()),
        timestamp: time,
        ..origin.clone()
    };
    if let Some(body) = body {
        api::request(body, &origin, sink);
    }
    api::rest(&request, &["body"], Channel::System, &origin, sink);
    if let Some(response) = response {
        let [body, raw, events] = response.fields(RESPONSE);
        for body in [body, raw].into_iter().flatten() {
            api::response(body, &origin, sink);
        }
        if let Some(events) = events {
            api::events(events, &origin, sink);
        }
        api::rest(&response, &RESPONSE, Channel::System, &origin, sink);
    }
    api::rest(&record, &["request", "response"], Channel::System, &origin, sink);
}

/// The session that Claude Code names in a request.
fn session_of(body: &Raw<'_>) -> Option<String> {
    let user = body.path(&["metadata", "user_id"])?.owned()?;
    if let Some((_, session)) = user.split_once("_session_") {
        return Some(session.to_owned());
    }
    // An object in a string, of late.
    let start = user.find('{')?;
    Raw::at(user.as_bytes(), start, 0).get("session_id")?.owned()
}
