use proptest::prelude::*;
use tau_view::ansi;
use tau_view::width::{grapheme_width, graphemes, visible_width};

#[test]
fn widths_of_what_terminals_draw_differently() {
    let widths = [
        ("plain", 5),
        ("", 0),
        ("\t", 3),
        ("你好", 4),
        ("ｗｉｄｅ", 8),
        ("é", 1),
        ("e\u{301}", 1),
        ("👍", 2),
        ("👋🏽", 2),
        ("👨‍👩‍👧", 2),
        ("❤️", 2),
        ("❤", 1),
        ("1️⃣", 2),
        ("🇩🇪", 2),
        ("🇩", 2),
        ("\u{200b}", 0),
        ("กำ", 2),
        ("\x1b[1mbold\x1b[0m", 4),
        ("\x1b]8;;https://x.y\x07link\x1b]8;;\x07", 4),
        ("a\x1b_pi:c\x07b", 2),
        ("\x1b[31", 3),
    ];
    let measured: Vec<(&str, usize)> = widths.iter().map(|(text, _)| (*text, visible_width(text))).collect();
    assert_eq!(measured, widths);
}

#[test]
fn stripping_leaves_only_what_is_seen() {
    assert_eq!(ansi::strip("\x1b[1ma\x1b]8;;u\x1b\\b\x1b]8;;\x1b\\ \x1b[K\x1b[oops"), "ab \x1b[oops");
}

proptest! {
    #[test]
    fn text_is_as_wide_as_its_clusters(text in "[^\x1b\t]{0,20}") {
        prop_assert_eq!(visible_width(&text), graphemes(&text).map(grapheme_width).sum::<usize>());
    }

    #[test]
    fn styles_take_no_room(text in super::styled_text()) {
        let stripped = ansi::strip(&text);
        prop_assert!(visible_width(&text) <= visible_width(&stripped) || stripped.contains('\x1b'));
    }
}
