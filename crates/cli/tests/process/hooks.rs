//! `tau hooks list`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Done, Place};

const GATE: &str = "export default (pi) => {\n  pi.on('tool_call', () => undefined);\n  pi.on('tool_call', () => undefined);\n  \
                    pi.on('turn_end', () => {});\n};\n";

/// Everything that there can be, once.
fn full() -> Place {
    let place = Place::new();
    place.write("agent/extensions/gate.ts", GATE);
    place.write("agent/hooks/older.ts", "export default (pi) => { pi.on('agent_start', () => {}); };\n");
    place.write("work/.omp/hooks/pre/bash.ts", "export default (pi) => { pi.on('tool_call', () => {}); };\n");
    place.write("work/.omp/hooks/pre/read.sh", "exit 0\n");
    place.write("home/.claude/hooks/pre/read.sh", "exit 0\n");
    place.write("work/.claude/hooks/post/*.py", "pass\n");
    place.write("work/.claude/hooks/pre/security-check.sh", "exit 2\n");
    place.write("work/.claude/hooks/pre/notes.md", "text\n");
    place.write("work/.pi/hooks/broken.ts", "export default (pi) => { throw new Error('no'); };\n");
    let script = place.write("work/pre-ls.sh", "#!/bin/sh\n");
    std::fs::set_permissions(script, Permissions::from_mode(0o755)).expect("permissions");
    place.write("agent/settings.json", r#"{"hooks": ["~/gone.ts"]}"#);
    place
}

fn shown(place: &Place, done: &Done) -> String {
    place.normal(&format!("{}---\n{}", done.stdout, done.stderr))
}

#[test]
fn everything_is_listed_with_its_dialect_its_source_and_why_it_is_not_used() {
    let place = full();
    let done = place.tau(["hooks", "list", "--approve", "--hook", "pre-ls.sh"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    insta::assert_snapshot!(shown(&place, &done));
    let json = place.tau(["hooks", "--json", "--approve", "--hook", "pre-ls.sh"]).run();
    insta::assert_snapshot!("everything_as_json", shown(&place, &json));
}

#[test]
fn an_untrusted_project_is_not_looked_at() {
    let place = full();
    let done = place.tau(["hooks", "list"]).run();
    insta::assert_snapshot!(shown(&place, &done));
}

#[test]
fn nothing_is_listed_where_nothing_is() {
    let place = Place::new();
    assert_eq!(place.tau(["hooks"]).run(), Done::ok("There are no extensions and no hooks.\n"));
    let done = place.tau(["hooks", "lits"]).run();
    assert_eq!(done, Done::failed("Error: there is no `tau hooks lits`; `tau hooks list` there is"));
}

#[test]
fn a_script_named_on_the_command_line_guards_a_run() {
    let place = Place::new();
    place.write("work/pre-bash.sh", "#!/bin/sh\necho 'not here' >&2\nexit 2\n");
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran > out}}}], [{text: Done}]]";
    let done = place.play(script, ["--hook", "pre-bash.sh", "-p", "Go"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done\n"), "{}", done.stderr);
    assert!(!place.work().join("out").exists());
    let results: Vec<String> =
        crate::support::transcript(&place.session()).into_iter().filter(|line| line.contains("not here")).collect();
    assert_eq!(results.len(), 1);
}
