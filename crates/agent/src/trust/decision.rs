//! The decision, in the order in which answers count.

use std::fmt;
use std::path::{Path, PathBuf};

use super::resources::{real, resources_needing_trust};
use super::store::{TrustEntry, TrustError, TrustStore};
use crate::settings::{Environment, Settings};

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

/// Where the answer came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// `--approve` or `--no-approve`.
    Flag,
    /// The project has nothing that needs trust.
    NothingToTrust,
    /// A handler of `project_trust`.
    Handler,
    /// A handler of `project_trust` that failed: the extension, and how.
    HandlerFailed(String, String),
    /// A remembered answer, for this folder or one above it.
    Remembered(PathBuf),
    /// The setting `defaultProjectTrust`.
    Default,
    /// The user, just now.
    User,
    /// Nobody could be asked.
    NobodyToAsk,
    /// The remembered answers cannot be read, so they may well say no.
    Unreadable(TrustError),
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
    cwd: PathBuf,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The decision.
    Decided(Decision),
    /// The user must choose; pass the choice to [`TrustQuestion::chosen`].
    Ask(Vec<TrustOption>),
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
}

impl DefaultTrust {
    /// Reads the setting. Only the user's own file counts.
    pub fn from_settings(settings: &Settings) -> Self {
        match settings.text("defaultProjectTrust") {
            Some("always") => Self::Always,
            Some("never") => Self::Never,
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
        }
    }

    /// Whether there is anything to decide: no flag was given and the project has files that need trust.
    pub fn needs_decision(&self) -> bool {
        self.flag.is_none() && !self.resources.is_empty()
    }

    /// The folder of the project.
    pub fn folder(&self) -> &Path {
        &self.cwd
    }

    /// The files in question.
    pub fn resources(&self) -> &[PathBuf] {
        &self.resources
    }

    /// Decides from the flag, the answer of a handler, the remembered answers and the default, in this order.
    pub fn decide(&self, handler: Option<HandlerAnswer>, default: DefaultTrust, has_ui: bool) -> Verdict {
        if let Some(trusted) = self.flag {
            return Verdict::Decided(self.decision(trusted, Reason::Flag));
        }
        if self.resources.is_empty() {
            return Verdict::Decided(self.decision(true, Reason::NothingToTrust));
        }
        if let Some(answer) = handler {
            let mut decision = self.decision(answer.trusted, Reason::Handler);
            if answer.remember {
                decision.not_saved = self.store.update(&[(self.cwd.clone(), Some(answer.trusted))]).err();
            }
            return Verdict::Decided(decision);
        }
        Verdict::Decided(match (self.store.nearest(&self.cwd), default) {
            (Ok(Some(TrustEntry { folder, trusted })), _) => self.decision(trusted, Reason::Remembered(folder)),
            // "Always" would overrule a "no" that cannot be read.
            (Err(error), _) => self.decision(false, Reason::Unreadable(error)),
            (Ok(None), DefaultTrust::Always) => self.decision(true, Reason::Default),
            (Ok(None), DefaultTrust::Never) => self.decision(false, Reason::Default),
            (Ok(None), DefaultTrust::Ask) if has_ui => return Verdict::Ask(self.options()),
            (Ok(None), DefaultTrust::Ask) => self.decision(false, Reason::NobodyToAsk),
        })
    }

    /// The decision when a handler of `project_trust` failed: nobody knows what it would have said.
    pub fn handler_failed(&self, extension: &str, error: &str) -> Decision {
        match self.flag {
            Some(trusted) => self.decision(trusted, Reason::Flag),
            None => self.decision(false, Reason::HandlerFailed(extension.to_owned(), error.to_owned())),
        }
    }

    /// The decision after the user chose; `None` when they closed the dialog, which means no.
    pub fn chosen(&self, option: Option<&TrustOption>) -> Decision {
        let mut decision = self.decision(option.is_some_and(|option| option.trusted), Reason::User);
        if let Some(option) = option.filter(|option| !option.updates.is_empty()) {
            decision.not_saved = self.store.update(&option.updates).err();
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
        Decision { trusted, why, skipped, not_saved: None, cwd: self.cwd.clone() }
    }
}

impl Decision {
    /// What to tell the user on stderr when project files were left out: which, why, and how to load them.
    pub fn notice(&self) -> Option<String> {
        if self.skipped.is_empty() {
            return None;
        }
        let files: Vec<_> = self.skipped.iter().map(|path| self.short(path)).collect();
        Some(format!(
            "Project files not loaded ({}): {}. Start with --approve to load them for this run.",
            self.why,
            files.join(", ")
        ))
    }

    fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.cwd).unwrap_or(path).display().to_string()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("by a command line flag"),
            Self::NothingToTrust => f.write_str("nothing needs trust"),
            Self::Handler => f.write_str("decided by an extension"),
            Self::HandlerFailed(extension, error) => write!(f, "{extension} could not decide: {error}"),
            Self::Remembered(folder) => write!(f, "remembered for {}", folder.display()),
            Self::Default => f.write_str("by the setting defaultProjectTrust"),
            Self::User => f.write_str("decided by the user"),
            Self::NobodyToAsk => f.write_str("the folder is not trusted yet"),
            Self::Unreadable(error) => write!(f, "the remembered answers cannot be read: {error}"),
        }
    }
}
