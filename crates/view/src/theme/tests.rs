use proptest::collection::vec;
use serde_json::{Value, json};

use super::*;

/// A whole theme with some of its parts replaced; `null` removes one.
fn with(changes: Value) -> String {
    let mut theme: Value = serde_json::from_str(include_str!("dark.json")).expect("JSON");
    merge(&mut theme, changes);
    theme.to_string()
}

fn merge(into: &mut Value, changes: Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (key, value) in changes {
                match value {
                    Value::Null => drop(into.remove(&key)),
                    value => merge(into.entry(key).or_insert(Value::Null), value),
                }
            }
        }
        (into, value) => *into = value,
    }
}

fn wrong(text: &str) -> String {
    ColorTheme::parse(text).expect_err("an error").to_string()
}

#[test]
fn built_in_themes_have_every_colour() {
    for name in ColorTheme::BUILTIN {
        let theme = ColorTheme::builtin(name).expect("a theme");
        assert_eq!(theme.name, name);
        assert!(TOKENS.iter().all(|token| theme.color(token.name).is_some()), "{name}");
        assert_eq!(theme.foregrounds().count() + theme.backgrounds().count(), TOKENS.len());
    }
    assert_eq!(ColorTheme::builtin("Dark"), None);
}

#[test]
fn colours_are_written_in_four_ways() {
    let colors = json!({"accent": "#0aF1b2", "error": 7, "warning": 7.0, "muted": "", "dim": "far", "mine": 255});
    let export = json!({"pageBg": "near", "cardBg": "", "infoBg": 1});
    let vars = json!({"far": "near", "near": "#010203"});
    let theme = ColorTheme::parse(&with(json!({"colors": colors, "vars": vars, "export": export}))).expect("a theme");
    let colors = ["accent", "error", "warning", "muted", "dim", "mine", "nobodys"].map(|name| theme.color(name));
    let near = Color::Rgb(1, 2, 3);
    assert_eq!(
        colors,
        [
            Some(Color::Rgb(10, 241, 178)),
            Some(Color::Indexed(7)),
            Some(Color::Indexed(7)),
            Some(Color::Terminal),
            Some(near),
            Some(Color::Indexed(255)),
            None,
        ]
    );
    let export = ExportColors { page: Some(near), card: Some(Color::Terminal), info: Some(Color::Indexed(1)) };
    assert_eq!(theme.export, export);
    let shown = [Color::Rgb(10, 241, 178), Color::Indexed(7), Color::Terminal].map(|color| color.to_string());
    assert_eq!(shown, ["#0af1b2", "7", ""]);
}

#[test]
fn colours_are_written_by_how_they_are_seen_too() {
    let read = |text: &str| {
        let theme = ColorTheme::parse(&with(json!({"colors": {"accent": text}})));
        theme.map(|theme| theme.color("accent").expect("a colour").to_string()).map_err(|error| error.to_string())
    };
    // Red, green, blue and grey by the tables of those who made these spaces.
    for (text, hex) in [
        ("oklch(0.62796 0.25768 29.234)", "#ff0000"),
        ("OKLCH( 86.644%  .29483 142.495deg )", "#00ff00"),
        ("oklch(0.45201 0.31321 264.052)", "#0000ff"),
        ("oklch(0.59987 0 0)", "#808080"),
        ("okhsl(29.2339 1 0.5681)", "#ff0000"),
        ("okhsl(264.06 100% 36.66%)", "#0000ff"),
        ("okhsl(0 0 1)", "#ffffff"),
        ("okhsl(389.2339deg 1 0.5681)", "#ff0000"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(hex), "{text}");
    }
    for text in [
        "oklch(1.1 0 0)",
        "oklch(0.5 -1 0)",
        "oklch(0.5 0.1)",
        "oklch(0.5 0.1 0 0)",
        "okhsl(0 2 0.5)",
        "okhsl(x 1 1)",
        "oklch(0.5 0.1 0",
        "oklch(inf 0 0)",
        "oklch(1e-1 0 0)",
    ] {
        let wrong = format!(
            "colors.accent: {text:?} is not of the form oklch(L C H) or okhsl(H S L), with the parts in their bounds"
        );
        assert_eq!(read(text), Err(wrong));
    }
    let reserved = ColorTheme::parse(&with(json!({"name": "system"}))).expect_err("an error").to_string();
    assert_eq!(reserved, "the name \"system\" is that of the theme made of the terminal's colours");
}

#[test]
fn some_colours_may_be_left_out() {
    let without = json!({
        "colors": {"scrollbarTrack": null, "scrollbarThumb": null, "thinkingMax": null, "searchMatchBg": null,
                   "searchMatchText": null, "muted": 1, "text": 2, "thinkingXhigh": 3, "selectedBg": 4}
    });
    let theme = ColorTheme::parse(&with(without)).expect("a theme");
    let optional = ["scrollbarTrack", "scrollbarThumb", "thinkingMax", "searchMatchBg", "searchMatchText"];
    let expected = [1, 2, 3, 4, 2].map(|index| Some(Color::Indexed(index)));
    assert_eq!(optional.map(|name| theme.color(name)), expected);
}

#[test]
fn a_theme_may_say_which_background_it_is_made_for() {
    let said = |changes: Value| ColorTheme::parse(&with(changes)).expect("a theme").appearance;
    let cases = [json!({}), json!({"appearance": "light"}), json!({"appearance": "dark"})].map(said);
    assert_eq!(cases, [None, Some(Appearance::Light), Some(Appearance::Dark)]);
    let short = ColorTheme::parse(&with(json!({"colors": {"accent": "#aF1"}}))).expect("a theme");
    assert_eq!(short.color("accent"), Some(Color::Rgb(0xaa, 0xff, 0x11)));
}

#[test]
fn everything_that_is_wrong_is_told() {
    let all = with(json!({
        "name": "a/b",
        "vars": {"round": "again", "again": "round", "short": "#abcd"},
        "colors": {"accent": null, "border": null, "error": "round", "text": "nowhere", "dim": 256, "muted": -1,
                   "success": true, "mdHr": "#+12345"},
        "appearance": "grey",
        "export": {"pageBg": []}
    }));
    let cases = [
        wrong("{\n  \"name\": \"x\",\n  colors\n}"),
        wrong("[]"),
        wrong("{}"),
        wrong(r#"{"name": 1, "vars": [], "colors": "dark", "export": 1}"#),
        wrong(&all),
    ];
    insta::assert_snapshot!(cases.join("\n"));
    assert_eq!(ColorTheme::parse("{\n  x").expect_err("an error").line, Some(2));
}

proptest::proptest! {
    /// Whatever a file holds, reading it ends, and a theme that is read has all its colours.
    #[test]
    fn any_variables_can_be_read(vars in vec(("[a-d]", "[a-d]|#[0-9a-f]{3,6}|"), 0..8)) {
        let vars: Value = vars.into_iter().map(|(name, value)| (name, json!(value))).collect();
        let text = with(json!({"vars": vars, "colors": {"accent": "a"}}));
        if let Ok(theme) = ColorTheme::parse(&text) {
            proptest::prop_assert!(TOKENS.iter().all(|token| theme.color(token.name).is_some()));
        }
    }
}

#[test]
fn the_variable_says_what_the_background_is() {
    // What is no number says nothing.
    for light in ["0;15", "0;default;7", "7;default", " 15", "0;231", "0;255"] {
        assert_eq!(Appearance::of_variable(light), Some(Appearance::Light), "{light}");
    }
    for dark in ["15;0", "15;default;0", "15;8", "0;16", "0;240"] {
        assert_eq!(Appearance::of_variable(dark), Some(Appearance::Dark), "{dark}");
    }
    for nothing in ["", "x", ";"] {
        assert_eq!(Appearance::of_variable(nothing), None, "{nothing}");
    }
}
