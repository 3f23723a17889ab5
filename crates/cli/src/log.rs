//! The log: what `TAU_LOG` asks for on standard error, and warnings in a file of the agent folder.
//!
//! Nothing of the file is there before the first line for it. What is logged holds no contents and no secrets; of libraries
//! the file gets warnings only, because they know nothing of that rule.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::Duration;

use tau_agent::settings::{Environment, LOG_LEVEL_VARIABLE, Settings};
use tau_sys::rotated::RotatedLog;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{EnvFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::{Registry, fmt, registry, reload};

use crate::diagnostics::warning;

/// The most bytes of the file, and of the one before.
const MOST: u64 = 1 << 20;
/// How long the end of the program waits for the last lines.
const PATIENCE: Duration = Duration::from_millis(500);

/// The file, and how to change its level, once the log was started.
static FILE: OnceLock<(&'static RotatedLog, reload::Handle<Targets, Registry>)> = OnceLock::new();

/// Starts the log: on standard error warnings with `--verbose`, and whatever `TAU_LOG` asks for; in the file what
/// `TAU_LOG_LEVEL` asks for, else warnings until the settings are read.
pub(crate) fn start(verbose: bool) {
    let wanted = tau_sys::variable("TAU_LOG").and_then(|wanted| wanted.into_string().ok());
    let shown = wanted.as_deref().or(verbose.then_some("tau=info,warn"));
    let filter = match shown.map(EnvFilter::try_new) {
        Some(Err(_)) => {
            warning(&format!("TAU_LOG is not a log filter: {}", wanted.unwrap_or_default()));
            None
        }
        Some(Ok(filter)) => Some(filter),
        None => None,
    };
    let to_stderr = filter.map(|filter| {
        // What is read from standard error must not be written there again.
        // The client of MCP servers writes whole messages of theirs, and codes of logins.
        let quiet = ["tau::stray=off", MCP_OFF].into_iter().filter_map(|directive| directive.parse().ok());
        let filter = quiet.fold(filter, EnvFilter::add_directive);
        fmt::layer().with_writer(io::stderr).with_ansi(false).with_filter(filter)
    });
    let file: &'static RotatedLog = Box::leak(Box::new(RotatedLog::new(MOST, place)));
    let variable = tau_sys::variable(LOG_LEVEL_VARIABLE).and_then(|level| level.into_string().ok());
    let level = variable.as_deref().filter(|level| !level.is_empty()).map(|level| {
        level.parse().unwrap_or_else(|_| {
            warning(&format!("{LOG_LEVEL_VARIABLE} is not a level of the log: {level}; it is one of {}", levels()));
            DEFAULT
        })
    });
    let (filter, handle) = reload::Layer::new(targets(level.unwrap_or(DEFAULT)));
    let to_file = fmt::layer().with_writer(Lines(file)).with_ansi(false).with_filter(filter);
    let log = registry().with(to_file).with(to_stderr);
    // Only fails when a log was started already, by the program around us: that one is told then.
    if tracing::subscriber::set_global_default(log).is_ok() && FILE.set((file, handle)).is_err() {
        warning("the log was started twice");
    }
}

const DEFAULT: LevelFilter = LevelFilter::WARN;

fn levels() -> String {
    tau_agent::settings::LOG_LEVELS.join(", ")
}

/// Follows the settings about the file.
pub(crate) fn follow(settings: &Settings) {
    let Some((_, handle)) = FILE.get() else { return };
    // Most keep the level, and changing it costs time.
    let level = settings.log_level().parse().unwrap_or(DEFAULT);
    let is_other = handle.with_current(|now| *now != targets(level)).unwrap_or(false);
    if is_other && let Err(error) = handle.reload(targets(level)) {
        tracing::debug!(%error, "the level of the log cannot be changed");
    }
}

/// Waits a moment for the last lines. For the end of the program.
pub(crate) fn finish() {
    if let Some((file, _)) = FILE.get() {
        file.finish(PATIENCE);
    }
}

/// Nothing of what the client of MCP servers writes by itself.
const MCP_OFF: &str = "rmcp=off";

/// What of all modules is for the file.
fn targets(level: LevelFilter) -> Targets {
    let of_others = level.min(LevelFilter::WARN);
    // What hooks write is theirs.
    Targets::new()
        .with_default(of_others)
        .with_target("tau", level)
        .with_target("tau_agent::shell_hooks", of_others)
        .with_target("rmcp", LevelFilter::OFF)
}

fn place() -> Option<std::path::PathBuf> {
    Some(Environment::from_process().ok()?.agent_dir().join("logs/tau.log"))
}

/// Gives whole lines to the file.
struct Lines(&'static RotatedLog);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
