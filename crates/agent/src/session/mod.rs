//! [`AgentSession`]: the state of one session, and everything front ends and extensions can ask of it.
//!
//! It is no actor. Whatever answers from state does so at once, from any thread, because handlers ask while the
//! pipeline waits for them: locks are held for moments, and never across an `await`.

mod asides;
mod branch_summary;
mod builder;
mod choices;
mod current;
mod events;
mod export;
mod find;
mod folder;
mod fork;
mod host;
mod lifecycle;
mod limited;
mod mcp;
mod navigate;
mod queues;
mod reload;
mod replace;
mod resources;
mod rules;
mod run;
mod settle;
mod startup;
mod stats;
mod switch;
mod switches;
mod system_prompt;
mod themes;
mod tool_choice;
mod tool_record;
mod tools;
pub(crate) mod work;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::{Mutex, RwLock};
use tau_ai::ModelRegistry;
use tau_ai::{Message, Model, ThinkingLevel};
use tau_hooks::payload::{Outcome, StreamingBehavior};
use tau_hooks::{Dispatched, Event, HistoryMessage, Hooks, Host, Messages, Mode, Report, Scope, ScopedModel};
use tau_tools::bash::Pace;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::children::{Children, Lineage};
use crate::extensions::Extensions;
use crate::pipeline::{Lines, Reminders, RouterMemory, RoutersAsked};
use crate::prompt::SystemPrompt;
use crate::resources::LoadOptions;
use crate::settings::{SettingsStore, ToolExecution};

pub(crate) use asides::Asides;
pub use builder::{SessionOptions, StartError};
pub(crate) use builder::{configure, history_of};
pub use choices::{Cycled, Direction, recorded_model};
pub use events::{SessionEvent, Update};
pub use export::ImportError;
pub use find::{FindSessionError, FoundSession, find_session};
pub use folder::MissingFolder;
pub(crate) use host::entry_json;
pub use queues::QueuedTexts;
pub(crate) use queues::{ParkedBash, Queued, Queues, Waiting};
pub use reload::{ReloadError, Reloaded};
pub use replace::ReplaceError;
pub(crate) use run::{Run, RunEnds};
pub(crate) use startup::scope as startup_scope;
pub use startup::session_directory;
pub use stats::{SessionStats, TokenTotals};
pub(crate) use system_prompt::timestamp;
pub use tool_choice::ToolChoice;
pub(crate) use tools::ToolSet;
pub(crate) use work::Item;

/// One session: a conversation, its tools, its extensions.
pub struct AgentSession {
    me: Weak<Self>,
    hooks: Arc<Hooks>,
    /// What front ends and extensions mean by "the session" right now; replaced by `/new` and its like.
    current: current::Current,
    models: Arc<ModelRegistry>,
    settings: Arc<SettingsStore>,
    mode: Mode,
    tools: ToolSet,
    resources: resources::ResourceState,
    stream_rules: rules::StreamRules,
    reminders: Mutex<Reminders>,
    prompt: RwLock<PromptState>,
    state: Mutex<State>,
    queues: Mutex<Queues>,
    events: events::Events,
    /// What the session works on, also when an extension asks from a thread of its own.
    runtime: Handle,
    background: work::Work,
    /// Logins that are being renewed, which outlive the requests that need them.
    pub(crate) renewals: work::Work,
    /// Commands of extensions that an extension sent as text.
    commands: work::Work,
    /// Prompts between the first handler of `input` and their run.
    incoming: work::Work,
    /// Messages that extensions sent to the run, on their way into its queues.
    deliveries: work::Work,
    /// Something was queued and front ends do not know of it.
    queues_untold: AtomicBool,
    /// Held while a message is appended and taken into the history, so that both have the same order.
    keeping: Mutex<()>,
    lanes: Lanes,
    unconnected: mcp::Unconnected,
    nested_lines: Lines,
    /// The routers that are being asked.
    routing: RoutersAsked,
    router_memory: RouterMemory,
    settle_gate: tokio::sync::RwLock<()>,
    settled: settle::Settled,
    asides: Asides,
    scope_of_models: RwLock<Arc<[ScopedModel]>>,
    /// The leaf is on a branch that may say something else about model and thinking level.
    choices_unrecorded: AtomicBool,
    /// The last answer of the model.
    answered: Mutex<Option<Arc<Message>>>,
    ended: Mutex<Outcome>,
    switches: switches::Switches,
    exit: CancellationToken,
    /// Fires when the session ends.
    ending: CancellationToken,
    shut: Mutex<bool>,
    load: LoadOptions,
    temp_dir: Option<PathBuf>,
    extensions: Option<Arc<Extensions>>,
    /// Where it comes from, when an extension of another session opened it.
    lineage: Option<Lineage>,
    /// The sessions that its extensions opened.
    children: Children,
    /// Held while extensions are loaded again, the session is replaced, or its leaf moves.
    changing: tokio::sync::Mutex<()>,
    /// Where the manual lies; unknown until it is there, and when it cannot be written.
    docs_dir: OnceLock<PathBuf>,
}

/// Tells that something is in the session file, or why it is not.
pub(crate) type Written = oneshot::Receiver<Result<(), Arc<tau_session::SessionError>>>;

/// What is done without anybody waiting for it. Each kind keeps its own order, and none waits for another: a handler may
/// well open a dialog.
struct Lanes {
    /// Prompts and runs that extensions ask for, up to where they are queued or have begun. They wait for `recorded`,
    /// except for what is on its way to a run that is under way.
    prompts: work::Lane,
    dialogs: work::Lane,
    thinking: work::Lane,
    name: work::Lane,
    servers: work::Lane,
    recorded: work::Lane,
}

impl Lanes {
    fn new(runtime: &Handle, hooks: &Arc<Hooks>) -> Self {
        let lane = || work::Lane::new(runtime, hooks);
        Self { prompts: lane(), dialogs: lane(), thinking: lane(), name: lane(), servers: lane(), recorded: lane() }
    }
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
    /// Extensions are asked for what the run should begin with. Fires when one of them wants it aborted.
    asking: Option<CancellationToken>,
    /// A move in the tree that is under way.
    navigation: Option<CancellationToken>,
    /// That move has not left its branch yet.
    leaving: bool,
}

/// While more messages than this are on their way into a queue, front ends are not told of each.
const FEW: usize = 64;

impl AgentSession {
    /// The extensions of this session.
    pub fn hooks(&self) -> &Arc<Hooks> {
        &self.hooks
    }

    /// The models that can be chosen.
    pub fn models(&self) -> &Arc<ModelRegistry> {
        &self.models
    }

    /// The settings.
    pub fn settings(&self) -> &Arc<SettingsStore> {
        &self.settings
    }

    /// Extensions that were found and loaded; `None` when there are only those of the program.
    pub fn extensions(&self) -> Option<&Arc<Extensions>> {
        self.extensions.as_ref()
    }

    /// How tau was started.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Listens to everything that happens. Listeners are called in order, on the thread that works.
    pub fn listen(&self, listener: impl Fn(&SessionEvent) + Send + Sync + 'static) {
        self.events.listen(listener);
    }

    /// Lets a front end that cannot keep up slow the model down: after each step of an answer, and before each request,
    /// the session waits as long as `pace` says. What happens meanwhile (tools, commands, an abort) goes on.
    pub fn set_pace(&self, pace: Pace) {
        self.events.set_pace(pace);
    }

    /// The conversation as the model sees it next. Costs the same at any length.
    pub fn history(&self) -> Messages {
        self.state.lock().history.clone()
    }

    /// The last answer of the model since the session was opened, also when it is no part of the conversation any more.
    pub fn last_answer(&self) -> Option<Arc<Message>> {
        self.answered.lock().clone()
    }

    /// How the last sequence of turns ended. An abort while a tool ran leaves no answer that would tell of it.
    pub fn last_outcome(&self) -> Outcome {
        *self.ended.lock()
    }

    pub(crate) fn note_outcome(&self, outcome: Outcome) {
        *self.ended.lock() = outcome;
    }

    /// Stops the run that is under way, or the summary of a branch that is being left, and what scripts are at; does not
    /// wait for any of it.
    pub fn abort(&self) {
        self.cancel_run();
        if let Some(extensions) = &self.extensions {
            extensions.interrupt();
        }
    }

    /// As [`AgentSession::abort`], but what scripts are at goes on.
    pub(crate) fn cancel_run(&self) {
        {
            let state = self.state.lock();
            for cancel in state.run.iter().chain(&state.navigation) {
                cancel.cancel();
            }
        }
        self.abort_children();
    }

    /// As [`AgentSession::cancel_run`], when an extension asks for it. While handlers of `before_agent_start` are asked,
    /// what they add still belongs to the run, which ends before its first request.
    pub(crate) fn cancel_run_for_extension(&self) {
        {
            let state = self.state.lock();
            if let Some(stop) = &state.asking {
                return stop.cancel();
            }
        }
        self.cancel_run();
    }

    /// Whether no run is under way.
    pub fn is_idle(&self) -> bool {
        self.state.lock().run.is_none()
    }

    /// Whether extensions find the session idle: moving in the tree is something, too.
    pub(crate) fn looks_idle(&self) -> bool {
        let state = self.state.lock();
        state.run.is_none() && state.navigation.is_none()
    }

    /// Whether the leaf is about to move to another branch.
    fn leaves_branch(&self) -> bool {
        self.state.lock().leaving
    }

    /// Whether the leaf moves in the tree.
    pub(crate) fn is_navigating(&self) -> bool {
        self.state.lock().navigation.is_some()
    }

    /// Whether a run of the agent is under way: not so while the user has the conversation compacted, although no prompt
    /// is taken then either.
    pub fn is_streaming(&self) -> bool {
        !self.is_idle() && !self.asides.is_compacting_by_hand()
    }

    /// Waits until no run is under way. Unlike [`AgentSession::wait_until_idle`], not for anything else.
    pub async fn wait_for_run(&self) {
        loop {
            let mut idle = std::pin::pin!(self.asides.idle.notified());
            // From here on no end of a run is missed.
            idle.as_mut().enable();
            if self.is_idle() {
                break;
            }
            idle.await;
        }
        // Handlers of `agent_settled` are part of its end.
        drop(self.settle_gate.read().await);
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

    pub(crate) fn lineage(&self) -> Option<&Lineage> {
        self.lineage.as_ref()
    }

    pub(crate) fn children(&self) -> &Children {
        &self.children
    }

    /// Fires when the session ends.
    pub(crate) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Whether another session is about to take its place.
    pub(crate) fn is_left(&self) -> bool {
        self.current.is_left()
    }

    /// What looks for the expressions of stream rules.
    pub(crate) fn patterns(&self) -> Option<Arc<dyn crate::rules::PatternEngine>> {
        self.stream_rules.engine.clone()
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    pub(crate) fn keeping(&self) -> &Mutex<()> {
        &self.keeping
    }

    /// A prompt has begun its way to a run, until the returned item is dropped.
    pub(crate) fn expect_prompt(&self) -> Item {
        self.incoming.begin()
    }

    /// Whether a prompt is on its way to a run.
    pub(crate) fn expects_prompt(&self) -> bool {
        self.incoming.count() > 0
    }

    /// Counts something that goes on, until the returned item is dropped.
    pub(crate) fn begin_work(&self) -> Item {
        self.background.begin()
    }

    /// Where programs of tau's own are kept.
    pub(crate) fn bin_dir(&self) -> PathBuf {
        self.env().agent_dir().join("bin")
    }

    /// Where long output of commands goes.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        self.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }

    pub(crate) fn reminders(&self) -> &Mutex<Reminders> {
        &self.reminders
    }

    pub(crate) fn asides(&self) -> &Asides {
        &self.asides
    }

    pub(crate) fn settle_gate(&self) -> &tokio::sync::RwLock<()> {
        &self.settle_gate
    }

    /// Begins a run in place of whatever is under way, which is aborted. `None` when the session has ended, and when
    /// it is no longer the one with that number or about to be replaced.
    pub(crate) async fn take_over(&self, number: u64) -> Option<Run> {
        loop {
            let mut idle = std::pin::pin!(self.asides.idle.notified());
            // From here on no end of a run is missed.
            idle.as_mut().enable();
            let begun = self.begin_run_in(number).await;
            // Asked when the run is there: whoever leaves the session aborts what he finds.
            if self.current.is_left() || self.current.number() != number {
                return None;
            }
            if begun.is_some() || self.is_shut_down() {
                return begun;
            }
            self.abort();
            idle.await;
        }
    }

    /// Fires when the run that is under way is aborted; never without one.
    pub(crate) fn run_signal(&self) -> CancellationToken {
        self.state.lock().run.clone().unwrap_or_default()
    }

    pub(crate) fn push_history(&self, item: Arc<HistoryMessage>) {
        if item.message().as_assistant().is_some() {
            *self.answered.lock() = Some(Arc::clone(item.message()));
        }
        self.state.lock().history.push_item(item);
    }

    /// Takes the history from the session again, after an entry changed what is behind it.
    pub(crate) fn rebuild_history(&self) {
        let history = history_of(&self.session());
        self.state.lock().history = history;
        self.router_memory.forget();
    }

    pub(crate) fn blocks_images(&self) -> bool {
        self.settings.snapshot().images().block_images
    }

    /// The routers that are being asked.
    pub(crate) fn routing(&self) -> &RoutersAsked {
        &self.routing
    }

    /// What the router that was asked last remembers.
    pub(crate) fn router_memory(&self) -> &RouterMemory {
        &self.router_memory
    }

    /// Where calls of tools wait for each other.
    pub(crate) fn nested_lines(&self) -> &Lines {
        &self.nested_lines
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
        // Front ends show what the user typed, and messages of extensions when it is their turn.
        let shown = queued.text.is_some();
        match behavior {
            StreamingBehavior::Steer => queues.steering.push_back(queued),
            StreamingBehavior::FollowUp => queues.follow_up.push_back(queued),
        }
        drop(queues);
        if shown {
            self.queues_untold.store(true, Ordering::Release);
            self.tell_queues_in_time();
        }
        Ok(())
    }

    /// Tells of queued messages that nobody was told of yet, once few are on their way: an event says all that is queued,
    /// and thousands of messages at once would cost the square of their number.
    pub(crate) fn tell_queues_in_time(&self) {
        if self.deliveries.count() <= FEW && self.queues_untold.swap(false, Ordering::AcqRel) {
            self.tell_queues();
        }
    }

    /// Waits until messages that extensions sent to the run are in its queues, but not after an abort.
    pub(crate) async fn delivered(&self, scope: &Scope) {
        tokio::select! {
            biased;
            () = self.deliveries.done() => {}
            () = scope.cancel.cancelled() => {}
        }
    }

    /// Calls handlers within a run. What they send to it is delivered before the next step.
    pub(crate) async fn tell<E: Event>(&self, scope: &Scope, event: impl FnOnce() -> E::Payload) -> Dispatched<E> {
        let done = self.hooks.dispatcher.dispatch::<E>(scope, event).await;
        self.delivered(scope).await;
        done
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

    /// Keeps a shell command of the user for when the open tool calls have their results; gives it back when none are
    /// open. What comes out says that it was written.
    pub(crate) fn park_bash(&self, message: Arc<Message>) -> Result<Written, Arc<Message>> {
        let mut queues = self.queues.lock();
        if !queues.calls_open || self.is_idle() {
            return Err(message);
        }
        let (written, waits) = oneshot::channel();
        queues.bash.push(ParkedBash { message, written });
        Ok(waits)
    }

    /// The answer that comes next in the session has calls: nothing may stand between them and their results.
    pub(crate) fn open_calls(&self) {
        self.queues.lock().calls_open = true;
    }

    /// The open calls have their results, or never will.
    pub(crate) fn close_calls(&self) -> Vec<ParkedBash> {
        let mut queues = self.queues.lock();
        queues.calls_open = false;
        std::mem::take(&mut queues.bash)
    }

    /// Puts a message into a queue whether or not a run is under way; without one it waits for the next.
    pub(crate) fn queue_anyway(&self, behavior: StreamingBehavior, queued: Queued) {
        let mut queues = self.queues.lock();
        match behavior {
            StreamingBehavior::Steer => queues.steering.push_back(queued),
            StreamingBehavior::FollowUp => queues.follow_up.push_back(queued),
        }
        drop(queues);
        self.tell_queues();
    }

    /// Takes back what is queued; the texts of the user are returned.
    pub fn clear_queue(&self) -> QueuedTexts {
        let texts = self.queues.lock().take_back();
        self.tell_queues();
        texts
    }

    /// The texts of the user that are queued.
    pub fn queued_texts(&self) -> QueuedTexts {
        self.queues.lock().user_texts()
    }

    fn tell_queues(&self) {
        self.events.send(|| {
            let QueuedTexts { steering, follow_up } = self.queued_texts();
            SessionEvent::QueueUpdate { steering, follow_up }
        });
    }

    pub(crate) fn has_steering(&self) -> bool {
        !self.queues.lock().steering.is_empty()
    }

    pub(crate) fn take_steering(&self) -> Vec<Arc<Message>> {
        let mode = self.steering_mode();
        let mut queues = self.queues.lock();
        let taken = Queues::take(&mut queues.steering, mode);
        queues.leave(StreamingBehavior::Steer, taken)
    }

    pub(crate) fn take_follow_ups(&self) -> Vec<Arc<Message>> {
        let mode = self.follow_up_mode();
        let mut queues = self.queues.lock();
        let taken = Queues::take(&mut queues.follow_up, mode);
        queues.leave(StreamingBehavior::FollowUp, taken)
    }

    /// The run came to a message: if it was queued, it waits no longer. Whether it was text of the user.
    pub(crate) fn came_to(&self, message: &Arc<Message>) -> bool {
        let mut queues = self.queues.lock();
        let at = queues.leaving.iter().position(|(_, queued)| Arc::ptr_eq(&queued.message, message));
        let left = at.map(|at| queues.leaving.remove(at).1);
        drop(queues);
        let typed = left.is_some_and(|queued| queued.text.is_some());
        if typed {
            self.tell_queues();
        }
        typed
    }

    /// Ends a run that could not start. What extensions sent to it is recorded; what the user sent to it stays queued for
    /// the next run, and the user hears of it.
    pub(crate) fn give_up(&self, mut run: Run) {
        loop {
            let left = {
                let mut queues = self.queues.lock();
                let left = queues.take_custom();
                if left.is_empty() {
                    run.end(&mut queues, self);
                    break;
                }
                left
            };
            for message in left {
                if let Err(error) = self.record(message) {
                    self.hooks.dispatcher.reports.send(&Report::diagnostic("session", "queue", error.to_string()));
                }
            }
        }
        let QueuedTexts { steering, follow_up } = self.queued_texts();
        let waiting = steering.len() + follow_up.len();
        if waiting > 0 {
            let text = format!("the run could not start; {waiting} queued message(s) wait for the next prompt");
            self.hooks.dispatcher.reports.send(&Report::diagnostic("session", "queue", text));
        }
    }

    pub(crate) fn take_next_turn(&self) -> Vec<Arc<Message>> {
        std::mem::take(&mut self.queues.lock().next_turn)
    }

    pub(crate) fn take_turn_end(&self) -> Vec<Arc<Message>> {
        std::mem::take(&mut self.queues.lock().turn_end)
    }

    /// What waits to be sent or recorded.
    pub(crate) fn waiting(&self) -> Waiting {
        let queues = self.queues.lock();
        Waiting {
            queued: !queues.steering.is_empty() || !queues.follow_up.is_empty(),
            parked: !queues.turn_end.is_empty(),
        }
    }

    /// What comes next: what is taken from the queues, steering first, and what is recorded at the end of the turn.
    pub(crate) fn next_messages(&self) -> Messages {
        let (steering_mode, follow_up_mode) = (self.steering_mode(), self.follow_up_mode());
        let queues = self.queues.lock();
        let (queue, mode) = match queues.steering.is_empty() {
            false => (&queues.steering, steering_mode),
            true => (&queues.follow_up, follow_up_mode),
        };
        let queued = Queues::peek(queue, mode).map(|queued| &queued.message);
        let all = queued.chain(&queues.turn_end);
        all.map(|message| Arc::new(HistoryMessage::new(Arc::clone(message), None))).collect()
    }
}
