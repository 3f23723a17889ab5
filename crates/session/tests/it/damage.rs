//! Files that something went wrong with.

use std::fs;

use tau_session::{EntryKind, Problem, ProblemReason, Session, SessionError};

use crate::support::*;

fn lines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_last_line_cut_anywhere_costs_nothing_else() {
    let whole = lines(&[HEADER, &line("00000001", None), &line("00000002", Some("00000001"))]);
    let last = line("00000003é", Some("00000002"));
    for cut in 0..=last.len() {
        let damaged = [whole.as_bytes(), &last.as_bytes()[..cut]].concat();
        let (_dir, path) = file(&damaged);
        let session = open(&path);
        let mut expected = vec!["00000001".to_owned(), "00000002".to_owned()];
        if cut == last.len() {
            expected.push("00000003é".to_owned());
        }
        assert_eq!(all_ids(&session), expected, "cut at {cut}");
        assert_eq!(session.problems().is_empty(), cut == 0, "cut at {cut}");
        assert!(session.problems().iter().all(|problem| (problem.line, problem.offset) == (4, whole.len())));
        assert_eq!(fs::read(&path).expect("a file"), damaged, "opening changes nothing");

        let new = session.append(user("next")).expect("appended");
        assert_eq!(new.parent_id().map(ToString::to_string), expected.last().cloned());
        expected.push(new.id().to_string());
        assert_eq!(all_ids(&open(&path)), expected, "cut at {cut}");
        assert!(fs::read(&path).expect("a file").starts_with(&damaged), "cut at {cut}");
    }
}

#[test]
fn bad_lines_are_named_and_stay_in_the_file() {
    let first = line("00000001", None);
    let mut bytes = lines(&[HEADER, &first, "{\"type\":\"message\",", "", "[1]", "\0\0\0"]).into_bytes();
    let with_bad_byte = line("00000002", Some("00000001")).replace("text of", "te\u{1}t of").into_bytes();
    bytes.extend(with_bad_byte.iter().map(|&byte| if byte == 1 { 0xFF } else { byte }));
    let rest = lines(&["", "\u{7}", r#"{"id":"x"}"#, r#"{"type":"message","parentId":null}"#, HEADER, "  ", "\r"]);
    bytes.extend(rest.as_bytes());
    bytes.extend(line("00000003", Some("00000002")).as_bytes());
    let (_dir, path) = file(&bytes);
    let session = open(&path);
    insta::assert_snapshot!(problems(&session).join("\n"));
    assert_eq!(all_ids(&session), ["00000001", "00000002", "00000003"]);
    let mended = session.entry("00000002").expect("an entry").json().expect("JSON").into_owned();
    assert!(mended.contains("te\u{FFFD}t of 00000002"), "{mended}");
    session.append(user("next")).expect("appended");
    let after = fs::read(&path).expect("a file");
    assert!(after.starts_with(&bytes));
    assert_eq!(after[bytes.len()], b'\n');
}

#[test]
fn a_missing_newline_is_named_and_added_by_the_next_append() {
    let whole = format!("{HEADER}\n{}", line("00000001", None));
    let (_dir, path) = file(&whole);
    let session = open(&path);
    let problem = Problem { line: 2, offset: HEADER.len() + 1, reason: ProblemReason::MissingNewline };
    assert_eq!(session.problems(), [problem]);
    let entry = session.append(user("next")).expect("appended");
    assert_eq!(text(&path), format!("{whole}\n{}\n", entry.json().expect("JSON")));
    assert_eq!(problems(&open(&path)), Vec::<String>::new());
}

#[test]
fn a_header_alone_without_a_newline_is_a_session() {
    let (_dir, path) = file(HEADER);
    let session = open(&path);
    assert_eq!(problems(&session), ["line 1 (byte 0): no newline at the end"]);
    session.append(user("next")).expect("appended");
    assert_eq!(open(&path).entries().len(), 1);
}

#[test]
fn a_file_without_a_header_is_refused_and_left_alone() {
    let entry = line("00000001", None);
    let cases = [
        ("".to_owned(), "the file is empty"),
        ("\n \n".to_owned(), "there is no header"),
        ("garbage\n".to_owned(), "there is no header"),
        (HEADER[..40].to_owned(), "there is no header"),
        (format!("{}\n{entry}\n", &HEADER[..40]), "the first entry is no header"),
        (format!("{entry}\n"), "the first entry is no header"),
        ("{\"type\":\"session\",\"version\":3}\n".to_owned(), "the header has no id"),
        ("{\"type\":\"session\",\"version\":1,\"id\":null}\n".to_owned(), "the header has no id"),
        ("[]\n".to_owned(), "invalid type: sequence, expected an object at line 1 column 0"),
    ];
    for (content, expected) in cases {
        let (dir, path) = file(&content);
        let error = Session::open(&path).expect_err("refused");
        match error {
            SessionError::NotASession { reason, .. } => assert_eq!(reason, expected, "{content}"),
            other => panic!("{other} for {content}"),
        }
        assert_eq!(text(&path), content);
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1);
    }
    let missing = Session::open("/nowhere/s.jsonl".as_ref()).expect_err("not there");
    assert!(matches!(missing, SessionError::Io { action: "read", .. }), "{missing}");
}

#[test]
fn junk_before_the_header_is_passed_over() {
    let (_dir, path) = file(lines(&["\0\0", "half {", HEADER, &line("00000001", None)]));
    let session = open(&path);
    assert_eq!((session.id(), all_ids(&session)), ("s1", vec!["00000001".to_owned()]));
    assert_eq!(session.problems().iter().map(|problem| problem.line).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn impossible_links_neither_hang_nor_lose_an_entry() {
    let (_dir, path) = file(lines(&[
        HEADER,
        &line("itself", Some("itself")),
        &line("orphan", Some("nowhere")),
        // A ring of three, with a tail.
        &line("r1", Some("r3")),
        &line("r2", Some("r1")),
        &line("r3", Some("r2")),
        &line("tail", Some("r3")),
        // A child before its parent.
        &line("child", Some("parent")),
        &line("parent", Some("tail")),
        // An id twice: the second below the first's child.
        &line("twice", None),
        &line("between", Some("twice")),
        &line("twice", Some("between")),
        &line("end", Some("twice")),
    ]));
    let session = open(&path);
    insta::assert_snapshot!(problems(&session).join("\n"));
    assert_eq!(ids(&session.branch_path(None)), ["twice", "between", "twice", "end"]);
    assert_eq!(ids(&session.branch_path(Some("child"))), ["r1", "r2", "r3", "tail", "parent", "child"]);
    assert_eq!(ids(&session.branch_path(Some("itself"))), ["itself"]);
    assert_eq!(ids(&session.children("r3")), ["tail"]);
    assert_eq!(session.context().messages.len(), 4);
    let tree = session.tree();
    let roots: Vec<_> = tree.roots.iter().map(|&at| tree.nodes[at].entry.id().as_str()).collect();
    assert_eq!(roots, ["itself", "orphan", "r1", "twice"]);
    let children: usize = tree.nodes.iter().map(|node| node.children.len()).sum();
    assert_eq!(children + roots.len(), session.entries().len());
}

#[test]
fn very_many_impossible_links_take_linear_time() {
    let count = 100_000;
    let id = |n: usize| format!("{n:08x}");
    // Each entry is the child of the next, and the last one of the first.
    let ring = (0..count).map(|n| line(&id(n), Some(&id((n + 1) % count))) + "\n");
    let (_dir, path) = file(format!("{HEADER}\n{}", ring.collect::<String>()));
    let session = open(&path);
    assert_eq!(session.problems().len(), 1);
    assert_eq!(session.branch_path(Some(&id(1))).len(), count);
    let orphans = (0..count).map(|n| line(&id(n), Some(&format!("x{n}"))) + "\n");
    let (_dir, path) = file(format!("{HEADER}\n{}", orphans.collect::<String>()));
    let session = open(&path);
    assert_eq!((session.problems().len(), session.tree().roots.len()), (count, count));
}

#[test]
fn half_a_surrogate_pair_of_a_javascript_string_is_no_damage() {
    let cut = line("00000001", None).replace("text of", "cut \\ud83d");
    let named = r#"{"type":"session_info","id":"00000002","parentId":"00000001","timestamp":"t","name":"n \udc00"}"#;
    let (_dir, path) = file(lines(&[HEADER, &cut, named]));
    let session = open(&path);
    assert_eq!(problems(&session), Vec::<String>::new());
    assert_eq!(session.session_name().as_deref(), Some("n \u{FFFD}"));
    assert_eq!(
        messages(&session.context()),
        ["00000001: {\"role\":\"user\",\"content\":\"cut \u{FFFD} 00000001\",\"timestamp\":1}"]
    );
    let value = session.entry("00000001").and_then(|entry| entry.to_value().ok()).expect("a value");
    assert_eq!(value["message"]["content"], "cut \u{FFFD} 00000001");
}

#[test]
fn entries_with_fields_of_the_wrong_type_are_kept_as_unknown() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let odd = [
        r#"{"type":"message","id":"1","parentId":null,"timestamp":7}"#.to_owned(),
        r#"{"type":"message","id":"2","parentId":"1","timestamp":"t","message":"text"}"#.to_owned(),
        r#"{"type":"label","id":"3","parentId":"2","timestamp":"t","targetId":{},"label":[]}"#.to_owned(),
        r#"{"type":"session_info","id":"4","parentId":"3","timestamp":"t","name":{"a":1}}"#.to_owned(),
        format!(r#"{{"type":"custom","id":"5","parentId":"4","timestamp":"t","customType":"x","data":{deep}}}"#),
        format!(r#"{{"type":"gnome","id":"6","parentId":5,"timestamp":"t","label":{{"x":{deep}}},"name":true}}"#),
        r#"{"type":"compaction","id":"7","parentId":"6","timestamp":"t","tokensBefore":12.5,"usage":"none"}"#
            .to_owned(),
    ];
    let (_dir, path) = file(lines(&[&[HEADER], odd.each_ref().map(String::as_str).as_slice()].concat()));
    let session = open(&path);
    assert_eq!(problems(&session), Vec::<String>::new());
    let kinds: Vec<_> = session.entries().iter().map(|entry| entry.body().kind()).collect();
    let unknown = EntryKind::Unknown;
    assert_eq!(
        kinds,
        [
            EntryKind::Message,
            EntryKind::Message,
            EntryKind::Label,
            EntryKind::SessionInfo,
            EntryKind::Custom,
            unknown,
            EntryKind::Compaction
        ]
    );
    let kept: Vec<_> = session.entries().iter().map(|entry| entry.json().expect("JSON").into_owned()).collect();
    assert_eq!(kept, odd);
    assert_eq!(session.context().messages.len(), 1);
}
