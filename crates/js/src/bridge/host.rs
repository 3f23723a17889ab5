//! Loads the TypeScript extensions of a session and ends them.
#![expect(clippy::disallowed_methods, reason = "called on the thread of the engine only")]

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use parking_lot::Mutex;
use rquickjs::IntoJs;
use tau_hooks::dialect::{Dialect, Failures, PI};
use tau_hooks::{HandlerError, Hooks, Owner, Report, ReportKind};
use tau_script::{
    DialectEvidence, LoadContext, LoadFailure, LoadOutcome, LoadedScript, Script, ScriptHost, Surroundings,
};
use tokio::sync::oneshot;

use super::callback::{call_entry, failure};
use super::guest::HasBridge as _;
use super::progress::{Loaded, Progress, Row, Stuck};
use super::{Extension, dialect};
use crate::engine::{Core, Engine, EngineOptions, ExtensionId, Fault, Settle, WeakEngine};
use crate::loader::{Ahead, CacheError, CheckError, ModuleCache, most_source};

/// How long calls that are under way may take to end when the engine does.
const GRACE: Duration = Duration::from_secs(5);

/// The same when the session goes to another directory: the command that asked for it may have much to do there.
const LEAVING: Duration = Duration::from_secs(600);

/// The script host of tau: one engine for all extensions of a session, and one for each that wants to be alone.
#[derive(Default)]
pub struct JsHost {
    engines: Mutex<Vec<(Option<PathBuf>, Engine)>>,
    /// Engines that do not answer any more. What is left of them must find out that they are lost, not that they ended.
    lost: Mutex<Vec<Engine>>,
    /// An engine that was started before anybody could say what for.
    spare: Mutex<Option<Engine>>,
    cache: Option<Arc<ModuleCache>>,
    /// Why there is no cache, until the user has heard of it.
    no_cache: Mutex<Option<String>>,
}

impl JsHost {
    /// A host that keeps compiled modules in a folder of the user's; `None` compiles every time, and so does a folder that
    /// others can write to, which the user hears of.
    pub fn new(cache: Option<PathBuf>) -> Self {
        let (cache, no_cache) = match cache.map(ModuleCache::open) {
            None => (None, None),
            Some(Ok(cache)) => (Some(Arc::new(cache)), None),
            // It is the same as on a disk that is full: slow, and nothing to worry about.
            Some(Err(error @ CacheError::Io { .. })) => {
                tracing::info!(%error, "extensions are compiled at every start");
                (None, None)
            }
            Some(Err(error)) => (None, Some(error.to_string())),
        };
        Self { cache, no_cache: Mutex::new(no_cache), ..Self::default() }
    }

    /// Tells the user, once, what was not used of the cache because it could be somebody else's.
    fn tell_refusals(&self, hooks: &Hooks) {
        let of_file = self.cache.as_ref().and_then(|cache| cache.take_refusal());
        for text in self.no_cache.lock().take().into_iter().chain(of_file) {
            hooks.dispatcher.reports.send(&Report::diagnostic("<runtime>", "load", text));
        }
    }

    /// The engine of all extensions, or of one alone; started when there is none.
    pub(super) fn engine(&self, alone: Option<&Path>, with: &LoadContext) -> Result<Engine, HandlerError> {
        let mut engines = self.engines.lock();
        let lost = engines.extract_if(.., |(_, engine)| engine.activity().is_lost());
        self.lost.lock().extend(lost.map(|(_, engine)| engine));
        if let Some((_, engine)) = engines.iter().find(|(of, _)| of.as_deref() == alone) {
            return Ok(engine.clone());
        }
        let limits = &with.limits;
        let (memory, memory_setting) = match alone {
            Some(_) => (limits.isolated_memory, "tau.limits.isolatedMemoryMb"),
            None => (limits.memory, "tau.limits.memoryMb"),
        };
        let mut env = with.surroundings.vars.clone();
        // Programs can tell that they run inside an agent, and inside which kind.
        env.extend([("AI_AGENT", "pi"), ("PI_CODING_AGENT", "true")].map(|(name, value)| (name.into(), value.into())));
        with.hooks.variables.apply(&mut env);
        let options = EngineOptions {
            env,
            stretch: limits.stretch,
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
            memory_setting,
            cache: self.cache.clone(),
            sources: with.hooks.sources.clone(),
            ..super::options(&with.surroundings.cwd)
        };
        let spare = self.spare.lock().take();
        let configured = spare.filter(|spare| {
            let options = options.clone();
            spare.post(move |core| core.configure(options)).is_ok()
        });
        let engine = match configured {
            Some(engine) => engine,
            None => Engine::start(options)?,
        };
        let hooks = Arc::downgrade(&with.hooks);
        let (leftovers, finder) = (with.leftovers.clone(), Arc::clone(&with.finder));
        // An engine that ended before it loaded anything fails the load with that.
        let _ = engine.post(move |core| {
            core.host().set_leftovers(leftovers);
            core.bridge().set_finder(finder);
            let told = Weak::clone(&hooks);
            core.host().set_env_sink(Box::new(move |name, value| {
                if let Some(hooks) = told.upgrade() {
                    hooks.variables.set(name, value);
                }
            }));
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

    fn end(&self, grace: Duration) {
        self.settle();
        for (_, engine) in std::mem::take(&mut *self.engines.lock()) {
            engine.stop_within(grace);
        }
        self.lost.lock().clear();
    }

    /// Loads extensions of one engine, one after another. When one of them takes the engine along, the others get a
    /// fresh one.
    async fn load_batch(&self, files: &[Script], with: &LoadContext) -> Result<Vec<Loaded>, HandlerError> {
        let mut outcomes: Vec<Option<Loaded>> = files.iter().map(|_| None).collect();
        let mut again = false;
        loop {
            let places: Vec<usize> = (0..files.len()).filter(|place| outcomes[*place].is_none()).collect();
            let row: Vec<Script> = places.iter().map(|place| files[*place].clone()).collect();
            let Row { loaded, stuck } = self.load_row(&row, with).await?;
            let last = stuck.is_none();
            for (place, result) in places.iter().zip(loaded) {
                match result {
                    // It went with the engine, through no fault of its own.
                    Ok(script) if !last => with.hooks.unload(&script.owner),
                    result => outcomes[*place] = Some(result),
                }
            }
            match stuck {
                Some(Stuck::At(at, error)) => {
                    if let Some(place) = places.get(at) {
                        outcomes[*place] = Some(Err(error));
                    }
                }
                // The next engine is a fresh one, which nobody else can have lost.
                Some(Stuck::Before(_)) if !again => again = true,
                Some(Stuck::Before(error)) => {
                    for place in &places {
                        outcomes[*place] = Some(Err(error.clone()));
                    }
                }
                None => {}
            }
            if last || outcomes.iter().all(Option::is_some) {
                break;
            }
        }
        let loaded = outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(|| Err(super::callback::ended())));
        let loaded: Vec<Loaded> = loaded.collect();
        if let Some(first) = files.first().filter(|first| first.isolated)
            && !matches!(loaded[..], [Ok(_)])
        {
            self.drop_engine(&first.path);
        }
        Ok(loaded)
    }

    async fn load_row(&self, files: &[Script], with: &LoadContext) -> Result<Row, HandlerError> {
        let Some(first) = files.first() else { return Ok(Row::default()) };
        let paths: Vec<String> = files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect();
        let (ahead, reading) = Ahead::new(paths.clone(), self.cache.clone(), most_of(first, with));
        let engine = self.engine(first.isolated.then_some(first.path.as_path()), with)?;
        // One answer for all: waking a thread takes longer than loading most extensions.
        let (sender, done) = oneshot::channel();
        let progress = Arc::new(Progress::new(with.limits.load));
        let batch = Batch {
            waiting: paths
                .into_iter()
                .zip(files)
                .map(|(path, file)| (Arc::clone(&file.owner), path, file.open))
                .collect(),
            progress: Arc::clone(&progress),
            engine: engine.downgrade(),
            hooks: Arc::clone(&with.hooks),
            runtime: tokio::runtime::Handle::current(),
            done: sender,
        };
        let gone = || HandlerError::Gone("the JavaScript engine does not start".to_owned());
        let posted = engine.post(move |core| {
            core.loader().expect(ahead);
            // An engine that is kept loads again for another session.
            core.host().account().forget_given();
            batch.next(core);
        });
        posted.map_err(|_| gone())?;
        reading.start();
        let answer = progress.watch(engine.activity(), done).await;
        let between = !progress.is_at_work();
        let loaded = progress.take();
        let stuck = match answer {
            Some(()) => None,
            // The next one has not begun: one of those before it keeps the engine busy. The others are loaded in a fresh one.
            None if engine.activity().is_lost() && between => {
                let why = || HandlerError::msg("what it began while it was loaded keeps its script engine busy");
                let busy = engine.activity().culprit().map(|tenant| tenant.path);
                let is_busy = |file: &Script| busy.as_ref().is_some_and(|path| *path == file.owner.path);
                let known = files.iter().take(loaded.len()).position(is_busy);
                // Without a name, one that failed is the likelier one.
                let guess = || loaded.iter().rposition(Result::is_err).or(loaded.len().checked_sub(1));
                Some(match known.or_else(guess) {
                    Some(at) => Stuck::At(at, loaded[at].as_ref().err().cloned().unwrap_or_else(why)),
                    None => Stuck::Before(progress.overdue(Some("its script engine does not answer any more"))),
                })
            }
            None if engine.activity().is_lost() => {
                Some(Stuck::At(loaded.len(), progress.overdue(Some("it does not answer any more"))))
            }
            None => return Err(gone()),
        };
        if stuck.is_none() {
            let hooks = Arc::downgrade(&with.hooks);
            engine.on_loss(Box::new(move |loss| {
                if let Some(hooks) = hooks.upgrade() {
                    super::loss::tell(&hooks, &loss);
                }
            }));
        }
        Ok(Row { loaded, stuck })
    }

    /// Ends the engine of an extension that is not there.
    fn drop_engine(&self, alone: &Path) {
        let mut engines = self.engines.lock();
        if let Some(index) = engines.iter().position(|(of, _)| of.as_deref() == Some(alone)) {
            engines.swap_remove(index).1.stop();
        }
    }
}

/// Whether a file can be loaded, as far as that can be told without running any of it.
fn check_file(path: &Path, most: usize) -> Result<(), HandlerError> {
    let failed = |CheckError { message, location }| HandlerError::Failed {
        message,
        stack: None,
        location: Some(location),
        ended: false,
    };
    let evidence = crate::loader::check(path, most).map_err(failed)?;
    // Its place does not matter for whether it can be loaded.
    let known = dialect::detect(&evidence, &PI, false);
    known.map(drop).map_err(|message| failed(CheckError { message, location: path.to_string_lossy().into_owned() }))
}

#[async_trait]
impl ScriptHost for JsHost {
    fn prepare(&self, place: &Surroundings) {
        let options =
            EngineOptions { env: place.vars.clone(), cache: self.cache.clone(), ..super::options(&place.cwd) };
        // Without a spare one the engine is started when there is something to load, and what is wrong is told then.
        if let Ok(engine) = Engine::start(options)
            && engine.post(|core| core.get_ready()).is_ok()
        {
            *self.spare.lock() = Some(engine);
        }
    }

    fn settle(&self) {
        drop(self.spare.lock().take());
    }

    async fn check(&self, files: &[Script], with: &LoadContext) -> Vec<LoadFailure> {
        let files: Vec<(PathBuf, usize)> = files.iter().map(|file| (file.path.clone(), most_of(file, with))).collect();
        let first = files.first().map(|(path, _)| path.clone());
        // Parsing is work for a thread that nobody waits on.
        let check = || {
            let check =
                |(path, most): (PathBuf, usize)| check_file(&path, most).err().map(|error| LoadFailure { path, error });
            files.into_iter().filter_map(check).collect()
        };
        match tokio::task::spawn_blocking(check).await {
            Ok(failures) => failures,
            // Nobody knows whether they are all right, so they are not.
            Err(crash) => {
                let error = HandlerError::Panicked(format!("the check of extensions crashed: {crash}"));
                first.map(|path| LoadFailure { path, error }).into_iter().collect()
            }
        }
    }

    async fn load(&self, files: Vec<Script>, with: &LoadContext) -> Vec<LoadOutcome> {
        let mut outcomes = Vec::with_capacity(files.len());
        for batch in files.chunk_by(|one, next| !one.isolated && !next.isolated) {
            let paths = batch.iter().map(|file| file.path.clone());
            match self.load_batch(batch, with).await {
                Ok(all) => outcomes.extend(paths.zip(all).map(|(path, result)| LoadOutcome { path, result })),
                Err(error) => {
                    outcomes.extend(paths.map(|path| LoadOutcome { path, result: Err(error.clone()) }));
                }
            }
        }
        self.tell_refusals(&with.hooks);
        outcomes
    }

    fn interrupt(&self) {
        let engines: Vec<Engine> = self.engines.lock().iter().map(|(_, engine)| engine.clone()).collect();
        engines.iter().for_each(|engine| engine.activity().end_soon());
    }

    async fn shut_down(&self) {
        self.end(GRACE);
        if let Some(cache) = self.cache.clone()
            && let Err(error) = tokio::task::spawn_blocking(move || cache.flush()).await
        {
            tracing::warn!(%error, "compiled code was not kept");
        }
    }

    async fn leave(&self) {
        self.end(LEAVING);
    }
}

/// The longest source that the engine of an extension is given, in bytes.
fn most_of(file: &Script, with: &LoadContext) -> usize {
    let limits = &with.limits;
    let memory = if file.isolated { limits.isolated_memory } else { limits.memory };
    // Zero is no limit.
    let memory = if memory == 0 { u64::MAX } else { memory };
    most_source(usize::try_from(memory).unwrap_or(usize::MAX))
}

/// Extensions of one engine that are being loaded, on the engine's thread.
struct Batch {
    /// Each with its path, and with whether what it uses may speak against the dialect of its place.
    waiting: VecDeque<(Arc<Owner>, String, bool)>,
    progress: Arc<Progress>,
    engine: WeakEngine,
    hooks: Arc<Hooks>,
    runtime: tokio::runtime::Handle,
    done: oneshot::Sender<()>,
}

impl Batch {
    /// Loads what comes next, and then the rest.
    fn next(mut self, core: &Rc<Core>) {
        let Some((owner, path, open)) = self.waiting.pop_front() else {
            core.loaded();
            // The one that waits may have given the engine up.
            let _ = self.done.send(());
            return;
        };
        let evidence = core.loader().evidence(&path);
        let (owner, by) = match dialect::detect(&evidence, owner.dialect, open) {
            // The place says the same, or the source says nothing.
            Ok((dialect, by)) if std::ptr::eq(dialect, owner.dialect) => (owner, by),
            Ok((dialect, by)) => (Owner::new(Arc::clone(&owner.path), Arc::clone(&owner.name), dialect), by),
            Err(why) => {
                core.loader().forget_evidence(&path);
                self.progress.push(Err(HandlerError::msg(why)));
                return self.next(core);
            }
        };
        let registrar = self.hooks.registrar(owner);
        let make = |modules| Extension::new(&self.hooks, registrar, modules, self.runtime.clone());
        let (id, extension) = core.bridge().add(Path::new(&path), make);
        core.name(extension.modules, &extension.owner);
        let progress = Arc::clone(&self.progress);
        progress.begin(&path);
        load(core, id, extension, &path, progress, move |result| {
            self.progress.push(result.map(|script| LoadedScript { dialect_by: by, ..script }));
            // Not from here: the extension's code may still be on the stack.
            if let Some(engine) = self.engine.upgrade() {
                // Without the engine the batch is dropped, and its caller sees that the engine has ended.
                let _ = engine.post(move |core| self.next(core));
            }
        });
    }
}

/// Runs an extension's factory, for as long as the settings allow; what it registered takes effect when it is done, or
/// not at all.
fn load(
    core: &Rc<Core>,
    id: u32,
    extension: Rc<Extension>,
    path: &str,
    progress: Arc<Progress>,
    done: impl FnOnce(Loaded) + 'static,
) {
    let (started, memory) = (Instant::now(), core.memory_used());
    let (name, modules) = (extension.owner.name.to_string(), extension.modules);
    let watch = tokio::task::spawn_local(give_up(Rc::clone(core), modules, Arc::clone(&progress)));
    let owned = Rc::clone(core);
    let file = path.to_owned();
    let settle: Settle = Box::new(move |js, result, _| {
        watch.abort();
        let registrar = extension.registrar.borrow_mut().take();
        let committed = match (result, registrar) {
            // The registrar is dropped, and with it everything that was registered.
            (Err(_), _) if progress.is_late() => {
                progress.place(extension.place.lock().clone());
                Err(progress.overdue(None))
            }
            (Err(fault), _) => {
                // A stack that was too deep to be written down names no line; then the factory's own counts.
                let place = extension.place.lock().as_deref().map(Arc::from);
                Err(told(extension.owner.dialect, failure(fault, place.as_ref())))
            }
            (Ok(_), None) => Err(HandlerError::msg("it was loaded twice")),
            (Ok(_), Some(registrar)) => registrar.commit(),
        };
        owned.bridge().remember(Path::new(&file), modules);
        if let Ok(owner) = &committed {
            owner.set_code(&owned.loader().code_of(modules));
        } else {
            owned.loader().forget_code(modules);
            owned.loader().forget_evidence(&file);
            owned.host().timers().cancel_all(modules);
            let dropped = owned.entry(js, "dropExtension").and_then(|forget| forget.call::<_, ()>((modules.0,)));
            if dropped.is_err() {
                let _ = js.catch();
            }
        }
        done(committed.map(|owner| LoadedScript {
            owner,
            time: started.elapsed(),
            memory_bytes: Some(owned.memory_used().saturating_sub(memory)),
            dialect_by: DialectEvidence::default(),
        }));
    });
    call_entry(core, modules, "loadExtension", settle, |ctx, call| {
        let mut args = rquickjs::function::Args::new(ctx.clone(), 5);
        args.push_arg(call)?;
        args.push_arg(id)?;
        args.push_arg(path.into_js(ctx)?)?;
        args.push_arg(name.as_str().into_js(ctx)?)?;
        args.push_arg(modules.0)?;
        Ok(args)
    });
}

/// Why a module is not loaded, in the words of its dialect.
fn told(dialect: &Dialect, error: HandlerError) -> HandlerError {
    let rules = dialect.script;
    match error {
        HandlerError::Failed { message, stack, location, ended } if message != rules.no_factory => {
            HandlerError::Failed { message: format!("{}{message}", rules.load_failure), stack, location, ended }
        }
        other => other,
    }
}

/// Gives up on a factory that is waited for in vain. One that keeps the thread busy is ended from outside.
async fn give_up(core: Rc<Core>, id: ExtensionId, progress: Arc<Progress>) {
    progress.passed().await;
    progress.set_late(None);
    core.fail(&Fault::gone(id, "it took too long to load"));
}

/// A fault outside any call: a throw in a timer, a rejection that nobody handles.
fn report(hooks: &Hooks, core: &Core, fault: Fault) {
    let owner = core.bridge().get(fault.extension.0).map(|extension| Arc::clone(&extension.owner));
    hooks.dispatcher.reports.send(&Report {
        failures: owner.as_ref().map_or(Failures::Extension, |owner| owner.dialect.failures),
        extension: owner.map_or_else(|| "<runtime>".into(), |owner| Arc::clone(&owner.path)),
        event: "uncaught".to_owned(),
        kind: ReportKind::Error { message: fault.message, stack: fault.stack },
        location: fault.location,
    });
}
