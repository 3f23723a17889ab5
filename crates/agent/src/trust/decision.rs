//! The decision, in the order in which answers count.

use std::path::{Path, PathBuf};

use super::fingerprint::{FileChange, Fingerprint};
use super::reason::Reason;
use super::resources::{real, resources_needing_trust};
use super::store::{TrustEntry, TrustError, TrustStore};
use crate::settings::{Environment, Settings, keys};

/// The setting `defaultProjectTrust`: what counts when nobody answered before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DefaultTrust {
    /// Ask the user; without a user interface the answer is no.
    #[default]
    Ask,
    /// Trust.
    Always,
    /// Do not trust.
    Never,
}

/// What a handler of the `project_trust` event answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandlerAnswer {
    /// The answer.
    pub trusted: bool,
    /// Whether to keep it in `trust.json`.
    pub remember: bool,
}

/// Whether the project is trusted, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The answer.
    pub trusted: bool,
    /// Where it came from.
    pub why: Reason,
    /// Project files that are left out; empty when trusted.
    pub skipped: Vec<PathBuf>,
    /// An answer that was to be remembered but could not be; it counts for this run all the same.
    pub not_saved: Option<TrustError>,
    /// There was nothing to decide about, so not everybody was consulted.
    provisional: bool,
    cwd: PathBuf,
    store: TrustStore,
    /// What the project looked like, when that matters.
    now: Option<Fingerprint>,
}

/// A choice to show to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustOption {
    /// The text of the choice.
    pub label: String,
    /// What it means for this run.
    pub trusted: bool,
    /// What it changes in `trust.json`.
    pub updates: Vec<(PathBuf, Option<bool>)>,
}

/// What is known after everything but the user was consulted.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is taken apart at once")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The decision.
    Decided(Decision),
    /// The user must choose; pass the choice to [`TrustQuestion::chosen`].
    Ask(Vec<TrustOption>),
    /// The same, because these files changed since they were trusted.
    AskAgain(Vec<TrustOption>, Vec<FileChange>),
}

/// The question for one project.
///
/// In two steps, so that event handlers and dialogs can be awaited in between: when [`needs_decision`] says so, fire
/// `project_trust` and pass the answer to [`decide`].
///
/// [`needs_decision`]: TrustQuestion::needs_decision
/// [`decide`]: TrustQuestion::decide
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustQuestion {
    cwd: PathBuf,
    flag: Option<bool>,
    resources: Vec<PathBuf>,
    store: TrustStore,
    /// What the project looks like, when a remembered answer shall hold for its files as they were.
    now: Option<Fingerprint>,
}

impl DefaultTrust {
    /// Reads the setting. Only the user's own file counts.
    pub fn from_settings(settings: &Settings) -> Self {
        match settings.of(keys::DEFAULT_PROJECT_TRUST) {
            "always" => Self::Always,
            "never" => Self::Never,
            _ => Self::Ask,
        }
    }
}

impl TrustQuestion {
    /// Looks what the project in the working directory has. `flag` is `--approve` (true) or `--no-approve` (false).
    pub fn new(env: &Environment, flag: Option<bool>) -> Self {
        Self {
            cwd: real(&env.cwd),
            flag,
            resources: resources_needing_trust(env),
            store: TrustStore::new(&env.agent_dir()),
            now: None,
        }
    }

    /// Lets a remembered yes hold only while the project looks as it did then.
    #[must_use]
    pub fn watching(mut self, now: Fingerprint) -> Self {
        self.now = Some(now);
        self
    }

    /// Asks about more files of the project: those that extensions name.
    #[must_use]
    pub(crate) fn about_also(mut self, more: impl IntoIterator<Item = PathBuf>) -> Self {
        for path in more {
            if !self.resources.contains(&path) {
                self.resources.push(path);
            }
        }
        self
    }

    /// What the project looks like, when a remembered yes holds only while that does not change.
    pub fn watched(&self) -> Option<&Fingerprint> {
        self.now.as_ref()
    }

    /// Whether extensions may have to be asked: no flag was given and the project has files that need trust.
    pub fn needs_decision(&self) -> bool {
        self.flag.is_none() && !self.resources.is_empty()
    }

    /// Whether a flag answers.
    pub(crate) fn has_flag(&self) -> bool {
        self.flag.is_some()
    }

    /// The folder of the project.
    pub fn folder(&self) -> &Path {
        &self.cwd
    }

    /// The files in question.
    pub fn resources(&self) -> &[PathBuf] {
        &self.resources
    }

    /// Decides from the flag, the answer of a handler, the remembered answers and the default, in this order. Without any
    /// of them, and with nothing to trust, the project is [undecided](Decision::is_undecided).
    pub fn decide(&self, handler: Option<HandlerAnswer>, default: DefaultTrust, has_ui: bool) -> Verdict {
        if let Some(trusted) = self.flag {
            return Verdict::Decided(self.decision(trusted, Reason::Flag));
        }
        if let Some(answer) = handler {
            let mut decision = self.decision(answer.trusted, Reason::Handler);
            if answer.remember {
                decision.not_saved = self.keep(&[(self.cwd.clone(), Some(answer.trusted))], answer.trusted).err();
            }
            return Verdict::Decided(decision);
        }
        Verdict::Decided(match (self.store.nearest(&self.cwd), default) {
            (Ok(Some(TrustEntry { folder, trusted: true })), _) => return self.remembered(folder, has_ui),
            (Ok(Some(TrustEntry { folder, .. })), _) => self.decision(false, Reason::Remembered(folder)),
            // "Always" would overrule a "no" that cannot be read.
            (Err(error), _) => self.decision(false, Reason::Unreadable(error)),
            (Ok(None), DefaultTrust::Always) => self.decision(true, Reason::Default),
            (Ok(None), DefaultTrust::Never) => self.decision(false, Reason::Default),
            // Nobody is asked about nothing, and nothing is no reason to trust what comes later.
            (Ok(None), DefaultTrust::Ask) if self.resources.is_empty() => self.decision(false, Reason::NothingToTrust),
            (Ok(None), DefaultTrust::Ask) if has_ui => return Verdict::Ask(self.options()),
            (Ok(None), DefaultTrust::Ask) => self.decision(false, Reason::NobodyToAsk),
        })
    }

    /// A remembered yes, unless files changed since.
    fn remembered(&self, folder: PathBuf, has_ui: bool) -> Verdict {
        let yes = |folder| self.decision(true, Reason::Remembered(folder));
        let Some(now) = &self.now else { return Verdict::Decided(yes(folder)) };
        match self.store.record().changes(&self.cwd, now) {
            Ok(Some(changes)) if changes.is_empty() => Verdict::Decided(yes(folder)),
            Ok(Some(changes)) if has_ui => Verdict::AskAgain(self.options(), changes),
            Ok(Some(changes)) => Verdict::Decided(self.decision(false, Reason::Changed(changes))),
            // It was trusted before anybody looked: from now on this is what was trusted.
            Ok(None) => {
                let not_saved = self.store.record().set(&self.cwd, now).err();
                Verdict::Decided(Decision { not_saved, ..yes(folder) })
            }
            Err(error) => Verdict::Decided(self.decision(false, Reason::Unreadable(error))),
        }
    }

    /// Remembers answers, and with a yes what the project looks like.
    fn keep(&self, updates: &[(PathBuf, Option<bool>)], trusted: bool) -> Result<(), TrustError> {
        self.store.update(updates)?;
        match (&self.now, trusted) {
            (Some(now), true) => self.store.record().set(&self.cwd, now),
            _ => Ok(()),
        }
    }

    /// The decision when a handler of `project_trust` failed: nobody knows what it would have said.
    pub(crate) fn handler_failed(&self, extension: &str, error: &str) -> Decision {
        match self.flag {
            Some(trusted) => self.decision(trusted, Reason::Flag),
            None => self.decision(false, Reason::HandlerFailed(extension.to_owned(), error.to_owned())),
        }
    }

    /// A decision that was made earlier in this run, with the files that are there now.
    pub fn again(&self, before: &Decision) -> Decision {
        Decision { provisional: false, ..self.decision(before.trusted, before.why.clone()) }
    }

    /// The decision after the user chose; `None` when they closed the dialog, which means no.
    pub fn chosen(&self, option: Option<&TrustOption>) -> Decision {
        let mut decision = self.decision(option.is_some_and(|option| option.trusted), Reason::User);
        if let Some(option) = option.filter(|option| !option.updates.is_empty()) {
            decision.not_saved = self.keep(&option.updates, option.trusted).err();
        }
        decision
    }

    fn options(&self) -> Vec<TrustOption> {
        let option = |label: String, trusted, updates| TrustOption { label, trusted, updates };
        let here = |answer| vec![(self.cwd.clone(), Some(answer))];
        let mut options = vec![option("Trust".into(), true, here(true))];
        if let Some(parent) = self.cwd.parent() {
            let updates = vec![(parent.to_path_buf(), Some(true)), (self.cwd.clone(), None)];
            options.push(option(format!("Trust parent folder ({})", parent.display()), true, updates));
        }
        options.push(option("Trust (this session only)".into(), true, Vec::new()));
        options.push(option("Do not trust".into(), false, here(false)));
        options.push(option("Do not trust (this session only)".into(), false, Vec::new()));
        options
    }

    fn decision(&self, trusted: bool, why: Reason) -> Decision {
        let skipped = if trusted { Vec::new() } else { self.resources.clone() };
        Decision {
            trusted,
            why,
            skipped,
            not_saved: None,
            provisional: self.resources.is_empty() && self.flag.is_none(),
            cwd: self.cwd.clone(),
            store: self.store.clone(),
            now: self.now.clone(),
        }
    }
}

/// How to trust a project, where a user may want to.
const ADVICE: &str =
    " Start with --approve to load them for this run, or trust the project with `tau -p \"/trust yes\"`.";

impl Decision {
    /// The folder that was decided about.
    pub fn folder(&self) -> &Path {
        &self.cwd
    }

    /// Whether nobody has decided, because there is nothing to decide about. Until somebody does, nothing is trusted.
    pub fn is_undecided(&self) -> bool {
        self.why == Reason::NothingToTrust
    }

    /// Whether it is made again when something needs trust, because extensions were not asked about nothing.
    pub(crate) fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// Takes over what the project looks like by now, because tau itself changed it: installed packages, for example.
    /// Nothing happens unless it was trusted for good as it was.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn follow(&self, now: &Fingerprint) -> Result<(), TrustError> {
        let record = self.store.record();
        let Some(before) = self.now.as_ref().filter(|before| *before != now) else { return Ok(()) };
        match record.changes(&self.cwd, before)? {
            Some(changes) if changes.is_empty() => record.set(&self.cwd, now),
            _ => Ok(()),
        }
    }

    /// What the project looked like, when a remembered answer holds only while that does not change.
    pub fn watched(&self) -> Option<&Fingerprint> {
        self.now.as_ref()
    }

    /// What to tell the user on stderr when project files were left out: which, why, and how to load them.
    pub fn notice(&self) -> Option<String> {
        if self.skipped.is_empty() {
            return None;
        }
        let files: Vec<_> = self.skipped.iter().map(|path| self.short(path)).collect();
        // A user who forbids it by a flag knows the other one.
        let advice = if self.why == Reason::Flag { "" } else { ADVICE };
        Some(format!("Project files not loaded ({}): {}.{advice}", self.why, files.join(", ")))
    }

    fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.cwd).unwrap_or(path).display().to_string()
    }
}
