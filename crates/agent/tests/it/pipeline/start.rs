//! What a run begins with, and with which system prompt.

use serde_json::{Value, json};
use tau_agent::{Prompt, PromptError};
use tau_ai::ContentBlock;
use tau_hooks::events::BeforeAgentStart;
use tau_hooks::payload::{BeforeAgentStartResult, CustomDraft};
use tau_hooks::{DeliverAs, SendOptions};

use crate::common::{World, messages};

fn draft(text: &str) -> CustomDraft {
    CustomDraft { custom_type: "note".to_owned(), content: text.into(), display: true, details: None }
}

#[tokio::test]
async fn messages_come_in_order_user_waiting_added() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("add", |registrar| {
        let api = registrar.api();
        registrar.command("park", "Parks.", move |args, _| {
            let options = SendOptions { deliver_as: Some(DeliverAs::NextTurn), trigger_turn: Some(true) };
            std::future::ready(api.send_message(draft(&args), options).map_err(Into::into))
        });
        registrar.on::<BeforeAgentStart>(|event, _| async move {
            let message = (event.prompt == "first").then(|| draft("added"));
            Some(BeforeAgentStartResult { message, ..BeforeAgentStartResult::default() })
        });
    });
    let running = world.start().await;
    running.say("/park a").await;
    running.say("/park b").await;
    assert_eq!(running.events.all(), Vec::<Value>::new());
    assert!(!running.session.session().is_persisted());
    running.say("first").await;
    running.say("second").await;
    assert_eq!(
        running.asked()[1],
        messages([
            ("user", "first"),
            ("user", "a"),
            ("user", "b"),
            ("user", "added"),
            ("assistant", "One."),
            ("user", "second")
        ])
    );
    let roles: Vec<String> = running.file_messages().into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["user", "custom", "custom", "custom", "assistant", "user", "assistant"]);
}

/// A picture of one pixel.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

#[tokio::test]
async fn a_prompt_has_its_text_first_then_its_images() {
    let world = World::new(json!(["One."]));
    let running = world.start().await;
    let images = vec![ContentBlock::image(DOT, "image/png")];
    running.session.prompt(Prompt { images, ..Prompt::new("Look") }).await.expect("a run");
    assert_eq!(
        running.script.requests()[0]["messages"][0]["content"],
        json!([{"type": "text", "text": "Look"}, {"type": "image", "data": DOT, "mimeType": "image/png"}])
    );
}

#[tokio::test]
async fn pictures_are_made_to_fit_and_what_is_none_is_said_to_be() {
    let world = World::new(json!(["One."]));
    let running = world.start().await;
    let mut large = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_luma8(3000, 10).write_to(&mut large, image::ImageFormat::Png).expect("a picture");
    let large = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, large.into_inner());
    let images = vec![ContentBlock::image(large, "image/png"), ContentBlock::image("AA==", "image/png")];
    running.session.prompt(Prompt { images, ..Prompt::new("Look") }).await.expect("a run");
    let content = running.script.requests()[0]["messages"][0]["content"].clone();
    assert_eq!(content.as_array().map(Vec::len), Some(2), "{content}");
    let text = content[0]["text"].as_str().expect("a text");
    assert!(text.starts_with("Look\n\n[Image: original 3000x10, displayed at 2000x7."), "{text}");
    assert!(text.ends_with("\n[Image omitted: could not be resized below the inline image size limit.]"), "{text}");
}

#[tokio::test]
async fn the_standard_prompt_is_back_after_a_run_with_another() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    world.extend("prompt", |registrar| {
        registrar.on::<BeforeAgentStart>(|event, ctx| async move {
            // That of the run before ended with it.
            assert!(ctx.host().system_prompt().starts_with("You are a test."));
            let system_prompt = match event.prompt.as_str() {
                "first" => Some("Be brief.".to_owned()),
                "second" => Some(String::new()),
                _ => None,
            };
            Some(BeforeAgentStartResult { system_prompt, ..BeforeAgentStartResult::default() })
        });
    });
    let running = world.start().await;
    for text in ["first", "second", "third"] {
        running.say(text).await;
    }
    let prompts: Vec<Value> = running.script.requests().iter().map(|request| request["system"].clone()).collect();
    assert_eq!(prompts[..2], [json!("Be brief."), json!("")]);
    assert!(prompts[2].as_str().is_some_and(|prompt| prompt.starts_with("You are a test.")), "{}", prompts[2]);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn without_a_model_nothing_begins() {
    let world = World::new(json!([]));
    let model = tau_ai::Model { provider: "nobody".to_owned(), ..world.script.model() };
    let models = crate::common::registry();
    let world = world.with_models(models, model.into());
    let seen = world.watch();
    let running = world.start().await;
    seen.take();
    let error = running.session.prompt(Prompt::new("Hi")).await.expect_err("there is nobody to ask");
    assert!(matches!(error, PromptError::UnknownApi { .. } | PromptError::NoAuth(_)), "{error}");
    assert_eq!(crate::common::names(&seen.all()), ["input"]);
    assert_eq!(running.events.all(), Vec::<Value>::new());
    assert!(running.session.is_idle());
    assert!(!running.session.session().is_persisted());
}

/// How long the model took, how much it was told to think, and whose word the price is.
#[tokio::test]
async fn an_answer_says_how_it_came_about() {
    let world = World::new(json!(["One.", [{"error": "It broke"}]]));
    let running = world.start().await;
    running.say("first").await;
    running.session.choose_thinking(tau_ai::ThinkingLevel::High).expect("a level");
    running.say("second").await;
    let file = running.file();
    let answers = file.iter().map(|line| &line["message"]).filter(|message| message["role"] == "assistant");
    let notes: Vec<_> =
        answers.map(|answer| (answer["durationMs"].is_u64(), answer["thinkingLevel"].clone())).collect();
    assert_eq!(notes, [(true, json!("medium")), (true, json!("high"))]);
}
