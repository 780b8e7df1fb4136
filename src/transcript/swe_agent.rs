//! SWE-agent trajectories (`.traj`) and those of mini-swe-agent (`.traj.json`).
//!
//! The agent's word are the assistant's messages of `history`, or of `messages` where that is what
//! there is, with the calls in them. Each step of `trajectory` repeats them (`response`, `thought`,
//! `action`, and all messages so far under `messages` or `query`); only where there is no history
//! are its `response` and `action` the source. An action that is plain text is the input of the
//! shell; where a message has neither calls nor actions, what stands in a ```` ```bash ```` fence of it
//! is. `info.submission` and `replay_config` repeat what tools gave back or were given.

use memchr::memmem;

use super::chat;
use super::{Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// SWE-agent trajectories.
pub struct SweAgent;

impl Transcript for SweAgent {
    fn id(&self) -> &'static str {
        "swe-agent"
    }

    fn reads(&self) -> &'static str {
        "SWE-agent .traj, mini-swe-agent .traj.json"
    }

    fn recognised_by(&self) -> &'static str {
        "a document with `trajectory` of steps or `history` of messages, or with `messages` and `trajectory_format`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [trajectory, history, messages, format, info] =
            record.fields(["trajectory", "history", "messages", "trajectory_format", "info"]);
        let first_has = |list: Option<Raw<'_>>, keys: [&str; 2]| {
            let first = list.and_then(|list| list.items().next());
            first.is_some_and(|first| first.fields(keys).iter().all(Option::is_some))
        };
        first_has(trajectory, ["action", "observation"])
            || first_has(history, ["role", "content"])
            || (messages.is_some_and(|messages| messages.is_array())
                && format.is_some_and(|format| format.is_string()))
            || (info.is_some_and(|info| info.get("exit_status").is_some())
                && [trajectory, history, messages].iter().any(Option::is_some))
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [history, messages, trajectory, instance, id] =
            record.fields(["history", "messages", "trajectory", "instance_id", "id"]);
        let id = instance.or(id).and_then(|id| id.owned());
        let origin = Origin { session_id: id.or_else(|| session.id.clone()), ..Origin::default() };
        let holds = |list: &Raw<'_>| list.items().next().is_some();
        let said = [history, messages].into_iter().flatten().find(holds);
        for (key, value) in record.entries() {
            if said.is_some_and(|said| said.offset == value.offset) {
                value.items().for_each(|item| message(item, &origin, sink));
            } else if said.is_none() && trajectory.is_some_and(|raw| raw.offset == value.offset) {
                value.items().for_each(|item| step(item, &origin, sink));
            } else if is_repeated(&key, said.is_some()) {
                sink(Item::Echo(value));
            }
        }
    }
}

/// Whether what stands in a trajectory under `key` repeats, or describes, what is read; where
/// there are messages, the steps and all other lists do.
fn is_repeated(key: &Raw<'_>, has_messages: bool) -> bool {
    let about = ["info", "replay_config", "environment", "instance_id", "trajectory_format"];
    let lists = ["trajectory", "history", "messages"];
    about.iter().any(|about| key.is(about)) || has_messages && lists.iter().any(|list| key.is(list))
}
/// What opens the fence of a command.
const FENCE: &[u8] = b"```bash";

fn message<'a>(message: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [agent, demo, role, content, calls, action, thought, extra, answered] = message.fields([
        "agent",
        "is_demo",
        "role",
        "content",
        "tool_calls",
        "action",
        "thought",
        "extra",
        "tool_call_ids",
    ]);
    for id in answered.into_iter().flat_map(|ids| ids.items()) {
        if let Some(tool_call_id) = id.owned() {
            sink(Item::Result { tool_call_id, taken: true });
        }
    }
    let demo = demo.is_some_and(|flag| flag.is_true());
    let is_assistant = role.is_some_and(|role| role.is("assistant"));
    let agent = agent.and_then(|agent| agent.owned());
    let origin = Origin { agent: agent.or_else(|| origin.agent.clone()), ..origin.clone() };
    if demo {
        // What another agent once did, shown as an example.
        json::all(message, Channel::System, &origin, sink);
        return;
    }
    chat::message(message, None, &origin, sink);
    if !is_assistant {
        return;
    }
    let calls_tools = calls.is_some_and(|calls| calls.items().next().is_some());
    if let Some(action) = action.filter(|_| !calls_tools) {
        // It stands in the content as well, as a text.
        command(action, &origin, sink);
    } else if let Some(action) = action {
        sink(Item::Echo(action));
    }
    if let (Some(extra), false) = (extra, calls_tools) {
        for action in extra.get("actions").into_iter().flat_map(|actions| actions.items()) {
            command(action.get("command").unwrap_or(action), &origin, sink);
        }
    }
    let has_actions = extra.and_then(|extra| extra.get("actions")).is_some();
    if let (false, false, None, Some(content)) = (calls_tools, has_actions, action, content)
        && memmem::find(content.bytes, FENCE).is_some()
    {
        // The first versions of mini-swe-agent run what stands in a fence of the content, which
        // is recorded nowhere else. The words around it are no lines of a script.
        command(content, &origin, sink);
    }
    thought.map(|thought| sink(Item::Echo(thought)));
}

/// What stands in a step that others say, or that stands in its response or in steps before.
const REPEATED: [&str; 5] = ["thought", "messages", "query", "state", "extra_info"];

/// A step of a trajectory without a history.
fn step<'a>(step: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let [response, thought, action] = step.fields(["response", "thought", "action"]);
    let said = response.filter(|text| !is_empty(text)).or(thought);
    for (key, value) in step.entries() {
        let is = |part: Option<Raw<'_>>| part.is_some_and(|part| part.offset == value.offset);
        if is(said) {
            chat::content(value, origin, sink);
        } else if is(action) {
            command(value, origin, sink);
        } else if key.is("observation") {
            json::all(value, Channel::ToolResult, origin, sink);
        } else if REPEATED.iter().any(|repeated| key.is(repeated)) {
            sink(Item::Echo(value));
        }
    }
}

fn is_empty(text: &Raw<'_>) -> bool {
    text.body().is_none_or(<[u8]>::is_empty)
}

/// What the agent has the shell do.
fn command<'a>(input: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    if input.is_string() {
        let origin = origin.at("action");
        let (channel, body) = (Channel::ToolInput, Body::Call("shell".into(), input));
        sink(Item::Message(Message { channel, body, origin }));
    }
}
