//! Beside a run: shell commands of the user, and making room.

use serde_json::json;
use tau_agent::{CompactError, UserCommand};
use tau_hooks::events::{SessionBeforeCompact, SessionCompacting, UserBash};
use tau_hooks::payload::{BashResult, SessionBeforeCompactResult, SessionCompactingResult, UserBashResult};

use crate::common::{Running, World, text_of};

/// The first result counts, and the command is not run.
pub async fn user_bash() {
    let world = World::new(json!([]));
    world.extend("known", |registrar| {
        for text in ["first", "second"] {
            registrar.on::<UserBash>(move |_, _| async move {
                let result = BashResult { output: text.to_owned(), exit_code: Some(0), ..BashResult::default() };
                Some(UserBashResult { operations: None, result: Some(result) })
            });
        }
    });
    let running = world.start().await;
    let command = UserCommand::parse("!touch ran").expect("a command");
    let result = running.session.run_bash(command, None).await.expect("a result");
    assert_eq!(result.output, "first");
    assert!(!world.home.cwd().join("ran").exists());
}

/// Two exchanges, of which the first can be summarised.
async fn talked(world: &World) -> Running {
    let running = world.start().await;
    running.say("First question").await;
    running.say("Second question").await;
    running
}

fn small(reply: &str) -> World {
    World::new(json!(["One.", "Two.", reply])).settings(json!({"compaction": {"keepRecentTokens": 4}}))
}

/// `cancel` stops it, whatever was decided before.
pub async fn session_before_compact() {
    let world = small("A summary.");
    world.extend("stop", |registrar| {
        for cancel in [None, Some(true)] {
            registrar.on::<SessionBeforeCompact>(move |_, _| async move {
                Some(SessionBeforeCompactResult { cancel, compaction: None })
            });
        }
    });
    let running = talked(&world).await;
    let error = running.session.compact(None).await.expect_err("it was stopped");
    assert!(matches!(error, CompactError::Cancelled), "{error}");
    assert_eq!(running.script.requests().len(), 2);
}

/// The last object shapes the request for the summary.
pub async fn session_compacting() {
    let world = small("A summary.");
    world.extend("shape", |registrar| {
        for prompt in ["Sing.", "Be brief."] {
            registrar.on::<SessionCompacting>(move |_, _| async move {
                Some(SessionCompactingResult { prompt: Some(prompt.to_owned()), ..SessionCompactingResult::default() })
            });
        }
    });
    let running = talked(&world).await;
    running.session.compact(None).await.expect("a compaction");
    let request = running.script.requests().pop().expect("a request");
    assert!(text_of(&request["messages"][0]["content"]).ends_with("\n\nBe brief."));
}
