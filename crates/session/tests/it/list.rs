//! The list of sessions.

use std::fs;
use std::path::Path;

use tau_session::{SessionInfo, list_sessions, most_recent};

use crate::support::*;

#[test]
fn sessions_are_listed_with_the_latest_activity_first() {
    let dir = tempfile::tempdir().expect("a folder");
    let garden = dir.path().join("garden.jsonl");
    fs::copy(branches(), &garden).expect("copied");
    let quiet = dir.path().join("quiet.jsonl");
    fs::write(&quiet, format!("junk\n{HEADER}\n")).expect("written");
    let newer = dir.path().join("newer.jsonl");
    let answer = line("00000001", None).replace("\"timestamp\":1}", "\"timestamp\":1999999999999}");
    fs::write(&newer, format!("{HEADER}\n{{bad\n{answer}")).expect("written");
    for (name, content) in [("empty.jsonl", ""), ("other.jsonl", "{}\n"), ("notes.txt", HEADER)] {
        fs::write(dir.path().join(name), content).expect("written");
    }
    fs::create_dir(dir.path().join("folder.jsonl")).expect("a folder");

    let listed = list_sessions(dir.path()).expect("a list");
    let small = |path: &Path| SessionInfo {
        path: path.to_owned(),
        id: "s1".to_owned(),
        cwd: "/work".to_owned(),
        name: None,
        parent_session: None,
        created_ms: Some(1767323045000),
        modified_ms: 1767323045000,
        message_count: 0,
        first_message: None,
    };
    let expected = [
        SessionInfo {
            modified_ms: 1999999999999,
            message_count: 1,
            first_message: Some("text of 00000001".to_owned()),
            ..small(&newer)
        },
        SessionInfo {
            id: "01f0c0de-0000-7000-8000-000000000001".to_owned(),
            cwd: "/home/ann/garden".to_owned(),
            name: Some("Garden plan".to_owned()),
            created_ms: Some(1772359200000),
            modified_ms: 1772359219000,
            message_count: 10,
            first_message: Some("What grows in bed 3?".to_owned()),
            ..small(&garden)
        },
        small(&quiet),
    ];
    assert_eq!(listed, expected);
}

#[test]
fn a_folder_that_is_not_there_has_no_sessions() {
    assert_eq!(list_sessions(Path::new("/nowhere/at/all")).expect("a list"), []);
    assert_eq!(most_recent(Path::new("/nowhere/at/all"), Path::new("/work")), None);
}

#[test]
fn in_a_shared_folder_only_the_own_sessions_count() {
    let dir = tempfile::tempdir().expect("a folder");
    let shared = dir.path().join("s.jsonl");
    fs::write(&shared, HEADER).expect("written");
    assert_eq!(most_recent(dir.path(), Path::new("/work")), Some(shared));
    assert_eq!(most_recent(dir.path(), Path::new("/other")), None);
    let own = dir.path().join("--other--");
    fs::create_dir(&own).expect("a folder");
    fs::write(own.join("s.jsonl"), HEADER).expect("written");
    assert_eq!(most_recent(&own, Path::new("/other")), Some(own.join("s.jsonl")));
}
