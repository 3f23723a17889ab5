//! Handlers of events.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rquickjs::{Ctx as JsCtx, IntoJs, Object, Persistent, Value};
use serde_json::Value as Json;
use tau_hooks::events::EventId;
use tau_hooks::{AnyHandler, AnyOutput, AnyPayload, BoxFuture, Ctx, HandlerError};

use super::Callback;
use super::callback::{making, reading};
use crate::engine::{CallState, Core};

/// A handler written in JavaScript.
pub(super) struct JsHandler {
    pub(super) event: EventId,
    pub(super) callback: Arc<Callback>,
    pub(super) removed: AtomicBool,
}

impl JsHandler {
    /// The handler is not called any more.
    pub(super) fn remove(&self) {
        self.removed.store(true, Ordering::Relaxed);
    }
}

impl AnyHandler for JsHandler {
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        if self.removed.load(Ordering::Relaxed) {
            return Box::pin(std::future::ready(Ok(AnyOutput::Empty)));
        }
        if let Some(call) = super::lazy::call(self.event, payload, &ctx, &self.callback) {
            return call;
        }
        let event = self.event;
        let payload = payload.to_json();
        let callback = Arc::clone(&self.callback);
        Box::pin(async move {
            let project = ctx.owner().dialect.project;
            let payload = project(event, tau_hooks::with_type(event, payload?));
            let fields = event.row().in_place;
            let before: Vec<Json> = fields.iter().map(|field| payload[*field].clone()).collect();
            let args = making(move |js, core, call| arguments(js, core, call, &payload, ctx));
            let read = reading(move |js, _, value, state| {
                let result = answer(js, &value)?;
                let fields = edited(js, state, fields, before)?;
                Ok(match (result, fields.is_empty()) {
                    (None, true) => AnyOutput::Empty,
                    (Some(result), true) => AnyOutput::Json(result),
                    (result, false) => AnyOutput::Edited { result, fields },
                })
            });
            callback.call(args, read).await
        })
    }
}

/// What a handler returned, for the one place that judges results. JSON has no functions and leaves them out; here they
/// must not vanish, or a gate that answers with one would count as open.
fn answer<'js>(js: &JsCtx<'js>, value: &Value<'js>) -> rquickjs::Result<Option<Json>> {
    let foreign = |value: &Value<'js>| value.is_function() || value.is_symbol();
    if foreign(value) {
        return Ok(Some(Json::from(value.type_name())));
    }
    let mut result = crate::convert::from_js(js, value)?;
    if let (Some(Json::Object(fields)), Some(object)) = (&mut result, value.as_object()) {
        for name in object.keys::<String>() {
            let name = name?;
            let field: Value<'js> = object.get(name.as_str())?;
            if foreign(&field) {
                fields.insert(name, Json::from(field.type_name()));
            }
        }
    }
    Ok(result)
}

/// The event and the number of its context. What handlers may change in place is kept, to be looked at afterwards.
fn arguments<'js>(
    js: &JsCtx<'js>,
    core: &Rc<Core>,
    call: u32,
    payload: &Json,
    ctx: Ctx,
) -> rquickjs::Result<Vec<Value<'js>>> {
    let event = crate::convert::to_js(js, payload)?;
    keep(js, core, call, ctx, event.as_object());
    Ok(vec![event, call.into_js(js)?])
}

/// Notes the context of a call and the object it may change.
pub(super) fn keep<'js>(js: &JsCtx<'js>, core: &Rc<Core>, call: u32, ctx: Ctx, object: Option<&Object<'js>>) {
    let object = object.map(|object| Persistent::save(js, object.clone()));
    core.with_call(call, |state| {
        state.context = Some(ctx);
        state.object = object;
    });
}

/// The fields that are not what they were.
fn edited(
    js: &JsCtx<'_>,
    state: CallState,
    fields: &[&str],
    before: Vec<Json>,
) -> rquickjs::Result<serde_json::Map<String, Json>> {
    let mut changed = serde_json::Map::new();
    let Some(object) = state.object.filter(|_| !fields.is_empty()) else { return Ok(changed) };
    let object = object.restore(js)?;
    for (field, before) in fields.iter().zip(before) {
        let now: Value<'_> = object.get(*field)?;
        let now = crate::convert::from_js(js, &now)?.unwrap_or_default();
        if now != before {
            changed.insert((*field).to_owned(), now);
        }
    }
    Ok(changed)
}
