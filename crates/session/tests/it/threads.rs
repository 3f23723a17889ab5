//! One session, many threads.

use std::sync::Arc;

use tau_session::{NewSession, Session};

use crate::support::*;

#[test]
fn readers_and_writers_may_come_from_any_thread() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    let (_dir, session) = persisted();
    let session = Arc::new(session);
    shared(&session);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..100 {
                    let entry = session.append(user(&n.to_string())).expect("appended");
                    assert!(session.entry(entry.id()).is_some());
                    let path = session.branch_path(Some(entry.id()));
                    assert_eq!(path.last().map(|entry| entry.id()), Some(entry.id()));
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..100 {
                let before = session.entries().len();
                assert!(session.context().messages.len() >= before);
            }
        });
    });
    let reopened = open(session.file().expect("a file"));
    assert_eq!(all_ids(&reopened), all_ids(&session));
    assert_eq!(reopened.branch_path(None).len(), 400, "every entry is the child of the one before");
}

#[test]
fn entries_that_come_while_the_file_is_created_are_in_it_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let session = Session::create(dir.path(), "/work".as_ref(), NewSession::default()).expect("a session");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| (0..50).for_each(|_| drop(session.append(user("x")).expect("appended"))));
        }
        scope.spawn(|| session.persist().expect("persisted"));
    });
    let reopened = open(session.file().expect("a file"));
    assert_eq!(all_ids(&reopened), all_ids(&session));
}

#[test]
fn a_file_that_is_not_written_to_any_more_ends_with_a_whole_line() {
    let (_dir, session) = persisted();
    let file = session.file().expect("a file").to_owned();
    std::thread::scope(|scope| {
        let writer =
            scope.spawn(|| (0..40).for_each(|_| drop(session.append(user(&"x".repeat(1 << 18))).expect("kept"))));
        while std::fs::metadata(&file).expect("a file").len() < 1 << 20 {
            std::thread::yield_now();
        }
        session.stop_writing();
        let written = std::fs::read(&file).expect("a file");
        assert_eq!(written.last(), Some(&b'\n'));
        writer.join().expect("the writer");
        assert_eq!(std::fs::read(&file).expect("a file").len(), written.len());
    });
    assert_eq!(all_ids(&session).len(), 40, "the tree has all entries");
}
