//! Models of the session that do not converse, and lists of models that are asked for anew.

use std::fmt;

use rquickjs::Ctx as JsCtx;
use serde_json::{Value, json};
use tau_ai::{
    AssistantImages, ClassifierAnswer, ClassifierResult, ContentBlock, JsonMap, Model, Secrets, StopReason, read_shape,
};

use super::extract::Caller;
use super::{Extension, refused};
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError};
use crate::pi::{Answering, one_answer};

ops! {
    /// Models of the session that do not converse.
    pub(crate) static OPS: always;

    /// A promise of the answer of a model, as the session asks models of its type: `classifier` or `image`.
    fn modelsOneAnswer(id, port, kind, request) -> "object" = models_one_answer, Recorded;
    /// What a function of this extension answered for a model of its provider, when it is an answer.
    fn modelsAnswered(id, asked, answer) -> "object" = models_answered, Recorded;
    /// The words for a failure of such a function.
    fn modelsFailed(id, asked, why) = models_failed, Recorded;
    /// How long such a function may take, in milliseconds.
    fn modelsPatience(id) = models_patience, Recorded;
    /// A value whose texts do not quote the key, headers and settings of these options.
    fn modelsHide(value, options) -> "any" = models_hide, Pure;
    /// Asks providers, or those of these names, for their models; a promise of what failed.
    fn modelsRefresh(id, providers: "string[] | undefined", token) -> "[string, string][]" = models_refresh, Recorded;
}

fn models_one_answer<'js>(
    js: JsCtx<'js>,
    Host(host): Host,
    Caller { extension, .. }: Caller,
    port: u32,
    kind: String,
    request: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    let session = extension.api.host().map_err(|error| refused(&js, &error))?;
    let model: Model = serde_json::from_value(request.0["model"].clone())
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(&js))?;
    let found = session.models().and_then(|models| match &*kind {
        "classifier" => models.classifier_for(&model).map(Answering::Classifier),
        "image" => models.images_for(&model).map(Answering::Images),
        _ => None,
    });
    let answering = found.ok_or_else(|| {
        let Model { provider, id, api, .. } = &model;
        let text = format!("Nothing here speaks \"{api}\", which {provider}/{id} needs for what it does.");
        OpError::message(text).throw(&js)
    })?;
    one_answer(&js, &host, port, answering, request)
}

/// What was asked of a function of an extension.
struct Asked {
    kind: String,
    /// The name of the function.
    function: String,
    model: Value,
    questions: Value,
    secrets: Secrets,
}

impl Asked {
    fn of(Json(mut asked): Json) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            kind: text(&asked["kind"]),
            function: text(&asked["function"]),
            secrets: Secrets::of_config(&asked["options"]),
            model: asked["model"].take(),
            questions: asked["questions"].take(),
        }
    }

    /// The words for what went wrong.
    fn failed(&self, extension: &Extension, why: impl fmt::Display) -> String {
        let provider = self.model["provider"].as_str().unwrap_or_default();
        let text = format!("{} of provider {provider} (extension {}): {why}", self.function, extension.owner.path);
        self.secrets.hide(text)
    }

    /// The answer with what can be known without it.
    fn completed(&self, answer: Value, now_ms: i64) -> Result<Value, String> {
        let Value::Object(mut answer) = answer else { return Err("the result is no object".to_owned()) };
        let known = [
            ("api", self.model["api"].clone()),
            ("provider", self.model["provider"].clone()),
            ("model", self.model["id"].clone()),
            ("stopReason", "stop".into()),
            ("timestamp", now_ms.into()),
        ];
        for (name, value) in known {
            answer.entry(name).or_insert(value);
        }
        Ok(Value::Object(answer))
    }

    fn check(&self, answer: &Value) -> Result<(), String> {
        let reason = if self.kind == "classifier" {
            let result: ClassifierResult = read_shape(answer)?;
            if result.stop_reason == StopReason::Stop {
                self.check_answers(&result)?;
            }
            result.stop_reason
        } else {
            let result: AssistantImages = read_shape(answer)?;
            let is_piece = |block: &ContentBlock| matches!(block, ContentBlock::Text(_) | ContentBlock::Image(_));
            if let Some(index) = result.output.iter().position(|block| !is_piece(block)) {
                return Err(format!("output[{index}]: neither a text nor an image"));
            }
            result.stop_reason
        };
        match reason {
            StopReason::Stop | StopReason::Error | StopReason::Aborted => Ok(()),
            _ => Err("stopReason: expected \"stop\", \"error\" or \"aborted\"".to_owned()),
        }
    }

    /// Every question has an answer of its type.
    fn check_answers(&self, result: &ClassifierResult) -> Result<(), String> {
        for (id, question) in self.questions.as_object().into_iter().flat_map(JsonMap::iter) {
            let Some((_, answer)) = result.answers.iter().find(|(name, _)| name == id) else {
                return Err(format!("answers.{id}: missing"));
            };
            let kind = match answer {
                ClassifierAnswer::Choice { .. } => "choice",
                ClassifierAnswer::Score { .. } => "score",
                ClassifierAnswer::Bool { .. } => "bool",
            };
            if question["type"] != kind {
                return Err(format!("answers.{id}: expected the type of the question, got \"{kind}\""));
            }
        }
        Ok(())
    }
}

fn models_answered(
    js: JsCtx<'_>,
    Host(host): Host,
    Caller { extension, .. }: Caller,
    asked: Json,
    answer: Json,
) -> rquickjs::Result<Json> {
    let asked = Asked::of(asked);
    let answer = asked.completed(answer.0, host.sources().clock.now_ms());
    let checked = answer.and_then(|answer| asked.check(&answer).map(|()| answer));
    let mut answer = checked.map_err(|why| OpError::message(asked.failed(&extension, why)).throw(&js))?;
    // Pictures are large, and no words.
    for (_, value) in answer.as_object_mut().into_iter().flatten().filter(|(name, _)| *name != "output") {
        asked.secrets.hide_in(value);
    }
    Ok(Json(answer))
}

fn models_failed(Caller { extension, .. }: Caller, asked: Json, why: String) -> String {
    Asked::of(asked).failed(&extension, why)
}

fn models_patience(js: JsCtx<'_>, Caller { extension, .. }: Caller) -> rquickjs::Result<f64> {
    let hooks = extension.hooks().map_err(|error| refused(&js, &error))?;
    Ok(hooks.dispatcher.limits().decide.as_secs_f64() * 1000.0)
}

fn models_hide(mut value: Json, options: Json) -> Json {
    Secrets::of_config(&options.0).hide_in(&mut value.0);
    value
}

fn models_refresh<'js>(
    js: JsCtx<'js>,
    Caller { bridge, extension, .. }: Caller,
    providers: Option<Json>,
    token: Option<u32>,
) -> rquickjs::Result<Promised<'js, Json>> {
    let session = extension.api.host().map_err(|error| refused(&js, &error))?;
    let core = bridge.core(&js)?;
    let cancel = bridge.tokens.get(token);
    let providers = providers.and_then(|names| serde_json::from_value::<Option<Vec<String>>>(names.0).ok().flatten());
    core.host().spawn(&js, async move { Ok(Json(json!(session.refresh_models(providers, cancel).await))) })
}
