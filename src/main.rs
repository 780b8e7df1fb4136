//! The process: arguments → run → exit code.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::{CommandFactory, Parser};
use revextract::cli::{Args, Color, Copies, FailOn};
use revextract::contract::{self, CONTRACTS};
use revextract::drive::{self, Handler};
use revextract::emit::{self, EMITTERS, Emission, EndRecord, Page};
use revextract::error::{Error, printable};
use revextract::input::{self, Input};
use revextract::locate::Choice;
use revextract::output::Output;
use revextract::pipeline::Options;
use revextract::record::{Channel, Record, Status, Verdict};
use revextract::scan::Scope;
use revextract::settle::Settle;
use revextract::transcript::frame::Damage;
use revextract::transcript::{self, TRANSCRIPTS};
use revextract::{about, limits::Limits};

fn main() -> ExitCode {
    let args = Args::parse();
    let code = match asked(&args) {
        Some(Ok(text)) => print(&text),
        Some(Err(message)) => usage(&message),
        None if args.paths.is_empty() && args.files_from.is_none() && io::stdin().is_terminal() => {
            let _ = write!(io::stderr(), "{}", Args::command().render_help());
            2
        }
        None => match options(&args) {
            Ok(options) => work(&args, &options),
            Err(message) => usage(&message),
        },
    };
    ExitCode::from(code)
}

/// What the program is asked about itself.
fn asked(args: &Args) -> Option<Result<String, String>> {
    if let Some(kind) = args.list {
        return Some(Ok(about::list(kind)));
    }
    if let Some(code) = &args.explain {
        let unknown = || {
            format!("no rule and no repair has the code `{code}`; see --list rules, --list repairs")
        };
        return Some(about::explain(code).ok_or_else(unknown));
    }
    let what = args.print_schema.as_ref()?;
    let unknown = || format!("no schema is called `{what}`; there are json and contract:NAME");
    Some(about::schema(what).ok_or_else(unknown))
}

fn print(text: &str) -> u8 {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => usage(&error.to_string()),
        _ => 0,
    }
}

/// Says something on stderr, where a name that stands in it can do nothing to a terminal.
fn say(message: &str) {
    let _ = writeln!(io::stderr(), "revextract: {}", printable(message));
}

fn usage(message: &str) -> u8 {
    say(message);
    2
}

/// Names what there is, where a name is unknown.
fn unknown<'n>(kind: &str, name: &str, names: impl Iterator<Item = &'n str>) -> String {
    format!("no {kind} is called `{name}`; there are {}", names.collect::<Vec<_>>().join(", "))
}

fn options(args: &Args) -> Result<Options, String> {
    let contracts = args.contract.iter().map(|name| {
        let names = CONTRACTS.iter().map(|contract| contract.id());
        contract::by_id(name).ok_or_else(|| unknown("contract", name, names))
    });
    let format = args.transcript.as_ref().map(|name| {
        let names = TRANSCRIPTS.iter().map(|format| format.id());
        transcript::by_id(name).ok_or_else(|| unknown("transcript", name, names))
    });
    let Some(emitter) = emit::by_id(&args.emit) else {
        return Err(unknown("emitter", &args.emit, EMITTERS.iter().map(|emitter| emitter.id())));
    };
    if args.input_name.is_some() && (args.paths.len() > 1 || args.files_from.is_some()) {
        return Err("--input-name needs exactly one input".to_owned());
    }
    if args.input_name.is_some() && args.paths.first().is_some_and(|path| path.is_dir()) {
        return Err("--input-name needs an input that is no directory".to_owned());
    }
    if args.follow {
        match &args.paths[..] {
            [path] if args.files_from.is_none() && path.is_file() => {}
            _ => return Err("--follow needs exactly one input that is a regular file".to_owned()),
        }
    }
    let choice = Choice {
        contracts: contracts.collect::<Result<_, _>>()?,
        any_key: false,
        strict: args.no_repair,
    };
    let channels =
        if args.channel.is_empty() { Channel::DEFAULT.to_vec() } else { args.channel.clone() };
    let mut limits = Limits::default();
    if let Some(bytes) = args.max_record_bytes {
        limits.record = bytes as usize;
    }
    Ok(Options {
        scope: Scope { choice, channels, transcript: format.transpose()?, limits },
        templates: args.templates || args.status.contains(&Status::Template),
        raw: args.raw,
        excerpts: emitter.shows_excerpts(),
        input_name: args.input_name.clone(),
    })
}

fn work(args: &Args, options: &Options) -> u8 {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.threads);
    if let Err(error) = threads.build_global() {
        return usage(&error.to_string());
    }
    let mut output = match Output::open(args.output.as_deref()) {
        Ok(output) => output,
        Err(error) => return usage(&error),
    };
    let mut gate = Gate::default();
    let result = run(args, options, &mut output, &mut gate);
    let result = result.and_then(|()| output.finish().map_err(Error::from));
    match result {
        Err(error) if error.is_broken_pipe() => 0,
        Err(error) => usage(&error.to_string()),
        Ok(()) if gate.problems > 0 => 2,
        Ok(()) => u8::from(gate.fails(&args.fail_on)),
    }
}

fn run(args: &Args, options: &Options, output: &mut Output, gate: &mut Gate) -> Result<(), Error> {
    let emitter = emit::by_id(&args.emit).unwrap_or(EMITTERS[0]);
    let emission = emitter.start(page(args, options));
    let mut settle = Settle::new(&options.scope);
    settle.mark_copies = args.copies == Copies::Mark;
    let mut writer = Writer { args, out: output, emission, gate };
    let paths = paths(args)?;
    let inputs = paths.into_iter().flat_map(|path| match path {
        Ok(path) if args.follow => Box::new(std::iter::once(Ok(Input::Followed(path)))),
        Ok(path) => input::expand(&path),
        Err(error) => Box::new(std::iter::once(Err(error))),
    });
    drive::run(inputs, options, &mut settle, &mut writer)?;
    let Writer { mut emission, out, .. } = writer;
    Ok(emission.end(out)?)
}

/// What the output is written on.
fn page(args: &Args, options: &Options) -> Page {
    /// Columns where nobody says how wide the page is.
    const WIDTH: usize = 100;
    let stdout = io::stdout();
    let is_file = args.output.as_deref().is_some_and(|path| path != Path::new("-"));
    let color = match args.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => !is_file && AutoStream::choice(&stdout) != ColorChoice::Never,
    };
    let screen = terminal_size::terminal_size_of(&stdout).filter(|_| !is_file);
    let width = screen.map_or(WIDTH, |(width, _)| usize::from(width.0).clamp(40, 200));
    Page { line: options.scope.limits.record, width, color }
}

/// The paths that were named, in their order.
fn paths(args: &Args) -> Result<Vec<Result<PathBuf, Error>>, Error> {
    let mut paths: Vec<Result<PathBuf, Error>> = args.paths.iter().cloned().map(Ok).collect();
    if let Some(list) = &args.files_from {
        let name = list.display().to_string();
        let fault = |error| Error::input(&name, 0, error);
        let reader: Box<dyn Read> = if list == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(list).map_err(fault)?)
        };
        for line in io::BufReader::new(reader).lines() {
            match line {
                Ok(line) if line.is_empty() => {}
                Ok(line) => paths.push(Ok(PathBuf::from(line))),
                Err(error) => paths.push(Err(fault(error))),
            }
        }
    } else if paths.is_empty() {
        paths.push(Ok(PathBuf::from("-")));
    }
    Ok(paths)
}

/// What the exit code hangs on.
#[derive(Default)]
struct Gate {
    records: u64,
    problems: u64,
    found: Vec<FailOn>,
}

impl Gate {
    fn count(&mut self, record: &Record) {
        self.records += 1;
        let verdict = record.review.verdict;
        let is = [
            (FailOn::Fail, verdict == Some(Verdict::Fail)),
            (FailOn::Critical, record.review.critical),
            (FailOn::Escalate, verdict == Some(Verdict::Escalate)),
            (
                FailOn::Invalid,
                matches!(record.status, Status::Invalid | Status::Malformed | Status::Inconsistent),
            ),
            (FailOn::Incomplete, record.status == Status::Incomplete),
            (FailOn::Missing, record.status == Status::MissingBlock),
        ];
        for (what, _) in is.into_iter().filter(|(_, holds)| *holds) {
            if !self.found.contains(&what) {
                self.found.push(what);
            }
        }
    }

    fn fails(&self, asked: &[FailOn]) -> bool {
        asked.iter().any(|what| match what {
            FailOn::None => self.records == 0,
            what => self.found.contains(what),
        })
    }
}

/// Writes what comes out of the drive.
struct Writer<'a> {
    args: &'a Args,
    out: &'a mut Output,
    emission: Box<dyn Emission>,
    gate: &'a mut Gate,
}

impl Handler for Writer<'_> {
    fn record(&mut self, record: Record) -> Result<(), Error> {
        if !self.args.status.is_empty() && !self.args.status.contains(&record.status) {
            return Ok(());
        }
        self.gate.count(&record);
        Ok(self.emission.record(record, self.out)?)
    }

    fn end_of_input(&mut self, end: EndRecord, faults: &[(Damage, u64, u64)]) -> Result<(), Error> {
        let input = &end.input;
        let mut lines = Vec::new();
        if self.args.verbose {
            let records: u64 = end.records.values().sum();
            lines.push(format!(
                "{input}: {} bytes, {} frames, {} looked into; {records} records, {} templates, {} \
                 copies, {} stray delimiters left out",
                end.bytes, end.frames, end.frames_parsed, end.templates, end.copies, end.strays,
            ));
            lines.extend(
                end.left_out.iter().map(|(what, count)| format!("{input}: {count} × {what}")),
            );
        }
        for (damage, count, first) in faults {
            // What is passed over unread is said without being asked.
            if self.args.verbose || (*damage == Damage::TooLarge && !self.args.quiet) {
                let damage = damage.word();
                lines.push(format!("{input}: {count} × {damage}, first at byte {first}"));
            }
        }
        for line in lines {
            say(&line);
        }
        if self.args.end_record {
            self.emission.end_of_input(&end, self.out)?;
        }
        Ok(())
    }

    fn problem(&mut self, error: Error) {
        self.gate.problems += 1;
        say(&error.to_string());
    }

    fn pause(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}
