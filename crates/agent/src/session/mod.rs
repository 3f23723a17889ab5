//! [`AgentSession`]: one session, as front ends and extensions know it.
//!
//! It is a facade. What it is made of are the [parts](crate::parts), each with its own state and locks; what is done with
//! them are functions, here and in the pipeline, that name the parts they need.
//!
//! It is no actor. Whatever answers from state does so at once, from any thread, because handlers ask while the pipeline
//! waits for them: locks are held for moments, and never across an `await`.

mod branch_summary;
mod builder;
mod builtin;
mod children;
mod choices;
mod compact;
mod driving;
mod export;
mod find;
mod folder;
mod fork;
mod host;
mod lifecycle;
mod logins;
mod mcp;
mod navigate;
mod own_tools;
mod prompt;
mod provenance;
mod reload;
mod replace;
mod resources;
mod rules;
mod sending;
mod settle;
mod startup;
mod stats;
mod switch;
mod switches;
mod themes;

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use serde_json::Value;
use tau_ai::{Message, ModelRegistry};
use tau_hooks::payload::{BashResult, CompactionDone, Outcome};
use tau_hooks::{Hooks, Host, Messages, Mode};
use tau_session::Session;
use tau_tools::Tool;
use tau_tools::bash::Pace;
use tokio_util::sync::CancellationToken;

use crate::extensions::Extensions;
use crate::parts::{Listening, Live, Parts, SessionEvent};
use crate::pipeline::bash::{BashError, UserCommand, run_bash};
use crate::pipeline::compaction::CompactError;
use crate::pipeline::tell::tell_queues;
use crate::settings::{Environment, SettingsStore};
use tau_hooks::QueuedTexts;

use self::compact::compact_session;
pub use builder::{SessionOptions, StartError, Unstarted};
pub use builtin::{outcome, session_line};
pub use export::ImportError;
pub use find::{FindSessionError, FoundSession, find_session};
pub use folder::MissingFolder;
pub use prompt::{Prompted, Submitted};
pub use reload::{ReloadError, Reloaded};
pub use replace::ReplaceError;
pub use startup::session_directory;
pub use stats::Tally;

/// One session: a conversation, its tools, its extensions.
pub struct AgentSession {
    me: Weak<Self>,
    parts: Arc<Parts>,
}

impl AgentSession {
    /// The extensions of this session.
    pub fn hooks(&self) -> &Arc<Hooks> {
        &self.parts.hooks
    }

    /// The models that can be chosen.
    pub fn models(&self) -> &Arc<ModelRegistry> {
        &self.parts.services.models
    }

    /// The settings.
    pub fn settings(&self) -> &Arc<SettingsStore> {
        &self.parts.services.settings
    }

    /// Extensions that were found and loaded; `None` when there are only those of the program.
    pub fn extensions(&self) -> Option<&Arc<Extensions>> {
        self.parts.extensions.as_ref()
    }

    /// How tau was started.
    pub fn mode(&self) -> Mode {
        self.parts.mode
    }

    /// The tree of the session that is open now.
    pub fn session(&self) -> Arc<Session> {
        self.parts.conversation.session()
    }

    /// The working directory.
    pub fn cwd(&self) -> PathBuf {
        self.parts.conversation.cwd()
    }

    pub(crate) fn env(&self) -> Arc<Environment> {
        self.parts.conversation.env()
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The session at work, for those who fire events.
    pub(crate) fn live(self: &Arc<Self>) -> Live {
        Live { host: Arc::clone(self) as Arc<dyn Host>, parts: Arc::clone(&self.parts) }
    }

    /// Listens to everything that happens, until [`Listening::stop`], also when another session takes the place of this
    /// one. Listeners are called in order, on the thread that works.
    pub fn listen(&self, listener: impl Fn(&SessionEvent) + Send + Sync + 'static) -> Listening {
        self.parts.events.listen(listener)
    }

    /// Lets a front end that cannot keep up slow the model down: after each step of an answer, and before each request,
    /// the session waits as long as `pace` says. What happens meanwhile (tools, commands, an abort) goes on.
    pub fn set_pace(&self, pace: Pace) {
        self.parts.events.set_pace(pace);
    }

    /// Lets a front end collect the steps of a growing message and hand several on at once: `rest` is called whenever no
    /// further step is there, before the session waits for one.
    pub fn set_rest(&self, rest: impl Fn() + Send + Sync + 'static) {
        self.parts.events.set_rest(rest);
    }

    /// The conversation as the model sees it next. Costs the same at any length.
    pub fn history(&self) -> Messages {
        self.parts.conversation.history()
    }

    /// The last answer of the model since the session was opened, also when it is no part of the conversation any more.
    pub fn last_answer(&self) -> Option<Arc<Message>> {
        self.parts.conversation.last_answer()
    }

    /// How the last sequence of turns ended. An abort while a tool ran leaves no answer that would tell of it.
    pub fn last_outcome(&self) -> Outcome {
        self.parts.activity.last_outcome()
    }

    /// The tool of a name that other tools may call: an active `direct` one, or any `codemode` or `deferred` one that is
    /// registered, active or not.
    pub fn callable_tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.parts.choices.tools.callable(name)
    }

    // ---- What is going on ---------------------------------------------------------------------------------

    /// Stops the run that is under way, or the summary of a branch that is being left, what scripts are at, and what child
    /// sessions are at that do not work in the background; does not wait for any of it.
    pub fn abort(&self) {
        self.parts.abort();
    }

    /// Whether no run is under way.
    pub fn is_idle(&self) -> bool {
        self.parts.activity.is_idle()
    }

    /// Whether a run of the agent is under way: not so while the user has the conversation compacted, although no prompt
    /// is taken then either.
    pub fn is_streaming(&self) -> bool {
        !self.is_idle() && !self.parts.activity.asides.is_compacting_by_hand()
    }

    /// Waits until no run is under way. Unlike [`AgentSession::wait_until_idle`], not for anything else.
    pub async fn wait_for_run(&self) {
        self.parts.activity.wait_for_run().await;
        // Handlers of `agent_settled` are part of its end.
        drop(self.parts.lifecycle.settle_gate.read().await);
    }

    /// Waits until no run is under way and none is on its way, and until commands that extensions sent are done.
    pub async fn wait_until_idle(&self) {
        self.parts.lifecycle.wait_until_idle().await;
    }

    /// Whether the session has ended.
    pub fn is_shut_down(&self) -> bool {
        self.parts.lifecycle.has_ended()
    }

    /// Fires when the program shall end.
    pub fn exit_requested(&self) -> &CancellationToken {
        &self.parts.lifecycle.exit
    }

    /// Takes back what is queued; the texts of the user are returned.
    pub fn clear_queue(&self) -> QueuedTexts {
        let texts = self.parts.activity.take_back();
        tell_queues(&self.parts);
        texts
    }

    /// Puts the queued texts of the user into the order of `wanted`, and drops those of `known` that are not in it. Texts that
    /// were queued since `known` was read stay, behind the others.
    pub fn arrange_queue(&self, known: &QueuedTexts, wanted: &QueuedTexts) {
        self.parts.activity.arrange(known, wanted);
        tell_queues(&self.parts);
    }

    /// The texts of the user that are queued.
    pub fn queued_texts(&self) -> QueuedTexts {
        self.parts.activity.queued_texts()
    }

    /// Stops a compaction that is under way. The run it belongs to goes on.
    pub fn abort_compaction(&self) {
        self.parts.activity.asides.compactions.stop();
    }

    /// Whether the conversation is being compacted.
    pub fn is_compacting(&self) -> bool {
        self.parts.activity.asides.compactions.any()
    }

    /// Gives up repeating a failed request while waiting for the next attempt.
    pub fn abort_retry(&self) {
        self.parts.activity.asides.retries.stop();
    }

    /// Whether a failed request waits for being repeated.
    pub fn is_retrying(&self) -> bool {
        self.parts.activity.asides.retries.any()
    }

    /// Stops the shell commands of the user that are running.
    pub fn abort_bash(&self) {
        self.parts.activity.asides.commands.stop();
    }

    /// Whether a shell command of the user is running.
    pub fn is_bash_running(&self) -> bool {
        self.parts.activity.asides.commands.any()
    }

    // ---- What users ask for -------------------------------------------------------------------------------

    /// Runs a shell command for the user and keeps it in the conversation: at once, or when the tool calls that are open
    /// have their results. It is in the session file when this returns. Its output arrives in pieces, as
    /// [`SessionEvent::BashExecutionUpdate`] with this `id`.
    ///
    /// Extensions may run it elsewhere, give its result, or stop it; when one of them fails the command is not run.
    ///
    /// # Errors
    /// When it was stopped before it began, when it could not be run, and when it cannot be kept. A command that failed
    /// or that [`AgentSession::abort_bash`] stopped has a result.
    pub async fn run_bash(self: &Arc<Self>, command: UserCommand, id: Option<Value>) -> Result<BashResult, BashError> {
        run_bash(&self.live(), command, id).await
    }

    /// Compacts the conversation; `instructions` say what the summary should look at. A run that is under way is
    /// aborted first. What is queued meanwhile is sent afterwards.
    ///
    /// # Errors
    /// When there is nothing to compact, when it was cancelled, and when there is no summary. The conversation is then
    /// as it was.
    pub async fn compact(self: &Arc<Self>, instructions: Option<String>) -> Result<CompactionDone, CompactError> {
        compact_session(&self.live(), instructions, self.parts.conversation.number()).await
    }
}
