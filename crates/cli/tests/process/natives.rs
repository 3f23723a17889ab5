//! What an extension that is part of the program adds to the program: subcommands and settings.

use serde_json::json;
use tau_hooks::{CliCall, Extension, Finding, HandlerError, Registrar, SettingSource, SettingSpec, StateScope};

use crate::support::{Done, Place};

/// Counts how often it was called, as far as a setting says.
pub struct Notes;

async fn notes(call: CliCall) -> Result<u8, HandlerError> {
    let limit = call.api.setting("limit")?;
    let file = call.api.state(StateScope::Project)?.file::<u64>("calls")?;
    match call.args.first().map(String::as_str) {
        Some("fail") => return Err(HandlerError::msg("there is nothing to note")),
        Some("panic") => panic!("what a day"),
        Some("code") => return Ok(7),
        _ => {}
    }
    let source = match limit.source {
        SettingSource::Default => "default",
        SettingSource::User(_) => "user",
        SettingSource::Project(_) => "project",
    };
    let calls = file.change(|calls| *calls += 1).await?;
    println!("{} {calls} {} {source}", call.args.join(" "), limit.value);
    Ok(0)
}

impl Extension for Notes {
    fn name(&self) -> &str {
        "notes"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        registrar.setting(SettingSpec::new("limit", "", 20).schema(json!({"type": "integer"})))?;
        registrar.setting(SettingSpec::new("mine", "", false).of_user())?;
        registrar.check("paper", |_| async {
            Ok(vec![Finding::problem("there is no paper", "Buy some.").at("the drawer")])
        });
        registrar.subcommand("notes", "Count the notes.", "tau notes [WORDS]", notes)?;
        registrar.subcommand("list", "Never reached.", "tau list", |_| async { Ok(1) }).map(drop)
    }
}

fn tau(place: &Place, args: &[&str]) -> Done {
    place.tau_with_scripts(args).env("TAU_TEST_NATIVE", "notes").run()
}

#[test]
fn a_subcommand_of_an_extension_runs_with_its_settings_and_its_state() {
    let place = Place::new();
    assert_eq!(tau(&place, &["notes", "a", "-x"]), Done::ok("a -x 1 20 default\n"));
    place.write("agent/settings.json", r#"{"tau": {"extensions": {"notes": {"limit": 3}}}}"#);
    place.write("work/.pi/settings.json", r#"{"tau": {"extensions": {"notes": {"limit": 2}}}}"#);
    assert_eq!(tau(&place, &["notes"]), Done::ok(" 2 3 user\n"), "nobody trusted the project");
    assert_eq!(tau(&place, &["--approve", "notes"]), Done::ok(" 3 2 project\n"));
    assert_eq!(tau(&place, &["notes", "--help"]), Done::ok("Usage: tau notes [WORDS]\n\nCount the notes.\n"));
}

#[test]
fn a_subcommand_that_fails_says_why() {
    let place = Place::new();
    let failed = tau(&place, &["notes", "fail"]);
    assert!(failed.code != Some(0) && failed.stderr.contains("there is nothing to note"), "{failed:?}");
    let panicked = tau(&place, &["notes", "panic"]);
    assert!(panicked.code != Some(0), "{panicked:?}");
    assert!(panicked.stderr.contains("the subcommand `notes` of <native:notes> crashed"), "{panicked:?}");
    assert_ne!(tau(&place, &["notes", "code"]).code, Some(0));
}

#[test]
fn help_lists_subcommands_of_extensions_and_none_takes_the_name_of_another() {
    let place = Place::new();
    let help = tau(&place, &["--help"]);
    let section = help.stdout.split("Subcommands of extensions:\n").nth(1).expect("a section");
    assert_eq!(section.lines().next(), Some("  tau notes                     Count the notes."));
    assert!(!section.contains("Never reached"), "{section}");
    let list = tau(&place, &["list"]);
    assert_eq!(list.code, Some(0), "{list:?}");
    // Without extensions there is no section.
    assert!(!place.tau(["--help"]).run().stdout.contains("Subcommands of extensions"));
}

#[test]
fn config_knows_the_settings_that_extensions_declare() {
    let place = Place::new();
    place.write(
        "agent/settings.json",
        r#"{"theme": "dark", "tau": {"extensions": {"notes": {"limit": 3, "mime": 1}}}}"#,
    );
    place.write("work/.pi/settings.json", r#"{"tau": {"extensions": {"notes": {"limit": "many", "mine": true}}}}"#);
    let config = |args: &[&str]| {
        let args: Vec<&str> = ["--approve", "config"].into_iter().chain(args.iter().copied()).collect();
        let done = tau(&place, &args);
        assert_eq!(done.code, Some(0), "{done:?}");
        (place.normal(&done.stdout), place.normal(&done.stderr))
    };
    assert_eq!(config(&["get", "tau.extensions.notes.limit"]).0, "3\n");
    assert_eq!(config(&["get", "tau.extensions.notes.mine"]).0, "false\n");
    assert_eq!(
        config(&["why", "tau.extensions.notes.mine"]).0,
        "tau.extensions.notes.mine = false\n  \
         project /ROOT/work/.pi/settings.json: true (ignored: only your own file may set it)\n  \
         user /ROOT/agent/settings.json: not set\n  \
         default: false\n"
    );
    let (list, told) = config(&["list"]);
    assert!(list.contains("tau.extensions.notes.limit = 3  (/ROOT/agent/settings.json)\n"), "{list}");
    let mine = "tau.extensions.notes.mine = false  (default)  [only your own file may set it]\n";
    assert!(list.contains(mine), "{list}");
    for text in [
        "/ROOT/agent/settings.json: tau.extensions.notes.mime is not a setting and has no effect; did you mean mine?",
        "/ROOT/work/.pi/settings.json: tau.extensions.notes.limit is not used: expected integer, got string",
        "project setting `tau.extensions.notes.mine` ignored: only your own file may set it",
    ] {
        assert!(told.contains(text), "{told}");
    }
    // Another program's key, and another value, leave the section as it is.
    assert_eq!(config(&["set", "tau.extensions.notes.limit", "4"]), (String::new(), String::new()));
    assert_eq!(config(&["set", "theme", "light"]), (String::new(), String::new()));
    assert_eq!(config(&["get", "tau.extensions.notes.limit"]).0, "4\n");
}

/// A run says what is wrong, once.
#[test]
fn a_run_says_what_is_wrong_with_settings_of_extensions() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"extensions": {"notes": {"limmit": 3}, "nothing": {}}}}"#);
    let done = place.play_with_scripts("replies: [[{text: fine}]]", &["-p", "x"]).env("TAU_TEST_NATIVE", "notes").run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{done:?}");
    let told = place.normal(&done.stderr);
    for text in [
        "/ROOT/agent/settings.json: tau.extensions.notes.limmit is not a setting and has no effect; did you mean limit?",
        "/ROOT/agent/settings.json: tau.extensions.nothing belongs to no loaded extension that declares settings",
    ] {
        assert_eq!(told.matches(text).count(), 1, "{told}");
    }
}
