//! Messages and prompts of extensions: when they reach the model, who is told, and what is recorded.

use serde_json::{Value, json};
use tau_hooks::events::{AgentSettled, ToolExecutionStart};
use tau_hooks::payload::CustomDraft;
use tau_hooks::{Api, DeliverAs, Host, SendOptions};

use crate::common::tools::{Barrier, waiting};
use crate::common::{Log, Running, World, calls, messages, outline};

fn draft(text: &str) -> CustomDraft {
    CustomDraft {
        custom_type: "note".to_owned(),
        content: text.into(),
        display: true,
        details: Some(json!({"from": "test"})),
    }
}

/// Loads an extension that is only its handle on the session.
fn handle(world: &World) -> Api {
    world.extend("sender", |_| {});
    let owner = world.hooks.extensions().pop().expect("an extension");
    world.hooks.api(&owner)
}

/// A run with one slow call, during which `options` are used to send; the conversation afterwards.
async fn sent_while_busy(options: SendOptions) -> (Running, World) {
    let world = World::new(json!([calls([("1", "slow", json!({}))]), "One.", "Two.", "Three."]));
    let barrier = Barrier::default();
    world.extend("work", |registrar| waiting(registrar, "slow", &barrier));
    let api = handle(&world);
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    api.send_message(draft("psst"), options).expect("a message");
    barrier.open();
    run.await.expect("the run").expect("a run");
    running.say("Bye").await;
    assert_eq!(world.reports.all(), []);
    (running, world)
}

#[tokio::test]
async fn while_a_run_is_under_way() {
    let call = [("user", "Hi"), ("assistant", "slow({})"), ("toolResult", "did nothing")];
    let (steer, follow_up, next_turn) = (DeliverAs::Steer, DeliverAs::FollowUp, DeliverAs::NextTurn);
    let steered = [("custom", "psst"), ("assistant", "One."), ("user", "Bye"), ("assistant", "Two.")];
    let followed =
        [("assistant", "One."), ("custom", "psst"), ("assistant", "Two."), ("user", "Bye"), ("assistant", "Three.")];
    let parked = [("assistant", "One."), ("user", "Bye"), ("custom", "psst"), ("assistant", "Two.")];
    let matrix: [(Option<DeliverAs>, Option<bool>, &[(&str, &str)]); 12] = [
        (None, None, &steered),
        (None, Some(true), &steered),
        (Some(steer), None, &steered),
        (Some(steer), Some(true), &steered),
        // Recorded behind the results of this turn, which the next request of this run sees anyway.
        (None, Some(false), &steered),
        (Some(steer), Some(false), &steered),
        (Some(follow_up), None, &followed),
        (Some(follow_up), Some(true), &followed),
        (Some(follow_up), Some(false), &followed),
        (Some(next_turn), None, &parked),
        (Some(next_turn), Some(true), &parked),
        (Some(next_turn), Some(false), &parked),
    ];
    for (deliver_as, trigger_turn, rest) in matrix {
        let (running, _world) = sent_while_busy(SendOptions { trigger_turn, deliver_as }).await;
        let expected: Vec<(String, String)> =
            call.iter().chain(rest).map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect();
        assert_eq!(running.conversation(), expected, "{deliver_as:?} {trigger_turn:?}");
        assert_eq!(running.file_messages(), expected, "{deliver_as:?} {trigger_turn:?}");
    }
}

/// With `triggerTurn: false` the message neither skips calls nor asks for a request.
#[tokio::test]
async fn a_recorded_message_asks_for_nothing() {
    let two = calls([("1", "slow", json!({})), ("2", "slow", json!({"text": "b"}))]);
    let world = World::new(json!([two, "One."]));
    let barrier = Barrier::default();
    world.extend("work", |registrar| waiting(registrar, "slow", &barrier));
    let api = handle(&world);
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    let options = SendOptions { trigger_turn: Some(false), deliver_as: None };
    api.send_message(draft("psst"), options).expect("a message");
    barrier.open();
    barrier.reached(2).await;
    barrier.open();
    run.await.expect("the run").expect("a run");
    let lines = running.outline();
    let at = |wanted: &str| lines.iter().position(|line| line == wanted).expect(wanted);
    assert!(at("message_end toolResult did b") < at("message_start custom psst"));
    assert!(at("message_end custom psst") < at("turn_end"));
    assert_eq!(running.script.unplayed(), 0);
}

#[tokio::test]
async fn while_the_session_is_idle() {
    for deliver_as in [None, Some(DeliverAs::Steer), Some(DeliverAs::FollowUp)] {
        // Recorded at once; nobody is asked.
        let world = World::new(json!(["One."]));
        let api = handle(&world);
        let seen = world.watch();
        let running = world.start().await;
        seen.take();
        for trigger_turn in [None, Some(false)] {
            api.send_message(draft("psst"), SendOptions { trigger_turn, deliver_as }).expect("a message");
        }
        assert_eq!(running.conversation(), messages([("custom", "psst"), ("custom", "psst")]));
        running.session.wait_until_idle().await;
        let told = ["message_start custom psst", "message_end custom psst"].repeat(2);
        assert_eq!(outline(&seen.all()), told);
        assert_eq!(running.outline(), told);
        assert_eq!(running.script.requests(), Vec::<Value>::new());

        // A run with this message alone: no `input`, no `before_agent_start`.
        let world = World::new(json!(["One."]));
        let api = handle(&world);
        let seen = world.watch();
        let running = world.start().await;
        seen.take();
        api.send_message(draft("psst"), SendOptions { trigger_turn: Some(true), deliver_as }).expect("a message");
        running.session.wait_until_idle().await;
        assert_eq!(running.asked(), [messages([("user", "psst")])]);
        let begin = ["agent_start", "turn_start", "message_start custom psst", "message_end custom psst", "context"];
        assert_eq!(outline(&seen.all())[..5], begin);
        let custom = json!({"role": "custom", "customType": "note", "content": "psst", "display": true,
            "details": {"from": "test"}, "timestamp": 0});
        assert_eq!(world.golden().normalise(seen.all()[2]["message"].clone()), custom);
    }
}

#[tokio::test]
async fn text_of_an_extension_starts_a_run_or_waits() {
    let world = World::new(json!([calls([("1", "slow", json!({}))]), "One.", "Two."]));
    let barrier = Barrier::default();
    world.extend("work", |registrar| waiting(registrar, "slow", &barrier));
    let api = handle(&world);
    let running = world.start().await;
    api.send_user_message("Go", None).expect("a message");
    barrier.reached(1).await;
    // Nobody said how to queue it.
    api.send_user_message("lost", None).expect("a message");
    api.send_user_message("Then this", Some(tau_hooks::payload::StreamingBehavior::FollowUp)).expect("a message");
    while !running.session.has_pending_messages() {
        tokio::task::yield_now().await;
    }
    barrier.open();
    running.session.wait_until_idle().await;
    assert_eq!(
        running.conversation(),
        messages([
            ("user", "Go"),
            ("assistant", "slow({})"),
            ("toolResult", "did nothing"),
            ("assistant", "One."),
            ("user", "Then this"),
            ("assistant", "Two.")
        ])
    );
    let text = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
    assert_eq!(world.reports.all(), [("session".to_owned(), "send_user_message".to_owned(), text.to_owned())]);
}

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
    let mut rest: Vec<String> = conversation[2..].iter().map(|(_, text)| text.clone()).collect();
    rest.sort();
    assert_eq!(rest, ["Again", "Three.", "Two.", "psst"]);
    assert_eq!(world.reports.all(), []);
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
    assert_eq!((&line["type"], &line["customType"], &line["data"]), (&json!("custom"), &json!("state"), &json!({"n": 1})));
    let told: Vec<Value> = running.events.all().into_iter().filter(|event| event["type"] == "entry_appended").collect();
    assert_eq!(told, [json!({"type": "entry_appended", "entry": line})]);
    assert_eq!(running.session.session().label(&id).as_deref(), Some("here"));
    barrier.open();
    run.await.expect("the run").expect("a run");
    assert_eq!(running.asked()[1].len(), 3, "the model does not see it");
}
