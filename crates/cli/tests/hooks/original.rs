//! The original hooks of pi, as their documentation shows them.

use serde_json::{Value, json};
use tau_rpc::*;

use super::support::{Place, asked, notices, prompt, results, session_files, text};

const TELLS: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
import { appendFileSync } from "node:fs";

export default function (pi: HookAPI) {
  pi.on("session", async (event, ctx) => {
    const { reason, entries, sessionFile, previousSessionFile } = event;
    const same = sessionFile === ctx.sessionFile;
    const users = entries.filter((entry) => entry.type === "message" && entry.message.role === "user").length;
    appendFileSync("told", JSON.stringify({ reason, users, sessionFile, previousSessionFile, same }) + "\n");
    ctx.ui.notify(`${reason} in ${ctx.sessionFile ?? "memory"}`, "info");
  });
}
"#;

#[test]
fn session_tells_of_the_start_and_of_every_other_session() {
    let place = Place::new().hook("tells.ts", TELLS);
    let client = place.rpc("replies: [One, Two, Three]", &[]);
    let file = || client.call(GetState {}).unwrap().session_file.expect("a file");
    prompt(&client, "first");
    prompt(&client, "second");
    let first = file();
    client.call(NewSession { parent_session: None }).unwrap();
    let second = file();
    prompt(&client, "third");
    client.call(SwitchSession { session_path: first.clone() }).unwrap();
    let points = client.call(GetForkMessages {}).unwrap().messages;
    client.call(Fork { entry_id: points[1].entry_id.clone() }).unwrap();
    let forked = file();
    let told: Vec<Value> = place.lines("told").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let session = |reason: &str, users: u32, file: &str, previous: Option<&str>| json!({"reason": reason, "users": users, "sessionFile": file, "previousSessionFile": previous, "same": true});
    assert_eq!(
        told,
        [
            session("start", 0, &first, None),
            session("clear", 0, &second, Some(&first)),
            session("switch", 2, &first, Some(&second)),
            session("switch", 1, &forked, Some(&first)),
        ]
    );
    let notices: Vec<String> = notices(&client.records()).into_iter().map(|(text, _)| text).collect();
    let files = [("start", &first), ("clear", &second), ("switch", &first), ("switch", &forked)];
    assert_eq!(notices, files.map(|(reason, file)| format!("{reason} in {file}")));
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn a_session_in_memory_has_no_file_and_print_mode_shows_no_notice() {
    let place = Place::new().hook("tells.ts", TELLS);
    let done = place.run("replies: [Hello.]", &["--no-session", "-p", "Hi"]);
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(0), "Hello.\n", ""));
    let told: Vec<Value> = place.lines("told").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let start = json!({"reason": "start", "users": 0, "sessionFile": null, "previousSessionFile": null, "same": true});
    assert_eq!(told, [start]);
}

const GATE: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
import { appendFileSync } from "node:fs";

const RISKY = [/\brm\s+-r/, /\bsudo\b/];

export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const command = event.input.command as string;
    if (!RISKY.some((pattern) => pattern.test(command))) return undefined;
    const choice = await ctx.ui.select(`Run ${command}?`, ["Yes", "No"]);
    appendFileSync("choices", `${JSON.stringify(choice)} ${ctx.hasUI}\n`);
    return choice === "Yes" ? undefined : { block: true, reason: "The user said no" };
  });
}
"#;

const RISK: &str = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "rm -r keep && echo gone"}}
    - tool_call: {name: bash, arguments: {command: "echo safe"}}
  - Done.
"#;

#[test]
fn a_gate_asks_by_select() {
    for (answer, choice, allowed) in [
        (json!({"value": "Yes"}), "\"Yes\"", true),
        (json!({"value": "No"}), "\"No\"", false),
        (json!({"cancelled": true}), "null", false),
    ] {
        let place = Place::new().hook("gate.ts", GATE);
        place.home.write("keep/file", "");
        let client = place.rpc(RISK, &[]);
        client.answer_dialogs(move |_| Some(answer.clone()));
        let records = prompt(&client, "Go");
        assert_eq!(asked(&records), ["Run rm -r keep && echo gone?"]);
        // The dialog is shown although hooks of this kind are told that there is no user interface here.
        assert_eq!(place.lines("choices"), [format!("{choice} false")]);
        let first = if allowed { ("bash".into(), "gone\n".into(), false) } else { blocked("bash", "The user said no") };
        assert_eq!(results(&records), [first, ("bash".into(), "safe\n".into(), false)]);
        assert_eq!(place.has("keep/file"), !allowed);
    }
}

#[test]
fn a_gate_that_cannot_ask_gets_null_and_blocks() {
    let place = Place::new().hook("gate.ts", GATE);
    place.home.write("keep/file", "");
    let done = place.run(RISK, &["--mode", "json", "Go"]);
    let events = done.events();
    assert_eq!(results(&events)[0], blocked("bash", "The user said no"));
    assert_eq!(place.lines("choices"), ["null false"]);
    assert!(place.has("keep/file"));
}

const PROTECTED: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

export default function (pi: HookAPI) {
  const secret = [".env", ".git/"];
  pi.on("tool_call", async (event, ctx) => {
    if (!["write", "edit"].includes(event.toolName)) return undefined;
    const path = event.input.path as string;
    if (!secret.some((part) => path.includes(part))) return undefined;
    ctx.ui.notify(`Kept ${path}`, "warning");
    return { block: true, reason: `${path} is kept as it is` };
  });
}
"#;

#[test]
fn paths_are_protected_from_write_and_edit() {
    let place = Place::new().hook("protected.ts", PROTECTED);
    place.home.write(".env", "A=1\n");
    place.home.write("free", "one\n");
    let script = r#"
replies:
  - - tool_call: {name: write, arguments: {path: .env, content: "A=2"}}
    - tool_call: {name: edit, arguments: {path: ".git/config", edits: [{oldText: a, newText: b}]}}
    - tool_call: {name: edit, arguments: {path: free, edits: [{oldText: one, newText: two}]}}
  - Done.
"#;
    let client = place.rpc(script, &[]);
    let records = prompt(&client, "Go");
    let (kept, done): (Vec<_>, Vec<_>) = results(&records).into_iter().partition(|(_, _, is_error)| *is_error);
    assert_eq!(kept, [blocked("write", ".env is kept as it is"), blocked("edit", ".git/config is kept as it is")]);
    assert_eq!(done.len(), 1);
    let warning = |path| (format!("Kept {path}"), "warning".to_owned());
    assert_eq!(notices(&records), [warning(".env"), warning(".git/config")]);
    assert_eq!((place.lines(".env"), place.lines("free")), (vec!["A=1".to_owned()], vec!["two".to_owned()]));
}

const GUARDS: &str = r#"
import { isBashToolResult, isReadToolResult, type HookAPI } from "@mariozechner/pi-coding-agent/hooks";
import { readFileSync } from "node:fs";

export default function (pi: HookAPI) {
  pi.on("tool_result", async (event, ctx) => {
    if (isReadToolResult(event) || !isBashToolResult(event)) return;
    const { truncation, fullOutputPath } = event.details ?? {};
    if (!truncation?.truncated || !fullOutputPath) return;
    const all = readFileSync(fullOutputPath, "utf8").trimEnd().split("\n");
    const text = `${all.length} lines, the first is ${all[0]}; ${truncation.outputLines} were shown (${truncation.truncatedBy})`;
    return { content: [{ type: "text", text }] };
  });
}
"#;

#[test]
fn guards_narrow_results_down_to_the_details_of_a_tool() {
    let place = Place::new().hook("guards.ts", GUARDS);
    place.home.write("notes", "short\n");
    let script = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "seq 5000"}}
    - tool_call: {name: bash, arguments: {command: "echo short"}}
    - tool_call: {name: read, arguments: {path: notes}}
  - Done.
"#;
    let events = place.run(script, &["--mode", "json", "Go"]).events();
    let texts: Vec<String> = results(&events).into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(texts, ["5000 lines, the first is 1; 2000 were shown (lines)", "short\n", "short\n"]);
    // Details stay when only the content was given.
    let first = events.iter().find(|event| event["type"] == "tool_execution_end").unwrap();
    assert_eq!(first["result"]["details"]["truncation"]["totalLines"], 5000);
}

const TOOL: &str = r#"
export default (pi) => {
  pi.registerTool({
    name: "measure", label: "Measure", description: "Measures.", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "about 3" }], details: { exact: 2.25 } }),
  });
};
"#;

const CUSTOM: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

interface Measured { exact: number }

export default function (pi: HookAPI) {
  pi.on("tool_result", async (event) => {
    if (event.toolName !== "measure") return undefined;
    const { exact } = event.details as Measured;
    return { content: [{ type: "text", text: `exactly ${exact}` }], details: { exact, seen: true } };
  });
}
"#;

#[test]
fn tools_of_extensions_pass_by_hooks_too() {
    let place = Place::new().hook("custom.ts", CUSTOM).hook("tool.ts", TOOL);
    let script = "replies: [[{tool_call: {name: measure, arguments: {}}}], Done.]";
    let events = place.run(script, &["--mode", "json", "Go"]).events();
    assert_eq!(results(&events), [("measure".into(), "exactly 2.25".into(), false)]);
    let end = events.iter().find(|event| event["type"] == "tool_execution_end").unwrap();
    assert_eq!(end["result"]["details"], json!({"exact": 2.25, "seen": true}));
}

/// Remembers the state of files before each turn; when the conversation is branched, the user may have it back.
const CHECKPOINTS: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
import { writeFileSync } from "node:fs";

export default function (pi: HookAPI) {
  const states = new Map<number, string>();
  pi.on("turn_start", async (event, ctx) => {
    const { stdout, code } = await ctx.exec("git", ["stash", "create"]);
    if (code === 0 && stdout.trim()) states.set(event.turnIndex, stdout.trim());
  });
  pi.on("branch", async (event, ctx) => {
    const target = event.entries[event.targetTurnIndex];
    writeFileSync("branched", JSON.stringify([target.message.role, target.id === event.targetEntryId, event.targetTurnIndex]));
    const state = states.get(event.targetTurnIndex);
    if (!state) return undefined;
    const choice = await ctx.ui.select("Have the files back?", ["Yes", "No"]);
    if (choice !== "Yes") return { skipConversationRestore: true };
    await ctx.exec("git", ["checkout", "--", "."]);
    const { code } = await ctx.exec("git", ["stash", "apply", state]);
    ctx.ui.notify(code === 0 ? "The files are back" : "The files are as they were", "info");
    return undefined;
  });
  pi.on("agent_end", async () => states.clear());
}
"#;

/// Seven turns that write `version`, and an eighth whose tool waits.
fn turns() -> String {
    let mut script = "replies:\n".to_owned();
    for n in 1..=7 {
        script += &format!("  - - tool_call: {{name: bash, arguments: {{command: \"echo {n} > version\"}}}}\n");
    }
    script + "  - - tool_call: {name: bash, arguments: {command: \"sleep 600\"}}\n  - Done.\n"
}

#[test]
fn files_go_back_to_a_checkpoint_when_the_conversation_is_branched() {
    for restored in [true, false] {
        let place = Place::new().hook("checkpoints.ts", CHECKPOINTS);
        place.home.write("version", "0\n");
        place.git(&["init", "-q"]);
        place.git(&["add", "."]);
        place.git(&["commit", "-qm", "first"]);
        let client = place.rpc(&turns(), &[]);
        let mark = client.mark();
        client.call(text("Go")).unwrap();
        client.wait_for(mark, "the last turn", |record| {
            record["type"] == "tool_execution_start" && record["args"]["command"] == "sleep 600"
        });
        let answer = if restored { "Yes" } else { "No" };
        client.answer_dialogs(move |_| Some(json!({"value": answer})));
        let [point] = &client.call(GetForkMessages {}).unwrap().messages[..] else { panic!("one message") };
        client.call(Fork { entry_id: point.entry_id.clone() }).unwrap();
        let told: Value = serde_json::from_str(&place.lines("branched")[0]).unwrap();
        let turn = told[2].as_u64().unwrap();
        assert_eq!(told, json!(["user", true, turn]));
        // The state at the start of turn n is what the turn before wrote, which is n.
        let version = if restored { turn.to_string() } else { "7".to_owned() };
        assert_eq!(place.lines("version"), [version]);
        // With `skipConversationRestore` there is no other session.
        let files = session_files(&place.home);
        assert_eq!(files.len(), 1, "{files:?}");
        let notice = || ("The files are back".to_owned(), "info".to_owned());
        assert_eq!(notices(&client.records()), Vec::from_iter(restored.then(notice)));
        let messages = client.call(GetState {}).unwrap().message_count;
        assert_eq!(messages == 0, restored, "{messages}");
    }
}

const SENDS: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
import { writeFileSync } from "node:fs";

export default function (pi: HookAPI) {
  pi.on("agent_end", async (_event, ctx) => {
    const { ui } = ctx;
    pi.send("More");
    writeFileSync("answers", JSON.stringify([await ui.select("a", ["b"]), await ui.confirm("a", "b"), await ui.input("a"), ctx.hasUI]));
    ui.notify("unseen", "error");
  });
}
"#;

#[test]
fn in_print_mode_nobody_answers_and_nothing_is_sent() {
    let place = Place::new().hook("sends.ts", SENDS);
    let done = place.run("replies: [Hello.]", &["-p", "Hi"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Hello.\n"));
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    assert!(done.stderr.contains("pi.send() is not supported in print mode"), "{}", done.stderr);
    assert_eq!(place.lines("answers"), ["[null,false,null,false]"]);
}

const FAILS: &str = r#"
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

export default function (pi: HookAPI) {
  pi.on("turn_start", async () => { throw new Error("no turn"); });
  pi.on("tool_call", async () => { throw new Error("no idea"); });
  pi.on("tool_result", async () => { throw new Error("never called"); });
}
"#;

#[test]
fn a_hook_that_fails_is_named_and_only_its_gate_stays_shut() {
    let place = Place::new().hook("fails.ts", FAILS);
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: touch made}}}], Done.]";
    let done = place.run(script, &["-p", "Go"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done.\n"));
    assert!(!place.has("made"));
    for told in ["fails.ts", "no turn"] {
        assert!(done.stderr.contains(told), "{}", done.stderr);
    }
    assert!(!done.stderr.contains("never called"), "{}", done.stderr);
    let client = place.rpc(script, &[]);
    let records = prompt(&client, "Go");
    assert_eq!(results(&records), [blocked("bash", "no idea")]);
}

/// The result of a tool that a hook kept from running.
fn blocked(tool: &str, reason: &str) -> (String, String, bool) {
    (tool.to_owned(), reason.to_owned(), true)
}
