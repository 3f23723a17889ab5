//! How often the model is told a rule.

use serde_json::json;
use tau_hooks::NewSessionRequest;
use tau_hooks::payload::ForkPosition;
use tau_session::Session;

use super::{rule, told_by_request, triggered};
use crate::common::World;

#[tokio::test]
async fn once_is_enough_by_default() {
    let world = World::new(json!(["I panic.", "I panic again.", "Panic."]));
    rule(&world, "calm", "condition: \"(?i)panic\"");
    let running = world.start().await;
    running.say("How?").await;
    running.say("And?").await;
    assert_eq!(triggered(&running.events.all()).len(), 1);
    assert_eq!(running.script.requests().len(), 3);
}

#[tokio::test]
async fn after_a_gap_the_model_is_told_again() {
    let replies = json!(["panic 1", "panic 2", "panic 3", "panic 4", "panic 5"]);
    let world = World::new(replies).settings(json!({"ttsr": {"repeatMode": "after-gap", "repeatGap": 2}}));
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    let mut when = Vec::new();
    for prompt in ["a", "b", "c"] {
        running.say(prompt).await;
        when.push(triggered(&running.events.all()).len());
    }
    // Two turns end after the first time, the retry and `b`, before it may match again.
    assert_eq!((when, running.script.requests().len()), (vec![1, 1, 2], 5));
}

#[tokio::test]
async fn a_gap_of_nothing_does_not_go_on_for_ever() {
    let world = World::new(json!(["panic 1", "panic 2", "panic 3", "panic 4"]))
        .settings(json!({"ttsr": {"repeatMode": "after-gap", "repeatGap": 0}}));
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    running.say("a").await;
    assert_eq!((triggered(&running.events.all()).len(), running.script.requests().len()), (1, 2));
    running.say("b").await;
    assert_eq!((triggered(&running.events.all()).len(), running.script.requests().len()), (2, 4));
}

#[tokio::test]
async fn a_gap_counts_from_the_beginning_when_the_session_is_opened_again() {
    let settings = json!({"ttsr": {"repeatMode": "after-gap", "repeatGap": 2}});
    let world = World::new(json!(["panic", "Fine."])).settings(settings.clone());
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    running.say("a").await;
    let file = running.session.session().file().expect("a file").to_owned();
    drop(running);
    let opened = Session::open(&file).expect("a session");
    let again = World::new(json!(["panic 1", "panic 2", "panic 3", "Fine."])).settings(settings);
    let again = again.in_home_of(world).resume(opened);
    let running = again.start().await;
    let mut when = Vec::new();
    for prompt in ["b", "c", "d"] {
        running.say(prompt).await;
        when.push(triggered(&running.events.all()).len());
    }
    assert_eq!(when, [0, 0, 1]);
}

#[tokio::test]
async fn another_branch_and_another_session_know_nothing_of_it() {
    let world = World::new(json!(["Hello.", "I panic.", "Fine.", "I panic.", "Fine.", "I panic.", "Fine."]));
    rule(&world, "calm", "condition: panic");
    let running = world.start().await;
    running.say("One").await;
    running.say("Two").await;
    let before = running.session.fork_points()[1].0.clone();
    running.session.fork(&before, ForkPosition::Before).await.expect("a fork");
    running.say("Two again").await;
    running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    running.say("Three").await;
    assert_eq!(triggered(&running.events.all()).len(), 3);
    let told: Vec<usize> = told_by_request(&running).iter().map(Vec::len).collect();
    assert_eq!(told, [0, 0, 1, 0, 1, 0, 1]);
}
