//! `/compact`, and extensions that ask for it.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::{CompactError, PromptError, Prompted};
use tau_hooks::NewSessionRequest;
use tau_hooks::events::{SessionBeforeCompact, SessionCompacting};
use tau_hooks::payload::{CompactionResult, SessionBeforeCompactResult, SessionCompactingResult, StreamingBehavior};
use tau_session::Session;
use tokio::sync::oneshot;

use super::{entries, entry_of, small, told};
use crate::common::stages::{Halt, HaltingApi};
use crate::common::tools::Barrier;
use crate::common::{Log, calls, messages, names, text_of};

/// Two exchanges; the first reads and writes files.
fn replies(more: &[Value]) -> Value {
    let working = calls([
        ("a", "read", json!({"path": "in.txt"})),
        ("b", "read", json!({"path": "both.txt"})),
        ("c", "write", json!({"path": "both.txt", "content": "x"})),
    ]);
    [working, json!("Read."), json!("Second.")].iter().chain(more).cloned().collect()
}

const FIRST: [&str; 2] = ["First question", "Second question"];

#[tokio::test]
async fn the_older_part_becomes_a_summary() {
    let world =
        small(100_000, replies(&[json!([{"usage": {"input": 7, "output": 3}}, "A summary."]), json!("Third.")]));
    let seen = world.watch();
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    running.events.take();
    seen.take();
    let Prompted::Builtin(answer) = running.say("/compact the files").await else { panic!("a built-in command") };
    let answer = answer.to_string();
    assert!(answer.starts_with("Compacted: about "), "{answer}");

    // What the model is asked.
    let request = running.script.requests().pop().expect("a request");
    let text = text_of(&request["messages"][0]["content"]);
    assert!(
        text.starts_with("<conversation>\n[User]: First question\n\n[Assistant tool calls]: read(path=\"in.txt\")")
    );
    assert!(text.contains("[Tool result]: Tool write not found"), "{text}");
    assert!(text.ends_with("\n\nAdditional focus: the files"), "{text}");
    assert!(!text.contains("Second question"), "{text}");
    // What handlers and front ends are told.
    assert_eq!(
        names(&seen.all()),
        ["input", "session_before_compact", "session.compacting", "before_provider_headers", "session_compact"]
    );
    let summary = "A summary.\n\n<read-files>\nin.txt\n</read-files>\n\n<modified-files>\nboth.txt\n</modified-files>";
    let kept = entry_of(&running, "Second question");
    let told = running.events.all();
    assert_eq!(names(&told), ["compaction_start", "compaction_end"]);
    assert_eq!(told[0], json!({"type": "compaction_start", "reason": "manual"}));
    let result = &told[1]["result"];
    assert_eq!((&result["summary"], &result["firstKeptEntryId"]), (&json!(summary), &json!(kept)));
    assert_eq!(result["details"], json!({"readFiles": ["in.txt"], "modifiedFiles": ["both.txt"]}));
    assert_eq!(result["usage"]["totalTokens"], json!(10));
    assert_eq!((&told[1]["aborted"], &told[1]["willRetry"]), (&json!(false), &json!(false)));
    // What is in the file.
    let [entry] = &entries(&running, "compaction")[..] else { panic!("one compaction") };
    assert_eq!((&entry["summary"], &entry["firstKeptEntryId"]), (&json!(summary), &json!(kept)));
    assert_eq!((&entry["fromHook"], &entry["tokensBefore"]), (&json!(false), &result["tokensBefore"]));
    // What the model sees from now on, here and after reopening.
    let conversation = running.conversation();
    assert_eq!(
        conversation.iter().map(|(role, _)| role.as_str()).collect::<Vec<_>>(),
        ["compactionSummary", "user", "assistant"]
    );
    running.say("Go on").await;
    let asked = running.asked().pop().expect("a request");
    assert_eq!(asked[0].0, "user");
    assert!(asked[0].1.contains(&format!("<summary>\n{summary}\n</summary>")));
    assert_eq!(asked[1..], messages([("user", "Second question"), ("assistant", "Second."), ("user", "Go on")]));
    let file = running.session.session().file().expect("a file").to_owned();
    let reopened = Session::open(&file).expect("a session");
    assert_eq!(reopened.context().messages.len(), running.session.history().len());
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn there_may_be_nothing_to_compact() {
    let world = small(100_000, replies(&[json!("A summary.")]));
    let seen = world.watch();
    let running = world.start().await;
    let refused = |error: PromptError| error.to_string();
    let try_it = async || running.session.prompt(tau_agent::Prompt::new("/compact")).await.map_err(refused);
    assert_eq!(try_it().await, Err("Nothing to compact (session too small)".to_owned()));
    let told = running.events.all();
    assert_eq!(
        told[1],
        json!({"type": "compaction_end", "reason": "manual", "aborted": false, "willRetry": false,
            "errorMessage": "Compaction failed: Nothing to compact (session too small)"})
    );
    let failed = seen.all().pop().expect("an event");
    assert_eq!(
        failed,
        json!({"type": "session_compact_failed", "reason": "manual", "aborted": false, "willRetry": false,
            "fromExtension": false, "errorMessage": "Compaction failed: Nothing to compact (session too small)"})
    );
    for text in FIRST {
        running.say(text).await;
    }
    assert!(try_it().await.is_ok());
    assert_eq!(try_it().await, Err("Already compacted".to_owned()));
    assert!(running.session.is_idle());
}

#[tokio::test]
async fn a_turn_can_be_divided() {
    // The cut lies behind the call, so the user's message and the first half of the turn are summarised by themselves.
    let long = "x".repeat(400);
    let working = json!([long, {"tool_call": {"id": "a", "name": "work", "arguments": {}}}]);
    let replies =
        json!([working, "Done with it all.", [{"usage": {"output": 5}}, "Of the turn."], "History.", "Again."]);
    let world = small(100_000, replies);
    let running = world.start().await;
    running.say("Begin").await;
    let done = running.session.compact(Some("speed".to_owned())).await.expect("a compaction");
    assert_eq!(done.summary, "No prior history.\n\n---\n\n**Turn Context (split turn):**\n\nOf the turn.");
    assert_eq!(done.usage.map(|usage| usage.output), Some(5));
    let request = running.script.requests().pop().expect("a request");
    let text = text_of(&request["messages"][0]["content"]);
    assert!(text.starts_with(&format!("# Conversation\n[User]: Begin\n\n[Assistant]: {long}\n\n")), "{text}");
    assert!(text.contains("\n\n# Instructions\n"), "{text}");
    assert!(text.ends_with("\n\nAdditional focus: speed"), "{text}");
    let conversation = running.conversation();
    assert_eq!(conversation[1..], messages([("assistant", "Done with it all.")]));
}

#[tokio::test]
async fn a_summary_goes_on_from_the_one_before() {
    let world = small(100_000, replies(&[json!("One."), json!("Third."), json!("Two."), json!("Fourth.")]));
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    running.say("/compact").await;
    running.say("Third question").await;
    running.say("/compact").await;
    let request = running.script.requests().pop().expect("a request");
    let text = text_of(&request["messages"][0]["content"]);
    assert!(
        text.starts_with("<conversation>\n[User]: Second question\n\n[Assistant]: Second.\n</conversation>\n\n"),
        "{text}"
    );
    let before = "One.\n\n<read-files>\nin.txt\n</read-files>\n\n<modified-files>\nboth.txt\n</modified-files>";
    assert!(text.contains(&format!("<previous-summary>\n{before}\n</previous-summary>\n\n")), "{text}");
    // The lists of files are carried on.
    let last = entries(&running, "compaction").pop().expect("a compaction");
    assert_eq!(last["details"], json!({"readFiles": ["in.txt"], "modifiedFiles": ["both.txt"]}));
    assert_eq!(last["summary"], json!(before.replace("One.", "Two.")));
}

#[tokio::test]
async fn an_extension_can_write_the_summary_or_stop_it() {
    let world = small(100_000, replies(&[json!("Not asked.")]));
    let answers: Log<Value> = Log::default();
    let seen = answers.clone();
    world.extend("own", move |registrar| {
        let seen = seen.clone();
        registrar.on::<SessionBeforeCompact>(move |event, _| {
            seen.push(serde_json::to_value(&event).expect("json"));
            let instructions = event.custom_instructions.unwrap_or_default();
            let kept = match instructions.as_str() {
                "nowhere" => "nowhere".to_owned(),
                _ => event.preparation.first_kept_entry_id.clone(),
            };
            let compaction = CompactionResult {
                summary: "My own.".to_owned(),
                first_kept_entry_id: kept,
                tokens_before: event.preparation.tokens_before,
                details: Some(json!({"mine": true})),
                usage: None,
                preserve_data: Some(json!({"n": 1})),
            };
            let result = match instructions.as_str() {
                "stop" => SessionBeforeCompactResult { cancel: Some(true), compaction: None },
                _ => SessionBeforeCompactResult { cancel: None, compaction: Some(compaction) },
            };
            async move { Some(result) }
        });
    });
    let watched = world.watch();
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    watched.take();
    running.events.take();
    let error = running.session.compact(Some("stop".to_owned())).await.expect_err("it was stopped");
    assert!(matches!(error, CompactError::Cancelled), "{error}");
    let error = running.session.compact(Some("nowhere".to_owned())).await.expect_err("it cannot be used");
    assert!(error.to_string().contains("\"nowhere\", which is not on this branch"), "{error}");
    // Nobody can be asked for a summary any more, and nobody is.
    assert!(running.session.models().unregister_provider(tau_ai::scripted::PROVIDER));
    running.session.compact(None).await.expect("a compaction");
    // Who comes behind the one who stopped it does not hear of it.
    assert_eq!(
        names(&watched.all()),
        [
            "session_compact_failed",
            "session_before_compact",
            "session_compact_failed",
            "session_before_compact",
            "session_compact"
        ]
    );
    let failed = &watched.all()[0];
    assert_eq!((&failed["aborted"], &failed["errorMessage"]), (&json!(true), &Value::Null));
    assert_eq!(watched.all()[4]["fromExtension"], json!(true));
    let ends = told(&running, &["compaction_end"]);
    assert_eq!((&ends[0]["aborted"], &ends[0]["errorMessage"]), (&json!(true), &Value::Null));
    let [entry] = &entries(&running, "compaction")[..] else { panic!("one compaction") };
    assert_eq!(
        (&entry["summary"], &entry["fromHook"], &entry["details"], &entry["preserveData"]),
        (&json!("My own."), &json!(true), &json!({"mine": true}), &json!({"n": 1}))
    );
    assert_eq!(running.script.requests().len(), 3, "the model was asked for no summary");
    // What it was told.
    let event = &answers.all()[0];
    assert_eq!((&event["reason"], &event["willRetry"]), (&json!("manual"), &json!(false)));
    let prepared = &event["preparation"];
    assert_eq!(prepared["messagesToSummarize"].as_array().map(Vec::len), Some(6));
    assert_eq!(prepared["fileOps"], json!({"read": ["in.txt", "both.txt"], "written": ["both.txt"], "edited": []}));
    assert_eq!(prepared["settings"], json!({"enabled": true, "reserveTokens": 100, "keepRecentTokens": 4}));
    assert_eq!(event["branchEntries"].as_array().map(Vec::len), Some(running.file().len() - 2));
}

#[tokio::test]
async fn older_dialects_shape_the_request() {
    let world = small(100_000, replies(&[json!("A summary.")]));
    world.extend("shape", |registrar| {
        registrar.on::<SessionCompacting>(|event, _| async move {
            assert_eq!(event.messages.len(), 6);
            Some(SessionCompactingResult {
                context: Some(vec!["The build is slow.".to_owned(), "So are tests.".to_owned()]),
                prompt: Some("Say it in one word.".to_owned()),
                preserve_data: Some(json!({"k": 1})),
            })
        });
    });
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    running.say("/compact speed").await;
    let request = running.script.requests().pop().expect("a request");
    let text = text_of(&request["messages"][0]["content"]);
    let end = "<additional-context>\n- The build is slow.\n- So are tests.\n</additional-context>\n\nSay it in one word.\n\nAdditional focus: speed";
    assert!(text.ends_with(end), "{text}");
    let [entry] = &entries(&running, "compaction")[..] else { panic!("one compaction") };
    assert_eq!(entry["preserveData"], json!({"k": 1}));
}

#[tokio::test]
async fn an_answer_that_is_no_summary_changes_nothing() {
    for (reply, why) in [
        (json!([{"error": "No such model"}]), "Summarization failed: No such model"),
        (
            json!(["Half", {"stop_reason": "length"}]),
            "Summarization failed: the answer reached its token limit, so the summary is incomplete",
        ),
        (calls([("x", "read", json!({}))]), "Summarization attempted to call a tool"),
        (json!([" \n"]), "Summarization failed: the answer is empty"),
    ] {
        let world = small(100_000, replies(&[reply]));
        let running = world.start().await;
        for text in FIRST {
            running.say(text).await;
        }
        let before = running.conversation();
        let error = running.session.compact(None).await.expect_err("no summary");
        assert_eq!(error.to_string(), why);
        assert_eq!(running.conversation(), before);
        assert_eq!(entries(&running, "compaction"), Vec::<Value>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_asked_for_again_when_that_may_help() {
    let world = small(100_000, replies(&[json!([{"error": "503 Service unavailable"}]), json!("A summary.")]));
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    running.events.take();
    running.session.compact(None).await.expect("a compaction");
    assert_eq!(
        running.events.all()[1..4],
        [
            json!({"type": "summarization_retry_scheduled", "attempt": 1, "maxAttempts": 3, "delayMs": 2000,
                "errorMessage": "503 Service unavailable"}),
            json!({"type": "summarization_retry_attempt_start", "source": "compaction", "reason": "manual"}),
            json!({"type": "summarization_retry_finished"}),
        ]
    );
}

const COMPACTING: &str =
    "Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry.";

#[tokio::test]
async fn it_aborts_the_run_and_sends_what_was_queued_afterwards() {
    let barrier = Barrier::default();
    // The third request is the run that is aborted, the fourth the summary.
    let world = small(100_000, json!(["One.", "Two.", "A summary.", "Queued and answered."]));
    let script = world.script.clone();
    let summary = Barrier::default();
    let waiting = summary.clone();
    world.extend("wait", move |registrar| {
        let waiting = waiting.clone();
        registrar.on::<SessionBeforeCompact>(move |_, _| {
            let waiting = waiting.clone();
            async move { waiting.stay().await }
        });
    });
    let world = world.with_api(HaltingApi::new(script, 2, Halt::Text, &barrier));
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    let run = running.say_later("Third question");
    barrier.reached(1).await;
    let session = Arc::clone(&running.session);
    let compaction = tokio::spawn(async move { session.compact(None).await });
    summary.reached(1).await;
    assert_eq!(run.await.expect("the run").expect("a run"), Prompted::Ran);
    assert!(running.session.is_compacting() && !running.session.is_idle());
    // A prompt that may not wait is refused with the reason.
    let refused = running.session.prompt(tau_agent::Prompt::new("Now")).await.expect_err("a compaction").to_string();
    assert_eq!(refused, COMPACTING);
    let refused = running.session.reload().await.expect_err("a compaction").to_string();
    assert_eq!(refused, "Wait for compaction to finish before reloading.");
    let queued = running.queue("Queued", StreamingBehavior::FollowUp).await.expect("a queue");
    assert_eq!(queued, Prompted::Queued);
    summary.open();
    compaction.await.expect("the task").expect("a compaction");
    running.session.wait_until_idle().await;
    assert!(running.session.is_idle() && !running.session.is_compacting());
    let conversation = running.conversation();
    assert_eq!(conversation[0].0, "compactionSummary");
    assert_eq!(
        conversation[conversation.len() - 2..],
        messages([("user", "Queued"), ("assistant", "Queued and answered.")])
    );
}

/// Stops what is under way.
type Stop = fn(&tau_agent::AgentSession);

#[tokio::test]
async fn it_can_be_aborted() {
    for stop in [tau_agent::AgentSession::abort_compaction as Stop, tau_agent::AgentSession::abort] {
        let barrier = Barrier::default();
        let world = small(100_000, replies(&[]));
        let script = world.script.clone();
        let world = world.with_api(HaltingApi::new(script, 3, Halt::Text, &barrier));
        let seen = world.watch();
        let running = world.start().await;
        for text in FIRST {
            running.say(text).await;
        }
        let before = running.conversation();
        let session = Arc::clone(&running.session);
        let compaction = tokio::spawn(async move { session.compact(None).await });
        barrier.reached(1).await;
        stop(&running.session);
        let error = compaction.await.expect("the task").expect_err("it was aborted");
        assert!(matches!(error, CompactError::Cancelled), "{error}");
        assert_eq!(told(&running, &["compaction_end"])[0]["aborted"], json!(true));
        assert_eq!(seen.all().pop().expect("an event")["aborted"], json!(true));
        assert_eq!(running.conversation(), before);
        assert!(running.session.is_idle());
    }
}

#[tokio::test]
async fn extensions_can_ask_for_it() {
    let world = small(100_000, replies(&[json!("A summary.")]));
    let (sender, result) = oneshot::channel();
    let sender = parking_lot::Mutex::new(Some(sender));
    let sender = Arc::new(sender);
    world.extend("ask", move |registrar| {
        let sender = Arc::clone(&sender);
        registrar.command("shrink", "Compacts.", move |args, ctx| {
            let sender = sender.lock().take();
            async move {
                ctx.compact(Some(args), move |done| {
                    if let Some(sender) = sender {
                        let _ = sender.send(done);
                    }
                })?;
                Ok(())
            }
        });
    });
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    running.say("/shrink all of it").await;
    let done = result.await.expect("an answer").expect("a compaction");
    assert!(done.summary.starts_with("A summary."));
    let request = running.script.requests().pop().expect("a request");
    assert!(text_of(&request["messages"][0]["content"]).ends_with("Additional focus: all of it"));
    let usage = tau_agent::context_usage(
        &running.session.history(),
        &running.session.session(),
        &running.session.model().expect("a model"),
    );
    assert_eq!((usage.tokens, usage.percent), (None, None));
}

/// Whatever comes first: the compaction is not done in the session that takes the place.
#[tokio::test]
async fn it_does_not_follow_into_another_session() {
    let world = small(100_000, replies(&[json!("A summary.")]));
    let outcomes = Log::default();
    let log = outcomes.clone();
    world.extend("ask", move |registrar| {
        let log = log.clone();
        registrar.command("shrink", "Compacts.", move |_, ctx| {
            let log = log.clone();
            async move {
                ctx.compact(None, move |done| log.push(done.map(|_| ()).expect_err("no compaction")))?;
                ctx.new_session(NewSessionRequest::default()).await?;
                Ok(())
            }
        });
    });
    let running = world.start().await;
    for text in FIRST {
        running.say(text).await;
    }
    let old = running.session.session();
    running.say("/shrink").await;
    assert_eq!(running.conversation(), []);
    let kinds =
        |session: &Session| session.entries().iter().filter(|entry| entry.body().type_name() == "compaction").count();
    assert_eq!((kinds(&old), kinds(&running.session.session())), (0, 0));
    assert_eq!(outcomes.all(), [CompactError::Replaced.to_string()]);
    // The new one can be compacted, and says that there is nothing to.
    let error = running.session.compact(None).await.expect_err("nothing to compact");
    assert!(matches!(error, CompactError::TooSmall), "{error}");
}
