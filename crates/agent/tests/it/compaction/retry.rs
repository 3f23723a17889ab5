//! Requests that fail and are made again.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::{entries, told};
use crate::common::{Running, World, messages, names, registry};

const RETRY: [&str; 4] = ["agent_end", "auto_retry_start", "entry_appended", "auto_retry_end"];

fn failing(times: usize) -> Vec<Value> {
    vec![json!([{"error": {"message": "Overloaded", "status": 529}}]); times]
}

async fn say(replies: Vec<Value>, settings: Value) -> (Running, World) {
    let world = World::new(Value::from(replies)).settings(settings);
    let running = world.start().await;
    running.say("Hi").await;
    (running, world)
}

#[tokio::test(start_paused = true)]
async fn a_request_that_fails_is_made_again() {
    let mut replies = failing(2);
    replies.push(json!("Here I am."));
    let world = World::new(Value::from(replies));
    let seen = world.watch();
    let running = world.start().await;
    let began = tokio::time::Instant::now();
    running.say("Hi").await;
    assert_eq!(began.elapsed().as_secs(), 2 + 4);
    let all = told(&running, &RETRY);
    assert_eq!(
        names(&all),
        [
            "agent_end",
            "auto_retry_start",
            "entry_appended",
            "agent_end",
            "auto_retry_start",
            "entry_appended",
            "auto_retry_end",
            "agent_end"
        ]
    );
    let will_retry: Vec<&Value> = all.iter().filter_map(|event| event.get("willRetry")).collect();
    assert_eq!(will_retry, [&json!(true), &json!(true), &json!(false)]);
    assert_eq!(
        all[4],
        json!({"type": "auto_retry_start", "attempt": 2, "maxAttempts": 3, "delayMs": 4000, "errorMessage": "Overloaded"})
    );
    assert_eq!(all[6], json!({"type": "auto_retry_end", "success": true, "attempt": 2}));
    // Nothing is lost in the file, but the model does not see it.
    assert_eq!(
        running.file_messages(),
        messages([
            ("user", "Hi"),
            ("assistant", "[Overloaded]"),
            ("assistant", "[Overloaded]"),
            ("assistant", "Here I am.")
        ])
    );
    assert_eq!(entries(&running, "context_edit").len(), 2);
    assert_eq!(running.asked(), vec![messages([("user", "Hi")]); 3]);
    assert_eq!(running.conversation(), messages([("user", "Hi"), ("assistant", "Here I am.")]));
    let seen: Vec<Value> = seen
        .all()
        .into_iter()
        .filter(|event| event["type"].as_str().is_some_and(|name| name.starts_with("auto_")))
        .collect();
    assert_eq!(names(&seen), ["auto_retry_start", "auto_retry_start", "auto_retry_end"]);
    assert_eq!(seen[2], json!({"type": "auto_retry_end", "success": true, "attempt": 2}));
}

#[tokio::test(start_paused = true)]
async fn after_some_attempts_the_failure_stands() {
    let (running, _world) = say(failing(3), json!({"retry": {"maxRetries": 2, "baseDelayMs": 10}})).await;
    let end = told(&running, &["auto_retry_end"]);
    assert_eq!(end, [json!({"type": "auto_retry_end", "success": false, "attempt": 2, "finalError": "Overloaded"})]);
    assert_eq!(told(&running, &["agent_end"])[2]["willRetry"], json!(false));
    assert_eq!(running.conversation(), messages([("user", "Hi"), ("assistant", "[Overloaded]")]));
}

#[tokio::test]
async fn some_failures_stand_at_once() {
    for (reply, settings) in [
        (json!([{"error": "400 bad request"}]), json!({})),
        (json!([{"error": "429 insufficient_quota"}]), json!({})),
        (json!([{"error": {"message": "Overloaded", "status": 529}}]), json!({"retry": {"enabled": false}})),
        (json!([{"error": {"message": "Too many requests", "status": 429, "retry_after_ms": 60_001}}]), json!({})),
    ] {
        let (running, _world) = say(vec![reply.clone()], settings).await;
        assert_eq!(names(&told(&running, &RETRY)), ["agent_end"], "{reply}");
        assert_eq!(told(&running, &["agent_end"])[0]["willRetry"], json!(false), "{reply}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_gets_the_pause_it_asks_for() {
    let slow = json!([{"error": {"message": "Too many requests", "status": 429, "retry_after_ms": 7_500}}]);
    let (running, _world) = say(vec![slow, json!("Here.")], json!({})).await;
    assert_eq!(told(&running, &["auto_retry_start"])[0]["delayMs"], json!(7_500));
    assert_eq!(running.conversation(), messages([("user", "Hi"), ("assistant", "Here.")]));
}

/// Stops what is under way.
type Stop = fn(&tau_agent::AgentSession);

#[tokio::test]
async fn waiting_can_be_given_up() {
    for stop in [tau_agent::AgentSession::abort_retry as Stop, tau_agent::AgentSession::abort] {
        let world = World::new(Value::from(failing(1)));
        let running = world.start().await;
        let run = running.say_later("Hi");
        while !running.session.is_retrying() {
            tokio::task::yield_now().await;
        }
        stop(&running.session);
        run.await.expect("the task").expect("a run");
        assert_eq!(
            told(&running, &["auto_retry_end"]),
            [json!({"type": "auto_retry_end", "success": false, "attempt": 1, "finalError": "Retry cancelled"})]
        );
        assert!(running.session.is_idle() && !running.session.is_retrying());
    }
}

#[tokio::test]
async fn the_pause_is_read_from_the_answer_of_a_server() {
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let refused = Reply::http_error(529, body).header("retry-after-ms", "40");
    let server = LoopbackServer::start(vec![refused, Reply::text("Here I am.")]);
    let config = json!({"providers": {"loop": {"baseUrl": server.url(), "api": "anthropic-messages", "apiKey": "test-key",
        "models": [{"id": "loop-1", "contextWindow": 200_000, "maxTokens": 8192}]}}});
    let models = registry();
    models.load_models_json(&config.to_string()).expect("models");
    let model = models.find("loop", "loop-1").expect("the model");
    let world =
        World::new(json!([])).with_models(Arc::clone(&models), model).settings(json!({"retry": {"baseDelayMs": 1}}));
    let running = world.start().await;
    running.say("Hi").await;
    let start = &told(&running, &["auto_retry_start"])[0];
    assert_eq!(start["delayMs"], json!(40));
    assert_eq!(running.conversation(), messages([("user", "Hi"), ("assistant", "Here I am.")]));
}
