//! [`AgentSession`]: the state of one session, and everything front ends and extensions can ask of it.
//!
//! It is no actor. Whatever answers from state does so at once, from any thread, because handlers ask while the
//! pipeline waits for them: locks are held for moments, and never across an `await`.

mod builder;
mod choices;
mod events;
mod export;
mod host;
mod lifecycle;
mod queues;
mod reload;
mod startup;
mod system_prompt;
mod tools;
mod work;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tau_ai::ModelRegistry;
use tau_ai::{Message, Model, ThinkingLevel};
use tau_hooks::payload::StreamingBehavior;
use tau_hooks::{HistoryMessage, Hooks, Host, Messages, Mode, Scope};
use tau_session::Session;
use tokio_util::sync::CancellationToken;

use crate::extensions::Extensions;
use crate::prompt::SystemPrompt;
use crate::resources::{LoadOptions, Resources};
use crate::settings::{Environment, SettingsStore, ToolExecution};

pub(crate) use builder::configure;
pub use builder::{SessionOptions, StartError};
pub use events::{SessionEvent, Update};
pub(crate) use host::entry_json;
pub(crate) use queues::{Queued, Queues};
pub use reload::{ReloadError, Reloaded};
pub(crate) use startup::scope as startup_scope;
pub use startup::session_directory;
pub use tools::ToolChoice;
pub(crate) use tools::ToolSet;

/// One session: a conversation, its tools, its extensions.
pub struct AgentSession {
    me: Weak<Self>,
    hooks: Arc<Hooks>,
    session: Arc<Session>,
    models: Arc<ModelRegistry>,
    settings: Arc<SettingsStore>,
    env: Environment,
    mode: Mode,
    tools: ToolSet,
    resources: RwLock<Arc<Resources>>,
    prompt: RwLock<PromptState>,
    state: Mutex<State>,
    queues: Mutex<Queues>,
    events: events::Events,
    background: work::Work,
    /// Held while a message is appended and taken into the history, so that both have the same order.
    keeping: Mutex<()>,
    lanes: Lanes,
    settle_gate: tokio::sync::RwLock<()>,
    exit: CancellationToken,
    shut: Mutex<bool>,
    load: LoadOptions,
    extensions: Option<Arc<Extensions>>,
    /// Held while extensions are loaded again.
    reloading: tokio::sync::Mutex<()>,
    docs_dir: Option<PathBuf>,
}

/// What is done without anybody waiting for it. Each kind keeps its own order, and none waits for another: a handler may
/// well open a dialog.
#[derive(Default)]
struct Lanes {
    /// Prompts and runs that extensions ask for, up to where they are queued or under way.
    prompts: work::Lane,
    dialogs: work::Lane,
    thinking: work::Lane,
    name: work::Lane,
    recorded: work::Lane,
}

/// The system prompt and what replaces it in this run.
#[derive(Default)]
struct PromptState {
    base: SystemPrompt,
    text: Arc<str>,
    run: Option<Arc<str>>,
}

struct State {
    history: Messages,
    model: Option<Arc<Model>>,
    thinking: ThinkingLevel,
    run: Option<CancellationToken>,
}

/// How long handlers may take for what is told after an abort.
const AFTER_ABORT: Duration = Duration::from_secs(5);

/// A run that is under way. While it is open no other can begin.
pub(crate) struct Run {
    pub(crate) cancel: CancellationToken,
    /// Fires some time after `cancel`.
    late: CancellationToken,
    session: Weak<AgentSession>,
    closed: bool,
    _work: work::Item,
}

impl Run {
    /// A scope that ends when the run is aborted. What is told after that, such as the end of the run, is told in a
    /// scope that ends a little later: an abort cuts off what is at work, it does not keep anybody from hearing of it,
    /// but it does not wait for them for ever either.
    pub(crate) fn scope(&self, session: &Arc<AgentSession>) -> Scope {
        let cancel = if self.cancel.is_cancelled() { &self.late } else { &self.cancel };
        Scope { host: Arc::clone(session) as Arc<dyn Host>, cancel: cancel.clone() }
    }

    /// Ends the run if nothing waits for it any more; afterwards the session is idle and queues take nothing. An
    /// aborted run ends in any case.
    pub(crate) fn close(&mut self) -> bool {
        let Some(session) = self.session.upgrade() else { return true };
        let queues = session.queues.lock();
        if !self.cancel.is_cancelled() && !queues.is_empty() {
            return false;
        }
        session.state.lock().run = None;
        self.closed = true;
        true
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.late.cancel();
        if let (false, Some(session)) = (self.closed, self.session.upgrade()) {
            session.state.lock().run = None;
        }
    }
}

/// Fires `late` some time after `cancel`. The run's own tokens end this together with the run.
async fn expire(cancel: CancellationToken, late: CancellationToken) {
    tokio::select! {
        () = cancel.cancelled() => {}
        () = late.cancelled() => return,
    }
    tokio::select! {
        () = tokio::time::sleep(AFTER_ABORT) => late.cancel(),
        () = late.cancelled() => {}
    }
}

impl AgentSession {
    /// The extensions of this session.
    pub fn hooks(&self) -> &Arc<Hooks> {
        &self.hooks
    }

    /// The tree of the session.
    pub fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session)
    }

    /// The models that can be chosen.
    pub fn models(&self) -> &Arc<ModelRegistry> {
        &self.models
    }

    /// The settings.
    pub fn settings(&self) -> &Arc<SettingsStore> {
        &self.settings
    }

    /// Skills, templates and context files.
    pub fn resources(&self) -> Arc<Resources> {
        Arc::clone(&self.resources.read())
    }

    /// Extensions that were found and loaded; `None` when there are only those of the program.
    pub fn extensions(&self) -> Option<&Arc<Extensions>> {
        self.extensions.as_ref()
    }

    /// What is loaded besides the standard folders.
    fn load_options(&self) -> LoadOptions {
        let mut load = self.load.clone();
        if let Some(extensions) = &self.extensions {
            load.packages.clone_from(&extensions.found().resources);
        }
        load
    }

    /// How tau was started.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The working directory.
    pub fn cwd(&self) -> &Path {
        &self.env.cwd
    }

    /// Listens to everything that happens. Listeners are called in order, on the thread that works.
    pub fn listen(&self, listener: impl Fn(&SessionEvent) + Send + Sync + 'static) {
        self.events.listen(listener);
    }

    /// The conversation as the model sees it next. Costs the same at any length.
    pub fn history(&self) -> Messages {
        self.state.lock().history.clone()
    }

    /// The last answer of the model behind the first `known` messages of the conversation.
    pub fn last_answer(&self, known: usize) -> Option<Arc<Message>> {
        let history = self.history();
        let new = history.items().skip(known).map(|item| item.message());
        new.rev().find(|message| message.as_assistant().is_some()).cloned()
    }

    /// Stops the run that is under way; does not wait for it.
    pub fn abort(&self) {
        if let Some(cancel) = &self.state.lock().run {
            cancel.cancel();
        }
    }

    /// Whether no run is under way.
    pub fn is_idle(&self) -> bool {
        self.state.lock().run.is_none()
    }

    /// Fires when the program shall end.
    pub fn exit_requested(&self) -> &CancellationToken {
        &self.exit
    }

    pub(crate) fn events(&self) -> &events::Events {
        &self.events
    }

    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    pub(crate) fn scope(self: &Arc<Self>) -> Scope {
        Scope::new(Arc::clone(self) as Arc<dyn Host>)
    }

    pub(crate) fn env(&self) -> &Environment {
        &self.env
    }

    pub(crate) fn keeping(&self) -> &Mutex<()> {
        &self.keeping
    }

    pub(crate) fn settle_gate(&self) -> &tokio::sync::RwLock<()> {
        &self.settle_gate
    }

    /// Begins a run unless one is under way or the session has ended.
    pub(crate) fn begin_run(&self) -> Option<Run> {
        if self.is_shut_down() {
            return None;
        }
        let mut state = self.state.lock();
        if state.run.is_some() {
            return None;
        }
        let cancel = CancellationToken::new();
        state.run = Some(cancel.clone());
        drop(state);
        let late = CancellationToken::new();
        tokio::spawn(expire(cancel.clone(), late.clone()));
        let work = self.background.begin();
        Some(Run { cancel, late, session: self.me.clone(), closed: false, _work: work })
    }

    /// Fires when the run that is under way is aborted; never without one.
    pub(crate) fn run_signal(&self) -> CancellationToken {
        self.state.lock().run.clone().unwrap_or_default()
    }

    pub(crate) fn push_history(&self, item: Arc<HistoryMessage>) {
        self.state.lock().history.push_item(item);
    }

    /// Takes the history from the session again, after an entry changed what is behind it.
    pub(crate) fn rebuild_history(&self) {
        let history = builder::history_of(&self.session);
        self.state.lock().history = history;
    }

    pub(crate) fn blocks_images(&self) -> bool {
        self.settings.snapshot().images().block_images
    }

    pub(crate) fn tool_execution(&self) -> ToolExecution {
        self.settings.snapshot().tau().tool_execution
    }

    // ---- Queues -------------------------------------------------------------------------------------------

    /// Puts a message into a queue of the run; gives it back when the run ended in the meantime and nobody would read
    /// the queue.
    pub(crate) fn queue(&self, behavior: StreamingBehavior, queued: Queued) -> Result<(), Queued> {
        let mut queues = self.queues.lock();
        if self.is_idle() {
            return Err(queued);
        }
        match behavior {
            StreamingBehavior::Steer => queues.steering.push_back(queued),
            StreamingBehavior::FollowUp => queues.follow_up.push_back(queued),
        }
        drop(queues);
        self.tell_queues();
        Ok(())
    }

    /// Keeps a message for the end of the turn; gives it back when no run is under way.
    pub(crate) fn park(&self, message: Arc<Message>) -> Result<(), Arc<Message>> {
        let mut queues = self.queues.lock();
        if self.is_idle() {
            return Err(message);
        }
        queues.turn_end.push(message);
        Ok(())
    }

    fn tell_queues(&self) {
        self.events.send(|| {
            let queues = self.queues.lock();
            SessionEvent::QueueUpdate {
                steering: Queues::texts(&queues.steering),
                follow_up: Queues::texts(&queues.follow_up),
            }
        });
    }

    pub(crate) fn has_steering(&self) -> bool {
        !self.queues.lock().steering.is_empty()
    }

    pub(crate) fn take_steering(&self) -> Vec<Arc<Message>> {
        let mode = self.settings.snapshot().steering_mode();
        let taken = Queues::take(&mut self.queues.lock().steering, mode);
        self.taken(taken)
    }

    pub(crate) fn take_follow_ups(&self) -> Vec<Arc<Message>> {
        let mode = self.settings.snapshot().follow_up_mode();
        let taken = Queues::take(&mut self.queues.lock().follow_up, mode);
        self.taken(taken)
    }

    fn taken(&self, taken: Vec<Queued>) -> Vec<Arc<Message>> {
        if !taken.is_empty() {
            self.tell_queues();
        }
        taken.into_iter().map(|queued| queued.message).collect()
    }

    pub(crate) fn take_next_turn(&self) -> Vec<Arc<Message>> {
        std::mem::take(&mut self.queues.lock().next_turn)
    }

    pub(crate) fn take_turn_end(&self) -> Vec<Arc<Message>> {
        std::mem::take(&mut self.queues.lock().turn_end)
    }

    pub(crate) fn queued_messages(&self) -> Messages {
        let queues = self.queues.lock();
        let queued = queues.steering.iter().chain(&queues.follow_up).map(|queued| &queued.message);
        let all = queued.chain(&queues.turn_end);
        all.map(|message| Arc::new(HistoryMessage::new(Arc::clone(message), None))).collect()
    }
}
