//! Lists of messages that JavaScript sees without converting them.
//!
//! A handler gets an array whose items are made when it looks, and whose heavy fields are made when it looks at
//! those. Afterwards only what it touched is compared and converted back.

use std::cell::RefCell;
use std::sync::Arc;

use rquickjs::{Array, Ctx as JsCtx, Function, Object, Persistent, Value};
use tau_hooks::events::EventId;
use tau_hooks::payload::ContextResult;
use tau_hooks::{AnyOutput, HistoryMessage, Messages};

use super::Area;
use crate::convert::fields::{Field, field, fields};
use crate::engine::Core;
use crate::ops::defect;

/// Fields that are made at once: short ones that handlers filter by.
const LIGHT: &[&str] =
    &["role", "timestamp", "toolCallId", "toolName", "isError", "customType", "display", "stopReason"];

/// Which fields messages have, in order, and whether they are made at once. There are few such shapes, so a message
/// comes to JavaScript as the number of its shape and its values.
#[derive(Default)]
pub(crate) struct Shapes(RefCell<Vec<Vec<(String, bool)>>>);

impl Shapes {
    fn number(&self, fields: &[Field]) -> usize {
        let mut known = self.0.borrow_mut();
        let same = |shape: &Vec<(String, bool)>| {
            shape.len() == fields.len() && shape.iter().zip(fields).all(|(a, b)| a.0 == b.0 && a.1 == b.1.is_some())
        };
        known.iter().position(same).unwrap_or_else(|| {
            known.push(fields.iter().map(|(name, value)| (name.clone(), value.is_some())).collect());
            known.len() - 1
        })
    }
}

/// A conversation as an array.
#[derive(Clone)]
pub(super) struct List<'js> {
    messages: Messages,
    /// What handlers see.
    pub(super) front: Object<'js>,
    /// What it stands for, and which items of it were looked at or written.
    target: Array<'js>,
    made: Array<'js>,
}

/// A [`List`] between two stretches.
#[derive(Clone)]
pub(super) struct SavedList {
    messages: Messages,
    arrays: [Persistent<Object<'static>>; 3],
}

impl<'js> List<'js> {
    /// The array of a conversation.
    pub(super) fn make(js: &JsCtx<'js>, core: &Core, messages: Messages) -> rquickjs::Result<Self> {
        let shapes = core.bridge().shapes();
        let list = messages.clone();
        // `[number of the shape, value, value…]`.
        let item = move |js: JsCtx<'js>, index: usize| -> rquickjs::Result<Value<'js>> {
            let Some(item) = list.item(index) else { return Ok(Value::new_undefined(js)) };
            let fields = fields(&**item.message(), LIGHT).unwrap_or_default();
            let values = Array::new(js.clone())?;
            values.set(0, shapes.number(&fields))?;
            for (index, value) in fields.iter().filter_map(|(_, value)| value.as_ref()).enumerate() {
                values.set(index + 1, crate::convert::to_js(&js, value)?)?;
            }
            Ok(values.into_value())
        };
        let list = messages.clone();
        let heavy = move |js: JsCtx<'js>, index: usize, name: String| -> rquickjs::Result<Value<'js>> {
            let value = list.item(index).and_then(|item| field(&**item.message(), &name).ok().flatten());
            match value {
                Some(value) => crate::convert::to_js(&js, &value),
                None => Ok(Value::new_undefined(js)),
            }
        };
        let make: Function<'js> = core.entry(js, "lazyMessages")?;
        let parts: Array<'js> =
            make.call((messages.len(), Function::new(js.clone(), item)?, Function::new(js.clone(), heavy)?))?;
        Ok(Self { messages, front: parts.get(0)?, target: parts.get(1)?, made: parts.get(2)? })
    }

    /// For after this stretch.
    pub(super) fn save(self, js: &JsCtx<'js>) -> SavedList {
        let arrays = [self.front, self.target.into_object(), self.made.into_object()];
        SavedList { messages: self.messages, arrays: arrays.map(|array| Persistent::save(js, array)) }
    }

    /// The list that was saved.
    pub(super) fn restore(js: &JsCtx<'js>, saved: SavedList) -> rquickjs::Result<Self> {
        let [front, target, made] = saved.arrays;
        let array = |object: Object<'js>| {
            object.into_array().ok_or_else(|| defect(js, "a part of a list of messages is no array"))
        };
        Ok(Self {
            messages: saved.messages,
            front: front.restore(js)?,
            target: array(target.restore(js)?)?,
            made: array(made.restore(js)?)?,
        })
    }

    /// Whether the event still has this list and nobody looked into it: however long it is, there is nothing to compare.
    fn is_closed(&self, now: &Value<'js>) -> bool {
        let front = self.front.as_value() == now;
        front && self.made.is_empty() && self.target.len() == self.messages.len()
    }
}

/// What a handler of a conversation said: by what it returned, or by what it did to the array it was given.
pub(super) fn answer<'js>(
    js: &JsCtx<'js>,
    core: &Core,
    (event, told): (EventId, &Object<'js>),
    value: &Value<'js>,
    list: &List<'js>,
) -> rquickjs::Result<AnyOutput> {
    let returned = returned(js, core, event, (value, list))?;
    let now = match &returned {
        Returned::Messages(list) => list.clone(),
        _ => told.get::<_, Value<'_>>("messages")?,
    };
    let messages = if list.is_closed(&now) { None } else { collect(js, core, (&list.messages, &list.front), &now)? };
    Ok(match (returned, messages) {
        // Malformed is for the one place that judges results.
        (Returned::Other(result), _) => result,
        (_, Some((messages, left_out))) => {
            AnyOutput::Partly(Box::new(ContextResult { messages: Some(messages) }), left_out)
        }
        _ => AnyOutput::Empty,
    })
}

enum Returned<'js> {
    Nothing,
    Messages(Value<'js>),
    Other(AnyOutput),
}

fn returned<'js>(
    js: &JsCtx<'js>,
    core: &Core,
    event: EventId,
    (value, list): (&Value<'js>, &List<'js>),
) -> rquickjs::Result<Returned<'js>> {
    if value.is_undefined() || value.is_null() {
        return Ok(Returned::Nothing);
    }
    if let Some(object) = value.as_object().filter(|object| !object.is_array() && !object.is_function()) {
        let messages: Value<'js> = object.get("messages")?;
        // The list of the event looks like an array to programs, and is none to the engine.
        if messages.is_array() || list.front.as_value() == &messages {
            return Ok(Returned::Messages(messages));
        }
    }
    Ok(match super::answer::read(js, core, event, value)? {
        AnyOutput::Empty => Returned::Nothing,
        other => Returned::Other(other),
    })
}

/// The list as it is now, and why items are not part of it; items that nobody changed are the very ones they were. `None`
/// when nothing changed.
fn collect<'js>(
    js: &JsCtx<'js>,
    core: &Core,
    (before, array): (&Messages, &Object<'js>),
    now: &Value<'js>,
) -> rquickjs::Result<Option<(Messages, Vec<String>)>> {
    // For each place: the number of the item that stands there untouched, else the object.
    let taken: Function<'js> = core.entry(js, "takeMessages")?;
    let places: Value<'js> = taken.call((array.clone(), now.clone()))?;
    let Some(places) = places.into_array() else { return Ok(None) };
    let mut messages = Messages::new();
    let mut left_out = Vec::new();
    let mut same = places.len() == before.len();
    for (index, place) in places.iter::<Value<'js>>().enumerate() {
        let place = place?;
        let item = match place.as_int().and_then(|place| usize::try_from(place).ok()) {
            Some(untouched) => before.item(untouched).cloned(),
            None => match item(js, before, &place)? {
                Ok(item) => Some(item),
                Err(error) => {
                    left_out.push(format!("a message in `messages` is left out: {error}"));
                    None
                }
            },
        };
        let Some(item) = item else {
            same = false;
            continue;
        };
        same &= before.item(index).is_some_and(|old| Arc::ptr_eq(old, &item));
        messages.push_item(item);
    }
    Ok((!same).then_some((messages, left_out)))
}

/// `[number, object]` for an item that was looked at; no item has the number of a new one.
fn item<'js>(
    js: &JsCtx<'js>,
    before: &Messages,
    place: &Value<'js>,
) -> rquickjs::Result<serde_json::Result<Arc<HistoryMessage>>> {
    let pair = place.as_array().ok_or_else(|| defect(js, "a message of a list has no place"))?;
    let known = usize::try_from(pair.get::<i32>(0)?).ok().and_then(|number| before.item(number).cloned());
    let object = pair.get::<Value<'js>>(1)?;
    let mut data = crate::convert::from_js(js, &object)?.unwrap_or_default();
    complete(&mut data);
    let message: tau_ai::Message = match serde_json::from_value(data) {
        Ok(message) => message,
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(match known {
        Some(known) if **known.message() == message => known,
        Some(known) => Arc::new(HistoryMessage::new(message, known.entry_id.clone())),
        None => Arc::new(HistoryMessage::new(message, None)),
    }))
}

/// Fills in names that programs leave out because nothing fails without them. A result without the id of its call answers
/// no call, and requests leave it out.
fn complete(data: &mut serde_json::Value) {
    let names: &[&str] = match data["role"].as_str() {
        Some("custom") => &["customType"],
        Some("toolResult") => &["toolCallId", "toolName"],
        _ => return,
    };
    let Some(fields) = data.as_object_mut() else { return };
    for name in names {
        let name = fields.entry(*name).or_insert_with(|| "".into());
        if name.is_null() {
            *name = "".into();
        }
    }
}

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    // `[name, whether it is made at once, name, …]` of a shape.
    let shape = move |js: JsCtx<'js>, number: usize| -> rquickjs::Result<Value<'js>> {
        let shapes = bridge.shapes();
        let known = shapes.0.borrow();
        let names = Array::new(js.clone())?;
        for (index, (name, light)) in known.get(number).into_iter().flatten().enumerate() {
            names.set(index * 2, name.as_str())?;
            names.set(index * 2 + 1, *light)?;
        }
        Ok(names.into_value())
    };
    area.function("messageShape", shape)
}
