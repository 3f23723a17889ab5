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
    assert_eq!(done, Done::failed("Error: there is no `tau hooks lits`; did you mean `tau hooks list`?"));
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

/// The part of a listing under a heading.
fn part(done: &Done, heading: &str) -> Vec<String> {
    let behind = done.stdout.lines().skip_while(|line| *line != heading).skip(1);
    behind.take_while(|line| !line.is_empty()).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn gates_that_are_shut_are_listed_with_their_reason() {
    let heading = "Tool calls are blocked until you fix this";
    for (settings, expected) in [
        (r#"{"tau": {"required": ["guard"]}}"#, "why      tau.required names it, but it is not installed"),
        (r#"{"tau": {"required": [""]}}"#, "why      tau.required holds an empty text"),
        (r#"{"tau": {"required": 5}}"#, "tau.required must be a list of texts"),
    ] {
        let place = Place::new();
        place.write("agent/settings.json", settings);
        let done = place.tau(["hooks", "list"]).run();
        let shut = part(&done, heading);
        assert!(shut.iter().any(|line| line.contains(expected)), "{settings}: {done:?}");
        assert!(shut.iter().any(|line| line.starts_with("gates") && line.contains("tool_call")), "{done:?}");
        let json: serde_json::Value =
            serde_json::from_str(&place.tau(["hooks", "list", "--json"]).run().stdout).expect("JSON");
        assert_eq!(json["shut"].as_array().map(Vec::len), Some(1), "{json}");
        assert!(!done.stderr.contains("the default is used"), "{}", done.stderr);
    }
    // A guard of earlier that does not compile any more holds its own gates only.
    let place = Place::new();
    place.write("agent/extensions/guard.ts", "export default (pi) => { pi.on('tool_call', () => {}); };\n");
    assert_eq!(place.play("replies: [Fine]", ["-p", "Go"]).run(), Done::ok("Fine\n"));
    assert_eq!(part(&place.tau(["hooks", "list"]).run(), heading), Vec::<String>::new());
    place.write("agent/extensions/guard.ts", "export default (pi) => {\n");
    let shut = part(&place.tau(["hooks", "list"]).run(), heading);
    assert!(shut[0].ends_with("/agent/extensions/guard.ts") && shut[1] == "gates    tool_call", "{shut:?}");
    assert!(shut[2].starts_with("why      it guarded this and could not be loaded again: "), "{shut:?}");
}

#[test]
fn the_listing_as_data_says_what_is_not_looked_at_and_what_settings_call_a_hook() {
    let place = Place::new();
    place.write("work/.omp/hooks/pre/Bash.sh", "exit 0\n");
    let listing = |flags: &[&str]| -> serde_json::Value {
        let done = place.tau([&["hooks", "list", "--json"][..], flags].concat()).run();
        serde_json::from_str(&done.stdout).expect("JSON")
    };
    let untrusted = listing(&[]);
    assert_eq!((&untrusted["trusted"], untrusted["untrusted"].as_array().map(Vec::len)), (&false.into(), Some(1)));
    let trusted = listing(&["--approve"]);
    assert_eq!((&trusted["trusted"], &trusted["untrusted"]), (&true.into(), &serde_json::json!([])));
    assert_eq!(trusted["loaded"][0]["id"], "hook:pre:Bash:Bash.sh");
    let text = place.tau(["hooks", "list", "--approve"]).run();
    assert!(text.stdout.contains("    id       hook:pre:Bash:Bash.sh\n"), "{}", text.stdout);
}

#[test]
fn an_original_hook_without_imports_works_wherever_it_is_named() {
    let place = Place::new();
    let hook = "import { appendFileSync } from 'node:fs';\nexport default function (pi) {\n  \
                pi.on('session', (event) => { appendFileSync('told', event.reason); });\n}\n";
    place.write("work/mine.ts", hook);
    let done = place.play("replies: [Fine]", ["--hook", "mine.ts", "-p", "Go"]).run();
    assert_eq!((done, place.read("work/told").as_str()), (Done::ok("Fine\n"), "start"));
}

#[test]
fn a_text_that_is_named_as_a_hook_is_refused_and_the_gates_stay_shut() {
    let place = Place::new();
    place.write("work/foo.txt", "require('fs').writeFileSync('ran', '');\n");
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran > out}}}], [{text: Done}]]";
    for flag in ["--hook", "-e"] {
        let done = place.play(script, [flag, "foo.txt", "-p", "Go"]).run();
        assert!(done.stderr.contains("a file that ends in .txt is no extension and no hook"), "{}", done.stderr);
        assert!(!place.work().join("ran").exists() && !place.work().join("out").exists());
    }
}

#[test]
fn a_prompt_that_a_hook_cannot_decide_about_is_an_error() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"shellHooks": {"claudeSettings": true}}}"#);
    let hooks = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "exit 127"}]}]}}"#;
    place.write("home/.claude/settings.json", hooks);
    let done = place.play("replies: [Never]", ["-p", "Go"]).run();
    assert!(done.code == Some(1) && done.stderr.contains("The prompt was not sent: "), "{done:?}");
    assert_eq!(done.stdout, "");
}
