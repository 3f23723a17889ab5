//! The line below the footer that a command of the user writes (`tau.statusLine`).

use std::time::Duration;

use serde_json::{Value, json};
use tau_agent::AgentSession;
use tau_agent::settings::Environment;
use tau_sys::process::{Piped, PipedCommand, PipedEnd, run_piped};
use tau_tui::blocks::{Context, Totals};
use tokio_util::sync::CancellationToken;

/// How long the command may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long what happens is gathered before the command runs again.
const PAUSE: Duration = Duration::from_millis(300);
/// How much of its output counts, in bytes.
const MOST: usize = 8 << 10;

/// What the command said last, and what it was given.
#[derive(Default)]
pub(crate) struct StatusLine {
    /// What stands there.
    pub(crate) text: Option<String>,
    given: Option<(String, Value)>,
    is_running: bool,
    /// Something changed since the command was started.
    is_stale: bool,
    /// A failure was reported; it is reported once.
    has_failed: bool,
}

impl StatusLine {
    /// What to run for this state, if there is anything to run now.
    pub(crate) fn wants(&mut self, command: Option<&str>, state: impl FnOnce() -> Value) -> Option<(String, Value)> {
        let Some(command) = command.filter(|command| !command.trim().is_empty()) else {
            self.text = None;
            return None;
        };
        if self.is_running {
            self.is_stale = true;
            return None;
        }
        let given = (command.to_owned(), state());
        if self.given.as_ref() == Some(&given) {
            return None;
        }
        self.is_running = true;
        self.given = Some(given.clone());
        Some(given)
    }

    /// Takes what the command said; a failure that is to be reported, and whether to look again.
    pub(crate) fn ended(&mut self, said: Result<String, String>) -> (Option<String>, bool) {
        self.is_running = false;
        let failure = match said {
            Ok(text) => {
                self.text = Some(text).filter(|text| !text.trim().is_empty());
                self.has_failed = false;
                None
            }
            Err(why) => (!std::mem::replace(&mut self.has_failed, true)).then_some(why),
        };
        (failure, std::mem::take(&mut self.is_stale))
    }
}

/// What the command reads from its standard input.
pub(crate) fn state(
    session: &AgentSession,
    env: &Environment,
    totals: &Totals,
    context: &Context,
    branch: Option<&str>,
) -> Value {
    let open = session.session();
    let model = session.model();
    json!({
        "session_id": open.id(),
        "session_name": open.session_name(),
        "transcript_path": open.file().map(|file| file.display().to_string()),
        "cwd": env.cwd.display().to_string(),
        "workspace": { "current_dir": env.cwd.display().to_string(), "git_branch": branch },
        "version": env!("CARGO_PKG_VERSION"),
        "model": model.map(|model| json!({
            "id": model.id,
            "display_name": model.name,
            "provider": model.provider.to_string(),
            "thinking_level": session.thinking_level().to_string(),
        })),
        "cost": { "total_cost_usd": totals.cost },
        "tokens": {
            "input": totals.input,
            "output": totals.output,
            "cache_read": totals.cache_read,
            "cache_write": totals.cache_write,
        },
        "context_window": { "context_window_size": context.window, "used_percentage": context.percent },
    })
}

/// Runs the command. What happens within a moment is one run.
pub(crate) async fn run(command: String, state: Value, env: &Environment) -> Result<String, String> {
    tokio::time::sleep(PAUSE).await;
    let piped = PipedCommand {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), command.into()],
        cwd: env.cwd.clone(),
        input: state.to_string().into_bytes(),
        keep: MOST,
        timeout: Some(PATIENCE),
        ..PipedCommand::default()
    };
    let Piped { end, stdout, stderr } =
        run_piped(piped, CancellationToken::new()).await.map_err(|error| error.to_string())?;
    let said = stderr.text.lines().find(|line| !line.trim().is_empty()).map(|line| format!(": {line}"));
    let said = said.unwrap_or_default();
    match end {
        PipedEnd::Code(0) | PipedEnd::Open => Ok(stdout.text),
        PipedEnd::Code(code) => Err(format!("it ended with code {code}{said}")),
        PipedEnd::Signal(signal) => Err(format!("signal {signal} ended it{said}")),
        PipedEnd::TimedOut | PipedEnd::Cancelled => Err(format!("it took longer than {} s", PATIENCE.as_secs())),
    }
}
