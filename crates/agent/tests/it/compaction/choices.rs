//! Going through models and thinking levels.

use serde_json::json;
use tau_ai::{ProviderConfig, ThinkingLevel};
use tau_hooks::Direction::{Backward, Forward};
use tau_hooks::ScopedModel;
use tau_hooks::payload::ModelSelectSource;

use crate::common::{Running, World};

fn chosen(running: &Running) -> String {
    running.session.model().expect("a model").id.clone()
}

#[tokio::test]
async fn all_models_or_those_the_user_chose() {
    let world = World::new(json!([])).settings(json!({"modelThinkingLevels": {"more/b": "low"}}));
    let seen = world.watch();
    let running = world.start().await;
    let model = |id: &str| json!({"id": id, "baseUrl": "http://localhost", "reasoning": true});
    let mut config: ProviderConfig =
        serde_json::from_value(json!({"models": [model("a"), model("b")]})).expect("a provider");
    config.api = Some("scripted".to_owned());
    config.keyless = true;
    let models = running.session.models().clone();
    models.register_provider("more", config).expect("a provider that can be registered");
    let find = |id: &str| models.find("more", id).expect("a model");
    running.session.choose_model(find("a"), ModelSelectSource::Set).await.expect("a session");
    seen.take();
    running.session.cycle_model(Forward).await.expect("a session").expect("another model");
    running.session.choose_model(find("a"), ModelSelectSource::Set).await.expect("a session");

    let scoped = |id: &str, thinking_level| ScopedModel { model: find(id), thinking_level };
    running.session.set_scoped_models(vec![scoped("a", None)]);
    assert_eq!(running.session.cycle_model(Forward).await.expect("a session"), None);
    running.session.set_scoped_models(vec![scoped("a", Some(ThinkingLevel::High)), scoped("b", None)]);
    running.session.choose_thinking(ThinkingLevel::Medium).expect("a session");
    running.session.wait_until_idle().await;
    seen.take();
    let cycled = running.session.cycle_model(Backward).await.expect("a session").expect("another model");
    assert_eq!((cycled.model.id.as_str(), cycled.thinking_level, cycled.is_scoped), ("b", ThinkingLevel::Low, true));
    running.session.wait_until_idle().await;
    let events = seen.take();
    let select = events.iter().find(|event| event["type"] == "model_select").expect("an event");
    assert_eq!((&select["source"], &select["previousModel"]["id"]), (&json!("cycle"), &json!("a")));
    assert!(events.iter().any(|event| event["type"] == "thinking_level_select" && event["level"] == "low"));
    let cycled = running.session.cycle_model(Forward).await.expect("a session").expect("another model");
    assert_eq!((cycled.model.id.as_str(), cycled.thinking_level), ("a", ThinkingLevel::High));
    assert_eq!(chosen(&running), "a");
    assert_eq!(running.session.scoped_models().len(), 2);
}

#[tokio::test]
async fn thinking_levels_go_round() {
    let world = World::new(json!([]));
    let running = world.start().await;
    let mut levels = Vec::new();
    for _ in 0..5 {
        levels.push(running.session.cycle_thinking().expect("a session").expect("a level").as_str());
    }
    assert_eq!(levels, ["high", "off", "minimal", "low", "medium"]);
}
