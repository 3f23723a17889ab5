//! What goes to standard error.

use std::io::Write;
use std::process::ExitCode;

use tau_agent::{ToProblem, visible};
use tau_launch::{Notice, Voice};

/// Tells the user of an error.
pub(crate) fn error(problem: &(impl ToProblem + ?Sized)) {
    line(&visible(&format!("Error: {}", problem.to_problem())));
}

/// Tells the user of something that does not stop the work.
pub(crate) fn warning(problem: &(impl ToProblem + ?Sized)) {
    line(&visible(&format!("Warning: {}", problem.to_problem())));
}

/// Tells the user of an error that ends the program.
pub(crate) fn fail(problem: &(impl ToProblem + ?Sized)) -> ExitCode {
    error(problem);
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
