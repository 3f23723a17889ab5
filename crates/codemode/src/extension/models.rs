//! What scripts ask of models that do not converse.
//!
//! Questions cost money, so each is a call of its own that the gates judge: a tool that nobody but the script's call has.

use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tau_ai::{
    ClassifierContext, ContentBlock, ImagesContext, Model, ModelRegistry, OperationRequest, StopReason, StreamOptions,
    Usage,
};
use tau_hooks::Ctx;
use tau_tools::{Exposure, Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::engine::{Answer, Helper};

/// How many questions of one script are with providers at once.
const AT_ONCE: usize = 4;

/// The kinds of models.
const KINDS: [&str; 3] = ["chat", "image", "classifier"];

/// The models of a session, for one script.
#[derive(Clone)]
pub(super) struct Models {
    ctx: Ctx,
    turns: Arc<Semaphore>,
}

impl Models {
    pub(super) fn new(ctx: Ctx) -> Self {
        Self { ctx, turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    fn registry(&self) -> Result<Arc<ModelRegistry>, String> {
        self.ctx.host().models().ok_or_else(|| "this session has no models".to_owned())
    }

    /// Lists models.
    pub(super) fn list(&self, helper: Helper, args: &Value) -> Answer {
        let name = helper.name();
        let kind = kind(name, &args[0])?;
        let text = |value: &Value, what: &str| match value {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            other => Err(format!("{name}(): the {what} must be a string, not {}", told(other))),
        };
        let registry = self.registry()?;
        let provider = text(&args[1], "provider")?;
        if helper == Helper::ModelOfType {
            let (Some(provider), Some(id)) = (provider, text(&args[2], "id")?) else {
                return Err(format!(
                    "{name}(type, provider, id) takes three strings: the provider and the id are two of them"
                ));
            };
            return Ok(registry.find_of_kind(kind, &provider, &id).map(|model| shown(&model)));
        }
        let of_provider = |model: &Arc<Model>| provider.as_ref().is_none_or(|provider| model.provider == *provider);
        let usable = |model: &Arc<Model>| helper != Helper::AvailableOfType || registry.has_auth(&model.provider);
        let models = registry.all_of_kind(kind).into_iter().filter(of_provider).filter(usable);
        Ok(Some(models.map(|model| shown(&model)).collect()))
    }

    /// The call that a question is, and its arguments as gates see them.
    ///
    /// # Errors
    /// When the script names no model, or asks for something that is no question.
    pub(super) fn call(&self, helper: Helper, args: &Value) -> Result<(Arc<dyn Tool>, Value), String> {
        let (model, context) = (&args[0], &args[1]);
        let kind = if helper == Helper::Classify { "classifier" } else { "image" };
        let name = helper.name();
        let hint = format!("models.getAvailableOfType(\"{kind}\") lists those that can be used");
        let (Some(provider), Some(id)) = (model["provider"].as_str(), model["id"].as_str()) else {
            return Err(format!("{name}(): the first argument must be a model, not {}; {hint}", told(model)));
        };
        let registry = self.registry()?;
        if registry.find_of_kind(kind, provider, id).is_none() {
            let other = KINDS.into_iter().find(|other| registry.find_of_kind(other, provider, id).is_some());
            return Err(match other {
                Some(other) => format!("{name}(): {provider}/{id} is a model of the type {other}, not {kind}; {hint}"),
                None => format!("{name}(): there is no {kind} model {provider}/{id}; {hint}"),
            });
        }
        check(helper, context)?;
        let spec = ToolSpec {
            name: name.to_owned(),
            label: name.to_owned(),
            description: "Asks a model for a script.".to_owned(),
            exposure: Exposure::Hidden,
            ..ToolSpec::default()
        };
        let question = Question { spec, helper, models: self.clone() };
        Ok((Arc::new(question), json!({"provider": provider, "id": id, "context": context})))
    }

    /// What a request to a model needs. Only its name counts: what a script says about it must not send credentials
    /// elsewhere.
    async fn request<C>(
        &self,
        kind: &str,
        args: &Value,
        cancel: CancellationToken,
    ) -> Result<OperationRequest<C>, String>
    where
        C: DeserializeOwned,
    {
        let (provider, id) = (args["provider"].as_str().unwrap_or_default(), args["id"].as_str().unwrap_or_default());
        let model = self.registry()?.find_of_kind(kind, provider, id);
        let model = model.ok_or_else(|| format!("there is no {kind} model {provider}/{id}"))?;
        let context: C =
            serde_json::from_value(args["context"].clone()).map_err(|error| format!("the request: {error}"))?;
        let auth = self.ctx.host().request_auth(&model).await.map_err(|error| error.to_string())?;
        let sources = self.ctx.api().and_then(|api| api.sources()).map_err(|error| error.to_string())?;
        Ok(OperationRequest {
            options: StreamOptions {
                api_key: auth.api_key,
                headers: auth.headers,
                env: auth.env,
                sources,
                ..StreamOptions::default()
            },
            cancel,
            ..OperationRequest::new(model, context)
        })
    }
}

/// A question as a tool, for one call.
struct Question {
    spec: ToolSpec,
    helper: Helper,
    models: Models,
}

#[async_trait]
impl Tool for Question {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let Invocation { args, cancel, .. } = invocation;
        let Some(turn) = cancel.run_until_cancelled(self.models.turns.acquire()).await else {
            return Err(ToolFailure::aborted());
        };
        // Nobody closes it.
        let _turn = turn.map_err(ToolFailure::new)?;
        check(self.helper, &args["context"]).map_err(ToolFailure::new)?;
        let models = &self.models;
        let registry = models.registry().map_err(ToolFailure::new)?;
        let no_api = |model: &Model| ToolFailure::new(format!("tau has no way to ask {}/{}", model.provider, model.id));
        if self.helper == Helper::Classify {
            let request: OperationRequest<ClassifierContext> =
                models.request("classifier", &args, cancel).await.map_err(ToolFailure::new)?;
            let api = registry.classifier_for(&request.model).ok_or_else(|| no_api(&request.model))?;
            let result = api.classify(request).await;
            let text = json!(
                result
                    .answers
                    .iter()
                    .cloned()
                    .map(|(id, answer)| (id, json!(answer)))
                    .collect::<serde_json::Map<_, _>>()
            );
            Ok(output(
                tau_ai::to_json(&result),
                text.to_string(),
                &result.stop_reason,
                &result.error_message,
                result.usage,
            ))
        } else {
            let request: OperationRequest<ImagesContext> =
                models.request("image", &args, cancel).await.map_err(ToolFailure::new)?;
            let api = registry.images_for(&request.model).ok_or_else(|| no_api(&request.model))?;
            let result = api.generate(request).await;
            let made = result.output.iter().filter(|block| matches!(block, ContentBlock::Image(_))).count();
            let text = format!("{made} pictures");
            Ok(output(tau_ai::to_json(&result), text, &result.stop_reason, &result.error_message, result.usage))
        }
    }
}

/// The result as the script gets it; one that failed is a value as well, which says so.
fn output(value: Value, text: String, stop: &StopReason, error: &Option<String>, usage: Option<Usage>) -> ToolOutput {
    let is_error = *stop != StopReason::Stop;
    let text = error.clone().filter(|_| is_error).unwrap_or(text);
    ToolOutput { usage, structured_content: Some(value), is_error, ..ToolOutput::text(text) }
}

/// A model as scripts see it: without headers, which may hold credentials.
fn shown(model: &Model) -> Value {
    let mut value = tau_ai::to_json(model);
    if let Some(fields) = value.as_object_mut() {
        fields.remove("headers");
    }
    value
}

fn kind(name: &str, value: &Value) -> Result<&'static str, String> {
    let known = KINDS.into_iter().find(|kind| value == kind);
    known
        .ok_or_else(|| format!("{name}(): the type must be \"chat\", \"image\" or \"classifier\", not {}", told(value)))
}

/// A value in an error.
fn told(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let more = if fields.len() > 6 { ", …" } else { "" };
            format!("{{ {}{more} }}", fields.keys().take(6).cloned().collect::<Vec<_>>().join(", "))
        }
        Value::String(text) if text.chars().count() <= 40 => format!("{value}"),
        Value::String(_) => "a string".to_owned(),
        other => other.to_string(),
    }
}

/// Refuses what is no question, in words that help to write one. The provider's own checks come later.
fn check(helper: Helper, context: &Value) -> Result<(), String> {
    let shape = match helper {
        Helper::Classify => {
            r#"{ state: {…}, images?: [{ type: "image", data, mimeType }], questions: { id: { type: "choice" | "score" | "bool", instructions, criteria } } }"#
        }
        _ => r#"{ input: [{ type: "text", text }, { type: "image", data, mimeType }] }"#,
    };
    let name = helper.name();
    let wrong = |what: String| Err(format!("{name}(): {what}; the second argument has the form {shape}"));
    if !context.is_object() {
        return wrong(format!("the second argument must be an object, not {}", told(context)));
    }
    if helper == Helper::Classify {
        if !context["state"].is_object() {
            return wrong(format!("state must be an object, not {}", told(&context["state"])));
        }
        if context["questions"].as_object().is_none_or(|questions| questions.is_empty()) {
            return wrong(format!(
                "questions must be an object with a question for each id, not {}",
                told(&context["questions"])
            ));
        }
        if let Err(error) = serde_json::from_value::<ClassifierContext>(context.clone()) {
            return wrong(error.to_string());
        }
    } else {
        if context["input"].as_array().is_none_or(Vec::is_empty) {
            return wrong(format!("input must be a list of blocks, not {}", told(&context["input"])));
        }
        if let Err(error) = serde_json::from_value::<ImagesContext>(context.clone()) {
            return wrong(error.to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_question_is_named() {
        let classify = |context: Value| check(Helper::Classify, &context).expect_err("an error");
        assert!(classify(json!([])).contains("must be an object, not a list"));
        assert!(classify(json!({"state": 1})).contains("state must be an object, not 1"));
        assert!(classify(json!({"state": {}, "questions": {}})).contains("not {}"));
        assert!(classify(json!({"state": {}, "questions": {"a": {"type": "guess"}}})).contains("guess"));
        let images = check(Helper::GenerateImages, &json!({"prompt": "x"})).expect_err("an error");
        assert!(images.contains("input must be a list of blocks, not nothing"), "{images}");
        let fine =
            json!({"state": {}, "questions": {"a": {"type": "choice", "instructions": "x", "criteria": {"y": "z"}}}});
        assert_eq!(check(Helper::Classify, &fine), Ok(()));
        assert_eq!(check(Helper::GenerateImages, &json!({"input": [{"type": "text", "text": "a fox"}]})), Ok(()));
    }
}
