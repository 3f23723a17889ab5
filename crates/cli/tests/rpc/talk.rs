//! Prompts, queues, shell commands, and what is answered when.

use serde_json::{Value, json};
use tau_hooks::payload::StreamingBehavior;
use tau_rpc::*;
use tau_testkit::TempHome;

use super::support::{kinds, run, start, start_with, text};

const TOOLS: &str = r#"
replies:
  - - text: Looking.
      chunk: 4
    - tool_call: {name: read, arguments: {path: notes.txt}}
  - - expect: {tool_result: {name: read, is_error: false}}
    - text: It says alpha.
"#;

#[test]
fn a_prompt_is_answered_before_anything_comes_of_it() {
    let home = TempHome::new();
    home.write("notes.txt", "alpha\n");
    let client = start(&home, TOOLS, &[]);
    let records = run(&client, "Look");
    assert_eq!(records[0]["command"], "prompt");
    assert_eq!(
        kinds(&records),
        [
            "agent_start",
            "turn_start",
            "message_start",
            "message_end",
            "message_start",
            "message_end",
            "tool_execution_start",
            "tool_execution_end",
            "message_start",
            "message_end",
            "turn_end",
            "turn_start",
            "message_start",
            "message_end",
            "turn_end",
            "agent_end",
            "agent_settled"
        ]
    );
    let steps = records.iter().filter(|record| record["type"] == "message_update");
    let steps: Vec<&Value> = steps.map(|record| &record["assistantMessageEvent"]).collect();
    assert!(steps.iter().all(|step| step.get("partial").is_none()), "{steps:?}");
    let said: String = steps.iter().filter_map(|step| step["delta"].as_str()).take(2).collect();
    assert_eq!(said, "Looking.");
    assert_eq!(client.call(GetLastAssistantText {}).unwrap().text.as_deref(), Some("It says alpha."));
    let end = client.close();
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), ""));
}

#[test]
fn what_was_queued_before_is_cleared() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Hi]", &[]);
    for _ in 0..25 {
        let queued = client.send(Steer { message: "Left.".to_owned(), images: None });
        let cleared = client.send(ClearQueue {});
        queued.answer().unwrap();
        assert_eq!(cleared.answer().unwrap().steering, ["Left."]);
    }
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn older_clients_get_the_whole_message_in_each_step() {
    let home = TempHome::new();
    let script = "replies: [[{text: One two three., chunk: 4}]]";
    let client = start(&home, script, &["--cumulative-updates"]);
    let records = run(&client, "Go");
    let updates: Vec<&Value> = records.iter().filter(|record| record["type"] == "message_update").collect();
    let text = |message: &Value| message["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    let whole: Vec<String> = updates.iter().map(|update| text(&update["message"])).collect();
    assert_eq!(whole, ["", "One ", "One two ", "One two thre", "One two three.", "One two three."]);
    for update in updates {
        assert_eq!(update["assistantMessageEvent"]["partial"], update["message"]);
    }
}

#[test]
fn text_that_comes_during_a_run_waits_in_line() {
    let home = TempHome::new();
    let script = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "until [ -e go ]; do sleep 0.02; done"}}
  - - expect: {last_user: Steered}
    - text: Steering.
  - - expect: {last_user: Followed}
    - text: Following.
"#;
    let client = start(&home, script, &[]);
    let mark = client.mark();
    // Without waiting for anything: what brings text keeps its order.
    let first = client.send(text("Begin"));
    let refused = client.send(text("No"));
    assert_eq!(first.answer(), Ok(Placed { disposition: Disposition::Started }));
    assert!(refused.answer().unwrap_err().starts_with("Agent is already processing."));
    client.event(mark, "tool_execution_start");
    let steer = client.send(Steer { message: "Steered".to_owned(), images: None });
    let follow = client.send(Prompt { streaming_behavior: Some(StreamingBehavior::FollowUp), ..text("Followed") });
    let queued = Ok(Placed { disposition: Disposition::Queued });
    assert_eq!((steer.answer(), follow.answer()), (queued.clone(), queued));
    let state = client.call(GetState {}).unwrap();
    assert!(state.is_streaming && !state.is_compacting);
    assert_eq!(state.pending_message_count, 2);
    home.write("go", "");
    client.event(mark, "agent_settled");
    assert_eq!(client.call(GetLastAssistantText {}).unwrap().text.as_deref(), Some("Following."));

    // Without a run it waits for the next one, and can be taken back.
    client.call(FollowUp { message: "Later".to_owned(), images: None }).unwrap();
    assert_eq!(client.call(GetState {}).unwrap().pending_message_count, 1);
    let taken = client.call(ClearQueue {}).unwrap();
    assert_eq!(taken, Queue { steering: vec![], follow_up: vec!["Later".to_owned()] });
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn an_abort_is_answered_when_the_run_is_over() {
    let home = TempHome::new();
    let script = "replies: [[{tool_call: {name: bash, arguments: {command: sleep 600}}}], Again]";
    let client = start(&home, script, &[]);
    let mark = client.mark();
    client.call(text("Begin")).unwrap();
    client.event(mark, "tool_execution_start");
    client.call(Abort {}).unwrap();
    let records = client.records();
    let settled = records.iter().position(|record| record["type"] == "agent_settled").expect("the end of the run");
    let answered = records.iter().position(|record| record["command"] == "abort").expect("the answer");
    assert!(settled < answered, "{records:#?}");
    assert!(!client.call(GetState {}).unwrap().is_streaming);
    run(&client, "Go on");
    assert_eq!(client.call(GetLastAssistantText {}).unwrap().text.as_deref(), Some("Again"));
}

#[test]
fn commands_of_the_user_are_told_as_they_go_and_can_be_stopped() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Yes]", &[]);
    let mark = client.mark();
    let asked = client.send(Bash { command: "printf one; exit 3".to_owned(), exclude_from_context: None });
    let id = asked.id().to_owned();
    let done = asked.answer().unwrap();
    assert_eq!((done.output.as_str(), done.exit_code, done.cancelled), ("one", Some(3), false));
    let updates = client.records().split_off(mark);
    assert_eq!(updates[0], json!({"type": "bash_execution_update", "id": id, "delta": "one"}));

    let asked = client.send(Bash { command: "echo begun; sleep 600".to_owned(), exclude_from_context: Some(true) });
    client.wait_for(mark, "output", |record| record["delta"] == "begun\n");
    client.call(AbortBash {}).unwrap();
    let done = asked.answer().unwrap();
    assert_eq!((done.exit_code, done.cancelled), (None, true));

    run(&client, "Go");
    let messages = client.call(GetMessages {}).unwrap().messages;
    let roles: Vec<&str> = messages.iter().map(|message| message.role()).collect();
    assert_eq!(roles, ["bashExecution", "bashExecution", "user", "assistant"]);
    // An id of any kind comes back as it was.
    client.write(&json!({"id": 7, "type": "bash", "command": "echo n"}));
    client.wait_for(mark, "the answer", |record| record["id"] == 7 && record["type"] == "response");
    assert!(client.records().contains(&json!({"type": "bash_execution_update", "id": 7, "delta": "n\n"})));
}

#[test]
fn built_in_commands_say_what_they_have_to_say_as_a_notice() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Hi]", &[]);
    run(&client, "Go");
    let mark = client.mark();
    let handled = Placed { disposition: Disposition::Handled };
    assert_eq!(client.call(text("/name My work")), Ok(handled));
    assert_eq!(
        client.dialog(mark, "notify").request,
        UiRequest::Notify { message: "Session name: My work".to_owned(), notify_type: Some(Default::default()) }
    );
    assert_eq!(client.call(GetState {}).unwrap().session_name.as_deref(), Some("My work"));
    let before = client.call(GetState {}).unwrap().session_id;
    client.call(text("/new")).unwrap();
    let after = client.call(GetState {}).unwrap();
    assert_ne!(after.session_id, before);
    assert_eq!(client.event(mark, "session")["id"], after.session_id);
    assert!(client.call(text("/thinking enormous")).unwrap_err().starts_with("Unknown thinking level"));
}

#[test]
fn a_prompt_that_begins_no_run_settles_once() {
    let home = TempHome::new();
    let extension = r#"
export default (pi) => {
  pi.on("agent_settled", () => pi.appendEntry("heard", {}));
  pi.on("input", (event) => event.text === "swallow me" ? { action: "handled" } : undefined);
  pi.registerCommand("quiet", { handler: async () => {} });
  pi.registerCommand("send", { handler: async () => { pi.sendUserMessage("From the command"); } });
};
"#;
    let client = start_with(&home, "replies: [Hi, Sent, Bye]", extension);
    for prompt in ["/thinking", "/tree", "/name Work", "swallow me", "/quiet", "/reload", "/new", "/compact"] {
        let mark = client.mark();
        match client.call(text(prompt)) {
            Ok(placed) => assert_eq!(placed.disposition, Disposition::Handled, "{prompt}"),
            // There is nothing to compact: a client does not wait after a failure.
            Err(_) => assert_eq!(prompt, "/compact"),
        }
        if prompt != "/compact" {
            client.event(mark, "agent_settled");
        }
        let records = client.records().split_off(mark);
        let at = |kind: &str| records.iter().position(|record| record["type"] == kind);
        assert!(prompt == "/compact" || at("response") < at("agent_settled"), "{records:#?}");
        let settled = records.iter().filter(|record| record["type"] == "agent_settled").count();
        assert_eq!(settled, usize::from(prompt != "/compact"), "{prompt}: {records:#?}");
    }
    // What a command sends begins a run, whose end is the only one.
    let mark = client.mark();
    client.call(text("/send")).unwrap();
    client.event(mark, "agent_settled");
    run(&client, "Go");
    let records = client.records().split_off(mark);
    let ends = |kind: &str| records.iter().filter(|record| record["type"] == kind).count();
    assert_eq!((ends("agent_start"), ends("agent_settled")), (2, 2), "{records:#?}");
    let entries = client.call(GetEntries { since: None }).unwrap().entries;
    let entries = serde_json::to_value(entries).unwrap();
    let heard = entries.as_array().unwrap().iter().filter(|entry| entry["customType"] == "heard").count();
    assert_eq!(heard, 2, "extensions hear of runs only");
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn a_command_of_an_extension_keeps_nobody_waiting() {
    let home = TempHome::new();
    let extension = r#"
export default (pi) => {
  pi.registerCommand("ask", { handler: async (args, ctx) => {
    pi.appendEntry("asked", { answer: await ctx.ui.input("Name?"), mode: ctx.mode, hasUI: ctx.hasUI });
  } });
};
"#;
    let client = start_with(&home, "replies: [Meanwhile]", extension);
    let mark = client.mark();
    let asked = client.send(text("/ask"));
    let dialog = client.dialog(mark, "input");
    run(&client, "Go");
    assert_eq!(
        client.call(Steer { message: "/ask".to_owned(), images: None }).unwrap_err(),
        "Extension command \"/ask\" cannot be queued. Use prompt() or execute the command when not streaming."
    );
    client.answer(&dialog, json!({"value": "Ada"}));
    assert_eq!(asked.answer(), Ok(Placed { disposition: Disposition::Handled }));
    let entry = client.event(mark, "entry_appended")["entry"].clone();
    assert_eq!(entry["data"], json!({"answer": "Ada", "mode": "rpc", "hasUI": true}));
    let commands = client.call(GetCommands {}).unwrap().commands;
    let [command, of_tau] = &commands[..] else { panic!("two commands: {commands:?}") };
    assert_eq!((command.name.as_str(), command.source.as_str()), ("ask", "extension"));
    let info = of_tau.source_info.as_ref().expect("where it comes from");
    assert_eq!((of_tau.name.as_str(), info.path.as_str(), info.source.as_str()), ("mcp", "builtin:mcp", "builtin"));
    let info = command.source_info.as_ref().expect("where it comes from");
    assert!(info.path.ends_with("extension.ts"), "{info:?}");
    assert_eq!((info.source.as_str(), info.scope.as_str()), ("cli", "temporary"));
}

#[test]
fn pictures_go_along() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Seen]", &[]);
    let dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    let image = tau_ai::ImageBlock { data: dot.into(), mime_type: "image/png".into(), extra: Default::default() };
    let mark = client.mark();
    client.call(Prompt { images: Some(vec![Image::Image(image)]), ..text("What is it?") }).unwrap();
    client.event(mark, "agent_settled");
    let user = client.event(mark, "message_end")["message"].clone();
    assert_eq!(user["content"][1], json!({"type": "image", "data": dot, "mimeType": "image/png"}));
}

#[test]
fn what_is_switched_counts_at_once_and_is_kept() {
    let home = TempHome::new();
    home.write_agent("settings.json", r#"{"own": [1], "compaction": {"reserveTokens": 1000}}"#);
    let client = start(&home, "replies: []", &[]);
    let before = client.call(GetState {}).unwrap();
    assert_eq!((before.steering_mode, before.auto_compaction_enabled), (QueueMode::OneAtATime, true));
    client.call(SetSteeringMode { mode: QueueMode::All }).unwrap();
    client.call(SetFollowUpMode { mode: QueueMode::All }).unwrap();
    client.call(SetAutoCompaction { enabled: false }).unwrap();
    client.call(SetAutoRetry { enabled: false }).unwrap();
    let after = client.call(GetState {}).unwrap();
    assert_eq!(
        (after.steering_mode, after.follow_up_mode, after.auto_compaction_enabled),
        (QueueMode::All, QueueMode::All, false)
    );
    let kept: Value = serde_json::from_slice(&std::fs::read(home.agent_dir().join("settings.json")).unwrap()).unwrap();
    assert_eq!(
        kept,
        json!({
            "own": [1], "compaction": {"reserveTokens": 1000, "enabled": false},
            "steeringMode": "all", "followUpMode": "all", "retry": {"enabled": false}
        })
    );
}

#[test]
fn the_model_and_how_much_it_thinks_can_be_chosen() {
    let home = TempHome::new();
    let provider = r#"{"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions", "apiKey": "key",
        "models": [{"id": "one"}, {"id": "other"}]}"#;
    home.write_agent("models.json", format!(r#"{{"providers": {{"near": {provider}}}}}"#));
    let script = "{model: {id: thinker, reasoning: true}, replies: [Hi]}";
    let client = start(&home, script, &["--thinking", "low"]);
    let levels = client.call(GetAvailableThinkingLevels {}).unwrap().levels;
    let names: Vec<&str> = levels.iter().map(|level| level.as_str()).collect();
    assert_eq!(names, ["off", "minimal", "low", "medium", "high"]);
    let mark = client.mark();
    let next = client.call(CycleThinkingLevel {}).unwrap().expect("another level");
    assert_eq!(next.level.as_str(), "medium");
    assert_eq!(client.event(mark, "thinking_level_changed")["level"], "medium");
    let models = client.call(GetAvailableModels {}).unwrap().models;
    let [one, other] = &models[..] else { panic!("two models: {models:?}") };
    let choice = SetModel { provider: one.provider.clone(), model_id: one.id.clone() };
    assert_eq!(client.call(choice).unwrap(), **one);
    assert_eq!(client.call(GetState {}).unwrap().model.as_ref(), Some(one));
    let next = client.call(CycleModel {}).unwrap().expect("another model");
    assert_eq!((&next.model, next.is_scoped), (other, false));
    let unknown = SetModel { provider: "nobody".to_owned(), model_id: "nothing".to_owned() };
    assert_eq!(client.call(unknown).unwrap_err(), "Model not found: nobody/nothing");
}

#[test]
fn without_a_model_a_prompt_says_what_is_missing() {
    let home = TempHome::new();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tau"));
    command.env_clear().envs(home.vars()).current_dir(home.cwd()).args(["--mode", "rpc"]);
    let client = tau_testkit::RpcClient::start(&mut command);
    assert_eq!(client.call(GetState {}).unwrap().model, None);
    assert!(client.call(text("Go")).unwrap_err().starts_with("No model selected."));
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn what_the_client_switches_beats_the_project() {
    let home = TempHome::new();
    home.write(".pi/settings.json", r#"{"steeringMode": "one-at-a-time", "compaction": {"enabled": true}}"#);
    let client = start(&home, "replies: []", &["--approve"]);
    client.call(SetSteeringMode { mode: QueueMode::All }).unwrap();
    client.call(SetAutoCompaction { enabled: false }).unwrap();
    let state = client.call(GetState {}).unwrap();
    assert_eq!((state.steering_mode, state.auto_compaction_enabled), (QueueMode::All, false));
}

#[test]
fn prompts_of_servers_are_commands_with_their_source() {
    let prompts = r#"{"prompts":[{"name":"welcome","description":"Welcomes."}]}"#;
    let server = tau_testkit::mcp_script(r#"{"prompts":{}}"#, &[("prompts/list", prompts)]);
    let home = TempHome::new();
    let script = home.write("server.sh", server);
    home.write_agent("mcp.json", json!({"mcpServers": {"s": {"command": "sh", "args": [script]}}}).to_string());
    let client = start(&home, "replies: []", &[]);
    let welcome = loop {
        let commands = client.call(GetCommands {}).unwrap().commands;
        if let Some(found) = commands.into_iter().find(|command| command.name == "s:welcome") {
            break serde_json::to_value(found).unwrap();
        }
    };
    assert_eq!((&welcome["source"], &welcome["description"]), (&json!("prompt"), &json!("Welcomes.")));
    assert_eq!(welcome["sourceInfo"]["path"], "builtin:mcp", "{welcome}");
}
