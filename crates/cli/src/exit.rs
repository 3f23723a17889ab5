//! What every end of the program shares.

use std::process::ExitCode;
use std::time::Duration;

use tau_agent::ToProblem;
use tau_launch::Ending;
use tau_launch::args::ArgsError;

use crate::diagnostics;

/// The exit code of a mode that did what it was to do.
pub(crate) const SUCCESS: u8 = 0;
/// The exit code of a mode that did not.
pub(crate) const FAILURE: u8 = 1;

/// How long the end waits for whatever runs extensions.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// How a session ended.
pub(crate) enum End {
    /// As far as tau is concerned, with this code; extensions may want another one.
    Own(u8),
    /// Not by itself.
    Other(ExitCode),
}

/// An error that the user was told of: only the exit code of the program is left of it.
pub(crate) struct Reported(pub(crate) ExitCode);

impl Reported {
    /// Tells the user of an error that ends the program.
    pub(crate) fn fail(problem: &(impl ToProblem + ?Sized)) -> Self {
        Self(diagnostics::fail(problem))
    }
}

/// The exit code after a session, or after an error that was told.
pub(crate) fn code_of(done: Result<End, Reported>, ending: &Ending) -> ExitCode {
    match done {
        Ok(End::Own(code)) => ExitCode::from(ending.code(code)),
        Ok(End::Other(code)) | Err(Reported(code)) => code,
    }
}

/// Tells the user what is wrong with the command line.
pub(crate) fn usage_error(error: &ArgsError) -> ExitCode {
    diagnostics::error(error);
    ExitCode::from(ArgsError::EXIT_CODE)
}

/// As [`usage_error`], for what is wrong with its words.
pub(crate) fn usage(why: &str) -> ExitCode {
    diagnostics::error(why);
    ExitCode::from(ArgsError::EXIT_CODE)
}
