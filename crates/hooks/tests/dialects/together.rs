//! All dialects in one session: groups nest, and each keeps its own rules.

use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::dialect::{DIALECTS, Dialect, OMP, ORIGINAL, PI, SHELL};
use tau_hooks::events::{
    BeforeAgentStart, Context, SessionBeforeCompact, SessionBeforeFork, SessionStart, ToolCall, ToolResult,
};
use tau_hooks::payload::{
    BeforeAgentStartEvent, CompactReason, CompactionPreparation, ContextEvent, ForkPosition, SessionBeforeCompactEvent,
    SessionBeforeForkEvent, SessionBeforeForkResult, SessionStartEvent, SessionStartReason, StartedBy, ToolCallResult,
};
use tau_testkit::Stage;

use super::{CROWDED, Log, call, content, edits, failed, failures, load, on, prompts, returned, sessions, text, tools};

/// The tests of a dialect alone, with hooks of all the others standing by.
#[test]
fn what_a_dialect_does_alone_it_does_beside_the_others() {
    CROWDED.set(true);
    let tests: &[fn()] = &[
        tools::fields_of_two_results_are_put_together_for_current_extensions_only,
        tools::later_hooks_of_the_older_dialects_see_what_the_tool_returned,
        tools::an_empty_object_takes_an_earlier_result_back,
        tools::only_current_extensions_make_an_error_of_a_result,
        tools::null_says_nothing_to_the_older_dialects,
        tools::the_one_text_that_a_result_once_was_is_taken_from_original_hooks,
        tools::a_tool_that_fails_is_told_as_each_dialect_has_it,
        tools::what_a_hook_throws_keeps_the_tool_from_running_in_every_dialect,
        tools::the_first_block_ends_the_round_and_says_so_with_the_words_of_its_dialect,
        tools::a_changed_input_reaches_the_tool_unless_hooks_get_a_copy,
        tools::an_original_hook_that_takes_too_long_is_given_up_but_not_at_the_gate,
        tools::the_limit_is_for_each_hook_and_not_for_dialogs,
        prompts::of_two_messages_one_is_kept_and_the_system_prompt_stays,
        prompts::a_prompt_is_shown_without_the_system_prompt,
        prompts::original_hooks_have_neither_prompts_nor_the_context,
        prompts::the_context_goes_from_hook_to_hook_past_one_that_fails,
        prompts::the_end_of_a_turn_is_only_told,
        sessions::whoever_cancels_first_ends_the_round,
        sessions::a_later_result_takes_the_place_of_an_earlier_one,
        sessions::what_to_leave_of_a_conversation_means_another_thing_to_each,
        sessions::original_hooks_of_a_branch_are_all_asked_and_the_last_one_decides,
        sessions::a_start_is_told_as_each_dialect_has_it,
        sessions::whoever_is_loaded_for_a_session_is_told_that_it_starts,
        sessions::the_end_is_told_when_the_program_ends,
        sessions::branches_have_their_older_names,
        sessions::who_wrote_a_summary_is_told_under_both_names,
        sessions::of_two_wishes_for_a_summary_the_last_counts_as_a_whole,
        sessions::a_move_in_the_tree_has_no_bookmark_in_the_older_dialect,
        sessions::original_hooks_get_the_branch_as_a_list,
        sessions::a_session_in_memory_has_no_file_and_an_empty_one_no_entries,
        sessions::a_native_hook_may_use_the_types_of_the_events,
        edits::a_gate_that_reads_the_older_form_sees_all_edits,
        edits::both_forms_are_there_before_and_after_the_tool,
        edits::a_change_of_either_form_reaches_the_tool,
        edits::a_change_that_does_not_say_which_edit_is_meant_shuts_the_gate,
        edits::the_next_hook_sees_both_forms_of_what_the_one_before_made,
        edits::other_tools_have_no_older_form,
        failures::a_failing_hook_is_told_by_its_kind_and_the_next_one_runs,
        failures::a_failure_names_the_event_as_the_hook_knows_it,
        failures::a_failing_command_is_told_by_its_kind,
        failures::of_commands_of_one_name_the_first_is_used_and_current_ones_keep_theirs,
        failures::original_hooks_are_not_told_of_a_client_that_shows_their_dialogs,
        failures::where_nobody_can_be_asked_a_hook_gets_the_answer_of_somebody_who_leaves,
        failures::a_change_without_effect_is_told_once,
    ];
    tests.iter().for_each(|test| test());
}

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
        message_type: StartedBy::User,
        message: None,
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
