//! Stack traces: positions of the source as it was written, in the layout and with the rules that programs written
//! for V8 expect.
//!
//! When an error is made its frames are kept; the text is made when `stack` is first read, of the name and message it
//! has by then, by `Error.prepareStackTrace` if a program has set one. All of it is native: it must work when there is no time
//! left to run any JavaScript, because the error of a stopped stretch gets its stack from here.

mod sites;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::function::{Rest, This};
use rquickjs::object::Property;
use rquickjs::{Array, Ctx, Exception, Function, Object, Value};

use super::Limits;
use crate::loader::Loader;
use crate::ops::OpHost;
use crate::ops::table::{Host, ops};
use crate::raw::{Keeping, Read};

/// What a kept stack consists of: an array that the getter of `stack` keeps.
mod kept {
    pub(super) const SITES: usize = 0;
    /// The error, held weakly.
    pub(super) const ERROR: usize = 1;
    /// What the stack has become once it was read.
    pub(super) const RESULT: usize = 2;
    pub(super) const SHARED: usize = 3;
}

/// Values that every stack needs: an array too, because only values that the engine sees may refer to each other.
mod shared {
    pub(super) const ERROR: usize = 0;
    pub(super) const WEAK: usize = 1;
    pub(super) const SET: usize = 2;
    /// What `Error.prepareStackTrace` is while no program has set it.
    pub(super) const DEFAULT: usize = 3;
}

thread_local! {
    /// Set while the engine itself reads a stack: programs have no say in that.
    static PLAIN: Cell<bool> = const { Cell::new(false) };
}

ops! {
    /// Stacks of errors.
    pub(super) static OPS: always;

    /// The next stack shows the extension's own line alone. Extensions register things by the dozen as they load: the
    /// stack that tells where needs no more.
    fn nextStackIsOwn() = next_stack_is_own, Pure;
}

/// Whether the next stack shows the extension's own line alone.
struct Wanted(Rc<Cell<bool>>);

fn next_stack_is_own(Host(host): Host) {
    if let Some(wanted) = host.part::<Wanted>() {
        wanted.0.set(true);
    }
}

/// Takes over how errors get their `stack`.
pub(super) fn install<'js>(
    ctx: &Ctx<'js>,
    host: &OpHost,
    loader: &Rc<Loader>,
    limits: &Arc<Limits>,
) -> rquickjs::Result<()> {
    let error: Object<'js> = ctx.globals().get("Error")?;
    let prototype: Object<'js> = error.get("prototype")?;
    let function_prototype: Object<'js> = ctx.globals().get::<_, Object<'js>>("Function")?.get("prototype")?;
    let bind: Function<'js> = function_prototype.get("bind")?;
    let weak: Value<'js> = ctx.globals().get("WeakRef")?;
    let sites = Rc::new(sites::Sites::new(Rc::clone(loader)));

    let values = Array::new(ctx.clone())?;
    values.set(shared::ERROR, error.clone())?;
    values.set(shared::WEAK, weak)?;
    let own = Rc::clone(&sites);
    let get: Read = Rc::new(move |ctx, kept| read(ctx, kept, &own));
    values.set(shared::SET, Function::new(ctx.clone(), write)?.with_name("stack")?)?;
    let own = Rc::clone(&sites);
    let default = move |ctx: Ctx<'js>, error: Value<'js>, frames: Value<'js>| -> rquickjs::Result<String> {
        let frames = frames.into_array();
        let text = header(&ctx, &error);
        Ok(frames.map_or_else(|| text.clone(), |frames| own.text(text.clone(), &frames)))
    };
    let default = Function::new(ctx.clone(), default)?.with_name("ErrorPrepareStackTrace")?;
    values.set(shared::DEFAULT, default.clone())?;

    let capturing = Rc::new(Cell::new(false));
    let wanted = Rc::new(Cell::new(false));
    let (own, limits) = (Rc::clone(&capturing), Arc::clone(limits));
    let (one, found) = (Rc::clone(&wanted), Rc::clone(&sites));
    let read_kept = Rc::clone(&get);
    let words = super::callee::Words::default();
    let prepare = move |ctx: Ctx<'js>, values: This<Array<'js>>, error: Value<'js>, frames: Value<'js>| {
        let frames = if one.take() { found.own(&ctx, frames)? } else { frames };
        if limits.take_refusal() {
            // Whatever it says, it is about what was refused: no program may go on with the rest.
            limits.relent();
            crate::raw::make_uncatchable(&ctx, &error);
            if let Some(error) = error.as_object() {
                error.set("message", "interrupted")?;
            }
        } else if let Some(error) = error.as_object().filter(|_| !own.get())
            && limits.paused(|| reword(&ctx, error, &frames, &found, &words)).is_err()
        {
            // The engine's own words remain.
            let _ = ctx.catch();
        }
        // The engine also asks when an error is thrown that it has no stack for, and it takes `undefined` for none.
        match error.as_object() {
            Some(object) if !own.get() => {
                if !crate::raw::has_own(&ctx, object, "stack")? {
                    attach(&ctx, object, &keep(&ctx, &values.0, &error, frames)?, &read_kept)?;
                }
                Ok(Value::new_null(ctx.clone()))
            }
            _ => keep(&ctx, &values.0, &error, frames).map(Array::into_value),
        }
    };
    let prepare = Function::new(ctx.clone(), prepare)?;
    // The engine's own hook stays ours; programs see a plain property.
    let prepare: Function<'js> = bind.call((This(prepare), values.clone()))?;
    error.set("prepareStackTrace", prepare)?;
    error.prop("prepareStackTrace", Property::from(default).writable().configurable())?;
    host.add_part(Rc::new(Wanted(wanted)));
    error.set("stackTraceLimit", 10)?;
    limit(ctx, &error)?;
    prototype.remove("stack")?;

    let original: Function<'js> = error.get("captureStackTrace")?;
    let capture = move |ctx: Ctx<'js>, original: This<Function<'js>>, arguments: Rest<Value<'js>>| {
        let Some(target) = arguments.first().and_then(Value::as_object).cloned() else {
            return Err(Exception::throw_type(&ctx, "Invalid argument"));
        };
        capturing.set(true);
        let filter = arguments.get(1).cloned().unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        let done = original.0.call::<_, ()>((target.clone(), filter));
        capturing.set(false);
        done?;
        match target.get::<_, Value<'js>>("stack")?.into_array() {
            Some(kept) => attach(&ctx, &target, &kept, &get),
            None => Ok(()),
        }
    };
    let capture = Function::new(ctx.clone(), capture)?;
    let capture: Function<'js> = bind.call((This(capture), original))?;
    capture.set_name("captureStackTrace")?;
    error.prop("captureStackTrace", Property::from(capture).writable().configurable())
}

/// Says what the engine says of an error that it just made in the words that authors know.
fn reword<'js>(
    ctx: &Ctx<'js>,
    error: &Object<'js>,
    frames: &Value<'js>,
    sites: &sites::Sites,
    words: &super::callee::Words,
) -> rquickjs::Result<()> {
    // A getter of a program is not asked.
    if !crate::raw::has_own(ctx, error, "message")? {
        return Ok(());
    }
    let Some(message) = error.get::<_, Value<'js>>("message")?.into_string() else { return Ok(()) };
    let Ok(message) = crate::convert::text_of(&message) else { return Ok(()) };
    let innermost = || sites.place(frames.as_array()?.get::<Object<'js>>(0).ok()?);
    match words.of(&message, innermost) {
        Some(words) => error.set("message", words),
        None => Ok(()),
    }
}

/// Makes `Error.stackTraceLimit` what it is in V8, an enumerable property, whose value the engine still sees.
fn limit<'js>(ctx: &Ctx<'js>, error: &Object<'js>) -> rquickjs::Result<()> {
    let describe: Function<'js> = ctx.globals().get::<_, Object<'js>>("Object")?.get("getOwnPropertyDescriptor")?;
    let descriptor: Object<'js> = describe.call((error.clone(), "stackTraceLimit"))?;
    descriptor.set("enumerable", true)?;
    let define: Function<'js> = ctx.globals().get::<_, Object<'js>>("Object")?.get("defineProperty")?;
    define.call((error.clone(), "stackTraceLimit", descriptor))
}

/// Keeps what the stack of an error will be made of.
fn keep<'js>(
    ctx: &Ctx<'js>,
    values: &Array<'js>,
    error: &Value<'js>,
    frames: Value<'js>,
) -> rquickjs::Result<Array<'js>> {
    let kept = Array::new(ctx.clone())?;
    kept.set(kept::SITES, frames)?;
    let weak: rquickjs::function::Constructor<'js> = values.get(shared::WEAK)?;
    kept.set(kept::ERROR, weak.construct::<_, Value<'js>>((error.clone(),))?)?;
    kept.set(kept::RESULT, Value::new_undefined(ctx.clone()))?;
    kept.set(kept::SHARED, values.clone())?;
    Ok(kept)
}

/// Gives an object a `stack`.
fn attach<'js>(ctx: &Ctx<'js>, target: &Object<'js>, kept: &Array<'js>, read: &Read) -> rquickjs::Result<()> {
    let values: Array<'js> = kept.get(kept::SHARED)?;
    let get = Keeping::function(kept, read)?;
    let set: Function<'js> = values.get(shared::SET)?;
    crate::raw::define_accessor(ctx, target, "stack", &get, &set)
}

/// `error.stack = value`: from now on a plain value.
fn write<'js>(target: This<Object<'js>>, value: Value<'js>) -> rquickjs::Result<()> {
    target.0.prop("stack", Property::from(value).writable().configurable())
}

/// `error.stack`, made when it is first asked for.
fn read<'js>(ctx: &Ctx<'js>, kept: &Array<'js>, sites: &sites::Sites) -> rquickjs::Result<Value<'js>> {
    let result: Value<'js> = kept.get(kept::RESULT)?;
    if !result.is_undefined() {
        return Ok(result);
    }
    let frames: Array<'js> = kept.get(kept::SITES)?;
    let values: Array<'js> = kept.get(kept::SHARED)?;
    let class: Object<'js> = values.get(shared::ERROR)?;
    let plain = PLAIN.get();
    let prepare = if plain { None } else { class.get::<_, Value<'js>>("prepareStackTrace")?.into_function() };
    let default: Function<'js> = values.get(shared::DEFAULT)?;
    let weak: Object<'js> = kept.get(kept::ERROR)?;
    let error: Value<'js> = weak.get::<_, Function<'js>>("deref")?.call((This(weak.clone()),))?;
    let result = match prepare.filter(|prepare| *prepare != default) {
        Some(prepare) => {
            sites.complete(ctx, &frames)?;
            prepare.call((This(class), error, frames))?
        }
        None => {
            let text = sites.text(header(ctx, &error), &frames);
            rquickjs::String::from_str(ctx.clone(), &text)?.into_value()
        }
    };
    // What the engine read for itself is not what programs see.
    if !plain {
        kept.set(kept::RESULT, result.clone())?;
        kept.set(kept::SITES, Array::new(ctx.clone())?)?;
    }
    Ok(result)
}

/// `Error: message`, with the code of the library's own errors.
fn header<'js>(ctx: &Ctx<'js>, error: &Value<'js>) -> String {
    let text = |object: &Object<'js>, name: &str| {
        let value = object.get::<_, Value<'js>>(name);
        if value.is_err() {
            let _ = ctx.catch();
        }
        value.ok().and_then(|value| value.into_string()).and_then(|text| crate::convert::text_of(&text).ok())
    };
    let Some(object) = error.as_object() else { return "Error".to_owned() };
    let mut name = text(object, "name").unwrap_or_else(|| "Error".to_owned());
    if crate::raw::has_own(ctx, object, "toString").unwrap_or(false)
        && let Some(code) = text(object, "code")
    {
        name = format!("{name} [{code}]");
    }
    let message = text(object, "message").unwrap_or_default();
    match (name.is_empty(), message.is_empty()) {
        (_, true) => name,
        (true, false) => message,
        (false, false) => format!("{name}: {message}"),
    }
}

/// The stack of an error object, as text.
pub(super) fn stack_of(error: &Value<'_>) -> Option<String> {
    let object = error.as_object()?;
    let before = PLAIN.replace(true);
    let stack = object.get::<_, Value<'_>>("stack");
    PLAIN.set(before);
    stack.ok()?.into_string().and_then(|text| text.to_string().ok()).filter(|text| !text.is_empty())
}
