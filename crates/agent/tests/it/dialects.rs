//! Hooks of the older dialects in a session: each dialect alone, and all of them at once.

use std::fs;

use serde_json::{Value, json};
use tau_hooks::dialect::{DIALECTS, Dialect, OMP, ORIGINAL, PI, SHELL};
use tau_hooks::events::{EventId, TABLE, ToolCall, ToolResult};
use tau_hooks::payload::{ForkPosition, ToolCallResult, ToolResultResult};
use tau_hooks::{Registrar, Replaced};
use tau_tools::{Invocation, ToolFailure, ToolOutput};

use crate::common::tools::{recording, spec};
use crate::common::{Log, Running, World, calls, messages};

/// A tool that fails.
fn broken(registrar: &mut Registrar) {
    registrar.tool(spec("broken"), |_: Invocation, _| async { Err::<ToolOutput, _>(ToolFailure::new("it broke")) });
}

/// Loads an extension of a dialect that notes those of its events that an older dialect has as well.
fn watch(world: &World, dialect: &'static Dialect, log: &Log<(&'static str, Value)>) {
    world.extend_as(dialect, dialect.id, |registrar| {
        for row in TABLE.iter().filter(|row| (OMP.rule)(row.id).is_some()) {
            let Some(rule) = (dialect.rule)(row.id) else { continue };
            let log = log.clone();
            registrar.on_json(rule.name, move |event, _| {
                log.push((dialect.id, event));
                std::future::ready(Ok(None))
            });
        }
    });
}

/// A prompt that leads to a call that works and to one that fails, another session, a fork, and the end.
async fn life(dialects: &[&'static Dialect]) -> Vec<(&'static str, Value)> {
    let both = calls([("c1", "work", json!({"text": "x"})), ("c2", "broken", json!({}))]);
    let world = World::new(json!([both, "Done.", "Two.", "Three."]));
    let log = Log::default();
    for dialect in dialects {
        watch(&world, dialect, &log);
    }
    let ran = Log::default();
    world.extend("tools", |registrar| {
        recording(registrar, "work", &ran);
        broken(registrar);
    });
    let running = world.start().await;
    running.say("One").await;
    running.say("/new").await;
    running.say("Two").await;
    running.say("Three").await;
    let (last, _) = running.session.fork_points()[1].clone();
    running.session.fork(&last, ForkPosition::Before).await.expect("a fork");
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    assert_eq!(ran.all(), [json!({"text": "x"})]);
    assert_eq!(world.reports.all(), []);
    log.all()
}

/// The name of an event with what tells one from another.
fn brief(event: &Value) -> String {
    let name = event["type"].as_str().expect("a type");
    let details = ["reason", "toolCallId", "isError", "turnIndex"].map(|field| event.get(field));
    let details = details.into_iter().flatten().map(|value| format!(" {}", value.to_string().replace('"', "")));
    format!("{name}{}", details.collect::<String>())
}

fn outline(log: &[(&str, Value)], dialect: &Dialect) -> Vec<String> {
    log.iter().filter(|(id, _)| *id == dialect.id).map(|(_, event)| brief(event)).collect()
}

#[tokio::test]
async fn original_hooks_hear_what_they_always_heard() {
    let heard = outline(&life(&[&ORIGINAL]).await, &ORIGINAL);
    assert_eq!(
        heard,
        [
            "session start",
            "agent_start",
            "turn_start 0",
            "tool_call c1",
            "tool_result c1 false",
            "tool_call c2",
            "turn_end 0",
            "turn_start 1",
            "turn_end 1",
            "agent_end",
            // This and the end are told only to those who know of them.
            "session before_switch new",
            "session clear",
            "agent_start",
            "turn_start 0",
            "turn_end 0",
            "agent_end",
            "agent_start",
            "turn_start 0",
            "turn_end 0",
            "agent_end",
            "branch",
            "session switch",
            "session shutdown quit",
        ]
    );
}

#[tokio::test]
async fn hooks_of_oh_my_pi_hear_what_they_always_heard() {
    let heard = outline(&life(&[&OMP]).await, &OMP);
    let lines = [
        "session_start startup",
        "before_agent_start",
        "agent_start",
        "turn_start 0",
        "context",
        "tool_call c1",
        "tool_result c1 false",
        "tool_call c2",
        "tool_result c2 true",
        "turn_end 0",
        "turn_start 1",
        "context",
        "turn_end 1",
        "agent_end",
        "session_before_switch new",
        "session_switch new",
    ];
    assert_eq!(heard[..lines.len()], lines);
    let end = heard[lines.len()..].iter().filter(|line| line.starts_with("session")).collect::<Vec<_>>();
    assert_eq!(end, ["session_before_branch", "session_branch", "session_shutdown quit"]);
}

#[tokio::test]
async fn scripts_hear_of_tools_and_of_the_moments_that_commands_have() {
    let heard = outline(&life(&[&SHELL]).await, &SHELL);
    let lines = [
        "SessionStart startup",
        "tool_call c1",
        "tool_result c1 false",
        "tool_call c2",
        "tool_result c2 true",
        "SessionEnd new",
        "SessionStart new",
        "SessionEnd fork",
        "SessionStart fork",
        "SessionEnd quit",
    ];
    assert_eq!(heard, lines);
}

#[tokio::test]
async fn side_by_side_each_dialect_hears_what_it_hears_alone() {
    let all = life(DIALECTS).await;
    for dialect in DIALECTS {
        assert_eq!(outline(&all, dialect), outline(&life(&[dialect]).await, dialect), "{}", dialect.id);
    }
    let of = |name: &str| all.iter().filter(|(_, event)| event["type"] == name).map(|(id, _)| *id).collect::<Vec<_>>();
    assert_eq!(of("tool_call")[..4], ["pi", "omp", "original", "shell"]);
    assert_eq!(of("tool_result"), ["shell", "original", "omp", "pi", "shell", "omp", "pi"]);
}

/// What the model reads when each of these dialects has two hooks that filter results, in one session.
async fn filtered(dialects: &[&'static Dialect], tool: &str) -> (Value, Value) {
    let world = World::new(json!([calls([("c1", tool, json!({"text": "x"}))]), "Done."]));
    for dialect in dialects {
        for number in [1, 2] {
            let name = format!("{} {number}", dialect.id);
            world.extend_as(dialect, &name, |registrar| {
                let name = name.clone();
                registrar.on::<ToolResult>(move |result, _| {
                    let before = result.content.iter().filter_map(|block| block.as_text()).collect::<String>();
                    let content = vec![tau_ai::ContentBlock::text(format!("{before} > {name}"))];
                    let first = ToolResultResult { content: Some(content), ..ToolResultResult::default() };
                    let second = ToolResultResult { details: Some(json!(name)), ..ToolResultResult::default() };
                    let result = if number == 1 { first } else { second };
                    async move { Some(ToolResultResult { is_error: Some(true), ..result }) }
                });
            });
        }
    }
    let ran = Log::default();
    world.extend("tools", |registrar| {
        recording(registrar, "work", &ran);
        broken(registrar);
    });
    let running = world.start().await;
    running.say("Go").await;
    let message = &running.script.requests()[1]["messages"][2];
    (message["content"][0]["text"].clone(), json!([message["details"], message["isError"]]))
}

#[tokio::test]
async fn results_are_filtered_by_the_rules_of_each_dialect_and_in_the_order_of_the_groups() {
    let cases: [(&[&'static Dialect], &str, &str, Value); 8] = [
        (&[&PI], "work", "did x > pi 1", json!(["pi 2", true])),
        (&[&OMP], "work", "did x", json!(["omp 2", false])),
        (&[&ORIGINAL], "work", "did x", json!(["original 2", false])),
        (&[&SHELL], "work", "did x > shell 1", json!(["shell 2", false])),
        (DIALECTS, "work", "did x > shell 1 > pi 1", json!(["pi 2", true])),
        (&[&OMP, &ORIGINAL, &SHELL], "broken", "it broke", json!([{}, true])),
        (&[&PI], "broken", "it broke > pi 1", json!(["pi 2", true])),
        (DIALECTS, "broken", "it broke > pi 1", json!(["pi 2", true])),
    ];
    for (dialects, tool, text, rest) in cases {
        let ids = dialects.iter().map(|dialect| dialect.id).collect::<Vec<_>>();
        assert_eq!(filtered(dialects, tool).await, (json!(text), rest), "{ids:?} {tool}");
    }
}

#[tokio::test]
async fn a_hook_that_blocks_a_custom_tool_without_a_reason_has_the_words_of_its_dialect() {
    for dialect in DIALECTS {
        let world = World::new(json!([calls([("c1", "work", json!({}))]), "Done."]));
        world.extend_as(dialect, "gate", |registrar| {
            registrar.on_json("tool_call", |_, _| async { Ok(Some(json!({"block": true}))) });
        });
        let ran = Log::default();
        world.extend("tools", |registrar| recording(registrar, "work", &ran));
        let running = world.start().await;
        running.say("Go").await;
        let text = format!("{}: <native:gate> gives no reason", dialect.default_block_reason);
        assert_eq!((&running.asked()[1][2].1, ran.all()), (&text, vec![]));
    }
}

#[tokio::test]
async fn an_original_hook_has_the_time_of_the_setting_but_a_gate_all_it_needs() {
    let world = World::new(json!([calls([("c1", "work", json!({"text": "x"}))]), "Done."]));
    let world = world.settings(json!({"hookTimeout": 20}));
    world.extend_as(&ORIGINAL, "slow", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {
            tokio::time::sleep(std::time::Duration::from_millis(80)).await;
            Some(ToolCallResult::with_input(json!({"text": "late"})))
        });
        registrar.on::<ToolResult>(|_, _| std::future::pending::<()>());
    });
    let ran = Log::default();
    world.extend("tools", |registrar| recording(registrar, "work", &ran));
    let running = world.start().await;
    running.say("Go").await;
    assert_eq!(ran.all(), [json!({"text": "late"})]);
    assert_eq!(running.asked()[1][2].1, "did late");
    let report = ("<native:slow>", "tool_result", "Hook timed out after 20ms");
    assert_eq!(world.reports.all(), [(report.0.into(), report.1.into(), report.2.into())]);
}

#[tokio::test]
async fn zero_is_no_limit_for_an_original_hook() {
    let world = World::new(json!([calls([("c1", "work", json!({"text": "x"}))]), "Done."]));
    let world = world.settings(json!({"hookTimeout": 0}));
    world.extend_as(&ORIGINAL, "slow", |registrar| {
        registrar.on_json("tool_result", |_, _| async {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            Ok(Some(json!({"content": [{"type": "text", "text": "late"}]})))
        });
    });
    let ran = Log::default();
    world.extend("tools", |registrar| recording(registrar, "work", &ran));
    let running = world.start().await;
    running.say("Go").await;
    assert_eq!((running.asked()[1][2].1.as_str(), world.reports.all()), ("late", vec![]));
}

#[tokio::test]
async fn who_sets_an_argument_to_a_wrong_type_is_named() {
    let call = calls([("c1", "bash", json!({"command": "echo x"}))]);
    let world = World::new(json!([call, "Done."])).with_builtin_tools();
    world.extend_as(&ORIGINAL, "looks", |registrar| {
        registrar.on_json("tool_call", |_, _| async { Ok(None) });
    });
    world.extend_as(&ORIGINAL, "careless", |registrar| {
        registrar.on::<ToolCall>(|_, _| async { Some(ToolCallResult::with_input(json!({"command": ["ls"]}))) });
    });
    let running = world.start().await;
    running.say("Go").await;
    let read = &running.asked()[1][2].1;
    assert!(read.contains("The arguments were changed by <native:careless> and do not fit."), "{read}");
}

/// Lets the model edit a file, with a hook before the tool. Gives the file and what the model reads.
async fn edited(dialect: &'static Dialect, edits: Value, hook: fn(&mut Value) -> bool) -> (String, String) {
    let call = calls([("c1", "edit", json!({"path": "a.env", "edits": edits}))]);
    let world = World::new(json!([call, "Done."])).with_builtin_tools();
    let file = world.home.write("a.env", "one\ntwo\nthree\n");
    world.extend_as(dialect, "hook", |registrar| {
        registrar.on::<ToolCall>(move |call, _| async move {
            let mut input = call.input;
            if hook(&mut input) {
                Some(ToolCallResult::block("no secrets"))
            } else {
                Some(ToolCallResult::with_input(input))
            }
        });
    });
    let running = world.start().await;
    running.say("Go").await;
    (fs::read_to_string(file).expect("the file"), running.asked()[1][2].1.clone())
}

#[tokio::test]
async fn a_gate_that_knows_the_older_form_of_an_edit_guards_all_of_them() {
    let edits = json!([{"oldText": "one", "newText": "1"}, {"oldText": "three", "newText": "KEY=SECRET"}]);
    for dialect in [&OMP, &ORIGINAL, &SHELL] {
        let secret = |input: &mut Value| input["newText"].as_str().is_some_and(|text| text.contains("SECRET"));
        let done = edited(dialect, edits.clone(), secret).await;
        assert_eq!(done, ("one\ntwo\nthree\n".to_owned(), "no secrets".to_owned()), "{}", dialect.id);
    }
}

#[tokio::test]
async fn a_changed_edit_reaches_the_file_or_is_not_made() {
    let one = json!([{"oldText": "one", "newText": "1"}]);
    let two = json!([{"oldText": "one", "newText": "1"}, {"oldText": "three", "newText": "3"}]);
    let older = |input: &mut Value| {
        input["newText"] = json!("uno");
        false
    };
    let present = |input: &mut Value| {
        input["edits"][0]["newText"] = json!("uno");
        false
    };
    for dialect in [&ORIGINAL, &SHELL] {
        assert_eq!(edited(dialect, one.clone(), older).await.0, "uno\ntwo\nthree\n");
        assert_eq!(edited(dialect, one.clone(), present).await.0, "uno\ntwo\nthree\n");
        assert_eq!(edited(dialect, two.clone(), present).await.0, "uno\ntwo\n3\n");
        let (file, text) = edited(dialect, two.clone(), older).await;
        assert_eq!(file, "one\ntwo\nthree\n", "nothing is written");
        assert!(text.starts_with("Blocked: extension <native:hook> returned a malformed result: "), "{text}");
    }
    assert_eq!(edited(&OMP, one, older).await.0, "1\ntwo\nthree\n");
}

/// A session with two prompts, and a hook that says what to leave of the conversation.
async fn branching(dialect: &'static Dialect, answer: Value) -> (World, Running, Replaced, Log<Value>) {
    let world = World::new(json!(["1.", "2.", "3."]));
    let log = Log::default();
    world.extend_as(dialect, "hook", |registrar| {
        for event in [EventId::SessionStart, EventId::SessionBeforeFork, EventId::SessionFork] {
            let (log, answer) = (log.clone(), answer.clone());
            let Some(rule) = (dialect.rule)(event) else { continue };
            registrar.on_json(rule.name, move |event, _| {
                log.push(event);
                std::future::ready(Ok(Some(answer.clone())))
            });
        }
    });
    let running = world.start().await;
    running.say("One").await;
    running.say("Two").await;
    log.take();
    let (second, _) = running.session.fork_points()[1].clone();
    let done = running.session.fork(&second, ForkPosition::Before).await.expect("a fork");
    (world, running, done, log)
}

#[tokio::test]
async fn a_branch_without_its_conversation_is_another_thing_in_each_dialect() {
    let all = messages([("user", "One"), ("assistant", "1."), ("user", "Two"), ("assistant", "2.")]);
    let skip = json!({"skipConversationRestore": true});
    let brief = |log: &Log<Value>| log.take().iter().map(brief).collect::<Vec<_>>();

    let (world, running, done, log) = branching(&ORIGINAL, skip.clone()).await;
    assert_eq!((done.cancelled, running.conversation(), world.home.session_files().len()), (true, all.clone(), 1));
    assert_eq!(brief(&log), ["branch"]);

    let (world, running, done, log) = branching(&OMP, skip).await;
    assert_eq!((done.cancelled, running.conversation(), world.home.session_files().len()), (false, all.clone(), 2));
    assert_eq!(running.session.session().context().messages.len(), 2, "the file is as short as it should be");
    assert_eq!(brief(&log), ["session_before_branch", "session_branch"]);

    let (world, running, done, log) = branching(&ORIGINAL, json!({})).await;
    assert_eq!((done.cancelled, running.conversation(), world.home.session_files().len()), (false, all[..2].into(), 2));
    let seen = log.take();
    assert_eq!(seen.iter().map(|event| event["type"].clone()).collect::<Vec<_>>(), ["branch", "session"]);
    let index = seen[0]["targetTurnIndex"].as_u64().expect("an index") as usize;
    let target = &seen[0]["entries"][index];
    assert_eq!((&target["message"]["content"][0]["text"], &target["id"]), (&json!("Two"), &seen[0]["targetEntryId"]));
    let files = [&seen[1]["previousSessionFile"], &seen[1]["sessionFile"]];
    let open = running.session.session().file().expect("a file").display().to_string();
    assert!(files[0].is_string() && files[0] != files[1] && *files[1] == open, "{files:?}");
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_ask_for_as_long_as_the_user_takes() {
    use tau_hooks::dialogs::{DialogAnswer, DialogEvent};
    let world = World::new(json!(["1.", "2."])).settings(json!({"hookTimeout": 20}));
    world.extend_as(&ORIGINAL, "asks", |registrar| {
        registrar.on_json("branch", |_, ctx| async move {
            let choice = ctx.ui().select("Branch?", &["Yes", "No"]).await;
            Ok(Some(json!({"skipConversationRestore": choice.as_deref() == Some("No")})))
        });
    });
    let mut user = world.hooks.dialogs.subscribe();
    let answering = tokio::spawn(async move {
        while let Some(event) = user.recv().await {
            if let DialogEvent::Opened(request) = event {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                let _ = user.answer(request.id(), DialogAnswer::Value("No".into()));
            }
        }
    });
    let running = world.start().await;
    running.say("One").await;
    let (first, _) = running.session.fork_points()[0].clone();
    let done = running.session.fork(&first, ForkPosition::Before).await.expect("an answer");
    assert_eq!((done.cancelled, world.reports.all()), (true, vec![]));
    answering.abort();
}
