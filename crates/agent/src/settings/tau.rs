//! The settings below `tau`, which no other program reads.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::layers::Settings;

/// How the tool calls of one message run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolExecution {
    /// One after another; a steering message skips the rest.
    #[default]
    Sequential,
    /// Side by side.
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

/// How long handlers of extensions may take.
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
    /// What the scripts that share a runtime may take of memory, in bytes.
    pub memory: u64,
    /// What a script with a runtime of its own may take of memory, in bytes.
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
    /// `shellHooks`, as written.
    pub shell_hooks: Option<Value>,
}

impl Limits {
    /// The limit for handlers whose result matters, outside the terminal.
    pub const DEFAULT_HANDLER: Duration = Duration::from_secs(600);
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            soft: Duration::from_secs(5),
            observe: Duration::from_secs(30),
            handler: None,
            stretch: Duration::from_secs(5),
            memory: 1024 * MIB,
            isolated_memory: 256 * MIB,
            load: Duration::from_secs(30),
            shutdown: Duration::from_secs(5),
        }
    }
}

impl Settings {
    /// The settings below `tau`.
    pub fn tau(&self) -> TauSettings {
        let limits = Limits::default();
        let limit = |name: &str| self.millis(&format!("tau.limits.{name}"));
        let memory = |name: &str| Some(self.count(&format!("tau.limits.{name}"))?.saturating_mul(MIB));
        TauSettings {
            tool_execution: match self.text("tau.toolExecution") {
                Some("parallel") => ToolExecution::Parallel,
                _ => ToolExecution::Sequential,
            },
            required: self.list("tau.required").unwrap_or_default(),
            ask_on_change: self.flag("tau.trust.askOnChange").unwrap_or(false),
            trace: self.trace_target(),
            limits: Limits {
                soft: limit("softMs").unwrap_or(limits.soft),
                observe: limit("observeMs").unwrap_or(limits.observe),
                handler: limit("handlerMs"),
                stretch: limit("stretchMs").unwrap_or(limits.stretch),
                memory: memory("memoryMb").unwrap_or(limits.memory),
                isolated_memory: memory("isolatedMemoryMb").unwrap_or(limits.isolated_memory),
                load: limit("loadMs").unwrap_or(limits.load),
                shutdown: limit("shutdownMs").unwrap_or(limits.shutdown),
            },
            isolate: match self.get("tau.isolate") {
                Some(Value::Bool(true)) => vec!["*".into()],
                _ => self.list("tau.isolate").unwrap_or_default(),
            },
            shell_hooks: self.get("tau.shellHooks").filter(|value| value.is_object()).cloned(),
        }
    }

    fn trace_target(&self) -> TraceTarget {
        match self.get("tau.trace.jsonl") {
            Some(Value::Bool(true)) => TraceTarget::Standard,
            Some(Value::String(path)) if !path.trim().is_empty() => {
                TraceTarget::File(self.env.resolve(path, &self.paths().agent_dir))
            }
            _ => TraceTarget::Off,
        }
    }
}
