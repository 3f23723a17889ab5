//! What a handler answered.
//!
//! A program asks `answer.block`, and so does tau: a field counts wherever the language finds it, be it inherited, hidden
//! or made by a getter. Each field is read once, because two looks at a getter may see two things. Only what somebody added
//! to a built-in prototype is no answer: all objects have it, also those of other extensions.

use std::rc::Rc;

use rquickjs::promise::PromiseState;
use rquickjs::{Ctx as JsCtx, Exception, Function, Object, Promise, Value};
use serde_json::{Map, Value as Json};
use tau_hooks::AnyOutput;
use tau_hooks::events::EventId;
use tau_hooks::table::Failure;

use super::extract::Bridged;
use crate::convert::strict::{self, StrictError};
use crate::engine::Core;
use crate::ops::defect;
use crate::ops::table::ops;
use crate::raw::Own;

ops! {
    /// What a handler answered.
    pub(crate) static OPS: always;

    /// Settles a call with a value.
    fn callSettles(call, value) = call_settles, Pure;
}

/// What a handler returned, for the one place that judges results. JSON has no functions and leaves them out; here they
/// must not vanish, or a gate that answers with one would count as open.
///
/// # Errors
/// Whatever getters throw.
pub(super) fn read<'js>(
    js: &JsCtx<'js>,
    core: &Core,
    event: EventId,
    value: &Value<'js>,
) -> rquickjs::Result<AnyOutput> {
    if value.is_undefined() || value.is_null() {
        return Ok(AnyOutput::Empty);
    }
    let row = event.row();
    let (fields, live) = (row.output_fields(), row.live);
    let object = value.as_object().filter(|_| !value.is_function() && !value.is_array());
    let Some(object) = object.filter(|_| fields.is_some() || !live.is_empty()) else {
        return whole(js, value, row.has_output());
    };
    let decides = row.failure == Failure::Block;
    let built_in = [crate::raw::class_prototype(object.as_value()), crate::raw::object_prototype(js)];
    let mut found = Map::new();
    for name in fields.into_iter().flatten() {
        let Some(field) = field(object, name, &built_in, decides)?.filter(|field| !field.is_undefined()) else {
            continue;
        };
        let data = if decides { strict::read(&field) } else { plain(js, &field).map_err(StrictError::Thrown) };
        match data {
            Ok(data) => found.insert(name.clone(), data),
            Err(StrictError::NoData(why)) => return Ok(AnyOutput::Malformed(format!("`{name}` {why}"))),
            Err(StrictError::Thrown(error)) => return Err(error),
        };
    }
    for name in live {
        if let Some(own) = field(object, name, &built_in, decides)?.filter(|own| !own.is_undefined()) {
            let number: Value<'js> = core.entry(js, "keepLive")?.call((*name, own))?;
            found.insert((*name).to_owned(), number.as_int().map_or(Json::Null, Json::from));
        }
    }
    // Fields that the event does not have are only named to the author; older dialects have some of their own.
    for name in object.keys::<String>() {
        let name = name?;
        if fields.is_some_and(|fields| fields.contains(&name)) || live.contains(&name.as_str()) {
            continue;
        }
        let field = if decides { Json::Null } else { plain(js, &object.get::<_, Value<'js>>(name.as_str())?)? };
        found.insert(name, field);
    }
    // The body of a generator that is a handler never runs, and an error means no; neither says so in a field.
    let says = |name: &String| fields.is_some_and(|fields| fields.contains(name)) || live.contains(&name.as_str());
    if decides && !found.keys().any(says) && crate::raw::is_special(value) {
        return Ok(AnyOutput::Malformed("an object with fields is needed, not one of a built-in class".to_owned()));
    }
    if decides
        && found.is_empty()
        && let Some(what) = class_of(object, built_in[1].as_ref())?
    {
        return Ok(AnyOutput::Fieldless(what));
    }
    Ok(AnyOutput::Json(Json::Object(found)))
}

/// What an object is, in words; none for a plain one, and for a proxy. Nothing of a program runs for it.
///
/// # Errors
/// When there is no memory.
fn class_of<'js>(object: &Object<'js>, plain: Option<&Object<'js>>) -> rquickjs::Result<Option<String>> {
    if crate::raw::is_proxy(object.as_value()) {
        return Ok(None);
    }
    let Some(class) = crate::raw::prototype(object)?.filter(|class| Some(class) != plain) else { return Ok(None) };
    let mut name = None;
    if !crate::raw::is_proxy(class.as_value())
        && let Own::Value(made_by) = crate::raw::own(&class, "constructor")?
        && let Some(made_by) = made_by.as_object().filter(|made_by| !crate::raw::is_proxy(made_by.as_value()))
        && let Own::Value(called) = crate::raw::own(made_by, "name")?
    {
        name = called.as_string().and_then(|name| name.to_string().ok()).filter(|name| !name.is_empty());
    }
    Ok(Some(name.map_or_else(|| "an object of a class".to_owned(), |name| format!("an object of the class `{name}`"))))
}

/// A field of an answer; none where only one of the `built_in` prototypes of its class and of all objects has it.
///
/// # Errors
/// Whatever getters throw. In an answer that `decides`, also where a built-in prototype has something that keeps a program
/// from giving its own objects such a field, and where a proxy hides whose the field is.
fn field<'js>(
    object: &Object<'js>,
    name: &str,
    built_in: &[Option<Object<'js>>; 2],
    decides: bool,
) -> rquickjs::Result<Option<Value<'js>>> {
    // Only what all objects have in common cannot be given another prototype.
    let mut may_be_added = built_in[0].is_some() && built_in[0] != built_in[1];
    for prototype in built_in.iter().flatten() {
        may_be_added |= !crate::raw::own(prototype, name)?.is_nothing();
    }
    if !may_be_added {
        return object.get(name).map(Some);
    }
    let unclear =
        |why: &str| Exception::throw_message(object.ctx(), &format!("an extension gave all objects a `{name}`, {why}"));
    for prototype in built_in.iter().flatten().filter(|_| decides) {
        if crate::raw::keeps_from_setting(prototype, name)? {
            return Err(unclear("which keeps others from setting theirs"));
        }
    }
    let mut at = Some(object.clone());
    while let Some(here) = at.filter(|here| !built_in.contains(&Some(here.clone()))) {
        if crate::raw::is_proxy(here.as_value()) {
            if decides {
                return Err(unclear("so whose this one is cannot be told"));
            }
            return Ok(None);
        }
        if !crate::raw::own(&here, name)?.is_nothing() {
            return object.get(name).map(Some);
        }
        at = crate::raw::prototype(&here)?;
    }
    Ok(None)
}

/// A result of an event that takes any value, and one that is no object.
fn whole<'js>(js: &JsCtx<'js>, value: &Value<'js>, is_read: bool) -> rquickjs::Result<AnyOutput> {
    if is_foreign(value) {
        return Ok(AnyOutput::Malformed(format!("an object is needed, not {}", strict::kind(value))));
    }
    Ok(match crate::convert::from_js(js, value)? {
        // It is neither `null` nor `undefined`: data cannot hold NaN and the infinities, and they are no way to say nothing.
        Some(Json::Null) if is_read => {
            AnyOutput::Malformed(format!("an object is needed, not {}", strict::kind(value)))
        }
        Some(Json::Object(mut fields)) => {
            if let Some(object) = value.as_object() {
                for name in object.keys::<String>() {
                    let name = name?;
                    let field: Value<'js> = object.get(name.as_str())?;
                    if is_foreign(&field) {
                        fields.insert(name, Json::from(field.type_name()));
                    }
                }
            }
            AnyOutput::Json(Json::Object(fields))
        }
        Some(data) => AnyOutput::Json(data),
        None => AnyOutput::Empty,
    })
}

/// A field as `JSON.stringify` sees it; what it does not see does not vanish.
fn plain<'js>(js: &JsCtx<'js>, value: &Value<'js>) -> rquickjs::Result<Json> {
    if is_foreign(value) {
        return Ok(Json::from(value.type_name()));
    }
    Ok(crate::convert::from_js(js, value)?.unwrap_or_default())
}

fn is_foreign(value: &Value<'_>) -> bool {
    value.is_function() || value.is_symbol()
}

/// Whether the answer of a handler is there.
pub(super) enum Answered<'js> {
    Now(Value<'js>),
    Later(Later<'js>),
}

/// An answer that has to be waited for.
pub(super) struct Later<'js> {
    /// A promise of the engine itself: no program has a say in how it is settled.
    pub(super) until: Promise<'js>,
    /// The answer, when it is there and only what the handler left behind is not done.
    pub(super) answer: Option<Value<'js>>,
}

/// Handlers are called as if each were awaited: what one leaves for promises to do is done before the next one is called.
/// When there is nothing of that kind, and no promise to wait for, waiting would change nothing.
///
/// # Errors
/// When there is no memory, and whatever a proxy throws.
pub(super) fn answered<'js>(js: &JsCtx<'js>, value: Value<'js>) -> rquickjs::Result<Answered<'js>> {
    let left = crate::raw::has_jobs(js);
    let until = match promised(js, &value)? {
        Some(promise) => promise,
        None if !left => return Ok(Answered::Now(value)),
        None => {
            let (promise, resolve, _) = js.promise()?;
            resolve.call::<_, ()>(())?;
            return Ok(Answered::Later(Later { until: promise, answer: Some(value) }));
        }
    };
    if until.state() == PromiseState::Resolved && !crate::raw::has_jobs(js) {
        let nothing = || Err(defect(js, "a promise is settled and has no result"));
        return until.result().unwrap_or_else(nothing).map(Answered::Now);
    }
    Ok(Answered::Later(Later { until, answer: None }))
}

/// The promise that has to be waited for, when a value is one, or something like it.
///
/// # Errors
/// See [`answered`].
pub(super) fn promised<'js>(js: &JsCtx<'js>, value: &Value<'js>) -> rquickjs::Result<Option<Promise<'js>>> {
    let Some(object) = value.as_object() else { return Ok(None) };
    if !has_then(object)? {
        return Ok(value.as_promise().cloned());
    }
    let (promise, resolve, _) = js.promise()?;
    // This reads `then`, once, and calls it when the running code has come to its end.
    resolve.call::<_, ()>((value.clone(),))?;
    Ok(Some(promise))
}

/// Whether an object brings a `then` of its own, or its class does. One that somebody added to the prototype of all objects,
/// arrays, functions or promises is none: it would answer for handlers of others.
fn has_then(object: &Object<'_>) -> rquickjs::Result<bool> {
    let common = crate::raw::class_prototype(object.as_value());
    // A promise as the engine makes it is awaited without a look at its properties.
    if object.as_promise().is_some() && crate::raw::prototype(object)? == common {
        return Ok(false);
    }
    let mut at = Some(object.clone());
    while let Some(here) = at {
        if crate::raw::is_proxy(here.as_value()) {
            return Ok(true);
        }
        let above = crate::raw::prototype(&here)?;
        if here != *object && (above.is_none() || common.as_ref() == Some(&here)) {
            return Ok(false);
        }
        if !matches!(crate::raw::own(&here, "then")?, Own::Nothing) {
            return Ok(true);
        }
        at = above;
    }
    Ok(false)
}

fn call_settles<'js>(js: JsCtx<'js>, Bridged(bridge): Bridged, call: u32, value: Value<'js>) -> rquickjs::Result<()> {
    let core = bridge.core(&js)?;
    let Some(promise) = promised(&js, &value)? else { return core.done(&js, call, value) };
    let weak = Rc::downgrade(&core);
    let done = move |js: JsCtx<'js>, value: Value<'js>| match weak.upgrade() {
        Some(core) => core.done(&js, call, value),
        None => Ok(()),
    };
    let weak = Rc::downgrade(&core);
    let failed = move |js: JsCtx<'js>, error: Value<'js>| {
        if let Some(core) = weak.upgrade() {
            core.failed(&js, call, error);
        }
    };
    crate::raw::then(&promise, &Function::new(js.clone(), done)?, &Function::new(js, failed)?)
}
