//! Around a request: its messages, and the boundaries of turn and run.

use serde_json::{Value, json};
use tau_ai::{Message, MessageContent};
use tau_hooks::events::{AgentBeforeSettle, Context, ContextWithSystem, TurnEnd};
use tau_hooks::payload::{BoundaryResult, ContextResult, EntryDraft};

use crate::common::{World, messages};

/// Entries are appended and one more run takes place, as often as a handler asks.
pub async fn agent_before_settle() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("again", |registrar| {
        registrar.on::<AgentBeforeSettle>(|event, _| async move {
            let asked = event.boundary.context.context_messages.iter().filter(|m| m.role() == "user").count();
            let notes = event.boundary.context.context_messages.iter().filter(|m| m.role() == "custom").count();
            let entry = EntryDraft::CustomMessage {
                custom_type: "more".to_owned(),
                content: "go on".into(),
                display: true,
                details: None,
            };
            (asked == 1 && notes == 0).then(|| BoundaryResult { entries: Some(vec![entry]), go_on: Some(true) })
        });
        // The preview is up to date after every handler.
        registrar.on::<AgentBeforeSettle>(|event, _| async move {
            assert_eq!(event.boundary.context.can_continue, !event.boundary.entries.is_empty());
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let expected = messages([("user", "Hi"), ("assistant", "One."), ("custom", "go on"), ("assistant", "Two.")]);
    assert_eq!(running.file_messages(), expected);
    assert_eq!(running.conversation(), expected);
    let starts = running.outline().iter().filter(|line| *line == "agent_start").count();
    assert_eq!((starts, running.outline().last().map(String::as_str)), (2, Some("agent_settled")));
    assert_eq!(world.reports.all(), []);
}

/// Entries are appended in order, `context_edit` changes what the model sees, and a wish to go on without anything
/// to answer is refused with a report.
pub async fn turn_end() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("edit", |registrar| {
        registrar.on::<TurnEnd>(|event, _| async move {
            let first = event.boundary.context.context_messages.item(0).and_then(|item| item.entry_id.clone());
            if event.response.as_assistant().is_some_and(|answer| answer.texts().eq(["Two."])) {
                return Some(BoundaryResult { go_on: Some(true), ..BoundaryResult::default() });
            }
            let target_id = first.expect("the user's entry");
            let replacement = Some(tau_hooks::payload::Replacement { content: MessageContent::from("Hello") });
            let entries = vec![
                EntryDraft::Custom { custom_type: "state".to_owned(), data: Some(json!(7)) },
                EntryDraft::ContextEdit { target_id, replacement },
                EntryDraft::CustomMessage {
                    custom_type: "more".to_owned(),
                    content: "and?".into(),
                    display: false,
                    details: None,
                },
            ];
            Some(BoundaryResult { entries: Some(entries), go_on: Some(true) })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.asked()[1], messages([("user", "Hello"), ("assistant", "One."), ("user", "and?")]));
    let kinds: Vec<Value> = running.file().iter().skip(4).map(|line| line["type"].clone()).collect();
    assert_eq!(kinds, ["message", "message", "custom", "context_edit", "custom_message", "message"]);
    let appended = running.outline().iter().filter(|line| *line == "entry_appended").count();
    assert_eq!(appended, 3);
    assert_eq!(
        world.reports.all(),
        [(
            "extensions".to_owned(),
            "turn_end".to_owned(),
            "asked to go on, but there is nothing the model could answer to".to_owned()
        )]
    );
}

/// Other messages for one request only: neither the session nor the next request knows of them.
pub async fn context() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("shorten", |registrar| {
        registrar.on::<Context>(|mut event, _| async move {
            if event.messages.len() > 1 {
                return None;
            }
            match event.messages.edit(0) {
                Some(Message::User(user)) => user.content = "changed".into(),
                other => panic!("{other:?}"),
            }
            Some(ContextResult { messages: Some(event.messages) })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    running.say("Again").await;
    assert_eq!(
        running.asked(),
        [messages([("user", "changed")]), messages([("user", "Hi"), ("assistant", "One."), ("user", "Again")]),]
    );
    assert_eq!(running.file_messages()[0], ("user".to_owned(), "Hi".to_owned()));
}

/// The head is the system prompt of this request. Without it there is none, which is reported.
pub async fn context_with_system() {
    let world = World::new(json!(["One.", "Two.", "Three."]));
    world.extend("head", |registrar| {
        registrar.on::<ContextWithSystem>(|mut event, _| async move {
            match event.messages.len() {
                2 => match event.messages.edit(0) {
                    Some(Message::System(head)) => head.content = "Be brief.".into(),
                    other => panic!("{other:?}"),
                },
                4 => event.messages.drop_front(1),
                _ => return None,
            }
            Some(ContextResult { messages: Some(event.messages) })
        });
    });
    let running = world.start().await;
    for text in ["1", "2", "3"] {
        running.say(text).await;
    }
    let requests = running.script.requests();
    assert_eq!((&requests[0]["system"], &requests[1]["system"]), (&json!("Be brief."), &Value::Null));
    assert!(requests[2]["system"].as_str().is_some_and(|text| text.starts_with("You are a test.")));
    assert_eq!(running.asked()[1], messages([("user", "1"), ("assistant", "One."), ("user", "2")]));
    let text = "the system message was removed; this request has no system prompt";
    let event = "context_with_system".to_owned();
    assert_eq!(world.reports.all(), [(event.clone(), event, text.to_owned())]);
}
