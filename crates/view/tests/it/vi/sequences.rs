//! Keys, and what they make of a text. The cursor stands at the `|`.

use super::{BACKSPACE, ESCAPE, REDO, Seat};
use tau_view::editor::Position;
use tau_view::editor::vi::{Did, Key, Mode, Vi};

/// A text, keys and the text afterwards. In keys, `␛` is escape, `␒` is ctrl+r and `⌫` is backspace.
type Row = (&'static str, &'static str, &'static str);

const MOTIONS: &[Row] = &[
    ("|abc", "l", "a|bc"),
    ("|abc", "9l", "ab|c"),
    ("ab|c", "h", "a|bc"),
    ("|abc", "h", "|abc"),
    ("a\n|b", "⌫", "|a\nb"),
    ("|a\nb", " ", "a\n|b"),
    ("a|b\ncd", "j", "ab\nc|d"),
    ("ab\nc|d", "k", "a|b\ncd"),
    ("abc|d\nx\nabcd", "jj", "abcd\nx\nabc|d"),
    ("|abcd\nx\nabcdef", "$jj", "abcd\nx\nabcde|f"),
    ("|a\n  b\nc", "+", "a\n  |b\nc"),
    ("a\n  b\n|c", "-", "a\n  |b\nc"),
    ("  ab|c", "_", "  |abc"),
    ("  ab|c", "0", "|  abc"),
    ("  ab|c", "^", "  |abc"),
    ("|abc  ", "$", "abc | "),
    ("|abc  ", "g_", "ab|c  "),
    ("|abcdef", "4|", "abc|def"),
    ("a\n  b\nc|d", "gg", "|a\n  b\ncd"),
    ("|a\n  b\ncd", "2G", "a\n  |b\ncd"),
    ("|a\n  b\ncd", "G", "a\n  b\n|cd"),
    ("|foo.bar baz", "w", "foo|.bar baz"),
    ("|foo.bar baz", "W", "foo.bar |baz"),
    ("|foo bar", "ww", "foo ba|r"),
    ("|a\n\nb", "w", "a\n|\nb"),
    ("|foo.bar baz", "e", "fo|o.bar baz"),
    ("|foo.bar baz", "E", "foo.ba|r baz"),
    ("foo.bar |baz", "b", "foo.|bar baz"),
    ("foo.bar |baz", "B", "|foo.bar baz"),
    ("foo bar b|az", "ge", "foo ba|r baz"),
    ("foo.x bar|", "2gE", "|foo.x bar"),
    ("|日本語カタ ひらabc", "ww", "日本語カタ |ひらabc"),
    ("|a\nb\n\nc", "}", "a\nb\n|\nc"),
    ("a\n\nb\n|c", "{", "a\n|\nb\nc"),
    ("|if (a(b)) {\n}", "%", "if (a(b)|) {\n}"),
    ("if (a) |{\n}", "%", "if (a) {\n|}"),
    ("|abcabc", "fc", "ab|cabc"),
    ("|abcabc", "2fc", "abcab|c"),
    ("|abcabc", "tc", "a|bcabc"),
    ("|abcabc", "fx", "|abcabc"),
    ("abcab|c", "Fa", "abc|abc"),
    ("abcab|c", "Ta", "abca|bc"),
    ("|abcabcabc", "fc;", "abcab|cabc"),
    ("|abcabcabc", "tc;", "abca|bcabc"),
    ("|abcabcabc", "fc;,", "ab|cabcabc"),
    ("|e\u{301}te\u{301}", "l", "e\u{301}|te\u{301}"),
];

const CHANGES: &[Row] = &[
    ("|abc", "x", "|bc"),
    ("a|bcd", "2x", "a|d"),
    ("ab|c", "x", "a|b"),
    ("ab|c", "X", "a|c"),
    ("|ab\ncd", "dd", "|cd"),
    ("ab\n|cd", "dd", "|ab"),
    ("|a\nb\nc", "2dd", "|c"),
    ("|a", "dd", "|"),
    ("a\n  b\n|c", "dk", "|a"),
    ("|a\nb\nc", "dj", "|c"),
    ("a\n|b\nc", "dG", "|a"),
    ("|foo bar", "dw", "|bar"),
    ("foo |bar\nbaz", "dw", "foo| \nbaz"),
    ("|foo bar baz", "d2w", "|baz"),
    ("|foo bar baz", "2dw", "|baz"),
    ("|foo bar baz quux x", "2d2w", "|x"),
    ("foo b|ar", "db", "foo |ar"),
    ("|foo bar", "de", "| bar"),
    ("|abc)def", "dt)", "|)def"),
    ("|abc)def", "df)", "|def"),
    ("a|bc", "d0", "|bc"),
    ("a|bc\nd", "D", "|a\nd"),
    ("a|bc\nd", "d$", "|a\nd"),
    ("|f(a, (b))x", "d%", "|x"),
    ("  |a\nb\n\nc", "d}", "|\nc"),
    ("|foo bar", "cwx␛", "|x bar"),
    ("|foo bar", "ccx␛", "|x"),
    ("a|bc", "Cx␛", "a|x"),
    ("a|bc", "sx␛", "a|xc"),
    ("|abc\nd", "Sx␛", "|x\nd"),
    ("|ab\ncd", "yyp", "ab\n|ab\ncd"),
    ("ab\n|cd", "yyP", "ab\n|cd\ncd"),
    ("|ab\ncd", "Yjp", "ab\ncd\n|ab"),
    ("|ab cd", "ywP", "ab| ab cd"),
    ("|ab cd", "yw$p", "ab cdab| "),
    ("|ab", "xp", "b|a"),
    ("|ab", "yl3p", "aaa|ab"),
    ("|ab\ncd", "vjyP", "|ab\ncab\ncd"),
    ("|a", "yy2p", "a\n|a\na"),
    ("|a b", "\"_dwyiwp", "b|b"),
    ("|ab", "yl\"_xp", "b|a"),
    ("|abc", "rx", "|xbc"),
    ("|abc", "2rx", "x|xc"),
    ("|abc", "4rx", "|abc"),
    ("|aBc", "~", "A|Bc"),
    ("|aBc", "3~", "Ab|C"),
    ("|foo bar", "gUiw", "|FOO bar"),
    ("|FOO bar", "guw", "|foo bar"),
    ("|fOo", "g~~", "|FoO"),
    ("|fOo", "gUU", "|FOO"),
    ("|fOo", "gUgU", "|FOO"),
    ("|ab\n  cd", "J", "ab| cd"),
    ("|ab\ncd\nef", "3J", "ab cd| ef"),
    ("|ab\n  cd", "gJ", "ab|  cd"),
    ("|a\n)", "J", "a|)"),
    ("|a\n\nb", ">j", "    |a\n\nb"),
    ("      |a", "<<", "    |a"),
    ("|a\nb", "2>>", "    |a\n    b"),
    ("|abc", "ixy␛", "x|yabc"),
    ("|abc", "axy␛", "ax|ybc"),
    ("  a|bc", "Ix␛", "  |xabc"),
    ("a|bc", "Ax␛", "abc|x"),
    ("a|b\nc", "ox␛", "ab\n|x\nc"),
    ("a\n|b", "Ox␛", "a\n|x\nb"),
    ("|a", "3ix␛", "xx|xa"),
    ("|a", "2ob␛", "a\nb\n|b"),
    ("|abc", "ax⌫⌫y␛", "|ybc"),
];

const REPETITIONS: &[Row] = &[
    ("|foo bar baz", "dw.", "|baz"),
    ("|a b c d", "dw2.", "|d"),
    ("|foo bar", "cwx␛w.", "x |x"),
    ("|a\nb", "A;␛j.", "a;\nb|;"),
    ("|a\nb", "ox␛.", "a\nx\n|x\nb"),
    ("|a", "3ix␛.", "xxxx|xxa"),
    ("|abcdef", "x..", "|def"),
    ("|a\nb\nc\nd", "dd.", "|c\nd"),
    ("|abcdef", "vld.", "|ef"),
    ("|a\nb\nc\nd", "Vjd.", "|"),
    ("|ab cd", "rxw.", "xb |xd"),
    ("|(a) (b)", "ci(x␛f(.", "(x) (|x)"),
    ("|ab ab", "fb;", "ab a|b"),
    ("|a", "p.", "|a"),
];

const OBJECTS: &[Row] = &[
    ("foo b|ar baz", "diw", "foo | baz"),
    ("foo b|ar baz", "daw", "foo |baz"),
    ("foo b|ar", "daw", "fo|o"),
    ("foo b.a|r x", "diW", "foo | x"),
    ("x \"a b|c\" y", "di\"", "x \"|\" y"),
    ("x \"a b|c\" y", "da\"", "x |y"),
    ("|x \"ab\" y", "ci\"z␛", "x \"|z\" y"),
    ("x \"a\\\"|b\" y", "di\"", "x \"|\" y"),
    ("'a|b'", "yi'P", "'a|bab'"),
    ("`a|b`", "di`", "`|`"),
    ("f(a, (b|), c)", "di(", "f(a, (|), c)"),
    ("f(a, (b|), c)", "d2i(", "f(|)"),
    ("f(a, (|b), c)", "dab", "f(a, |, c)"),
    ("a[|b]", "di[", "a[|]"),
    ("f {\n  a|b\n}", "diB", "f {\n|}"),
    ("f {|a}", "da{", "f| "),
    ("<a|b>", "di<", "<|>"),
    ("a\n|b\n\nc", "dip", "|\nc"),
    ("a\n|b\n\nc", "dap", "|c"),
    ("a\n\n|b", "dap", "|a"),
];

const SELECTIONS: &[Row] = &[
    ("|abc", "vd", "|bc"),
    ("|abc", "vld", "|c"),
    ("ab|c", "vhhd", "|"),
    ("|abc\ndef", "vjd", "|ef"),
    ("a|bc\nd", "v$d", "a|d"),
    ("|a\nb\nc", "Vjd", "|c"),
    ("|abc", "vlcx␛", "|xc"),
    ("|abc", "vl~", "|ABc"),
    ("|abc", "vlU", "|ABc"),
    ("|ABC", "vlu", "|abC"),
    ("|abc", "vlrx", "|xxc"),
    ("|a\nb\nc", "VjJ", "a| b\nc"),
    ("|a\nb", "Vj>", "    |a\n    b"),
    ("|a b", "yiwwvp", "a |a"),
    ("|a\nb", "yyjVp", "a\n|a"),
    ("|ab cd", "vwohd", "|d"),
    ("|abc def", "wvbd", "|ef"),
    ("foo b|ar baz", "viwd", "foo | baz"),
    ("f(a (b|))", "vi(d", "f(a (|))"),
    ("|ab cd e", "viwiwd", "|cd e"),
    ("|abc", "vv2x", "|c"),
    ("|abc\nd", "vVd", "|d"),
    ("|abc", "vl␛x", "a|c"),
];

const PAST: &[Row] = &[
    ("|foo bar", "dwu", "|foo bar"),
    ("|foo bar", "dwu␒", "|bar"),
    ("|a", "ixyz␛u", "|a"),
    ("|a", "ixyz uvw␛u", "|a"),
    ("|a", "ox␛u", "|a"),
    ("|abc", "xxx2u", "|bc"),
    ("|abc", "xxxuuu␒", "|bc"),
    ("|abc", "xui␛␒", "|bc"),
    ("|foo bar", "cwx␛u", "|foo bar"),
    ("|abc", "xu~␒", "A|bc"),
];

fn check(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (text, keys, expected) in rows {
        let mut seat = Seat::new(text);
        let keys = keys.replace('␛', &ESCAPE.to_string()).replace('␒', &REDO.to_string());
        seat.types(&keys.replace('⌫', &BACKSPACE.to_string()));
        let (shown, rests) = (seat.shown(), seat.vi.mode() == Mode::Normal && !seat.vi.is_pending());
        if shown != *expected || !rests {
            wrong.push(format!("{text:?} {keys:?}: {shown:?}, not {expected:?}; {:?}", seat.vi.mode()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn motions_go_where_they_should() {
    check(MOTIONS);
}

#[test]
fn operators_and_commands_change_what_they_should() {
    check(CHANGES);
}

#[test]
fn a_change_is_repeated_with_what_was_typed() {
    check(REPETITIONS);
}

#[test]
fn objects_are_found_around_the_cursor() {
    check(OBJECTS);
}

#[test]
fn what_is_selected_is_what_is_changed() {
    check(SELECTIONS);
}

#[test]
fn each_change_is_one_step_of_the_past() {
    check(PAST);
}

#[test]
fn escape_leaves_what_is_under_way_and_is_nobodys_else() {
    let mut seat = Seat::new("a|b c");
    assert_eq!(seat.key(ESCAPE), Did::Nothing);
    seat.types("2d");
    assert!(seat.vi.is_pending());
    assert_eq!(seat.key(ESCAPE), Did::Moved);
    assert!(!seat.vi.is_pending());
    seat.types("v");
    assert_eq!(seat.vi.mode(), Mode::Visual);
    let selected = (Position { line: 0, column: 1 }, Position { line: 0, column: 2 });
    assert_eq!(seat.vi.selected(&seat.editor), Some(selected));
    assert_eq!(seat.key(ESCAPE), Did::Moved);
    assert_eq!((seat.vi.mode(), seat.vi.selected(&seat.editor)), (Mode::Normal, None));
    seat.types("i");
    assert_eq!(seat.key(ESCAPE), Did::Moved);
    assert_eq!(seat.shown(), "|ab c");
}

#[test]
fn beyond_the_first_and_the_last_row_others_are_asked() {
    let mut seat = Seat::new("|a\nb");
    assert_eq!((seat.key('k'), seat.key('j'), seat.key('j')), (Did::Above, Did::Moved, Did::Below));
    // Under an operator there is nothing.
    seat.types("dj");
    assert_eq!(seat.shown(), "a\n|b");
}

#[test]
fn what_is_typed_first_is_repeated_too() {
    let mut seat = Seat { editor: tau_view::editor::Editor::new(), vi: Vi::new() };
    assert_eq!(seat.vi.mode(), Mode::Insert);
    seat.types("ab\u{1b}.");
    assert_eq!(seat.shown(), "aa|bb");
    seat.types("uu");
    assert_eq!(seat.shown(), "|");
}

#[test]
fn moving_by_other_keys_begins_another_insertion() {
    let mut seat = Seat::new("|abc");
    seat.types("ix");
    seat.editor.move_to_line_end();
    seat.vi.moved(&mut seat.editor);
    seat.types("y\u{1b}");
    assert_eq!(seat.shown(), "xabc|y");
    seat.types("u");
    assert_eq!(seat.editor.text(), "xabc");
    seat.types("u");
    assert_eq!(seat.editor.text(), "abc");
}

#[test]
fn a_pasted_text_is_one_character() {
    let mut seat = Seat::new("|");
    let long = "line\n".repeat(12);
    seat.editor.type_text("see ");
    seat.editor.paste(&long);
    seat.editor.type_text(" end");
    let text = seat.editor.text();
    seat.types("0wl");
    assert_eq!(seat.shown(), "see [paste #1 +13 lines]| end");
    seat.types("hgUUw~rx");
    assert_eq!(seat.shown(), "SEE [paste #1 +13 lines]|xEND");
    seat.types("uuu0wx");
    assert_eq!(seat.shown(), "see | end");
    seat.types("P");
    assert_eq!(seat.editor.text(), text);
    assert!(seat.editor.expanded_text().contains(&long), "it still stands for its text");
    seat.types("x.u");
    assert_eq!(seat.vi.mode(), Mode::Normal);
}

#[test]
fn what_was_deleted_can_be_yanked_without_vi_and_the_other_way_round() {
    let mut seat = Seat::new("|one two");
    seat.types("dw");
    seat.editor.yank();
    assert_eq!(seat.editor.text(), "one two");
    seat.editor.kill_to_line_end();
    seat.types("0P");
    assert_eq!(seat.editor.text(), "twoone ");
}

#[test]
fn a_text_that_others_set_ends_what_was_under_way() {
    let mut seat = Seat::new("|one\ntwo");
    seat.types("Vj");
    seat.editor.set_text("x");
    seat.vi.replaced();
    seat.vi.settle(&mut seat.editor);
    assert_eq!((seat.shown().as_str(), seat.vi.mode()), ("|x", Mode::Normal));
    seat.types("i");
    seat.editor.set_text("other");
    seat.vi.reset();
    assert_eq!(seat.vi.mode(), Mode::Insert);
    seat.types("y\u{1b}");
    assert_eq!(seat.shown(), "other|y");
    assert_eq!(seat.vi.key(&mut seat.editor, Key::Delete), Did::Changed);
    assert_eq!(seat.shown(), "othe|r");
}
