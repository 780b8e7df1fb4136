//! `OpenHands`: trajectories, evaluation output and event streams of version 0, and the event files
//! of version 1.
//!
//! An event is an action or an observation; `source` is `agent` on many observations as well, so
//! that only `action` tells. Read are what the agent says (`content` of a message, the `thought`
//! beside a call, `final_thought` and `outputs` at the end; in version 1 `llm_message`, `thought`
//! and the message of `FinishAction`), what it gives to tools, and what agents it called answer.
//! What it gives to the tool `think` is thinking. `message`, `tool_call_metadata` and the parsed
//! `action` of version 1 repeat all that. An event's id is a small number in version 0, so that it
//! names a message only together with its session, and is unique in version 1.

use std::borrow::Cow;

use super::chat::content;
use super::{AgentCall, Beside, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

mod v1;

/// `OpenHands` events.
pub struct OpenHands;

/// The kinds of events of version 1.
const KINDS: [&str; 15] = [
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "SystemPromptEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ConversationStateUpdateEvent",
    "ConversationErrorEvent",
    "PauseEvent",
    "TokenEvent",
    "StreamingDeltaEvent",
    "LLMCompletionLogEvent",
];

impl Transcript for OpenHands {
    fn id(&self) -> &'static str {
        "openhands"
    }

    fn reads(&self) -> &'static str {
        "OpenHands: trajectory.json, output.jsonl and event streams (V0), events/*.json (V1)"
    }

    fn recognised_by(&self) -> &'static str {
        "events with `action` and `args` or `observation` and `extras`, or a `kind` of V1; a `history` with `instance_id` or `git_patch`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [action, args, observation, extras, kind, id, source, history, instance, patch] =
            record.fields([
                "action",
                "args",
                "observation",
                "extras",
                "kind",
                "id",
                "source",
                "history",
                "instance_id",
                "git_patch",
            ]);
        let pair = |word: Option<Raw<'_>>, object: Option<Raw<'_>>| {
            word.is_some_and(|word| word.is_string()) && object.is_some_and(|raw| raw.is_object())
        };
        let is_kind = kind.is_some_and(|kind| KINDS.iter().any(|own| kind.is(own)));
        let is_output = history.is_some_and(|history| history.is_array())
            && (instance.is_some() || patch.is_some());
        pair(action, args)
            || pair(observation, extras)
            || is_kind && (id.is_some() || source.is_some())
            || is_output
    }

    fn session(&self, _: &Raw<'_>, beside: &Beside) -> Session {
        // A stream keeps its events in a folder of its session.
        if beside.folder(1) != Some("events") {
            return Session::default();
        }
        let id = beside.folder(2).map(str::to_owned);
        let is_called = beside.folder(3) == Some("subagents");
        let parent = beside.folder(4).filter(|_| is_called).map(str::to_owned);
        Session { agent_id: id.clone().filter(|_| is_called), id, parent, ..Session::default() }
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let origin = Origin {
            session_id: session.id.clone(),
            agent_id: session.agent_id.clone(),
            called: session.parent.is_some(),
            ..Origin::default()
        };
        let [history, instance] = record.fields(["history", "instance_id"]);
        let Some(history) = history.filter(Raw::is_array) else {
            event(record, &origin, sink);
            return;
        };
        let id = instance.and_then(|id| id.owned());
        let origin = Origin { session_id: id.or(origin.session_id), ..origin };
        for (key, value) in record.entries() {
            match key.text().as_deref() {
                Some("history") => {}
                Some("instruction" | "instance" | "issue") => {
                    json::all(value, Channel::User, &origin, sink);
                }
                Some(key) if ABOUT.contains(&key) => {
                    sink(Item::Echo(value));
                }
                _ => {}
            }
        }
        for item in history.items() {
            // Old evaluations keep an action together with its observation.
            let pair = item.items();
            if item.is_array() {
                pair.for_each(|item| event(item, &origin, sink));
            } else {
                event(item, &origin, sink);
            }
        }
    }
}

/// What an evaluation keeps beside a history: how it ran, and what came of it.
const ABOUT: [&str; 10] = [
    "instance_id",
    "comment_success",
    "result_explanation",
    "metadata",
    "metrics",
    "error",
    "test_result",
    "git_patch",
    "llm_completions",
    "report",
];

fn event<'a>(event: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [kind, action, args, observation, id, time, source, metadata, message] = event.fields([
        "kind",
        "action",
        "args",
        "observation",
        "id",
        "timestamp",
        "source",
        "tool_call_metadata",
        "message",
    ]);
    let call_id = metadata.and_then(|metadata| metadata.get("tool_call_id"));
    let origin = Origin {
        message_id: id.and_then(|id| id.owned().or_else(|| number(&id))),
        tool_call_id: call_id.and_then(|id| id.owned()),
        timestamp: time.and_then(|time| time.owned()),
        ..origin.clone()
    };
    if let Some(kind) = kind.and_then(|kind| kind.text()) {
        v1::event(event, &kind, &origin, sink);
        return;
    }
    // The oldest events are their arguments, and say not who acts.
    let own_args = args.filter(Raw::is_object);
    let flat = own_args.is_none();
    let args = own_args.unwrap_or(event);
    if let Some(action) = action.filter(Raw::is_string).and_then(|action| action.text()) {
        let waits = || args.get("wait_for_response").is_some_and(|flag| flag.is_true());
        let by_agent = match source {
            Some(source) => source.is("agent"),
            None => action != "message" || waits(),
        };
        acted(&action, args, by_agent, &origin, sink);
    } else if let Some(observation) = observation.filter(Raw::is_string) {
        observed(event, &observation, &origin, sink);
    }
    let repeated = [metadata, message.filter(|_| !flat)];
    repeated.into_iter().flatten().for_each(|raw| {
        sink(Item::Echo(raw));
    });
}

/// A number as it is written.
fn number(raw: &Raw<'_>) -> Option<String> {
    let digits = std::str::from_utf8(raw.bytes).ok()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.to_owned())
}

/// An action of version 0.
fn acted<'a>(action: &str, args: Raw<'a>, by_agent: bool, origin: &Origin, sink: Sink<'_, 'a>) {
    if !by_agent {
        let channel = if action == "system" { Channel::System } else { Channel::User };
        json::all(args, channel, origin, sink);
        return;
    }
    let [
        thought,
        final_thought,
        text,
        outputs,
        command,
        code,
        name,
        arguments,
        agent,
        inputs,
        reasoning,
    ] = args.fields([
        "thought",
        "final_thought",
        "content",
        "outputs",
        "command",
        "code",
        "name",
        "arguments",
        "agent",
        "inputs",
        "reasoning_content",
    ]);
    if let Some(reasoning) = reasoning {
        json::all(reasoning, Channel::Thinking, origin, sink);
    }
    match action {
        "think" => {
            json::all(args, Channel::Thinking, origin, sink);
            return;
        }
        "system" => {
            json::all(args, Channel::System, origin, sink);
            return;
        }
        "condensation" | "condensation_request" | "summarize" => {
            json::all(args, Channel::Summary, origin, sink);
            return;
        }
        "recall" | "change_agent_state" | "null" => {
            sink(Item::Echo(args));
            return;
        }
        _ => {}
    }
    said(thought, "message", origin, sink);
    match action {
        "message" => said(text, "message", origin, sink),
        "finish" | "reject" => {
            said(final_thought, "final_thought", origin, sink);
            if let Some(outputs) = outputs {
                let origin = origin.at("outputs");
                json::walk(outputs, Channel::Assistant, &origin, sink);
            }
        }
        "delegate" => {
            if let Some(id) = origin.tool_call_id.clone() {
                let agent = agent.and_then(|agent| agent.owned());
                sink(Item::Call(AgentCall { id, agent, description: None }));
            }
            if let Some(inputs) = inputs {
                json::all(inputs, Channel::User, origin, sink);
            }
        }
        "call_tool_mcp" => {
            if let (Some(name), Some(input)) = (name.and_then(|name| name.text()), arguments) {
                call(name, input, origin, sink);
            }
        }
        "run" => call("run".into(), command.unwrap_or(args), origin, sink),
        "run_ipython" => call("run_ipython".into(), code.unwrap_or(args), origin, sink),
        _ => call(action.to_owned().into(), args, origin, sink),
    }
}

/// An observation of version 0.
fn observed<'a>(event: Raw<'a>, observation: &Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [text, extras, exit_code] = event.fields(["content", "extras", "exit_code"]);
    let parts = [text, extras].into_iter().flatten();
    if observation.is("delegate") {
        let origin = Origin {
            place: "delegate",
            agent_call: origin.tool_call_id.clone(),
            called: true,
            ..origin.clone()
        };
        for part in parts {
            json::walk(part, Channel::AgentResult, &origin, sink);
        }
        return;
    }
    if let Some(tool_call_id) = origin.tool_call_id.clone() {
        let exit = extras
            .and_then(|extras| {
                extras.path(&["metadata", "exit_code"]).or_else(|| extras.get("exit_code"))
            })
            .or(exit_code);
        let failed = observation.is("error")
            || observation.is("user_rejected")
            || exit.is_some_and(|exit| !matches!(exit.bytes, b"0" | b"null"))
            || observation.is("mcp") && text.is_some_and(|text| says_error(&text));
        sink(Item::Result { tool_call_id, taken: !failed });
    }
    let origin = origin.at("observation");
    for part in parts {
        json::all(part, Channel::ToolResult, &origin, sink);
    }
    if extras.is_none() {
        json::all(event, Channel::ToolResult, &origin, sink);
    }
}

/// Whether the result of an MCP tool, JSON in a string, says of itself that it is an error.
fn says_error(text: &Raw<'_>) -> bool {
    text.text().is_some_and(|text| {
        let result = Raw::at(text.as_bytes(), 0, 0);
        result.get("isError").is_some_and(|flag| flag.is_true())
    })
}

/// Gives what the agent says.
fn said<'a>(text: Option<Raw<'a>>, place: &'static str, origin: &Origin, sink: Sink<'_, 'a>) {
    if let Some(text) = text {
        let origin = Origin { place, tool_call_id: None, ..origin.clone() };
        content(text, &origin, sink);
    }
}

/// Gives what the agent gives a tool.
fn call<'a>(name: Cow<'a, str>, input: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let origin = origin.at("tool_call");
    let (channel, body) = (Channel::ToolInput, Body::Call(name, input));
    sink(Item::Message(Message { channel, body, origin }));
}
