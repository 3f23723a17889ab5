//! Themes: which one is shown, and when it changes.

use serde_json::{Value, json};
use vt100::Color;

use super::Seat;
use crate::place::Place;

const NOTHING: &str = "replies: []";

/// A theme whose rules around lists have this colour of the palette.
fn theme(name: &str, border: u8) -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/themes/ocean.json");
    let text = std::fs::read_to_string(file).expect("a theme");
    let mut theme: Value = serde_json::from_str(&text).expect("JSON");
    theme["name"] = name.into();
    theme["colors"]["border"] = border.into();
    theme.to_string()
}

/// Opens a list.
fn opens_list(seat: &mut Seat) {
    seat.is_ready();
    seat.types("/thinking\r");
    seat.shows("Thinking level");
}

fn rule(seat: &Seat) -> Color {
    seat.colours("─")[0]
}

/// Waits until the rules around the list have a colour.
fn rule_is(seat: &mut Seat, colour: u8) {
    seat.until_true(&format!("the colour {colour}"), |seat| rule(seat) == Color::Idx(colour));
}

#[test]
fn a_theme_is_shown_while_it_is_selected_and_kept_when_chosen() {
    let place = Place::new();
    place.write("agent/themes/mine.json", theme("mine", 196));
    let mut seat = Seat::new(place, NOTHING, &[]);
    seat.is_ready();
    seat.types("/theme\r");
    seat.shows("→ ✓ dark");
    let before = rule(&seat);
    seat.types("mine");
    seat.shows("→ mine");
    rule_is(&mut seat, 196);
    // It is gone when the list is left.
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("→ mine"));
    seat.types("/theme\r");
    seat.shows("→ ✓ dark");
    assert_eq!(rule(&seat), before);
    assert_ne!(before, Color::Idx(196));
    seat.types("mine");
    seat.shows("→ mine");
    seat.types("\r");
    seat.shows("Theme: mine");
    let kept: Value = serde_json::from_str(&seat.place.read("agent/settings.json")).expect("JSON");
    assert_eq!(kept, json!({"theme": "mine"}));
    seat.types("/theme\r");
    seat.shows("→ ✓ mine");
    rule_is(&mut seat, 196);
    // Without a list, too, and one that is not there changes nothing.
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("✓ mine"));
    seat.types("/theme nothing\r");
    seat.shows("There is no theme \"nothing\"");
    // What failed is in the editor again.
    seat.until("the command", |screen| screen.lines().any(|line| line == "/theme nothing"));
    seat.types("\x03");
    seat.until("an empty editor", |screen| screen.lines().all(|line| line != "/theme nothing"));
    seat.types("/theme dark\r");
    seat.shows("Theme: dark");
    seat.types("/theme\r");
    seat.shows("→ ✓ dark");
    seat.until_true("the previous colour", |seat| rule(seat) == before);
}

#[test]
fn a_theme_file_that_changes_is_shown_at_once_and_a_broken_one_is_named() {
    for (folder, args) in [("agent", &[][..]), ("work/.pi", &["--approve"])] {
        let place = Place::new();
        let file = format!("{folder}/themes/mine.json");
        place.write(&file, theme("mine", 196));
        place.write("agent/settings.json", r#"{"theme": "mine"}"#);
        let mut seat = Seat::new(place, NOTHING, args);
        opens_list(&mut seat);
        rule_is(&mut seat, 196);
        seat.place.write(&file, theme("mine", 46));
        rule_is(&mut seat, 46);
        seat.place.write(&file, "{ broken");
        seat.shows("mine.json:1: ");
        assert_eq!(rule(&seat), Color::Idx(46));
        // One that is gone is waited for.
        std::fs::remove_file(seat.place.root().join(&file)).expect("it is removed");
        seat.place.write(&file, theme("mine", 21));
        rule_is(&mut seat, 21);
        seat.place.write(&file, theme("other", 51));
        seat.shows("is called \"other\" now");
        assert_eq!(rule(&seat), Color::Idx(21));
    }
}

#[test]
fn the_command_line_extensions_and_the_terminal_have_a_say_in_the_theme() {
    let with_themes = |settings: &str| {
        let place = Place::new();
        place.write("agent/themes/mine.json", theme("mine", 196));
        place.write("agent/themes/other.json", theme("other", 46));
        place.write("agent/settings.json", settings);
        place
    };
    // For one run.
    let mut seat = Seat::new(with_themes(r#"{"theme": "other"}"#), NOTHING, &["--use-theme", "mine"]);
    opens_list(&mut seat);
    rule_is(&mut seat, 196);
    assert_eq!(seat.place.read("agent/settings.json"), r#"{"theme": "other"}"#);
    // The first of two is for light terminals.
    for (background, colour) in [("0;15", 196), ("15;0", 46)] {
        let place = with_themes(r#"{"theme": "mine/other"}"#);
        let mut seat = Seat::with(place, NOTHING, &[], &[("COLORFGBG", background)]);
        opens_list(&mut seat);
        rule_is(&mut seat, colour);
    }
    // By an extension.
    let place = with_themes("{}");
    place.write(
        "agent/extensions/paint.ts",
        "export default (pi) => pi.registerCommand('paint', { description: 'paints', handler: async (_, ctx) => {
            ctx.ui.setTheme('other');
            await ctx.ui.select('Painted?', ['yes']);
        }});",
    );
    let mut seat = Seat::new(place, NOTHING, &[]);
    seat.is_ready();
    seat.types("/paint\r");
    seat.shows("Painted?");
    rule_is(&mut seat, 46);
}

#[test]
fn a_theme_that_is_an_object_is_shown_and_not_kept() {
    let place = Place::new();
    place.write("agent/themes/mine.json", theme("mine", 196));
    place.write("agent/themes/other.json", theme("other", 46));
    place.write("agent/settings.json", r#"{"theme": "mine"}"#);
    place.write(
        "agent/extensions/paint.ts",
        "export default (pi) => pi.registerCommand('paint', { description: 'paints', handler: async (_, ctx) => {
            const done = ctx.ui.setTheme(ctx.ui.getTheme('other'));
            await ctx.ui.select('Painted ' + done.success + ' ' + ctx.ui.theme.name, ['yes']);
            ctx.ui.setTheme('mine');
            await ctx.ui.select('As before', ['yes']);
        }});",
    );
    let mut seat = Seat::new(place, NOTHING, &[]);
    seat.is_ready();
    seat.types("/paint\r");
    seat.shows("Painted true other");
    rule_is(&mut seat, 46);
    assert_eq!(seat.place.read("agent/settings.json"), r#"{"theme": "mine"}"#);
    seat.types("\r");
    seat.shows("As before");
    rule_is(&mut seat, 196);
}

#[test]
fn a_reload_brings_keys_commands_and_themes() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    seat.is_ready();
    seat.place.write("agent/keybindings.json", r#"{"app.session.tree": "f4", "no.such.action": "f5"}"#);
    seat.place.write(
        "agent/extensions/late.ts",
        "export default (pi) => pi.registerCommand('greet', { description: 'says hello', handler: async () => {} });",
    );
    seat.place.write("agent/themes/mine.json", theme("mine", 196));
    seat.place.write("agent/settings.json", r#"{"theme": "mine"}"#);
    seat.types("/reload\r");
    seat.shows("Reloaded. Extensions: 1");
    // What is wrong is said.
    seat.shows("no.such.action");
    seat.types("\x1bOS");
    seat.shows("Session tree");
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("Session tree"));
    seat.types("/gree");
    seat.shows("says hello");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("/gree"));
    seat.types("/thinking\r");
    seat.shows("Thinking level");
    rule_is(&mut seat, 196);
}

#[test]
fn the_background_of_the_terminal_decides_and_is_asked_for_again_when_it_changes() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    opens_list(&mut seat);
    let dark = rule(&seat);
    // The answer to what was asked at the start, late.
    seat.types("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    seat.until_true("the light theme", |seat| rule(seat) != dark);
    let light = rule(&seat);
    seat.types("\x1b[?997;2n");
    seat.types("\x1b[?997;1n");
    let asked = |seat: &Seat| String::from_utf8_lossy(&seat.bytes).matches("\x1b]11;?").count();
    seat.until_true("another question", |seat| asked(seat) == 2);
    assert_eq!(rule(&seat), light);
    seat.types("\x1b]11;rgb:0000/0000/0000\x1b\\");
    seat.until_true("the dark theme", |seat| rule(seat) == dark);
    assert_eq!(asked(&seat), 2);
}
