//! New sessions from old ones.

use std::path::Path;

use serde_json::Value;
use tau_session::{EntryBody, NewSession, Session, SessionError};

use crate::support::*;

fn fork(entry: &str) -> (tempfile::TempDir, Session) {
    let dir = tempfile::tempdir().expect("a folder");
    let forked = open(&branches()).fork_at(entry, dir.path(), NewSession::default()).expect("a fork");
    (dir, forked)
}

/// Id, parent and type of each entry.
fn shape(session: &Session) -> Vec<String> {
    let shape = |entry: &std::sync::Arc<tau_session::Entry>| {
        let parent = entry.parent_id().map_or("-", |id| id.as_str());
        format!("{} {} {}", entry.id(), parent, entry.body().type_name())
    };
    session.entries().iter().map(shape).collect()
}

#[test]
fn a_fork_has_the_path_without_its_labels_and_then_the_labels() {
    let source = text(&branches());
    let (dir, forked) = fork("b0000006");
    let label = forked.entries().last().expect("an entry").clone();
    let mut expected = [
        "a0000001 -",
        "a0000002 a0000001",
        "a0000003 a0000002",
        "a0000004 a0000003",
        "a0000005 a0000004",
        "a0000006 a0000005",
        "b0000001 a0000006",
        "b0000002 b0000001",
        "b0000005 b0000002",
        "b0000006 b0000005",
    ]
    .map(str::to_owned)
    .to_vec();
    expected.push(format!("{} b0000006", label.id()));
    let shapes: Vec<_> =
        shape(&forked).iter().map(|line| line.rsplit_once(' ').expect("a type").0.to_owned()).collect();
    assert_eq!(shapes, expected);
    assert_eq!(label.body(), EntryBody::label("a0000006", Some("fork here")));
    assert_eq!(label.timestamp(), "2026-03-01T10:00:20.000Z");

    let path = forked.file().expect("a file");
    assert!(path.starts_with(dir.path()) && forked.is_persisted());
    let reopened = open(path);
    assert_eq!(shape(&reopened), shape(&forked));
    assert_eq!((leaf(&reopened), leaf(&forked)), (Some(label.id().to_string()), Some(label.id().to_string())));
    assert_eq!(messages(&reopened.context()), messages(&open(&branches()).context()));
    assert_eq!(reopened.header().parent_session.as_deref(), branches().to_str());
    assert_eq!(reopened.header().cwd, "/home/ann/garden");
    assert_ne!(reopened.id(), open(&branches()).id());
    assert_eq!(text(&branches()), source);
    // Untouched fields are copied as they are.
    let line_of = |text: &str, id: &str| text.lines().find(|line| line.contains(id)).map(str::to_owned);
    assert_eq!(line_of(&text(path), "\"id\":\"a0000004\""), line_of(&source, "\"id\":\"a0000004\""));
}

#[test]
fn a_compaction_that_keeps_from_a_label_keeps_from_what_follows_it() {
    let label = r#"{"type":"label","id":"l","parentId":"1","timestamp":"t","targetId":"1","label":"x"}"#;
    let compaction = r#"{"type":"compaction","id":"c","parentId":"2","timestamp":"t","summary":"s","firstKeptEntryId":"l","tokensBefore":1,"own":1.50}"#;
    let (dir, path) = file([HEADER, &line("1", None), label, &line("2", Some("l")), compaction].join("\n"));
    let forked = open(&path).fork_at("c", dir.path(), NewSession::default()).expect("a fork");
    let copied = forked.entry("c").expect("an entry").json().expect("JSON").into_owned();
    assert_eq!(copied, compaction.replace("\"l\"", "\"2\""));
    let seen: Vec<_> = forked.context().messages.iter().map(|item| item.entry_id.to_string()).collect();
    assert_eq!(seen, ["c", "2"]);
}

#[test]
fn leaf_markers_stay_behind_and_the_name_comes_along() {
    let (dir, session) = persisted();
    session.append(user("1")).expect("appended");
    session.append(EntryBody::session_info("named")).expect("appended");
    let marker = session.move_leaf(session.entries().front().map(|entry| entry.id().as_str())).expect("moved");
    let marker = marker.expect("a marker").id().to_string();
    let below = session.append_with_parent(Some(&marker), user("2")).expect("appended");
    let forked = session.fork_at(below.id(), dir.path(), NewSession::default()).expect("a fork");
    assert_eq!(all_ids(&forked), [session.entries()[0].id().to_string(), below.id().to_string()]);
    assert_eq!(forked.session_name(), None);
    let named = session.entries()[1].id().to_string();
    assert_eq!(
        session.fork_at(&named, dir.path(), NewSession::default()).expect("a fork").session_name().as_deref(),
        Some("named")
    );
}

#[test]
fn a_fork_without_a_message_waits_to_be_persisted() {
    let (dir, forked) = fork("a0000002");
    assert!(!forked.is_persisted());
    assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 0);
    forked.append(user("hi")).expect("appended");
    forked.persist().expect("persisted");
    assert_eq!(open(forked.file().expect("a file")).entries().len(), 3);
}

#[test]
fn a_session_in_memory_forks_into_memory() {
    let session = Session::in_memory("/work".as_ref(), NewSession::default()).expect("a session");
    let entry = session.append(user("hi")).expect("appended");
    session.set_label(entry.id(), Some("x")).expect("labelled");
    let forked = session.fork_at(entry.id(), Path::new("/nowhere"), NewSession::default()).expect("a fork");
    assert_eq!((forked.file(), forked.entries().len(), forked.header().parent_session.clone()), (None, 2, None));
    assert_eq!(forked.entries()[0].json().expect("JSON"), entry.json().expect("JSON"));
    let error = session.fork_at("nope", Path::new("/nowhere"), NewSession::default()).expect_err("refused");
    assert!(matches!(error, SessionError::EntryNotFound(id) if id == "nope"));
}

#[test]
fn a_whole_session_can_move_to_another_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let new = NewSession { id: Some("copy".to_owned()), ..NewSession::default() };
    let copy = Session::fork_from(&branches(), dir.path(), Path::new("/elsewhere"), new).expect("a fork");
    let (old, new) = (text(&branches()), text(copy.file().expect("a file")));
    assert_eq!(new.lines().skip(1).collect::<Vec<_>>(), old.lines().skip(1).collect::<Vec<_>>());
    let header: Value = serde_json::from_str(new.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        (&header["id"], &header["cwd"], header["parentSession"].as_str()),
        (&"copy".into(), &"/elsewhere".into(), branches().to_str())
    );
    let again =
        NewSession { id: Some("copy".to_owned()), file: copy.file().map(Path::to_owned), ..NewSession::default() };
    let error = Session::fork_from(&branches(), dir.path(), Path::new("/elsewhere"), again).expect_err("refused");
    assert!(matches!(error, SessionError::AlreadyExists(_)));
}

#[test]
fn a_session_of_an_old_version_is_copied_in_the_new_one_and_stays_old() {
    let v1 = "{\"type\":\"session\",\"id\":\"old\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/w\"}\n{\"type\":\"message\",\"timestamp\":\"t\",\"message\":{\"role\":\"user\",\"content\":\"hi\",\"timestamp\":1}}\n";
    let (dir, path) = file(v1);
    let copy =
        Session::fork_from(&path, &dir.path().join("new"), Path::new("/w"), NewSession::default()).expect("a fork");
    assert_eq!(text(&path), v1);
    let copy = open(copy.file().expect("a file"));
    assert_eq!((copy.header().version, copy.context().messages.len()), (3, 1));
}
