//! Questions of the model: on front ends, on the bus, and where nobody is there.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent_testkit::{Log, Running, World};
use tau_hooks::Mode;
use tau_hooks::bus::{BusPayload, EngineId};
use tau_hooks::dialogs::{ClosedBy, DialogAnswer, DialogEvent, DialogKind};

use crate::world::{call, with};

fn asking(mode: Mode, args: Value) -> World {
    with(&["ask-user"], mode, json!([call("ask_user", args), "Done."]))
}

fn result(running: &Running) -> (String, bool) {
    let mut lines = running.file().into_iter().map(|line| line["message"].clone());
    let result = lines.rfind(|message| message["role"] == "toolResult").expect("a result");
    (result["content"][0]["text"].as_str().expect("a text").to_owned(), result["isError"] == true)
}

/// A user who gives these answers, or leaves the question. Gives what was shown.
fn user(world: &World, answers: &[Option<&str>]) -> Log<String> {
    let (log, mut back_end) = (Log::default(), world.hooks.dialogs.subscribe());
    let shown = log.clone();
    let mut answers: Vec<Option<String>> = answers.iter().rev().map(|answer| answer.map(str::to_owned)).collect();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            match event {
                DialogEvent::Opened(request) => {
                    shown.push(match &request.kind {
                        DialogKind::Select { title, options } => format!("{title}: {}", options.join(" | ")),
                        DialogKind::Input { title, .. } => title.clone(),
                        other => panic!("{other:?}"),
                    });
                    // A user without an answer looks at it.
                    let Some(answer) = answers.pop() else { continue };
                    let answer = answer.map_or(DialogAnswer::Cancelled, DialogAnswer::Value);
                    back_end.answer(request.id(), answer).expect("it counts");
                }
                DialogEvent::Closed { by: ClosedBy::BackEnd(_), .. } => {}
                DialogEvent::Closed { by, .. } => shown.push(format!("closed: {by:?}")),
                _ => {}
            }
        }
    });
    log
}

#[tokio::test]
async fn an_option_or_a_text_of_ones_own_is_the_answer() {
    let options = json!({"question": "Which one?", "options": ["red", "blue"]});
    let shown = "Which one?: red | blue | Other (type your own answer)";
    for (args, answers, asked, expected) in [
        (options.clone(), vec![Some("blue")], vec![shown], ("User answered: blue", false)),
        (
            options.clone(),
            vec![Some("Other (type your own answer)"), Some("green")],
            vec![shown, "Which one?"],
            ("User answered: green", false),
        ),
        (json!({"question": "Why?"}), vec![Some("So.")], vec!["Why?"], ("User answered: So.", false)),
        (json!({"question": "Why?"}), vec![None], vec!["Why?"], ("User cancelled", true)),
        (json!({"question": "Why?"}), vec![Some("  ")], vec!["Why?"], ("User cancelled", true)),
    ] {
        let world = asking(Mode::Rpc, args);
        let seen = user(&world, &answers);
        let running = world.start().await;
        running.say("Go").await;
        let (text, is_error) = result(&running);
        assert_eq!((text.as_str(), is_error), expected);
        assert_eq!(seen.all(), asked);
        // A question that the user leaves ends the run.
        assert_eq!(running.asked().len(), if is_error { 1 } else { 2 });
    }
}

#[tokio::test]
async fn the_first_answer_counts_and_the_other_question_goes_away() {
    for (response, expected) in [
        (json!({"value": "red"}), ("User answered: red", false)),
        (json!({"cancelled": true}), ("User cancelled", true)),
        (json!({"value": ""}), ("User cancelled", true)),
    ] {
        let world = asking(Mode::Rpc, json!({"question": "Which one?", "options": ["red"]}));
        let seen = user(&world, &[]);
        let (bus, requests, dismissed) = (world.hooks.bus.clone(), Log::default(), Log::default());
        let (heard, gone, answering) = (requests.clone(), dismissed.clone(), bus.clone());
        let owner: Arc<str> = "dashboard".into();
        let by = Arc::clone(&owner);
        let asked = bus.on(
            "pidash:ui-request",
            EngineId::NATIVE,
            Arc::clone(&owner),
            Arc::new(move |event| {
                let request = event.payload.to_json().expect("JSON");
                let mut answer = response.clone();
                // What is meant for another question changes nothing.
                let other = BusPayload::Json(Arc::new(json!({"id": "ask-other", "value": "no"})));
                answering.emit("pidash:ui-response", other, EngineId::NATIVE, &by);
                answer["id"] = request["id"].clone();
                heard.push(request);
                answering.emit("pidash:ui-response", BusPayload::Json(Arc::new(answer)), EngineId::NATIVE, &by);
            }),
        );
        let left = bus.on(
            "pidash:ui-dismiss",
            EngineId::NATIVE,
            owner,
            Arc::new(move |event| {
                gone.push(event.payload.to_json().expect("JSON"));
            }),
        );
        let running = world.start().await;
        running.say("Go").await;
        let (text, is_error) = result(&running);
        assert_eq!((text.as_str(), is_error), expected);
        let request = requests.all().pop().expect("a request");
        assert_eq!(
            (&request["type"], &request["method"], &request["title"], &request["options"]),
            (&json!("extension_ui_request"), &json!("select"), &json!("Which one?"), &json!(["red"]))
        );
        assert_eq!(dismissed.all(), [json!({"id": request["id"]})]);
        // The front end had the question, or it was answered before; either way it shows none any more.
        assert!(world.hooks.dialogs.open_dialogs().is_empty(), "{:?}", seen.all());
        drop((asked, left));
    }
}

#[tokio::test]
async fn an_answer_on_a_front_end_takes_the_question_from_the_bus() {
    let world = asking(Mode::Rpc, json!({"question": "Why?"}));
    user(&world, &[Some("So.")]);
    let dismissed = Log::default();
    let gone = dismissed.clone();
    let listening = world.hooks.bus.on(
        "pidash:ui-dismiss",
        EngineId::NATIVE,
        "dashboard".into(),
        Arc::new(move |event| {
            gone.push(event.payload.to_json().expect("JSON"));
        }),
    );
    let running = world.start().await;
    running.say("Go").await;
    assert_eq!(result(&running).0, "User answered: So.");
    assert_eq!(dismissed.all().len(), 1);
    drop(listening);
}

#[tokio::test]
async fn where_nobody_is_there_the_model_reads_so() {
    for mode in [Mode::Json, Mode::Print] {
        let world = asking(mode, json!({"question": "Why?"}));
        let running = world.start().await;
        running.say("Go").await;
        assert_eq!(result(&running), ("No UI available for user interaction".to_owned(), true));
    }
}

#[tokio::test]
async fn questions_that_are_none_are_refused() {
    let many: Vec<String> = (0..51).map(|number| number.to_string()).collect();
    for args in [json!({"question": " "}), json!({"question": "x", "options": many}), json!({"options": []})] {
        let world = asking(Mode::Rpc, args);
        user(&world, &[Some("never")]);
        let running = world.start().await;
        running.say("Go").await;
        let (text, is_error) = result(&running);
        assert!(is_error && !text.contains("never"), "{text}");
    }
}

#[tokio::test]
async fn an_abort_takes_the_question_away() {
    let world = asking(Mode::Rpc, json!({"question": "Why?"}));
    let seen = user(&world, &[]);
    let running = world.start().await;
    let said = running.say_later("Go");
    while seen.all().is_empty() {
        tokio::task::yield_now().await;
    }
    running.session.abort();
    said.await.expect("a task").expect("a prompt");
    assert!(world.hooks.dialogs.open_dialogs().is_empty());
}
