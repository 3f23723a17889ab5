//! The settings below `tau`, which no other program reads.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::layers::Settings;
use super::table::{Key, SettingType as _, Texts, keys};

/// How tool calls run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolExecution {
    /// Those of one message one after another, and a steering message skips the rest; those that tools make side by side.
    #[default]
    Unset,
    /// All of them one after another; a steering message skips the rest of a message.
    Sequential,
    /// All of them side by side.
    Parallel,
}

/// Where trace records go besides memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TraceTarget {
    /// Nowhere.
    #[default]
    Off,
    /// To a file of tau's choice.
    Standard,
    /// To this file.
    File(PathBuf),
}

/// What extensions may take of time and memory. Zero in a file is no limit, for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// After this a slow handler is named to the user.
    pub soft: Duration,
    /// After this a handler whose result does not matter is left behind.
    pub observe: Duration,
    /// After this a handler whose result matters counts as failed; `None` when not set, see
    /// [`Limits::DEFAULT_HANDLER`].
    pub handler: Option<Duration>,
    /// Longest stretch of uninterrupted script.
    pub stretch: Duration,
    /// What the scripts that share a runtime may take of memory, in bytes; zero is no limit.
    pub memory: u64,
    /// What a script with a runtime of its own may take of memory, in bytes; zero is no limit.
    pub isolated_memory: u64,
    /// After this an extension that is still being loaded is given up.
    pub load: Duration,
    /// What all handlers of the end of a session share.
    pub shutdown: Duration,
}

const MIB: u64 = 1024 * 1024;

/// The settings below `tau`.
#[derive(Debug, Clone, PartialEq)]
pub struct TauSettings {
    /// `toolExecution`.
    pub tool_execution: ToolExecution,
    /// `required`: names or paths of extensions without which gates stay shut.
    pub required: Vec<String>,
    /// `trust.askOnChange`: a project whose files changed since it was trusted is asked about again.
    pub ask_on_change: bool,
    /// `trace.jsonl`.
    pub trace: TraceTarget,
    /// `limits`.
    pub limits: Limits,
    /// `isolate`: names, paths or packages of extensions; `["*"]` for all.
    pub isolate: Vec<String>,
    /// `shellHooks`.
    pub shell_hooks: ShellHookSettings,
}

/// How scripts run before and after tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellHookSettings {
    /// `onFailure`: whether a tool may run although a script that was to decide about it could not.
    pub allow_on_failure: bool,
    /// `strict`: whether every exit code but 0 keeps a tool from running.
    pub strict: bool,
    /// `allowInputRewrite`: whether a script may change the arguments of a tool.
    pub allow_input_rewrite: bool,
    /// `timeoutMs`: after this a script is killed; `None` is no limit.
    pub timeout: Option<Duration>,
    /// `claudeSettings`: whether commands in the settings files of Claude Code count.
    pub claude_settings: bool,
    /// `providers`: those that are off by default and wanted.
    pub providers: Vec<String>,
}

impl Default for ShellHookSettings {
    fn default() -> Self {
        Self {
            allow_on_failure: false,
            strict: false,
            allow_input_rewrite: false,
            timeout: Some(Duration::from_millis(keys::SHELL_HOOKS_TIMEOUT_MS.default())),
            claude_settings: false,
            providers: Vec::new(),
        }
    }
}

impl Limits {
    /// The limit for handlers whose result matters, outside the terminal.
    pub const DEFAULT_HANDLER: Duration = Duration::from_millis(keys::HANDLER_MS.default());

    /// No limit: a hundred years, which clocks can still add to a point in time.
    pub const NONE: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
}

impl Default for Limits {
    fn default() -> Self {
        let millis = |key: Key<u64>| Duration::from_millis(key.default());
        Self {
            soft: millis(keys::SOFT_MS),
            observe: millis(keys::OBSERVE_MS),
            handler: None,
            stretch: millis(keys::STRETCH_MS),
            memory: keys::MEMORY_MB.default() * MIB,
            isolated_memory: keys::ISOLATED_MEMORY_MB.default() * MIB,
            load: millis(keys::LOAD_MS),
            shutdown: millis(keys::SHUTDOWN_MS),
        }
    }
}

impl Settings {
    /// The level of the log file: that of the variable if it is one, else `tau.log.level`, else `warn`.
    pub fn log_level(&self) -> &str {
        self.variable(keys::LOG_LEVEL).unwrap_or_else(|| self.of(keys::LOG_LEVEL))
    }

    /// The settings below `tau`.
    pub fn tau(&self) -> TauSettings {
        let endless = |limit: Duration| if limit.is_zero() { Limits::NONE } else { limit };
        let limit = |key: Key<u64>| endless(self.millis(key));
        let memory = |key: Key<u64>| self.of(key).saturating_mul(MIB);
        TauSettings {
            tool_execution: self.tool_execution(),
            required: self.of(keys::REQUIRED).unwrap_or_default(),
            ask_on_change: self.of(keys::ASK_ON_CHANGE),
            trace: self.trace_target(),
            limits: Limits {
                soft: limit(keys::SOFT_MS),
                observe: limit(keys::OBSERVE_MS),
                handler: self.given(keys::HANDLER_MS).map(Duration::from_millis).map(endless),
                stretch: limit(keys::STRETCH_MS),
                memory: memory(keys::MEMORY_MB),
                isolated_memory: memory(keys::ISOLATED_MEMORY_MB),
                load: limit(keys::LOAD_MS),
                shutdown: limit(keys::SHUTDOWN_MS),
            },
            isolate: match self.given(keys::ISOLATE) {
                Some(Value::Bool(true)) => vec!["*".into()],
                Some(list) => Texts::plain(list).unwrap_or_default(),
                None => Vec::new(),
            },
            shell_hooks: self.shell_hooks(),
        }
    }

    /// Whether tool calls run side by side. Asked at every call, so it looks at nothing else.
    pub(crate) fn tool_execution(&self) -> ToolExecution {
        match self.given(keys::TOOL_EXECUTION) {
            Some("parallel") => ToolExecution::Parallel,
            Some("sequential") => ToolExecution::Sequential,
            _ => ToolExecution::Unset,
        }
    }

    fn shell_hooks(&self) -> ShellHookSettings {
        ShellHookSettings {
            allow_on_failure: self.of(keys::SHELL_HOOKS_ON_FAILURE) == "allow",
            strict: self.of(keys::SHELL_HOOKS_STRICT),
            allow_input_rewrite: self.of(keys::SHELL_HOOKS_INPUT_REWRITE),
            timeout: Some(self.millis(keys::SHELL_HOOKS_TIMEOUT_MS)).filter(|limit| !limit.is_zero()),
            claude_settings: self.of(keys::SHELL_HOOKS_CLAUDE_SETTINGS),
            providers: self.of(keys::SHELL_HOOKS_PROVIDERS).unwrap_or_default(),
        }
    }

    fn trace_target(&self) -> TraceTarget {
        match self.given(keys::TRACE_JSONL) {
            Some(Value::Bool(true)) => TraceTarget::Standard,
            Some(Value::String(path)) if !path.trim().is_empty() => {
                TraceTarget::File(self.env.resolve(path, &self.paths().agent_dir))
            }
            _ => TraceTarget::Off,
        }
    }
}
