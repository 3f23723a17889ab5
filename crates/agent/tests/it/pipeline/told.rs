//! What extensions are told when nobody waits for them, and what they write.

use serde_json::{Value, json};
use tau_hooks::SendOptions;
use tau_hooks::events::{AgentSettled, ToolExecutionStart};

use super::delivery::{draft, handle};
use crate::common::tools::{Barrier, waiting};
use crate::common::{Log, World, calls, messages, outline};

/// What handlers of `agent_settled` ask for begins when all of them are done.
#[tokio::test]
async fn prompts_of_settled_handlers_wait_for_all_of_them() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    let steps = Log::default();
    world.extend("settled", |registrar| {
        let (api, first) = (registrar.api(), steps.clone());
        registrar.on::<AgentSettled>(move |_, ctx| {
            let (api, first) = (api.clone(), first.clone());
            async move {
                let count = ctx.session().context().messages.len();
                first.push(format!("first {count} idle={}", ctx.host().is_idle()));
                if count == 2 {
                    api.send_user_message("Again", None)?;
                    api.send_message(draft("psst"), SendOptions { trigger_turn: Some(true), deliver_as: None })?;
                }
                Ok::<(), tau_hooks::HandlerError>(())
            }
        });
        let second = steps.clone();
        registrar.on::<AgentSettled>(move |_, ctx| {
            let second = second.clone();
            async move {
                // Whoever could overtake would do it now.
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                second.push(format!("second {}", ctx.session().context().messages.len()));
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    running.session.wait_until_idle().await;
    let steps = steps.all();
    assert_eq!(steps[..2], ["first 2 idle=true", "second 2"]);
    let conversation = running.conversation();
    assert_eq!(conversation[..2], messages([("user", "Hi"), ("assistant", "One.")]));
    let rest = messages([("user", "Again"), ("assistant", "Two."), ("custom", "psst"), ("assistant", "Three.")]);
    assert_eq!(conversation[2..], rest);
    assert_eq!(world.reports.all(), []);
}

/// What nobody waits for is still told in order, also to handlers that take their time.
#[tokio::test]
async fn what_is_told_later_is_told_in_order() {
    let world = World::new(json!([]));
    let told = Log::default();
    world.extend("slow", |registrar| {
        for event in ["message_start", "message_end", "thinking_level_select", "session_info_changed"] {
            let told = told.clone();
            registrar.on_json(event, move |event, _| {
                let told = told.clone();
                async move {
                    // The first of a kind takes longest.
                    for _ in 0..(4 - told.all().len().min(4)) * 10 {
                        tokio::task::yield_now().await;
                    }
                    told.push(event);
                    Ok(None)
                }
            });
        }
    });
    let api = handle(&world);
    let running = world.start().await;
    for name in ["a", "b"] {
        api.set_session_name(name).expect("a name");
    }
    running.session.wait_until_idle().await;
    let names: Vec<Value> = told.take().iter().map(|event| event["name"].clone()).collect();
    assert_eq!(names, ["a", "b"]);
    for level in [tau_ai::ThinkingLevel::Low, tau_ai::ThinkingLevel::High] {
        api.set_thinking_level(level).expect("a level");
    }
    running.session.wait_until_idle().await;
    let levels: Vec<Value> = told.take().iter().map(|event| event["level"].clone()).collect();
    assert_eq!(levels, ["low", "high"]);
    for text in ["a", "b"] {
        api.send_message(draft(text), SendOptions::default()).expect("a message");
    }
    running.session.wait_until_idle().await;
    assert_eq!(
        outline(&told.all()),
        ["message_start custom a", "message_end custom a", "message_start custom b", "message_end custom b"]
    );
}

/// Entries and names of extensions are in the session when the call returns, and front ends are told.
#[tokio::test]
async fn entries_are_appended_at_once() {
    let world = World::new(json!([calls([("1", "slow", json!({}))]), "One."]));
    let barrier = Barrier::default();
    let ids = Log::default();
    world.extend("state", |registrar| {
        waiting(registrar, "slow", &barrier);
        let (api, ids) = (registrar.api(), ids.clone());
        registrar.on::<ToolExecutionStart>(move |_, ctx| {
            let (api, ids) = (api.clone(), ids.clone());
            async move {
                let id = api.append_entry("state", Some(json!({"n": 1})))?;
                assert!(ctx.session().entry(&id).is_some());
                api.set_label(&id, Some("here"))?;
                ids.push(id);
                Ok::<(), tau_hooks::HandlerError>(())
            }
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    let id = ids.all().remove(0);
    let line = running.file().into_iter().find(|line| line["id"] == id.as_str()).expect("an entry in the file");
    assert_eq!(
        (&line["type"], &line["customType"], &line["data"]),
        (&json!("custom"), &json!("state"), &json!({"n": 1}))
    );
    let told: Vec<Value> = running.events.all().into_iter().filter(|event| event["type"] == "entry_appended").collect();
    assert_eq!(told, [json!({"type": "entry_appended", "entry": line})]);
    assert_eq!(running.session.session().label(&id).as_deref(), Some("here"));
    barrier.open();
    run.await.expect("the run").expect("a run");
    assert_eq!(running.asked()[1].len(), 3, "the model does not see it");
}
