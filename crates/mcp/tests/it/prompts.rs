//! Prompts of servers as prompt templates.

use std::path::Path;

use serde_json::{Value, json};
use tau_agent_testkit::{Running, World};
use tau_hooks::payload::SessionShutdownReason;
use tau_hooks::{CommandInfo, HostView};
use tau_mcp::extension::{Options, extension};

use crate::server::Play;
use crate::support::{play, with};

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn prompts() -> Vec<Value> {
    vec![
        json!({"name": "explain", "description": "Explains\u{1b}[31m <b>a file\nand more", "arguments": [
            {"name": "file", "description": "Which file", "required": true}, {"name": "how"}]}),
        json!({"name": "greet all"}),
        json!({"name": "fails"}),
    ]
}

fn with_server(replies: Value, behaviour: &Play) -> World {
    let world = World::new(replies);
    write(&world, behaviour);
    world
}

fn write(world: &World, behaviour: &Play) {
    let server = with(play(behaviour), json!({"exposure": "hidden", "toolExposure": {"change": "direct"}}));
    world.home.write_agent("mcp.json", json!({"mcpServers": {"docs": server}}).to_string());
    let options = Options::new(world.home.agent_dir());
    world.hooks.load(&extension(options)).expect("an extension that loads");
}

fn listed(running: &Running) -> Vec<CommandInfo> {
    running.session.commands().into_iter().filter(|command| command.source == "prompt").collect()
}

fn names(running: &Running) -> Vec<String> {
    listed(running).into_iter().map(|command| command.name).collect()
}

/// Waits until the prompts of the server are listed.
async fn known(running: &Running, expected: &[&str]) {
    while names(running) != expected {
        tokio::task::yield_now().await;
    }
}

/// Whether a file in a folder, other than that of the servers, holds a text.
fn holds(folder: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            return holds(&path, text);
        }
        !path.ends_with("mcp.json") && std::fs::read_to_string(&path).is_ok_and(|all| all.contains(text))
    })
}

const ALL: [&str; 3] = ["docs:explain", "docs:greet_all", "docs:fails"];

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_a_template_with_arguments() {
    let world = with_server(json!(["One.", "Two.", "Three."]), &Play { prompts: prompts(), ..Play::default() });
    let running = world.start().await;
    // Nobody has waited for the server yet.
    running.say("/docs:explain src/main.rs in a few words").await;
    running.say("/docs:explain how=\"very short\" a.rs").await;
    running.say("/docs:greet_all").await;
    let said: Vec<String> =
        running.conversation().into_iter().filter(|(role, _)| role == "user").map(|(_, text)| text).collect();
    assert_eq!(
        said,
        [
            r#"explain: {"file":"src/main.rs","how":"in a few words"}"#,
            r#"explain: {"file":"a.rs","how":"very short"}"#,
            "greet all: null",
        ]
    );
    assert_eq!(names(&running), ALL);
    let first = listed(&running).remove(0);
    assert_eq!(first.description.as_deref(), Some("Explains ba file"));
    assert!(first.path.is_some_and(|path| path.ends_with("mcp.json")));
    let source = first.source_info.expect("a source");
    // As the extension is called that was loaded by hand.
    assert_eq!(source.path, world.hooks.templates()[0].0.path.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_nothing_is_not_sent_and_says_why() {
    let world = with_server(json!(["One."]), &Play { prompts: prompts(), ..Play::default() });
    let running = world.start().await;
    for (text, why) in [
        ("/docs:explain", "/docs:explain: file is missing: it takes <file> [how]"),
        ("/docs:greet_all now", "/docs:greet_all: it takes no arguments"),
        ("/docs:fails", "/docs:fails: MCP server \"docs\" refused: it is wrong (code -32602)"),
        (
            "/docs:none",
            "/docs:none: MCP server \"docs\" has no such prompt; it has: /docs:explain, /docs:greet_all, /docs:fails",
        ),
    ] {
        let done = running.say_later(text).await.expect("no panic");
        assert_eq!(done.expect_err("an error").to_string(), why);
    }
    assert_eq!(running.script.requests().len(), 0);
    // A name that no server has is text.
    running.say("/other:thing").await;
    assert_eq!(running.conversation()[0].1, "/other:thing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_keeps_its_images() {
    let messages = json!([{"role": "user", "content": {"type": "text", "text": "Look"}},
        {"role": "user", "content": {"type": "image", "data": PIXEL, "mimeType": "image/png"}}]);
    let world = with_server(json!(["One."]), &Play { prompts: prompts(), prompt: Some(messages), ..Play::default() });
    let running = world.start().await;
    running.say("/docs:greet_all").await;
    let sent = running.script.requests().remove(0)["messages"][0]["content"].clone();
    assert_eq!((&sent[0]["text"], &sent[1]["type"]), (&json!("Look"), &json!("image")), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_follow_the_server() {
    let replies = json!([[{"tool_call": {"name": "mcp__docs__change", "arguments": {}}}], "Done."]);
    let world = with_server(replies, &Play { prompts: prompts(), ..Play::default() });
    let running = world.start().await;
    known(&running, &ALL).await;
    running.say("Go").await;
    known(&running, &["docs:new_1"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_remembered_until_the_server_is_there() {
    let world = with_server(json!([]), &Play { prompts: prompts(), ..Play::default() });
    let running = world.start().await;
    known(&running, &ALL).await;
    // It is kept beside what the session does.
    while !holds(&world.home.agent_dir(), "greet all") {
        tokio::task::yield_now().await;
    }
    running.session.shut_down(SessionShutdownReason::Quit).await;
    let next = World::new(json!([])).in_home_of(world);
    let options = Options::new(next.home.agent_dir());
    next.hooks.load(&extension(options)).expect("an extension that loads");
    let running = next.start().await;
    // At once: nobody has waited.
    assert_eq!(names(&running), ALL);
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_completed_by_the_server() {
    let world = with_server(json!([]), &Play { prompts: prompts(), ..Play::default() });
    let running = world.start().await;
    known(&running, &ALL).await;
    let complete = async |text: &str| {
        let found = world.hooks.complete("docs:explain", text).await;
        found.into_iter().map(|one| one.value).collect::<Vec<_>>()
    };
    assert_eq!(complete("src/").await, ["src/a.rs", "\"src/two words\""]);
    assert_eq!(complete("a.rs how=src/t").await, ["a.rs how=\"src/two words\""]);
    assert_eq!(complete("nothing").await, [] as [&str; 0]);
    assert!(!world.hooks.completers("docs:explain").is_empty() && world.hooks.completers("docs:none").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_comes_before_a_prompt() {
    let world = with_server(json!(["One."]), &Play { prompts: prompts(), ..Play::default() });
    world.home.write_agent("prompts/docs:explain.md", "From the file: $1");
    let running = world.start().await;
    running.say("/docs:explain x").await;
    assert_eq!(running.conversation()[0].1, "From the file: x");
    known(&running, &ALL).await;
    let first = listed(&running).remove(0);
    assert!(first.path.is_some_and(|path| path.ends_with("docs:explain.md")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_lists_its_prompts_holds_nobody_up() {
    let behaviour = Play { prompts: prompts(), silent: vec!["prompts/list".to_owned()], ..Play::default() };
    let world = with_server(json!(["One."]), &behaviour);
    let running = world.start().await;
    running.say("Go").await;
    assert!(running.declared()[0].contains("mcp__docs__change"));
    assert_eq!(names(&running), [] as [&str; 0]);
}
