//! Questions beside the conversation.

use serde_json::{Value, json};
use tau_agent::Prompted;
use tau_agent_testkit::stages::{Halt, HaltingApi};
use tau_agent_testkit::tools::{Barrier, waiting, with_work};
use tau_agent_testkit::{Running, World, text_of};
use tau_hooks::Mode;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::{BeforeAgentStart, BeforeProviderRequest, Context};
use tau_hooks::payload::{BeforeAgentStartResult, BeforeProviderRequestResult};

use crate::screen::{Screen, first, notices};
use crate::world::{call, with};

const COSTS: &str = "scripted/planner · ";

fn asking(mode: Mode, replies: Value) -> World {
    with(&["btw"], mode, replies)
}

fn bytes(running: &Running) -> Vec<u8> {
    std::fs::read(running.session.session().file().expect("a file")).expect("a file")
}

/// What a request says, without what differs in each.
fn messages(request: &Value) -> Vec<Value> {
    request["messages"].as_array().expect("messages").clone()
}

#[tokio::test]
async fn the_answer_is_shown_and_the_session_knows_nothing_of_it() {
    let world = asking(
        Mode::Rpc,
        json!(["Hello.", [{"text": "It is *red*."}, {"usage": {"input": 120, "output": 7}}], "Bye."]),
    );
    let told = notices(&world);
    let running = world.start().await;
    running.say("Hi").await;
    let (before, events) = (bytes(&running), running.outline());
    let done = running.say("/btw Which colour?").await;
    assert_eq!(done, Prompted::Command { failed: false });
    let (level, text) = first(&told).await;
    assert_eq!(level, NotifyLevel::Info);
    assert!(text.starts_with("It is *red*.\n\nscripted/planner · 120 tokens in, 7 out"), "{text}");
    assert_eq!((bytes(&running), running.outline()), (before, events));
    running.say("Go on").await;
    assert_eq!(running.conversation().len(), 4);
    assert!(!String::from_utf8(bytes(&running)).expect("text").contains("colour"));
}

#[tokio::test]
async fn the_request_begins_as_those_of_the_session() {
    let world = asking(Mode::Rpc, json!([call("work", json!({"text": "x"})), "Done.", "Side.", "Again."]));
    let told = notices(&world);
    with_work(&world);
    world.extend("others", |registrar| {
        registrar.on::<BeforeAgentStart>(|event, _| async move {
            let system_prompt = Some(format!("{} For {}.", event.system_prompt, event.prompt.len()));
            Some(BeforeAgentStartResult { system_prompt, ..BeforeAgentStartResult::default() })
        });
        registrar.on::<Context>(|mut event, _| async move {
            if let Some(tau_ai::Message::User(user)) = event.messages.edit(0) {
                user.content = "changed".to_owned().into();
            }
            Ok(Some(tau_hooks::payload::ContextResult { messages: Some(event.messages) }))
        });
        registrar.on::<BeforeProviderRequest>(|mut event, _| async move {
            event.payload["seen"] = json!(true);
            Ok(Some(BeforeProviderRequestResult(event.payload)))
        });
    });
    let running = world.start().await;
    running.say("1234").await;
    running.say("/btw Why?").await;
    first(&told).await;
    running.say("5678").await;
    let requests = running.script.requests();
    let [_, last, side, next] = &requests[..] else { panic!("{requests:#?}") };
    for same in ["model", "system", "tools", "seen"] {
        assert_eq!((&side[same], &next[same]), (&last[same], &last[same]), "{same}");
    }
    assert!(side["system"].as_str().is_some_and(|system| system.ends_with("For 4.")), "{side}");
    let (last, side, next) = (messages(last), messages(side), messages(next));
    assert_eq!(side[..last.len()], last);
    assert_eq!(side[..side.len() - 1], next[..side.len() - 1]);
    let question = text_of(&side[side.len() - 1]["content"]);
    assert!(question.ends_with("\n\nWhy?"), "{question}");
}

#[tokio::test]
async fn it_works_while_a_run_is_under_way() {
    let world = asking(Mode::Rpc, json!([call("work", json!({})), "It runs.", "Done."]));
    let (told, barrier) = (notices(&world), Barrier::default());
    world.extend("tools", |registrar| waiting(registrar, "work", &barrier));
    let running = world.start().await;
    let said = running.say_later("Go");
    barrier.reached(1).await;
    let asked = running.session.prompt(tau_agent::Prompt::new("/btw What is it doing?")).await;
    assert_eq!(asked.expect("a command"), Prompted::Command { failed: false });
    assert!(first(&told).await.1.starts_with("It runs."));
    let side = &running.script.requests()[1];
    let result = &messages(side)[2];
    assert_eq!(result["role"], "toolResult");
    assert!(text_of(&result["content"]).contains("still running"), "{result}");
    barrier.open();
    said.await.expect("a task").expect("a run");
    running.session.wait_until_idle().await;
    assert_eq!(running.asked()[2].last().map(|last| last.1.as_str()), Some("did nothing"));
    assert!(!running.file().iter().any(|line| line.to_string().contains("What is it doing")));
}

#[tokio::test]
async fn an_abort_of_the_run_leaves_the_question_alone() {
    let barrier = Barrier::default();
    let world = asking(Mode::Tui, json!([[{"delay_ms": 100_000_000}], "Still here."]));
    let halting = HaltingApi::new(world.script.clone(), 0, Halt::Text, &barrier);
    let world = world.with_api(halting);
    let back_end = world.hooks.dialogs.subscribe_mounting();
    let running = world.start().await;
    let said = running.say_later("Go");
    barrier.reached(1).await;
    let command = running.say_later("/btw And?");
    let screen = Screen::open(back_end).await;
    running.session.abort();
    said.await.expect("a task").expect("a run");
    assert!(!command.is_finished());
    screen.close("q").await;
    command.await.expect("a task").expect("a command");
}

#[tokio::test]
async fn a_terminal_shows_the_answer_over_the_screen() {
    let text: String = (1..=60).map(|number| format!("{number}. line of the **answer**\n")).collect();
    let world = asking(Mode::Tui, json!([[{"text": text}, {"tool_call": {"name": "work", "arguments": {}}}]]));
    let calls = with_work(&world);
    let back_end = world.hooks.dialogs.subscribe_mounting();
    let running = world.start().await;
    let command = running.say_later("/btw How *many*?");
    let mut screen = Screen::open(back_end).await;
    let lines = screen.until(COSTS).await;
    assert!(lines[0].starts_with("╭─ btw ─") && lines[1].contains("How *many*?"), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("1. line of the answer")), "{lines:#?}");
    assert!(lines.last().is_some_and(|line| line.contains("more below")), "{lines:#?}");
    screen.key("G").await;
    let lines = screen.lines((100, 40)).await;
    assert!(lines.iter().any(|line| line.contains("60. line")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("tried to call work")), "{lines:#?}");
    // What does not fit is cut, however small the screen is.
    for size in [(100, 40), (20, 8), (9, 3)] {
        screen.lines(size).await;
    }
    screen.close("\x1b").await;
    command.await.expect("a task").expect("a command");
    assert!(calls.all().is_empty() && running.conversation().is_empty());
}

#[tokio::test]
async fn closing_the_answer_cancels_the_request() {
    let barrier = Barrier::default();
    let world = asking(Mode::Tui, json!([]));
    let halting = HaltingApi::new(world.script.clone(), 0, Halt::Deaf, &barrier);
    let world = world.with_api(halting);
    let back_end = world.hooks.dialogs.subscribe_mounting();
    let running = world.start().await;
    let command = running.say_later("/btw Long?");
    let mut screen = Screen::open(back_end).await;
    screen.until("half an ans").await;
    screen.close("q").await;
    assert_eq!(command.await.expect("a task").expect("a command"), Prompted::Command { failed: false });
    assert!(world.reports.all().is_empty());
}

#[tokio::test]
async fn the_end_of_the_session_cancels_the_request() {
    let barrier = Barrier::default();
    let world = asking(Mode::Rpc, json!([]));
    let halting = HaltingApi::new(world.script.clone(), 0, Halt::Deaf, &barrier);
    let world = world.with_api(halting);
    let told = notices(&world);
    let running = world.start().await;
    let command = running.say_later("/btw Long?");
    barrier.reached(1).await;
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    command.await.expect("a task").expect("a command");
    assert!(told.all().is_empty());
}

#[tokio::test]
async fn real_errors_are_shown() {
    let failing = json!([[{"error": {"status": 400, "message": "the request is too strange"}}]]);
    let world = asking(Mode::Rpc, failing.clone());
    let told = notices(&world);
    let running = world.start().await;
    running.say("/btw What?").await;
    let (level, text) = first(&told).await;
    assert_eq!(level, NotifyLevel::Error);
    assert!(text.starts_with("scripted/planner did not answer: ") && text.contains("too strange"), "{text}");

    let world = asking(Mode::Tui, failing);
    let back_end = world.hooks.dialogs.subscribe_mounting();
    let running = world.start().await;
    let command = running.say_later("/btw What?");
    let mut screen = Screen::open(back_end).await;
    screen.until("too strange").await;
    screen.close("\x03").await;
    command.await.expect("a task").expect("a command");
}

#[tokio::test]
async fn without_a_question_there_is_a_hint() {
    let world = asking(Mode::Rpc, json!([]));
    let told = notices(&world);
    let running = world.start().await;
    running.say("/btw  ").await;
    assert_eq!(first(&told).await, (NotifyLevel::Warning, "usage: /btw QUESTION".to_owned()));
}

#[tokio::test]
async fn where_nobody_sees_notices_the_answer_is_a_report() {
    for mode in [Mode::Print, Mode::Json] {
        let world = asking(mode, json!(["Red."]));
        let running = world.start().await;
        assert_eq!(running.say("/btw Which?").await, Prompted::Command { failed: false });
        let reports = world.reports.all();
        assert!(reports.len() == 1 && reports[0].2.starts_with("Red.\n\nscripted/planner"), "{reports:?}");
        assert_eq!(running.say("/btw").await, Prompted::Command { failed: true });
        assert_eq!(running.say("/btw More?").await, Prompted::Command { failed: true });
    }
}

/// A dashboard asks for the commands and runs one.
#[tokio::test]
async fn a_dashboard_runs_the_command_over_the_bus() {
    use std::sync::Arc;
    use tau_agent_testkit::Log;
    use tau_hooks::bus::{BusPayload, EngineId};

    let world = with(&["btw"], Mode::Rpc, json!(["Because."]));
    let running = world.start().await;
    let (bus, owner): (_, Arc<str>) = (world.hooks.bus.clone(), "dashboard".into());
    let (commands, places): (Log<BusPayload>, Log<Value>) = (Log::default(), Log::default());
    let (heard, ran) = (commands.clone(), places.clone());
    let listening = [
        bus.on(
            "pidash:register-command",
            EngineId::NATIVE,
            Arc::clone(&owner),
            Arc::new(move |event| heard.push(event.payload)),
        ),
        bus.on(
            "pidash:command-ctx",
            EngineId::NATIVE,
            Arc::clone(&owner),
            Arc::new(move |event| ran.push(event.payload.to_json().expect("JSON"))),
        ),
    ];
    bus.emit("pidash:request-commands", BusPayload::Nothing, EngineId::NATIVE, &owner);
    let offered = commands.all();
    assert_eq!(offered.len(), 1);
    assert_eq!(offered[0].get("name").and_then(|name| name.as_str().map(str::to_owned)).as_deref(), Some("btw"));
    let handler = offered[0].get("handler").expect("a handler");
    let run = handler.as_callable().expect("a function");
    run.call(vec![BusPayload::Json(Arc::new(json!("Why?")))]).await.expect("an answer");
    assert_eq!(running.asked().len(), 1);
    assert_eq!(places.all()[0]["mode"], "rpc");
    drop(listening);
}
