//! Compaction that happens by itself.

use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::events::SessionBeforeCompact;
use tau_hooks::payload::SessionBeforeCompactResult;
use tau_session::{EntryBody, NewSession, Session};

use super::{entries, small, told};
use crate::common::tools::recording;
use crate::common::{Log, messages, names, outline};

fn answer(text: &str, tokens: u64) -> Value {
    json!([text, {"usage": {"input": tokens, "output": 0}}])
}

const RECOVERY: [&str; 4] = ["compaction_start", "compaction_end", "agent_end", "entry_appended"];

#[tokio::test]
async fn a_context_that_is_nearly_full_is_compacted_after_the_run() {
    let world = small(1000, json!([answer("One.", 500), answer("Two.", 901), "A summary.", "Three."]));
    let seen = world.watch();
    let running = world.start().await;
    running.say("First question").await;
    assert_eq!(told(&running, &["compaction_start"]), Vec::<Value>::new());
    seen.take();
    running.say("Second question").await;
    let seen = names(&seen.all());
    let end = seen.iter().position(|name| name == "agent_end").expect("an end");
    assert_eq!(
        seen[end..],
        [
            "agent_end",
            "auto_compaction_start",
            "session_before_compact",
            "session.compacting",
            "before_provider_headers",
            "session_compact",
            "auto_compaction_end",
            "agent_before_settle",
            "agent_settled"
        ]
    );
    let told = told(&running, &["compaction_start", "compaction_end"]);
    assert_eq!(told[0], json!({"type": "compaction_start", "reason": "threshold"}));
    assert_eq!((&told[1]["reason"], &told[1]["result"]["tokensBefore"]), (&json!("threshold"), &json!(901)));
    assert_eq!(running.conversation()[1..], messages([("user", "Second question"), ("assistant", "Two.")]));
    // The old number of tokens tells nothing about the new context.
    running.say("Third question").await;
    assert_eq!(entries(&running, "compaction").len(), 1);
}

#[tokio::test]
async fn a_reason_without_anything_to_compact_is_told_to_the_older_dialects() {
    let world = small(1000, json!([answer("One.", 950)]));
    let seen = world.watch();
    let running = world.start().await;
    running.say("First question").await;
    let auto: Vec<Value> = seen
        .all()
        .into_iter()
        .filter(|event| event["type"].as_str().is_some_and(|name| name.contains("compact")))
        .collect();
    assert_eq!(
        auto,
        [
            json!({"type": "auto_compaction_start", "reason": "threshold", "action": "context-full"}),
            json!({"type": "auto_compaction_end", "action": "context-full", "aborted": false, "willRetry": false,
                "skipped": true}),
        ]
    );
    assert_eq!(told(&running, &["compaction_start", "compaction_end"]), Vec::<Value>::new());
}

#[tokio::test]
async fn between_the_turns_of_a_run_too() {
    let call =
        json!([{"tool_call": {"id": "a", "name": "work", "arguments": {}}}, {"usage": {"input": 950, "output": 0}}]);
    let world = small(1000, json!([answer("One.", 5), call, "A summary.", "Of the turn.", "Done."]));
    let calls: Log<Value> = Log::default();
    world.extend("work", |registrar| recording(registrar, "work", &calls));
    let running = world.start().await;
    running.say("First question").await;
    running.events.take();
    running.say("Second question").await;
    let told: Vec<String> = names(&running.events.all());
    let at = told.iter().position(|name| name == "compaction_start").expect("a compaction");
    assert_eq!(told[at - 1..at + 3], ["turn_end", "compaction_start", "compaction_end", "turn_start"]);
    let asked = running.asked().pop().expect("a request");
    assert!(asked[0].1.contains("A summary.") && asked[0].1.contains("Of the turn."), "{asked:?}");
    assert_eq!(asked.last(), Some(&("toolResult".to_owned(), "did nothing".to_owned())));
    assert_eq!(running.conversation().last(), Some(&("assistant".to_owned(), "Done.".to_owned())));
}

#[tokio::test]
async fn nothing_happens_when_it_is_switched_off_or_nothing_could_be_done() {
    let world = small(1000, json!([answer("One.", 5), answer("Two.", 990)]))
        .settings(json!({"compaction": {"enabled": false}}));
    let running = world.start().await;
    running.say("First question").await;
    running.say("Second question").await;
    assert_eq!(told(&running, &RECOVERY[..2]), Vec::<Value>::new());
    // One exchange is all there is, and it is to be kept.
    let world = small(1000, json!([answer("One.", 990)])).settings(json!({"compaction": {"keepRecentTokens": 500}}));
    let running = world.start().await;
    running.say("First question").await;
    assert_eq!(told(&running, &RECOVERY[..2]), Vec::<Value>::new());
}

#[tokio::test]
async fn a_context_that_was_too_large_is_compacted_and_the_request_repeated() {
    let refused = json!([{"error": "prompt is too long: 1200 tokens > 1000 maximum"}]);
    let world = small(1000, json!([answer("One.", 5), refused, "A summary.", "Of the turn.", answer("Two.", 5)]));
    let seen = world.watch();
    let running = world.start().await;
    running.say("First question").await;
    running.events.take();
    seen.take();
    running.say("Second question").await;
    let told_all = told(&running, &RECOVERY);
    assert_eq!(names(&told_all), ["agent_end", "entry_appended", "compaction_start", "compaction_end", "agent_end"]);
    assert_eq!(told_all[0]["willRetry"], json!(false));
    let edit = &told_all[1]["entry"];
    assert_eq!((&edit["type"], &edit["replacement"]), (&json!("context_edit"), &Value::Null));
    assert_eq!(told_all[2], json!({"type": "compaction_start", "reason": "overflow"}));
    assert_eq!((&told_all[3]["willRetry"], &told_all[3]["aborted"]), (&json!(true), &json!(false)));
    // The failed answer stays in the file; the model never sees it.
    assert!(running.file_messages().iter().any(|(_, text)| text.contains("prompt is too long")));
    // Keeping the question alone would not make room, so the summary stands for it too.
    let asked = running.asked().pop().expect("a request");
    assert_eq!(asked.len(), 1);
    assert!(asked[0].1.contains("A summary.") && asked[0].1.contains("Of the turn."), "{asked:?}");
    assert_eq!(running.conversation()[1..], messages([("assistant", "Two.")]));
    let ends: Vec<Value> = seen.all().into_iter().filter(|event| event["type"] == "session_compact").collect();
    assert_eq!((&ends[0]["reason"], &ends[0]["willRetry"]), (&json!("overflow"), &json!(true)));
}

#[tokio::test]
async fn room_is_made_only_once() {
    let refused = || json!([{"error": "prompt is too long: 1200 tokens > 1000 maximum"}]);
    let world = small(1000, json!([answer("One.", 5), refused(), "A summary.", "Of the turn.", refused()]));
    let running = world.start().await;
    running.say("First question").await;
    running.say("Second question").await;
    let why = "Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model.";
    assert_eq!(
        told(&running, &["compaction_end"])[1],
        json!({"type": "compaction_end", "reason": "overflow", "aborted": false, "willRetry": false, "errorMessage": why})
    );
    assert!(running.session.is_idle());
}

#[tokio::test]
async fn an_answer_that_took_more_than_there_is_is_kept() {
    let world = small(1000, json!([answer("One.", 5), answer("Two.", 1001), "A summary."]));
    let running = world.start().await;
    running.say("First question").await;
    running.say("Second question").await;
    let ends = told(&running, &["compaction_end"]);
    assert_eq!((&ends[0]["reason"], &ends[0]["willRetry"]), (&json!("overflow"), &json!(false)));
    assert_eq!(running.conversation()[1..], messages([("user", "Second question"), ("assistant", "Two.")]));
}

#[tokio::test]
async fn an_answer_that_was_cut_is_asked_for_again() {
    let cut = json!(["Cut o", {"usage": {"input": 900, "output": 20}}, {"stop_reason": "length"}]);
    let world = small(1000, json!([answer("One.", 5), cut, "A summary.", "Of the turn.", answer("Whole.", 5)]));
    let running = world.start().await;
    running.say("First question").await;
    running.say("Second question").await;
    assert_eq!(running.conversation()[1..], messages([("assistant", "Whole.")]));
    assert!(running.file_messages().contains(&("assistant".to_owned(), "Cut o".to_owned())));
}

#[tokio::test]
async fn a_compaction_that_fails_is_told_and_the_session_goes_on() {
    let refused = json!([{"error": "No such model"}]);
    let world = small(1000, json!([answer("One.", 5), answer("Two.", 950), refused, answer("Three.", 5)]));
    let running = world.start().await;
    for text in ["First question", "Second question"] {
        running.say(text).await;
    }
    let ends = told(&running, &["compaction_end"]);
    assert_eq!(ends[0]["errorMessage"], json!("Auto-compaction failed: Summarization failed: No such model"));
    assert_eq!(running.conversation().len(), 4);
}

#[tokio::test]
async fn it_happens_before_a_prompt_when_it_could_not_happen_before() {
    let world = small(1000, json!([answer("One.", 5), answer("Two.", 950), "A summary.", answer("Three.", 5)]));
    let stopped: Log<Value> = Log::default();
    let log = stopped.clone();
    world.extend("not yet", move |registrar| {
        let log = log.clone();
        registrar.on::<SessionBeforeCompact>(move |event, _| {
            log.push(json!(event.reason));
            let first = log.all().len() == 1;
            async move { first.then(|| SessionBeforeCompactResult { cancel: Some(true), compaction: None }) }
        });
    });
    let running = world.start().await;
    for text in ["First question", "Second question"] {
        running.say(text).await;
    }
    running.events.take();
    running.say("Third question").await;
    assert_eq!(stopped.all(), [json!("threshold"), json!("threshold")]);
    assert_eq!(outline(&running.events.all())[..3], ["compaction_start", "compaction_end", "agent_start"]);
    let asked = running.asked().pop().expect("a request");
    assert_eq!(asked.last(), Some(&("user".to_owned(), "Third question".to_owned())));
}

#[tokio::test]
async fn an_abort_stops_it_and_nothing_is_repeated() {
    let refused = json!([{"error": "prompt is too long: 1200 tokens > 1000 maximum"}]);
    let world = small(1000, json!([answer("One.", 5), refused, "A summary.", answer("Two.", 5)]));
    world.extend("abort", |registrar| {
        registrar.on::<SessionBeforeCompact>(|_, ctx| async move {
            ctx.host().abort();
        });
    });
    let running = world.start().await;
    running.say("First question").await;
    running.say("Second question").await;
    assert_eq!(told(&running, &["compaction_end"])[0]["aborted"], json!(true));
    assert_eq!(running.script.requests().len(), 2);
    assert!(running.session.is_idle());
}

/// The call of an answer that was cut leaves the conversation with its result, also when the program was started again in
/// between: a result without its call is refused by providers.
#[tokio::test]
async fn an_answer_that_was_cut_before_a_restart_leaves_with_its_results() {
    let world = small(1000, json!(["A summary.", "Three.", "Four."]));
    let session = Session::create(&world.home.session_dir(), world.home.cwd().as_ref(), NewSession::default());
    let session = session.expect("a session");
    let said = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1});
    let answered = |content: Value, stop: &str, input: u64| {
        json!({"role": "assistant", "content": content, "api": "scripted", "provider": "scripted", "model": "planner",
            "usage": {"input": input, "output": 20, "totalTokens": input + 20}, "stopReason": stop, "timestamp": 1})
    };
    let call = json!([{"type": "toolCall", "id": "c", "name": "work", "arguments": {}}]);
    for message in [
        said("First question"),
        answered(json!([{"type": "text", "text": "One."}]), "stop", 5),
        said("Second question"),
        answered(call, "length", 900),
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "work", "isError": true, "timestamp": 1,
            "content": [{"type": "text", "text": "cut off"}]}),
    ] {
        let message: Message = serde_json::from_value(message).expect("a message");
        session.append(EntryBody::message(message)).expect("an entry");
    }
    let running = world.resume(session).start().await;
    running.say("Third question").await;
    let roles = |messages: &[(String, String)]| messages.iter().any(|(role, _)| role == "toolResult");
    assert!(!roles(&running.conversation()), "{:?}", running.conversation());
    assert!(running.asked().iter().all(|messages| !roles(messages)), "{:?}", running.asked());
    assert_eq!(told(&running, &["compaction_end"]).len(), 1);
    // Both are still in the file.
    assert!(running.file_messages().contains(&("toolResult".to_owned(), "cut off".to_owned())));
}
