//! A text whose characters stand one by one, each under its number: what is left of a message
//! whose text was spread into an object.
//!
//! Takes a value, gives its strings in the order of their numbers. Never takes an object with any
//! other shape for a text.

use crate::transcript::Raw;

/// Starts of such an object as it stands in a record: nothing else of the text can be searched for.
pub const NEEDLES: [&str; 2] = ["{\"0\":\"", "{\"0\": \""];

/// The strings of a text that is given so; the keys beside them are another matter.
pub fn characters<'a>(value: &Raw<'a>) -> Option<Vec<Raw<'a>>> {
    let mut entries = value.entries();
    let (key, first) = entries.next()?;
    if !key.is("0") || !first.is_string() {
        return None;
    }
    let number = |key: &Raw<'_>| std::str::from_utf8(key.body()?).ok()?.parse::<u64>().ok();
    let rest = entries.filter_map(|(key, value)| Some((number(&key)?, value)));
    let mut numbered: Vec<_> =
        std::iter::once((0, first)).chain(rest.filter(|(_, value)| value.is_string())).collect();
    if !numbered.is_sorted_by_key(|(number, _)| *number) {
        numbered.sort_by_key(|(number, _)| *number);
    }
    Some(numbered.into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Option<String> {
        let strings = characters(&Raw::at(json.as_bytes(), 0, 0))?;
        Some(strings.iter().filter_map(Raw::text).collect())
    }

    #[test]
    fn read_in_the_order_of_the_numbers() {
        assert_eq!(text(r#"{"0":"a","1":"\n","2":"c"}"#).as_deref(), Some("a\nc"));
        assert_eq!(text(r#"{"0":"a","10":"c","9":"b","role":"user"}"#).as_deref(), Some("abc"));
        assert_eq!(text(r#"{"0":"a","1":"b"#).as_deref(), Some("ab"));
        for other in [r#"{"role":"user"}"#, r#"{"0":1}"#, r#"{"1":"a"}"#, "{}", "[]", r#""0""#] {
            assert_eq!(text(other), None, "{other}");
        }
    }
}
