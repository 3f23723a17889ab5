//! What becomes of a call.

use serde_json::Value;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::payload::{ToolCallEvent, ToolCallResult, ToolResultEvent, ToolResultResult};
use tau_hooks::{Ctx, HandlerError};
use tau_policy::Evaluation;
use tau_policy::rules::Action;

use super::ask::{Question, ask};
use super::judge::{Judge, Judged};
use super::repetition::Run;
use super::scene::Scene;
use super::{Work, answer, paths};
use crate::shared::say::say;

/// The tool that runs commands, and its arguments.
const BASH: &str = "bash";
const COMMAND: &str = "command";
const TIME: &str = "timeout";
/// The occasion of reports.
const GATE: &str = "tool_call";

impl Work {
    /// A session is open: what is wrong with rule files is said before it matters.
    pub(super) async fn begin(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        let (_, problems) = self.judge(Scene::of(ctx)?, ctx).list().await?;
        for problem in problems {
            say(ctx, "session_start", &problem, NotifyLevel::Warning)?;
        }
        Ok(())
    }

    /// Whether a call may run, and how.
    pub(super) async fn judge_call(
        &self,
        call: ToolCallEvent,
        ctx: Ctx,
    ) -> Result<Option<ToolCallResult>, HandlerError> {
        if call.tool_name == BASH {
            return self.judge_command(call, &ctx).await;
        }
        let files = paths::files(&call.tool_name, &call.input, &ctx.cwd()).map_err(HandlerError::msg)?;
        if files.is_empty() {
            return Ok(None);
        }
        let scene = Scene::of(&ctx)?;
        let places = scene.places();
        let (verdict, news) = self.judge(scene, &ctx).uses(files).await?;
        self.tell(&ctx, news)?;
        let Some(verdict) = verdict else { return Ok(None) };
        let none = Evaluation::default();
        match verdict.action {
            Action::Block => Ok(Some(ToolCallResult::block(answer::file_blocked(&verdict)))),
            Action::Ask if !ctx.has_ui() => {
                Ok(Some(ToolCallResult::block(answer::unconfirmed(&verdict.findings, &none))))
            }
            Action::Ask => {
                let shown = format!("{} {}", call.tool_name, call.input);
                let why = answer::shown(&verdict.findings, Action::Ask, &none);
                let question = Question { why, call: &shown, always: &[] };
                let is_allowed = ask(&question, &ctx, &places).await?;
                Ok((!is_allowed).then(|| ToolCallResult::block(answer::BY_USER)))
            }
            Action::Warn | Action::Rewrite | Action::Allow => {
                self.warn(&call.tool_call_id, answer::warning(&verdict.findings, &none));
                Ok(None)
            }
        }
    }

    /// Whether a command may run, and how.
    async fn judge_command(&self, call: ToolCallEvent, ctx: &Ctx) -> Result<Option<ToolCallResult>, HandlerError> {
        let Some(command) = call.input.get(COMMAND).and_then(Value::as_str) else {
            return Err(HandlerError::msg("the call of bash has no command that could be checked"));
        };
        let scene = Scene::of(ctx)?;
        let places = scene.places();
        let judged = self.judge(scene, ctx).command(command.to_owned()).await?;
        self.tell(ctx, judged.news.iter().cloned())?;
        let Judged { verdict, always, .. } = &judged;
        if verdict.action == Action::Block {
            return Ok(Some(ToolCallResult::block(answer::blocked(verdict))));
        }
        if let Some(times) = self.is_repeated(command, &judged, ctx) {
            return Ok(Some(ToolCallResult::block(times)));
        }
        if verdict.action == Action::Ask {
            if !ctx.has_ui() {
                let text = answer::unconfirmed(&verdict.findings, &verdict.evaluation);
                return Ok(Some(ToolCallResult::block(text)));
            }
            let why = answer::shown(&verdict.findings, Action::Ask, &verdict.evaluation);
            if !ask(&Question { why, call: command, always }, ctx, &places).await? {
                return Ok(Some(ToolCallResult::block(answer::BY_USER)));
            }
        }
        self.warn(&call.tool_call_id, answer::warning(&verdict.findings, &verdict.evaluation));
        changed(&judged, call.input)
    }

    /// Takes note of a command that is about to run; why it may not, if it ran too often.
    fn is_repeated(&self, command: &str, judged: &Judged, ctx: &Ctx) -> Option<String> {
        let message = judged.repetition.as_ref().filter(|_| !self.is_of_child && ctx.child().is_none())?;
        let times = self.repetition.lock().next(Run::of(command, &judged.verdict.evaluation))?;
        Some(answer::repeated(command, message, times))
    }

    /// The result of a call: with its warning, if there is one.
    pub(super) fn see_result(&self, result: &ToolResultEvent) -> Option<ToolResultResult> {
        if !result.is_error && result.tool_name != BASH {
            self.repetition.lock().used(&result.tool_name);
        }
        let content = self.warnings.lock().added(&result.tool_call_id, &result.content)?;
        // The value of the result stays what it is.
        let structured_content = result.structured_content.clone();
        Some(ToolResultResult { content: Some(content), structured_content, ..ToolResultResult::default() })
    }

    /// What judges in a session.
    pub(super) fn judge(&self, scene: Scene, ctx: &Ctx) -> Judge {
        let (files, forge) = (self.files.clone(), self.forge.clone());
        Judge { scene, files, forge, cancel: ctx.signal().clone() }
    }

    fn warn(&self, call: &str, warning: Option<String>) {
        if let Some(text) = warning {
            self.warnings.lock().add(call, text);
        }
    }

    /// Tells what is wrong now and was not before. A child leaves that to the session above it, which has the same files.
    pub(super) fn tell(&self, ctx: &Ctx, news: impl IntoIterator<Item = String>) -> Result<(), HandlerError> {
        if self.is_of_child || ctx.child().is_some() {
            return Ok(());
        }
        for text in news.into_iter().chain(self.forge.notice()) {
            say(ctx, GATE, &text, NotifyLevel::Warning)?;
        }
        Ok(())
    }
}

/// The arguments of a command as the rules changed them; nothing if they did not.
fn changed(judged: &Judged, mut input: Value) -> Result<Option<ToolCallResult>, HandlerError> {
    let Judged { verdict, command, .. } = judged;
    let Some(fields) = input.as_object_mut() else {
        return Err(HandlerError::msg("the arguments of bash are no object"));
    };
    let mut is_changed = false;
    if !verdict.edits.is_empty() {
        let Some(edited) = command.edited(&verdict.edits) else {
            return Err(HandlerError::msg(
                "a rule changes what the setting shellCommandPrefix says, which it cannot; change the setting",
            ));
        };
        fields.insert(COMMAND.to_owned(), Value::from(edited));
        is_changed = true;
    }
    if verdict.drops_timeout {
        is_changed |= fields.remove(TIME).is_some();
    }
    Ok(is_changed.then(|| ToolCallResult::with_input(input)))
}
