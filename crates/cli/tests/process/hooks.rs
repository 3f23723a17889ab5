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

/// A subcommand that is not seen would be a prompt, which costs money.
#[test]
fn flags_before_a_subcommand_do_not_make_it_a_prompt() {
    let place = full();
    let wanted = place.tau(["hooks", "list", "--approve"]).run();
    assert_eq!(wanted.code, Some(0), "{}", wanted.stderr);
    for flags in [&["-a"][..], &["--approve"], &["--verbose", "--offline", "--approve"]] {
        assert_eq!(place.tau([flags, &["hooks", "list"]].concat()).run().stdout, wanted.stdout, "{flags:?}");
    }
    for command in ["install", "remove", "uninstall", "update", "list", "hooks", "config"] {
        for flags in [&["--model", "x"][..], &["-e", "pre-ls.sh"], &["--no-session"]] {
            let done = place.play("replies: [Never asked]", [flags, &[command]].concat()).run();
            let told = format!("the subcommand `{command}` must come first");
            assert!(done.code == Some(1) && done.stderr.contains(&told), "{flags:?} {command}: {done:?}");
        }
        // What says that it is a prompt is one.
        let done = place.play("replies: [Fine]", ["-a", "-ne", "-p", command]).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Fine\n"), "{command}");
    }
    assert!(place.tau(["-a", "update", "the", "readme"]).run().stderr.contains("Unexpected argument"));
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

/// A module that notes when it is called, before a tool and after it.
fn notes(word: &str) -> String {
    format!(
        "import {{ appendFileSync }} from 'node:fs';\nexport default (pi) => {{\n  \
         pi.on('tool_call', () => appendFileSync('order', 'before {word}\\n'));\n  \
         pi.on('tool_result', () => appendFileSync('order', 'after {word}\\n'));\n}};\n"
    )
}

#[test]
fn hooks_of_every_kind_nest_around_a_tool() {
    let place = Place::new();
    place.write("agent/extensions/now.ts", notes("pi"));
    place.write("home/.omp/agent/hooks/note.ts", notes("omp"));
    place.write("agent/hooks/note.ts", notes("original"));
    place.write("home/.claude/hooks/pre/bash.sh", "echo 'before shell' >> order\n");
    place.write("home/.claude/hooks/post/bash.sh", "echo 'after shell' >> order\n");
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo tool >> order}}}], [{text: Done}]]";
    assert_eq!(place.play(script, ["-p", "Go"]).run(), Done::ok("Done\n"));
    let order = place.read("work/order");
    assert_eq!(
        order.lines().collect::<Vec<_>>(),
        [
            "before pi",
            "before omp",
            "before original",
            "before shell",
            "tool",
            "after shell",
            "after original",
            "after omp",
            "after pi",
        ]
    );
}

#[test]
fn what_keeps_a_script_from_deciding_is_told_on_standard_error() {
    let place = Place::new();
    let path = place.write("home/.claude/hooks/pre/bash.sh", "#!/no/such/shell\n");
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("permissions");
    place.write("home/.claude/hooks/pre/a-check.sh", "exit 2\n");
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran > out}}}], [{text: Done}]]";
    let done = place.play(script, ["-p", "Go"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done\n"));
    assert!(!place.work().join("out").exists());
    insta::assert_snapshot!(place.normal(&done.stderr));
}

#[test]
fn gates_that_are_shut_come_first_with_the_reason() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"required": ["guard"]}}"#);
    place.write("work/.pi/hooks/x.ts", GATE);
    let text = place.tau(["hooks", "list"]).run().stdout;
    let begin = "Gates that are shut, and why\n  guard\n    blocks   ";
    assert!(text.starts_with(begin) && text.contains("tool_call"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&place.tau(["hooks", "--json"]).run().stdout).expect("JSON");
    assert_eq!(json["shutGates"][0]["name"], "guard");
    assert!(json["shutGates"][0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    let hidden = json["notTrusted"][0].as_str().expect("what was not looked at");
    assert!(hidden.starts_with(&place.work().display().to_string()), "{hidden}");
    // A list that cannot be read shuts them too.
    place.write("agent/settings.json", r#"{"tau": {"required": 5}}"#);
    let text = place.tau(["hooks", "list"]).run().stdout;
    assert!(text.starts_with("Gates that are shut, and why\n") && text.contains("settings.json\n    blocks"), "{text}");
}
