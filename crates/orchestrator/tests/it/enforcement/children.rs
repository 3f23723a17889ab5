//! Child sessions pass the gate too, and ask in front of the user of the session above.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_agent_testkit::World;
use tau_hooks::{ChildHooks, ChildLoader, ChildPrompt, ChildRequest, HandlerError, HostSessions as _, Mode};
use tau_orchestrator::MODULES;

use super::user;
use crate::world::{call, with};

/// Loads the module into a child.
struct InChild;

#[async_trait]
impl ChildLoader for InChild {
    async fn load(&self, into: &ChildHooks) -> Result<(), HandlerError> {
        let module = MODULES.iter().find(|module| module.name == "builtin:enforcement").expect("the module");
        assert!(module.in_children);
        into.hooks()?.load(&*(module.make)()).map_err(HandlerError::msg)?;
        Ok(())
    }
}

/// What a child reads as results of these commands.
async fn in_child(world: &World) -> Vec<String> {
    world.extend("opener", |_| {});
    let running = world.start().await;
    let opener = world.hooks.extensions().into_iter().find(|owner| &*owner.name == "opener").expect("the opener");
    let mut request = ChildRequest::new("worker");
    request.own.push(Box::new(InChild));
    let child =
        running.session.open_child(request, Arc::clone(&opener)).await.unwrap_or_else(|error| panic!("{error}"));
    child.prompt(ChildPrompt { text: "Work".to_owned(), ..ChildPrompt::default() }).await.expect("a run");
    child.wait_for_idle().await;
    let asked = running.script.requests().pop().expect("a request").to_string();
    child.close().await;
    let asked: Value = serde_json::from_str(&asked).expect("JSON");
    let messages = asked["messages"].as_array().cloned().unwrap_or_default();
    let results = messages.iter().filter(|message| message["role"] == "toolResult");
    results.map(|message| message["content"][0]["text"].as_str().unwrap_or_default().trim().to_owned()).collect()
}

fn world(mode: Mode, commands: &[&str]) -> World {
    let mut replies: Vec<Value> = commands.iter().map(|command| call("bash", json!({"command": command}))).collect();
    replies.push(json!("Done."));
    with(&["enforcement"], mode, Value::from(replies)).with_builtin_tools()
}

#[tokio::test]
async fn a_child_is_blocked_as_its_parent_is() {
    let world = world(Mode::Print, &["git add ."]);
    let results = in_child(&world).await;
    assert!(results[0].contains("'git add .'"), "{results:?}");
}

#[tokio::test]
async fn a_child_asks_the_user_once() {
    let world = world(Mode::Tui, &["sudo id"]);
    let shown = user(&world, &[Some("Block")]);
    assert_eq!(in_child(&world).await, ["Blocked by user"]);
    let [(title, _)] = <[_; 1]>::try_from(shown.all()).expect("one question");
    assert!(title.starts_with("[worker] ") && title.contains("sudo id"), "{title}");
}

/// A child may look for the same thing again and again: it has no user to bother.
#[tokio::test]
async fn repetition_counts_in_the_session_above_only() {
    let results = in_child(&world(Mode::Print, &["echo a"; 4])).await;
    assert_eq!(results, ["a"; 4]);
}
