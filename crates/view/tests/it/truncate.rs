use proptest::prelude::*;
use tau_view::ansi;
use tau_view::truncate::{ELLIPSIS, truncate_to_width};
use tau_view::width::visible_width;

#[test]
fn what_fits_stays_as_it_is() {
    assert_eq!(truncate_to_width("fits", 4, ELLIPSIS, false), "fits");
    assert_eq!(truncate_to_width("fits", 6, ELLIPSIS, true), "fits  ");
    assert_eq!(truncate_to_width("你好", 4, "…", false), "你好");
}

#[test]
fn what_does_not_is_reset_and_marked() {
    assert_eq!(truncate_to_width("too long", 6, ELLIPSIS, false), "too\x1b[0m...\x1b[0m");
    assert_eq!(truncate_to_width("too long", 6, "", false), "too lo\x1b[0m");
    assert_eq!(truncate_to_width("你好世界", 6, "…", true), "你好\x1b[0m…\x1b[0m ");
    assert_eq!(
        truncate_to_width("\x1b]8;;u\x07a long link\x1b]8;;\x07", 4, "…", false),
        "\x1b]8;;u\x07a l\x1b]8;;\x07\x1b[0m…\x1b[0m"
    );
}

#[test]
fn an_ellipsis_that_does_not_fit_is_cut() {
    assert_eq!(truncate_to_width("long", 2, ELLIPSIS, false), "\x1b[0m..\x1b[0m");
    assert_eq!(truncate_to_width("long", 0, ELLIPSIS, true), "");
}

proptest! {
    #[test]
    fn the_width_is_kept(text in super::styled_text(), width in 0usize..40, pad: bool) {
        let text = text.replace("\x1b]0;", "");
        // A sequence without its end is text, until something behind it looks like the end.
        prop_assume!(!ansi::strip(&text).contains('\x1b'));
        let cut = truncate_to_width(&text, width, ELLIPSIS, pad);
        prop_assert!(visible_width(&cut) <= width, "{cut:?}");
        if pad {
            prop_assert_eq!(visible_width(&cut), width, "{:?}", cut);
        }
    }
}
