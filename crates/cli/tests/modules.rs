//! Every module of the suite in every mode, alone and with all others: what is done with it, and what comes of that. The tests
//! for editors and terminals use the same table.

use std::path::Path;

use serde_json::{Value, json};
use tau_testkit::TempHome;

use crate::place::Place;
use crate::rpc::support as client;

/// What is done with a module.
pub struct Drive {
    /// The module, without `builtin:`.
    pub module: &'static str,
    /// What the model says, as a script.
    pub script: &'static str,
    /// What the user says.
    pub prompt: &'static str,
    /// A text that comes of it in print, JSON, RPC and editor mode and in the terminal.
    pub shows: [&'static str; 5],
    /// A text that comes of it in a child, in JSON mode.
    pub in_child: &'static str,
}

const HELLO: &str = "replies: [{repeat: forever, steps: [Hello there.]}]";
const ECHO: &str = "replies: [{repeat: forever, steps: ['<{{user}}>']}]";
const ASK: &str = "replies: [[{tool_call: {name: ask_user, arguments: {question: Which colour?}}}], All done.]";
const SHELL: &str =
    "replies: [[{tool_call: {name: bash, arguments: {command: 'echo \"<$GIT_SSH_COMMAND>\"'}}}], All done.]";
const GUARDED: &str = "replies: [[{tool_call: {name: bash, arguments: {command: 'git add .'}}}], All done.]";
const THERE: [&str; 5] = ["Hello there."; 5];

/// One module a row.
pub const DRIVES: &[Drive] = &[
    Drive { module: "autocomplete", script: HELLO, prompt: "Hi", shows: THERE, in_child: "Hello there." },
    Drive {
        module: "ask-user",
        script: ASK,
        prompt: "Go",
        shows: ["All done.", "No UI available", "User answered: blue", "blue", "Which colour?"],
        in_child: "No UI available",
    },
    Drive {
        module: "project-settings",
        script: ECHO,
        prompt: "/pi-config-settings co_author",
        shows: ["co_author = false"; 5],
        in_child: "</pi-config-settings co_author>",
    },
    Drive {
        module: "enforcement",
        script: GUARDED,
        prompt: "Go",
        shows: [
            "All done.",
            "Stage specific files",
            "Stage specific files",
            "Stage specific files",
            "Stage specific files",
        ],
        in_child: "Stage specific files",
    },
    Drive { module: "rules", script: HELLO, prompt: "/rules", shows: ["00-core"; 5], in_child: "00-core" },
    Drive {
        module: "status-line",
        script: HELLO,
        prompt: "Hi",
        shows: ["Hello there.", "Hello there.", "0-time", "Hello there.", "⏱"],
        in_child: "Hello there.",
    },
    Drive {
        module: "btw",
        script: ECHO,
        prompt: "/btw Which colour?",
        shows: ["This is a side question"; 5],
        in_child: "</btw Which colour?>",
    },
    Drive {
        module: "session-validation",
        script: ECHO,
        prompt: "/changelog",
        shows: ["0.1.0"; 5],
        in_child: "</changelog>",
    },
    Drive { module: "github-autocomplete", script: HELLO, prompt: "Hi", shows: THERE, in_child: "Hello there." },
    Drive { module: "status", script: ECHO, prompt: "/status", shows: ["Extensions"; 5], in_child: "</status>" },
    Drive { module: "nvim", script: HELLO, prompt: "Hi", shows: THERE, in_child: "Hello there." },
    Drive {
        module: "prompts",
        script: ECHO,
        prompt: "/implement Add a test",
        shows: ["The text in the fence"; 5],
        in_child: "</implement Add a test>",
    },
    Drive {
        module: "git-ssh",
        script: SHELL,
        prompt: "Go",
        shows: ["All done.", "<ssh -o Server", "<ssh -o Server", "<ssh -o Server", "<ssh -o Server"],
        in_child: "<ssh -o Server",
    },
];

/// The ways in which a module is switched on: alone, and with all others.
pub fn ways(drive: &Drive) -> [String; 2] {
    [format!("builtin:{}", drive.module), "builtin:orchestrator".to_owned()]
}

#[test]
fn the_table_has_all_modules() {
    let driven: Vec<String> = DRIVES.iter().map(|drive| format!("builtin:{}", drive.module)).collect();
    let all: Vec<&str> = tau_orchestrator::MODULES.iter().map(|module| module.name).collect();
    assert_eq!(driven, all);
}

#[test]
fn in_print_and_json_mode() {
    for drive in DRIVES {
        for way in ways(drive) {
            let run = |mode: &[&str], child: bool| {
                let place = Place::new();
                let tau = place.play(drive.script, [&["-e", &way], mode, &[drive.prompt]].concat());
                let done = if child { tau.env("PI_SUBAGENT_CHILD", "1") } else { tau }.run();
                assert_eq!(done.code, Some(0), "{way} {}: {done:?}", drive.prompt);
                format!("{}{}", done.stdout, done.stderr)
            };
            for (mode, child, expected) in [
                (&["-p"][..], false, drive.shows[0]),
                (&["--mode", "json"], false, drive.shows[1]),
                (&["--mode", "json"], true, drive.in_child),
            ] {
                let said = run(mode, child);
                assert!(said.contains(expected), "{way} {mode:?} {child}: {said}");
            }
        }
    }
}

/// What a row shows comes from the module: without it, it is not there.
#[test]
fn without_a_module_nothing_of_it_is_shown() {
    for drive in DRIVES {
        for (mode, text) in [(&["-p"][..], drive.shows[0]), (&["--mode", "json"], drive.shows[1])] {
            // In this mode the module has nothing to show.
            if [THERE[0], "All done."].contains(&text) {
                continue;
            }
            let place = Place::new();
            let done = place.play(drive.script, [mode, &[drive.prompt]].concat()).run();
            let said = format!("{}{}", done.stdout, done.stderr);
            assert!(!said.contains(text), "{} {mode:?}: {said}", drive.module);
        }
    }
}

#[test]
fn in_rpc_mode() {
    for drive in DRIVES {
        for way in ways(drive) {
            let home = TempHome::new();
            let client = client::start(&home, drive.script, &["-e", &way]);
            client.answer_dialogs(|_| Some(json!({"value": "blue"})));
            let mark = client.mark();
            client.call(client::text(drive.prompt)).expect("the prompt is taken");
            let shows = |record: &Value| record.to_string().contains(drive.shows[2]);
            client.wait_for(mark, &format!("{way}: {}", drive.shows[2]), shows);
            assert_eq!(client.close().stderr, "", "{way}");
        }
    }
}

/// What modules keep is in the folder of the agent; a project gets nothing that it did not ask for.
#[test]
fn they_leave_nothing_in_the_project() {
    for drive in DRIVES {
        let place = Place::new();
        let done = place.play(drive.script, ["-e", "builtin:orchestrator", "-p", drive.prompt]).run();
        assert_eq!(done.code, Some(0), "{done:?}");
        let left: Vec<_> = std::fs::read_dir(place.work()).expect("a folder").collect();
        assert!(left.is_empty() && !Path::new(&place.work().join(".pi")).exists(), "{}: {left:?}", drive.module);
    }
}
