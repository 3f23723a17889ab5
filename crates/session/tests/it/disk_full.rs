//! A disk that is full, played by a process that may not write files above a size.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use tau_session::{NewSession, Session, SessionError};

use crate::support::*;

const LIMITED: &str = "TAU_SESSION_TEST_LIMITED_DIR";

#[test]
fn a_line_that_does_not_fit_leaves_nothing_behind() {
    let dir = tempfile::tempdir().expect("a folder");
    let test = std::env::current_exe().expect("this program");
    let output = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact disk_full::in_a_limited_process --ignored --nocapture",
        ])
        .arg(test)
        .env(LIMITED, dir.path())
        .output()
        .expect("a shell");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && report.contains("1 passed"),
        "{report}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
#[ignore = "run by the test above, in a process with a limit"]
fn in_a_limited_process() {
    let dir = std::env::var(LIMITED).expect("the test above sets it");
    let session = Session::create(Path::new(&dir), Path::new("/work"), NewSession::default()).expect("a session");
    session.append(user("fits")).expect("appended");
    session.persist().expect("persisted");
    let path = session.file().expect("a file");
    let before = text(path);

    let error = session.append(user(&"x".repeat(20_000))).expect_err("too long");
    assert!(matches!(&error, SessionError::Io { action: "append to", .. }), "{error}");
    assert_eq!(text(path), before);
    assert_eq!((session.entries().len(), leaf(&session)), (1, all_ids(&session).pop()));
    session.append(user("fits too")).expect("appended");
    assert_eq!(all_ids(&open(path)), all_ids(&session));

    let large = Session::create(Path::new(&dir), Path::new("/work"), NewSession::default()).expect("a session");
    large.append(user(&"x".repeat(20_000))).expect("appended");
    large.persist().expect_err("too long");
    assert!(!large.is_persisted() && large.file().is_some_and(|file| !file.exists()));
    assert_eq!(std::fs::read_dir(&dir).expect("a folder").count(), 1);
}
