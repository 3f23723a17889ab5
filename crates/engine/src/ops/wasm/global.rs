//! Globals.

use rquickjs::{Ctx, Value};
use wasmi::{Extern, Global, Mutability};

use super::super::{OpError, Pair};
use super::machine::Wasm;
use super::values::{from_js, kind_of, name_of, to_js};

pub(super) fn make<'js>(
    ctx: Ctx<'js>,
    wasm: Wasm,
    content: String,
    mutable: bool,
    value: Value<'js>,
) -> rquickjs::Result<u32> {
    wasm.machine.with(&ctx, |inner| {
        let value = from_js(inner, kind_of(&content)?, &value)?;
        let mutability = if mutable { Mutability::Var } else { Mutability::Const };
        let global = Global::new(&mut inner.store, value, mutability);
        Ok(inner.number(Extern::Global(global)))
    })
}

pub(super) fn shape(ctx: Ctx<'_>, wasm: Wasm, number: u32) -> rquickjs::Result<Pair<&'static str, bool>> {
    wasm.machine.with(&ctx, |inner| {
        let kind = inner.global(number)?.ty(&inner.store);
        Ok(Pair(name_of(kind.content()), kind.mutability().is_mut()))
    })
}

pub(super) fn get<'js>(ctx: Ctx<'js>, wasm: Wasm, number: u32) -> rquickjs::Result<Value<'js>> {
    wasm.machine.with(&ctx, |inner| {
        let value = inner.global(number)?.get(&inner.store);
        to_js(&ctx, inner, &value)
    })
}

pub(super) fn set<'js>(ctx: Ctx<'js>, wasm: Wasm, number: u32, value: Value<'js>) -> rquickjs::Result<()> {
    wasm.machine.with(&ctx, |inner| {
        let global = inner.global(number)?;
        let value = from_js(inner, global.ty(&inner.store).content(), &value)?;
        let done = global.set(&mut inner.store, value);
        done.map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).into())
    })
}
