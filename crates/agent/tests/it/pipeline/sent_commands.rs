//! Text of extensions that may be a command: `expandPromptTemplates`.

use std::sync::Arc;

use serde_json::json;
use tau_hooks::events::AgentSettled;
use tau_hooks::payload::StreamingBehavior::{self, Steer};
use tau_hooks::{Registrar, UserMessageOptions};

use super::delivery::handle;
use crate::common::tools::{Barrier, waiting};
use crate::common::{Log, World, calls, messages, names};

fn expanding(deliver_as: Option<StreamingBehavior>) -> UserMessageOptions {
    UserMessageOptions { deliver_as, expand_prompt_templates: true }
}

/// A command that notes its argument and waits until the session is idle.
fn command(registrar: &mut Registrar, ran: &Log<String>) {
    let ran = ran.clone();
    registrar.command("note", "Notes.", move |args, ctx| {
        let ran = ran.clone();
        async move {
            ctx.wait_for_idle().await?;
            ran.push(args);
            Ok(())
        }
    });
}

#[tokio::test]
async fn it_is_run_and_not_sent_to_the_model() {
    let world = World::new(json!(["One."]));
    let ran = Log::default();
    world.extend("commands", |registrar| command(registrar, &ran));
    let api = handle(&world);
    let seen = world.watch();
    let running = world.start().await;
    seen.take();
    api.send_user_message("/note a", expanding(None)).expect("accepted");
    running.session.wait_until_idle().await;
    assert_eq!((ran.take(), names(&seen.all())), (vec!["a".to_owned()], Vec::<String>::new()));
    // Without the option it is text.
    api.send_user_message("/note b", None).expect("accepted");
    running.session.wait_until_idle().await;
    assert_eq!(running.asked(), [messages([("user", "/note b")])]);
    assert_eq!((ran.all(), world.reports.all()), (vec![], vec![]));
}

#[tokio::test]
async fn templates_are_expanded_and_built_in_commands_stay_text() {
    let world = World::new(json!(["One.", "Two."]));
    world.home.write_agent("prompts/greet.md", "Say hello to $1.");
    let api = handle(&world);
    let running = world.start().await;
    for text in ["/greet Ada", "/name x"] {
        api.send_user_message(text, expanding(None)).expect("accepted");
        running.session.wait_until_idle().await;
    }
    let expected = messages([("user", "Say hello to Ada."), ("assistant", "One."), ("user", "/name x")]);
    assert_eq!(running.asked()[1], expected);
    assert_eq!(running.session.session().session_name(), None);
}

/// It runs when all handlers of the event are done, and may wait for the session.
#[tokio::test]
async fn one_of_a_settled_handler_runs_behind_all_of_them() {
    let world = World::new(json!(["One."]));
    let ran = Log::default();
    world.extend("settled", |registrar| {
        command(registrar, &ran);
        let (api, steps) = (registrar.api(), ran.clone());
        registrar.on::<AgentSettled>(move |_, _| {
            api.send_user_message("/note now", expanding(None)).expect("accepted");
            steps.push("first".to_owned());
            std::future::ready(())
        });
        let steps = ran.clone();
        registrar.on::<AgentSettled>(move |_, _| {
            let steps = steps.clone();
            async move {
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                steps.push("second".to_owned());
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(ran.all(), ["first", "second", "now"]);
    assert_eq!(running.script.requests().len(), 1);
}

/// As the user's, it runs at once also while a run is under way, whatever queue is named.
#[tokio::test]
async fn it_runs_beside_a_run() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done."]));
    let (barrier, ran) = (Barrier::default(), Arc::new(Barrier::default()));
    world.extend("commands", |registrar| {
        waiting(registrar, "work", &barrier);
        let ran = Arc::clone(&ran);
        registrar.command("now", "Runs.", move |_, _| {
            ran.reach();
            std::future::ready(Ok(()))
        });
    });
    let api = handle(&world);
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    api.send_user_message("/now", expanding(Some(Steer))).expect("accepted");
    ran.reached(1).await;
    barrier.open();
    run.await.expect("a task").expect("a run");
    let expected: [(&str, &str); 4] =
        [("user", "Hi"), ("assistant", "work({})"), ("toolResult", "did nothing"), ("assistant", "Done.")];
    assert_eq!(running.conversation(), messages(expected));
    assert_eq!(running.events.all().iter().filter(|event| event["type"] == "queue_update").count(), 0);
}

/// The extension may go away between the look for its command and the call.
#[tokio::test]
async fn one_that_is_gone_by_then_is_text() {
    for steps in 0..20 {
        let world = World::new(json!(["One."]));
        let ran: Log<String> = Log::default();
        world.extend("commands", |registrar| {
            let ran = ran.clone();
            registrar.command("note", "Notes.", move |args, _| {
                ran.push(args);
                std::future::ready(Ok(()))
            });
        });
        let owner = world.hooks.extensions().pop().expect("an extension");
        let api = handle(&world);
        let running = world.start().await;
        api.send_user_message("/note a", expanding(None)).expect("accepted");
        for _ in 0..steps {
            tokio::task::yield_now().await;
        }
        world.hooks.unload(&owner);
        running.session.wait_until_idle().await;
        let asked = running.script.requests().len();
        assert_eq!(ran.all().len() + asked, 1, "after {steps} steps: {:?}", world.reports.all());
    }
}
