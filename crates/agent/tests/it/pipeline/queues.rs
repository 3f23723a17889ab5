//! Steering and follow-up messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tau_agent::Prompted;
use tau_hooks::payload::CustomDraft;
use tau_hooks::payload::StreamingBehavior::{FollowUp, Steer};
use tau_hooks::{DeliverAs, SendOptions};

use crate::common::tools::{Barrier, recording, waiting};
use crate::common::{Log, World, calls, messages, outline, text_of};

/// Two calls; while the first is at work, `queue` is said.
async fn steered(settings: Value, replies: Value) -> (crate::common::Running, Log<Value>, World) {
    let world = World::new(replies).settings(settings);
    let (barrier, ran) = (Barrier::default(), Log::default());
    world.extend("work", |registrar| {
        waiting(registrar, "slow", &barrier);
        recording(registrar, "work", &ran);
    });
    let seen = world.watch();
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    running.events.take();
    seen.take();
    assert_eq!(running.queue("Stop", Steer).await.expect("a queue"), Prompted::Queued);
    barrier.open();
    assert_eq!(run.await.expect("the run").expect("a run"), Prompted::Ran);
    (running, seen, world)
}

#[tokio::test]
async fn a_steering_message_skips_the_remaining_calls() {
    let two = calls([("1", "slow", json!({})), ("2", "work", json!({})), ("3", "unknown", json!({}))]);
    let (running, seen, _world) = steered(json!({}), json!([two, "Stopped."])).await;
    let skipped = "Skipped due to queued user message.";
    let asked = &running.asked()[1];
    assert_eq!(
        asked[2..],
        messages([("toolResult", "did nothing"), ("toolResult", skipped), ("toolResult", skipped), ("user", "Stop")])
    );
    let seen: Vec<String> =
        outline(&seen.all()).into_iter().take_while(|line| line != "turn_end").filter(|line| line != "input").collect();
    assert_eq!(
        seen,
        [
            "tool_result 1",
            "tool_execution_end 1",
            "message_start toolResult did nothing",
            "message_end toolResult did nothing",
            "tool_execution_start 2",
            "tool_execution_end 2",
            "message_start toolResult Skipped due to queued user message.",
            "message_end toolResult Skipped due to queued user message.",
            "tool_execution_start 3",
            "tool_execution_end 3",
            "message_start toolResult Skipped due to queued user message.",
            "message_end toolResult Skipped due to queued user message.",
        ]
    );
    let told = running.events.all();
    let end = told.iter().filter(|event| event["type"] == "tool_execution_end").nth(1).expect("an end");
    assert_eq!(end["result"], json!({"content": [{"type": "text", "text": skipped}], "details": {}}));
    assert_eq!(end["isError"], json!(true));
    // Told when it was queued, and again when it was taken, between the turn's start and the message.
    let told: Vec<Value> = told
        .into_iter()
        .filter(|event| {
            matches!(event["type"].as_str(), Some("queue_update" | "turn_start"))
                || (event["type"] == "message_start" && event["message"]["role"] == "user")
        })
        .collect();
    assert_eq!(told[0], json!({"type": "queue_update", "steering": ["Stop"], "followUp": []}));
    assert_eq!(told[1], json!({"type": "turn_start"}));
    assert_eq!(told[2], json!({"type": "queue_update", "steering": [], "followUp": []}));
    assert_eq!(told[3]["message"]["content"], json!([{"type": "text", "text": "Stop"}]));
    assert_eq!(told.len(), 4);
}

#[tokio::test]
async fn side_by_side_nothing_is_skipped() {
    let two = calls([("1", "slow", json!({})), ("2", "work", json!({"text": "b"}))]);
    let (running, _, _world) = steered(json!({"tau": {"toolExecution": "parallel"}}), json!([two, "Stopped."])).await;
    let asked = &running.asked()[1];
    assert_eq!(asked[2..], messages([("toolResult", "did nothing"), ("toolResult", "did b"), ("user", "Stop")]));
}

/// Queues texts while a tool is at work, and returns what the model was asked afterwards.
async fn queued(settings: Value, texts: &[(&str, tau_hooks::payload::StreamingBehavior)]) -> Vec<Vec<String>> {
    let slow = calls([("1", "slow", json!({}))]);
    let replies = json!([slow, "One.", "Two.", "Three.", "Four."]);
    let world = World::new(replies).settings(settings);
    let barrier = Barrier::default();
    world.extend("work", |registrar| waiting(registrar, "slow", &barrier));
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    for (text, behavior) in texts {
        running.queue(text, *behavior).await.expect("a queue");
    }
    barrier.open();
    run.await.expect("the run").expect("a run");
    let starts = running.outline().iter().filter(|line| *line == "agent_start").count();
    assert_eq!(starts, 1, "one run takes all of them");
    // What each request brought along in addition to the one before.
    let asked = running.asked();
    asked
        .iter()
        .skip(1)
        .map(|messages| {
            let since = messages.iter().rposition(|(role, _)| role == "assistant").map_or(0, |at| at + 1);
            let new = messages[since..].iter().filter(|(role, _)| role == "user");
            new.map(|(_, text)| text.clone()).collect()
        })
        .collect()
}

#[tokio::test]
async fn one_message_is_taken_from_a_queue_at_a_time() {
    let texts = [("s1", Steer), ("f1", FollowUp), ("s2", Steer), ("f2", FollowUp)];
    let asked = queued(json!({}), &texts).await;
    assert_eq!(asked, [["s1"], ["s2"], ["f1"], ["f2"]]);
}

#[tokio::test]
async fn all_messages_are_taken_from_a_queue_when_settings_say_so() {
    let texts = [("s1", Steer), ("f1", FollowUp), ("s2", Steer), ("f2", FollowUp)];
    let asked = queued(json!({"steeringMode": "all", "followUpMode": "all"}), &texts).await;
    assert_eq!(asked, [["s1", "s2"], ["f1", "f2"]]);
}

#[tokio::test]
async fn a_follow_up_waits_until_the_model_has_nothing_left_to_do() {
    let slow = calls([("1", "slow", json!({}))]);
    let more = calls([("2", "work", json!({}))]);
    let world = World::new(json!([slow, more, "One.", "Two."]));
    let (barrier, ran) = (Barrier::default(), Log::default());
    world.extend("work", |registrar| {
        waiting(registrar, "slow", &barrier);
        recording(registrar, "work", &ran);
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    running.queue("And then?", FollowUp).await.expect("a queue");
    barrier.open();
    run.await.expect("the run").expect("a run");
    assert_eq!(ran.all(), [json!({})]);
    assert_eq!(
        running.asked()[3],
        messages([
            ("user", "Hi"),
            ("assistant", "slow({})"),
            ("toolResult", "did nothing"),
            ("assistant", "work({})"),
            ("toolResult", "did nothing"),
            ("assistant", "One."),
            ("user", "And then?"),
        ])
    );
}

/// What a handler of `agent_end` queues is taken before the session settles.
#[tokio::test]
async fn what_is_queued_at_the_end_of_a_run_is_not_left_behind() {
    let world = World::new(json!(["One.", "Two."]));
    let session = Log::default();
    let later = session.clone();
    world.extend("late", move |registrar| {
        let session = later.clone();
        registrar.on_json("agent_end", move |event, _| {
            let session: Vec<Arc<tau_agent::AgentSession>> = session.all();
            async move {
                if event["messages"].as_array().is_some_and(|messages| messages[0]["content"][0]["text"] == "Hi") {
                    let prompt =
                        tau_agent::Prompt { streaming_behavior: Some(FollowUp), ..tau_agent::Prompt::new("One more") };
                    assert_eq!(
                        session[0].prompt(prompt).await.map_err(tau_hooks::HandlerError::msg)?,
                        Prompted::Queued
                    );
                }
                Ok(None)
            }
        });
    });
    let running = world.start().await;
    session.push(Arc::clone(&running.session));
    running.say("Hi").await;
    assert_eq!(world.reports.all(), []);
    assert_eq!(
        running.conversation(),
        messages([("user", "Hi"), ("assistant", "One."), ("user", "One more"), ("assistant", "Two.")])
    );
    let settled = running.outline().iter().filter(|line| *line == "agent_settled").count();
    assert_eq!(settled, 1);
}

/// Every handler of `input` takes its time, and the tool does not.
#[tokio::test]
async fn what_a_handler_sends_is_queued_before_the_next_step() {
    for (event, behavior, skipped) in [
        ("tool_execution_start", Steer, true),
        ("tool_execution_end", Steer, true),
        ("turn_start", Steer, true),
        ("turn_end", FollowUp, false),
        ("agent_end", FollowUp, false),
    ] {
        let two = calls([("1", "work", json!({"text": "a"})), ("2", "work", json!({"text": "b"}))]);
        let world = World::new(json!([two, "Done.", "Heard."]));
        let ran = Log::default();
        world.extend("work", |registrar| {
            recording(registrar, "work", &ran);
            registrar.on_json("input", |_, _| async {
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                Ok(None)
            });
        });
        world.extend("send", |registrar| {
            let (api, sent) = (registrar.api(), Arc::new(AtomicBool::new(false)));
            registrar.on_json(event, move |_, _| {
                if !sent.swap(true, Ordering::Relaxed) {
                    api.send_user_message("Listen", Some(behavior)).expect("accepted");
                }
                std::future::ready(Ok(None))
            });
        });
        let running = world.start().await;
        running.say("Hi").await;
        let at = running.conversation().iter().position(|(_, text)| text == "Listen").expect("the message");
        let before_turn = event == "turn_start";
        let expected = match (skipped, before_turn) {
            // Taken with the prompt itself: it is there before the first request.
            (_, true) => 1,
            (true, _) => 4,
            // At the end of the first turn the model has results to answer to.
            (false, _) => 5,
        };
        assert_eq!(at, expected, "{event}: {:?}", running.conversation());
        let starts = running.outline().iter().filter(|line| *line == "agent_start").count();
        assert_eq!(starts, if event == "agent_end" { 2 } else { 1 }, "{event}");
        let ran = ran.take().len();
        assert_eq!(ran, if skipped && !before_turn { 1 } else { 2 }, "{event}");
    }
}

#[tokio::test]
async fn an_abort_does_not_wait_for_what_was_sent() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Never."]));
    let (barrier, ran) = (Barrier::default(), Log::default());
    world.extend("work", |registrar| {
        recording(registrar, "work", &ran);
        let (api, stays) = (registrar.api(), barrier.clone());
        registrar.on_json("tool_execution_start", move |_, _| {
            api.send_user_message("Listen", Some(Steer)).expect("accepted");
            std::future::ready(Ok(None))
        });
        registrar.on_json("input", move |event, _| {
            let stays = (event["source"] == "extension").then(|| stays.clone());
            async move {
                if let Some(barrier) = stays {
                    barrier.stay().await;
                }
                Ok(None)
            }
        });
    });
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    running.session.abort();
    run.await.expect("the run").expect("a run");
    barrier.open();
}

/// Front ends list what the user typed; handlers at the end of a turn see what comes next.
#[tokio::test]
async fn messages_of_extensions_wait_unseen() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "One.", "Two.", "Three."]));
    let (ran, next) = (Log::default(), Log::default());
    world.extend("work", |registrar| {
        recording(registrar, "work", &ran);
        let api = registrar.api();
        registrar.on_json("tool_execution_start", move |_, _| {
            let note = |text: &str| CustomDraft {
                custom_type: "note".to_owned(),
                content: text.into(),
                display: true,
                details: None,
            };
            for (text, queue) in [("f", DeliverAs::FollowUp), ("s1", DeliverAs::Steer), ("s2", DeliverAs::Steer)] {
                let options = SendOptions { deliver_as: Some(queue), ..SendOptions::default() };
                api.send_message(note(text), options).expect("a queue");
            }
            let recorded = SendOptions { trigger_turn: Some(false), ..SendOptions::default() };
            api.send_message(note("r"), recorded).expect("a place");
            std::future::ready(Ok(None))
        });
        let log = next.clone();
        registrar.on_json("turn_end", move |event, _| {
            let pending = event["context"]["pendingMessages"].as_array().cloned().unwrap_or_default();
            log.push(pending.iter().map(|message| text_of(&message["content"])).collect::<Vec<_>>());
            std::future::ready(Ok(None))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(next.all(), [vec!["s1", "r"], vec!["s2"], vec!["f"], vec![]]);
    assert!(!running.outline().contains(&"queue_update".to_owned()), "{:?}", running.outline());
}

/// An event says all that is queued, so one for each of thousands would cost the square of their number.
#[tokio::test]
async fn front_ends_hear_of_thousands_of_messages_at_once_in_few_events() {
    const MANY: usize = 2_000;
    let world = World::new(json!(["Done.", "Heard."])).settings(json!({"steeringMode": "all"}));
    world.extend("send", |registrar| {
        let (api, sent) = (registrar.api(), Arc::new(AtomicBool::new(false)));
        registrar.on_json("turn_end", move |_, _| {
            if !sent.swap(true, Ordering::Relaxed) {
                (0..MANY).for_each(|_| api.send_user_message("Listen", Some(Steer)).expect("accepted"));
            }
            std::future::ready(Ok(None))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let events = running.events.all();
    let updates = events.iter().filter(|event| event["type"] == "queue_update");
    let lengths: Vec<usize> = updates.map(|event| event["steering"].as_array().map_or(0, Vec::len)).collect();
    let peak = lengths.iter().position(|length| *length == MANY).expect("an event that says all");
    assert!(peak < 100, "{peak} events until then");
    assert!(lengths[peak..].is_sorted_by(|a, b| a > b), "one event for each message that the run takes");
    assert_eq!(lengths.last(), Some(&0));
}

/// Pictures of text that waited are made to fit when it is its turn, as those of a prompt.
#[tokio::test]
async fn pictures_of_queued_text_are_made_to_fit() {
    let world = World::new(json!([calls([("1", "slow", json!({}))]), "One.", "Two."]));
    let barrier = Barrier::default();
    world.extend("work", |registrar| waiting(registrar, "slow", &barrier));
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    let mut large = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_luma8(3000, 10).write_to(&mut large, image::ImageFormat::Png).expect("a picture");
    let large = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, large.into_inner());
    for behavior in [Steer, FollowUp] {
        let prompt = tau_agent::Prompt {
            images: vec![tau_ai::ContentBlock::image(large.as_str(), "image/png")],
            streaming_behavior: Some(behavior),
            ..tau_agent::Prompt::new("Look")
        };
        running.session.prompt(prompt).await.expect("a queue");
    }
    barrier.open();
    run.await.expect("the run").expect("a run");
    let requests = running.script.requests();
    for request in &requests[1..] {
        let messages = request["messages"].as_array().expect("messages");
        let content = &messages.last().expect("a message")["content"];
        let text = content[0]["text"].as_str().expect("a text");
        assert!(text.starts_with("Look\n\n[Image: original 3000x10, displayed at 2000x7."), "{text}");
        assert_ne!(content[1]["data"], json!(large));
    }
    assert_eq!(running.session.queued_texts(), tau_hooks::QueuedTexts::default());
}
