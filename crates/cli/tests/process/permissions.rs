//! Who can read and write what tau keeps, whatever the umask says.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::{Done, Place};

/// Everything below a folder with its permissions, the folder included; without symbolic links.
fn all_below(dir: &Path) -> Vec<(PathBuf, u32, bool)> {
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let mut all = vec![(dir.to_owned(), mode(dir), true)];
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
        match (kind.is_dir(), kind.is_symlink()) {
            (true, _) => all.extend(all_below(&path)),
            (false, false) => all.push((path.clone(), mode(&path), false)),
            (false, true) => {}
        }
    }
    all
}

/// What others can do in the folder, by path; the manual may be read, and nothing may be written.
fn open_to_others(place: &Place, dir: &Path) -> Vec<String> {
    let is_manual = |path: &Path| path.components().any(|part| part.as_os_str() == "tau-docs");
    let allowed = |path: &Path| if is_manual(path) { 0o055 } else { 0 };
    let open = all_below(dir).into_iter().filter(|(path, mode, _)| mode & 0o077 & !allowed(path) != 0);
    open.map(|(path, mode, _)| place.normal(&format!("{} {mode:o}", path.display()))).collect()
}

const CALL: &str = "replies: [[{tool_call: {name: bash, arguments: {command: 'true'}}}], Done]";
const GATE: &str = "export default (pi) => { pi.on('tool_call', () => undefined); };\n";

/// Lets tau write all that it writes.
fn use_everything(place: &Place, agent: &Path) {
    let run = |args: &[&str]| {
        let done: Done =
            place.play(CALL, args.iter().copied()).env("PI_CODING_AGENT_DIR", agent).with_umask("000").run();
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
    };
    let command = |args: &[&str]| {
        let done = place.tau(args.iter().copied()).env("PI_CODING_AGENT_DIR", agent).with_umask("000").run();
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
    };
    command(&["config", "set", "tau.trace.jsonl", "true"]);
    run(&["--approve", "-p", "Go"]);
    run(&["-p", "/trust no"]);
    run(&["-p", "/trust yes"]);
    run(&["-p", "/logout openai"]);
    run(&["-c", "-p", "/export ../agent/page.html"]);
    command(&["config", "set", "retry.maxRetries", "2"]);
}

fn place() -> Place {
    let place = Place::new();
    place.write("home/.claude/hooks/pre/bash.sh", "#!/bin/sh\n");
    place.write("work/.pi/extensions/guard.ts", GATE);
    place
}

fn files_of(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = all_below(dir)
        .into_iter()
        .filter(|(_, _, is_folder)| !is_folder)
        .map(|(path, _, _)| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn what_tau_makes_is_its_users_alone_under_any_umask() {
    let place = place();
    // Nothing of it is there yet.
    let agent = place.root().join("own/agent");
    use_everything(&place, &agent);
    let names = files_of(&agent);
    for name in ["settings.json", "trust.json", "gates.json", "tau-trace.jsonl"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    assert!(names.iter().any(|name| name.starts_with("20") && name.ends_with(".jsonl")), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with(".tmp") || name.ends_with(".lock")), "{names:?}");
    assert_eq!(open_to_others(&place, &agent), Vec::<String>::new());
    // Compiled code is run as it is.
    let cache = place.root().join("home/.cache");
    assert!(files_of(&cache).iter().any(|name| name.ends_with(".qjs")), "{:?}", files_of(&cache));
    assert_eq!(open_to_others(&place, &cache), Vec::<String>::new());
    assert_eq!(open_to_others(&place, &place.root().join("agent")), ["/ROOT/agent 755"], "the page");
}

#[test]
fn what_others_could_read_before_is_closed_when_it_is_written() {
    let place = place();
    place.write("agent/auth.json", r#"{"openai": {"type": "api_key", "key": "k"}}"#);
    place.write("agent/settings.json", "{}");
    place.write("agent/trust.json", "{}");
    place.write("agent/page.html", "");
    let agent = place.root().join("agent");
    use_everything(&place, &agent);
    for (path, mode, is_folder) in all_below(&agent) {
        // Sessions are written to, and never made again; this test did not make them.
        if !is_folder && !path.starts_with(agent.join("sessions")) {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode | 0o666)).expect("permissions");
        }
    }
    place.write("agent/auth.json", r#"{"openai": {"type": "api_key", "key": "k"}}"#);
    place.write("work/.pi/extensions/another.ts", GATE);
    command_that_changes(&place, &agent);
    for name in ["auth.json", "settings.json", "trust.json", "tau-trace.jsonl"] {
        let mode = std::fs::metadata(agent.join(name)).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
    let gates = all_below(&agent.join("tau")).into_iter().filter(|(path, ..)| path.ends_with("gates.json"));
    let open: Vec<_> =
        gates.filter(|(path, mode, _)| path.starts_with(agent.join("tau/projects")) && *mode != 0o600).collect();
    assert_eq!(open, []);
}

fn command_that_changes(place: &Place, agent: &Path) {
    let set = place.tau(["config", "set", "retry.maxRetries", "3"]).env("PI_CODING_AGENT_DIR", agent);
    assert_eq!(set.with_umask("000").run().code, Some(0));
    use_everything(place, agent);
}

/// What was compiled of the extension, in the folder of caches.
fn compiled(place: &Place) -> PathBuf {
    let cache = place.root().join("home/.cache/tau/modules");
    let mut files = all_below(&cache).into_iter().map(|(path, ..)| path);
    files.find(|path| path.extension().is_some_and(|kind| kind == "qjs")).expect("a compiled module")
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("permissions");
}

fn mode_of(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// Runs tau with the gate of the project; gives what it wrote to standard error, without the paths of this place.
fn told(place: &Place) -> String {
    let done = place.play("replies: [Done]", ["--approve", "-p", "Go"]).run();
    assert_eq!((done.code, &*done.stdout), (Some(0), "Done\n"), "{}", done.stderr);
    place.normal(&done.stderr)
}

#[test]
fn compiled_code_that_others_could_have_written_is_named_and_replaced() {
    let place = Place::new();
    place.write("work/.pi/extensions/guard.ts", GATE);
    place.write("work/.pi/extensions/second.ts", GATE);
    assert_eq!(told(&place), "");
    assert_eq!(told(&place), "", "it is used without a word");
    let file = compiled(&place);
    let folder = file.parent().expect("a folder").to_owned();
    for (path, _, is_folder) in all_below(&folder) {
        if !is_folder {
            set_mode(&path, 0o666);
        }
    }
    let text = told(&place);
    let start = "Warning: <runtime>: others can write to /ROOT/home/.cache/tau/modules/";
    let end = ".qjs (its mode is 666), so the compiled code in it is not used; the extension is compiled anew, which replaces the file\n";
    assert!(text.starts_with(start) && text.ends_with(end) && text.lines().count() == 1, "{text}");
    assert_eq!(mode_of(&file), 0o600);
    assert_eq!(told(&place), "");

    let elsewhere = place.root().join("elsewhere.qjs");
    std::fs::rename(&file, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, &file).expect("a link");
    let text = told(&place);
    assert!(text.contains(".qjs is a symbolic link, so the compiled code in it is not used"), "{text}");
    assert!(!file.is_symlink());
    assert_eq!(told(&place), "");

    std::fs::write(&file, "damaged").expect("written");
    let text = told(&place);
    assert!(text.contains(".qjs is damaged, so the compiled code in it is not used"), "{text}");
    assert_eq!(told(&place), "");
}

#[test]
fn a_folder_of_compiled_code_that_others_can_write_to_is_not_used_and_named_at_each_start() {
    let place = Place::new();
    place.write("work/.pi/extensions/guard.ts", GATE);
    assert_eq!(told(&place), "");
    let file = compiled(&place);
    let folder = file.parent().expect("a folder").to_owned();
    std::fs::remove_file(&file).expect("removed");
    set_mode(&folder, 0o777);
    let why = "Warning: <runtime>: others can write to /ROOT/home/.cache/tau/modules (its mode is 777), so compiled code is \
               not kept there and every start compiles extensions anew; only you may own and write to that folder\n";
    for _ in 0..2 {
        assert_eq!(told(&place), why);
        assert!(!files_of(&folder).iter().any(|name| name.ends_with(".qjs")));
    }
    let real = place.root().join("real");
    std::fs::rename(&folder, &real).expect("moved");
    set_mode(&real, 0o700);
    std::os::unix::fs::symlink(&real, &folder).expect("a link");
    assert!(told(&place).contains("/ROOT/home/.cache/tau/modules is a symbolic link, so compiled code is not kept"));
    std::fs::remove_file(&folder).expect("removed");
    std::fs::rename(&real, &folder).expect("moved back");
    assert_eq!(told(&place), "");
    assert!(compiled(&place).is_file());
}
