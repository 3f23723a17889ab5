//! Tables.

use rquickjs::{Ctx, Value};
use wasmi::{Extern, RefType, Table, TableType, ValType};

use super::super::{OpError, Pair};
use super::errors::{Failed, RANGE};
use super::machine::Wasm;
use super::store::Inner;
use super::values::{kind_of, name_of, ref_from_js, ref_to_js};

pub(super) fn make<'js>(
    ctx: Ctx<'js>,
    wasm: Wasm,
    element: String,
    initial: u32,
    maximum: Option<u32>,
    value: Value<'js>,
) -> rquickjs::Result<u32> {
    wasm.machine.with(&ctx, |inner| {
        let kind = kind_of(&element)?;
        let held =
            kind.as_ref().ok_or_else(|| OpError::type_error("ERR_INVALID_ARG_VALUE", "a table holds references"))?;
        let value = ref_from_js(inner, kind, &value)?;
        let table = Table::new(&mut inner.store, TableType::new(held, initial, maximum), value)?;
        Ok(inner.number(Extern::Table(table)))
    })
}

/// What a table holds.
fn element(inner: &Inner, table: Table) -> ValType {
    match table.ty(&inner.store).element() {
        RefType::Func => ValType::FuncRef,
        RefType::Extern => ValType::ExternRef,
    }
}

pub(super) fn shape(ctx: Ctx<'_>, wasm: Wasm, number: u32) -> rquickjs::Result<Pair<&'static str, u64>> {
    wasm.machine.with(&ctx, |inner| {
        let table = inner.table(number)?;
        Ok(Pair(name_of(element(inner, table)), table.size(&inner.store)))
    })
}

/// The error for a place that a table does not have.
fn outside(inner: &Inner, table: Table, what: &str, index: u32) -> Failed {
    let (size, holds) =
        (table.size(&inner.store), if element(inner, table) == ValType::FuncRef { "funcref" } else { "externref" });
    let message = format!("WebAssembly.Table.{what}(): invalid index {index} into {holds} table of size {size}");
    Failed::Op(OpError::new(RANGE, message))
}

pub(super) fn get<'js>(ctx: Ctx<'js>, wasm: Wasm, number: u32, index: u32) -> rquickjs::Result<Value<'js>> {
    wasm.machine.with(&ctx, |inner| {
        let table = inner.table(number)?;
        match table.get(&inner.store, u64::from(index)) {
            Some(value) => ref_to_js(&ctx, inner, value),
            None => Err(outside(inner, table, "get", index)),
        }
    })
}

pub(super) fn set<'js>(ctx: Ctx<'js>, wasm: Wasm, number: u32, index: u32, value: Value<'js>) -> rquickjs::Result<()> {
    wasm.machine.with(&ctx, |inner| {
        let table = inner.table(number)?;
        let value = ref_from_js(inner, element(inner, table), &value)?;
        let done = table.set(&mut inner.store, u64::from(index), value);
        done.map_err(|_| outside(inner, table, "set", index))
    })
}

pub(super) fn grow<'js>(
    ctx: Ctx<'js>,
    wasm: Wasm,
    number: u32,
    places: u32,
    value: Value<'js>,
) -> rquickjs::Result<u64> {
    wasm.machine.with(&ctx, |inner| {
        let table = inner.table(number)?;
        let value = ref_from_js(inner, element(inner, table), &value)?;
        let message = format!("WebAssembly.Table.grow(): failed to grow table by {places}");
        table.grow(&mut inner.store, u64::from(places), value).map_err(|_| OpError::new(RANGE, message).into())
    })
}
