//! The steps after which an engine asks whether it must stop.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::cell::Cell;

use rquickjs::{Ctx, qjs};

/// After how many steps the engine asks.
const PERIOD: u32 = 10_000;

/// Moves the step at which an engine asks next.
///
/// The engine counts calls and rounds of loops and asks at every [`PERIOD`]th. It throws the stop there, as an error that
/// no program can catch, but some functions of the engine catch all errors: `new Promise` and asynchronous functions make
/// a rejected promise of it. In a loop whose rounds divide the period every later question falls into the same place.
pub(crate) struct Steps {
    context: *mut qjs::JSContext,
    /// The steps that it takes itself are under way.
    moving: Cell<bool>,
    /// The engine asked meanwhile.
    asked: Cell<bool>,
}

impl Steps {
    /// Those of the engine of a context. It must not outlive the engine: its place is the engine's interrupt handler.
    pub(crate) fn of(ctx: &Ctx<'_>) -> Self {
        Self { context: ctx.as_raw().as_ptr(), moving: Cell::new(false), asked: Cell::new(false) }
    }

    /// Whether the engine asks because of the steps that this takes itself: it goes on.
    pub(crate) fn are_mine(&self) -> bool {
        if self.moving.get() {
            self.asked.set(true);
        }
        self.moving.get()
    }

    /// Makes the engine ask again in so many steps, at most [`PERIOD`]. To be called where it asks.
    pub(crate) fn ask_in(&self, steps: u32) {
        self.moving.set(true);
        self.asked.set(false);
        // SAFETY: the context is there while its code asks. The engine allows calls where it asks, which may call getters
        // too; the function belongs to nobody else and is freed once. An error of a call is taken and freed.
        unsafe {
            let nothing = qjs::JS_NewCFunction2(
                self.context,
                Some(nothing),
                c"".as_ptr(),
                0,
                qjs::JSCFunctionEnum_JS_CFUNC_generic,
                0,
            );
            let mut left = PERIOD.saturating_sub(steps.max(1));
            while left > 0 {
                let done = qjs::JS_Call(self.context, nothing, qjs::JS_UNDEFINED, 0, std::ptr::null_mut());
                if qjs::JS_IsException(done) {
                    qjs::JS_FreeValue(self.context, qjs::JS_GetException(self.context));
                    break;
                }
                left -= 1;
                // Regular expressions ask at steps of their own: the count begins only now.
                if self.asked.take() {
                    left = PERIOD.saturating_sub(steps.max(1));
                }
            }
            qjs::JS_FreeValue(self.context, nothing);
        }
        self.moving.set(false);
    }
}

/// A function that only takes a step.
unsafe extern "C" fn nothing(
    _: *mut qjs::JSContext,
    _: qjs::JSValue,
    _: std::ffi::c_int,
    _: *mut qjs::JSValue,
) -> qjs::JSValue {
    qjs::JS_UNDEFINED
}
