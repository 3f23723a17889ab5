//! Characters that stand for the cells of an image (Kitty's Unicode placeholders): what moves text moves the image.

use super::fit::{Fit, MOST};

/// The character that stands for a cell.
const CELL: char = '\u{10eeee}';

/// The marks that stand for numbers, as ranges of characters. The protocol has more of them.
const MARKS: &[(u32, u32)] = &[
    (0x305, 0x305),
    (0x30d, 0x30e),
    (0x310, 0x310),
    (0x312, 0x312),
    (0x33d, 0x33f),
    (0x346, 0x346),
    (0x34a, 0x34c),
    (0x350, 0x352),
    (0x357, 0x357),
    (0x35b, 0x35b),
    (0x363, 0x36f),
    (0x483, 0x487),
    (0x592, 0x595),
    (0x597, 0x599),
    (0x59c, 0x5a1),
    (0x5a8, 0x5a9),
    (0x5ab, 0x5ac),
    (0x5af, 0x5af),
    (0x5c4, 0x5c4),
    (0x610, 0x617),
    (0x657, 0x65b),
    (0x65d, 0x65e),
    (0x6d6, 0x6dc),
    (0x6df, 0x6e2),
    (0x6e4, 0x6e4),
    (0x6e7, 0x6e8),
    (0x6eb, 0x6ec),
    (0x730, 0x730),
    (0x732, 0x733),
    (0x735, 0x736),
    (0x73a, 0x73a),
    (0x73d, 0x73d),
    (0x73f, 0x741),
    (0x743, 0x743),
    (0x745, 0x745),
    (0x747, 0x747),
    (0x749, 0x74a),
    (0x7eb, 0x7f1),
    (0x7f3, 0x7f3),
    (0x816, 0x819),
    (0x81b, 0x823),
    (0x825, 0x827),
    (0x829, 0x82d),
];

/// The mark that stands for a number below [`MOST`].
fn mark(number: usize) -> char {
    let marks = MARKS.iter().flat_map(|(first, last)| *first..=*last);
    marks.clone().nth(number).and_then(char::from_u32).unwrap_or('\u{305}')
}

/// An id that fits into a colour of 256 and a mark. Not every tmux passes all colours on.
pub(super) fn id(number: u32) -> u32 {
    let (low, high) = (number % 255 + 1, number / 255 % MOST as u32);
    (high << 24) | low
}

/// The cells of a row of an image, behind so many spaces.
pub(crate) fn row(id: u32, fit: Fit, row: u16, left: u16) -> String {
    let (color, high) = (id & 0xff, mark((id >> 24) as usize));
    let down = mark(row.into());
    let mut text = " ".repeat(left.into());
    text.push_str(&format!("\x1b[38;5;{color}m"));
    for column in 0..fit.columns {
        text.extend([CELL, down, mark(column.into()), high]);
    }
    text.push_str("\x1b[39m");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_mark_for_every_row_and_column() {
        let mut marks: Vec<char> = (0..MOST).map(mark).collect();
        assert_eq!(
            (marks[0], marks[1], marks[17], marks[53], marks[93]),
            ('\u{305}', '\u{30d}', '\u{363}', '\u{5c4}', '\u{740}',)
        );
        marks.dedup();
        assert_eq!(marks.len(), MOST);
        let count: u32 = MARKS.iter().map(|(first, last)| last - first + 1).sum();
        assert!(count as usize >= MOST, "{count}");
    }

    #[test]
    fn a_row_names_its_image_its_row_and_its_columns() {
        let text = row(0x0200_0007, Fit { columns: 2, rows: 3 }, 1, 1);
        let (cell, down) = ("\u{10eeee}", "\u{30d}");
        assert_eq!(text, format!(" \x1b[38;5;7m{cell}{down}\u{305}\u{30e}{cell}{down}\u{30d}\u{30e}\x1b[39m"));
    }

    #[test]
    fn ids_are_never_zero_and_differ() {
        let mut ids: Vec<u32> = (0..30_000).map(id).collect();
        assert!(ids.iter().all(|id| (1..=255).contains(&(id & 0xff_ffff)) && id >> 24 < MOST as u32));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 30_000);
    }
}
