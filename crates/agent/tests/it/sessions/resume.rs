//! Going on with a session that was there before.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use tau_agent::{FindSessionError, FoundSession, ReplaceError};
use tau_hooks::{NewSessionRequest, TreeMove};
use tau_session::{NewSession, Session};

use crate::common::{Running, World, messages, names};

/// A file with every kind of entry, two branches, a compaction and labels.
fn every_kind(world: &World) -> PathBuf {
    let text = include_str!("../../../../session/tests/data/branches.jsonl");
    let cwd = world.home.cwd().display().to_string();
    let file = world.home.session_dir().join("garden.jsonl");
    fs::create_dir_all(world.home.session_dir()).expect("a directory");
    fs::write(&file, text.replace("/home/ann/garden", &cwd)).expect("a file");
    file
}

async fn resumed(world: &World) -> Running {
    let running = world.start().await;
    running.say("One").await;
    running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    running
}

#[tokio::test]
async fn the_conversation_the_model_and_the_level_come_back() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let seen = world.watch();
    let running = world.start().await;
    for line in ["/model scripted/other", "/thinking high", "One"] {
        running.say(line).await;
    }
    let first = running.session.session().file().expect("a file").to_owned();
    for line in ["/new", "/model scripted/planner", "/thinking low", "Two"] {
        running.say(line).await;
    }
    let second = running.session.session().file().expect("a file").display().to_string();
    let lines = fs::read_to_string(&first).expect("a file").lines().count();
    seen.take();
    running.session.switch_session(&first).await.expect("the first session");
    assert_eq!(
        names(&seen.all()),
        [
            "session_before_switch",
            "session_shutdown",
            "session_start",
            "session_switch",
            "resources_discover",
            "model_select"
        ]
    );
    let (events, first_name) = (seen.take(), first.display().to_string());
    assert_eq!(
        events[..4],
        [
            json!({"type": "session_before_switch", "reason": "resume", "targetSessionFile": first_name}),
            json!({"type": "session_shutdown", "reason": "resume", "targetSessionFile": first_name}),
            json!({"type": "session_start", "reason": "resume", "previousSessionFile": second}),
            json!({"type": "session_switch", "reason": "resume", "previousSessionFile": second}),
        ]
    );
    assert_eq!(
        (&events[5]["model"]["id"], &events[5]["previousModel"]["id"], &events[5]["source"]),
        (&json!("other"), &json!("planner"), &json!("restore"))
    );
    assert_eq!(running.session.thinking_level().as_str(), "high");
    assert_eq!(running.conversation(), messages([("user", "One"), ("assistant", "1.")]));
    assert_eq!(running.file().len(), lines, "looking at a session changes nothing");
    running.say("Three").await;
    assert_eq!(running.asked()[2], messages([("user", "One"), ("assistant", "1."), ("user", "Three")]));
    assert_eq!(world.reports.all(), []);
}

#[tokio::test]
async fn a_model_that_is_not_there_is_named_and_the_one_of_now_stays() {
    let world = World::new(json!(["Fine."]));
    let file = every_kind(&world);
    let running = world.start().await;
    running.session.switch_session(&file).await.expect("the session");
    assert_eq!(running.session.model().expect("a model").id, "planner");
    let text = "Could not restore model meadow/daisy-2. Using scripted/planner.".to_owned();
    assert_eq!(world.reports.all(), [("session".to_owned(), "model".to_owned(), text)]);
}

#[tokio::test]
async fn a_file_with_every_kind_of_entry_goes_on_and_back() {
    let world = World::new(json!(["Taller.", "Bed 6."]));
    let file = every_kind(&world);
    let before = fs::read_to_string(&file).expect("a file");
    let running = world.start().await;
    running.session.switch_session(&file).await.expect("the session");
    running.say("And maize?").await;
    let after = fs::read_to_string(&file).expect("a file");
    assert!(after.starts_with(&before), "what was there stays as it was");
    assert_eq!(
        running.conversation().into_iter().map(|(role, _)| role).collect::<Vec<_>>(),
        ["user", "assistant", "toolResult", "assistant", "branchSummary", "user", "assistant", "user", "assistant"]
    );

    // Back to the end of the other branch, over the compaction, and on from there.
    running.session.navigate_tree("a0000010", TreeMove::default()).await.expect("a move");
    let roles: Vec<String> = running.conversation().into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["compactionSummary", "custom", "bashExecution", "user", "assistant"]);
    running.say("And bed 6?").await;
    let reopened = Session::open(&file).expect("a session");
    assert_eq!(reopened.problems(), []);
    let path: Vec<String> = reopened.branch_path(None).iter().map(|entry| entry.id().to_string()).collect();
    assert!(path.contains(&"a0000010".to_owned()) && !path.contains(&"b0000006".to_owned()), "{path:?}");
    assert_eq!(reopened.labels().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_opened_changes_nothing() {
    let world = World::new(json!(["1."]));
    let running = world.start().await;
    running.say("One").await;
    let id = running.session.session().id().to_owned();
    let (empty, elsewhere) = (world.home.write("empty.jsonl", ""), world.home.cwd().join("elsewhere.jsonl"));
    let gone = Session::create(
        world.home.cwd().as_ref(),
        "/no/such/place".as_ref(),
        NewSession { file: Some(elsewhere.clone()), ..NewSession::default() },
    );
    gone.and_then(|session| session.persist()).expect("a file");
    let errors = [
        (world.home.cwd().join("none.jsonl"), "cannot read "),
        (empty, "is not a session file"),
        (elsewhere, "Stored session working directory does not exist: /no/such/place\nSession file: "),
    ];
    for (path, what) in errors {
        let error = running.session.switch_session(&path).await.expect_err("no session").to_string();
        assert!(error.contains(what), "{error}");
    }
    assert_eq!(running.session.session().id(), id);
    assert_eq!(running.conversation(), messages([("user", "One"), ("assistant", "1.")]));
}

#[tokio::test]
async fn a_session_of_another_directory_goes_on_there() {
    let world = World::new(json!(["There."])).with_builtin_tools();
    let there = world.home.cwd().parent().expect("a parent").join("other");
    fs::create_dir_all(there.join(".pi")).expect("a directory");
    fs::write(there.join("AGENTS.md"), "Rules of the other place.").expect("a file");
    let file = there.join("there.jsonl");
    let session = Session::create(&there, &there, NewSession { file: Some(file.clone()), ..NewSession::default() });
    session.and_then(|session| session.persist()).expect("a file");
    let seen = world.watch();
    let running = world.start().await;
    seen.take();
    running.session.switch_session(&file).await.expect("the session");
    assert_eq!(running.session.cwd(), there);
    let discover = seen.all().into_iter().find(|event| event["type"] == "resources_discover").expect("an event");
    assert_eq!(discover["cwd"], there.display().to_string());
    let names: Vec<_> = running.session.resources().context_files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(names, [there.join("AGENTS.md")]);
    running.say("/new").await;
    running.say("Hi").await;
    assert_eq!(running.file()[0]["cwd"], there.display().to_string());
    assert_eq!(running.session.session_dir(), Some(there));
}

#[tokio::test]
async fn sessions_are_found_by_path_and_by_id() {
    let world = World::new(json!(["1.", "2."]));
    let running = resumed(&world).await;
    let file = world.home.session_files().remove(0);
    let id = Session::open(&file).expect("a session").id().to_owned();
    let find = |text: &str| running.session.find_session(text);
    assert_eq!(find(&id), Ok(FoundSession::Here(file.clone())));
    assert_eq!(find(&id[..20]), Ok(FoundSession::Here(file.clone())));
    assert_eq!(find("./x.jsonl"), Ok(FoundSession::Path(world.home.cwd().join("x.jsonl"))));
    assert_eq!(find("zzz"), Err(FindSessionError::NoMatch("zzz".to_owned())));
    let other = world.home.agent_dir().join("sessions/--elsewhere--/s.jsonl");
    fs::create_dir_all(other.parent().expect("a folder")).expect("a folder");
    let named = |id: &str, file: PathBuf| {
        let new = NewSession { id: Some(id.to_owned()), file: Some(file), ..NewSession::default() };
        Session::create("/".as_ref(), "/".as_ref(), new).and_then(|session| session.persist()).expect("a file");
    };
    named("abc-1", other.clone());
    assert_eq!(find("abc"), Ok(FoundSession::Elsewhere(other.clone())));
    named("abc-2", other.with_file_name("t.jsonl"));
    let ids = vec!["abc-1".to_owned(), "abc-2".to_owned()];
    assert_eq!(find("abc"), Err(FindSessionError::Ambiguous { text: "abc".to_owned(), ids }));
    assert_eq!(find("abc-1"), Ok(FoundSession::Elsewhere(other)));
    let shared = Arc::clone(&running.session);
    assert!(matches!(shared.switch_session("abc".as_ref()).await, Err(ReplaceError::Session(_))));
}
