//! `--export`: a session file as a page, without starting anything.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tau_agent::export::{ExportError, HtmlOptions, default_name, export_to};
use tau_agent::settings::Environment;
use tau_session::{Problem, Session};

use crate::diagnostics;
use crate::output::say;

/// Writes the file and says where. `rest` is what stands behind the flag: the path to write to, if any.
pub(crate) fn export(source: &Path, rest: &[String]) -> ExitCode {
    let target = match rest {
        [] => None,
        [target] => Some(target.as_str()),
        // A pattern of the shell that fits several sessions.
        [_, surplus, ..] => {
            let why = format!("--export takes one session file and one file to write; {surplus} is too much");
            return diagnostics::fail(&why);
        }
    };
    match try_export(source, target) {
        Ok(path) => say(&format!("Exported to: {}\n", path.display())),
        Err(why) => diagnostics::fail(&why),
    }
}

fn try_export(source: &Path, target: Option<&str>) -> Result<PathBuf, String> {
    let env = Environment::from_process().map_err(|error| format!("the working directory cannot be used: {error}"))?;
    let source = env.resolve(&source.to_string_lossy(), &env.cwd);
    if !source.exists() {
        return Err(ExportError::NotFound(source).to_string());
    }
    let session = Session::view(&source).map_err(|error| error.to_string())?;
    let problems: Vec<Problem> = session.problems().iter().cloned().chain(session.branch_problems()).collect();
    if let Some(text) = Problem::summary(&problems) {
        diagnostics::warning(&format!("{}: {text}", source.display()));
    }
    let target = target.map_or_else(|| default_name(&session, Some(&source)), PathBuf::from);
    let path = env.resolve(&target.to_string_lossy(), &env.cwd);
    export_to(&session, &path, Some(&source), &HtmlOptions::default()).map_err(|error| error.to_string())?;
    Ok(target)
}
