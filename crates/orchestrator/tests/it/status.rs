//! `/status`.

use serde_json::{Value, json};
use tau_agent::Prompted;
use tau_agent_testkit::World;
use tau_agent_testkit::tools::with_work;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Mode, Task};
use tau_orchestrator::shared::container::is_container;

use crate::screen::{Screen, first, notices};
use crate::world::with;

/// A session with a task, a tool, a template and a context file.
fn full(mode: Mode) -> World {
    let world = with(&["status", "btw"], mode, json!([]));
    with_work(&world);
    world.extend("worker", |registrar| {
        registrar.spawn("digging", |task: Task| async move { task.ends().cancelled().await });
    });
    world.home.write(".pi/prompts/review.md", "Review it.");
    world.home.write("AGENTS.md", "Be kind.");
    std::fs::create_dir_all(world.home.cwd().join(".git/refs")).expect("a folder");
    std::fs::create_dir_all(world.home.cwd().join(".git/objects")).expect("a folder");
    std::fs::write(world.home.cwd().join(".git/HEAD"), "ref: refs/heads/fix\u{202e}ed\n").expect("a file");
    world
}

#[tokio::test]
async fn people_read_what_there_is() {
    let world = full(Mode::Rpc);
    let told = notices(&world);
    let running = world.start().await;
    assert_eq!(running.say("/status").await, Prompted::Command { failed: false });
    let (level, text) = first(&told).await;
    assert_eq!(level, NotifyLevel::Info);
    for part in [
        "Model\n  scripted/planner, thinking ",
        "Git\n  fixed",
        "Running tasks\n  digging (<native:worker>)",
        "Extensions\n  builtin:btw\n  builtin:status\n",
        "Tools\n",
        "work",
        "Prompt templates\n  review",
        "Context files\n",
        "AGENTS.md",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.contains("Container\n"), is_container());
    assert!(!text.contains("Skills"), "there are none: {text}");
}

#[tokio::test]
async fn programs_read_json() {
    let world = full(Mode::Rpc);
    let told = notices(&world);
    let running = world.start().await;
    running.say("/status --json").await;
    let data: Value = serde_json::from_str(&first(&told).await.1).expect("JSON");
    let keys: Vec<&str> = data.as_object().expect("an object").keys().map(String::as_str).collect();
    for key in
        ["model", "git", "container", "tasks", "extensions", "tools", "skills", "promptTemplates", "contextFiles"]
    {
        assert!(keys.contains(&key), "{key}: {keys:?}");
    }
    assert_eq!((&data["model"]["provider"], &data["model"]["id"]), (&json!("scripted"), &json!("planner")));
    assert_eq!(data["tasks"], json!([{"name": "digging", "extension": "<native:worker>"}]));
    assert_eq!(data["container"], json!(is_container()));
    assert_eq!(data["skills"], json!([]));
    assert_eq!(data["promptTemplates"][0]["name"], "review");
    let tools = data["tools"].as_array().expect("tools");
    assert!(tools.iter().any(|tool| tool["name"] == "work" && tool["active"] == true), "{data}");
}

#[tokio::test]
async fn a_terminal_shows_it_over_the_screen() {
    let world = full(Mode::Tui);
    let back_end = world.hooks.dialogs.subscribe_mounting();
    let running = world.start().await;
    let command = running.say_later("/status");
    let mut screen = Screen::open(back_end).await;
    let lines = screen.until("scripted/planner").await;
    assert!(lines[0].starts_with("╭─ status ─"), "{lines:#?}");
    for size in [(100, 40), (20, 8), (9, 3)] {
        screen.lines(size).await;
    }
    screen.close("\x1b").await;
    command.await.expect("a task").expect("a command");
}

#[tokio::test]
async fn a_repository_that_cannot_be_read_spoils_nothing_else() {
    let world = full(Mode::Rpc);
    std::fs::write(world.home.cwd().join(".git/config"), "[core\n").expect("a file");
    let told = notices(&world);
    let running = world.start().await;
    running.say("/status").await;
    let text = first(&told).await.1;
    assert!(text.contains("Git\n  not known: ") && text.contains("scripted/planner"), "{text}");
}

#[tokio::test]
async fn for_one_answer_it_is_a_report_and_other_words_are_refused() {
    let world = full(Mode::Print);
    let running = world.start().await;
    assert_eq!(running.say("/status --json").await, Prompted::Command { failed: false });
    let reports = world.reports.all();
    assert!(reports.len() == 1 && reports[0].2.contains("\"model\""), "{reports:?}");
    assert_eq!(running.say("/status all").await, Prompted::Command { failed: true });
    assert!(world.reports.all()[1].2.contains("usage: /status"), "{:?}", world.reports.all());
}
