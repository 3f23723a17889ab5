//! The model is interrupted.

use serde_json::json;
use tau_hooks::events::TtsrTriggered;
use tau_hooks::payload::StreamingBehavior;
use tau_session::Session;

use super::{entries, pieces, rule, told, told_by_request, triggered};
use crate::common::{World, messages, outline};

#[tokio::test]
async fn a_match_across_two_deltas_interrupts_once_and_the_retry_carries_the_rule() {
    let world = World::new(json!([pieces("I would panic here."), pieces("I would panic no more."), "Bye."]));
    rule(&world, "calm", "condition: panic");
    let seen = world.watch();
    let running = world.start().await;
    running.say("How?").await;

    assert_eq!(triggered(&seen.all()), [json!(["calm"])]);
    assert_eq!(triggered(&running.events.all()), [json!(["calm"])]);
    let asked = running.script.requests();
    assert_eq!((asked.len(), told(&asked[0]).len(), told(&asked[1])), (2, 0, vec![vec!["calm".to_owned()]]));
    // What was cut off is not sent again.
    let roles: Vec<String> = running.asked()[1].iter().map(|(role, _)| role.clone()).collect();
    assert_eq!(roles, ["user", "user"]);
    insta::assert_snapshot!("injection", world_free(&world, &running.asked()[1][1].1));
    assert_eq!(
        entries(&running),
        [
            "message user",
            "message assistant aborted",
            "context_edit",
            "custom_message ttsr-injection",
            "ttsr_injection [\"calm\"]",
            "message assistant stop",
        ]
    );
    let file = running.file();
    let injection = file.iter().find(|line| line["type"] == "custom_message").expect("an injection");
    assert_eq!((&injection["display"], &injection["details"]), (&json!(false), &json!({"rules": ["calm"]})));
    let cut = file.iter().find(|line| line["message"]["stopReason"] == "aborted").expect("an answer");
    assert_eq!(cut["message"]["content"], json!([{"type": "text", "text": "I would panic h"}]));
    // Nothing speaks of an abort, and nothing of it is a failure.
    assert_eq!(cut["message"].get("errorMessage"), None);
    assert_eq!(world.reports.all(), []);
    assert_eq!(
        running.session.last_answer().expect("an answer").as_assistant().expect("one").texts().collect::<String>(),
        "I would panic no more."
    );
}

#[tokio::test]
async fn the_session_goes_on_where_it_was_when_it_is_opened_again() {
    let world = World::new(json!([pieces("I would panic here."), "Fine."]));
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    running.say("How?").await;
    let before = running.conversation();
    let file = running.session.session().file().expect("a file").to_owned();
    drop(running);

    let opened = Session::open(&file).expect("a session");
    let again = World::new(json!([pieces("No panic."), "Bye."])).in_home_of(world).resume(opened);
    let seen = again.watch();
    let running = again.start().await;
    assert_eq!(running.conversation(), before);
    let roles: Vec<&str> = before.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["user", "custom", "assistant"]);
    // It was told once, which is enough.
    running.say("And now?").await;
    assert_eq!(triggered(&seen.all()), Vec::<serde_json::Value>::new());
    assert_eq!(running.script.requests().len(), 1);
}

#[tokio::test]
async fn everything_happens_within_the_prompt_and_in_this_order() {
    let world = World::new(json!([pieces("I panic."), "Fine."]));
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    running.session.prompt(tau_agent::Prompt::new("How?")).await.expect("a run");
    // Nothing is left to be waited for.
    let events = running.events.all();
    insta::assert_snapshot!("order", outline(&events).join("\n").replace(&injected(&running), "(injection)"));
    let retries: Vec<_> = events.iter().filter(|event| event["type"] == "agent_end").collect();
    assert_eq!(retries.iter().map(|end| end["willRetry"].clone()).collect::<Vec<_>>(), [json!(true), json!(false)]);
}

#[tokio::test]
async fn two_rules_that_match_at_once_are_told_in_one_message() {
    let world = World::new(json!(["I panic and unwrap.", "Fine."]));
    rule(&world, "calm", "condition: panic");
    rule(&world, "wrap", "ttsr_trigger: unwrap");
    rule(&world, "other", "ttsrTrigger: never");
    let running = world.start().await;
    running.say("How?").await;
    let both = vec!["calm".to_owned(), "wrap".to_owned()];
    assert_eq!(told_by_request(&running), [vec![], vec![both]]);
    assert_eq!(entries(&running)[4], "ttsr_injection [\"calm\",\"wrap\"]");
}

#[tokio::test]
async fn handlers_get_rules_in_both_spellings() {
    let world = World::new(json!(["I panic.", "Fine."]));
    rule(
        &world,
        "calm",
        "condition: [panic, \"abort!\"]\nscope: text\ninterruptMode: always\ndescription: Keep calm\nalwaysApply: false",
    );
    let seen = world.watch();
    let running = world.start().await;
    running.say("How?").await;
    let events = seen.all();
    let event = events.iter().find(|event| event["type"] == "ttsr_triggered").expect("an event");
    let path = world.home.agent_dir().join("rules/calm.md").display().to_string();
    assert_eq!(
        event["rules"],
        json!([{
            "name": "calm", "path": path, "content": "The text of calm.", "alwaysApply": false,
            "description": "Keep calm", "ttsrTrigger": "panic", "condition": ["panic", "abort!"], "scope": ["text"],
            "interruptMode": "always",
            "_source": {"provider": "native", "providerName": "tau", "path": path, "level": "user"}
        }])
    );
}

#[tokio::test]
async fn what_was_written_stays_when_the_settings_say_so() {
    let call = json!([{"text": "I panic."}, {"tool_call": {"id": "c", "name": "work", "arguments": {}}}]);
    let world = World::new(json!([call, "Fine."])).settings(json!({"ttsr": {"contextMode": "keep"}}));
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    running.say("How?").await;
    let asked = running.asked();
    assert_eq!(asked[1][..2], messages([("user", "How?"), ("assistant", "I panic.")]));
    assert_eq!((asked[1].len(), told_by_request(&running)[1].len()), (3, 1));
    assert_eq!(
        entries(&running)[1..],
        [
            "message assistant stop",
            "custom_message ttsr-injection",
            "ttsr_injection [\"calm\"]",
            "message assistant stop"
        ]
    );
}

#[tokio::test]
async fn whoever_aborts_meanwhile_is_not_answered_again() {
    let world = World::new(json!([pieces("I panic here."), "Fine.", "Never."]));
    rule(&world, "calm", "condition: panic");
    world.extend("stop", |registrar| {
        registrar.on::<TtsrTriggered>(|_, ctx| {
            ctx.host().abort();
            std::future::ready(())
        });
    });
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(running.script.requests().len(), 1);
    assert_eq!(entries(&running), ["message user", "message assistant aborted"]);
    // The next prompt has nothing to do with it, and the rule was not told.
    running.say("And?").await;
    assert_eq!(told_by_request(&running)[1], [[""; 0]; 0]);
    running.say("Panic?").await;
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_message_of_the_user_goes_along() {
    let world = World::new(json!([pieces("I panic here."), "Fine."]));
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    let (session, asked) = (std::sync::Arc::clone(&running.session), std::sync::atomic::AtomicBool::new(false));
    running.session.listen(move |event| {
        let is_break = matches!(event, tau_agent::SessionEvent::TtsrTriggered { .. });
        if is_break && !asked.swap(true, std::sync::atomic::Ordering::Relaxed) {
            let session = std::sync::Arc::clone(&session);
            tokio::spawn(async move {
                let prompt = tau_agent::Prompt {
                    streaming_behavior: Some(StreamingBehavior::Steer),
                    ..tau_agent::Prompt::new("Hurry.")
                };
                session.prompt(prompt).await.expect("a place in the queue");
            });
        }
    });
    running.say("How?").await;
    let users: Vec<String> =
        running.file_messages().into_iter().filter(|(role, _)| role == "user").map(|m| m.1).collect();
    assert_eq!(users, ["How?", "Hurry."]);
    assert_eq!(told_by_request(&running)[1].len(), 1);
}

#[tokio::test]
async fn a_repeated_request_that_is_interrupted_did_work() {
    let busy = json!([{"error": {"message": "Overloaded", "status": 529}}]);
    let world = World::new(json!([busy, "I panic.", "Fine."])).settings(json!({"retry": {"baseDelayMs": 1}}));
    rule(&world, "calm", "condition: panic");
    let seen = world.watch();
    let running = world.start().await;
    running.say("How?").await;
    let events = seen.all();
    let ends: Vec<_> = events.iter().filter(|event| event["type"] == "auto_retry_end").collect();
    assert_eq!(ends, [&json!({"type": "auto_retry_end", "success": true, "attempt": 1})]);
    assert_eq!(running.conversation().last(), messages([("assistant", "Fine.")]).last());
}

fn injected(running: &crate::common::Running) -> String {
    let file = running.file_messages();
    file.iter().find(|(role, _)| role == "custom").expect("an injection").1.clone()
}

/// The text without the directories of a test.
fn world_free(world: &World, text: &str) -> String {
    text.replace(&world.home.agent_dir().display().to_string(), "<agent>")
}
