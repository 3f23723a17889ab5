//! Lists of messages that JavaScript sees without converting them.
//!
//! A handler gets an array whose items are made when it looks, and whose heavy fields are made when it looks at
//! those. Afterwards only what it touched is compared and converted back.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Array, Ctx as JsCtx, Function, IntoJs, Object, Value};
use serde_json::Value as Data;
use tau_hooks::events::EventId;
use tau_hooks::payload::{ContextEvent, ContextResult};
use tau_hooks::{AnyOutput, AnyPayload, BoxFuture, Ctx, HandlerError, HistoryMessage, Messages};

use super::callback::{making, reading};
use super::{Area, Callback};
use crate::engine::Core;
use crate::ops::OpError;

/// Fields that are made at once: short ones that handlers filter by.
const LIGHT: &[&str] =
    &["role", "timestamp", "toolCallId", "toolName", "isError", "customType", "display", "stopReason"];

/// The lists that JavaScript holds.
#[derive(Default)]
pub(crate) struct Lists {
    next: Cell<u32>,
    open: RefCell<HashMap<u32, Messages>>,
}

impl Lists {
    fn add(&self, messages: Messages) -> u32 {
        let id = self.next.get() + 1;
        self.next.set(id);
        self.open.borrow_mut().insert(id, messages);
        id
    }

    pub(crate) fn clear(&self) {
        self.open.borrow_mut().clear();
    }

    fn item(&self, list: u32, index: usize) -> Option<Arc<HistoryMessage>> {
        self.open.borrow().get(&list)?.item(index).cloned()
    }
}

/// Calls a handler whose payload is a conversation; `None` when it is something else.
pub(super) fn call(
    event: EventId,
    payload: &dyn AnyPayload,
    ctx: &Ctx,
    callback: &Arc<Callback>,
) -> Option<BoxFuture<Result<AnyOutput, HandlerError>>> {
    // The dialect's projector may want to see all of it.
    let payload: &ContextEvent = <dyn Any>::downcast_ref(payload.as_any())?;
    let messages = payload.messages.clone();
    let before = messages.clone();
    let (ctx, callback) = (ctx.clone(), Arc::clone(callback));
    Some(Box::pin(async move {
        let args = making(move |js, core, call| {
            let list = core.bridge().lists.add(messages.clone());
            let make: Function<'_> = core.entry(js, "lazyMessages")?;
            let array: Value<'_> = make.call((list, messages.len()))?;
            let object = Object::new(js.clone())?;
            object.set("type", event.name())?;
            object.set("messages", array)?;
            object.set("__list", list)?;
            let take: Function<'_> = core.entry(js, "hideList")?;
            take.call::<_, ()>((object.clone(),))?;
            super::events::keep(js, core, call, ctx, Some(&object));
            Ok(vec![object.into_value(), call.into_js(js)?])
        });
        let read = reading(move |js, core, value, state| {
            let event = state.object.ok_or(rquickjs::Error::Unknown)?.restore(js)?;
            let list: u32 = event.get("__list")?;
            let returned = returned(js, &value)?;
            let now = match &returned {
                Returned::Messages(list) => list.clone(),
                _ => event.get::<_, Value<'_>>("messages")?,
            };
            let messages = collect(js, core, list, &now)?;
            core.bridge().lists.open.borrow_mut().remove(&list);
            Ok(match (returned, messages) {
                // Malformed is for the one place that judges results.
                (Returned::Other(result), _) => AnyOutput::Json(result),
                (_, Some(messages)) if !messages.is_same(&before) => {
                    AnyOutput::Typed(Box::new(ContextResult { messages: Some(messages) }))
                }
                _ => AnyOutput::Empty,
            })
        });
        callback.call(args, read).await
    }))
}

enum Returned<'js> {
    Nothing,
    Messages(Value<'js>),
    Other(Data),
}

fn returned<'js>(js: &JsCtx<'js>, value: &Value<'js>) -> rquickjs::Result<Returned<'js>> {
    if value.is_undefined() || value.is_null() {
        return Ok(Returned::Nothing);
    }
    if let Some(object) = value.as_object().filter(|object| !object.is_array() && !object.is_function()) {
        let messages: Value<'js> = object.get("messages")?;
        if messages.is_array() {
            return Ok(Returned::Messages(messages));
        }
    }
    Ok(crate::convert::from_js(js, value)?.map_or(Returned::Nothing, Returned::Other))
}

/// The list as it is now; items that nobody changed are the very ones they were. `None` when nothing changed.
fn collect<'js>(js: &JsCtx<'js>, core: &Rc<Core>, list: u32, now: &Value<'js>) -> rquickjs::Result<Option<Messages>> {
    let lists = &core.bridge().lists;
    let Some(before) = lists.open.borrow().get(&list).cloned() else { return Ok(None) };
    // For each place: the number of the item that stands there untouched, else the item itself.
    let taken: Function<'js> = core.entry(js, "takeMessages")?;
    let places: Value<'js> = taken.call((list, now.clone()))?;
    let Some(places) = places.into_array() else { return Ok(None) };
    let mut messages = Messages::new();
    let mut same = places.len() == before.len();
    for (index, place) in places.iter::<Value<'js>>().enumerate() {
        let place = place?;
        let item = match place.as_int().and_then(|place| usize::try_from(place).ok()) {
            Some(untouched) => before.item(untouched).cloned(),
            None => Some(item(js, &before, &place)?),
        };
        let Some(item) = item else { continue };
        same &= before.item(index).is_some_and(|old| Arc::ptr_eq(old, &item));
        messages.push_item(item);
    }
    Ok((!same).then_some(messages))
}

/// `[number, object]` for an item that was looked at, or a new object.
fn item<'js>(js: &JsCtx<'js>, before: &Messages, place: &Value<'js>) -> rquickjs::Result<Arc<HistoryMessage>> {
    let (known, object) = match place.as_array() {
        Some(pair) => (before.item(pair.get::<usize>(0)?).cloned(), pair.get::<Value<'js>>(1)?),
        None => (None, place.clone()),
    };
    let data = crate::convert::from_js(js, &object)?.unwrap_or_default();
    let message: tau_ai::Message = serde_json::from_value(data).map_err(|error| {
        OpError::type_error("ERR_INVALID_MESSAGE", format!("a message in `messages`: {error}")).throw(js)
    })?;
    Ok(match known {
        Some(known) if **known.message() == message => known,
        Some(known) => Arc::new(HistoryMessage::new(message, known.entry_id.clone())),
        None => Arc::new(HistoryMessage::new(message, None)),
    })
}

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    // `[light fields as an object, names of the heavy ones]`.
    let item = move |js: JsCtx<'js>, list: u32, index: usize| -> rquickjs::Result<Value<'js>> {
        let Some(item) = bridge.lists.item(list, index) else { return Ok(Value::new_undefined(js)) };
        let fields = fields(&item);
        let pair = Array::new(js.clone())?;
        let light = Object::new(js.clone())?;
        let heavy = Array::new(js.clone())?;
        for (name, value) in &fields {
            match LIGHT.contains(&name.as_str()) {
                true => light.set(name.as_str(), crate::convert::to_js(&js, value)?)?,
                false => heavy.set(heavy.len(), name.as_str())?,
            }
        }
        pair.set(0, light)?;
        pair.set(1, heavy)?;
        Ok(pair.into_value())
    };
    area.function("lazyItem", item)?;
    let bridge = area.bridge();
    let field = move |js: JsCtx<'js>, list: u32, index: usize, name: String| -> rquickjs::Result<Value<'js>> {
        let Some(item) = bridge.lists.item(list, index) else { return Ok(Value::new_undefined(js)) };
        match fields(&item).get(&name) {
            Some(value) => crate::convert::to_js(&js, value),
            None => Ok(Value::new_undefined(js)),
        }
    };
    area.function("lazyField", field)
}

fn fields(item: &HistoryMessage) -> serde_json::Map<String, Data> {
    match serde_json::to_value(&**item.message()) {
        Ok(Data::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    }
}
