//! Notifications of the desktop, for a user who looks elsewhere.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tau_hooks::{Ctx, ExecOptions, Mode};

/// How long the program that shows one may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The program is not there; nobody looks for it again.
static IS_MISSING: AtomicBool = AtomicBool::new(false);

/// Shows a notification, where somebody sits in front of a terminal: nothing in other modes, in child sessions, and on
/// systems without a program for it.
pub async fn notify(ctx: &Ctx, title: &str, body: &str) {
    if ctx.mode() != Mode::Tui || ctx.child().is_some() || IS_MISSING.load(Ordering::Relaxed) {
        return;
    }
    let place = ctx.cwd().file_name().map(|name| format!(" ({})", name.to_string_lossy())).unwrap_or_default();
    let title = format!("{title}{place}");
    let options = ExecOptions { timeout: Some(PATIENCE), ..ExecOptions::default() };
    // Texts are arguments of their own. `--` keeps one that begins with a dash from being an option.
    let shown = if cfg!(target_os = "macos") {
        let script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";
        ctx.exec("osascript", &["-e", script, &title, body], options).await
    } else {
        ctx.exec("notify-send", &["--app-name=tau", "--", &title, body], options).await
    };
    if shown.code != 0 {
        tracing::debug!(code = shown.code, "no notification is shown");
        IS_MISSING.store(true, Ordering::Relaxed);
    }
}
