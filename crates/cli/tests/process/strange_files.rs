//! Files about guards that are there and are not what they should be: nobody may take them for missing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::guards::{BROKEN, GATE, open, run};
use crate::support::Place;

/// Puts something else in the place of a file.
type Spoil = fn(&Path);

const SPOILED: &[(&str, Spoil)] = &[
    ("a link that leads nowhere", |path| symlink("/nonexistent/x", path).expect("a link")),
    ("a link to itself", |path| symlink(path, path).expect("a link")),
    ("a folder", |path| fs::create_dir(path).expect("a folder")),
    ("a pipe", |path| assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success())),
];

fn spoil(path: &Path, spoil: Spoil) {
    fs::remove_file(path).expect("a file to remove");
    spoil(path);
}

#[test]
fn settings_that_do_not_say_what_they_require_shut_every_gate() {
    for (settings, why) in [
        ("", "the file is empty; write {} into it, or remove it"),
        (r#"{"tau": {"required": "guard"}}"#, "tau.required must be a list of texts"),
        (r#"{"tau": {"required": [5]}}"#, "tau.required must be a list of texts"),
        (r#"{"tau": 5}"#, "tau must be an object"),
    ] {
        let place = Place::new();
        place.write("agent/settings.json", settings);
        let (blocked, stderr) = run(&place, &[]);
        assert!(blocked.as_ref().is_some_and(|blocked| blocked.contains(why)), "{settings}: {blocked:?}");
        assert!(stderr.contains(why), "{settings}: {stderr}");
    }
    let place = Place::new();
    symlink("/nonexistent/x", place.root().join("agent/settings.json")).expect("a link");
    assert!(run(&place, &[]).0.is_some());
}

#[test]
fn a_section_of_settings_that_is_no_object_is_named() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"shellHooks": 5}, "retry": "x"}"#);
    let stderr = open(&place, &[]);
    for section in ["tau.shellHooks", "retry"] {
        assert!(stderr.contains(&format!("{section} must be an object; the default is used")), "{stderr}");
    }
}

#[test]
fn a_guard_whose_file_is_something_else_now_stays_shut() {
    for (what, how) in SPOILED {
        let place = Place::new();
        let guard = place.write("agent/extensions/guard.ts", GATE);
        open(&place, &[]);
        spoil(&guard, *how);
        let (blocked, stderr) = run(&place, &[]);
        assert!(blocked.is_some(), "{what}: {stderr}");
        assert!(stderr.contains("guard.ts"), "{what}: {stderr}");
    }
}

#[test]
fn a_memory_that_is_something_else_now_shuts_the_gates_of_what_fails_to_load() {
    for (what, how) in SPOILED {
        let place = Place::new();
        place.write("agent/extensions/guard.ts", GATE);
        open(&place, &[]);
        spoil(&place.root().join("agent/tau/gates.json"), *how);
        place.write("agent/extensions/guard.ts", BROKEN);
        let (blocked, stderr) = run(&place, &[]);
        assert!(blocked.is_some(), "{what}: {stderr}");
    }
}

#[test]
fn answers_about_trust_are_found_however_their_folder_is_written() {
    let place = Place::new();
    place.write(
        "work/.pi/extensions/ours.ts",
        "import fs from 'node:fs'; export default () => fs.writeFileSync('loaded', '');",
    );
    let work = fs::canonicalize(place.work()).expect("a folder");
    let (work, parent) = (work.display().to_string(), work.parent().expect("a parent").display().to_string());
    symlink(place.work(), place.root().join("link")).expect("a link");
    for refused in [format!("{work}/"), format!("{work}/../work"), format!("{parent}/link")] {
        let answers = serde_json::json!({parent.as_str(): true, refused.as_str(): false});
        place.write("agent/trust.json", answers.to_string());
        assert_eq!(place.play("replies: [Fine.]", ["-p", "x"]).run().code, Some(0));
        assert!(!place.work().join("loaded").exists(), "{refused}");
    }
    place.write("agent/trust.json", serde_json::json!({parent: true}).to_string());
    assert_eq!(place.play("replies: [Fine.]", ["-p", "x"]).run().code, Some(0));
    assert!(place.work().join("loaded").exists());
}
