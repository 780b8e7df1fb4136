//! Locations: the file and the lines that a reviewer's own words name.
//!
//! Takes a text as written, gives what it names for certain. A component's name, an address or a
//! route is no path; where it is not clear what is meant, there is none. One pass over the text.

/// A place in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, with `/` between its parts and no leading `./`.
    pub path: Option<String>,
    /// First line, from 1.
    pub line: Option<u64>,
    /// Last line, from 1.
    pub end_line: Option<u64>,
    /// Column, from 1.
    pub column: Option<u64>,
}

/// The ends of names that are files without a folder in front. Elsewhere a point may as well stand
/// between a class and its method.
const EXTENSIONS: &str = "astro bash bat bicep bicepparam bzl c cc cfg clj cmake conf cpp cs cshtml csproj css csv cxx \
     dart diff ejs env erl ex exs fs go gradle graphql groovy h hbs hcl hpp hrl hs htm html hxx ini \
     ipynb java jl js json json5 jsonc jsonl jsx kt kts less lock lua m md mdc mdx mjs cjs ml mm mod \
     mts cts nix patch php pl plist prisma properties proto ps1 psm1 py pyi r razor rb rs rst sass \
     sbt scala scss sh sln snap sol sql sum svelte svg swift tf tfvars toml ts tsx txt vb vue xaml \
     xhtml xml yaml yml zig zsh";

/// Files without an extension that everyone knows.
const FILES: &str = "BUILD Brewfile CHANGELOG CODEOWNERS Containerfile Dockerfile Fastfile Gemfile \
                     Jenkinsfile Justfile LICENSE Makefile NOTICE Pipfile Podfile Procfile README \
                     Rakefile Tiltfile Vagrantfile WORKSPACE justfile makefile";

/// Products that are named like files.
const PRODUCTS: &str = "D3.js Express.js Next.js Node.js Nuxt.js React.js Three.js Vue.js";

/// Words before a path that say no more than that one follows.
const LEADS: &[&str] = &["File: ", "file: ", "File ", "file ", "In ", "in ", "At ", "at "];

/// Reads what `raw` names.
pub fn parse(raw: &str) -> Location {
    let text = unix(raw);
    let text = LEADS.iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(&text).trim_start();
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    if word.contains("://") || word.starts_with("www.") || word.starts_with('@') {
        return Location::default();
    }
    let end = path_end(word);
    let (path, tail) = (&word[..end], &text[end..]);
    let path = path.trim_end_matches(['*', '"', '\'', '.', ')', '?', '!']);
    let attached = attached(tail);
    // `Dockerfile:3` names a file by its line number alone, `Total: 42` does not.
    let numbered = attached.is_some() && !tail[1..].starts_with(char::is_whitespace);
    if !(is_file(path, numbered) || is_folder(path, tail)) {
        return Location::default();
    }
    let lines = attached.or_else(|| in_words(tail)).unwrap_or_default();
    Location { path: Some(written(raw, relative(path))), ..lines }
}

/// Reads a text of which the contract says that it is a path: one with blanks or without an
/// extension is one as well.
pub fn parse_path(raw: &str) -> Location {
    let location = parse(raw);
    let text = unix(raw);
    let is_path = !text.is_empty()
        && !text.contains("://")
        && (text.contains(['/', '.']) || !text.contains(char::is_whitespace));
    if location.path.is_some() || !is_path {
        return location;
    }
    Location { path: Some(written(raw, relative(&text))), ..location }
}

/// A path as it was written, where it names a drive: it is one of another machine then, and no path
/// of the repository.
fn written(raw: &str, path: String) -> String {
    let is_windows = has_drive(&path) && !raw.contains('/');
    if is_windows { path.replace('/', "\\") } else { path }
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

/// Without code marks, emphasis and quotes around it, and with `/` between the parts.
fn unix(raw: &str) -> String {
    let text: String =
        raw.chars().filter(|&char| char != '`').map(|c| if c == '\\' { '/' } else { c }).collect();
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '"' | '\'')).to_owned()
}

/// Without leading `./`.
fn relative(mut path: &str) -> String {
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path.to_owned()
}

/// Where the path ends in a word that starts with one. The colon of a drive is part of the path.
fn path_end(word: &str) -> usize {
    let bytes = word.as_bytes();
    let start = if has_drive(word) { 2 } else { 0 };
    let is_end = |at: usize| match bytes[at] {
        b':' | b'#' | b',' | b';' => true,
        // `a.cs(42)`; other parentheses are parts of folder names.
        b'(' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
        _ => false,
    };
    (start..bytes.len()).find(|&at| is_end(at)).unwrap_or(bytes.len())
}

/// Whether `path` is a file's name. `numbered`: a line number stands right behind it.
fn is_file(path: &str, numbered: bool) -> bool {
    let listed = |list: &str, name: &str| list.split_ascii_whitespace().any(|each| each == name);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let has_letter = name.contains(|char: char| char.is_alphabetic());
    if !has_letter || path.contains(['*', '?', '<', '>', '|', '{', '}', '"']) || path == "localhost"
    {
        return false;
    }
    if numbered || listed(FILES, name) {
        return true;
    }
    match name.rsplit_once('.') {
        Some(("", name)) => !name.contains(|char: char| char.is_ascii_uppercase()),
        Some((_, extension)) if folder.is_empty() && !path.starts_with('/') => {
            listed(EXTENSIONS, &extension.to_ascii_lowercase()) && !listed(PRODUCTS, name)
        }
        Some((_, extension)) => {
            extension.len() <= 12
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
        }
        None => false,
    }
}

/// Whether `path` is a folder: several parts in lower case with no prose behind them. `N/A`,
/// `CI/CD` and `/api/users` are none, `read/write path` neither.
fn is_folder(path: &str, tail: &str) -> bool {
    path.contains('/')
        && path.starts_with(|first: char| first.is_ascii_lowercase() || first == '.')
        && path.contains(|char: char| char.is_alphabetic())
        && !path.contains(['*', '?', '<', '>', '|', '{', '}', '"', '(', '='])
        && !path.eq_ignore_ascii_case("n/a")
        && !tail.trim_start().starts_with(|first: char| first.is_alphanumeric())
}

/// The numbers behind a path with nothing but a mark between: `:42`, `#L42`, `(42`, `: 42`.
fn attached(tail: &str) -> Option<Location> {
    let rest = tail.strip_prefix([':', '#', '('])?;
    let lower = rest.get(..rest.len().min(64)).unwrap_or(rest).to_ascii_lowercase();
    let digits = lower.trim_start();
    let is_spaced = digits.len() < lower.len();
    let marked = ["lines ", "line ", "l"].iter().find_map(|mark| digits.strip_prefix(mark));
    let (lines, rest) = numbers(marked.unwrap_or(digits))?;
    // `a.rs: 3 problems` counts problems.
    let counts = is_spaced
        && marked.is_none()
        && rest.trim_start().starts_with(|next: char| next.is_alphabetic());
    (!counts).then_some(lines)
}

/// The first numbers that prose calls lines: `line 42`, `lines 10-20`, `L42`.
fn in_words(tail: &str) -> Option<Location> {
    let lower = tail.to_ascii_lowercase();
    lower.match_indices('l').find_map(|(at, _)| {
        if lower[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            return None;
        }
        let rest = &lower[at..];
        let digits = ["lines ", "lines: ", "line ", "line: ", "line #", "l"]
            .iter()
            .filter_map(|mark| rest.strip_prefix(mark))
            .find(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))?;
        numbers(digits).map(|(lines, _)| lines)
    })
}

/// `LINE`, `LINE:COLUMN`, `LINE-LAST` or `LINE:COLUMN-LAST:COLUMN` in lower case, and what stands
/// behind.
fn numbers(text: &str) -> Option<(Location, &str)> {
    let (line, mut rest) = number(text)?;
    let mut lines = Location { line: Some(line), ..Location::default() };
    if let Some((column, after)) = rest.strip_prefix(':').and_then(number) {
        (lines.column, rest) = (Some(column), after);
    }
    let last = ["-", "–", "—", "..", " to "]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))
        .and_then(|rest| number(rest.strip_prefix('l').unwrap_or(rest)));
    if let Some((last, after)) = last
        && last >= line
        // `5:10-20` is a range of columns.
        && (lines.column.is_none() || after.starts_with(':'))
    {
        (lines.end_line, rest) = (Some(last), after);
    }
    let is_whole = !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    is_whole.then_some((lines, rest))
}

/// A number from 1 at the start of `text`, and what stands behind. No file has more lines than 32
/// bits count.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let number: u32 = text[..end].parse().ok()?;
    (number > 0).then_some((number.into(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::super::fields::testing::quickly;
    use super::*;

    #[test]
    fn time_is_linear() {
        for part in [
            "l", "l1", "l1-", "1", "1-", "line ", "./", "/", ".", "`", "*", "\\", " ", "(", ":",
            "é", "a/",
        ] {
            for start in ["", "a.rs ", "a.rs:", "a.rs:1", "a.rs l1", "a/"] {
                let text = format!("{start}{}", part.repeat((1 << 20) / part.len()));
                quickly(part, || (parse(&text), parse_path(&text)));
            }
        }
    }

    /// `path|line|end_line|column`, with nothing for what is not known.
    fn shown(location: Location) -> String {
        let number = |number: Option<u64>| number.map_or(String::new(), |n| n.to_string());
        format!(
            "{}|{}|{}|{}",
            location.path.unwrap_or_default(),
            number(location.line),
            number(location.end_line),
            number(location.column)
        )
    }

    #[test]
    fn paths_and_lines() {
        for (raw, wanted) in [
            ("src/a.rs:42", "src/a.rs|42||"),
            ("src/a.rs:42:7", "src/a.rs|42||7"),
            ("src/a.rs:10-20", "src/a.rs|10|20|"),
            ("src/a.rs:10–20", "src/a.rs|10|20|"),
            ("src/a.rs:10:5-20:7", "src/a.rs|10|20|5"),
            ("src/a.rs:10:5-20", "src/a.rs|10||5"),
            ("src/a.rs:20-10", "src/a.rs|20||"),
            ("src/a.rs:42,57", "src/a.rs|42||"),
            ("src/a.rs#L42", "src/a.rs|42||"),
            ("src/a.rs#L10-L20", "src/a.rs|10|20|"),
            ("src/a.rs:L42", "src/a.rs|42||"),
            ("src/A.cs(42)", "src/A.cs|42||"),
            ("docs/a.md#naming", "docs/a.md|||"),
            (r"src\win\a.rs:3", "src/win/a.rs|3||"),
            ("./a.rs", "a.rs|||"),
            (".//a.rs", "a.rs|||"),
            ("../a.rs:1", "../a.rs|1||"),
            (r"C:\x\y.rs:3", r"C:\x\y.rs|3||"),
            (r"C:\x\y.rs", r"C:\x\y.rs|||"),
            ("/home/me/a.rs:3", "/home/me/a.rs|3||"),
            ("src/a.rs (line 42)", "src/a.rs|42||"),
            ("src/a.rs, line 42", "src/a.rs|42||"),
            ("src/a.rs lines 10-20", "src/a.rs|10|20|"),
            ("src/a.rs, lines 10 to 20", "src/a.rs|10|20|"),
            ("src/a.rs in `retry()`, near line 42", "src/a.rs|42||"),
            ("src/a.rs:retry (L42)", "src/a.rs|42||"),
            ("src/a.rs:42 (retry loop)", "src/a.rs|42||"),
            ("src/a.rs — outline 42", "src/a.rs|||"),
            ("src/a.rs::retry", "src/a.rs|||"),
            ("`src/a.rs:42`", "src/a.rs|42||"),
            ("`src/a.rs`:42", "src/a.rs|42||"),
            ("**src/a.rs**:42", "src/a.rs|42||"),
            ("\"src/a.rs:42\"", "src/a.rs|42||"),
            ("File: src/a.rs:42", "src/a.rs|42||"),
            ("Makefile", "Makefile|||"),
            ("docker/Dockerfile", "docker/Dockerfile|||"),
            ("Dockerfile:3", "Dockerfile|3||"),
            ("bin/start:3", "bin/start|3||"),
            (".gitignore", ".gitignore|||"),
            (".github/workflows", ".github/workflows|||"),
            ("tests/test_x.py", "tests/test_x.py|||"),
            ("tests/__init__.py", "tests/__init__.py|||"),
            ("src/app.py: 42", "src/app.py|42||"),
            ("src/app.py: 3 problems", "src/app.py|||"),
            ("src/app.py: no check", "src/app.py|||"),
            ("app/[id]/(auth)/page.tsx:7", "app/[id]/(auth)/page.tsx|7||"),
            ("src/services", "src/services|||"),
            ("src/services/ (all)", "src/services/|||"),
            ("a.rs.", "a.rs|||"),
            ("src/ä.rs:3", "src/ä.rs|3||"),
            ("src/a.rs:0", "src/a.rs|||"),
            ("src/a.rs:42nd", "src/a.rs|||"),
            ("src/a.rs:99999999999999999999999999", "src/a.rs|||"),
        ] {
            assert_eq!(shown(parse(raw)), wanted, "{raw}");
        }
    }

    #[test]
    fn what_is_no_path() {
        for raw in [
            "",
            " ",
            "off",
            ":1:",
            ":",
            "#L3",
            "`",
            "..",
            "Order service",
            "AuthModule",
            "AuthModule.login",
            "auth.login()",
            "crate::order::Order",
            "the login page",
            "Total: 42",
            "N/A",
            "n/a",
            "CI/CD pipeline",
            "read/write path",
            "/api/users",
            "POST /api/users",
            "Node.js runtime",
            ".NET host",
            "https://example.com/a.rs:3",
            "www.example.com/a.rs",
            "@scope/package",
            "localhost:8080",
            "10:30",
            "127.0.0.1:80",
            "v1.2",
            "FR-3",
            "src/**/*.rs",
            "src/{a,b}.rs",
            "src/My File.rs:3",
        ] {
            assert_eq!(parse(raw), Location::default(), "{raw}");
        }
    }

    #[test]
    fn a_field_for_paths() {
        for (raw, wanted) in [
            ("src/a.rs", "src/a.rs|||"),
            ("./a.rs:3", "a.rs|3||"),
            ("Sources/My App/Foo.swift", "Sources/My App/Foo.swift|||"),
            (r".\bin", "bin|||"),
            ("main", "main|||"),
            ("Order service", "|||"),
            ("https://example.com", "|||"),
            ("", "|||"),
        ] {
            assert_eq!(shown(parse_path(raw)), wanted, "{raw}");
        }
    }
}
