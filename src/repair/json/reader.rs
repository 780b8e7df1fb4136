//! The tolerant reading of JSON: one walk from left to right, guided by the contract's shape.

use std::borrow::Cow;
use std::collections::HashSet;

use super::tail::{self, Within};
use super::text::Role;
use super::{comment, kinds};
use crate::contract::{Rule, Shape};
use crate::parse::{
    CAP, Caps, DOCUMENTS, DUPLICATE_KEY, Entry, FAULTS, Fault, JSON, Node, Reading, Scalar, Value,
};
use crate::record::{Place, Repair};
use crate::repair::characters::{FULL_WIDTH, narrow};
use crate::repair::{Kind, descent, remark};

/// Reads `text`; `closed` tells whether the block has its end.
pub fn read<'t>(text: &'t str, shape: &Shape, closed: bool, caps: Caps) -> Reading<'t> {
    let mut reader = Reader {
        text,
        at: 0,
        place: Place::START,
        counted: 0,
        depth: 0,
        caps,
        root: shape,
        in_list: false,
        noted: HashSet::new(),
        repairs: Vec::new(),
        faults: Vec::new(),
    };
    reader.blanks();
    let node = reader.value(shape, Within::Nothing);
    let (node, whole) = match node {
        Ok(node) => (Some(node), true),
        Err(partial) => (partial, false),
    };
    if whole {
        reader.end();
    }
    if !closed && reader.faults.is_empty() {
        // Without its end the block says no more than this.
        reader.repairs.retain(|repair| repair.code != kinds::BRACKET.code);
    }
    Reading { node, faults: reader.faults, repairs: reader.repairs }
}

/// A walk over one text.
pub struct Reader<'t, 's> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// The place of byte `counted`.
    place: Place,
    counted: usize,
    depth: usize,
    caps: Caps,
    /// The shape of the whole review.
    root: &'s Shape,
    /// What is read is an item of a list, or stands before one.
    pub(super) in_list: bool,
    noted: HashSet<&'static str>,
    repairs: Vec<Repair>,
    pub(super) faults: Vec<Fault>,
}

/// The text breaks off; a fault says why.
pub struct Broken;

/// A value, or what was read of it before the text broke off.
type Partial<'t> = Result<Node<'t>, Option<Node<'t>>>;

impl<'t, 's> Reader<'t, 's> {
    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// What is next in the syntax: a full-width character is its ASCII twin.
    fn sign(&self) -> Option<char> {
        self.peek().map(|char| narrow(char).unwrap_or(char))
    }

    /// Takes the next character as a part of the syntax.
    fn take_sign(&mut self) {
        let Some(char) = self.peek() else { return };
        if narrow(char).is_some() {
            self.note(&FULL_WIDTH, self.at);
        }
        self.at += char.len_utf8();
    }

    /// The place of a byte. Counts on from the last one, so that all places cost one pass, but for
    /// those a little before it.
    fn place_of(&mut self, at: usize) -> Place {
        if at < self.counted {
            let between = &self.text[at..self.counted];
            let lines = memchr::memchr_iter(b'\n', between.as_bytes()).count();
            if lines == 0 {
                let column = self.place.column - between.chars().count() as u64;
                return Place { column, ..self.place };
            }
            let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let column = self.text[line..at].chars().count() as u64 + 1;
            return Place { line: self.place.line - lines as u64, column };
        }
        self.place = self.place.after(&self.text.as_bytes()[self.counted..at]);
        self.counted = at;
        self.place
    }

    pub(super) fn note(&mut self, kind: &Kind, at: usize) {
        let place = self.place_of(at);
        self.repairs.push(kind.at(place));
    }

    /// Notes a repair of a kind that the whole block needs, once.
    pub(super) fn note_once(&mut self, kind: &'static Kind, at: usize) {
        if self.noted.insert(kind.code) {
            self.note(kind, at);
        }
    }

    pub(super) fn fault(&mut self, rule: &'static Rule, message: String) {
        let place = self.place_of(self.at);
        let found: String =
            self.text[self.at..].chars().take(40).take_while(|c| *c != '\n').collect();
        let found = (!found.is_empty()).then_some(found);
        self.faults.push(Fault { rule, place, message, found });
    }

    pub(super) fn broken<T>(&mut self, message: &str) -> Result<T, Broken> {
        let message = if self.at == self.text.len() { "the text ends here" } else { message };
        self.fault(&JSON, message.to_owned());
        Err(Broken)
    }

    fn value(&mut self, shape: &'s Shape, within: Within<'_>) -> Partial<'t> {
        let place = self.place_of(self.at);
        if self.caps.nodes == 0 || self.depth == self.caps.nesting {
            let message = if self.caps.nodes == 0 {
                "too many values".to_owned()
            } else {
                format!("more than {} levels", self.caps.nesting)
            };
            self.fault(&CAP, message);
            return Err(None);
        }
        self.caps.nodes -= 1;
        let node = |value| Node { place, value };
        match self.sign() {
            Some('{') => self.nested(|reader| reader.map(shape)).map(node).map_err(|v| v.map(node)),
            Some('[') => {
                // One review, or one part of it, may be the only item of a list.
                let item = if let Shape::List(item) = shape { item } else { shape };
                self.nested(|reader| reader.list(item)).map(node).map_err(|v| v.map(node))
            }
            Some(char) if tail::is_quote(char) || self.peek().is_some_and(tail::is_quote) => {
                let text = self.quoted(Role::Value, within).map_err(|Broken| None)?;
                Ok(node(Value::Scalar(Scalar::of_text(text))))
            }
            _ => self
                .bare(shape, within)
                .map(|scalar| node(Value::Scalar(scalar)))
                .map_err(|Broken| None),
        }
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> (Value<'t>, bool),
    ) -> Result<Value<'t>, Option<Value<'t>>> {
        self.depth += 1;
        self.take_sign();
        let in_list = self.in_list;
        let (value, whole) = read(self);
        (self.depth, self.in_list) = (self.depth - 1, in_list);
        if whole { Ok(value) } else { Err(Some(value)) }
    }

    fn list(&mut self, item: &'s Shape) -> (Value<'t>, bool) {
        let mut items = Vec::new();
        self.in_list = true;
        let (start, mended) = (self.at, self.repairs.len());
        let whole = self.members(']', Within::List, |reader| {
            // An item that breaks off is none: a finding is whole or not there.
            items.push(reader.value(item, Within::List).map_err(|_| Broken)?);
            Ok(())
        });
        let is_comment = |repair: &Repair| repair.code == kinds::COMMENT.code;
        if whole
            && items.is_empty()
            && self.repairs[mended..].iter().any(is_comment)
            && !comment::states_nothing(&self.text[start..self.at])
        {
            self.fault(&JSON, "the list is empty but for a comment".to_owned());
        }
        (Value::List(items), whole)
    }

    /// What may stand under a key of a mapping.
    fn below(&self, shape: &'s Shape, key: &str) -> &'s Shape {
        let known = descent::mapping(shape, false).map.and_then(|map| map.field(key));
        known.unwrap_or(match shape {
            // Another key around the whole review.
            Shape::Map(_) if std::ptr::eq(shape, self.root) => self.root,
            // The items of a list under names.
            Shape::List(item) => item,
            _ => &Shape::Any,
        })
    }

    fn map(&mut self, shape: &'s Shape) -> (Value<'t>, bool) {
        let within = Within::Map(descent::mapping(shape, false).map);
        self.in_list = false;
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let (mut seen, mut twice) = (HashSet::new(), HashSet::new());
        let whole = self.members('}', within, |reader| {
            let at = reader.at;
            let key = reader.key(within)?;
            let place = reader.place_of(at);
            if !seen.insert(key.clone()) && twice.insert(key.clone()) {
                let message = format!("the key `{key}` stands here again");
                let found = Some(key.clone().into_owned());
                reader.faults.push(Fault { rule: &DUPLICATE_KEY, place, message, found });
            }
            reader.colon(tail::is_known(&key, within))?;
            reader.blanks();
            let rest = &reader.text[reader.at..];
            if rest.starts_with(tail::is_quote) && tail::starts_known_key(rest, within) {
                reader.fault(&JSON, format!("the value of `{key}` is missing: a key stands here"));
                return Ok(());
            }
            let node = reader.value(reader.below(shape, &key), within);
            let whole = node.is_ok();
            let node = node.map_or_else(|partial| partial, Some);
            let scalar = node.as_ref().and_then(Node::text);
            if let Some(word) = scalar.filter(|_| remark::is_outcome(&key)) {
                reader.check_remark(&key, word);
            }
            entries.extend(node.map(|node| Entry { key, place, node }));
            if !whole {
                return Err(Broken);
            }
            reader.blanks();
            if reader.peek() == Some('|') {
                return reader.broken("one value is expected here, not several");
            }
            Ok(())
        });
        entries.retain(|entry| !twice.contains(&entry.key));
        (Value::Map(entries), whole)
    }

    /// Reads members up to `close`; false where the text breaks off.
    fn members(
        &mut self,
        close: char,
        within: Within<'_>,
        mut member: impl FnMut(&mut Self) -> Result<(), Broken>,
    ) -> bool {
        let mut comma = None;
        let (mut is_empty, mut is_first) = (true, true);
        loop {
            self.blanks();
            let sign = self.sign();
            if sign == Some(',') {
                if is_first || comma.is_some() {
                    self.note(&kinds::TRAILING_COMMA, self.at);
                }
                comma = comma.or((!is_first).then_some(self.at));
                self.take_sign();
                continue;
            }
            if self.is_elided() {
                (comma, is_first) = (None, false);
                continue;
            }
            if let Some(sign @ ('}' | ']')) = sign {
                if let Some(at) = comma {
                    self.note(&kinds::TRAILING_COMMA, at);
                }
                if sign == close {
                    self.take_sign();
                    return true;
                }
                // The bracket of a part around this one: this one's is missing.
                // An empty part may have lost all that it held.
                if self.depth > 1 && !is_empty {
                    self.note(&kinds::BRACKET, self.at);
                    return true;
                }
                return self.broken::<()>(&format!("`{close}` is expected here")).is_ok();
            }
            // The next item of the list around this mapping: this one's bracket is missing.
            if let Some(at) = comma
                && sign == Some('{')
                && close == '}'
                && tail::starts_known_key(self.behind_sign(), within)
            {
                self.at = at;
                self.note(&kinds::BRACKET, at);
                return true;
            }
            let starts = self.at;
            (is_empty, is_first) = (false, false);
            if member(self).is_err() || self.faults.len() >= FAULTS || self.at == starts {
                return false;
            }
            self.blanks();
            match self.sign() {
                Some(',') => {
                    comma = Some(self.at);
                    self.take_sign();
                }
                Some('}' | ']') => comma = None,
                Some(';') if tail::starts_known_key(self.behind_sign(), within) => {
                    self.note(&kinds::MISSING_COMMA, self.at);
                    self.take_sign();
                    comma = None;
                }
                Some(sign) if self.starts_member(sign, within) => {
                    self.note(&kinds::MISSING_COMMA, self.at);
                    comma = None;
                }
                _ if self.is_dots() => comma = None,
                _ => {
                    let message = format!("`,` or `{close}` is expected here");
                    return self.broken::<()>(&message).is_ok();
                }
            }
        }
    }

    /// Whether the next member is sure to start here, although no comma stands before it.
    fn starts_member(&self, sign: char, within: Within<'_>) -> bool {
        match within {
            Within::List => sign == '{',
            _ => tail::starts_known_key(&self.text[self.at..], within),
        }
    }

    /// What stands behind the next character.
    fn behind_sign(&self) -> &'t str {
        let mut rest = self.text[self.at..].chars();
        rest.next();
        tail::skip(rest.as_str())
    }

    fn is_dots(&self) -> bool {
        let rest = &self.text[self.at..];
        rest.starts_with("...") || rest.starts_with('…')
    }

    /// Passes over dots that stand for members that were left out.
    fn is_elided(&mut self) -> bool {
        if !self.is_dots() {
            return false;
        }
        self.note(&kinds::ELLIPSIS, self.at);
        self.fault(&JSON, "members were left out here".to_owned());
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(['.', '…']).len();
        true
    }

    fn key(&mut self, within: Within<'_>) -> Result<Cow<'t, str>, Broken> {
        let rest = &self.text[self.at..];
        if tail::key(tail::reach(rest)).is_none()
            && let Some(key) = tail::faulty_key(rest, within)
        {
            if key.marks {
                self.note(&kinds::KEY_QUOTES, self.at);
            }
            self.at += key.length;
            return Ok(Cow::Borrowed(key.name));
        }
        if self.peek().is_some_and(tail::is_quote) {
            return self.quoted(Role::Key, Within::Nothing);
        }
        if tail::key(tail::reach(rest)).is_none() {
            return self.broken("a key in double quotes is expected here");
        }
        self.note(&kinds::KEY_QUOTES, self.at);
        let end = rest.find(|char| !tail::is_word(char)).unwrap_or(rest.len());
        self.at += end;
        if self.peek().is_some_and(tail::is_quote) {
            self.at += 1;
        }
        Ok(Cow::Borrowed(&rest[..end]))
    }

    /// Passes over the colon. Behind a key that the contract knows it may be missing: that a value
    /// follows was seen with the key.
    fn colon(&mut self, is_known: bool) -> Result<(), Broken> {
        self.blanks();
        match self.sign() {
            Some(':') => self.take_sign(),
            Some('=') => {
                self.note(&kinds::COLON, self.at);
                self.at += 1;
                if self.peek() == Some('>') {
                    self.at += 1;
                }
            }
            Some(sign @ (';' | '"' | '\'' | '{' | '[' | '0'..='9')) if is_known => {
                self.note(&kinds::COLON, self.at);
                self.at += usize::from(sign == ';');
            }
            _ => return self.broken("`:` is expected here"),
        }
        Ok(())
    }

    /// Reads what stands behind the value.
    fn end(&mut self) {
        let mended = self.repairs.len();
        let faults = self.faults.len();
        self.rest();
        if self.faults.len() > faults {
            // What stands there is no end that was written wrongly.
            self.repairs.truncate(mended);
        }
    }

    fn rest(&mut self) {
        let behind = tail::skip(&self.text[self.at..]);
        if tail::comment(behind).is_some() && remark::qualifies(behind) {
            self.fault(&JSON, "the comment may take the whole review back".to_owned());
        }
        loop {
            self.blanks();
            match self.sign() {
                None => return,
                Some('}' | ']') => {
                    self.note(&kinds::BRACKET, self.at);
                    self.take_sign();
                }
                Some(',' | ';') => {
                    self.note(&kinds::TRAILING_COMMA, self.at);
                    self.take_sign();
                }
                Some('{' | '[') => {
                    return self.fault(&DOCUMENTS, "a second value starts here".to_owned());
                }
                Some(_) => {
                    return self.fault(&JSON, "something stands after the value".to_owned());
                }
            }
        }
    }
}
