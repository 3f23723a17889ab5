//! Gates whose guards cannot be loaded, over several starts of the program.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::support::{Done, Place, transcript};

pub const GATE: &str = "export default (pi) => { pi.on('tool_call', () => undefined); };\n";
const LATE: &str =
    "export default (pi) => { pi.on('session_start', () => { pi.on('tool_call', () => undefined); }); };\n";
pub const BROKEN: &str = "export default (pi) => { throw new Error('no key'); };\n";
const CALL: &str = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran >> ran}}}], [{text: Done}]]";

/// Lets the model call a tool. Gives what the model read when it did not run, and what was said on standard error.
pub fn run(place: &Place, args: &[&str]) -> (Option<String>, String) {
    let ran = place.work().join("ran");
    let known = place.session_files();
    let done = place.play(CALL, [&["-p", "Go"], args].concat()).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done\n"), "{}", done.stderr);
    let file = place.session_files().into_iter().find(|file| !known.contains(file)).expect("a session");
    let session = tau_session::Session::open(&file).expect("a session");
    let result = transcript(&session).into_iter().find_map(|line| Some(line.strip_prefix("toolResult: ")?.to_owned()));
    let result = place.normal(&result.expect("a result"));
    let blocked = !ran.exists();
    if !blocked {
        std::fs::remove_file(ran).expect("what the tool wrote");
    }
    (blocked.then_some(result), place.normal(&done.stderr))
}

pub fn open(place: &Place, args: &[&str]) -> String {
    let (blocked, stderr) = run(place, args);
    assert_eq!(blocked, None, "{stderr}");
    stderr
}

/// The memory of the user, and those of projects.
fn memories(place: &Place) -> Vec<PathBuf> {
    let root = place.root().join("agent/tau");
    let projects = std::fs::read_dir(root.join("projects")).into_iter().flatten();
    let projects = projects.map(|entry| entry.expect("an entry").path().join("gates.json"));
    std::iter::once(root.join("gates.json")).chain(projects).filter(|file| file.exists()).collect()
}

#[test]
fn a_gate_that_fails_to_load_stays_shut_and_one_that_is_gone_is_named_once() {
    for source in [GATE, LATE] {
        let place = Place::new();
        let file = place.write("agent/extensions/guard.ts", source);
        assert_eq!(open(&place, &[]), "");
        assert_eq!(memories(&place).len(), 1);
        place.write("agent/extensions/guard.ts", BROKEN);
        for _ in 0..2 {
            let (blocked, stderr) = run(&place, &[]);
            let why = "Blocked: extension /ROOT/agent/extensions/guard.ts is not loaded: it guarded this and could not be loaded \
                       again: no key";
            assert!(blocked.as_ref().is_some_and(|reason| reason.starts_with(why)), "{blocked:?}");
            assert!(stderr.contains("it guarded tool_call when it last loaded, so that stays blocked\n"), "{stderr}");
        }
        std::fs::remove_file(file).expect("a file to remove");
        let gone = "Warning: /ROOT/agent/extensions/guard.ts: it guarded tool_call and is not there any more: its file was removed\n";
        assert_eq!(open(&place, &[]), gone);
        assert_eq!(open(&place, &[]), "");
    }
}

#[test]
fn what_never_held_a_gate_or_is_switched_off_shuts_nothing() {
    let place = Place::new();
    place.write("agent/extensions/harmless.ts", BROKEN);
    assert!(open(&place, &[]).contains("no key"));
    place.write("agent/extensions/harmless.ts", GATE);
    assert_eq!(open(&place, &[]), "");
    // Without extensions nothing is learnt.
    assert_eq!(open(&place, &["-ne"]), "");
    place.write("agent/extensions/harmless.ts", BROKEN);
    place.write("agent/settings.json", r#"{"extensions": ["-extensions/harmless.ts"]}"#);
    let off = "Warning: /ROOT/agent/extensions/harmless.ts: it guarded tool_call and is not loaded any more: it is switched off, \
               or nothing names it\n";
    assert_eq!((open(&place, &[]).as_str(), open(&place, &[]).as_str()), (off, ""));
}

#[test]
fn an_extension_that_gives_its_gate_up_is_named_once() {
    let place = Place::new();
    place.write("agent/extensions/guard.ts", GATE);
    assert_eq!(open(&place, &[]), "");
    place.write("agent/extensions/guard.ts", "export default () => {};\n");
    let named = "Warning: /ROOT/agent/extensions/guard.ts: it guarded tool_call before and does not any more\n";
    assert_eq!((open(&place, &[]).as_str(), open(&place, &[]).as_str()), (named, ""));
    place.write("agent/extensions/guard.ts", BROKEN);
    open(&place, &[]);
}

#[test]
fn guards_of_a_project_are_remembered_with_it() {
    let place = Place::new();
    place.write("work/.pi/extensions/guard.ts", GATE);
    assert_eq!(open(&place, &["--approve"]), "");
    place.write("work/.pi/extensions/guard.ts", BROKEN);
    let (blocked, _) = run(&place, &["--approve"]);
    assert!(blocked.is_some_and(|reason| reason.contains("could not be loaded again: no key")));
    // Where the project is not trusted nothing of it is looked for, and nothing is forgotten.
    open(&place, &["--no-approve"]);
    assert!(run(&place, &["--approve"]).0.is_some());
    for file in memories(&place) {
        let mode = |path: &std::path::Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().expect("a folder"))), (0o600, 0o700));
    }
}

#[test]
fn a_script_that_cannot_be_run_any_more_keeps_its_gate_shut() {
    let place = Place::new();
    let file = place.write("home/.claude/hooks/pre/bash", "#!/bin/sh\nexit 0\n");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("permissions");
    assert_eq!(open(&place, &[]), "");
    std::fs::write(&file, "exit 0\n").expect("a file");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).expect("permissions");
    let (blocked, stderr) = run(&place, &[]);
    assert!(blocked.is_some_and(|reason| reason.contains("it is neither a module nor a script")), "{stderr}");
}

#[test]
fn settings_that_cannot_be_read_open_no_gate() {
    let place = Place::new();
    place.write("agent/guards/guard.ts", GATE);
    let settings = r#"{"extensions": ["guards/guard.ts"], "tau": {"shellHooks": {"claudeSettings": true}}}"#;
    place.write("agent/settings.json", settings);
    let claude = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    place.write("home/.claude/settings.json", claude);
    assert_eq!(open(&place, &[]), "");
    place.write("home/.claude/settings.json", "{");
    let (blocked, _) = run(&place, &[]);
    assert!(blocked.is_some_and(|reason| reason.contains("hooks cannot be read")));
    place.write("home/.claude/settings.json", claude);
    place.write("agent/settings.json", "{");
    let (blocked, _) = run(&place, &[]);
    assert!(blocked.is_some_and(|reason| reason.contains("the settings that may name it cannot be read")));
    place.write("agent/settings.json", settings);
    open(&place, &[]);
}

#[test]
fn settings_of_claude_code_of_the_wrong_shape_open_no_gate() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"shellHooks": {"claudeSettings": true}}}"#);
    let claude =
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
    for (wrong, why) in [
        (r#"{"hooks": {"PreToolUse": 5}}"#, "`hooks.PreToolUse` must be a list and is a number"),
        (r#"{"hooks": 5}"#, "`hooks` must be an object and is a number"),
        (r#"{"hooks": []}"#, "`hooks` must be an object and is a list"),
        (r#"{"hooks": {"PreToolUse": [5]}}"#, "`hooks.PreToolUse.0` must be an object and is a number"),
        (
            r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": 5}]}}"#,
            "`hooks.PreToolUse.0.hooks` must be a list and is a number",
        ),
        (
            r#"{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}"#,
            "`hooks.PreToolUse.0.hooks` must be a list and is nothing",
        ),
        ("[]", "the file must be an object and is a list"),
        ("5", "the file must be an object and is a number"),
    ] {
        place.write("home/.claude/settings.json", claude);
        assert_eq!(open(&place, &[]), "", "{wrong}");
        place.write("home/.claude/settings.json", wrong);
        for _ in 0..2 {
            let (blocked, stderr) = run(&place, &[]);
            let why = format!("hooks cannot be read: {why}");
            assert!(blocked.is_some_and(|reason| reason.contains(&why)), "{wrong}: {stderr}");
            assert!(stderr.contains(&why) && stderr.contains("/ROOT/home/.claude/settings.json"), "{stderr}");
        }
    }
}

/// What the user required stays required although nobody knows any more what that was.
#[test]
fn settings_that_cannot_be_read_shut_every_gate() {
    for (file, args) in [("agent/settings.json", &[][..]), ("work/.pi/settings.json", &["--approve"])] {
        let place = Place::new();
        place.write(file, r#"{"tau": {"required": ["guard"]}"#);
        for args in [args.to_vec(), [args, &["-ne"]].concat()] {
            let (blocked, stderr) = run(&place, &args);
            let why = format!("Blocked: the settings do not say clearly which guards you want: /ROOT/{file}:1:");
            assert!(blocked.as_ref().is_some_and(|reason| reason.starts_with(&why)), "{blocked:?}");
            let told = format!(
                "/ROOT/{file}: tool calls are blocked until you fix it: tau cannot tell which extensions you require"
            );
            assert!(stderr.contains(&told), "{stderr}");
        }
        place.write(file, "{}");
        open(&place, args);
    }
    // What is not read requires nothing.
    let place = Place::new();
    place.write("work/.pi/settings.json", "{");
    open(&place, &["--no-approve"]);
}

/// Whether the project is trusted, as its extension says.
fn is_trusted(place: &Place, args: &[&str]) -> (bool, String) {
    let done = place.play("replies: [Done]", [&["-p", "Go"], args].concat()).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let loaded = place.work().join("loaded");
    let trusted = loaded.exists();
    if trusted {
        std::fs::remove_file(loaded).expect("what the project wrote");
    }
    (trusted, place.normal(&done.stderr))
}

#[test]
fn a_guard_of_trust_that_is_not_there_keeps_the_project_from_loading() {
    let ours = "import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync('loaded', '');\n";
    let no = "export default (pi) => { pi.on('project_trust', () => ({ trusted: 'no' })); };\n";
    let place = Place::new();
    place.write("work/.pi/extensions/ours.ts", ours);
    place.write("agent/settings.json", r#"{"defaultProjectTrust": "always"}"#);
    assert!(is_trusted(&place, &[]).0);
    place.write("agent/extensions/guard.ts", no);
    assert!(!is_trusted(&place, &[]).0);
    place.write("agent/extensions/guard.ts", BROKEN);
    for _ in 0..2 {
        let (trusted, stderr) = is_trusted(&place, &[]);
        assert!(!trusted && stderr.contains("it guarded project_trust when it last loaded"), "{stderr}");
        assert_eq!(stderr.matches("it guarded project_trust").count(), 1, "{stderr}");
    }
    // A damaged memory may have held it.
    let file = memories(&place).remove(0);
    std::fs::write(file, "{").expect("a file");
    assert!(!is_trusted(&place, &[]).0);
    std::fs::remove_file(place.root().join("agent/extensions/guard.ts")).expect("a file to remove");
    assert!(is_trusted(&place, &[]).0);
}

#[test]
fn a_guard_that_is_part_of_the_program_is_remembered_too() {
    let place = Place::new();
    let run = |native: &str| {
        let ran = place.work().join("ran");
        let done = place.play_with_scripts(CALL, &["-p", "Go"]).env("TAU_TEST_NATIVE", native).run();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let blocked = !ran.exists();
        if !blocked {
            std::fs::remove_file(ran).expect("what the tool wrote");
        }
        (blocked, done.stderr)
    };
    assert_eq!(run("gate"), (false, String::new()));
    for _ in 0..2 {
        let (blocked, stderr) = run("fail");
        let told = "<native:guard>: it guarded tool_call when it last loaded, so that stays blocked";
        assert!(blocked && stderr.contains(told), "{stderr}");
    }
    let gone = "Warning: <native:guard>: it guarded tool_call and is not part of this program any more\n";
    assert_eq!(run(""), (false, gone.to_owned()));
    assert_eq!(run(""), (false, String::new()));
}

#[test]
fn a_damaged_memory_is_told_and_is_not_no_gates() {
    let place = Place::new();
    place.write("agent/extensions/guard.ts", GATE);
    assert_eq!(open(&place, &[]), "");
    let file = memories(&place).remove(0);
    std::fs::write(&file, "{").expect("a file");
    place.write("agent/extensions/guard.ts", BROKEN);
    for _ in 0..2 {
        let (blocked, stderr) = run(&place, &[]);
        assert!(blocked.is_some_and(|reason| reason.contains("no key")), "{stderr}");
        assert!(stderr.contains("gates.json: the file is damaged"), "{stderr}");
    }
    place.write("agent/extensions/guard.ts", GATE);
    assert!(open(&place, &[]).contains("the file is damaged"));
    assert_eq!(open(&place, &[]), "");
}

#[test]
fn a_file_of_the_command_line_that_fails_to_load_shuts_every_gate() {
    for (flag, content) in [("-e", Some(BROKEN)), ("--hook", Some(BROKEN)), ("-e", None)] {
        let place = Place::new();
        if let Some(content) = content {
            place.write("work/guard.ts", content);
        }
        let (blocked, stderr) = run(&place, &[flag, "guard.ts"]);
        let why = "Blocked: extension /ROOT/work/guard.ts is not loaded: it was named on the command line but could not be loaded: ";
        let error = if content.is_some() { "no key" } else { "Extension path does not exist: /ROOT/work/guard.ts" };
        let blocked = blocked.expect("the gate is shut");
        assert!(blocked.starts_with(why) && blocked.contains(error), "{blocked}");
        let told =
            "/ROOT/work/guard.ts: it was named on the command line but is not loaded: every tool call is blocked\n";
        assert!(stderr.contains(told), "{stderr}");
    }
    // Wherever else it is found.
    let place = Place::new();
    place.write("agent/extensions/guard.ts", BROKEN);
    open(&place, &[]);
    assert!(run(&place, &["-e", "../agent/extensions/guard.ts"]).0.is_some());
}

#[test]
fn an_extension_of_the_project_does_not_pass_for_a_required_one() {
    let place = Place::new();
    place.write("work/.pi/extensions/guard.ts", "export default () => {};\n");
    for name in ["guard", "guard.ts", "extensions/guard.ts"] {
        place.write("agent/settings.json", format!(r#"{{"tau": {{"required": ["{name}"]}}}}"#));
        let (blocked, _) = run(&place, &["--approve"]);
        let blocked = blocked.expect("the gate is shut");
        let other = "tau.required names it, but it is not installed; /ROOT/work/.pi/extensions/guard.ts does not take its place";
        assert!(blocked.contains(other), "{blocked}");
    }
    let absolute = place.work().join(".pi/extensions/guard.ts");
    place.write("agent/settings.json", format!(r#"{{"tau": {{"required": ["{}"]}}}}"#, absolute.display()));
    open(&place, &["--approve"]);
    // The user's own, and what the project requires of itself.
    place.write("agent/settings.json", r#"{"tau": {"required": ["mine"]}}"#);
    place.write("agent/extensions/mine.ts", "export default () => {};\n");
    place.write("work/.pi/settings.json", r#"{"tau": {"required": ["guard"]}}"#);
    open(&place, &["--approve"]);
}

/// What a script starts and leaves holds a pipe; whatever outlives tau says so in the end.
const LEAVES: &str = "#!/bin/sh\n{ echo started; sleep 20; echo survived; } > ../pipe 2>&1 &\n\
                      nohup sleep 600 > /dev/null 2>&1 &\necho $! > ../stays\n";

#[test]
fn what_a_shell_hook_leaves_running_ends_with_the_session() {
    use std::io::Read;
    for mode in [&["-p"][..], &["--mode", "json"]] {
        let place = Place::new();
        let pipe = place.root().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        place.write("home/.claude/hooks/pre/bash.sh", LEAVES);
        let listener = std::thread::spawn(move || {
            let mut text = String::new();
            std::fs::File::open(pipe).expect("the pipe").read_to_string(&mut text).expect("text");
            text
        });
        let done: Done = place.play(CALL, [mode, &["Go"]].concat()).run();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert!(place.work().join("ran").exists());
        assert_eq!(listener.join().expect("a thread"), "started\n", "{mode:?}");
        // It was told to stay.
        let stays = place.read("stays").trim().parse().ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(stays.expect("a process"), rustix::process::Signal::KILL).expect("it is there");
    }
}
