//! Files of older versions.

use std::fs;

use tau_session::{Session, SessionError};

use crate::support::*;

const V1: &str = r#"{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w","color":"blue"}
{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}
{"type":"message","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"hookMessage","customType":"x","content":"two","display":true,"timestamp":2,"n":1.0}}
half a li
{"type":"message","timestamp":"2025-01-01T00:00:03.000Z","message":{"role":"user","content":"three \ud83d","timestamp":3}}

{"type":"compaction","timestamp":"2025-01-01T00:00:04.000Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":9}
{"type":"message","timestamp":"2025-01-01T00:00:05.000Z","message":{"role":"user","content":"four","timestamp":5}}"#;

#[test]
fn version_1_becomes_a_chain() {
    let (dir, path) = file(V1);
    let session = open(&path);
    insta::assert_snapshot!(text(&path));
    assert_eq!(problems(&session).len(), 1);
    assert_eq!(session.header().extra.get("color").and_then(|color| color.as_str()), Some("blue"));
    insta::assert_snapshot!("version_1_context", messages(&session.context()).join("\n"));
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing else is left");
    let migrated = text(&path);
    session.append(user("next")).expect("appended");
    assert!(text(&path).starts_with(&migrated));
    assert_eq!(all_ids(&open(&path)), all_ids(&session));
}

#[test]
fn version_2_keeps_its_ids() {
    let v2 = format!(
        "{}\n{}\n{}\n",
        HEADER.replace("\"version\":3", "\"version\":2"),
        line("00000001", None).replace("\"role\":\"user\"", "\"role\":\"hookMessage\",\"customType\":\"x\""),
        line("00000002", Some("00000001")),
    );
    let (_dir, path) = file(&v2);
    let session = open(&path);
    let expected = v2.replace("\"version\":2", "\"version\":3").replace("hookMessage", "custom");
    assert_eq!(text(&path), expected);
    let roles: Vec<_> = session.context().messages.iter().map(|item| item.message.role().to_owned()).collect();
    assert_eq!(roles, ["custom", "user"]);
}

#[test]
fn bytes_that_are_not_utf_8_survive() {
    let mut v1 = V1.replace("half", "h\u{1}lf").into_bytes();
    for byte in &mut v1 {
        if *byte == 1 {
            *byte = 0xFF;
        }
    }
    let (_dir, path) = file(&v1);
    let session = open(&path);
    assert_eq!(session.entries().len(), 5);
    let migrated = fs::read(&path).expect("a file");
    assert!(migrated.windows(10).any(|window| window == b"\nh\xFFlf a li"), "the line is still there");
}

#[test]
fn a_later_version_is_refused_and_left_alone() {
    let future = format!("{}\n{}\n", HEADER.replace("\"version\":3", "\"version\":4"), line("00000001", None));
    let (_dir, path) = file(&future);
    let error = Session::open(&path).expect_err("refused");
    assert!(matches!(&error, SessionError::UnknownVersion { version: 4, .. }), "{error}");
    assert!(Session::view(&path).is_err() && text(&path) == future);
    for odd in ["0", "2.5", "-1", "1e999"] {
        let odd = HEADER.replace("\"version\":3", &format!("\"version\":{odd}"));
        let (_dir, path) = file(&odd);
        assert!(Session::open(&path).is_err() && text(&path) == odd, "{odd}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_still_points_to_the_file_and_its_mode_stays() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, path) = file(V1);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("mode");
    let link = dir.path().join("link.jsonl");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    open(&link);
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    assert_eq!(open(&path).header().version, 3);
}

#[test]
fn a_file_that_cannot_be_replaced_stays_as_it_is() {
    // A header that only the lenient reader takes cannot be rewritten.
    let bad = V1.replacen("\"blue\"", "\"bl\u{1}\"", 1).replace('\u{1}', "\\u00zz");
    let (dir, path) = file(&bad);
    Session::open(&path).expect_err("refused");
    assert_eq!(text(&path), bad);
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1);
}
