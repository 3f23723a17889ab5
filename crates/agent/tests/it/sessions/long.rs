//! A session of a hundred thousand entries: what is done in it costs what it touches.

use serde_json::json;
use tau_hooks::TreeMove;
use tau_hooks::payload::ForkPosition;
use tau_session::{EntryBody, NewSession, Session};

use crate::common::World;

const ENTRIES: usize = 100_000;

/// How much a step adds to the file, in bytes and in entries.
async fn growth(session: &tau_agent::AgentSession, step: impl AsyncFnOnce()) -> (u64, usize) {
    let tree = session.session();
    let size = || (tree.file().expect("a file").metadata().expect("a file").len(), tree.entries().len());
    let before = size();
    step().await;
    let after = size();
    (after.0 - before.0, after.1 - before.1)
}

/// Nothing here is timed: a step that wrote, told or walked the whole session for each entry would never end.
#[tokio::test]
async fn prompts_moves_labels_and_forks_write_as_little_as_in_a_short_one() {
    let mut grown = Vec::new();
    for entries in [10, ENTRIES] {
        let world = World::new(json!([{"repeat": "forever", "steps": ["Yes."]}]));
        let tree =
            Session::create(&world.home.session_dir(), &world.home.cwd(), NewSession::default()).expect("a session");
        let first = tree.append(EntryBody::message(tau_ai::Message::User(tau_ai::UserMessage::new("first"))));
        let first = first.expect("appended").id().to_string();
        tree.persist().expect("a file");
        for n in 0..entries {
            tree.append(EntryBody::custom("n", Some(json!(n % 10)))).expect("appended");
        }
        let file = tree.file().expect("a file").to_owned();
        let far = tree.leaf().expect("a leaf").to_string();
        drop(tree);
        let world = world.resume(Session::open(&file).expect("a session"));
        let running = world.start().await;
        let session = &running.session;
        // The model is noted once.
        running.say("Before").await;
        let mut all = Vec::new();
        all.push(growth(session, async || drop(running.say("Now").await)).await);
        let home = async || drop(session.navigate_tree(&first, TreeMove::default()).await.expect("moved"));
        all.push(growth(session, home).await);
        all.push(
            growth(session, async || drop(session.navigate_tree(&far, TreeMove::default()).await.expect("moved")))
                .await,
        );
        all.push(growth(session, async || session.label(&far, Some("here")).expect("labelled")).await);
        grown.push(all);
        session.fork(&far, ForkPosition::At).await.expect("forked");
        assert_eq!(session.session().labels().len(), 1);
        assert!(session.session().entries().len() > entries);
    }
    assert_eq!(grown[0], grown[1]);
}
