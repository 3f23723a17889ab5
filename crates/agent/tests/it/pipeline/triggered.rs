//! Runs that a message of an extension starts, and what handlers of `before_agent_start` do to any run.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::dialect::OMP;
use tau_hooks::events::{AgentSettled, BeforeAgentStart, Input};
use tau_hooks::payload::{BeforeAgentStartResult, StartedBy};
use tau_hooks::{DeliverAs, HostView, SendOptions};

use super::delivery::{draft, handle};
use crate::common::tools::Barrier;
use crate::common::{Log, World, messages, outline};

const TRIGGER: SendOptions = SendOptions { trigger_turn: Some(true), deliver_as: None };
const RECORD: SendOptions = SendOptions { trigger_turn: Some(false), deliver_as: None };

/// The message that starts the run, what was kept for the next one, what handlers add, and what was queued meanwhile.
#[tokio::test]
async fn its_messages_come_in_the_order_of_a_prompts() {
    let world = World::new(json!(["One.", "Two."]));
    let started = Log::default();
    world.extend("add", |registrar| {
        let (api, started) = (registrar.api(), started.clone());
        registrar.on::<BeforeAgentStart>(move |event, ctx| {
            started.push((event.message_type, event.prompt.clone(), ctx.host().is_idle()));
            let custom = event.message_type == StartedBy::Custom;
            if custom {
                api.send_message(draft("queued"), SendOptions::default()).expect("a queue");
            }
            let result = BeforeAgentStartResult {
                message: custom.then(|| draft("added")),
                system_prompt: custom.then(|| "Be brief.".to_owned()),
                ..BeforeAgentStartResult::default()
            };
            std::future::ready(Some(result))
        });
    });
    let api = handle(&world);
    let running = world.start().await;
    let parked = SendOptions { deliver_as: Some(DeliverAs::NextTurn), trigger_turn: None };
    api.send_message(draft("parked"), parked).expect("a place");
    api.send_message(draft("psst"), TRIGGER).expect("a run");
    // Busy from the call on.
    assert!(!HostView::is_idle(&*running.session));
    running.session.wait_until_idle().await;
    let first = messages([("user", "psst"), ("user", "parked"), ("user", "added"), ("user", "queued")]);
    assert_eq!(running.asked(), [first]);
    assert_eq!(running.script.requests()[0]["system"], json!("Be brief."));
    running.say("Hi").await;
    let user = (StartedBy::User, "Hi".to_owned(), false);
    assert_eq!(started.all(), [(StartedBy::Custom, String::new(), false), user]);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn handlers_see_the_message() {
    let world = World::new(json!(["One."]));
    let api = handle(&world);
    let seen = world.watch();
    let running = world.start().await;
    seen.take();
    api.send_message(draft("psst"), TRIGGER).expect("a run");
    running.session.wait_until_idle().await;
    let first = seen.all().remove(0);
    assert_eq!((&first["type"], &first["messageType"]), (&json!("before_agent_start"), &json!("custom")));
    assert_eq!((&first["prompt"], first.get("images")), (&json!(""), None));
    let custom = json!({"role": "custom", "customType": "note", "content": "psst", "display": true,
        "details": {"from": "test"}, "timestamp": 0});
    assert_eq!(world.golden().normalise(first["message"].clone()), custom);
}

/// They know one start for each prompt of the user.
#[tokio::test]
async fn hooks_of_older_dialects_hear_of_prompts_only() {
    let world = World::new(json!(["One.", "Two."]));
    let heard = Log::default();
    world.extend_as(&OMP, "hook", |registrar| {
        let heard = heard.clone();
        registrar.on_json("before_agent_start", move |event, _| {
            heard.push(event);
            std::future::ready(Ok(None))
        });
    });
    let api = handle(&world);
    let running = world.start().await;
    api.send_message(draft("psst"), TRIGGER).expect("a run");
    running.session.wait_until_idle().await;
    running.say("Hi").await;
    assert_eq!(heard.all(), [json!({"type": "before_agent_start", "prompt": "Hi"})]);
}

#[tokio::test]
async fn a_run_that_cannot_start_is_told_and_leaves_the_session_idle() {
    let world = World::new(json!([]));
    let model = tau_ai::Model { provider: "nobody".to_owned(), ..world.script.model() };
    let world = world.with_models(crate::common::registry(), model.into());
    let api = handle(&world);
    let running = world.start().await;
    api.send_message(draft("psst"), TRIGGER).expect("accepted");
    running.session.wait_until_idle().await;
    assert!(running.session.is_idle());
    let reports = world.reports.all();
    assert_eq!((reports.len(), reports[0].1.as_str()), (1, "send_message"), "{reports:?}");
}

/// What is only recorded while handlers are asked is there before the run's own messages.
#[tokio::test]
async fn a_message_recorded_while_a_run_starts_belongs_to_it() {
    let world = World::new(json!(["One."]));
    world.extend("record", |registrar| {
        let api = registrar.api();
        registrar.on::<BeforeAgentStart>(move |_, _| {
            api.send_message(draft("recorded"), RECORD).expect("a place");
            std::future::ready(None)
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.asked(), [messages([("user", "recorded"), ("user", "Hi")])]);
    assert_eq!(running.file_messages(), messages([("custom", "recorded"), ("user", "Hi"), ("assistant", "One.")]));
    assert_eq!(
        outline(&running.events.all())[..3],
        ["message_start custom recorded", "message_end custom recorded", "agent_start"]
    );
}

/// The run ends before its first request, with everything that handlers added.
#[tokio::test]
async fn an_extension_can_abort_a_run_that_starts() {
    let world = World::new(json!(["Never."]));
    let settled = Log::default();
    world.extend("abort", |registrar| {
        registrar.on::<BeforeAgentStart>(|_, ctx| async move {
            ctx.host().abort();
            // Whoever was cut off by the abort would not get further than this.
            tokio::task::yield_now().await;
            Some(BeforeAgentStartResult { message: Some(draft("added")), ..BeforeAgentStartResult::default() })
        });
        registrar.on::<BeforeAgentStart>(|_, _| async {
            Some(BeforeAgentStartResult { message: Some(draft("too")), ..BeforeAgentStartResult::default() })
        });
        let settled = settled.clone();
        registrar.on::<AgentSettled>(move |event, _| {
            settled.push(event.aborted);
            std::future::ready(())
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let expected =
        messages([("user", "Hi"), ("custom", "added"), ("custom", "too"), ("assistant", "[Request was aborted]")]);
    assert_eq!(running.conversation(), expected);
    assert_eq!(running.script.requests(), Vec::<Value>::new());
    assert_eq!(settled.all(), [true]);
    let told = running.events.all().pop().expect("an event");
    assert_eq!(told, json!({"type": "agent_settled", "aborted": true}));
}

/// A handler that hangs after an abort is not waited for.
#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait_for_a_handler_that_hangs() {
    let world = World::new(json!(["Never."]));
    world.extend("hang", |registrar| {
        registrar.on::<BeforeAgentStart>(|_, ctx| async move {
            ctx.host().abort();
            std::future::pending::<Option<BeforeAgentStartResult>>().await
        });
    });
    let running = world.start().await;
    let begun = tokio::time::Instant::now();
    running.say("Hi").await;
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(running.conversation(), messages([("user", "Hi"), ("assistant", "[Request was aborted]")]));
}

#[tokio::test]
async fn settling_says_whether_the_run_was_aborted() {
    let world = World::new(json!(["One.", "Two."]));
    let barrier = Barrier::default();
    let script = world.script.clone();
    let api = crate::common::stages::HaltingApi::new(script, 1, crate::common::stages::Halt::Text, &barrier);
    let world = world.with_api(api);
    let seen = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    let run = running.say_later("Again");
    barrier.reached(1).await;
    // Another session takes the place of this one.
    running.session.new_session(tau_hooks::NewSessionRequest::default()).await.expect("a session");
    run.await.expect("a task").expect("a run");
    let settled = |events: Vec<Value>| -> Vec<Value> {
        events.into_iter().filter(|event| event["type"] == "agent_settled").collect()
    };
    let expected = [false, true].map(|aborted| json!({"type": "agent_settled", "aborted": aborted}));
    assert_eq!(settled(running.events.all()), expected);
    assert_eq!(settled(seen.all()), expected);
}

/// What prompts find while their text is read: nothing is under way yet.
#[tokio::test]
async fn the_session_is_idle_while_text_is_read() {
    let world = World::new(json!(["One."]));
    let idle = Log::default();
    world.extend("look", |registrar| {
        let idle = idle.clone();
        registrar.on::<Input>(move |_, ctx| {
            idle.push(ctx.host().is_idle());
            std::future::ready(None)
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(idle.all(), [true]);
}

/// Nobody moves in the tree while a prompt is on its way to a run: it would land on another branch.
#[tokio::test]
async fn the_leaf_stays_while_text_is_read() {
    let world = World::new(json!(["One.", "Two."]));
    let barrier = Barrier::default();
    world.extend("slow", |registrar| {
        let barrier = barrier.clone();
        registrar.on::<Input>(move |event, _| {
            let barrier = (event.text == "Slow").then(|| barrier.clone());
            async move {
                if let Some(barrier) = barrier {
                    barrier.stay().await;
                }
                None
            }
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let first = running.session.fork_points()[0].0.clone();
    let run = running.say_later("Slow");
    barrier.reached(1).await;
    let session = Arc::clone(&running.session);
    let error = session.navigate_tree(&first, tau_hooks::TreeMove::default()).await.expect_err("a prompt");
    assert_eq!(error.to_string(), "Wait for the current response to finish before navigating the session tree.");
    barrier.open();
    run.await.expect("a task").expect("a run");
    let expected = messages([("user", "Hi"), ("assistant", "One."), ("user", "Slow"), ("assistant", "Two.")]);
    assert_eq!(running.conversation(), expected);
    // Built-in commands move.
    running.say(&format!("/tree {first}")).await;
    assert_eq!(running.conversation(), messages([]));
}
