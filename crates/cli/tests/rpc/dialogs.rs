//! What extensions ask of the user and show to the user.

use serde_json::{Value, json};
use tau_rpc::*;
use tau_testkit::{RpcClient, TempHome};

use super::support::{run, start_with, text};

const HANDLED: Placed = Placed { disposition: Disposition::Handled };

/// A command per thing to try; each appends an entry with what it got.
const ASKING: &str = r#"
export default (pi) => {
  const command = (name, run) =>
    pi.registerCommand(name, { handler: async (args, ctx) => { pi.appendEntry(name, { got: (await run(ctx)) ?? null }); } });
  command("all", ({ ui }) => Promise.all([
    ui.select("Which?", ["a", "b"]), ui.confirm("Sure?", "Really"), ui.input("Name?", "Ada"), ui.editor("Text?", "draft"),
  ]));
  command("late", async ({ ui }) => [
    await ui.select("Which?", ["a"], { timeout: 20 }), await ui.confirm("Sure?", "", { timeout: 20 }),
    await ui.input("Name?", undefined, { timeout: 20 }),
  ]);
  command("gone", async ({ ui }) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    return [await ui.input("Name?", undefined, { signal: stop.signal })];
  });
  command("wait", async ({ ui }) => [await ui.confirm("Sure?", "")]);
  command("wait2", async ({ ui }) => [await ui.select("Which?", ["a"])]);
  command("show", async ({ ui }) => {
    ui.notify("careful", "warning");
    ui.notify("plain");
    ui.notify("done", "success");
    ui.setStatus("k", "busy");
    ui.setStatus("k", undefined);
    ui.setWidget("w", ["one", "two"], { placement: "belowEditor" });
    ui.setWidget("w", undefined);
    ui.setWidget("factory", () => ({ render: () => [] }));
    ui.setTitle("title");
    ui.setEditorText("text");
    ui.pasteToEditor("pasted");
    ui.setFooter(() => ({}));
    ui.setWorkingMessage("working");
    ui.onTerminalInput(() => {})();
    return [await ui.custom(() => ({})), ui.getEditorText(), ui.getToolsExpanded(), ui.setTheme("dark").error];
  });
  pi.registerCommand("fail", { handler: async () => { throw new Error("it broke"); } });
  pi.on("agent_end", () => { throw new Error("so did this"); });
};
"#;

fn got(client: &RpcClient, command: &str, mark: usize) -> Value {
    let entry = client.wait_for(mark, command, |record| record["entry"]["customType"] == command);
    entry["entry"]["data"]["got"].clone()
}

#[test]
fn several_dialogs_are_open_at_once_and_answered_in_any_order() {
    let home = TempHome::new();
    let client = start_with(&home, "replies: []", ASKING);
    let mark = client.mark();
    let asked = client.send(text("/all"));
    let [select, confirm, input, editor] =
        ["select", "confirm", "input", "editor"].map(|method| client.dialog(mark, method));
    let timeout = None;
    assert_eq!(
        [&select, &confirm, &input, &editor].map(|dialog| &dialog.request),
        [
            &UiRequest::Select { title: "Which?".into(), options: vec!["a".into(), "b".into()], timeout },
            &UiRequest::Confirm { title: "Sure?".into(), message: "Really".into(), timeout },
            &UiRequest::Input { title: "Name?".into(), placeholder: Some("Ada".into()), timeout },
            &UiRequest::Editor { title: "Text?".into(), prefill: Some("draft".into()) },
        ]
    );
    client.answer(&editor, json!({"value": "final"}));
    client.answer(&input, json!({"cancelled": true}));
    client.answer(&confirm, json!({"confirmed": true}));
    client.answer(&select, json!({"value": "b"}));
    // The second answer to the same dialog does not matter.
    client.answer(&select, json!({"value": "a"}));
    assert_eq!(asked.answer(), Ok(HANDLED));
    assert_eq!(got(&client, "all", mark), json!(["b", true, null, "final"]));
}

#[test]
fn what_is_not_answered_in_time_gets_its_default_and_late_answers_do_not_matter() {
    let home = TempHome::new();
    let client = start_with(&home, "replies: []", ASKING);
    let mark = client.mark();
    client.call(text("/late")).unwrap();
    assert_eq!(got(&client, "late", mark), json!([null, false, null]));
    let select = client.dialog(mark, "select");
    assert_eq!(
        select.request,
        UiRequest::Select { title: "Which?".into(), options: vec!["a".into()], timeout: Some(20) }
    );
    client.answer(&select, json!({"value": "a"}));
    let mark = client.mark();
    client.call(text("/gone")).unwrap();
    assert_eq!(got(&client, "gone", mark), json!([null]));
    client.answer(&client.dialog(mark, "input"), json!({"value": "a"}));
    client.write(&json!({"type": "extension_ui_response", "id": "nobody asked", "value": "a"}));
    assert!(client.call(GetState {}).is_ok());
    let end = client.close();
    assert!(!end.records.iter().any(|record| record["success"] == false), "{:?}", end.records);
}

#[test]
fn an_answer_that_does_not_fit_counts_as_none_and_is_told() {
    let home = TempHome::new();
    let client = start_with(&home, "replies: []", ASKING);
    for (command, method, answer, default) in [
        ("/wait", "confirm", json!({"value": "yes"}), json!([false])),
        ("/wait", "confirm", json!({"confirmed": "yes"}), json!([false])),
        ("/wait2", "select", json!({"value": 1}), json!([null])),
        ("/wait2", "select", json!({"value": "no option"}), json!([null])),
        ("/wait2", "select", json!({}), json!([null])),
    ] {
        let mark = client.mark();
        let asked = client.send(text(command));
        let dialog = client.dialog(mark, method);
        client.answer(&dialog, answer);
        assert_eq!(asked.answer(), Ok(HANDLED));
        assert_eq!(got(&client, &command[1..], mark), default);
        let told = client.wait_for(mark, "the response", |record| {
            record["id"] == dialog.id.as_str() && record["type"] == "response"
        });
        assert_eq!(told["error"], format!("the answer does not fit the {method} dialog"));
    }
}

#[test]
fn what_is_shown_is_told_and_what_needs_a_terminal_is_not() {
    let home = TempHome::new();
    let client = start_with(&home, "replies: []", ASKING);
    let mark = client.mark();
    client.call(text("/show")).unwrap();
    assert_eq!(got(&client, "show", mark), json!([null, "", false, "Theme switching not supported in RPC mode"]));
    let records = client.records().split_off(mark);
    let told: Vec<Value> = records
        .into_iter()
        .filter(|record| record["type"] == "extension_ui_request")
        .map(|mut record| {
            record.as_object_mut().unwrap().retain(|name, _| name != "id" && name != "type");
            record
        })
        .collect();
    assert_eq!(
        told,
        [
            json!({"method": "notify", "message": "careful", "notifyType": "warning"}),
            json!({"method": "notify", "message": "plain"}),
            json!({"method": "notify", "message": "done", "notifyType": "success"}),
            json!({"method": "setStatus", "statusKey": "k", "statusText": "busy"}),
            json!({"method": "setStatus", "statusKey": "k"}),
            json!({"method": "setWidget", "widgetKey": "w", "widgetLines": ["one", "two"], "widgetPlacement": "belowEditor"}),
            json!({"method": "setWidget", "widgetKey": "w"}),
            json!({"method": "setTitle", "title": "title"}),
            json!({"method": "set_editor_text", "text": "text"}),
            json!({"method": "set_editor_text", "text": "pasted"}),
        ]
    );
}

#[test]
fn failures_of_extensions_are_events() {
    let home = TempHome::new();
    let client = start_with(&home, "replies: [Hi]", ASKING);
    let mark = client.mark();
    client.call(text("/fail")).unwrap();
    let error = client.event(mark, "extension_error");
    assert_eq!(
        (&error["extensionPath"], &error["event"], &error["error"]),
        (&json!("command:fail"), &json!("command"), &json!("it broke"))
    );
    client.event(mark, "agent_settled");
    let records = run(&client, "Go");
    let error = records.iter().find(|record| record["type"] == "extension_error").expect("an error");
    assert_eq!((&error["event"], &error["error"]), (&json!("agent_end"), &json!("so did this")));
    assert!(error["extensionPath"].as_str().unwrap().ends_with("extension.ts"));
}

#[test]
fn failures_of_older_hooks_are_events_of_their_own() {
    let home = TempHome::new();
    let hook = r#"
// @hook-dialect original
export default (pi) => pi.on("session", () => { throw new Error("it broke"); });
"#;
    let client = start_with(&home, "replies: [Hi]", hook);
    let error = client.event(0, "hook_error");
    assert_eq!((&error["event"], &error["error"]), (&json!("session"), &json!("it broke")));
    assert!(error["hookPath"].as_str().unwrap().ends_with("extension.ts"));
    assert!(run(&client, "Go").iter().all(|record| record["type"] != "extension_error"));
}

#[test]
fn a_dialog_at_the_start_can_be_answered_and_commands_wait_for_it() {
    let home = TempHome::new();
    let extension = r#"
export default (pi) => pi.on("session_start", async (event, ctx) => {
  pi.appendEntry("started", { got: await ctx.ui.confirm("Begin?", "") });
});
"#;
    let client = start_with(&home, "replies: []", extension);
    let state = client.send(GetState {});
    let dialog = client.dialog(0, "confirm");
    assert!(client.records().iter().all(|record| record["type"] != "response"));
    client.answer(&dialog, json!({"confirmed": true}));
    assert!(state.answer().is_ok());
    assert_eq!(got(&client, "started", 0), json!(true));
}

#[test]
fn standard_output_is_the_protocols_alone() {
    let home = TempHome::new();
    let extension = r#"
import { spawnSync, execSync } from "node:child_process";
export default (pi) => {
  console.log("loaded");
  pi.on("session_start", () => {
    console.log("{\"type\":\"fake\"}");
    process.stdout.write("half a line");
    spawnSync("sh", ["-c", "echo child; cat"], { stdio: "inherit" });
    execSync("echo child2", { stdio: "inherit" });
  });
};
"#;
    let client = start_with(&home, "replies: [Hi]", extension);
    run(&client, "Go");
    let end = client.close();
    assert_eq!(end.status.code(), Some(0));
    // The client fails on a line that is no JSON; nothing else may be made up either.
    assert!(end.records.iter().all(|record| record["type"] != "fake"));
    for said in ["loaded", "fake", "half a line", "child\n", "child2\n"] {
        assert!(end.stderr.contains(said), "{said}: {}", end.stderr);
    }
}

/// No client can show one, and extensions hear of it all the same.
#[test]
fn a_component_is_a_prompt() {
    let home = TempHome::new();
    let extension = r#"
export default (pi) => {
  for (const name of ["ui_prompt_start", "ui_prompt_end"]) {
    pi.on(name, (event) => { pi.appendEntry("prompt", [event.type, event.kind]); });
  }
  pi.registerCommand("component", { handler: async (args, ctx) => {
    pi.appendEntry("got", { got: (await ctx.ui.custom(() => ({ render: () => [] }))) ?? null });
  } });
};
"#;
    let client = start_with(&home, "replies: []", extension);
    client.call(text("/component")).unwrap();
    let appended = |name: &'static str| move |record: &Value| record["entry"]["customType"] == name;
    assert_eq!(client.wait_for(0, "the answer", appended("got"))["entry"]["data"], json!({"got": null}));
    let end = |record: &Value| record["entry"]["data"] == json!(["ui_prompt_end", "custom"]);
    client.wait_for(0, "the end of the prompt", end);
    let told: Vec<Value> = client.records().into_iter().filter(appended("prompt")).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0]["entry"]["data"], json!(["ui_prompt_start", "custom"]));
}
