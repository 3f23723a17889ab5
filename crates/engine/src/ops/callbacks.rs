//! The functions with which the runtime takes part in every turn of the pump.

use std::cell::{Cell, RefCell};

use rquickjs::{Ctx, Function, Persistent, Value};

type Kept = RefCell<Option<Persistent<Function<'static>>>>;

/// What Rust calls in JavaScript on its own. The runtime registers each when it is first needed.
#[derive(Default)]
pub struct Callbacks {
    timer: Kept,
    ticks: Kept,
    context: Kept,
    waiting: Cell<bool>,
    /// What makes jobs of functions without a program having put anything in between.
    makers: RefCell<Vec<Persistent<Value<'static>>>>,
}

impl Callbacks {
    /// What is called when a timer or an immediate is due.
    pub fn set_timer(&self, handler: Persistent<Function<'static>>) {
        *self.timer.borrow_mut() = Some(handler);
    }

    /// What runs the calls that wait for the end of the running code, before any promise.
    pub fn set_ticks(&self, handler: Persistent<Function<'static>>) {
        *self.ticks.borrow_mut() = Some(handler);
    }

    /// What empties the asynchronous context.
    pub fn set_context(&self, handler: Persistent<Function<'static>>) {
        *self.context.borrow_mut() = Some(handler);
    }

    /// This function makes jobs of other functions as the language does.
    pub fn add_maker(&self, function: Persistent<Value<'static>>) {
        self.makers.borrow_mut().push(function);
    }

    /// Whether a function is one that makes jobs as the language does.
    pub fn is_maker(&self, function: &Persistent<Value<'static>>) -> bool {
        self.makers.borrow().contains(function)
    }

    /// There are calls that wait for the end of the running code.
    pub fn ticks_wait(&self) {
        self.waiting.set(true);
    }

    /// Whether calls wait for the end of the running code.
    pub fn has_ticks(&self) -> bool {
        self.waiting.get()
    }

    /// Calls JavaScript for a timer or an immediate that is due.
    pub fn fire_timer(&self, ctx: &Ctx<'_>, id: u32) -> rquickjs::Result<()> {
        call(&self.timer, ctx, (id,))
    }

    /// Runs the calls that wait, if any do; says whether there were some. When it is cut off, the rest still waits.
    pub fn run_ticks(&self, ctx: &Ctx<'_>) -> rquickjs::Result<bool> {
        if !self.waiting.replace(false) {
            return Ok(false);
        }
        let done = call(&self.ticks, ctx, ());
        if done.is_err() {
            self.waiting.set(true);
        }
        done.map(|()| true)
    }

    /// Empties the asynchronous context: what begins now was caused by nothing that ran before.
    pub fn clear_context(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        call(&self.context, ctx, ())
    }

    /// Whether there is an asynchronous context at all.
    pub fn has_context(&self) -> bool {
        self.context.borrow().is_some()
    }

    /// Lets go of everything.
    pub fn clear(&self) {
        for kept in [&self.timer, &self.ticks, &self.context] {
            *kept.borrow_mut() = None;
        }
        self.makers.borrow_mut().clear();
        self.waiting.set(false);
    }
}

fn call<'js, A: rquickjs::function::IntoArgs<'js>>(kept: &Kept, ctx: &Ctx<'js>, arguments: A) -> rquickjs::Result<()> {
    let handler = kept.borrow().clone();
    match handler {
        Some(handler) => handler.restore(ctx)?.call(arguments),
        None => Ok(()),
    }
}
