//! What the model reads before the conversation: the system prompt, with its resources and rules.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tau_hooks::ThemeInfo;
use tokio::sync::watch;

use super::lock::{Guard, Mutex, Part, Rank, RwLock};
use crate::prompt::SystemPrompt;
use crate::resources::{ContextWatch, LoadOptions, Resources, Theme};
use crate::rules::{Memory, RuleSet};
use tau_script::PatternEngine;

const CONTEXTS: Rank = Rank::new(Part::Prompting, 0);
const LOADED: Rank = Rank::new(Part::Prompting, 1);

/// The resources of a session and what was made of them.
pub(crate) struct Prompting {
    loaded: RwLock<Loaded>,
    /// Where context files may be, as it looked when they were read.
    contexts: Mutex<ContextWatch>,
    /// What is remembered of the stream rules.
    rule_memory: Mutex<Memory>,
    /// Whether extensions named any of what is loaded.
    has_discovered: AtomicBool,
    /// Makes the expressions of stream rules ready; absent in programs that bring none.
    pub(crate) patterns: Option<Arc<dyn PatternEngine>>,
    /// What the command line says about resources.
    pub(crate) options: LoadOptions,
    /// Where the manual lies; unknown until it is there, and when it cannot be written.
    pub(crate) docs_dir: OnceLock<PathBuf>,
    /// Reports that something else is loaded, or that another theme is in use.
    changes: watch::Sender<()>,
}

#[derive(Default)]
struct Loaded {
    resources: Arc<Resources>,
    /// `None` without rules.
    rules: Option<Arc<RuleSet>>,
    /// The standard system prompt, in parts and as the text that they give.
    prompt: SystemPrompt,
    text: Arc<str>,
    themes: Themes,
}

/// The colour theme in use.
#[derive(Debug, Default, Clone)]
pub(crate) struct Themes {
    pub(crate) current: Option<Arc<ThemeInfo>>,
    /// What was chosen since the session began: a value of the setting `theme`.
    pub(crate) chosen: Option<String>,
    /// Colours that an extension shows everything in.
    pub(crate) shown: Option<Arc<ThemeInfo>>,
    /// A name that was reported to be unknown.
    pub(crate) reported: Option<String>,
}

impl Prompting {
    pub(crate) fn new(options: LoadOptions, patterns: Option<Arc<dyn PatternEngine>>) -> Self {
        Self {
            loaded: RwLock::new(LOADED, Loaded::default()),
            contexts: Mutex::new(CONTEXTS, ContextWatch::default()),
            rule_memory: Mutex::new(CONTEXTS, Memory::default()),
            has_discovered: AtomicBool::new(false),
            patterns,
            options,
            docs_dir: OnceLock::new(),
            changes: watch::Sender::default(),
        }
    }

    /// Skills, templates, themes and context files.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        Arc::clone(&self.loaded.read().resources)
    }

    pub(crate) fn set_resources(&self, resources: Arc<Resources>) {
        self.loaded.write().resources = resources;
    }

    /// Puts a theme in the place of the one from the same file; whether there is one, and it was another.
    pub(crate) fn replace_theme(&self, theme: Theme) -> bool {
        let mut loaded = self.loaded.write();
        let at = loaded.resources.themes.iter().position(|other| other.file_path == theme.file_path);
        let Some(at) = at.filter(|at| loaded.resources.themes[*at] != theme) else { return false };
        Arc::make_mut(&mut loaded.resources).themes[at] = theme;
        true
    }

    /// Something else is loaded, or another theme is in use.
    pub(crate) fn report_change(&self) {
        self.changes.send_replace(());
    }

    /// Learns of each [`Prompting::report_change`] from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// The standard system prompt, in named parts with their authors.
    pub(crate) fn parts(&self) -> SystemPrompt {
        self.loaded.read().prompt.clone()
    }

    /// The standard system prompt.
    pub(crate) fn text(&self) -> Arc<str> {
        Arc::clone(&self.loaded.read().text)
    }

    pub(crate) fn set_prompt(&self, prompt: SystemPrompt) {
        let text = prompt.text().into();
        let mut loaded = self.loaded.write();
        loaded.prompt = prompt;
        loaded.text = text;
    }

    /// The rules that are ready, if there are any.
    pub(crate) fn rules(&self) -> Option<Arc<RuleSet>> {
        self.loaded.read().rules.clone()
    }

    pub(crate) fn set_rules(&self, rules: Option<Arc<RuleSet>>) {
        self.loaded.write().rules = rules;
    }

    /// What is remembered of the rules.
    pub(crate) fn rule_memory(&self) -> Guard<parking_lot::MutexGuard<'_, Memory>> {
        self.rule_memory.lock()
    }

    /// The context files are about to be read.
    pub(crate) fn watch_contexts(&self, watch: ContextWatch) {
        *self.contexts.lock() = watch;
    }

    /// Whether context files may have changed since they were last read.
    pub(crate) fn contexts_may_have_changed(&self) -> bool {
        self.contexts.lock().may_have_changed()
    }

    /// Takes note of whether extensions named any of what is loaded; whether they did before.
    pub(crate) fn note_discovered(&self, discovered: bool) -> bool {
        self.has_discovered.swap(discovered, Ordering::AcqRel)
    }

    pub(crate) fn themes(&self) -> Themes {
        self.loaded.read().themes.clone()
    }

    pub(crate) fn change_themes<T>(&self, change: impl FnOnce(&mut Themes) -> T) -> T {
        change(&mut self.loaded.write().themes)
    }
}
