//! Modules: compiled, described, made into instances.

use rquickjs::Ctx;
use serde_json::{Value as Json, json};
use wasmi::{Error, Extern, ExternType, Func, Instance};

use super::super::{Bytes, Json as Data, List, OpError, charge};
use super::call::Asked;
use super::compiled::read;
use super::machine::Wasm;
use super::values::{kind_name, name_of};

/// What the interpreter keeps of a module, by byte of it: its data, its functions as they are written, and translated.
const KEPT: usize = 5;

/// What it keeps of an instance beside its memories and tables, by entry, in bytes.
const ENTRY: usize = 64;

pub(super) fn validate(ctx: Ctx<'_>, wasm: Wasm, bytes: Bytes) -> rquickjs::Result<bool> {
    wasm.machine.with(&ctx, |inner| Ok(read(inner.store.engine(), &bytes.0).is_ok()))
}

pub(super) fn compile(ctx: Ctx<'_>, wasm: Wasm, bytes: Bytes) -> rquickjs::Result<u32> {
    let memory = wasm.machine.memory();
    wasm.machine.with(&ctx, |inner| {
        let counted = charge(memory, bytes.0.len().saturating_mul(KEPT), "the WebAssembly module")?;
        let compiled = read(inner.store.engine(), &bytes.0)?;
        inner.keep(counted)?;
        inner.modules.push(compiled);
        Ok(u32::try_from(inner.modules.len() - 1).unwrap_or(u32::MAX))
    })
}

/// A kind of thing as JavaScript reads it; with what a global holds, because one can be made of a number.
fn described(kind: &ExternType, mut entry: Json) -> Json {
    entry["kind"] = json!(kind_name(kind));
    if let ExternType::Global(kind) = kind {
        entry["content"] = json!(name_of(kind.content()));
        entry["mutable"] = json!(kind.mutability().is_mut());
    }
    entry
}

pub(super) fn describe(ctx: Ctx<'_>, wasm: Wasm, module: u32) -> rquickjs::Result<Data> {
    wasm.machine.with(&ctx, |inner| {
        let compiled = inner.module(module)?;
        let imports = (0..compiled.imports.len()).filter_map(|place| compiled.import(place));
        let imports =
            imports.map(|import| described(import.ty(), json!({"module": import.module(), "name": import.name()})));
        let exports = compiled.exports.iter().filter_map(|name| {
            let kind = compiled.module.get_export(name)?;
            Some(described(&kind, json!({"name": name})))
        });
        Ok(Data(json!({"imports": imports.collect::<Vec<_>>(), "exports": exports.collect::<Vec<_>>()})))
    })
}

pub(super) fn sections(ctx: Ctx<'_>, wasm: Wasm, module: u32, name: String) -> rquickjs::Result<List<Bytes>> {
    wasm.machine.with(&ctx, |inner| {
        let sections = inner.module(module)?.module.custom_sections();
        Ok(List(
            sections.filter(|section| section.name() == name).map(|section| Bytes(section.data().to_vec())).collect(),
        ))
    })
}

pub(super) fn host_function(ctx: Ctx<'_>, wasm: Wasm, module: u32, place: u32, host: u32) -> rquickjs::Result<u32> {
    let memory = wasm.machine.memory();
    wasm.machine.with(&ctx, |inner| {
        let kind = inner.module(module)?.import(place as usize).and_then(|import| import.ty().func().cloned());
        let kind = kind.ok_or_else(|| OpError::type_error("ERR_INVALID_ARG_VALUE", "this import is no function"))?;
        inner.keep(charge(memory, ENTRY * 4, "the functions that WebAssembly imports")?)?;
        let function = Func::new(&mut inner.store, kind, move |_, values, _| {
            Err(Error::host(Asked { host, values: values.to_vec() }))
        });
        let number = inner.number(Extern::Func(function));
        inner.hosts.insert(number, host);
        Ok(number)
    })
}

pub(super) fn instantiate(ctx: Ctx<'_>, wasm: Wasm, module: u32, imports: Vec<u32>) -> rquickjs::Result<Data> {
    let memory = wasm.machine.memory();
    wasm.machine.with(&ctx, |inner| {
        let imports = imports.iter().map(|number| inner.numbered(*number)).collect::<Result<Vec<_>, _>>()?;
        let compiled = inner.module(module)?;
        let mut ordered: Vec<(usize, Extern)> = compiled.imports.iter().copied().zip(imports).collect();
        ordered.sort_unstable_by_key(|(place, _)| *place);
        let imports: Vec<Extern> = ordered.into_iter().map(|(_, import)| import).collect();
        let entries = compiled.imports.len().saturating_add(compiled.exports.len());
        let size = entries.saturating_add(ENTRY).saturating_mul(ENTRY);
        let counted = charge(memory, size, "the WebAssembly instance")?;
        let (module, start, names) = (compiled.module.clone(), compiled.start.clone(), compiled.exports.clone());
        // Whatever becomes of it, it stays in the store.
        inner.keep(counted)?;
        let instance = Instance::new(&mut inner.store, &module, &imports)?;
        let mut exports = Vec::new();
        for name in names {
            if let Some(export) = instance.get_export(&inner.store, &name) {
                let kind = kind_name(&export.ty(&inner.store));
                exports.push(json!([name, kind, inner.number(export)]));
            }
        }
        let start = start.and_then(|start| instance.get_export(&inner.store, &start));
        let start = start.map(|start| inner.number(start));
        Ok(Data(json!({"exports": exports, "start": start})))
    })
}
