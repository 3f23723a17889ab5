//! Loads the TypeScript extensions of a session and ends them.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use parking_lot::Mutex;
use rquickjs::IntoJs;
use tau_agent::extensions::{FoundExtension, LoadContext, LoadFailure, LoadOutcome, LoadedScript, ScriptHost};
use tau_hooks::{HandlerError, Hooks, Owner, Report, ReportKind};
use tokio::sync::oneshot;

use super::Extension;
use super::callback::call_entry;
use crate::engine::{Core, Engine, EngineOptions, Fault, FaultKind, Settle};

/// How long calls that are under way may take to end when the engine does.
const GRACE: Duration = Duration::from_secs(5);

/// The script host of tau: one engine for all extensions of a session, and one for each that wants to be alone.
#[derive(Default)]
pub struct JsHost {
    engines: Mutex<Vec<(Option<PathBuf>, Engine)>>,
    cache: Option<PathBuf>,
}

impl JsHost {
    /// A host that keeps compiled modules in a folder of the user's; `None` compiles every time.
    pub fn new(cache: Option<PathBuf>) -> Self {
        Self { engines: Mutex::default(), cache }
    }

    /// The engine of all extensions, or of one alone; started when there is none.
    fn engine(&self, alone: Option<&Path>, with: &LoadContext) -> Result<Engine, HandlerError> {
        let mut engines = self.engines.lock();
        if let Some((_, engine)) = engines.iter().find(|(of, _)| of.as_deref() == alone) {
            return Ok(engine.clone());
        }
        let limits = &with.settings.tau().limits;
        let memory = if alone.is_some() { limits.isolated_memory } else { limits.memory };
        let options = EngineOptions {
            env: with.env.vars.clone(),
            stretch: limits.stretch,
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
            cache: self.cache.clone(),
            ..EngineOptions::new(&with.env.cwd)
        };
        let engine = Engine::start(options)?;
        let hooks = Arc::downgrade(&with.hooks);
        let _ = engine.post(move |core| {
            let owned = Rc::downgrade(core);
            core.set_sink(Box::new(move |fault| {
                if let (Some(hooks), Some(core)) = (hooks.upgrade(), owned.upgrade()) {
                    report(&hooks, &core, fault);
                }
            }));
        });
        engines.push((alone.map(Path::to_path_buf), engine.clone()));
        Ok(engine)
    }

    async fn load_one(&self, file: &FoundExtension, with: &LoadContext) -> Result<LoadedScript, HandlerError> {
        let started = Instant::now();
        let alone = file.isolated.then_some(file.path.as_path());
        let engine = self.engine(alone, with)?;
        let (sender, result) = oneshot::channel();
        let (hooks, owner, path) = (Arc::clone(&with.hooks), file.owner(), file.path.clone());
        let runtime = tokio::runtime::Handle::current();
        let posted = engine.post(move |core| {
            let extension = Extension::new(&hooks, hooks.registrar(owner), runtime);
            load(core, extension, &path, sender);
        });
        let gone = || HandlerError::Gone("the JavaScript engine does not start".to_owned());
        posted.map_err(|_| gone())?;
        let (owner, memory) = result.await.map_err(|_| gone())??;
        Ok(LoadedScript { owner, time: started.elapsed(), memory_bytes: Some(memory) })
    }
}

#[async_trait]
impl ScriptHost for JsHost {
    async fn check(&self, files: &[FoundExtension], _with: &LoadContext) -> Vec<LoadFailure> {
        let files: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        // Parsing is work for a thread that nobody waits on.
        let check = || {
            let check = |path: PathBuf| match crate::loader::check(&path) {
                Ok(()) => None,
                Err(error) => Some(LoadFailure { path, error }),
            };
            files.into_iter().filter_map(check).collect()
        };
        tokio::task::spawn_blocking(check).await.unwrap_or_default()
    }

    async fn load(&self, files: Vec<FoundExtension>, with: &LoadContext) -> Vec<LoadOutcome> {
        let mut outcomes = Vec::with_capacity(files.len());
        for file in &files {
            let result = self.load_one(file, with).await;
            outcomes.push(LoadOutcome { path: file.path.clone(), result });
        }
        outcomes
    }

    async fn shut_down(&self) {
        let engines = std::mem::take(&mut *self.engines.lock());
        for (_, engine) in engines {
            engine.stop_within(GRACE);
        }
    }
}

type Loaded = Result<(Arc<Owner>, u64), HandlerError>;

/// Runs an extension's factory; what it registered takes effect when it is done, or not at all.
fn load(core: &Rc<Core>, extension: Extension, path: &Path, done: oneshot::Sender<Loaded>) {
    let memory = core.memory_used();
    let (name, path) = (extension.owner.name.to_string(), path.to_string_lossy().into_owned());
    let (id, extension) = core.bridge().add(extension);
    let owned = Rc::clone(core);
    let settle: Settle = Box::new(move |_, result, _| {
        let registrar = extension.registrar.borrow_mut().take();
        let committed = match (result, registrar) {
            (Ok(_), Some(registrar)) => registrar.commit(),
            (Ok(_), None) => Err(HandlerError::msg("it was loaded twice")),
            // The registrar is dropped, and with it everything that was registered.
            (Err(fault), _) => Err(failure(fault)),
        };
        if committed.is_err() {
            owned.host().timers().cancel_all(id);
        }
        let _ = done.send(committed.map(|owner| (owner, owned.memory_used().saturating_sub(memory))));
    });
    call_entry(core, id, "loadExtension", settle, |ctx, call| {
        let mut args = rquickjs::function::Args::new(ctx.clone(), 4);
        args.push_arg(call)?;
        args.push_arg(id.0)?;
        args.push_arg(path.as_str().into_js(ctx)?)?;
        args.push_arg(name.as_str().into_js(ctx)?)?;
        Ok(args)
    });
}

fn failure(fault: Fault) -> HandlerError {
    match fault.kind {
        FaultKind::Gone => HandlerError::Gone(fault.message),
        _ => HandlerError::Failed { message: fault.message, stack: fault.stack, location: fault.location },
    }
}

/// A fault outside any call: a throw in a timer, a rejection that nobody handles.
fn report(hooks: &Hooks, core: &Core, fault: Fault) {
    let extension = core.bridge().get(fault.extension.0).map(|extension| Arc::clone(&extension.owner.path));
    hooks.dispatcher.reports.send(&Report {
        extension: extension.unwrap_or_else(|| "<runtime>".into()),
        event: "uncaught".to_owned(),
        kind: ReportKind::Error { message: fault.message, stack: fault.stack },
        location: fault.location,
    });
}
