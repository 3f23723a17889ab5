//! Modules: finding them, making functions of them, and knowing where their code came from.
//!
//! Rust resolves, compiles and remembers positions; which module is evaluated when is decided in
//! `runtime/internal/loader.ts`, a registry per extension.

mod builtin;
mod cache;
mod embedded;
mod positions;
mod resolve;
pub mod transform;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tau_hooks::HandlerError;

use rquickjs::{Array, Ctx, Function, Object, Value};

use crate::engine::ExtensionId;
use crate::ops::{OpError, OpHost};
use cache::Cache;
use positions::Positions;
use resolve::Resolve;
use transform::{ModuleKind, Options, Transformed, transform};

/// The first module, which loads all others.
const BOOT: &str = "internal/loader.ts";

/// What every module is a function of, by kind.
const ESM_HEAD: &str = "(function(__vite_ssr_exports__,__vite_ssr_import__,__vite_ssr_dynamic_import__,\
     __vite_ssr_exportAll__,__vite_ssr_import_meta__,require,module,exports,__filename,__dirname,__tau_resume__,\
     __tau_settle__){\"use strict\";{\n";
const ASYNC_HEAD: &str = "(async function(__vite_ssr_exports__,__vite_ssr_import__,__vite_ssr_dynamic_import__,\
     __vite_ssr_exportAll__,__vite_ssr_import_meta__,require,module,exports,__filename,__dirname,__tau_resume__,\
     __tau_settle__){\"use strict\";{\n";
const CJS_HEAD: &str = "(function(exports,require,module,__filename,__dirname,__vite_ssr_dynamic_import__,\
     __vite_ssr_import_meta__,__tau_resume__,__tau_settle__){\n";

/// Modules of one engine.
pub(crate) struct Loader {
    resolve: Resolve,
    cache: Option<Cache>,
    positions: Positions,
    owners: RefCell<HashMap<String, ExtensionId>>,
    track_await: RefCell<Vec<ExtensionId>>,
}

impl Loader {
    pub(crate) fn new(cache: Option<PathBuf>) -> Self {
        Self {
            resolve: Resolve::new(),
            cache: cache.and_then(Cache::open),
            positions: Positions::default(),
            owners: RefCell::default(),
            track_await: RefCell::default(),
        }
    }

    /// Evaluates the first module; gives what it exports.
    pub(crate) fn boot<'js>(&self, ctx: &Ctx<'js>, ops: Object<'js>) -> rquickjs::Result<Object<'js>> {
        let module = self.compile_runtime(ctx, BOOT)?;
        let exports = Object::new(ctx.clone())?;
        let ops_module = Object::new(ctx.clone())?;
        ops_module.set("ops", ops)?;
        let import = Function::new(ctx.clone(), move |_: String| ops_module.clone())?;
        let function: Function<'js> = module.get(0)?;
        let _: Value<'js> = function.call((exports.clone(), import))?;
        // Others import it too, and must get this very instance.
        let adopt: Function<'js> = exports.get("adopt")?;
        adopt.call::<_, ()>((exports.clone(),))?;
        Ok(exports)
    }

    /// The extension whose graph a file belongs to.
    pub(crate) fn owner_of(&self, file: &str) -> Option<ExtensionId> {
        self.owners.borrow().get(file).copied()
    }

    /// A position in compiled code, in the source.
    pub(crate) fn original(&self, file: &str, line: u32, column: u32) -> (String, u32, u32) {
        self.positions.original(file, line, column)
    }

    fn load<'js>(&self, ctx: &Ctx<'js>, extension: ExtensionId, id: &str) -> rquickjs::Result<Array<'js>> {
        match id.strip_prefix("tau:") {
            Some(path) => self.compile_runtime(ctx, path),
            None => self.compile_file(ctx, extension, id),
        }
    }

    fn compile_runtime<'js>(&self, ctx: &Ctx<'js>, path: &str) -> rquickjs::Result<Array<'js>> {
        let Some((code, module)) = embedded::load(path) else {
            return Err(OpError::new("ERR_MODULE_NOT_FOUND", format!("tau has no module {path}")).throw(ctx));
        };
        let name = format!("tau:{path}");
        let key = self.cache.as_ref().map(|cache| cache.key(&name, &code, false));
        let cached = key.as_ref().and_then(|key| self.cache.as_ref()?.get_code(key));
        let compiled = match cached {
            Some(bytes) => bytes,
            None => {
                let bytes = crate::raw::compile(ctx, &wrapped(&module, &code), &name)?;
                if let (Some(cache), Some(key)) = (&self.cache, &key) {
                    cache.put_code(key, &bytes);
                }
                bytes
            }
        };
        if let Some(map) = &module.map {
            self.positions.add(&name, &name, map);
        }
        describe(ctx, crate::raw::run_compiled(ctx, &compiled)?, &module)
    }

    fn compile_file<'js>(&self, ctx: &Ctx<'js>, extension: ExtensionId, id: &str) -> rquickjs::Result<Array<'js>> {
        let path = Path::new(id);
        let bytes = std::fs::read(path).map_err(|error| OpError::io(&error, "open", Some(id)).throw(ctx))?;
        self.owners.borrow_mut().entry(id.to_owned()).or_insert(extension);
        let source = String::from_utf8_lossy(&bytes);
        let source = source.strip_prefix('\u{feff}').unwrap_or(&source);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => return json(ctx, id, source),
            Some("node") => {
                let message = format!("{id} is a native add-on, which tau cannot run");
                return Err(OpError::new("ERR_DLOPEN_FAILED", message).throw(ctx));
            }
            Some("wasm") => {
                let message = format!("{id}: WebAssembly is not available in tau");
                return Err(OpError::new("ERR_UNKNOWN_FILE_EXTENSION", message).throw(ctx));
            }
            _ => {}
        }
        let options = Options { source_map: true, track_await: self.track_await.borrow().contains(&extension) };
        let key = self.cache.as_ref().map(|cache| cache.key(id, source, options.track_await));
        if let Some((module, bytes)) = key.as_ref().and_then(|key| self.cache.as_ref()?.get(key)) {
            if let Some(map) = &module.map {
                self.positions.add(id, id, map);
            }
            return describe(ctx, crate::raw::run_compiled(ctx, &bytes)?, &module);
        }
        let module = transform(path, source, options).map_err(|error| {
            let message = format!("{}:{}:{}: {}", id, error.line, error.column, error.message);
            OpError {
                path: Some(format!("{id}:{}:{}", error.line, error.column)),
                ..OpError::new("ERR_SYNTAX", message)
            }
            .throw(ctx)
        })?;
        let compiled = crate::raw::compile(ctx, &wrapped(&module, &module.code), id)?;
        if let Some(map) = &module.map {
            self.positions.add(id, id, map);
        }
        if let (Some(cache), Some(key)) = (&self.cache, &key) {
            cache.put(key, &module, &compiled);
        }
        describe(ctx, crate::raw::run_compiled(ctx, &compiled)?, &module)
    }
}

/// Reads a file and everything it imports statically from files, as far as that can be told without running any of
/// it.
///
/// # Errors
/// What cannot be found or parsed, with the place.
pub(crate) fn check(path: &Path) -> Result<(), HandlerError> {
    let resolve = Resolve::new();
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![path.to_string_lossy().into_owned()];
    while let Some(id) = open.pop() {
        if id.starts_with("tau:") || !seen.insert(id.clone()) {
            continue;
        }
        let failed =
            |message: String, location: String| HandlerError::Failed { message, stack: None, location: Some(location) };
        let bytes = std::fs::read(&id).map_err(|error| failed(error.to_string(), id.clone()))?;
        if matches!(Path::new(&id).extension().and_then(|extension| extension.to_str()), Some("json" | "node" | "wasm"))
        {
            continue;
        }
        let source = String::from_utf8_lossy(&bytes);
        let source = source.strip_prefix('\u{feff}').unwrap_or(&source);
        let module = transform(Path::new(&id), source, Options::default())
            .map_err(|error| failed(error.message, format!("{id}:{}:{}", error.line, error.column)))?;
        for specifier in module.imports {
            open.push(resolve.resolve(&specifier, &id, false).map_err(|error| failed(error.to_string(), id.clone()))?);
        }
    }
    Ok(())
}

fn wrapped(module: &Transformed, code: &str) -> String {
    // The code begins on line two whatever the head is: positions rely on it.
    match (module.kind, module.is_async) {
        (ModuleKind::Esm, false) => format!("{ESM_HEAD}{code}\n}}}})"),
        (ModuleKind::Esm, true) => format!("{ASYNC_HEAD}{code}\n}}}})"),
        (ModuleKind::CommonJs, _) => format!("{CJS_HEAD}{code}\n}})"),
    }
}

/// `[function, kind, imports, is_async]`, or `[value, "json"]`.
fn describe<'js>(ctx: &Ctx<'js>, function: Value<'js>, module: &Transformed) -> rquickjs::Result<Array<'js>> {
    let array = Array::new(ctx.clone())?;
    array.set(0, function)?;
    array.set(1, if module.kind == ModuleKind::Esm { "esm" } else { "cjs" })?;
    array.set(2, module.imports.clone())?;
    array.set(3, module.is_async)?;
    Ok(array)
}

fn json<'js>(ctx: &Ctx<'js>, id: &str, source: &str) -> rquickjs::Result<Array<'js>> {
    let value: serde_json::Value = serde_json::from_str(source).map_err(|error| {
        OpError::new("ERR_SYNTAX", format!("{id}:{}:{}: {error}", error.line(), error.column())).throw(ctx)
    })?;
    let array = Array::new(ctx.clone())?;
    array.set(0, crate::convert::to_js(ctx, &value)?)?;
    array.set(1, "json")?;
    Ok(array)
}

/// Adds the ops of the module registry.
pub(crate) fn install<'js>(
    ctx: &Ctx<'js>,
    ops: &Object<'js>,
    loader: &Rc<Loader>,
    host: &Rc<OpHost>,
) -> rquickjs::Result<()> {
    let own = Rc::clone(loader);
    let resolve =
        move |ctx: Ctx<'js>, specifier: String, importer: String, require: bool| -> rquickjs::Result<String> {
            own.resolve.resolve(&specifier, &importer, require).map_err(|error| {
                let code = if require { "MODULE_NOT_FOUND" } else { "ERR_MODULE_NOT_FOUND" };
                OpError::new(code, error.to_string()).throw(&ctx)
            })
        };
    ops.set("moduleResolve", Function::new(ctx.clone(), resolve)?)?;
    let (own, limited) = (Rc::clone(loader), Rc::clone(host));
    // Reading and compiling is not the extension's time.
    let load = move |ctx: Ctx<'js>, extension: u32, id: String| {
        limited.limits().paused(|| own.load(&ctx, ExtensionId(extension), &id))
    };
    ops.set("moduleLoad", Function::new(ctx.clone(), load)?)?;
    let own = Rc::clone(loader);
    let track = move |extension: u32| own.track_await.borrow_mut().push(ExtensionId(extension));
    ops.set("moduleTrackAwait", Function::new(ctx.clone(), track)?)?;
    let own = Rc::clone(host);
    ops.set("currentExtension", Function::new(ctx.clone(), move || own.current().0)?)
}
