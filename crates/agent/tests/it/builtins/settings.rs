use serde_json::{Value, json};

use super::said;
use crate::common::World;

fn file(world: &World) -> Value {
    let text = std::fs::read_to_string(world.home.agent_dir().join("settings.json")).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test]
async fn values_are_listed_with_their_layer_explained_and_set() {
    let world = World::new(json!([])).settings(json!({"theme": "dark", "hookTimeout": 9, "mine": {"a.b": 1}}));
    world.home.write(".pi/settings.json", r#"{"theme": "light", "hookTimeout": 3, "retry": {"maxRetries": 5}}"#);
    let running = world.start().await;
    let mut texts = Vec::new();
    for command in [
        "/settings",
        "/settings theme",
        "/settings retry.enabled",
        "/settings retry.enabled false",
        "/settings shellCommandPrefix set -e; true",
        "/settings theme blue",
        "/settings steeringMod all",
        r#"/settings ["mine", "a.b"] [1, 2]"#,
        "/settings -l steeringMode all",
        "/settings -l hookTimeout 7",
        "/settings retry.maxRetries many",
        "/settings -l",
    ] {
        texts.push(format!("> {command}\n{}\n", said(&world, &running, command).await));
    }
    insta::assert_snapshot!(texts.join("\n"));
    assert_eq!(
        file(&world),
        json!({
            "theme": "blue", "hookTimeout": 9, "mine": {"a.b": [1, 2]}, "retry": {"enabled": false},
            "shellCommandPrefix": "set -e; true", "steeringMod": "all",
        })
    );
    let snapshot = running.session.settings().snapshot();
    assert!(!snapshot.retry().enabled, "a value counts at once");
}

#[tokio::test]
async fn a_damaged_file_is_named_and_left_alone() {
    let world = World::new(json!([]));
    let running = world.start().await;
    assert_eq!(
        said(&world, &running, "/settings").await,
        "No settings are set.\nUse /settings KEY to see where a value comes from, /settings KEY VALUE to set it."
    );
    world.home.write_agent("settings.json", "{\n  oops");
    let error = said(&world, &running, "/settings theme dark").await;
    assert_eq!(error, "Error: <agent>/settings.json:2:3: key must be a string");
    assert_eq!(std::fs::read_to_string(world.home.agent_dir().join("settings.json")).expect("a file"), "{\n  oops");
}
