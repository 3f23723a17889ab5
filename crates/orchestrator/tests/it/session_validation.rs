//! What a session lacks, what is new in a version, and session files that are put right.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tau_agent::Prompted;
use tau_agent_testkit::tools::{Barrier, waiting};
use tau_agent_testkit::{Log, Running, World, text_of};
use tau_ai::{AssistantMessage, Message, UserMessage};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{FindingLevel, Mode};
use tau_session::EntryBody;

use crate::screen::{Screen, first, notices};
use crate::world::{call, with};

type Told = Log<(NotifyLevel, String)>;

/// Waits until what a start looks for is over.
async fn checked(world: &World) {
    while world.hooks.tasks.running().iter().any(|task| &*task.name == "checks") {
        tokio::task::yield_now().await;
    }
}

/// Starts a session with these modules, in a home that others were in, and gives what it tells the user.
async fn start(modules: &[&str], mode: Mode, home: Option<World>, path: &Path) -> (World, Told) {
    let world = with(modules, mode, json!([])).with_var("PATH", &path.display().to_string());
    let world = match home {
        Some(home) => world.in_home_of(home),
        None => world,
    };
    let told = notices(&world);
    let running = world.start().await;
    checked(&world).await;
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    assert!(world.reports.all().is_empty(), "{:?}", world.reports.all());
    tokio::task::yield_now().await;
    (world, told)
}

fn program(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, "").expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    path
}

/// A file of the module's state.
fn state(world: &World, name: &str) -> PathBuf {
    let folder = world.env().agent_dir().join("tau/extensions");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path().join(name));
    files.into_iter().find(|file| file.exists()).expect("a file of state")
}

#[tokio::test]
async fn missing_programs_are_told_once_and_again_when_they_are_missing_again() {
    let programs = tempfile::tempdir().expect("a folder");
    let modules = ["autocomplete", "session-validation", "github-autocomplete"];
    let (world, told) = start(&modules, Mode::Rpc, None, programs.path()).await;
    let (level, text) = first(&told).await;
    assert_eq!((level, told.all().len()), (NotifyLevel::Warning, 1));
    assert!(
        text.contains("\n- gh ") && text.contains("(autocomplete)") && text.contains("(github-autocomplete)"),
        "{text}"
    );
    assert!(text.contains("https://cli.github.com") && !text.contains("prek"), "{text}");

    let (world, told) = start(&modules, Mode::Rpc, Some(world), programs.path()).await;
    assert_eq!(told.all(), []);
    let found: Vec<_> = world.hooks.run_checks().await.into_iter().filter(|(_, name, _)| name == "programs").collect();
    assert_eq!(found[0].2[0].level, FindingLevel::Note, "{found:?}");

    fs::write(world.home.cwd().join(".pre-commit-config.yaml"), "").expect("a file");
    let (world, told) = start(&modules, Mode::Rpc, Some(world), programs.path()).await;
    let text = first(&told).await.1;
    assert!(text.contains("\n- prek ") && text.contains("\n- gh "), "{text}");

    let gh = program(programs.path(), "gh");
    let (world, told) = start(&modules, Mode::Rpc, Some(world), programs.path()).await;
    assert_eq!(told.all(), []);
    fs::remove_file(gh).expect("a file");
    let (_, told) = start(&modules, Mode::Rpc, Some(world), programs.path()).await;
    assert!(first(&told).await.1.contains("\n- gh "));
}

#[tokio::test]
async fn only_modules_that_are_on_count_and_one_answer_has_no_checks() {
    let programs = tempfile::tempdir().expect("a folder");
    let (_, told) = start(&["session-validation", "btw"], Mode::Rpc, None, programs.path()).await;
    assert_eq!(told.all(), []);
    for mode in [Mode::Print, Mode::Json] {
        let (world, told) = start(&["session-validation", "autocomplete"], mode, None, programs.path()).await;
        assert_eq!(told.all(), []);
        assert!(!world.env().agent_dir().join("tau/extensions").exists());
    }
}

#[tokio::test]
async fn after_an_upgrade_a_terminal_says_once_what_is_new() {
    let programs = tempfile::tempdir().expect("a folder");
    let own = ["session-validation"];
    let (world, told) = start(&own, Mode::Tui, None, programs.path()).await;
    assert_eq!(told.all(), [], "the first start is no upgrade");
    let file = state(&world, "version.json");
    let version = fs::read_to_string(&file).expect("a file");
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");

    fs::write(&file, r#"{"version": "0.0.1"}"#).expect("a file");
    let (world, told) = start(&own, Mode::Rpc, Some(world), programs.path()).await;
    assert_eq!(told.all(), [], "only a terminal says it");
    let (world, told) = start(&own, Mode::Tui, Some(world), programs.path()).await;
    let (level, text) = first(&told).await;
    assert_eq!((level, told.all().len()), (NotifyLevel::Info, 1));
    assert!(text.starts_with(&format!("tau is {} now.", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(text.chars().count() <= 1_500);
    let (world, told) = start(&own, Mode::Tui, Some(world), programs.path()).await;
    assert_eq!(told.all(), []);

    fs::write(&file, r#"{"version": "999.0.0"}"#).expect("a file");
    let (world, told) = start(&own, Mode::Tui, Some(world), programs.path()).await;
    assert_eq!(told.all(), [], "a downgrade says nothing");

    fs::write(&file, "{\n broken").expect("a file");
    let (world, told) = start(&own, Mode::Tui, Some(world), programs.path()).await;
    let (level, text) = first(&told).await;
    assert_eq!((level, told.all().len()), (NotifyLevel::Warning, 1));
    assert!(
        text.contains("version.json") && text.contains("line 2") && text.contains("version.json.damaged"),
        "{text}"
    );
    let (_, told) = start(&own, Mode::Tui, Some(world), programs.path()).await;
    assert_eq!(told.all(), []);
}

#[tokio::test]
async fn of_two_sessions_that_start_at_once_one_says_what_is_new() {
    let programs = tempfile::tempdir().expect("a folder");
    let own = ["session-validation"];
    let (world, _) = start(&own, Mode::Tui, None, programs.path()).await;
    fs::write(state(&world, "version.json"), r#"{"version": "0.0.1"}"#).expect("a file");
    let folder = world.env().agent_dir().display().to_string();
    let world = with(&own, Mode::Tui, json!([])).in_home_of(world);
    let other = with(&own, Mode::Tui, json!([])).with_var("PI_CODING_AGENT_DIR", &folder);
    let (told, other_told) = (notices(&world), notices(&other));
    let (_one, _two) = tokio::join!(world.start(), other.start());
    checked(&world).await;
    checked(&other).await;
    tokio::task::yield_now().await;
    let all: Vec<_> = told.all().into_iter().chain(other_told.all()).collect();
    assert_eq!(all.len(), 1, "{all:?}");
}

#[tokio::test]
async fn the_changelog_is_shown() {
    let world = with(&["session-validation"], Mode::Rpc, json!([]));
    let told = notices(&world);
    let running = world.start().await;
    running.say("/changelog").await;
    let (_, text) = first(&told).await;
    assert!(text.starts_with("# Changelog") && text.contains("## [0.1.0]"), "{text}");

    let world = with(&["session-validation"], Mode::Tui, json!([]));
    let back_end = world.hooks.dialogs.subscribe_mounting();
    let running = world.start().await;
    let command = running.say_later("/changelog");
    let mut screen = Screen::open(back_end).await;
    let lines = screen.until("more below").await;
    assert!(lines[0].starts_with("╭─ changelog ─"), "{lines:#?}");
    screen.key("G").await;
    assert!(
        screen
            .lines((100, 40))
            .await
            .iter()
            .any(|line| line.contains("builtin:orchestrator`") || line.contains("builtin:orchestrator."))
    );
    screen.close("q").await;
    command.await.expect("a task").expect("a command");
}

/// Leaves a call without a result on the branch, and something behind it.
fn damage(running: &Running) {
    let answer: AssistantMessage = serde_json::from_value(json!({
        "content": [{"type": "toolCall", "id": "lost", "name": "work", "arguments": {}}],
        "api": "scripted", "provider": "scripted", "model": "planner", "stopReason": "toolUse", "timestamp": 2,
    }))
    .expect("an answer");
    let session = running.session.session();
    for message in [Message::Assistant(answer), Message::User(UserMessage::new("And then?"))] {
        session.append(EntryBody::message(message)).expect("an entry");
    }
}

#[tokio::test]
async fn the_session_that_is_open_is_repaired_and_goes_on() {
    let world = with(&["session-validation"], Mode::Rpc, json!(["Hello.", "Fine."]));
    let told = notices(&world);
    let running = world.start().await;
    running.say("Hi").await;
    running.say("/repair").await;
    assert!(first(&told).await.1.starts_with("Nothing to repair in "), "{:?}", told.all());
    told.take();
    damage(&running);
    let before = fs::read(running.session.session().file().expect("a file")).expect("a file");
    assert_eq!(running.say("/repair").await, Prompted::Command { failed: false });
    let (level, text) = first(&told).await;
    assert_eq!(level, NotifyLevel::Info);
    assert!(text.starts_with("Repaired ") && text.contains("the call of work had no result"), "{text}");
    let file = running.session.session().file().expect("a file").to_owned();
    assert_eq!(fs::read(file.with_extension("before-repair")).expect("a backup"), before);
    running.say("Go on").await;
    let asked = running.script.requests().pop().expect("a request");
    let messages = asked["messages"].as_array().expect("messages");
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "assistant", "toolResult", "user", "user"]);
    assert!(text_of(&messages[3]["content"]).contains("ended before this call had a result"), "{asked}");
    let again = tau_session::Session::open(&file).expect("a session");
    assert_eq!(again.problems(), []);
    assert_eq!(running.conversation().len(), 7);
}

#[tokio::test]
async fn nothing_is_repaired_while_the_agent_works() {
    let world = with(&["session-validation"], Mode::Rpc, json!([call("work", json!({})), "Done."]));
    let (told, barrier) = (notices(&world), Barrier::default());
    world.extend("tools", |registrar| waiting(registrar, "work", &barrier));
    let running = world.start().await;
    let said = running.say_later("Go");
    barrier.reached(1).await;
    running.session.prompt(tau_agent::Prompt::new("/repair")).await.expect("a command");
    let (level, text) = first(&told).await;
    assert!(level == NotifyLevel::Warning && text.contains("at work"), "{text}");
    barrier.open();
    said.await.expect("a task").expect("a run");
    running.session.wait_until_idle().await;
    assert!(!running.session.session().file().expect("a file").with_extension("before-repair").exists());
}

#[tokio::test]
async fn other_files_are_repaired_by_their_path() {
    let world = with(&["session-validation"], Mode::Rpc, json!([]));
    let told = notices(&world);
    let running = world.start().await;
    let other = world.home.cwd().join("other.jsonl");
    fs::write(&other, "\u{feff}{\"type\":\"session\",\"version\":3,\"id\":\"x\",\"cwd\":\"/\"}\r\n\u{1b}[2Jtorn")
        .expect("a file");
    running.say("/repair other.jsonl").await;
    let (_, text) = first(&told).await;
    assert!(text.contains("byte order mark") && text.contains("line 2: removed (cut off)"), "{text}");
    assert!(!text.contains('\u{1b}'));
    assert_eq!(running.session.session().id(), running.session.session().header().id);
    told.take();
    for (command, wanted) in [
        ("/repair missing.jsonl", "cannot read "),
        ("/repair ~/missing.jsonl", world.home.home().to_str().expect("text")),
        ("/repair .", "it is a folder"),
        ("/repair", "has no file yet"),
    ] {
        assert_eq!(running.say(command).await, Prompted::Command { failed: false });
        let (level, text) = first(&told).await;
        assert!(level == NotifyLevel::Error && text.contains(wanted), "{command}: {text}");
        told.take();
    }
}

#[tokio::test]
async fn for_one_answer_a_repair_is_a_report() {
    let world = with(&["session-validation"], Mode::Print, json!(["Hello."]));
    let running = world.start().await;
    running.say("Hi").await;
    damage(&running);
    assert_eq!(running.say("/repair").await, Prompted::Command { failed: false });
    let reports = world.reports.all();
    assert!(reports.len() == 1 && reports[0].2.starts_with("Repaired "), "{reports:?}");
    assert_eq!(running.say("/repair missing").await, Prompted::Command { failed: true });
    let lines: Vec<Value> = running.file();
    assert_eq!(lines.iter().filter(|line| line["message"]["role"] == "toolResult").count(), 1);
}
