//! Which rows of a block are one line that was wrapped.

use crate::screen::block::Block;
use crate::screen::line::Line;

/// A width at which hardly anything wraps, and the one for blocks with many rows, where some are padded to the edge.
const WIDE: usize = 4096;
const LESS_WIDE: usize = 512;
/// From so many rows on a block has many.
const MANY: usize = 2000;

/// How far ahead the line is looked for that a row begins.
const AHEAD: usize = 64;

/// Marks of quotes, which stand before each row of one.
const QUOTE: &str = "│ ";

/// How a row goes on with the line of the row before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Continued {
    /// The blanks that the break has swallowed.
    pub(super) gap: String,
    /// Columns before the text of this row that are layout.
    pub(super) skip: usize,
}

/// For each row of a block, how it goes on with the line before; nothing where a line begins.
///
/// Nothing tells rows that were wrapped from rows that are lines of their own but the text itself. So the block is laid out
/// once more, so wide that lines do not wrap, and the rows are found in that. Where they are not, as in tables, each row is a
/// line.
pub(super) fn continued(block: &Block, rows: &[Line]) -> Vec<Option<Continued>> {
    let whole = block.lines_at(if rows.len() > MANY { LESS_WIDE } else { WIDE });
    aligned(rows, &whole)
}

fn text_of(line: &Line) -> String {
    let mut text = line.plain_in(line.margin()..usize::MAX);
    text.truncate(text.trim_end().len());
    text
}

fn aligned(rows: &[Line], whole: &[Line]) -> Vec<Option<Continued>> {
    let whole: Vec<String> = whole.iter().map(text_of).collect();
    // The line that is being followed, and how far.
    let (mut line, mut at) = (0, 0);
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let text = text_of(row);
        let body = text.trim_start();
        if at > 0 {
            let rest = &whole[line][at..];
            let gap = &rest[..rest.len() - rest.trim_start().len()];
            let bare = body.trim_start_matches(QUOTE).trim_start();
            let goes_on = |body: &&str| !body.is_empty() && rest[gap.len()..].starts_with(*body);
            if let Some(body) = [body, bare].into_iter().find(goes_on) {
                let before = text.len() - body.len();
                let skip = row.margin() + tau_view::width::visible_width(&text[..before]);
                found.push(Some(Continued { gap: gap.to_owned(), skip }));
                at += gap.len() + body.len();
                if whole[line].len() == at {
                    (line, at) = (line + 1, 0);
                }
                continue;
            }
            (line, at) = (line + 1, 0);
        }
        found.push(None);
        let begins = |whole: &String| {
            if body.is_empty() { whole.is_empty() } else { whole.trim_start().starts_with(body) }
        };
        if let Some(ahead) = whole.iter().skip(line).take(AHEAD).position(begins) {
            line += ahead;
            at = whole[line].len() - whole[line].trim_start().len() + body.len();
            if whole[line].len() == at {
                (line, at) = (line + 1, 0);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str], margin: usize) -> Vec<Line> {
        texts.iter().map(|text| Line::new(text, 200).with_margin(margin)).collect()
    }

    fn gaps(rows: &[&str], whole: &[&str], margin: usize) -> Vec<Option<(String, usize)>> {
        let found = aligned(&lines(rows, margin), &lines(whole, margin));
        found.into_iter().map(|row| row.map(|row| (row.gap, row.skip))).collect()
    }

    #[test]
    fn rows_of_a_wrapped_line_go_on() {
        let found = gaps(&[" one two", " three", "", " four"], &[" one two three", "", " four"], 1);
        assert_eq!(found, [None, Some((" ".to_owned(), 1)), None, None]);
        let found = gaps(&["- one", "  two", "- three"], &["- one two", "- three"], 0);
        assert_eq!(found, [None, Some((" ".to_owned(), 2)), None]);
        let found = gaps(&["aaaa", "bbbb"], &["aaaabbbb"], 0);
        assert_eq!(found, [None, Some((String::new(), 0))]);
    }

    #[test]
    fn the_bar_of_a_quote_is_layout_where_a_row_goes_on() {
        let found = gaps(&["│ one", "│ two"], &["│ one two"], 0);
        assert_eq!(found, [None, Some((" ".to_owned(), 2))]);
    }

    #[test]
    fn rows_that_are_nowhere_else_are_lines() {
        let narrow = ["text", "┌─┐", "│a│", "│b│", "└─┘", "one", "two"];
        let found = gaps(&narrow, &["text", "┌──┐", "│ab│", "└──┘", "one two"], 0);
        assert_eq!(found, [None, None, None, None, None, None, Some((" ".to_owned(), 0))]);
    }
}
