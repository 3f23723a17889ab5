//! Prompts and the context of a request.

use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::Messages;
use tau_hooks::dialect::{OMP, ORIGINAL, PI};
use tau_hooks::events::{BeforeAgentStart, Context, TurnEnd};
use tau_hooks::payload::{
    BeforeAgentStartEvent, BeforeAgentStartResult, BoundaryState, ContextEvent, ContextResult, EntryDraft, StartedBy,
    TurnEndEvent,
};

use super::{Log, load, on, stage};

fn start() -> BeforeAgentStartEvent {
    BeforeAgentStartEvent {
        message_type: StartedBy::User,
        message: None,
        prompt: "p".into(),
        images: None,
        system_prompt: "s".into(),
        system_prompt_options: json!({ "cwd": "/" }),
    }
}

fn message(kind: &str) -> Value {
    json!({ "message": { "customType": kind, "content": kind, "display": true } })
}

fn kinds(output: Option<BeforeAgentStartResult>) -> Vec<String> {
    output.into_iter().flat_map(BeforeAgentStartResult::messages).map(|message| message.custom_type).collect()
}

#[tokio::test]
pub(super) async fn of_two_messages_one_is_kept_and_the_system_prompt_stays() {
    for (dialect, expected, prompt) in [(&PI, vec!["a", "b"], "other"), (&OMP, vec!["a"], "s")] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("none", "before_agent_start"), &log, json!({}));
        on(&stage, dialect, ("prompt", "before_agent_start"), &log, json!({ "systemPrompt": "other" }));
        on(&stage, dialect, ("a", "before_agent_start"), &log, message("a"));
        on(&stage, dialect, ("b", "before_agent_start"), &log, message("b"));
        let done = stage.fire::<BeforeAgentStart>(start()).await;
        assert_eq!(log.take().len(), 4, "{}: all are called", dialect.id);
        assert_eq!(done.payload.map(|payload| payload.system_prompt).as_deref(), Some(prompt), "{}", dialect.id);
        assert_eq!(kinds(done.output), expected, "{}", dialect.id);
        let unknown = stage.take_reports().iter().map(|report| report.message()).collect::<Vec<_>>();
        assert_eq!(unknown.len(), usize::from(dialect.id == "omp"), "{unknown:?}");
    }
}

#[tokio::test]
pub(super) async fn a_prompt_is_shown_without_the_system_prompt() {
    let (stage, log) = (stage(), Log::default());
    on(&stage, &OMP, ("a", "before_agent_start"), &log, json!(null));
    stage.fire::<BeforeAgentStart>(start()).await;
    assert_eq!(log.take(), [json!({ "type": "before_agent_start", "prompt": "p" })]);
}

#[tokio::test]
pub(super) async fn original_hooks_have_neither_prompts_nor_the_context() {
    let (stage, log) = (stage(), Log::default());
    for event in ["before_agent_start", "context", "session_start", "input", "no_such_event"] {
        on(&stage, &ORIGINAL, (event, event), &log, message("a"));
    }
    assert!(stage.fire::<BeforeAgentStart>(start()).await.output.is_none());
    assert_eq!((log.take().len(), stage.take_reports().len()), (0, 0), "any name is taken without a word");
}

fn user(text: &str) -> Message {
    serde_json::from_value(json!({ "role": "user", "content": text, "timestamp": 0 })).expect("a message")
}

#[tokio::test]
pub(super) async fn the_context_goes_from_hook_to_hook_past_one_that_fails() {
    let stage = stage();
    for (name, fails) in [("a", false), ("b", true), ("c", false)] {
        load(&stage, &OMP, name, move |registrar| {
            registrar.on::<Context>(move |event, _| async move {
                let mut messages = event.messages;
                messages.push(user(name));
                if fails {
                    Err(tau_hooks::HandlerError::msg("boom"))
                } else {
                    Ok(Some(ContextResult { messages: Some(messages) }))
                }
            });
        });
    }
    let after = stage.fold::<Context>(ContextEvent { messages: [user("x")].into_iter().collect() }).await;
    assert_eq!(after.messages.iter().cloned().collect::<Vec<_>>(), [user("x"), user("a"), user("c")]);
    let [report] = &stage.take_report_texts()[..] else { panic!("one report") };
    assert!(report.starts_with("Hook error (<native:b>): boom [context at "), "{report}");
}

#[tokio::test]
pub(super) async fn the_end_of_a_turn_is_only_told() {
    let entry = json!({ "type": "custom", "customType": "a" });
    for dialect in [&OMP, &ORIGINAL] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "turn_end"), &log, json!({ "continue": true, "entries": [entry], "x": 1 }));
        on(&stage, dialect, ("b", "turn_end"), &log, json!("whatever"));
        let answer = std::sync::Arc::new(user("x"));
        let event = TurnEndEvent {
            turn_index: 3,
            message: answer.clone(),
            response: answer.clone(),
            tool_results: Messages::new(),
            message_entry_id: "e1".into(),
            tool_result_entry_ids: vec![],
            boundary: BoundaryState {
                entries: vec![EntryDraft::Custom { custom_type: "theirs".into(), data: None }],
                ..BoundaryState::default()
            },
        };
        let done = stage.fire::<TurnEnd>(event).await;
        assert!(done.output.is_none() && done.payload.is_some_and(|payload| payload.boundary.entries.len() == 1));
        let message = json!({ "role": "user", "content": "x", "timestamp": 0 });
        let seen = json!({
            "type": "turn_end", "turnIndex": 3, "message": message, "response": message, "toolResults": [],
            "messageEntryId": "e1", "toolResultEntryIds": [],
        });
        assert_eq!(log.take(), [seen.clone(), seen], "{}", dialect.id);
        assert_eq!(stage.take_reports().len(), 0);
    }
}
