//! The pages of the menu, made of what is known at the moment.

use tau_hooks::mount::{MenuFit, MenuLine, MenuPage, MenuRow, MenuTone};

use super::actions::{Action, Target, targets};
use super::{Note, Page};
use crate::auth::uses_oauth;
use crate::config::{Entry, Exposure, Transport};
use crate::connection::ServerTool;
use crate::extension::prompts::{hint, names};
use crate::extension::session::Open;
use crate::manager::{Server, ServerStatus, State};
use crate::names::names_of;
use crate::summary::{first_line, one_line};

/// Most characters of a line that a server wrote.
const LINE: usize = 300;
/// Most characters of the command or the address of a server.
const WAY: usize = 120;
/// Most characters of the description of a tool.
const DESCRIPTION: usize = 2_000;

/// What choosing a row leads to.
pub(super) enum Chosen {
    /// Another page.
    Page(Page),
    /// Something to be done.
    Action(Action),
    /// Nothing.
    Nothing,
}

/// What the user can do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Can {
    /// Write the file of the project: it is trusted.
    pub(super) change_project: bool,
    /// Sign out of the server of the page: there is a login.
    pub(super) sign_out: bool,
}

fn line(tone: MenuTone, text: impl Into<String>) -> MenuLine {
    MenuLine { text: text.into(), tone, fit: MenuFit::Wrap }
}

/// A command, an address or a path.
fn place(text: impl Into<String>) -> MenuLine {
    MenuLine { text: text.into(), tone: MenuTone::Dim, fit: MenuFit::Middle }
}

fn dim(text: impl Into<String>) -> MenuLine {
    line(MenuTone::Dim, text)
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// How far a server is, in words.
pub(in crate::extension) fn state(state: State) -> &'static str {
    match state {
        State::NeedsSignIn => "needs sign-in",
        state => state.as_str(),
    }
}

/// A page as it is now.
pub(super) fn page(open: &Open, can: Can, page: &Page, note: Note) -> MenuPage {
    let server = |name: &str| open.manager.server(name);
    let mut made = match page {
        Page::Servers => Some(servers(open)),
        Page::Server(name) => server(name).map(|server| about(open, &server, can)),
        Page::Tools(name) => server(name).map(|server| tools(&server)),
        Page::Tool(name, tool) => server(name).and_then(|server| about_tool(&server, tool)),
        Page::Prompts(name) => server(name).map(|server| prompts(&server)),
        Page::Exposure(name) => server(name).map(|server| exposure(&server, can)),
    }
    .unwrap_or_else(|| MenuPage {
        title: "MCP servers".to_owned(),
        lines: vec![line(MenuTone::Warning, "It is gone.")],
        ..MenuPage::default()
    });
    made.id = format!("{page:?}");
    made.leaves = if *page == Page::Servers { "close" } else { "back" }.to_owned();
    if made.does.is_empty() {
        made.does = "open".to_owned();
    }
    if let Some((failed, text)) = note {
        let tone = if failed { MenuTone::Error } else { MenuTone::Dim };
        // In sight also where there is not much room.
        made.lines.insert(made.lines.len().min(1), line(tone, text));
    }
    made
}

fn servers(open: &Open) -> MenuPage {
    let row = |server: &std::sync::Arc<Server>| {
        let (entry, status) = (server.entry(), server.status());
        let mut about = vec![state(status.state).to_owned()];
        if status.state == State::Connected {
            about.push(count(status.tools, "tool"));
        }
        about.extend([entry.config.exposure.to_string(), entry.scope.as_str().to_owned()]);
        MenuRow::new(&entry.name, &entry.name, about.join(" · "))
    };
    let errors = open.config().errors;
    MenuPage {
        title: "MCP servers".to_owned(),
        lines: errors.iter().map(|error| line(MenuTone::Error, error.to_string())).collect(),
        rows: open.manager.servers().iter().map(row).collect(),
        empty: "There are none: `tau mcp add` adds one".to_owned(),
        ..MenuPage::default()
    }
}

fn way(entry: &Entry) -> String {
    match &entry.config.transport {
        Transport::Stdio { command, args, .. } => {
            let words: Vec<&str> = std::iter::once(command.as_str()).chain(args.iter().map(String::as_str)).collect();
            one_line(&words.join(" "), WAY)
        }
        Transport::Http { url, .. } => one_line(url, WAY),
    }
}

fn facts(open: &Open, entry: &Entry, status: &ServerStatus, server: &Server) -> Vec<MenuLine> {
    let mut lines =
        vec![dim(format!("{} · {} · {}", state(status.state), entry.config.exposure, entry.scope.as_str()))];
    match (&status.error, status.state) {
        (Some(error), State::Failed) => lines.push(line(MenuTone::Error, error.clone())),
        (_, State::NeedsSignIn) => lines.push(line(MenuTone::Warning, "It wants you to sign in.")),
        (_, State::Disconnected) => {
            lines.push(line(MenuTone::Warning, "The connection was lost. The next call of a tool connects it again."));
        }
        _ => {}
    }
    if let Some(summary) = server.summary() {
        lines.push(dim(format!("Says: {summary}")));
    }
    lines.extend([place(way(entry)), place(format!("From {}", entry.source))]);
    if let Some(project) = &entry.changed_by {
        lines.push(place(format!("Changed by {}", project.display())));
    }
    lines.push(place(format!("Log: {}", open.options.agent_dir.join("mcp.log").display())));
    lines
}

fn about(open: &Open, server: &Server, can: Can) -> MenuPage {
    let (entry, status) = (server.entry(), server.status());
    let mut rows = Vec::new();
    let (tools, prompts) = (server.tools().len(), server.prompts().len());
    if tools > 0 {
        rows.push(MenuRow::new("tools", "Tools", tools.to_string()));
    }
    if prompts > 0 {
        rows.push(MenuRow::new("prompts", "Prompts", prompts.to_string()));
    }
    let signs_in = uses_oauth(&entry);
    if signs_in && status.state == State::NeedsSignIn {
        rows.push(MenuRow::new("login", "Sign in", "in the browser"));
    }
    if status.state != State::Disabled {
        let is_there = status.state == State::Connected;
        rows.push(MenuRow::new("reconnect", if is_there { "Reconnect" } else { "Connect" }, ""));
    }
    // A server that never wanted a login has none to renew or forget.
    if signs_in && can.sign_out && status.state != State::NeedsSignIn && status.state != State::Disabled {
        rows.push(MenuRow::new("login", "Sign in again", "in the browser"));
        rows.push(MenuRow::new("logout", "Sign out", "forgets the login"));
    }
    let targets = targets(&entry, can.change_project);
    if !targets.is_empty() {
        rows.push(MenuRow::new("exposure", "Exposure", entry.config.exposure.to_string()));
    }
    for target in targets {
        // The row stays the same one when it was chosen, so that it stays selected.
        let (id, place) = match target {
            Target::Global => ("switch global", "in all projects"),
            Target::Project => ("switch project", "in this project"),
        };
        let label = if entry.config.enabled { "Disable" } else { "Enable" };
        rows.push(MenuRow::new(id, format!("{label} {place}"), ""));
    }
    MenuPage {
        title: format!("MCP server {}", entry.name),
        lines: facts(open, &entry, &status, server),
        rows,
        does: "choose".to_owned(),
        ..MenuPage::default()
    }
}

fn summary_of(tool: &ServerTool) -> String {
    let text = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    one_line(first_line(text), LINE)
}

fn tools(server: &Server) -> MenuPage {
    let entry = server.entry();
    let row = |tool: &ServerTool| {
        let exposure = entry.config.exposure_of(&tool.name);
        let about = summary_of(tool);
        let about = if exposure == entry.config.exposure { about } else { format!("[{exposure}] {about}") };
        MenuRow::new(&tool.name, one_line(&tool.name, 100), about)
    };
    MenuPage {
        title: format!("Tools of {}", entry.name),
        rows: server.tools().iter().map(row).collect(),
        empty: "It has no tools".to_owned(),
        ..MenuPage::default()
    }
}

fn about_tool(server: &Server, name: &str) -> Option<MenuPage> {
    let (entry, tools) = (server.entry(), server.tools());
    let at = tools.iter().position(|tool| tool.name == name)?;
    let tool = &tools[at];
    let all: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let called = names_of(&entry.name, &all, |_| false).into_iter().nth(at)?;
    let mut lines = vec![dim(format!("Called {called}")), dim(format!("Exposure: {}", entry.config.exposure_of(name)))];
    let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    let hints: Vec<String> = hints
        .iter()
        .filter_map(|hint| {
            Some(format!("{}: {}", hint.trim_end_matches("Hint"), tool.annotations.get(*hint)?.as_bool()?))
        })
        .collect();
    if !hints.is_empty() {
        lines.push(dim(format!("It says of itself: {}", hints.join(", "))));
    }
    let text = tool.description.as_deref().unwrap_or_default();
    let text: String = tau_view::untrusted::plain(text).chars().take(DESCRIPTION).collect();
    lines.extend(text.trim().lines().map(dim));
    Some(MenuPage { title: format!("Tool {}/{}", entry.name, one_line(name, 100)), lines, ..MenuPage::default() })
}

fn prompts(server: &Server) -> MenuPage {
    let (name, prompts) = (server.name(), server.prompts());
    let rows = names(&name, &prompts).into_iter().zip(&*prompts).map(|(name, prompt)| {
        let about = [hint(prompt), prompt.description.clone()];
        let about: Vec<String> = about.into_iter().filter(|text| !text.is_empty()).collect();
        MenuRow::new(&name, format!("/{name}"), about.join(" — "))
    });
    MenuPage {
        title: format!("Prompts of {name}"),
        rows: rows.collect(),
        empty: "It has no prompts".to_owned(),
        does: "write it".to_owned(),
        ..MenuPage::default()
    }
}

fn exposure(server: &Server, can: Can) -> MenuPage {
    let entry = server.entry();
    let row = |exposure: Exposure| {
        let who = match exposure {
            Exposure::Direct => "The model, from the first request on",
            Exposure::Codemode => "Scripts of the tool codemode",
            Exposure::Deferred => "The model, once tool_search has found them",
            Exposure::Hidden => "Nobody",
        };
        let mark = if exposure == entry.config.exposure { " ✓" } else { "" };
        MenuRow::new(exposure.as_str(), format!("{exposure}{mark}"), who)
    };
    let place = match targets(&entry, can.change_project).first() {
        Some(Target::Project) => "For this project.",
        _ => "For all projects.",
    };
    let mut lines = vec![dim(format!("Who reaches its tools. {place}"))];
    if !entry.config.tool_exposure.is_empty() {
        lines.push(dim("Single tools have exposures of their own (toolExposure)."));
    }
    MenuPage {
        title: format!("Exposure of {}", entry.name),
        lines,
        rows: Exposure::ALL.into_iter().map(row).collect(),
        does: "choose".to_owned(),
        ..MenuPage::default()
    }
}

/// What choosing a row of a page leads to.
pub(super) fn chosen(page: &Page, row: &str) -> Chosen {
    match page {
        Page::Servers => Chosen::Page(Page::Server(row.to_owned())),
        Page::Server(name) => of_server(name.clone(), row),
        Page::Tools(name) => Chosen::Page(Page::Tool(name.clone(), row.to_owned())),
        Page::Tool(..) => Chosen::Nothing,
        Page::Prompts(_) => Chosen::Action(Action::Write(format!("/{row} "))),
        Page::Exposure(name) => Exposure::parse(row)
            .map_or(Chosen::Nothing, |exposure| Chosen::Action(Action::Expose { server: name.clone(), exposure })),
    }
}

fn of_server(server: String, row: &str) -> Chosen {
    let switch = |target: Target| Action::Switch { server: server.clone(), target };
    Chosen::Action(match row {
        "tools" => return Chosen::Page(Page::Tools(server)),
        "prompts" => return Chosen::Page(Page::Prompts(server)),
        "exposure" => return Chosen::Page(Page::Exposure(server)),
        "reconnect" => Action::Reconnect(server),
        "login" => Action::SignIn(server),
        "logout" => Action::SignOut(server),
        "switch global" => switch(Target::Global),
        "switch project" => switch(Target::Project),
        _ => return Chosen::Nothing,
    })
}
