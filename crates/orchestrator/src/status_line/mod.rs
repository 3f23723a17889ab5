//! The status line: when the last prompt was, the state of the git repository, whether this is a container.
//!
//! Nothing is asked for on a timer but the time: changes of the repository are reported by git's own files, and looked for
//! after tools that may have changed something. Looks happen on threads of their own.

mod git;
mod line;
mod time;

use std::sync::Arc;
use std::time::Duration;

use tau_ai::Message;
use tau_hooks::events::{AgentSettled, AgentStart, MessageStart, SessionStart, ToolExecutionEnd, TurnEnd};
use tau_hooks::{Ctx, Extension, HandlerError, Mode, Registrar};

pub(crate) use self::git::shown as shown_git;
use self::line::Line;
use crate::module::Module;
use crate::shared::notify::notify;

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:status-line",
    about: "the status line: time of the last prompt, git, container; a notification when a long task is done",
    needs: &[],
    programs: &[],
    in_children: true,
    make: || Box::new(StatusLine),
};

/// A run that takes longer than this is worth a notification.
const LONG: Duration = Duration::from_secs(10);
/// Tools that change no files.
const READING: &[&str] = &["ask_user", "find", "grep", "ls", "read", "tool_search"];

/// The extension.
struct StatusLine;

impl Extension for StatusLine {
    fn name(&self) -> &str {
        "status-line"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let line = Arc::new(Line::default());
        let begun = Arc::clone(&line);
        registrar.on::<SessionStart>(move |_, ctx: Ctx| {
            let begun = Arc::clone(&begun);
            // For one answer nobody looks at a status line.
            let is_seen = matches!(ctx.mode(), Mode::Tui | Mode::Rpc);
            async move { if is_seen { begun.begin(&ctx) } else { Ok(()) } }
        });
        let asked = Arc::clone(&line);
        registrar.on::<MessageStart>(move |event, _: Ctx| {
            if let Message::User(user) = &*event.message {
                asked.prompted(user.timestamp);
                // The user may have changed files meanwhile.
                asked.refresh();
            }
            async { Ok(()) }
        });
        let changed = Arc::clone(&line);
        registrar.on::<ToolExecutionEnd>(move |event, _: Ctx| {
            if !READING.contains(&event.tool_name.as_str()) {
                changed.refresh();
            }
            async { Ok(()) }
        });
        let turned = Arc::clone(&line);
        registrar.on::<TurnEnd>(move |_, _: Ctx| {
            turned.refresh();
            async { Ok(()) }
        });
        let started = Arc::clone(&line);
        registrar.on::<AgentStart>(move |_, ctx: Ctx| {
            let started = Arc::clone(&started);
            async move {
                started.note_start(now(&ctx)?);
                Ok(())
            }
        });
        registrar.on::<AgentSettled>(move |event, ctx: Ctx| {
            let line = Arc::clone(&line);
            async move {
                let took = line.take_run(now(&ctx)?).unwrap_or_default();
                // Who aborts a run sits in front of it.
                if took >= LONG && !event.aborted {
                    let task = async move |task: tau_hooks::Task| {
                        notify(&task.ctx()?, "Task completed", &format!("after {}", time::span(took))).await;
                        Ok(())
                    };
                    ctx.spawn("notification", task)?;
                }
                Ok(())
            }
        });
        Ok(())
    }
}

fn now(ctx: &Ctx) -> Result<i64, HandlerError> {
    Ok(ctx.api()?.sources()?.clock.now_ms())
}
