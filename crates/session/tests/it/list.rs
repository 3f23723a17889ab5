//! The list of sessions.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tau_session::{SessionIndex, SessionInfo, SessionList, find_sessions, list_sessions, most_recent, session_dirs};

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

/// Files with these first messages; each was written a second after the one before.
fn written(dir: &Path, texts: &[String]) {
    for (at, text) in texts.iter().enumerate() {
        let path = dir.join(format!("{at}.jsonl"));
        fs::write(&path, format!("{HEADER}\n{}\n", line("00000001", None).replace("text of 00000001", text)))
            .expect("written");
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + at as u64);
        fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(time)).expect("a time");
    }
}

fn texts(list: SessionList) -> Vec<String> {
    list.filter_map(|info| info.first_message).collect()
}

#[test]
fn the_first_page_is_there_before_the_rest_is_read() {
    let dir = tempfile::tempdir().expect("a folder");
    written(dir.path(), &(0..30).map(|n| format!("message {n}")).collect::<Vec<_>>());
    let dirs = [dir.path().to_owned()];
    let mut list = SessionList::new(&dirs, Arc::new(SessionIndex::default())).expect("a list");
    let page: Vec<String> = list.by_ref().take(2).filter_map(|info| info.first_message).collect();
    assert_eq!((page, list.remaining()), (vec!["message 29".to_owned(), "message 28".to_owned()], 28));
    // What was not looked at need not even be a file any more.
    fs::remove_file(dir.path().join("27.jsonl")).expect("removed");
    assert_eq!(list.next().and_then(|info| info.first_message).as_deref(), Some("message 26"));
}

#[test]
fn a_file_is_read_again_only_when_it_has_changed() {
    let dir = tempfile::tempdir().expect("a folder");
    let (kept, dirs) = (dir.path().join("cache/index.jsonl"), [dir.path().to_owned()]);
    written(dir.path(), &["one".to_owned(), "two".to_owned()]);
    let load = || Arc::new(SessionIndex::load(&kept));
    let list = |index: &Arc<SessionIndex>| texts(SessionList::new(&dirs, Arc::clone(index)).expect("a list"));
    let index = load();
    assert_eq!(list(&index), ["two", "one"]);
    index.save().expect("saved");

    // The same size and time: what the index says counts, so the file was not read.
    let same = fs::metadata(dir.path().join("0.jsonl")).and_then(|meta| meta.modified()).expect("a time");
    let content = fs::read_to_string(dir.path().join("0.jsonl")).expect("a file").replace("one", "ONE");
    fs::write(dir.path().join("0.jsonl"), content).expect("written");
    let set = |time| {
        fs::File::options().append(true).open(dir.path().join("0.jsonl")).and_then(|file| file.set_modified(time))
    };
    set(same).expect("a time");
    let index = load();
    assert_eq!(list(&index), ["two", "one"]);
    set(same + std::time::Duration::from_secs(5)).expect("a time");
    assert_eq!(list(&index), ["ONE", "two"]);
    fs::remove_file(dir.path().join("1.jsonl")).expect("removed");
    assert_eq!(list(&index), ["ONE"]);
    index.save().expect("saved");
    assert_eq!(fs::read_to_string(&kept).expect("a file").lines().count(), 2);

    // It is a cache: damage costs nothing but time.
    for damaged in ["", "{\"tau-session-index\":99}\n[1]", "{\"tau-session-index\":1}\nhalf a li"] {
        fs::write(&kept, damaged).expect("written");
        assert_eq!(list(&load()), ["ONE"]);
    }
}

#[test]
fn sessions_of_all_projects_are_found_by_the_beginning_of_their_id() {
    let agent = tempfile::tempdir().expect("a folder");
    assert_eq!(session_dirs(agent.path()), [] as [std::path::PathBuf; 0]);
    for (project, id) in [("--a--", "ab1"), ("--b--", "ab"), ("--b--", "xy")] {
        let dir = agent.path().join("sessions").join(project);
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(dir.join(format!("{id}.jsonl")), HEADER.replace("\"s1\"", &format!("\"{id}\""))).expect("written");
    }
    let dirs = session_dirs(agent.path());
    let found = |text: &str| find_sessions(&dirs, text).into_iter().map(|(_, id)| id).collect::<Vec<_>>();
    assert_eq!(dirs.len(), 2);
    assert_eq!(found("ab"), ["ab"], "an id that fits as a whole is meant");
    assert_eq!(found("a"), ["ab1", "ab"]);
    assert_eq!(found("q"), [] as [&str; 0]);
}
