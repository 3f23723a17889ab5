//! Before a tool: whether it may run.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tau_ai::MessageContent;
use tau_hooks::payload::{CustomDraft, ToolCallResult};
use tau_hooks::{AnyOutput, Ctx, HandlerError, SendOptions};
use tau_tools::Kept;

use super::answer::{Answer, AnswerError, Decision, NO, parse};
use super::input::Call;
use super::load::Runner;
use super::process::{Ended, reason, short};
use crate::found::CUSTOM_TYPE;
use crate::found::in_ours;

impl Runner {
    /// Asks the script.
    pub(super) async fn before(self: &Arc<Self>, call: Call, ctx: &Ctx) -> Result<AnyOutput, HandlerError> {
        let shown = self.shown(&call, ctx);
        let (code, stdout, stderr) = match self.run_for(&call, None, &shown, ctx).await {
            Some(Ended::Code { code, stdout, stderr }) => (code, stdout, stderr),
            Some(Ended::Aborted) => return Err(HandlerError::Aborted),
            Some(Ended::Failed(why)) => return self.failed(&why),
            None => return Ok(AnyOutput::Empty),
        };
        match code {
            0 => match parse(&stdout, self.hook.moment) {
                Ok(None) => Ok(AnyOutput::Empty),
                Ok(Some(answer)) => self.decide(&call, &shown, answer, &stdout, ctx).await,
                Err(error) => self.failed(&error.to_string()),
            },
            NO => Ok(block(reason(&stderr.text))),
            code => {
                let problem = match parse(&stdout, self.hook.moment) {
                    // A plain no holds, whatever else went wrong.
                    Ok(Some(answer)) if answer.objects() => {
                        return self.decide(&call, &shown, answer, &stdout, ctx).await;
                    }
                    Ok(answer) => answer.and_then(|answer| answer.problem),
                    Err(problem) => Some(problem),
                };
                self.not_meant(&call, code, problem.as_ref(), &stderr)
            }
        }
    }

    /// A script that ended with a code that says neither yes nor no. An answer that cannot be understood may be a no.
    fn not_meant(
        &self,
        call: &Call,
        code: i32,
        problem: Option<&AnswerError>,
        stderr: &Kept,
    ) -> Result<AnyOutput, HandlerError> {
        let more = self.exit_details(stderr);
        let exited = match problem {
            None => format!("the hook {} exited with code {code}", self.hook.name()),
            Some(problem) if self.settings.strict => {
                format!("the hook {} {problem}; it exited with code {code}", self.hook.name())
            }
            Some(problem) => return self.failed(&format!("{problem}; it exited with code {code}; {more}")),
        };
        if self.settings.strict {
            return Err(HandlerError::msg(format!("{exited}, and tau.shellHooks.strict is on; {more}")));
        }
        self.report(format_args!("{exited}; the tool {} was allowed to run; {more}", call.tool));
        Ok(AnyOutput::Empty)
    }

    /// A script that could not decide: the tool does not run, unless the user wants it to.
    pub(super) fn failed(&self, why: &str) -> Result<AnyOutput, HandlerError> {
        let text = format!("the hook {} {why}", self.hook.name());
        if self.settings.allow_on_failure {
            self.report(text);
            return Ok(AnyOutput::Empty);
        }
        Err(HandlerError::msg(text))
    }

    async fn decide(
        &self,
        call: &Call,
        shown: &Value,
        answer: Answer,
        stdout: &Kept,
        ctx: &Ctx,
    ) -> Result<AnyOutput, HandlerError> {
        self.tell(&answer, stdout, ctx);
        if let Some(stop) = &answer.stop {
            let why = stop.clone().or(answer.reason).unwrap_or_else(|| self.stopped());
            self.show(&why, ctx);
            ctx.host().abort();
            return Ok(block(Some(why)));
        }
        if answer.decision == Decision::Deny {
            return Ok(block(answer.reason));
        }
        if let Some(problem) = &answer.problem {
            // With `onFailure: "allow"` what is left of the answer holds.
            self.failed(&problem.to_string())?;
        }
        match answer.decision {
            Decision::Ask => {
                if let Some(refused) = self.ask(call, answer.reason.as_deref(), ctx).await {
                    return Ok(block(Some(refused)));
                }
            }
            Decision::Allow | Decision::None | Decision::Deny => {}
        }
        let input = match answer.updated_input {
            None => None,
            Some(input) => match self.rewrite(call, shown, input, ctx) {
                Ok(input) => input,
                Err(why) => return self.failed(&why),
            },
        };
        if let Some(context) = answer.context {
            self.pass_on(call, context, ctx);
        }
        Ok(match input {
            None => AnyOutput::Empty,
            Some(input) => AnyOutput::Edited { result: None, fields: Map::from_iter([("input".to_owned(), input)]) },
        })
    }

    /// The arguments as the script wants them; none when it may not want anything.
    fn rewrite(
        &self,
        call: &Call,
        shown: &Value,
        wanted: Map<String, Value>,
        ctx: &Ctx,
    ) -> Result<Option<Value>, String> {
        if !self.settings.allow_input_rewrite {
            self.report(
                "it wanted to change the arguments of the tool, which is refused; the setting \
                 tau.shellHooks.allowInputRewrite allows it",
            );
            return Ok(None);
        }
        let input = in_ours(&call.tool, &call.input, shown, wanted, self.hook.names);
        let tools = ctx.host().all_tools();
        let spec = tools.iter().find(|tool| tool.name == call.tool).ok_or("wanted to change a tool that is gone")?;
        let plain = as_schema_knows(&input, &call.input, &spec.parameters);
        tau_tools::arguments::validate(&call.tool, &spec.parameters, plain)
            .map_err(|failure| format!("wanted arguments that do not fit: {}", short(&failure.message)))?;
        Ok(Some(input))
    }

    /// Asks the user; gives what the model reads when the tool must not run.
    async fn ask(&self, call: &Call, reason: Option<&str>, ctx: &Ctx) -> Option<String> {
        let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        if !ctx.has_ui() {
            let hook = self.hook.name();
            return Some(format!(
                "The hook {hook} wants the user to be asked about this, and nobody can be asked{why}"
            ));
        }
        let what = call.input["command"].as_str().map_or_else(|| call.input.to_string(), str::to_owned);
        let message = [reason.unwrap_or_default(), short(&what)].into_iter().filter(|text| !text.is_empty());
        let message = message.collect::<Vec<_>>().join("\n\n");
        let allowed = ctx.ui().confirm(&format!("Allow {}?", call.tool), &message).await;
        (!allowed).then(|| format!("The user did not allow this{why}"))
    }

    /// What is said of a run that the script ended without a reason.
    pub(super) fn stopped(&self) -> String {
        format!("the hook {} stopped the run", self.hook.name())
    }

    /// Brings the model what the script wants it to know, behind the result of the call.
    fn pass_on(&self, call: &Call, text: String, ctx: &Ctx) {
        let message = CustomDraft {
            custom_type: CUSTOM_TYPE.to_owned(),
            content: MessageContent::Text(text),
            display: false,
            details: Some(json!({"hook": self.hook.name(), "toolCallId": call.id})),
        };
        // It must not steer: the calls behind this one would be skipped.
        let options = SendOptions { trigger_turn: Some(false), deliver_as: None };
        if let Err(error) = ctx.host().send_message(message, options) {
            self.report(error);
        }
    }

    /// What the user is told of an answer, whatever it says otherwise.
    pub(super) fn tell(&self, answer: &Answer, stdout: &Kept, ctx: &Ctx) {
        if !answer.quiet {
            tracing::debug!(hook = %self.hook.name(), output = short(&stdout.text), "a shell hook answered");
        }
        for remark in &answer.remarks {
            self.report(format_args!("the hook {} {remark}", self.hook.name()));
        }
        if let Some(message) = &answer.message {
            self.show(message, ctx);
        }
    }
}

/// Arguments for the schema to judge. The dialect shows some in an older form besides, or a script gives only that one:
/// then what it stands for is judged when it is taken over.
fn as_schema_knows(input: &Value, shown: &Value, schema: &Value) -> Value {
    let mut plain = input.clone();
    let (Some(fields), Some(properties)) = (plain.as_object_mut(), schema["properties"].as_object()) else {
        return plain;
    };
    let before = fields.len();
    fields.retain(|name, _| properties.contains_key(name) || shown.get(name).is_none());
    if fields.len() < before {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if let Some(value) = shown.get(name).filter(|_| !fields.contains_key(name)) {
                fields.insert(name.to_owned(), value.clone());
            }
        }
    }
    plain
}

fn block(reason: Option<String>) -> AnyOutput {
    let result = ToolCallResult { block: Some(true), reason, ..ToolCallResult::default() };
    AnyOutput::Typed(Box::new(result))
}
