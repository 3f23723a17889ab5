//! Lines hold nothing that a terminal obeys, and cost what their text costs.

use proptest::prelude::*;
use tau_tui::screen::Line;
use tau_view::untrusted::{output, plain};
use tau_view::width::{is_combining, visible_width};

#[test]
fn only_styles_and_links_are_left() {
    let line = |text: &str| Line::new(text, 40).as_str().to_owned();
    assert_eq!(line("a\x1b[2Jb\x1b[1;1Hc\x1b[?25ld\x1b[31m"), "abcd");
    assert_eq!(line("\x1b]0;title\x07a\x1b]52;c;aGk=\x1b\\b\x1bPq\x1b\\c\x1b_G\x1b\\d"), "abcd");
    assert_eq!(line("a\u{9b}31mb\u{9d}0;x\u{9c}c\x1bcd\x1b(0e"), "a\x1b[31mbcde\x1b[m");
    assert_eq!(line("a\x08\x7f\x00\u{202e}b\u{2066}c\u{200b}"), "abc");
    assert_eq!(line("a\tb\r\nnext"), "a   b");
    // What stands together in the end is one character, and has the width of one.
    let joined = Line::new("\u{111c2}\u{1b}a!\u{200b}👩\u{1b}[K\u{200d}🚀", 40);
    assert_eq!((joined.as_str(), joined.width()), ("\u{111c2}!👩\u{200d}🚀", visible_width("\u{111c2}!👩\u{200d}🚀")));
    assert_eq!(line("\x1b[1m\x1b[22m\x1b[31mred\x1b[39m   \x1b[0m  "), "\x1b[31mred\x1b[m");
    assert_eq!(line("\x1b]8;id=1;https://x.y\x07link\x1b]8;;\x07"), "\x1b]8;id=1;https://x.y\x1b\\link\x1b]8;;\x1b\\");
    assert_eq!(line("\x1b[44m  \x1b[m"), "\x1b[44m  \x1b[m");
}

#[test]
fn lines_are_cut_at_the_width() {
    let line = |text: &str, width| {
        let line = Line::new(text, width);
        (line.as_str().to_owned(), line.width())
    };
    assert_eq!(line("abcdef", 3), ("abc".to_owned(), 3));
    assert_eq!(line("你好你好", 5), ("你好".to_owned(), 4));
    assert_eq!(line("\x1b[41m你好你好", 5), ("\x1b[41m你好 \x1b[m".to_owned(), 5));
    assert_eq!(line("\x1b]8;;u:\x1b\\abcdef", 3), ("\x1b]8;;u:\x1b\\abc\x1b]8;;\x1b\\".to_owned(), 3));
    assert_eq!(line("anything", 0), (String::new(), 0));
    assert_eq!(line("e\u{301}x", 1), ("e\u{301}".to_owned(), 1));
}

#[test]
fn huge_lines_stay_small() {
    let columns = "x".repeat(1 << 20);
    assert_eq!(Line::new(&columns, 100).width(), 100);
    for hostile in [
        format!("e{}", "\u{301}".repeat(1 << 20)),
        "\u{301}".repeat(1 << 20),
        "\x1b[31m".repeat(1 << 18),
        "\x1b[31mä\x1b[32m".repeat(1 << 17),
        "\u{200d}".repeat(1 << 20),
        "👩\u{200d}".repeat(1 << 18),
        format!("\x1b]8;;{}\x1b\\x", "u".repeat(1 << 20)),
        "\x1b]8;;".repeat(1 << 18),
        "\x1b[".repeat(1 << 19),
        "🇩".repeat(1 << 18),
        "a\x1b[38;2;1;2;3m你\x1b[48;2;1;2;3m".repeat(1 << 14),
    ] {
        let line = Line::new(&hostile, 100);
        assert!(line.as_str().len() <= 100 * 100, "{} bytes of {:?}", line.as_str().len(), &hostile[..40]);
        assert!(line.width() <= 100);
    }
}

#[test]
fn text_from_elsewhere_is_made_safe() {
    assert_eq!(plain("a\x1b[31mb\x1b[2Jc\r\nd\re\tf"), "abc\nd\ne\tf");
    assert_eq!(output("a\x1b[31mb\x1b[2Jc\x1b]8;;u\x07l"), "a\x1b[31mbcl");
    assert_eq!(output("10%\r\x1b[32m50%\r100%\r\ndone\r\r\nend\r"), "\x1b[0m\x1b[32m100%\ndone\nend");
    assert_eq!(plain("x\x1b]0;no end\nnext line"), "x\nnext line");
    assert_eq!(plain("\u{202e}evil\u{2069}"), "evil");
    assert_eq!(plain("a\u{2028}b"), "a\nb");
}

proptest! {
    #[test]
    fn whatever_the_text_is_a_line_is_harmless(text in "(\\PC|[\x1b\u{9b}\u{9d}\\[\\];:m8\x07\\\\\r\n\t\u{202e}0-9A-Z]){0,60}", width in 0..30usize) {
        let line = Line::new(&text, width);
        prop_assert!(line.width() <= width);
        let shown = line.plain();
        prop_assert!(!shown.chars().any(|ch| ch.is_control() || ('\u{202a}'..='\u{202e}').contains(&ch)), "{shown:?}");
        for piece in tau_view::ansi::pieces(line.as_str()) {
            if let tau_view::ansi::Piece::Escape(escape) = piece {
                prop_assert!(escape.ends_with('m') && escape.starts_with("\x1b[") || escape.starts_with("\x1b]8;"), "{escape:?}");
            }
        }
        // A mark may come to stand on another character once what was between them is gone. Two vowels of Thai and Lao are
        // letters that join what is before them all the same.
        let joins = |ch: char| is_combining(ch) || matches!(ch, '\u{e33}' | '\u{eb3}');
        if !text.chars().any(joins) {
            prop_assert_eq!(&Line::new(line.as_str(), width), &line);
            prop_assert_eq!(visible_width(line.as_str()), line.width());
        }
        let clean = output(&text);
        prop_assert!(!clean.chars().any(|ch| ch.is_control() && !matches!(ch, '\n' | '\t' | '\x1b')));
        let clean = plain(&text);
        prop_assert!(!clean.chars().any(|ch| ch.is_control() && !matches!(ch, '\n' | '\t')));
    }
}
