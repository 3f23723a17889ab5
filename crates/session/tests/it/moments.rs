//! Other programs write into the file of an open session, cut it, delete it and put others in its place, at any moment
//! between what the session does: what it wrote is never lost, and nothing is taken for something else.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use tau_session::{EntryBody, Memory, Session};

use crate::support::*;

/// What happens next.
#[derive(Debug, Clone)]
enum Moment {
    /// The session gets an entry.
    Ours,
    /// Another tau that has the file open gets one.
    Theirs,
    /// The other one opens what is there now.
    TheyReopen,
    /// Somebody writes a line, or half of one.
    Foreign {
        whole: bool,
    },
    /// The file is cut at this part of its length.
    Cut(f64),
    Delete,
    /// A file with the same lines takes its place, as editors save.
    Rewrite,
    /// Another session takes its place.
    Replace,
    /// An entry is looked at.
    Look(usize),
    Context,
}

fn moment() -> impl Strategy<Value = Moment> {
    prop_oneof![
        5 => Just(Moment::Ours),
        3 => Just(Moment::Theirs),
        1 => Just(Moment::TheyReopen),
        2 => any::<bool>().prop_map(|whole| Moment::Foreign { whole }),
        2 => (0.0..1.0).prop_map(Moment::Cut),
        1 => Just(Moment::Delete),
        1 => Just(Moment::Rewrite),
        1 => Just(Moment::Replace),
        3 => any::<usize>().prop_map(Moment::Look),
        2 => Just(Moment::Context),
    ]
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

/// A session, what its entries say, and what was done to its file.
struct World {
    _dir: tempfile::TempDir,
    path: PathBuf,
    ours: Session,
    theirs: Session,
    said: HashMap<String, Value>,
    /// The ids of what the session itself was given.
    own: Vec<String>,
    /// Lines may have gone before they were read.
    was_cut: bool,
}

impl World {
    fn new(memory: Memory) -> Self {
        let lines: Vec<String> = (1..8_u8)
            .map(|at| {
                let parent = (at > 1).then(|| format!("{:08x}", at - 1));
                line(&format!("{at:08x}"), parent.as_deref())
            })
            .collect();
        let (dir, path) = file(format!("{HEADER}\n{}\n", lines.join("\n")));
        let open = || Session::open_with(&path, memory).expect("the session opens");
        let (ours, theirs) = (open(), open());
        let said = lines.iter().map(|line| (value(line)["id"].as_str().expect("an id").to_owned(), value(line)));
        let said = said.collect();
        Self { _dir: dir, path, ours, theirs, said, own: Vec::new(), was_cut: false }
    }

    fn write_beside(&self, text: &[u8]) {
        let beside = self.path.with_extension("beside");
        fs::write(&beside, text).expect("written");
        fs::rename(&beside, &self.path).expect("put in its place");
    }

    fn happens(&mut self, moment: &Moment, memory: Memory) {
        let there = fs::read(&self.path).ok();
        match (moment, there) {
            (Moment::Ours, _) => {
                let entry = self.ours.append(user("ours")).expect("appended");
                self.own.push(entry.id().to_string());
                self.said.insert(entry.id().to_string(), value(&entry.json().expect("JSON")));
                let file = self.ours.file().expect("a file");
                assert!(has(file, entry.id()), "{} is not in {}", entry.id(), text(file));
            }
            (Moment::Theirs, _) => drop(self.theirs.append(assistant("theirs")).expect("appended")),
            (Moment::TheyReopen, _) => {
                if let Ok(session) = Session::open_with(&self.path, memory) {
                    self.theirs = session;
                }
            }
            (Moment::Foreign { whole }, Some(_)) => {
                let mut file = fs::OpenOptions::new().append(true).open(&self.path).expect("a file");
                let line = line("f0000000", Some("00000001"));
                let part = if *whole { format!("{line}\n") } else { line[..20].to_owned() };
                file.write_all(part.as_bytes()).expect("written");
            }
            (Moment::Cut(part), Some(there)) => {
                let file = fs::OpenOptions::new().write(true).open(&self.path).expect("a file");
                file.set_len((there.len() as f64 * part) as u64).expect("cut");
                self.was_cut = true;
            }
            (Moment::Delete, Some(_)) => fs::remove_file(&self.path).expect("removed"),
            (Moment::Rewrite, Some(there)) => self.write_beside(&there),
            (Moment::Replace, Some(_)) => {
                self.write_beside(format!("{}\n", HEADER.replace("s1", "s2")).as_bytes());
            }
            (Moment::Look(at), _) => {
                let entries = self.ours.entries();
                let entry = &entries[at % entries.len()];
                drop(entry.body());
            }
            (Moment::Context, _) => drop(self.ours.context()),
            (_, None) => {}
        }
        self.check();
    }

    /// Each entry says what it always said, or that it is lost, which only one is that was not written here.
    fn check(&self) {
        for entry in self.ours.entries() {
            let id = entry.id().as_str();
            let may_be_lost = self.was_cut && !self.own.iter().any(|own| own == id);
            match entry.json() {
                Ok(json) => assert_eq!(value(&json), self.said[id]),
                Err(error) => assert!(may_be_lost, "{id} is lost: {error}"),
            }
            match &*entry.body() {
                EntryBody::Message(body) => {
                    let message = serde_json::to_value(&*body.message).expect("JSON");
                    assert_eq!(message["role"], self.said[id]["message"]["role"]);
                    assert_eq!(message["content"], self.said[id]["message"]["content"]);
                }
                body => assert!(may_be_lost && entry.problem().is_some(), "{id}: {body:?}"),
            }
        }
    }
}

fn has(path: &Path, id: &str) -> bool {
    lines_of(path, id) > 0
}

fn lines_of(path: &Path, id: &str) -> usize {
    let text = String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned();
    text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok_and(|line| line["id"] == id)).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_the_file_nothing_of_ours_is_lost(
        moments in prop::collection::vec(moment(), 1..14),
        memory in prop_oneof![
            Just(Memory { whole_file: 0, entries: 0 }),
            Just(Memory { whole_file: 0, entries: 1 << 20 }),
            Just(Memory { whole_file: u64::MAX, entries: 0 }),
        ],
    ) {
        let mut world = World::new(memory);
        for moment in &moments {
            world.happens(moment, memory);
        }
        // One more entry brings back what was taken away since the last one.
        world.happens(&Moment::Ours, memory);
        let file = world.ours.file().expect("a file").to_owned();
        for id in &world.own {
            prop_assert_eq!(lines_of(&file, id), 1, "{} in {}", id, String::from_utf8_lossy(&fs::read(&file).expect("a file")));
        }
        let again = Session::open_with(&file, memory).expect("the session opens");
        prop_assert_eq!(again.id(), world.ours.id());
        for entry in world.ours.entries() {
            if let Ok(json) = entry.json() {
                let found = again.entry(entry.id()).map(|found| value(&found.json().expect("JSON")));
                let found = found.map(|found| (found["type"].clone(), found["message"].clone()));
                let known = value(&json);
                prop_assert_eq!(found, Some((known["type"].clone(), known["message"].clone())));
            }
        }
        // What hung on a lost entry hangs on what stands above that.
        let branch = ids(&again.branch_path(Some(world.own.last().expect("one of ours"))));
        let known = world.ours.branch_path(None).into_iter().filter(|entry| entry.json().is_ok());
        prop_assert_eq!(branch, ids(&known.collect::<Vec<_>>()));
        if matches!(memory, Memory { whole_file: u64::MAX, .. }) {
            prop_assert_eq!(world.ours.entries().iter().filter(|entry| entry.json().is_err()).count(), 0);
        }
    }
}
