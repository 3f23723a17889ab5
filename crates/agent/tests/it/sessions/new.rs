//! A new session in the place of one that is open.

use std::sync::Arc;

use serde_json::json;
use tau_agent::{Prompted, ReplaceError};
use tau_ai::{Message, UserMessage};
use tau_hooks::payload::{SessionShutdownReason, StreamingBehavior};
use tau_hooks::{HandlerError, NewSessionRequest};
use tau_session::{EntryBody, NewSession, Session};

use crate::common::stages::{Halt, HaltingApi};
use crate::common::tools::Barrier;
use crate::common::{World, messages, names};

#[tokio::test]
async fn the_old_session_stays_in_its_file_and_the_new_one_is_empty() {
    let world = World::new(json!(["1.", "2."]));
    let seen = world.watch();
    let running = world.start().await;
    running.say("One").await;
    let old = running.session.session();
    seen.take();
    running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    assert_eq!(
        names(&seen.all()),
        ["session_before_switch", "session_shutdown", "session_start", "session_switch", "resources_discover"]
    );
    let new = running.session.session();
    let (old_file, new_file) = (old.file().expect("a file"), new.file().expect("a file"));
    let (old_name, new_name) = (old_file.display().to_string(), new_file.display().to_string());
    assert_eq!(
        seen.take(),
        [
            json!({"type": "session_before_switch", "reason": "new"}),
            json!({"type": "session_shutdown", "reason": "new", "targetSessionFile": new_name}),
            json!({"type": "session_start", "reason": "new", "previousSessionFile": old_name}),
            json!({"type": "session_switch", "reason": "new", "previousSessionFile": old_name}),
            json!({"type": "resources_discover", "cwd": world.home.cwd(), "reason": "startup"}),
        ]
    );
    assert_eq!((new_file.parent(), new_file.exists()), (old_file.parent(), false));
    assert_eq!(running.conversation(), []);
    running.say("Two").await;
    assert_eq!(running.asked()[1], messages([("user", "Two")]));
    assert_eq!(running.file_messages(), messages([("user", "Two"), ("assistant", "2.")]));
    assert_eq!(world.home.session_files().len(), 2);
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn the_model_and_the_thinking_level_stay() {
    let world = World::new(json!(["1."]));
    let running = world.start().await;
    for line in ["/model scripted/other", "/thinking high", "/new", "Hi"] {
        running.say(line).await;
    }
    let model = running.session.model().expect("a model");
    assert_eq!((&*model.id, running.session.thinking_level().as_str()), ("other", "high"));
    let kinds: Vec<_> = running.file().iter().map(|line| line["type"].clone()).collect();
    // The first message says that there are no tools.
    assert_eq!(kinds, ["session", "model_change", "thinking_level_change", "message", "message", "message"]);
}

#[tokio::test]
async fn a_run_that_is_under_way_is_stopped_and_kept() {
    let (world, barrier) = (World::new(json!(["2."])), Barrier::default());
    let script = world.script.clone();
    let world = world.with_api(HaltingApi::new(script, 0, Halt::Text, &barrier));
    let running = world.start().await;
    let run = running.say_later("One");
    barrier.reached(1).await;
    let old = running.session.session();
    running.queue("later", StreamingBehavior::FollowUp).await.expect("queued");
    running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    assert_eq!(run.await.expect("a task").expect("a run"), Prompted::Ran);
    let kept: Vec<String> = old.context().messages.iter().map(|item| item.message.role().to_owned()).collect();
    assert_eq!(kept, ["user", "assistant"]);
    assert_eq!(running.conversation(), []);
    // What was queued belonged to the session that is gone.
    let queue = running.events.all().into_iter().rfind(|event| event["type"] == "queue_update").expect("an event");
    assert_eq!(queue, json!({"type": "queue_update", "steering": [], "followUp": []}));
}

#[tokio::test]
async fn a_setup_fills_it_before_anybody_is_told() {
    let world = World::new(json!(["2."]));
    let seen = world.watch();
    let running = world.start().await;
    seen.take();
    let heard = seen.clone();
    let setup = Box::new(move |session: Arc<Session>| -> tau_hooks::BoxFuture<Result<(), HandlerError>> {
        Box::pin(async move {
            assert_eq!(names(&heard.all()), ["session_before_switch", "session_shutdown"]);
            session
                .append(EntryBody::message(Message::User(UserMessage::new("From before"))))
                .map_err(HandlerError::msg)?;
            Ok(())
        })
    });
    let request = NewSessionRequest { parent_session: Some("/old.jsonl".to_owned()), setup: Some(setup) };
    running.session.new_session(request).await.expect("a new session");
    assert_eq!(running.conversation(), messages([("user", "From before")]));
    assert_eq!(running.file()[0]["parentSession"], "/old.jsonl");
    running.say("And now").await;
    assert_eq!(running.asked()[0], messages([("user", "From before"), ("user", "And now")]));

    let failing: tau_hooks::SessionSetup = Box::new(|_| Box::pin(async { Err(HandlerError::msg("no idea")) }));
    let request = NewSessionRequest { setup: Some(failing), ..NewSessionRequest::default() };
    let error = running.session.new_session(request).await.expect_err("the setup fails");
    assert!(matches!(&error, ReplaceError::Setup(_)), "{error}");
    assert_eq!(running.conversation(), [], "the session is there all the same");
}

#[tokio::test]
async fn what_extensions_ask_for_while_a_session_ends_is_dropped() {
    let world = World::new(json!(["1.", "2."]));
    world.extend("late", |registrar| {
        let api = registrar.api();
        registrar.on_json("session_shutdown", move |event, _| {
            if event["reason"] == "new" {
                api.send_user_message("too late", None).expect("accepted");
            }
            std::future::ready(Ok(None))
        });
    });
    let running = world.start().await;
    running.say("One").await;
    running.say("/new").await;
    assert_eq!(running.conversation(), []);
    let dropped = "dropped: the session it was meant for was replaced".to_owned();
    assert_eq!(world.reports.all(), [("session".to_owned(), "send_user_message".to_owned(), dropped)]);
}

#[tokio::test]
async fn every_start_is_followed_by_one_shutdown() {
    let world = World::new(json!([]));
    let seen = world.watch();
    let running = world.start().await;
    let (new, end) = (running.session.clone(), running.session.clone());
    let new = tokio::spawn(async move { new.new_session(NewSessionRequest::default()).await.is_ok() });
    let end = tokio::spawn(async move { end.shut_down(SessionShutdownReason::Quit).await });
    new.await.expect("a task");
    end.await.expect("a task");
    let reasons = |name: &str| seen.all().iter().filter(|event| event["type"] == name).count();
    assert_eq!(reasons("session_start"), reasons("session_shutdown"));
    let error = running.session.new_session(NewSessionRequest::default()).await.expect_err("it has ended");
    assert!(matches!(error, ReplaceError::ShuttingDown), "{error}");
}

#[tokio::test]
async fn a_session_in_memory_is_followed_by_one_in_memory() {
    let world = World::new(json!(["1.", "2."]));
    let session = Session::in_memory(world.home.cwd().as_ref(), NewSession::default()).expect("a session");
    let world = world.resume(session);
    let running = world.start().await;
    for line in ["One", "/new", "Two"] {
        running.say(line).await;
    }
    assert_eq!(running.session.session().file(), None);
    assert_eq!(running.conversation(), messages([("user", "Two"), ("assistant", "2.")]));
}
