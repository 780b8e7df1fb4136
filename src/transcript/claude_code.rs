//! Claude Code session files: the main file with or without sub-agents in it, and the files of
//! sub-agents of their own.
//!
//! A record is one content block of a message. A sub-agent's last answer stands three times: in
//! the sub-agent's own message, in the result of the parent's call, and once more beside that
//! result. What a skill, a prompt, a file or a compaction summary puts into a session comes as
//! `user` records and is never the agent's own word.

use super::{AgentCall, Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// Claude Code session JSONL.
pub struct ClaudeCode;

impl Transcript for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude-code"
    }

    fn reads(&self) -> &'static str {
        "Claude Code session JSONL: main files, in-file sidechains, subagents/agent-*.jsonl"
    }

    fn recognised_by(&self) -> &'static str {
        "records with `type` and `sessionId`, `parentUuid` or `isSidechain`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [kind, session, parent, sidechain] =
            record.fields(["type", "sessionId", "parentUuid", "isSidechain"]);
        kind.is_some() && (session.is_some() || parent.is_some() || sidechain.is_some())
    }

    fn read<'a>(&self, record: Raw<'a>, session: &Session, sink: Sink<'_, 'a>) {
        let [
            kind,
            message,
            id,
            uuid,
            time,
            agent_id,
            agent,
            sidechain,
            meta,
            compacted,
            result,
            content,
            summary,
        ] = record.fields([
            "type",
            "message",
            "sessionId",
            "uuid",
            "timestamp",
            "agentId",
            "attributionAgent",
            "isSidechain",
            "isMeta",
            "isCompactSummary",
            "toolUseResult",
            "content",
            "summary",
        ]);
        let text = |value: Option<Raw<'a>>| value.and_then(|value| value.owned());
        let agent_id = text(agent_id).or_else(|| session.agent_id.clone());
        let is = |flag: Option<Raw<'a>>| flag.is_some_and(|flag| flag.is_true());
        let origin = Origin {
            session_id: text(id).or_else(|| session.id.clone()),
            agent: text(agent).or_else(|| session.agent.clone()),
            called: is(sidechain) || agent_id.is_some(),
            message_id: message.and_then(|message| text(message.get("id"))).or_else(|| text(uuid)),
            timestamp: text(time),
            ..Origin::default()
        };
        // The agent that writes compaction summaries has a file like any sub-agent's.
        let summariser = agent_id.as_deref().is_some_and(|id| id.starts_with("acompact"));
        let origin = Origin { agent_id, ..origin };
        let content = message.and_then(|message| message.get("content")).or(content);
        // A record that is torn within its type still says whose message it holds.
        let kind = kind.filter(|kind| kind.whole).or_else(|| message?.get("role"));
        let speaker = match kind.and_then(|kind| kind.text()).as_deref() {
            _ if summariser => Channel::Summary,
            Some("assistant") => Channel::Assistant,
            Some("user") if is(compacted) => Channel::Summary,
            Some("user") if is(meta) => Channel::System,
            Some("user") => Channel::User,
            Some("system") => Channel::System,
            Some("summary") => {
                if let Some(summary) = summary {
                    text_message(summary, Channel::Summary, "summary", &origin, sink);
                }
                return;
            }
            _ => return,
        };
        if let Some(content) = content {
            read_content(content, speaker, result, &origin, sink);
        }
    }
}

/// Gives what the `content` of a message says: a text, or content blocks. `beside` is what the
/// record keeps of a tool's result beside the message.
pub(super) fn read_content<'a>(
    content: Raw<'a>,
    speaker: Channel,
    beside: Option<Raw<'a>>,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if content.is_string() {
        text_message(content, speaker, speaker.word(), origin, sink);
        return;
    }
    let mut call = None;
    for block in content.items() {
        let [kind, text, thinking, id, name, input, result_of, result, is_error] = block.fields([
            "type",
            "text",
            "thinking",
            "id",
            "name",
            "input",
            "tool_use_id",
            "content",
            "is_error",
        ]);
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("text") => {
                if let Some(text) = text {
                    text_message(text, speaker, speaker.word(), origin, sink);
                }
            }
            Some("thinking") => {
                if let Some(thinking) = thinking {
                    text_message(thinking, Channel::Thinking, "thinking", origin, sink);
                }
            }
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                if let (Some(name), Some(input)) = (name.and_then(|name| name.text()), input) {
                    let id = id.and_then(|id| id.owned());
                    agent_call(id.as_deref(), &input, sink);
                    let channel =
                        if speaker == Channel::Assistant { Channel::ToolInput } else { speaker };
                    let origin = Origin { place: "tool_use", tool_call_id: id, ..origin.clone() };
                    let body = Body::Call(name, input);
                    sink(Item::Message(Message { channel, body, origin }));
                }
            }
            Some("tool_result" | "mcp_tool_result") => {
                let id = result_of.and_then(|id| id.owned());
                let refused = is_error.is_some_and(|flag| flag.is_true());
                if let Some(id) = &id {
                    let item = Item::Result { tool_call_id: id.clone(), taken: !refused };
                    sink(item);
                }
                if let Some(result) = result {
                    let relay = Relay::of(&result, beside.as_ref());
                    relay.read(result, "tool_result", id.as_deref(), origin, sink);
                    call = Some((relay, id));
                }
            }
            _ => {}
        }
    }
    if let (Some((relay, id)), Some(beside)) = (call, beside) {
        let place = "toolUseResult";
        let content = beside.get("content").filter(|_| matches!(relay, Relay::Agent));
        relay.read(content.unwrap_or(beside), place, id.as_deref(), origin, sink);
    }
}

/// Whose answer the result of a tool call is.
enum Relay {
    /// A sub-agent's.
    Agent,
    /// Perhaps a sub-agent's: only its call tells.
    Unknown,
    /// Another tool's.
    Tool,
}

impl Relay {
    fn of(result: &Raw<'_>, beside: Option<&Raw<'_>>) -> Self {
        if let Some(beside) = beside {
            let [count, agent, stdout, file] =
                beside.fields(["totalToolUseCount", "agentId", "stdout", "file"]);
            if count.is_some() || agent.is_some() {
                return Self::Agent;
            }
            if stdout.is_some() || file.is_some() {
                return Self::Tool;
            }
        }
        let names_agent = |item: Raw<'_>| {
            item.get("text")
                .and_then(|text| text.body())
                .is_some_and(|text| text.starts_with(b"agentId: "))
        };
        if result.items().any(names_agent) { Self::Agent } else { Self::Unknown }
    }

    fn read<'a>(
        &self,
        result: Raw<'a>,
        place: &'static str,
        call: Option<&str>,
        origin: &Origin,
        sink: Sink<'_, 'a>,
    ) {
        let origin = Origin {
            place,
            tool_call_id: call.map(str::to_owned),
            agent_call: call.map(str::to_owned),
            needs_call: matches!(self, Self::Unknown),
            called: !matches!(self, Self::Tool),
            ..origin.clone()
        };
        match self {
            Self::Tool => json::walk(result, Channel::ToolResult, &origin, sink),
            _ if result.is_string() => {
                text_message(result, Channel::AgentResult, place, &origin, sink);
            }
            _ => {
                for text in result.items().filter_map(|item| item.get("text")) {
                    text_message(text, Channel::AgentResult, place, &origin, sink);
                }
            }
        }
    }
}

/// Gives the call of an agent, if the input of a tool call is one.
fn agent_call(id: Option<&str>, input: &Raw<'_>, sink: Sink<'_, '_>) {
    let [agent, description] = input.fields(["subagent_type", "description"]);
    if let (Some(id), Some(agent)) = (id, agent) {
        sink(Item::Call(AgentCall {
            id: id.to_owned(),
            agent: agent.owned(),
            description: description.and_then(|text| text.owned()),
        }));
    }
}

/// Gives a text.
pub(super) fn text_message<'a>(
    text: Raw<'a>,
    channel: Channel,
    place: &'static str,
    origin: &Origin,
    sink: Sink<'_, 'a>,
) {
    if text.is_string() {
        let origin = Origin { place, ..origin.clone() };
        sink(Item::Message(Message { channel, body: Body::Text(text), origin }));
    }
}
