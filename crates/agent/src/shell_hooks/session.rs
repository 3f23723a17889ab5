//! Moments of a session other than tool calls: a prompt, a start, an end, a stop, a compaction.

use serde_json::json;
use tau_ai::MessageContent;
use tau_hooks::payload::{
    BoundaryResult, CustomDraft, EntryDraft, InputResult, SessionBeforeCompactResult, StreamingBehavior,
};
use tau_hooks::{AnyOutput, Ctx, DeliverAs, HandlerError, SendOptions};
use tau_tools::Kept;

use super::answer::{Answer, Decision, NO, parse};
use super::load::Runner;
use super::process::{Ended, reason};
use super::scene::Scene;
use crate::found::CUSTOM_TYPE;
use crate::found::{Effect, Moment};

impl Runner {
    /// Takes what a command said at a moment of the session.
    pub(super) fn answered(&self, scene: Scene, ended: Ended, ctx: &Ctx) -> Result<AnyOutput, HandlerError> {
        let (code, stdout, stderr) = match ended {
            Ended::Code { code, stdout, stderr } => (code, stdout, stderr),
            Ended::Aborted => return Err(HandlerError::Aborted),
            Ended::Failed(why) => return self.could_not(&why),
        };
        if code == NO {
            return Ok(self.refuse(scene, reason(&stderr.text), ctx));
        }
        let answer = match parse(&stdout, Moment::Session(scene.moment)) {
            Ok(answer) => answer,
            Err(error) if code == 0 || self.hook.moment.is_gate() => return self.could_not(&error.to_string()),
            Err(_) => None,
        };
        match answer {
            Some(answer) if code == 0 || answer.objects() => self.heard(scene, answer, &stdout, ctx),
            _ if code != 0 => {
                let exited = format!("the hook {} exited with code {code}", self.hook.name());
                let more = self.exit_details(&stderr);
                if self.settings.strict && self.hook.moment.is_gate() {
                    let why = format!("{exited}, and tau.shellHooks.strict is on; {more}");
                    return Err(HandlerError::msg(why));
                }
                self.report(format_args!("{exited}; {more}"));
                Ok(AnyOutput::Empty)
            }
            _ => {
                let takes_text = matches!(scene.moment.effect, Effect::Prompt | Effect::Context);
                if let Some(text) = reason(&stdout.text).filter(|_| takes_text) {
                    self.add_context(&scene, text, ctx);
                }
                Ok(AnyOutput::Empty)
            }
        }
    }

    fn could_not(&self, why: &str) -> Result<AnyOutput, HandlerError> {
        if self.hook.moment.is_gate() {
            return self.failed(why);
        }
        Err(HandlerError::msg(format!("the hook {} {why}", self.hook.name())))
    }

    fn heard(&self, scene: Scene, answer: Answer, stdout: &Kept, ctx: &Ctx) -> Result<AnyOutput, HandlerError> {
        self.tell(&answer, stdout, ctx);
        if let Some(stop) = &answer.stop {
            let why = stop.clone().or(answer.reason).unwrap_or_else(|| self.stopped());
            self.show(&why, ctx);
            return Ok(match scene.moment.effect {
                Effect::Prompt => swallowed(),
                Effect::Cancel => cancelled(),
                // The run ends here in any case.
                Effect::GoOn | Effect::Context | Effect::Nothing => AnyOutput::Empty,
            });
        }
        let refuses = match scene.moment.effect {
            // Nobody can be asked about a prompt: it is not sent.
            Effect::Prompt | Effect::Cancel => answer.decision >= Decision::Ask,
            Effect::GoOn | Effect::Context | Effect::Nothing => answer.decision == Decision::Deny,
        };
        if refuses {
            return Ok(self.refuse(scene, answer.reason, ctx));
        }
        if let Some(problem) = &answer.problem {
            self.could_not(&problem.to_string())?;
        }
        if let Some(context) = answer.context {
            self.add_context(&scene, context, ctx);
        }
        Ok(AnyOutput::Empty)
    }

    fn refuse(&self, scene: Scene, reason: Option<String>, ctx: &Ctx) -> AnyOutput {
        let name = self.hook.name();
        let said = |otherwise: &str| reason.clone().unwrap_or_else(|| format!("the hook {name} {otherwise}"));
        match scene.moment.effect {
            Effect::Prompt => {
                self.show(&format!("The prompt was not sent: {}", said("blocks it")), ctx);
                swallowed()
            }
            Effect::Cancel => {
                self.show(&said("does not want the conversation to be compacted"), ctx);
                cancelled()
            }
            Effect::GoOn => {
                let message = EntryDraft::CustomMessage {
                    custom_type: CUSTOM_TYPE.to_owned(),
                    content: MessageContent::Text(said("does not want you to stop yet")),
                    display: true,
                    details: Some(json!({"hook": name, "event": scene.moment.name})),
                };
                let mut entries = scene.proposed;
                entries.push(message);
                AnyOutput::Typed(Box::new(BoundaryResult { entries: Some(entries), go_on: Some(true) }))
            }
            Effect::Context | Effect::Nothing => {
                if let Some(reason) = reason {
                    self.show(&reason, ctx);
                }
                AnyOutput::Empty
            }
        }
    }

    /// Brings the model what the command wants it to know, beside the prompt that it is about or the next one.
    fn add_context(&self, scene: &Scene, text: String, ctx: &Ctx) {
        let message = CustomDraft {
            custom_type: CUSTOM_TYPE.to_owned(),
            content: MessageContent::Text(text),
            display: false,
            details: Some(json!({"hook": self.hook.name(), "event": scene.moment.name})),
        };
        let deliver_as = match scene.queue {
            None => DeliverAs::NextTurn,
            Some(StreamingBehavior::Steer) => DeliverAs::Steer,
            Some(StreamingBehavior::FollowUp) => DeliverAs::FollowUp,
        };
        let options = SendOptions { trigger_turn: Some(false), deliver_as: Some(deliver_as) };
        if let Err(error) = ctx.host().send_message(message, options) {
            self.report(error);
        }
    }
}

fn swallowed() -> AnyOutput {
    AnyOutput::Typed(Box::new(InputResult::Handled))
}

fn cancelled() -> AnyOutput {
    AnyOutput::Typed(Box::new(SessionBeforeCompactResult { cancel: Some(true), ..Default::default() }))
}
