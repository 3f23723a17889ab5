//! Memories.

use rquickjs::{Ctx, Value};
use wasmi::{Extern, Memory, MemoryType};

use super::super::OpError;
use super::errors::{Failed, RANGE, memory_failure};
use super::machine::Wasm;

pub(super) fn make(ctx: Ctx<'_>, wasm: Wasm, initial: u32, maximum: Option<u32>) -> rquickjs::Result<u32> {
    wasm.machine.with(&ctx, |inner| {
        let memory = Memory::new(&mut inner.store, MemoryType::new(initial, maximum))?;
        Ok(inner.number(Extern::Memory(memory)))
    })
}

pub(super) fn buffer<'js>(ctx: Ctx<'js>, wasm: Wasm, number: u32) -> rquickjs::Result<Value<'js>> {
    wasm.machine.buffer(&ctx, number)
}

pub(super) fn grow(ctx: Ctx<'_>, wasm: Wasm, number: u32, pages: u32) -> rquickjs::Result<u64> {
    wasm.machine.with(&ctx, |inner| {
        let memory = inner.memory(number)?;
        let grown = memory.grow(&mut inner.store, u64::from(pages)).map_err(|error| match memory_failure(&error) {
            failure if failure.code.as_deref() == Some(RANGE) => {
                OpError::new(RANGE, "WebAssembly.Memory.grow(): Maximum memory size exceeded")
            }
            failure => failure,
        });
        grown.map_err(Failed::Op)
    })
}
