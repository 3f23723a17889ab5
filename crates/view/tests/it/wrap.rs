use proptest::prelude::*;
use tau_view::ansi;
use tau_view::width::visible_width;
use tau_view::wrap::wrap_text;

#[test]
fn lines_break_between_words_and_inside_long_ones() {
    assert_eq!(wrap_text("the quick brown", 9), ["the quick", "brown"]);
    assert_eq!(wrap_text("a supercalifragilistic b", 8), ["a", "supercal", "ifragili", "stic b"]);
    assert_eq!(wrap_text("one\r\ntwo\rthree\n", 9), ["one", "two", "three", ""]);
    assert_eq!(wrap_text("", 5), [""]);
}

#[test]
fn chinese_breaks_between_any_two_characters() {
    assert_eq!(wrap_text("你好世界 ok", 5), ["你好", "世界", "ok"]);
}

#[test]
fn styles_go_on_and_underlines_do_not_reach_into_padding() {
    assert_eq!(
        wrap_text("\x1b[1;4mbold words\x1b[0m end", 6),
        ["\x1b[1;4mbold\x1b[24m", "\x1b[1;4mwords\x1b[0m", "end"]
    );
    assert_eq!(wrap_text("\x1b[44ma\nb", 6), ["\x1b[44ma", "\x1b[44mb"]);
}

#[test]
fn links_are_closed_and_opened_again_with_their_own_terminator() {
    assert_eq!(
        wrap_text("\x1b]8;;u\x07two words\x1b]8;;\x07", 5),
        ["\x1b]8;;u\x07two\x1b]8;;\x07", "\x1b]8;;u\x07words\x1b]8;;\x07"]
    );
}

#[test]
fn a_link_that_is_too_long_for_terminals_is_not_repeated() {
    let wrapped = |length: usize| wrap_text(&format!("\x1b]8;;{}\x07two words\x1b]8;;\x07", "u".repeat(length)), 5);
    assert!(wrapped(4000)[1].starts_with("\x1b]8;;uuu"));
    assert_eq!(wrapped(5000)[1], "words\x1b]8;;\x07");
}

proptest! {
    #[test]
    fn no_line_is_wider_than_asked(text in super::styled_text(), width in 3usize..40) {
        for line in wrap_text(&text, width) {
            prop_assert!(visible_width(&line) <= width, "{line:?}");
        }
    }

    #[test]
    fn no_text_is_lost(text in super::styled_text(), width in 3usize..40) {
        let text = text.replace("\x1b]0;", "");
        // A sequence that goes over a line break is none any more in the wrapped lines.
        prop_assume!(text.split(['\r', '\n']).all(|line| !ansi::strip(line).contains('\x1b')));
        let seen = |text: &str| ansi::strip(text).chars().filter(|ch| !ch.is_whitespace() && *ch != '\u{feff}').collect::<String>();
        prop_assert_eq!(seen(&wrap_text(&text, width).join("\n")), seen(&text));
    }
}
