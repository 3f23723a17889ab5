//! `builtin:mcp`: the servers of a session as an extension. It registers their tools, says in the prompt how they are
//! reached, and offers `/mcp`. While there is no server it listens to nothing.

mod activate;
mod command;
mod connect;
mod dialogs;
mod memory;
mod menu;
mod options;
mod prompts;
mod providers;
mod report;
mod resource_tools;
mod session;
mod sources;
mod sync;
mod tool;

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tau_hooks::events::{BeforeAgentStart, McpServersChange, SessionShutdown, SessionStart};
use tau_hooks::{ActionError, Api, Extension, HandlerError, Registrar};
use tokio_util::sync::CancellationToken;

pub use options::{Options, ShellValues};
pub use sources::GivenConfig;

use self::session::Sessions;
use self::sources::Sources;

/// How the extension is called that is part of the program.
pub const NAME: &str = "builtin:mcp";

/// Where the servers stand in the prompt: behind the pieces of other extensions.
const ORDER: i32 = 1000;

/// What a program says about itself, asked when there is a server.
type Ask = Arc<dyn Fn(&Api) -> Result<Options, ActionError> + Send + Sync>;

/// The extension. Every session that it is registered in has servers of its own.
pub struct Mcp {
    options: Ask,
    sources: Sources,
}

/// What a program of the SDK says that puts the extension into its sessions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProgramOptions {
    /// The file of what servers log.
    pub log_path: Option<std::path::PathBuf>,
    /// How long the first prompt waits for tools that are declared, in milliseconds.
    pub startup_wait_ms: Option<f64>,
    /// The program has a configuration of its own, in place of the files.
    pub own_config: bool,
}

/// The commands of the prompts of a server that is connected, without `/`. Waits for their list.
pub async fn prompt_commands(server: &crate::manager::Server) -> Vec<String> {
    // What cannot be listed is none that could be used.
    let listed = server.listed_prompts(&CancellationToken::new()).await;
    listed.map(|(_, prompts)| prompts::names(&server.name(), &prompts)).unwrap_or_default()
}

/// The extension `builtin:mcp` with what the program says about itself.
pub fn extension(options: Options) -> Mcp {
    Mcp { options: Arc::new(move |_| Ok(options.clone())), sources: Sources::files() }
}

/// The extension `builtin:mcp` in the surroundings of its session.
pub fn of_session() -> Mcp {
    Mcp { options: Arc::new(Options::of_session), sources: Sources::files() }
}

/// The extension for a program of the SDK; `given` is where a configuration of its own comes.
///
/// It connects nothing in a session whose user, or whose parent's, does without `builtin:mcp`.
///
/// # Errors
/// When an option is none or has a wrong value.
pub fn for_program(options: &Value, given: &GivenConfig) -> Result<Mcp, HandlerError> {
    let ProgramOptions { log_path, startup_wait_ms, own_config } =
        if options.is_null() { ProgramOptions::default() } else { ProgramOptions::deserialize(options)? };
    let wait = startup_wait_ms.map(|wait| Duration::try_from_secs_f64(wait / 1000.0)).transpose();
    let wait = wait.map_err(|_| HandlerError::msg("startupWaitMs must be a number of milliseconds"))?;
    let ask = move |api: &Api| {
        let options = Options::of_session(api)?;
        Ok(Options { log: log_path.clone().or(options.log), start: wait.unwrap_or(options.start), ..options })
    };
    Ok(Mcp { options: Arc::new(ask), sources: Sources::of_program(own_config.then(|| Arc::clone(given))) })
}

impl Extension for Mcp {
    fn name(&self) -> &str {
        "mcp"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let sessions = Sessions::new(registrar.api(), Arc::clone(&self.options), self.sources.clone());
        let sessions = Arc::new(sessions);

        let (wanting, all) = (Arc::clone(&sessions), Arc::clone(&sessions));
        registrar.on_while::<SessionStart>(
            move || wanting.may_begin(),
            move |_, ctx| {
                let all = Arc::clone(&all);
                async move { all.begin(&ctx).await }
            },
        )?;

        let (wanting, all) = (Arc::clone(&sessions), Arc::clone(&sessions));
        registrar.on_while::<SessionShutdown>(
            move || wanting.is_open(),
            move |_, ctx| {
                let all = Arc::clone(&all);
                async move { all.end(&ctx).await }
            },
        )?;

        // Whoever handles this event connects what extensions register.
        let all = Arc::clone(&sessions);
        registrar.on::<McpServersChange>(move |_, ctx| {
            let all = Arc::clone(&all);
            async move { all.registered(&ctx).await }
        });

        let (wanting, all) = (Arc::clone(&sessions), Arc::clone(&sessions));
        registrar.on_while::<BeforeAgentStart>(
            move || wanting.may_run(),
            move |_, ctx| {
                let all = Arc::clone(&all);
                async move { all.before_run(&ctx).await }
            },
        )?;

        let all = Arc::clone(&sessions);
        registrar.prompt_segment("mcp_servers", ORDER, move |sight| all.section(&sight.tools))?;

        let (wanting, all) = (Arc::clone(&sessions), Arc::clone(&sessions));
        registrar.late_tools(
            move || wanting.is_open(),
            move |reach, cancel| {
                let all = Arc::clone(&all);
                async move { all.wait(&reach, &cancel).await }
            },
        );

        let all = Arc::clone(&sessions);
        registrar.tool_hint(move |tool| all.hint(tool));

        registrar.templates(prompts::Prompts(Arc::clone(&sessions)));
        command::register(registrar, &sessions);
        Ok(())
    }
}
