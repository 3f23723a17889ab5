//! What extensions send to a session: it is done later, on the session's own threads and in the order of the wishes.

use std::sync::Arc;

use tau_ai::{ContentBlock, Message, MessageContent};
use tau_hooks::payload::{CustomDraft, InputSource, StreamingBehavior};
use tau_hooks::{ActionError, DeliverAs, SendOptions, UserMessageOptions};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::AgentSession;
use super::prompt::Submitted;
use crate::parts::{Live, NoRun, Parts, Queued};
use crate::pipeline::before_start::custom_message;
use crate::pipeline::command::extension_command_name;
use crate::pipeline::messages::record;
use crate::pipeline::prompt::{Prompt, PromptError};
use crate::pipeline::run::report_failed;
use crate::pipeline::run_state::Run;
use crate::pipeline::tell::{queue, tell_queues_in_time};
use crate::pipeline::upcoming::start_triggered;
use crate::work::Item;

/// Sends a message of an extension.
pub(super) fn send_message(live: &Live, draft: CustomDraft, options: SendOptions) -> Result<(), ActionError> {
    let message = Arc::new(custom_message(draft, live.services.now_ms()));
    let keep = |message| record(live, message).map_err(|error| ActionError::Refused(error.to_string()));
    let steer = |behavior| {
        let queued = Queued { message: Arc::clone(&message), text: None };
        // The run may have ended since the question: then the message is recorded as it is while idle.
        queue(live, behavior, queued).or_else(|NoRun(queued)| keep(queued.message))
    };
    if options.deliver_as == Some(DeliverAs::NextTurn) {
        live.activity.keep_for_next_turn(message);
        return Ok(());
    }
    match (live.activity.is_idle(), options.deliver_as, options.trigger_turn) {
        (true, _, Some(true)) => {
            run_later(live, message);
            Ok(())
        }
        (true, ..) => keep(message),
        (false, Some(DeliverAs::FollowUp), _) => steer(StreamingBehavior::FollowUp),
        (false, _, Some(false)) => live.activity.park(message).or_else(|NoRun(message)| keep(message)),
        (false, ..) => steer(StreamingBehavior::Steer),
    }
}

/// Sends text as the user would, without waiting for it, behind whatever handlers of `agent_settled` are still at work.
/// The run that is under way waits until it is in a queue.
pub(super) fn send_user_message(me: Arc<AgentSession>, content: &MessageContent, options: UserMessageOptions) {
    let images = match content {
        MessageContent::Blocks(blocks) => {
            blocks.iter().filter(|block| matches!(block, ContentBlock::Image(_))).cloned().collect()
        }
        MessageContent::Text(_) => Vec::new(),
    };
    let prompt = Prompt {
        text: content.text(),
        images,
        source: InputSource::Extension,
        streaming_behavior: options.deliver_as,
        expand: options.expand_prompt_templates,
    };
    let parts = Arc::clone(&me.parts);
    let asked_in = parts.conversation.number();
    let delivery = (!parts.activity.is_idle()).then(|| parts.activity.deliveries.begin());
    parts.lifecycle.lanes.prompts.push(parts.lifecycle.background.begin(), async move {
        let parts = &me.parts;
        // A run waits for what is on its way to it, and handlers of a recorded message may wait for the user.
        if delivery.is_none() {
            told_of_recorded(parts, &CancellationToken::new()).await;
        }
        drop(parts.lifecycle.settle_gate.read().await);
        if parts.conversation.number() != asked_in {
            return report_gone(parts, "send_user_message");
        }
        if prompt.finds_commands() && extension_command_name(parts, &prompt.text).is_some() {
            return command_later(&me, prompt);
        }
        place(&me, prompt, delivery).await;
        tell_queues_in_time(parts);
    });
}

/// Puts text of an extension where it belongs. The run that it begins, if any, is not waited for.
async fn place(me: &Arc<AgentSession>, prompt: Prompt, delivery: Option<Item>) {
    match me.submit(prompt).await {
        Ok(Submitted::Done(_)) => {}
        Ok(Submitted::Run(upcoming)) => {
            drop(delivery);
            started(&me.parts, upcoming.start_unattended("send_user_message")).await;
        }
        Err(error) => report_failed(&me.parts, "send_user_message", &error),
    }
}

/// Runs a command of an extension that an extension sent as text. It may wait for the session to become idle, so
/// nothing that the session waits for waits for it.
fn command_later(me: &Arc<AgentSession>, prompt: Prompt) {
    let (me, work) = (Arc::clone(me), me.parts.lifecycle.commands.begin());
    me.parts.services.runtime.clone().spawn(async move {
        // The command may be gone by now: then it is text like any other.
        place(&me, prompt, None).await;
        drop(work);
    });
}

/// Waits for the stages before a run, unless something is on its way to that run: they wait for it, and it is next in
/// the lane of the caller.
async fn started(parts: &Parts, stages: JoinHandle<()>) {
    tokio::select! {
        // The stages report what goes wrong themselves.
        _ = stages => {}
        () = parts.activity.deliveries.any() => {}
    }
}

/// Waits until the events of all messages recorded so far are handled, to keep their order.
/// Does not wait after an abort, nor when the session ends.
async fn told_of_recorded(parts: &Parts, aborted: &CancellationToken) {
    let lifecycle = &parts.lifecycle;
    tokio::select! {
        biased;
        () = aborted.cancelled() => {}
        () = lifecycle.ending.cancelled() => {}
        () = lifecycle.lanes.recorded.caught_up(lifecycle.background.begin()) => {}
    }
}

/// Starts a run with one message of an extension: no `input`. The session is busy from now on, unless something waits
/// that was asked for before.
fn run_later(live: &Live, message: Arc<Message>) {
    let asked_in = live.conversation.number();
    let open = live.lifecycle.settle_gate.try_read();
    let begun = if open.is_ok() && live.lifecycle.lanes.prompts.is_empty() { Run::begin(&live.parts) } else { None };
    drop(open);
    let of_session = live.clone();
    live.lifecycle.lanes.prompts.push(live.lifecycle.background.begin(), async move {
        let live = of_session;
        let mut queued = Queued { message, text: None };
        let aborted = begun.as_ref().map(|run| run.cancel.clone()).unwrap_or_default();
        told_of_recorded(&live, &aborted).await;
        if let Some(run) = begun {
            return started(&live, start_triggered(&live, run, queued.message)).await;
        }
        loop {
            drop(live.lifecycle.settle_gate.read().await);
            if live.conversation.number() != asked_in {
                return report_gone(&live, "send_message");
            }
            if live.lifecycle.has_ended() {
                return report_failed(&live, "send_message", &PromptError::ShuttingDown);
            }
            if let Some(run) = Run::begin_in(&live.parts, asked_in).await {
                return started(&live, start_triggered(&live, run, queued.message)).await;
            }
            // Somebody else began a run in the meantime: the message steers it, unless it is over already.
            match queue(&live, StreamingBehavior::Steer, queued) {
                Ok(()) => return,
                Err(NoRun(back)) => queued = back,
            }
        }
    });
}

fn report_gone(parts: &Parts, what: &str) {
    parts.report("session", what, "dropped: the session it was meant for was replaced");
}
