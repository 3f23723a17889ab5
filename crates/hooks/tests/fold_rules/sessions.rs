//! The questions before a session changes, and events that nobody can change.

use serde_json::{Value, json};
use tau_hooks::events::{
    AgentStart, ModelSelect, SessionBeforeCompact, SessionBeforeFork, SessionBeforeSwitch, SessionBeforeTree,
    SessionCompacting, SessionInfoChanged,
};
use tau_hooks::payload::{
    CompactReason, CompactionPreparation, Empty, ForkPosition, ModelSelectEvent, ModelSelectSource,
    SessionBeforeCompactEvent, SessionBeforeForkEvent, SessionBeforeSwitchEvent, SessionBeforeTreeEvent,
    SessionCompactingEvent, SessionInfoChangedEvent, SwitchReason, TreePreparation,
};
use tau_hooks::{Event, Messages};

use super::{Round, Style, both, run, to_json};

fn switch() -> SessionBeforeSwitchEvent {
    SessionBeforeSwitchEvent { reason: SwitchReason::Resume, target_session_file: Some("/s/b.jsonl".into()) }
}

fn fork() -> SessionBeforeForkEvent {
    SessionBeforeForkEvent { entry_id: "e7".into(), position: ForkPosition::Before }
}

fn compact() -> SessionBeforeCompactEvent {
    SessionBeforeCompactEvent {
        preparation: CompactionPreparation { tokens_before: 9, ..CompactionPreparation::default() },
        branch_entries: vec![json!({ "id": "e1" })],
        custom_instructions: None,
        reason: CompactReason::Manual,
        will_retry: false,
    }
}

fn tree() -> SessionBeforeTreeEvent {
    let preparation = TreePreparation { target_id: "e1".to_owned(), ..TreePreparation::default() };
    SessionBeforeTreeEvent { preparation }
}

/// `one` and `two` are results that do not cancel.
async fn last_with_cancel<E: Event>(payload: E::Payload, one: Value, two: Value) {
    let before = to_json(&payload);
    let cancel = json!({ "cancel": true });
    let round = |calls: usize, output: &Value, stopped_by| Round {
        seen: vec![before.clone(); calls],
        payload: before.clone(),
        output: Some(output.clone()),
        stopped_by,
        reports: vec![],
    };
    let results = [Some(one.clone()), None, Some(two.clone()), None];
    assert_eq!(both::<E>(payload.clone(), &results).await, round(4, &two, None));
    let results = [Some(one.clone()), Some(cancel.clone()), Some(two)];
    assert_eq!(both::<E>(payload.clone(), &results).await, round(2, &cancel, Some(1)));
    let no_cancel = json!({ "cancel": false });
    assert_eq!(both::<E>(payload, &[Some(one), Some(no_cancel.clone())]).await, round(2, &no_cancel, None));
}

#[tokio::test]
async fn the_last_result_counts_and_cancel_ends_the_round() {
    last_with_cancel::<SessionBeforeSwitch>(switch(), json!({ "cancel": false }), json!({})).await;
    last_with_cancel::<SessionBeforeFork>(fork(), json!({}), json!({ "skipConversationRestore": true })).await;
    let summary = |text: &str| json!({ "summary": text, "firstKeptEntryId": "e1", "tokensBefore": 1 });
    let (one, two) = (json!({ "compaction": summary("one") }), json!({ "compaction": summary("two") }));
    last_with_cancel::<SessionBeforeCompact>(compact(), one, two).await;
    let (one, two) =
        (json!({ "summary": { "summary": "s" } }), json!({ "label": "left", "replaceInstructions": true }));
    last_with_cancel::<SessionBeforeTree>(tree(), one, two).await;
}

#[tokio::test]
async fn a_malformed_cancel_is_reported_and_cancels_nothing() {
    for bad in [json!({ "cancel": "yes" }), json!({ "cancel": 1 }), json!(true), json!("cancel"), json!([])] {
        let results = [Some(bad.clone()), Some(json!({ "cancel": false }))];
        let round = run::<SessionBeforeSwitch>(Style::Json, switch(), &results).await;
        assert_eq!((round.output, round.stopped_by), (Some(json!({ "cancel": false })), None), "{bad}");
        assert_eq!(round.reports.len(), 1, "{bad}");
    }
}

#[tokio::test]
async fn every_handler_of_a_whole_result_sees_the_original() {
    let event = SessionCompactingEvent { session_id: "s".into(), messages: Messages::new() };
    let results = [Some(json!({ "prompt": "one", "context": ["fact"] })), None, Some(json!({ "prompt": "two" }))];
    let before = to_json(&event);
    assert_eq!(
        both::<SessionCompacting>(event, &results).await,
        Round {
            seen: vec![before.clone(); 3],
            payload: before,
            output: Some(json!({ "prompt": "two" })),
            stopped_by: None,
            reports: vec![],
        }
    );
}

#[tokio::test]
async fn results_of_observers_are_ignored_whatever_they_are() {
    async fn observe<E: Event>(payload: E::Payload) {
        let before = to_json(&payload);
        for result in [json!({ "block": true }), json!({ "cancel": true }), json!("x"), json!([1]), json!(true)] {
            let expected = Round {
                seen: vec![before.clone(); 2],
                payload: before.clone(),
                output: None,
                stopped_by: None,
                reports: vec![],
            };
            assert_eq!(run::<E>(Style::Json, payload.clone(), &[Some(result.clone()), None]).await, expected);
        }
    }
    observe::<AgentStart>(Empty {}).await;
    observe::<SessionInfoChanged>(SessionInfoChangedEvent { name: Some("n".into()) }).await;
    let model = std::sync::Arc::new(tau_testkit::host::model("p", "m"));
    let source = ModelSelectSource::Set;
    observe::<ModelSelect>(ModelSelectEvent { model, previous_model: None, source }).await;
}
