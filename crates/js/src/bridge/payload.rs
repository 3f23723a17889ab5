//! What a handler gets: the payload of an event as an object of JavaScript, made once for all handlers of a visit.

use std::cell::Cell;
use std::rc::Rc;

use rquickjs::{Ctx as JsCtx, Function, Object};
use serde_json::Value as Json;
use tau_hooks::events::EventId;
use tau_hooks::table::{Failure, Late, Render};
use tau_hooks::{AnyPayload, Ctx, HandlerError, Messages, as_seen};

use super::guest::HasBridge as _;
use super::lazy::List;
use crate::engine::Core;
use crate::ops::defect;

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
        match event.row().render {
            Render::Messages(messages_of) => {
                let rule = (ctx.owner().dialect.rule)(event);
                if let Some(messages) = messages_of(payload.as_any())
                    && rule.is_none_or(|rule| !rule.reshapes())
                {
                    return Ok(Self::Messages(messages.clone()));
                }
            }
            Render::Late(take_apart) if !asks(event) => {
                if let Some(mut late) = take_apart(payload.as_any()) {
                    late.fields = as_seen(ctx, event, late.fields);
                    let shown = |place: &&[&str]| place.first().is_some_and(|field| late.fields.get(field).is_some());
                    // Where the whole part is hidden, nothing of it needs to be made.
                    let is_hidden = !late.places.iter().any(shown);
                    return Ok(if is_hidden { Self::Whole(late.fields) } else { Self::Late(late) });
                }
            }
            Render::Late(_) | Render::Whole => {}
        }
        Ok(Self::Whole(as_seen(ctx, event, payload.to_json()?)))
    }

    /// As handlers get it.
    pub(super) fn object<'js>(self, js: &JsCtx<'js>, core: &Core, event: EventId) -> rquickjs::Result<Made<'js>> {
        match self {
            Self::Whole(mut fields) => {
                let before = event.row().in_place.iter().map(|field| fields.get_mut(*field).map(Json::take)).collect();
                let source = Source { fields, before };
                let (object, in_place) = source.make(js, core, event)?;
                Ok(Made { object, list: None, in_place, source: asks(event).then(|| Rc::new(source)) })
            }
            Self::Messages(messages) => {
                let object = Object::new(js.clone())?;
                object.set("type", event.name())?;
                let list = List::make(js, core, messages)?;
                object.set("messages", list.front.clone())?;
                Ok(Made { object, list: Some(list), in_place: Rc::default(), source: None })
            }
            Self::Late(Late { fields, places, make }) => {
                let object = made(js, &fields)?;
                let make = move |js: JsCtx<'js>| crate::convert::to_js(&js, &make());
                late(core, &object, places, Function::new(js.clone(), make)?, None)?;
                Ok(Made { object, list: None, in_place: Rc::default(), source: None })
            }
        }
    }
}

/// Whether the event is a gate. What its handlers are told passes from one extension to the next as data: an object that
/// one of them has had in its hands may say something else by then.
fn asks(event: EventId) -> bool {
    event.row().failure == Failure::Block
}

/// A payload in JavaScript.
pub(super) struct Made<'js> {
    pub(super) object: Object<'js>,
    /// The conversation, when it is about one.
    pub(super) list: Option<List<'js>>,
    /// What may be changed in place.
    pub(super) in_place: Rc<InPlace>,
    /// What the object of the next extension is made of, where each gets one of its own.
    pub(super) source: Option<Rc<Source>>,
}

/// A payload as data.
pub(super) struct Source {
    /// Without what may be changed in place.
    fields: Json,
    before: Rc<[Option<Json>]>,
}

impl Source {
    /// An object that nobody has seen.
    pub(super) fn make<'js>(
        &self,
        js: &JsCtx<'js>,
        core: &Core,
        event: EventId,
    ) -> rquickjs::Result<(Object<'js>, Rc<InPlace>)> {
        let in_place = Rc::new(InPlace { before: Rc::clone(&self.before), looked: Cell::new(false) });
        let object = made(js, &self.fields)?;
        for (index, field) in event.row().in_place.iter().enumerate() {
            in_place.put(js, core, &object, index, field)?;
        }
        Ok((object, in_place))
    }
}

/// What handlers may change in place. It is made when one looks at it: for as long as nobody did, nobody changed it.
pub(super) struct InPlace {
    /// As it was, by the fields of the event's row.
    pub(super) before: Rc<[Option<Json>]>,
    looked: Cell<bool>,
}

impl Default for InPlace {
    fn default() -> Self {
        Self { before: Rc::new([]), looked: Cell::new(false) }
    }
}

impl InPlace {
    /// Puts a field where it belongs.
    fn put<'js>(
        self: &Rc<Self>,
        js: &JsCtx<'js>,
        core: &Core,
        object: &Object<'js>,
        index: usize,
        field: &str,
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
        let replaced = Function::new(js.clone(), move || known.looked.set(true))?;
        late(core, object, &[&[field]], Function::new(js.clone(), make)?, Some(replaced))
    }

    /// Whether somebody may have changed it. `surely` also finds what was put in its place behind the back of its setter.
    pub(super) fn is_touched(
        &self,
        object: &Object<'_>,
        event: EventId,
        surely: impl FnOnce() -> bool,
    ) -> rquickjs::Result<bool> {
        if !self.looked.get() && surely() {
            for field in event.row().in_place {
                if !matches!(crate::raw::own(object, field)?, crate::raw::Own::Accessor) {
                    self.looked.set(true);
                }
            }
        }
        Ok(self.looked.get())
    }
}

/// Lets `make` make a part of an object when somebody looks at one of the places where it stands; `replaced` runs when
/// somebody puts something else there.
fn late<'js>(
    core: &Core,
    object: &Object<'js>,
    places: &[&[&str]],
    make: Function<'js>,
    replaced: Option<Function<'js>>,
) -> rquickjs::Result<()> {
    let js = object.ctx();
    let part = Object::new_proto(js.clone(), None)?;
    crate::raw::define(&part, "make", make.as_value())?;
    if let Some(replaced) = replaced {
        crate::raw::define(&part, "replaced", replaced.as_value())?;
    }
    for place in places {
        let Some((name, way)) = place.split_last() else { continue };
        let mut holder = object.clone();
        for step in way {
            holder = holder.get(*step)?;
        }
        let accessor = core.bridge().accessors().get(js, &core.bridge(), "partAccessor", name)?;
        accessor.define_part(&holder, name, &part)?;
    }
    Ok(())
}

/// A payload is an object.
fn made<'js>(js: &JsCtx<'js>, payload: &Json) -> rquickjs::Result<Object<'js>> {
    let made = crate::convert::to_js(js, payload)?;
    made.into_object().ok_or_else(|| defect(js, "the payload of an event is no object"))
}
