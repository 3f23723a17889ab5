//! What the model sees.

use serde_json::json;
use tau_ai::MessageContent;
use tau_session::{EntryBody, ModelChoice, NewSession, Session, SessionContext, SessionError};

use crate::support::*;

fn lines(entries: &[serde_json::Value]) -> Session {
    let mut text = HEADER.to_owned() + "\n";
    let mut parent = serde_json::Value::Null;
    for (n, entry) in entries.iter().enumerate() {
        let mut entry = entry.clone();
        let id = json!(format!("e{}", n + 1));
        entry["id"] = id.clone();
        entry["parentId"] = std::mem::replace(&mut parent, id);
        entry["timestamp"] = json!("2026-01-02T03:04:05.006Z");
        text += &format!("{entry}\n");
    }
    let (_dir, path) = file(text);
    open(&path)
}

fn said(role: &str, text: &str) -> serde_json::Value {
    let content = if role == "user" { json!(text) } else { json!([{"type": "text", "text": text}]) };
    json!({"type": "message", "message": {"role": role, "content": content, "timestamp": 1}})
}

fn entries_of(context: &SessionContext) -> Vec<&str> {
    context.messages.iter().map(|item| item.entry_id.as_str()).collect()
}

#[test]
fn both_branches_of_a_real_session() {
    let session = open(&branches());
    insta::assert_snapshot!(
        "context_second_branch",
        format!("{:#?}\n{}", choices(&session.context()), messages(&session.context()).join("\n"))
    );
    let first = session.context_at("a0000011");
    insta::assert_snapshot!("context_first_branch", format!("{:#?}\n{}", choices(&first), messages(&first).join("\n")));
    assert_eq!(session.context_at("nowhere"), SessionContext::default());
}

fn choices(context: &SessionContext) -> (Option<&str>, Option<&ModelChoice>) {
    (context.choices.thinking_level.as_deref(), context.choices.model.as_ref())
}

#[test]
fn an_empty_session_has_no_context() {
    let session = Session::in_memory("/work".as_ref(), NewSession::default()).expect("a session");
    assert_eq!(session.context(), SessionContext::default());
}

#[test]
fn of_two_compactions_the_latest_counts() {
    let session = lines(&[
        said("user", "1"),
        said("user", "2"),
        json!({"type": "compaction", "summary": "old", "firstKeptEntryId": "e2", "tokensBefore": 1}),
        said("user", "4"),
        json!({"type": "compaction", "summary": "new", "firstKeptEntryId": "e2", "tokensBefore": 2, "systemMessage": {"role": "system", "content": "x", "timestamp": 1}}),
        said("user", "6"),
    ]);
    assert_eq!(entries_of(&session.context()), ["e5", "e2", "e4", "e6"]);
    assert_eq!(entries_of(&session.context_at("e4")), ["e3", "e2", "e4"]);
}

#[test]
fn a_compaction_whose_first_kept_entry_is_not_before_it_keeps_nothing() {
    for first_kept in [json!("e2"), json!("elsewhere"), json!(null), json!(7)] {
        let session = lines(&[
            said("user", "1"),
            json!({"type": "compaction", "summary": "s", "firstKeptEntryId": first_kept, "tokensBefore": 1}),
            said("user", "3"),
        ]);
        assert_eq!(entries_of(&session.context()), ["e2", "e3"], "{first_kept}");
    }
}

#[test]
fn system_messages_are_never_part_of_it() {
    let session = lines(&[
        json!({"type": "message", "message": {"role": "system", "content": "be kind", "timestamp": 1}}),
        json!({"type": "message", "message": {"role": "system", "content": null}}),
        said("user", "hi"),
    ]);
    assert_eq!(entries_of(&session.context()), ["e3"]);
}

#[test]
fn messages_without_content_count_as_empty() {
    let session = lines(&[
        json!({"type": "message", "message": {"role": "user", "timestamp": 1}}),
        json!({"type": "message", "message": {"role": "assistant", "content": null, "provider": "p", "model": "m", "timestamp": 1}}),
        json!({"type": "message", "message": {"role": "martian", "noise": 1}}),
    ]);
    let context = session.context();
    let roles: Vec<_> = context.messages.iter().map(|item| item.message.role()).collect();
    assert_eq!(roles, ["user", "assistant", "martian"]);
    assert_eq!(context.messages[1].message.as_assistant().map(|message| message.content.len()), Some(0));
}

#[test]
fn the_latest_edit_of_an_entry_counts() {
    let edit = |target: &str, replacement: serde_json::Value| json!({"type": "context_edit", "targetId": target, "replacement": replacement});
    let session = lines(&[
        said("user", "1"),
        said("assistant", "2"),
        said("user", "3"),
        edit("e1", json!(null)),
        edit("e2", json!({"content": "two"})),
        edit("e3", json!({"content": "drei"})),
        edit("e3", json!(null)),
        edit("e1", json!({"content": [{"type": "text", "text": "one"}]})),
        json!({"type": "context_edit", "targetId": "e2"}),
    ]);
    let context = session.context();
    let content: Vec<_> = context
        .messages
        .iter()
        .map(|item| serde_json::to_value(&*item.message).expect("JSON")["content"].clone())
        .collect();
    assert_eq!(content, [json!([{"type": "text", "text": "one"}]), json!([{"type": "text", "text": "two"}])]);
    assert_eq!(entries_of(&session.context_at("e6")), ["e2", "e3"]);
    assert_eq!(messages(&session.context_at("e3"))[0], r#"e1: {"role":"user","content":"1","timestamp":1}"#);
}

#[test]
fn an_answer_that_a_rule_cut_off_does_not_come_back() {
    let aborted = || {
        let mut answer = said("assistant", "I would");
        answer["message"]["stopReason"] = json!("aborted");
        answer
    };
    let custom = |kind: &str| json!({"type": "custom_message", "customType": kind, "content": "x", "display": false});
    let state = || json!({"type": "custom", "customType": "state"});
    let session = lines(&[
        said("user", "1"),
        aborted(),
        state(),
        custom("ttsr-injection"),
        json!({"type": "ttsr_injection", "injectedRules": ["calm"]}),
        aborted(),
        custom("note"),
        said("assistant", "whole"),
        custom("ttsr-injection"),
    ]);
    // One that was told later is about an answer that is whole, and another message about none.
    assert_eq!(entries_of(&session.context()), ["e1", "e4", "e6", "e7", "e8", "e9"]);
    let rules = session.entries().into_iter().filter_map(|entry| match &*entry.body() {
        EntryBody::TtsrInjection(injection) => Some(injection.injected_rules.clone()),
        _ => None,
    });
    assert_eq!(rules.collect::<Vec<_>>(), [["calm"]]);
}

#[test]
fn only_visible_messages_of_the_branch_can_be_edited() {
    let session = lines(&[
        said("user", "1"),
        said("assistant", "2"),
        json!({"type": "custom", "customType": "x"}),
        json!({"type": "message", "message": {"role": "bashExecution", "command": "ls", "timestamp": 1}}),
    ]);
    let dir = tempfile::tempdir().expect("a folder");
    let session = session.fork_at("e4", dir.path(), NewSession::default()).expect("a fork");
    for target in ["e3", "e4"] {
        let error = session.edit_context(target, None).expect_err("refused");
        assert!(matches!(&error, SessionError::NotEditable(id) if id == target));
    }
    let edit = session.edit_context("e2", Some(MessageContent::from("short"))).expect("edited");
    assert_eq!(
        edit.to_value().expect("an object")["replacement"],
        json!({"content": [{"type": "text", "text": "short"}]})
    );
    session.set_leaf("e1").expect("moved");
    let error = session.edit_context("e2", None).expect_err("refused");
    assert_eq!(error.to_string(), "Entry e2 is not on the active branch");
    session.edit_context("e1", None).expect("edited");
    assert_eq!(entries_of(&session.context()), Vec::<&str>::new());
}

#[test]
fn the_model_is_the_one_that_was_chosen_or_answered_last() {
    let session = Session::in_memory("/work".as_ref(), NewSession::default()).expect("a session");
    let model = |provider: &str, model_id: &str| ModelChoice { provider: provider.into(), model_id: model_id.into() };
    session.append(EntryBody::model_change("q", "n")).expect("appended");
    assert_eq!(session.choices().model, Some(model("q", "n")));
    session.append(assistant("hi")).expect("appended");
    assert_eq!(session.choices().model, Some(model("p", "m")));
    session.append(EntryBody::model_change("q", "n")).expect("appended");
    session.append(EntryBody::compaction("s", None, 1)).expect("appended");
    assert_eq!(session.choices().model, Some(model("q", "n")));
}

#[test]
fn messages_are_shared_with_the_entries() {
    let session = Session::in_memory("/work".as_ref(), NewSession::default()).expect("a session");
    session.append(user("hi")).expect("appended");
    let (first, second) = (session.context(), session.context());
    assert!(std::sync::Arc::ptr_eq(&first.messages[0].message, &second.messages[0].message));
}
