use proptest::prelude::*;
use tau_view::ansi::{Piece, pieces};
use tau_view::untrusted::{Cleaner, output, plain, visible};

#[test]
fn plain_text_has_no_sequences() {
    for (text, cleaned) in [
        ("a\u{1b}[31mb\u{1b}[0m\tc\r\nd", "ab\tc\nd"),
        ("\u{1b}]52;c;eA==\u{7}a\u{1b}]0;t\u{1b}\\b", "ab"),
        ("\u{1b}Pq#0\u{1b}\\a\u{1b}_x\u{1b}\\b\u{1b}^x\u{1b}\\c\u{1b}Xx\u{1b}\\d", "abcd"),
        ("\u{9b}2Ja\u{9d}0;t\u{9c}b\u{90}x\u{9c}c\u{85}", "abc"),
        ("a\u{1b}cb\u{1b}(0c\u{1b}", "abc"),
        // What has no end takes no more than its line along.
        ("\u{1b}]0;title\nnext", "\nnext"),
        ("\u{1b}[12\nnext", "\nnext"),
        ("\u{1b}[1\u{1b}[2Ja", "a"),
        ("a\u{202e}b\u{2066}c\u{2069}\u{200f}d\u{61c}e", "abcde"),
        ("s\u{200b}u\u{feff}d\u{ad}o\u{e0041}\u{e0042}\u{2060}\u{3164}", "sudo"),
        ("a\u{2028}b", "a\nb"),
        (
            "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 🏴\u{e0067}\u{e0062}\u{e007f} क\u{200d}",
            "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 🏴\u{e0067}\u{e0062}\u{e007f} क\u{200d}",
        ),
        ("\u{7}\u{8}\u{b}\u{c}\u{7f}", ""),
    ] {
        assert_eq!(plain(text), cleaned, "{text:?}");
    }
}

#[test]
fn what_somebody_must_judge_is_shown_whole() {
    assert_eq!(
        visible("rm\u{1b}[8m -rf\u{7f}\r\u{202e}\u{200b}\n\tx\u{9b}"),
        "rm␛[8m -rf␡␍<U+202E><U+200B>\n\tx<U+009B>"
    );
    assert_eq!(visible("🏴\u{7}\u{e0061} 🏴\u{200b}\u{e0061}"), "🏴␇<U+E0061> 🏴<U+200B><U+E0061>");
    assert_eq!(visible("你好 👨\u{200d}👩"), "你好 👨\u{200d}👩");
}

#[test]
fn output_ends_as_a_terminal_shows_it() {
    for (text, shown) in [
        ("10%\r50%\r100%\n", "100%\n"),
        ("50%\r", "50%"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("long line\rshort\n", "shortline\n"),
        ("long line\r\u{1b}[Kshort", "short"),
        ("long line\u{1b}[2K\rshort", "short"),
        ("abc\u{8}\u{8}X", "aXc"),
        ("a\u{8}\u{8}\u{8}b", "b"),
        ("ab\u{1b}[5Gx\u{1b}[2Dy\u{1b}[Cz", "ab yxz"),
        ("你好\rx", "x 好"),
        ("你好\u{8}x", "你 x"),
        ("e\u{301}\rx", "x"),
        ("a\tb", "a\tb"),
        ("a\tb\rx", "x       b"),
        ("\u{1b}[31mred\u{1b}[0m \u{1b}[2Jx\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}", "\u{1b}[31mred\u{1b}[0m xlink"),
        ("\u{1b}[1;8mx\u{1b}[8m\u{1b}[38;5;8;5my", "\u{1b}[1mx\u{1b}[38;5;8my"),
        ("\u{1b}[;5mx\u{1b}[008;8:1;1my", "\u{1b}[0mx\u{1b}[1my"),
        ("\u{1b}[31mred\rab", "\u{1b}[0m\u{1b}[31mabd"),
        ("\u{1b}[31mred\u{1b}[0m\rab\nnext", "ab\u{1b}[0m\u{1b}[31md\u{1b}[0m\nnext"),
        ("\u{1b}[38:2::1:2:3mx", "\u{1b}[38:2::1:2:3mx"),
    ] {
        assert_eq!(output(text), shown, "{text:?}");
    }
}

#[test]
fn hostile_output_costs_no_more_than_its_length() {
    let size = 200_000;
    for piece in [
        "\u{8}",
        "x\u{8}",
        "\rx",
        "\u{301}",
        "\u{1b}[1K",
        "\u{1b}[999C",
        "\u{1b}[999Cx\u{1b}[2K",
        "\u{1b}[31m",
        "x\u{1b}[1m\r",
        "\u{1b}]0;",
        "\u{1b}[",
        "你\u{8}",
    ] {
        let text = "y".repeat(size) + "\r" + &piece.repeat(size / piece.len());
        output(&text);
        plain(&text);
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => any::<char>().prop_map(String::from),
        3 => "[a-z 你é\t\n]{1,4}".prop_map(String::from),
        3 => "\u{1b}?\\[[0-9;:?]{0,6}[mKGCDHJ]".prop_map(String::from),
        2 => prop::sample::select(vec!["\r", "\u{8}", "\u{1b}", "\u{1b}]8;;x", "\u{7}", "\u{9b}", "\u{9c}", "\u{1b}\\", "\u{1b}P", "\u{301}", "\u{202e}", "🏴", "\u{e0061}", "👍"])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_but_text_is_left(text in hostile()) {
        let cleaned = plain(&text);
        prop_assert!(cleaned.chars().all(|ch| !ch.is_control() || ch == '\n' || ch == '\t'), "{cleaned:?}");
        prop_assert_eq!(&plain(&cleaned), &cleaned);
        let shown = visible(&text);
        prop_assert_eq!(&visible(&shown), &shown);
        prop_assert_eq!(plain(&shown), shown);
    }

    #[test]
    fn nothing_but_text_and_colours_is_left(text in hostile()) {
        let cleaned = output(&text);
        for piece in pieces(&cleaned) {
            match piece {
                Piece::Escape(escape) => prop_assert!(escape.starts_with("\u{1b}[") && escape.ends_with('m'), "{escape:?}"),
                Piece::Text(text) => prop_assert!(text.chars().all(|ch| !ch.is_control() || ch == '\n' || ch == '\t'), "{text:?}"),
            }
        }
        prop_assert_eq!(output(&cleaned), cleaned);
    }

    #[test]
    fn text_in_parts_is_cleaned_as_the_whole(text in hostile(), cuts in prop::collection::vec(0usize..30, 0..4)) {
        let mut cleaner = Cleaner::default();
        let chars: Vec<char> = text.chars().collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(chars.len())).chain([0, chars.len()]).collect();
        cuts.sort_unstable();
        let parts: String = cuts.windows(2).map(|cut| cleaner.clean(&String::from_iter(&chars[cut[0]..cut[1]]))).collect();
        prop_assert_eq!(parts, plain(&text));
    }
}
