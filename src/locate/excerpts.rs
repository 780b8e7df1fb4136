//! The lines of a block that violations and repairs are about.
//!
//! Takes places in the text around the block, gives an [`Excerpt`] for each that stands in it. One
//! pass over the block, whatever the number of places.

use super::Block;
use crate::record::{Excerpt, Place};

impl Block<'_> {
    /// What stands at each of these places, if it is in the block.
    pub fn excerpts(&self, places: &[Option<Place>]) -> Vec<Option<Excerpt>> {
        let mut wanted: Vec<(Place, usize)> = places
            .iter()
            .enumerate()
            .filter_map(|(number, place)| Some((self.inner((*place)?)?, number)))
            .collect();
        wanted.sort_unstable();
        let mut excerpts = vec![None; places.len()];
        let (mut number, mut above) = (1, None);
        let mut lines = self.text.lines();
        let mut line = lines.next();
        for (place, index) in wanted {
            while let (true, Some(passed)) = (number < place.line, line) {
                above = Some(passed);
                line = lines.next();
                number += 1;
            }
            let Some(line) = line else { break };
            excerpts[index] = Some(Excerpt::of(line, place.column, above));
        }
        excerpts
    }

    /// The place in the block of a place in the text around: the way back of
    /// [`outer`](Self::outer).
    fn inner(&self, outer: Place) -> Option<Place> {
        let below = outer.line.checked_sub(self.start.line)?;
        let index = if self.below.is_empty() {
            usize::try_from(below).ok()?
        } else {
            self.below.binary_search(&below).ok()?
        };
        let first = if index == 0 { self.start.column - 1 } else { 0 };
        let stripped = self.stripped.get(index).copied().unwrap_or_default() + first;
        let column = outer.column.checked_sub(stripped).filter(|column| *column > 0)?;
        Some(Place { line: index as u64 + 1, column })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_outside_leads_to_the_line_within() {
        let quoted = Block::cut(b"> a: 1\n>\n> b: x\r\n", Place { line: 7, column: 1 }, b"> ");
        let picked = Block::picked(
            "a: 1\nb: x\n".to_owned(),
            &[Place { line: 3, column: 5 }, Place { line: 9, column: 3 }],
        );
        for (block, line) in [(quoted, 3), (picked, 2)] {
            let inner = Place { line, column: 4 };
            let outer = block.outer(inner);
            let excerpts = block.excerpts(&[
                Some(outer),
                None,
                Some(Place { line: outer.line + 5, ..outer }),
                Some(Place { line: 1, column: 1 }),
                Some(block.outer(Place::START)),
            ]);
            let shown = |excerpt: &Option<Excerpt>| {
                excerpt.as_ref().map(|excerpt| (excerpt.text.clone(), excerpt.column))
            };
            let shown: Vec<_> = excerpts.iter().map(shown).collect();
            let (x, a) = (("b: x".to_owned(), 4), ("a: 1".to_owned(), 1));
            assert_eq!(shown, [Some(x), None, None, None, Some(a)]);
        }
    }
}
