//! What goes to standard error.

use std::io::Write;
use std::process::ExitCode;

use tau_agent::ToProblem;
use tau_hooks::{Report, ReportKind};

/// Tells the user of an error.
pub(crate) fn error(problem: &(impl ToProblem + ?Sized)) {
    line(&format!("Error: {}", problem.to_problem()));
}

/// Tells the user of something that does not stop the work.
pub(crate) fn warning(problem: &(impl ToProblem + ?Sized)) {
    line(&format!("Warning: {}", problem.to_problem()));
}

/// Tells the user of an error that ends the program.
pub(crate) fn fail(problem: &(impl ToProblem + ?Sized)) -> ExitCode {
    error(problem);
    ExitCode::FAILURE
}

/// Tells the user about an extension.
pub(crate) fn report(report: &Report) {
    match &report.kind {
        // Whatever could not be loaded is an error, although the work goes on without it.
        ReportKind::Diagnostic(text) if text.starts_with("Failed to load extension ") => error(text),
        ReportKind::Diagnostic(text) if text.starts_with(&*report.extension) => warning(text),
        ReportKind::Diagnostic(text) => warning(&format!("{}: {text}", report.extension)),
        _ => line(&report.to_string()),
    }
}

pub(crate) fn line(text: &str) {
    // There is nobody left to tell that standard error is gone.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
