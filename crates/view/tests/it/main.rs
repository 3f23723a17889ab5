//! The crate as a front end sees it.

mod bindings;
mod columns;
mod diff;
mod editor;
mod fuzzy;
mod hostile;
mod input;
mod keys;
mod latex;
mod markdown;
mod truncate;
mod untrusted;
mod vi;
mod width;
mod wrap;

use proptest::prelude::*;

/// Text as it comes up in terminals: words, wide characters, styles, links and broken sequences.
fn styled_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,9}",
        3 => Just(" ".to_owned()),
        1 => Just("\n".to_owned()),
        1 => Just("\t".to_owned()),
        2 => prop::sample::select(vec!["你好", "日本語", "👍", "👨‍👩‍👧", "e\u{301}", "🇩🇪", "✈️", "ก็"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["\x1b[1m", "\x1b[4m", "\x1b[31m", "\x1b[48;5;17m", "\x1b[0m", "\x1b[24m"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["\x1b]8;;https://x.y\x07", "\x1b]8;;\x07", "\x1b_marker\x1b\\", "\x1b]0;open"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}
