//! Going on in a copy of a part of the session.

use serde_json::json;
use tau_agent::ReplaceError;
use tau_hooks::Replaced;
use tau_hooks::payload::ForkPosition;
use tau_session::{NewSession, Session};

use crate::common::{Running, World, messages, names};

async fn talked(world: &World) -> Running {
    let running = world.start().await;
    for line in ["One", "Two"] {
        running.say(line).await;
    }
    running
}

#[tokio::test]
async fn in_front_of_a_message_with_its_text_for_the_editor() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let seen = world.watch();
    let running = talked(&world).await;
    let old = running.session.session().file().expect("a file").display().to_string();
    let (second, text) = running.session.fork_points()[1].clone();
    assert_eq!(text, "Two");
    running.session.label(&second, Some("left")).expect("a label");
    let first = running.session.fork_points()[0].0.clone();
    running.session.label(&first, Some("kept")).expect("a label");
    seen.take();
    let done = running.session.fork(&second, ForkPosition::Before).await.expect("a fork");
    assert_eq!(done, Replaced { cancelled: false, text: Some("Two".to_owned()) });
    let order = ["session_before_fork", "session_shutdown", "session_start", "session_fork", "resources_discover"];
    assert_eq!(names(&seen.all()), order);
    let new = running.session.session().file().expect("a file").display().to_string();
    assert_eq!(
        seen.take()[..4],
        [
            json!({"type": "session_before_fork", "entryId": second, "position": "before"}),
            json!({"type": "session_shutdown", "reason": "fork", "targetSessionFile": new}),
            json!({"type": "session_start", "reason": "fork", "previousSessionFile": old}),
            json!({"type": "session_fork", "previousSessionFile": old}),
        ]
    );
    assert_eq!(running.file()[0]["parentSession"], old);
    assert_eq!(running.session.session().labels().len(), 1);
    running.say("Three").await;
    assert_eq!(running.asked()[2], messages([("user", "One"), ("assistant", "1."), ("user", "Three")]));
    let reopened = Session::open(new.as_ref()).expect("a session");
    assert_eq!(reopened.label(&first).as_deref(), Some("kept"));
    assert_eq!(Session::open(old.as_ref()).expect("the old session").label(&second).as_deref(), Some("left"));
}

#[tokio::test]
async fn in_front_of_the_first_message_is_an_empty_session() {
    let world = World::new(json!(["1.", "2."]));
    let running = world.start().await;
    running.say("One").await;
    let first = running.session.fork_points()[0].0.clone();
    let old = running.session.session().file().expect("a file").display().to_string();
    let done = running.session.fork(&first, ForkPosition::Before).await.expect("a fork");
    assert_eq!(done.text.as_deref(), Some("One"));
    assert_eq!(running.conversation(), []);
    assert_eq!(running.session.session().header().parent_session.as_deref(), Some(&*old));
    running.say("Other").await;
    assert_eq!(running.asked()[1], messages([("user", "Other")]));
}

#[tokio::test]
async fn at_an_entry_and_as_a_whole() {
    let world = World::new(json!(["1.", "2."]));
    let running = talked(&world).await;
    let tree = running.session.session();
    let answer = tree.branch_path(None).iter().rev().nth(2).expect("an entry").id().to_string();
    let done = running.session.fork(&answer, ForkPosition::At).await.expect("a fork");
    assert_eq!(done, Replaced::default());
    assert_eq!(running.file_messages(), messages([("user", "One"), ("assistant", "1.")]));
    let ids = |session: &Session| -> Vec<String> {
        session.branch_path(None).iter().map(|entry| entry.id().to_string()).collect()
    };
    let forked = running.session.session();
    assert_eq!(ids(&forked), ids(&tree)[..ids(&forked).len()], "entries keep their ids");
    let done = running.session.clone_session().await.expect("a clone");
    assert_eq!(done, Replaced::default());
    assert_ne!(running.session.session().id(), forked.id());
    assert_eq!(ids(&running.session.session()), ids(&forked));
    assert_eq!(world.home.session_files().len(), 3);
}

#[tokio::test]
async fn what_cannot_be_forked_at_is_refused() {
    let world = World::new(json!(["1."]));
    let running = world.start().await;
    let error = running.session.clone_session().await.expect_err("there is no file");
    assert!(matches!(error, ReplaceError::NotSaved), "{error}");
    running.say("One").await;
    let answer = running.session.session().leaf().expect("a leaf").to_string();
    let id = running.session.session().id().to_owned();
    for (entry, position) in
        [("nope", ForkPosition::At), ("nope", ForkPosition::Before), (&*answer, ForkPosition::Before)]
    {
        let error = running.session.fork(entry, position).await.expect_err("no fork").to_string();
        assert_eq!(error, format!("Invalid entry ID for forking: {entry}"));
    }
    assert_eq!(running.session.session().id(), id);
}

#[tokio::test]
async fn a_session_in_memory_forks_into_memory() {
    let world = World::new(json!(["1.", "2."]));
    let session = Session::in_memory(world.home.cwd().as_ref(), NewSession::default()).expect("a session");
    let world = world.resume(session);
    let running = talked(&world).await;
    let (second, _) = running.session.fork_points()[1].clone();
    running.session.fork(&second, ForkPosition::Before).await.expect("a fork");
    assert_eq!(running.conversation(), messages([("user", "One"), ("assistant", "1.")]));
    assert_eq!(running.session.session().file(), None);
}
