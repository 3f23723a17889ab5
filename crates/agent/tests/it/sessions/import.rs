//! Going on with a session from elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tau_agent::{Prompt, Prompted};
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind};
use tau_hooks::events::SessionBeforeSwitch;
use tau_hooks::payload::CancelResult;

use crate::common::{Log, Running, World, messages, names};

/// A session file of somebody else, who worked in `cwd`.
fn theirs(world: &World, cwd: &Path) -> PathBuf {
    let text = include_str!("../../../../session/tests/data/branches.jsonl");
    world.home.write("their garden.jsonl", text.replace("/home/ann/garden", &cwd.display().to_string()));
    world.home.cwd().join("their garden.jsonl")
}

async fn say(running: &Running, text: &str) -> Result<String, String> {
    match running.session.prompt(Prompt::new(text)).await {
        Ok(Prompted::Builtin(done)) => Ok(done.to_string()),
        Ok(other) => panic!("no built-in command: {other:?}"),
        Err(error) => Err(error.to_string()),
    }
}

fn sessions(world: &World) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(world.home.session_dir())
        .map(|entries| {
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
        })
        .unwrap_or_default();
    names.sort();
    names
}

#[tokio::test]
async fn a_copy_takes_the_place_of_the_session() {
    let world = World::new(json!(["Hello.", "Yes."]));
    let seen = world.watch();
    let running = world.start().await;
    running.say("Hi").await;
    let before = running.session.session().file().expect("a file").display().to_string();
    let source = theirs(&world, &world.home.cwd());
    let original = fs::read_to_string(&source).expect("a file");
    seen.take();
    assert_eq!(
        say(&running, "/import \"their garden.jsonl\"").await,
        Ok("Session imported from: their garden.jsonl".into())
    );
    let copy = world.home.session_dir().join("their garden.jsonl").display().to_string();
    let events: Vec<_> = seen
        .take()
        .into_iter()
        .filter(|event| !matches!(event["type"].as_str(), Some("resources_discover" | "input")))
        .collect();
    assert_eq!(names(&events), ["session_before_switch", "session_shutdown", "session_start", "session_switch"]);
    assert_eq!(events[0], json!({"type": "session_before_switch", "reason": "resume", "targetSessionFile": copy}));
    assert_eq!(events[2], json!({"type": "session_start", "reason": "resume", "previousSessionFile": before}));
    assert_eq!(fs::read_to_string(&source).expect("a file"), original);
    running.say("Still there?").await;
    assert_eq!(running.conversation().last(), messages([("assistant", "Yes.")]).last());
    assert!(fs::read_to_string(&copy).expect("a file").contains("Still there?"));

    // The same again is another copy.
    assert!(say(&running, &format!("/import '{}'", source.display())).await.is_ok());
    assert!(sessions(&world).contains(&"their garden-1.jsonl".to_owned()), "{:?}", sessions(&world));
}

#[tokio::test]
async fn an_extension_can_say_no_and_then_there_is_no_copy() {
    let world = World::new(json!(["Hello."]));
    world.extend("no", |registrar| {
        registrar.on::<SessionBeforeSwitch>(|_, _| async { Some(CancelResult { cancel: Some(true) }) });
    });
    let running = world.start().await;
    running.say("Hi").await;
    theirs(&world, &world.home.cwd());
    let (before, id) = (sessions(&world), running.session.session().id().to_owned());
    assert_eq!(say(&running, "/import 'their garden.jsonl'").await, Ok("Import cancelled.".into()));
    assert_eq!((sessions(&world), running.session.session().id()), (before, &*id));
}

#[tokio::test]
async fn what_cannot_be_imported_is_named() {
    let world = World::new(json!([]));
    let running = world.start().await;
    world.home.write("note.txt", "no session");
    let cwd = world.home.cwd().display().to_string();
    let refused = |text: &'static str| {
        let (running, cwd) = (&running, &cwd);
        async move { say(running, text).await.expect_err("refused").replace(cwd, "<cwd>") }
    };
    assert_eq!(refused("/import").await, "Usage: /import FILE [here]");
    assert_eq!(refused("/import a b").await, "Failed to import session: File not found: <cwd>/a b");
    assert_eq!(refused("/import 'a' b").await, "Failed to import session: there is more text behind the quotes");
    assert_eq!(refused("/import \"a").await, "Failed to import session: a quote is not closed");
    assert_eq!(refused("/import none.jsonl").await, "Failed to import session: File not found: <cwd>/none.jsonl");
    assert_eq!(
        refused("/import note.txt").await,
        "Failed to import session: <cwd>/note.txt is not a session file: there is no header"
    );
    assert_eq!(sessions(&world), [] as [String; 0]);
}

#[tokio::test]
async fn a_session_whose_directory_is_gone_goes_on_here_when_that_is_wanted() {
    let world = World::new(json!(["Hello."]));
    let running = world.start().await;
    theirs(&world, Path::new("/gone/garden"));
    assert_eq!(
        say(&running, "/import 'their garden.jsonl'").await,
        Err("Failed to import session: its directory /gone/garden does not exist; `here` at the end goes on in this one"
            .into())
    );
    assert_eq!(sessions(&world), [] as [String; 0]);
    assert!(say(&running, "/import their garden.jsonl here").await.is_ok());
    assert_eq!(running.session.session().cwd(), world.home.cwd());
    assert_eq!(running.session.cwd(), world.home.cwd());
    let header = fs::read_to_string(world.home.session_dir().join("their garden.jsonl")).expect("a file");
    let header: serde_json::Value = serde_json::from_str(header.lines().next().expect("a line")).expect("JSON");
    assert_eq!(header["cwd"], world.home.cwd().display().to_string());
}

#[tokio::test]
async fn a_user_is_asked_whether_it_goes_on_here() {
    let world = World::new(json!(["Hello."]));
    let running = world.start().await;
    theirs(&world, Path::new("/gone/garden"));
    let (asked, mut user) = (Log::default(), world.hooks.dialogs.subscribe());
    let log = asked.clone();
    tokio::spawn(async move {
        while let Some(event) = user.recv().await {
            let DialogEvent::Opened(request) = event else { continue };
            if let DialogKind::Confirm { title, message } = &request.kind {
                let first = log.all().is_empty();
                log.push(format!("{title}: {message}"));
                user.answer(request.id(), DialogAnswer::Confirmed(!first)).expect("it counts");
            }
        }
    });
    assert_eq!(say(&running, "/import 'their garden.jsonl'").await, Ok("Import cancelled.".into()));
    assert_eq!(sessions(&world), [] as [String; 0]);
    assert!(say(&running, "/import 'their garden.jsonl'").await.is_ok());
    let question = format!(
        "The directory of the session is gone: /gone/garden does not exist. Go on in {}?",
        world.home.cwd().display()
    );
    assert_eq!(asked.all(), [question.clone(), question]);
    assert_eq!(sessions(&world), ["their garden.jsonl"]);
}
