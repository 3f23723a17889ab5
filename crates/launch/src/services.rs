//! What a program brings along for all its sessions.

use std::sync::Arc;

use tau_agent::extensions::{BuiltinExtension, ScriptHostMaker};
use tau_agent::settings::{Environment, Settings};
use tau_hooks::{Extension, Hooks, LoadError};
use tau_script::PatternEngine;

use crate::voice::Voice;

/// What all sessions of a program share.
pub struct Services {
    /// Directories and variables as the program was started.
    pub env: Environment,
    /// The program's own extensions, in order. They work behind those the user has.
    pub extensions: Vec<Box<dyn Extension>>,
    /// Extensions of the program that the user can switch. They work behind all others.
    pub builtins: Arc<[BuiltinExtension]>,
    /// Makes what runs scripts. Without it there are none.
    pub scripts: Option<ScriptHostMaker>,
    /// Looks for the expressions of stream rules. Without it there are none.
    pub patterns: Option<Arc<dyn PatternEngine>>,
    /// Tells the user.
    pub voice: Voice,
    /// Is called with the settings of each session as soon as they are read: for what is not the session's own, as the log.
    pub settings_read: fn(&Settings),
}

/// Loads the program's own extensions; gives what failed.
pub fn load_own(hooks: &Arc<Hooks>, extensions: &[Box<dyn Extension>]) -> Vec<LoadError> {
    extensions.iter().filter_map(|extension| hooks.load(&**extension).err()).collect()
}
