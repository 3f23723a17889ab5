//! Colour themes, and names that two files want.

use serde_json::{Value, json};
use tau_view::theme::{Color, ColorTheme};

use super::*;
use crate::diagnostic::{Collision, Severity};

/// The text of a theme whose accent is a colour of the palette.
fn theme(name: &str, accent: u8) -> String {
    let dark = ColorTheme::builtin("dark").expect("a theme");
    let colors = dark.foregrounds().chain(dark.backgrounds());
    let mut colors: Value = colors.map(|(name, color)| (name.to_owned(), json!(color.to_string()))).collect();
    colors["accent"] = json!(accent);
    json!({"name": name, "colors": colors}).to_string()
}

impl Place {
    fn theme(&self, path: &str, name: &str, accent: u8) -> PathBuf {
        self.write(path, &theme(name, accent))
    }
}

/// Names, accents and files.
fn themes(place: &Place, resources: &Resources) -> Vec<(String, Option<Color>, String)> {
    let shown = |theme: &Theme| (theme.name.clone(), theme.colors.color("accent"), place.short(&theme.file_path));
    resources.themes.iter().map(shown).collect()
}

fn listed(list: &[(&str, u8, &str)]) -> Vec<(String, Option<Color>, String)> {
    list.iter().map(|(name, accent, path)| ((*name).into(), Some(Color::Indexed(*accent)), (*path).into())).collect()
}

#[test]
fn themes_are_found_everywhere_in_order() {
    let place = place();
    place.theme("work/app/.pi/themes/p.json", "project", 1);
    place.theme("work/app/extra/deep/l.json", "listed", 2);
    place.write("work/app/.pi/settings.json", r#"{"themes": ["../extra"]}"#);
    place.theme("home/.pi/agent/themes/u.json", "user", 3);
    place.theme("home/.pi/agent/themes/below/no.json", "below", 4);
    place.theme("work/app/flagged.json", "flagged", 5);
    place.theme("elsewhere/found.json", "found", 6);
    let options = LoadOptions {
        theme_paths: vec!["flagged.json".into()],
        discovered_themes: vec![DiscoveredPath {
            path: place.root.join("elsewhere").display().to_string(),
            extension: "finder".into(),
        }],
        ..Default::default()
    };
    let all = place.load(true, options.clone());
    let expected = [
        ("listed", 2, "work/app/extra/deep/l.json"),
        ("project", 1, "work/app/.pi/themes/p.json"),
        ("user", 3, "home/.pi/agent/themes/u.json"),
        ("flagged", 5, "work/app/flagged.json"),
        ("found", 6, "elsewhere/found.json"),
    ];
    assert_eq!(themes(&place, &all), listed(&expected));
    assert_eq!(place.diagnostics(&all), [""; 0]);
    assert_eq!(all.themes[4].provenance, Provenance::Extension("finder".into()));

    let untrusted = place.load(false, options.clone());
    assert_eq!(themes(&place, &untrusted), listed(&expected[2..]));
    let none = place.load(true, LoadOptions { no_themes: true, ..options });
    assert_eq!(themes(&place, &none), listed(&expected[3..]));
}

#[test]
fn what_is_wrong_with_a_theme_is_told_with_its_file() {
    let place = place();
    place.write("home/.pi/agent/themes/a.json", "{\n  \"name\": \"a\",\n  colors\n}");
    place.write("home/.pi/agent/themes/b.json", &theme("b", 1).replace("\"mdHr\"", "\"mdRule\""));
    place.write("home/.pi/agent/themes/c.json", &theme("c", 1).replace("\"accent\":1", "\"accent\":\"main\""));
    place.theme("home/.pi/agent/themes/d.json", "d", 1);
    place.write("home/.pi/agent/themes/e.json", &theme("light/dark", 1));
    let resources =
        place.load(false, LoadOptions { theme_paths: vec!["none.json".into(), "../app".into()], ..Default::default() });
    assert_eq!(themes(&place, &resources), listed(&[("d", 1, "home/.pi/agent/themes/d.json")]));
    assert_eq!(
        place.diagnostics(&resources),
        [
            "work/app/none.json: no such file or folder",
            "home/.pi/agent/themes/a.json:3: not JSON: key must be a string at line 3 column 3",
            "home/.pi/agent/themes/b.json: colors lacks mdHr",
            "home/.pi/agent/themes/c.json: colors.accent: there is no variable main",
            "home/.pi/agent/themes/e.json: the name \"light/dark\" has a slash, which stands between two themes in settings",
        ]
    );
}

#[test]
fn of_two_files_that_want_a_name_the_first_counts_and_both_are_told() {
    let place = place();
    let skill = [place.skill("work/app/.pi/skills/x", "same"), place.skill("home/.pi/agent/skills/y", "same")];
    let prompt = ["work/app/.pi/prompts/go.md", "home/.pi/agent/prompts/go.md"].map(|path| place.write(path, "Go."));
    let theme = [
        place.theme("work/app/.pi/themes/one.json", "ocean", 1),
        place.theme("home/.pi/agent/themes/two.json", "ocean", 2),
    ];
    let resources = place.load(true, LoadOptions::default());
    let told: Vec<_> = resources.diagnostics.iter().map(|told| (told.severity, told.collision.clone())).collect();
    let collision = |kind, name: &str, [winner, loser]: [PathBuf; 2]| {
        let name = name.to_owned();
        (Severity::Warning, Some(Collision { resource_type: kind, name, winner_path: winner, loser_path: loser }))
    };
    assert_eq!(
        told,
        [collision("skill", "same", skill), collision("prompt", "go", prompt), collision("theme", "ocean", theme)]
    );
    assert_eq!(
        place.diagnostics(&resources)[2],
        "home/.pi/agent/themes/two.json: the theme ocean is not used: work/app/.pi/themes/one.json has that name"
    );
}

#[test]
fn a_setting_names_one_theme_or_one_for_each_kind_of_terminal() {
    let cases =
        [("day", Some("day"), Some("day")), (" day / night ", Some("day"), Some("night")), ("a/b/c", None, None)];
    for (setting, light, dark) in cases {
        assert_eq!((theme_wanted(setting, true), theme_wanted(setting, false)), (light, dark), "{setting}");
    }
    assert_eq!((theme_wanted("/night", true), theme_wanted("day/", false)), (None, None));
}
