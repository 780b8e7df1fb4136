//! As much of the shell's language as tells which files the here-documents of a line go to.
//!
//! Takes one line, gives its here-documents. Expands nothing: what a variable holds is not known.

/// A here-document.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HereDocument {
    /// The word on the line that ends it.
    end: String,
    /// Tabs before its lines and its end are none of it.
    pub is_indented: bool,
    /// The files that it may go to.
    pub files: Vec<String>,
    /// It is put behind what stands in the file.
    pub appends: bool,
}

impl HereDocument {
    pub fn is_ended_by(&self, line: &str) -> bool {
        let line = if self.is_indented { line.trim_start() } else { line };
        // The script may be a quoted word itself that ends here.
        line.strip_prefix(&self.end)
            .is_some_and(|rest| rest.chars().all(|char| matches!(char, '\'' | '"' | ')')))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// What ends a command, a pipe or a list.
    Ends(char),
    /// `>`, and whether it appends.
    Output(bool),
    /// `<`, `2>`, `>&`: what follows is no file that is written.
    Other,
    /// `<<`, and whether tabs are stripped.
    Here(bool),
}

/// The here-documents that start on a line, in order.
pub fn here_documents(line: &str) -> Vec<HereDocument> {
    if !line.contains("<<") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for list in tokens(line).split(|token| matches!(token, Token::Ends(';' | '&'))) {
        let first = found.len();
        let (mut files, mut appends) = (Vec::new(), false);
        let mut is_tee = false;
        let mut tokens = list.iter();
        while let Some(token) = tokens.next() {
            match token {
                Token::Ends(_) => is_tee = false,
                Token::Word(word) if is_tee && word == "-a" => appends = true,
                Token::Word(word) if is_tee && !word.starts_with('-') => {
                    files.push(word.clone());
                }
                Token::Word(word) => is_tee |= word == "tee" || word.ends_with("/tee"),
                Token::Output(adds) => {
                    if let Some(Token::Word(word)) = tokens.next() {
                        appends |= adds;
                        files.push(word.clone());
                    }
                }
                Token::Other => {
                    tokens.next();
                }
                Token::Here(is_indented) => {
                    if let Some(Token::Word(end)) = tokens.next() {
                        let (end, is_indented) = (end.clone(), *is_indented);
                        found.push(HereDocument { end, is_indented, ..Default::default() });
                    }
                }
            }
        }
        files.retain(|file| !file.starts_with("/dev/"));
        // Of several, the last is what the command reads.
        if let Some(last) = found[first..].last_mut() {
            last.files = files.iter().map(|file| named(file)).collect();
            last.appends = appends;
        }
    }
    found
}

/// A path in which what only the shell knows is some word.
fn named(path: &str) -> String {
    let mut name = String::new();
    let mut rest = path.trim_matches(['\'', '"']);
    while let Some((before, variable)) = rest.split_once('$') {
        name.push_str(before);
        name.push('x');
        let length = match variable.chars().next() {
            Some('{') => variable.find('}').map_or(variable.len(), |end| end + 1),
            Some('(') => closing(variable),
            _ => variable
                .find(|char: char| !char.is_ascii_alphanumeric() && char != '_')
                .unwrap_or(variable.len()),
        };
        rest = &variable[length..];
    }
    name + rest
}

/// The length of what stands in the parentheses at the start of `text`, with them.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' if depth == 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        let after = &rest[char.len_utf8()..];
        let quoted = matches!(char, '\'' | '"').then(|| quoted(rest)).flatten();
        if let Some((text, length)) = quoted {
            word.get_or_insert_default().push_str(&text);
            rest = &rest[length..];
            continue;
        }
        match char {
            // A quote that another line closes.
            '\'' | '"' => rest = after,
            '\\' => {
                word.get_or_insert_default().extend(after.chars().next());
                rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
            }
            '$' if after.starts_with('(') => {
                let length = 1 + closing(after);
                word.get_or_insert_default().push_str(&rest[..length]);
                rest = &rest[length..];
            }
            '#' if word.is_none() => break,
            '>' | '<' | '|' | ';' | '&' | '(' | ')' | ' ' | '\t' => {
                let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
                let number = word.take_if(|word| matches!(char, '<' | '>') && is_number(word));
                tokens.extend(word.take().map(Token::Word));
                let is_stdout = number.is_none_or(|number| number == "1");
                let (token, length) = operator(rest, is_stdout);
                tokens.extend(token);
                rest = &rest[length..];
            }
            _ => {
                word.get_or_insert_default().push(char);
                rest = after;
            }
        }
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

/// The operator at the start of `text`, if it is one, and its length.
fn operator(text: &str, is_stdout: bool) -> (Option<Token>, usize) {
    const OPERATORS: [(&str, Option<Token>); 16] = [
        ("<<<", Some(Token::Other)),
        ("<<-", Some(Token::Here(true))),
        ("<<", Some(Token::Here(false))),
        ("<", Some(Token::Other)),
        ("&>>", Some(Token::Output(true))),
        ("&>", Some(Token::Output(false))),
        (">>", Some(Token::Output(true))),
        (">&", Some(Token::Other)),
        (">|", Some(Token::Output(false))),
        (">", Some(Token::Output(false))),
        ("&&", Some(Token::Ends('&'))),
        ("||", Some(Token::Ends(';'))),
        ("|&", Some(Token::Ends('|'))),
        ("|", Some(Token::Ends('|'))),
        (";", Some(Token::Ends(';'))),
        ("&", Some(Token::Ends('&'))),
    ];
    let found = OPERATORS.into_iter().find(|(operator, _)| text.starts_with(operator));
    match found {
        Some((operator, Some(Token::Output(_)))) if !is_stdout => {
            (Some(Token::Other), operator.len())
        }
        Some((operator, token)) => (token, operator.len()),
        None if text.starts_with(['(', ')']) => (Some(Token::Ends('|')), 1),
        None => (None, 1),
    }
}

/// What the quotes at the start of `text` hold, and how long it is with them; `None` where they
/// are not closed.
fn quoted(text: &str) -> Option<(String, usize)> {
    let quote = text.chars().next()?;
    if quote == '\'' {
        let end = text[1..].find('\'')?;
        return Some((text[1..=end].to_owned(), end + 2));
    }
    let mut held = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((held, at + 1)),
            '\\' => match chars.next_if(|(_, next)| matches!(next, '"' | '\\' | '$' | '`')) {
                Some((_, next)) => held.push(next),
                None => held.push(char),
            },
            _ => held.push(char),
        }
    }
    None
}

/// The script in `bash -lc 'SCRIPT'`, line by line as it stands there.
pub fn unwrapped(command: &str) -> Option<String> {
    let (shell, rest) = command.split_once(' ')?;
    let is_shell = matches!(shell.rsplit('/').next()?, "bash" | "sh" | "zsh");
    let (flag, rest) = rest.split_once(' ').filter(|_| is_shell)?;
    if !flag.starts_with('-') || !flag.ends_with('c') {
        return None;
    }
    let (mut script, mut rest) = (String::new(), rest.trim_start());
    while let Some(char) = rest.chars().next().filter(|char| !char.is_whitespace()) {
        let length = match char {
            '\'' | '"' => {
                let (text, length) = quoted(rest)?;
                script.push_str(&text);
                length
            }
            '\\' => {
                script.extend(rest.chars().nth(1));
                1 + rest.chars().nth(1).map_or(0, char::len_utf8)
            }
            _ => {
                script.push(char);
                char.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Some(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_here_documents() {
        for (line, files) in [
            ("tee review.yaml > /dev/null <<EOF", &["review.yaml"] as &[_]),
            ("cat > review.yaml 2>/dev/null <<EOF", &["review.yaml"]),
            ("cat <<EOF | tee review.yaml > /dev/null", &["review.yaml"]),
            ("cat <<EOF > review.yaml; echo > other", &["review.yaml"]),
            ("mkdir -p a && cat <<'EOF' >review.yaml 2>&1", &["review.yaml"]),
            ("cat > \"$DIR/review_${ROLE}.yaml\" <<\"EOF\"", &["x/review_x.yaml"]),
            ("cat > $(git root)/review.yaml <<\\EOF", &["x/review.yaml"]),
            ("cat > '/a b/review.yaml' << EOF # > c", &["/a b/review.yaml"]),
            ("sudo tee -a a.txt review.yaml <<EOF", &["a.txt", "review.yaml"]),
            ("(cat <<EOF) > review.yaml", &["review.yaml"]),
            ("bash -c \"cat > review.yaml <<'EOF'", &["review.yaml"]),
            ("cat >review.yaml<<EOF", &["review.yaml"]),
            ("apply_patch <<'EOF' 2>log", &[]),
        ] {
            let found = here_documents(line);
            assert_eq!(found.len(), 1, "{line}");
            assert_eq!(found[0].files, files, "{line}");
            assert_eq!(found[0].end, "EOF", "{line}");
        }
        assert_eq!(here_documents("cat > a <<< word; x=$((1 << 3)); echo '<<EOF'"), []);
        assert_eq!(here_documents("cat > a <<A && cat >> b <<-B").len(), 2);
    }

    #[test]
    fn a_script_within_a_command() {
        let script = unwrapped("/bin/bash -lc 'cat <<'\"'\"'E'\"'\"'\nit'\\''s\nE'").unwrap();
        assert_eq!(script, "cat <<'E'\nit's\nE");
        assert_eq!(unwrapped("bash -lc \"a \\\"b\\\" \\x\"").unwrap(), "a \"b\" \\x");
        assert_eq!(unwrapped("cat -c 'x'"), None);
    }
}
