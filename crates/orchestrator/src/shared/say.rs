//! What a command says, wherever it runs.

use std::sync::Arc;

use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError, Report};

use super::page::{Text, open};

/// Shows a text that may be long: over the screen of a terminal, else as [`say`] does.
///
/// # Errors
/// When the screen or the session is gone.
pub(crate) async fn show(ctx: &Ctx, command: &'static str, text: Text) -> Result<(), HandlerError> {
    if ctx.ui().can_mount() {
        return open(ctx, command, text).await;
    }
    say(ctx, &of_command(command), text.as_str(), NotifyLevel::Info)
}

/// The occasion of a report by a command.
pub(crate) fn of_command(command: &str) -> String {
    format!("command:{command}")
}

/// Says something: as a notice, or as a report where nobody sees notices. `occasion` is the event or the command that it comes
/// from.
///
/// # Errors
/// When the session is gone.
pub(crate) fn say(ctx: &Ctx, occasion: &str, text: &str, level: NotifyLevel) -> Result<(), HandlerError> {
    if ctx.has_ui() {
        ctx.ui().notify(text, level);
    } else {
        let extension = Arc::clone(&ctx.owner().path);
        ctx.api()?.report(&Report::diagnostic(extension, occasion, text));
    }
    Ok(())
}

/// Says why a command did nothing. Where nobody sees notices the command fails with it.
///
/// # Errors
/// The reason, where nobody sees notices.
pub(crate) fn refuse(ctx: &Ctx, why: &str, level: NotifyLevel) -> Result<(), HandlerError> {
    if !ctx.has_ui() {
        return Err(HandlerError::msg(why));
    }
    ctx.ui().notify(why, level);
    Ok(())
}
