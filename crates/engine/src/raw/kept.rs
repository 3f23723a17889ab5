//! Functions of Rust that keep values of JavaScript.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::rc::Rc;

use rquickjs::class::{Class, ClassKind, JsCell, JsClass, Readable, Trace, Tracer};
use rquickjs::function::{Constructor, Params};
use rquickjs::{Array, Ctx, JsLifetime, Object, Result, Value};

/// What such a function does with what it keeps.
pub type Read = Rc<dyn for<'js> Fn(&Ctx<'js>, &Array<'js>) -> Result<Value<'js>>>;

/// A function with an array of values that only it has, and that the engine sees when it looks for garbage.
///
/// A bound function would do, but the engine does not survive it when there is no memory for a part of one.
pub struct Keeping<'js> {
    kept: Array<'js>,
    read: Read,
}

impl<'js> Keeping<'js> {
    /// A function that gives what `read` makes of the values.
    pub fn function(kept: &Array<'js>, read: &Read) -> Result<Object<'js>> {
        let value = Self { kept: kept.clone(), read: Rc::clone(read) };
        Ok(Class::instance(kept.ctx().clone(), value)?.into_inner())
    }
}

impl<'js> Trace<'js> for Keeping<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        self.kept.trace(tracer);
    }
}

// SAFETY: the lifetime is that of the array, and nothing else changes with it.
unsafe impl<'js> JsLifetime<'js> for Keeping<'js> {
    type Changed<'to> = Keeping<'to>;
}

impl<'js> JsClass<'js> for Keeping<'js> {
    const NAME: &'static str = "Function";
    const KIND: ClassKind = ClassKind::Callable;
    type Mutable = Readable;

    fn prototype(ctx: &Ctx<'js>) -> Result<Option<Object<'js>>> {
        ctx.globals().get::<_, Object<'js>>("Function")?.get("prototype")
    }

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }

    fn call<'a>(this: &JsCell<'js, Self>, params: Params<'a, 'js>) -> Result<Value<'js>> {
        let this = this.borrow();
        (this.read)(params.ctx(), &this.kept)
    }
}
