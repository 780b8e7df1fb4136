//! JSON in any layout.

use super::Tree;
use super::faults::{Careless, Fault};
use crate::common::Numbers;

/// Writes a review.
pub fn write(tree: &Tree, numbers: &mut Numbers, careless: &mut Careless) -> String {
    let layout = numbers.below(4);
    let mut out = String::new();
    value(tree, layout, 0, careless, &mut out);
    careless.whole_json(out)
}

fn value(tree: &Tree, layout: usize, depth: usize, careless: &mut Careless, out: &mut String) {
    let line = |depth: usize| {
        if layout == 0 { String::new() } else { format!("\n{}", " ".repeat(layout * depth)) }
    };
    let blank = if layout == 0 { "" } else { " " };
    let members = |out: &mut String,
                   count: usize,
                   marks: [char; 2],
                   careless: &mut Careless,
                   member: &mut dyn FnMut(usize, &mut Careless, &mut String)| {
        out.push(marks[0]);
        for index in 0..count {
            out.push_str(&line(depth + 1));
            if careless.strikes(Fault::Comment) {
                out.push_str("/* a comment, \"with\" {marks} */");
            }
            member(index, careless, out);
            let is_last = index + 1 == count;
            let comma = if is_last {
                careless.strikes(Fault::TrailingComma)
            } else {
                !careless.strikes(Fault::MissingComma)
            };
            out.push_str(if comma { "," } else { " " }.trim_end_matches(if is_last {
                ' '
            } else {
                '\0'
            }));
            if layout == 0 && !is_last && comma {
                out.push_str(blank);
            }
        }
        if count > 0 {
            out.push_str(&line(depth));
        }
        out.push(marks[1]);
    };
    match tree {
        Tree::Map(entries) => {
            members(out, entries.len(), ['{', '}'], careless, &mut |index, careless, out| {
                let (key, tree) = &entries[index];
                out.push_str(&careless.json_key(key));
                out.push(':');
                out.push_str(blank);
                value(tree, layout, depth + 1, careless, out);
            });
        }
        Tree::List(items) => {
            members(out, items.len(), ['[', ']'], careless, &mut |index, careless, out| {
                value(&items[index], layout, depth + 1, careless, out);
            });
        }
        Tree::Text(text) => out.push_str(&careless.json_text(text)),
        Tree::Word(text) => out.extend(["\"", text, "\""]),
        Tree::Plain(text) => out.push_str(text),
    }
}
