//! Code that programs make at run time, and whose it is.
//!
//! The engine gives all such code one name, so that nobody could be blamed for it, and nothing of it be cleared. So code of
//! `Function` and its like is made here, under the name of the file that makes it. `eval` stays the engine's, because only
//! that sees the variables around a call: it is noted who asks for it.

use std::rc::Rc;

use rquickjs::function::{Constructor, This};
use rquickjs::object::Property;
use rquickjs::{Array, Coerced, Ctx, Function, Object, Value};

use super::ExtensionId;
use crate::loader::Loader;
use crate::ops::OpHost;
use crate::raw::{Frames, Keeping, Read, evaluate};

/// The prototypes of the functions whose constructors make code, each with what it begins with.
const KINDS: [&str; 4] = ["function", "async function", "function*", "async function*"];

/// One function of each of [`KINDS`] but the first, whose constructor is a global.
const EXAMPLES: &str = "[async function(){},function*(){},async function*(){}]";

/// Who makes code.
struct Makers {
    loader: Rc<Loader>,
    host: Rc<OpHost>,
}

impl Makers {
    /// Whose code is at work, with the file that it is in.
    fn at_work(&self, ctx: &Ctx<'_>) -> Option<(String, ExtensionId)> {
        let known = Frames::of(ctx).files().find_map(|file| self.loader.owner_of(&file).map(|owner| (file, owner)));
        // A built-in function that is called by nobody's code, such as one that a promise was given.
        known.or_else(|| {
            let current = self.host.current();
            self.host.activity().path_of(current).map(|path| (path.to_string(), current))
        })
    }

    /// What `new Function(...args)` is: `head` says which kind of function.
    fn make<'js>(
        &self,
        ctx: &Ctx<'js>,
        head: &str,
        args: &Array<'js>,
        target: Option<&Object<'js>>,
    ) -> rquickjs::Result<Value<'js>> {
        let mut source = format!("({head} anonymous(").into_bytes();
        let count = args.len();
        for index in 0..count {
            let separator: &[u8] = match index + 1 {
                last if last == count => b"\n) {\n",
                1 => b"",
                _ => b",",
            };
            source.extend(separator);
            let piece: Coerced<rquickjs::String<'js>> = args.get(index)?;
            source.extend(crate::raw::units_of(&piece.0)?);
        }
        source.extend(if count == 0 { &b"\n) {\n\n})"[..] } else { b"\n})" });
        let name = self.at_work(ctx).map(|(file, owner)| self.loader.made_in(&file, owner));
        let made = evaluate(ctx, source, name.as_deref().unwrap_or("<input>"))?;
        if let (Some(target), Some(made)) = (target, made.as_object())
            && let Some(prototype) = target.get::<_, Value<'js>>("prototype")?.into_object()
        {
            made.set_prototype(Some(&prototype))?;
        }
        Ok(made)
    }
}

/// Takes over how programs make code.
pub(super) fn install<'js>(ctx: &Ctx<'js>, loader: &Rc<Loader>, host: &Rc<OpHost>) -> rquickjs::Result<()> {
    let makers = Rc::new(Makers { loader: Rc::clone(loader), host: Rc::clone(host) });
    let globals = ctx.globals();
    let native: Object<'js> = globals.get("Function")?;
    let function = constructor(ctx, &makers, KINDS[0], &native)?;
    globals.prop("Function", Property::from(function.clone()).writable().configurable())?;
    let prototype: Object<'js> = native.get("prototype")?;
    prototype.prop("constructor", Property::from(function.clone()).writable().configurable())?;
    let examples: Array<'js> = ctx.eval(EXAMPLES)?;
    for (head, example) in KINDS[1..].iter().zip(examples.iter::<Object<'js>>()) {
        let Some(prototype) = crate::raw::prototype(&example?)? else { continue };
        let native: Object<'js> = prototype.get("constructor")?;
        native.set_prototype(Some(&function))?;
        let constructor = constructor(ctx, &makers, head, &native)?;
        prototype.prop("constructor", Property::from(constructor).configurable())?;
    }
    evaluation(ctx, &makers, &globals)
}

/// A constructor like the engine's own, but for the name of what it makes.
fn constructor<'js>(
    ctx: &Ctx<'js>,
    makers: &Rc<Makers>,
    head: &'static str,
    native: &Object<'js>,
) -> rquickjs::Result<Object<'js>> {
    let handler = Object::new(ctx.clone())?;
    handler.set_prototype(None)?;
    let own = Rc::clone(makers);
    let call = move |ctx: Ctx<'js>, _: Value<'js>, _: Value<'js>, args: Array<'js>| own.make(&ctx, head, &args, None);
    handler.set("apply", Function::new(ctx.clone(), call)?)?;
    let own = Rc::clone(makers);
    let construct = move |ctx: Ctx<'js>, _: Value<'js>, args: Array<'js>, target: Object<'js>| {
        own.make(&ctx, head, &args, Some(&target))
    };
    handler.set("construct", Function::new(ctx.clone(), construct)?)?;
    let proxy: Constructor<'js> = ctx.globals().get("Proxy")?;
    proxy.construct((native.clone(), handler))
}

/// Notes who asks for `eval`.
fn evaluation<'js>(ctx: &Ctx<'js>, makers: &Rc<Makers>, globals: &Object<'js>) -> rquickjs::Result<()> {
    let kept = Array::new(ctx.clone())?;
    kept.set(0, globals.get::<_, Value<'js>>("eval")?)?;
    let makers = Rc::clone(makers);
    let read: Read = Rc::new(move |ctx, kept| {
        if let Some((_, owner)) = makers.at_work(ctx) {
            makers.loader.evaluates(owner);
        }
        kept.get(0)
    });
    let replace = |ctx: Ctx<'js>, _: This<Value<'js>>, value: Value<'js>| {
        ctx.globals().prop("eval", Property::from(value).writable().configurable())
    };
    let set = Function::new(ctx.clone(), replace)?.with_name("eval")?;
    crate::raw::define_accessor(ctx, globals, "eval", &Keeping::function(&kept, &read)?, &set)
}
