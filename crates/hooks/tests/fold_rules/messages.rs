//! `context`, `context_with_system` and `message_end`.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{Message, MessageContent, UserMessage};
use tau_hooks::events::{Context, ContextWithSystem, MessageEnd};
use tau_hooks::payload::{ContextEvent, ContextResult, MessageEndEvent};
use tau_hooks::{HistoryMessage, Messages};
use tau_testkit::Stage;

use super::{Round, Style, both, from_json, run, to_json};

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "text", "text": text }], "timestamp": 1 })
}

fn list(texts: &[&str]) -> Messages {
    let item = |(at, text): (usize, &&str)| {
        let message: Message = from_json(&user(text));
        Arc::new(HistoryMessage::new(message, Some(format!("e{at}"))))
    };
    texts.iter().enumerate().map(item).collect()
}

fn event(texts: &[&str]) -> ContextEvent {
    ContextEvent { messages: list(texts) }
}

fn messages(texts: &[&str]) -> Value {
    json!({ "messages": texts.iter().map(|text| user(text)).collect::<Vec<_>>() })
}

fn entry_ids(messages: &Messages) -> Vec<Option<&str>> {
    messages.items().map(|item| item.entry_id.as_deref()).collect()
}

#[tokio::test]
async fn each_handler_sees_the_list_of_the_one_before() {
    let results = [Some(messages(&["a", "b", "c"])), None, Some(messages(&["c"])), Some(json!({}))];
    let expected = || Round {
        seen: vec![messages(&["a", "b"]), messages(&["a", "b", "c"]), messages(&["a", "b", "c"]), messages(&["c"])],
        payload: messages(&["c"]),
        output: Some(json!({})),
        stopped_by: None,
        reports: vec![],
    };
    assert_eq!(both::<Context>(event(&["a", "b"]), &results).await, expected());
    assert_eq!(both::<ContextWithSystem>(event(&["a", "b"]), &results).await, expected());
}

#[tokio::test]
async fn an_empty_list_is_a_list() {
    let round = both::<Context>(event(&["a"]), &[Some(messages(&[])), None]).await;
    assert_eq!((round.seen, round.payload), (vec![messages(&["a"]), messages(&[])], messages(&[])));
}

/// Changes text deep inside a message.
fn scribble(messages: &mut Messages, at: usize) {
    let Some(Message::User(UserMessage { content: MessageContent::Blocks(blocks), .. })) = messages.edit(at) else {
        panic!("a user message with blocks is at {at}");
    };
    blocks[0] = tau_ai::ContentBlock::text("scribbled");
}

#[tokio::test]
async fn a_nested_edit_is_seen_by_nobody_unless_the_list_is_returned() {
    let stage = Stage::new();
    stage.add("scribbler", |registrar| {
        registrar.on::<Context>(|mut event, _| async move { scribble(&mut event.messages, 0) });
    });
    stage.add("reader", |registrar| {
        registrar.on::<Context>(|event, _| async move {
            assert_eq!(event.messages, list(&["a", "b"]));
        });
    });
    let history = list(&["a", "b"]);
    let after = stage.fold::<Context>(ContextEvent { messages: history.clone() }).await.messages;
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
    assert_eq!((history, after), (list(&["a", "b"]), list(&["a", "b"])));
}

#[tokio::test]
async fn a_nested_edit_that_is_returned_changes_this_request_only() {
    let stage = Stage::new();
    stage.add("scribbler", |registrar| {
        registrar.on::<Context>(|mut event, _| async move {
            scribble(&mut event.messages, 1);
            Some(ContextResult { messages: Some(event.messages) })
        });
    });
    let history = list(&["a", "b", "c"]);
    let other_session = history.clone();
    for _turn in 0..2 {
        let after = stage.fold::<Context>(ContextEvent { messages: history.clone() }).await.messages;
        assert_eq!(to_json(&after), messages(&["a", "scribbled", "c"])["messages"]);
        assert_eq!(entry_ids(&after), [Some("e0"), Some("e1"), Some("e2")]);
        assert_eq!((&history, &other_session), (&list(&["a", "b", "c"]), &list(&["a", "b", "c"])));
    }
}

#[tokio::test]
async fn a_json_handler_has_a_copy_of_its_own() {
    let stage = Stage::new();
    stage.add("scribbler", |registrar| {
        registrar.on_json("context", |mut event, _| async move {
            event["messages"][0]["content"][0]["text"] = json!("scribbled");
            Ok(None)
        });
    });
    let after = stage.fold::<Context>(event(&["a", "b"])).await.messages;
    assert_eq!(after, list(&["a", "b"]));
}

#[tokio::test]
async fn messages_that_come_back_as_they_were_keep_their_entries() {
    let stage = Stage::new();
    stage.add("rewriter", |registrar| {
        registrar.on_json("context", |mut event, _| async move {
            let mut messages: Vec<Value> = from_json(&event["messages"]);
            messages.drain(..100);
            messages[1] = user("rewritten");
            messages.insert(0, user("new"));
            event["messages"] = json!(messages);
            event.as_object_mut().and_then(|event| event.shift_remove("type"));
            Ok(Some(event))
        });
    });
    let texts = (0..110).map(|n| format!("m{n}")).collect::<Vec<_>>();
    let texts = texts.iter().map(String::as_str).collect::<Vec<_>>();
    let after = stage.fold::<Context>(event(&texts)).await.messages;
    let mut expected = vec![None, Some("e100".to_owned()), None];
    expected.extend((102..110).map(|n| Some(format!("e{n}"))));
    assert_eq!(entry_ids(&after), expected.iter().map(Option::as_deref).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_list_that_is_none_is_reported_and_changes_nothing() {
    for bad in [json!({ "messages": "none" }), json!({ "messages": [1] }), json!([]), json!("x"), json!(false)] {
        let round = run::<Context>(Style::Json, event(&["a"]), &[Some(bad.clone()), None]).await;
        assert_eq!((round.payload, round.seen.len(), round.output), (messages(&["a"]), 2, None), "{bad}");
        let [report] = &round.reports[..] else { panic!("{bad}: one report is expected, not {:?}", round.reports) };
        assert!(report.starts_with("<native:0>: returned a malformed result: "), "{report}");
    }
}

fn end(text: &str) -> MessageEndEvent {
    MessageEndEvent { message: Arc::new(from_json(&user(text))) }
}

fn message(message: Value) -> Value {
    json!({ "message": message })
}

#[tokio::test]
async fn a_finished_message_may_be_replaced_by_one_of_its_role() {
    let results = [Some(message(user("b"))), Some(json!({})), Some(message(user("c"))), None];
    assert_eq!(
        both::<MessageEnd>(end("a"), &results).await,
        Round {
            seen: ["a", "b", "b", "c"].map(|text| message(user(text))).to_vec(),
            payload: message(user("c")),
            output: Some(message(user("c"))),
            stopped_by: None,
            reports: vec![],
        }
    );
}

#[tokio::test]
async fn a_message_of_another_role_is_refused() {
    let assistant = json!({ "role": "assistant", "content": [] });
    let round = both::<MessageEnd>(end("a"), &[Some(message(assistant)), None]).await;
    assert_eq!((round.payload, round.seen.len(), round.output), (message(user("a")), 2, None));
    assert_eq!(
        round.reports,
        ["<native:0>: returned a malformed result: the replacement has role \"assistant\" but the message has role \
          \"user\""]
    );
}

#[tokio::test]
async fn a_message_without_content_is_an_empty_one() {
    for content in
        [json!({ "role": "user", "timestamp": 1 }), json!({ "role": "user", "content": null, "timestamp": 1 })]
    {
        let round = run::<MessageEnd>(Style::Json, end("a"), &[Some(message(content))]).await;
        assert_eq!(round.payload, message(json!({ "role": "user", "content": [], "timestamp": 1 })));
        assert_eq!(round.reports, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_message_that_lacks_what_its_role_needs_is_refused() {
    let no_call = json!({ "role": "toolResult", "content": [] });
    for bad in [no_call, json!({ "role": "user", "content": 1 }), json!({ "content": "a" }), json!("text")] {
        let round = run::<MessageEnd>(Style::Json, end("a"), &[Some(message(bad.clone())), None]).await;
        assert_eq!((round.payload, round.output, round.seen.len()), (message(user("a")), None, 2), "{bad}");
        let [report] = &round.reports[..] else { panic!("{bad}: {:?}", round.reports) };
        assert!(report.starts_with("<native:0>: returned a malformed result: "), "{report}");
    }
}
