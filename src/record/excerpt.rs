//! Excerpts: what stands at a place of a review, for people who are shown it.

/// Characters of a line that are kept on either side of the place.
const AROUND: usize = 400;

/// The line that a violation or a repair is about, as far as it stands near the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The line, without its end and without what stands before each line of the block.
    pub text: String,
    /// Which character of it the place is, from 1; behind the last one where the line ends there.
    pub column: usize,
    /// The line's start, where the text does not start with it.
    pub head: Option<String>,
    /// It ends with the line's end.
    pub to_end: bool,
    /// The start of the line above, where it is not blank.
    pub above: Option<String>,
}

impl Excerpt {
    /// What stands around character `column` (from 1) of `line`, which has `above` above it.
    pub fn of(line: &str, column: u64, above: Option<&str>) -> Self {
        let line = line.trim_end_matches(['\n', '\r']);
        let column = usize::try_from(column).unwrap_or(usize::MAX).max(1);
        let first = column.saturating_sub(AROUND + 1);
        let rest = line.char_indices().nth(first).map_or("", |(at, _)| &line[at..]);
        let text: String = rest.chars().take(2 * AROUND).collect();
        let count = text.chars().count();
        Self {
            head: (first > 0).then(|| line.chars().take(AROUND / 4).collect()),
            to_end: text.len() == rest.len(),
            column: (column - first).min(count + 1),
            text,
            above: above
                .map(|above| above.chars().take(AROUND).collect::<String>())
                .filter(|above| !above.trim().is_empty())
                .map(|above| above.trim_end().to_owned()),
        }
    }

    /// The byte of the text at which the place is.
    pub fn at(&self) -> usize {
        self.text.char_indices().nth(self.column - 1).map_or(self.text.len(), |(at, _)| at)
    }

    /// The text from the place on.
    pub fn here(&self) -> &str {
        &self.text[self.at()..]
    }

    /// The text before the place.
    pub fn before(&self) -> &str {
        &self.text[..self.at()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = "é".repeat(5_000) + "x" + &"ü".repeat(5_000) + "\r\n";
        let excerpt = Excerpt::of(&line, 5_001, Some("  "));
        assert!(excerpt.here().starts_with("xü") && excerpt.before().ends_with('é'));
        assert_eq!(excerpt.text.chars().count(), 2 * AROUND);
        assert!(excerpt.head.is_some_and(|head| head.starts_with("éé")) && !excerpt.to_end);
        assert_eq!(excerpt.above, None);
    }

    #[test]
    fn a_place_behind_the_line_is_at_its_end() {
        for column in [4, 5, 2_000, u64::MAX] {
            let excerpt = Excerpt::of("abc", column, Some("above: 1 "));
            assert_eq!(excerpt.here(), "", "{column}");
            assert_eq!(excerpt.above.as_deref(), Some("above: 1"));
        }
        let whole = Excerpt::of("abc", 0, None);
        assert_eq!((whole.here(), whole.head.as_deref(), whole.to_end), ("abc", None, true));
    }
}
