//! Calls of functions of WebAssembly.
//!
//! A step ends when the function returns or asks for a function of JavaScript. In the second case what was called waits:
//! an object of JavaScript holds it, so it is dropped with that object when nobody continues it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use rquickjs::{Array, Ctx, Object, Value};
use serde_json::json;
use wasmi::errors::HostError;
use wasmi::{Error, ResumableCall, ResumableCallHostTrap, Val, ValType};

use super::super::{Json, OpError};
use super::errors::{Failed, RANGE};
use super::machine::Wasm;
use super::store::Inner;
use super::values::{from_js, names_of, to_js, vectors};
use crate::raw::Held;

/// How much is done between two looks at the clock; an instruction is about one.
const FUEL: u64 = 200_000;

/// How many calls may wait for JavaScript, each within the one before.
const DEEPEST: usize = 200;

/// A function of JavaScript is asked for.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) host: u32,
    pub(super) values: Vec<Val>,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a function of JavaScript is asked for")
    }
}

impl HostError for Asked {}

/// A call that waits for JavaScript.
struct Waiting {
    call: RefCell<Option<ResumableCallHostTrap>>,
    /// What the function that was called returns.
    results: Vec<ValType>,
    count: Rc<Cell<usize>>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.count.set(self.count.get().saturating_sub(1));
    }
}

pub(super) fn describe(ctx: Ctx<'_>, wasm: Wasm, number: u32) -> rquickjs::Result<Json> {
    wasm.machine.with(&ctx, |inner| {
        let kind = inner.function(number)?.ty(&inner.store);
        let host = inner.hosts.get(&number);
        Ok(Json(json!({"params": names_of(kind.params()), "results": names_of(kind.results()), "host": host})))
    })
}

pub(super) fn call<'js>(
    ctx: Ctx<'js>,
    wasm: Wasm,
    number: u32,
    values: Vec<Value<'js>>,
) -> rquickjs::Result<Array<'js>> {
    wasm.machine.with(&ctx, |inner| {
        let function = inner.function(number)?;
        let kind = function.ty(&inner.store);
        if kind.params().iter().chain(kind.results()).any(|kind| *kind == ValType::V128) {
            return Err(vectors().into());
        }
        let values = all_from_js(inner, kind.params(), &values)?;
        let mut results = defaults(kind.results());
        inner.store.set_fuel(FUEL)?;
        let step = function.call_resumable(&mut inner.store, &values, &mut results);
        drive(&ctx, &wasm, inner, step, results, None)
    })
}

pub(super) fn resume<'js>(
    ctx: Ctx<'js>,
    wasm: Wasm,
    call: Object<'js>,
    values: Vec<Value<'js>>,
) -> rquickjs::Result<Array<'js>> {
    wasm.machine.with(&ctx, |inner| {
        let over = || OpError::type_error("ERR_INVALID_ARG_VALUE", "this call does not wait for anything");
        let waiting = Held::of::<Waiting>(call.as_value()).ok_or_else(over)?;
        let asks = waiting.call.borrow_mut().take().ok_or_else(over)?;
        let kind = asks.host_func().ty(&inner.store);
        let values = all_from_js(inner, kind.results(), &values)?;
        let mut results = defaults(&waiting.results);
        inner.store.set_fuel(FUEL)?;
        let step = asks.resume(&mut inner.store, &values, &mut results);
        drive(&ctx, &wasm, inner, step, results, Some((call, waiting)))
    })
}

fn defaults(kinds: &[ValType]) -> Vec<Val> {
    kinds.iter().map(|kind| Val::default_for_ty(*kind)).collect()
}

fn all_from_js(inner: &mut Inner, kinds: &[ValType], values: &[Value<'_>]) -> Result<Vec<Val>, Failed> {
    if kinds.len() != values.len() {
        return Err(OpError::type_error("ERR_INVALID_ARG_VALUE", "another number of values is needed").into());
    }
    kinds.iter().zip(values).map(|(kind, value)| from_js(inner, *kind, value)).collect()
}

/// Runs until JavaScript is needed: `[call | null, host, values]`.
fn drive<'js>(
    ctx: &Ctx<'js>,
    wasm: &Wasm,
    inner: &mut Inner,
    mut step: Result<ResumableCall, Error>,
    mut results: Vec<Val>,
    before: Option<(Object<'js>, Rc<Waiting>)>,
) -> Result<Array<'js>, Failed> {
    loop {
        match step? {
            ResumableCall::Finished => return stepped(ctx, inner, None, 0, &results),
            ResumableCall::OutOfFuel(call) => {
                if wasm.host.limits().must_stop() {
                    return Err(Failed::Thrown(wasm.host.stop(ctx)));
                }
                inner.store.set_fuel(FUEL.max(call.required_fuel()))?;
                step = call.resume(&mut inner.store, &mut results);
            }
            ResumableCall::HostTrap(call) => {
                let Some(asked) = call.host_error().downcast_ref::<Asked>() else {
                    return Err(Failed::Wasm(call.into_host_error()));
                };
                let (host, values) = (asked.host, asked.values.clone());
                let object = match before {
                    Some((object, waiting)) => {
                        *waiting.call.borrow_mut() = Some(call);
                        object
                    }
                    None => wait(ctx, wasm, call, &results)?,
                };
                return stepped(ctx, inner, Some(object), host, &values);
            }
        }
    }
}

/// Keeps a call that waits, in an object.
fn wait<'js>(ctx: &Ctx<'js>, wasm: &Wasm, call: ResumableCallHostTrap, results: &[Val]) -> Result<Object<'js>, Failed> {
    let count = Rc::clone(&wasm.machine.waiting);
    if count.get() >= DEEPEST {
        return Err(OpError::new(RANGE, "Maximum call stack size exceeded").into());
    }
    count.set(count.get() + 1);
    let results = results.iter().map(Val::ty).collect();
    Ok(Held::object(ctx, Rc::new(Waiting { call: RefCell::new(Some(call)), results, count }))?)
}

fn stepped<'js>(
    ctx: &Ctx<'js>,
    inner: &mut Inner,
    call: Option<Object<'js>>,
    host: u32,
    values: &[Val],
) -> Result<Array<'js>, Failed> {
    let values = values.iter().map(|value| to_js(ctx, inner, value)).collect::<Result<Vec<_>, _>>()?;
    let call = call.map_or_else(|| Value::new_null(ctx.clone()), Object::into_value);
    let values = crate::raw::array(ctx, &values)?.into_value();
    let host = Value::new_number(ctx.clone(), f64::from(host));
    Ok(crate::raw::array(ctx, &[call, host, values])?)
}
