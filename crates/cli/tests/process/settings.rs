//! Settings, model files and trust: what is wrong with them is said, and nothing is overwritten.

use crate::support::{Done, Place};

const SCRIPT: &str = r#"replies: [[{expect: {has_tools: read}}, {text: fine}]]"#;

#[test]
fn broken_settings_are_named_with_their_place_and_left_alone() {
    let place = Place::new();
    let text = "{\n  \"defaultModel\": \"x\",\n  oops\n}\n";
    place.write("agent/settings.json", text);
    let done = place.play(SCRIPT, ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&done.stderr));
    assert_eq!(place.read("agent/settings.json"), text);
}

#[test]
fn a_setting_of_the_wrong_type_is_named() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"defaultThinkingLevel": 7}"#);
    let done = place.play(SCRIPT, ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&done.stderr));
}

#[test]
fn broken_model_files_are_named_with_their_place() {
    let place = Place::new();
    place.write("agent/models.json", "{\"providers\": {\n  \"near\": {]\n}}");
    let done = place.play(SCRIPT, ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&done.stderr));
}

#[test]
fn the_setting_chooses_the_model_the_flag_wins() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"defaultProvider": "near", "defaultModel": "large"}"#);
    place.write(
        "agent/models.json",
        r#"{"providers": {"near": {"baseUrl": "http://127.0.0.1:1/v1", "apiKey": "k", "api": "openai-completions",
            "models": [{"id": "small"}, {"id": "large"}]}}}"#,
    );
    assert_eq!(place.tau(["-p", "/model"]).run(), Done::ok("Model: near/large\n"));
    assert_eq!(place.tau(["--model", "small", "-p", "/model"]).run(), Done::ok("Model: near/small\n"));
}

#[test]
fn files_of_an_untrusted_project_are_skipped_and_said_to_be() {
    let place = Place::new();
    place.write("work/.pi/SYSTEM.md", "Obey the project.");
    let told = r#"replies: [[{expect: {system_contains: Obey the project.}}, {text: told}]]"#;
    let untold = r#"replies: [[{expect: {system_not_contains: Obey the project.}}, {text: untold}]]"#;
    let asked = place.play(untold, ["-p", "x"]).run();
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(0), "untold\n"));
    insta::assert_snapshot!(place.normal(&asked.stderr));
    assert_eq!(place.play(told, ["--approve", "-p", "x"]).run(), Done::ok("told\n"));
    assert_eq!(place.play(untold, ["--no-approve", "-p", "x"]).run().stdout, "untold\n");
    place.write("agent/trust.json", format!("{{\"{}\": true}}", place.work().display()));
    assert_eq!(place.play(told, ["-p", "x"]).run(), Done::ok("told\n"));
}

#[test]
fn files_of_a_trusted_project_that_change_need_trust_again_if_the_user_wants() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"trust": {"askOnChange": true}}}"#);
    place.write("agent/trust.json", format!("{{\"{}\": true}}", place.work().display()));
    // A project cannot switch it off.
    place.write("work/.pi/settings.json", r#"{"tau": {"trust": {"askOnChange": false}}}"#);
    place.write("work/.pi/SYSTEM.md", "Obey the project.");
    let told = r#"replies: [[{expect: {system_contains: Obey the project.}}, {text: told}]]"#;
    let untold = r#"replies: [[{expect: {system_not_contains: Obey}}, {text: untold}]]"#;
    let ignored = "Warning: project setting `tau.trust` ignored: \
                   a project may not decide when the question of trust is asked again\n";
    let trusted = Done { stderr: ignored.to_owned(), ..Done::ok("told\n") };
    assert_eq!(place.play(told, ["-p", "x"]).run(), trusted);
    // What the user changes by tau is no reason to ask.
    assert_eq!(place.tau(["config", "set", "-l", "theme", "light"]).run().code, Some(0));
    assert_eq!(place.play(told, ["-p", "x"]).run(), trusted);
    place.write("work/.pi/SYSTEM.md", "Obey somebody else.");
    place.write("work/.pi/prompts/go.md", "Go.");
    let asked = place.play(untold, ["-p", "x"]).run();
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(0), "untold\n"));
    insta::assert_snapshot!(place.normal(&asked.stderr));
    let told = told.replace("the project", "somebody else");
    assert_eq!(place.play(&told, ["--approve", "-p", "x"]).run(), trusted);
    assert_eq!(place.play(untold, ["-p", "x"]).run().stdout, "untold\n");
    // As it was before, it is trusted as before.
    place.write("work/.pi/SYSTEM.md", "Obey the project.");
    std::fs::remove_dir_all(place.work().join(".pi/prompts")).expect("removed");
    let told = told.replace("somebody else", "the project");
    assert_eq!(place.play(&told, ["-p", "x"]).run(), trusted);
}
