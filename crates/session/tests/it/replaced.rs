//! A file that is deleted, replaced or cut while it is in use.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_session::{FileNotice, Session};

use crate::support::*;

type Heard = Arc<Mutex<Vec<FileNotice>>>;

fn heard(session: &Session) -> Heard {
    let heard = Heard::default();
    let sink = Arc::clone(&heard);
    session.listen(move |notice| sink.lock().push(notice.clone()));
    heard
}

/// A session with two messages, opened again when `fresh` is false.
fn with_two(fresh: bool) -> (tempfile::TempDir, Session, Heard) {
    let (dir, session) = persisted();
    session.append(user("one")).expect("appended");
    session.append(user("two")).expect("appended");
    let session = if fresh { session } else { open(session.file().expect("a file")) };
    let heard = heard(&session);
    (dir, session, heard)
}

fn path(session: &Session) -> std::path::PathBuf {
    session.file().expect("a file").to_owned()
}

#[test]
fn a_deleted_file_is_written_again_in_full() {
    for fresh in [true, false] {
        let (dir, session, heard) = with_two(fresh);
        let file = path(&session);
        let mut before = text(&file);
        // A line that nothing in memory stands for: another program wrote it.
        before.push_str("a line of another program\n");
        fs::write(&file, &before).expect("written");
        fs::remove_dir_all(dir.path()).expect("removed");
        let three = session.append(user("three")).expect("appended");
        assert_eq!(text(&file), format!("{before}{}\n", three.json().expect("JSON")));
        assert_eq!(*heard.lock(), [FileNotice::Recreated(file.clone())]);
        session.append(user("four")).expect("appended");
        assert_eq!((all_ids(&open(&file)), heard.lock().len()), (all_ids(&session), 1));
    }
}

#[test]
fn a_file_that_is_cut_gets_back_what_it_held() {
    for fresh in [true, false] {
        let whole = text(&path(&with_two(fresh).1)).len();
        for keep in [0, 10, whole / 2, whole - 1] {
            let (_dir, session, heard) = with_two(fresh);
            let file = path(&session);
            let before = text(&file);
            fs::OpenOptions::new().write(true).open(&file).expect("a file").set_len(keep as u64).expect("cut");
            let three = session.append(user("three")).expect("appended");
            assert_eq!(text(&file), format!("{before}{}\n", three.json().expect("JSON")), "{keep}");
            assert!(matches!(&heard.lock()[..], [FileNotice::Restored { .. }]), "{keep}");
        }
    }
}

/// Writes other bytes over a file; it keeps its length and stays the same file.
fn overwrite(file: &Path, content: &str) {
    use std::io::Write;
    assert_eq!(content.len(), text(file).len(), "as long as before");
    let mut open = fs::OpenOptions::new().write(true).open(file).expect("a file");
    open.write_all(content.as_bytes()).expect("overwritten");
}

#[test]
fn a_file_that_is_overwritten_in_place_gets_back_what_it_held() {
    for fresh in [true, false] {
        // The lines are gone, the header is there.
        let (_dir, session, heard) = with_two(fresh);
        let file = path(&session);
        let before = text(&file);
        let header = before.lines().next().expect("a header");
        overwrite(&file, &format!("{header}\n{}\n", " ".repeat(before.len() - header.len() - 2)));
        session.append(user("three")).expect("appended");
        assert_eq!(all_ids(&open(&file)), all_ids(&session));
        assert!(matches!(&heard.lock()[..], [FileNotice::Restored { lines: 2, .. }]), "{:?}", heard.lock());

        // Nothing of it is left: what is there now is somebody else's.
        let (_dir, session, heard) = with_two(fresh);
        let (file, other) = (path(&session), "x".repeat(before.len()));
        overwrite(&file, &other);
        session.append(user("three")).expect("appended");
        assert_eq!(text(&file), other);
        assert!(matches!(&heard.lock()[..], [FileNotice::Moved { .. }]), "{:?}", heard.lock());
        assert_eq!(all_ids(&open(&path(&session))), all_ids(&session));
    }
}

#[test]
fn an_older_copy_in_its_place_gets_what_it_lacks() {
    for fresh in [true, false] {
        let (dir, session, heard) = with_two(fresh);
        let file = path(&session);
        let lines: Vec<String> = text(&file).lines().map(str::to_owned).collect();
        // The first message is edited by hand, the second is gone, and there is one more.
        let edited = lines[1].replace("one", "ONE");
        let other = dir.path().join("other");
        fs::write(&other, format!("{}\n{edited}\n{}", lines[0], line("0000000x", None))).expect("written");
        fs::rename(&other, &file).expect("replaced");
        let three = session.append(user("three")).expect("appended");
        let expected = [&lines[0], &edited, &line("0000000x", None), &lines[2], &*three.json().expect("JSON")];
        assert_eq!(text(&file).lines().collect::<Vec<_>>(), expected);
        assert_eq!(*heard.lock(), [FileNotice::Restored { path: file.clone(), lines: 1 }]);
        assert_eq!(open(&file).leaf(), session.leaf());
    }
}

#[test]
fn another_session_in_its_place_is_left_alone() {
    let (_dir, session, heard) = with_two(false);
    let file = path(&session);
    let before = text(&file);
    let other = format!("{HEADER}\n{}\n", line("00000001", None)).repeat(1).replace("s1", "someone-else");
    fs::remove_file(&file).expect("removed");
    fs::write(&file, &other).expect("written");
    let three = session.append(user("three")).expect("appended");
    assert_eq!(text(&file), other);
    let new = path(&session);
    assert_ne!(new, file);
    assert_eq!(text(&new), format!("{before}{}\n", three.json().expect("JSON")));
    assert_eq!(*heard.lock(), [FileNotice::Moved { from: file, to: new }]);
}

#[cfg(unix)]
#[test]
fn a_pipe_a_folder_and_a_link_to_nowhere_in_its_place_do_not_stop_it() {
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo");
        assert!(made.success());
    };
    let folder = |path: &Path| fs::create_dir(path).expect("a folder");
    let link = |path: &Path| std::os::unix::fs::symlink("/nowhere/at/all", path).expect("a link");
    for take in [&pipe as &dyn Fn(&Path), &folder, &link] {
        for fresh in [true, false] {
            let (_dir, session, heard) = with_two(fresh);
            let file = path(&session);
            fs::remove_file(&file).expect("removed");
            take(&file);
            session.append(user("three")).expect("appended");
            assert!(matches!(&heard.lock()[..], [FileNotice::Moved { from, .. }] if *from == file));
            assert_eq!(all_ids(&open(&path(&session))), all_ids(&session));
        }
    }
}

#[cfg(unix)]
#[test]
fn sessions_are_for_their_owner_and_pipes_are_no_sessions() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a folder");
    let deep = dir.path().join("a/b");
    let session = Session::create(&deep, "/work".as_ref(), tau_session::NewSession::default()).expect("a session");
    session.append(user("one")).expect("appended");
    session.persist().expect("persisted");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!([mode(&path(&session)), mode(&deep), mode(&dir.path().join("a"))], [0o600, 0o700, 0o700]);
    let pipe = deep.join("9999_x.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert_eq!(tau_session::list_sessions(&deep).expect("a list").len(), 1);
    assert_eq!(tau_session::most_recent(&deep, "/work".as_ref()), session.file().map(Path::to_owned));
    let error = Session::open(&pipe).expect_err("refused").to_string();
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn what_nests_deeper_than_a_parser_likes_is_read_whole() {
    for depth in [125, 128, 200, 1500] {
        let nested = format!("{}1e400{}", r#"{"a":["#.repeat(depth / 2), "]}".repeat(depth / 2));
        let call = format!(
            r#"{{"type":"message","id":"00000002","parentId":"00000001","timestamp":"t","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"x","arguments":{nested}}}]}}}}"#
        );
        let (_dir, file) = file(format!("{HEADER}\n{}\n{call}\n", line("00000001", None)));
        let session = open(&file);
        let message = messages(&session.context()).pop().expect("a message");
        assert!(message.contains(&nested.replace("1e400", "null")), "{depth}: {message}");
        let problems: Vec<String> = session.branch_problems().iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [format!(
                "line 3 (byte {}): a number is too large, read as null",
                2 + HEADER.len() + line("00000001", None).len()
            )]
        );
        assert!(session.branch_jsonl().expect("a branch").contains(&nested));
    }
}

#[test]
fn messages_that_the_model_will_not_see_are_named() {
    let strange = r#"{"type":"message","id":"00000002","parentId":"00000001","timestamp":"t","message":{"role":"ghost","content":"boo"}}"#;
    let broken = r#"{"type":"message","id":"00000003","parentId":"00000002","timestamp":"t","message":"text"}"#;
    // A type that a newer program adds is no damage: extensions see such entries.
    let future = r#"{"type":"gnome","id":"00000004","parentId":"00000003","timestamp":"t"}"#;
    let (_dir, file) = file(format!("{HEADER}\n{}\n{strange}\n{broken}\n{future}\n", line("00000001", None)));
    let session = open(&file);
    let summary = tau_session::Problem::summary(&session.branch_problems()).expect("problems");
    let head = "2 lines have problems and stay in the file as they are: line 3: unknown message role `ghost`";
    assert!(summary.starts_with(head), "{summary}");
    assert!(summary.contains("line 4: not a valid `message` entry"), "{summary}");
}
