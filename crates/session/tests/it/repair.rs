//! Files that were damaged, and what a repair makes of them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use tau_ai::{Message, Sources, StopReason};
use tau_session::{EntryBody, EntryKind, Fix, LEAF_MARKER, MessageRole, Repaired, Session, SessionError, repair};

use crate::support::*;

fn entry(id: &str, parent: Option<&str>, kind: &str, rest: Value) -> String {
    let mut entry = json!({"type": kind, "id": id, "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z"});
    for (key, value) in rest.as_object().expect("fields") {
        entry[key] = value.clone();
    }
    entry.to_string()
}

fn answer(id: &str, parent: Option<&str>, calls: &[&str], stop: &str) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| json!({"type": "toolCall", "id": call, "name": format!("tool_{call}"), "arguments": {}}))
        .collect();
    let message = json!({
        "role": "assistant", "content": calls, "api": "a", "provider": "p", "model": "m", "stopReason": stop, "timestamp": 2,
    });
    entry(id, parent, "message", json!({ "message": message }))
}

fn result(id: &str, parent: Option<&str>, call: &str) -> String {
    let content = json!([{"type": "text", "text": format!("{id} of {call}")}]);
    let message =
        json!({"role": "toolResult", "toolCallId": call, "toolName": "t", "content": content, "timestamp": 3});
    entry(id, parent, "message", json!({ "message": message }))
}

fn marker(id: &str, parent: Option<&str>) -> String {
    entry(id, parent, "custom", json!({"customType": LEAF_MARKER}))
}

fn whole(lines: &[String]) -> String {
    [HEADER.to_owned()].iter().chain(lines).map(|line| format!("{line}\n")).collect()
}

fn repaired(path: &Path) -> Repaired {
    repair(path, &Sources::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The path to the leaf: ids, with `role:text` for results.
fn way(path: &Path) -> Vec<String> {
    let session = open(path);
    assert_eq!(problems(&session), Vec::<String>::new());
    let name = |entry: &std::sync::Arc<tau_session::Entry>| match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::ToolResult(result) if result.is_error => format!("new {}", result.tool_call_id),
            Message::ToolResult(result) => {
                let text = result.content[0].as_text().unwrap_or_default().to_owned();
                format!("result {text}")
            }
            _ => entry.id().to_string(),
        },
        _ => entry.id().to_string(),
    };
    session.branch_path(None).iter().map(name).collect()
}

#[test]
fn a_file_in_which_nothing_is_wrong_is_not_touched() {
    let calls = whole(&[answer("a", None, &["c"], "toolUse"), result("r", Some("a"), "c")]);
    for text in [fs::read_to_string(branches()).expect("a file"), calls, format!("{HEADER}\n")] {
        let (dir, path) = file(&text);
        let done = repaired(&path);
        assert_eq!((done.backup, done.fixes), (None, Vec::new()));
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1);
    }
}

#[test]
fn a_call_at_the_end_gets_a_result_there() {
    let text = whole(&[line("u", None), answer("a", Some("u"), &["c", "d"], "toolUse"), result("r", Some("a"), "d")]);
    let (_dir, path) = file(&text);
    let done = repaired(&path);
    assert_eq!(way(&path), ["u", "a", "result r of d", "new c"]);
    let after = fs::read_to_string(&path).expect("a file");
    assert!(after.starts_with(&text), "nothing but a line is added");
    assert_eq!(fs::read_to_string(done.backup.expect("a backup")).expect("a file"), text);
    let [Fix::Answered { line: 4, tool, is_late: false }] = &done.fixes[..] else { panic!("{:?}", done.fixes) };
    assert_eq!(tool, "tool_c");
}

/// A call on two branches: each has a way through the same new result, and the session continues where it did.
#[test]
fn an_orphan_call_on_two_branches_is_answered_on_both() {
    let lines = [
        line("u", None),
        answer("a", Some("u"), &["c", "d"], "toolUse"),
        line("one", Some("a")),
        result("r", Some("a"), "c"),
        line("two", Some("r")),
        line("three", Some("a")),
    ];
    let (_dir, path) = file(whole(&lines));
    let done = repaired(&path);
    assert_eq!(way(&path), ["u", "a", "new c", "new d", "three"]);
    let session = open(&path);
    let above = |id: &str| ids(&session.branch_path(Some(id)));
    assert_eq!(above("one")[..4], above("three")[..4]);
    let two = above("two");
    assert_eq!((two.len(), &two[2][..]), (5, "r"));
    assert_eq!(done.fixes.len(), 3);
    drop(session);
    assert_eq!(repaired(&path).backup, None);
}

#[test]
fn a_second_result_is_no_part_of_the_conversation() {
    let lines = [
        answer("a", None, &["c", "d"], "toolUse"),
        result("r", Some("a"), "c"),
        result("again", Some("r"), "c"),
        result("s", Some("again"), "d"),
        line("u", Some("s")),
    ];
    let (_dir, path) = file(whole(&lines));
    let done = repaired(&path);
    assert_eq!(way(&path), ["a", "result r of c", "result s of d", "u"]);
    assert_eq!(done.fixes, [Fix::Aside { line: 4 }]);
    assert_eq!(open(&path).entries().len(), 5, "it is there still");

    // At the end of the file it is the place where the session continues.
    let lines =
        [answer("a", None, &["c", "d"], "toolUse"), result("r", Some("a"), "c"), result("again", Some("r"), "c")];
    let (_dir, path) = file(whole(&lines));
    repaired(&path);
    assert_eq!(way(&path), ["a", "result r of c", "new d"]);
    assert_eq!(repaired(&path).backup, None);
}

#[test]
fn a_result_that_comes_too_late_is_put_behind_its_call() {
    let lines =
        [answer("a", None, &["c"], "toolUse"), line("u", Some("a")), result("r", Some("u"), "c"), line("v", Some("r"))];
    let (_dir, path) = file(whole(&lines));
    let done = repaired(&path);
    assert_eq!(way(&path), ["a", "result r of c", "u", "v"]);
    assert!(matches!(&done.fixes[..], [Fix::Answered { is_late: true, .. }, Fix::Aside { line: 4 }]), "{done:?}");
}

#[test]
fn calls_of_an_answer_that_was_cut_off_need_no_result() {
    for stop in ["aborted", "error"] {
        let (_dir, path) = file(whole(&[answer("a", None, &["c"], stop), line("u", Some("a"))]));
        assert_eq!(repaired(&path).backup, None);
    }
}

#[test]
fn a_mark_of_the_leaf_stays_one() {
    let lines =
        [answer("a", None, &["c"], "toolUse"), line("u", Some("a")), line("v", Some("u")), marker("m", Some("a"))];
    let (_dir, path) = file(whole(&lines));
    repaired(&path);
    let session = open(&path);
    session.append(user("next")).expect("appended");
    drop(session);
    assert!(way(&path).contains(&"new c".to_owned()), "{:?}", way(&path));
    assert_eq!(repaired(&path).backup, None);
}

#[test]
fn what_no_program_can_read_is_in_the_backup_alone() {
    let text = [
        "\u{feff}",
        HEADER,
        "\r\n",
        &line("1", None),
        "\r\n\r\n{\"type\":\"message\",\"id\":\"2\",\"par\n",
        &line("3", Some("2")),
        "\n[1]\n\0\0\n",
        HEADER,
        "\n",
        &line("4", Some("3")),
        "\n{\"type\":\"message\",\"id\":\"5\"",
    ]
    .concat();
    let (_dir, path) = file(&text);
    assert!(Session::open(&path).is_err(), "the mark keeps the header from being found");
    let done = repaired(&path);
    assert_eq!(way(&path), ["1", "3", "4"]);
    assert_eq!(fs::read_to_string(done.backup.as_ref().expect("a backup")).expect("a file"), text);
    let removed = done.fixes.iter().filter_map(|fix| match fix {
        Fix::Removed(problem) => Some(problem.line),
        _ => None,
    });
    assert_eq!(removed.collect::<Vec<_>>(), [4, 6, 7, 8, 10]);
    let said = done.to_string();
    let expected = [
        "a byte order mark at the beginning was removed",
        "line 1 and 1 more: carriage returns at the end were removed",
        "line 4: removed (not JSON: ",
        "line 5: its parent cannot be read; it is now below line 2",
        "line 7: removed (contains NUL bytes)",
        "line 10: removed (cut off)",
    ];
    for part in expected {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(repaired(&path).backup, None);
}

#[test]
fn what_nobody_can_put_right_is_told_and_stays() {
    let lines = [line("a", Some("nowhere")), line("twice", Some("a")), line("twice", Some("twice"))];
    let (_dir, path) = file(whole(&lines));
    let done = repaired(&path);
    assert_eq!((done.backup.is_some(), done.left.len()), (false, 2));
    assert!(done.to_string().contains("the parent nowhere is not in the file"), "{done}");

    let ring = [line("x", Some("y")), line("y", Some("x")), line("z", Some("y"))];
    let (_dir, path) = file(whole(&ring));
    assert_eq!(repaired(&path).fixes, [Fix::Cycle { line: 2 }]);
    assert_eq!(way(&path), ["x", "y", "z"]);
}

#[test]
fn an_older_file_becomes_one_of_today() {
    let text = "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"t\",\"cwd\":\"/w\"}\n\
                {\"type\":\"message\",\"timestamp\":\"t\",\"message\":{\"role\":\"user\",\"content\":\"x\",\"timestamp\":1}}\n";
    let (_dir, path) = file(text);
    assert_eq!(repaired(&path).fixes, [Fix::Migrated(1)]);
    assert_eq!((open(&path).header().version, open(&path).entries().len()), (3, 1));
    let (_dir, path) = file(HEADER.replace("\"version\":3", "\"version\":4") + "\nbroken");
    assert!(matches!(repair(&path, &Sources::default()), Err(SessionError::UnknownVersion { version: 4, .. })));
    let (_dir, path) = file("nothing");
    assert!(matches!(repair(&path, &Sources::default()), Err(SessionError::NotASession { .. })));
}

#[test]
fn backups_stand_beside_each_other_and_belong_to_the_user_alone() {
    let (dir, path) = file(whole(&[line("a", None)]) + "torn");
    let first = repaired(&path).backup.expect("a backup");
    fs::write(&path, text(&path) + "torn again").expect("damaged");
    let second = repaired(&path).backup.expect("a backup");
    assert_eq!(first, dir.path().canonicalize().expect("a path").join("s.before-repair"));
    assert!(second.ends_with("s.2.before-repair") && text(&second).ends_with("torn again"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(first.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_open_elsewhere_is_left_alone() {
    let text = whole(&[answer("a", None, &["c"], "toolUse")]);
    let (_dir, path) = file(&text);
    let session = open(&path);
    assert!(matches!(repair(&path, &Sources::default()), Err(SessionError::InUse(_))));
    let other = open(&path);
    assert!(matches!(session.repair(), Err(SessionError::InUse(_))));
    assert_eq!(fs::read_to_string(&path).expect("a file"), text);
    drop(other);
    let done = session.repair().expect("a repair");
    assert_eq!(done.fixes.len(), 1);
    // The session continues in the new file, and holds that.
    session.append(user("next")).expect("appended");
    assert_eq!(open(&path).entries().len(), 3);
    assert!(matches!(repair(&path, &Sources::default()), Err(SessionError::InUse(_))));
    drop(session);
    assert_eq!(repaired(&path).fixes.len(), 1, "it did not know the new entry");
    assert_eq!(way(&path)[..2], ["a", "new c"]);
}

#[test]
fn a_session_without_a_file_has_nothing_to_repair() {
    let session = Session::in_memory("/work".as_ref(), tau_session::NewSession::default()).expect("a session");
    assert!(matches!(session.repair(), Err(SessionError::NoFile)));
}

#[derive(Debug, Clone)]
enum Piece {
    User,
    Answer(Vec<u8>, bool),
    Result(u8),
    Custom,
    Marker,
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        2 => Just(Piece::User),
        3 => (vec(0..4_u8, 0..3), prop::bool::weighted(0.2)).prop_map(|(calls, cut)| Piece::Answer(calls, cut)),
        4 => (0..4_u8).prop_map(Piece::Result),
        1 => Just(Piece::Custom),
        1 => Just(Piece::Marker),
    ]
}

#[derive(Debug, Clone)]
enum Harm {
    Mark,
    Returns,
    Junk(prop::sample::Index, String),
    Cut(usize),
    Torn(prop::sample::Index),
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        Just(Harm::Mark),
        Just(Harm::Returns),
        (any::<prop::sample::Index>(), "[a-z\\[{\"\u{0}]{1,9}").prop_map(|(at, junk)| Harm::Junk(at, junk)),
        (1..200_usize).prop_map(Harm::Cut),
        any::<prop::sample::Index>().prop_map(Harm::Torn),
    ]
}

fn lines_of(pieces: &[(Piece, Option<prop::sample::Index>)]) -> Vec<String> {
    let id = |at: usize| format!("e{at}");
    let mut lines = Vec::new();
    for (at, (piece, parent)) in pieces.iter().enumerate() {
        let parent = (at > 0).then(|| id(parent.map_or(at - 1, |parent| parent.index(at))));
        let (own, parent) = (id(at), parent.as_deref());
        lines.push(match piece {
            Piece::User => line(&own, parent),
            Piece::Answer(calls, cut) => {
                let mut calls: Vec<String> = calls.iter().map(|call| format!("c{call}")).collect();
                calls.sort();
                calls.dedup();
                let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
                answer(&own, parent, &calls, if *cut { "aborted" } else { "toolUse" })
            }
            Piece::Result(call) => result(&own, parent, &format!("c{call}")),
            Piece::Custom => entry(&own, parent, "custom", json!({"customType": "x"})),
            Piece::Marker => marker(&own, parent),
        });
    }
    lines
}

fn harmed(lines: &[String], harms: &[Harm]) -> Vec<u8> {
    let mut lines = lines.to_vec();
    for harm in harms {
        match harm {
            Harm::Junk(at, junk) => {
                let at = at.index(lines.len() + 1);
                lines.insert(at, junk.clone());
            }
            Harm::Torn(at) if !lines.is_empty() => {
                let at = at.index(lines.len());
                let half = lines[at].len() / 2;
                lines[at].truncate(half);
            }
            _ => {}
        }
    }
    let mut text = whole(&lines);
    for harm in harms {
        match harm {
            Harm::Mark if !text.starts_with('\u{feff}') => text.insert(0, '\u{feff}'),
            Harm::Returns => text = text.replace("\r\n", "\n").replace('\n', "\r\n"),
            Harm::Cut(count) => text.truncate(text.len().saturating_sub(*count).max(HEADER.len() + 6)),
            _ => {}
        }
    }
    text.into_bytes()
}

/// Every call on the way to the leaf has one result before anything else that the model sees, and every result a call.
fn check_calls(session: &Session) {
    let mut open: HashSet<String> = HashSet::new();
    let mut is_due = false;
    for entry in session.branch_path(None) {
        let body = entry.body();
        let EntryBody::Message(body) = &*body else { continue };
        match &*body.message {
            Message::Assistant(answer) => {
                assert!(open.is_empty() || !is_due, "{open:?} before {}", entry.id());
                open = answer.tool_calls().map(|call| call.id.clone()).collect();
                is_due = answer.stop_reason != StopReason::Aborted;
            }
            Message::ToolResult(result) => {
                assert!(open.remove(&result.tool_call_id), "nobody waits for {}", entry.id());
            }
            _ => {
                assert!(open.is_empty() || !is_due, "{open:?} before {}", entry.id());
                open.clear();
            }
        }
    }
    assert!(open.is_empty() || !is_due, "{open:?} at the end");
}

/// The entries of a text: id and everything but the parent.
fn entries_of(text: &[u8]) -> HashMap<String, Value> {
    let text = String::from_utf8_lossy(text);
    let read = text.trim_start_matches('\u{feff}').lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let entries = read.filter(|entry| entry["type"].is_string() && entry["type"] != "session");
    entries
        .filter_map(|mut entry| {
            entry.as_object_mut()?.remove("parentId");
            Some((entry["id"].as_str()?.to_owned(), entry))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn a_repaired_file_loads_has_all_entries_and_stays(
        pieces in vec((piece(), prop::option::weighted(0.2, any::<prop::sample::Index>())), 0..25),
        harms in vec(harm(), 0..4),
    ) {
        let before = harmed(&lines_of(&pieces), &harms);
        let (_dir, path) = file(&before);
        let done = repaired(&path);
        let after = fs::read(&path).expect("a file");
        let (were, are) = (entries_of(&before), entries_of(&after));
        for (id, entry) in &were {
            prop_assert_eq!(are.get(id), Some(entry));
        }
        let session = open(&path);
        let unreadable = session.problems().iter().filter(|problem| problem.reason.to_string().contains("skipped"));
        prop_assert_eq!(unreadable.count(), 0);
        let is_root_result = |entry: &std::sync::Arc<tau_session::Entry>| entry.role() == Some(MessageRole::ToolResult);
        // A result at the very beginning has nothing above it that it could hang beside.
        if !session.branch_path(None).first().is_some_and(is_root_result) {
            check_calls(&session);
        }
        let new = are.len() - were.len();
        let answered = done.fixes.iter().filter(|fix| matches!(fix, Fix::Answered { .. })).count();
        prop_assert!(new == answered || new == answered + 1, "{} {}", new, answered);
        drop(session);
        let again = repaired(&path);
        prop_assert_eq!(again.backup, None, "{:?}", again.fixes);
        prop_assert_eq!(fs::read(&path).expect("a file"), after);
    }
}

#[test]
fn very_many_calls_take_linear_time() {
    let mut lines = Vec::new();
    let mut last: Option<String> = None;
    for at in 0..20_000 {
        let (own, next) = (format!("a{at}"), format!("u{at}"));
        lines.push(answer(&own, last.as_deref(), &["same"], "toolUse"));
        lines.push(line(&next, Some(&own)));
        last = Some(next);
    }
    let (_dir, path) = file(whole(&lines));
    assert_eq!(repaired(&path).fixes.len(), 20_000);
    let session = open(&path);
    assert_eq!(session.branch_path(None).len(), 60_000);
    assert_eq!(session.branch_entries(EntryKind::Message).len(), 60_000);
}

#[test]
fn a_second_result_at_the_end_has_its_way_beside_another_branch() {
    let lines = [
        answer("a", None, &["c"], "toolUse"),
        result("r", Some("a"), "c"),
        line("u", Some("r")),
        result("stray", Some("a"), "x"),
    ];
    let (_dir, path) = file(whole(&lines));
    repaired(&path);
    assert_eq!(way(&path), ["a", "new c"]);
    assert_eq!(repaired(&path).backup, None);
}

/// What whole entries share a line with is lost; they are not.
#[test]
fn whole_entries_in_a_damaged_line_stay() {
    let entry = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"{id}","timestamp":1}}}}"#
        )
    };
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#;
    let (one, two, three) =
        (entry("aaaaaaaa", "null"), entry("bbbbbbbb", "\"aaaaaaaa\""), entry("cccccccc", "\"bbbbbbbb\""));
    let whole = format!("{header}\n{one}\n{two}\n{three}\n");
    let cut = &two[..two.len() - 5];
    for (damaged, expected) in [
        (format!("{header}\n{one}{two}\n{three}\n"), whole.clone()),
        (format!("{header}\n{one}\n\0\0{two}\n{three}\n"), whole.clone()),
        (format!("{header}\n\u{feff}{one}\n{two}\n{three}\n"), whole.clone()),
        // The rest of an entry is gone, and the one behind it hangs on what stood before.
        (
            format!("{header}\n{one}\n{cut}{three}\n"),
            format!("{header}\n{one}\n{}\n", entry("cccccccc", "\"aaaaaaaa\"")),
        ),
        // Nothing stood before.
        (format!("{header}\n{}\n{two}\n", &one[..20]), format!("{header}\n{}\n", entry("bbbbbbbb", "null"))),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.jsonl");
        fs::write(&path, &damaged).expect("a file");
        let done = repair(&path, &Sources::default()).expect("a repair");
        assert_eq!(fs::read_to_string(&path).expect("a file"), expected, "{done}");
        let again = repair(&path, &Sources::default()).expect("a repair");
        assert!(again.backup.is_none() && again.left.is_empty(), "{again}");
    }
}
