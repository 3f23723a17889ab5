use serde_json::{Value, json};

use super::said;
use crate::common::World;

#[tokio::test]
async fn the_decision_is_shown_and_another_answer_kept_for_the_next_start() {
    let world = World::new(json!([]));
    world.home.write(".pi/settings.json", r#"{"theme": "light"}"#);
    world.home.write(".pi/prompts/note.md", "Note.");
    let running = world.start().await;
    let mut texts = Vec::new();
    for command in ["/trust", "/trust no", "/trust parent", "/trust forget", "/trust maybe", "/trust yes", "/trust"] {
        texts.push(format!("> {command}\n{}\n", said(&world, &running, command).await));
    }
    insta::assert_snapshot!(texts.join("\n"));
    let text = std::fs::read_to_string(world.home.agent_dir().join("trust.json")).expect("a file");
    let kept: Value = serde_json::from_str(&text).expect("JSON");
    let (cwd, parent) = (world.home.cwd(), world.home.cwd());
    let parent = parent.parent().expect("a folder around it");
    assert_eq!(kept, json!({ cwd.display().to_string(): true, parent.display().to_string(): true }));
    // What is loaded stays loaded, whatever the answer.
    assert_eq!(running.session.settings().snapshot().theme(), Some("light"));
}

#[tokio::test]
async fn a_store_that_cannot_be_read_is_named_and_left_alone() {
    let world = World::new(json!([]));
    world.home.write_agent("trust.json", "[1]");
    let running = world.start().await;
    let texts = [said(&world, &running, "/trust").await, said(&world, &running, "/trust yes").await];
    insta::assert_snapshot!(texts.join("\n\n"));
    assert_eq!(std::fs::read_to_string(world.home.agent_dir().join("trust.json")).expect("a file"), "[1]");
}
