//! What a handler gets: the payload of an event as an object of JavaScript, made once for all handlers of a visit.

use std::cell::Cell;
use std::rc::Rc;

use rquickjs::{Ctx as JsCtx, Function, Object};
use serde_json::Value as Json;
use tau_hooks::events::EventId;
use tau_hooks::payload::ContextEvent;
use tau_hooks::table::Late;
use tau_hooks::{AnyPayload, Ctx, HandlerError, Messages, as_seen};

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
    /// A payload as extensions of the handlers' dialect see it. What is reshaped is all of it.
    pub(super) fn new(event: EventId, payload: &dyn AnyPayload, ctx: &Ctx) -> Result<Self, HandlerError> {
        let rule = (ctx.owner().dialect.rule)(event);
        if let Some(payload) = payload.as_any().downcast_ref::<ContextEvent>()
            && rule.is_none_or(|rule| !rule.reshapes())
        {
            return Ok(Self::Messages(payload.messages.clone()));
        }
        if let Some(mut late) = event.row().late.and_then(|take_apart| take_apart(payload.as_any())) {
            late.fields = as_seen(ctx, event, late.fields);
            let hidden = |place: &&[&str]| place.first().is_some_and(|field| late.fields.get(field).is_none());
            return Ok(match late.places.iter().all(hidden) {
                true => Self::Whole(late.fields),
                false => Self::Late(late),
            });
        }
        Ok(Self::Whole(as_seen(ctx, event, payload.to_json()?)))
    }

    /// The object, the list of messages in it, and what may be changed in it.
    pub(super) fn object<'js>(
        self,
        js: &JsCtx<'js>,
        core: &Core,
        event: EventId,
    ) -> rquickjs::Result<(Object<'js>, Option<List<'js>>, Rc<InPlace>)> {
        match self {
            Self::Whole(mut payload) => {
                let fields = event.row().in_place;
                let before = fields.iter().map(|field| payload.get_mut(*field).map(Json::take));
                let in_place = Rc::new(InPlace { before: before.collect(), looked: Cell::new(false) });
                let object = made(js, &payload)?;
                for (index, field) in fields.iter().enumerate() {
                    in_place.put(js, core, &object, (index, field))?;
                }
                Ok((object, None, in_place))
            }
            Self::Messages(messages) => {
                let object = Object::new(js.clone())?;
                object.set("type", event.name())?;
                let list = List::make(js, core, messages)?;
                object.set("messages", list.front.clone())?;
                Ok((object, Some(list), Rc::default()))
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
                Ok((object, None, Rc::default()))
            }
        }
    }
}

/// What handlers may change in place. It is made when one looks at it: for as long as nobody did, nobody changed it.
#[derive(Default)]
pub(super) struct InPlace {
    /// As it was, by the fields of the event's row.
    pub(super) before: Vec<Option<Json>>,
    looked: Cell<bool>,
}

impl InPlace {
    /// Puts a field where it belongs.
    fn put<'js>(
        self: &Rc<Self>,
        js: &JsCtx<'js>,
        core: &Core,
        object: &Object<'js>,
        (index, field): (usize, &str),
    ) -> rquickjs::Result<()> {
        if self.before.get(index).is_none_or(Option::is_none) {
            // It may still be added.
            self.looked.set(true);
            return Ok(());
        }
        let known = Rc::clone(self);
        let make = move |js: JsCtx<'js>| {
            known.looked.set(true);
            crate::convert::to_js(&js, known.before.get(index).and_then(Option::as_ref).unwrap_or(&Json::Null))
        };
        let known = Rc::clone(self);
        let replaced = move || known.looked.set(true);
        let late: Function<'js> = core.entry(js, "lateParts")?;
        late.call((
            object.clone(),
            crate::convert::to_js(js, &Json::from(vec![vec![field]]))?,
            Function::new(js.clone(), make)?,
            Function::new(js.clone(), replaced)?,
        ))
    }

    /// Whether somebody may have changed it. `surely` also finds what was put in its place behind the back of its setter.
    pub(super) fn is_touched<'js>(
        &self,
        js: &JsCtx<'js>,
        object: &Object<'js>,
        event: EventId,
        surely: bool,
    ) -> rquickjs::Result<bool> {
        if surely && !self.looked.get() {
            for field in event.row().in_place {
                if !crate::raw::is_accessor(js, object, field)? {
                    self.looked.set(true);
                }
            }
        }
        Ok(self.looked.get())
    }
}

/// A payload is an object.
fn made<'js>(js: &JsCtx<'js>, payload: &Json) -> rquickjs::Result<Object<'js>> {
    crate::convert::to_js(js, payload)?.into_object().ok_or(rquickjs::Error::Unknown)
}
