//! `tau mcp`: servers added, removed, tried and signed in to, without a session.

mod add;
pub(super) mod args;
mod list;
mod login;
mod providers;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use tau_launch::args::nearest;
use tau_mcp::auth::StoredLogins;
use tau_mcp::config::Values;
use tau_mcp::extension::Options as McpOptions;
use tau_mcp::manager::NoMemory;
use tau_mcp::{Config, Entry, Manager, ServerLog, World};

use self::args::About;
use self::providers::Providers;
use super::command::Command;
use super::context::Context;
use super::options::Options;
use crate::output::say;
use crate::{diagnostics, mcp_options};

/// Which words and flags a verb takes.
struct Verb {
    name: &'static str,
    takes_server: bool,
    takes_local: bool,
    takes_json: bool,
    /// Whether it takes a flag about this.
    takes: fn(About) -> bool,
}

const VERBS: [Verb; 5] = [
    Verb {
        name: "add",
        takes_server: true,
        takes_local: true,
        takes_json: false,
        takes: |about| about != About::SignIn,
    },
    Verb { name: "remove", takes_server: true, takes_local: true, takes_json: false, takes: |_| false },
    Verb { name: "list", takes_server: false, takes_local: false, takes_json: true, takes: |_| false },
    Verb {
        name: "login",
        takes_server: true,
        takes_local: true,
        takes_json: false,
        takes: |about| about == About::SignIn,
    },
    Verb { name: "logout", takes_server: true, takes_local: true, takes_json: false, takes: |_| false },
];

/// What the verbs work with.
struct Mcp<'c> {
    context: &'c Context,
    options: &'c Options,
    mcp: McpOptions,
}

pub(super) async fn mcp(context: &Context, options: &Options, command: &Command) -> ExitCode {
    let Some(word) = options.words.first() else { return say(&command.help()) };
    let Some(verb) = VERBS.iter().find(|verb| verb.name == word) else {
        let names = VERBS.iter().map(|verb| verb.name);
        let meant = nearest(word, names).map(|meant| format!("; did you mean {meant}?"));
        let meant = meant.unwrap_or_else(|| "; the commands are add, remove, list, login, logout".to_owned());
        return diagnostics::fail(&format!("unknown mcp command \"{word}\"{meant}"));
    };
    if let Some(wrong) = wrong(verb, options) {
        return diagnostics::fail(&format!("tau mcp {word}: {wrong}\nUsage: {}", command.usage));
    }
    let mcp = Mcp { context, options, mcp: mcp_options(context) };
    let name = options.words.get(1).map(String::as_str).unwrap_or_default();
    match verb.name {
        "add" => add::add(&mcp, name),
        "remove" => add::remove(&mcp, name),
        "list" => list::list(&mcp).await,
        "login" => login::login(&mcp, name).await,
        _ => login::logout(&mcp, name),
    }
}

fn wrong(verb: &Verb, options: &Options) -> Option<String> {
    let given = options.given.keys().chain(options.lists.keys());
    let takes = |name: &str| args::FLAGS.iter().any(|flag| flag.name == name && (verb.takes)(flag.about));
    if let Some(flag) = given.into_iter().find(|flag| !takes(flag)) {
        return Some(format!("{flag} cannot be used with this command"));
    }
    if options.local && !verb.takes_local {
        return Some("--local cannot be used with this command".to_owned());
    }
    if options.json && !verb.takes_json {
        return Some("--json cannot be used with this command".to_owned());
    }
    let most = 1 + usize::from(verb.takes_server);
    match options.words.get(most) {
        Some(extra) => return Some(format!("unexpected argument {extra}")),
        None if verb.takes_server && options.words.len() < most => {
            return Some("the name of a server is missing".to_owned());
        }
        None => {}
    }
    let has_program = !options.rest.is_empty();
    (has_program && verb.name != "add").then(|| format!("unexpected argument {}", options.rest[0]))
}

/// As a session has it.
fn mcp_options(context: &Context) -> McpOptions {
    mcp_options::of(&context.env, context.settings.snapshot().http())
}

impl Mcp<'_> {
    /// The file that is changed, and what it is called.
    fn target(&self) -> (PathBuf, &'static str) {
        if self.options.local { (self.project_file(), "project") } else { (self.mcp.user_file(), "global") }
    }

    fn project_file(&self) -> PathBuf {
        self.context.env.project_dir().join(tau_mcp::config::FILE)
    }

    fn load(&self) -> Config {
        let project = self.context.is_trusted().then(|| self.project_file());
        Config::load(&self.mcp.user_file(), project.as_deref())
    }

    /// Why the file of the project is not looked at, if it is there.
    fn ignored(&self) -> Option<String> {
        let file = self.project_file();
        (!self.context.is_trusted() && file.is_file())
            .then(|| format!("{} is ignored: the project is not trusted; use --approve", file.display()))
    }

    /// The server of that name.
    fn found(&self, name: &str) -> Result<Entry, String> {
        let config = self.load();
        if let Some(entry) = config.servers.iter().find(|entry| entry.name == name) {
            let is_elsewhere = self.options.local && entry.scope != tau_mcp::Scope::Project;
            return if is_elsewhere {
                Err(format!("MCP server \"{name}\" is in {}, not in the project; leave --local out", entry.source))
            } else {
                Ok(entry.clone())
            };
        }
        let names: Vec<&str> = config.servers.iter().map(|entry| entry.name.as_str()).collect();
        let meant = nearest(name, names.iter().copied()).map(|meant| format!("; did you mean {meant}?"));
        let meant = meant.unwrap_or_else(|| {
            if names.is_empty() { "; there are none".to_owned() } else { format!("; there are: {}", names.join(", ")) }
        });
        let ignored = self.ignored().map(|ignored| format!(". {ignored}")).unwrap_or_default();
        Err(format!("there is no MCP server \"{name}\"{meant}{ignored}"))
    }

    fn values(&self) -> Arc<dyn Values> {
        Arc::new(self.mcp.values(self.context.env.cwd.clone()))
    }

    fn logins(&self) -> Arc<StoredLogins> {
        let logins = StoredLogins::new(&self.mcp.agent_dir, Arc::clone(&self.mcp.clients));
        let providers = Providers::new(&self.context.env, self.context.settings.snapshot().http());
        Arc::new(logins.with_providers(Arc::new(providers)))
    }

    /// Servers that are connected at once.
    fn manager(&self, entries: Vec<Entry>) -> Manager {
        let manager = Manager::new(World {
            cwd: self.context.env.cwd.clone(),
            environment: self.mcp.server_environment(),
            values: self.values(),
            log: ServerLog::new(self.mcp.agent_dir.join("mcp.log")),
            clients: Arc::clone(&self.mcp.clients),
            logins: self.logins(),
            elicit: None,
            memory: Arc::new(NoMemory),
        });
        manager.set(entries);
        manager
    }
}
