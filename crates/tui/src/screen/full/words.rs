//! What a double click takes of a line.

use std::ops::Range;

use crate::screen::line::{Line, each_cell};

/// Characters that join words: those of paths, options and names of files.
const JOINS: &str = "/-+\\~_.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Blank,
    Other,
}

fn class_of(text: &str) -> Class {
    match text.chars().next() {
        Some(ch) if ch.is_alphanumeric() || JOINS.contains(ch) => Class::Word,
        Some(ch) if ch.is_whitespace() => Class::Blank,
        _ => Class::Other,
    }
}

/// The columns of the word in a column: letters, digits and what joins them. Blanks are taken together, and any other
/// character alone. A dot at the end of a word ends a sentence and is left out, unless it is what was clicked.
pub(super) fn word_at(line: &Line, column: usize) -> Range<usize> {
    let (mut cells, mut at) = (Vec::new(), 0);
    each_cell(line.as_str(), |text, width, _| {
        if width > 0 {
            cells.push((class_of(text), text == ".", at..at + width));
            at += width;
        }
        true
    });
    let Some(clicked) = cells.iter().position(|(.., columns)| columns.contains(&column)) else {
        return column..column + 1;
    };
    let class = cells[clicked].0;
    let (mut first, mut last) = (clicked, clicked);
    if class != Class::Other {
        while first > 0 && cells[first - 1].0 == class {
            first -= 1;
        }
        while cells.get(last + 1).is_some_and(|(other, ..)| *other == class) {
            last += 1;
        }
        while last > clicked && cells[last].1 {
            last -= 1;
        }
    }
    cells[first].2.start..cells[last].2.end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn word(text: &str, column: usize) -> String {
        let line = Line::new(text, 200);
        line.plain_in(word_at(&line, column))
    }

    #[test]
    fn paths_options_and_names_are_words() {
        assert_eq!(word("see src/main.rs.", 6), "src/main.rs");
        assert_eq!(word("see src/main.rs.", 15), "src/main.rs.");
        assert_eq!(word("run --tui-mode=regular now", 4), "--tui-mode");
        assert_eq!(word("run --tui-mode=regular now", 14), "=");
        assert_eq!(word("~/a_b+c\\d x", 0), "~/a_b+c\\d");
        assert_eq!(word("one   two", 4), "   ");
        assert_eq!(word("größe, 你好吗", 2), "größe");
        assert_eq!(word("größe, 你好吗", 8), "你好吗");
        assert_eq!(word("\x1b[1mbo\x1b[0mld (x)", 1), "bold");
        assert_eq!(word("ab", 7), "");
    }

    proptest! {
        #[test]
        fn a_word_holds_the_column_and_no_word_overlaps_another(text in "[a-z./ ,你é]{0,30}", column in 0..40usize) {
            let line = Line::new(&text, 200);
            let found = word_at(&line, column);
            prop_assert!(found.contains(&column));
            for other in found.clone() {
                let again = word_at(&line, other);
                // But for dots at the end, each column of a word gives the same word.
                prop_assert!(again.start == found.start, "{:?} {:?}", found, again);
            }
        }
    }
}
