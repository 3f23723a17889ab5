//! Guards in the settings of Claude Code, over several starts of the program: a fault in the file opens no gate.

use crate::guards::{open, run};
use crate::support::Place;

const FILE: &str = "home/.claude/settings.json";
/// The guard, as an entry of a list.
const GUARD: &str = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}"#;
/// Another hook, which guards nothing that the test does.
const OTHER: &str = r#"{"matcher": "Write", "hooks": [{"type": "command", "command": "exit 0"}]}"#;

fn place() -> Place {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"shellHooks": {"claudeSettings": true}}}"#);
    place
}

fn file(groups: &str) -> String {
    format!(r#"{{"hooks": {{"PreToolUse": [{groups}]}}}}"#)
}

fn broken(guard: &str) -> String {
    guard.replace("\"command\",", "\"Command\",")
}

#[test]
fn a_guard_behind_a_new_fault_of_its_file_stays_shut_wherever_it_stood() {
    let place = place();
    for (edited, why) in [
        (
            file(&format!("{OTHER}, {}", broken(GUARD))),
            "PreToolUse.1.0: tau runs commands, and this is of the type `Command`",
        ),
        (
            format!(r#"{{"hooks": {{"PreToolUse": [{GUARD}], "PreToolUse": []}}}}"#),
            "hooks.PreToolUse is there twice, and only the last one is used; remove one",
        ),
        (
            format!(r#"{{"hooks": {{"PreToolUse": [{GUARD}]}}, "hooks": {{}}}}"#),
            "hooks is there twice, and only the last one is used; remove one",
        ),
        (
            file(&GUARD.replace("\"Bash\",", "\"Bash\", \"matcher\": \"Write\",")),
            "hooks.PreToolUse.matcher is there twice, and only the last one is used; remove one",
        ),
        (
            format!(r#"{{"hooks": {{"preToolUse": [{GUARD}]}}}}"#),
            "`preToolUse` is no event of hooks, so its commands never run; did you mean `PreToolUse`?",
        ),
        (
            format!(r#"{{"Hooks": {{"PreToolUse": [{GUARD}]}}}}"#),
            "`Hooks` has no effect, so its commands never run; did you mean `hooks`?",
        ),
        (
            format!(r#"{{"hooks.pre_tool_use": [{GUARD}]}}"#),
            "`hooks.pre_tool_use` has no effect, so its commands never run; write {\"hooks\": {\"PreToolUse\": …}}",
        ),
        (
            format!(r#"{{"PreToolUse": [{GUARD}]}}"#),
            "`PreToolUse` has no effect, so its commands never run; put `PreToolUse` into `hooks`",
        ),
        (r#"{"hooks": null}"#.to_owned(), "hooks cannot be read: `hooks` must be an object and is nothing"),
        (
            r#"{"hooks": {"PreToolUse": null}}"#.to_owned(),
            "hooks cannot be read: `hooks.PreToolUse` must be a list and is nothing",
        ),
    ] {
        place.write(FILE, file(GUARD));
        open(&place, &[]);
        place.write(FILE, &edited);
        for _ in 0..2 {
            let (blocked, stderr) = run(&place, &[]);
            let start = format!(
                "Blocked: extension /ROOT/{FILE} is not loaded: it guarded this and could not be loaded again: {why}"
            );
            assert!(
                blocked.as_ref().is_some_and(|reason| reason.starts_with(&start)),
                "{edited}: {blocked:?} {stderr}"
            );
            assert!(stderr.contains("it guarded tool_call when it last loaded, so that stays blocked\n"), "{stderr}");
        }
    }
}

#[test]
fn a_fault_that_was_there_beside_the_guard_hides_none() {
    let place = place();
    let prompt = r#"{"matcher": "Write", "hooks": [{"type": "prompt", "prompt": "ok?"}]}"#;
    place.write(FILE, file(&format!("{GUARD}, {prompt}")));
    for _ in 0..2 {
        let stderr = open(&place, &[]);
        assert!(stderr.contains("this is of the type `prompt`") && !stderr.contains("guarded"), "{stderr}");
    }
    // A guard that moves is the same one.
    place.write(FILE, file(&format!("{prompt}, {OTHER}, {GUARD}")));
    assert!(!open(&place, &[]).contains("guarded"));
    // One that goes is named once.
    place.write(FILE, file(&format!("{prompt}, {OTHER}")));
    let gone = format!(
        "/ROOT/{FILE}#PreToolUse: it guarded tool_call and is not loaded any more: it is switched off, or nothing names it"
    );
    assert!(open(&place, &[]).contains(&gone));
    assert!(!open(&place, &[]).contains("guarded"));
    // The same fault in other words may be the guard that was here.
    place.write(FILE, file(&format!("{prompt}, {GUARD}")));
    open(&place, &[]);
    place.write(FILE, file(&format!("{prompt}, {}", broken(GUARD))));
    let (blocked, stderr) = run(&place, &[]);
    assert!(blocked.is_some_and(|why| why.contains("PreToolUse.1.0: tau runs commands")), "{stderr}");
}

#[test]
fn keys_without_effect_are_named_at_the_first_start() {
    for (settings, told) in [
        (
            format!(r#"{{"hooks": {{"PreToolUse": [{GUARD}], "PreToolUse": []}}}}"#),
            "hooks.PreToolUse is there twice, and only the last one is used; remove one",
        ),
        (
            r#"{"hooks": {}, "disableAllHooks": false, "disableAllHooks": true}"#.to_owned(),
            "disableAllHooks is there twice, and only the last one is used; remove one",
        ),
        (
            format!(r#"{{"hook": {{"PreToolUse": [{GUARD}]}}}}"#),
            "`hook` has no effect, so its commands never run; did you mean `hooks`?",
        ),
        (
            format!(r#"{{"hooks": {{"PreTooluse": [{GUARD}]}}}}"#),
            "`PreTooluse` is no event of hooks, so its commands never run; did you mean `PreToolUse`?",
        ),
    ] {
        let place = place();
        place.write(FILE, &settings);
        let stderr = open(&place, &[]);
        assert!(stderr.contains(&format!("/ROOT/{FILE}: {told}")), "{settings}: {stderr}");
    }
    // What other programs keep there is theirs.
    let place = place();
    place.write(FILE, r#"{"env": {"A": "b"}, "permissions": {"deny": ["Bash"]}, "permissions": {}, "sandbox": []}"#);
    assert_eq!(open(&place, &[]), "");
}

#[test]
fn guards_of_plugins_stay_shut_while_the_list_of_plugins_cannot_be_read() {
    let place = place();
    place.write("home/plugins/one/hooks/hooks.json", file(GUARD));
    let script = place.write("home/plugins/two/hooks/pre/bash.sh", "#!/bin/sh\nexit 0\n");
    let list = "home/.claude/plugins/installed_plugins.json";
    for root in ["one", "two"] {
        let good = format!(r#"{{"plugins": {{"a@shop": {{"installPath": "~/plugins/{root}"}}}}}}"#);
        for (bad, why) in [
            ("{".to_owned(), "EOF while parsing"),
            (r#"{"plugins": null}"#.to_owned(), "`plugins` must be an object"),
            (good.replace("installPath", "path"), "`plugins.a@shop` has no text `installPath`"),
        ] {
            place.write(list, &good);
            open(&place, &[]);
            place.write(list, &bad);
            let (blocked, stderr) = run(&place, &[]);
            let named = "a list that may name it cannot be read: claude-plugins: ";
            assert!(
                blocked.as_ref().is_some_and(|reason| reason.contains(named) && reason.contains(why)),
                "{bad}: {blocked:?} {stderr}"
            );
        }
    }
    place.write(list, "{}");
    assert!(open(&place, &[]).contains(&place.normal(&script.display().to_string())));
}
