//! Virtual models of extensions: `registerVirtualModel`, `unregisterVirtualModel`, and requests that are routed.

use std::rc::Rc;
use std::sync::Arc;

use async_trait::async_trait;
use rquickjs::{Ctx as JsCtx, IntoJs, Value};
use serde_json::{Value as Data, json};
use tau_ai::{Message, ThinkingLevel, VirtualModelSpec, provider_name};
use tau_hooks::{Api, Ctx, HandlerError, Messages, Route, RouteRequest, Router, VirtualModel};

use super::callback::{making, reading};
use super::extract::Caller;
use super::guest::HasBridge as _;
use super::lazy::List;
use super::models::known;
use super::register::register;
use super::signal::watch;
use super::{Callback, refused};
use crate::engine::Core;
use crate::ops::table::{Promised, ops};
use crate::ops::{Json, OpError};

ops! {
    /// Virtual models of extensions.
    pub(crate) static OPS: always;

    /// Registers a model that others answer for.
    fn extVirtualModel(id, spec, route) = ext_virtual_model, Pure;
    /// Removes such a model.
    fn extUnregisterVirtualModel(id, provider, model) = ext_unregister_virtual_model, Pure;
    /// Which model answers a conversation in the place of a virtual one.
    fn modelsRoute(id, model, messages, thinking, token) -> "{ model: Model; thinkingLevel: ThinkingLevel }" = models_route, Recorded;
}

fn name_of(provider: &str, id: &str) -> String {
    format!("{provider}/{id}")
}

/// A router that is a function of an extension.
struct JsRouter {
    function: Arc<Callback>,
    api: Api,
}

#[async_trait]
impl Router for JsRouter {
    async fn route(&self, request: RouteRequest, ctx: Ctx) -> Result<Route, HandlerError> {
        let arguments = making(move |js, core, call| {
            let signal = watch(js, core, call, ctx.signal().clone())?;
            core.add_context(call, ctx);
            Ok(vec![question(js, core, request, signal)?, call.into_js(js)?])
        });
        let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
        let answer: Option<Data> = self.function.call(arguments, read).await?;
        let answer = answer.unwrap_or_default();
        if !answer["model"].is_object() {
            return Err(HandlerError::msg("route() must return { model, thinkingLevel } with a model of the registry"));
        }
        let thinking_level = level_of(&answer["thinkingLevel"])?;
        let model = known(&self.api, &answer["model"]).map_err(HandlerError::from)?;
        Ok(Route { model, thinking_level, state: answer.get("state").cloned() })
    }
}

/// The level that a router returned. Without one, the model thinks as little as it can.
fn level_of(level: &Data) -> Result<ThinkingLevel, HandlerError> {
    if level.is_null() {
        return Ok(ThinkingLevel::Off);
    }
    level.as_str().and_then(ThinkingLevel::parse).ok_or_else(|| {
        let levels = ThinkingLevel::ALL.map(ThinkingLevel::as_str).join(", ");
        HandlerError::msg(format!("route() returned an unknown thinking level: {level}; the levels are {levels}"))
    })
}

/// The request as scripts see it; its messages are made when somebody looks at them.
fn question<'js>(
    js: &JsCtx<'js>,
    core: &Rc<Core>,
    request: RouteRequest,
    signal: Value<'js>,
) -> rquickjs::Result<Value<'js>> {
    let RouteRequest { model, thinking_level, reason, previous, failed, state, messages } = request;
    let mut fields = json!({"model": &*model, "thinkingLevel": thinking_level, "reason": reason});
    let optional = [
        ("previous", previous.map(|previous| json!(previous))),
        ("failed", failed.map(|failed| json!(failed))),
        ("state", state),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            fields[name] = value;
        }
    }
    let object = crate::convert::to_js(js, &fields)?;
    if let Some(object) = object.as_object() {
        object.set("messages", list(js, core, messages)?)?;
        object.set("signal", signal)?;
    }
    Ok(object)
}

fn list<'js>(js: &JsCtx<'js>, core: &Core, messages: Messages) -> rquickjs::Result<Value<'js>> {
    Ok(List::make(js, core, messages)?.front.into_value())
}

fn ext_virtual_model<'js>(
    js: JsCtx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    spec: Json,
    route: u32,
) -> rquickjs::Result<()> {
    let thrown = |text: String| OpError::message(text).throw(&js);
    let spec: VirtualModelSpec =
        serde_json::from_value(spec.0).map_err(|error| thrown(format!("the virtual model's definition: {error}")))?;
    let model = Arc::new(spec.model().map_err(|error| thrown(error.to_string()))?);
    let registry = extension.api.host().ok().and_then(|host| host.models());
    if let Some(registry) = &registry {
        registry.check_virtual(&model).map_err(|error| thrown(error.to_string()))?;
    }
    bridge.count(&js, &extension, "virtual model", &name_of(&model.provider, &model.id))?;
    let router = Arc::new(JsRouter { function: bridge.callback(id, route, None), api: extension.api.clone() });
    let loading = extension.is_loading();
    register(&js, &extension, |registrar| {
        registrar.virtual_model(VirtualModel { model, router });
        Ok(())
    })?;
    if !loading && let Ok(host) = extension.api.host() {
        host.providers_changed();
    }
    Ok(())
}

fn ext_unregister_virtual_model<'js>(
    js: JsCtx<'js>,
    Caller { bridge, extension, .. }: Caller,
    provider: String,
    model: String,
) -> rquickjs::Result<()> {
    // It is registered under the present name of its provider.
    let provider = provider_name(&provider);
    bridge.forget(&extension, "virtual model", &name_of(provider, &model));
    if let Some(registrar) = &mut *extension.registrar.borrow_mut() {
        registrar.remove_virtual_model(provider, &model);
        return Ok(());
    }
    let hooks = extension.hooks().map_err(|error| refused(&js, &error))?;
    if hooks.remove_virtual_model(&extension.owner, provider, &model)
        && let Ok(host) = extension.api.host()
    {
        host.providers_changed();
    }
    Ok(())
}

fn models_route<'js>(
    js: JsCtx<'js>,
    Caller { bridge, extension, .. }: Caller,
    model: Json,
    messages: Json,
    thinking: Option<String>,
    token: Option<u32>,
) -> rquickjs::Result<Promised<'js, Json>> {
    let host = extension.api.host().map_err(|error| refused(&js, &error))?;
    let model = known(&extension.api, &model.0).map_err(|error| refused(&js, &error))?;
    let messages: Vec<Message> = serde_json::from_value(messages.0)
        .map_err(|error| OpError::message(format!("the messages: {error}")).throw(&js))?;
    let thinking = thinking.as_deref().and_then(ThinkingLevel::parse).unwrap_or_default();
    let cancel = bridge.tokens.get(token);
    let core = bridge.core(&js)?;
    core.host().spawn(&js, async move {
        let routed = host.route_model(&model, messages.into_iter().collect(), thinking, cancel).await;
        let (model, thinking) = routed.map_err(|error| OpError::message(error.to_string()))?;
        Ok(Json(json!({"model": &*model, "thinkingLevel": thinking})))
    })
}
