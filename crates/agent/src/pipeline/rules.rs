//! What follows when the model writes something that a rule is about: the answer is cut off, the model is told the rule
//! and answers again. All of it is part of the run, so whoever waits for the run waits for this too.

use std::sync::Arc;

use tau_ai::{AssistantMessage, ContentBlock, Message, StopReason, StreamItem};
use tau_hooks::events::TtsrTriggered;
use tau_hooks::payload::{StreamRule, StreamingBehavior, TtsrTriggeredEvent};
use tau_hooks::{Report, Scope};
use tau_session::{EntryBody, SessionError};

use super::recover::Last;
use crate::resources::Diagnostic;
use crate::rules::{INJECTION, Told, Watch, injection};
use crate::session::{AgentSession, Queued, Run, SessionEvent, entry_json};
use crate::settings::RuleContext;

/// An answer was cut off by rules.
#[derive(Debug)]
pub(crate) struct RuleBreak {
    /// What becomes of the answer.
    context: RuleContext,
    /// What the model is told.
    message: Arc<Message>,
}

impl AgentSession {
    /// A run begins: looks at what the model was told on this branch.
    pub(crate) fn recall_rules(&self) {
        if self.rule_set().is_some() {
            self.rule_memory().lock().look_at(self.session_number(), &self.session());
        }
    }

    /// Follows an answer that begins; `None` when no rule can match.
    pub(crate) fn watch_answer(&self) -> Option<Watch> {
        Watch::begin(&self.rule_set()?, &self.rule_memory().lock(), self.cwd())
    }

    /// Looks at the next piece of an answer; whether the model is to be interrupted.
    pub(crate) async fn see(&self, watch: &mut Watch, item: &StreamItem) -> bool {
        match watch.see(item).await {
            Ok(watched) => {
                watched.faults.iter().for_each(|fault| self.report_rule(fault));
                watched.interrupt
            }
            Err(gone) => {
                self.drop_rules();
                self.hooks().dispatcher.reports.send(&Report::diagnostic("rules", "ttsr", gone.to_string()));
                false
            }
        }
    }

    fn report_rule(&self, fault: &Diagnostic) {
        let path = fault.path.display().to_string();
        self.hooks().dispatcher.reports.send(&Report::diagnostic(path, "ttsr", fault.to_string()));
    }

    /// The answer as far as it was written, for an answer that rules interrupt. Tells everybody which.
    pub(crate) async fn break_off(
        self: &Arc<Self>,
        run: &Run,
        scope: &Scope,
        watch: &Watch,
        item: &StreamItem,
    ) -> Message {
        let rules = watch.matched();
        let payload: Vec<StreamRule> = rules.iter().map(|rule| rule.payload()).collect();
        let context = watch.context();
        let told = match context {
            RuleContext::Discard => Told::Again,
            RuleContext::Keep => Told::Within,
        };
        *run.rule_break.lock() = Some(RuleBreak { context, message: Arc::new(injection(&rules, told, self.now_ms())) });
        self.tell_triggered(scope, payload).await;
        Message::Assistant(unfinished(item.partial.to_message(), context))
    }

    /// Tells everybody which rules matched.
    async fn tell_triggered(&self, scope: &Scope, rules: Vec<StreamRule>) {
        let event = || TtsrTriggeredEvent { rules: rules.clone() };
        self.hooks().updates.post::<TtsrTriggered>(scope, event).await;
        self.events().send(|| SessionEvent::TtsrTriggered { rules });
    }

    /// Takes note of rules that matched without interrupting: the model is told when it is done. Not so when its answer
    /// came to nothing.
    pub(crate) async fn tell_rules_later(&self, scope: &Scope, watch: &Watch, answer: &AssistantMessage) {
        let rules = watch.matched();
        if rules.is_empty() || matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) {
            return;
        }
        let names: Vec<String> = rules.iter().map(|rule| rule.name.clone()).collect();
        let message = Arc::new(injection(&rules, Told::Afterwards, self.now_ms()));
        // Without a run nobody would read the queue.
        if self.queue(StreamingBehavior::FollowUp, Queued { message, text: None }).is_ok() {
            self.rule_memory().lock().tell(&names);
            self.tell_triggered(scope, rules.iter().map(|rule| rule.payload()).collect()).await;
        }
    }

    /// What the model is told now, when its answer was cut off. The answer itself is put aside.
    pub(crate) fn after_rule_break(
        &self,
        run: &Run,
        last: Option<&Last>,
    ) -> Result<Option<Arc<Message>>, SessionError> {
        let Some(RuleBreak { context, message }) = run.rule_break.lock().take() else { return Ok(None) };
        // Whoever aborts the run wants nothing of it any more.
        if run.cancel.is_cancelled() {
            return Ok(None);
        }
        if let (RuleContext::Discard, Some(last)) = (context, last) {
            self.omit(last)?;
        }
        Ok(Some(message))
    }

    /// Takes note that the model was told rules, if that is what the message is.
    pub(crate) fn note_told(&self, message: &Message) -> Result<(), SessionError> {
        let Message::Custom(custom) = message else { return Ok(()) };
        if custom.custom_type != INJECTION {
            return Ok(());
        }
        let rules = custom.details.as_ref().and_then(|details| details.get("rules")?.as_array());
        let names = rules.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned));
        let names: Vec<String> = names.collect();
        self.rule_memory().lock().tell(&names);
        let entry = self.session().append(EntryBody::ttsr_injection(names))?;
        self.events().send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) });
        Ok(())
    }
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
