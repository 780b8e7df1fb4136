//! VS Code chat sessions: `chatSessions/*.json`, what `Chat: Export Session` writes, and single
//! requests of one.
//!
//! The text of an answer stands in many pieces, between pieces of other kinds; those up to a tool's
//! call are one text, with the names of what is referred to in it. How a call is shown may hold
//! its input, and a sub-agent's answer. `result.metadata` holds the same answers and calls once
//! more, as the model gave them; edits repeat what a tool was given, and are passed over.

use super::{
    AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json,
    text_message,
};
use crate::record::Channel;

/// VS Code chat sessions.
pub struct VscodeChat;

/// Kinds of pieces that are a part of the text.
const TEXT_KINDS: &[&str] = &["markdownContent", "markdownVuln"];
/// Kinds of pieces that repeat what stands elsewhere, or that nobody says.
const REPEATING: &[&str] = &[
    "textEditGroup",
    "notebookEditGroup",
    "workspaceEdit",
    "codeblockUri",
    "undoStop",
    "prepareToolInvocation",
    "references",
    "codeCitation",
    "multiDiffData",
];

impl Transcript for VscodeChat {
    fn id(&self) -> &'static str {
        "vscode-chat"
    }

    fn reads(&self) -> &'static str {
        "VS Code chat sessions (Copilot Chat): chatSessions/*.json and exported chats"
    }

    fn recognised_by(&self) -> &'static str {
        "`requests` with `responderUsername`, `requesterUsername` or `sessionId`; requests with `requestId`, `message` and `response`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [requests, responder, requester, session, id, message, response] = record.fields([
            "requests",
            "responderUsername",
            "requesterUsername",
            "sessionId",
            "requestId",
            "message",
            "response",
        ]);
        let is_session = requests.is_some_and(|requests| requests.is_array())
            && responder.or(requester).or(session).is_some();
        // There is no answer yet to some.
        let is_asked = |message: Raw<'_>| {
            let [text, parts] = message.fields(["text", "parts"]);
            response.is_some() || (text.is_some() && parts.is_some())
        };
        is_session || (id.is_some() && message.is_some_and(is_asked))
    }

    fn session(&self, first: &Raw<'_>, _: &Beside) -> Session {
        let id = first.get("sessionId").and_then(|id| id.owned());
        Session { id, ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [requests, pending, state] =
            record.fields(["requests", "pendingRequests", "inputState"]);
        let origin = Origin { session_id: session.id.clone(), ..Origin::default() };
        let Some(requests) = requests else {
            request(record, &origin, sink);
            return;
        };
        requests.items().for_each(|each| request(each, &origin, sink));
        for typed in [pending, state].into_iter().flatten() {
            json::all(typed, Channel::User, &origin.at("typed"), sink);
        }
    }
}

/// Gives what a person asks and what is answered.
fn request<'a>(request: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, session, time, message, variables, response, result, followups, agent, references] =
        request.fields([
            "requestId",
            "sessionId",
            "timestamp",
            "message",
            "variableData",
            "response",
            "result",
            "followups",
            "agent",
            "contentReferences",
        ]);
    let id = id.and_then(|id| id.owned());
    let origin = Origin {
        session_id: session.and_then(|id| id.owned()).or_else(|| origin.session_id.clone()),
        message_id: id,
        timestamp: time.and_then(|time| time.time()),
        ..origin.clone()
    };
    if let Some(message) = message {
        let asked = message.get("text").unwrap_or(message);
        json::all(asked, Channel::User, &origin.at("message"), sink);
        // The same text again, in parts.
        sink(Item::Echo(message));
    }
    if let Some(variables) = variables {
        json::all(variables, Channel::User, &origin.at("variables"), sink);
    }
    if let Some(response) = response {
        answer(response, &origin, sink);
    }
    if let Some(result) = result {
        as_given(result, &origin, sink);
    }
    for passed in [followups, agent, references].into_iter().flatten() {
        sink(Item::Echo(passed));
    }
}

/// Gives the pieces of an answer: its texts, and the calls of tools between them.
fn answer<'a>(response: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let mut texts = Vec::new();
    let joined = |texts: &mut Vec<Raw<'a>>, sink: Sink<'_, 'a>| {
        if !texts.is_empty() {
            let (channel, body) = (Channel::Assistant, Body::Joined(std::mem::take(texts)));
            sink(Item::Message(Message { channel, body, origin: origin.at("response") }));
        }
    };
    let single = (!response.is_array()).then_some(response);
    for piece in response.items().chain(single) {
        let [kind, value, content, name] = piece.fields(["kind", "value", "content", "name"]);
        let Some(kind) = kind.and_then(|kind| kind.text()) else {
            texts.extend(Some(value.unwrap_or(piece)).filter(Raw::is_string));
            continue;
        };
        match &*kind {
            "inlineReference" => {
                let reference = piece.get("inlineReference");
                let path = || reference.and_then(path_of);
                texts.extend(name.filter(Raw::is_string).or_else(path));
                sink(Item::Echo(piece));
            }
            "toolInvocationSerialized" | "toolInvocation" => {
                joined(&mut texts, sink);
                tool_invocation(piece, origin, sink);
            }
            "thinking" => json::all(piece, Channel::Thinking, &origin.at("thinking"), sink),
            kind if TEXT_KINDS.contains(&kind) => {
                let text = content.map(|content| content.get("value").unwrap_or(content));
                texts.extend(text.filter(Raw::is_string));
            }
            kind if REPEATING.contains(&kind) => {
                sink(Item::Echo(piece));
            }
            _ => json::all(piece, Channel::System, &origin.at("piece"), sink),
        }
    }
    joined(&mut texts, sink);
}

/// The path of a file that is referred to, or of a place in one.
fn path_of(reference: Raw<'_>) -> Option<Raw<'_>> {
    let [path, uri] = reference.fields(["path", "uri"]);
    path.or_else(|| uri?.get("path")).filter(Raw::is_string)
}

/// Gives how a call of a tool is shown.
fn tool_invocation<'a>(piece: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [id, tool, details, specific, complete, confirmed, within] = piece.fields([
        "toolCallId",
        "toolId",
        "resultDetails",
        "toolSpecificData",
        "isComplete",
        "isConfirmed",
        "subAgentInvocationId",
    ]);
    let id = id.and_then(|id| id.owned());
    let tool_name = tool.and_then(|tool| tool.text()).unwrap_or_default();
    let agent_call = within.and_then(|id| id.owned());
    let origin = Origin {
        tool_call_id: id.clone(),
        called: agent_call.is_some(),
        agent_call,
        ..origin.clone()
    };
    let call = |input: Raw<'a>, place: &'static str, sink: Sink<'_, 'a>| {
        let (channel, body) = (Channel::ToolInput, Body::Call(tool_name.clone(), input));
        sink(Item::Message(Message { channel, body, origin: origin.at(place) }));
    };
    let [input, output, is_error] =
        details.map(|details| details.fields(["input", "output", "isError"])).unwrap_or_default();
    let [kind, raw_input, command, agent, description, answer] = specific
        .map(|specific| {
            specific.fields([
                "kind",
                "rawInput",
                "commandLine",
                "agentName",
                "description",
                "result",
            ])
        })
        .unwrap_or_default();
    if let Some(input) = raw_input {
        call(input, "rawInput", sink);
    }
    if let Some(input) = input.filter(|input| input.is_string() || input.is_object()) {
        call(input, "resultDetails", sink);
    }
    if let Some(command) = command {
        call(command.get("original").unwrap_or(command), "commandLine", sink);
    }
    if kind.is_some_and(|kind| kind.is("subagent")) {
        let name = agent.and_then(|agent| agent.owned());
        if let Some(id) = id.clone() {
            let description = description.and_then(|text| text.owned());
            sink(Item::Call(AgentCall { id, agent: name.clone(), description }));
        }
        if let Some(answer) = answer {
            let origin = Origin {
                agent: name,
                agent_call: id.clone(),
                called: true,
                ..origin.at("subagent")
            };
            json::all(answer, Channel::AgentResult, &origin, sink);
        }
    }
    if let Some(tool_call_id) = id {
        let refused = is_error.is_some_and(|flag| flag.is_true())
            || confirmed.is_some_and(|flag| flag.bytes == b"false");
        if refused || complete.is_some_and(|flag| flag.is_true()) {
            sink(Item::Result { tool_call_id, taken: !refused });
        }
    }
    if let Some(output) = output {
        json::all(output, Channel::ToolResult, &origin.at("output"), sink);
    }
    // What is put together out of these, and what an agent is asked for.
    sink(Item::Echo(piece));
}

/// Gives what the model said and got, as its provider keeps it.
fn as_given<'a>(result: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [metadata, error] = result.fields(["metadata", "errorDetails"]);
    if let Some(error) = error {
        json::all(error, Channel::System, &origin.at("error"), sink);
    }
    for (key, value) in metadata.into_iter().flat_map(|metadata| metadata.entries()) {
        match key.text().as_deref() {
            Some("toolCallRounds") => value.items().for_each(|each| round(each, origin, sink)),
            Some("toolCallResults") => {
                json::all(value, Channel::ToolResult, &origin.at("toolCallResults"), sink);
            }
            Some("summary" | "summaries") => {
                json::all(value, Channel::Summary, &origin.at("summary"), sink);
            }
            // The blocks of code in the answer.
            Some("codeBlocks") => {
                sink(Item::Echo(value));
            }
            _ => json::all(value, Channel::System, &origin.at("metadata"), sink),
        }
    }
}

/// Gives one answer of the model and the calls in it.
fn round<'a>(round: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [response, calls, thinking, summary] =
        round.fields(["response", "toolCalls", "thinking", "summary"]);
    if let Some(thinking) = thinking {
        json::all(thinking, Channel::Thinking, &origin.at("thinking"), sink);
    }
    if let Some(summary) = summary {
        json::all(summary, Channel::Summary, &origin.at("summary"), sink);
    }
    if let Some(response) = response {
        // The same message as what is shown of it.
        text_message(response, Channel::Assistant, "response", origin, sink);
    }
    for each in calls.into_iter().flat_map(|calls| calls.items()) {
        let [id, name, arguments] = each.fields(["id", "name", "arguments"]);
        if let (Some(tool), Some(input)) = (name.and_then(|name| name.text()), arguments) {
            let origin =
                Origin { tool_call_id: id.and_then(|id| id.owned()), ..origin.at("toolCalls") };
            let (channel, body) = (Channel::ToolInput, Body::Call(tool, input));
            sink(Item::Message(Message { channel, body, origin }));
        }
    }
}
