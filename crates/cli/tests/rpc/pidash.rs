//! A dashboard in TypeScript beside the suite: every name of the bus, in both directions.

use serde_json::{Value, json};
use tau_rpc::UiRequest;
use tau_testkit::{RpcClient, TempHome};

use super::support::{run, start, text};

/// What a dashboard does: it keeps the commands that it hears of, answers questions of the suite, and runs commands.
const DASHBOARD: &str = r#"
export default (pi) => {
  const commands = new Map(), contexts = [], requests = [], dismissed = [];
  let answers = [];
  pi.events.on("pidash:register-command", ({ name, handler }) => commands.set(name, handler));
  pi.events.on("pidash:command-ctx", (context) => contexts.push(context));
  pi.events.on("pidash:ui-dismiss", ({ id }) => dismissed.push(id));
  pi.events.on("pidash:ui-request", (request) => {
    requests.push(request);
    // Answers to others first, which must not matter.
    pi.events.emit("pidash:ui-response", { id: "another", value: "wrong" });
    const answer = answers.shift();
    if (answer) setTimeout(() => pi.events.emit("pidash:ui-response", { id: request.id, ...answer }), 0);
  });
  const command = (name, run) => pi.registerCommand(name, {
    handler: async (args, ctx) => pi.appendEntry(name, { got: (await run(args, ctx)) ?? null }),
  });
  command("heard", () => [...commands.keys()].sort());
  command("again", async () => {
    commands.clear();
    pi.events.emit("pidash:request-commands");
    // The answer comes from another engine.
    while (commands.size === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    return [...commands.keys()].sort();
  });
  command("press", async (args, ctx) => {
    const [name, ...rest] = args.split(" ");
    const returned = await commands.get(name)(rest.join(" "), ctx);
    return { returned: returned ?? null, context: contexts.at(-1) };
  });
  command("answer", (args) => { answers = JSON.parse(args); });
  command("asked", () => ({
    requests: requests.map(({ id, ...rest }) => rest),
    dismissed: requests.map(({ id }) => dismissed.includes(id)),
  }));
};
"#;

fn dashboard(home: &TempHome, script: &str, suite_first: bool) -> RpcClient {
    let path = home.write_agent("here/pidash.ts", DASHBOARD).display().to_string();
    let mut args = vec!["-e", "builtin:orchestrator", "-e", &path];
    if !suite_first {
        args.rotate_left(2);
    }
    start(home, script, &args)
}

/// What a command of the dashboard says.
fn says(client: &RpcClient, message: &str) -> Value {
    let mark = client.mark();
    client.call(text(message)).expect("the command runs");
    let name = message.trim_start_matches('/').split(' ').next().expect("a name");
    let entry = client.wait_for(mark, name, |record| record["entry"]["customType"] == name);
    // Commands settle, too.
    client.event(mark, "agent_settled");
    entry["entry"]["data"]["got"].clone()
}

#[test]
fn it_finds_the_commands_of_the_suite_whichever_is_loaded_first_and_runs_them() {
    for suite_first in [true, false] {
        let home = TempHome::new();
        let client = dashboard(&home, "replies: [It is blue.]", suite_first);
        let heard = says(&client, "/heard");
        assert!(heard.as_array().is_some_and(|names| names.contains(&json!("btw"))), "{heard}");
        assert_eq!(says(&client, "/again"), heard);
        let mark = client.mark();
        let pressed = says(&client, "/press btw Which colour?");
        let cwd = home.cwd().canonicalize().expect("a folder");
        assert_eq!(pressed, json!({"returned": null, "context": {"cwd": cwd, "mode": "rpc", "hasUI": true}}));
        let answer = client.dialog(mark, "notify");
        assert!(
            matches!(&answer.request, UiRequest::Notify { message, .. } if message.contains("It is blue.")),
            "{answer:?}"
        );
    }
}

/// What the calls of a run gave.
fn results(records: &[Value]) -> Vec<&str> {
    let ends = records.iter().filter(|record| record["type"] == "tool_execution_end");
    ends.map(|end| end["result"]["content"][0]["text"].as_str().unwrap_or_default()).collect()
}

#[test]
fn it_answers_questions_of_the_model_and_the_first_answer_counts() {
    let ask = |options: &str| format!("[{{tool_call: {{name: ask_user, arguments: {{question: Which?{options}}}}}}}]");
    let (select, input) = (ask(", options: [red, teal]"), ask(""));
    let script = format!("replies: [{select}, fine, {input}, fine, {input}, fine, {input}]");
    let home = TempHome::new();
    let client = dashboard(&home, &script, true);
    says(&client, r#"/answer [{"value": "teal"}, {"value": 7}, null, {"cancelled": true}]"#);
    let one = run(&client, "One");
    assert_eq!(results(&one), ["User answered: teal"], "{one:#?}");
    assert_eq!(results(&run(&client, "Two")), ["User answered: 7"]);
    // The dashboard says nothing to the third, so it is answered where the session is.
    let mark = client.mark();
    client.call(text("Three")).expect("the prompt is taken");
    client.answer(&client.dialog(mark, "input"), json!({"value": "by hand"}));
    client.event(mark, "agent_settled");
    assert_eq!(results(&client.records()[mark..]), ["User answered: by hand"]);
    assert_eq!(results(&run(&client, "Four")), ["User cancelled"]);
    let input = json!({"type": "extension_ui_request", "method": "input", "title": "Which?"});
    let select = json!({
        "type": "extension_ui_request", "method": "select", "title": "Which?", "options": ["red", "teal"],
    });
    let asked = says(&client, "/asked");
    assert_eq!(asked, json!({"requests": [select, input, input, input], "dismissed": [true, true, true, true]}));
}
