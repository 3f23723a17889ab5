//! Whether a subcommand may look at the files of the project.

use std::sync::Arc;

use tau_agent::extensions::{DiscoveryOptions, Extensions, trust_question};
use tau_agent::settings::{Environment, Settings};
use tau_agent::trust::{Decision, DefaultTrust, Reason, Verdict};
use tau_hooks::{Hooks, Mode};
use tau_launch::load_own;

use super::command::Command;
use super::options::Options;
use crate::diagnostics;
use crate::exit::PATIENCE;
use crate::setup::Setup;

/// Decides as a session would, but asks no user and installs nothing: by the flag, by handlers of `project_trust`, by the
/// answers that are kept, by the setting.
pub(super) async fn decide(env: &Environment, command: &Command, options: &Options, setup: &Setup) -> Option<Decision> {
    let settings = Arc::new(Settings::load(env, false));
    let question = trust_question(env, options.approve, &settings);
    if !question.needs_decision() || !command.asks_extensions {
        // An update runs nothing of what it replaces: only the flag and an answer that is kept count.
        let default =
            if command.asks_extensions { DefaultTrust::from_settings(&settings) } else { DefaultTrust::Never };
        return match question.decide(None, default, false) {
            Verdict::Decided(decision) => Some(decision).filter(may_look),
            Verdict::Ask(_) | Verdict::AskAgain(..) => None,
        };
    }
    match ask(env, &settings, setup).await {
        Ok(decision) => {
            tell(&decision);
            Some(decision).filter(may_look)
        }
        Err(error) => {
            diagnostics::warning(&error);
            None
        }
    }
}

/// Whether the command may look at the project's files and write some: when it is trusted, and when it has none so far.
fn may_look(decision: &Decision) -> bool {
    decision.trusted || decision.is_undecided()
}

async fn ask(env: &Environment, settings: &Arc<Settings>, setup: &Setup) -> Result<Decision, String> {
    let hooks = Hooks::new();
    let voice = diagnostics::voice();
    hooks.dispatcher.reports.listen(move |report| voice.report(report));
    let failures = load_own(&hooks, &setup.extensions);
    let options = DiscoveryOptions::default();
    let extensions = Extensions::new(env.clone(), Arc::clone(&hooks), options, setup.scripts.clone(), failures);
    let decision = extensions.decide_trust(settings, None, Mode::Print).await;
    extensions.shut_down(PATIENCE).await;
    decision.map_err(|error| error.to_string())
}

/// Says what the user would not expect; that a project is not trusted is told by whoever needs it.
fn tell(decision: &Decision) {
    if matches!(decision.why, Reason::HandlerFailed(..) | Reason::Unreadable(_) | Reason::Changed(_)) {
        decision.notice().iter().for_each(diagnostics::warning);
    }
    if let Some(error) = &decision.not_saved {
        diagnostics::warning(&format!("the answer could not be kept: {error}"));
    }
}
