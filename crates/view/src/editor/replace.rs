//! Replacing a part of the text.

use super::{Editor, Position, layout, normalize};

impl Editor {
    /// Replaces what stands between two places, as one step of undo. The cursor goes so many bytes into the new text.
    ///
    /// Gives `false`, and changes nothing, when one of the places is not in the text or inside a character or marker,
    /// or when the second comes before the first.
    pub fn replace(&mut self, from: Position, to: Position, text: &str, cursor: usize) -> bool {
        if from > to || !self.is_place(from) || !self.is_place(to) {
            return false;
        }
        let (before, behind) = text.split_at(text.floor_char_boundary(cursor));
        self.begin(None);
        let replaced = self.between(from, to);
        self.buffer.cursor = to;
        self.buffer.delete_text_before(&replaced);
        self.buffer.insert(&normalize(before));
        let cursor = self.buffer.cursor;
        self.buffer.insert(&normalize(behind));
        self.buffer.cursor = cursor;
        true
    }

    /// Whether the cursor could stand there.
    fn is_place(&self, place: Position) -> bool {
        let Some(line) = self.buffer.lines.get(place.line) else { return false };
        let units = layout::units(line, |number| self.pastes.contains(number));
        let mut ends = units.into_iter().scan(0, |end, unit| {
            *end += unit.text.len();
            Some(*end)
        });
        place.column == 0 || ends.any(|end| end == place.column)
    }

    /// The text between two places.
    pub(super) fn between(&self, from: Position, to: Position) -> String {
        let lines = self.buffer.lines[from.line..=to.line].iter().enumerate();
        let parts = lines.map(|(index, line)| {
            let start = if index == 0 { from.column } else { 0 };
            let end = if from.line + index == to.line { to.column } else { line.len() };
            &line[start..end]
        });
        parts.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn a_part_is_replaced_in_one_step_with_the_cursor_in_the_new_text() {
        let mut editor = Editor::new();
        editor.set_text("see @ma please\nsecond");
        assert!(editor.replace(at(0, 4), at(0, 7), "@\"a b\"", 5));
        assert_eq!((editor.text().as_str(), editor.cursor()), ("see @\"a b\" please\nsecond", at(0, 9)));
        editor.undo();
        assert_eq!(editor.text(), "see @ma please\nsecond");
        assert!(editor.replace(at(0, 3), at(1, 3), "\nnew", 1));
        assert_eq!((editor.text().as_str(), editor.cursor()), ("see\nnewond", at(1, 0)));
    }

    #[test]
    fn places_inside_characters_and_markers_or_outside_the_text_are_refused() {
        let mut editor = Editor::new();
        editor.paste(&"x".repeat(2000));
        editor.insert(" e\u{301}");
        let text = editor.text();
        let end = text.len();
        for (from, to) in
            [((0, 0), (0, 3)), ((0, end - 2), (0, end)), ((1, 0), (1, 0)), ((0, end), (0, 0)), ((0, 0), (0, end + 1))]
        {
            assert!(!editor.replace(at(from.0, from.1), at(to.0, to.1), "no", 0), "{from:?} {to:?}");
        }
        assert_eq!(editor.text(), text);
        assert!(editor.replace(at(0, end - 3), at(0, end), "yes", 3));
        assert!(editor.expanded_text().ends_with("x yes"), "the paste is still known");
    }
}
