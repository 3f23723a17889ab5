//! A whole run against a server on the loopback interface, in both wire formats, and what can happen around one: what is
//! asked, what front ends are told, and what is in the session file.

use serde_json::{Value, json};
use tau_ai::{MessageContent, Model};
use tau_hooks::events::TurnEnd;
use tau_hooks::payload::{BoundaryResult, CustomDraft, EntryDraft, Replacement};
use tau_hooks::{DeliverAs, SendOptions};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply, ReplyUsage};
use tau_tools::ToolOutput;

use crate::common::tools::spec;
use crate::common::{Running, World, registry};

/// A text with two calls, one of which fails; then an edit; then a text.
fn script() -> Vec<Reply> {
    let usage = |input, output, cache_read| ReplyUsage { input, output, cache_read, ..ReplyUsage::default() };
    vec![
        Reply::text("I will look at the file.")
            .tool_call("call_1", "read", json!({"path": "notes.txt"}))
            .tool_call("call_2", "bash", json!({"command": "echo out; exit 3"}))
            .split_deltas(14)
            .usage(usage(100, 20, 0)),
        Reply::new()
            .tool_call(
                "call_3",
                "edit",
                json!({"path": "notes.txt", "edits": [{"oldText": "beta", "newText": "BETA"}]}),
            )
            .split_deltas(40)
            .usage(usage(40, 15, 100)),
        Reply::text("All done.").split_deltas(4).usage(usage(30, 3, 140)),
    ]
}

/// A request as it is kept in the golden file. How long the body is depends on the length of paths.
fn request_json(request: &RecordedRequest) -> Value {
    let mut headers = request.headers.clone();
    headers.remove("content-length");
    json!({"method": request.method, "path": request.path, "headers": headers, "body": request.body})
}

/// Partial output of a command arrives in pieces of any size, so only the first update of it is kept.
fn is_steady(event: &Value) -> bool {
    event["type"] != "tool_execution_update" || event["partialResult"]["content"] == json!([])
}

async fn run(api: &str, base: impl FnOnce(&str) -> String) {
    let server = LoopbackServer::start(script());
    let config = json!({"providers": {"loop": {
        "baseUrl": base(&server.url()), "api": api, "apiKey": "test-key",
        "models": [{"id": "loop-1", "reasoning": true, "input": ["text", "image"], "contextWindow": 200_000,
            "maxTokens": 8192, "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}}],
    }}});
    let models = registry();
    models.load_models_json(&config.to_string()).expect("models");
    let model: std::sync::Arc<Model> = models.find("loop", "loop-1").expect("the model");
    let world = World::new(json!([])).with_builtin_tools().with_models(models, model);
    let notes = world.home.write("notes.txt", "alpha\nbeta\ngamma\n");
    let running = world.start().await;
    running.say("Change beta.").await;

    assert_eq!(std::fs::read_to_string(notes).expect("the file"), "alpha\nBETA\ngamma\n");
    assert_eq!(server.unused(), 0);
    assert_eq!(world.reports.all(), []);
    let mut golden = world.golden();
    golden.add_all(running.file());
    golden.check(format!("tests/golden/run-{api}.session.jsonl"));
    golden.add_all(running.events.all().into_iter().filter(is_steady));
    golden.check(format!("tests/golden/run-{api}.events.jsonl"));
    golden.add_all(server.requests().iter().map(request_json));
    golden.check(format!("tests/golden/run-{api}.requests.jsonl"));
}

#[tokio::test]
async fn a_run_over_anthropic_messages() {
    run("anthropic-messages", str::to_owned).await;
}

#[tokio::test]
async fn a_run_over_openai_completions() {
    run("openai-completions", |url| format!("{url}/v1")).await;
}

/// A session of a few prompts against a server, with a trace of everything: `name` is that of the golden files.
async fn session(
    name: &str,
    script: Vec<Reply>,
    settings: Value,
    extend: impl FnOnce(&World),
    talk: impl AsyncFnOnce(&Running),
) {
    let server = LoopbackServer::start(script);
    let config = json!({"providers": {"loop": {
        "baseUrl": server.url(), "api": "anthropic-messages", "apiKey": "test-key",
        "models": [{"id": "loop-1", "contextWindow": 2000, "maxTokens": 100}],
    }}});
    let models = registry();
    models.load_models_json(&config.to_string()).expect("models");
    let model = models.find("loop", "loop-1").expect("the model");
    let world = World::new(json!([])).with_models(models, model).settings(settings);
    extend(&world);
    let seen = world.watch();
    let running = world.start().await;
    talk(&running).await;
    assert_eq!(server.unused(), 0);
    assert_eq!(world.reports.all(), []);
    let mut golden = world.golden();
    golden.add_all(running.file());
    golden.check(format!("tests/golden/{name}.session.jsonl"));
    golden.add_all(running.events.all().into_iter().filter(is_whole));
    golden.check(format!("tests/golden/{name}.events.jsonl"));
    // Extensions get the same in other words; the order is what matters.
    golden.add_all(seen.all().iter().filter(|event| is_whole(event)).map(|event| &event["type"]));
    golden.check(format!("tests/golden/{name}.hooks.jsonl"));
    golden.add_all(server.requests().iter().map(|request| request.body["messages"].clone()));
    golden.check(format!("tests/golden/{name}.requests.jsonl"));
}

/// How an answer grows is in the golden files of whole runs, and nobody waits for what the provider sent.
fn is_whole(event: &Value) -> bool {
    event["type"] != "message_update" && event["type"] != "provider_stream_event"
}

fn used(text: &str, input: u64) -> Reply {
    Reply::text(text).usage(ReplyUsage { input, output: 5, ..ReplyUsage::default() })
}

/// Everything but the last exchange is old.
fn little() -> Value {
    json!({"compaction": {"reserveTokens": 100, "keepRecentTokens": 5}, "retry": {"baseDelayMs": 1}})
}

const FIRST: &str = "What is in the notes?";
const SECOND: &str = "And what follows?";

#[tokio::test]
async fn compaction_because_the_user_asked() {
    let script = vec![used("Three words.", 100), used("Nothing.", 120), used("The summary.", 50), used("Fine.", 60)];
    session(
        "compact-manual",
        script,
        little(),
        |_| {},
        async |running| {
            for text in [FIRST, SECOND, "/compact the notes", "Go on."] {
                running.say(text).await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn compaction_because_the_context_is_nearly_full() {
    let script = vec![used("Three words.", 100), used("Nothing.", 1900), used("The summary.", 50), used("Fine.", 60)];
    session(
        "compact-threshold",
        script,
        little(),
        |_| {},
        async |running| {
            for text in [FIRST, SECOND, "Go on."] {
                running.say(text).await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn compaction_because_the_context_was_too_large() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2100 tokens > 2000 maximum"}}"#;
    let refused = Reply::http_error(400, body);
    let script = vec![
        used("Three words.", 100),
        refused,
        used("The summary.", 50),
        used("Of the turn.", 40),
        used("Nothing.", 60),
    ];
    session(
        "compact-overflow",
        script,
        little(),
        |_| {},
        async |running| {
            for text in [FIRST, SECOND] {
                running.say(text).await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn a_request_that_fails_and_then_works() {
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let script = vec![Reply::http_error(529, body), Reply::http_error(503, body), used("Three words.", 100)];
    session(
        "retry",
        script,
        little(),
        |_| {},
        async |running| {
            running.say(FIRST).await;
        },
    )
    .await;
}

/// One extension writes at the boundary of a turn and asks to go on; the other sends messages to both queues.
#[tokio::test]
async fn steering_and_follow_up_with_boundaries() {
    let work = Reply::new().tool_call("call_1", "work", json!({}));
    let script = vec![work, used("Worked and steered.", 100), used("Edited.", 110), used("Followed.", 120)];
    let extend = |world: &World| {
        world.extend("queues", |registrar| {
            let api = registrar.api();
            registrar.tool(spec("work"), move |_, _| {
                for (text, queue) in [("Quicker!", DeliverAs::Steer), ("And then?", DeliverAs::FollowUp)] {
                    let message = CustomDraft {
                        custom_type: "note".to_owned(),
                        content: text.into(),
                        display: true,
                        details: None,
                    };
                    let options = SendOptions { deliver_as: Some(queue), ..SendOptions::default() };
                    api.send_message(message, options).expect("a queue");
                }
                std::future::ready(Ok(ToolOutput::text("worked")))
            });
        });
        world.extend("boundary", |registrar| {
            registrar.on::<TurnEnd>(|event, _| async move {
                let content = MessageContent::from("Worked, in other words.");
                let edit = EntryDraft::ContextEdit {
                    target_id: event.message_entry_id.clone(),
                    replacement: Some(Replacement { content }),
                };
                let note = EntryDraft::CustomMessage {
                    custom_type: "note".to_owned(),
                    content: "Say that again.".into(),
                    display: false,
                    details: None,
                };
                let state = EntryDraft::Custom { custom_type: "state".to_owned(), data: Some(json!(1)) };
                (event.turn_index == 1)
                    .then(|| BoundaryResult { entries: Some(vec![edit, note, state]), go_on: Some(true) })
            });
        });
    };
    session("boundaries", script, little(), extend, async |running| {
        running.say(FIRST).await;
    })
    .await;
}
