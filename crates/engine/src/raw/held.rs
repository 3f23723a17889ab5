//! Objects of JavaScript that hold something of Rust.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::any::Any;
use std::rc::Rc;

use rquickjs::class::{Class, JsClass, Readable, Trace, Tracer};
use rquickjs::function::Constructor;
use rquickjs::{Ctx, JsLifetime, Object, Result, Value};

/// Something that an object holds, until nobody reaches the object any more. Programs can only hand it around.
pub struct Held(Rc<dyn Any>);

impl Held {
    /// An object that holds this.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn object<'js>(ctx: &Ctx<'js>, what: Rc<dyn Any>) -> Result<Object<'js>> {
        Ok(Class::instance(ctx.clone(), Self(what))?.into_inner())
    }

    /// What an object holds, if it is such an object and holds something of this type.
    pub fn of<T: 'static>(value: &Value<'_>) -> Option<Rc<T>> {
        let held = Class::<Self>::from_value(value).ok()?;
        Rc::clone(&held.borrow().0).downcast().ok()
    }
}

impl<'js> Trace<'js> for Held {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

// SAFETY: it holds nothing of JavaScript.
unsafe impl<'js> JsLifetime<'js> for Held {
    type Changed<'to> = Self;
}

impl<'js> JsClass<'js> for Held {
    const NAME: &'static str = "Held";
    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Runtime};

    use super::*;

    #[test]
    fn what_nobody_reaches_is_freed() {
        let runtime = Runtime::new().expect("a runtime");
        let context = Context::full(&runtime).expect("a context");
        let what = Rc::new(7_u32);
        context.with(|js| {
            let object = Held::object(&js, what.clone()).expect("an object");
            assert_eq!(Held::of::<u32>(object.as_value()), Some(Rc::new(7)));
            assert_eq!(Held::of::<String>(object.as_value()), None);
            js.globals().set("kept", object).expect("a global");
            let other: Value = js.eval("({})").expect("an object");
            assert_eq!(Held::of::<u32>(&other), None);
        });
        assert_eq!(Rc::strong_count(&what), 2);
        context.with(|js| js.eval::<(), _>("delete globalThis.kept; 1;void 0").expect("it runs"));
        runtime.run_gc();
        assert_eq!(Rc::strong_count(&what), 1);
    }
}
