//! An extension, hooks of both older kinds and scripts in one session, about the same tool: who is asked when, what
//! each of them makes of a result by the rules of its own kind, and that one refusal is enough.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tau_rpc::GetMessages;

use super::support::{Place, answer, prompt, results};

/// What each of them does; `WHO` and `RESULTS` differ.
const COMMON: &str = r#"
import { appendFileSync, existsSync } from "node:fs";
const note = (text) => appendFileSync("order", `${text}\n`);
const shown = (event) => event.content.map((block) => block.text.trim()).join("|");
const block = (text) => [{ type: "text", text }];
const calls = (pi) =>
  pi.on("tool_call", async (event) => {
    note(`WHO before ${event.input.command}`);
    if (existsSync("no-WHO")) return { block: true, reason: "WHO said no" };
  });
const result = (pi, name, answer) =>
  pi.on("tool_result", async (event) => {
    note(`WHO ${name} after ${shown(event)}${event.isError ? " (failed)" : ""}`);
    return answer(shown(event));
  });
"#;

/// Each handler sees what the one before made of the result, fields are put together, messages add up.
const EXTENSION: &str = r#"
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
export default (pi: ExtensionAPI) => {
  calls(pi);
  result(pi, "one", (seen) => ({ content: block(`${seen}|pi one`) }));
  result(pi, "two", (seen) => ({ content: block(`${seen}|pi two`) }));
  for (const name of ["one", "two"]) {
    pi.on("before_agent_start", () => ({ message: { customType: `pi ${name}`, content: "x", display: false } }));
  }
};
"#;

/// Each handler sees the result as it was, the last answer counts as a whole, a failure is only shown, and the first
/// message is kept.
const OMP: &str = r#"
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
export default (pi: HookAPI) => {
  calls(pi);
  result(pi, "one", (seen) => ({ content: block(`${seen}|omp one`) }));
  result(pi, "two", () => ({ details: { by: "omp" }, isError: true }));
  for (const name of ["one", "two"]) {
    pi.on("before_agent_start", async () => ({ message: { customType: `omp ${name}`, content: "x", display: false } }));
  }
};
"#;

/// The same for results, and nothing is heard of a failure.
const ORIGINAL: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
export default (pi: HookAPI) => {
  calls(pi);
  pi.on("session", async (event) => note(`original session ${event.reason}`));
  result(pi, "one", (seen) => ({ content: block(`${seen}|original one`), details: { by: "original" } }));
  result(pi, "two", (seen) => ({ content: block(`${seen}|original two`) }));
};
"#;

const BEFORE: &str = r#"#!/bin/sh
cat > input.json
echo "shell before $(sed 's/.*"command":"\([^"]*\)".*/\1/' input.json)" >> order
if [ -e no-shell ]; then echo "shell said no" >&2; exit 2; fi
"#;

const AFTER: &str = r#"#!/bin/sh
cat > output.json
echo "shell after $(sed 's/.*"hook_event_name":"\([^"]*\)".*/\1/' output.json)" >> order
echo "seen by a script" >&2
exit 2
"#;

const SCRIPT: &str = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "echo ran"}}
    - tool_call: {name: bash, arguments: {command: "exit 3"}}
  - Done.
"#;

fn place() -> Place {
    let source = |who: &str, own: &str| format!("{}{own}", COMMON.replace("WHO", who));
    // In an order of its own: what counts is the kind.
    let place = Place::new()
        .hook("a-original.ts", &source("original", ORIGINAL))
        .hook("b-omp.ts", &source("omp", OMP))
        .hook("c-extension.ts", &source("pi", EXTENSION));
    for (name, script) in [("pre/bash.sh", BEFORE), ("post/bash.sh", AFTER)] {
        let path = place.home.home().join(".claude/hooks").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    place
}

/// What a run told, in a mode.
fn played(place: &Place, mode: &str) -> Vec<Value> {
    match mode {
        "print" => {
            let done = place.run(SCRIPT, &["-p", "Go"]);
            assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(0), "Done.\n", ""));
            Vec::new()
        }
        "json" => {
            let done = place.run(SCRIPT, &["--mode", "json", "Go"]);
            assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
            done.events()
        }
        _ => {
            let client = place.rpc(SCRIPT, &[]);
            let records = prompt(&client, "Go");
            let messages = serde_json::to_value(client.call(GetMessages {}).unwrap()).unwrap();
            let messages = messages["messages"].as_array().unwrap().iter();
            let custom: Vec<_> = messages.filter_map(|message| message["customType"].as_str()).collect();
            assert_eq!(custom, ["pi one", "pi two", "omp one"]);
            let end = client.close();
            assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), ""));
            records
        }
    }
}

#[test]
fn groups_nest_around_the_tool_and_each_adds_up_in_its_own_way() {
    for mode in ["print", "json", "rpc"] {
        let place = place();
        let records = played(&place, mode);
        assert_eq!(
            place.lines("order"),
            [
                "original session start",
                "pi before echo ran",
                "omp before echo ran",
                "original before echo ran",
                "shell before echo ran",
                "shell after PostToolUse",
                "original one after ran|seen by a script",
                "original two after ran|seen by a script",
                "omp one after ran|seen by a script|original two",
                "omp two after ran|seen by a script|original two",
                "pi one after ran|seen by a script|original two",
                "pi two after ran|seen by a script|original two|pi one",
                "pi before exit 3",
                "omp before exit 3",
                "original before exit 3",
                "shell before exit 3",
                "shell after PostToolUseFailure",
                "omp one after (no output)\n\nCommand exited with code 3 (failed)",
                "omp two after (no output)\n\nCommand exited with code 3 (failed)",
                "pi one after (no output)\n\nCommand exited with code 3 (failed)",
                "pi two after (no output)\n\nCommand exited with code 3|pi one (failed)",
            ]
            .join("\n")
            .lines()
            .collect::<Vec<_>>(),
            "{mode}"
        );
        if mode == "print" {
            continue;
        }
        let text = |text: &str, is_error| ("bash".to_owned(), text.to_owned(), is_error);
        assert_eq!(
            results(&records),
            [
                text("ran|seen by a script|original two|pi one|pi two", false),
                text("(no output)\n\nCommand exited with code 3|pi one|pi two", true),
            ],
            "{mode}"
        );
        let end = records.iter().find(|record| record["type"] == "tool_execution_end").unwrap();
        assert_eq!(end["result"]["details"], json!({"by": "omp"}));
        assert_eq!(answer(&records), "Done.");
    }
}

#[test]
fn one_refusal_is_enough() {
    let all = ["pi", "omp", "original", "shell"];
    for mode in ["print", "json", "rpc"] {
        for (place_of_refusal, who) in all.iter().enumerate() {
            let place = place();
            place.home.write(&format!("no-{who}"), "");
            let records = played(&place, mode);
            let asked = |command: &str| {
                let asked = all[..=place_of_refusal].iter().map(|who| format!("{who} before {command}"));
                asked.collect::<Vec<_>>()
            };
            let order: Vec<String> = place.lines("order").into_iter().filter(|line| line.contains("before")).collect();
            assert_eq!(order, [asked("echo ran"), asked("exit 3")].concat(), "{mode}");
            if mode != "print" {
                let refused = ("bash".to_owned(), format!("{who} said no"), true);
                assert_eq!(results(&records), [refused.clone(), refused], "{mode}");
            }
        }
    }
}
