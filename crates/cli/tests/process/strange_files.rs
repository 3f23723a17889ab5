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
        (r#"{"tau": {"shellHooks": {"strict": "yes"}}}"#, "tau.shellHooks.strict must be true or false"),
        // A guard that somebody believes to be there.
        (
            r#"{"tau": {"require": ["guard"]}}"#,
            "tau.require is not a setting and has no effect; did you mean tau.required?",
        ),
        (r#"{"Tau": {"required": ["guard"]}}"#, "Tau is not a setting and has no effect; did you mean tau?"),
        (r#"{"required": ["guard"]}"#, "required is not a setting and has no effect; did you mean tau.required?"),
        (
            r#"{"tau.required": ["guard"]}"#,
            r#"["tau.required"] has a dot in a name and has no effect; write {"tau": {"required": …}}"#,
        ),
        (
            r#"{"tau": {"shellHooks.strict": true}}"#,
            r#"["tau","shellHooks.strict"] has a dot in a name and has no effect; write {"tau": {"shellHooks": {"strict": …}}}"#,
        ),
        (
            r#"{"tau": {"Strict": true}}"#,
            "tau.Strict is not a setting and has no effect; did you mean tau.shellHooks.strict?",
        ),
        (
            r#"{"tau": {"shellHook": {"strict": true}}}"#,
            "tau.shellHook is not a setting and has no effect; did you mean tau.shellHooks?",
        ),
        (
            r#"{"tau": {"required": ["guard"]}, "tau": {}}"#,
            "tau is there twice, and only the last one is used; remove one",
        ),
        (
            r#"{"tau": {"required": ["guard"], "required": []}}"#,
            "tau.required is there twice, and only the last one is used; remove one",
        ),
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
fn keys_that_have_no_effect_are_named_and_block_nothing() {
    for (settings, told) in [
        (
            r#"{"tau": {"limits": {"loadMS": 5}}}"#,
            &["tau.limits.loadMS is not a setting and has no effect; did you mean tau.limits.loadMs?"][..],
        ),
        (
            r#"{"tau": {"limit": {"loadMs": 5}}}"#,
            &["tau.limit is not a setting and has no effect; did you mean tau.limits?"],
        ),
        (
            r#"{"tau": {"loadMs": 5, "colour": 1}}"#,
            &[
                "tau.loadMs is not a setting and has no effect; did you mean tau.limits.loadMs?",
                "tau.colour is not a setting and has no effect\n",
            ],
        ),
        // What would be no guard either if it were written well.
        (
            r#"{"tau": {"strict": false, "require": []}}"#,
            &["did you mean tau.shellHooks.strict?", "did you mean tau.required?"],
        ),
        (
            r#"{"images": {"blockImage": true}}"#,
            &["images.blockImage is not a setting and has no effect; did you mean images.blockImages?"],
        ),
        (
            r#"{"retry": {"enabled": false}, "retry": {}}"#,
            &["retry is there twice, and only the last one is used; remove one"],
        ),
        (
            r#"{"tau": {"limits": {"loadMs": -1, "softMs": "5"}}}"#,
            &[
                "tau.limits.loadMs must be a whole number, or 0 for no limit; the default is used",
                "tau.limits.softMs must be a whole number, or 0 for no limit; the default is used",
            ],
        ),
        (r#"{"tau": {"isolate": ["gaurd"]}}"#, &["tau.isolate names `gaurd`, and no loaded extension is called that"]),
    ] {
        let place = Place::new();
        place.write("agent/settings.json", settings);
        let stderr = open(&place, &[]);
        assert!(told.iter().all(|told| stderr.contains(told)), "{settings}: {stderr}");
        assert_eq!(stderr.matches("Warning: ").count(), told.len(), "{settings}: {stderr}");
    }
    // Other programs have keys of their own in the same file.
    let place = Place::new();
    place.write(
        "agent/settings.json",
        r#"{"transport": "sse", "terminal": {"showImages": true}, "x.y": 1, "tui": {"a": 1}}"#,
    );
    assert_eq!(open(&place, &[]), "");
}

/// A key that is there twice would be lost, so the file is left as it is.
#[test]
fn settings_with_a_key_that_is_there_twice_are_not_written() {
    let place = Place::new();
    let text = r#"{"retry": {"enabled": false}, "retry": {}}"#;
    let file = place.write("agent/settings.json", text);
    let done = place.tau(["config", "set", "theme", "dark"]).run();
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("retry is there twice; remove one of them first"), "{}", done.stderr);
    assert_eq!(fs::read_to_string(file).expect("a file"), text);
}

/// Writing into what is no object would lose it.
#[test]
fn settings_with_something_else_in_the_place_of_an_object_are_not_written() {
    for text in [r#"{"retry": [1, 2]}"#, r#"{"retry": "x"}"#] {
        let place = Place::new();
        let file = place.write("agent/settings.json", text);
        let done = place.tau(["config", "set", "retry.maxRetries", "7"]).run();
        assert_eq!(done.code, Some(1));
        let why = format!("{}: retry is not an object; correct or remove it first", file.display());
        assert!(done.stderr.contains(&why), "{}", done.stderr);
        assert_eq!(fs::read_to_string(file).expect("a file"), text);
        assert_eq!(place.tau(["config", "unset", "retry"]).run().code, Some(0));
        assert_eq!(place.tau(["config", "set", "retry.maxRetries", "7"]).run().code, Some(0));
    }
}

/// A misspelt guard can be taken out again with tau itself.
#[test]
fn a_misspelt_guard_can_be_unset() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"require": ["guard"]}}"#);
    assert_eq!(place.tau(["config", "unset", "tau.require"]).run().code, Some(0));
    assert_eq!(open(&place, &[]), "");
}

/// Zero means the same for every limit: there is none.
#[test]
fn zero_is_no_limit() {
    let place = Place::new();
    let names =
        ["softMs", "observeMs", "handlerMs", "stretchMs", "memoryMb", "isolatedMemoryMb", "loadMs", "shutdownMs"];
    let limits: serde_json::Map<String, serde_json::Value> =
        names.map(|name| (name.to_owned(), 0.into())).into_iter().collect();
    let settings = serde_json::json!({"tau": {"limits": limits, "isolate": ["alone"]}});
    place.write("agent/settings.json", settings.to_string());
    let source = "export default async (pi) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        for (const event of ['agent_start', 'tool_call', 'session_shutdown']) {
          pi.on(event, async () => { await new Promise((resolve) => setTimeout(resolve, 20)); console.error(`heard ${event}`); });
        }
      };";
    place.write("agent/extensions/alone.ts", source);
    place.write("agent/extensions/together.ts", source);
    let stderr = open(&place, &[]);
    for event in ["agent_start", "tool_call", "session_shutdown"] {
        assert_eq!(stderr.matches(&format!("heard {event}\n")).count(), 2, "{stderr}");
    }
    assert_eq!(stderr.lines().count(), 6, "{stderr}");
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
