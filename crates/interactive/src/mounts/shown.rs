//! What is painted of a component.

use tau_hooks::mount::Drawn as Given;
use tau_tui::Drawn;
use tau_tui::picture::taken::{Part, Taken, take};
use tau_view::width::visible_width;

/// What a component writes where the terminal's own cursor belongs.
const CURSOR: &str = "\x1b_pi:c\x07";
/// What lists mark the line with that is chosen; the list of pi-tui has the first one.
const CHOSEN: [char; 6] = ['→', '❯', '▶', '▸', '›', '➜'];
/// How much of a line is looked at, in bytes: more than any screen shows of it.
const LONGEST: usize = 16 * 1024;

/// The last lines that a component gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The columns that they are for.
    pub(crate) width: usize,
    /// The lines. What a terminal would obey is taken out of them when they are painted.
    lines: Vec<String>,
    cursor: Option<(usize, usize)>,
    is_cut: bool,
}

impl Shown {
    /// Lines for so many columns.
    pub(crate) fn new(width: usize, given: Given) -> Self {
        let mut shown = Self { width, is_cut: given.is_cut, ..Self::default() };
        for line in without_images(given.lines.unwrap_or_default()) {
            let mut line = line;
            line.truncate(line.floor_char_boundary(LONGEST));
            if let Some(at) = line.find(CURSOR) {
                // The last one counts, as the terminal has one cursor.
                shown.cursor = Some((shown.lines.len(), visible_width(&line[..at])));
                line = line.replace(CURSOR, "");
            }
            shown.lines.push(line);
        }
        shown
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// At most so many of the lines: the first ones, or the last ones where `from_end` says so. In either case with the
    /// line that is worked in: that of the cursor, or the one that is marked in a list.
    pub(crate) fn window(&self, rows: usize, from_end: bool) -> Drawn {
        let over = self.len().saturating_sub(rows);
        let worked_in = self.cursor.map(|(row, _)| row).or_else(|| if over > 0 { self.marked() } else { None });
        let skipped = match worked_in {
            _ if from_end && worked_in.is_none_or(|row| row >= over) => over,
            Some(row) => (row + 1).saturating_sub(rows),
            None => 0,
        };
        let end = (skipped + rows).min(self.len());
        let cursor = self.cursor.map(|(row, column)| (row - skipped, column));
        Drawn { lines: self.lines[skipped..end].to_vec(), cursor }
    }

    /// The line with the mark of what is chosen, if one has it.
    fn marked(&self) -> Option<usize> {
        let is_marked = |line: &String| {
            let text = tau_view::ansi::strip(line);
            text.trim_start_matches([' ', '│', '┃', '║']).starts_with(CHOSEN)
        };
        let mut marked = self.lines.iter().enumerate().filter(|(_, line)| is_marked(line));
        marked.next().filter(|_| marked.next().is_none()).map(|(row, _)| row)
    }

    /// At most so many of the lines: the last ones, so that what is typed stays in sight.
    pub(crate) fn end(&self, rows: usize) -> Drawn {
        let skipped = self.len().saturating_sub(rows);
        let cursor = self.cursor.and_then(|(row, column)| Some((row.checked_sub(skipped)?, column)));
        Drawn { lines: self.lines[skipped..].to_vec(), cursor }
    }

    /// At most so many of the lines: the first ones.
    pub(crate) fn first(&self, rows: usize) -> Drawn {
        let kept = rows.min(self.len());
        Drawn { lines: self.lines[..kept].to_vec(), cursor: self.cursor.filter(|(row, _)| *row < kept) }
    }

    /// At most so many of the lines: the first ones, with a word about the others.
    pub(crate) fn start(&self, rows: usize) -> Drawn {
        if self.len() <= rows && !self.is_cut {
            return Drawn { lines: self.lines.clone(), cursor: self.cursor };
        }
        let kept = rows.saturating_sub(1).min(self.len());
        let mut lines = self.lines[..kept].to_vec();
        lines.push(" ... (more lines)".to_owned());
        Drawn { lines, cursor: self.cursor.filter(|(row, _)| *row < kept) }
    }
}

/// Rows that stand for an image where it is not drawn.
pub(crate) fn in_words(image: &Taken) -> Vec<String> {
    let why = image.problem.map(|why| format!(": {why}")).unwrap_or_default();
    let mut rows = vec![format!("{}[Image{why}]", " ".repeat(image.left.into()))];
    rows.resize(usize::from(image.rows.max(1)), String::new());
    rows
}

/// Lines with a text in the place of each image: what moves is painted too often for images.
fn without_images(lines: Vec<String>) -> Vec<String> {
    if !lines.iter().any(|line| line.contains("\x1b_G") || line.contains("\x1b]1337;")) {
        return lines;
    }
    let mut text = Vec::with_capacity(lines.len());
    for part in take(&lines) {
        match part {
            Part::Line(line) => text.push(line),
            Part::Image(image) => text.extend(in_words(&image)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str]) -> Shown {
        let lines = Some(lines.iter().map(|line| (*line).to_owned()).collect());
        Shown::new(20, Given { lines, ..Given::default() })
    }

    #[test]
    fn the_cursor_is_where_its_mark_was() {
        let drawn = shown(&["one", "\x1b[1mtw\x1b_pi:c\x07o"]).end(5);
        assert_eq!(drawn.cursor, Some((1, 2)));
        assert_eq!(drawn.lines, ["one", "\x1b[1mtwo"]);
        assert_eq!(shown(&["a\x1b_pi:c\x07", "b", "c"]).end(2).cursor, None);
    }

    #[test]
    fn images_are_texts_that_take_as_much_room() {
        let kitty = "  \x1b_Ga=T,f=100,c=10,r=3,i=7;AAAA\x1b\\";
        let drawn = shown(&["above", kitty, "", "", "below"]).end(9);
        assert_eq!(drawn.lines, ["above", "  [Image]", "", "", "below"]);
    }

    #[test]
    fn more_lines_than_there_is_room_for_are_cut_on_the_right_side() {
        let shown = shown(&["1", "2", "3", "4"]);
        assert_eq!(shown.end(2).lines, ["3", "4"]);
        assert_eq!(shown.window(2, false).lines, ["1", "2"]);
        assert_eq!(shown.window(2, true).lines, ["3", "4"]);
        assert_eq!(shown.window(4, true).lines.len(), 4);
        let with_cursor = self::shown(&["1", "2", "3\x1b_pi:c\x07", "4"]);
        let from_start = with_cursor.window(2, false);
        assert_eq!((from_start.lines, from_start.cursor), (vec!["2".to_owned(), "3".to_owned()], Some((1, 1))));
        assert_eq!(with_cursor.window(2, true).cursor, Some((0, 1)));
        assert_eq!(shown.start(3).lines, ["1", "2", " ... (more lines)"]);
        assert_eq!(shown.start(4).lines.len(), 4);
    }

    #[test]
    fn the_line_that_is_worked_in_is_in_sight() {
        let list = shown(&["a title", "│ \x1b[1m→ one\x1b[22m │", "  two", "  three", "the keys"]);
        assert_eq!(list.window(3, true).lines[0], "a title");
        assert_eq!(list.window(4, true).lines[3], "the keys");
        let late = shown(&["a title", "  one", "  two", "→ three", "the keys"]);
        assert_eq!(late.window(3, false).lines, ["  one", "  two", "→ three"]);
        assert_eq!(late.window(3, true).lines, ["  two", "→ three", "the keys"]);
        let arrows = shown(&["→ one", "→ two", "the keys"]);
        assert_eq!(arrows.window(1, true).lines, ["the keys"], "these are no marks");
        let typed = shown(&["typed\x1b_pi:c\x07", "2", "3"]);
        assert_eq!((typed.window(2, true).lines.len(), typed.window(2, true).cursor), (2, Some((0, 5))));
    }
}
