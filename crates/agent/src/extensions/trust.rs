//! Asking extensions and the user whether a project is trusted, whenever something of it would load.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_hooks::dialogs::{DialogKind, DialogRequest};
use tau_hooks::events::{EventId, ProjectTrust};
use tau_hooks::payload::{ProjectTrustEvent, TrustDecision};
use tau_hooks::{Dispatched, HandlerError, Hooks, LoadError, Mode, Report};
use tau_session::SessionError;
use tokio_util::sync::CancellationToken;

use super::builtins::is_builtin_on;
use super::discover::discover;
use super::options::DiscoveryOptions;
use super::set::Extensions;
use super::startup::startup_scope;
use super::words::files_named_in;
use crate::children::Announcement;
use crate::found::{Form, FoundExtension};
use crate::origin::ExtensionOrigin;
use crate::resources::PathFilter;
use crate::rules::rules_of_project;
use crate::settings::{COMMAND_RULES, Environment, Layer, PROMPT_RULES, ResourceKind, Settings, SettingsStore};
use crate::trust::{
    Decision, DefaultTrust, FileChange, Fingerprint, HandlerAnswer, TrustOption, TrustQuestion, Verdict,
    command_rules_of, real,
};

impl Extensions {
    /// Decides whether the project is trusted, and nothing else. When the decision may be one for extensions, those of the
    /// user and of the command line are loaded for it; `settings` are those that count without trust.
    ///
    /// # Errors
    /// As [`Extensions::start`].
    pub async fn decide_trust(
        &self,
        settings: &Arc<Settings>,
        approve: Option<bool>,
        mode: Mode,
    ) -> Result<Decision, SessionError> {
        self.set_flag(approve);
        self.decide_first(settings, mode).await
    }

    /// Takes note of the flag of the command line, given in the working directory of now. What holds for the session that
    /// started this program holds here, too.
    pub(super) fn set_flag(&self, approve: Option<bool>) {
        let approve = if Announcement::of(&self.env()).distrusts { Some(false) } else { approve };
        self.answers.lock().set_flag(&real(&self.env().cwd), approve);
    }

    /// Whether the command line says that no project is trusted.
    pub(crate) fn never_trusts(&self) -> bool {
        self.answers.lock().never_trusts()
    }

    /// Decides and keeps the answer. Extensions that may have to be asked are loaded first, but none of the project.
    pub(super) async fn decide_first(&self, untrusted: &Arc<Settings>, mode: Mode) -> Result<Decision, SessionError> {
        let question = self.question(untrusted).await;
        let decision = match self.known(&question) {
            Some(decision) => decision,
            None => {
                if question.needs_decision() {
                    let found = self.discover(untrusted).await;
                    self.load(&found, untrusted).await;
                    self.shut_early(&found, untrusted);
                }
                self.consult(&question, untrusted, mode).await?
            }
        };
        self.answers.lock().keep(&decision);
        Ok(decision)
    }

    /// Decides with the extensions that are loaded, unless it is decided already.
    pub(super) async fn decide(&self, settings: &Settings, mode: Mode) -> Result<Decision, SessionError> {
        let question = self.question(settings).await;
        match self.known(&question) {
            Some(decision) => Ok(decision),
            None => self.consult(&question, settings, mode).await,
        }
    }

    /// Whether a reload loads the project's files, asked if nobody decided so far or if files changed and the user wants
    /// to be asked. `settings` are those that count without trust.
    ///
    /// # Errors
    /// When the project was trusted and is not as it is now.
    pub(super) async fn trusted_for_reload(&self, settings: &Settings, mode: Mode) -> Result<bool, Vec<LoadError>> {
        let project = self.env().project_dir().display().to_string();
        let refused = |why: String| vec![LoadError::new(project.clone(), &HandlerError::msg(why))];
        let decision = self.decide(settings, mode).await.map_err(|error| refused(error.to_string()))?;
        let was_trusted = self.answers.lock().of(decision.folder()).is_some_and(|known| known.decision.trusted);
        if was_trusted && !decision.trusted && !decision.is_provisional() {
            return Err(refused(format!("the project is not trusted: {}", decision.why)));
        }
        self.answers.lock().keep(&decision);
        self.tell_left_out(&decision);
        Ok(decision.trusted)
    }

    /// Whether files of the project that extensions named may be read, asked if nobody decided so far. After a yes the
    /// project's settings count too. A refusal is reported with the names of the files.
    pub(crate) async fn admits(&self, named: Vec<PathBuf>, settings: &SettingsStore, mode: Mode) -> bool {
        let untrusted = settings.snapshot();
        let question = self.question(&untrusted).await.about_also(named);
        let decided = match self.known(&question) {
            Some(decision) => Ok(decision),
            None => self.consult(&question, &untrusted, mode).await,
        };
        match decided {
            Ok(decision) => {
                self.answers.lock().keep(&decision);
                self.tell_left_out(&decision);
                if decision.trusted {
                    settings.reload(true);
                }
                decision.trusted
            }
            Err(error) => {
                self.tell_of_trust(error.to_string());
                false
            }
        }
    }

    /// Takes over what the project looks like after tau installed its packages.
    pub(super) async fn follow(&self, decision: &Decision) {
        if !decision.trusted || decision.watched().is_none() {
            return;
        }
        let env = self.env();
        let now = aside(move || project_fingerprint(&env)).await;
        match decision.follow(&now) {
            Ok(()) => self.answers.lock().saw(decision.folder(), now),
            Err(error) => self.tell_of_trust(error.to_string()),
        }
    }

    /// Tells which files of the project are left out, when those are others than the user was told of.
    pub(super) fn tell_left_out(&self, decision: &Decision) {
        if let Some(error) = &decision.not_saved {
            self.tell_of_trust(format!("the answer could not be kept: {error}"));
        }
        let is_news = self.answers.lock().is_news(decision);
        decision.notice().filter(|_| is_news).into_iter().for_each(|notice| self.tell_of_trust(notice));
    }

    pub(super) fn tell_of_trust(&self, text: String) {
        self.hooks.dispatcher.reports.send(&Report::diagnostic("trust", "project_trust", text));
    }

    async fn question(&self, settings: &Settings) -> TrustQuestion {
        let env = self.env();
        let flag = self.answers.lock().flag_for(&real(&env.cwd));
        let question = question(&env, flag, settings).await;
        // The command line may name the extension that reads them, which is not known where files are listed.
        let is_on = |name| is_builtin_on(name, &self.options(), settings);
        let env = Environment { cwd: real(&env.cwd), ..env };
        let mut more = Vec::new();
        if is_on(PROMPT_RULES) {
            more.extend(rules_of_project(&env, true));
        }
        if is_on(COMMAND_RULES) {
            more.extend(command_rules_of(&env));
        }
        if more.is_empty() { question } else { question.about_also(more) }
    }

    /// The decision of earlier in this run, unless files changed since the project was trusted and that matters.
    fn known(&self, question: &TrustQuestion) -> Option<Decision> {
        let answers = self.answers.lock();
        let known = answers.of(question.folder()).filter(|_| !question.has_flag())?;
        let is_same = question.watched().is_none() || question.watched() == known.seen.as_ref();
        (is_same || !known.decision.trusted).then(|| question.again(&known.decision))
    }

    /// Decides, with the extensions that are loaded and the user.
    async fn consult(
        &self,
        question: &TrustQuestion,
        settings: &Settings,
        mode: Mode,
    ) -> Result<Decision, SessionError> {
        let (env, hooks) = (&self.env(), &self.hooks);
        let mut answer = None;
        let (event, dispatcher) = (EventId::ProjectTrust, &hooks.dispatcher);
        if question.needs_decision() && (dispatcher.has_handlers(event) || dispatcher.lacks_guard(event)) {
            let cwd = env.cwd.display().to_string();
            let scope = startup_scope(env, mode, self.leftovers())?;
            let done = hooks.dispatcher.dispatch::<ProjectTrust>(&scope, || ProjectTrustEvent { cwd }).await;
            answer = match done {
                Dispatched::Shut { shut, .. } => {
                    return Ok(question.handler_failed(&shut.extension, &shut.error.to_string()));
                }
                Dispatched::Unheard => None,
                Dispatched::Done(folded)
                | Dispatched::Stopped { folded, .. }
                | Dispatched::Cancelled { folded, .. }
                | Dispatched::Withheld { folded, .. } => folded.output,
            };
            answer = answer.filter(|output| output.trusted != TrustDecision::Undecided);
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
}

/// The question whether the project is trusted; one that is asked again when files change, if the user wants that.
pub fn trust_question(env: &Environment, approve: Option<bool>, settings: &Settings) -> TrustQuestion {
    let question = TrustQuestion::new(env, approve);
    if watches(&question, settings) { question.watching(project_fingerprint(env)) } else { question }
}

/// As [`trust_question`], where others wait: reading the whole project happens elsewhere.
async fn question(env: &Environment, approve: Option<bool>, settings: &Settings) -> TrustQuestion {
    let question = TrustQuestion::new(env, approve);
    if !watches(&question, settings) {
        return question;
    }
    let env = env.clone();
    question.watching(aside(move || project_fingerprint(&env)).await)
}

/// Whether it matters what the project looks like. It does also while there is nothing that needs trust: what comes later
/// is new then.
fn watches(question: &TrustQuestion, settings: &Settings) -> bool {
    !question.has_flag() && settings.tau().ask_on_change
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
    more.extend(rules_of_project(env, false));
    more.extend(
        trusted.shell_path().filter(|shell| trusted.shell_in_project().is_some() || shell.starts_with(&env.cwd)),
    );
    if let Some(prefix) = trusted.shell_command_prefix() {
        more.extend(files_named_in(prefix, env, None));
    }
    let extensions = found.extensions.iter().filter(|extension| of_project(extension.origin));
    more.extend(extensions.flat_map(|extension| match &extension.form {
        Form::Shell(hook) => {
            hook.command().map_or_else(Vec::new, |command| files_named_in(command, env, hook.plugin.as_deref()))
        }
        Form::Module | Form::Unusable(_) => Vec::new(),
    }));
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
    let title = if changes.is_empty() {
        format!(
            "Trust the project in {}? Its files can run code and instruct the model: {}",
            folder.display(),
            files.join(", ")
        )
    } else {
        format!(
            "Still trust the project in {}? Files that can run code or instruct the model are different: {}",
            folder.display(),
            changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        )
    };
    let options_shown = options.iter().map(|option| option.label.clone()).collect();
    let request = DialogRequest::new(Arc::from("tau"), DialogKind::Select { title, options: options_shown });
    let answer = hooks.dialogs.ask(request, &CancellationToken::new(), || ()).await.into_value()?;
    options.iter().find(|option| option.label == answer)
}
