//! From a new session to a file.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tau_session::{EntryBody, NewSession, Session, SessionError, session_dir_for};

use crate::support::*;

#[test]
fn there_is_no_file_before_the_session_is_persisted_and_every_entry_after() {
    let agent_dir = tempfile::tempdir().expect("a folder");
    let dir = session_dir_for(agent_dir.path(), Path::new("/work/app"));
    let session = Session::create(&dir, Path::new("/work/app"), NewSession::default()).expect("a session");
    let path = session.file().expect("a file").to_owned();
    session.append(EntryBody::model_change("p", "m")).expect("appended");
    session.append(EntryBody::thinking_level_change("low")).expect("appended");
    assert!(!session.is_persisted() && !dir.exists());

    session.append(user("hi")).expect("appended");
    session.persist().expect("persisted");
    assert!(session.is_persisted());
    assert_eq!(text(&path).lines().count(), 4);
    assert_eq!(fs::read_dir(&dir).expect("a folder").count(), 1);

    session.persist().expect("persisted again");
    session.append(assistant("hello")).expect("appended");
    session.sync().expect("flushed");
    let header: Value = serde_json::from_str(text(&path).lines().next().expect("a line")).expect("JSON");
    let expected = json!({"type": "session", "version": 3, "id": session.id(), "timestamp": session.header().timestamp, "cwd": "/work/app"});
    assert_eq!(header, expected);
    let name = format!("{}_{}.jsonl", session.header().timestamp.replace([':', '.'], "-"), session.id());
    assert_eq!(path, dir.join(name));
    assert_eq!(all_ids(&open(&path)), all_ids(&session));
}

#[test]
fn a_file_that_is_already_there_is_not_overwritten() {
    let (dir, path) = file("precious");
    let new = NewSession { file: Some(path.clone()), ..NewSession::default() };
    let session = Session::create(dir.path(), Path::new("/work"), new).expect("a session");
    session.append(user("hi")).expect("appended");
    let error = session.persist().expect_err("refused");
    assert!(matches!(error, SessionError::AlreadyExists(taken) if taken == path));
    assert_eq!(text(&path), "precious");
    assert!(!session.is_persisted());

    fs::remove_file(&path).expect("removed");
    session.persist().expect("persisted");
    assert_eq!(all_ids(&open(&path)), all_ids(&session));
}

#[test]
fn a_session_in_memory_never_becomes_a_file() {
    let session = Session::in_memory(Path::new("/work"), NewSession::default()).expect("a session");
    session.persist().expect("nothing to do");
    session.append(user("hi")).expect("appended");
    session.sync().expect("nothing to do");
    assert_eq!((session.file(), session.is_persisted(), session.entries().len()), (None, false, 1));
}

#[test]
fn a_session_id_that_is_no_file_name_is_refused() {
    let new = NewSession { id: Some("../x".to_owned()), ..NewSession::default() };
    let error = Session::create(Path::new("/nowhere"), Path::new("/work"), new).expect_err("refused");
    assert!(matches!(error, SessionError::InvalidId(id) if id == "../x"));
}

#[test]
fn a_name_is_the_latest_and_can_be_cleared() {
    let (_dir, session) = persisted();
    assert_eq!(session.session_name(), None);
    session.append(EntryBody::session_info(" first\n")).expect("appended");
    session.append(EntryBody::session_info("second")).expect("appended");
    assert_eq!(session.session_name().as_deref(), Some("second"));
    assert_eq!(open(session.file().expect("a file")).session_name().as_deref(), Some("second"));
    session.append(EntryBody::session_info("")).expect("appended");
    assert_eq!(open(session.file().expect("a file")).session_name(), None);
}

#[test]
fn the_recent_session_goes_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let cwd = Path::new("/work");
    let fresh = Session::continue_recent(dir.path(), cwd).expect("a session");
    assert!(!fresh.is_persisted());
    fresh.append(user("hi")).expect("appended");
    fresh.persist().expect("persisted");
    fs::write(dir.path().join("zzz.jsonl"), "no session\n").expect("written");
    fs::write(dir.path().join("zzzz.jsonl"), "").expect("written");
    let again = Session::continue_recent(dir.path(), cwd).expect("a session");
    assert_eq!((again.id(), all_ids(&again)), (fresh.id(), all_ids(&fresh)));
    let elsewhere = Session::continue_recent(dir.path(), Path::new("/other")).expect("a session");
    assert!(!elsewhere.is_persisted() && elsewhere.id() != fresh.id());
}
