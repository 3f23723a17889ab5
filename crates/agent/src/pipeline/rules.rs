//! What follows when the model writes something that a rule is about: the answer is cut off, the model is told the rule
//! and answers again. All of it is part of the run, so whoever waits for the run waits for this too.

use std::sync::Arc;

use tau_ai::{AssistantMessage, ContentBlock, Message, StopReason, StreamItem};
use tau_hooks::Scope;
use tau_hooks::events::TtsrTriggered;
use tau_hooks::payload::{StreamRule, StreamingBehavior, TtsrTriggeredEvent};
use tau_session::{EntryBody, SessionError};

use super::last::{Last, omit};
use super::run_state::RuleBreak;
use crate::json::entry_json;
use crate::parts::{Parts, Queued, SessionEvent};
use crate::pipeline::run_state::Run;
use crate::pipeline::tell::queue;
use crate::pipeline::turn::Turn;
use crate::resources::Diagnostic;
use crate::rules::{INJECTION, Told, Watch, injection};
use crate::settings::RuleContext;

/// A run begins: looks at what the model was told on this branch.
pub(crate) fn recall_rules(parts: &Parts) {
    if parts.prompting.rules().is_some() {
        let (number, session) = (parts.conversation.number(), parts.conversation.session());
        parts.prompting.rule_memory().look_at(number, &session);
    }
}

/// Follows an answer that begins; `None` when no rule can match.
pub(crate) fn watch_answer(parts: &Parts) -> Option<Watch> {
    let (rules, cwd) = (parts.prompting.rules()?, parts.conversation.cwd());
    Watch::begin(&rules, &parts.prompting.rule_memory(), cwd)
}

/// Looks at the next piece of an answer; whether the model is to be interrupted.
pub(crate) async fn see(parts: &Parts, watch: &mut Watch, item: &StreamItem) -> bool {
    match watch.see(item).await {
        Ok(watched) => {
            watched.faults.iter().for_each(|fault| report_rule(parts, fault));
            watched.interrupt
        }
        Err(gone) => {
            parts.prompting.set_rules(None);
            parts.report("rules", "ttsr", gone.to_string());
            false
        }
    }
}

fn report_rule(parts: &Parts, fault: &Diagnostic) {
    let path = fault.path.display().to_string();
    parts.report(path, "ttsr", fault.to_string());
}

/// The answer as far as it was written, for an answer that rules interrupt. Tells everybody which.
pub(crate) async fn break_off(turn: &Turn<'_>, scope: &Scope, watch: &Watch, item: &StreamItem) -> Message {
    let rules = watch.matched();
    let payload: Vec<StreamRule> = rules.iter().map(|rule| rule.payload()).collect();
    let context = watch.context();
    let told = match context {
        RuleContext::Discard => Told::Again,
        RuleContext::Keep => Told::Within,
    };
    *turn.run.rule_break.lock() =
        Some(RuleBreak { context, message: Arc::new(injection(&rules, told, turn.services.now_ms())) });
    tell_triggered(turn, scope, payload).await;
    Message::Assistant(unfinished(item.partial.to_message(), context))
}

/// Tells everybody which rules matched.
async fn tell_triggered(parts: &Parts, scope: &Scope, rules: Vec<StreamRule>) {
    let event = || TtsrTriggeredEvent { rules: rules.clone() };
    parts.hooks.updates.post::<TtsrTriggered>(scope, event).await;
    parts.events.send(|| SessionEvent::TtsrTriggered { rules });
}

/// Takes note of rules that matched without interrupting: the model is told when it is done. Not so when its answer
/// came to nothing.
pub(crate) async fn tell_rules_later(parts: &Parts, scope: &Scope, watch: &Watch, answer: &AssistantMessage) {
    let rules = watch.matched();
    if rules.is_empty() || matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) {
        return;
    }
    let names: Vec<String> = rules.iter().map(|rule| rule.name.clone()).collect();
    let message = Arc::new(injection(&rules, Told::Afterwards, parts.services.now_ms()));
    // Without a run nobody would read the queue.
    if queue(parts, StreamingBehavior::FollowUp, Queued { message, text: None }).is_ok() {
        parts.prompting.rule_memory().tell(&names);
        tell_triggered(parts, scope, rules.iter().map(|rule| rule.payload()).collect()).await;
    }
}

/// What the model is told now, when its answer was cut off. The answer itself is put aside.
pub(crate) fn after_rule_break(turn: &Turn<'_>, last: Option<&Last>) -> Result<Option<Arc<Message>>, SessionError> {
    let Some(RuleBreak { context, message }) = turn.run.rule_break.lock().take() else { return Ok(None) };
    // Whoever aborts the run wants nothing of it any more.
    if turn.is_cancelled() {
        return Ok(None);
    }
    if let (RuleContext::Discard, Some(last)) = (context, last) {
        omit(turn, last)?;
    }
    Ok(Some(message))
}

/// Takes note that the model was told rules, if that is what the message is.
pub(crate) fn note_told(parts: &Parts, message: &Message) -> Result<(), SessionError> {
    let Message::Custom(custom) = message else { return Ok(()) };
    if custom.custom_type != INJECTION {
        return Ok(());
    }
    let rules = custom.details.as_ref().and_then(|details| details.get("rules")?.as_array());
    let names = rules.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned));
    let names: Vec<String> = names.collect();
    parts.prompting.rule_memory().tell(&names);
    let entry = parts.conversation.session().append(EntryBody::ttsr_injection(names))?;
    parts.events.send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) });
    Ok(())
}

impl Run {
    /// Whether rules cut off the answer that came last.
    pub(crate) fn is_broken_off(&self) -> bool {
        self.rule_break.lock().is_some()
    }

    /// Whether the model is about to be told why.
    pub(crate) fn goes_on_with_rules(&self) -> bool {
        self.is_broken_off() && !self.cancel.is_cancelled()
    }
}

/// An answer that was cut off. One that is kept must be one that a provider takes: complete, and without half a call.
fn unfinished(mut message: AssistantMessage, context: RuleContext) -> AssistantMessage {
    message.stop_reason = match context {
        RuleContext::Discard => StopReason::Aborted,
        RuleContext::Keep => {
            message.content.retain(|block| !matches!(block, ContentBlock::ToolCall(_)));
            StopReason::Stop
        }
    };
    message
}
