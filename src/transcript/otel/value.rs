//! Values as OTLP/JSON writes them: each in an object that names its type.
//!
//! Takes such a value, gives the JSON in it; reads messages that are written so as a whole. The
//! arguments of a call that are no string have no JSON of their own there, and are left out.

use super::super::chat;
use super::super::{Item, Origin, Raw, Sink, json, spans};
use crate::record::Channel;

/// The value itself, where it has JSON of its own: a string, a number, or whatever an SDK prints.
pub(super) fn plain(value: Raw<'_>) -> Raw<'_> {
    let [text, number, flag] = value.fields(["stringValue", "intValue", "boolValue"]);
    text.or(number).or(flag).unwrap_or(value)
}

/// The items of a list.
fn items(value: Raw<'_>) -> impl Iterator<Item = Raw<'_>> {
    value.path(&["arrayValue", "values"]).into_iter().flat_map(|values| values.items())
}

/// The value of a key of a map.
fn get<'a>(value: &Raw<'a>, name: &str) -> Option<Raw<'a>> {
    let values = value.path(&["kvlistValue", "values"])?;
    let entry = values.items().find(|entry| entry.get("key").is_some_and(|key| key.is(name)))?;
    entry.get("value").map(plain)
}

/// Whether a value is a list or a map.
pub(super) fn is_structured(value: &Raw<'_>) -> bool {
    value.fields(["arrayValue", "kvlistValue"]).iter().any(Option::is_some)
}

/// Gives what messages say: one, a list of them, or the choice that holds one.
pub(super) fn message<'a>(value: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    message_level(value, origin, LEVELS, sink);
}

/// Lists and choices around a message that are looked into.
const LEVELS: u32 = 4;

fn message_level<'a>(value: Raw<'a>, origin: &Origin, levels: u32, sink: Sink<'_, 'a>) {
    let value = plain(value);
    if !is_structured(&value) {
        spans::nested(value, Channel::Assistant, origin, spans::answer, sink);
        return;
    }
    // What lies deeper is in no item, so that it is counted.
    let Some(within) = levels.checked_sub(1) else { return };
    for item in items(value) {
        message_level(item, origin, within, sink);
    }
    if let Some(inner) = get(&value, "message") {
        message_level(inner, origin, within, sink);
        return;
    }
    let role = get(&value, "role");
    if role.is_some_and(|role| chat::channel_of(&role) != Some(Channel::Assistant)) {
        json::all(value, Channel::User, origin, sink);
        return;
    }
    for parts in [get(&value, "content"), get(&value, "parts")].into_iter().flatten() {
        if parts.is_string() {
            chat::content(parts, origin, sink);
        }
        items(parts).for_each(|item| part(item, origin, sink));
    }
    let calls = get(&value, "tool_calls");
    calls.into_iter().flat_map(items).for_each(|item| call(item, origin, sink));
}

fn part<'a>(part: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let kind = get(&part, "type").and_then(|kind| kind.text());
    match kind.as_deref() {
        Some("reasoning" | "thinking") => json::all(part, Channel::Thinking, origin, sink),
        Some("tool_call" | "tool_use") => call(part, origin, sink),
        Some("tool_call_response" | "tool_result") => {
            json::all(part, Channel::ToolResult, origin, sink);
        }
        _ => {
            for text in [get(&part, "content"), get(&part, "text")].into_iter().flatten() {
                if text.is_string() {
                    chat::content(text, origin, sink);
                }
            }
        }
    }
}

fn call<'a>(call: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    let function = get(&call, "function").unwrap_or(call);
    let id = get(&call, "id").and_then(|id| id.owned());
    let name = get(&function, "name");
    name.map(|name| sink(Item::Echo(name)));
    let name = name.and_then(|name| name.text());
    let input = get(&function, "arguments").or_else(|| get(&function, "input"));
    if let (Some(name), Some(input)) = (name, input.filter(Raw::is_string)) {
        let origin = Origin { tool_call_id: id, ..origin.or_at("tool_call") };
        spans::tool_call(name, input, &origin, sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_within_lists_cost_no_stack() {
        const DEEP: usize = 100_000;
        let open = "{\"arrayValue\":{\"values\":[".repeat(DEEP);
        let text = open + "{\"stringValue\":\"deep\"}" + &"]}}".repeat(DEEP);
        let mut items = 0;
        message(Raw::at(text.as_bytes(), 0, 0), &Origin::default(), &mut |_| {
            items += 1;
            false
        });
        assert_eq!(items, 0, "what lies deeper is in no item, so that it is counted");
    }
}
