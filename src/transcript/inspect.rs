//! Inspect AI evaluation logs: a log with its samples, or the files of an `.eval` archive.
//!
//! Only a sample holds reviews: what the assistant says in `messages` and gives to tools (what it
//! submits as its answer is a text), and what a model that grades says: the `explanation` of a
//! score, which some scorers take from the assistant, and the messages of its `grading`. Where a
//! sample has no messages its `output` is the source. `output`, `events` and `store` repeat the
//! messages, summaries and reductions repeat the scores. A text may stand among `attachments`
//! instead of in its message.

use std::borrow::Cow;
use std::collections::HashMap;

use super::chat;
use super::{Body, Item, Message, Origin, Raw, Session, Sink, Transcript, json};
use crate::record::Channel;

/// Inspect AI logs.
pub struct Inspect;

impl Transcript for Inspect {
    fn id(&self) -> &'static str {
        "inspect"
    }

    fn reads(&self) -> &'static str {
        "Inspect AI eval logs: .json, and the files within an .eval"
    }

    fn recognised_by(&self) -> &'static str {
        "`version` with an object `eval`; samples with `epoch` and `input` or `messages`; reductions with `scorer` and `samples`"
    }

    fn knows(&self, record: &Raw<'_>) -> bool {
        let [version, eval, epoch, input, messages, scorer, samples] =
            record.fields(["version", "eval", "epoch", "input", "messages", "scorer", "samples"]);
        let is_log = version.is_some() && eval.is_some_and(|eval| eval.is_object());
        let is_sample = epoch.is_some() && (input.is_some() || messages.is_some());
        let is_reduction = scorer.is_some() && samples.is_some_and(|samples| samples.is_array());
        is_log || is_sample || is_reduction
    }

    fn read<'a>(&self, record: Raw<'a>, _: &Session, sink: Sink<'_, 'a>) {
        let [eval, epoch] = record.fields(["eval", "epoch"]);
        if epoch.is_some() {
            sample(record, None, sink);
            return;
        }
        let eval = eval.and_then(|eval| {
            eval.fields(["eval_id", "run_id", "task_id"]).into_iter().flatten().next()?.owned()
        });
        for (key, value) in record.entries() {
            match (key.text().as_deref(), &eval) {
                (Some("samples"), Some(eval)) => {
                    value.items().for_each(|item| sample(item, Some(eval), sink));
                }
                (Some("plan"), _) => json::all(value, Channel::System, &Origin::default(), sink),
                (Some(key), _) if ABOUT.contains(&key) => {
                    sink(Item::Echo(value));
                }
                _ => {}
            }
        }
    }
}

/// What describes a log: how it was made, and what came of it by numbers.
const ABOUT: [&str; 9] = [
    "eval",
    "results",
    "stats",
    "error",
    "reductions",
    "location",
    "tags",
    "metadata",
    "log_updates",
];

/// What describes a sample, or is kept beside its messages by the program.
const ABOUT_SAMPLE: [&str; 11] = [
    "id",
    "metadata",
    "store",
    "setup",
    "files",
    "sandbox",
    "model_usage",
    "role_usage",
    "timelines",
    "events_data",
    "limit",
];

/// What stands in an output beside its choices, and repeats the first of them.
const ABOUT_OUTPUT: [&str; 3] = ["completion", "metadata", "model"];

/// Gives what a sample says; `eval` is the id of the log that it stands in.
fn sample<'a>(sample: Raw<'a>, eval: Option<&String>, sink: Sink<'_, 'a>) {
    let [uuid, id, epoch, messages, output, attachments] =
        sample.fields(["uuid", "id", "epoch", "messages", "output", "attachments"]);
    let is_summary = messages.is_none() && output.is_none();
    // Samples are numbered alike in all logs.
    let numbered = eval.zip(id).zip(epoch).map(|((eval, id), epoch)| {
        let id = id.text().unwrap_or_else(|| String::from_utf8_lossy(id.bytes));
        format!("{eval}/{id}_epoch_{}", String::from_utf8_lossy(epoch.bytes))
    });
    let session_id = uuid.and_then(|uuid| uuid.owned()).or(numbered);
    let origin = Origin { session_id, ..Origin::default() };
    let has_messages = messages.is_some_and(|messages| messages.items().next().is_some());
    let mut texts = Attachments::of(attachments);
    for (key, value) in sample.entries() {
        match key.text().as_deref() {
            Some("input" | "target" | "choices") => json::all(value, Channel::User, &origin, sink),
            Some("messages") => texts.within(sink, |sink| {
                chat::messages(value, None, &origin, sink);
            }),
            Some("output") if !has_messages => texts.within(sink, |sink| {
                for (key, value) in value.entries() {
                    if key.is("choices") {
                        choices(value, &origin, sink);
                    } else if ABOUT_OUTPUT.iter().any(|about| key.is(about)) {
                        sink(Item::Echo(value));
                    }
                }
            }),
            // A summary's are the sample's, which stands in a file of its own.
            Some("scores" | "score") if is_summary => {
                json::all(value, Channel::System, &origin, sink);
            }
            Some("scores") => texts.within(sink, |sink| {
                for (scorer, value) in value.entries() {
                    score(value, scorer.owned(), &origin, sink);
                }
            }),
            Some("score") => texts.within(sink, |sink| score(value, None, &origin, sink)),
            // Where there are messages they repeat them.
            Some("output" | "events" | "attachments") if has_messages => {
                sink(Item::Echo(value));
            }
            Some("events") if output.is_some() => {
                sink(Item::Echo(value));
            }
            Some("error" | "error_retries") => {
                json::all(value, Channel::ToolResult, &origin, sink);
            }
            Some(key) if ABOUT_SAMPLE.contains(&key) => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
    texts.give(sink);
}

/// Gives what a model answers, where no message does.
fn choices<'a>(choices: Raw<'a>, origin: &Origin, sink: Sink<'_, 'a>) {
    for message in choices.items().filter_map(|choice| choice.get("message")) {
        chat::message(message, Some(Channel::Assistant), origin, sink);
    }
}

/// Gives what a scorer says.
fn score<'a>(score: Raw<'a>, scorer: Option<String>, origin: &Origin, sink: Sink<'_, 'a>) {
    let origin = Origin { agent: scorer, ..origin.clone() };
    for (key, value) in score.entries() {
        match key.text().as_deref() {
            Some("explanation") => {
                let origin = origin.at("explanation");
                chat::content(value, &origin, sink);
            }
            Some("metadata") => {
                for (key, value) in value.entries() {
                    if key.is("grading") {
                        chat::messages(value, None, &origin, sink);
                    } else {
                        json::all(value, Channel::System, &origin, sink);
                    }
                }
            }
            // What was scored, and the scores that it is put together from.
            Some("answer" | "value" | "history" | "sample_id") => {
                sink(Item::Echo(value));
            }
            _ => {}
        }
    }
}

/// The texts that a sample keeps beside its messages.
struct Attachments<'a> {
    by_name: HashMap<Cow<'a, str>, Raw<'a>>,
    /// Messages whose text is one of them.
    waiting: Vec<(Raw<'a>, Channel, Origin)>,
}

impl<'a> Attachments<'a> {
    fn of(attachments: Option<Raw<'a>>) -> Self {
        let entries = attachments.into_iter().flat_map(|attachments| attachments.entries());
        let by_name = entries.filter_map(|(name, text)| Some((name.text()?, text))).collect();
        Self { by_name, waiting: Vec::new() }
    }

    /// Hands on what `read` gives, but for messages whose text is an attachment.
    fn within(&mut self, sink: Sink<'_, 'a>, read: impl FnOnce(Sink<'_, 'a>)) {
        read(&mut |item| match item {
            Item::Message(message) => {
                let message = submitted(message);
                if let Body::Text(text) = message.body
                    && let Some(text) = self.named(&text)
                {
                    self.waiting.push((text, message.channel, message.origin));
                    return false;
                }
                sink(Item::Message(message))
            }
            item => sink(item),
        });
    }

    /// The attachment that a text names.
    fn named(&self, text: &Raw<'a>) -> Option<Raw<'a>> {
        let name = text.body()?.strip_prefix(b"attachment://")?;
        self.by_name.get(std::str::from_utf8(name).ok()?).copied()
    }

    /// Gives the messages that were kept back, in the order in which their texts stand.
    fn give(mut self, sink: Sink<'_, 'a>) {
        self.waiting.sort_by_key(|(text, ..)| text.offset);
        for (text, channel, origin) in self.waiting {
            sink(Item::Message(Message { channel, body: Body::Text(text), origin }));
        }
    }
}

/// The text that an agent submits as its answer is said, not given to a tool.
fn submitted(message: Message<'_>) -> Message<'_> {
    let answer = match &message.body {
        Body::Call(name, input) if name == "submit" => input.get("answer"),
        _ => None,
    };
    match answer.filter(Raw::is_string) {
        Some(answer) => Message { body: Body::Text(answer), ..message },
        None => message,
    }
}
