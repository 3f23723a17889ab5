//! Places in lines: JavaScript counts UTF-16 units, and Rust bytes.

use tau_view::editor::{Editor, Position};

/// How many UTF-16 units come before a byte of a line.
pub(super) fn units_before(line: &str, byte: usize) -> usize {
    let before = line.get(..byte).unwrap_or(line);
    if before.is_ascii() { before.len() } else { before.encode_utf16().count() }
}

/// The byte that so many UTF-16 units come before; inside of a character, where that begins.
pub(super) fn byte_at(line: &str, units: usize) -> usize {
    let mut left = units;
    for (byte, character) in line.char_indices() {
        match left.checked_sub(character.len_utf16()) {
            _ if left == 0 => return byte,
            Some(rest) => left = rest,
            None => return byte,
        }
    }
    line.len()
}

/// A number of JavaScript as an index; what is none counts as zero.
fn index(number: f64) -> usize {
    // `as` saturates, and takes NaN for zero.
    number as usize
}

/// A place in these lines, as JavaScript says it; the nearest one there is.
pub(super) fn position(lines: &[String], line: f64, column: f64) -> Position {
    let line = index(line).min(lines.len().saturating_sub(1));
    let column = lines.get(line).map_or(0, |text| byte_at(text, index(column)));
    Position { line, column }
}

/// Where the cursor stands, as JavaScript says it.
pub(super) fn cursor(editor: &Editor) -> (usize, usize) {
    let Position { line, column } = editor.cursor();
    (line, editor.lines().get(line).map_or(0, |text| units_before(text, column)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn places_inside_of_a_character_are_where_it_begins() {
        let line = "a👍é";
        let bytes: Vec<usize> = (0..7).map(|units| byte_at(line, units)).collect();
        assert_eq!(bytes, [0, 1, 1, 5, 7, 7, 7]);
        let lines = ["a".to_owned(), "👍".to_owned()];
        assert_eq!(position(&lines, 9.0, f64::INFINITY), Position { line: 1, column: 4 });
        assert_eq!(position(&lines, -1.0, f64::NAN), Position { line: 0, column: 0 });
        assert_eq!(position(&[], 1.0, 1.0), Position { line: 0, column: 0 });
    }

    proptest! {
        #[test]
        fn every_place_is_found_again(line in "\\PC{0,20}") {
            for (byte, _) in line.char_indices() {
                prop_assert_eq!(byte_at(&line, units_before(&line, byte)), byte);
            }
            prop_assert_eq!(byte_at(&line, units_before(&line, line.len())), line.len());
        }
    }
}
