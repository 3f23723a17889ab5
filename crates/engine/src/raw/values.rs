//! Values as they are: looked at, made and waited for without running code of a program, and without anything that a
//! program can put in the place of a built-in function.

use rquickjs::{Array, Ctx, Error, Function, Object, Promise, Result, Value, qjs};

use crate::ops::defect;

/// What an object itself has under a name.
pub enum Own<'js> {
    /// Nothing; its prototypes may have something.
    Nothing,
    /// A plain value.
    Value(Value<'js>),
    /// A getter or a setter. It was not run.
    Accessor,
}

impl Own<'_> {
    /// Whether the object has nothing under that name.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// What an object itself has under a name. Only a proxy runs code when it is asked.
pub fn own<'js>(object: &Object<'js>, name: &str) -> Result<Own<'js>> {
    Ok(match described(object, name)? {
        None => Own::Nothing,
        Some((.., flags)) if flags & qjs::JS_PROP_GETSET as i32 != 0 => Own::Accessor,
        Some((value, ..)) => Own::Value(value),
    })
}

/// The function that stands behind a name of an object itself: its value, or the getter that gives it.
pub fn behind<'js>(object: &Object<'js>, name: &str) -> Result<Option<Value<'js>>> {
    Ok(described(object, name)?.map(|(value, getter, flags)| match flags & qjs::JS_PROP_GETSET as i32 {
        0 => value,
        _ => getter,
    }))
}

/// The getter of an object itself, as long as it can be replaced: that of a frozen object stays when it has been called.
pub fn late_getter<'js>(object: &Object<'js>, name: &str) -> Result<Option<Value<'js>>> {
    let wanted = (qjs::JS_PROP_GETSET | qjs::JS_PROP_CONFIGURABLE) as i32;
    let found = described(object, name)?.filter(|(.., flags)| flags & wanted == wanted);
    Ok(found.map(|(_, getter, _)| getter))
}

/// Whether what an object itself has under a name keeps objects that inherit from it from being given one of their own by
/// an assignment: a getter or a setter, or a value that cannot be changed.
pub fn keeps_from_setting(object: &Object<'_>, name: &str) -> Result<bool> {
    let flags = described(object, name)?.map(|(.., flags)| flags);
    Ok(flags.is_some_and(|flags| flags & qjs::JS_PROP_GETSET as i32 != 0 || flags & qjs::JS_PROP_WRITABLE as i32 == 0))
}

/// What an object itself has under a name.
type Described<'js> = (Value<'js>, Value<'js>, i32);

/// The value, the getter and the flags of what an object itself has under a name; what there is not is undefined.
fn described<'js>(object: &Object<'js>, name: &str) -> Result<Option<Described<'js>>> {
    let ctx = object.ctx();
    let mut found = std::mem::MaybeUninit::<qjs::JSPropertyDescriptor>::uninit();
    // SAFETY: the engine fills in the descriptor when it says that there is one. The value and the getter move out
    // of it, the setter and the atom are freed.
    unsafe {
        let context = ctx.as_raw().as_ptr();
        let atom = qjs::JS_NewAtomLen(context, name.as_ptr().cast(), name.len() as _);
        let there = qjs::JS_GetOwnProperty(context, found.as_mut_ptr(), object.as_raw(), atom);
        qjs::JS_FreeAtom(context, atom);
        if there < 0 {
            return Err(Error::Exception);
        }
        if there == 0 {
            return Ok(None);
        }
        let found = found.assume_init();
        qjs::JS_FreeValue(context, found.setter);
        let value = Value::from_raw(ctx.clone(), found.value);
        Ok(Some((value, Value::from_raw(ctx.clone(), found.getter), found.flags)))
    }
}

/// The class of ordinary objects.
const OBJECT: qjs::JSClassID = 1;

/// Whether looking at a value may run code, whatever is looked at.
pub fn is_proxy(value: &Value<'_>) -> bool {
    // SAFETY: the engine only looks at the object's class.
    unsafe { qjs::JS_IsProxy(value.as_raw()) }
}

/// Whether a value is an object that the language makes in a way of its own, such as a generator, an error or a date. A
/// map or a set is none: calls that change one give it back, also as the last thing a handler does.
pub fn is_special(value: &Value<'_>) -> bool {
    let raw = value.as_raw();
    // SAFETY: the engine only looks at the object's class.
    unsafe {
        let is_collection =
            qjs::JS_IsMap(raw) || qjs::JS_IsSet(raw) || qjs::JS_IsWeakMap(raw) || qjs::JS_IsWeakSet(raw);
        let is_plain = qjs::JS_GetClassID(raw) == OBJECT || qjs::JS_IsProxy(raw);
        value.is_object() && !is_plain && !is_collection
    }
}

/// Gives an object a plain property of its own, whatever its prototypes have under that name.
pub fn define<'js>(object: &Object<'js>, name: &str, value: &Value<'js>) -> Result<()> {
    let context = object.ctx().as_raw().as_ptr();
    // SAFETY: the engine takes the reference that is made for it, and the atom is freed.
    unsafe {
        let atom = qjs::JS_NewAtomLen(context, name.as_ptr().cast(), name.len() as _);
        let value = qjs::JS_DupValue(context, value.as_raw());
        let flags = qjs::JS_PROP_C_W_E | qjs::JS_PROP_THROW;
        let done = qjs::JS_DefinePropertyValue(context, object.as_raw(), atom, value, flags as i32);
        qjs::JS_FreeAtom(context, atom);
        if done < 0 { Err(Error::Exception) } else { Ok(()) }
    }
}

/// An array of these items, whatever the prototype of arrays has.
pub fn array<'js>(ctx: &Ctx<'js>, items: &[Value<'js>]) -> Result<Array<'js>> {
    let context = ctx.as_raw().as_ptr();
    let count = i32::try_from(items.len()).map_err(|_| Error::Allocation)?;
    // SAFETY: the engine takes the references that are made for it, also when it fails.
    let made = unsafe {
        let items: Vec<qjs::JSValue> = items.iter().map(|item| qjs::JS_DupValue(context, item.as_raw())).collect();
        let made = qjs::JS_NewArrayFrom(context, count, items.as_ptr());
        if qjs::JS_IsException(made) {
            return Err(Error::Exception);
        }
        Value::from_raw(ctx.clone(), made)
    };
    made.into_array().ok_or_else(|| defect(ctx, "the engine made an array that is none"))
}

/// The prototype of an object.
///
/// # Errors
/// What a proxy throws that is asked for it.
pub fn prototype<'js>(object: &Object<'js>) -> Result<Option<Object<'js>>> {
    let ctx = object.ctx();
    // SAFETY: the engine gives a reference of its own.
    let prototype = unsafe {
        let prototype = qjs::JS_GetPrototype(ctx.as_raw().as_ptr(), object.as_raw());
        if qjs::JS_IsException(prototype) {
            return Err(Error::Exception);
        }
        Value::from_raw(ctx.clone(), prototype)
    };
    Ok(prototype.into_object())
}

/// The prototype that the engine gives to objects of the class of this one.
pub fn class_prototype<'js>(value: &Value<'js>) -> Option<Object<'js>> {
    let ctx = value.ctx();
    // SAFETY: the engine gives a reference of its own.
    let prototype = unsafe {
        let class = qjs::JS_GetClassID(value.as_raw());
        Value::from_raw(ctx.clone(), qjs::JS_GetClassProto(ctx.as_raw().as_ptr(), class))
    };
    prototype.into_object()
}

/// What all objects have in common, wherever `Object.prototype` leads by now.
pub fn object_prototype<'js>(ctx: &Ctx<'js>) -> Option<Object<'js>> {
    // SAFETY: the engine gives a reference of its own.
    let prototype = unsafe { Value::from_raw(ctx.clone(), qjs::JS_GetClassProto(ctx.as_raw().as_ptr(), OBJECT)) };
    prototype.into_object()
}

/// What all promises have in common, wherever `Promise.prototype` leads by now.
pub fn promise_prototype<'js>(ctx: &Ctx<'js>) -> Option<Object<'js>> {
    let (promise, ..) = ctx.promise().ok()?;
    class_prototype(promise.as_value())
}

/// `promise.then(done, failed)` as the language defines it, whatever became of `then`, of `constructor` and of the
/// species of promises. Nobody gets the promise that `then` makes.
pub fn then<'js>(promise: &Promise<'js>, done: &Function<'js>, failed: &Function<'js>) -> Result<()> {
    let context = promise.ctx().as_raw().as_ptr();
    // SAFETY: the engine keeps references of its own; the one that it gives is freed.
    unsafe {
        let (done, failed) = (done.as_value().as_raw(), failed.as_value().as_raw());
        let made = qjs::JS_PromiseThen(context, promise.as_value().as_raw(), done, failed);
        if qjs::JS_IsException(made) {
            return Err(Error::Exception);
        }
        qjs::JS_FreeValue(context, made);
    }
    Ok(())
}

/// Whether no program can catch this error.
pub fn is_uncatchable(error: &Value<'_>) -> bool {
    // SAFETY: the engine only looks at a flag of the object.
    unsafe { qjs::JS_IsUncatchableError(error.as_raw()) }
}

/// A text in the engine's own form of UTF-8, which has half characters too.
pub fn units_of(text: &rquickjs::String<'_>) -> Result<Vec<u8>> {
    let context = text.ctx().as_raw().as_ptr();
    let mut length = 0;
    // SAFETY: the engine gives a pointer to that many bytes, which stay until they are freed.
    unsafe {
        let bytes = qjs::JS_ToCStringLen(context, &mut length, text.as_value().as_raw());
        if bytes.is_null() {
            return Err(Error::Exception);
        }
        let copy = std::slice::from_raw_parts(bytes.cast::<u8>(), length).to_vec();
        qjs::JS_FreeCString(context, bytes);
        Ok(copy)
    }
}

/// A text. Half surrogate pairs, which UTF-8 cannot carry, become the replacement character.
pub fn text_of(text: &rquickjs::String<'_>) -> Result<String> {
    let mut bytes = units_of(text)?;
    // The engine writes half a pair as the three bytes that it would take if it were a character.
    const REPLACEMENT: &[u8; 3] = "\u{fffd}".as_bytes().first_chunk().unwrap();
    for at in 0..bytes.len().saturating_sub(2) {
        if bytes[at] == 0xed && bytes[at + 1] >= 0xa0 {
            bytes[at..at + 3].copy_from_slice(REPLACEMENT);
        }
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
