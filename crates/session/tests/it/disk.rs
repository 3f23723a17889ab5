//! A large file stays on the disk: what is read of it is what a plain parse of all of it gives, and what others do to it is
//! noticed.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use proptest::prelude::*;
use serde_json::{Value, json};
use tau_ai::{Message, Usage};
use tau_session::{
    Choices, Entry, EntryBody, FileNotice, Memory, MessageRole, ModelChoice, Paid, Session, SessionContext, project,
};

use crate::support::*;

/// All in memory, then nothing, little and all of what was read.
const WHOLE: Memory = Memory { whole_file: u64::MAX, entries: 0 };
const DISK: [Memory; 3] = [disk(0), disk(400), disk(1 << 20)];

const fn disk(entries: usize) -> Memory {
    Memory { whole_file: 0, entries }
}

fn open_with(path: &Path, memory: Memory) -> Session {
    Session::open_with(path, memory).expect("the session opens")
}

/// Everything that can be seen of a session, read in this order.
fn everything(session: &Session, turn: usize) -> String {
    format!("{:?}\n{}", session.problems(), all_but_problems(session, turn))
}

fn all_but_problems(session: &Session, turn: usize) -> String {
    let mut seen = String::new();
    let mut entries: Vec<_> = session.entries().into_iter().collect();
    // Whatever was read before must not matter.
    let len = entries.len().max(1);
    entries.rotate_left(turn % len);
    let mut of_entries: Vec<(usize, String)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let body = entry.body();
        assert_columns(entry, &body);
        let parts = (entry.id(), entry.parent_id(), entry.timestamp(), entry.kind());
        let text = format!("{parts:?} {:?} {:?} {:?} {:?}\n", entry.role(), &*body, entry.json().ok(), entry.problem());
        of_entries.push(((at + turn) % len, text));
    }
    of_entries.sort();
    of_entries.into_iter().for_each(|(_, text)| seen.push_str(&text));
    let context = session.context();
    write!(seen, "{:?}\n{:?}\n", session.header(), session.branch_problems()).expect("text");
    writeln!(seen, "{:?}", session.context_problems()).expect("text");
    write!(
        seen,
        "{}\n{:?}\n{:?}\n",
        messages(&context).join("\n"),
        context.choices,
        session.recorded_tools().map(|tools| tools.active)
    )
    .expect("text");
    writeln!(seen, "{:?} {:?} {:?}", session.leaf(), session.session_name(), session.labels()).expect("text");
    assert_eq!(context.choices, session.choices());
    assert_plain(session, &context);
    seen.push_str(&session.tree().to_json().expect("a tree"));
    // But for its header, which has the time of now.
    let branch = session.branch_jsonl().expect("a branch");
    seen.push_str(branch.split_once('\n').expect("a header").1);
    seen
}

/// The context is what one finds who looks at every entry of the branch.
fn assert_plain(session: &Session, context: &SessionContext) {
    let branch = session.branch_path(None);
    let plain = project(&branch).into_iter().filter_map(|entry| Some((entry.entry.id().clone(), entry.message?)));
    let found = context.messages.iter().map(|item| (item.entry_id.clone(), Arc::clone(&item.message)));
    assert_eq!(found.collect::<Vec<_>>(), plain.collect::<Vec<_>>());
    let mut choices = Choices::default();
    for entry in &branch {
        match &*entry.body() {
            EntryBody::ThinkingLevelChange(change) => choices.thinking_level = Some(change.thinking_level.clone()),
            EntryBody::ModelChange(change) => {
                let (provider, model_id) = (change.provider.clone(), change.model_id.clone());
                choices.chosen = Some(ModelChoice { provider, model_id });
                choices.model.clone_from(&choices.chosen);
            }
            EntryBody::Message(entry) => {
                if let Some(answer) = entry.message.as_assistant().filter(|answer| !answer.model.is_empty()) {
                    let (provider, model_id) = (answer.provider.clone(), answer.model.clone());
                    choices.model = Some(ModelChoice { provider, model_id });
                }
            }
            _ => {}
        }
    }
    assert_eq!(context.choices, choices);
}

/// What is known without the body is what the body says.
fn assert_columns(entry: &Entry, body: &EntryBody) {
    let paid = |usage: Option<&Usage>| usage.map(Paid::from);
    let (role, usage, calls) = match body {
        EntryBody::Message(entry) => match &*entry.message {
            Message::User(_) => (Some(MessageRole::User), None, 0),
            Message::Assistant(answer) => {
                (Some(MessageRole::Assistant), paid(Some(&answer.usage)), answer.tool_calls().count())
            }
            Message::ToolResult(result) => (Some(MessageRole::ToolResult), paid(result.usage.as_ref()), 0),
            Message::System(_) => (Some(MessageRole::System), None, 0),
            _ => (Some(MessageRole::Other), None, 0),
        },
        EntryBody::Usage(entry) => (None, paid(Some(&entry.usage)), 0),
        EntryBody::Compaction(entry) => (None, paid(entry.usage.as_ref()), 0),
        EntryBody::BranchSummary(entry) => (None, paid(entry.usage.as_ref()), 0),
        // One that cannot be read says nothing.
        EntryBody::Unknown(_) => return,
        _ => (None, None, 0),
    };
    assert_eq!((entry.role(), entry.paid().copied(), entry.tool_calls() as usize), (role, usage, calls), "{entry:?}");
}

/// What a plain parse of every line says: the ids in their order, and the last line of each.
fn parsed(text: &[u8]) -> Vec<(String, Value)> {
    let lines = text.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
    let values = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let entries = values.filter(|value| value["type"].is_string() && value["type"] != "session");
    entries.filter_map(|value| Some((value["id"].as_str()?.to_owned(), value))).collect()
}

fn id(number: u8) -> String {
    format!("{number:08x}")
}

/// A line, mostly of an entry whose parent is one of a few.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![Just("a".to_owned()), "[a-zäλ🎉\"\\\\\n]{0,12}", Just("x".repeat(300))];
    let entry = (0..40_u8, prop::option::weighted(0.9, 0..40_u8), 0..14_u8, text, any::<bool>());
    let entry = entry.prop_map(|(own, parent, kind, text, flag)| {
        let (parent, target) = (parent.map(id), id(own.wrapping_add(1)));
        let fields = match kind {
            0 | 1 => json!({"type": "message", "message": {"role": "user", "content": text, "timestamp": 1}}),
            2 if own % 2 == 0 => json!({"type": "message", "message": {"role": "assistant", "content": [
                {"type": "toolCall", "id": "c", "name": "t", "arguments": {"type": "toolCall", "content": [{"type": "toolCall"}]}},
                {"type": "text", "text": text}, {"name": "u", "arguments": {}, "id": "d", "type": "toolCall"}],
                "api": "a", "provider": "p", "model": text, "stopReason": if flag { "aborted" } else { "stop" }, "timestamp": 2,
                "usage": {"input": own, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 5, "cost": {"input": 0.25, "total": 0.5}}}}),
            2 => json!({"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": text}],
                "api": "a", "provider": "p", "model": text, "stopReason": if flag { "aborted" } else { "stop" }, "timestamp": 2}}),
            3 => json!({"type": "message", "message": {"role": "toolResult", "toolCallId": "c", "toolName": "t",
                "content": [{"type": "text", "text": text}], "isError": flag, "timestamp": 3}}),
            4 => json!({"type": "message", "message": {"role": "system", "content": text, "timestamp": 4,
                "toolsAdded": [{"name": "read"}], "toolsRemoved": [{"name": "write"}]}}),
            5 => json!({"type": "message", "message": if flag { json!({"role": "ghost"}) } else { json!(text) }}),
            6 if flag => json!({"type": "branch_summary", "fromId": target, "summary": text, "usage": {"input": 7, "cost": {"total": 1.5}}}),
            6 => json!({"type": "compaction", "summary": text, "firstKeptEntryId": target, "tokensBefore": 3}),
            7 => json!({"type": "custom_message", "customType": if flag { "ttsr-injection" } else { "x" }, "content": text, "display": flag}),
            8 => json!({"type": "custom", "customType": if flag { "tau.leaf" } else { "x" }, "data": {"deep": [text]}}),
            9 => json!({"type": "label", "targetId": target, "label": text}),
            10 => json!({"type": "session_info", "name": text}),
            11 => json!({"type": "context_edit", "targetId": target, "replacement": if flag { json!({"content": text}) } else { Value::Null }}),
            12 => json!({"type": if flag { "model_change" } else { "thinking_level_change" }, "provider": "q", "modelId": text, "thinkingLevel": "low"}),
            _ => json!({"type": "garden_gnome", "message": {"role": ["system"]}, "hat": text, "more": {"b": 1, "a": [null, 1e300]}}),
        };
        let mut line = json!({"id": id(own), "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z", "future": flag});
        line.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        line.to_string().into_bytes()
    });
    let damage = prop_oneof![
        Just(b"{\"type\":\"message\",".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"[]".to_vec()),
        Just(b"\0\0\0".to_vec()),
        Just(HEADER.as_bytes().to_vec()),
        Just(
            br#"{"type":"message","id":"00000003","parentId":null,"message":{"role":"user","content":"half \ud83c"}}"#
                .to_vec()
        ),
        Just([&br#"{"type":"custom","id":"00000004","customType":"x","data":""#[..], &[0xff, 0xfe], br#""}"#].concat()),
        Just(
            format!(
                r#"{{"type":"custom","id":"00000005","customType":"x","data":{}{}}}"#,
                "[".repeat(300),
                "]".repeat(300)
            )
            .into_bytes()
        ),
        Just(br#"{"id":"00000006","type":"message","message":{"role":"user","content":"huge","n":1e999}}"#.to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    let line = prop_oneof![8 => entry, 1 => damage];
    (line, prop::bool::weighted(0.1)).prop_map(|(mut line, crlf)| {
        line.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        line
    })
}

/// A file, perhaps cut anywhere behind its header.
fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let lines = prop::collection::vec(any_line(), 0..40);
    (lines, prop::option::weighted(0.3, 0.0..1.0)).prop_map(|(lines, cut)| {
        let mut text = format!("{HEADER}\n").into_bytes();
        let header = text.len();
        text.extend(lines.concat());
        if let Some(cut) = cut {
            text.truncate(header + ((text.len() - header) as f64 * cut) as usize);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_from_the_disk_is_what_is_in_the_file(text in any_file(), turn in 0..40_usize) {
        let (_dir, path) = file(&text);
        let whole = open_with(&path, WHOLE);
        let expected = everything(&whole, 0);
        let (entries, plain) = (whole.entries(), parsed(&text));
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id().as_str()).collect();
        // What is no JSON for a strict parser may be for ours: half a character, numbers and depths beyond its limits.
        let mut rest = ids.iter();
        for (id, _) in &plain {
            prop_assert!(rest.any(|found| found == id), "{id} is missing in {ids:?}");
        }
        let last: HashMap<&str, &Value> = plain.iter().map(|(id, value)| (id.as_str(), value)).collect();
        for (id, value) in last {
            let found = entries.iter().filter(|entry| entry.id().as_str() == id);
            let mut found = found.map(|entry| Value::Object(entry.to_value().expect("an object")));
            prop_assert!(found.any(|found| found == *value), "{value}");
        }
        for memory in DISK {
            let lazy = open_with(&path, memory);
            prop_assert_eq!(everything(&lazy, turn), &*expected);
            prop_assert_eq!(everything(&lazy, 0), &*expected);
        }
    }

    #[test]
    fn what_is_appended_is_the_same(text in any_file()) {
        let grown = [WHOLE, DISK[0]].map(|memory| {
            let (_dir, path) = file(&text);
            let session = open_with(&path, memory);
            session.append(user("one")).expect("appended");
            session.append(assistant("two")).expect("appended");
            let appended = fs::read(&path).expect("a file").len() - text.len();
            // A last line without its end is whole by now.
            assert_eq!(all_but_problems(&session, 0), all_but_problems(&open_with(&path, memory), 3));
            appended
        });
        prop_assert_eq!(grown[0], grown[1]);
    }
}

type Heard = Arc<Mutex<Vec<FileNotice>>>;

/// A file of three messages, opened from the disk after a second one was looked at.
fn opened(read: bool) -> (tempfile::TempDir, std::path::PathBuf, Session, Heard) {
    let text = format!(
        "{HEADER}\n{}\n{}\n{}\n",
        line("00000001", None),
        line("00000002", Some("00000001")),
        line("00000003", Some("00000002"))
    );
    let (dir, path) = file(text);
    let session = open_with(&path, disk(1 << 20));
    if read {
        session.entry("00000002").expect("an entry").body();
    }
    let heard = Heard::default();
    let sink = Arc::clone(&heard);
    session.listen(move |notice| sink.lock().push(notice.clone()));
    (dir, path, session, heard)
}

fn contents(session: &Session) -> Vec<bool> {
    session.entries().iter().map(|entry| matches!(&*entry.body(), EntryBody::Message(_))).collect()
}

#[test]
fn a_file_whose_name_is_gone_is_read_and_written_again() {
    type Take = fn(&Path);
    let takes: [Take; 2] = [
        |path| fs::remove_file(path).expect("removed"),
        |path| {
            fs::write(path.with_extension("new"), "another file\n").expect("written");
            fs::rename(path.with_extension("new"), path).expect("replaced");
        },
    ];
    for take in takes {
        let (_dir, path, session, heard) = opened(false);
        let before = text(&path);
        take(&path);
        assert_eq!(contents(&session), [true; 3]);
        let four = session.append(user("four")).expect("appended");
        let now = session.file().expect("a file");
        assert_eq!(text(now), format!("{before}{}\n", four.json().expect("JSON")));
        assert!(matches!(&heard.lock()[..], [FileNotice::Recreated(_) | FileNotice::Moved { .. }]));
        assert_eq!(contents(&session), [true; 4]);
    }
}

#[test]
fn of_a_file_that_is_cut_what_was_read_is_kept_and_the_rest_is_named() {
    let (_dir, path, session, heard) = opened(true);
    let (before, header) = (text(&path), HEADER.len() + 1);
    fs::OpenOptions::new().write(true).open(&path).expect("a file").set_len(header as u64).expect("cut");
    assert_eq!(contents(&session), [false, true, false]);
    let problem = session.entry("00000001").expect("an entry").problem().expect("a problem").to_string();
    assert!(problem.starts_with(&format!("line 2 (byte {header}): not in the file any more: ")), "{problem}");
    // The others are shown all the same.
    let one = serde_json::to_value(session.entry("00000001").expect("an entry")).expect("JSON");
    assert_eq!((&one["type"], &one["id"], &one["parentId"]), (&json!("lost"), &json!("00000001"), &Value::Null));
    assert!(one["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{one}");
    let tree: Value = serde_json::from_str(&session.tree().to_json().expect("a tree")).expect("JSON");
    assert_eq!(tree[0]["children"][0]["entry"]["message"]["content"], "text of 00000002");
    session.append(user("four")).expect("appended");
    let heard = heard.lock();
    let [FileNotice::Lost { entries: 2, path: named }, FileNotice::Restored { lines: 1, .. }] = &heard[..] else {
        panic!("{heard:?}")
    };
    assert_eq!(*named, path);
    assert!(heard[0].to_string().contains("2 entries that were only in the file cannot be restored"), "{}", heard[0]);
    let lines: Vec<String> = text(&path).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    // What hung on a lost entry hangs on what is above that, or on nothing.
    let two = before.lines().nth(2).expect("a line").replace(r#""parentId":"00000001""#, r#""parentId":null"#);
    assert_eq!(parsed(lines[1].as_bytes()), parsed(two.as_bytes()));
    assert_eq!(parsed(lines[2].as_bytes())[0].1["parentId"], "00000002");
}

#[test]
fn a_line_that_is_another_one_now_is_no_entry() {
    let (_dir, path, session, _) = opened(false);
    let start = text(&path).find("00000002").expect("the id");
    let mut file = fs::OpenOptions::new().write(true).open(&path).expect("a file");
    file.seek(SeekFrom::Start(start as u64)).expect("a place");
    file.write_all(b"0000000f").expect("written");
    assert_eq!(contents(&session), [true, false, true]);
    let context = messages(&session.context());
    assert_eq!(context.len(), 2, "{context:?}");
    assert!(session.entry("00000002").expect("an entry").json().is_err());
    assert!(session.branch_problems()[0].to_string().contains("the line is another one now"));
}

#[test]
fn lines_of_another_writer_do_not_move_ours() {
    let (_dir, path, session, heard) = opened(false);
    let other = open_with(&path, disk(0));
    other.append(user("theirs")).expect("appended");
    session.append(user("ours")).expect("appended");
    other.append(user("theirs again")).expect("appended");
    assert_eq!((contents(&session), contents(&other)), (vec![true; 4], vec![true; 5]));
    assert_eq!(open(&path).entries().len(), 6);
    assert!(heard.lock().is_empty());
}

#[test]
fn bodies_are_kept_up_to_a_limit() {
    let text = format!("{HEADER}\n{}\n{}\n", line("00000001", None), line("00000002", Some("00000001")));
    let (_dir, path) = file(&text);
    let message = |session: &Session, id: &str| match &*session.entry(id).expect("an entry").body() {
        EntryBody::Message(entry) => Arc::downgrade(&entry.message),
        other => panic!("{other:?}"),
    };
    let session = open_with(&path, disk(line("00000001", None).len()));
    let first = message(&session, "00000001");
    assert!(first.upgrade().is_some(), "it is kept");
    let second = message(&session, "00000002");
    assert!(first.upgrade().is_none() && second.upgrade().is_some(), "only the last is kept");
    // In use elsewhere it is shared.
    let held = session.entry("00000001").expect("an entry").body();
    message(&session, "00000002");
    let EntryBody::Message(entry) = &*held else { panic!("{held:?}") };
    assert!(Arc::ptr_eq(&message(&session, "00000001").upgrade().expect("it is there"), &entry.message));
}
