//! The seam between a session and what runs its scripts.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use tau_hooks::{HandlerError, Hooks, Owner};
use tau_tools::Leftovers;

/// Where scripts run.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The environment variables.
    pub vars: BTreeMap<String, String>,
}

/// Variables hold keys and tokens, so only their names are shown.
impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.vars.keys().collect();
        f.debug_struct("Surroundings").field("cwd", &self.cwd).field("vars", &names).finish()
    }
}

/// What scripts may take of time and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Longest stretch of uninterrupted script.
    pub stretch: Duration,
    /// What the scripts that share a runtime may take of memory, in bytes; zero is no limit.
    pub memory: u64,
    /// What a script with a runtime of its own may take of memory, in bytes; zero is no limit.
    pub isolated_memory: u64,
    /// After this a script that is still being loaded is given up.
    pub load: Duration,
}

/// A script to load.
#[derive(Debug, Clone)]
pub struct Script {
    /// The file, absolute.
    pub path: PathBuf,
    /// As what it is registered, unless its source says that it was written for another dialect.
    pub owner: Arc<Owner>,
    /// Whether what it does with its API may speak for another dialect, although it imports nothing.
    pub open: bool,
    /// Whether it gets a runtime of its own.
    pub isolated: bool,
}

/// Finds the hooks of a home directory, a working directory and its project, for scripts that look for them. The caller has
/// made sure that the project's may be looked at.
pub trait HookFinder: Send + Sync {
    /// The files, in the order in which they count.
    fn find(&self, home: &Path, place: &Surroundings) -> Vec<PathBuf>;
}

/// What scripts are loaded into.
#[derive(Clone)]
pub struct LoadContext {
    /// What they register with.
    pub hooks: Arc<Hooks>,
    /// Where they run.
    pub surroundings: Surroundings,
    /// What they may take.
    pub limits: ScriptLimits,
    /// Takes what their programs leave running.
    pub leftovers: Leftovers,
    /// Finds hooks for them.
    pub finder: Arc<dyn HookFinder>,
}

/// A script that cannot be loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadFailure {
    /// The file that was to be loaded; the location in the error may be in another one.
    pub path: PathBuf,
    /// What is wrong.
    pub error: HandlerError,
}

/// A script that was loaded.
#[derive(Debug, Clone)]
pub struct LoadedScript {
    /// As what it is registered.
    pub owner: Arc<Owner>,
    /// How long it took, without waiting for the scripts before it.
    pub time: Duration,
    /// What it takes of memory, when that is known, in bytes.
    pub memory_bytes: Option<u64>,
    /// How its dialect, which is the owner's, was told.
    pub dialect_by: DialectEvidence,
}

/// What told the dialect of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "by", content = "why")]
pub enum DialectEvidence {
    /// A comment `@hook-dialect` in the file.
    Pragma,
    /// What the source imports and uses, in words.
    Source(String),
    /// Where it was found; the source says nothing.
    #[default]
    Location,
}

impl fmt::Display for DialectEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pragma => "its pragma",
            Self::Source(why) => why,
            Self::Location => "where it was found",
        })
    }
}

/// What became of one file.
#[derive(Debug, Clone)]
pub struct LoadOutcome {
    /// The file, as it was asked for.
    pub path: PathBuf,
    /// The script, or why there is none.
    pub result: Result<LoadedScript, HandlerError>,
}

/// Runs the scripts of one session.
///
/// Failures are returned, not reported: the session decides how to report them, and which gates they shut.
#[async_trait]
pub trait ScriptHost: Send + Sync + 'static {
    /// Something will probably be loaded: starts what that takes, and returns at once. Whatever comes up meanwhile is for
    /// any extension; which there are, and the settings, are not known yet.
    fn prepare(&self, _: &Surroundings) {}

    /// Everything there was to load has been loaded: what was prepared in vain goes.
    fn settle(&self) {}

    /// Resolves and compiles files, runs nothing of them, and gives those that cannot be loaded. Called while the
    /// scripts that are loaded are still at work.
    async fn check(&self, files: &[Script], with: &LoadContext) -> Vec<LoadFailure>;

    /// Loads files one after another, with one outcome each, in the same order. Starts the engine when there is none;
    /// otherwise the files join those that are loaded already. A file that fails leaves nothing behind and keeps no
    /// other from being loaded.
    ///
    /// A file that this engine has had before keeps its modules with their state; only its factory runs again. That is
    /// how a session is replaced by another one in the same directory.
    async fn load(&self, files: Vec<Script>, with: &LoadContext) -> Vec<LoadOutcome>;

    /// The user stops what is under way: what scripts are at right now ends, unless it is over in a moment. Returns at
    /// once.
    fn interrupt(&self) {}

    /// Ends the engine with everything that runs in it: timers, servers, watchers. A later [`ScriptHost::load`] starts a
    /// new one. The scripts were told by `session_shutdown` and have been removed from the hooks. A call that waits for
    /// this very end, as a command that reloads, may still come to its own.
    async fn shut_down(&self);

    /// Ends the engine as [`ScriptHost::shut_down`] does, because the session goes to another directory. The command
    /// that asked for it still has its part to do there, for as long as that takes.
    async fn leave(&self) {
        self.shut_down().await;
    }
}
