//! Subcommands: packages, settings, hooks and credentials, without a session.
//!
//! The first argument decides, behind flags that every subcommand takes. Everything else on the command line is a prompt or
//! a flag and belongs to [`tau_launch::args`].

mod auth;
mod command;
mod config;
mod context;
mod declared;
mod doctor;
mod hooks;
mod mcp;
mod meant;
mod models;
mod native;
mod options;
mod packages;
mod parse;
mod policy;
mod shell;
mod trust;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use tau_agent::settings::Environment;
use tau_launch::args::Parsed;

use self::command::Command;
use self::context::Context;
use self::options::Options;
use self::usage::COMMANDS;
use crate::output::say;
use crate::setup::Setup;
use crate::{diagnostics, log, modes, runtime};

/// What the arguments of the program begin with.
pub(crate) enum FirstWord {
    /// A subcommand, which was run.
    Subcommand(ExitCode),
    /// A subcommand that is a run with another command line.
    Run(Box<Parsed>, Setup),
    /// Something else; the setup is still to be used.
    Other(Setup),
}

/// Runs the subcommand that the arguments begin with, if any.
pub(crate) fn run(args: &[OsString], setup: Setup) -> FirstWord {
    let before = args.iter().take_while(|arg| arg.to_str().is_some_and(|arg| parse::SHARED.contains(&arg))).count();
    let command = args.get(before).and_then(|name| find(name.to_str()?));
    let Some(command) = command else { return native::run(args, before, setup) };
    if let Some(why) = command.refused {
        return FirstWord::Subcommand(diagnostics::fail(why));
    }
    let rest: Vec<OsString> = args.iter().take(before).chain(args.iter().skip(before + 1)).cloned().collect();
    FirstWord::Subcommand(match Options::parse(command, &rest) {
        Ok(options) if options.help => say(&command.help()),
        Ok(options) => match models::listing(command, &options) {
            Ok(Some(parsed)) => return FirstWord::Run(Box::new(parsed), setup),
            Ok(None) => with_runtime(command, &options, setup),
            Err(error) => diagnostics::fail(&error.to_string()),
        },
        Err(error) => {
            diagnostics::error(&format!("{error}\nUsage: {}", command.usage));
            command.usage_code()
        }
    })
}

/// Whether a word names a subcommand of tau itself.
pub(crate) fn is_own(name: &str) -> bool {
    find(name).is_some() || modes::by_word(name).is_some()
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
    match runtime::start() {
        Ok(runtime) => {
            let code = runtime.block_on(async {
                let trusted = trust::decide(&env, command, options, &setup).await;
                let Setup { extensions, builtins, scripts } = setup;
                let context = Context { scripts, extensions, builtins, ..Context::new(env, options, trusted) };
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
