//! The JavaScript engine of one session, on a thread of its own.
//!
//! [`Engine`] is the handle that the rest of the program holds. Work goes to the thread as closures; between two
//! of them the thread runs due timers, finished ops and pending jobs. Every entry into JavaScript is one
//! *stretch*: it has a deadline and an extension on whose behalf it runs.

mod activity;
mod add_on;
mod callee;
mod calls;
mod core;
mod faults;
mod frame;
mod limits;
mod made;
mod made_errors;
mod memory;
mod stack;
mod stops;
mod tenant;
mod thread;
mod timers;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tau_ai::Sources;

use crate::ops::table::Area;

use crate::loader::ModuleCache;

/// The areas of ops that every engine has.
pub fn areas() -> Vec<&'static Area> {
    [&[&calls::OPS, &stack::OPS, &crate::loader::OPS], crate::ops::AREAS].concat()
}

pub use activity::{Activity, Group, LOST, Loan, Loss, Waiting, Whose, Why};
pub use add_on::refused as refused_add_on;
pub use callee::is_mistake;
pub use core::{CallGuest, CallState, Core, Guest, InFlight, MakeGuest, Settle, UNTRUSTED, trusts_answers};
pub use faults::{Fault, FaultKind};
pub use frame::Frame;
pub use limits::{Cause, Limits};
pub use memory::{Charge, Memory, MemoryFull, Verdict};
pub use tenant::Tenant;
pub use thread::WeakEngine;
pub use thread::{Engine, EngineGone};
pub use timers::Timers;

/// An extension within one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExtensionId(pub u32);

impl ExtensionId {
    /// The runtime itself.
    pub const HOST: Self = Self(0);
}

/// How an engine is set up.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// The working directory its JavaScript starts with.
    pub cwd: PathBuf,
    /// The environment its JavaScript and its children see.
    pub env: BTreeMap<String, String>,
    /// The longest stretch of JavaScript without a pause.
    pub stretch: Duration,
    /// The most memory the runtime may take, in bytes; zero is unlimited.
    pub memory: usize,
    /// The setting that says so.
    pub memory_setting: &'static str,
    /// Where compiled modules are kept; `None` compiles every time.
    pub cache: Option<Arc<ModuleCache>>,
    /// What `process.execPath` names and children find as `pi`.
    pub program: PathBuf,
    /// Where time and chance come from.
    pub sources: Sources,
    /// The names of variables that children get whatever scripts do to their environment.
    pub firm: &'static [&'static str],
    /// What it runs scripts for.
    pub guest: MakeGuest,
}

impl EngineOptions {
    /// The default longest stretch.
    pub const STRETCH: Duration = Duration::from_secs(5);
    /// The default memory limit, in bytes.
    pub const MEMORY: usize = 512 << 20;

    /// The defaults for a working directory, with this process' environment.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            env: tau_tools::variables().collect(),
            stretch: Self::STRETCH,
            memory: Self::MEMORY,
            memory_setting: "tau.limits.memoryMb",
            cache: None,
            program: std::env::current_exe().unwrap_or_default(),
            sources: Sources::default(),
            firm: &[],
            guest: MakeGuest(|_| Rc::new(core::Nobody)),
        }
    }
}
