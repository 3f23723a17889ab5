//! Stopping a run, at every stage: nobody is waited for, every call that was taken up ends, the file stays whole, and
//! the session goes on.

use std::time::Duration;

use serde_json::{Value, json};
use tau_hooks::Registrar;
use tau_session::Session;
use tau_testkit::session_problems;

use crate::common::stages::{Halt, HaltingApi};
use crate::common::tools::{Barrier, endless, recording, waiting};
use crate::common::{Log, Running, World, calls, messages};

/// Where the run is when it is stopped.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The model answers the request of that number.
    Model(usize, Halt),
    /// A tool works, and stops when told.
    Tool,
    /// A tool works, and does not react.
    DeafTool,
    /// A handler of this event is at work, the n-th time it is called.
    Handler(&'static str, usize),
}

use Stage::{DeafTool, Handler, Model, Tool};

/// What the conversation is once the run has been stopped.
type Expected = &'static [(&'static str, &'static str)];

const USER: (&str, &str) = ("user", "Hi");
const STOPPED: (&str, &str) = ("assistant", "[Request was aborted]");
const CALLS: (&str, &str) = ("assistant", r#"work({"text":"a"})|other({"text":"b"})"#);
const ABORTED: (&str, &str) = ("toolResult", "Operation aborted");
const DID_A: (&str, &str) = ("toolResult", "did a");
const DID_B: (&str, &str) = ("toolResult", "did b");

const TABLE: &[(Stage, Expected)] = &[
    (Model(0, Halt::Silent), &[USER, STOPPED]),
    (Model(0, Halt::Text), &[USER, ("assistant", "half an ans[Request was aborted]")]),
    (Model(0, Halt::Deaf), &[USER, ("assistant", "half an ans[Request was aborted]")]),
    (Model(0, Halt::Arguments), &[USER, ("assistant", r#"work({"text":"ha"})[Request was aborted]"#)]),
    (Model(1, Halt::Text), &[USER, CALLS, DID_A, DID_B, ("assistant", "half an ans[Request was aborted]")]),
    (Tool, &[USER, CALLS, ABORTED, ABORTED]),
    (DeafTool, &[USER, CALLS, ABORTED, ABORTED]),
    (Handler("before_agent_start", 1), &[USER, STOPPED]),
    (Handler("agent_start", 1), &[USER, STOPPED]),
    (Handler("turn_start", 1), &[USER, STOPPED]),
    // The user's message.
    (Handler("message_start", 1), &[USER, STOPPED]),
    (Handler("message_end", 1), &[USER, STOPPED]),
    (Handler("context", 1), &[USER, STOPPED]),
    (Handler("context_with_system", 1), &[USER, STOPPED]),
    (Handler("before_provider_headers", 1), &[USER, STOPPED]),
    (Handler("before_provider_request", 1), &[USER, STOPPED]),
    (Handler("after_provider_response", 1), &[USER, STOPPED]),
    // The answer: it is complete when its handlers are asked, so its calls get results.
    (Handler("message_end", 2), &[USER, CALLS, ABORTED, ABORTED]),
    (Handler("tool_execution_start", 1), &[USER, CALLS, ABORTED, ABORTED]),
    (Handler("tool_call", 1), &[USER, CALLS, ABORTED, ABORTED]),
    // A handler that is cut off may have been about to take something out.
    (Handler("tool_result", 1), &[USER, CALLS, ABORTED, ABORTED]),
    (Handler("tool_execution_end", 1), &[USER, CALLS, DID_A, ABORTED]),
    // The first result.
    (Handler("message_start", 3), &[USER, CALLS, DID_A, ABORTED]),
    (Handler("message_end", 3), &[USER, CALLS, DID_A, ABORTED]),
    // The second call.
    (Handler("tool_call", 2), &[USER, CALLS, DID_A, ABORTED]),
    (Handler("tool_result", 2), &[USER, CALLS, DID_A, ABORTED]),
    // Between two requests no other is made.
    (Handler("turn_end", 1), &[USER, CALLS, DID_A, DID_B]),
    (Handler("turn_start", 2), &[USER, CALLS, DID_A, DID_B, STOPPED]),
    (Handler("context", 2), &[USER, CALLS, DID_A, DID_B, STOPPED]),
    (Handler("turn_end", 2), &[USER, CALLS, DID_A, DID_B, ("assistant", "Done.")]),
    (Handler("agent_end", 1), &[USER, CALLS, DID_A, DID_B, ("assistant", "Done.")]),
    (Handler("agent_before_settle", 1), &[USER, CALLS, DID_A, DID_B, ("assistant", "Done.")]),
];

/// A handler that hangs the n-th time it is called.
fn hang(registrar: &mut Registrar, event: &str, nth: usize, barrier: &Barrier) {
    let (barrier, called) = (barrier.clone(), Log::default());
    registrar.on_json(event, move |_, _| {
        called.push(());
        let (barrier, hangs) = (barrier.clone(), called.all().len() == nth);
        async move {
            if hangs {
                barrier.reach();
                std::future::pending::<()>().await;
            }
            Ok(None)
        }
    });
}

async fn stop_at(stage: Stage, expected: Expected, settings: Value) {
    let two = calls([("1", "work", json!({"text": "a"})), ("2", "other", json!({"text": "b"}))]);
    // The requests that the stopped run did not make are answered with the same text as the next prompt.
    let when = json!({"last_user": "Go on"});
    let world = World::new(json!([two, "Done.", {"when": when, "steps": ["Here I am."]}])).settings(settings);
    let barrier = Barrier::default();
    let world = match stage {
        Model(request, halt) => {
            let script = world.script.clone();
            world.with_api(HaltingApi::new(script, request, halt, &barrier))
        }
        _ => world,
    };
    world.extend("stage", |registrar| {
        let ran = Log::default();
        recording(registrar, "other", &ran);
        match stage {
            Tool => endless(registrar, "work", &barrier),
            DeafTool => waiting(registrar, "work", &barrier),
            Model(..) => recording(registrar, "work", &ran),
            Handler(event, nth) => {
                recording(registrar, "work", &ran);
                hang(registrar, event, nth, &barrier);
            }
        }
    });
    let seen = world.watch();
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    let stopped = tokio::time::Instant::now();
    running.session.abort();
    run.await.expect("the run").expect("a run");
    running.session.wait_until_idle().await;

    let what = format!("{stage:?}");
    // A provider or a tool has a moment to react; a handler is not waited for at all.
    let patience = if matches!(stage, Handler(..)) { 1 } else { 10 };
    assert!(stopped.elapsed() < Duration::from_secs(patience), "{what}: {:?}", stopped.elapsed());
    let expected: Vec<(String, String)> =
        expected.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect();
    assert_eq!(running.conversation(), expected, "{what}");
    assert_eq!(running.file_messages(), expected, "{what}");
    assert_eq!(session_problems(&running.file()), Vec::<String>::new(), "{what}");
    every_start_has_one_end(&running.events.all(), &what);
    every_start_has_one_end(&seen.take(), &what);
    assert!(running.session.is_idle(), "{what}");
    goes_on(&running, expected, &what).await;
    reloads(&running, &what).await;
}

fn every_start_has_one_end(events: &[Value], what: &str) {
    let pairs = [
        ("tool_execution_start", "tool_execution_end"),
        ("message_start", "message_end"),
        ("turn_start", "turn_end"),
        ("agent_start", "agent_end"),
    ];
    for (start, end) in pairs {
        let key = |event: &Value| match event["type"].as_str() {
            Some("message_start" | "message_end") => event["message"]["role"].to_string(),
            _ => event["toolCallId"].to_string(),
        };
        let of = |name: &str| -> Vec<String> {
            let mut keys: Vec<String> = events.iter().filter(|event| event["type"] == name).map(key).collect();
            // Calls side by side end in any order.
            keys.sort();
            keys
        };
        assert_eq!(of(start), of(end), "{what}: {start}");
    }
    let settled = events.iter().filter(|event| event["type"] == "agent_settled").count();
    assert_eq!(settled, 1, "{what}: agent_settled");
}

/// The next prompt works.
async fn goes_on(running: &Running, mut expected: Vec<(String, String)>, what: &str) {
    running.say("Go on").await;
    expected.extend(messages([("user", "Go on"), ("assistant", "Here I am.")]));
    assert_eq!(running.conversation(), expected, "{what}");
    assert_eq!(session_problems(&running.file()), Vec::<String>::new(), "{what}");
}

/// The file gives the same conversation again.
async fn reloads(running: &Running, what: &str) {
    let file = running.session.session().file().expect("a file").to_owned();
    let session = Session::open(&file).expect("a session file");
    assert_eq!(session.problems(), [], "{what}");
    let again = World::new(json!([])).resume(session);
    assert_eq!(again.start().await.conversation(), running.conversation(), "{what}");
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_stopped_at_every_stage() {
    for (stage, expected) in TABLE {
        stop_at(*stage, expected, json!({})).await;
    }
}

#[tokio::test(start_paused = true)]
async fn side_by_side_calls_can_be_stopped_too() {
    let parallel = json!({"tau": {"toolExecution": "parallel"}});
    stop_at(Tool, &[USER, CALLS, ABORTED, DID_B], parallel.clone()).await;
    stop_at(DeafTool, &[USER, CALLS, ABORTED, DID_B], parallel.clone()).await;
    stop_at(Handler("tool_call", 1), &[USER, CALLS, ABORTED, ABORTED], parallel.clone()).await;
    stop_at(Handler("tool_call", 2), &[USER, CALLS, ABORTED, ABORTED], parallel).await;
}

/// All observers are told of what happens after a run was stopped.
#[tokio::test]
async fn everybody_is_told_how_a_stopped_run_ends() {
    let world = World::new(json!([calls([("1", "work", json!({}))]), "Done."]));
    let barrier = Barrier::default();
    world.extend("work", |registrar| endless(registrar, "work", &barrier));
    let (first, second) = (world.watch(), world.watch());
    let running = world.start().await;
    let run = running.say_later("Hi");
    barrier.reached(1).await;
    running.session.abort();
    run.await.expect("the run").expect("a run");
    assert_eq!(crate::common::outline(&second.all()), crate::common::outline(&first.all()));
    let end = first.all().into_iter().find(|event| event["type"] == "turn_end").expect("an end");
    assert_eq!(end["outcome"], json!("aborted"));
}

/// Stopping while nothing is under way does nothing, now or later.
#[tokio::test]
async fn stopping_an_idle_session_does_nothing() {
    let world = World::new(json!(["Hello."]));
    let running = world.start().await;
    running.session.abort();
    running.say("Hi").await;
    assert_eq!(running.conversation(), messages([("user", "Hi"), ("assistant", "Hello.")]));
}
