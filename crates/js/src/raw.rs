//! The one place with `unsafe` code: compiled functions as bytes, the memory of typed arrays, and counting memory.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rquickjs::allocator::{Allocator, RustAllocator};
use rquickjs::{Ctx, Error, Result, TypedArray, Value, qjs};

mod compile;

pub(crate) use compile::compile;

/// Runs a compiled script and gives its value.
///
/// `bytes` must come from [`compile`] of this very engine version: the engine trusts them. The callers are the
/// cache, which keys and seals what it wrote itself, and the runtime compiled into this program.
pub(crate) fn run_compiled<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    // SAFETY: the bytes are ours, see above; the function object is consumed by `JS_EvalFunction`.
    unsafe {
        let flags = qjs::JS_READ_OBJ_BYTECODE as i32;
        let function = qjs::JS_ReadObject(ctx.as_raw().as_ptr(), bytes.as_ptr(), bytes.len() as _, flags);
        if qjs::JS_IsException(function) {
            return Err(Error::Exception);
        }
        let value = qjs::JS_EvalFunction(ctx.as_raw().as_ptr(), function);
        if qjs::JS_IsException(value) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), value))
    }
}

/// A copy of the bytes of a `Uint8Array`; `None` when its buffer is detached.
pub(crate) fn bytes_of(array: &TypedArray<'_, u8>) -> Option<Vec<u8>> {
    // SAFETY: nothing runs JavaScript between taking the slice and copying it.
    unsafe { array.as_bytes() }.map(<[u8]>::to_vec)
}

/// The program's allocator, with a count of the bytes a runtime holds.
///
/// The engine can tell the same by walking its whole heap, which takes milliseconds; this takes an addition.
pub(crate) struct Counted {
    inner: RustAllocator,
    used: Arc<AtomicUsize>,
}

impl Counted {
    pub(crate) fn new() -> (Self, Arc<AtomicUsize>) {
        let used = Arc::<AtomicUsize>::default();
        (Self { inner: RustAllocator, used: Arc::clone(&used) }, used)
    }

    fn count(&self, pointer: *mut u8) -> *mut u8 {
        if !pointer.is_null() {
            // SAFETY: the pointer was just made by the inner allocator.
            self.used.fetch_add(unsafe { RustAllocator::usable_size(pointer) }, Ordering::Relaxed);
        }
        pointer
    }

    fn discount(&self, pointer: *mut u8) {
        if !pointer.is_null() {
            // SAFETY: the engine hands back what it got from here.
            self.used.fetch_sub(unsafe { RustAllocator::usable_size(pointer) }, Ordering::Relaxed);
        }
    }
}

// SAFETY: every call goes to the inner allocator unchanged.
unsafe impl Allocator for Counted {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        let pointer = self.inner.alloc(size);
        self.count(pointer)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let pointer = self.inner.calloc(count, size);
        self.count(pointer)
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        self.discount(pointer);
        // SAFETY: see above.
        unsafe { self.inner.dealloc(pointer) }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the engine hands back what it got from here.
        let before = if pointer.is_null() { 0 } else { unsafe { RustAllocator::usable_size(pointer) } };
        // SAFETY: see above.
        let moved = unsafe { self.inner.realloc(pointer, size) };
        if !moved.is_null() || size == 0 {
            self.used.fetch_sub(before, Ordering::Relaxed);
        }
        self.count(moved)
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        // SAFETY: see above.
        unsafe { RustAllocator::usable_size(pointer) }
    }
}
