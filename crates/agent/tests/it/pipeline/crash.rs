//! A panic somewhere on the way of a run ends the run with an error that says so; the session goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt, stream};
use serde_json::json;
use tau_agent::{PromptError, SessionEvent};
use tau_ai::scripted::ScriptedApi;
use tau_ai::{MessageBuilder, MessageStream, StreamApi, StreamRequest};

use crate::common::{Running, World};

/// Where the code of a provider panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Call,
    FirstEvent,
    MidStream,
}

/// Plays a script, but the first request panics.
struct PanickingApi {
    script: ScriptedApi,
    at: At,
    done: AtomicBool,
}

impl StreamApi for PanickingApi {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        if self.done.swap(true, Ordering::SeqCst) {
            return self.script.stream(request);
        }
        assert_ne!(self.at, At::Call, "boom");
        let builder = Arc::new(MessageBuilder::new(MessageBuilder::head_for(&request.model)));
        let mut items = Vec::new();
        if self.at == At::MidStream {
            items.push(builder.start());
            let (index, start) = builder.text_start();
            items.extend([start, builder.text_delta(index, "half an ans")]);
        }
        stream::iter(items).chain(stream::once(async { panic!("boom") })).boxed()
    }
}

/// The session takes the next prompt as if nothing had happened.
async fn goes_on(running: &Running) {
    running.say("And now?").await;
    let last = running.conversation().pop().expect("an answer");
    assert_eq!(last, ("assistant".to_owned(), "Better.".to_owned()));
}

#[tokio::test]
async fn a_provider_that_panics_fails_its_request_only() {
    for at in [At::Call, At::FirstEvent, At::MidStream] {
        let world = World::new(json!(["Better."]));
        let api = PanickingApi { script: world.script.clone(), at, done: AtomicBool::new(false) };
        let running = world.with_api(api).start().await;
        running.say("Hi").await;
        let (role, text) = running.conversation().pop().expect("an answer");
        let begun = if at == At::MidStream { "half an ans" } else { "" };
        let (start, rest) = text.split_once('[').expect("an error");
        assert_eq!((&*role, start), ("assistant", begun), "{at:?}");
        assert!(
            rest.starts_with("The code for the wire format \"scripted\" crashed: ") && rest.contains("boom"),
            "{rest}"
        );
        assert_eq!(running.file_messages(), running.conversation());
        goes_on(&running).await;
    }
}

/// A front end that panics the first time it hears of this event.
fn panic_once(running: &Running, event: &'static str) {
    let done = AtomicBool::new(false);
    running.session.listen(move |told: &SessionEvent| {
        let name = serde_json::to_value(told).expect("an event as JSON")["type"].clone();
        if name == event && !done.swap(true, Ordering::SeqCst) {
            panic!("the screen fell off");
        }
    });
}

/// Every place of a run at which code of tau itself may panic.
const PLACES: &[&str] = &[
    "agent_start",
    "turn_start",
    "message_start",
    "message_update",
    "message_end",
    "turn_end",
    "agent_end",
    "agent_settled",
];

#[tokio::test]
async fn a_panic_anywhere_in_a_run_ends_it_with_an_error() {
    for place in PLACES {
        let running = World::new(json!(["Better.", "Better."])).start().await;
        panic_once(&running, place);
        let done = running.session.prompt(tau_agent::Prompt::new("Hi")).await;
        let error = done.expect_err("an error");
        assert!(matches!(error, PromptError::Crashed(_)), "{place}: {error:?}");
        assert!(error.to_string().contains("the screen fell off"), "{place}: {error}");
        running.session.wait_until_idle().await;
        let names: Vec<String> =
            running.events.all().iter().map(|event| event["type"].as_str().expect("a type").to_owned()).collect();
        let count = |wanted: &str| names.iter().filter(|name| *name == wanted).count();
        assert_eq!(count("agent_start"), count("agent_end"), "{place}: {names:?}");
        assert_eq!(names.last().map(String::as_str), Some("agent_settled"), "{place}: {names:?}");
        assert_eq!(running.file_messages(), running.conversation(), "{place}");
        goes_on(&running).await;
    }
}

#[tokio::test]
async fn a_run_of_an_extension_that_panics_is_reported() {
    let world = World::new(json!(["Better.", "Better."]));
    world.extend("asks", |registrar| {
        let api = registrar.api();
        registrar.command("ask", "Asks the model.", move |_, _| {
            let api = api.clone();
            async move { Ok(api.send_user_message("Hi", None)?) }
        });
    });
    let running = world.start().await;
    panic_once(&running, "turn_start");
    running.say("/ask").await;
    running.session.wait_until_idle().await;
    let crash =
        |(_, what, why): &(String, String, String)| what == "send_user_message" && why.contains("screen fell off");
    assert_eq!(world.reports.all().iter().filter(|report| crash(report)).count(), 1, "{:?}", world.reports.all());
    goes_on(&running).await;
}

/// A task of its own calls the handlers of updates, beside the run.
#[tokio::test]
async fn a_panic_while_updates_are_told_ends_their_run_with_an_error() {
    let world = World::new(json!(["Hello there.", "Better."]));
    let done = AtomicBool::new(false);
    world.hooks.dispatcher.reports.listen(move |report| {
        assert!(report.event != "message_update" || done.swap(true, Ordering::SeqCst), "the screen fell off");
    });
    world.extend("fails", |registrar| {
        registrar.on_json("message_update", |_, _| std::future::ready(Err(tau_hooks::HandlerError::msg("no"))));
    });
    let running = world.start().await;
    let error = running.session.prompt(tau_agent::Prompt::new("Hi")).await.expect_err("an error");
    assert!(matches!(&error, PromptError::Crashed(_)), "{error:?}");
    assert!(error.to_string().contains("the screen fell off"), "{error}");
    running.session.wait_until_idle().await;
    assert_eq!(running.file_messages(), running.conversation());
    goes_on(&running).await;
}
