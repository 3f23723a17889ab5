//! Messages of extensions that are recorded beside what extensions send to a run, and runs that cannot start.

use std::path::Path;

use serde_json::json;
use tau_ai::Model;
use tau_hooks::events::{AgentStart, BeforeAgentStart, MessageStart};
use tau_hooks::payload::StreamingBehavior::{FollowUp, Steer};
use tau_hooks::{DeliverAs, SendOptions};

use super::delivery::{draft, handle};
use crate::common::stages::{Halt, HaltingApi};
use crate::common::tools::{Barrier, recording};
use crate::common::{Log, World, messages, registry};
use tau_agent::{Prompt, PromptError, Prompted, Submitted};

const TRIGGER: SendOptions = SendOptions { trigger_turn: Some(true), deliver_as: None };
const RECORD: SendOptions = SendOptions { trigger_turn: Some(false), deliver_as: None };

/// A handler of `message_start` that takes its time.
fn slow(world: &World) {
    world.extend("slow", |registrar| {
        registrar.on::<MessageStart>(|_, _| async {
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
        });
    });
}

/// All of it in one stretch, and a handler hears of the first message meanwhile.
#[tokio::test]
async fn a_recorded_message_a_run_and_text_for_that_run() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    slow(&world);
    let api = handle(&world);
    let running = world.start().await;
    api.send_message(draft("a"), SendOptions::default()).expect("recorded");
    api.send_message(draft("b"), TRIGGER).expect("a run");
    api.send_user_message("c", Some(FollowUp)).expect("a queue");
    running.session.wait_until_idle().await;
    let expected = [("custom", "a"), ("custom", "b"), ("assistant", "One."), ("user", "c"), ("assistant", "Two.")];
    assert_eq!(running.conversation(), messages(expected));
    // Later prompts find their way as well.
    api.send_user_message("d", None).expect("a run");
    running.session.wait_until_idle().await;
    assert_eq!(running.conversation()[5..], messages([("user", "d"), ("assistant", "Three.")]));
    assert_eq!(world.reports.all(), []);
}

/// The stages before a run record what was parked, and that waits for text on its way to the run.
#[tokio::test]
async fn a_run_that_starts_waits_for_text_behind_it() {
    let world = World::new(json!(["One.", "Two."]));
    let api = handle(&world);
    let running = world.start().await;
    api.send_message(draft("a"), TRIGGER).expect("a run");
    api.send_message(draft("b"), RECORD).expect("a place");
    api.send_user_message("c", Some(FollowUp)).expect("a queue");
    running.session.wait_until_idle().await;
    let expected = [("custom", "b"), ("custom", "a"), ("assistant", "One."), ("user", "c"), ("assistant", "Two.")];
    assert_eq!(running.conversation(), messages(expected));

    let world = World::new(json!(["One.", "Two."]));
    world.extend("sends", |registrar| {
        let api = registrar.api();
        registrar.on::<BeforeAgentStart>(move |_, _| {
            api.send_message(draft("b"), RECORD).expect("a place");
            api.send_user_message("c", Some(FollowUp)).expect("a queue");
            std::future::ready(None)
        });
    });
    let api = handle(&world);
    let running = world.start().await;
    api.send_user_message("a", None).expect("a run");
    running.session.wait_until_idle().await;
    let expected = [("custom", "b"), ("user", "a"), ("assistant", "One."), ("user", "c"), ("assistant", "Two.")];
    assert_eq!(running.conversation(), messages(expected));
    assert_eq!(world.reports.all(), []);
}

/// A handler of a recorded message may wait for the user, who meanwhile starts a run in which an extension sends text.
#[tokio::test]
async fn a_run_does_not_wait_for_handlers_of_recorded_messages() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    let barrier = Barrier::default();
    world.extend("asks", |registrar| {
        let stays = barrier.clone();
        registrar.on::<MessageStart>(move |event, _| {
            let stays = matches!(&*event.message, tau_ai::Message::Custom(_)).then(|| stays.clone());
            async move {
                if let Some(barrier) = stays {
                    barrier.stay().await;
                }
            }
        });
        let api = registrar.api();
        registrar.on::<AgentStart>(move |_, ctx| {
            if ctx.session().context().messages.len() == 1 {
                api.send_user_message("more", Some(FollowUp)).expect("a queue");
            }
            std::future::ready(())
        });
    });
    let api = handle(&world);
    let running = world.start().await;
    api.send_message(draft("a"), SendOptions::default()).expect("recorded");
    barrier.reached(1).await;
    running.session.prompt(Prompt::new("Hi")).await.expect("a run");
    let expected = [("custom", "a"), ("user", "Hi"), ("assistant", "One."), ("user", "more"), ("assistant", "Two.")];
    assert_eq!(running.conversation(), messages(expected));
    barrier.open();
    running.session.wait_until_idle().await;
    api.send_user_message("still there?", None).expect("a run");
    running.session.wait_until_idle().await;
    assert_eq!(running.conversation().last(), messages([("assistant", "Three.")]).last());
    assert_eq!(world.reports.all(), []);
}

/// A session whose model nobody can ask.
fn without_login() -> World {
    let world = World::new(json!([]));
    let model = Model { provider: "nobody".to_owned(), ..world.script.model() };
    world.with_models(registry(), model.into())
}

#[tokio::test]
async fn what_was_sent_to_a_run_that_cannot_start_is_not_lost() {
    let world = without_login();
    let api = handle(&world);
    let running = world.start().await;
    api.send_message(draft("b"), TRIGGER).expect("accepted");
    api.send_message(draft("parked"), RECORD).expect("accepted");
    api.send_message(draft("steering"), SendOptions::default()).expect("accepted");
    let follow_up = SendOptions { trigger_turn: None, deliver_as: Some(DeliverAs::FollowUp) };
    api.send_message(draft("follow-up"), follow_up).expect("accepted");
    assert_eq!(running.queue("Wait", Steer).await.expect("a queue"), Prompted::Queued);
    running.session.wait_until_idle().await;
    assert!(running.session.is_idle());
    let kept = messages([("custom", "parked"), ("custom", "steering"), ("custom", "follow-up")]);
    assert_eq!(running.conversation(), kept);
    assert_eq!(running.session.queued_texts().steering, ["Wait"]);
    let told: Vec<String> =
        world.reports.all().into_iter().map(|(_, event, text)| format!("{event}: {text}")).collect();
    assert_eq!(told[0], "queue: the run could not start; 1 queued message(s) wait for the next prompt");
    assert!(told.len() == 2 && told[1].starts_with("send_message: "), "{told:?}");
}

#[tokio::test]
async fn what_was_sent_to_a_prompt_that_cannot_start_is_not_lost() {
    let world = without_login();
    let api = handle(&world);
    let running = world.start().await;
    let submitted = running.session.submit(Prompt::new("Hi")).await.expect("a place");
    let Submitted::Run(upcoming) = submitted else { panic!("a run") };
    api.send_message(draft("parked"), RECORD).expect("accepted");
    let error = upcoming.prepare().await.err().expect("no login");
    assert!(matches!(error, PromptError::UnknownApi { .. }), "{error}");
    running.session.wait_until_idle().await;
    assert_eq!(running.conversation(), messages([("custom", "parked")]));
    assert_eq!(running.outline(), ["message_start custom parked", "message_end custom parked"]);
}

/// Puts a file in the place of the folder with the session's file.
fn break_file(file: &Path) {
    let folder = file.parent().expect("a folder");
    std::fs::rename(folder, folder.with_extension("kept")).expect("moved");
    std::fs::write(folder, "in the way").expect("a file");
}

/// Undoes [`break_file`].
fn restore_file(file: &Path) {
    let folder = file.parent().expect("a folder");
    std::fs::remove_file(folder).expect("removed");
    std::fs::rename(folder.with_extension("kept"), folder).expect("moved back");
}

#[tokio::test]
async fn messages_for_the_next_turn_survive_a_run_that_cannot_be_recorded() {
    let world = World::new(json!(["One.", "Two."]));
    let broken: Log<()> = Log::default();
    world.extend("records", |registrar| {
        let (api, broken) = (registrar.api(), broken.clone());
        registrar.on::<BeforeAgentStart>(move |_, ctx| {
            if broken.take().len() == 1 {
                break_file(ctx.session().file().expect("a file"));
                api.send_message(draft("recorded"), RECORD).expect("a place");
            }
            std::future::ready(None)
        });
    });
    let api = handle(&world);
    let running = world.start().await;
    running.say("Hi").await;
    let next_turn = SendOptions { trigger_turn: None, deliver_as: Some(DeliverAs::NextTurn) };
    api.send_message(draft("kept"), next_turn).expect("a place");
    broken.push(());
    let error = running.session.prompt(Prompt::new("Again")).await.expect_err("no file");
    assert!(matches!(error, PromptError::Session(_)), "{error}");
    running.session.wait_until_idle().await;
    restore_file(running.session.session().file().expect("a file"));
    running.say("Once more").await;
    let asked = running.asked().pop().expect("a request");
    assert!(asked.ends_with(&messages([("user", "Once more"), ("user", "kept")])), "{asked:?}");
}

/// The run before it was aborted, this one was not.
#[tokio::test]
async fn a_run_that_cannot_be_recorded_was_not_aborted() {
    let (world, barrier) = (World::new(json!(["One."])), Barrier::default());
    let world = {
        let script = world.script.clone();
        world.with_api(HaltingApi::new(script, 0, Halt::Text, &barrier))
    };
    world.extend("work", |registrar| recording(registrar, "work", &Log::default()));
    let switch: Log<()> = Log::default();
    world.extend("switches", |registrar| {
        let switch = switch.clone();
        registrar.on::<BeforeAgentStart>(move |_, ctx| {
            if switch.take().len() == 1 {
                ctx.host().set_active_tools(&[]);
            }
            std::future::ready(None)
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    running.session.abort();
    run.await.expect("a task").expect("a run");
    break_file(running.session.session().file().expect("a file"));
    switch.push(());
    running.session.prompt(Prompt::new("Again")).await.expect_err("no file");
    running.session.wait_until_idle().await;
    let settled: Vec<_> = running.events.all().into_iter().filter(|event| event["type"] == "agent_settled").collect();
    assert_eq!(settled.iter().map(|event| event["aborted"].clone()).collect::<Vec<_>>(), [true, false]);
}
