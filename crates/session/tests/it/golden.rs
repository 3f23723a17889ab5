//! The lines as they are written.

use serde_json::{Value, json};
use tau_ai::{ContentBlock, Message, MessageContent, Usage};
use tau_session::{EntryBody, EntryKind, NewSession, Session};

use crate::support::*;

fn message(value: Value) -> EntryBody {
    EntryBody::message(serde_json::from_value::<Message>(value).expect("a message"))
}

fn every_kind() -> Vec<EntryBody> {
    let usage = Usage { input: 3, output: 4, total_tokens: 7, ..Usage::default() };
    let mut compaction = EntryBody::compaction("So far.", Some("aaaaaaaa"), 900);
    if let EntryBody::Compaction(body) = &mut compaction {
        body.details = Some(json!({"readFiles": ["a"]}));
        body.usage = Some(usage.clone());
        body.from_hook = Some(true);
        body.preserve_data = Some(json!({"seen": 2}));
    }
    let mut summary = EntryBody::branch_summary(Some("aaaaaaaa"), "Tried it.");
    if let EntryBody::BranchSummary(body) = &mut summary {
        body.details = Some(Value::Null);
        body.from_hook = Some(false);
    }
    let mut with_extra = EntryBody::model_change("p", "m");
    if let EntryBody::ModelChange(body) = &mut with_extra {
        body.extra.insert("why".to_owned(), json!("faster"));
        body.extra.insert("id".to_owned(), json!("never written twice"));
    }
    let unknown = json!({"type": "gnome", "id": "replaced", "hat": "red", "parts": [1, {"x": null}]});
    vec![
        message(json!({"role": "user", "content": "line\nbreak \u{2028} \"quoted\" é", "timestamp": 5})),
        message(
            json!({"role": "bashExecution", "command": "ls", "output": "", "cancelled": false, "truncated": false, "timestamp": 6}),
        ),
        EntryBody::thinking_level_change("high"),
        with_extra,
        compaction,
        summary,
        EntryBody::branch_summary(None, ""),
        EntryBody::custom("todo", Some(json!([1, 2.5, "x"]))),
        EntryBody::custom("todo", None),
        EntryBody::custom_message("note", "see this", false, Some(json!({"k": 1}))),
        EntryBody::custom_message("note", vec![ContentBlock::text("t")], true, None),
        EntryBody::label("aaaaaaaa", Some("here")),
        EntryBody::label("aaaaaaaa", None),
        EntryBody::session_info("two\r\nlines "),
        EntryBody::session_info(""),
        EntryBody::usage("title", "p", "m", usage, Some("n".to_owned())),
        EntryBody::ttsr_injection(vec!["calm".to_owned(), "no \"x\"".to_owned()]),
        EntryBody::context_edit("aaaaaaaa", None),
        EntryBody::context_edit("aaaaaaaa", Some(MessageContent::from("shorter"))),
        EntryBody::Unknown(unknown.as_object().cloned().expect("an object")),
    ]
}

#[test]
fn every_kind_of_entry_has_its_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let parent_session = Some("/old.jsonl".to_owned());
    let new = NewSession { id: Some("golden".to_owned()), parent_session, ..NewSession::default() };
    let session = Session::create(dir.path(), "/work".as_ref(), new).expect("a session");
    for body in every_kind() {
        session.append(body).expect("appended");
    }
    session.persist().expect("persisted");
    let written = text(session.file().expect("a file"));

    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r#""timestamp":"[^"]+Z""#, r#""timestamp":"[time]""#);
    settings.add_filter(r#""(id|parentId)":"[0-9a-f]{8}""#, r#""$1":"[id]""#);
    settings.bind(|| insta::assert_snapshot!(written));
}

#[test]
fn a_compaction_that_keeps_nothing_names_itself() {
    let session = Session::in_memory("/work".as_ref(), NewSession::default()).expect("a session");
    let entry = session.append(EntryBody::compaction("All of it.", None, 1)).expect("appended");
    let value = entry.to_value().expect("an object");
    assert_eq!(value.get("firstKeptEntryId"), Some(&Value::from(entry.id().as_str())));
}

#[test]
fn what_is_written_reads_as_what_was_appended() {
    let (_dir, session) = persisted();
    let appended: Vec<_> = every_kind().into_iter().map(|body| session.append(body).expect("appended")).collect();
    let reopened = open(session.file().expect("a file"));
    assert_eq!(problems(&reopened), Vec::<String>::new());
    assert_eq!(reopened.header(), session.header());
    for (old, new) in appended.iter().zip(&reopened.entries()) {
        assert_eq!(new.json().expect("JSON"), old.json().expect("JSON"));
        assert_eq!(
            (new.id(), new.parent_id(), new.timestamp(), new.kind(), new.body().type_name()),
            (old.id(), old.parent_id(), old.timestamp(), old.kind(), old.body().type_name())
        );
    }
    // The fields that are not taken over as they are: names of the base fields, and a null that means nothing.
    let same = |at: usize| reopened.entries()[at].body() == appended[at].body();
    let different: Vec<usize> = (0..appended.len()).filter(|&at| !same(at)).collect();
    assert_eq!(different, [3, 5, 19]);
}

#[test]
fn a_file_with_all_kinds_is_understood() {
    let session = open(&branches());
    assert_eq!(problems(&session), Vec::<String>::new());
    let unknown: Vec<_> =
        session.entries().iter().filter(|entry| entry.kind() == EntryKind::Unknown).cloned().collect();
    assert_eq!(ids(&unknown), ["b0000005"]);
    for entry in &session.entries() {
        assert_eq!(entry.kind(), entry.body().kind(), "{}", entry.id());
        let fields: Value = serde_json::from_str(&entry.json().expect("JSON")).expect("JSON");
        assert_eq!(Value::Object(entry.to_value().expect("an object")), fields);
        assert_eq!(serde_json::to_value(&**entry).expect("JSON"), fields);
    }
    assert_eq!(
        unknown[0].body(),
        EntryBody::Unknown(
            json!({"type": "garden_gnome", "hat": "red", "stories": [1, {"deep": true}]})
                .as_object()
                .cloned()
                .expect("an object")
        )
    );
}
