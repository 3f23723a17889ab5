//! What things cost does not depend on how long a session is. Counted, not timed: a clock says more about the machine.

use tau_session::{EntryBody, NewSession, Session};

use crate::support::*;

/// How many bytes the file grows by an entry and a move.
fn growth(session: &Session, target: &str) -> u64 {
    let size = || session.file().expect("a file").metadata().expect("a file").len();
    let before = size();
    session.move_leaf(Some(target)).expect("moved");
    session.append(user("more")).expect("appended");
    session.set_label(target, Some("here")).expect("labelled");
    size() - before
}

#[test]
fn a_hundred_thousand_entries_are_appended_to_like_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let session = Session::create(dir.path(), "/work".as_ref(), NewSession::default()).expect("a session");
    let first = session.append(user("first")).expect("appended").id().to_string();
    session.persist().expect("a file");
    growth(&session, &first);
    let early = growth(&session, &first);
    for n in 0..100_000 {
        session.append(EntryBody::custom("n", Some(n.into()))).expect("appended");
    }
    assert_eq!(growth(&session, &first), early);
    let (left, common) = session.departure(session.leaf().as_deref(), &first);
    assert_eq!((left.len(), common.as_deref()), (2, Some(&*first)));
    // The walk back over all of them, and the tree, are linear and do not recurse.
    let far = session.entries()[100_003].id().to_string();
    let (left, common) = session.departure(Some(&far), &first);
    assert_eq!((left.len() > 99_000, common.as_deref()), (true, Some(&*first)));
    assert_eq!(open(session.file().expect("a file")).entries().len(), session.entries().len());
}

/// A conversation of so many messages, every tenth with a bookmark, of which a compaction keeps the second half, with an
/// edit for every tenth of those.
fn long(messages: usize) -> Session {
    let session = Session::in_memory("/work".as_ref(), NewSession::default()).expect("a session");
    let mut ids = Vec::new();
    for n in 0..messages {
        let entry = session.append(if n % 2 == 0 { user("ask") } else { assistant("answer") }).expect("appended");
        ids.push(entry.id().to_string());
        if n % 10 == 0 {
            session.set_label(entry.id(), Some("here")).expect("labelled");
        }
    }
    let kept = &ids[messages / 2];
    session.append(EntryBody::compaction("short", Some(kept), 9)).expect("appended");
    for id in ids[messages / 2..].iter().step_by(10) {
        session.edit_context(id, None).expect("edited");
    }
    session
}

/// Nothing here is timed: a walk that looked at every entry for every entry would not end before tomorrow.
#[test]
fn forks_labels_compactions_and_edits_of_a_hundred_thousand_messages_are_walked_once() {
    const MESSAGES: usize = 100_000;
    let session = long(MESSAGES);
    // The first half is summarised, and of the second half every tenth is hidden.
    assert_eq!(session.context().messages.len(), 1 + MESSAGES / 2 - MESSAGES / 20);
    let entries = session.entries().len();
    assert_eq!(entries, MESSAGES + MESSAGES / 10 + 1 + MESSAGES / 20);
    assert_eq!(session.labels().len(), MESSAGES / 10);
    assert_eq!(session.tree().nodes.len(), entries);

    let leaf = session.leaf().expect("a leaf");
    let forked = session.fork_at(&leaf, "".as_ref(), NewSession::default()).expect("a fork");
    assert_eq!(forked.entries().len(), entries);
    assert_eq!(forked.labels().len(), MESSAGES / 10);
    assert_eq!(session.branch_copy().entries().len(), entries);

    // Back and forth between both ends: each way costs what lies on it, not what lies elsewhere.
    let first = session.entries()[0].id().to_string();
    for _ in 0..1000 {
        session.move_leaf(Some(&first)).expect("moved");
        session.append(user("another")).expect("appended");
        let (left, common) = session.departure(session.leaf().as_deref(), &first);
        assert_eq!((left.len(), common.as_deref()), (1, Some(&*first)));
    }
    assert_eq!(session.children(&first).len(), 1 + 2 * 1000);
}

#[test]
fn ways_part_where_they_part() {
    let (_dir, session) = persisted();
    let [a, b, c] = ["a", "b", "c"].map(|text| session.append(user(text)).expect("appended").id().to_string());
    session.set_leaf(&a).expect("moved");
    let d = session.append(user("d")).expect("appended").id().to_string();
    let way = |from: Option<&str>, to: &str| {
        let (left, common) = session.departure(from, to);
        (ids(&left), common.map(|common| common.to_string()))
    };
    assert_eq!(way(Some(&c), &d), (vec![b.clone(), c.clone()], Some(a.clone())));
    assert_eq!(way(Some(&c), &b), (vec![c.clone()], Some(b)));
    assert_eq!(way(Some(&a), &c), (vec![], Some(a.clone())));
    assert_eq!(way(None, &c), (vec![], None));
    session.reset_leaf();
    let root = session.append(user("another root")).expect("appended").id().to_string();
    assert_eq!(way(Some(&d), &root), (vec![a, d], None));
}
