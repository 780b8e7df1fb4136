//! What a logger puts before its lines: time, level, names in brackets.
//!
//! The fields are learned from the lines themselves. What is a time, a level or in brackets in each
//! of them belongs to the prefix; a name, a dash or a bar only as long as it is the same in all, so
//! that nothing of a text is taken for a part of the prefix. One blank behind the prefix goes, what
//! is further indented stays. A line without the prefix goes on a message, and stays as it is. One
//! line may be held until the next one tells.

use super::field::{Field, Kind, fields};
use super::{Kept, Line, Output, Unwrap, Wrapper, time};
use crate::limits::Limits;

/// The prefixes of loggers.
pub struct Prefix;

impl Wrapper for Prefix {
    fn id(&self) -> &'static str {
        "prefix"
    }

    fn takes_off(&self) -> &'static str {
        "what loggers put before each line: time, level, names; also docker compose, kubectl, syslog"
    }

    fn recognised_by(&self) -> &'static str {
        "lines that start with a time of day, a level or a pod in brackets, or a service and a bar"
    }

    fn opens(&self, start: &[u8]) -> bool {
        is_anchored(&fields(start))
    }

    fn unwrap(&self, _: &Limits) -> Box<dyn Unwrap> {
        Box::new(Lines { held: None, shape: None, first: None })
    }
}

/// A field of the prefix, as all lines have it.
struct Expected {
    kind: Kind,
    /// Its text, where that is the same in all lines.
    text: Vec<u8>,
}

impl Expected {
    fn of(field: &Field, line: &[u8]) -> Self {
        Self { kind: field.kind, text: line[field.text.clone()].to_vec() }
    }

    fn fits(&self, field: &Field, line: &[u8]) -> bool {
        self.kind == field.kind
            && match field.kind {
                Kind::Name => self.text == line[field.text.clone()],
                // The bars of services stand in one column.
                Kind::Service => self.text.len() == field.text.len(),
                _ => true,
            }
    }
}

struct Lines {
    /// A line that may have a prefix; the next one tells.
    held: Option<Kept>,
    /// The prefix, once there is one.
    shape: Option<Vec<Expected>>,
    /// The fields of the only line with a prefix so far.
    first: Option<Vec<Expected>>,
}

impl Unwrap for Lines {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text();
        let found = fields(text);
        if self.shape.is_none()
            && let Some(held) = self.held.take()
        {
            self.learn(&held.line(), Some((&found, text)), out);
        }
        if let Some(first) = self.first.take_if(|_| is_anchored(&found)) {
            self.shape = Some(common(first, &found, text));
        }
        if self.shape.is_some() {
            return self.strip(line, &found, out);
        }
        if !is_anchored(&found) {
            return false;
        }
        if is_sure(&found) && found.iter().all(|field| field.kind.is_sure() && field.sure) {
            self.shape = Some(found.iter().map(|field| Expected::of(field, text)).collect());
            return self.strip(line, &found, out);
        }
        self.held = Some(line.keep());
        true
    }

    fn held(&self) -> Option<u64> {
        self.held.as_ref().map(Kept::offset)
    }

    fn end(&mut self, out: &mut Output) {
        if let Some(held) = self.held.take() {
            self.learn(&held.line(), None, out);
        }
    }
}

impl Lines {
    /// Learns the prefix from a line that was held and the one behind it, and gives the first.
    fn learn(&mut self, line: &Line<'_>, next: Option<(&[Field], &[u8])>, out: &mut Output) {
        let text = line.text();
        let found = fields(text);
        let all = || found.iter().map(|field| Expected::of(field, text)).collect::<Vec<_>>();
        let both = next.map_or_else(Vec::new, |(next, text)| common(all(), next, text));
        if !both.is_empty() && next.is_some_and(|(next, _)| is_anchored(&next[..both.len()])) {
            self.shape = Some(both);
        } else if is_sure(&found) {
            let sure = found.iter().take_while(|field| field.kind.is_sure());
            self.shape = Some(sure.map(|field| Expected::of(field, text)).collect());
            self.first = Some(all());
        }
        if !(self.shape.is_some() && self.strip(line, &found, out)) {
            out.at_no_time();
            out.copy(line, 0..line.bytes.len());
        }
    }

    /// Gives a line without its prefix. False where it has none.
    fn strip(&mut self, line: &Line<'_>, found: &[Field], out: &mut Output) -> bool {
        let Some(shape) = &mut self.shape else { return false };
        let text = line.text();
        let pairs = shape.iter().zip(found);
        let count = pairs.take_while(|(expected, field)| expected.fits(field, text)).count();
        let Some(last) = count.checked_sub(1).and_then(|last| found.get(last)) else {
            return false;
        };
        // A name that is not there in this line is a text's, and never the prefix's.
        if shape.get(count).is_some_and(|expected| !expected.kind.is_sure()) {
            shape.truncate(count);
        }
        // A time of day alone says little of when that was.
        let time = found[..count].iter().find_map(|field| field.time.clone());
        match time.map(|time| &text[time]).filter(|time| time::has_year(time)) {
            Some(time) => out.at_time(time),
            None => out.at_no_time(),
        }
        out.copy(line, last.end..line.bytes.len());
        true
    }
}

/// The fields that both lines have.
fn common(first: Vec<Expected>, found: &[Field], line: &[u8]) -> Vec<Expected> {
    let pairs = first.into_iter().zip(found);
    let both = pairs.take_while(|(expected, field)| expected.fits(field, line));
    both.map(|(expected, _)| expected).collect()
}

/// Whether these fields may be a prefix.
fn is_anchored(fields: &[Field]) -> bool {
    fields.first().is_some_and(|first| match first.kind {
        Kind::Time | Kind::Service => true,
        Kind::Level | Kind::Bracket => first.sure,
        Kind::Name | Kind::Dash | Kind::Bar => false,
    })
}

/// Whether one line with these fields is enough to tell that they are a prefix.
fn is_sure(fields: &[Field]) -> bool {
    let [first, rest @ ..] = fields else { return false };
    match first.kind {
        Kind::Service => first.sure,
        Kind::Bracket => first.time.is_some() || first.is_pod || rest.iter().any(is_certain),
        Kind::Time => rest.iter().any(is_certain),
        _ => false,
    }
}

/// Whether a field behind the first one can be nothing of a text.
fn is_certain(field: &Field) -> bool {
    field.sure && matches!(field.kind, Kind::Level | Kind::Bracket | Kind::Time)
}

#[cfg(test)]
mod tests {
    use super::super::tests::unwrapped;

    /// Texts behind a prefix each.
    fn behind(prefixes: &[&str], texts: &[&str]) -> String {
        let line = |(prefix, text): (&&str, &&str)| format!("{prefix}{text}\n");
        prefixes.iter().cycle().zip(texts).map(line).collect()
    }

    const BLOCK: [&str; 5] =
        ["---sdlc-review-output---", "score: 8", "findings:", "  - severity: high", "- x: [y] z"];

    #[test]
    fn the_usual_prefixes_go_and_the_text_stays() {
        let wanted = behind(&[""], &BLOCK);
        for prefixes in [
            &["[RUNNER 2026-02-03 09:14:11Z INFO Review] "][..],
            &["2026-02-03T09:14:11.123Z "],
            &["2026-02-03 09:14:11,123 - reviewer - INFO - "],
            &["2026-02-03 09:14:11,123 INFO ", "2026-02-03 09:14:12,004 WARN "],
            &["2026-02-03T09:14:11Z INFO reviewer::run: "],
            &[
                "[2026-02-03 09:14:11] [INFO] [worker-1] ",
                "[2026-02-03 09:14:11] [INFO] [worker-2] ",
            ],
            &["Nov 30 12:00:00 host reviewer[812]: ", "Nov  3 12:00:01 host reviewer[9]: "],
            &["09:14:11.123 | reviewer | "],
            &["[INFO] "],
            &["[pod/reviewer-abc/main] "],
            &["reviewer-1  | "],
            &["reviewer-1  | 2026-02-03 09:14:11 INFO "],
        ] {
            assert_eq!(
                unwrapped(&behind(prefixes, &BLOCK)).as_ref(),
                Some(&wanted),
                "{prefixes:?}"
            );
        }
    }

    #[test]
    fn a_text_is_no_prefix() {
        for text in [
            "2026-02-03 score: 8\n2026-02-03 verdict: PASS\n",
            "2026-02-03 09:14:11 the review was started\n\n# Review\n",
            "[x] done\n[x] done as well\n",
            "[warn] once\nscore: 8\n",
            "name  | value\n----- | -----\n",
            "score: 8\nscore: 8\n",
            "[1, 2]\n[3, 4]\n",
        ] {
            assert_eq!(unwrapped(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_the_same_by_chance_is_given_up() {
        let texts = ["status: up", "status: up", "---x---", "status: rejected", "- a", "- b"];
        let prefix = "2026-02-03T09:14:11Z ";
        let came = unwrapped(&behind(&[prefix], &texts)).unwrap();
        assert_eq!(came, "up\nup\n---x---\nstatus: rejected\n- a\n- b\n");
    }

    #[test]
    fn a_message_goes_on_without_the_prefix() {
        let text = "2026-02-03 09:14:11 INFO Review:\n---x---\nscore: 8\n\
                    2026-02-03 09:14:12 INFO - done\n2026-02-03 09:14:12 INFO\n";
        assert_eq!(unwrapped(text).unwrap(), "Review:\n---x---\nscore: 8\n- done\n\n");
    }
}
