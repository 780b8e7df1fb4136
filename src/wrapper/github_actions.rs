//! Logs of GitHub Actions: a time before each line, behind job and step where `gh run view --log`
//! gives them, and markers of the runner. What a secret was masked with stays.

use super::{Line, MARK, Output, Unwrap, Wrapper, time};
use crate::limits::Limits;

/// Logs of GitHub Actions.
pub struct GithubActions;

/// What the runner puts before a text; the text stays.
const MARKERS: [&[u8]; 9] = [
    b"##[group]",
    b"##[endgroup]",
    b"##[error]",
    b"##[warning]",
    b"##[notice]",
    b"##[debug]",
    b"##[section]",
    b"##[command]",
    b"[command]",
];

impl Wrapper for GithubActions {
    fn id(&self) -> &'static str {
        "github-actions"
    }

    fn takes_off(&self) -> &'static str {
        "job, step, time and the runner's markers in logs of GitHub Actions"
    }

    fn recognised_by(&self) -> &'static str {
        "a time with seven digits of a second and Z, at the start of the line or behind two columns"
    }

    fn opens(&self, start: &[u8]) -> bool {
        header(start).is_some()
    }

    fn unwrap(&self, _: &Limits) -> Box<dyn Unwrap> {
        Box::new(Lines)
    }
}

/// Where the time stands in a line.
fn header(line: &[u8]) -> Option<std::ops::Range<usize>> {
    const DIGITS: usize = 28;
    let at = |start: usize| {
        let mark = if line[start..].starts_with(MARK) { MARK.len() } else { 0 };
        let time = &line[start + mark..];
        let is_own = time::rfc3339(time) == Some(DIGITS)
            && time[DIGITS - 1] == b'Z'
            && time.get(DIGITS).is_none_or(|next| *next == b' ');
        is_own.then_some(start + mark..start + mark + DIGITS)
    };
    at(0).or_else(|| {
        let job = memchr::memchr(b'\t', line)?;
        let step = memchr::memchr(b'\t', &line[job + 1..])?;
        if job == 0 || step == 0 { None } else { at(job + step + 2) }
    })
}

struct Lines;

impl Unwrap for Lines {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text();
        let Some(time) = header(text) else { return false };
        let start = (time.end + 1).min(text.len());
        let marker = MARKERS.iter().find(|marker| text[start..].starts_with(marker));
        out.at_time(&text[time]);
        out.copy(line, start + marker.map_or(0, |marker| marker.len())..line.bytes.len());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::unwrapped;

    #[test]
    fn time_columns_and_markers_go() {
        let text = "\u{feff}2026-11-30T12:00:00.1234567Z ##[group]Run review\n\
                    2026-11-30T12:00:00.1234567Z   - list [command]\n\
                    2026-11-30T12:00:00.1234567Z ##[endgroup]\n\
                    2026-11-30T12:00:00.1234567Z\r\n\
                    several\tcolumns\tof text\n\
                    review\tRun it\t\u{feff}2026-11-30T12:00:00.1234567Z [command]git log\n\
                    review\tRun it\t2026-11-30T12:00:00.1234567Z a\tb ***";
        let wanted =
            "Run review\n  - list [command]\n\n\r\nseveral\tcolumns\tof text\ngit log\na\tb ***";
        assert_eq!(unwrapped(text).unwrap(), wanted);
        assert_eq!(unwrapped("a\tb\tc\n"), None);
    }
}
