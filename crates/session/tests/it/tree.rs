//! Branches, the leaf, labels.

use std::sync::Arc;

use serde_json::json;
use tau_session::{Entry, EntryBody, LEAF_MARKER, SessionError};

use crate::support::*;

fn id(entry: &Arc<Entry>) -> String {
    entry.id().to_string()
}

#[test]
fn appending_after_a_move_makes_a_branch() {
    let (_dir, session) = persisted();
    let first = session.append(user("1")).expect("appended");
    let second = session.append(assistant("2")).expect("appended");
    let third = session.append(user("3")).expect("appended");
    session.set_leaf(&id(&second)).expect("moved");
    let other = session.append(user("3b")).expect("appended");
    let ids_of = |entries: &[&Arc<Entry>]| entries.iter().map(|entry| id(entry)).collect::<Vec<_>>();
    let reopened = open(session.file().expect("a file"));
    for session in [&session, &reopened] {
        assert_eq!(ids(&session.branch_path(None)), ids_of(&[&first, &second, &other]));
        assert_eq!(ids(&session.branch_path(Some(&id(&third)))), ids_of(&[&first, &second, &third]));
        assert_eq!(ids(&session.branch_path(Some("unknown"))), Vec::<String>::new());
        assert_eq!(ids(&session.children(&id(&second))), ids_of(&[&third, &other]));
        assert_eq!(ids(&session.children("unknown")), Vec::<String>::new());
        assert_eq!(leaf(session), Some(id(&other)));
    }
}

#[test]
fn a_move_of_the_leaf_survives_reopening() {
    let (_dir, session) = persisted();
    let path = session.file().expect("a file").to_owned();
    let first = session.append(user("1")).expect("appended");
    session.append(assistant("2")).expect("appended");

    let marker = session.move_leaf(Some(&id(&first))).expect("moved").expect("a marker");
    let value = marker.to_value().expect("an object");
    let expected = json!({"type": "custom", "customType": LEAF_MARKER, "id": marker.id(), "parentId": first.id(), "timestamp": marker.timestamp()});
    assert_eq!(json!(value), expected);
    assert_eq!(leaf(&session), Some(id(&first)));
    assert_eq!(leaf(&open(&path)), Some(id(&first)));
    assert!(session.move_leaf(Some(&id(&first))).expect("moved").is_none(), "it is already there");

    let other = open(&path).append(user("2b")).expect("appended");
    assert_eq!(other.parent_id(), Some(first.id()));
    let reopened = open(&path);
    assert_eq!(ids(&reopened.branch_path(None)), [id(&first), id(&other)]);

    reopened.move_leaf(None).expect("moved").expect("a marker");
    assert_eq!((leaf(&reopened), leaf(&open(&path))), (None, None));
    assert_eq!(open(&path).context().messages, []);
    let root = open(&path).append(user("0b")).expect("appended");
    assert_eq!(root.parent_id(), None);
}

#[test]
fn a_move_in_memory_is_forgotten_unless_it_is_written_later() {
    let (_dir, session) = persisted();
    let path = session.file().expect("a file").to_owned();
    let first = session.append(user("1")).expect("appended");
    let second = session.append(assistant("2")).expect("appended");
    session.set_leaf(&id(&first)).expect("moved");
    assert_eq!((leaf(&session), leaf(&open(&path))), (Some(id(&first)), Some(id(&second))));
    assert!(session.move_leaf(Some(&id(&first))).expect("moved").is_some());
    assert_eq!(leaf(&open(&path)), Some(id(&first)));
    session.reset_leaf();
    assert_eq!(leaf(&session), None);
    assert!(session.move_leaf(Some(&id(&first))).expect("moved").is_none(), "the file says so already");
    assert_eq!(leaf(&session), Some(id(&first)));
}

#[test]
fn a_marker_whose_target_is_lost_changes_nothing() {
    let marker = json!({"type": "custom", "customType": LEAF_MARKER, "id": "m", "parentId": "lost", "timestamp": ""});
    let (_dir, path) = file(format!("{HEADER}\n{}\n{marker}\n", line("00000001", None)));
    assert_eq!(leaf(&open(&path)).as_deref(), Some("00000001"));
}

#[test]
fn an_entry_can_be_appended_anywhere() {
    let (_dir, session) = persisted();
    let first = session.append(user("1")).expect("appended");
    session.append(assistant("2")).expect("appended");
    let summary = EntryBody::branch_summary(session.leaf().as_deref(), "left");
    let entry = session.append_with_parent(Some(first.id()), summary).expect("appended");
    assert_eq!((entry.parent_id(), session.leaf().as_ref()), (Some(first.id()), Some(entry.id())));
    let root = session.append_with_parent(None, user("0")).expect("appended");
    assert_eq!((root.parent_id(), session.leaf().as_ref()), (None, Some(root.id())));
}

#[test]
fn unknown_targets_are_refused_and_change_nothing() {
    let (_dir, session) = persisted();
    session.append(user("1")).expect("appended");
    let before = (all_ids(&session), leaf(&session));
    let errors = [
        session.set_leaf("nope").expect_err("unknown"),
        session.move_leaf(Some("nope")).map(drop).expect_err("unknown"),
        session.append_with_parent(Some("nope"), user("2")).map(drop).expect_err("unknown"),
        session.set_label("nope", Some("x")).map(drop).expect_err("unknown"),
        session.edit_context("nope", None).map(drop).expect_err("unknown"),
    ];
    for error in errors {
        assert!(matches!(&error, SessionError::EntryNotFound(_)));
        assert_eq!(error.to_string(), "Entry nope not found");
    }
    assert_eq!((all_ids(&session), leaf(&session)), before);
}

#[test]
fn the_latest_label_of_an_entry_counts() {
    let (_dir, session) = persisted();
    let first = session.append(user("1")).expect("appended");
    let second = session.append(user("2")).expect("appended");
    let label = session.set_label(first.id(), Some("a")).expect("labelled");
    assert_eq!((label.parent_id(), session.leaf().as_ref()), (Some(second.id()), Some(label.id())));
    session.set_label(second.id(), Some("b")).expect("labelled");
    session.set_label(first.id(), Some("c")).expect("labelled");
    let reopened = open(session.file().expect("a file"));
    for session in [&session, &reopened] {
        assert_eq!(session.labels(), [(first.id().clone(), "c".to_owned()), (second.id().clone(), "b".to_owned())]);
    }
    session.set_label(first.id(), None).expect("cleared");
    session.set_label(second.id(), Some("")).expect("cleared");
    let reopened = open(session.file().expect("a file"));
    assert_eq!((session.label(first.id()), reopened.labels()), (None, Vec::new()));
}

#[test]
fn the_tree_sorts_children_by_time() {
    let at = |id: &str, parent: Option<&str>, second: &str| line(id, parent).replace(":06.000Z", second);
    let lines = [
        at("00000001", None, ":10.000Z"),
        at("00000002", Some("00000001"), ":30.000Z"),
        at("00000003", Some("00000001"), ":20.000Z"),
        at("00000004", Some("missing"), ":00.000Z"),
        r#"{"type":"label","id":"00000005","parentId":"00000003","timestamp":"later","targetId":"00000002","label":"x"}"#
            .to_owned(),
    ];
    let (_dir, path) = file(format!("{HEADER}\n{}\n", lines.join("\n")));
    let tree = open(&path).tree();
    let children: Vec<_> = tree.nodes.iter().map(|node| node.children.clone()).collect();
    assert_eq!(tree.roots, [0, 3]);
    assert_eq!(children, [vec![2, 1], vec![], vec![4], vec![], vec![]]);
    let labels: Vec<_> = tree.nodes.iter().map(|node| node.label.as_deref()).collect();
    assert_eq!(labels, [None, Some("x"), None, None, None]);
    assert_eq!(tree.nodes[1].label_timestamp.as_deref(), Some("later"));
}

#[test]
fn a_long_conversation_is_walked_and_dropped_without_recursion() {
    let (_dir, session) = persisted();
    for _ in 0..50_000 {
        session.append(EntryBody::thinking_level_change("low")).expect("appended");
    }
    let reopened = open(session.file().expect("a file"));
    assert_eq!(reopened.branch_path(None).len(), 50_000);
    assert_eq!(reopened.tree().nodes.len(), 50_000);
    assert_eq!(reopened.choices().thinking_level.as_deref(), Some("low"));
}

#[test]
fn two_writers_share_a_file_without_tearing_lines() {
    let (_dir, ours) = persisted();
    let path = ours.file().expect("a file").to_owned();
    ours.append(user("1")).expect("appended");
    let theirs = open(&path);
    let count = 200;
    std::thread::scope(|scope| {
        for session in [&ours, &theirs] {
            scope.spawn(move || {
                for n in 0..count {
                    session.append(user(&"x".repeat(n * 50))).expect("appended");
                }
            });
        }
    });
    let both = open(&path);
    assert_eq!(problems(&both), Vec::<String>::new());
    assert_eq!(both.entries().len(), 1 + 2 * count);
}
