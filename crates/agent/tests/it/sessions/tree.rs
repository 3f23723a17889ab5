//! Going to another place of the tree.

use serde_json::{Value, json};
use tau_agent::{Prompt, Prompted, ReplaceError};
use tau_hooks::payload::{SessionShutdownReason, StreamingBehavior};
use tau_hooks::{TreeMove, TreeMoved};
use tau_session::Session;

use crate::common::stages::{Halt, HaltingApi};
use crate::common::tools::{Barrier, recording};
use crate::common::{Log, Running, World, calls, messages, names};

async fn talked(world: &World) -> Running {
    let running = world.start().await;
    for line in ["One", "Two"] {
        running.say(line).await;
    }
    running
}

fn reopened(running: &Running) -> Session {
    Session::open(running.session.session().file().expect("a file")).expect("a session")
}

#[tokio::test]
async fn in_front_of_a_message_of_the_user() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let seen = world.watch();
    let running = talked(&world).await;
    let tree = running.session.session();
    let old = tree.leaf().expect("a leaf").to_string();
    let (second, _) = running.session.fork_points()[1].clone();
    let place = tree.entry(&second).and_then(|entry| entry.parent_id().cloned()).expect("a parent").to_string();
    seen.take();
    let done = running.session.navigate_tree(&second, TreeMove::default()).await.expect("a move");
    assert_eq!(done, TreeMoved { editor_text: Some("Two".to_owned()), ..TreeMoved::default() });
    let events = seen.take();
    assert_eq!(names(&events), ["session_before_tree", "session_tree"]);
    let preparation = &events[0]["preparation"];
    let left: Vec<&Value> =
        preparation["entriesToSummarize"].as_array().expect("a list").iter().map(|entry| &entry["id"]).collect();
    assert_eq!(left, [&json!(old)], "the chosen message goes to the editor");
    let expected = json!({"targetId": second, "oldLeafId": old, "commonAncestorId": second, "userWantsSummary": false});
    let mut rest = preparation.clone();
    rest.as_object_mut().expect("an object").remove("entriesToSummarize");
    assert_eq!(rest, expected);
    assert_eq!(events[1], json!({"type": "session_tree", "newLeafId": place, "oldLeafId": old}));

    assert_eq!(running.conversation(), messages([("user", "One"), ("assistant", "1.")]));
    assert_eq!(reopened(&running).leaf().expect("a leaf").to_string(), place, "it survives a restart");
    running.say("Three").await;
    assert_eq!(running.asked()[2], messages([("user", "One"), ("assistant", "1."), ("user", "Three")]));
    assert_eq!(tree.children(&place).len(), 3, "the marker and both branches");
}

#[tokio::test]
async fn with_a_summary_by_the_model() {
    let work = calls([("1", "read", json!({"path": "a.txt"})), ("2", "edit", json!({"path": "b.txt"}))]);
    let world = World::new(json!(["1.", work, "2.", "## Wanted\nTwo things.", "3."]));
    world.extend("tools", |registrar| {
        recording(registrar, "read", &Log::default());
        recording(registrar, "edit", &Log::default());
    });
    let seen = world.watch();
    let running = talked(&world).await;
    let tree = running.session.session();
    let old = tree.leaf().expect("a leaf").to_string();
    let first_answer = tree.entry(&running.session.fork_points()[1].0).and_then(|entry| entry.parent_id().cloned());
    let first_answer = first_answer.expect("a parent").to_string();
    seen.take();
    let how = TreeMove {
        summarize: true,
        custom_instructions: Some("the files".to_owned()),
        label: Some("tried".to_owned()),
        ..TreeMove::default()
    };
    let done = running.session.navigate_tree(&first_answer, how).await.expect("a move");
    let order = ["session_before_tree", "before_provider_headers", "session_tree"];
    assert_eq!(names(&seen.all()), order, "the request is nobody's turn");
    let entry = done.summary_entry.clone().expect("a summary");
    assert_eq!((&entry["fromId"], &entry["parentId"]), (&json!(old), &json!(first_answer)));
    assert_eq!(entry["details"], json!({"readFiles": ["a.txt"], "modifiedFiles": ["b.txt"]}));
    assert_eq!((&entry["fromHook"], &entry["usage"]["totalTokens"].is_u64()), (&json!(false), &true));
    let text = entry["summary"].as_str().expect("a text");
    let tail =
        "## Wanted\nTwo things.\n\n<read-files>\na.txt\n</read-files>\n\n<modified-files>\nb.txt\n</modified-files>";
    assert!(text.ends_with(tail), "{text}");
    let told = seen.take().pop().expect("an event");
    let id = entry["id"].as_str().expect("an id");
    assert_eq!(
        (&told["summaryEntry"], &told["fromExtension"], &told["oldLeafId"]),
        (&entry, &json!(false), &json!(old))
    );
    assert_eq!(tree.label(id).as_deref(), Some("tried"));

    let request = &running.script.requests()[3];
    let prompt = running.asked()[3].clone();
    assert_eq!((prompt.len(), request["tools"].as_array().map(Vec::len)), (1, Some(0)));
    assert!(
        prompt[0].1.starts_with(
            "<conversation>\n[User]: Two\n\n[Assistant tool calls]: read(path=\"a.txt\"); edit(path=\"b.txt\")\n\n\
         [Assistant]: 2.\n</conversation>\n\n"
        ),
        "{}",
        prompt[0].1
    );
    assert!(prompt[0].1.ends_with("\n\nAdditional focus: the files"));

    assert_eq!(reopened(&running).leaf(), tree.leaf());
    running.say("Three").await;
    let roles: Vec<String> = running.conversation().into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["user", "assistant", "branchSummary", "user", "assistant"]);
}

#[tokio::test]
async fn to_the_beginning_and_to_other_branches() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let running = talked(&world).await;
    let tree = running.session.session();
    let (end, first) = (tree.leaf().expect("a leaf").to_string(), running.session.fork_points()[0].0.clone());
    let go = |id: &str| {
        let (session, id) = (running.session.clone(), id.to_owned());
        async move { session.navigate_tree(&id, TreeMove::default()).await }
    };
    assert_eq!(go(&end).await.expect("nothing to do"), TreeMoved::default());
    let done = go(&first).await.expect("a move");
    assert_eq!(done.editor_text.as_deref(), Some("One"));
    assert_eq!(running.conversation(), []);
    running.say("Other").await;
    let other = tree.leaf().expect("a leaf").to_string();
    assert_eq!(running.asked()[2], messages([("user", "Other")]));

    go(&end).await.expect("a move");
    assert_eq!(running.conversation().len(), 4);
    assert_eq!(reopened(&running).leaf().expect("a leaf").to_string(), end);
    go(&other).await.expect("a move");
    assert_eq!(running.conversation(), messages([("user", "Other"), ("assistant", "3.")]));
    let error = go("nope").await.expect_err("no such entry").to_string();
    assert_eq!(error, "Entry nope not found");
}

#[tokio::test]
async fn a_label_without_a_summary_is_the_targets() {
    let world = World::new(json!(["1.", "2."]));
    let running = talked(&world).await;
    let (second, _) = running.session.fork_points()[1].clone();
    let how = TreeMove { label: Some("again".to_owned()), ..TreeMove::default() };
    running.session.navigate_tree(&second, how).await.expect("a move");
    let reopened = reopened(&running);
    assert_eq!(reopened.label(&second).as_deref(), Some("again"));
    assert_eq!(reopened.leaf(), running.session.session().leaf());
    assert_eq!(running.conversation(), messages([("user", "One"), ("assistant", "1.")]));
}

#[tokio::test]
async fn not_while_a_run_is_under_way() {
    let (world, barrier) = (World::new(json!(["1."])), Barrier::default());
    let script = world.script.clone();
    let world = world.with_api(HaltingApi::new(script, 1, Halt::Text, &barrier));
    let running = world.start().await;
    running.say("One").await;
    let first = running.session.fork_points()[0].0.clone();
    let run = running.say_later("Two");
    barrier.reached(1).await;
    let error = running.session.navigate_tree(&first, TreeMove::default()).await.expect_err("a run");
    assert!(matches!(error, ReplaceError::Running), "{error}");
    running.session.abort();
    run.await.expect("a task").expect("a run");
}

#[tokio::test]
async fn a_summary_can_be_stopped_and_can_fail() {
    let (world, barrier) = (World::new(json!(["1.", "2.", [{"error": "no such model"}]])), Barrier::default());
    let script = world.script.clone();
    let world = world.with_api(HaltingApi::new(script, 2, Halt::Text, &barrier));
    let running = talked(&world).await;
    let leaf = running.session.session().leaf();
    let first = running.session.fork_points()[0].0.clone();
    let summarize = || TreeMove { summarize: true, ..TreeMove::default() };
    let (session, target) = (running.session.clone(), first.clone());
    let moving = tokio::spawn(async move { session.navigate_tree(&target, summarize()).await });
    barrier.reached(1).await;
    // A prompt would land on a branch that is being left.
    for behavior in [None, Some(StreamingBehavior::FollowUp)] {
        let prompt = Prompt { streaming_behavior: behavior, ..Prompt::new("Three") };
        let refused = running.session.prompt(prompt).await.expect_err("a summary").to_string();
        let text = "Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry.";
        assert_eq!(refused, text);
    }
    let refused = running.session.reload().await.expect_err("a summary").to_string();
    assert_eq!(refused, "Wait for compaction to finish before reloading.");
    let built_in = running.session.prompt(Prompt::new("/name")).await.expect("a built-in command");
    assert_eq!(built_in, Prompted::Builtin("This session has no name.".into()));
    running.session.abort();
    let done = moving.await.expect("a task").expect("an answer");
    assert_eq!(done, TreeMoved { cancelled: true, aborted: true, ..TreeMoved::default() });
    assert_eq!(running.session.session().leaf(), leaf);

    let error = running.session.navigate_tree(&first, summarize()).await.expect_err("the model fails").to_string();
    assert_eq!(error, "Branch summarization failed: no such model");
    assert_eq!(running.session.session().leaf(), leaf);
    assert_eq!(running.conversation().len(), 4);
}

/// Text that was edited away, half an answer and thoughts are no part of it.
#[tokio::test]
async fn a_summary_reads_what_the_model_saw() {
    let replies = json!([[{"thinking": "Hm."}, "1."], ["half", {"error": "no such model"}], "## Wanted\nLittle."]);
    let world = World::scripted(json!({"id": "planner", "reasoning": true}), replies);
    let running = talked(&world).await;
    let tree = running.session.session();
    let (first, _) = running.session.fork_points()[0].clone();
    let (second, _) = running.session.fork_points()[1].clone();
    tree.edit_context(&second, Some(tau_ai::MessageContent::Text("Edited".to_owned()))).expect("an edit");
    let how = TreeMove { summarize: true, ..TreeMove::default() };
    running.session.navigate_tree(&first, how).await.expect("a move");
    let prompt = running.asked().pop().expect("a request")[0].1.clone();
    let conversation = "<conversation>\n[Assistant]: 1.\n\n[User]: Edited\n</conversation>\n\n";
    assert!(prompt.starts_with(conversation), "{prompt}");
}

#[tokio::test]
async fn extensions_see_that_something_is_under_way() {
    let world = World::new(json!(["1.", "2.", "A summary."]));
    let seen = Log::default();
    let log = seen.clone();
    world.extend("look", move |registrar| {
        for name in ["session_before_tree", "before_provider_headers", "session_tree", "session_shutdown"] {
            let log = log.clone();
            registrar.on_json(name, move |event, ctx| {
                log.push((event["type"].as_str().unwrap_or_default().to_owned(), ctx.host().is_idle()));
                std::future::ready(Ok(None))
            });
        }
    });
    let running = talked(&world).await;
    seen.take();
    let (first, _) = running.session.fork_points()[0].clone();
    let how = TreeMove { summarize: true, ..TreeMove::default() };
    running.session.navigate_tree(&first, how).await.expect("a move");
    running.session.shut_down(SessionShutdownReason::Quit).await;
    let events = ["session_before_tree", "before_provider_headers", "session_tree", "session_shutdown"];
    let expected = events.map(|name| (name.to_owned(), name == "session_shutdown"));
    assert_eq!(seen.all(), expected);
}

/// The branch that is left is as it was; handlers of `session_tree` are on the new one.
#[tokio::test]
async fn tools_that_handlers_choose_belong_to_the_branch_that_is_open() {
    let world = World::new(json!(["1.", "2."]));
    world.extend("work", |registrar| recording(registrar, "work", &Log::default()));
    let choose: Log<&str> = Log::default();
    world.extend("chooses", |registrar| {
        for event in ["session_before_tree", "session_tree"] {
            let choose = choose.clone();
            registrar.on_json(event, move |_, ctx| {
                if choose.all() == [event] {
                    ctx.host().set_active_tools(&[]);
                }
                std::future::ready(Ok(None))
            });
        }
    });
    let running = talked(&world).await;
    let first = running.session.fork_points()[0].0.clone();
    let end = running.session.session().leaf().expect("a leaf").to_string();
    choose.push("session_before_tree");
    running.session.navigate_tree(&first, TreeMove::default()).await.expect("a move");
    assert_eq!(running.tool_records().len(), 1, "that of the first run");
    assert_eq!(running.active(), "work");
    choose.take();
    choose.push("session_tree");
    running.session.navigate_tree(&end, TreeMove::default()).await.expect("a move");
    assert_eq!(running.tool_records().len(), 2);
    assert_eq!(running.active(), "");
}
