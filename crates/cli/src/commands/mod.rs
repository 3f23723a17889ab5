//! Subcommands: packages, settings, hooks and credentials, without a session.
//!
//! The first argument decides, behind flags that every subcommand takes. Everything else on the command line is a prompt or
//! a flag and belongs to [`crate::args`].

mod auth;
mod config;
mod declared;
mod hooks;
mod meant;
mod native;
mod options;
pub(crate) mod packages;
mod trust;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::extensions::{ScriptHostMaker, project_fingerprint};
use tau_agent::settings::{Environment, Layer, SettingsStore};
use tau_agent::trust::Decision;

use tau_hooks::Extension;

use crate::args::Parsed;
use crate::run::{Setup, diagnostics, log, say};
use options::Options;
use usage::{COMMANDS, Command};

/// Runs the subcommand that the arguments begin with; gives the setup back when they begin with none.
pub(crate) fn run(args: &[OsString], setup: Setup) -> Result<ExitCode, Setup> {
    let before = args.iter().take_while(|arg| arg.to_str().is_some_and(|arg| options::SHARED.contains(&arg))).count();
    let command = args.get(before).and_then(|name| find(name.to_str()?));
    let Some(command) = command else { return native::run(args, before, setup) };
    if let Some(why) = command.refused {
        return Ok(diagnostics::fail(why));
    }
    let rest: Vec<OsString> = args.iter().take(before).chain(args.iter().skip(before + 1)).cloned().collect();
    Ok(match Options::parse(command, &rest) {
        Ok(options) if options.help => say(&command.help()),
        Ok(options) => with_runtime(command, &options, setup),
        Err(error) => diagnostics::fail(&format!("{error}\nUsage: {}", command.usage)),
    })
}

/// Whether a word names a subcommand of tau itself.
pub(crate) fn is_own(name: &str) -> bool {
    find(name).is_some() || name == "acp"
}

/// The subcommand of that name.
fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name || command.alias == Some(name))
}

/// Why the words of a run are no prompt.
pub(crate) enum Misplaced {
    /// Whatever there is besides.
    Always(String),
    /// Unless something is piped in that they may be about.
    Alone(String),
}

/// Why the words of a run are no prompt: they begin with the name of a subcommand or almost, and nothing says that they are
/// meant for the model.
pub(crate) fn misplaced(parsed: &Parsed) -> Option<Misplaced> {
    let name = parsed.first_word().filter(|_| !parsed.args.print && parsed.args.mode.is_none())?;
    let Some(command) = find(name) else {
        let meant = meant::meant(&parsed.words()).filter(|meant| !meant.may_be_prompt || !parsed.has_files())?;
        let why = format!(
            "there is no subcommand `{name}`; did you mean `{}`?\nFor a prompt of this text, use tau -p {name}, or tau -- {name}",
            meant.here
        );
        return Some(if meant.may_be_prompt { Misplaced::Alone(why) } else { Misplaced::Always(why) });
    };
    Some(Misplaced::Always(format!(
        "the subcommand `{name}` must come first: {}\nFor a prompt of this text, use tau -p {name}",
        command.usage
    )))
}

fn with_runtime(command: &Command, options: &Options, setup: Setup) -> ExitCode {
    log::start(options.verbose);
    let env = match Environment::from_process() {
        Ok(env) => env,
        Err(error) => return diagnostics::fail(&format!("the working directory cannot be used: {error}")),
    };
    match crate::runtime::start() {
        Ok(runtime) => {
            let code = runtime.block_on(async {
                let trusted = trust::decide(&env, command, options, &setup).await;
                let Setup { extensions, scripts } = setup;
                let context = Context { scripts, extensions, ..Context::new(env, options, trusted) };
                let code = (command.run)(&context, options).await;
                context.follow();
                code
            });
            runtime.shutdown_background();
            log::finish();
            code
        }
        Err(error) => diagnostics::fail(&format!("cannot start: {error}")),
    }
}

/// What a subcommand works with.
pub(crate) struct Context {
    env: Environment,
    settings: Arc<SettingsStore>,
    offline: bool,
    /// Runs extensions that are scripts.
    scripts: Option<ScriptHostMaker>,
    /// Extensions of the program.
    extensions: Vec<Box<dyn Extension>>,
    /// Why the command may look at the project's files and change them, if it may, as it was before it did anything.
    trusted: Option<Decision>,
}

impl Context {
    /// Reads the settings, those of the project when it is trusted.
    fn new(env: Environment, options: &Options, trusted: Option<Decision>) -> Self {
        let settings = Arc::new(SettingsStore::open(&env, trusted.is_some()));
        log::follow(&settings.snapshot());
        let offline = packages::is_offline(options.offline, &env);
        Self { env, settings, offline, scripts: None, extensions: Vec::new(), trusted }
    }

    /// Whether the project is trusted, so that its code may run. In one without anything that needs trust it may not, but
    /// what the user calls may write the first file.
    fn is_trusted(&self) -> bool {
        self.trusted.as_ref().is_some_and(|decision| decision.trusted)
    }

    /// What the command changed in a trusted project is trusted too: it was the user who called it.
    fn follow(&self) {
        if let Some(trusted) = self.trusted.as_ref().filter(|trusted| trusted.watched().is_some())
            && let Err(error) = trusted.follow(&project_fingerprint(&self.env))
        {
            diagnostics::warning(&error.to_string());
        }
    }

    /// The file to write: the user's, or with `--local` the project's.
    fn layer(&self, options: &Options) -> Result<Layer, ExitCode> {
        match options.local {
            false => Ok(Layer::Global),
            true if self.settings.snapshot().is_trusted() => {
                if !self.is_trusted() {
                    diagnostics::warning(
                        "this project is not trusted yet: what is changed here has no effect until it is (tau --approve, or /trust \
                         yes in a session)",
                    );
                }
                Ok(Layer::Project)
            }
            true => Err(diagnostics::fail("the project is not trusted; use --approve to change its settings")),
        }
    }

    /// Refuses to read the settings of a project that is not trusted: they would look as if they were not set.
    fn readable(&self, options: &Options) -> Result<(), ExitCode> {
        match options.local && !self.settings.snapshot().is_trusted() {
            true => Err(diagnostics::fail("the project is not trusted, so its settings are not read; use --approve")),
            false => Ok(()),
        }
    }

    /// Says that the list that follows is without what the project has.
    fn warn_of_project(&self) {
        if !self.settings.snapshot().is_trusted() {
            diagnostics::warning("the project is not trusted, so what it has is not listed; use --approve");
        }
    }

    /// Says what is wrong with the settings.
    fn warn(&self) {
        let settings = self.settings.snapshot();
        settings.problems().iter().for_each(|text| diagnostics::warning(text));
    }
}
