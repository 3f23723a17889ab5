//! From arguments to an exit code.

mod diagnostics;
mod json;
mod models;
mod output;
mod print;
mod resources;
mod sessions;
mod signals;
mod start;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tau_hooks::{Extension, Mode};

use crate::args::{ArgsError, Cli, OutputMode, Parsed, help, parse};

/// Runs tau. `args` does not contain the program's name; `extensions` are loaded in order, behind those the user has.
pub fn run(args: impl IntoIterator<Item = OsString>, extensions: Vec<Box<dyn Extension>>) -> ExitCode {
    let parsed = match parse(args) {
        Ok(parsed) => parsed,
        Err(error) => return usage_error(&error),
    };
    // Asking for the version starts nothing, reads nothing and waits for nobody.
    if parsed.args.version {
        return say(&format!("{}\n", env!("CARGO_PKG_VERSION")));
    }
    diagnostics::start_log(parsed.args.verbose);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(start::start(parsed, extensions));
            // Handlers and tools that were left behind must not keep the program alive.
            runtime.shutdown_background();
            tau_tools::kill_running_processes();
            code
        }
        Err(error) => diagnostics::fail(&format!("cannot start: {error}")),
    }
}

/// The second pass over the arguments, and what ends the program there.
fn finish(parsed: Parsed, flags: &[crate::args::ExtensionFlag]) -> Result<Cli, ExitCode> {
    if parsed.args.help {
        return Err(say(&help(flags)));
    }
    parsed.finish(flags).map_err(|error| usage_error(&error))
}

fn mode_of(cli: &Cli) -> Mode {
    match cli.args.mode {
        Some(OutputMode::Json) => Mode::Json,
        Some(OutputMode::Text) | None => Mode::Print,
    }
}

fn usage_error(error: &ArgsError) -> ExitCode {
    diagnostics::error(&error.to_string());
    ExitCode::from(ArgsError::EXIT_CODE)
}

/// Prints a result. A reader that went away is no failure of ours.
fn say(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    ExitCode::SUCCESS
}

fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}
