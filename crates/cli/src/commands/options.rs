//! What the arguments of a subcommand amount to.

use std::collections::BTreeMap;

use tau_agent::extensions::DiscoveryOptions;

/// What stands behind the name of a subcommand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub words: Vec<String>,
    pub local: bool,
    pub approve: Option<bool>,
    pub offline: bool,
    pub verbose: bool,
    pub help: bool,
    pub extensions: bool,
    pub all: bool,
    /// `--self` and `--models`: parts of pi that tau has not.
    pub not_here: Option<&'static str>,
    pub json: bool,
    /// Extensions and hooks that are named, for `hooks`.
    pub discovery: DiscoveryOptions,
    /// Flags that only this command has, with their values; empty for a switch.
    pub given: BTreeMap<&'static str, String>,
    /// Such flags that may be given several times.
    pub lists: BTreeMap<&'static str, Vec<String>>,
    /// Flags of a run, for `config why`; a program with its arguments, for `mcp add`.
    pub rest: Vec<String>,
}
