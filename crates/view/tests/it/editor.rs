use proptest::prelude::*;
use tau_view::editor::{Editor, Position, Row, wrap_line};

fn with_text(text: &str) -> Editor {
    let mut editor = Editor::new();
    editor.set_text(text);
    editor
}

fn rows(editor: &Editor) -> Vec<String> {
    let show = |row: Row<'_>| match row.cursor {
        Some(cursor) => format!("{}|{}", &row.text[..cursor], &row.text[cursor..]),
        None => row.text.to_owned(),
    };
    editor.rows().into_iter().map(show).collect()
}

#[test]
fn rows_break_after_spaces_and_show_the_cursor() {
    let mut editor = with_text("the quick brown fox\n\nend");
    editor.set_width(10);
    assert_eq!(rows(&editor), ["the quick ", "brown fox", "", "end|"]);
    assert_eq!(wrap_line("a你好b", 3, |_| false), [0..4, 4..8]);
}

#[test]
fn vertical_movement_keeps_its_column() {
    let mut editor = with_text("long line\nx\nlonger line");
    editor.set_width(20);
    editor.move_rows(-2);
    for _ in 0..3 {
        editor.move_left();
    }
    editor.move_rows(1);
    assert_eq!(editor.cursor(), Position { line: 1, column: 1 });
    editor.move_rows(1);
    assert_eq!(editor.cursor(), Position { line: 2, column: 6 });
    editor.move_rows(-9);
    assert_eq!(editor.cursor(), Position { line: 0, column: 6 });
}

#[test]
fn kills_in_a_row_are_one_entry() {
    let mut editor = with_text("one two\nthree");
    editor.kill_to_line_start();
    editor.kill_to_line_start();
    editor.kill_word_backward();
    assert_eq!(editor.text(), "one ");
    editor.yank();
    assert_eq!(editor.text(), "one two\nthree");
    editor.move_to_line_start();
    editor.kill_word_forward();
    editor.yank();
    editor.yank_pop();
    assert_eq!(editor.text(), "one two\ntwo\nthree");
}

#[test]
fn undo_takes_back_words_and_whole_insertions() {
    let mut editor = Editor::new();
    for text in ["a", "b", " ", "c"] {
        editor.type_text(text);
    }
    editor.insert("\nx\ty");
    assert_eq!(editor.text(), "ab c\nx    y");
    let mut past = Vec::new();
    for _ in 0..4 {
        editor.undo();
        past.push(editor.text());
    }
    assert_eq!(past, ["ab c", "ab", "", ""]);
}

#[test]
fn long_pastes_become_markers_that_move_as_one() {
    let mut editor = Editor::new();
    let long = "line\n".repeat(11);
    editor.type_text("see ");
    editor.paste(&long);
    editor.paste(&"x".repeat(1001));
    assert_eq!(editor.text(), "see [paste #1 +12 lines][paste #2 1001 chars]");
    assert_eq!(editor.expanded_text(), format!("see {long}{}", "x".repeat(1001)));
    editor.move_left();
    editor.delete_backward();
    assert_eq!(editor.text(), "see [paste #1 1001 chars]");
    assert_eq!(editor.cursor(), Position { line: 0, column: 4 });
    editor.undo();
    assert_eq!(editor.expanded_text(), format!("see {long}{}", "x".repeat(1001)));
    assert_eq!(editor.submit(), format!("see {long}{}", "x".repeat(1001)));
    assert!(editor.is_empty());
}

#[test]
fn pasted_control_characters_are_dropped_or_decoded() {
    let mut editor = with_text("word");
    editor.paste("/a\x1b[106;5u\x07b\r\nc");
    assert_eq!(editor.text(), "word /a\nb\nc");
}

#[test]
fn the_history_gives_the_draft_back() {
    let mut editor = with_text("draft");
    for entry in ["first", " second ", "second", ""] {
        editor.add_to_history(entry);
    }
    let mut shown = Vec::new();
    for step in [Editor::history_previous, Editor::history_previous, Editor::history_previous, Editor::history_next] {
        step(&mut editor);
        shown.push(editor.text());
    }
    assert_eq!(shown, ["second", "first", "first", "second"]);
    editor.history_next();
    assert_eq!((editor.text().as_str(), editor.is_browsing_history()), ("draft", false));
}

#[test]
fn jumps_go_over_lines() {
    let mut editor = with_text("abc\nabc");
    editor.jump_backward("b");
    editor.jump_backward("b");
    assert_eq!(editor.cursor(), Position { line: 0, column: 1 });
    editor.jump_forward("c");
    editor.jump_forward("c");
    editor.jump_forward("c");
    assert_eq!(editor.cursor(), Position { line: 1, column: 2 });
}

/// What may be done with an editor.
fn step() -> impl Strategy<Value = fn(&mut Editor)> {
    prop::sample::select(vec![
        (|editor: &mut Editor| editor.type_text("a")) as fn(&mut Editor),
        |editor| editor.type_text(" "),
        |editor| editor.type_text("你"),
        |editor| editor.insert("👨‍👩‍👧 x"),
        |editor| editor.paste(&"p\n".repeat(12)),
        Editor::new_line,
        Editor::delete_backward,
        Editor::delete_forward,
        Editor::kill_word_backward,
        Editor::kill_word_forward,
        Editor::kill_to_line_start,
        Editor::kill_to_line_end,
        Editor::yank,
        Editor::yank_pop,
        Editor::undo,
        Editor::move_left,
        Editor::move_right,
        Editor::move_word_left,
        Editor::move_word_right,
        Editor::move_to_line_start,
        |editor| editor.move_rows(-1),
        |editor| editor.move_rows(1),
        |editor| editor.add_to_history("old\ntext"),
        Editor::history_previous,
        Editor::history_next,
        |editor| editor.jump_forward("p"),
        |editor| editor.jump_backward("a"),
    ])
}

proptest! {
    #[test]
    fn the_cursor_stays_in_the_text(steps in prop::collection::vec(step(), 0..60), width in 1usize..20) {
        let mut editor = Editor::new();
        editor.set_width(width);
        for step in steps {
            step(&mut editor);
            let Position { line, column } = editor.cursor();
            prop_assert!(editor.lines()[line].is_char_boundary(column));
            let rows = editor.rows();
            prop_assert_eq!(rows.iter().filter(|row| row.cursor.is_some()).count(), 1);
            prop_assert_eq!(rows.iter().map(|row| row.text).collect::<String>(), editor.lines().concat());
        }
    }
}
