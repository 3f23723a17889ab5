//! `/mcp` where somebody draws menus.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent_testkit::{Running, World};
use tau_hooks::dialogs::{DialogAnswer, DialogBackEnd, DialogEvent, DialogKind, DialogRequest, UiCall};
use tau_hooks::mount::{Facts, Menu, MenuPage};
use tau_mcp::extension::{Options, extension};

use crate::server::Play;
use crate::support::{play, with};

/// A front end that draws menus, and the menu that it draws.
struct Screen {
    back_end: DialogBackEnd,
    menu: Arc<dyn Menu>,
    question: Arc<DialogRequest>,
}

fn world(servers: Value) -> World {
    let world = World::new(json!(["One."]));
    world.home.write_agent("mcp.json", json!({"mcpServers": servers}).to_string());
    let options = Options::new(world.home.agent_dir());
    world.hooks.load(&extension(options)).expect("an extension that loads");
    world.hooks.dialogs.facts().set(Facts { draws_menus: true, ..Facts::default() });
    world
}

/// Opens the menu, and waits for the end of the command elsewhere.
async fn open(world: &World, running: &Running) -> Screen {
    let mut back_end = world.hooks.dialogs.subscribe_mounting();
    drop(running.say_later("/mcp"));
    loop {
        let Some(DialogEvent::Opened(request)) = back_end.recv().await else { continue };
        let DialogKind::Custom { handle, .. } = &request.kind else { continue };
        let menu = handle.0.menu().expect("a menu");
        return Screen { back_end, menu, question: request };
    }
}

impl Screen {
    /// Waits until the page is as it should be.
    async fn until(&self, is_it: impl Fn(&MenuPage) -> bool) -> MenuPage {
        let mut changes = self.menu.changes();
        loop {
            let page = self.menu.page();
            if is_it(&page) {
                return page;
            }
            changes.changed().await.expect("a menu");
        }
    }

    fn page(&self) -> MenuPage {
        self.menu.page()
    }

    fn leaves(&self) {
        assert!(self.menu.back());
        self.back_end.answer(self.question.id(), DialogAnswer::Cancelled).expect("an open question");
    }
}

fn rows(page: &MenuPage) -> Vec<String> {
    page.rows
        .iter()
        .map(|row| format!("{} | {}", row.label, row.about).trim_end_matches([' ', '|']).to_owned())
        .collect()
}

fn lines(page: &MenuPage) -> String {
    page.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn mcp_json(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_shows_each_server_and_follows_its_state() {
    let dead = Play { dies_at: vec!["initialize".to_owned()], ..Play::default() };
    let world = world(json!({
        "docs": with(play(&Play::default()), json!({"exposure": "direct"})),
        "dead": play(&dead),
        "off": {"command": "x", "enabled": false},
        "bad": {"url": "ftp://x"},
    }));
    let running = world.start().await;
    let screen = open(&world, &running).await;
    let is_passing = |about: &str| about.contains("connecting") || about.contains("starting");
    let page = screen.until(|page| page.rows.iter().all(|row| !is_passing(&row.about))).await;
    assert_eq!(page.title, "MCP servers");
    assert_eq!(
        rows(&page),
        [
            "docs | connected · 11 tools · direct · global",
            "dead | failed · codemode · global",
            "off | disabled · codemode · global"
        ]
    );
    assert!(lines(&page).contains("server \"bad\": url \"ftp://x\" is not an http or https address"), "{page:?}");

    assert!(!screen.menu.choose("dead"));
    let page = screen.page();
    assert_eq!(page.title, "MCP server dead");
    let text = lines(&page);
    assert!(
        text.contains("failed · codemode · global") && text.contains("the server ended before it was ready"),
        "{text}"
    );
    assert!(text.contains("it dies at initialize") && text.contains("mcp.log"), "{text}");
    assert_eq!(rows(&page), ["Connect", "Exposure | codemode", "Disable in all projects", "Disable in this project"]);
    assert!(!screen.menu.back());
    screen.leaves();
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_and_prompts_have_pages_and_a_prompt_goes_to_the_editor() {
    let prompt =
        json!({"name": "explain", "description": "Explains", "arguments": [{"name": "file", "required": true}]});
    let behaviour = Play { prompts: vec![prompt], ..Play::default() };
    let world = world(json!({"docs": with(play(&behaviour), json!({"toolExposure": {"die": "hidden"}}))}));
    let running = world.start().await;
    let mut screen = open(&world, &running).await;
    screen.menu.choose("docs");
    screen.until(|page| rows(page).starts_with(&["Tools | 11".to_owned(), "Prompts | 1".to_owned()])).await;

    screen.menu.choose("tools");
    let page = screen.page();
    assert_eq!(page.title, "Tools of docs");
    assert_eq!(rows(&page)[..3], ["echo | It does echo.", "hang | It does hang.", "die | [hidden] It does die."]);
    screen.menu.choose("echo");
    let text = lines(&screen.page());
    assert_eq!(text, "Called mcp__docs__echo\nExposure: codemode\nIt says of itself: readOnly: true\nIt does echo.");
    screen.menu.back();
    screen.menu.back();

    screen.menu.choose("prompts");
    assert_eq!(rows(&screen.page()), ["/docs:explain | <file> — Explains"]);
    assert!(screen.menu.choose("docs:explain"));
    screen.back_end.answer(screen.question.id(), DialogAnswer::Custom(Value::Null)).expect("an open question");
    loop {
        if let Some(DialogEvent::Ui(event)) = screen.back_end.recv().await
            && let UiCall::SetEditorText(text) = &event.call
        {
            assert_eq!(text, "/docs:explain ");
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_switched_and_exposed_in_files() {
    let world = world(json!({"docs": play(&Play::default())}));
    let running = world.start().await;
    let screen = open(&world, &running).await;
    let user = world.home.agent_dir().join("mcp.json");
    screen.menu.choose("docs");
    screen.until(|page| lines(page).starts_with("connected")).await;

    screen.menu.choose("exposure");
    assert_eq!(rows(&screen.page())[1], "codemode ✓ | Scripts of the tool codemode");
    screen.menu.choose("direct");
    let page = screen.until(|page| lines(page).contains("Saved in")).await;
    assert!(lines(&page).starts_with("connected · direct · global"), "{page:?}");
    assert_eq!(mcp_json(&user)["mcpServers"]["docs"]["exposure"], "direct");

    running.say("a").await;
    assert!(running.declared()[0].contains("mcp__docs__echo"), "{:?}", running.declared());

    screen.menu.choose("switch global");
    let page = screen.until(|page| lines(page).starts_with("disabled") && lines(page).contains("Saved in")).await;
    assert!(rows(&page).contains(&"Enable in all projects".to_owned()), "{page:?}");
    assert_eq!(mcp_json(&user)["mcpServers"]["docs"]["enabled"], false);
    screen.menu.choose("switch project");
    let page = screen.until(|page| lines(page).starts_with("connected")).await;
    assert!(
        lines(&page).contains("Changed by ") && !rows(&page).contains(&"Disable in all projects".to_owned()),
        "{page:?}"
    );
    let project = world.home.cwd().join(".pi/mcp.json");
    assert_eq!(mcp_json(&project), json!({"mcpServers": {"docs": {"enabled": true}}}));
    screen.menu.back();
    screen.leaves();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_saved_is_said_in_the_menu() {
    let world = world(json!({"docs": play(&Play::default())}));
    let running = world.start().await;
    let screen = open(&world, &running).await;
    world.home.write_agent("mcp.json", "[]");
    screen.menu.choose("docs");
    screen.menu.choose("switch global");
    let page = screen.until(|page| lines(page).contains("it is left as it is")).await;
    assert!(lines(&page).contains("the file is no JSON object"), "{page:?}");
    screen.menu.choose("reconnect");
    screen.until(|page| !lines(page).contains("it is left as it is")).await;
}

/// The user reads why a server is not there, corrects the file, and connects it from the menu.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_was_corrected_is_connected() {
    let world = world(json!({"docs": {"command": "there-is-no-such-program"}}));
    let running = world.start().await;
    let screen = open(&world, &running).await;
    screen.menu.choose("docs");
    screen.until(|page| lines(page).starts_with("failed")).await;

    let corrected = json!({"mcpServers": {"docs": play(&Play::default()), "more": play(&Play::default())}});
    world.home.write_agent("mcp.json", corrected.to_string());
    screen.menu.choose("reconnect");
    screen.until(|page| lines(page).starts_with("connected")).await;
    screen.menu.back();
    screen.until(|page| rows(page).iter().any(|row| row.starts_with("more | connected"))).await;
    screen.leaves();
}
