//! Skills, prompt templates and themes of the command line, and what is told about those of everybody.

use serde_json::{Value, json};
use tau_view::theme::ColorTheme;

use crate::support::{Done, Place};

fn theme(name: &str) -> String {
    let dark = ColorTheme::builtin("dark").expect("a theme");
    let colors = dark.foregrounds().chain(dark.backgrounds());
    let colors: Value = colors.map(|(name, color)| (name.to_owned(), Value::from(color.to_string()))).collect();
    json!({"name": name, "colors": colors}).to_string()
}

#[test]
fn what_flags_name_is_loaded_also_when_nothing_else_is() {
    let place = Place::new();
    place.write("agent/skills/mine/SKILL.md", "---\nname: mine\ndescription: Mine.\n---\n");
    place.write("agent/prompts/go.md", "Go there.");
    place.write("agent/themes/broken.json", "{}");
    place.write("work/kit/dig/SKILL.md", "---\nname: dig\ndescription: Digs.\n---\nUse a spade.");
    place.write("work/kit/stay.md", "Stay here.");
    place.write("work/kit/ocean.json", theme("ocean"));
    let flags = ["--skill", "kit/dig", "--prompt-template", "kit/stay.md", "--theme", "kit/ocean.json"];
    let script = r#"replies: [[{expect: {system_contains: "<name>dig</name>", last_user: Stay here.}}, {text: fine}]]"#;
    let none = ["--no-skills", "--no-prompt-templates", "--no-themes", "--use-theme", "ocean", "-p", "/stay"];
    assert_eq!(place.play(script, flags.iter().chain(&none)).run(), Done::ok("fine\n"));
    let script = r#"replies: [[{expect: {last_user: /go}}, {text: fine}]]"#;
    assert_eq!(place.play(script, ["--no-prompt-templates", "--no-themes", "-p", "/go"]).run(), Done::ok("fine\n"));
    let both = place
        .play(r#"replies: [[{expect: {last_user: Go there.}}, {text: fine}]]"#, ["--use-theme", "ocean", "-p", "/go"]);
    let both = both.run();
    assert_eq!((both.code, both.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&both.stderr));
}

#[test]
fn names_that_two_files_want_are_told_at_the_start() {
    let place = Place::new();
    for folder in ["agent", "work/.pi"] {
        place.write(&format!("{folder}/skills/dig/SKILL.md"), "---\nname: dig\ndescription: Digs.\n---\n");
        place.write(&format!("{folder}/prompts/go.md"), "Go.");
        place.write(&format!("{folder}/themes/ocean.json"), theme("ocean"));
    }
    let done = place.play("replies: [[{text: fine}]]", ["--approve", "-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&done.stderr));
}
