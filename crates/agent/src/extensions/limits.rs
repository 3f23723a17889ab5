//! How long handlers may take, as the settings say.

use tau_hooks::{Hooks, Limits};

use crate::settings::{self, Settings};

/// Gives handlers the time limits of the settings.
pub(crate) fn configure(hooks: &Hooks, settings: &Settings) {
    let limits = settings.tau().limits;
    hooks.dispatcher.set_limits(Limits {
        soft: limits.soft,
        observe: limits.observe,
        decide: limits.handler.unwrap_or(settings::Limits::DEFAULT_HANDLER),
        shutdown: limits.shutdown,
        decide_in_terminal: limits.handler,
        hook: settings.hook_timeout(),
    });
}
