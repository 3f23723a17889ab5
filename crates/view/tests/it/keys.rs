use proptest::prelude::*;
use tau_view::keys::{
    KeyModes, decode_kitty_printable, decode_printable, is_key_release, is_key_repeat, matches_key, parse_key,
};

const LEGACY: KeyModes = KeyModes { kitty: false, windows_terminal: false };
const KITTY: KeyModes = KeyModes { kitty: true, windows_terminal: false };

#[test]
fn all_dialects_name_the_same_keys() {
    let keys = [
        ("\x03", "ctrl+c"),
        ("\x1b[99;5u", "ctrl+c"),
        ("\x1b[27;5;99~", "ctrl+c"),
        ("\x1b[1089::99;5u", "ctrl+c"),
        ("\x1b", "escape"),
        ("\x1b[27u", "escape"),
        ("\r", "enter"),
        ("\x1b[57414u", "enter"),
        ("\x1b[Z", "shift+tab"),
        ("\x1b[9;2u", "shift+tab"),
        ("\x1b[A", "up"),
        ("\x1bOA", "up"),
        ("\x1b[1;5A", "ctrl+up"),
        ("\x1bOa", "ctrl+up"),
        ("\x1b[5~", "pageUp"),
        ("\x1b[1~", "home"),
        ("\x1bOP", "f1"),
        ("\x1b[P", "f1"),
        ("\x1b[1;5P", "ctrl+f1"),
        ("\x1b[1;2S", "shift+f4"),
        ("\x1b[13~", "f3"),
        ("\x1b[13;5~", "ctrl+f3"),
        ("\x1b[15;3~", "alt+f5"),
        ("\x1b[17;1:1~", "f6"),
        ("\x1b[21;6~", "shift+ctrl+f10"),
        ("\x1b[24;5~", "ctrl+f12"),
        ("\x1b\x7f", "alt+backspace"),
        ("\x1bx", "alt+x"),
        ("\x1b\x18", "ctrl+alt+x"),
        ("\x1b[97;65u", "a"),
        ("\x1b[97;9u", "super+a"),
        ("\x1f", "ctrl+-"),
        ("/", "/"),
    ];
    for (data, id) in keys {
        assert_eq!(parse_key(data, LEGACY).as_deref(), Some(id), "{data:?}");
        assert!(matches_key(data, id, LEGACY), "{data:?} is {id}");
    }
}

#[test]
fn other_keys_do_not_match() {
    for (data, id) in
        [("\x03", "c"), ("\x1b[99;6u", "ctrl+c"), ("a", "shift+a"), ("\x1b[A", "down"), ("x", ""), ("x", "ctrl+")]
    {
        assert!(!matches_key(data, id, LEGACY), "{data:?} is not {id}");
    }
    assert_eq!(parse_key("two", LEGACY), None);
}

#[test]
fn a_symbol_that_needs_shift_is_a_key_of_its_own() {
    // ctrl, shift and `=`, in both dialects.
    for data in ["\x1b[61:43;6u", "\x1b[27;6;43~"] {
        assert_eq!(parse_key(data, KITTY).as_deref(), Some("ctrl++"), "{data:?}");
        assert!(matches_key(data, "ctrl++", KITTY), "{data:?}");
        assert!(!matches_key(data, "ctrl+=", KITTY), "{data:?}");
    }
    assert!(matches_key("+", "+", LEGACY) && matches_key("\x1b+", "alt++", LEGACY));
    assert!(matches_key("\x1b[61:43;6u", "shift+ctrl+=", KITTY));
    // Letters with shift stay what they are.
    assert_eq!(parse_key("\x1b[97:65;6u", KITTY).as_deref(), Some("shift+ctrl+a"));
    for wrong in ["+ctrl", "ctrl+ctrl+a", "hyper+a", "a+", "ctrl+a+b", "++"] {
        assert!(!["a", "\x01", "+"].iter().any(|data| matches_key(data, wrong, LEGACY)), "{wrong}");
    }
}

#[test]
fn function_keys_beyond_the_twelfth_are_nothing() {
    for data in ["\x1b[57376u", "\x1b[25~", "\x1b[1;5R", "\x1b[16~", "\x1b[22~"] {
        assert_eq!((parse_key(data, KITTY), decode_printable(data)), (None, None), "{data:?}");
    }
    assert!(is_key_release("\x1b[1;1:3P") && is_key_repeat("\x1b[1;1:2S"));
}

#[test]
fn a_remapped_layout_goes_by_its_own_letters() {
    // The key at the place of `v` types `k`: only `k` counts.
    assert!(matches_key("\x1b[107::118;5u", "ctrl+k", LEGACY));
    assert!(!matches_key("\x1b[107::118;5u", "ctrl+v", LEGACY));
}

#[test]
fn ambiguous_bytes_depend_on_the_terminal() {
    assert_eq!(["\x1b\r", "\n"].map(|data| parse_key(data, LEGACY)), [Some("alt+enter".into()), Some("enter".into())]);
    assert_eq!(
        ["\x1b\r", "\n"].map(|data| parse_key(data, KITTY)),
        [Some("shift+enter".into()), Some("shift+enter".into())]
    );
    let windows = KeyModes { kitty: false, windows_terminal: true };
    assert_eq!(parse_key("\x08", LEGACY).as_deref(), Some("backspace"));
    assert_eq!(parse_key("\x08", windows).as_deref(), Some("ctrl+backspace"));
}

#[test]
fn presses_repeats_and_releases_are_told_apart() {
    assert_eq!([is_key_release("\x1b[97;1:3u"), is_key_repeat("\x1b[97;1:3u")], [true, false]);
    assert_eq!([is_key_release("\x1b[1;1:2A"), is_key_repeat("\x1b[1;1:2A")], [false, true]);
    assert!(!is_key_release("\x1b[200~90:62:3F:A5\x1b[201~"));
}

#[test]
fn printable_keys_are_decoded_unless_modified() {
    assert_eq!(decode_kitty_printable("\x1b[97u"), Some('a'));
    assert_eq!(decode_kitty_printable("\x1b[97:65;2u"), Some('A'));
    assert_eq!(decode_kitty_printable("\x1b[57401u"), Some('2'));
    assert_eq!(decode_kitty_printable("\x1b[97;5u"), None);
    assert_eq!(decode_kitty_printable("\x1b[13u"), None);
    assert_eq!(decode_printable("\x1b[27;2;196~"), Some('Ä'));
}

proptest! {
    #[test]
    fn what_a_key_is_called_matches_it(code in 97i64..123, modifiers in 1i64..17) {
        let data = format!("\x1b[{code};{modifiers}u");
        let id = parse_key(&data, LEGACY).unwrap();
        prop_assert!(matches_key(&data, &id, LEGACY), "{} {}", data, id);
    }

    #[test]
    fn anything_can_be_asked(data in any::<String>(), id in any::<String>()) {
        let matched = matches_key(&data, &id, LEGACY);
        prop_assert!(!matched || parse_key(&data, LEGACY).is_some());
    }
}
