//! `/repair [FILE]`: puts a damaged session file right.

use std::path::{Path, PathBuf};

use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError};
use tau_session::{Repaired, SessionError};
use tau_view::untrusted::plain;

use super::REPAIR;
use crate::shared::say::{of_command, refuse, say};

const BUSY: &str =
    "The agent is at work, so nothing is repaired. Wait until it is done or press escape, then run /repair again.";

/// Runs the command.
pub(super) async fn run(file: &str, ctx: &Ctx) -> Result<(), HandlerError> {
    if !ctx.host().is_idle() {
        return refuse(ctx, BUSY, NotifyLevel::Warning);
    }
    let file = unquoted(file.trim());
    let wanted = if file.is_empty() { None } else { Some(resolve(ctx, file)?) };
    let session = ctx.session();
    let own = session.file().map(Path::to_owned);
    let is_own = match (&wanted, &own) {
        (None, _) => true,
        (Some(wanted), Some(own)) => is_same(wanted, own),
        (Some(_), None) => false,
    };
    let done = match wanted {
        Some(path) if !is_own => {
            let sources = ctx.api()?.sources()?;
            aside(move || tau_session::repair(&path, &sources)).await?
        }
        _ => aside(move || session.repair()).await?,
    };
    let repaired = match done {
        Ok(repaired) => repaired,
        Err(error) => return refuse(ctx, &plain(&error.to_string()), NotifyLevel::Error),
    };
    let mut text = plain(&repaired.to_string());
    // The session in memory still has the entries where they were.
    if let (true, Some(_), Some(own)) = (is_own, &repaired.backup, own)
        && ctx.switch_session(&own).await?.cancelled
    {
        text.push_str(
            "\nAn extension kept the session from being opened again. Open it with /resume to continue there.",
        );
    }
    let level = if repaired.left.is_empty() { NotifyLevel::Info } else { NotifyLevel::Warning };
    say(ctx, &of_command(REPAIR), &text, level)
}

/// A path may be typed with quotes around it.
fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

/// The path that was typed.
fn resolve(ctx: &Ctx, file: &str) -> Result<PathBuf, HandlerError> {
    match file.strip_prefix("~/") {
        Some(rest) => Ok(ctx.api()?.folders()?.home.join(rest)),
        None => Ok(ctx.cwd().join(file)),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The disk takes its time.
async fn aside(
    work: impl FnOnce() -> Result<Repaired, SessionError> + Send + 'static,
) -> Result<Result<Repaired, SessionError>, HandlerError> {
    tokio::task::spawn_blocking(work).await.map_err(HandlerError::msg)
}
