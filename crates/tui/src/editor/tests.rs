use tau_view::ansi::strip;
use tau_view::theme::ColorTheme;

use super::*;
use crate::Drawn;
use crate::keymap::Keymap;
use crate::style::{ColorDepth, Styles};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";

fn styles() -> Styles {
    Styles::new(&ColorTheme::builtin("dark").expect("a theme"), ColorDepth::None)
}

fn draw(editor: &mut EditorView, width: usize, rows: usize) -> Drawn {
    draw_with(editor, width, rows, Rule::default())
}

fn draw_with(editor: &mut EditorView, width: usize, rows: usize, top: Rule) -> Drawn {
    let styles = styles();
    let bottom = Rule::default();
    editor.draw(width, &EditorLook { styles: &styles, rule: "border", top, bottom, padding: 0, rows, cursor: true })
}

fn plain(drawn: &Drawn) -> Vec<String> {
    drawn.lines.iter().map(|line| strip(line)).collect()
}

fn press(editor: &mut EditorView, keys: &[&str]) -> Vec<Took> {
    let keymap = Keymap::default();
    keys.iter().map(|key| editor.key(key, &keymap)).collect()
}

#[test]
fn the_text_stands_between_two_rules_with_the_cursor_behind_it() {
    let mut editor = EditorView::new();
    assert_eq!(press(&mut editor, &["h", "i"]), [Took::Changed; 2]);
    let drawn = draw(&mut editor, 10, 24);
    assert_eq!(plain(&drawn), ["──────────", "hi ", "──────────"]);
    assert_eq!(drawn.cursor, Some((1, 2)));
    assert_eq!(drawn.lines[1], "hi\x1b[7m \x1b[27m");
}

#[test]
fn ctrl_j_begins_a_line_and_enter_sends() {
    let mut editor = EditorView::new();
    assert_eq!(
        press(&mut editor, &["a", "\n", "b", "\r"]),
        [Took::Changed, Took::Changed, Took::Changed, Took::Submit]
    );
    assert_eq!(editor.text(), "a\nb");
}

#[test]
fn a_long_text_scrolls_with_its_cursor_and_says_what_is_hidden() {
    let mut editor = EditorView::new();
    editor.set_text(&(1..=12).map(|line| line.to_string()).collect::<Vec<_>>().join("\n"));
    let shown = ["── ↑ 7 more ────────", "8", "9", "10", "11", "12 ", "────────────────────"];
    assert_eq!(plain(&draw(&mut editor, 20, 10)), shown);
    press(&mut editor, &[UP; 6]);
    let drawn = plain(&draw(&mut editor, 20, 10));
    assert_eq!(drawn[1..6].iter().map(|line| line.trim_end()).collect::<Vec<_>>(), ["6", "7", "8", "9", "10"]);
    assert_eq!((drawn[0].trim_matches('─'), drawn[6].trim_matches('─')), (" ↑ 5 more ", " ↓ 2 more "));
}

#[test]
fn texts_in_the_rule_are_cut_to_what_fits() {
    let mut editor = EditorView::new();
    let rule = |left: &str, right: &str| Rule { left: Some(left.into()), right: Some(right.into()) };
    let mut top = |width: usize, rule: Rule| plain(&draw_with(&mut editor, width, 24, rule)).remove(0);
    assert_eq!(top(24, rule("Working", "NORMAL")), "── Working ─── NORMAL ──");
    assert_eq!(top(16, rule("Working", "NORMAL")), "── Working ─────");
    assert_eq!(top(8, rule("Working", "NORMAL")).chars().count(), 8);
    assert_eq!(top(1, rule("Working", "NORMAL")).chars().count(), 1);
}

#[test]
fn earlier_prompts_come_by_the_arrow_keys_and_the_draft_comes_back() {
    let mut editor = EditorView::new();
    editor.model.add_to_history("first");
    editor.model.add_to_history("second");
    press(&mut editor, &["d", "\x01", UP]);
    assert_eq!(editor.text(), "second");
    press(&mut editor, &[UP]);
    assert_eq!(editor.text(), "first");
    press(&mut editor, &[DOWN, DOWN]);
    assert_eq!(editor.text(), "d");
}

#[test]
fn a_backslash_makes_enter_a_new_line() {
    let mut editor = EditorView::new();
    assert_eq!(press(&mut editor, &["a", "\\", "\r", "b", "\r"]).last(), Some(&Took::Submit));
    assert_eq!(editor.text(), "a\nb");
}

#[test]
fn the_cursor_jumps_to_the_character_typed_next() {
    let mut editor = EditorView::new();
    editor.set_text("one two");
    press(&mut editor, &["\x01", "\x1d", "w", "X"]);
    assert_eq!(editor.text(), "one tXwo");
}

#[test]
fn what_comes_back_stands_before_what_was_written() {
    let mut editor = EditorView::new();
    editor.give_back("failed");
    assert_eq!(editor.text(), "failed");
    editor.set_text("new");
    editor.give_back("failed");
    assert_eq!(editor.text(), "failed\n\nnew");
}

#[test]
fn keys_without_a_meaning_are_left_to_others() {
    let mut editor = EditorView::new();
    assert_eq!(press(&mut editor, &["\x1b[24~", "\x1b", "\x10"]), [Took::Nothing; 3]);
    assert!(editor.is_empty());
}
