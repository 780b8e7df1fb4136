//! Values: how the reader takes what stands behind a key or a dash.
//!
//! Takes a line and the byte at which the value starts, opens a scalar that later lines may go on,
//! or gives the whole value to the tree. What is ordinary YAML is read by the strict parser.

use std::borrow::Cow;

use super::line::{Blanks, Line, is_blank};
use super::reader::Reader;
use super::scalar::{self, Header, Piece, Quotes};
use super::{flow, kinds};
use crate::contract::Shape;
use crate::parse::{self, Fault, Node, Scalar, TWO_READINGS, Value, YAML};
use crate::record::Place;
use crate::repair::characters::{self, is_curly_double, is_curly_single, narrow};
use crate::repair::descent;

/// A single value that may go on in the next line.
pub struct OpenScalar<'t> {
    pub place: Place,
    pub style: Style<'t>,
    /// The column that its lines must be right of, from 0; `None` at the outermost level.
    pub parent: Option<usize>,
    pub class: Class,
    /// One of its lines is not indented as YAML asks, or no line of a text of its own.
    pub irregular: bool,
    pub pieces: Vec<Piece<'t>>,
}

/// How a value is written.
pub enum Style<'t> {
    /// Without quotes; a comment has ended it, or not.
    Plain { commented: bool },
    /// In quotes that did not close as YAML wants.
    Broken,
    /// In quotes, read.
    Quoted(Scalar<'t>),
    /// A block scalar: its lines without their indentation, which is known with the first.
    Block {
        header: Header,
        indent: Option<usize>,
        lines: Vec<&'t str>,
        /// One of the lines is not blank.
        has_text: bool,
        ended: bool,
    },
}

/// What the contract asks for, as far as it matters to the syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A text, which takes its lines whole.
    Text,
    /// A word or number.
    Word,
    /// A list or mapping.
    Collection,
    /// The contract does not know the key.
    Free,
}

impl Class {
    pub fn of(shape: Option<&Shape>) -> Self {
        match shape {
            None => Self::Free,
            Some(Shape::Text | Shape::Any) => Self::Text,
            Some(Shape::List(_) | Shape::Map(_)) => Self::Collection,
            Some(_) => Self::Word,
        }
    }
}

impl<'t> Reader<'t, '_> {
    /// Takes the value that starts at byte `at` of `line` and ends at `end` or on a later line.
    pub fn begin(&mut self, line: Line<'t>, at: usize, end: usize) {
        let rest = line.text.get(at..end).unwrap_or_default();
        let class = Class::of(self.tree.awaited());
        let place = line.place(at);
        if rest.starts_with('#') && !self.is_text(rest, class) {
            self.remark = Some(rest);
            return;
        }
        if let Some(header) = scalar::header(rest) {
            let indent = header.indent.map(|indent| self.tree.indent().map_or(0, |i| i + indent));
            let style = Style::Block {
                header,
                indent,
                lines: Vec::new(),
                has_text: false,
                ended: line.ended,
            };
            self.open(place, style, class, Vec::new());
            let behind = rest.find('#').map_or("", |at| &rest[at..]);
            let word = self.lines.get(self.at + 1).map_or("", |next| next.text.trim());
            let remarks = self.remarks(behind, self.lines.len());
            self.keep_remarks(word, &remarks);
            return;
        }
        match rest.chars().next() {
            Some('"' | '\'') => return self.quoted(line, at, end, class),
            Some('[' | '{' | '［' | '｛') if self.flow(line, at, end, class) => return,
            Some(first) if is_curly_double(first) || is_curly_single(first) => {
                if let Some(inner) = within_curly(rest) {
                    self.repair(&characters::CURLY_QUOTES, place);
                    let scalar = Scalar::of_text(Cow::Borrowed(inner));
                    self.open(place, Style::Quoted(scalar), class, Vec::new());
                    return;
                }
            }
            Some('&' | '*' | '!') if class == Class::Free => {
                let node = self.strict(line, at, line.start + end);
                self.tree.value(node);
                return;
            }
            _ => {}
        }
        if class == Class::Collection
            && rest.starts_with(['[', '{'])
            && scalar::flow_end(rest, 0).is_none()
        {
            self.fault(&YAML, place, "this list or mapping has no end".to_owned());
        }
        // An entry of a list that is no mapping is a text.
        let entry = self.tree.awaited_entry();
        let is_text = entry.is_some_and(|shape| descent::is_entry(shape, self.shape));
        let class = if is_text { Class::Text } else { class };
        self.anchor(rest, place);
        let style = Style::Plain { commented: false };
        self.open(place, style, class, Vec::new());
        self.go_on(line, at, end, 0, true);
        let word = self.scalar.as_ref().and_then(|open| open.pieces.first());
        if let Some(word) = word.map(|piece| piece.text) {
            let remarks = self.remarks("", self.at);
            self.keep_remarks(word, &remarks);
        }
    }

    /// Keeps the anchor that a text seems to start with. A text that is nothing but its alias may as
    /// well mean the other text.
    fn anchor(&mut self, rest: &'t str, place: Place) {
        let rest = rest.trim_end_matches([' ', '\t']);
        if let Some(name) = rest.strip_prefix('&') {
            self.anchors.extend(name.split([' ', '\t']).next());
        } else if let Some(name) = rest.strip_prefix('*').filter(|name| self.anchors.contains(name))
        {
            let message = format!("this is the text `*{name}`, or what stands behind `&{name}`");
            self.fault(&TWO_READINGS, place, message);
        }
    }

    fn open(&mut self, place: Place, style: Style<'t>, class: Class, pieces: Vec<Piece<'t>>) {
        let parent = self.tree.indent();
        self.scalar = Some(OpenScalar { place, style, parent, class, irregular: false, pieces });
    }

    /// Whether what starts with a number sign is a text and no comment.
    fn is_text(&self, rest: &str, class: Class) -> bool {
        let is_glued = rest.chars().nth(1).is_some_and(|char| !is_blank(char) && char != '#');
        let has_more = self.lines.get(self.at + 1).is_some_and(|next| {
            !next.is_blank()
                && self.tree.indent().is_none_or(|i| Blanks::at(next.text, 0, 0).column > i)
        });
        class == Class::Text && (is_glued || !has_more)
    }

    /// Adds a line to a plain or broken scalar; `is_first` where it is the one with the key.
    pub fn go_on(&mut self, line: Line<'t>, at: usize, end: usize, blank: usize, is_first: bool) {
        let Some(mut open) = self.scalar.take() else { return };
        let place = line.place(at);
        let mut text = line.text.get(at..end).unwrap_or_default().trim_end_matches([' ', '\t']);
        if let Style::Plain { commented } = &mut open.style {
            let cut = scalar::comment(text).filter(|cut| match open.class {
                Class::Text => self.is_apart(text, *cut),
                class => !self.is_taken_back(&text[..*cut], &text[*cut..], class),
            });
            if let Some(cut) = cut {
                text = text[..cut].trim_end_matches([' ', '\t']);
                *commented = true;
            } else if scalar::comment(text).is_some() || text.starts_with('#') {
                self.repair(&kinds::HASH, place);
            }
            let is_quoted = if is_first { scalar::needs_quotes(text) } else { holds_key(text) };
            if is_quoted && !text.starts_with('#') && !self.is_mended(place) {
                self.repair(&kinds::QUOTE_PLAIN, place);
            }
        }
        if open.class != Class::Text {
            let own = text.trim_end_matches(is_blank);
            if own.len() < text.len() {
                self.repair(&characters::BLANK, line.place(at + own.len()));
                text = own;
            }
        }
        open.pieces.push(Piece { blank, text });
        self.scalar = Some(open);
    }

    /// Takes a value in quotes.
    fn quoted(&mut self, line: Line<'t>, at: usize, end: usize, class: Class) {
        let place = line.place(at);
        let start = line.start + at;
        let close = scalar::closing(self.text, start).filter(|close| {
            self.closes_cleanly(*close + 1) && (end == line.text.len() || *close < line.start + end)
        });
        let last = close.and_then(|close| self.last_line(close));
        let Some((close, last)) = close.zip(last) else {
            self.open(place, Style::Broken, class, Vec::new());
            self.go_on(line, at, end, 0, true);
            return;
        };
        let node = self.quietly(place, &self.text[start..=close]);
        let value = if let Some(Value::Scalar(scalar)) = node.map(|node| node.value) {
            scalar
        } else {
            let inner = scalar::fold(&scalar::pieces(&self.text[start + 1..close]));
            let text = Cow::Owned(self.unescaped(&self.text[start..], &inner, place));
            Scalar::of_text(text)
        };
        for index in self.at + 1..=last {
            let next = self.lines[index];
            let blanks = Blanks::at(next.text, 0, 0);
            if !next.is_blank() && self.tree.indent().is_some_and(|i| blanks.column <= i) {
                self.repair(&kinds::CONTINUATION, next.place(blanks.end));
            }
        }
        self.at = last;
        let word = value.text.clone();
        self.open(place, Style::Quoted(value), class, Vec::new());
        let remarks = self.remarks(self.behind(close), last);
        self.keep_remarks(&word, &remarks);
    }

    /// What stands behind byte `close` on its line.
    fn behind(&self, close: usize) -> &'t str {
        self.text[close + 1..].lines().next().unwrap_or_default()
    }

    /// Whether nothing but blanks and a comment follows byte `at` on its line.
    fn closes_cleanly(&self, at: usize) -> bool {
        let rest = self.text[at..].lines().next().unwrap_or_default();
        let own = rest.trim_start_matches([' ', '\t']);
        own.trim_matches(is_blank).is_empty() || (own.len() < rest.len() && own.starts_with('#'))
    }

    /// The line on which a value in quotes ends; none if a key of the contract stands on the way
    /// where a key must stand: the quotes are not closed.
    fn last_line(&self, close: usize) -> Option<usize> {
        let mut index = self.at;
        while let Some(next) = self.lines.get(index + 1).filter(|next| next.start <= close) {
            if self.is_entry(*next) {
                return None;
            }
            index += 1;
        }
        Some(index)
    }

    /// Whether the last line has its end: a text that stops within a line may be cut.
    fn ends_whole(&self) -> bool {
        self.lines.last().is_none_or(|line| line.ended)
    }

    /// Whether nothing is left to be read.
    fn is_at_end(&self) -> bool {
        self.lines.iter().skip(self.at).all(Line::is_blank)
    }

    /// Whether nothing follows the line that is read.
    pub fn is_last(&self) -> bool {
        self.lines.iter().skip(self.at + 1).all(Line::is_blank)
    }

    /// Takes a value in brackets or braces; false where it is a text.
    fn flow(&mut self, line: Line<'t>, at: usize, end: usize, class: Class) -> bool {
        let place = line.place(at);
        let rest = &line.text[at..end];
        if class != Class::Text && rest.starts_with(['［', '｛']) {
            let text = narrowed(rest);
            let reading = parse::yaml::parse(&text, self.caps());
            let node = reading.node.filter(|_| reading.faults.is_empty());
            if let Some(node) = node {
                self.repair(&characters::FULL_WIDTH, place);
                self.tree.value(node.into_owned().moved(&|inner| inner.from(place)));
                return true;
            }
        }
        let start = line.start + at;
        // A text ends with its line; and lines without an end must not each be searched to the end
        // of the block.
        let is_within_line = class == Class::Text || end < line.text.len() || self.ahead == 0;
        let within = if is_within_line { &self.text[..line.start + end] } else { self.text };
        let close = scalar::flow_end(within, start);
        let passed = close.unwrap_or(within.len()).saturating_sub(line.start + end);
        self.ahead = self.ahead.saturating_sub(passed);
        let Some(close) = close else { return false };
        let behind = self.text[close + 1..].lines().next().unwrap_or_default();
        let is_comma = class == Class::Collection
            && end == line.text.len()
            && matches!(behind.trim_matches(is_blank), "," | ";");
        if !is_comma && !self.closes_cleanly(close + 1) {
            return false;
        }
        if is_comma {
            self.repair(&kinds::TRAILING_COMMA, place);
        }
        let last = (self.at..self.lines.len())
            .take_while(|index| self.lines[*index].start <= close)
            .last()
            .unwrap_or(self.at);
        let node = if class == Class::Text || last == self.at {
            match self.quietly(place, &self.text[start..=close]) {
                Some(node) => node,
                None => return false,
            }
        } else {
            self.strict(line, at, close + 1)
        };
        if last == self.at && matches!(&node.value, Value::List(items) if items.is_empty()) {
            let remarks = self.remarks(self.behind(close), last);
            if remarks.iter().any(|remark| self.is_taken_back("[]", remark, class)) {
                return false;
            }
        }
        self.at = last;
        let mut node = node;
        for place in flow::rejoin(&mut node, self.tree.awaited()) {
            self.repair(&kinds::QUOTE_PLAIN, place);
        }
        self.tree.value(node);
        true
    }

    /// Reads a snippet strictly; nothing where it has faults.
    fn quietly(&self, place: Place, snippet: &'t str) -> Option<Node<'t>> {
        let reading = parse::yaml::parse(snippet, self.caps());
        let node = reading.node.filter(|_| reading.faults.is_empty())?;
        Some(node.moved(&|inner| inner.from(place)))
    }

    /// Reads the block's text from byte `at` of `line` up to `end` strictly, and takes its faults.
    fn strict(&mut self, line: Line<'t>, at: usize, end: usize) -> Node<'t> {
        let place = line.place(at);
        let snippet = self.text.get(line.start + at..end).unwrap_or_default();
        let reading = parse::yaml::parse(snippet, self.caps());
        let faults = reading.faults.into_iter();
        self.faults.extend(faults.map(|fault| Fault { place: fault.place.from(place), ..fault }));
        let nothing = Value::Scalar(scalar::plain(Cow::Borrowed("")));
        reading
            .node
            .map_or(Node { place, value: nothing }, |node| node.moved(&|inner| inner.from(place)))
    }

    /// Gives the open scalar to the tree.
    pub fn close_scalar(&mut self) {
        let Some(open) = self.scalar.take() else { return };
        let OpenScalar { place, style, class, pieces, .. } = open;
        let value = match style {
            Style::Plain { .. } => scalar::plain(scalar::fold(&pieces)),
            Style::Broken => self.mended(&pieces, place, class),
            Style::Quoted(value) if pieces.is_empty() => value,
            Style::Quoted(value) => {
                let more = scalar::fold(&pieces);
                let gap = match pieces.first().map_or(0, |piece| piece.blank) {
                    0 => " ".to_owned(),
                    blank => "\n".repeat(blank),
                };
                Scalar::of_text(Cow::Owned(format!("{}{gap}{more}", value.text)))
            }
            Style::Block { header, lines, ended, .. } => {
                let mut text = header.text(&lines, ended);
                if !pieces.is_empty() {
                    text = format!("{} {}", text.trim_end(), scalar::fold(&pieces));
                }
                Scalar::of_text(Cow::Owned(text))
            }
        };
        self.tree.value(Node { place, value: Value::Scalar(value) });
    }

    /// The value in quotes that do not close as YAML wants.
    fn mended(&mut self, pieces: &[Piece<'t>], place: Place, class: Class) -> Scalar<'t> {
        let mut text = scalar::fold(pieces);
        if let Some(whole) = scalar::without_comma(&text).map(str::len) {
            self.repair(&kinds::TRAILING_COMMA, place);
            text.to_mut().truncate(whole);
            if scalar::closing(&text, 0) == Some(whole - 1) {
                let inner = &text[1..whole - 1];
                return Scalar::of_text(Cow::Owned(self.unescaped(&text, inner, place)));
            }
        }
        if let Some(inner) = scalar::within_mixed(&text) {
            self.repair(&characters::CURLY_QUOTES, place);
            return Scalar::of_text(Cow::Owned(inner.to_owned()));
        }
        let within = text.get(1..).unwrap_or_default();
        let (kind, inner) = match scalar::quotes(&text) {
            Quotes::Within => {
                self.repair(&kinds::QUOTE_PLAIN, place);
                return scalar::plain(text);
            }
            Quotes::Around => (&kinds::INNER_QUOTES, &within[..within.len().saturating_sub(1)]),
            // `"C:\temp\"`: the last backslash is one of the text's.
            Quotes::Unclosed if text.starts_with('"') && within.ends_with("\\\"") => {
                self.repair(&kinds::BACKSLASH, place);
                return Scalar::of_text(Cow::Owned(within[..within.len() - 1].to_owned()));
            }
            Quotes::Unclosed => (&kinds::UNCLOSED_QUOTE, within),
        };
        let is_open = |reader: &Self| reader.is_at_end() && !reader.ends_whole();
        if *kind == kinds::UNCLOSED_QUOTE && (class != Class::Text || is_open(self)) {
            // What is cut off is unknown, and may take the word back.
            self.fault(&YAML, place, "the quotes of this value are not closed".to_owned());
        }
        self.repair(kind, place);
        let text = if text.starts_with('\'') {
            scalar::unquote(inner)
        } else {
            scalar::unescape(inner).map_or_else(|| inner.to_owned(), Cow::into_owned)
        };
        Scalar::of_text(Cow::Owned(text))
    }

    /// What stands within the quotes of `text`, which close as YAML wants, its escapes read.
    fn unescaped(&mut self, text: &str, inner: &str, place: Place) -> String {
        if text.starts_with('\'') {
            inner.replace("''", "'")
        } else if let Some(text) = scalar::unescape(inner) {
            text.into_owned()
        } else {
            self.repair(&kinds::BACKSLASH, place);
            inner.to_owned()
        }
    }
}

/// Whether a further line of a plain text holds what YAML takes for a key.
fn holds_key(text: &str) -> bool {
    text.contains(": ") || text.contains(":\t") || text.ends_with(':')
}

/// A value with the full-width characters of its syntax as their ASCII twins; in quotes they stay.
fn narrowed(rest: &str) -> String {
    let (mut open, mut is_escaped) = (None, false);
    let narrowed = |char: char| {
        let twin = narrow(char).unwrap_or(char);
        match open {
            Some(_) if is_escaped => is_escaped = false,
            Some('"') if char == '\\' => is_escaped = true,
            Some(quote) if twin == quote => open = None,
            Some(_) => {}
            None => {
                open = matches!(twin, '"' | '\'').then_some(twin);
                return twin;
            }
        }
        if open.is_none() { twin } else { char }
    };
    rest.chars().map(narrowed).collect()
}

/// What stands within typographic quotes that hold the whole value.
fn within_curly(rest: &str) -> Option<&str> {
    let rest = rest.trim_end_matches([' ', '\t']);
    let first = rest.chars().next()?;
    // The one that closes may be a straight one.
    let is_own = |char| {
        if is_curly_double(first) {
            is_curly_double(char) || char == '"'
        } else {
            is_curly_single(char)
        }
    };
    let inner = &rest[first.len_utf8()..];
    let last = inner.chars().last().filter(|char| is_own(*char))?;
    let inner = &inner[..inner.len() - last.len_utf8()];
    (!inner.contains(is_own)).then_some(inner)
}
