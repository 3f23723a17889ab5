//! Whatever is done to sessions, everything that was acknowledged is in a file, and every file is a tree.

use std::collections::HashSet;
use std::io::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use tau_hooks::payload::{ForkPosition, SessionShutdownReason};
use tau_hooks::{NewSessionRequest, TreeMove};
use tau_session::Session;

use crate::common::{Running, World};

#[derive(Debug, Clone)]
enum Step {
    Say(String),
    Name(String),
    /// To an entry, by its place in the file; with a bookmark, or with a summary of what is left.
    Branch(usize, Option<String>, bool),
    Fork(usize, bool),
    Clone,
    Label(usize, Option<String>),
    Compact,
    New,
    /// Back to the session of a file, by its place in the folder.
    Switch(usize),
    /// The program ends in order and is started again.
    Reopen,
    /// The program is gone in the middle of a line.
    Crash(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let text = || "[a-z ]{1,12}";
    prop_oneof![
        5 => text().prop_map(Step::Say),
        1 => text().prop_map(Step::Name),
        3 => (any::<usize>(), prop::option::of(text()), any::<bool>()).prop_map(|(at, label, sum)| Step::Branch(at, label, sum)),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(at, before)| Step::Fork(at, before)),
        1 => Just(Step::Clone),
        2 => (any::<usize>(), prop::option::of(text())).prop_map(|(at, label)| Step::Label(at, label)),
        1 => Just(Step::Compact),
        1 => Just(Step::New),
        1 => any::<usize>().prop_map(Step::Switch),
        1 => Just(Step::Reopen),
        1 => any::<usize>().prop_map(Step::Crash),
    ]
}

fn world() -> World {
    let settings = json!({"compaction": {"keepRecentTokens": 1}});
    World::new(json!([{"repeat": "forever", "steps": ["So it is."]}])).settings(settings)
}

/// An entry of the session that is open, by its place.
fn pick(running: &Running, at: usize) -> Option<String> {
    let entries = running.session.session().entries();
    (!entries.is_empty()).then(|| entries[at % entries.len()].id().to_string())
}

fn files(world: &World) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(world.home.session_dir()) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files
}

/// What front ends were told is in the session.
fn acknowledged(event: &Value) -> Option<String> {
    match event["type"].as_str() {
        Some("message_end") => Some(event["message"].to_string()),
        Some("entry_appended") => Some(event["entry"].to_string()),
        _ => None,
    }
}

/// Checks one file, and gives everything it holds as the events would say it.
fn check(session: &Session) -> Vec<String> {
    let entries = session.entries();
    let mut reached = HashSet::new();
    let tree = session.tree();
    let mut open = tree.roots.clone();
    while let Some(at) = open.pop() {
        assert!(reached.insert(at), "an entry has two places");
        open.extend(&tree.nodes[at].children);
    }
    assert_eq!(reached.len(), entries.len());
    let path = session.branch_path(None);
    assert_eq!(path.last().map(|entry| entry.id().clone()), session.leaf());
    assert!(path.windows(2).all(|pair| pair[1].parent_id() == Some(pair[0].id())));
    session.context();
    let values = entries.iter().map(|entry| Value::Object(entry.to_value().expect("JSON")));
    values.flat_map(|entry| [entry["message"].to_string(), entry.to_string()]).collect()
}

/// Refusals are answers: nothing to compact, nothing to fork yet, no such message.
async fn act(world: &World, running: &Running, step: Step) {
    let session = &running.session;
    match step {
        Step::Say(text) => drop(running.say(&text).await),
        Step::Name(name) => session.rename(&name).expect("named"),
        Step::Branch(at, label, summarize) => {
            if let Some(id) = pick(running, at) {
                let how = TreeMove { label, summarize, ..TreeMove::default() };
                session.navigate_tree(&id, how).await.expect("moved");
            }
        }
        Step::Fork(at, before) => {
            let points = session.fork_points();
            let (id, position) = if before && !points.is_empty() {
                (Some(points[at % points.len()].0.clone()), ForkPosition::Before)
            } else {
                (pick(running, at), ForkPosition::At)
            };
            if let Some(id) = id {
                let _ = session.fork(&id, position).await;
            }
        }
        Step::Clone => drop(session.clone_session().await),
        Step::Label(at, label) => {
            if let Some(id) = pick(running, at) {
                session.label(&id, label.as_deref()).expect("labelled");
            }
        }
        Step::Compact => drop(session.compact(None).await),
        Step::New => drop(session.new_session(NewSessionRequest::default()).await.expect("a new session")),
        Step::Switch(at) => {
            let files = files(world);
            if !files.is_empty() {
                session.switch_session(&files[at % files.len()]).await.expect("another session");
            }
        }
        Step::Reopen | Step::Crash(_) => unreachable!("a step of the program"),
    }
    session.wait_until_idle().await;
}

async fn play(steps: Vec<Step>) {
    let mut world = world();
    let mut running = world.start().await;
    let mut said: HashSet<String> = HashSet::new();
    for step in steps {
        match step {
            Step::Reopen | Step::Crash(_) => {
                let file = running.session.session().file().expect("a file").to_owned();
                let before = running.session.session();
                let was_kept = before.is_persisted();
                match step {
                    Step::Crash(len) if was_kept => {
                        let half = r#"{"type":"message","id":"deadbeef","parentId":null,"message":{"role":"user"#;
                        let half = &half.as_bytes()[..1 + len % (half.len() - 1)];
                        let mut open = std::fs::OpenOptions::new().append(true).open(&file).expect("the file");
                        open.write_all(half).expect("written");
                    }
                    Step::Crash(_) => {}
                    _ => running.session.shut_down(SessionShutdownReason::Quit).await,
                }
                drop(running);
                world = self::world().in_home_of(world);
                if was_kept {
                    let opened = Session::open(&file).expect("a session");
                    let ids = |session: &Session| -> Vec<String> {
                        session.entries().iter().map(|entry| entry.id().to_string()).collect()
                    };
                    assert_eq!(ids(&opened), ids(&before));
                    assert_eq!((opened.leaf(), opened.labels()), (before.leaf(), before.labels()));
                    assert_eq!(opened.session_name(), before.session_name());
                    world = world.resume(opened);
                }
                running = world.start().await;
            }
            step => act(&world, &running, step).await,
        }
        said.extend(running.events.take().iter().filter_map(acknowledged));
        let open = running.session.session();
        let mut kept: HashSet<String> = check(&open).into_iter().collect();
        for file in files(&world) {
            kept.extend(check(&Session::open(&file).expect("a session")));
        }
        // Before the first message of the user there is no file, and nothing is lost by that.
        let lost: Vec<&String> = said.iter().filter(|said| !kept.contains(*said)).collect();
        let only_choices = lost.iter().all(|entry| !entry.contains("\"role\""));
        assert!(lost.is_empty() || only_choices, "{lost:?}");
        if open.is_persisted() {
            assert_eq!(lost, [] as [&String; 0]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_steps_keeps_what_was_acknowledged(steps in vec(step(), 1..16)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(play(steps));
    }
}
