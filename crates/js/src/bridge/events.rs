//! Handlers of events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rquickjs::{Ctx as JsCtx, Object, Value};
use serde_json::Value as Json;
use tau_hooks::events::EventId;
use tau_hooks::{AnyHandler, AnyOutput, AnyPayload, BoxFuture, Ctx, HandlerError, Together, Visit};

use super::Callback;
use super::payload::Payload;

/// A handler written in JavaScript.
pub(super) struct JsHandler {
    pub(super) event: EventId,
    pub(super) callback: Arc<Callback>,
    removed: AtomicBool,
}

impl JsHandler {
    pub(super) fn new(event: EventId, callback: Arc<Callback>) -> Self {
        Self { event, callback, removed: AtomicBool::new(false) }
    }

    /// The handler is not called any more.
    pub(super) fn remove(&self) {
        self.removed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_removed(&self) -> bool {
        self.removed.load(Ordering::Relaxed)
    }
}

impl AnyHandler for JsHandler {
    /// Handlers of an engine are called on visits.
    fn call(&self, _: &dyn AnyPayload, _: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        Box::pin(std::future::ready(Err(HandlerError::msg("a handler in JavaScript was called outside a visit"))))
    }

    fn together(&self) -> Option<&dyn Together> {
        Some(self)
    }
}

impl Together for JsHandler {
    fn joins(&self, next: &dyn Together) -> bool {
        let next: &dyn std::any::Any = next;
        next.downcast_ref::<Self>().is_some_and(|next| self.callback.is_beside(&next.callback))
    }

    fn visit(&self, visit: &Arc<Visit>, payloads: &[&dyn AnyPayload]) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        let dialect = visit.calls().first().map(|(_, ctx)| ctx.owner().dialect);
        let read = |payload: &&dyn AnyPayload| match dialect {
            Some(dialect) => Payload::new(self.event, *payload, dialect),
            None => Err(HandlerError::msg("a visit without handlers")),
        };
        super::visit::visit(visit, self, payloads.iter().map(read).collect())
    }
}

/// What a handler returned, for the one place that judges results. JSON has no functions and leaves them out; here they
/// must not vanish, or a gate that answers with one would count as open.
pub(super) fn answer<'js>(js: &JsCtx<'js>, value: &Value<'js>) -> rquickjs::Result<Option<Json>> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
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

/// The fields that are not what they were.
pub(super) fn edited<'js>(
    js: &JsCtx<'js>,
    object: &Object<'js>,
    fields: &[&str],
    before: &[Json],
) -> rquickjs::Result<serde_json::Map<String, Json>> {
    let mut changed = serde_json::Map::new();
    for (field, before) in fields.iter().zip(before) {
        let now: Value<'js> = object.get(*field)?;
        let now = crate::convert::from_js(js, &now)?.unwrap_or_default();
        if now != *before {
            changed.insert((*field).to_owned(), now);
        }
    }
    Ok(changed)
}
