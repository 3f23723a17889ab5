//! Modules: finding them, making functions of them, and knowing where their code came from.
//!
//! Rust resolves, compiles and remembers positions; which module is evaluated when is decided in
//! `runtime/internal/loader.ts`, a registry per extension.

mod builtin;
mod cache;
mod embedded;
mod files;
mod json;
mod owners;
mod positions;
mod resolve;
pub mod transform;
mod wrap;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, hash_map};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::function::Rest;
use rquickjs::{Array, Ctx, Function, Object, Value};

use crate::engine::{ExtensionId, Memory};
use crate::ops::table::Signature;
use crate::ops::table::{Arguments, Host, Param, ops};
use crate::ops::{OpError, charge, defect};
use crate::raw::{Code, CodeFiles};
pub use cache::{CacheError, ModuleCache};
pub use files::{Ahead, most_source};
use files::{File, Unusable};
use positions::Positions;
use resolve::Resolve;
use transform::{Evidence, ModuleKind, Options, Transformed, transform};
use wrap::wrapped;

/// The first module, which loads all others.
const BOOT: &str = "internal/loader.ts";

/// With fewer tokens around its deepest place code is not too deep for the engine's compiler.
const DEEP: usize = 200;

/// With more than this it is, whatever the compiler says: the parser has found nothing wrong with it.
const VERY_DEEP: usize = 2_000;

/// Modules of one engine.
pub struct Loader {
    resolve: Resolve,
    cache: Option<Arc<ModuleCache>>,
    ahead: RefCell<Ahead>,
    /// Files that were looked into before they are needed as modules.
    ready: RefCell<HashMap<String, Result<File, Unusable>>>,
    /// What the files that extensions begin with say of their dialect.
    evidence: RefCell<HashMap<String, Arc<Evidence>>>,
    positions: Positions,
    owners: owners::Owners,
    /// What was read for each extension, by keys that say where it was and what it was.
    read: RefCell<HashMap<ExtensionId, BTreeSet<String>>>,
    code: RefCell<HashMap<ExtensionId, String>>,
    track_await: RefCell<Vec<ExtensionId>>,
    /// A module says behind each `await` for whom it runs.
    has_tracked: Cell<bool>,
    memory: Arc<Memory>,
}

impl Loader {
    /// No modules yet. Compiled ones are kept in the cache, if there is one.
    pub fn new(cache: Option<Arc<ModuleCache>>, memory: Arc<Memory>) -> Self {
        Self {
            resolve: Resolve::default(),
            cache,
            ahead: RefCell::default(),
            ready: RefCell::default(),
            evidence: RefCell::default(),
            positions: Positions::default(),
            owners: owners::Owners::default(),
            read: RefCell::default(),
            code: RefCell::default(),
            track_await: RefCell::default(),
            has_tracked: Cell::new(false),
            memory,
        }
    }

    /// Whether a module says behind each `await` for whom it runs.
    pub fn has_tracked(&self) -> bool {
        self.has_tracked.get()
    }

    /// Evaluates the first module; gives what it exports.
    pub fn boot<'js>(&self, ctx: &Ctx<'js>, ops: Object<'js>) -> rquickjs::Result<Object<'js>> {
        let exports = Object::new(ctx.clone())?;
        let ops_module = Object::new(ctx.clone())?;
        ops_module.set("ops", ops)?;
        let import = Function::new(ctx.clone(), move |_: String| ops_module.clone())?;
        let function = self.runtime_module(ctx, BOOT)?;
        let _: Value<'js> = function.call((exports.clone(), import))?;
        // Others import it too, and must get this very instance.
        let adopt: Function<'js> = exports.get("adopt")?;
        adopt.call::<_, ()>((exports.clone(),))?;
        Ok(exports)
    }

    /// The extension whose graph a file belongs to, or the code that was made in it at run time.
    pub fn owner_of(&self, file: &str) -> Option<ExtensionId> {
        self.owners.of(file)
    }

    /// The name of code that this file makes for an extension at run time.
    pub fn made_in(&self, file: &str, extension: ExtensionId) -> String {
        self.owners.made_in(file, extension)
    }

    /// An extension may make code with `eval`, whose names all are the same.
    pub fn evaluates(&self, extension: ExtensionId) {
        self.owners.evaluates(extension);
    }

    /// A position in compiled code, in the source.
    pub fn original(&self, file: &str, line: u32, column: u32) -> (u32, u32) {
        self.positions.original(file, line, column)
    }

    /// A module of the runtime, as a function.
    fn runtime_module<'js>(&self, ctx: &Ctx<'js>, path: &str) -> rquickjs::Result<Function<'js>> {
        let name = format!("tau:{path}");
        let function = match embedded::load(path) {
            Some(embedded::Module::Compiled(code)) => code.run(ctx)?,
            Some(embedded::Module::Source(mut module)) => {
                let code = Code::compile(ctx, &wrapped(&module, &module.code), &name)?;
                self.remember(&name, &mut module);
                code.run(ctx)?
            }
            None => return Err(OpError::new("ERR_MODULE_NOT_FOUND", format!("tau has no module {path}")).throw(ctx)),
        };
        Function::from_value(function)
    }

    fn compile_file<'js>(&self, ctx: &Ctx<'js>, extension: ExtensionId, id: &str) -> rquickjs::Result<Array<'js>> {
        let track_await = self.track_await.borrow().contains(&extension);
        let ready = self.ready.borrow_mut().remove(id).filter(|_| !track_await);
        let file = ready.unwrap_or_else(|| self.read(id, track_await));
        if !matches!(file, Err(Unusable::Unread(_))) {
            self.owners.add(id, extension);
        }
        match file.map_err(|error| error.error(id).throw(ctx))? {
            File::Json(text) => {
                self.note_read(extension, ModuleCache::key(id, &text, false));
                self.json(ctx, id, text)
            }
            File::Compiled(mut compiled, key) => {
                self.note_read(extension, key);
                self.note_tracked(&compiled.module);
                let function = compiled.code.run(ctx)?;
                self.remember(id, &mut compiled.module);
                describe(ctx, function, &compiled.module)
            }
            File::Module(mut module, key) => {
                self.note_read(extension, key.clone());
                self.note_tracked(&module);
                let compiled = match Code::compile(ctx, &wrapped(&module, &module.code), id) {
                    Ok(compiled) => compiled,
                    Err(error) => return Err(self.uncompiled(ctx, id, module, error)),
                };
                if let Some(cache) = &self.cache {
                    cache.put(key, &module, &compiled);
                }
                self.remember(id, &mut module);
                describe(ctx, compiled.run(ctx)?, &module)
            }
        }
    }

    fn note_read(&self, extension: ExtensionId, key: String) {
        self.read.borrow_mut().entry(extension).or_default().insert(key);
    }

    /// Names the code of an extension: the places and the content of all its modules that were read until it was asked for
    /// the first time.
    pub fn code_of(&self, extension: ExtensionId) -> String {
        let name = || {
            let read = self.read.borrow();
            let keys: Vec<&str> = read.get(&extension).into_iter().flatten().map(String::as_str).collect();
            CodeFiles::name(&keys)
        };
        self.code.borrow_mut().entry(extension).or_insert_with(name).clone()
    }

    /// The modules of an extension are evaluated anew.
    pub fn forget_code(&self, extension: ExtensionId) {
        self.read.borrow_mut().remove(&extension);
        self.code.borrow_mut().remove(&extension);
    }

    fn note_tracked(&self, module: &Transformed) {
        if module.tracks_await {
            self.has_tracked.set(true);
        }
    }

    /// `[value, "json"]`.
    fn json<'js>(&self, ctx: &Ctx<'js>, id: &str, source: String) -> rquickjs::Result<Array<'js>> {
        // Nothing stops the engine once it reads, so there must be room for the most that the text can become: small objects
        // take about so much more than their text.
        let bytes = source.len().saturating_mul(32);
        let _counted = charge(&self.memory, bytes, &format!("the data of {id}")).map_err(|error| error.throw(ctx))?;
        json::check(&source).map_err(|error| {
            OpError::new("ERR_SYNTAX", format!("{id}:{}:{}: {error}", error.line(), error.column())).throw(ctx)
        })?;
        let array = Array::new(ctx.clone())?;
        array.set(0, ctx.json_parse(source)?)?;
        array.set(1, "json")?;
        Ok(array)
    }

    /// Why the engine does not compile a program. What is wrong with its syntax has a place; what nests too deep for the
    /// engine gets the deepest one.
    fn uncompiled(&self, ctx: &Ctx<'_>, id: &str, mut module: Transformed, error: rquickjs::Error) -> rquickjs::Error {
        let (depth, line, column) = transform::deepest(&module.code);
        self.remember(id, &mut module);
        if depth < DEEP || !matches!(error, rquickjs::Error::Exception) {
            return error;
        }
        let thrown = ctx.catch();
        let text = |name: &str| thrown.as_object()?.get::<_, String>(name).ok();
        let why = match (text("name").as_deref(), text("message")) {
            (Some("RangeError" | "InternalError"), Some(why)) => why,
            // What it looks ahead for and does not find, it calls wrong.
            (Some("SyntaxError"), Some(why)) if depth > VERY_DEEP => why,
            _ => return ctx.throw(thrown),
        };
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (line, column) = self.positions.original(id, number(line).saturating_add(1), number(column));
        let place = format!("{id}:{line}:{column}");
        let message = format!("{place}: the script engine cannot compile code that nests this deep: {why}");
        OpError { path: Some(place), ..OpError::new("ERR_SYNTAX", message) }.throw(ctx)
    }

    /// Reads a file, which another thread may have done already.
    fn read(&self, id: &str, track_await: bool) -> Result<File, Unusable> {
        let ahead = if track_await { None } else { self.ahead.borrow_mut().take(id) };
        ahead.unwrap_or_else(|| files::read(id, self.cache.as_deref(), track_await, most_source(self.memory.limit())))
    }

    /// What the file that an extension begins with says of its dialect. For as long as its modules are there it is what
    /// they were made from. A file that is no module says nothing: to evaluate it will tell what is wrong.
    pub fn evidence(&self, id: &str) -> Arc<Evidence> {
        match self.evidence.borrow_mut().entry(id.to_owned()) {
            hash_map::Entry::Occupied(known) => Arc::clone(known.get()),
            hash_map::Entry::Vacant(free) => {
                let file = self.read(id, false);
                let evidence = file.as_ref().ok().and_then(File::evidence).cloned().unwrap_or_default();
                self.ready.borrow_mut().insert(id.to_owned(), file);
                Arc::clone(free.insert(Arc::new(evidence)))
            }
        }
    }

    /// A file will be read anew.
    pub fn forget_evidence(&self, id: &str) {
        self.evidence.borrow_mut().remove(id);
        self.ready.borrow_mut().remove(id);
    }

    /// Keeps where a module's code came from.
    fn remember(&self, id: &str, module: &mut Transformed) {
        if let Some(mappings) = module.mappings.take() {
            self.positions.add(id, mappings.into_boxed_str());
        }
    }

    /// Takes files that others have begun to read.
    pub fn expect(&self, ahead: Ahead) {
        self.ahead.borrow_mut().add(ahead);
    }

    /// What was compiled may be written to the cache now.
    pub fn write_cache(&self) {
        if let Some(cache) = &self.cache {
            cache.write();
        }
    }
}

/// What cannot be found or parsed.
#[derive(Debug, thiserror::Error)]
#[error("{message} ({location})")]
pub struct CheckError {
    /// What is wrong.
    pub message: String,
    /// `file`, or `file:line:column`.
    pub location: String,
}

/// Reads a file and everything it imports statically from files, as far as that can be told without running any of it;
/// `most` as in [`most_source`]. Gives what the file says of the dialect it was written for.
///
/// # Errors
/// What cannot be found or parsed, with the place.
pub fn check(path: &Path, most: usize) -> Result<Evidence, CheckError> {
    let resolve = Resolve::default();
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![path.to_string_lossy().into_owned()];
    let mut evidence = Evidence::default();
    while let Some(id) = open.pop() {
        if id.starts_with("tau:") || !seen.insert(id.clone()) {
            continue;
        }
        let failed = |message: String| CheckError { message, location: id.clone() };
        let bytes =
            tau_tools::read_bounded(Path::new(&id), files::MAX_MODULE).map_err(|error| failed(error.to_string()))?;
        if matches!(Path::new(&id).extension().and_then(|extension| extension.to_str()), Some("json" | "node" | "wasm"))
        {
            continue;
        }
        if bytes.len() > most {
            return Err(failed(files::too_long(&id, bytes.len(), most)));
        }
        let module = transform(Path::new(&id), &files::text(&bytes), Options::default()).map_err(|error| {
            let location = format!("{id}:{}:{}", error.line, error.column);
            CheckError { message: error.message, location }
        })?;
        if Path::new(&id) == path {
            evidence = module.evidence;
        }
        for specifier in module.imports {
            open.push(resolve.resolve(&specifier, &id, false).map_err(|error| failed(error.to_string()))?);
        }
    }
    Ok(evidence)
}

fn describe<'js>(ctx: &Ctx<'js>, function: Value<'js>, module: &Transformed) -> rquickjs::Result<Array<'js>> {
    let array = Array::new(ctx.clone())?;
    array.set(0, function)?;
    array.set(1, if module.kind == ModuleKind::Esm { "esm" } else { "cjs" })?;
    array.set(2, module.imports.clone())?;
    array.set(3, module.is_async)?;
    Ok(array)
}

ops! {
    /// The module registry.
    pub static OPS: always;

    /// The name of the module that a module means.
    fn moduleResolve(specifier, importer, require) = module_resolve, Recorded;
    /// Reads and compiles a module.
    fn moduleLoad(extension, id) -> "[fn: unknown, kind: \"esm\" | \"cjs\" | \"json\", imports?: string[], isAsync?: boolean]" = module_load, Recorded;
    /// Evaluates a module of the runtime.
    fn moduleRun(path, args) = module_run, Pure;
    /// The names that a module of the runtime exports, where they are known before it is evaluated.
    fn moduleExports(path) = module_exports, Pure;
    /// The modules of an extension tell apart who awaits.
    fn moduleTrackAwait(extension) = module_track_await, Pure;
}

/// The modules of the engine that is called.
struct Modules(Rc<Loader>);

impl<'js> Param<'js> for Modules {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let loader = arguments.host().part::<Loader>();
        loader.map(Self).ok_or_else(|| defect(arguments.ctx(), "an engine has no loader"))
    }

    fn describe(_: &mut Signature) {}
}

fn module_resolve(
    Modules(loader): Modules,
    specifier: String,
    importer: String,
    require: bool,
) -> Result<String, OpError> {
    loader.resolve.resolve(&specifier, &importer, require).map_err(|error| {
        let code = if require { "MODULE_NOT_FOUND" } else { "ERR_MODULE_NOT_FOUND" };
        OpError::new(code, error.to_string())
    })
}

fn module_load<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    Modules(loader): Modules,
    extension: u32,
    id: String,
) -> rquickjs::Result<Array<'js>> {
    // Reading and compiling is not the extension's time.
    host.limits().paused(|| loader.compile_file(&ctx, ExtensionId(extension), &id))
}

fn module_run<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    Modules(loader): Modules,
    path: String,
    args: Rest<Value<'js>>,
) -> rquickjs::Result<()> {
    let function = host.limits().paused(|| loader.runtime_module(&ctx, &path))?;
    host.limits().sheltered(|| function.call((args,)))
}

fn module_exports(path: String) -> Option<Vec<String>> {
    embedded::exports(&path)
}

fn module_track_await(Modules(loader): Modules, extension: u32) {
    loader.track_await.borrow_mut().push(ExtensionId(extension));
}
