//! What passes between a child and the one who opened it.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind};
use tau_hooks::events::ToolCall;
use tau_hooks::payload::{Outcome, StreamingBehavior, ToolCallResult};
use tau_hooks::{ChildError, ChildEvent, ChildFile, ChildPrompt, ChildRequest, ChildResources};
use tau_session::{NewSession, Session};

use super::{Family, results, said, worker, working};
use crate::common::tools::Barrier;
use crate::common::{Log, World, calls, messages};

/// Everything that a child can be given, and what the model is asked then.
#[tokio::test]
async fn a_child_is_what_was_asked_for() {
    let ran: Log<Value> = Log::default();
    let world = World::new(json!(["Hello."]));
    world.home.write("AGENTS.md", "Be kind.");
    let family = Family::start(world).await;
    let other = family.parent.session.models().find("scripted", "other").expect("the other model");
    let session = Session::in_memory(&family.world.home.cwd(), NewSession::default()).expect("a session");
    let session = Arc::new(session);
    let request = ChildRequest {
        model: Some(Arc::clone(&other)),
        tools: Some(vec!["work".to_owned()]),
        file: ChildFile::Open(Arc::clone(&session)),
        resources: ChildResources {
            system_prompt: Some("You review.".to_owned()),
            append_system_prompt: vec!["Be brief.".to_owned()],
            no_context_files: true,
            ..ChildResources::default()
        },
        ..worker("reviewer", &ran)
    };
    let child = family.open(request).await;
    child.prompt("Hi".into()).await.expect("a run");
    let request = &family.parent.script.requests()[0];
    assert_eq!(request["tools"].as_array().map(Vec::len), Some(1));
    let system = child.host().system_prompt();
    assert!(system.contains("You review.") && system.contains("Be brief."), "{system}");
    assert!(!system.contains("Be kind."), "{system}");
    assert_eq!(said(&*child), messages([("user", "Hi"), ("assistant", "Hello.")]));
    assert!(Arc::ptr_eq(&child.host().session(), &session));
    assert_eq!(child.host().model().map(|model| model.id.clone()).as_deref(), Some("other"));
    assert_eq!((child.outcome(), child.last_text().as_deref()), (Outcome::Completed, Some("Hello.")));
    // The parent's conversation is its own.
    assert_eq!(family.parent.conversation(), []);
}

#[tokio::test]
async fn what_happens_in_a_child_is_heard_until_nobody_listens() {
    let family = Family::start(World::new(json!(["One.", "Two."]))).await;
    let child = family.open(ChildRequest::new("child")).await;
    let (names, text): (Log<String>, Log<String>) = Default::default();
    let (heard, grown) = (names.clone(), text.clone());
    let listener = child.listen(Arc::new(move |event: &dyn ChildEvent| {
        heard.push(event.to_json()["type"].as_str().expect("a type").to_owned());
        event.text_delta().into_iter().for_each(|delta| grown.push(delta.to_owned()));
    }));
    child.prompt("Hi".into()).await.expect("a run");
    drop(listener);
    let all = names.take();
    assert_eq!(all.first().map(String::as_str), Some("agent_start"));
    assert_eq!(all.last().map(String::as_str), Some("agent_settled"));
    assert_eq!(text.all().concat(), "One.");
    child.prompt("Again".into()).await.expect("a run");
    assert_eq!(names.all(), Vec::<String>::new());
    assert!(family.parent.events.all().iter().all(|event| event["type"] != "agent_start"), "the parent did nothing");
}

#[tokio::test]
async fn text_for_a_child_at_work_steers_it_or_waits() {
    let at_gate = Barrier::default();
    let world = World::new(json!([calls([("1", "work", json!({"text": "x"}))]), "Steered.", "Followed."]));
    let family = Family::start(world).await;
    let (ran, reached) = (Log::default(), at_gate.clone());
    let request = worker("child", &ran).with("slow", move |registrar| {
        let at_gate = reached.clone();
        registrar.on::<ToolCall>(move |_, _| {
            let at_gate = at_gate.clone();
            async move { at_gate.stay().await }
        });
        Ok(())
    });
    let child = family.open(request).await;
    let running = Arc::clone(&child);
    let run = tokio::spawn(async move { running.prompt("Go".into()).await });
    at_gate.reached(1).await;
    assert!(matches!(child.prompt("Now".into()).await, Err(ChildError::Busy)));
    for (text, how) in [("Left", StreamingBehavior::Steer), ("Then", StreamingBehavior::FollowUp)] {
        child.prompt(ChildPrompt { while_busy: Some(how), ..text.into() }).await.expect("a place in a queue");
    }
    at_gate.open();
    run.await.expect("no panic").expect("a run");
    child.wait_for_idle().await;
    let users: Vec<String> =
        said(&*child).into_iter().filter(|(role, _)| role == "user").map(|(_, text)| text).collect();
    assert_eq!(users, ["Go", "Left", "Then"]);
    assert_eq!(child.last_text().as_deref(), Some("Followed."));
}

/// What a child cost is one sum, which a tool returns as its own.
#[tokio::test]
async fn what_a_child_cost_is_added_up() {
    let says = |text: &str, input: u64| json!([{"text": text}, {"usage": {"input": input, "output": 2}}]);
    let model = json!({"id": "planner", "cost": {"input": 50_000, "output": 125_000, "cacheRead": 0, "cacheWrite": 0}});
    let replies = json!([calls([("1", "delegate", json!({}))]), says("One.", 10), says("Two.", 5), "Done."]);
    let world = World::scripted(model, replies);
    world.extend("delegate", |registrar| {
        registrar.tool(crate::common::tools::spec("delegate"), |_, ctx| async move {
            let child = ctx.open_child(ChildRequest::new("child")).await.map_err(tau_tools::ToolFailure::new)?;
            for text in ["First", "Second"] {
                child.prompt(text.into()).await.map_err(tau_tools::ToolFailure::new)?;
            }
            let usage = Some(child.usage());
            Ok(tau_tools::ToolOutput { usage, ..tau_tools::ToolOutput::text("did it") })
        });
    });
    let family = Family::start(world).await;
    family.parent.say("Go").await;
    let stats = family.parent.session.stats();
    let of_child = family.parent.session.history().iter().find_map(|message| match message {
        tau_ai::Message::ToolResult(result) => result.usage.clone(),
        _ => None,
    });
    let of_child = of_child.expect("the usage of the child");
    assert_eq!((of_child.input, of_child.output, of_child.cost.total), (15, 4, 1.25));
    assert!(stats.tokens.input >= 15 && stats.cost >= 1.25, "{stats:?}");
}

/// Questions of a child, and of a gate that is asked about it, reach the front end of the parent under the child's name.
#[tokio::test]
async fn dialogs_of_a_child_go_to_the_front_end_of_its_parent() {
    for with_user in [true, false] {
        let ran = Log::default();
        let world = World::new(working(1));
        world.extend("guard", |registrar| {
            registrar.on::<ToolCall>(|call, ctx| async move {
                let yes = ctx.ui().confirm("Allow it?", &call.tool_name).await;
                (!yes).then(|| ToolCallResult::block("the user says no"))
            });
        });
        let family = Family::start(world).await;
        let dialogs = family.world.hooks.dialogs.clone();
        let user = with_user.then(|| {
            let mut front_end = dialogs.subscribe();
            tokio::spawn(async move {
                let mut titles = Vec::new();
                while titles.len() < 2 {
                    if let Some(DialogEvent::Opened(request)) = front_end.recv().await {
                        titles.push(request.kind.title().unwrap_or_default().to_owned());
                        let answer = match request.kind {
                            DialogKind::Confirm { .. } => DialogAnswer::Confirmed(true),
                            _ => DialogAnswer::Cancelled,
                        };
                        front_end.answer(request.id(), answer).expect("an open question");
                    }
                }
                titles
            })
        });
        // The front end is there before the child is.
        tokio::task::yield_now().await;
        let request = worker("reviewer", &ran).with("own", |registrar| {
            registrar.on::<ToolCall>(|_, ctx| async move {
                let yes = ctx.ui().confirm("Really?", "It is mine").await;
                (!yes).then(|| ToolCallResult::block(format!("the child says no, hasUI {}", ctx.has_ui())))
            });
            Ok(())
        });
        let child = family.open(request).await;
        child.prompt("Go".into()).await.expect("a run");
        match user {
            Some(user) => {
                assert_eq!(user.await.expect("the user"), ["[reviewer] Really?", "[reviewer] Allow it?"]);
                assert_eq!(results(&*child), ["did x"]);
            }
            None => assert_eq!(results(&*child), ["the child says no, hasUI false"]),
        }
    }
}

/// The user hears of what goes wrong in a child as of what goes wrong in its parent.
#[tokio::test]
async fn failures_of_a_child_are_reported() {
    let family = Family::start(World::new(json!(["Hello."]))).await;
    let request = ChildRequest::new("child").with("broken", |registrar| {
        registrar.on_json("agent_start", |_, _| async { Err(tau_hooks::HandlerError::msg("oh")) });
        Ok(())
    });
    let child = family.open(request).await;
    child.prompt("Hi".into()).await.expect("a run");
    let expected = ("<native:broken>".to_owned(), "agent_start".to_owned(), "oh".to_owned());
    assert_eq!(family.world.reports.all(), [expected]);
}

/// A run that ends in an error is reported, and the child continues.
#[tokio::test]
async fn a_failed_run_is_an_outcome() {
    let world = World::new(json!([[{"error": "overloaded, says the script"}], "Better."]));
    let world = world.settings(json!({"retry": {"enabled": false}}));
    let family = Family::start(world).await;
    let child = family.open(ChildRequest::new("child")).await;
    child.prompt("Hi".into()).await.expect("a run");
    assert_eq!(child.outcome(), Outcome::Error);
    child.prompt("Again".into()).await.expect("a run");
    assert_eq!((child.outcome(), child.last_text().as_deref()), (Outcome::Completed, Some("Better.")));
}
