//! From arguments to an exit code.

mod ahead;
pub(crate) mod diagnostics;
mod export;
mod json;
pub(crate) mod log;
pub(crate) mod models;
pub(crate) mod notices;
mod output;
mod pick;
mod print;
pub(crate) mod resources;
pub(crate) mod sessions;
pub(crate) mod signals;
pub(crate) mod start;
mod trouble;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) use start::{PATIENCE, load};
use tau_agent::extensions::{ScriptHost, ScriptHostMaker};
use tau_agent::settings::Environment;
use tau_hooks::{Extension, Mode};
use tau_js::JsHost;

use crate::acp;
use crate::args::{Args, ArgsError, Cli, OutputMode, Parsed, help, parse};
use crate::commands::{self, Misplaced};

/// What a program brings along.
#[derive(Default)]
pub struct Setup {
    /// Extensions written in Rust. They are loaded in order and work behind those the user has.
    pub extensions: Vec<Box<dyn Extension>>,
    /// Runs extensions that are scripts. Made when there are any.
    pub scripts: Option<ScriptHostMaker>,
}

/// Runs tau. `args` does not contain the program's name; `extensions` are loaded in order, behind those the user has.
pub fn run(args: impl IntoIterator<Item = OsString>, extensions: Vec<Box<dyn Extension>>) -> ExitCode {
    run_with(args, Setup { extensions, scripts: Some(Arc::new(scripts)) })
}

/// What runs TypeScript extensions. Compiled modules are kept where caches belong.
fn scripts(env: &Environment) -> Arc<dyn ScriptHost> {
    Arc::new(JsHost::new(Some(env.cache_dir().join("modules"))))
}

/// As [`run`], with another setup.
pub fn run_with(args: impl IntoIterator<Item = OsString>, setup: Setup) -> ExitCode {
    tau_js::share_heaps(1);
    let args: Vec<OsString> = args.into_iter().collect();
    let setup = match commands::run(&args, setup) {
        Ok(code) => return code,
        Err(setup) => setup,
    };
    if acp::is_asked(&args) {
        return acp::run(args, setup);
    }
    let mut parsed = match parse(args) {
        Ok(parsed) => parsed,
        Err(error) => return usage_error(&error),
    };
    match commands::misplaced(&parsed) {
        Some(Misplaced::Alone(why)) if may_be_piped() => parsed.args.unless_piped = Some(why),
        Some(Misplaced::Always(why) | Misplaced::Alone(why)) => {
            diagnostics::error(&why);
            return ExitCode::from(ArgsError::EXIT_CODE);
        }
        None => {}
    }
    // Asking for the version starts nothing, reads nothing and waits for nobody.
    if parsed.args.version {
        return say(&format!("{}\n", env!("CARGO_PKG_VERSION")));
    }
    if let Some(source) = parsed.args.export.clone().filter(|_| !parsed.args.help) {
        return finish(parsed, &[], &[]).map_or_else(|code| code, |cli| export::export(&source, &cli.messages));
    }
    log::start(parsed.args.verbose);
    let env = match Environment::from_process() {
        Ok(env) => env,
        Err(error) => return diagnostics::fail(&format!("the working directory cannot be used: {error}")),
    };
    let (scripts, host) = match setup.scripts {
        Some(maker) => {
            let (maker, host) = ahead::scripts(&parsed.args, &env, maker);
            (Some(maker), host)
        }
        None => (None, None),
    };
    let setup = Setup { scripts, ..setup };
    let runtime = crate::runtime::start();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(start::start(parsed, env, setup, host));
            // Handlers and tools that were left behind must not keep the program alive.
            runtime.shutdown_background();
            tau_sys::process::kill_running_processes();
            log::finish();
            code
        }
        Err(error) => diagnostics::fail(&format!("cannot start: {error}")),
    }
}

/// The second pass over the arguments, and what ends the program there.
fn finish(
    parsed: Parsed,
    flags: &[crate::args::ExtensionFlag],
    subcommands: &[(String, String)],
) -> Result<Cli, ExitCode> {
    if parsed.args.help {
        return Err(say(&help(flags, subcommands)));
    }
    parsed.finish(flags).map_err(|error| usage_error(&error))
}

fn mode_of(args: &Args) -> Mode {
    match args.mode {
        Some(OutputMode::Json) => Mode::Json,
        Some(OutputMode::Rpc) => Mode::Rpc,
        Some(OutputMode::Text) | None => Mode::Print,
    }
}

fn usage_error(error: &ArgsError) -> ExitCode {
    diagnostics::error(error);
    ExitCode::from(ArgsError::EXIT_CODE)
}

/// Prints a result. A reader that went away is no failure of ours.
pub(crate) fn say(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        output::fails(&error);
    }
    if output::has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Whether something may come on standard input: it is a file or a pipe, not a terminal or another device.
fn may_be_piped() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    let input = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let kind = input.and_then(|file| file.metadata()).map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_file() || kind.is_socket())
}
