//! The tolerant reader: goes over the lines of a block once, and gives each its place in the tree.
//!
//! Takes a block's text and the shape of its contract, gives a [`Reading`] with what it mended; none
//! where it meets what it does not know. A line is an entry, an item or text. YAML decides by the
//! column; where the column fits nothing, the contract's keys do. Never takes an outcome out of a
//! line that may as well be text: that is a fault which names both readings.

mod texts;

use std::borrow::Cow;
use std::collections::HashSet;

use super::kinds;
use super::line::{Blanks, Key, Line, is_language, is_mark, item_mark};
use super::seat::Seat;
use super::tree::{Open, Tree, known};
use super::value::{Class, OpenScalar, Style};
use crate::contract::{Rule, Shape};
use crate::parse::{CAP, Caps, DUPLICATE_KEY, EXCERPT, FAULTS, Fault, Reading, TWO_READINGS};
use crate::record::{Place, Repair};
use crate::repair::descent;
use crate::repair::remark::{self, OUTCOME, refuses};
use crate::repair::{Kind, characters};

/// The reader of one block.
pub struct Reader<'t, 's> {
    pub text: &'t str,
    pub lines: Vec<Line<'t>>,
    /// The line that is read.
    pub at: usize,
    pub shape: &'s Shape,
    pub tree: Tree<'t, 's>,
    pub scalar: Option<OpenScalar<'t>>,
    /// The comment behind a key whose value stands on a line of its own.
    pub remark: Option<&'t str>,
    /// Lines that belong to what comes next or before: blank ones, comments, marks.
    held: Vec<usize>,
    /// Something has been read.
    started: bool,
    caps: Caps,
    /// The anchors that texts seem to start with.
    pub anchors: HashSet<&'t str>,
    pub faults: Vec<Fault>,
    repairs: Vec<Repair>,
    /// Bytes that may still be looked at ahead of their line.
    pub ahead: usize,
}

/// How often the length of a block may be looked at ahead of its lines.
const AHEAD: usize = 8;

impl<'t, 's> Reader<'t, 's> {
    /// The reading of `text`; none where something stands in it that this reader does not know.
    pub fn read(text: &'t str, shape: &'s Shape, closed: bool, caps: Caps) -> Option<Reading<'t>> {
        let mut reader = Self {
            text,
            lines: Line::all(text),
            at: 0,
            shape,
            tree: Tree::default(),
            scalar: None,
            remark: None,
            held: Vec::new(),
            started: false,
            caps,
            anchors: HashSet::new(),
            faults: Vec::new(),
            repairs: Vec::new(),
            ahead: AHEAD * text.len(),
        };
        while reader.at < reader.lines.len() {
            reader.line()?;
            if reader.faults.len() >= FAULTS || reader.tree.nodes >= caps.nodes {
                break;
            }
            reader.at += 1;
        }
        if reader.tree.nodes >= caps.nodes {
            reader.fault(&CAP, Place::START, "too many values".to_owned());
        }
        reader.release(false);
        let is_cut = reader.scalar.as_ref().is_some_and(|open| matches!(open.style, Style::Broken));
        if closed || !is_cut {
            reader.close_scalar();
        }
        if !closed && (is_cut || reader.tree.waits()) {
            reader.tree.drop_waiting();
            reader.tree.drop_cut_item();
        }
        let Self { tree, faults, mut repairs, .. } = reader;
        repairs.sort_by_key(|repair| (repair.line, repair.column));
        repairs.dedup();
        Some(Reading { node: tree.finish(), faults, repairs })
    }

    /// Takes one line.
    fn line(&mut self) -> Option<()> {
        let line = self.lines[self.at];
        let blanks = Blanks::at(line.text, 0, 0);
        if self.goes_on_in_block(line, blanks) {
            return Some(());
        }
        let own = &line.text[blanks.end..];
        // A block scalar without lines stands where something follows it.
        if let Some(OpenScalar { place, style: Style::Block { has_text, .. }, .. }) =
            &mut self.scalar
            && !own.is_empty()
            && self.held.is_empty()
            && !*has_text
        {
            *place = line.place(blanks.end);
        }
        let is_block_text = self.scalar.as_ref().is_some_and(|open| match open.style {
            Style::Block { indent: Some(content), .. } => blanks.column >= content,
            Style::Block { .. } => open.parent.is_none_or(|parent| blanks.column > parent),
            _ => false,
        });
        let is_between = (is_mark(own) && (blanks.column == 0 || own.starts_with(['`', '~'])))
            || (!self.started && is_language(own));
        let is_apart = own.starts_with(['#', '%']) && !is_block_text;
        if own.is_empty() || is_apart || is_between {
            self.held.push(self.at);
            return Some(());
        }
        if self.is_too_deep() {
            return None;
        }
        if self.structure(line, blanks) {
            self.started = true;
            return Some(());
        }
        if !self.started {
            return None;
        }
        self.text_line(line, blanks)
    }

    /// Whether no further list and mapping may open.
    fn is_too_deep(&self) -> bool {
        self.tree.open.len() + 3 >= self.caps.nesting
    }

    /// Whether the line belongs to the block scalar above by its indentation.
    fn goes_on_in_block(&mut self, line: Line<'t>, blanks: Blanks) -> bool {
        let Some(OpenScalar {
            place,
            style: Style::Block { indent, lines, has_text, ended, .. },
            parent,
            ..
        }) = &mut self.scalar
        else {
            return false;
        };
        if !self.held.is_empty() {
            return false;
        }
        let is_blank = line.text.trim_matches([' ', '\t']).is_empty();
        let spaces = line.text.len() - line.text.trim_start_matches(' ').len();
        let content = match *indent {
            Some(content) => content,
            None if is_blank => usize::MAX,
            None if parent.is_none_or(|parent| spaces > parent) && blanks.column == spaces => {
                *indent = Some(spaces);
                spaces
            }
            None => return false,
        };
        // Text that is indented no more than its key ends with the next key.
        let is_loose = parent.is_some_and(|parent| spaces <= parent);
        if !is_blank && (spaces < content || is_loose) {
            return false;
        }
        // A block scalar stands where its first line does.
        if !is_blank && !*has_text {
            *place = line.place(content);
        }
        let own = line.text.get(content..).unwrap_or_default();
        *has_text |= !own.is_empty();
        lines.push(own);
        *ended = line.ended;
        true
    }

    /// Takes a line as items and an entry; false where it is neither.
    fn structure(&mut self, line: Line<'t>, lead: Blanks) -> bool {
        let (mut at, mut blanks) = (lead.end, lead);
        let mut is_item = false;
        loop {
            let own = &line.text[at..];
            let behind = Blanks::at(line.text, at + 1, blanks.column + 1);
            let is_dash = own.starts_with('-') && (behind.end > at + 1 || own.len() == 1);
            if !is_dash || self.is_too_deep() {
                break;
            }
            let key = Key::at(line.text, behind.end);
            let is_alone = behind.end == line.text.len();
            let seat = self.item(blanks.column, key.as_ref(), is_item, is_alone);
            let Some(seat) = seat else { break };
            if !is_item {
                self.release(false);
            }
            self.take_item(line, at, &seat, blanks, at + 1);
            (at, blanks, is_item) = (behind.end, behind, true);
            if at == line.text.len() || line.text[at..].starts_with('#') {
                return true;
            }
        }
        if !is_item && let Some(behind) = self.marked_item(line, lead) {
            (at, blanks, is_item) = (behind.end, behind, true);
        }
        let key = Key::at(line.text, at);
        let seat = key.as_ref().and_then(|key| self.entry(blanks.column, key, is_item));
        match (key, seat) {
            (Some(key), Some(seat)) => {
                if !is_item {
                    self.release(false);
                }
                self.take_entry(line, key, &seat, blanks);
            }
            _ if is_item => self.begin(line, at, line.text.len()),
            _ => return false,
        }
        true
    }

    /// Takes another mark in place of an item's dash, where the contract asks for an item; gives the
    /// blanks behind it.
    fn marked_item(&mut self, line: Line<'t>, lead: Blanks) -> Option<Blanks> {
        let (bytes, is_glued) = item_mark(&line.text[lead.end..])?;
        let mark = lead.end + bytes;
        let width = line.text[lead.end..mark].chars().count() + usize::from(is_glued);
        let behind = Blanks::at(line.text, mark, lead.column + width);
        let key = Key::at(line.text, behind.end);
        if self.is_too_deep() || !self.asks_for_item(key.as_ref(), is_glued) {
            return None;
        }
        let seat = self.item(lead.column, key.as_ref(), false, false).filter(|seat| seat.fits)?;
        self.release(false);
        self.repair(&kinds::ITEM_MARK, line.place(lead.end));
        self.take_item(line, lead.end, &seat, lead, mark);
        Some(behind)
    }

    fn take_item(&mut self, line: Line<'t>, at: usize, seat: &Seat, blanks: Blanks, mark: usize) {
        let place = line.place(at);
        self.blanks(line, blanks);
        if !seat.fits {
            self.repair(&kinds::INDENT, place);
        }
        let depth = seat.depth;
        if depth == self.tree.open.len() {
            let item = self.asked().and_then(descent::item);
            // A list that is indented no more than its key stands where its first item does.
            let is_level = self.tree.indent() == Some(blanks.column);
            let first = Blanks::at(line.text, mark, 0).end;
            let start = if is_level { line.place(first) } else { place };
            self.tree.list(blanks.column, item, start);
        } else {
            self.close_scalar();
            self.tree.close_to(depth + 1);
        }
        self.remark = None;
        self.tree.dash(line.place(Blanks::at(line.text, mark, 0).end));
    }

    fn take_entry(&mut self, line: Line<'t>, key: Key<'t>, seat: &Seat, blanks: Blanks) {
        let place = line.place(key.start);
        self.blanks(line, blanks);
        let was_irregular = self.scalar.as_ref().is_some_and(|open| {
            // A value of one word, or one in quotes, is no text that goes on.
            let is_text = !matches!(open.style, Style::Quoted(_)) && open.class == Class::Text;
            is_text && (open.irregular || !seat.fits || key.equals)
        });
        let name: Cow<'t, str> = seat.name.clone().map_or(Cow::Borrowed(key.name), Cow::Owned);
        let rest = line.text[key.rest..].trim();
        let may_be_text =
            was_irregular && remark::is_outcome(&name) && !rest.is_empty() && !refuses(&name, rest);
        if may_be_text && !(seat.fits && self.is_settled(&name, seat.depth, blanks.column)) {
            let message = format!(
                "this line is the key `{name}` with its value, or a line of the text above it"
            );
            self.fault(&TWO_READINGS, place, message);
            return;
        }
        if !seat.fits {
            self.repair(&kinds::INDENT, place);
        }
        if seat.depth == self.tree.open.len() {
            let asked = self.asked();
            let wraps = asked.is_some_and(|shape| self.wraps(shape, blanks.column, &name));
            let within = asked.map(|shape| descent::mapping(shape, wraps)).unwrap_or_default();
            self.tree.map(blanks.column, within, place);
        } else {
            self.close_scalar();
            self.tree.close_to(seat.depth + 1);
            // A mapping whose first key was indented too far.
            if let (0, Some(Open::Map(map))) = (seat.depth, self.tree.open.first_mut()) {
                map.indent = map.indent.min(blanks.column);
            }
        }
        self.spelling(line, &key, &name);
        let behind = Blanks::at(line.text, key.rest, 0);
        let colon = line.place(key.rest);
        // Nothing stands at its colon.
        let nothing = Place { column: colon.column - 1, ..colon };
        if !self.tree.key(name.clone(), place, nothing) {
            self.fault(&DUPLICATE_KEY, place, format!("the key `{name}` stands here again"));
        }
        self.behind_colon(line, key.rest, behind);
        self.remark = None;
        if behind.end >= key.end {
            return;
        }
        // A list that starts on the line of its key.
        let own = &line.text[behind.end..];
        if own.starts_with("- ") && matches!(self.tree.awaited(), Some(Shape::List(_))) {
            let column = line.text[..behind.end].chars().count();
            self.repair(&kinds::INDENT, line.place(behind.end));
            self.structure(line, Blanks { end: behind.end, column, ..Blanks::default() });
            return;
        }
        self.begin(line, behind.end, key.end);
    }

    /// Whether a line behind a text can only be the key `name`, as which it does not decide what the
    /// review comes to: the contract knows the key, it stands here once, and the key that decides has
    /// come before the text, or refuses below it.
    fn is_settled(&self, name: &str, depth: usize, column: usize) -> bool {
        let Some(Open::Map(map)) = self.tree.open.get(depth).filter(|_| depth == 0) else {
            return false;
        };
        let is_known = map.known(name, true).is_some();
        if !is_known || map.has(name) || !matches!(name, "score" | "findings") {
            return false;
        }
        let decides = |key: &str| OUTCOME.contains(&key) && !matches!(key, "score" | "findings");
        let mut is_decided = OUTCOME.iter().any(|key| decides(key) && map.has(key));
        for line in &self.lines[self.at + 1..] {
            let blanks = Blanks::at(line.text, 0, 0);
            let Some(key) = Key::at(line.text, blanks.end) else { continue };
            let Some(known) = map.known(key.name, false).filter(|_| blanks.column == column) else {
                continue;
            };
            if known == name {
                return false;
            }
            if decides(known) {
                if is_decided || !refuses(known, line.text[key.rest..].trim()) {
                    return false;
                }
                is_decided = true;
            }
        }
        is_decided
    }

    /// What the contract says of what is waited for; at the start of a text, of the whole.
    fn asked(&self) -> Option<&'s Shape> {
        self.tree.awaited().or_else(|| self.tree.open.is_empty().then_some(self.shape))
    }

    /// Whether a mapping where `shape` is asked for, with `key` first at `column`, stands around the
    /// whole review: nothing has been read, and no key of the contract stands beside this one.
    fn wraps(&self, shape: &Shape, column: usize, key: &str) -> bool {
        let Some(map) = shape.map().filter(|_| std::ptr::eq(shape, self.shape)) else {
            return false;
        };
        let stands_beside = |line: &Line<'_>| {
            let blanks = Blanks::at(line.text, 0, 0);
            let key = Key::at(line.text, blanks.end).filter(|_| blanks.column == column);
            key.is_some_and(|key| known(map, key.name, false).is_some())
        };
        self.tree.nodes == 0
            && map.field(key).is_none()
            && !self.lines.iter().skip(self.at + 1).any(stands_beside)
    }

    /// Notes how a key is written, if another way than YAML and the contract want.
    fn spelling(&mut self, line: Line<'t>, key: &Key<'t>, name: &str) {
        let place = line.place(key.start);
        if key.name != name {
            let seen: String =
                key.name.chars().filter(|char| !characters::is_invisible(*char)).collect();
            let kind = if seen == name { &characters::INVISIBLE } else { &kinds::KEY };
            self.repair(kind, place);
        }
        if key.decorated || key.equals {
            self.repair(&kinds::KEY, place);
        }
        if key.curly {
            self.repair(&characters::CURLY_QUOTES, place);
        }
        let colon = line.place(key.rest);
        if key.wide {
            self.repair(&characters::FULL_WIDTH, Place { column: colon.column - 1, ..colon });
        } else if !key.spaced {
            self.repair(&kinds::BLANK_AFTER_COLON, colon);
        }
    }

    /// Notes what is unusual in the blanks at the start of a line or behind a dash.
    fn blanks(&mut self, line: Line<'t>, blanks: Blanks) {
        let place = line.place(0);
        if blanks.tab {
            self.repair(&kinds::TAB, place);
        }
        self.unusual(place, blanks, line.start == 0 && line.text.starts_with('\u{feff}'));
    }

    fn behind_colon(&mut self, line: Line<'t>, at: usize, blanks: Blanks) {
        self.unusual(line.place(at), blanks, false);
    }

    fn unusual(&mut self, place: Place, blanks: Blanks, is_mark: bool) {
        if blanks.unusual {
            self.repair(&characters::BLANK, place);
        }
        if blanks.invisible && !is_mark {
            self.repair(&characters::INVISIBLE, place);
        }
    }

    /// What is left of the caps.
    pub fn caps(&self) -> Caps {
        Caps {
            nesting: self.caps.nesting.saturating_sub(self.tree.open.len()),
            nodes: self.caps.nodes.saturating_sub(self.tree.nodes),
        }
    }

    /// Notes a repair.
    pub fn repair(&mut self, kind: &Kind, place: Place) {
        self.repairs.push(kind.at(place));
    }

    /// Whether a line that goes on with a text is mended as that already.
    pub fn is_mended(&self, place: Place) -> bool {
        self.repairs.last() == Some(&kinds::CONTINUATION.at(place))
    }

    /// Notes a fault, with the line that it stands on.
    pub fn fault(&mut self, rule: &'static Rule, place: Place, message: String) {
        let line = usize::try_from(place.line - 1).ok().and_then(|index| self.lines.get(index));
        let found = line.map(|line| line.text.trim().chars().take(EXCERPT).collect());
        self.faults.push(Fault { rule, place, message, found });
    }
}
