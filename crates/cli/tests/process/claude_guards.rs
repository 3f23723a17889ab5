//! Guards in the settings of Claude Code, over several starts of the program: a fault in the file opens no gate.

use crate::guards::{open, run};
use crate::support::Place;

const FILE: &str = "home/.claude/settings.json";
/// The guard, as an entry of a list.
const GUARD: &str = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}"#;
/// Its command without a matcher.
const ALONE: &str = r#"{"hooks": [{"type": "command", "command": "true"}]}"#;
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
        (
            file(&GUARD.replace("Bash", "Bsah")),
            "PreToolUse.0: its matcher names `Bsah`, which is no tool; did you mean `Bash`?",
        ),
        (
            file(&format!("{OTHER}, {}", GUARD.replace("Bash", "Write|Bahs"))),
            "PreToolUse.1: its matcher names `Bahs`, which is no tool; did you mean `Bash`?",
        ),
        (
            file(&GUARD.replace("Bash", "^Bsah$")),
            "PreToolUse.0: its matcher `^Bsah$` fits no tool; did you mean `Bash`?",
        ),
        (file(&GUARD.replace("Bash", "terminal")), "PreToolUse.0: its matcher `terminal` is the name of no tool"),
        (
            format!(r#"{{"hooks": {{"PostToolUse": [{GUARD}]}}}}"#),
            "its command stands under `PostToolUse` now, where it does not guard this: put it under `PreToolUse`, or start once without it",
        ),
        (
            format!(r#"{{"hooks": {{"Notification": [{GUARD}]}}}}"#),
            "its command stands under `Notification` now, where it does not guard this: put it under `PreToolUse`, or start once without it",
        ),
        (
            format!(r#"{{"hooks": {{"Stop": [{ALONE}]}}}}"#),
            "its command stands under `Stop` now, where it does not guard this: put it under `PreToolUse`, or start once without it",
        ),
        (
            format!(r#"{{"hooks": {{"PreToolUse": [{OTHER}], "UserPromptSubmit": [{ALONE}]}}}}"#),
            "its command stands under `UserPromptSubmit` now, where it does not guard this: put it under `PreToolUse`, or start once without it",
        ),
        (
            file(&GUARD.replace("Bash", "Bash.")),
            "its command stands under `PreToolUse` for `Bash.` now, which is no tool that is there: correct it, or start once without it",
        ),
        (
            file(&GUARD.replace("Bash", "$^")),
            "its command stands under `PreToolUse` for `$^` now, which is no tool that is there: correct it, or start once without it",
        ),
        (
            file(&GUARD.replace("Bash", "Task|NotebookEdit")),
            "its command stands under `PreToolUse` for `Task|NotebookEdit` now, which is no tool that is there: correct it, or start once without it",
        ),
        (
            file(&GUARD.replace("\"command\",", "\"command\", \"if\": \"Write(*)\",")),
            "its command stands under `PreToolUse` for `Bash` with the `if` `Write(*)` now, which is no tool that is there: correct it, or start once without it",
        ),
        (
            file(&GUARD.replace("\"command\",", "\"command\", \"if\": \"Bsah(rm *)\",")),
            "PreToolUse.0.0: its `if` names `Bsah`, which is no tool; did you mean `Bash`?",
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
fn a_command_that_stood_elsewhere_before_hides_no_guard() {
    let place = place();
    let idle = GUARD.replace("Bash", "Task");
    let both = |guards: &str| format!(r#"{{"hooks": {{"PreToolUse": [{guards}], "Stop": [{ALONE}]}}}}"#);
    place.write(FILE, both(&format!("{GUARD}, {idle}")));
    open(&place, &[]);
    // The guard is taken away, and what stays was there all the time.
    place.write(FILE, both(&idle));
    let gone = format!(
        "/ROOT/{FILE}#PreToolUse: it guarded tool_call and is not loaded any more: it is switched off, or nothing names it"
    );
    assert!(open(&place, &[]).contains(&gone));
    assert!(!open(&place, &[]).contains("guarded"));
    // For another tool, and for one of a server, it guards on.
    for matcher in ["Write", "mcp__files__.*"] {
        place.write(FILE, both(GUARD));
        open(&place, &[]);
        place.write(FILE, both(&GUARD.replace("Bash", matcher)));
        assert!(open(&place, &[]).contains(&gone));
        assert!(!open(&place, &[]).contains("guarded"));
    }
}

#[test]
fn a_rule_that_is_nearly_about_a_tool_is_named_at_each_start() {
    let place = place();
    place.write(FILE, file(&GUARD.replace("\"command\",", "\"command\", \"if\": \"Bsah(rm *)\",")));
    let told = format!("/ROOT/{FILE}: PreToolUse.0.0: its `if` names `Bsah`, which is no tool; did you mean `Bash`?");
    for _ in 0..2 {
        let stderr = open(&place, &[]);
        assert!(stderr.contains(&told), "{stderr}");
    }
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

#[test]
fn a_matcher_that_is_nearly_the_name_of_a_tool_is_named_at_each_start() {
    let place = place();
    place.write(FILE, file(&GUARD.replace("Bash", "Wirte")));
    let told =
        format!("/ROOT/{FILE}: PreToolUse.0: its matcher names `Wirte`, which is no tool; did you mean `Write`?");
    for _ in 0..2 {
        let stderr = open(&place, &[]);
        assert!(stderr.contains(&told), "{stderr}");
    }
    // Tools of servers, of extensions and of Claude Code may be there another time.
    for matcher in ["mcp__github__.*", "deploy_.*", "NotebookEdit", "Edit|Write", "*", ""] {
        place.write(FILE, file(&GUARD.replace("Bash", matcher)));
        open(&place, &[]);
        let stderr = open(&place, &[]);
        assert!(!stderr.contains("json: PreToolUse") && !stderr.contains("guarded"), "{matcher}: {stderr}");
    }
    // An extension has such a tool.
    let tool = "export default (pi) => { pi.registerTool({ name: 'wirte', label: 'W', description: 'w', \
                parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [], details: {} }) }); };";
    place.write("agent/extensions/wirte.ts", tool);
    place.write(FILE, file(&GUARD.replace("Bash", "wirte")));
    open(&place, &[]);
    let stderr = open(&place, &[]);
    assert!(!stderr.contains("matcher"), "{stderr}");
}

#[test]
fn a_guard_that_is_switched_off_is_named_once() {
    let on = r#"{"tau": {"shellHooks": {"claudeSettings": true}}}"#;
    let off = format!(r#"{{"disableAllHooks": true, "hooks": {{"PreToolUse": [{GUARD}]}}}}"#);
    let gone = format!(
        "/ROOT/{FILE}#PreToolUse: it guarded tool_call and is not loaded any more: it is switched off, or nothing names it"
    );
    // It was there before, and the file or the setting switches it off.
    for (hooks, settings) in [(off.clone(), on), (file(GUARD), "{}")] {
        let place = place();
        place.write(FILE, file(GUARD));
        open(&place, &[]);
        place.write(FILE, &hooks);
        place.write("agent/settings.json", settings);
        let stderr = open(&place, &[]);
        assert!(stderr.contains(&gone) && !stderr.contains("disableAllHooks"), "{stderr}");
        assert!(!open(&place, &[]).contains("guard"));
    }
    // It was never there.
    let place = place();
    place.write(FILE, &off);
    let named = format!("/ROOT/{FILE}: its guards are switched off with `disableAllHooks`");
    assert!(open(&place, &[]).contains(&named));
    assert!(!open(&place, &[]).contains("guard"));
    // Once more after they were on.
    place.write(FILE, file(GUARD));
    open(&place, &[]);
    place.write(FILE, &off);
    assert!(open(&place, &[]).contains(&gone));
    assert!(!open(&place, &[]).contains("guard"));
}
