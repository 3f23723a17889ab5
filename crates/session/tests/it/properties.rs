//! Whatever is done to a session, every entry stays and the tree is a tree.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use tau_session::{EntryBody, LEAF_MARKER, NewSession, Session};

use crate::support::*;

#[derive(Debug, Clone)]
enum Step {
    Say(String),
    Name(String),
    Branch(usize),
    Move(usize),
    Restart,
    MoveToRoot,
    Label(usize, Option<String>),
    /// A compaction that keeps from some entry on.
    Compact(usize),
    /// The session goes on in a copy of the path to an entry.
    Fork(usize),
    Persist,
    Reopen,
    /// Another program dies in the middle of a line, and the session is opened again.
    Tear(usize),
    /// The power fails, and only so many thousandths of what stands behind the header are on the disk.
    Cut(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<String>().prop_map(Step::Say),
        1 => any::<String>().prop_map(Step::Name),
        2 => any::<usize>().prop_map(Step::Branch),
        2 => any::<usize>().prop_map(Step::Move),
        1 => Just(Step::Restart),
        1 => Just(Step::MoveToRoot),
        2 => (any::<usize>(), any::<Option<String>>()).prop_map(|(at, label)| Step::Label(at, label)),
        1 => any::<usize>().prop_map(Step::Compact),
        1 => any::<usize>().prop_map(Step::Fork),
        1 => Just(Step::Persist),
        2 => Just(Step::Reopen),
        1 => (1..100_usize).prop_map(Step::Tear),
        1 => (0..=1000_usize).prop_map(Step::Cut),
    ]
}

/// What the session should be.
#[derive(Default)]
struct Model {
    /// Id, parent, and what the body is; markers included.
    entries: Vec<(String, Option<String>, EntryBody)>,
    leaf: Option<String>,
    file_leaf: Option<String>,
    name: Option<String>,
}

impl Model {
    fn pick(&self, at: usize) -> Option<String> {
        (!self.entries.is_empty()).then(|| self.entries[at % self.entries.len()].0.clone())
    }

    /// What is left when only so many entries are.
    fn cut(&mut self, len: usize) {
        self.entries.truncate(len);
        self.name = None;
        for (_, _, body) in &self.entries {
            if let EntryBody::SessionInfo(info) = body {
                self.name = info.name.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
            }
        }
        self.file_leaf = self.entries.last().and_then(|(id, parent, body)| match body {
            EntryBody::Custom(custom) if custom.custom_type == LEAF_MARKER => parent.clone(),
            _ => Some(id.clone()),
        });
        self.leaf = self.file_leaf.clone();
    }

    fn appended(&mut self, entry: &tau_session::Entry) {
        let id = entry.id().to_string();
        self.entries.push((id.clone(), self.leaf.clone(), EntryBody::clone(&entry.body())));
        self.leaf = Some(id);
        self.file_leaf = self.leaf.clone();
    }
}

fn check(session: &Session, model: &Model) {
    let entries = session.entries();
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| {
            (entry.id().to_string(), entry.parent_id().map(ToString::to_string), EntryBody::clone(&entry.body()))
        })
        .collect();
    assert_eq!(seen, model.entries);
    assert_eq!(leaf(session), model.leaf);
    assert_eq!(session.session_name(), model.name);

    let tree = session.tree();
    let mut reached = HashSet::new();
    let mut open: Vec<usize> = tree.roots.clone();
    while let Some(at) = open.pop() {
        assert!(reached.insert(at), "an entry has two places");
        open.extend(&tree.nodes[at].children);
    }
    assert_eq!(reached.len(), entries.len());
    let path = session.branch_path(None);
    assert_eq!(path.last().map(|entry| entry.id().to_string()), model.leaf);
    assert!(path.windows(2).all(|pair| pair[1].parent_id() == Some(pair[0].id())));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_steps_keeps_every_entry(steps in vec(step(), 1..40)) {
        let dir = tempfile::tempdir().expect("a folder");
        let mut session = Session::create(dir.path(), "/work".as_ref(), NewSession::default()).expect("a session");
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Say(text) => model.appended(&session.append(user(&text)).expect("appended")),
                Step::Name(name) => {
                    model.appended(&session.append(EntryBody::session_info(&name)).expect("appended"));
                    let name = name.replace(['\r', '\n'], " ").trim().to_owned();
                    model.name = (!name.is_empty()).then_some(name);
                }
                Step::Branch(at) => if let Some(id) = model.pick(at) {
                    session.set_leaf(&id).expect("moved");
                    model.leaf = Some(id);
                },
                Step::Restart => {
                    session.reset_leaf();
                    model.leaf = None;
                }
                Step::Move(_) | Step::MoveToRoot => {
                    let target = if let Step::Move(at) = step { model.pick(at) } else { None };
                    let marker = session.move_leaf(target.as_deref()).expect("moved");
                    assert_eq!(marker.is_some(), model.file_leaf != target);
                    if let Some(marker) = marker {
                        model.entries.push((marker.id().to_string(), target.clone(), EntryBody::clone(&marker.body())));
                    }
                    model.file_leaf = target.clone();
                    model.leaf = target;
                }
                Step::Label(at, label) => if let Some(id) = model.pick(at) {
                    model.appended(&session.set_label(&id, label.as_deref()).expect("labelled"));
                    assert_eq!(session.label(&id), label.filter(|label| !label.is_empty()));
                },
                Step::Compact(at) => {
                    let kept = model.pick(at);
                    let body = EntryBody::compaction("short", kept.as_deref(), 9);
                    model.appended(&session.append(body).expect("appended"));
                    let context = session.context();
                    assert!(context.messages.len() <= session.branch_path(None).len());
                }
                Step::Fork(at) => if let Some(id) = model.pick(at) {
                    let path = session.branch_path(Some(&id));
                    let forked = session.fork_at(&id, dir.path(), NewSession::default()).expect("a fork");
                    check(&session, &model);
                    let kept = |entry: &&std::sync::Arc<tau_session::Entry>| match &*entry.body() {
                        EntryBody::Label(_) => false,
                        EntryBody::Custom(custom) => custom.custom_type != LEAF_MARKER,
                        _ => true,
                    };
                    let kept: Vec<_> = path.iter().filter(kept).map(|entry| entry.id().to_string()).collect();
                    assert_eq!(all_ids(&forked)[..kept.len()], kept);
                    // From here on the copy is what there is.
                    model = Model { name: forked.session_name(), ..Model::default() };
                    for entry in forked.entries() {
                        let parent = entry.parent_id().map(ToString::to_string);
                        model.entries.push((entry.id().to_string(), parent, EntryBody::clone(&entry.body())));
                    }
                    model.leaf = leaf(&forked);
                    model.file_leaf = model.leaf.clone();
                    session = forked;
                },
                Step::Persist => session.persist().expect("persisted"),
                Step::Cut(thousandths) => if session.is_persisted() {
                    let path = session.file().expect("a file").to_owned();
                    let content = std::fs::read(&path).expect("a file");
                    let header = content.iter().position(|byte| *byte == b'\n').expect("a header") + 1;
                    let end = header + (content.len() - header) * thousandths / 1000;
                    // Lines of the file that are entries: a torn line of another program is none.
                    let whole = |end: usize| {
                        let lines = content[header..end].split(|byte| *byte == b'\n');
                        lines.filter(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok()).count()
                    };
                    assert_eq!(whole(content.len()), model.entries.len());
                    std::fs::write(&path, &content[..end]).expect("written");
                    model.cut(whole(end));
                    session = open(&path);
                },
                Step::Tear(_) | Step::Reopen => if session.is_persisted() {
                    let path = session.file().expect("a file").to_owned();
                    if let Step::Tear(len) = step {
                        let half = line("deadbeef", None);
                        let mut content = std::fs::read(&path).expect("a file");
                        content.extend(&half.as_bytes()[..len.min(half.len() - 1)]);
                        std::fs::write(&path, content).expect("written");
                    }
                    let labels = session.labels();
                    session = open(&path);
                    assert_eq!(session.labels(), labels);
                    model.leaf = model.file_leaf.clone();
                },
            }
            check(&session, &model);
        }
    }

    #[test]
    fn a_file_that_is_cut_anywhere_keeps_every_whole_entry_and_goes_on(
        texts in vec((any::<String>(), 0..8_usize), 1..8), at in any::<prop::sample::Index>(),
    ) {
        let (_dir, session) = persisted();
        for (text, back) in &texts {
            let entries = session.entries();
            if let Some(entry) = entries.get(*back) {
                session.move_leaf(Some(entry.id())).expect("moved");
            }
            session.append(user(text)).expect("appended");
        }
        let path = session.file().expect("a file").to_owned();
        let content = std::fs::read(&path).expect("a file");
        let end = at.index(content.len() + 1);
        std::fs::write(&path, &content[..end]).expect("written");
        let Ok(cut) = Session::open(&path) else {
            // Only a file whose header is gone is no session, and it stays as it is.
            prop_assert!(!content[..end].contains(&b'\n'));
            prop_assert_eq!(std::fs::read(&path).expect("a file"), &content[..end]);
            return Ok(());
        };
        let whole = all_ids(&cut);
        prop_assert_eq!(&whole[..], &all_ids(&session)[..whole.len()]);
        let lines = content[..end].split(|byte| *byte == b'\n').skip(1);
        let lines = lines.filter(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok()).count();
        prop_assert_eq!(whole.len(), lines);
        let next = cut.append(user("next")).expect("appended");
        let reopened = open(&path);
        let expected: Vec<String> = whole.into_iter().chain([next.id().to_string()]).collect();
        prop_assert_eq!(all_ids(&reopened), expected);
        prop_assert_eq!(leaf(&reopened), Some(next.id().to_string()));
    }

    #[test]
    fn no_bytes_make_opening_panic(lines in vec(prop_oneof![
        any::<Vec<u8>>(),
        "[{}\\[\\]\",:a-z0-9\\\\]{0,60}".prop_map(String::into_bytes),
        ("(message|label|custom|compaction|session|x)", "[a-d]", "[a-e]").prop_map(|(kind, id, parent)| {
            format!(r#"{{"type":"{kind}","id":"{id}","parentId":"{parent}","targetId":"{parent}","firstKeptEntryId":"{id}","customType":"tau.leaf"}}"#).into_bytes()
        }),
    ], 0..20)) {
        let content = [HEADER.as_bytes(), &lines.join(&b'\n')].join(&b'\n');
        let (dir, path) = file(&content);
        let session = open(&path);
        session.context();
        session.tree();
        session.problems().iter().for_each(|problem| drop(problem.to_string()));
        assert_eq!(std::fs::read(&path).expect("a file"), content);
        let next = session.append(user("next")).expect("appended");
        let reopened = open(&path);
        assert_eq!(reopened.entries().len(), session.entries().len());
        assert_eq!(leaf(&reopened), Some(next.id().to_string()));
        reopened.fork_at(next.id(), dir.path(), NewSession::default()).expect("a fork");
    }
}
