//! The one place with `unsafe` code: compiled functions as bytes, values and the memory of typed arrays, the heap of an
//! engine, objects and functions that keep something, the clocks of threads, and the signals and terminals of children,
//! and the memories of WebAssembly as buffers.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::ffi::CString;

use rquickjs::{Ctx, Error, Exception, Function, Object, Result, TypedArray, Value, qjs};

mod clock;
mod code;
mod heap;
mod held;
mod kept;
mod made;
mod pages;
mod signals;
mod steps;
mod terminal;
mod values;
mod view;

pub use clock::ThreadClock;
pub use code::{Code, CodeFiles, FolderError, Refusal, Sealed};
pub use heap::Heap;
pub use held::Held;
pub use kept::{Keeping, Read};
pub use made::evaluate;
pub use signals::with_default_signals;
pub use steps::{Frames, Interrupt, Steps};
pub use terminal::{with_controlling_terminal, with_foreground};
pub use values::{
    Own, array, behind, class_prototype, define, is_proxy, is_special, is_uncatchable, keeps_from_setting, late_getter,
    object_prototype, own, promise_prototype, prototype, text_of, then, units_of,
};
pub use view::MemoryView;

/// A copy of the bytes of a `Uint8Array`; `None` when its buffer is detached.
pub fn bytes_of(array: &TypedArray<'_, u8>) -> Option<Vec<u8>> {
    // SAFETY: nothing runs JavaScript between taking the slice and copying it.
    unsafe { array.as_bytes() }.map(<[u8]>::to_vec)
}

// SAFETY: it holds nothing of JavaScript.
unsafe impl<'js> rquickjs::JsLifetime<'js> for crate::ops::Account {
    type Changed<'to> = Self;
}

// SAFETY: as above.
unsafe impl<'js> rquickjs::JsLifetime<'js> for crate::ops::Hosted {
    type Changed<'to> = Self;
}

/// Whether a text of JavaScript is this one.
pub fn is_text(text: &rquickjs::String<'_>, other: &str) -> Result<bool> {
    let context = text.ctx().as_raw().as_ptr();
    let mut length = 0;
    // SAFETY: the engine gives a pointer to that many bytes, which stay until they are freed.
    unsafe {
        let bytes = qjs::JS_ToCStringLen(context, &mut length, text.as_value().as_raw());
        if bytes.is_null() {
            return Err(Error::Exception);
        }
        // Bytes, not a `str`: half a surrogate pair is no UTF-8.
        let same = std::slice::from_raw_parts(bytes.cast::<u8>(), length) == other.as_bytes();
        qjs::JS_FreeCString(context, bytes);
        Ok(same)
    }
}

/// Looks for the garbage of an engine while its code runs.
pub struct Collector(*mut qjs::JSRuntime);

impl Collector {
    /// That of the engine of a context. It must not outlive the engine: its place is the engine's interrupt handler.
    pub fn of(ctx: &Ctx<'_>) -> Self {
        // SAFETY: the engine only gives its pointer.
        Self(unsafe { qjs::JS_GetRuntime(ctx.as_raw().as_ptr()) })
    }

    /// Frees what nobody reaches. To be called on the engine's thread.
    pub fn collect(&self) {
        // SAFETY: the runtime is there while its interrupt handler is, and looks for garbage whenever an object is made.
        unsafe { qjs::JS_RunGC(self.0) }
    }
}

/// Whether promises have something to do as soon as the running code comes to its end.
pub fn has_jobs(ctx: &Ctx<'_>) -> bool {
    // SAFETY: the engine only looks at a list.
    unsafe { qjs::JS_IsJobPending(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) }
}

/// What the engine throws when a stretch is over its time: no program can catch it.
pub fn interruption<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    Exception::throw_internal(ctx, "interrupted");
    let error = ctx.catch();
    make_uncatchable(ctx, &error);
    error
}

/// Throws what the engine throws when a stretch is over its time.
pub fn interrupt(ctx: &Ctx<'_>) -> Error {
    ctx.throw(interruption(ctx))
}

/// Makes an error one that no program can catch.
pub fn make_uncatchable<'js>(ctx: &Ctx<'js>, error: &Value<'js>) {
    // SAFETY: the engine only sets a flag of the object, and ignores what is no error.
    unsafe { qjs::JS_SetUncatchableError(ctx.as_raw().as_ptr(), error.as_raw()) }
}

/// Whether an object has a property of its own, without asking its prototypes or running any getter.
pub fn has_own<'js>(ctx: &Ctx<'js>, object: &Object<'js>, name: &str) -> Result<bool> {
    let name = CString::new(name)?;
    // SAFETY: no descriptor is asked for, and the atom is freed.
    unsafe {
        let context = ctx.as_raw().as_ptr();
        let atom = qjs::JS_NewAtom(context, name.as_ptr());
        let found = qjs::JS_GetOwnProperty(context, std::ptr::null_mut(), object.as_raw(), atom);
        qjs::JS_FreeAtom(context, atom);
        if found < 0 { Err(Error::Exception) } else { Ok(found > 0) }
    }
}

/// Defines a property with a getter and a setter that can be called from JavaScript. It can be deleted and is not
/// enumerable.
pub fn define_accessor<'js>(
    ctx: &Ctx<'js>,
    target: &Object<'js>,
    name: &str,
    get: &Object<'js>,
    set: &Function<'js>,
) -> Result<()> {
    accessor(ctx, target, name, get.as_value(), set.as_value(), 0)
}

/// As [`define_accessor`], for one that is enumerable: it looks like a plain property.
pub fn define_enumerable_accessor<'js>(
    target: &Object<'js>,
    name: &str,
    get: &Function<'js>,
    set: &Function<'js>,
) -> Result<()> {
    accessor(target.ctx(), target, name, get.as_value(), set.as_value(), qjs::JS_PROP_ENUMERABLE)
}

fn accessor<'js>(
    ctx: &Ctx<'js>,
    target: &Object<'js>,
    name: &str,
    get: &Value<'js>,
    set: &Value<'js>,
    more: u32,
) -> Result<()> {
    let flags = qjs::JS_PROP_CONFIGURABLE
        | qjs::JS_PROP_HAS_CONFIGURABLE
        | qjs::JS_PROP_HAS_ENUMERABLE
        | qjs::JS_PROP_HAS_GET
        | qjs::JS_PROP_HAS_SET
        | more;
    // SAFETY: the values belong to this context and outlive the call, which takes no ownership of them; the atom is freed.
    unsafe {
        let context = ctx.as_raw().as_ptr();
        let atom = qjs::JS_NewAtomLen(context, name.as_ptr().cast(), name.len() as _);
        let undefined = qjs::JS_UNDEFINED;
        let (get, set) = (get.as_raw(), set.as_raw());
        let done = qjs::JS_DefineProperty(context, target.as_raw(), atom, undefined, get, set, flags as i32);
        qjs::JS_FreeAtom(context, atom);
        if done < 0 {
            return Err(Error::Exception);
        }
    }
    Ok(())
}
