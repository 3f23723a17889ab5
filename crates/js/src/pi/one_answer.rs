//! Requests of extensions to models that do not converse: one answer each.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rquickjs::Ctx;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tau_ai::{
    ClassifierApi, HttpClient, ImagesApi, Model, OperationLimits, OperationRequest, RequestHooks, Secret, Sources,
    StreamOptions, builtin_classifiers_over, builtin_images_over,
};
use tokio_util::sync::CancellationToken;

use super::port;
use super::stream::{JsHooks, add_settings};
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError, OpHost};

ops! {
    /// Requests of extensions to models that do not converse.
    pub(crate) static OPS: watched;

    /// A promise of the answer over a wire format of tau: `classifier` or `image` says what for.
    fn piOneAnswer(rid, kind, api, request) -> "object" = pi_one_answer, Recorded;
}

/// Who answers.
pub(crate) enum Answering {
    /// Questions.
    Classifier(Arc<dyn ClassifierApi>),
    /// With pictures.
    Images(Arc<dyn ImagesApi>),
}

/// The formats hold the connections, which every engine of the process may use.
static HTTP: LazyLock<Arc<HttpClient>> = LazyLock::new(Arc::default);

impl Answering {
    /// The format of the program for a kind of models; `None` when it has none of that name.
    fn builtin(kind: &str, api: &str) -> Option<Self> {
        match kind {
            "classifier" => {
                let found = builtin_classifiers_over(&HTTP).into_iter().find(|(name, _)| *name == api);
                found.map(|(_, api)| Self::Classifier(api))
            }
            "image" => {
                let found = builtin_images_over(&HTTP).into_iter().find(|(name, _)| *name == api);
                found.map(|(_, api)| Self::Images(api))
            }
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct Request {
    model: Model,
    context: Value,
    #[serde(default)]
    options: Options,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    api_key: Option<String>,
    headers: BTreeMap<String, Option<String>>,
    env: BTreeMap<String, String>,
    temperature: Option<f64>,
    max_retries: Option<u32>,
    timeout_ms: Option<u64>,
    max_retry_delay_ms: Option<u64>,
    /// JavaScript wants to see the request's body.
    on_payload: bool,
    /// JavaScript wants to see the answer's head.
    on_response: bool,
}

/// A request with its context read.
fn operation<C: DeserializeOwned>(
    request: Request,
    hooks: impl FnOnce(&mut Options) -> (Option<Arc<dyn RequestHooks>>, BTreeMap<String, String>),
    sources: Sources,
    cancel: CancellationToken,
) -> Result<OperationRequest<C>, OpError> {
    let Request { model, context, mut options } = request;
    let context = serde_json::from_value(context)
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", format!("the request: {error}")))?;
    let (hooks, headers) = hooks(&mut options);
    Ok(OperationRequest {
        limits: OperationLimits {
            repeats: options.max_retries,
            answer: options.timeout_ms.map(Duration::from_millis),
            max_wanted: options.max_retry_delay_ms.map(Duration::from_millis),
        },
        options: StreamOptions {
            api_key: options.api_key.map(Secret::new),
            headers,
            env: options.env,
            temperature: options.temperature,
            sources,
            ..StreamOptions::default()
        },
        hooks,
        cancel,
        ..OperationRequest::new(Arc::new(model), context)
    })
}

fn pi_one_answer<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    kind: String,
    api: String,
    request: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    let answering = Answering::builtin(&kind, &api).ok_or_else(|| {
        OpError::message(format!("tau has no wire format {api} for models of type {kind}")).throw(&ctx)
    })?;
    one_answer(&ctx, &host, rid, answering, request)
}

/// Asks for the port `rid`; JavaScript gets a promise of the result, in which failures are.
///
/// # Errors
/// When there is no such port, and for what is no request.
pub(crate) fn one_answer<'js>(
    ctx: &Ctx<'js>,
    host: &OpHost,
    rid: u32,
    answering: Answering,
    request: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    let mut request: Request = serde_json::from_value(request.0)
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(ctx))?;
    add_settings(host, &request.model, &mut request.options.env);
    let sources = host.sources();
    port::serve(ctx, host, rid, async move |caller, cancel| {
        let hooks = |options: &mut Options| {
            let seen = (options.on_payload, options.on_response, false);
            JsHooks::of(caller, std::mem::take(&mut options.headers), seen)
        };
        let answer = match answering {
            Answering::Classifier(api) => {
                tau_ai::to_json(&api.classify(operation(request, hooks, sources, cancel)?).await)
            }
            Answering::Images(api) => tau_ai::to_json(&api.generate(operation(request, hooks, sources, cancel)?).await),
        };
        Ok(Json(answer))
    })
}
