//! Logs of containers as the container runtime interface of Kubernetes writes them: time, stream
//! and a tag before each line. A line that was split has the tag `P` on all pieces but the last.

use super::{Line, Output, Unwrap, Wrapper, time};
use crate::limits::Limits;

/// Container logs of Kubernetes.
pub struct Cri;

impl Wrapper for Cri {
    fn id(&self) -> &'static str {
        "cri"
    }

    fn takes_off(&self) -> &'static str {
        "time, stream and tag in container logs of Kubernetes; lines that were split are joined"
    }

    fn recognised_by(&self) -> &'static str {
        "lines TIME stdout F …, with stderr or P as well"
    }

    fn opens(&self, start: &[u8]) -> bool {
        header(start).is_some()
    }

    fn unwrap(&self, limits: &Limits) -> Box<dyn Unwrap> {
        Box::new(Lines { open: Vec::new(), cap: limits.frame })
    }
}

/// What stands before a line.
struct Header {
    /// Its bytes, and those of the time.
    length: usize,
    time: usize,
    stdout: bool,
    /// The line goes on in a further one.
    partial: bool,
}

fn header(line: &[u8]) -> Option<Header> {
    let time = time::rfc3339(line)?;
    let rest = line[time..].strip_prefix(b" std")?;
    let stdout = rest.starts_with(b"out ");
    let tags = rest.strip_prefix(b"out ").or_else(|| rest.strip_prefix(b"err "))?;
    let partial = tags.first() == Some(&b'P');
    // Further tags stand behind a colon.
    let end = memchr::memchr(b' ', tags).unwrap_or(tags.len());
    let is_tag = matches!(tags[..end], [b'P' | b'F'] | [b'P' | b'F', b':', ..]);
    let length = line.len() - tags.len() + (end + 1).min(tags.len());
    is_tag.then_some(Header { length, time, stdout, partial })
}

struct Lines {
    /// The streams whose last line goes on, in the order in which these lines started.
    open: Vec<(bool, Output)>,
    cap: usize,
}

impl Unwrap for Lines {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> bool {
        let text = line.text();
        let Some(header) = header(text) else { return false };
        let time = &line.bytes[..header.time];
        let index = self.open.iter().position(|(stdout, _)| *stdout == header.stdout);
        if !header.partial && index.is_none() {
            out.at_time(time);
            out.copy(line, header.length..line.bytes.len());
            return true;
        }
        let index = index.unwrap_or_else(|| {
            let mut held = Output::default();
            held.at_time(time);
            self.open.push((header.stdout, held));
            self.open.len() - 1
        });
        let Some((_, held)) = self.open.get_mut(index) else { return true };
        let end = if header.partial { text.len() } else { line.bytes.len() };
        held.copy(line, header.length..end);
        if !header.partial {
            out.append(self.open.remove(index).1);
        } else if held.len() > self.cap {
            out.append(std::mem::take(held));
        }
        true
    }

    fn held(&self) -> Option<u64> {
        self.open.iter().filter_map(|(_, held)| held.origin()).min()
    }

    fn end(&mut self, out: &mut Output) {
        for (_, held) in self.open.drain(..) {
            out.append(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::unwrapped;

    #[test]
    fn lines_are_joined_by_their_tags() {
        let text = "2026-11-30T12:00:00.123456789Z stdout P {\"a\":\n\
                    2026-11-30T12:00:00.2+01:00 stderr F oops\n\
                    not one\n\
                    2026-11-30T12:00:00.3Z stdout P:x  1\n\
                    2026-11-30T12:00:00.4Z stdout F }\r\n\
                    2026-11-30T12:00:00.4Z stdout F \n\
                    2026-11-30T12:00:00.5Z stdout P cut";
        assert_eq!(unwrapped(text).unwrap(), "oops\nnot one\n{\"a\": 1}\r\n\ncut");
        assert_eq!(unwrapped("2026-11-30T12:00:00Z stdout Fine\n"), None);
    }
}
