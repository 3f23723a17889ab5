//! From submitted text to a run.

use std::sync::Arc;

use tau_ai::{ContentBlock, Message, MessageContent, ModelProblem, UserMessage};
use tau_hooks::payload::{InputSource, StreamingBehavior};
use tokio::task::JoinHandle;

use super::before_start::Start;
use super::builtin::find_builtin;
use super::builtin::outcome::BuiltinOutcome;
use super::recover::Last;
use crate::crash::{Crash, guarded};
use crate::session::{AgentSession, Item, Queued, Run};

/// Submitted text.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Attached images, as image content blocks.
    pub images: Vec<ContentBlock>,
    /// Where it comes from.
    pub source: InputSource,
    /// What to do with it while a run is under way; an error when absent.
    pub streaming_behavior: Option<StreamingBehavior>,
    /// Whether text of an extension may be a command of an extension, a skill or a template. Text of others always may.
    pub expand: bool,
}

impl Prompt {
    /// Text a person typed.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Whether commands of extensions, skills and templates are looked for.
    pub(crate) fn finds_commands(&self) -> bool {
        self.expand || self.source != InputSource::Extension
    }
}

/// What became of submitted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompted {
    /// A run took place and is over.
    Ran,
    /// It waits in a queue of the run that is under way.
    Queued,
    /// It was a command of an extension.
    Command,
    /// It was a built-in command, and this is what it has to say.
    Builtin(BuiltinOutcome),
    /// A handler of `input` swallowed it.
    Handled,
}

/// What became of submitted text before any run.
enum Begun {
    /// There is nothing left to do.
    Done(Prompted),
    /// A run has begun with these messages.
    Run(Run, Vec<Arc<Message>>),
}

/// What became of submitted text in the stages that decide where it goes.
pub enum Submitted {
    /// There is nothing left to do.
    Done(Prompted),
    /// It begins a run: no other can begin until this is dropped or over.
    Run(Box<Upcoming>),
}

/// A run that has its place and nothing else yet.
#[must_use = "dropping it gives the run up"]
pub struct Upcoming {
    session: Arc<AgentSession>,
    run: Run,
    prompt: Prompt,
}

/// A run that can go.
#[must_use = "dropping it gives the run up"]
pub struct Prepared {
    session: Arc<AgentSession>,
    run: Run,
    messages: Vec<Arc<Message>>,
}

impl Upcoming {
    /// The last stages before the run: the model is looked at, room is made in its context, and extensions add to the
    /// prompt.
    ///
    /// # Errors
    /// When no run can start.
    pub async fn prepare(self) -> Result<Prepared, PromptError> {
        let Self { session, run, prompt } = self;
        let stages = async {
            if prompt.source != InputSource::Extension {
                session.forget_reminders();
            }
            session.check_model().await?;
            session.make_room_for_prompt(&run).await?;
            session.before_start(&run, Start::Prompt(&prompt)).await
        };
        match guarded(stages).await.unwrap_or_else(|crash| Err(crash.into())) {
            Ok(messages) => Ok(Prepared { session, run, messages }),
            Err(error) => {
                session.give_up(run);
                Err(error)
            }
        }
    }

    /// Prepares the run and lets it go, and reports what keeps it from being done.
    pub(crate) fn start_unattended(self, what: &'static str) -> JoinHandle<()> {
        let (session, runtime) = (Arc::clone(&self.session), self.session.runtime().clone());
        runtime.spawn(async move {
            match self.prepare().await {
                Ok(Prepared { run, messages, .. }) => session.run_unattended(run, messages, what),
                Err(error) => session.report_failed(what, &error),
            }
        })
    }
}

impl Prepared {
    /// Lets the run go, and reports what keeps it from being done.
    pub fn start(self) {
        self.session.run_unattended(self.run, self.messages, "prompt");
    }
}

/// Why submitted text could not be sent to a model.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PromptError {
    /// A run is under way and nobody said what to do with the text.
    #[error("Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.")]
    Busy,
    /// The conversation is being compacted, or a branch that is left summarised.
    #[error("Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry.")]
    Compacting,
    /// No model was chosen.
    #[error("No model selected. {why}")]
    NoModel {
        /// Why there is none, and what to do next.
        why: String,
    },
    /// There are no credentials for the model.
    #[error("{0}")]
    NoAuth(String),
    /// Nobody can be asked in the place of a virtual model.
    #[error("{0}")]
    Route(String),
    /// The request was given up meanwhile.
    #[error("Request was aborted")]
    Aborted,
    /// The model's wire format is not known.
    #[error("Model {model} cannot be used: {problem}")]
    UnknownApi {
        /// The model.
        model: String,
        /// The wire format it names, and the one that is probably meant.
        problem: ModelProblem,
    },
    /// A hook that may forbid prompts could not decide.
    #[error("The prompt was not sent: {0}")]
    Blocked(String),
    /// A built-in command failed.
    #[error("{0}")]
    Command(String),
    /// A command of an extension cannot wait in a queue.
    #[error("Extension command \"/{0}\" cannot be queued. Use prompt() or execute the command when not streaming.")]
    NotQueueable(String),
    /// The session file cannot be written.
    #[error("{0}")]
    Session(Arc<tau_session::SessionError>),
    /// Part of tau panicked; the run is over.
    #[error(transparent)]
    Crashed(#[from] Crash),
    /// The session is shutting down.
    #[error("The session is shutting down.")]
    ShuttingDown,
}

impl From<tau_session::SessionError> for PromptError {
    fn from(error: tau_session::SessionError) -> Self {
        Self::Session(Arc::new(error))
    }
}

impl AgentSession {
    /// Sends text through the pipeline and waits until the run it starts is over.
    ///
    /// The stages are those of the documented order: a command of an extension runs at once, also while a run is
    /// under way; then `input`, built-in commands, skills and templates, and a run or a queue.
    ///
    /// # Errors
    /// When no run can start; what happens within a run is told by events and messages instead.
    pub async fn prompt(self: &Arc<Self>, prompt: Prompt) -> Result<Prompted, PromptError> {
        match self.begin_prompt(prompt).await? {
            Begun::Done(prompted) => Ok(prompted),
            Begun::Run(run, messages) => {
                self.run_to_end(run, messages).await?;
                Ok(Prompted::Ran)
            }
        }
    }

    /// Everything before the run: afterwards the text is queued or otherwise taken care of, or its run has begun.
    async fn begin_prompt(self: &Arc<Self>, prompt: Prompt) -> Result<Begun, PromptError> {
        match self.submit(prompt).await? {
            Submitted::Done(prompted) => Ok(Begun::Done(prompted)),
            Submitted::Run(upcoming) => {
                let Prepared { run, messages, .. } = upcoming.prepare().await?;
                Ok(Begun::Run(run, messages))
            }
        }
    }

    /// The stages that decide where text goes: commands, `input`, built-in commands, skills and templates, then a queue
    /// or a run of its own. For front ends that go on before the run is over; the others use [`AgentSession::prompt`].
    ///
    /// # Errors
    /// When the text can neither be queued nor begin a run, and when a built-in command fails.
    pub async fn submit(self: &Arc<Self>, prompt: Prompt) -> Result<Submitted, PromptError> {
        guarded(self.place(prompt)).await?
    }

    async fn place(self: &Arc<Self>, prompt: Prompt) -> Result<Submitted, PromptError> {
        if self.is_shut_down() {
            return Err(PromptError::ShuttingDown);
        }
        if prompt.finds_commands() && self.extension_command(&prompt.text).await {
            return Ok(Submitted::Done(Prompted::Command));
        }
        let queueable = prompt.streaming_behavior.is_some();
        let summarising = self.is_navigating() || (self.asides().is_compacting_by_hand() && !queueable);
        if summarising && find_builtin(&prompt.text).is_none() {
            return Err(PromptError::Compacting);
        }
        // Nobody moves in the tree until the prompt is where it belongs.
        let mut expected = Some(self.expect_prompt());
        let prompt = match self.read_input(prompt, &mut expected).await? {
            Ok(prompt) => prompt,
            Err(done) => return Ok(Submitted::Done(done)),
        };
        loop {
            // Handlers of `agent_settled` are told of the run before this one first, and a session that is being replaced
            // is not asked any more.
            let begun = {
                let _open = self.settle_gate().read().await;
                self.begin_run()
            };
            if let Some(run) = begun {
                return Ok(Submitted::Run(Box::new(Upcoming { session: Arc::clone(self), run, prompt })));
            }
            if self.is_shut_down() {
                return Err(PromptError::ShuttingDown);
            }
            let behavior = prompt.streaming_behavior.ok_or(PromptError::Busy)?;
            // When the run ended in the meantime, this prompt begins one of its own.
            if self.queue(behavior, queued(&prompt)).is_ok() {
                return Ok(Submitted::Done(Prompted::Queued));
            }
        }
    }

    /// Puts text into a queue, also while no run is under way: then it waits for the next one.
    ///
    /// # Errors
    /// When the text is a command of an extension, and when a built-in command fails.
    pub async fn enqueue(self: &Arc<Self>, prompt: Prompt, to: StreamingBehavior) -> Result<Prompted, PromptError> {
        if self.is_shut_down() {
            return Err(PromptError::ShuttingDown);
        }
        if let Some(name) = self.extension_command_name(&prompt.text) {
            return Err(PromptError::NotQueueable(name));
        }
        let prompt = Prompt { streaming_behavior: Some(to), ..prompt };
        match guarded(self.read_input(prompt, &mut None)).await?? {
            Ok(prompt) => {
                self.queue_anyway(to, queued(&prompt));
                Ok(Prompted::Queued)
            }
            Err(done) => Ok(done),
        }
    }

    /// What handlers of `input`, built-in commands, skills and templates make of text. A built-in command does not count as
    /// a prompt that is `expected`.
    async fn read_input(
        self: &Arc<Self>,
        prompt: Prompt,
        expected: &mut Option<Item>,
    ) -> Result<Result<Prompt, Prompted>, PromptError> {
        let Some(mut prompt) = self.input(prompt).await? else { return Ok(Err(Prompted::Handled)) };
        if prompt.source != InputSource::Extension
            && let Some(command) = find_builtin(&prompt.text)
        {
            *expected = None;
            return Ok(Err(Prompted::Builtin(command.run(self).await?)));
        }
        if prompt.finds_commands() {
            prompt.text = self.expand(prompt.text);
        }
        Ok(Ok(prompt))
    }
}

fn queued(prompt: &Prompt) -> Queued {
    Queued { message: Arc::new(user_message(prompt)), text: Some(prompt.text.clone()) }
}

impl AgentSession {
    /// Makes room before a prompt when the last answer shows that it is needed, also one that was aborted.
    async fn make_room_for_prompt(self: &Arc<Self>, run: &Run) -> Result<(), PromptError> {
        let history = self.history();
        if let Some(last) = Last::of(&history) {
            // The request of the prompt follows in any case.
            self.check_room(run, &last, true).await?;
        }
        Ok(())
    }

    /// The stages between a message of an extension that starts a run, and the run.
    ///
    /// # Errors
    /// When no run can start.
    pub(crate) async fn prepare_triggered(
        self: &Arc<Self>,
        run: &Run,
        message: Arc<Message>,
    ) -> Result<Vec<Arc<Message>>, PromptError> {
        let stages = async {
            self.check_model().await?;
            self.make_room_for_prompt(run).await?;
            self.before_start(run, Start::Message(message)).await
        };
        guarded(stages).await?
    }
}

/// The message of a prompt: always blocks, the text first.
pub(crate) fn user_message(prompt: &Prompt) -> Message {
    let mut content = vec![ContentBlock::text(prompt.text.clone())];
    content.extend(prompt.images.iter().cloned());
    Message::User(UserMessage::new(MessageContent::Blocks(content)))
}
