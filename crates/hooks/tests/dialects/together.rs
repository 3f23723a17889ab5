//! All dialects in one session: groups nest, and each keeps its own rules.

use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::dialect::{DIALECTS, Dialect, OMP, ORIGINAL, PI, SHELL};
use tau_hooks::events::{
    BeforeAgentStart, Context, SessionBeforeCompact, SessionBeforeFork, SessionStart, ToolCall, ToolResult,
};
use tau_hooks::payload::{
    BeforeAgentStartEvent, CompactReason, CompactionPreparation, ContextEvent, ForkPosition, SessionBeforeCompactEvent,
    SessionBeforeForkEvent, SessionBeforeForkResult, SessionStartEvent, SessionStartReason, ToolCallResult,
};
use tau_testkit::Stage;

use super::{Log, call, content, failed, load, on, returned, text};

/// Loads two hooks of each dialect that handle an event, the innermost dialect first, which note their name and what
/// they see.
fn two_of_each(stage: &Stage, event: &'static str, log: &Log, see: fn(&Value) -> Value, answer: fn(&str) -> Value) {
    for dialect in DIALECTS.iter().rev() {
        for number in [1, 2] {
            let name = format!("{} {number}", dialect.id);
            noting(stage, dialect, (&name, event), log, (see, answer(&name)));
        }
    }
}

fn noting(
    stage: &Stage,
    dialect: &'static Dialect,
    (name, event): (&str, &str),
    log: &Log,
    (see, answer): (fn(&Value) -> Value, Value),
) {
    load(stage, dialect, name, |registrar| {
        let (log, answer, name) = (log.clone(), answer.clone(), name.to_owned());
        registrar.on_json(event, move |payload, _| {
            log.add(json!([name, see(&payload)]));
            std::future::ready(Ok(Some(answer.clone()).filter(|answer| !answer.is_null())))
        });
    });
}

#[tokio::test]
async fn before_a_tool_current_extensions_are_asked_first_and_scripts_last() {
    let (stage, log) = (Stage::new(), Log::default());
    two_of_each(&stage, "tool_call", &log, |_| json!(null), |_| json!(null));
    stage.fire::<ToolCall>(call("bash", json!({}))).await;
    let names = log.take().iter().map(|seen| seen[0].clone()).collect::<Vec<_>>();
    assert_eq!(names, ["pi 1", "pi 2", "omp 1", "omp 2", "original 1", "original 2", "shell 1", "shell 2"]);
}

#[tokio::test]
async fn any_block_stops_all_that_follow() {
    for (index, dialect) in DIALECTS.iter().enumerate() {
        let (stage, log) = (Stage::new(), Log::default());
        for other in DIALECTS {
            let answer =
                if std::ptr::eq(*other, *dialect) { json!({ "block": true, "reason": "no" }) } else { json!({}) };
            on(&stage, other, (other.id, "tool_call"), &log, answer);
        }
        let done = stage.fire::<ToolCall>(call("bash", json!({}))).await;
        assert_eq!((log.take().len(), done.stopped_by.map(|owner| owner.dialect.id)), (index + 1, Some(dialect.id)));
        assert_eq!(done.output, Some(ToolCallResult::block("no")));
    }
}

#[tokio::test]
async fn each_group_sees_the_arguments_as_those_before_it_left_them() {
    let (stage, log) = (Stage::new(), Log::default());
    for dialect in DIALECTS {
        load(&stage, dialect, dialect.id, |registrar| {
            let (log, id) = (log.clone(), dialect.id);
            registrar.on::<ToolCall>(move |call, _| {
                let command = call.input["command"].as_str().unwrap_or_default().to_owned();
                log.add(format!("{id}: {command}"));
                async move { Some(ToolCallResult::with_input(json!({ "command": format!("{command} {id}") }))) }
            });
        });
    }
    let after = stage.fold::<ToolCall>(call("bash", json!({ "command": "$" }))).await;
    assert_eq!(log.take(), ["pi: $", "omp: $ pi", "original: $ pi", "shell: $ pi original"]);
    assert_eq!(after.input, json!({ "command": "$ pi original shell" }));
}

#[tokio::test]
async fn after_a_tool_each_group_takes_what_the_one_inside_made_as_the_original() {
    let (stage, log) = (Stage::new(), Log::default());
    let see = |payload: &Value| payload["content"][0]["text"].clone();
    two_of_each(&stage, "tool_result", &log, see, |name| json!({ "content": content(name) }));
    let after = stage.fold::<ToolResult>(returned("tool")).await;
    let expected = [
        ["shell 1", "tool"],
        ["shell 2", "shell 1"],
        ["original 1", "shell 2"],
        ["original 2", "shell 2"],
        ["omp 1", "original 2"],
        ["omp 2", "original 2"],
        ["pi 1", "omp 2"],
        ["pi 2", "pi 1"],
    ];
    assert_eq!(log.take(), expected.map(|pair| json!(pair)));
    assert_eq!(text(&after), "pi 2");
}

#[tokio::test]
async fn a_failure_is_observed_by_some_and_mended_by_current_extensions() {
    let (stage, log) = (Stage::new(), Log::default());
    let see = |payload: &Value| json!([payload["content"][0]["text"], payload["isError"]]);
    for dialect in DIALECTS {
        let answer = json!({ "content": content(dialect.id), "isError": false });
        noting(&stage, dialect, (dialect.id, "tool_result"), &log, (see, answer));
    }
    let after = stage.fold::<ToolResult>(failed("broke")).await;
    let seen = ["shell", "omp", "pi"].map(|id| json!([id, ["broke", true]]));
    assert_eq!((log.take(), text(&after).as_str(), after.is_error), (seen.to_vec(), "pi", false));
}

#[tokio::test]
async fn all_messages_of_current_extensions_and_one_of_the_older_dialect_go_into_a_run() {
    let (stage, log) = (Stage::new(), Log::default());
    let message = |name: &str| json!({ "message": { "customType": name, "content": name }, "systemPrompt": name });
    two_of_each(&stage, "before_agent_start", &log, |_| json!(null), message);
    let event = BeforeAgentStartEvent {
        prompt: "p".into(),
        images: None,
        system_prompt: "s".into(),
        system_prompt_options: json!({}),
    };
    let done = stage.fire::<BeforeAgentStart>(event).await;
    assert_eq!(done.payload.map(|payload| payload.system_prompt).as_deref(), Some("pi 2"));
    let messages = done.output.expect("messages").messages();
    assert_eq!(messages.into_iter().map(|message| message.custom_type).collect::<Vec<_>>(), ["pi 1", "pi 2", "omp 1"]);
}

#[tokio::test]
async fn the_context_goes_through_one_group_and_then_the_next() {
    let stage = Stage::new();
    let user = |text: &str| json!({ "role": "user", "content": text, "timestamp": 0 });
    for (dialect, name) in [(&OMP, "omp 1"), (&PI, "pi 1"), (&OMP, "omp 2"), (&PI, "pi 2")] {
        load(&stage, dialect, name, |registrar| {
            let added = user(name);
            registrar.on_json("context", move |mut payload, _| {
                let list = payload["messages"].as_array_mut().expect("messages");
                list.push(added.clone());
                std::future::ready(Ok(Some(json!({ "messages": list }))))
            });
        });
    }
    let after = stage.fold::<Context>(ContextEvent { messages: Default::default() }).await;
    let expected =
        ["pi 1", "pi 2", "omp 1", "omp 2"].map(|text| serde_json::from_value::<Message>(user(text)).unwrap());
    assert_eq!(after.messages.iter().cloned().collect::<Vec<_>>(), expected);
}

fn compact() -> SessionBeforeCompactEvent {
    SessionBeforeCompactEvent {
        preparation: CompactionPreparation::default(),
        branch_entries: vec![],
        custom_instructions: None,
        reason: CompactReason::Manual,
        will_retry: false,
    }
}

#[tokio::test]
async fn before_a_session_changes_any_cancel_wins_and_otherwise_the_last_field_that_says_something() {
    let own = json!({ "compaction": { "summary": "pi", "firstKeptEntryId": "e1" } });
    for (omp, cancelled) in [(json!({ "cancel": false }), false), (json!({}), false), (json!({ "cancel": true }), true)]
    {
        let (stage, log) = (Stage::new(), Log::default());
        on(&stage, &PI, ("pi", "session_before_compact"), &log, own.clone());
        on(&stage, &OMP, ("omp", "session_before_compact"), &log, omp);
        let output = stage.fire::<SessionBeforeCompact>(compact()).await.output.expect("a result");
        let summary = output.compaction.map(|compaction| compaction.summary);
        assert_eq!((output.cancel == Some(true), summary.as_deref()), (cancelled, Some("pi")));
    }
    let (stage, log) = (Stage::new(), Log::default());
    on(&stage, &PI, ("pi", "session_before_compact"), &log, json!({ "cancel": true }));
    on(&stage, &OMP, ("omp", "session_before_compact"), &log, json!({}));
    let output = stage.fire::<SessionBeforeCompact>(compact()).await.output.expect("a result");
    assert_eq!((output.cancel, log.take().len()), (Some(true), 1), "the groups behind it are not asked");
}

#[tokio::test]
async fn a_branch_is_what_the_last_group_with_a_word_on_it_makes_it() {
    let skip = json!({ "skipConversationRestore": true });
    let event = || SessionBeforeForkEvent { entry_id: "e1".into(), position: ForkPosition::Before };
    let (stage, log) = (Stage::new(), Log::default());
    on(&stage, &PI, ("pi", "session_before_fork"), &log, skip.clone());
    on(&stage, &OMP, ("omp", "session_before_branch"), &log, json!({}));
    on(&stage, &ORIGINAL, ("original", "branch"), &log, json!({ "skipConversationRestore": false }));
    let output = stage.fire::<SessionBeforeFork>(event()).await.output;
    let kept = SessionBeforeForkResult { cancel: None, skip_conversation_restore: Some(true) };
    assert_eq!((log.take().len(), output), (3, Some(kept)));
    on(&stage, &ORIGINAL, ("aborts", "branch"), &log, skip);
    let output = stage.fire::<SessionBeforeFork>(event()).await.output.expect("a result");
    assert_eq!((log.take().len(), output.cancel), (4, Some(true)));
}

#[tokio::test]
async fn one_start_has_a_name_in_each_dialect() {
    let (stage, log) = (Stage::new(), Log::default());
    for (dialect, event) in [(&PI, "session_start"), (&OMP, "session_start"), (&ORIGINAL, "session")] {
        noting(&stage, dialect, (dialect.id, event), &log, (|payload| payload["type"].clone(), json!(null)));
    }
    assert_eq!((SHELL.event)("session_start"), None);
    let event = |reason| SessionStartEvent { reason, previous_session_file: None };
    stage.fire::<SessionStart>(event(SessionStartReason::Startup)).await;
    stage.fire::<SessionStart>(event(SessionStartReason::New)).await;
    let (pi, original) = (json!(["pi", "session_start"]), json!(["original", "session"]));
    let expected = [pi.clone(), json!(["omp", "session_start"]), original.clone(), pi, original];
    assert_eq!(log.take(), expected);
}
