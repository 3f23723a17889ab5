//! What stays at the bottom: what waits, what is under way, the editor, the footer.

mod draw;
mod totals;
mod widgets;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tau_agent::AgentSession;
use tau_agent::settings::Environment;
use tau_hooks::dialogs::{WidgetPlacement, WorkingIndicator};
use tau_hooks::payload::CompactReason;
use tau_tui::blocks::{Pending, Working};
use tau_tui::screen::LineCache;

pub(crate) use self::draw::Parts;
use self::widgets::Widgets;
use crate::mounts::Slot;

/// What is under way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Work {
    /// A run.
    Running,
    /// A pause before a request is repeated.
    Retrying { attempt: u32, max_attempts: u32, until: Instant },
    /// The conversation is compacted.
    Compacting(CompactReason),
}

/// What extensions want to be shown while the model works.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnWorking {
    pub(crate) message: Option<String>,
    pub(crate) is_hidden: bool,
    pub(crate) indicator: Option<WorkingIndicator>,
}

/// The parts of the dock but for the editor and what takes its place.
pub(crate) struct Dock {
    /// Extensions are bound, and prompts are taken.
    pub(crate) is_ready: bool,
    /// A line that the next one replaces.
    pub(crate) status: Option<String>,
    /// What is under way.
    pub(crate) work: Option<Work>,
    pub(crate) working: OwnWorking,
    /// The text of the editor is a command of the shell.
    pub(crate) is_bash: bool,
    /// The keys are listed.
    pub(crate) shows_keys: bool,
    /// What a command of the user says.
    pub(crate) status_line: Option<String>,
    /// There are several providers to choose from.
    pub(crate) names_provider: bool,
    /// How many providers there are.
    pub(crate) providers: usize,
    /// A command of tau that takes its time, in words.
    pub(crate) aside: Option<&'static str>,
    begun: Instant,
    pending: Pending,
    widgets: Widgets,
    counted: totals::Counted,
    folder: String,
    branch: Option<String>,
    lines: LineCache,
    /// Where things stood when it was drawn last.
    pub(crate) regions: Regions,
}

/// Lines of the dock.
#[derive(Clone, Default)]
pub(crate) struct Regions {
    /// The editor, with its rules; none while something else has its place.
    pub(crate) editor: Range<usize>,
    /// What has its place.
    pub(crate) panel: Range<usize>,
    /// What is suggested.
    pub(crate) completions: Range<usize>,
    /// Components beside the editor, and in the place of the footer.
    pub(crate) components: Vec<(Slot, Range<usize>)>,
}

impl Dock {
    pub(crate) fn new(env: &Environment) -> Self {
        Self {
            is_ready: false,
            status: None,
            work: None,
            working: OwnWorking::default(),
            is_bash: false,
            shows_keys: false,
            status_line: None,
            names_provider: false,
            providers: 0,
            aside: None,
            begun: Instant::now(),
            pending: Pending::default(),
            widgets: Widgets::default(),
            counted: totals::Counted::default(),
            folder: crate::paths::short(&env.cwd, env),
            branch: None,
            lines: LineCache::default(),
            regions: Regions::default(),
        }
    }

    /// Whether something of it changes by itself.
    pub(crate) fn moves(&self) -> bool {
        let indicator = self.working.indicator.as_ref().and_then(|indicator| indicator.frames.as_ref());
        let stands = self.working.is_hidden || indicator.is_some_and(|frames| frames.len() < 2);
        match &self.work {
            None => false,
            Some(Work::Retrying { .. }) => true,
            Some(_) => !stands,
        }
    }

    /// What waits for the model has changed.
    pub(crate) fn queued(&mut self, steering: Vec<String>, follow_up: Vec<String>) {
        (self.pending.steering, self.pending.follow_up) = (steering, follow_up);
    }

    /// The totals have to be counted again.
    pub(crate) fn forget_totals(&mut self) {
        self.counted.forget();
    }

    /// Models and who pays for them may be others.
    pub(crate) fn forget_model(&mut self) {
        self.counted.forget_login();
    }

    /// The folder that tools work in.
    pub(crate) fn set_folder(&mut self, env: &Environment) {
        (self.folder, self.branch) = (crate::paths::short(&env.cwd, env), None);
    }

    /// The branch of that folder.
    pub(crate) fn set_branch(&mut self, branch: Option<String>) {
        self.branch = branch;
    }

    /// What the footer says, for programs.
    pub(crate) fn state(&mut self, session: &AgentSession, env: &Environment) -> serde_json::Value {
        let (totals, context) = (self.counted.totals(session), self.counted.context(session));
        crate::status_line::state(session, env, &totals, &context, self.branch.as_deref())
    }

    /// The text of a status of an extension.
    pub(crate) fn set_status(&mut self, owner: &Arc<str>, key: &str, text: Option<&str>) {
        self.widgets.set_status(owner, key, text);
    }

    /// The lines of a widget of an extension.
    pub(crate) fn set_widget(&mut self, owner: &Arc<str>, key: &str, lines: &[String], placement: WidgetPlacement) {
        self.widgets.set(owner, key, lines, placement);
    }

    /// A component of an extension beside the editor.
    pub(crate) fn set_component(&mut self, owner: &Arc<str>, key: &str, slot: Slot, placement: WidgetPlacement) {
        self.widgets.set_component(owner, key, slot, placement);
    }

    /// Removes what an extension has put beside the editor; the component that it was.
    pub(crate) fn remove_widget(&mut self, key: &str) -> Option<Slot> {
        self.widgets.remove(key)
    }

    /// Removes a component from beside the editor.
    pub(crate) fn remove_slot(&mut self, id: u64) {
        self.widgets.remove_slot(id);
    }

    /// What extensions say in the footer, by key.
    pub(crate) fn statuses(&self) -> Vec<(String, String)> {
        self.widgets.statuses()
    }

    /// The branch of the folder.
    pub(crate) fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// An extension is gone, with all it has put here.
    pub(crate) fn remove_owner(&mut self, owner: &Arc<str>) {
        self.widgets.remove_owner(owner);
    }

    /// Another session begins: what extensions have put here belongs to the one before.
    pub(crate) fn reset(&mut self) {
        self.widgets = Widgets::default();
        self.working = OwnWorking::default();
        self.pending = Pending::default();
        (self.work, self.status) = (None, None);
        self.counted.forget();
    }

    /// What is under way, in words; `next` is what the key does before it stops that.
    fn working(&self, key: &str, next: Option<&str>) -> Option<Working> {
        let hint = |does: &str| (!key.is_empty()).then(|| format!("{key} to {}", next.unwrap_or(does)));
        let Some(work) = &self.work else {
            let message = self.aside?.to_owned();
            return Some(Working { message, frames: None, hint: hint("cancel") });
        };
        let (message, does) = match work {
            Work::Running => ("Working".to_owned(), "interrupt"),
            Work::Retrying { attempt, max_attempts, until } => {
                let left = until.saturating_duration_since(Instant::now()).as_secs_f64().ceil();
                (format!("Retrying ({attempt}/{max_attempts}) in {left}s"), "cancel")
            }
            Work::Compacting(CompactReason::Manual) => ("Compacting context".to_owned(), "cancel"),
            Work::Compacting(CompactReason::Overflow) => ("Context overflow detected, compacting".to_owned(), "cancel"),
            Work::Compacting(_) => ("Compacting automatically".to_owned(), "cancel"),
        };
        let own = &self.working;
        let message = own.message.clone().filter(|_| *work == Work::Running).unwrap_or(message);
        let frames = own.indicator.as_ref().and_then(|indicator| indicator.frames.clone());
        Some(Working { message, frames, hint: hint(does) })
    }

    /// The number of the frame that is shown now.
    fn frame(&self) -> usize {
        let own = self.working.indicator.as_ref().and_then(|indicator| indicator.interval);
        let interval = own.unwrap_or(Working::INTERVAL).max(Duration::from_millis(16));
        usize::try_from(self.begun.elapsed().as_millis() / interval.as_millis()).unwrap_or(0)
    }
}
