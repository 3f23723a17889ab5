//! Damaged session files: reported, survived, never made worse.

use crate::support::{Done, Place, transcript};
use tau_session::Session;

const HEADER: &str = r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#;
const USER: &str = r#"{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"first question"}],"timestamp":1}}"#;

#[test]
fn damaged_lines_are_reported_and_survive() {
    let place = Place::new();
    let before = format!("{HEADER}\n{USER}\nnot json\n{{\"type\":\"message\",\"id\":\"0000");
    let file = place.write("work/old.jsonl", &before);
    let script = "replies: [[{expect: {messages: 2, contains: first question}}, {text: fine}]]";
    let done = place.play(script, ["--session", "old.jsonl", "-p", "second question"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&done.stderr));
    let after = place.read("work/old.jsonl");
    assert!(after.starts_with(&format!("{before}\n{{")), "{after}");
    let session = Session::open(&file).expect("a session");
    assert_eq!(transcript(&session), ["user: first question", "user: second question", "assistant: fine"]);
}

#[test]
fn a_missing_last_newline_is_no_loss() {
    let place = Place::new();
    place.write("work/old.jsonl", format!("{HEADER}\n{USER}"));
    let script = "replies: [[{expect: {messages: 2, contains: first question}}, {text: fine}]]";
    let done = place.play(script, ["--session", "old.jsonl", "-p", "second question"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    insta::assert_snapshot!(place.normal(&done.stderr));
    assert!(place.read("work/old.jsonl").starts_with(&format!("{HEADER}\n{USER}\n{{")));
}

#[test]
fn what_is_no_session_is_refused_and_left_alone() {
    let place = Place::new();
    let file = place.work().join("notes.jsonl");
    for content in ["", "just notes\n", "{\"type\":\"message\"}\n"] {
        place.write("work/notes.jsonl", content);
        let done = place.play("replies: [Hello]", ["--session", "notes.jsonl", "-p", "x"]).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{content:?}");
        assert!(done.stderr.contains(&*file.to_string_lossy()), "{done:?}");
        assert_eq!(place.read("work/notes.jsonl"), content);
    }
}

#[test]
fn a_damaged_file_does_not_hide_the_others() {
    let place = Place::new();
    assert_eq!(place.play("replies: [Hello]", ["-p", "Hi"]).run(), Done::ok("Hello\n"));
    let good = place.session_files().remove(0);
    std::fs::write(good.with_file_name("2099-01-01T00-00-00-000Z_x.jsonl"), "garbage").expect("a file");
    let script = "replies: [[{expect: {messages: 3}}, {text: Again}]]";
    assert_eq!(place.play(script, ["-c", "-p", "Hi"]).run(), Done::ok("Again\n"));
}
