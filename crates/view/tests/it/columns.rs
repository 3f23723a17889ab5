use proptest::prelude::*;
use tau_view::ansi;
use tau_view::columns::{composite_line, link_at_column, slice_by_column, slice_with_width};
use tau_view::width::visible_width;

#[test]
fn slices_keep_the_styles_before_them() {
    assert_eq!(slice_by_column("\x1b[31mhello world", 6, 5, true), "\x1b[31mworld");
    assert_eq!(slice_by_column("你好世界", 2, 4, true), "好世");
    assert_eq!(slice_by_column("你好世界", 2, 3, true), "好");
    assert_eq!(slice_by_column("你好世界", 2, 3, false), "好世");
    assert_eq!(slice_by_column("hello", 9, 3, true), "");
}

#[test]
fn overlays_do_not_colour_what_is_around_them() {
    assert_eq!(
        composite_line("\x1b[31mhello world", "XY", 6, 3, 12),
        "\x1b[31mhello \x1b[0m\x1b]8;;\x07XY \x1b[0m\x1b]8;;\x07\x1b[31mld "
    );
    assert_eq!(composite_line("", "X", 2, 1, 4), "  \x1b[0m\x1b]8;;\x07X\x1b[0m\x1b]8;;\x07 ");
}

#[test]
fn links_are_found_by_column() {
    let line = "a\x1b]8;;https://x.y\x07你\x1b]8;;\x07b";
    let link = Some("https://x.y".to_owned());
    assert_eq!([0, 1, 2, 3].map(|column| link_at_column(line, column)), [None, link.clone(), link, None]);
}

proptest! {
    #[test]
    fn slices_are_as_wide_as_they_say(line in super::styled_text(), start in 0usize..20, length in 0usize..20) {
        let (slice, width) = slice_with_width(&line, start, length, true);
        prop_assert!(width <= length);
        prop_assert!(ansi::strip(&line).contains(&ansi::strip(&slice)) || slice.contains('\x1b'));
    }

    #[test]
    fn composited_lines_fill_the_screen(
        base in "[a-z你好 ]{0,30}", overlay in "[a-z你好]{0,10}", start in 0usize..10, width in 1usize..10,
    ) {
        let line = composite_line(&base, &overlay, start, width, 25);
        prop_assert!(visible_width(&line) <= 25, "{line:?}");
        prop_assert!(visible_width(&line) >= 24, "{line:?}");
    }
}
