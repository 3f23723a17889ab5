//! Where the file of a session goes, which is asked before there is one.

use std::path::PathBuf;
use std::sync::Arc;

use tau_hooks::events::SessionDirectory;
use tau_hooks::payload::SessionDirectoryEvent;
use tau_hooks::{Hooks, Mode};
use tau_session::SessionError;
use tau_tools::Leftovers;

use crate::extensions::startup_scope;
use crate::settings::Environment;

/// The directory that an extension wants session files in. Programs that one leaves running go to `leftovers`.
///
/// # Errors
/// When not even a session in memory can be made.
pub async fn session_directory(
    hooks: &Arc<Hooks>,
    env: &Environment,
    mode: Mode,
    leftovers: &Leftovers,
) -> Result<Option<PathBuf>, SessionError> {
    let cwd = env.cwd.display().to_string();
    let scope = startup_scope(env, mode, leftovers)?;
    let done = hooks.dispatcher.dispatch::<SessionDirectory>(&scope, || SessionDirectoryEvent { cwd }).await;
    let dir = done.into_output().and_then(|output| output.session_dir);
    Ok(dir.map(|dir| env.resolve(&dir, &env.cwd)))
}
