//! Replaying: the state of a chat session that the entries of its log lead to.
//!
//! Takes the lines of a log (a first state, then what is set, pushed to a list or deleted at a
//! path), changes the state, and gives one line for each request of it. Must never fail, whatever a
//! path says: what a newer program writes, or what leads nowhere, changes nothing and says so.

use serde_json::{Map, Value};

/// Steps of the longest path that is followed. An entry nests no deeper than its parser allows, so
/// this keeps states from becoming deeper and deeper.
const STEPS: usize = 64;

/// The key of the requests of a session, and that of the answer in each.
const REQUESTS: &str = "requests";
const ANSWER: &str = "response";

/// One line for each request of a state, each with the session that it belongs to.
pub(super) fn requests(state: Value) -> impl Iterator<Item = String> {
    let mut state = if let Value::Object(state) = state { state } else { Map::new() };
    let session = state.remove("sessionId");
    let requests = if let Some(Value::Array(requests)) = state.remove(REQUESTS) {
        requests
    } else {
        Vec::new()
    };
    requests.into_iter().map(move |mut request| {
        if let (Value::Object(request), Some(session)) = (&mut request, &session) {
            request.entry("sessionId").or_insert_with(|| session.clone());
        }
        request.to_string()
    })
}

/// How many requests a state has.
pub(super) fn count(state: &Value) -> usize {
    state.get(REQUESTS).and_then(Value::as_array).map_or(0, Vec::len)
}

/// A line of a log.
pub(super) enum Entry {
    /// All of a state.
    First(Value),
    /// What is to stand at a place.
    Set(Vec<Step>, Value),
    /// What is pushed, and how much of the list stays before it.
    Push(Vec<Step>, Vec<Value>, Option<usize>),
    /// A place at which nothing is to stand.
    Delete(Vec<Step>),
}

/// The requests whose answers an entry changes.
#[derive(Debug, PartialEq)]
pub(super) enum Changes {
    /// All from this one on.
    From(usize),
    /// This one.
    One(usize),
    /// None.
    None,
}

/// A step of a path.
pub(super) enum Step {
    Key(String),
    Index(usize),
}

impl Entry {
    /// The entry on a line, if there is one.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let mut entry: Map<String, Value> =
            serde_json::from_slice(line).or_else(|_| serde_json::from_slice(&mended(line))).ok()?;
        let value = entry.remove("v");
        let keep = entry.remove("i");
        let kind = entry.get("kind")?.as_u64()?;
        let mut path = || steps(entry.remove("k")?);
        Some(match kind {
            0 => Self::First(value?),
            1 => Self::Set(path()?, value.unwrap_or_default()),
            2 => {
                let pushed = match value {
                    Some(Value::Array(pushed)) => pushed,
                    None | Some(Value::Null) => Vec::new(),
                    Some(_) => return None,
                };
                let keep = match keep {
                    None | Some(Value::Null) => None,
                    Some(keep) => Some(keep.as_u64()?.try_into().ok()?),
                };
                Self::Push(path()?, pushed, keep)
            }
            3 => Self::Delete(path()?),
            _ => return None,
        })
    }

    /// The requests whose answers this changes in `state`.
    pub(super) fn changes(&self, state: Option<&Value>) -> Changes {
        let (path, from) = match self {
            Self::First(_) => return Changes::From(0),
            Self::Set(path, _) | Self::Delete(path) => (path, 0),
            Self::Push(path, _, keep) => {
                (path, keep.unwrap_or(usize::MAX).min(state.map_or(0, count)))
            }
        };
        let is = |at: usize, name| matches!(path.get(at), Some(Step::Key(key)) if key == name);
        match path.get(1) {
            _ if !is(0, REQUESTS) => Changes::None,
            None => Changes::From(from),
            Some(Step::Index(index)) if path.len() == 2 || is(2, ANSWER) => Changes::One(*index),
            Some(_) => Changes::None,
        }
    }

    /// Changes the state. False where the entry leads nowhere.
    pub(super) fn apply(self, state: &mut Option<Value>) -> bool {
        match self {
            Self::First(first) => {
                *state = Some(first);
                true
            }
            Self::Set(path, value) => place(state, &path).is_some_and(|place| place.set(value)),
            Self::Push(path, mut pushed, keep) => {
                let Some(list) = place(state, &path).and_then(Place::list) else { return false };
                if let Some(keep) = keep {
                    list.truncate(keep);
                }
                list.append(&mut pushed);
                true
            }
            Self::Delete(path) => place(state, &path).is_some_and(Place::delete),
        }
    }
}

/// The steps of a path.
fn steps(path: Value) -> Option<Vec<Step>> {
    let Value::Array(path) = path else { return None };
    if path.is_empty() || path.len() > STEPS {
        return None;
    }
    let step = |step| match step {
        Value::String(key) => Some(Step::Key(key)),
        Value::Number(index) => Some(Step::Index(index.as_u64()?.try_into().ok()?)),
        _ => None,
    };
    path.into_iter().map(step).collect()
}

/// A place in a state: a key that an object may have, an item that a list may have.
enum Place<'s> {
    Key(&'s mut Map<String, Value>, String),
    Item(&'s mut Vec<Value>, usize),
}

/// The place that a path leads to; nothing where what it goes through is not there.
fn place<'s>(state: &'s mut Option<Value>, path: &[Step]) -> Option<Place<'s>> {
    let (last, through) = path.split_last()?;
    let mut value = state.as_mut()?;
    for step in through {
        value = match (value, step) {
            (Value::Object(object), Step::Key(key)) => object.get_mut(key)?,
            (Value::Object(object), Step::Index(index)) => object.get_mut(&index.to_string())?,
            (Value::Array(items), Step::Index(index)) => items.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(match (value, last) {
        (Value::Object(object), Step::Key(key)) => Place::Key(object, key.clone()),
        (Value::Object(object), Step::Index(index)) => Place::Key(object, index.to_string()),
        (Value::Array(items), Step::Index(index)) => Place::Item(items, *index),
        _ => return None,
    })
}

impl<'s> Place<'s> {
    fn set(self, value: Value) -> bool {
        match self {
            Self::Key(object, key) => {
                object.insert(key, value);
            }
            Self::Item(items, index) if index == items.len() => items.push(value),
            // A list with holes is no list that a chat has.
            Self::Item(items, index) => match items.get_mut(index) {
                Some(item) => *item = value,
                None => return false,
            },
        }
        true
    }

    fn delete(self) -> bool {
        match self {
            Self::Key(object, key) => object.remove(&key).is_some(),
            // What is behind it stays where it is.
            Self::Item(items, index) => {
                items.get_mut(index).map(|item| *item = Value::Null).is_some()
            }
        }
    }

    /// The list at this place, a new one where there is nothing.
    fn list(self) -> Option<&'s mut Vec<Value>> {
        let value = match self {
            Self::Key(object, key) => object.entry(key).or_insert(Value::Null),
            Self::Item(items, index) => items.get_mut(index)?,
        };
        if value.is_null() {
            *value = Value::Array(Vec::new());
        }
        value.as_array_mut()
    }
}

/// A line with what keeps it from being read replaced: halves of surrogate pairs, and bytes that
/// are no text.
fn mended(line: &[u8]) -> Vec<u8> {
    let mut mended = String::from_utf8_lossy(line).into_owned().into_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', mended.get(at..).unwrap_or_default()) {
        at += found;
        let half = match unit(&mended, at) {
            Some(0xd800..=0xdbff) => match unit(&mended, at + 6) {
                Some(0xdc00..=0xdfff) => {
                    at += 12;
                    continue;
                }
                _ => true,
            },
            Some(0xdc00..=0xdfff) => true,
            _ => false,
        };
        if half && let Some(digits) = mended.get_mut(at + 2..at + 6) {
            digits.copy_from_slice(b"fffd");
        }
        at += 2;
    }
    mended
}

/// The UTF-16 unit of the `\uXXXX` at `at`.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests;
