//! Values without quotes: literals, numbers, and texts that lost theirs.

use std::borrow::Cow;

use super::kinds;
use super::reader::{Broken, Reader};
use super::tail::{self, Within};
use crate::contract::Shape;
use crate::parse::{Kind as Meaning, Scalar};
use crate::repair::characters::narrow;

impl<'t> Reader<'t, '_> {
    /// Reads a value without quotes.
    pub(super) fn bare(&mut self, shape: &Shape, within: Within<'_>) -> Result<Scalar<'t>, Broken> {
        let rest = &self.text[self.at..];
        let is_part =
            |char: char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.' | '_');
        let length = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let word = &rest[..length];
        let is_end = tail::ends_value(&rest[length..], within);
        // What breaks off may go on.
        if is_end && length < rest.len() {
            let literal = match word {
                "True" | "TRUE" => Some(("true", Meaning::Bool(true))),
                "False" | "FALSE" => Some(("false", Meaning::Bool(false))),
                "None" | "NULL" | "Null" | "undefined" | "nil" => Some(("null", Meaning::Null)),
                _ => None,
            };
            let kind = match word {
                "null" => Some(Meaning::Null),
                "true" => Some(Meaning::Bool(true)),
                "false" => Some(Meaning::Bool(false)),
                _ => Meaning::number(word),
            };
            if let Some((text, kind)) = literal {
                self.note(&kinds::LITERAL, self.at);
                self.at += length;
                return Ok(Scalar { plain: false, ..Scalar::of_plain(Cow::Borrowed(text), kind) });
            }
            if let Some(kind) = kind {
                self.at += length;
                return Ok(Scalar { plain: false, ..Scalar::of_plain(Cow::Borrowed(word), kind) });
            }
        }
        // `9/10`: a score out of its scale, which is a text with a number.
        let is_number = |text: &str| Meaning::number(text).is_some();
        if matches!(shape, Shape::Integer(_) | Shape::Number)
            && let Some(end) = rest.find(|char: char| !is_part(char) && char != '/')
            && rest[..end].split_once('/').is_some_and(|(of, all)| is_number(of) && is_number(all))
            && tail::ends_value(&rest[end..], within)
        {
            self.note(&kinds::TEXT_QUOTES, self.at);
            self.at += end;
            return Ok(Scalar::of_text(Cow::Borrowed(&rest[..end])));
        }
        let is_text = matches!(shape, Shape::Text | Shape::Word(_));
        if !is_text || !rest.starts_with(char::is_alphabetic) {
            return self.broken("a value is expected here");
        }
        // To the end of the line, or to the first comma or bracket that a member may end before.
        let is_end = |at: usize, char: char| match narrow(char).unwrap_or(char) {
            '\n' => true,
            ',' | '}' | ']' => tail::ends_value(&rest[at..], within),
            _ => false,
        };
        let Some((end, _)) = rest.char_indices().find(|(at, char)| is_end(*at, *char)) else {
            return self.broken("a value is expected here");
        };
        let text = rest[..end].trim_end();
        // `fail" , …`: one of two quotes, or another value.
        if text.contains(tail::is_quote) || text.contains('|') {
            return self.broken("a value is expected here");
        }
        self.note(&kinds::TEXT_QUOTES, self.at);
        self.at += text.len();
        Ok(Scalar::of_text(Cow::Borrowed(text)))
    }
}
