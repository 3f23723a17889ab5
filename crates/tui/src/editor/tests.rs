use tau_view::ansi::strip;
use tau_view::editor::vi::Mode;
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

fn with_vi(text: &str) -> EditorView {
    let mut editor = EditorView::new();
    editor.set_vi(true);
    editor.set_text(text);
    assert_eq!(press(&mut editor, &["\x1b"]), [Took::Moved]);
    editor
}

#[test]
fn letters_are_commands_until_text_is_inserted() {
    let mut editor = with_vi("one two");
    assert_eq!(press(&mut editor, &["0", "d", "w"]), [Took::Moved, Took::Moved, Took::Changed]);
    assert_eq!(editor.text(), "two");
    press(&mut editor, &["A", "!", "\x15"]);
    assert_eq!((editor.text().as_str(), editor.vi_mode()), ("", Some(Mode::Insert)));
    // Several at once, as programs send them.
    press(&mut editor, &["\x1b"]);
    editor.types("iabc");
    assert_eq!(editor.text(), "abc");
    // Keys that are no letters do what they always do.
    press(&mut editor, &["\x1b", "\x01", "\x0b"]);
    assert_eq!((editor.text().as_str(), editor.vi_mode()), ("", Some(Mode::Normal)));
    assert_eq!(press(&mut editor, &["\r", "\n"]), [Took::Submit, Took::Changed]);
    editor.submit();
    assert_eq!(editor.vi_mode(), Some(Mode::Insert));
}

#[test]
fn escape_and_redo_are_the_editors_where_they_end_something_of_vi() {
    let keys = Keymap::default();
    let mut editor = with_vi("abc");
    let takes = |editor: &EditorView| [editor.takes_first("\x1b", &keys), editor.takes_first("\x12", &keys)];
    assert_eq!((takes(&editor), press(&mut editor, &["\x1b"])[0]), ([false, true], Took::Nothing));
    for (begins, first) in [("d", [true, true]), ("v", [true, true]), ("i", [true, false])] {
        press(&mut editor, &[begins]);
        assert_eq!(takes(&editor), first, "{begins}");
        press(&mut editor, &["\x1b"]);
        assert_eq!(takes(&editor), [false, true], "{begins}");
    }
    editor.set_vi(false);
    assert_eq!(takes(&editor), [false, false]);
    press(&mut editor, &["x", "u", "\x1f", "\x12"]);
    assert_eq!(editor.vi_mode(), None);
}

#[test]
fn a_slash_in_an_empty_editor_begins_a_command() {
    let mut editor = with_vi("");
    press(&mut editor, &["/", "h"]);
    assert_eq!((editor.text().as_str(), editor.vi_mode()), ("/h", Some(Mode::Insert)));
    let mut editor = with_vi("a");
    press(&mut editor, &["/"]);
    assert_eq!((editor.text().as_str(), editor.vi_mode()), ("a", Some(Mode::Normal)));
}

#[test]
fn j_and_k_go_through_earlier_prompts_at_the_edges_of_the_text() {
    let mut editor = with_vi("");
    editor.model.add_to_history("first\nof two lines");
    editor.model.add_to_history("second");
    assert_eq!(press(&mut editor, &["k", "k"]), [Took::Changed, Took::Changed]);
    assert_eq!(editor.text(), "first\nof two lines");
    assert_eq!(press(&mut editor, &["j", "j"]), [Took::Moved, Took::Changed]);
    assert_eq!(editor.text(), "second");
    press(&mut editor, &[DOWN]);
    assert_eq!(editor.text(), "");
    // What was written is not lost: the cursor goes to its start first.
    let mut editor = with_vi("draft");
    editor.model.add_to_history("earlier");
    press(&mut editor, &["k"]);
    assert_eq!((editor.text().as_str(), editor.model.cursor().column), ("draft", 0));
    press(&mut editor, &["k"]);
    assert_eq!(editor.text(), "earlier");
}

#[test]
fn a_paste_is_inserted_whatever_the_mode() {
    let mut editor = with_vi("ac");
    editor.paste("b");
    assert_eq!((editor.text().as_str(), editor.vi_mode()), ("abc", Some(Mode::Normal)));
    press(&mut editor, &["u"]);
    assert_eq!(editor.text(), "ac");
    press(&mut editor, &["i"]);
    editor.paste("x");
    press(&mut editor, &["\x1b", "u"]);
    assert_eq!(editor.text(), "ac");
}

#[test]
fn what_is_selected_has_its_colour_in_every_row() {
    let theme = ColorTheme::builtin("dark").expect("a theme");
    let styles = Styles::new(&theme, ColorDepth::True);
    let shown = |keys: &[&str]| {
        let mut editor = with_vi("abc\n\ndef");
        press(&mut editor, &["g", "g"]);
        press(&mut editor, keys);
        let (top, bottom) = (Rule::default(), Rule::default());
        let look = EditorLook { styles: &styles, rule: "border", top, bottom, padding: 0, rows: 24, cursor: true };
        let lines = editor.draw(20, &look).lines;
        let on = styles.on("selectedBg");
        let marked = lines[1..4].iter().map(|line| line.replace(on, "<").replace("\x1b[49m", ">"));
        marked.map(|line| line.replace("\x1b[7m", "[").replace("\x1b[27m", "]")).collect::<Vec<_>>()
    };
    assert_eq!(shown(&["v", "l"]), ["<a>[b]c", "", "def"]);
    assert_eq!(shown(&["l", "v", "j", "j"]), ["a<bc>", "", "<d>[e]f"]);
    assert_eq!(shown(&["l", "V"]), ["<a>[b]<c>", "", "def"]);
    assert_eq!(shown(&["l", "v", "h"]), ["[a]<b>c", "", "def"]);
    assert_eq!(shown(&["v", "j"]), ["<abc>", "[ ]", "def"]);
    assert_eq!(shown(&[]), ["[a]bc", "", "def"]);
}

#[test]
fn a_click_sets_the_cursor_in_the_row_that_was_drawn_there() {
    let mut editor = EditorView::new();
    let lines: Vec<String> = (0..9).map(|line| format!("line {line}")).collect();
    editor.set_text(&lines.join("\n"));
    // Five rows are shown, the last of which has the cursor.
    let drawn = draw(&mut editor, 20, 10);
    assert_eq!(plain(&drawn)[1], "line 4");
    assert!(editor.click(2, 3));
    assert_eq!((editor.model.cursor().line, editor.model.cursor().column), (5, 3));
    draw(&mut editor, 20, 10);
    assert!(editor.click(1, 99), "behind the end of a row is its end");
    assert_eq!((editor.model.cursor().line, editor.model.cursor().column), (4, 6));
    // The rules are no text.
    assert!(!editor.click(0, 1) && !editor.click(6, 1));
    let styles = styles();
    let (top, bottom) = (Rule::default(), Rule::default());
    editor.set_text("abc");
    editor.draw(30, &EditorLook { styles: &styles, rule: "border", top, bottom, padding: 2, rows: 10, cursor: true });
    assert!(editor.click(1, 3));
    assert_eq!(editor.model.cursor().column, 1);
}
