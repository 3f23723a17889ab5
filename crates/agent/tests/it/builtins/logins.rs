use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind};

use super::renewal::{ShortLived, corp};
use super::said;
use crate::common::{Log, World};

/// What `auth.json` says, without times.
fn stored(world: &World) -> Value {
    let text = std::fs::read_to_string(world.home.agent_dir().join("auth.json")).unwrap_or("{}".to_owned());
    let mut all: Value = serde_json::from_str(&text).expect("JSON");
    for entry in all.as_object_mut().expect("an object").values_mut() {
        entry.as_object_mut().expect("an object").shift_remove("expires");
    }
    all
}

/// A user who gives these answers one after another, and then leaves every question. Gives what was asked.
fn user(world: &World, answers: &[&str]) -> Log<String> {
    let (log, mut back_end) = (Log::default(), world.hooks.dialogs.subscribe());
    let asked = log.clone();
    let mut answers: Vec<String> = answers.iter().rev().map(|answer| (*answer).to_owned()).collect();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            let DialogEvent::Opened(request) = event else { continue };
            asked.push(match &request.kind {
                DialogKind::Select { title, options } => format!("{title}: {}", options.join(" | ")),
                DialogKind::Input { title, .. } | DialogKind::Confirm { title, .. } => title.clone(),
                other => panic!("{other:?}"),
            });
            let answer = match (answers.pop(), &request.kind) {
                (Some(answer), DialogKind::Confirm { .. }) => DialogAnswer::Confirmed(answer == "yes"),
                (answer, _) => answer.map_or(DialogAnswer::Cancelled, DialogAnswer::Value),
            };
            back_end.answer(request.id(), answer).expect("it counts");
        }
    });
    log
}

fn world() -> World {
    let (models, _) = corp(json!(["Hello."]), Arc::new(ShortLived::default()));
    let model = models.find("corp", "m").expect("a model");
    World::new(json!([])).with_models(models, model)
}

#[tokio::test]
async fn without_a_user_the_way_to_do_without_is_told() {
    let world = world();
    let running = world.start().await;
    let mut texts = Vec::new();
    for command in ["/login", "/login openai", "/login CORP", "/logout", "/logout openai"] {
        texts.push(format!("> {command}\n{}\n", said(&world, &running, command).await));
    }
    let unknown = said(&world, &running, "/login nowhere").await;
    assert!(unknown.starts_with("Error: There is no provider \"nowhere\". Those that are known: "), "{unknown}");
    assert!(unknown.contains("corp") && unknown.contains("openai"), "{unknown}");
    insta::assert_snapshot!(texts.join("\n"));
    assert!(!world.home.agent_dir().join("auth.json").exists());
}

#[tokio::test]
async fn keys_and_accounts_are_stored_and_removed() {
    let world = world();
    let running = world.start().await;
    let asked = user(
        &world,
        &["openai", " sk-1 ", "Sign in with Corp account", "Use an API key", "k-2", "corp (API key)", "   "],
    );
    let mut texts = Vec::new();
    for (command, after) in [
        ("/login", json!({"openai": {"type": "api_key", "key": "sk-1"}})),
        (
            "/login Corp account",
            json!({
                "openai": {"type": "api_key", "key": "sk-1"},
                "corp": {"type": "oauth", "access": "a0", "refresh": "r"},
            }),
        ),
        (
            "/login corp",
            json!({
                "openai": {"type": "api_key", "key": "sk-1"}, "corp": {"type": "api_key", "key": "k-2"},
            }),
        ),
        ("/logout", json!({"openai": {"type": "api_key", "key": "sk-1"}})),
        ("/logout corp", json!({"openai": {"type": "api_key", "key": "sk-1"}})),
        ("/login openai", json!({"openai": {"type": "api_key", "key": "sk-1"}})),
        ("/login openai", json!({"openai": {"type": "api_key", "key": "sk-1"}})),
        ("/logout OpenAI", json!({})),
        ("/logout", json!({})),
    ] {
        texts.push(format!("> {command}\n{}\n", said(&world, &running, command).await));
        assert_eq!(stored(&world), after, "{command}");
    }
    // The list of all providers is long.
    let asked = asked
        .all()
        .into_iter()
        .map(|text| if text.starts_with("Log in to") { "Log in to: …".to_owned() } else { text });
    texts.push(format!("Asked:\n{}", asked.collect::<Vec<_>>().join("\n")));
    insta::assert_snapshot!(texts.join("\n"));
    assert!(!running.session.models().has_auth("openai"));
}

#[tokio::test]
async fn a_key_replaces_a_login_of_another_program_only_after_a_yes() {
    let world = world();
    let login = json!({"openai": {"type": "oauth", "access": "eyJ", "refresh": "r"}});
    std::fs::write(world.home.agent_dir().join("auth.json"), login.to_string()).expect("written");
    let running = world.start().await;
    let asked = user(&world, &["no", "yes", "sk-1"]);
    assert!(said(&world, &running, "/login openai").await.contains("Login cancelled."));
    assert_eq!(stored(&world), login);
    said(&world, &running, "/login openai").await;
    assert_eq!(stored(&world), json!({"openai": {"type": "api_key", "key": "sk-1"}}));
    let question = "Replace the stored login for openai?";
    assert_eq!(asked.all(), [question, question, "API key for openai"]);
}

#[tokio::test]
async fn what_was_stored_counts_at_once() {
    let world = world();
    let running = world.start().await;
    let refused = running.session.prompt(tau_agent::Prompt::new("Hi")).await.expect_err("there is no key");
    assert!(refused.to_string().contains("No API key found for corp"), "{refused}");
    user(&world, &["Use an API key", "k-3"]);
    said(&world, &running, "/login corp").await;
    running.say("Hi").await;
    assert_eq!(running.conversation().last().expect("an answer").1, "Hello.");
}

#[tokio::test]
async fn a_key_that_was_typed_is_that_key() {
    let world = world();
    let running = world.start().await;
    for (typed, stored) in [("sk-a$b", "sk-a$$b"), ("!touch own; echo k", "$!touch own; echo k")] {
        running.session.store_key("openai", typed).await.expect("stored");
        let file = std::fs::read_to_string(world.home.agent_dir().join("auth.json")).expect("the file");
        assert_eq!(serde_json::from_str::<Value>(&file).expect("JSON")["openai"]["key"], stored);
        let model = running.session.models().of_provider("openai").first().cloned().expect("a model");
        let auth = running.session.models().auth(&model).expect("a credential");
        assert_eq!(auth.api_key.expect("a key").expose(), typed);
    }
}

#[tokio::test]
async fn the_list_says_which_providers_have_a_credential() {
    let world = world();
    let running = world.start().await;
    running.session.store_key("openai", "sk-1").await.expect("stored");
    let asked = user(&world, &[]);
    assert!(said(&world, &running, "/login").await.contains("Login cancelled."));
    let list = asked.all().remove(0);
    assert!(list.contains("openai (key from auth.json)") && !list.contains("sk-1"), "{list}");
    assert!(list.contains("| corp |") || list.contains(": corp |"), "{list}");
}
