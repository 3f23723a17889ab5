//! `turn_end` and `agent_before_settle`: entries, the wish to go on, and the preview of both.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::Messages;
use tau_hooks::events::{AgentBeforeSettle, TurnEnd};
use tau_hooks::payload::{
    AgentBeforeSettleEvent, BoundaryPreview, BoundaryResult, BoundaryState, EntryDraft, Outcome, TurnEndEvent,
};
use tau_testkit::Stage;

use super::{Round, Style, both, from_json, run, to_json, with};

fn turn_end() -> TurnEndEvent {
    let answer: Arc<Message> = Arc::new(from_json(&json!({ "role": "assistant", "content": [], "timestamp": 1 })));
    TurnEndEvent {
        turn_index: 0,
        message: Arc::clone(&answer),
        response: answer,
        tool_results: Messages::new(),
        message_entry_id: "e1".into(),
        tool_result_entry_ids: vec![],
        boundary: BoundaryState::default(),
    }
}

fn settle() -> AgentBeforeSettleEvent {
    AgentBeforeSettleEvent { boundary: BoundaryState { outcome: Outcome::Aborted, ..BoundaryState::default() } }
}

fn entry(name: &str) -> Value {
    json!({ "type": "custom", "customType": name, "data": { "n": 1 } })
}

#[tokio::test]
async fn entries_and_the_wish_to_go_on_are_passed_along() {
    let results = [
        Some(json!({ "entries": [entry("a")] })),
        Some(json!({ "continue": true })),
        Some(json!({})),
        Some(json!({ "entries": [entry("a"), entry("b")], "continue": false })),
        None,
    ];
    let check = |round: Round, before: Value| {
        let one = with(&before, json!({ "entries": [entry("a")] }));
        let two = with(&one, json!({ "continue": true }));
        let four = with(&before, json!({ "entries": [entry("a"), entry("b")] }));
        let expected = Round {
            seen: vec![before, one, two.clone(), two, four.clone()],
            payload: four,
            output: Some(json!({ "entries": [entry("a"), entry("b")], "continue": false })),
            stopped_by: None,
            reports: vec![],
        };
        assert_eq!(round, expected);
    };
    check(both::<TurnEnd>(turn_end(), &results).await, to_json(&turn_end()));
    check(both::<AgentBeforeSettle>(settle(), &results).await, to_json(&settle()));
}

#[tokio::test]
async fn every_kind_of_entry_can_be_proposed() {
    let drafts = json!([
        entry("a"),
        { "type": "custom_message", "customType": "m", "content": "text", "display": true },
        { "type": "context_edit", "targetId": "e1", "replacement": null },
        { "type": "context_edit", "targetId": "e1", "replacement": { "content": "less" } },
        { "type": "compaction", "summary": "s", "firstKeptEntryId": null },
    ]);
    let round = both::<TurnEnd>(turn_end(), &[Some(json!({ "entries": drafts }))]).await;
    assert_eq!(round.payload["entries"], drafts);
}

#[tokio::test]
async fn an_unknown_kind_of_entry_is_refused_with_the_whole_result() {
    let result = json!({ "entries": [entry("a"), { "type": "label", "targetId": "e1" }], "continue": true });
    let round = run::<TurnEnd>(Style::Json, turn_end(), &[Some(result)]).await;
    assert_eq!((round.payload, round.output), (to_json(&turn_end()), None));
    assert_eq!(round.reports.len(), 1);
}

#[tokio::test]
async fn each_result_is_followed_by_a_new_preview() {
    let stage = Stage::new();
    let previews = Arc::new(Mutex::new(Vec::new()));
    for name in ["a", "b"] {
        let previews = Arc::clone(&previews);
        stage.add(name, move |registrar| {
            let previews = Arc::clone(&previews);
            registrar.on::<TurnEnd>(move |event, _| {
                let mut entries = event.boundary.entries;
                previews.lock().push((entries.len(), event.boundary.context.can_continue));
                entries.push(EntryDraft::Custom { custom_type: name.to_owned(), data: None });
                async move { Some(BoundaryResult { entries: Some(entries), go_on: None }) }
            });
        });
    }
    // Observers that say nothing give no reason for a new preview.
    stage.add("silent", |registrar| {
        registrar.on::<TurnEnd>(|_, _| async {});
    });
    let mut refreshed = 0;
    let (dispatcher, scope) = (&stage.hooks.dispatcher, stage.scope());
    let done = dispatcher.dispatch_with::<TurnEnd>(&scope, turn_end, |event, _| {
        refreshed += 1;
        let can_continue = event.boundary.entries.len() == 1;
        event.boundary.context = BoundaryPreview { can_continue, ..BoundaryPreview::default() };
    });
    let payload = done.await.into_payload().expect("there are handlers");
    assert_eq!(*previews.lock(), [(0, false), (1, true)]);
    assert_eq!((refreshed, payload.boundary.entries.len(), payload.boundary.context.can_continue), (2, 2, false));
}
