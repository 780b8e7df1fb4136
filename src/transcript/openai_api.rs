//! Bodies of OpenAI's APIs and of all that speak like them: chat completions, the Responses API,
//! batch files, and conversations stored as `messages`.
//!
//! What a response says is the agent's own word: `choices` or `output`, with the arguments of its
//! calls as JSON in strings. In a request, turns of the assistant are its earlier word; all else is
//! hidden, and so are the instructions and tools that a response repeats. Of a conversation that
//! is stored with no response beside it, the turns of the assistant are all there is.

use super::{Body, Item, Message, Origin, Raw, Session, Sink, Stop, Transcript, api, text_message};
use crate::record::Channel;

/// Bodies of OpenAI's APIs.
pub struct OpenAiApi;

impl Transcript for OpenAiApi {
    fn id(&self) -> &'static str {
        "openai-api"
    }

    fn reads(&self) -> &'static str {
        "OpenAI-like APIs: chat completions, Responses, requests, batch files, stored `messages`"
    }

    fn recognised_by(&self) -> &'static str {
        "`choices` with a `message` or `text`; an `output` with `object` `response`; `messages` with roles; `input` with a `model`; `custom_id` with a `response` with a `status_code`, or with a `method`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        Form::of(record).is_some()
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let origin = Origin { session_id: session.id.clone(), ..Origin::default() };
        match Form::of(&record) {
            Some(Form::Response) => read_response(record, &origin, sink),
            Some(Form::BatchResponse(response)) => {
                if let Some(body) = response.get("body") {
                    api::response(body, &origin, sink);
                }
                api::rest(&response, &["body"], Channel::ToolResult, &origin, sink);
                api::rest(&record, &["response"], Channel::System, &origin, sink);
            }
            Some(Form::BatchRequest(body)) => {
                api::request(body, &origin, sink);
                api::rest(&record, &["body"], Channel::System, &origin, sink);
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
    BatchResponse(Raw<'a>),
}

impl<'a> Form<'a> {
    fn of(record: &Raw<'a>) -> Option<Self> {
        let [custom, response, error, method, body] =
            record.fields(["custom_id", "response", "error", "method", "body"]);
        if custom.is_some() {
            // Where there is no response, there is an error beside it.
            let answered = response.filter(|response| {
                response.get("status_code").is_some() || (!response.is_object() && error.is_some())
            });
            let asked = body.filter(|_| method.is_some());
            return answered.map(Self::BatchResponse).or(asked.map(Self::BatchRequest));
        }
        if is_response(record) || is_error(record) {
            return Some(Self::Response);
        }
        is_request(record).then_some(Self::Request)
    }
}

/// Whether this is a response of such an API.
pub(super) fn is_response(body: &Raw<'_>) -> bool {
    let [choices, object, output] = body.fields(["choices", "object", "output"]);
    let chosen = choices.and_then(|choices| choices.items().next());
    chosen.is_some_and(|choice| choice.fields(["message", "text"]).iter().any(Option::is_some))
        || (output.is_some_and(|output| output.is_array())
            && object.is_some_and(|object| object.is("response")))
}

/// Whether this is what such an API answers where it cannot.
fn is_error(body: &Raw<'_>) -> bool {
    let Some(error) = body.get("error") else { return false };
    let [message, param, code] = error.fields(["message", "param", "code"]);
    message.is_some() && param.is_some() && code.is_some()
}

/// Whether this is a request to such an API, or a conversation that is stored like one.
pub(super) fn is_request(body: &Raw<'_>) -> bool {
    /// Who speaks in a conversation.
    const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];
    let [messages, input, model, info] = body.fields(["messages", "input", "model", "info"]);
    let speaks = |turn: Raw<'_>| {
        let [role, content, calls, call, parts] =
            turn.fields(["role", "content", "tool_calls", "function_call", "parts"]);
        role.is_some_and(|role| ROLES.iter().any(|word| role.is(word)))
            && content.or(calls).or(call).is_some()
            && parts.is_none()
    };
    let is_item = |item: Raw<'_>| {
        let [role, kind] = item.fields(["role", "type"]);
        role.or(kind).is_some()
    };
    let first = |list: Option<Raw<'_>>, is_one: &dyn Fn(Raw<'_>) -> bool| {
        list.and_then(|list| list.items().next()).is_some_and(is_one)
    };
    (info.is_none() && first(messages, &speaks))
        || (model.is_some_and(|model| model.is_string())
            && input.is_some_and(|input| input.is_string() || first(Some(input), &is_item)))
}

/// Gives what a response says.
pub(super) fn read_response<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    const OWN: [&str; 4] = ["id", "choices", "output", "output_text"];
    let [id, choices, output, repeated] = body.fields(OWN);
    let message_id = id.and_then(|id| id.owned());
    let origin = Origin { message_id, stop: Stop::of(&body), ..origin.clone() };
    for choice in choices.into_iter().flat_map(|choices| choices.items()) {
        let [message, text] = choice.fields(["message", "text"]);
        let origin = Origin { stop: Stop::of(&choice), ..origin.clone() };
        if let Some(message) = message {
            turn(message, Channel::Assistant, &origin, sink);
        }
        if let Some(text) = text {
            text_message(text, Channel::Assistant, "text", &origin, sink);
        }
        api::rest(&choice, &["message", "text"], Channel::System, &origin, sink);
    }
    for item in output.into_iter().flat_map(|output| output.items()) {
        turn(item, Channel::Assistant, &origin, sink);
    }
    if let Some(text) = repeated {
        text_message(text, Channel::Assistant, "output_text", &origin, sink);
    }
    api::rest(&body, &OWN, Channel::System, &origin, sink);
}

/// Gives what a request says.
pub(super) fn read_request<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    read_turns(body, origin, sink);
    api::rest(&body, &["messages", "input"], Channel::System, origin, sink);
}

/// Gives what the turns of a request say.
pub(super) fn read_turns<'a>(body: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [messages, input] = body.fields(["messages", "input"]);
    let turns = || [messages, input].into_iter().flatten().flat_map(|list| list.items());
    let mut history = api::History::of(turns());
    for item in turns() {
        match speaker(&item) {
            Channel::Assistant => history.turn(&item, origin, sink, |origin, sink| {
                turn(item, Channel::Assistant, origin, sink);
            }),
            channel => api::hidden(item, channel, origin, sink),
        }
    }
    for text in [messages, input].into_iter().flatten() {
        text_message(text, Channel::User, "input", origin, sink);
    }
}

/// Who speaks in a turn of a conversation.
fn speaker(item: &Raw<'_>) -> Channel {
    let [role, kind] = item.fields(["role", "type"]);
    match role.and_then(|role| role.text()).as_deref() {
        Some("assistant") => Channel::Assistant,
        Some("user") => Channel::User,
        Some("tool" | "function") => Channel::ToolResult,
        Some(_) => Channel::System,
        None => match kind.and_then(|kind| kind.text()).as_deref() {
            Some(kind) if kind.ends_with("_output") || kind.ends_with("_response") => {
                Channel::ToolResult
            }
            Some(_) => Channel::Assistant,
            None => Channel::System,
        },
    }
}

/// Keys of a turn under which nobody speaks to others.
const THOUGHTS: [&str; 4] =
    ["reasoning", "reasoning_content", "reasoning_details", "thinking_blocks"];

/// Gives what a turn of the assistant says: a chat message, or an item of the Responses API.
fn turn<'a>(item: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    let [kind, id, content, refusal, calls, function] =
        item.fields(["type", "id", "content", "refusal", "tool_calls", "function_call"]);
    match kind.and_then(|kind| kind.text()).as_deref() {
        None | Some("message") => {
            let id = id.and_then(|id| id.owned());
            let origin = Origin { message_id: id.or(origin.message_id.clone()), ..origin.clone() };
            if let Some(content) = content {
                said(content, speaker, &origin, sink);
            }
            if let Some(refusal) = refusal {
                text_message(refusal, speaker, "refusal", &origin, sink);
            }
            for tool in calls.into_iter().flat_map(|calls| calls.items()) {
                let [id, function, custom] = tool.fields(["id", "function", "custom"]);
                if let Some(function) = function.or(custom) {
                    call(&function, id, &origin, sink);
                }
            }
            if let Some(function) = function {
                call(&function, None, &origin, sink);
            }
            for thought in item.fields(THOUGHTS).into_iter().flatten() {
                api::hidden(thought, Channel::Thinking, &origin, sink);
            }
            let own = ["content", "refusal", "tool_calls", "function_call"];
            let own: Vec<_> = own.into_iter().chain(THOUGHTS).collect();
            api::rest(&item, &own, Channel::System, &origin, sink);
        }
        Some("reasoning") => api::hidden(item, Channel::Thinking, origin, sink),
        Some("compaction") => api::hidden(item, Channel::Summary, origin, sink),
        Some("mcp_call") => {
            call(&item, id, origin, sink);
            let [error, output] = item.fields(["error", "output"]);
            for result in [error, output].into_iter().flatten() {
                api::hidden(result, Channel::ToolResult, origin, sink);
            }
            if let Some(tool_call_id) = id.and_then(|id| id.owned()) {
                let taken = error.is_none_or(|error| error.bytes == b"null");
                sink(Item::Result { tool_call_id, taken });
            }
        }
        Some(kind) if kind.ends_with("_call") => {
            call(&item, item.get("call_id").or(id), origin, sink);
            let results = item.fields(["results", "outputs", "result"]);
            for result in results.into_iter().flatten() {
                api::hidden(result, Channel::ToolResult, origin, sink);
            }
        }
        Some(_) => api::hidden(item, Channel::ToolResult, origin, sink),
    }
}

/// Gives the content of a turn: a text, or parts of one.
fn said<'a>(content: Raw<'a>, speaker: Channel, origin: &Origin, sink: Sink<'_, 'a>) {
    text_message(content, speaker, "content", origin, sink);
    for part in content.items() {
        let [text, refusal, annotations] = part.fields(["text", "refusal", "annotations"]);
        // The text of a part is an object with the text in some of these APIs.
        let text = text.map(|text| text.get("value").unwrap_or(text));
        for text in [text, refusal].into_iter().flatten() {
            text_message(text, speaker, "content", origin, sink);
        }
        if let Some(annotations) = annotations {
            api::hidden(annotations, Channel::ToolResult, origin, sink);
        }
    }
}

/// Gives a call: of a function, of a custom tool, of one that the API itself has.
fn call<'a>(call: &Raw<'a>, id: Option<Raw<'a>>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [name, kind, arguments, input, action, operation, code] =
        call.fields(["name", "type", "arguments", "input", "action", "operation", "code"]);
    let name = name.or(kind).and_then(|name| name.text());
    let input = arguments.or(input).or(action).or(operation).or(code);
    let (Some(name), Some(input)) = (name, input) else { return };
    let tool_call_id = id.and_then(|id| id.owned());
    let origin = Origin { place: "call", tool_call_id, ..origin.clone() };
    let (channel, body) = (Channel::ToolInput, Body::Call(name, input));
    sink(Item::Message(Message { channel, body, origin }));
}
