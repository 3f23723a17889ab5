//! A whole run against a server on the loopback interface, in both wire formats: what is asked, what front ends are
//! told, and what is in the session file.

use serde_json::{Value, json};
use tau_ai::Model;
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply, ReplyUsage};

use crate::common::{World, registry};

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
