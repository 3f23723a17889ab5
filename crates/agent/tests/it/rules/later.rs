//! Rules that do not interrupt: the model is told when it is done.

use serde_json::json;

use super::{entries, pieces, rule, told_by_request, triggered};
use crate::common::tools::with_work;
use crate::common::{World, calls};

#[tokio::test]
async fn the_model_is_told_when_it_is_done() {
    let world = World::new(json!([pieces("I panic here."), pieces("I panic again."), "Never."]));
    rule(&world, "calm", "condition: panic\ninterruptMode: never");
    let seen = world.watch();
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(told_by_request(&running), [vec![], vec![vec!["calm".to_owned()]]]);
    assert_eq!(
        entries(&running),
        [
            "message user",
            "message assistant stop",
            "custom_message ttsr-injection",
            "ttsr_injection [\"calm\"]",
            "message assistant stop",
        ]
    );
    assert_eq!(triggered(&seen.all()), [json!(["calm"])]);
    assert_eq!(triggered(&running.events.all()), [json!(["calm"])]);
}

#[tokio::test]
async fn it_waits_for_the_tools_and_is_told_once() {
    let mut call = calls([("c1", "work", json!({"text": "x"}))]);
    call.as_array_mut().expect("steps").insert(0, json!("I panic."));
    let world =
        World::new(json!([call, "I panic again.", "Fine."])).settings(json!({"ttsr": {"interruptMode": "tool-only"}}));
    rule(&world, "calm", "condition: panic");
    with_work(&world);
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(told_by_request(&running), [vec![], vec![], vec![vec!["calm".to_owned()]]]);
}

#[tokio::test]
async fn an_answer_that_came_to_nothing_needs_no_rule() {
    let failed = json!([{"text": "I panic."}, {"error": "Bad request"}]);
    let world = World::new(json!([failed, "Never."]));
    rule(&world, "calm", "condition: panic\ninterruptMode: never");
    let running = world.start().await;
    running.say("How?").await;
    assert_eq!(running.script.requests().len(), 1);
    assert_eq!(entries(&running), ["message user", "message assistant error"]);
}

#[tokio::test]
async fn the_place_of_the_match_decides() {
    for (mode, interrupted) in [("prose-only", true), ("tool-only", false), ("always", true)] {
        let world = World::new(json!(["I panic.", "Fine."])).settings(json!({"ttsr": {"interruptMode": mode}}));
        rule(&world, "calm", "condition: panic");
        let running = world.start().await;
        running.say("How?").await;
        let broken = entries(&running).iter().any(|entry| entry == "message assistant aborted");
        assert_eq!((triggered(&running.events.all()).len(), broken), (1, interrupted), "{mode}");
        assert_eq!(told_by_request(&running)[1].len(), 1, "{mode}");
    }
}
