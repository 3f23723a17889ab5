//! The canonical traces of what happens to sessions: every event with its payload, what front ends are told, and the
//! files that come of it.

use serde_json::{Value, json};
use tau_agent::Prompt;
use tau_hooks::TreeMove;
use tau_hooks::payload::ForkPosition;
use tau_testkit::session_lines;

use crate::common::{Running, World};

/// Talks, does something, talks again, and compares everything that was seen of it.
async fn trace(name: &str, act: impl AsyncFnOnce(&Running)) {
    let world = World::new(json!(["1.", "2.", "3.", "4."]));
    let seen = world.watch();
    let running = world.start().await;
    for line in ["One", "Two"] {
        running.say(line).await;
    }
    seen.take();
    running.events.take();
    act(&running).await;
    let mut golden = world.golden();
    // Updates are those of any run, and nobody waits for what the provider sent.
    let is_steady = |event: &Value| event["type"] != "message_update" && event["type"] != "provider_stream_event";
    golden.add_all(seen.all().into_iter().filter(is_steady));
    golden.check(format!("tests/golden/{name}.hooks.jsonl"));
    golden.add_all(running.events.all().into_iter().filter(is_steady));
    golden.check(format!("tests/golden/{name}.events.jsonl"));
    for file in world.home.session_files() {
        golden.add_all(session_lines(&file));
    }
    golden.check(format!("tests/golden/{name}.session.jsonl"));
    assert_eq!(world.reports.all(), []);
}

async fn say(running: &Running, text: &str) {
    running.session.prompt(Prompt::new(text)).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    running.session.wait_until_idle().await;
}

#[tokio::test]
async fn new() {
    trace("new", async |running| {
        say(running, "/new").await;
        say(running, "Three").await;
    })
    .await;
}

#[tokio::test]
async fn resume() {
    trace("resume", async |running| {
        let file = running.session.session().file().expect("a file").to_owned();
        say(running, "/new").await;
        running.session.switch_session(&file).await.expect("the session");
        say(running, "Three").await;
    })
    .await;
}

#[tokio::test]
async fn fork_before_and_at() {
    for position in ["before", "at"] {
        trace(&format!("fork-{position}"), async |running| {
            let (second, _) = running.session.fork_points()[1].clone();
            let at = if position == "at" { ForkPosition::At } else { ForkPosition::Before };
            running.session.fork(&second, at).await.expect("a fork");
            say(running, "Three").await;
        })
        .await;
    }
}

#[tokio::test]
async fn tree_with_a_summary() {
    trace("tree", async |running| {
        let (first, _) = running.session.fork_points()[0].clone();
        let answer = running.session.session().children(&first)[0].id().to_string();
        let how = TreeMove { summarize: true, ..TreeMove::default() };
        running.session.navigate_tree(&answer, how).await.expect("a move");
        say(running, "Three").await;
    })
    .await;
}
