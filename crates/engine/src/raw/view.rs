//! Buffers that show memory of Rust to JavaScript without a copy.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::any::Any;
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;

use rquickjs::{Ctx, Error, Result, Value, qjs};

/// The buffers of memories of WebAssembly.
pub struct MemoryView;

impl MemoryView {
    /// A buffer of the bytes at a place. It keeps `owner`, which the bytes belong to.
    ///
    /// The bytes must stay where they are while JavaScript runs and this buffer, or one that its bytes were transferred to,
    /// is not detached.
    ///
    /// # Errors
    /// When there are too many bytes for a buffer, or no memory for it.
    pub fn make<'js>(ctx: &Ctx<'js>, (bytes, length): (*mut u8, usize), owner: Rc<dyn Any>) -> Result<Value<'js>> {
        let kept = Box::into_raw(Box::new(owner));
        let context = ctx.as_raw().as_ptr();
        // SAFETY: the caller says how long the bytes stay; `release` takes the owner, once. The engine only calls it with
        // this owner, and does not when it could not make the buffer.
        unsafe {
            let buffer = qjs::JS_NewArrayBuffer(context, bytes, length as _, 0, Some(release), kept.cast(), false);
            if qjs::JS_IsException(buffer) {
                drop(Box::from_raw(kept));
                return Err(Error::Exception);
            }
            Ok(Value::from_raw(ctx.clone(), buffer))
        }
    }

    /// Whether a buffer shows nothing any more.
    pub fn is_detached<'js>(ctx: &Ctx<'js>, buffer: &Value<'js>) -> bool {
        let mut length = 0;
        let context = ctx.as_raw().as_ptr();
        // SAFETY: the engine looks at the object alone. What it throws for a detached buffer is taken back.
        unsafe {
            let is_detached = qjs::JS_GetArrayBuffer(context, &mut length, buffer.as_raw()).is_null();
            if is_detached {
                qjs::JS_FreeValue(context, qjs::JS_GetException(context));
            }
            is_detached
        }
    }

    /// Takes the bytes away from a buffer, and from all that look at it.
    pub fn detach<'js>(ctx: &Ctx<'js>, buffer: &Value<'js>) {
        // SAFETY: the engine ignores what is no buffer.
        unsafe { qjs::JS_DetachArrayBuffer(ctx.as_raw().as_ptr(), buffer.as_raw()) }
    }
}

/// Called with no size when a buffer goes, and with another one by those who want a larger or smaller piece: they get none.
unsafe extern "C" fn release(
    _: *mut qjs::JSRuntime,
    owner: *mut c_void,
    _: *mut c_void,
    size: qjs::size_t,
) -> *mut c_void {
    if size == 0 {
        // SAFETY: it is the owner that `make` gave away, and the engine forgets it with this call.
        drop(unsafe { Box::from_raw(owner.cast::<Rc<dyn Any>>()) });
    }
    ptr::null_mut()
}
