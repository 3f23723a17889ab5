//! One row that is written over another one.

use proptest::prelude::*;
use tau_tui::screen::{Dock, Features, Full, Line, Position, Regular, Size, Start, Transcript};

use super::models::{Alacritty, Row, Terminal};

const SIZE: Size = Size { columns: 40, rows: 3 };

/// Emoji that a terminal with older tables gives one column.
const NARROW: [(&str, &str); 3] = [("🤖", "R"), ("❤\u{fe0f}", "H"), ("👩\u{200d}🚀", "W")];

/// What a terminal with older tables makes of these bytes.
fn older(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).expect("text");
    NARROW.iter().fold(text, |text, (emoji, narrow)| text.replace(emoji, narrow)).into_bytes()
}

fn dock(text: &str) -> Dock {
    Dock::new(vec![Line::new(text, SIZE.columns)], None)
}

fn main_screen() -> Regular {
    Regular::new(SIZE, Features::default(), Start::At(Position { row: 0, column: 0 }))
}

/// The bytes that bring the main screen from each text to the next.
fn frames(texts: &[&str]) -> Vec<String> {
    let (mut regular, mut transcript) = (main_screen(), Transcript::new());
    let paint = |text: &&str| {
        let mut bytes = Vec::new();
        regular.paint(&mut transcript, &dock(text), &mut bytes);
        String::from_utf8(bytes).expect("text")
    };
    texts.iter().map(paint).collect()
}

fn on_the_main_screen(texts: &[String]) -> Vec<Row> {
    let (mut terminal, mut regular, mut transcript) = (Alacritty::new(SIZE), main_screen(), Transcript::new());
    for text in texts {
        let mut bytes = Vec::new();
        regular.paint(&mut transcript, &dock(text), &mut bytes);
        terminal.write(&older(&bytes));
    }
    terminal.screen()
}

fn on_the_full_screen(texts: &[String]) -> Vec<Row> {
    let (mut terminal, mut full, mut transcript) =
        (Alacritty::new(SIZE), Full::new(SIZE, Features::default()), Transcript::new());
    for text in texts {
        let mut bytes = Vec::new();
        full.paint(&mut transcript, &dock(text), None, &[], &mut bytes);
        terminal.write(&older(&bytes));
    }
    terminal.screen()
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b ",
        "  ",
        "word",
        "你",
        "─",
        "🤖",
        "❤\u{fe0f}",
        "👩\u{200d}🚀",
        "\x1b[31m",
        "\x1b[44m",
        "\x1b[m",
        "1",
        "2",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_row_is_right_where_the_terminal_has_other_widths_for_emoji(
        texts in prop::collection::vec(text(), 2..6), same in "[a-z]{0,4}", end in "[a-z]{0,4}"
    ) {
        // Rows that have much in common are written in pieces.
        let alike: Vec<String> = (0..3).map(|at| format!("{same}{at}🤖 {same}{at} {end}")).collect();
        for texts in [texts, alike] {
            let last = &texts[texts.len() - 1..];
            prop_assert_eq!(on_the_main_screen(&texts), on_the_main_screen(last));
            prop_assert_eq!(on_the_full_screen(&texts), on_the_full_screen(last));
        }
    }
}

#[test]
fn what_stands_before_an_emoji_is_written_alone() {
    let frames = frames(&["one: 1 of 9 🤖 and a long rest of this row", "one: 2 of 9 🤖 and a long rest of this row"]);
    assert!(frames[1].contains('2') && !frames[1].contains("🤖"), "{:?}", frames[1]);
}

/// tmux keeps cells that are erased one by one as a part of their line: the row would be wrapped into blank ones.
#[test]
fn a_row_that_gets_shorter_on_the_main_screen_is_erased_whole() {
    let long = "a row that reaches far to the right";
    for short in ["a row", "", "another one"] {
        let frames = frames(&[long, short]);
        // The cursor is in the first column already.
        assert!(frames[1].contains(&format!("\x1b7\x1b[K{short}")), "{:?}", frames[1]);
    }
}

#[test]
fn spaces_that_cannot_be_seen_are_not_written() {
    let frames = frames(&["\x1b[31mred\x1b[39m                 \x1b[m"]);
    assert!(frames[0].contains("\x1b[31mred\x1b[m") && !frames[0].contains(' '), "{:?}", frames[0]);
    let styled = self::frames(&["\x1b[44mblue \x1b[m"]);
    assert!(styled[0].contains("blue "), "a background is seen: {:?}", styled[0]);
}
