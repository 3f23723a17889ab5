//! What a handler gets: the payload of an event as an object of JavaScript, made once for all handlers of a visit.

use rquickjs::{Ctx as JsCtx, Function, Object, Value};
use serde_json::Value as Json;
use tau_hooks::dialect::Dialect;
use tau_hooks::events::EventId;
use tau_hooks::payload::ContextEvent;
use tau_hooks::table::Late;
use tau_hooks::{AnyPayload, HandlerError, Messages, as_seen};

use crate::engine::Core;

/// A payload on its way to the engine.
pub(super) enum Payload {
    /// All of it.
    Whole(Json),
    /// A part is made when a handler looks at it.
    Late(Late),
    /// A conversation, message by message as handlers look.
    Messages(Messages),
}

impl Payload {
    /// A payload as extensions of a dialect see it. A dialect that reshapes payloads needs all of them.
    pub(super) fn new(event: EventId, payload: &dyn AnyPayload, dialect: &Dialect) -> Result<Self, HandlerError> {
        if dialect.project.is_none() {
            if let Some(payload) = payload.as_any().downcast_ref::<ContextEvent>() {
                return Ok(Self::Messages(payload.messages.clone()));
            }
            if let Some(mut late) = event.row().late.and_then(|take_apart| take_apart(payload.as_any())) {
                late.fields = as_seen(dialect, event, late.fields);
                return Ok(Self::Late(late));
            }
        }
        Ok(Self::Whole(as_seen(dialect, event, payload.to_json()?)))
    }

    /// What handlers may change in place, as it is before.
    pub(super) fn before(&self, event: EventId) -> Vec<Json> {
        match self {
            Self::Whole(payload) => event.row().in_place.iter().map(|field| payload[*field].clone()).collect(),
            Self::Late(_) | Self::Messages(_) => Vec::new(),
        }
    }

    /// The object. A list of messages is known to the runtime as that of the call.
    pub(super) fn object<'js>(self, js: &JsCtx<'js>, core: &Core, event: EventId) -> rquickjs::Result<Value<'js>> {
        match self {
            Self::Whole(payload) => crate::convert::to_js(js, &payload),
            Self::Messages(messages) => {
                let object = Object::new(js.clone())?;
                object.set("type", event.name())?;
                object.set("messages", super::lazy::array(js, core, messages)?)?;
                Ok(object.into_value())
            }
            Self::Late(Late { fields, places, make }) => {
                let object = crate::convert::to_js(js, &fields)?;
                let make = move |js: JsCtx<'js>| crate::convert::to_js(&js, &make());
                let make = Function::new(js.clone(), make)?;
                let late: Function<'js> = core.entry(js, "lateParts")?;
                late.call::<_, ()>((
                    object.clone(),
                    crate::convert::to_js(js, &Json::from_iter(places.iter().map(|path| path.to_vec())))?,
                    make,
                ))?;
                Ok(object)
            }
        }
    }
}
