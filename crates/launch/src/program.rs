//! What all sessions of a program share, and its command line.

use tau_hooks::Mode;

use crate::args::Parsed;
use crate::scripts::Scripts;
use crate::services::Services;

/// A program that opens sessions.
pub(crate) struct Program {
    pub(crate) parsed: Parsed,
    /// What extensions are told.
    pub(crate) mode: Mode,
    /// Without what makes `scripts`.
    pub(crate) services: Services,
    pub(crate) scripts: Scripts,
}
