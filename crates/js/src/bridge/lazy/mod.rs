//! Lists of messages that JavaScript sees without converting them.
//!
//! A handler gets an array whose items are made when it looks, and whose heavy fields are made when it looks at
//! those. Afterwards only what it touched is compared and converted back.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Array, Ctx as JsCtx, Function, Object, Persistent, Value};
use tau_hooks::events::EventId;
use tau_hooks::payload::ContextResult;
use tau_hooks::{AnyOutput, HistoryMessage, Messages};

use super::guest::HasBridge as _;
use super::items;
use crate::convert::fields::field;
use crate::engine::Core;
use crate::ops::defect;

/// A conversation as an array.
#[derive(Clone)]
pub(super) struct List<'js> {
    messages: Messages,
    /// What handlers see.
    pub(super) front: Object<'js>,
    /// What it stands for, which items of it were looked at or written, and what those that were looked at were made as.
    target: Array<'js>,
    made: Array<'js>,
    items: Array<'js>,
}

/// A [`List`] between two stretches.
#[derive(Clone)]
pub(super) struct SavedList {
    messages: Messages,
    arrays: [Persistent<Object<'static>>; 4],
}

impl<'js> List<'js> {
    /// The array of a conversation.
    pub(super) fn make(js: &JsCtx<'js>, core: &Core, messages: Messages) -> rquickjs::Result<Self> {
        let (bridge, list) = (Rc::downgrade(&core.bridge()), messages.clone());
        // The items from one place to another.
        let make = move |js: JsCtx<'js>, from: usize, to: usize| -> rquickjs::Result<Array<'js>> {
            let items = Array::new(js.clone())?;
            for index in from..to.min(list.len()) {
                let Some(item) = list.item(index) else { break };
                items.set(index - from, items::make(&js, &bridge, item.message())?)?;
            }
            Ok(items)
        };
        let list = messages.clone();
        let heavy = move |js: JsCtx<'js>, index: usize, name: String| -> rquickjs::Result<Value<'js>> {
            let value = list.item(index).and_then(|item| field(&**item.message(), &name).ok().flatten());
            match value {
                Some(value) => crate::convert::to_js(&js, &value),
                None => Ok(Value::new_undefined(js)),
            }
        };
        let lazy: Function<'js> = core.entry(js, "lazyMessages")?;
        let parts: Array<'js> =
            lazy.call((messages.len(), Function::new(js.clone(), make)?, Function::new(js.clone(), heavy)?))?;
        let [target, made, items] = [parts.get(1)?, parts.get(2)?, parts.get(3)?];
        Ok(Self { messages, front: parts.get(0)?, target, made, items })
    }

    /// For after this stretch.
    pub(super) fn save(self, js: &JsCtx<'js>) -> SavedList {
        let arrays = [self.front, self.target.into_object(), self.made.into_object(), self.items.into_object()];
        SavedList { messages: self.messages, arrays: arrays.map(|array| Persistent::save(js, array)) }
    }

    /// The list that was saved.
    pub(super) fn restore(js: &JsCtx<'js>, saved: SavedList) -> rquickjs::Result<Self> {
        let [front, target, made, items] = saved.arrays;
        let array = |object: Object<'js>| {
            object.into_array().ok_or_else(|| defect(js, "a part of a list of messages is no array"))
        };
        Ok(Self {
            messages: saved.messages,
            front: front.restore(js)?,
            target: array(target.restore(js)?)?,
            made: array(made.restore(js)?)?,
            items: array(items.restore(js)?)?,
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
    event: EventId,
    told: &Object<'js>,
    value: &Value<'js>,
    list: &List<'js>,
) -> rquickjs::Result<AnyOutput> {
    let returned = returned(js, core, event, value)?;
    let now = match &returned {
        Returned::Messages(list) => list.clone(),
        _ => told.get::<_, Value<'_>>("messages")?,
    };
    let messages = if list.is_closed(&now) { None } else { collect(js, core, list, &now)? };
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

fn returned<'js>(js: &JsCtx<'js>, core: &Core, event: EventId, value: &Value<'js>) -> rquickjs::Result<Returned<'js>> {
    if value.is_undefined() || value.is_null() {
        return Ok(Returned::Nothing);
    }
    if let Some(object) = value.as_object().filter(|object| !object.is_array() && !object.is_function()) {
        let messages: Value<'js> = object.get("messages")?;
        // The list of the event, and every proxy of an array, looks like one to programs, and is none to the engine.
        if messages.is_array() || crate::raw::is_proxy(&messages) {
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
    list: &List<'js>,
    now: &Value<'js>,
) -> rquickjs::Result<Option<(Messages, Vec<String>)>> {
    let before = &list.messages;
    let mut known = HashMap::new();
    for (index, item) in list.items.iter::<Value<'js>>().enumerate() {
        let item = item?;
        if item.is_object() {
            known.insert(item, index);
        }
    }
    // The lazy array itself is read behind its back: reading must not make items.
    let is_front = list.front.as_value() == now;
    let all = if is_front { list.target.clone() } else { core.entry(js, "wholeMessages")?.call((now.clone(),))? };
    let mut messages = Messages::new();
    let mut left_out = Vec::new();
    let mut same = all.len() == before.len();
    for index in 0..all.len() {
        let object: Value<'js> = all.get(index)?;
        let is_closed = is_front && object.is_undefined() && !list.made.get::<Option<bool>>(index)?.unwrap_or_default();
        let item = match before.item(index).filter(|_| is_closed) {
            Some(untouched) => Some(Arc::clone(untouched)),
            None => match item(js, core, known.get(&object).and_then(|place| before.item(*place)), &object)? {
                Item::Message(item) => Some(item),
                Item::Malformed(error) => {
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

/// What an object in a list of messages is.
enum Item {
    Message(Arc<HistoryMessage>),
    /// No message.
    Malformed(serde_json::Error),
}

/// The item that an object stands for: the very one that it was made of, if that is `known` and nothing of it changed.
fn item<'js>(
    js: &JsCtx<'js>,
    core: &Core,
    known: Option<&Arc<HistoryMessage>>,
    value: &Value<'js>,
) -> rquickjs::Result<Item> {
    if let (Some(known), Some(object)) = (known, value.as_object())
        && items::is_untouched(&core.bridge(), object, known.message())?
    {
        return Ok(Item::Message(Arc::clone(known)));
    }
    let mut data = crate::convert::from_js(js, value)?.unwrap_or_default();
    complete(&mut data);
    let message: tau_ai::Message = match serde_json::from_value(data) {
        Ok(message) => message,
        Err(error) => return Ok(Item::Malformed(error)),
    };
    Ok(Item::Message(match known {
        Some(known) if **known.message() == message => Arc::clone(known),
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
