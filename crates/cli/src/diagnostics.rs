//! What goes to standard error.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tau_launch::{Notice, Voice};
use tracing_subscriber::EnvFilter;

/// Starts the log: warnings with `--verbose`, and whatever `TAU_LOG` asks for.
pub(crate) fn start_log(verbose: bool) {
    let wanted = tau_tools::variable("TAU_LOG").and_then(|wanted| wanted.into_string().ok());
    if wanted.is_none() && !verbose {
        return;
    }
    let filter = EnvFilter::try_new(wanted.as_deref().unwrap_or("tau=info,warn"));
    let Ok(filter) = filter else {
        warning(&format!("TAU_LOG is not a log filter: {}", wanted.unwrap_or_default()));
        return;
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Only fails when a log was started already, by the program around us.
    let _ = log.with_ansi(std::io::stderr().is_terminal()).try_init();
}

/// Tells the user of an error.
pub(crate) fn error(text: &str) {
    line(&format!("Error: {text}"));
}

/// Tells the user of something that does not stop the work.
pub(crate) fn warning(text: &str) {
    line(&format!("Warning: {text}"));
}

/// Tells the user of an error that ends the program.
pub(crate) fn fail(text: &str) -> ExitCode {
    error(text);
    ExitCode::FAILURE
}

/// Tells the user what has to be said at a start.
pub(crate) fn voice() -> Voice {
    Voice::new(|notice| match notice {
        Notice::Error(text) => error(&text),
        Notice::Warning(text) => warning(&text),
        Notice::Note(text) => line(&text),
    })
}

pub(crate) fn line(text: &str) {
    // There is nobody left to tell that standard error is gone.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
