//! `/mcp`: what servers there are and how far they are; signing in and out; connecting anew.

use std::sync::Arc;

use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Command, Completion, Ctx, HandlerError, Registrar};

use super::connect::{line, login, logout, reconnect};
use super::menu;
use super::session::{Open, Sessions};
use crate::manager::Server;

/// How it is called.
const USAGE: &str = "/mcp, /mcp login SERVER, /mcp logout SERVER, /mcp reconnect [SERVER]";
/// What can be done.
const VERBS: [(&str, &str); 3] = [
    ("login", "Sign in at a server"),
    ("logout", "Forget the login of a server"),
    ("reconnect", "Connect a server anew"),
];

pub(super) fn register(registrar: &mut Registrar, sessions: &Arc<Sessions>) {
    let (all, completing) = (Arc::clone(sessions), Arc::clone(sessions));
    registrar.add_command(Command {
        name: "mcp".to_owned(),
        description: Some("Show MCP servers, sign in, connect anew".to_owned()),
        handler: Arc::new(move |args, ctx| {
            let all = Arc::clone(&all);
            Box::pin(async move { run(&all, &args, &ctx).await })
        }),
        completer: Some(Arc::new(move |prefix| {
            let all = completions(&completing, &prefix);
            Box::pin(std::future::ready(Ok(all)))
        })),
    });
}

fn completions(sessions: &Sessions, prefix: &str) -> Vec<Completion> {
    let completion = |value: String, label: &str, about: Option<&str>| Completion {
        value,
        label: label.to_owned(),
        description: about.map(str::to_owned),
    };
    let Some((verb, rest)) = prefix.split_once(' ') else {
        let fitting = VERBS.iter().filter(|(verb, _)| verb.starts_with(prefix));
        return fitting.map(|(verb, about)| completion(format!("{verb} "), verb, Some(about))).collect();
    };
    let servers = sessions.open().map(|open| open.manager.servers()).unwrap_or_default();
    let names = servers.iter().map(|server| server.name()).filter(|name| name.starts_with(rest.trim_start()));
    names.map(|name| completion(format!("{verb} {name}"), &name, None)).collect()
}

/// What the user mistyped or a server refused is no failure of the extension, where somebody reads it.
async fn run(sessions: &Sessions, args: &str, ctx: &Ctx) -> Result<(), HandlerError> {
    match perform(sessions, args, ctx).await {
        Err(error) if ctx.has_ui() => {
            ctx.ui().notify(&error.to_string(), NotifyLevel::Warning);
            Ok(())
        }
        done => done,
    }
}

async fn perform(sessions: &Sessions, args: &str, ctx: &Ctx) -> Result<(), HandlerError> {
    let mut words = args.split_whitespace();
    let (verb, name, rest) = (words.next(), words.next(), words.next());
    // The files may have changed since the session began.
    match sessions.open() {
        Some(open) => open.reload(ctx)?,
        None => sessions.set_up(ctx)?,
    }
    let Some(open) = sessions.open() else {
        let file = sessions.options()?.user_file();
        ctx.ui().notify(
            &format!("There are no MCP servers. `tau mcp add` adds one to {}.", file.display()),
            NotifyLevel::Info,
        );
        return Ok(());
    };
    if rest.is_some() {
        return Err(HandlerError::msg(format!("usage: {USAGE}")));
    }
    match (verb, name) {
        (None, _) if ctx.ui().can_show_menus() => menu::show(&open, ctx).await?,
        (None, _) => ctx.ui().notify(&status(&open), NotifyLevel::Info),
        (Some("reconnect"), None) => {
            let servers = open.manager.servers();
            futures_util::future::join_all(servers.iter().map(|server| server.reconnect())).await;
            open.sync();
            open.thaw()?;
            ctx.ui().notify(&status(&open), NotifyLevel::Info);
        }
        (Some("reconnect"), Some(name)) => {
            let server = found(&open, name)?;
            reconnect(&open, &server).await?;
            ctx.ui().notify(&line(&server), NotifyLevel::Info);
        }
        (Some("login"), Some(name)) => {
            let said = login(&open, &*found(&open, name)?, ctx).await?;
            ctx.ui().notify(&said, NotifyLevel::Info);
        }
        (Some("logout"), Some(name)) => {
            let said = logout(&open, &*found(&open, name)?, ctx).await?;
            ctx.ui().notify(&said, NotifyLevel::Info);
        }
        _ => return Err(HandlerError::msg(format!("usage: {USAGE}"))),
    }
    Ok(())
}

fn found(open: &Open, name: &str) -> Result<Arc<Server>, HandlerError> {
    open.manager.server(name).ok_or_else(|| {
        let names: Vec<String> = open.manager.servers().iter().map(|server| server.name()).collect();
        HandlerError::msg(format!("there is no MCP server \"{name}\"; there are: {}", names.join(", ")))
    })
}

fn status(open: &Open) -> String {
    let mut lines: Vec<String> = open.manager.servers().iter().map(|server| line(server)).collect();
    lines.extend(open.config().errors.iter().map(|error| format!("config error: {error}")));
    lines.join("\n")
}
