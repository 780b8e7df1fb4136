//! Settling: what hangs on other messages, in the order of the input.
//!
//! Takes records in order with the calls and results around them, gives those that are to be
//! written: copies told from reviews, the tool's answer noted, the agent named by its call. Looks
//! ahead a bounded number of lines, and remembers a bounded number of reviews. The only part of
//! the flow that keeps state from one frame to the next.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::input::uncompressed;
use crate::record::{Carrier, Channel, Record, Source, Status};
use crate::scan::{Agent, News, Scope, Ties};
use crate::transcript::AgentCall;

/// What comes in, in the order of the input.
#[derive(Debug)]
pub enum Outcome {
    /// A record, and how it belongs to other messages.
    Record(Box<Record>, Ties),
    /// What records hang on.
    News(News),
}

/// The state of one input, and what is known of its sessions.
pub struct Settle<'s> {
    scope: &'s Scope,
    /// Copies are marked and kept.
    pub mark_copies: bool,
    waiting: VecDeque<Waiting>,
    /// How many records were settled: the number of the first that waits.
    settled: u64,
    /// The numbers of the records that wait for a call's answer.
    by_call: HashMap<String, VecDeque<u64>>,
    /// The numbers of the files that each agent wrote and that wait to be handed in.
    by_agent: HashMap<Agent, VecDeque<u64>>,
    /// The last state of each message that a later one may replace.
    by_message: HashMap<String, State>,
    /// The line up to which the input was read.
    line: u64,
    calls: HashMap<String, AgentCall>,
    submissions: HashMap<String, Agent>,
    known: Known,
    /// Copies that were told.
    pub copies: u64,
    /// Reviews in what a tool gave back, where no call says that the tool is an agent.
    pub unknown_callers: u64,
}

/// A record that may wait for a tool's answer, or for a later state of its message.
struct Waiting {
    record: Box<Record>,
    agent: Agent,
    /// The last line in which what it waits for is looked for; `None` where nothing is awaited.
    until: Option<u64>,
    /// A later state of its message took its place.
    replaced: bool,
}

/// A state of a message.
struct State {
    /// The line that it stands on.
    line: u64,
    /// The numbers of its records.
    records: Vec<u64>,
    /// It took the place of an earlier one.
    is_later: bool,
}

impl<'s> Settle<'s> {
    /// Nothing known yet.
    pub fn new(scope: &'s Scope) -> Self {
        Self {
            scope,
            mark_copies: false,
            waiting: VecDeque::new(),
            settled: 0,
            by_call: HashMap::new(),
            by_agent: HashMap::new(),
            by_message: HashMap::new(),
            line: 0,
            calls: HashMap::new(),
            submissions: HashMap::new(),
            known: Known::new(scope.limits.remembered),
            copies: 0,
            unknown_callers: 0,
        }
    }

    /// Takes what comes next; `line` is its line in the log, which may be in a wrapper.
    pub fn take(&mut self, outcome: Outcome, line: u64) {
        self.pass(line);
        match outcome {
            Outcome::Record(record, ties) => self.record(record, &ties),
            Outcome::News(News::Call(call)) => {
                if self.calls.len() < self.scope.limits.remembered {
                    // Another record may have told more of the same call.
                    let known = self.calls.remove(&call.id).unwrap_or_default();
                    let agent = call.agent.or(known.agent);
                    let description = call.description.or(known.description);
                    self.calls.insert(call.id.clone(), AgentCall { agent, description, ..call });
                }
            }
            Outcome::News(News::Submitted { tool_call_id, agent }) => {
                if self.submissions.len() < self.scope.limits.remembered {
                    self.submissions.insert(tool_call_id, agent);
                }
            }
            Outcome::News(News::Result { tool_call_id, taken }) => {
                self.answer(&tool_call_id, taken);
            }
        }
    }

    /// Says that the input was read up to `line`.
    pub fn pass(&mut self, line: u64) {
        if line == self.line {
            return;
        }
        self.line = line;
        for waiting in &mut self.waiting {
            waiting.until = waiting.until.filter(|until| *until >= line);
        }
    }

    /// Says that the input is at its end.
    pub fn end(&mut self) {
        self.waiting.iter_mut().for_each(|waiting| waiting.until = None);
        self.calls.clear();
        self.submissions.clear();
        self.by_call.clear();
        self.by_agent.clear();
        self.by_message.clear();
        self.line = 0;
    }

    /// The next record that is settled.
    pub fn settled(&mut self) -> Option<Record> {
        loop {
            self.waiting.front().filter(|waiting| waiting.until.is_none())?;
            let settled = self.waiting.pop_front()?;
            if let Some(call) = &settled.record.source.tool_call_id {
                forget(&mut self.by_call, call, self.settled);
            }
            forget(&mut self.by_agent, &settled.agent, self.settled);
            self.settled += 1;
            if !settled.replaced {
                return Some(*settled.record);
            }
        }
    }

    fn record(&mut self, mut record: Box<Record>, ties: &Ties) {
        let call = ties.agent_call.as_ref().and_then(|id| self.calls.get(id));
        if ties.needs_call && call.is_none() {
            if !self.scope.channels.contains(&Channel::ToolResult) {
                self.unknown_callers += 1;
                return;
            }
            record.source.channel = Channel::ToolResult;
        }
        if let Some(start) = ties.needs_description {
            let described = call.and_then(|call| call.description.as_deref());
            if !described.is_some_and(|text| text.starts_with(start)) {
                return;
            }
        }
        if record.source.agent.is_none() {
            record.source.agent = call.and_then(|call| call.agent.clone());
        }
        let replaces = ties.revisable && self.replace(&record);
        if self.known.is_copy(&record, ties, self.line) && !replaces {
            self.copies += 1;
            if !self.mark_copies {
                return;
            }
            record.source.copy = true;
        }
        let awaits = record.source.tool_call_id.is_some()
            && matches!(record.carrier, Carrier::ToolInput | Carrier::File);
        let until = (awaits || ties.revisable).then(|| self.line + self.scope.limits.look_ahead);
        let agent = Agent::of(&record.source, ties);
        let number = self.settled + self.waiting.len() as u64;
        if let Some(call) = record.source.tool_call_id.clone().filter(|_| awaits) {
            if record.carrier == Carrier::File {
                self.by_agent.entry(agent.clone()).or_default().push_back(number);
            }
            self.by_call.entry(call).or_default().push_back(number);
        }
        let key = message_key(&record.source);
        if let Some(state) = key.and_then(|key| self.by_message.get_mut(&key)) {
            state.records.push(number);
        }
        self.waiting.push_back(Waiting { record, agent, until, replaced: false });
    }

    /// Lets go what an earlier state of the record's message says, if that still waits. True where
    /// there was one.
    fn replace(&mut self, record: &Record) -> bool {
        let Some(key) = message_key(&record.source) else { return false };
        let line = self.line;
        if self.by_message.len() >= self.scope.limits.remembered {
            self.by_message.clear();
        }
        let state = self.by_message.entry(key).or_insert_with(|| State {
            line,
            records: Vec::new(),
            is_later: false,
        });
        if state.line < line {
            state.line = line;
            state.is_later = false;
            for number in state.records.drain(..) {
                let waiting = waiting(&mut self.waiting, self.settled, number);
                if let Some(waiting) = waiting.filter(|waiting| waiting.until.is_some()) {
                    waiting.replaced = true;
                    waiting.until = None;
                    self.copies += 1;
                    state.is_later = true;
                }
            }
        }
        state.is_later
    }

    /// A tool took or refused what a call gave it.
    fn answer(&mut self, call: &str, taken: bool) {
        for number in self.by_call.remove(call).unwrap_or_default() {
            // A file that was written is handed in by a later call.
            if let Some(waiting) = waiting(&mut self.waiting, self.settled, number)
                && (waiting.record.carrier == Carrier::ToolInput || !taken)
            {
                waiting.settle(taken);
            }
        }
        let Some(agent) = self.submissions.remove(call) else { return };
        for number in self.by_agent.remove(&agent).unwrap_or_default() {
            if let Some(waiting) = waiting(&mut self.waiting, self.settled, number) {
                waiting.settle(taken);
            }
        }
    }
}

/// The record of this number, if it still waits; `settled` is that of the first.
fn waiting(waiting: &mut VecDeque<Waiting>, settled: u64, number: u64) -> Option<&mut Waiting> {
    let index = number.checked_sub(settled)?;
    waiting.get_mut(usize::try_from(index).ok()?)
}

/// Forgets the record of this number, the first of all, under a key that it was kept under.
fn forget<K: Hash + Eq>(numbers: &mut HashMap<K, VecDeque<u64>>, key: &K, number: u64) {
    let Some(kept) = numbers.get_mut(key) else { return };
    if kept.front() == Some(&number) {
        kept.pop_front();
    }
    if kept.is_empty() {
        numbers.remove(key);
    }
}

/// What tells the messages of all sessions apart.
fn message_key(source: &Source) -> Option<String> {
    let message = source.message_id.as_ref()?;
    Some(format!("{:?}\0{message}", source.session_id))
}

impl Waiting {
    /// Notes the answer, if it still waits for one.
    fn settle(&mut self, taken: bool) {
        if self.until.take().is_some() {
            self.record.source.accepted = Some(taken);
        }
    }
}

/// The reviews that were seen, to tell copies of them.
struct Known {
    reviews: HashMap<String, Seen>,
    order: VecDeque<String>,
    /// The first session of the family of each that was called or forked.
    families: HashMap<String, String>,
    /// How many messages of all these reviews are remembered.
    messages: usize,
    capacity: usize,
}

/// Where the same content of the same family of sessions was seen.
#[derive(Default)]
struct Seen {
    /// The messages, by the kind of place that they stand in.
    messages: HashMap<(Member, &'static str, Channel), HashSet<u64>>,
    /// How many reviews there are: the most messages that one kind of place holds.
    reviews: usize,
}

/// What a session is in its family. What each says stands in places of its own, so that what one
/// says and another repeats is one review.
#[derive(PartialEq, Eq, Hash)]
enum Member {
    /// The one that called the others, or that has no others.
    First,
    /// One of those that were called.
    Called,
    /// This one, which starts with the history of another.
    Forked(String),
}

impl Known {
    fn new(capacity: usize) -> Self {
        let (reviews, order, families) = (HashMap::new(), VecDeque::new(), HashMap::new());
        Self { reviews, order, families, messages: 0, capacity }
    }

    /// The first session of the family of `session`, and what this one is in it.
    fn family(&mut self, session: &str, ties: &Ties) -> (String, Member) {
        let Some(parent) = ties.parent.as_deref().filter(|parent| *parent != session) else {
            // What its caller tells of it stands under the same id.
            return match self.families.get(session) {
                Some(first) => (first.clone(), Member::Called),
                None => (session.to_owned(), Member::First),
            };
        };
        let first = self.families.get(parent).map_or(parent, String::as_str).to_owned();
        if self.families.len() < self.capacity {
            self.families.insert(session.to_owned(), first.clone());
        }
        let member = if ties.forked { Member::Forked(session.to_owned()) } else { Member::Called };
        (first, member)
    }

    /// What a review says, to compare it with others. What is cut or broken, and was not
    /// seen whole, is compared with its like only.
    fn content(&self, record: &Record, ties: &Ties) -> String {
        let content = &record.content_id;
        let source = &record.source;
        let session = source.session_id.as_deref().unwrap_or(uncompressed(&source.input));
        let parents = [Some(session), ties.parent.as_deref(), source.agent_id.as_deref()];
        let mut sessions = parents.into_iter().flatten();
        let is_whole = !matches!(record.status, Status::Incomplete | Status::Malformed)
            || sessions.any(|session| {
                let family = self.families.get(session).map_or(session, String::as_str);
                let mut keys = [session, family].into_iter();
                keys.any(|key| self.reviews.contains_key(&format!("{key}\0{content}")))
            });
        if is_whole { content.clone() } else { format!("{content}\0part") }
    }

    /// Whether the same content was seen in the same message, or through another place, or in the
    /// same record of another session, or in the session of the agent that is told of. Two messages
    /// in the same kind of place are two reviews. What is cut or broken is a copy of the whole
    /// review, and the whole review no copy of that.
    fn is_copy(&mut self, record: &Record, ties: &Ties, line: u64) -> bool {
        let source = &record.source;
        let content = &self.content(record, ties);
        // A file and its compressed twin are one log: where it tells of no session, only the name
        // says so.
        let session = source.session_id.as_deref().unwrap_or(uncompressed(&source.input));
        let is_log = ties.place == "text";
        let (family, member) = self.family(session, ties);
        let own = format!("{session}\0{content}");
        // The agent that is told of here may have a session of its own, of no known family.
        let is_told = source.agent_id.as_ref().is_some_and(|agent| {
            agent != session && self.reviews.contains_key(&format!("{agent}\0{content}"))
        });
        let record_id = ties.record_id.as_ref().map(|id| format!("{id}\0\0{content}"));
        // What a job and each of its steps log is kept twice in an archive, with the same times.
        let archived = source.input.split_once('!').zip(source.timestamp.as_ref());
        let logged = archived
            .filter(|_| is_log)
            .map(|((archive, _), time)| format!("{archive}\0{time}\0{content}"));
        let mut is_repeated = false;
        for key in record_id.into_iter().chain(logged) {
            is_repeated |= self.reviews.contains_key(&key);
            self.enter(key);
        }
        // What was told of the session before its family was known belongs to it.
        let told = if family == session { None } else { self.reviews.remove(&own) };
        let seen = self.enter(format!("{family}\0{content}"));
        if let Some(told) = told {
            seen.reviews = seen.reviews.max(told.reviews);
            #[expect(clippy::iter_over_hash_type, reason = "sets that are joined have no order")]
            for (place, messages) in told.messages {
                seen.messages.entry(place).or_default().extend(messages);
            }
        }
        let ids = [&source.tool_call_id, &source.message_id, &ties.record_id];
        let message =
            ids.into_iter().flatten().next().cloned().unwrap_or_else(|| match &source.session_id {
                // A log is one message.
                _ if is_log => String::new(),
                // The same line of the same session, if the file is there twice.
                Some(_) => {
                    format!("{session}\0{:?}\0{line}\0{}", source.agent_id, ties.message)
                }
                None => format!("{session}\0{line}\0{}", ties.message),
            });
        let messages = seen.messages.entry((member, ties.place, source.channel)).or_default();
        // A hash is enough within one content of one session, and the same on every machine.
        let mut hasher = DefaultHasher::new();
        message.hash(&mut hasher);
        let is_further = messages.insert(hasher.finish());
        let count = messages.len();
        let is_new = count > seen.reviews;
        seen.reviews = seen.reviews.max(count);
        self.messages += usize::from(is_further);
        self.forget();
        !is_new || is_repeated || is_told
    }

    /// Forgets the oldest reviews, as far as there are more than may be remembered.
    fn forget(&mut self) {
        while self.order.len().max(self.messages) > self.capacity
            && let Some(oldest) = self.order.pop_front()
        {
            let forgotten = self.reviews.remove(&oldest).unwrap_or_default();
            let messages = forgotten.messages.values().map(HashSet::len).sum::<usize>();
            self.messages = self.messages.saturating_sub(messages);
        }
    }

    /// What was seen under this key.
    fn enter(&mut self, key: String) -> &mut Seen {
        if !self.reviews.contains_key(&key) {
            self.order.push_back(key.clone());
        }
        self.reviews.entry(key).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Options;

    /// A file that each of so many agents wrote, handed in by each; the same lines again and again.
    fn handed_in(agents: usize) -> Vec<u8> {
        let call = |id: &str, name: &str, input: &str, agent: usize| {
            format!(
                "{{\"type\":\"assistant\",\"sessionId\":\"s\",\"isSidechain\":true,\
                 \"agentId\":\"a{agent}\",\"message\":{{\"role\":\"assistant\",\"content\":[\
                 {{\"type\":\"tool_use\",\"id\":\"{id}{agent}\",\"name\":\"{name}\",\
                 \"input\":{input}}}]}}}}"
            )
        };
        let file = |agent: usize| {
            let review = format!("verdict: pass\\nsummary: \\\"Number {agent}\\\"\\n");
            format!("{{\"file_path\":\"/srv/review.yaml\",\"content\":\"{review}\"}}")
        };
        let answer = |agent: usize| {
            format!(
                "{{\"type\":\"user\",\"sessionId\":\"s\",\"isSidechain\":true,\
                 \"agentId\":\"a{agent}\",\"message\":{{\"role\":\"user\",\"content\":[\
                 {{\"type\":\"tool_result\",\"tool_use_id\":\"s{agent}\",\
                 \"content\":\"ok\"}}]}}}}"
            )
        };
        let wrote = (0..agents).map(|agent| call("w", "Write", &file(agent), agent));
        let gave = (0..agents).map(|agent| call("s", "submit_review", "{}", agent));
        let all: Vec<_> = wrote.chain(gave).chain((0..agents).map(answer)).collect();
        format!("[{}]\n", all.join(",")).into_bytes()
    }

    #[test]
    fn each_file_is_settled_by_its_own_agent() {
        let log = handed_in(5);
        let (records, _) = crate::drive::extract("x", [&log[..]], &Options::default());
        let files: Vec<_> =
            records.iter().filter(|record| record.carrier == Carrier::File).collect();
        assert_eq!(files.len(), 5);
        assert!(files.iter().all(|record| record.source.accepted == Some(true)));
    }

    #[test]
    fn no_more_is_remembered_than_may_be() {
        let mut scope = Scope::default();
        scope.limits.remembered = 50;
        let mut known = Known::new(scope.limits.remembered);
        let log = handed_in(1);
        let (records, _) = crate::drive::extract("x", [&log[..]], &Options::default());
        let mut record = records.into_iter().next().expect("there is one");
        for number in 0..1000 {
            record.source.tool_call_id = Some(number.to_string());
            if number % 3 == 0 {
                record.content_id = number.to_string();
            }
            known.is_copy(&record, &Ties::default(), number);
            let messages = known.reviews.values().flat_map(|seen| seen.messages.values());
            assert_eq!(messages.map(HashSet::len).sum::<usize>(), known.messages);
            assert!(known.messages <= 50 && known.order.len() <= 50);
        }
    }
}
