//! After a tool: what the model sees of it.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_hooks::payload::ToolResultResult;
use tau_hooks::{AnyOutput, Ctx, HandlerError};

use super::answer::{Decision, NO, parse};
use super::input::{Call, Outcome};
use super::load::Runner;
use super::process::Ended;
use super::process::reason;

impl Runner {
    /// Lets the script look at a result.
    pub(super) async fn after(
        self: &Arc<Self>,
        call: Call,
        outcome: Outcome,
        ctx: &Ctx,
    ) -> Result<AnyOutput, HandlerError> {
        let shown = self.shown(&call, ctx);
        let (code, stdout, stderr) = match self.run_for(&call, Some(&outcome), &shown, ctx).await {
            Some(Ended::Code { code, stdout, stderr }) => (code, stdout, stderr),
            Some(Ended::Aborted) => return Err(HandlerError::Aborted),
            None => return Ok(AnyOutput::Empty),
            Some(Ended::Failed(why)) => return Err(HandlerError::msg(format!("the hook {} {why}", self.hook.name()))),
        };
        if outcome.is_error {
            // It may look, and no more: the failure stays as it is.
            if let Some(text) = reason(&stderr.text) {
                tracing::info!(hook = %self.hook.name(), text, "a shell hook wrote about a failed call");
            }
            return Ok(AnyOutput::Empty);
        }
        let (replaced, more) = match code {
            0 => match parse(&stdout, self.hook.moment) {
                Ok(None) => return Ok(AnyOutput::Empty),
                Err(error) => return Err(HandlerError::msg(format!("the hook {} {error}", self.hook.name()))),
                Ok(Some(answer)) => {
                    self.tell(&answer, &stdout, ctx);
                    if let Some(problem) = &answer.problem {
                        self.report(format_args!("the hook {} {problem}", self.hook.name()));
                    }
                    if let Some(stop) = &answer.stop {
                        let why = stop.clone().unwrap_or_else(|| self.stopped());
                        self.show(&why, ctx);
                        ctx.host().abort();
                    }
                    let reason = answer.reason.filter(|_| answer.decision == Decision::Deny);
                    (answer.updated_output.map(content_of), [reason, answer.context])
                }
            },
            NO => (None, [reason(&stderr.text), None]),
            code => {
                let exited = format!("the hook {} exited with code {code}", self.hook.name());
                self.report(format_args!("{exited}; {}", self.exit_details(&stderr)));
                return Ok(AnyOutput::Empty);
            }
        };
        let more: Vec<ContentBlock> = more.into_iter().flatten().map(ContentBlock::text).collect();
        if replaced.is_none() && more.is_empty() {
            return Ok(AnyOutput::Empty);
        }
        let mut content = replaced.unwrap_or(outcome.content);
        content.extend(more);
        Ok(AnyOutput::Typed(Box::new(ToolResultResult { content: Some(content), ..ToolResultResult::default() })))
    }
}

/// What a script wants the model to see: blocks, an object around them, or anything as text.
fn content_of(output: Value) -> Vec<ContentBlock> {
    let blocks = output.get("content").unwrap_or(&output);
    if let Ok(blocks) = serde_json::from_value::<Vec<ContentBlock>>(blocks.clone())
        && blocks.iter().all(|block| matches!(block, ContentBlock::Text(_) | ContentBlock::Image(_)))
    {
        return blocks;
    }
    let text = match blocks {
        Value::String(text) => text.clone(),
        _ if output.is_string() => json!(output).as_str().unwrap_or_default().to_owned(),
        _ => output.to_string(),
    };
    vec![ContentBlock::text(text)]
}
