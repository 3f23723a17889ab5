//! What holds whatever is typed.

use proptest::prelude::*;
use tau_view::editor::{Position, units};

use super::Seat;

/// Texts with everything that is more than a letter.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("foo"),
        Just(" "),
        Just("  "),
        Just("\n"),
        Just("\n\n"),
        Just("bar.baz"),
        Just("(a[b]{c})"),
        Just("\"q\""),
        Just("e\u{301}"),
        Just("日本"),
        Just("👩‍👩‍👧"),
        Just("\t"),
        Just("_x"),
        Just("İß"),
        Just("<x>"),
        Just("\u{200d}"),
        Just("\u{301}"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn keys() -> impl Strategy<Value = String> {
    let known = "hjklwWbBeE0^$gGfFtT;,%{}dcy><~uUxXsSDCYrJpP.iaoOAIvV\"'`()[]123\u{1b}\u{12}\u{7f} é日+-_|";
    prop::collection::vec(prop::sample::select(known.chars().collect::<Vec<_>>()), 0..40)
        .prop_map(|keys| keys.into_iter().collect())
}

/// Whether the cursor stands where a character begins, and on one. While text is inserted it may join two characters.
fn stands_well(seat: &Seat) -> bool {
    let Position { line, column } = seat.editor.cursor();
    let line = &seat.editor.lines()[line];
    if seat.vi.mode() == tau_view::editor::vi::Mode::Insert {
        return line.is_char_boundary(column);
    }
    // The number of the paste that some tests make.
    let mut at = 0;
    let mut starts: Vec<usize> = Vec::new();
    for unit in units(line, |number| number == 1) {
        starts.push(at);
        at += unit.len();
    }
    starts.contains(&column) || (column == 0 && at == 0)
}

/// Motions that no row of the table leaves out, and what each takes behind it.
fn motion() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "w", "W", "b", "B", "e", "E", "ge", "$", "0", "^", "h", "l", "fa", "tb", "}", "{", "%", "iw", "aw", "i(",
        "a\"", "ib", "iB", "j", "k", "G", "gg", "ip", "ap",
    ])
}

proptest! {
    #[test]
    fn nothing_panics_and_the_cursor_stands_on_a_character(text in text(), keys in keys(), has_paste: bool) {
        let mut seat = Seat::new("|");
        if has_paste {
            seat.editor.paste(&"x\n".repeat(11));
        }
        seat.editor.insert(&text);
        for key in keys.chars() {
            seat.key(key);
            prop_assert!(stands_well(&seat), "{:?} {:?}", seat.editor.text(), seat.editor.cursor());
        }
    }

    #[test]
    fn undo_brings_every_text_back(text in text(), keys in keys()) {
        let mut seat = Seat::at(&text, Position::default());
        let text = seat.editor.text();
        seat.types("\u{1b}");
        let keys: String = keys.chars().filter(|key| !"u\u{12}".contains(*key)).collect();
        seat.types(&keys);
        seat.types("\u{1b}\u{1b}");
        let changed = seat.editor.text();
        let mut steps = 0;
        while seat.editor.text() != text && steps < 200 {
            seat.types("u");
            steps += 1;
        }
        prop_assert_eq!(seat.editor.text(), text);
        (0..steps).for_each(|_| seat.types("\u{12}"));
        prop_assert_eq!(seat.editor.text(), changed);
    }

    #[test]
    fn to_delete_and_to_put_back_is_the_identity(text in text(), line in 0usize..4, column in 0usize..12, motion in motion()) {
        let mut seat = Seat::at(&text, Position { line, column });
        let text = seat.editor.text();
        seat.types("\"_yl");
        seat.types(&format!("d{motion}"));
        let (deleted, cursor) = (seat.editor.text(), seat.editor.cursor());
        if deleted == text || deleted.is_empty() {
            return Ok(());
        }
        let before = Seat { editor: seat.editor.clone(), vi: seat.vi.clone() };
        let put = |key: &str| {
            let mut seat = Seat { editor: before.editor.clone(), vi: before.vi.clone() };
            seat.types(key);
            seat.editor.text()
        };
        // At the end of a line or of the text, the cursor cannot stand where the text was.
        seat.types("$");
        let is_last = seat.editor.cursor() == cursor || cursor.line + 1 == seat.editor.lines().len();
        prop_assert!(put("P") == text || (is_last && put("p") == text), "{:?} {:?} {:?}", text, deleted, put("P"));
    }

    #[test]
    fn to_copy_changes_nothing(text in text(), line in 0usize..4, column in 0usize..12, motion in motion()) {
        let mut seat = Seat::at(&text, Position { line, column });
        let text = seat.editor.text();
        seat.types(&format!("y{motion}"));
        prop_assert_eq!(seat.editor.text(), text);
    }

    #[test]
    fn to_change_the_case_twice_and_to_shift_there_and_back_change_nothing(text in "[a-z ().\n]{0,40}", line in 0usize..4) {
        let mut seat = Seat::at(&text, Position { line, column: 3 });
        let text = seat.editor.text();
        seat.types("g~ipg~ip");
        prop_assert_eq!(seat.editor.text(), text.as_str());
        if seat.editor.lines()[seat.editor.cursor().line].starts_with(' ') {
            return Ok(());
        }
        seat.types(">><<");
        prop_assert_eq!(seat.editor.text(), text);
    }
}
