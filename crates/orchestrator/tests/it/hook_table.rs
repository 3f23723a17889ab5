//! What the suite does at which moment of a session, with all modules loaded: a test a line.

use serde_json::json;
use tau_agent_testkit::World;
use tau_agent_testkit::tools::spec;
use tau_hooks::Mode;
use tau_hooks::payload::SessionShutdownReason;
use tau_orchestrator::MODULES;
use tau_tools::ToolOutput;

use crate::rules::prompt;
use crate::screen::{first, notices};
use crate::status_line::{git_says, repository, until};
use crate::world::{call, load, provide};

/// A session with the whole suite.
fn suite(mode: Mode, replies: serde_json::Value) -> World {
    let mut world = World::new(replies).with_var("PATH", "/nowhere");
    world.mode = mode;
    provide(&world);
    let all: Vec<&str> = MODULES.iter().map(|module| &module.name["builtin:".len()..]).collect();
    load(&world, &all);
    world
}

#[tokio::test]
async fn session_start_names_missing_programs() {
    let world = suite(Mode::Tui, json!([]));
    let told = notices(&world);
    let _running = world.start().await;
    let (_, text) = first(&told).await;
    assert!(text.contains("\n- gh "), "{text}");
}

#[tokio::test]
async fn session_start_begins_to_watch_the_repository() {
    let world = suite(Mode::Tui, json!([]));
    repository(&world, &["a"]);
    let _running = world.start().await;
    git_says(&world, "main").await;
}

#[tokio::test]
async fn session_start_begins_nothing_where_nobody_looks() {
    for mode in [Mode::Print, Mode::Json] {
        let world = suite(mode, json!(["Hello."]));
        repository(&world, &["a"]);
        let running = world.start().await;
        assert_eq!(world.hooks.tasks.running().len(), 0, "{mode:?}");
        running.say("Hi").await;
        assert_eq!(world.hooks.tasks.running().len(), 0, "{mode:?}");
        assert_eq!(world.hooks.status.entries().len(), 0, "{mode:?}");
    }
}

#[tokio::test]
async fn before_agent_start_appends_the_rules() {
    let world = suite(Mode::Print, json!(["Hello."]));
    world.home.write_agent("rules/80-mine.md", "Say hello to the moon.");
    let prompt = prompt(&world.start().await).await;
    assert!(prompt.contains("Say hello to the moon.") && prompt.ends_with("</session_rules>"), "{prompt}");
}

#[tokio::test]
async fn tool_call_keeps_a_command_from_running() {
    let script = json!([call("bash", json!({"command": "touch ran; git add ."})), "Done."]);
    let world = suite(Mode::Print, script).with_builtin_tools();
    let running = world.start().await;
    running.say("Go").await;
    let read = running.conversation();
    assert!(read.iter().any(|(role, text)| role == "toolResult" && text.contains("'git add .'")), "{read:?}");
    assert!(!world.home.cwd().join("ran").exists());
}

#[tokio::test]
async fn turn_end_looks_at_the_repository_again() {
    let world = suite(Mode::Tui, json!([call("make", json!({})), "Done."]));
    repository(&world, &["a"]);
    world.extend("tools", |registrar| {
        registrar.tool(spec("make"), |_, ctx| async move {
            std::fs::write(ctx.cwd().join("b"), "made\n").expect("a file");
            Ok(ToolOutput::text("made"))
        });
    });
    let running = world.start().await;
    git_says(&world, "main").await;
    running.say("Go").await;
    git_says(&world, "main ?1").await;
    until(&world.hooks, "0-time", |text| text.starts_with('⏱')).await;
}

#[tokio::test]
async fn session_shutdown_ends_what_modules_began() {
    let world = suite(Mode::Tui, json!([]));
    repository(&world, &["a"]);
    let running = world.start().await;
    git_says(&world, "main").await;
    assert!(!world.hooks.tasks.running().is_empty());
    running.session.shut_down(SessionShutdownReason::Quit).await;
    assert!(world.hooks.tasks.running().is_empty());
}
