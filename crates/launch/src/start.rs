//! What every stage of a start has.

use std::sync::Arc;

use tau_agent::extensions::Extensions;
use tau_agent::settings::Environment;
use tau_hooks::Hooks;

use crate::program::Program;

/// The start of one session.
pub(crate) struct Start {
    pub(crate) program: Arc<Program>,
    pub(crate) env: Environment,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) extensions: Arc<Extensions>,
}
