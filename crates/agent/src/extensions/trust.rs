//! Asking extensions and the user whether a project is trusted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_hooks::dialogs::{DialogKind, DialogRequest};
use tau_hooks::events::{EventId, ProjectTrust};
use tau_hooks::payload::{ProjectTrustEvent, TrustDecision};
use tau_hooks::{Hooks, Mode};
use tau_session::SessionError;
use tokio_util::sync::CancellationToken;

use super::discover::{DiscoveryOptions, discover};
use super::found::{ExtensionOrigin, FoundExtension};
use crate::resources::PathFilter;
use crate::session::startup_scope;
use crate::settings::{Environment, Layer, ResourceKind, Settings};
use crate::trust::{
    Decision, DefaultTrust, FileChange, Fingerprint, HandlerAnswer, TrustError, TrustOption, TrustQuestion, Verdict,
};

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
        Verdict::Ask(options) => question.chosen(ask(question, hooks, &options, &[]).await),
        Verdict::AskAgain(options, changes) => question.chosen(ask(question, hooks, &options, &changes).await),
    })
}

/// The question whether the project is trusted; one that is asked again when files change, if the user wants that.
pub fn trust_question(env: &Environment, approve: Option<bool>, settings: &Settings) -> TrustQuestion {
    let question = TrustQuestion::new(env, approve);
    match watches(&question, settings) {
        true => question.watching(project_fingerprint(env)),
        false => question,
    }
}

/// As [`trust_question`], where others wait: reading the whole project happens elsewhere.
pub(super) async fn question(env: &Environment, approve: Option<bool>, settings: &Settings) -> TrustQuestion {
    let question = TrustQuestion::new(env, approve);
    if !watches(&question, settings) {
        return question;
    }
    let env = env.clone();
    question.watching(aside(move || project_fingerprint(&env)).await)
}

/// Whether it matters what the project looks like.
fn watches(question: &TrustQuestion, settings: &Settings) -> bool {
    question.needs_decision() && settings.tau().ask_on_change
}

/// Takes over what the project looks like after tau installed its packages, and gives it.
pub(super) async fn follow(decision: &Decision, env: &Environment) -> Result<Option<Fingerprint>, TrustError> {
    if decision.watched().is_none() {
        return Ok(None);
    }
    let env = env.clone();
    let now = aside(move || project_fingerprint(&env)).await;
    decision.follow(&now)?;
    Ok(Some(now))
}

async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// What the project looks like, with what its settings and packages lead to.
pub fn project_fingerprint(env: &Environment) -> Fingerprint {
    let trusted = Settings::load(env, true);
    let found = discover(env, &trusted, &DiscoveryOptions::default());
    let of_project = |origin: ExtensionOrigin| origin.layer() == Some(Layer::Project);
    let extensions = found.extensions.iter().filter(|extension| of_project(extension.origin));
    let mut more: Vec<PathBuf> = extensions.flat_map(|extension| code_of(extension, &env.cwd)).collect();
    let resources = found.resources.iter().filter(|resource| of_project(resource.origin));
    more.extend(resources.map(|resource| resource.path.clone()));
    for kind in [ResourceKind::Skills, ResourceKind::Prompts] {
        let entries = trusted.resource_entries_of(Layer::Project, kind);
        let paths = entries.iter().filter(|entry| !PathFilter::is_pattern(&entry.entry));
        more.extend(paths.map(|entry| env.resolve(&entry.entry, &entry.base)));
    }
    Fingerprint::of(env, &more)
}

/// The files of an extension: its package or its folder, but not the whole project.
fn code_of(extension: &FoundExtension, cwd: &Path) -> Vec<PathBuf> {
    let folder = extension.package_root.as_deref().or_else(|| extension.path.parent());
    let folder = folder.filter(|folder| !cwd.starts_with(folder)).map(Path::to_path_buf);
    let manifest = extension.package_root.as_ref().map(|root| root.join("package.json"));
    [Some(extension.path.clone()), manifest, folder].into_iter().flatten().collect()
}

async fn ask<'a>(
    question: &TrustQuestion,
    hooks: &Hooks,
    options: &'a [TrustOption],
    changes: &[FileChange],
) -> Option<&'a TrustOption> {
    let folder = question.folder();
    let files: Vec<String> = question
        .resources()
        .iter()
        .map(|path| path.strip_prefix(folder).unwrap_or(path).display().to_string())
        .collect();
    let title = match changes.is_empty() {
        true => format!(
            "Trust the project in {}? Its files can run code and instruct the model: {}",
            folder.display(),
            files.join(", ")
        ),
        false => format!(
            "Still trust the project in {}? Files that can run code or instruct the model are different: {}",
            folder.display(),
            changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        ),
    };
    let options_shown = options.iter().map(|option| option.label.clone()).collect();
    let request = DialogRequest::new(Arc::from("tau"), DialogKind::Select { title, options: options_shown });
    let answer = hooks.dialogs.ask(request, &CancellationToken::new(), || ()).await.into_value()?;
    options.iter().find(|option| option.label == answer)
}
