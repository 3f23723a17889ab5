//! Tells the user what is wrong, once.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, Report};

use crate::manager::{Manager, Server, ServerStatus, State};
use crate::summary::one_line;

/// Most characters of the reason why a server is not there, where many are listed.
const ERROR: usize = 300;

/// What the user knows already.
#[derive(Default)]
pub(super) struct Reporter {
    said: Mutex<BTreeSet<String>>,
    /// Failures of the start are reported together.
    has_started: Mutex<bool>,
}

impl Reporter {
    /// Tells problems that were not told before, in one warning.
    pub(super) fn say(&self, ctx: &Ctx, problems: &[String]) {
        let new: Vec<&str> = {
            let mut said = self.said.lock();
            problems.iter().filter(|problem| said.insert((*problem).clone())).map(String::as_str).collect()
        };
        if !new.is_empty() {
            let text = new.join("\n");
            // Where nobody looks, the name of the extension stands in front of it.
            let says_whose = text.starts_with("MCP") || !ctx.has_ui();
            tell(ctx, &if says_whose { text } else { format!("MCP: {text}") });
        }
    }

    /// Tells which servers need the user, where somebody can look after them.
    fn say_needs(&self, ctx: &Ctx, needs: &[String]) {
        let is_new = !needs.is_empty() && self.said.lock().insert(needs.join("\n"));
        if is_new {
            tell(ctx, &format!("MCP servers need attention:\n{}\nRun /mcp to fix.", needs.join("\n")));
        }
    }

    pub(super) fn say_once(&self, ctx: &Ctx, problem: &str) {
        self.say(ctx, &[problem.to_owned()]);
    }

    /// Reports tools that servers offer and nobody can call.
    pub(super) fn say_left_out(&self, ctx: &Ctx, manager: &Manager) {
        let about = manager.servers().into_iter().filter_map(|server| {
            let why = server.current()?.left_out()?;
            Some(format!("tools of server \"{}\" are left out: {why}", server.name()))
        });
        self.say(ctx, &about.collect::<Vec<_>>());
    }

    /// Reports which servers are not there, once all were tried, or at the end. Later failures are reported by the calls that they
    /// make fail.
    pub(super) fn say_failures(&self, ctx: &Ctx, manager: &Manager, is_end: bool) {
        let servers = manager.servers();
        let is_trying = |state: State| matches!(state, State::Starting | State::Connecting);
        {
            let mut has_started = self.has_started.lock();
            if *has_started || (!is_end && servers.iter().any(|server| is_trying(server.status().state))) {
                return;
            }
            *has_started = true;
        }
        let is_absent = |server: &&Arc<Server>| matches!(server.status().state, State::Failed | State::NeedsSignIn);
        let absent: Vec<&Arc<Server>> = servers.iter().filter(is_absent).collect();
        if !ctx.has_ui() {
            let failures: Vec<String> = absent.iter().map(|server| server.absence_for_user()).collect();
            return self.say(ctx, &failures);
        }
        let needs = absent.iter().map(|server| match server.status() {
            ServerStatus { state: State::Failed, error: Some(error), .. } => {
                format!("  {}: {}", server.name(), one_line(&error, ERROR))
            }
            _ => format!("  {name}: needs sign-in (/mcp login {name})", name = server.name()),
        });
        self.say_needs(ctx, &needs.collect::<Vec<_>>());
    }
}

/// Where somebody looks, a notice; else a line on standard error.
fn tell(ctx: &Ctx, text: &str) {
    if ctx.has_ui() {
        ctx.ui().notify(text, NotifyLevel::Warning);
    } else if let Ok(api) = ctx.api() {
        api.report(&Report::diagnostic(Arc::clone(&ctx.owner().path), "mcp", text));
    }
}
