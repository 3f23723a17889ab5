//! The terminal that the user sits at.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// A terminal that does not echo what is typed, until this is dropped.
pub struct Quiet(Option<Termios>);

impl Quiet {
    /// Turns off the echo of standard input. What was typed before is not read. Does nothing where there is no terminal.
    pub fn begin() -> Self {
        let before = tcgetattr(io::stdin()).ok();
        let quiet = before.clone().map(|mut modes| {
            modes.local_modes.remove(LocalModes::ECHO);
            tcsetattr(io::stdin(), OptionalActions::Flush, &modes)
        });
        Self(before.filter(|_| quiet.is_some_and(|done| done.is_ok())))
    }

    /// Whether the echo was turned off.
    pub fn is_quiet(&self) -> bool {
        self.0.is_some()
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(before) = &self.0
            && let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, before)
        {
            // A terminal that is gone needs no echo.
            tracing::debug!(%error, "the echo of the terminal cannot be turned on again");
        }
    }
}
