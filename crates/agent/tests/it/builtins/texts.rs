//! Commands about what was said and done: copies, changes, the last prompt, the models to cycle through, themes.

use serde_json::json;

use super::said;
use crate::common::World;

#[tokio::test]
async fn copies_are_the_last_answer_where_nothing_can_be_chosen() {
    let world = World::new(json!(["First.", "Take\n```sh\nls\n```"]));
    let running = world.start().await;
    assert_eq!(said(&world, &running, "/copy").await, "Error: There is nothing to copy yet.");
    running.say("One").await;
    running.say("Two").await;
    assert_eq!(said(&world, &running, "/copy").await, "Take\n```sh\nls\n```");
}

#[tokio::test]
async fn the_last_prompt_is_taken_back_until_there_is_none() {
    let world = World::new(json!(["1.", "2."]));
    let running = world.start().await;
    running.say("One").await;
    running.say("Two").await;
    let text = said(&world, &running, "/undo").await;
    assert!(text.ends_with("\nText: Two"), "{text}");
    let text = said(&world, &running, "/undo").await;
    assert!(text.ends_with("\nText: One"), "{text}");
    assert_eq!(said(&world, &running, "/undo").await, "Error: There is no prompt to take back.");
}

#[tokio::test]
async fn the_models_to_cycle_through_are_chosen_by_patterns() {
    let world = World::new(json!([]));
    let running = world.start().await;
    assert_eq!(said(&world, &running, "/scoped-models").await, "Cycling goes through all models.");
    let scoped = said(&world, &running, "/scoped-models scripted/other").await;
    assert_eq!(scoped, "Cycling goes through: scripted/other");
    assert!(said(&world, &running, "/scoped-models nothing-like-it").await.starts_with("Error: "));
    assert_eq!(running.session.scoped_models().len(), 1);
    assert_eq!(said(&world, &running, "/scoped-models all").await, "Cycling goes through all models.");
}

#[tokio::test]
async fn a_theme_is_chosen_and_kept() {
    let world = World::new(json!([]));
    let running = world.start().await;
    assert_eq!(said(&world, &running, "/theme").await, "Theme: system (available: system, dark, light)");
    assert_eq!(said(&world, &running, "/theme light").await, "Theme: light");
    assert_eq!(running.session.settings().snapshot().theme(), Some("light"));
    assert_eq!(said(&world, &running, "/theme light/dark").await, "Theme: light/dark");
    let unknown = said(&world, &running, "/theme nothing").await;
    assert_eq!(unknown, "Error: There is no theme \"nothing\". There are: system, dark, light");
}

#[tokio::test]
async fn a_session_says_what_it_used_and_what_each_model_cost() {
    let spent =
        |input: u64, cached: u64| json!(["Said.", {"usage": {"input": input, "cache_read": cached, "output": 10}}]);
    let world = World::new(json!([spent(100, 300), spent(1000, 0)]));
    let running = world.start().await;
    running.say("One").await;
    let text = said(&world, &running, "/session").await;
    assert!(text.contains("\nMessages: 2 (1 user, 1 assistant, 0 tool results)\n"), "{text}");
    assert!(text.contains("\nTokens: 400 in (75 % from caches), 10 out\nCost: $"), "{text}");
    assert!(!text.contains("scripted/"), "{text}");
    said(&world, &running, "/model scripted/other").await;
    running.say("Two").await;
    let text = said(&world, &running, "/session").await;
    assert!(text.contains("\nTokens: 1400 in (21 % from caches), 20 out\n"), "{text}");
    let models: Vec<&str> = text.lines().filter(|line| line.starts_with("  scripted/")).collect();
    assert_eq!(models.len(), 2, "{text}");
}
