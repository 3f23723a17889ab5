//! Messages and prompts of extensions: when they reach the model, who is told, and what is recorded.

use serde_json::{Value, json};
use tau_hooks::payload::CustomDraft;
use tau_hooks::{Api, DeliverAs, HostView, SendOptions};

use crate::common::tools::{Barrier, waiting};
use crate::common::{Running, World, calls, messages, outline};

pub fn draft(text: &str) -> CustomDraft {
    CustomDraft {
        custom_type: "note".to_owned(),
        content: text.into(),
        display: true,
        details: Some(json!({"from": "test"})),
    }
}

/// Loads an extension that is only its handle on the session.
pub fn handle(world: &World) -> Api {
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
    type Rest<'a> = &'a [(&'a str, &'a str)];
    let matrix: [(Option<DeliverAs>, Option<bool>, Rest<'_>); 12] = [
        (None, None, &steered),
        (None, Some(true), &steered),
        (Some(steer), None, &steered),
        (Some(steer), Some(true), &steered),
        // Recorded at the end of this turn, which the next request of this run sees anyway.
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
    assert!(at("message_end toolResult did b") < at("turn_end"));
    assert_eq!(lines[at("turn_end")..][1..4], ["message_start custom psst", "message_end custom psst", "turn_start"]);
    assert_eq!(running.script.unplayed(), 0);
}

/// Nothing that was to be recorded waits for the next run.
#[tokio::test]
async fn a_message_recorded_at_the_end_of_a_run_belongs_to_it() {
    let world = World::new(json!(["One."]));
    world.extend("late", |registrar| {
        for event in ["agent_end", "agent_before_settle"] {
            let api = registrar.api();
            registrar.on_json(event, move |_, _| {
                let options = SendOptions { trigger_turn: Some(false), deliver_as: None };
                std::future::ready(api.send_message(draft(event), options).map(|()| None).map_err(Into::into))
            });
        }
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(
        running.file_messages(),
        messages([("user", "Hi"), ("assistant", "One."), ("custom", "agent_end"), ("custom", "agent_before_settle")])
    );
    assert_eq!(running.outline().last().map(String::as_str), Some("agent_settled"));
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

        // A run with this message alone: no `input`.
        let world = World::new(json!(["One."]));
        let api = handle(&world);
        let seen = world.watch();
        let running = world.start().await;
        seen.take();
        api.send_message(draft("psst"), SendOptions { trigger_turn: Some(true), deliver_as }).expect("a message");
        running.session.wait_until_idle().await;
        assert_eq!(running.asked(), [messages([("user", "psst")])]);
        let begin = [
            "before_agent_start",
            "agent_start",
            "turn_start",
            "message_start custom psst",
            "message_end custom psst",
            "context",
        ];
        assert_eq!(outline(&seen.all())[..6], begin);
        let custom = json!({"role": "custom", "customType": "note", "content": "psst", "display": true,
            "details": {"from": "test"}, "timestamp": 0});
        assert_eq!(world.golden().normalise(seen.all()[3]["message"].clone()), custom);
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
    assert_eq!(world.reports.all(), [("<runtime>".to_owned(), "send_user_message".to_owned(), text.to_owned())]);
}
