//! The status store.

use std::sync::Arc;

use proptest::prelude::*;
use tau_hooks::status::{StatusEntry, StatusStore, sanitize};

fn owner(name: &str) -> Arc<str> {
    name.into()
}

fn store(texts: &[(&str, &str, &str)]) -> StatusStore {
    let store = StatusStore::new();
    for (by, key, text) in texts {
        store.set(owner(by), key, Some((*text).to_owned()));
    }
    store
}

#[test]
fn the_line_is_sorted_by_code_point() {
    let store =
        store(&[("x", "b", "4"), ("x", "é", "6"), ("x", "Z", "3"), ("x", "10", "1"), ("x", "9", "2"), ("x", "z", "5")]);
    assert_eq!(store.line().as_deref(), Some("1 2 3 4 5 6"));
}

#[test]
fn an_empty_store_has_no_line_and_an_empty_text_keeps_its_place() {
    let store = StatusStore::new();
    assert_eq!(store.line(), None);
    store.set(owner("x"), "a", Some("one".into()));
    store.set(owner("x"), "b", Some(String::new()));
    store.set(owner("x"), "c", Some("two".into()));
    assert_eq!(store.line().as_deref(), Some("one  two"));
    for key in ["a", "b", "c"] {
        store.set(owner("x"), key, None);
    }
    assert_eq!(store.line(), None);
}

#[test]
fn entries_show_who_set_a_text_last_and_what_it_was() {
    let store = store(&[("one", "key", "first"), ("two", "key", " second\n\u{1b}[2J"), ("one", "other", "x")]);
    assert_eq!(
        store.entries(),
        [
            StatusEntry {
                key: "key".into(),
                owner: owner("two"),
                raw: " second\n\u{1b}[2J".into(),
                text: "second".into()
            },
            StatusEntry { key: "other".into(), owner: owner("one"), raw: "x".into(), text: "x".into() },
        ]
    );
}

#[test]
fn an_extension_that_goes_takes_only_its_texts_along() {
    let store = store(&[("one", "a", "A"), ("two", "b", "B"), ("one", "c", "C"), ("two", "c", "C2")]);
    store.remove_owner("one");
    assert_eq!(store.line().as_deref(), Some("B C2"));
}

#[test]
fn any_extension_may_remove_any_key() {
    let store = store(&[("one", "a", "A")]);
    store.set(owner("two"), "a", None);
    assert_eq!(store.entries(), []);
}

#[tokio::test]
async fn the_version_moves_with_every_change_and_only_then() {
    let store = StatusStore::new();
    let mut changes = store.subscribe();
    let mut versions = vec![store.version()];
    let mut note = |store: &StatusStore| versions.push(store.version());

    store.set(owner("one"), "a", None);
    note(&store);
    store.set(owner("one"), "a", Some("A".into()));
    note(&store);
    store.set(owner("one"), "a", Some("A".into()));
    note(&store);
    store.set(owner("two"), "a", Some("A".into()));
    note(&store);
    store.remove_owner("one");
    note(&store);
    store.remove_owner("two");
    note(&store);
    assert_eq!(versions, [0, 0, 1, 1, 2, 2, 3]);

    changes.changed().await.unwrap();
    assert_eq!(*changes.borrow_and_update(), 3);
    assert!(!changes.has_changed().unwrap());
}

#[test]
fn text_is_brought_into_one_line() {
    let cases = [
        ("plain", "plain"),
        ("  a \r\n\t b  ", "a b"),
        ("a\u{0}b\u{7f}c\u{9b}d\u{8}", "abcd"),
        ("a \u{7} b", "a b"),
        ("ein Gruß 👋🏽 日本", "ein Gruß 👋🏽 日本"),
        // Colours and hyperlinks stay.
        ("\u{1b}[1;38;5;208mhot\u{1b}[0m", "\u{1b}[1;38;5;208mhot\u{1b}[0m"),
        ("\u{1b}[38:2::1:2:3mx\u{1b}[m", "\u{1b}[38:2::1:2:3mx\u{1b}[m"),
        ("\u{1b}]8;;http://a/\u{7}a\u{1b}]8;;\u{7}", "\u{1b}]8;;http://a/\u{7}a\u{1b}]8;;\u{7}"),
        ("\u{1b}]8;;http://a/\u{1b}\\a\u{1b}]8;;\u{1b}\\", "\u{1b}]8;;http://a/\u{1b}\\a\u{1b}]8;;\u{1b}\\"),
        ("\u{1b}]8;;a  b\u{7}x\u{1b}]8;;\u{7}", "\u{1b}]8;;a b\u{7}x\u{1b}]8;;\u{7}"),
        // What would do more than that goes.
        ("a\u{1b}[2J\u{1b}[10;10Hb", "ab"),
        ("a\u{1b}[?25lb\u{1b}[>4;1mc", "abc"),
        ("a\u{1b}]52;c;aGk=\u{7}b\u{1b}]0;title\u{1b}\\c", "abc"),
        ("a\u{1b}Pq#0\u{1b}\\b\u{1b}_G\u{1b}\\c", "abc"),
        ("a\u{1b}cb\u{1b}(Bc\u{1b}7d", "abcd"),
        // Sequences that are not complete take nothing else along.
        ("a\u{1b}", "a"),
        ("a\u{1b}[31", "a"),
        ("a\u{1b}[31\u{e9}b", "aéb"),
        ("a\u{1b}]0;never ended", "a0;never ended"),
        ("a\u{1b}]0;cut\nb", "a0;cut b"),
        ("a\u{1b}é", "aé"),
    ];
    for (raw, shown) in cases {
        assert_eq!(sanitize(raw), shown, "{raw:?}");
    }
}

proptest! {
    #[test]
    fn what_is_shown_is_one_clean_line(text in r"(?s)[a\x20\n\t\[\];8m0-9\\\x1b\x07\u{9b}\u{e9}?A-H]{0,40}|(?s).{0,40}") {
        let shown = sanitize(&text);
        prop_assert_eq!(&sanitize(&shown), &shown);
        prop_assert!(!shown.contains("  "), "{:?}", shown);
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\u{1b}' && c != '\u{7}'), "{:?}", shown);
        // Each escape begins a colour or a hyperlink, or ends one.
        for (at, _) in shown.match_indices('\u{1b}') {
            let rest = &shown[at + 1..];
            prop_assert!(rest.starts_with('[') || rest.starts_with("]8;") || rest.starts_with('\\'), "{:?}", shown);
        }
    }
}
