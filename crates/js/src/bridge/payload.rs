//! What a handler gets: the payload of an event as an object of JavaScript, made once for all handlers of a visit.

use rquickjs::{Ctx as JsCtx, Function, Object};
use serde_json::Value as Json;
use tau_hooks::dialect::Dialect;
use tau_hooks::events::EventId;
use tau_hooks::payload::ContextEvent;
use tau_hooks::table::Late;
use tau_hooks::{AnyPayload, HandlerError, Messages, as_seen};

use super::lazy::List;
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

    /// The object, and the list of messages in it.
    pub(super) fn object<'js>(
        self,
        js: &JsCtx<'js>,
        core: &Core,
        event: EventId,
    ) -> rquickjs::Result<(Object<'js>, Option<List<'js>>)> {
        match self {
            Self::Whole(payload) => Ok((made(js, &payload)?, None)),
            Self::Messages(messages) => {
                let object = Object::new(js.clone())?;
                object.set("type", event.name())?;
                let list = List::make(js, core, messages)?;
                object.set("messages", list.front.clone())?;
                Ok((object, Some(list)))
            }
            Self::Late(Late { fields, places, make }) => {
                let object = made(js, &fields)?;
                let make = move |js: JsCtx<'js>| crate::convert::to_js(&js, &make());
                let make = Function::new(js.clone(), make)?;
                let late: Function<'js> = core.entry(js, "lateParts")?;
                late.call::<_, ()>((
                    object.clone(),
                    crate::convert::to_js(js, &Json::from_iter(places.iter().map(|path| path.to_vec())))?,
                    make,
                ))?;
                Ok((object, None))
            }
        }
    }
}

/// A payload is an object.
fn made<'js>(js: &JsCtx<'js>, payload: &Json) -> rquickjs::Result<Object<'js>> {
    crate::convert::to_js(js, payload)?.into_object().ok_or(rquickjs::Error::Unknown)
}
