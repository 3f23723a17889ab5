//! Asking extensions and the user whether a project is trusted.

use std::sync::Arc;

use tau_hooks::dialogs::{DialogKind, DialogRequest};
use tau_hooks::events::{EventId, ProjectTrust};
use tau_hooks::payload::{ProjectTrustEvent, TrustDecision};
use tau_hooks::{Hooks, Mode};
use tau_session::SessionError;
use tokio_util::sync::CancellationToken;

use crate::session::startup_scope;
use crate::settings::{Environment, Settings};
use crate::trust::{Decision, DefaultTrust, HandlerAnswer, TrustOption, TrustQuestion, Verdict};

/// Decides, with whoever there is to be asked.
pub(super) async fn decide(
    question: &TrustQuestion,
    hooks: &Hooks,
    env: &Environment,
    settings: &Settings,
    mode: Mode,
) -> Result<Decision, SessionError> {
    let mut answer = None;
    if question.needs_decision() && hooks.dispatcher.has_handlers(EventId::ProjectTrust) {
        let cwd = env.cwd.display().to_string();
        let scope = startup_scope(env, mode)?;
        let done = hooks.dispatcher.dispatch::<ProjectTrust>(&scope, || ProjectTrustEvent { cwd }).await;
        if let Some(shut) = done.shut {
            return Ok(question.handler_failed(&shut.extension, &shut.error.to_string()));
        }
        answer = done.output.filter(|output| output.trusted != TrustDecision::Undecided);
    }
    let answer = answer.map(|answer| HandlerAnswer {
        trusted: answer.trusted == TrustDecision::Yes,
        remember: answer.remember == Some(true),
    });
    let verdict = question.decide(answer, DefaultTrust::from_settings(settings), hooks.dialogs.can_ask(None));
    Ok(match verdict {
        Verdict::Decided(decision) => decision,
        Verdict::Ask(options) => question.chosen(ask(question, hooks, &options).await),
    })
}

async fn ask<'a>(question: &TrustQuestion, hooks: &Hooks, options: &'a [TrustOption]) -> Option<&'a TrustOption> {
    let folder = question.folder();
    let files: Vec<String> = question
        .resources()
        .iter()
        .map(|path| path.strip_prefix(folder).unwrap_or(path).display().to_string())
        .collect();
    let title = format!(
        "Trust the project in {}? Its files can run code and instruct the model: {}",
        folder.display(),
        files.join(", ")
    );
    let options_shown = options.iter().map(|option| option.label.clone()).collect();
    let request = DialogRequest::new(Arc::from("tau"), DialogKind::Select { title, options: options_shown });
    let answer = hooks.dialogs.ask(request, &CancellationToken::new(), || ()).await.into_value()?;
    options.iter().find(|option| option.label == answer)
}
