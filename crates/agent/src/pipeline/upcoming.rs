//! The last stages before a run.

use std::sync::Arc;

use tau_ai::Message;
use tau_hooks::payload::InputSource;
use tokio::task::JoinHandle;

use super::before_start::{Start, before_start};
use super::last::Last;
use super::messages::record;
use super::model::check_model;
use super::prompt::{Prompt, PromptError};
use super::run::{report_failed, run_to_end, run_unattended};
use super::run_state::Run;
use super::turn::Turn;
use crate::crash::guarded;
use crate::parts::Live;
use crate::pipeline::compaction::check_room;
use tau_hooks::QueuedTexts;

/// A run that has its place and nothing else yet.
#[must_use = "dropping it gives the run up"]
pub struct Upcoming {
    live: Live,
    run: Run,
    prompt: Prompt,
}

/// A run that can go.
#[must_use = "dropping it gives the run up"]
pub struct Prepared {
    live: Live,
    run: Run,
    messages: Vec<Arc<Message>>,
}

impl Upcoming {
    pub(crate) fn new(live: Live, run: Run, prompt: Prompt) -> Self {
        Self { live, run, prompt }
    }

    /// The last stages before the run: the model is looked at, room is made in its context, and extensions add to the
    /// prompt.
    ///
    /// # Errors
    /// When no run can start.
    pub async fn prepare(self) -> Result<Prepared, PromptError> {
        let Self { live, run, prompt } = self;
        match guarded(prepare_prompt(&Turn::new(&live, &run), &prompt)).await.unwrap_or_else(|crash| Err(crash.into()))
        {
            Ok(messages) => Ok(Prepared { live, run, messages }),
            Err(error) => {
                give_up(&live, run);
                Err(error)
            }
        }
    }

    /// Prepares the run and lets it go, and reports what keeps it from being done.
    pub(crate) fn start_unattended(self, what: &'static str) -> JoinHandle<()> {
        let runtime = self.live.services.runtime.clone();
        runtime.spawn(async move {
            let live = self.live.clone();
            match self.prepare().await {
                Ok(Prepared { run, messages, .. }) => run_unattended(&live, run, messages, what),
                Err(error) => report_failed(&live, what, &error),
            }
        })
    }
}

impl Prepared {
    /// Lets the run go, and reports what keeps it from being done.
    pub fn start(self) {
        run_unattended(&self.live, self.run, self.messages, "prompt");
    }

    /// Lets the run go and waits for its end.
    pub(crate) async fn run(self) -> Result<(), PromptError> {
        run_to_end(&self.live, self.run, self.messages).await
    }
}

async fn prepare_prompt(turn: &Turn<'_>, prompt: &Prompt) -> Result<Vec<Arc<Message>>, PromptError> {
    if prompt.source != InputSource::Extension {
        turn.conversation.set_reminders(0);
    }
    check_model(turn).await?;
    make_room_for_prompt(turn).await?;
    before_start(turn, Start::Prompt(prompt)).await
}

/// Makes room before a prompt when the last answer shows that it is needed, also one that was aborted.
async fn make_room_for_prompt(turn: &Turn<'_>) -> Result<(), PromptError> {
    let history = turn.conversation.history();
    if let Some(last) = Last::of(&history) {
        // The request of the prompt follows in any case.
        check_room(turn, &last, true).await?;
    }
    Ok(())
}

/// Goes through the stages between a message of an extension and its run, and lets the run go.
pub(crate) fn start_triggered(live: &Live, run: Run, message: Arc<Message>) -> JoinHandle<()> {
    let (live, runtime) = (live.clone(), live.services.runtime.clone());
    runtime.spawn(async move {
        let turn = Turn::new(&live, &run);
        match guarded(prepare_triggered(&turn, message)).await.unwrap_or_else(|crash| Err(crash.into())) {
            Ok(messages) => run_unattended(&live, run, messages, "send_message"),
            Err(error) => {
                give_up(&live, run);
                report_failed(&live, "send_message", &error);
            }
        }
    })
}

async fn prepare_triggered(turn: &Turn<'_>, message: Arc<Message>) -> Result<Vec<Arc<Message>>, PromptError> {
    check_model(turn).await?;
    make_room_for_prompt(turn).await?;
    before_start(turn, Start::Message(message)).await
}

/// Ends a run that could not start. What extensions sent to it is recorded; what the user sent to it stays queued for
/// the next run, and the user hears of it.
fn give_up(live: &Live, run: Run) {
    loop {
        let left = run.close_or_take();
        if left.is_empty() {
            break;
        }
        for message in left {
            if let Err(error) = record(live, message) {
                live.report("session", "queue", error.to_string());
            }
        }
    }
    let QueuedTexts { steering, follow_up } = live.activity.queued_texts();
    let waiting = steering.len() + follow_up.len();
    if waiting > 0 {
        let text = format!("the run could not start; {waiting} queued message(s) wait for the next prompt");
        live.report("session", "queue", text);
    }
}
