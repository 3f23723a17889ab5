//! From arguments to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::settings::Environment;
use tau_hooks::Extension;
use tau_launch::args::{Parsed, parse};
use tau_launch::{FrontEnd, Launcher, ModeRow, Services, Sessions, Stop};

use crate::commands::{self, FirstWord, Misplaced};
use crate::output::say;
use crate::setup::Setup;
use crate::{diagnostics, exit, log, modes, pages, runtime, signals};

/// Runs tau. `args` does not contain the program's name; `extensions` are loaded in order, behind those the user has.
pub fn run(args: impl IntoIterator<Item = OsString>, extensions: Vec<Box<dyn Extension>>) -> ExitCode {
    run_with(args, Setup::with_scripts(extensions))
}

/// As [`run`], with another setup.
pub fn run_with(args: impl IntoIterator<Item = OsString>, setup: Setup) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let setup = match commands::run(&args, setup) {
        FirstWord::Subcommand(code) => return code,
        FirstWord::Run(parsed, setup) => return start(modes::by_value(None), *parsed, setup),
        FirstWord::Other(setup) => setup,
    };
    let by_word = args.first().and_then(|word| modes::by_word(word.to_str()?));
    let rest = args.into_iter().skip(usize::from(by_word.is_some()));
    let mut parsed = match parse(rest, &modes::values()) {
        Ok(parsed) => parsed,
        Err(error) => return exit::usage_error(&error),
    };
    parsed.args.plain |= is_plain();
    let alone = modes::alone().filter(|_| !parsed.args.print && parsed.args.mode.is_none() && is_terminal());
    let row = by_word.or(alone).unwrap_or_else(|| modes::by_value(parsed.args.mode));
    if row.word().is_none() {
        match commands::misplaced(&parsed) {
            Some(Misplaced::Alone(why)) if may_be_piped() => parsed.args.unless_piped = Some(why),
            Some(Misplaced::Always(why) | Misplaced::Alone(why)) => return exit::usage(&why),
            None => {}
        }
    }
    match without_a_session(row, &parsed) {
        Some(code) => code,
        None => start(row, parsed, setup),
    }
}

/// Whether a user sits at standard input and output.
fn is_terminal() -> bool {
    use std::io::IsTerminal as _;
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Whether the terminal is only to be appended to: it can do no more, or the user reads it with their ears.
fn is_plain() -> bool {
    tau_sys::variable("TERM").is_some_and(|term| term == "dumb")
        || tau_sys::variable("ACCESSIBLE").is_some_and(|wanted| !wanted.is_empty())
}

/// Whether something may come on standard input: it is a file or a pipe, not a terminal or another device.
fn may_be_piped() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    let input = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let kind = input.and_then(|file| file.metadata()).map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_file() || kind.is_socket())
}

/// What starts nothing, reads no settings and waits for nobody.
fn without_a_session(row: &ModeRow, parsed: &Parsed) -> Option<ExitCode> {
    let args = &parsed.args;
    if let Some(help) = row.help.filter(|_| args.help) {
        return Some(say(&help()));
    }
    if args.version {
        return Some(say(&format!("{}\n", env!("CARGO_PKG_VERSION"))));
    }
    if row.sessions == Sessions::Many
        && let Some(flag) = parsed.out_of_place()
    {
        let mode = row.typed();
        return Some(diagnostics::fail(&format!("--{} has no place in `{mode}`; see `{mode} --help`", flag.long)));
    }
    let source = args.export.as_ref().filter(|_| !args.help)?;
    Some(match parsed.clone().finish(&[]) {
        Ok(cli) => pages::export(source, &cli.messages),
        Err(error) => exit::usage_error(&error),
    })
}

/// Runs the front end of a mode.
fn start(row: &ModeRow, parsed: Parsed, setup: Setup) -> ExitCode {
    log::start(parsed.args.verbose);
    let env = match Environment::from_process() {
        Ok(env) => env,
        Err(error) => return diagnostics::fail(&format!("the working directory cannot be used: {error}")),
    };
    if let Some(why) = tau_agent::too_deep(&env) {
        return diagnostics::fail(&why);
    }
    let services = Services {
        env,
        extensions: setup.extensions,
        builtins: setup.builtins,
        scripts: setup.scripts,
        patterns: Some(Arc::new(tau_js::RuleEngine)),
        settings_read: log::follow,
        voice: diagnostics::voice(),
    };
    let launcher = match row.sessions {
        Sessions::One => Launcher::ahead(parsed, row.told, services),
        Sessions::Many => Launcher::new(parsed, row.told, services),
    };
    let front_end: Box<dyn FrontEnd> = match launcher.args() {
        args if args.help => Box::new(pages::Help),
        args if args.list_models.is_some() => Box::new(pages::Models),
        args => (row.front_end)(args),
    };
    match runtime::start() {
        Ok(runtime) => {
            let code = runtime.block_on(front_end.run(&launcher, Stop::new(signals::watch)));
            // Handlers and tools that were left behind must not keep the program alive.
            runtime.shutdown_background();
            tau_sys::process::kill_running_processes();
            log::finish();
            code
        }
        Err(error) => diagnostics::fail(&format!("cannot start: {error}")),
    }
}
