//! Models of the session that do not converse, and lists of models that are asked for anew.

use rquickjs::Ctx as JsCtx;
use serde_json::json;
use tau_ai::Model;

use super::extract::Caller;
use super::refused;
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError};
use crate::pi::{Answering, one_answer};

ops! {
    /// Models of the session that do not converse.
    pub(crate) static OPS: always;

    /// A promise of the answer of a model, as the session asks models of its type: `classifier` or `image`.
    fn modelsOneAnswer(id, port, kind, request) -> "object" = models_one_answer, Recorded;
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
