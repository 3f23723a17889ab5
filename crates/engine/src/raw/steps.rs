//! What an engine asks, step by step: whether it must stop.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rquickjs::{Ctx, qjs};

/// After how many steps the engine asks.
const PERIOD: u32 = 10_000;

/// How many calls deep whoever is at work is looked for.
const DEPTH: c_int = 64;

/// Answers an engine that asks whether it must stop, until it is dropped. It must not outlive the engine.
pub struct Interrupt {
    runtime: *mut qjs::JSRuntime,
    asking: *mut Asking,
}

struct Asking {
    must_stop: Box<dyn Fn(&Steps) -> bool>,
    steps: Steps,
}

impl Interrupt {
    /// Asks `must_stop` from now on whenever the engine of a context asks.
    ///
    /// Unlike the handlers of the binding, it may be asked again while it is at work: [`Steps::ask_in`] does that.
    pub fn set(ctx: &Ctx<'_>, must_stop: impl Fn(&Steps) -> bool + 'static) -> Self {
        let context = ctx.as_raw().as_ptr();
        let steps = Steps { context, moving: Cell::new(false), asked: Cell::new(false) };
        let asking = Box::into_raw(Box::new(Asking { must_stop: Box::new(must_stop), steps }));
        // SAFETY: what the engine gets stays until `drop` takes it back.
        unsafe {
            let runtime = qjs::JS_GetRuntime(context);
            qjs::JS_SetInterruptHandler(runtime, Some(ask), asking.cast());
            Self { runtime, asking }
        }
    }

    /// Makes the engine ask in so many steps. Nothing runs in it while this is called.
    pub fn ask_in(&self, steps: u32) {
        // SAFETY: it stays until `drop` takes it back, and is only ever shared.
        unsafe { &*self.asking }.steps.ask_in(steps);
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        // SAFETY: the engine is still there and asks nobody from now on, so that nobody else has the pointer.
        unsafe {
            qjs::JS_SetInterruptHandler(self.runtime, None, std::ptr::null_mut());
            drop(Box::from_raw(self.asking));
        }
    }
}

unsafe extern "C" fn ask(_: *mut qjs::JSRuntime, asking: *mut c_void) -> c_int {
    // SAFETY: it is what `Interrupt::set` gave the engine; it is only ever shared.
    let asking = unsafe { &*asking.cast::<Asking>() };
    // A panic must not go through the engine. Whatever went wrong, the code that runs ends.
    let stop = catch_unwind(AssertUnwindSafe(|| !asking.steps.are_mine() && (asking.must_stop)(&asking.steps)));
    stop.unwrap_or(true).into()
}

/// Moves the step at which an engine asks next.
///
/// The engine counts calls and rounds of loops and asks at every [`PERIOD`]th. It throws the stop there, as an error that
/// no program can catch, but some functions of the engine catch all errors: `new Promise` and asynchronous functions make
/// a rejected promise of it. In a loop whose rounds divide the period every later question falls into the same place.
pub struct Steps {
    context: *mut qjs::JSContext,
    /// The steps that it takes itself are under way.
    moving: Cell<bool>,
    /// The engine asked meanwhile.
    asked: Cell<bool>,
}

impl Steps {
    /// Whether the engine asks because of the steps that this takes itself: it goes on.
    fn are_mine(&self) -> bool {
        if self.moving.get() {
            self.asked.set(true);
        }
        self.moving.get()
    }

    /// The functions at work.
    pub fn frames(&self) -> Frames {
        Frames(self.context)
    }

    /// Makes the engine ask again in so many steps, at most [`PERIOD`].
    pub fn ask_in(&self, steps: u32) {
        self.moving.set(true);
        self.asked.set(false);
        // SAFETY: the context is there while its code asks. The engine allows calls where it asks; the function belongs to
        // nobody else and is freed once. An error of a call is taken and freed.
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

/// The functions at work in an engine. To be looked at before anything else runs there.
pub struct Frames(*mut qjs::JSContext);

impl Frames {
    /// Those at work in a context.
    pub fn of(ctx: &Ctx<'_>) -> Self {
        Self(ctx.as_raw().as_ptr())
    }

    /// Their files, from the innermost out to those that wait for it.
    pub fn files(&self) -> impl Iterator<Item = String> {
        (0..DEPTH).filter_map(|level| self.file(level))
    }

    /// The file of the function that many calls above the one at work; none for a function of the engine's own.
    fn file(&self, level: c_int) -> Option<String> {
        // SAFETY: the context is there while its code asks. The name and its text are freed once each, and the text is
        // copied before.
        unsafe {
            let name = qjs::JS_GetScriptOrModuleName(self.0, level);
            if name == qjs::JS_ATOM_NULL {
                return None;
            }
            let text = qjs::JS_AtomToCStringLen(self.0, std::ptr::null_mut(), name);
            qjs::JS_FreeAtom(self.0, name);
            if text.is_null() {
                // There was no memory for it.
                qjs::JS_FreeValue(self.0, qjs::JS_GetException(self.0));
                return None;
            }
            let file = CStr::from_ptr(text).to_str().map(str::to_owned).ok();
            qjs::JS_FreeCString(self.0, text);
            file
        }
    }
}

/// A function that only takes a step.
unsafe extern "C" fn nothing(_: *mut qjs::JSContext, _: qjs::JSValue, _: c_int, _: *mut qjs::JSValue) -> qjs::JSValue {
    qjs::JS_UNDEFINED
}
