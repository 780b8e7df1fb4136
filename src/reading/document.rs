//! An input that is one document: a file that is a review, or JSON.
//!
//! Takes an input that has arrived as a whole, says whether it is one document, and reads it then.
//! Never reads the rest of a log behind a first document: that is the walk's.

use super::Reading;
use crate::contract::{CONTRACTS, Claim, Contract, Outline};
use crate::error::Error;
use crate::locate::mapping_reaches;
use crate::parse::{self, Caps};
use crate::pipeline::flow;
use crate::scan::Scan;
use crate::transcript::raw::{End, end_of_value};
use crate::transcript::{self, Raw, Session, shape};

impl Reading<'_, '_> {
    /// Reads the whole input as a review, or as JSON. False where it is neither.
    pub(super) fn document(&mut self) -> Result<bool, Error> {
        let text = self.window.text();
        let start = shape::skip_padding(text);
        let body = &text[start..];
        let is_json = matches!(body.first(), Some(b'{' | b'['));
        let end = if is_json { end_of_value(body, 0) } else { End::At(body.len()) };
        let rest = if let End::At(length) = end { body[length..].trim_ascii() } else { b"" };
        let harvest = if let Some((contract, closed)) = self.review_file(body, end, rest) {
            flow(self.options, |sink| {
                let session = Session::default();
                Scan::new(&self.options.scope, &session, self.name, 1, sink)
                    .in_log(self.log)
                    .file(text, contract, closed);
            })
        } else if is_json && (rest.is_empty() || matches!(rest[0], b'{' | b'[' | 0)) {
            let first = Raw::at(body, 0, 0);
            let first = first.items().next().unwrap_or(first);
            let session = transcript::of_record(&first).session(&first, &self.beside);
            flow(self.options, |sink| {
                Scan::new(&self.options.scope, &session, self.name, 1, sink)
                    .in_log(self.log)
                    .frame(text, 0);
            })
        } else {
            return Ok(false);
        };
        self.is_document = true;
        self.take(harvest, 1)?;
        Ok(true)
    }

    /// The contract of a file that is one review, and whether its end is there.
    fn review_file(
        &self,
        body: &[u8],
        end: End,
        rest: &[u8],
    ) -> Option<(&'static dyn Contract, bool)> {
        let limits = self.limits;
        if !rest.is_empty() || body.len() > limits.block {
            return None;
        }
        let text = String::from_utf8_lossy(body);
        let outline = Outline::of(&text);
        let file = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let choice = &self.options.scope.choice;
        let admitted = CONTRACTS.iter().copied().filter(|contract| choice.admits(*contract));
        let (claim, contract) = admitted
            .map(|contract| (contract.identify(&outline), contract))
            .rev()
            .max_by_key(|(claim, _)| *claim)
            .filter(|(claim, _)| *claim > Claim::None)?;
        let caps = Caps { nesting: limits.nesting, nodes: limits.nodes };
        let reading = parse::parse(&text, caps);
        let fits = reading.faults.is_empty()
            && reading.node.is_some_and(|node| !node.entries().is_empty());
        // What does not parse is a review only where something else than its keys says so.
        let sure = claim == Claim::Sure || choice.names(contract) || contract.kept_in(file);
        let closed = !matches!(end, End::Torn | End::Cut) || body.trim_ascii_end().ends_with(b"}");
        let is_whole = is_mapping(body) || contract.kept_in(file);
        (fits || (sure && is_whole)).then_some((contract, closed))
    }
}

/// Whether all of `body` may be a mapping: an object, or lines of block style.
fn is_mapping(body: &[u8]) -> bool {
    body.starts_with(b"{") || mapping_reaches(body)
}
