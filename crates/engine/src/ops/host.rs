//! What the ops of one engine share.
#![expect(clippy::disallowed_methods, reason = "called on the thread of the engine only")]

use std::any::Any;
use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rquickjs::{Ctx, Function, IntoJs, Persistent, Value};
use tau_ai::Sources;
use tau_tools::{ExecCommand, Leftovers};
use tokio::sync::mpsc::UnboundedSender;

use super::programs::Programs;
use super::{Account, Callbacks, Named, OpError, Promised, Resources, output_room};
use crate::engine::{Activity, EngineOptions, ExtensionId, Limits, Memory, Timers, Waiting};

/// What is done in the engine when an op has come to its end.
pub type Completion = (ExtensionId, Box<dyn for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<()>>);

/// Takes a variable that was set, or removed.
pub type EnvSink = Box<dyn Fn(&str, Option<&str>)>;

/// What ops ask of the engine around them.
pub trait Around {
    /// Whether the extension at work has a call under way that has no limit.
    fn is_serving(&self) -> bool;
    /// Whose code is at work, as far as its frames show that.
    fn at_work(&self, ctx: &Ctx<'_>) -> Option<ExtensionId>;
    /// What is at work is stopped by an op.
    fn stops(&self, ctx: &Ctx<'_>);
    /// An op made an error for an extension.
    fn made_error(&self, error: &Value<'_>, extension: ExtensionId);
}

/// JavaScript wants to end the program.
pub struct Leaving {
    /// The exit code.
    pub code: i32,
    /// An error of the place that asked for it.
    pub error: Persistent<Value<'static>>,
}

/// The state that ops share, for those who only have a context.
pub struct Hosted(pub Weak<OpHost>);

/// State of one engine that its ops use. Lives on the engine's thread.
pub struct OpHost {
    cwd: RefCell<PathBuf>,
    env: RefCell<BTreeMap<String, String>>,
    /// Counts the variables that JavaScript set.
    variables: Named<String>,
    resources: Resources,
    completions: UnboundedSender<Completion>,
    current: Cell<ExtensionId>,
    /// What runs is a job, which may be anybody's.
    in_job: Cell<bool>,
    activity: Arc<Activity>,
    account: Account,
    around: RefCell<Option<Rc<dyn Around>>>,
    timers: Rc<Timers>,
    callbacks: Callbacks,
    exit: RefCell<Option<Leaving>>,
    programs: Programs,
    /// The variables that programs get whatever scripts do to their environment, by name.
    firm_names: &'static [&'static str],
    firm: RefCell<BTreeMap<String, String>>,
    /// What ops of this engine find of others, a value a type.
    parts: RefCell<Vec<Rc<dyn Any>>>,
    /// How many asynchronous ops are at work.
    working: Rc<Cell<usize>>,
    /// Told of every change of the environment.
    env_sink: RefCell<Option<EnvSink>>,
    leftovers: RefCell<Option<Leftovers>>,
    sources: RefCell<Sources>,
    /// What the clock showed when the engine got it.
    since: Cell<i64>,
}

impl OpHost {
    /// That of an engine with these options.
    pub fn new(options: &EngineOptions, activity: Arc<Activity>, completions: UnboundedSender<Completion>) -> Rc<Self> {
        Rc::new(Self {
            cwd: RefCell::new(options.cwd.clone()),
            env: RefCell::new(options.env.clone()),
            variables: Named::default(),
            resources: Resources::default(),
            completions,
            current: Cell::new(ExtensionId::HOST),
            in_job: Cell::new(false),
            account: Account::new(Arc::clone(activity.limits().memory())),
            activity,
            around: RefCell::default(),
            timers: Rc::new(Timers::default()),
            callbacks: Callbacks::default(),
            exit: RefCell::default(),
            programs: Programs::new(options.program.clone(), options.cache.clone()),
            firm_names: options.firm,
            firm: RefCell::new(of_names(&options.env, options.firm)),
            parts: RefCell::default(),
            working: Rc::default(),
            env_sink: RefCell::default(),
            leftovers: RefCell::default(),
            since: Cell::new(options.sources.clock.now_ms()),
            sources: RefCell::new(options.sources.clone()),
        })
    }

    /// Gives ops something that they find by its type.
    pub fn add_part(&self, part: Rc<dyn Any>) {
        self.parts.borrow_mut().push(part);
    }

    /// What was added of a type; made when there is none.
    pub fn part_or_default<T: Default + 'static>(&self) -> Rc<T> {
        self.part_or_else(|| Rc::new(T::default()))
    }

    /// What was added of a type; made when there is none.
    pub fn part_or_else<T: 'static>(&self, make: impl FnOnce() -> Rc<T>) -> Rc<T> {
        self.part().unwrap_or_else(|| {
            let part = make();
            self.add_part(part.clone());
            part
        })
    }

    /// What was added of a type.
    pub fn part<T: 'static>(&self) -> Option<Rc<T>> {
        let parts = self.parts.borrow();
        let part = parts.iter().find(|part| part.is::<T>())?;
        Rc::clone(part).downcast().ok()
    }

    /// Where time and chance come from.
    pub fn sources(&self) -> Sources {
        self.sources.borrow().clone()
    }

    /// Says where time and chance come from.
    pub fn set_sources(&self, sources: Sources) {
        self.since.set(sources.clock.now_ms());
        *self.sources.borrow_mut() = sources;
    }

    /// Milliseconds since the engine got its clock, when that is another one than the system's.
    pub fn other_time(&self) -> Option<f64> {
        let sources = self.sources.borrow();
        (!sources.clock.is_real()).then(|| (sources.clock.now_ms() - self.since.get()) as f64)
    }

    /// What `process.execPath` names.
    pub fn program(&self) -> PathBuf {
        self.programs.pi()
    }

    /// Notes that JavaScript wants to exit, and stops it where it is: the error that this gives cannot be caught. Promises
    /// swallow it all the same, so what runs on is stopped where the engine looks next.
    pub fn exit(&self, ctx: &Ctx<'_>, code: i32) -> rquickjs::Error {
        let error = crate::raw::interruption(ctx);
        let leaving = Leaving { code, error: Persistent::save(ctx, error.clone()) };
        // The first one counts.
        self.exit.borrow_mut().get_or_insert(leaving);
        self.limits().trip();
        ctx.throw(error)
    }

    /// Whether JavaScript wants to exit and nobody has taken note of it.
    pub fn wants_exit(&self) -> bool {
        self.exit.borrow().is_some()
    }

    /// The wish of JavaScript to exit; asked once.
    pub fn take_exit(&self) -> Option<Leaving> {
        self.exit.borrow_mut().take()
    }

    /// What is called in JavaScript in every turn of the pump.
    pub fn callbacks(&self) -> &Callbacks {
        &self.callbacks
    }

    /// Lets go of everything JavaScript held.
    pub fn close(&self) {
        self.resources.clear();
        self.callbacks.clear();
        drop(self.take_exit());
    }

    /// The working directory of this engine's JavaScript; the process has its own.
    pub fn cwd(&self) -> PathBuf {
        self.cwd.borrow().clone()
    }

    /// Changes the working directory of this engine's JavaScript.
    pub fn set_cwd(&self, cwd: PathBuf) {
        *self.cwd.borrow_mut() = cwd;
    }

    /// A path as JavaScript means it.
    pub fn resolve(&self, path: &str) -> PathBuf {
        let path = Path::new(path);
        if path.is_absolute() { path.to_owned() } else { self.cwd.borrow().join(path) }
    }

    /// This engine's copy of the environment: what its children inherit.
    pub fn env(&self) -> Ref<'_, BTreeMap<String, String>> {
        self.env.borrow()
    }

    /// Sets a variable.
    ///
    /// # Errors
    /// When it does not fit into what the engine may hold.
    pub fn set_env(&self, name: String, value: String) -> Result<(), OpError> {
        // The session keeps a copy, for the engines that come after this one.
        let bytes = name.len().saturating_add(value.len()).saturating_mul(2);
        self.variables.set(self.memory(), name.clone(), bytes, "the environment")?;
        self.tell_env(&name, Some(&value));
        self.env.borrow_mut().insert(name, value);
        Ok(())
    }

    /// Removes a variable; whether it was there.
    pub fn remove_env(&self, name: &str) -> bool {
        self.variables.forget(|known| known == name);
        self.tell_env(name, None);
        self.env.borrow_mut().remove(name).is_some()
    }

    fn tell_env(&self, name: &str, value: Option<&str>) {
        if let Some(sink) = &*self.env_sink.borrow() {
            sink(name, value);
        }
    }

    /// Gives JavaScript another environment; nobody is told.
    pub fn replace_env(&self, env: BTreeMap<String, String>) {
        self.variables.forget(|_| true);
        *self.firm.borrow_mut() = of_names(&env, self.firm_names);
        *self.env.borrow_mut() = env;
    }

    /// Says who is told of every change of the environment.
    pub fn set_env_sink(&self, sink: EnvSink) {
        *self.env_sink.borrow_mut() = Some(sink);
    }

    /// Says who takes what programs leave running.
    pub fn set_leftovers(&self, leftovers: Leftovers) {
        *self.leftovers.borrow_mut() = Some(leftovers);
    }

    /// Who takes what programs leave running, if anybody.
    pub fn leftovers(&self) -> Option<Leftovers> {
        self.leftovers.borrow().clone()
    }

    /// A program whose output is collected, in the environment of children; what it leaves running ends with the session.
    pub fn program_in(&self, cwd: PathBuf, program: String, args: Vec<String>) -> ExecCommand {
        let env = Some(self.child_env(None).into_iter().collect());
        let leftovers = self.leftovers();
        let room = Some(output_room(self.memory()));
        ExecCommand { program, args, cwd, env, room, leftovers, ..ExecCommand::default() }
    }

    /// The environment of a child: the given one, or the engine's. There this very program is found as `pi`.
    pub fn child_env(&self, given: Option<&BTreeMap<String, String>>) -> BTreeMap<String, String> {
        let mut env = given.cloned().unwrap_or_else(|| self.env.borrow().clone());
        env.extend(self.firm.borrow().iter().map(|(name, value)| (name.clone(), value.clone())));
        self.programs.put_first(&mut env);
        env
    }

    /// What JavaScript holds by number.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The extension on whose behalf JavaScript is running.
    pub fn current(&self) -> ExtensionId {
        self.current.get()
    }

    /// Says on whose behalf JavaScript runs from now on; gives who it was.
    pub fn set_current(&self, extension: ExtensionId) -> ExtensionId {
        self.activity.set_extension(extension);
        self.current.replace(extension)
    }

    /// Says whether what runs from now on is a job; gives what it was.
    pub fn set_in_job(&self, is_one: bool) -> bool {
        self.in_job.replace(is_one)
    }

    /// Whether what runs is a job.
    pub fn is_in_job(&self) -> bool {
        self.in_job.get()
    }

    /// On whose behalf JavaScript runs, where that is certain: a job may be that of any extension that lives here.
    pub fn known(&self) -> Option<ExtensionId> {
        (!self.in_job.get()).then(|| self.current()).or_else(|| self.activity.only_extension())
    }

    /// The engine's limits.
    pub fn limits(&self) -> &Arc<Limits> {
        self.activity.limits()
    }

    /// What the engine's thread is at, for other threads.
    pub fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// What ops count memory against.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// What the engine holds and may hold.
    pub fn memory(&self) -> &Arc<Memory> {
        self.account.memory()
    }

    /// The engine's timers.
    pub fn timers(&self) -> &Rc<Timers> {
        &self.timers
    }

    /// Runs something that takes long and is not JavaScript: its processor time is not that of the stretch.
    pub fn without_deadline<T>(&self, work: impl FnOnce() -> T) -> T {
        self.limits().paused(work)
    }

    /// Waits for something that others can end: a limit of a handler, the user, the end of the engine. JavaScript that
    /// waited for what was ended goes no further.
    ///
    /// # Errors
    /// What the work throws, or that JavaScript must stop.
    pub fn waiting<T>(
        &self,
        ctx: &Ctx<'_>,
        what: String,
        work: impl FnOnce(&Arc<Waiting>) -> Result<T, OpError>,
    ) -> rquickjs::Result<T> {
        let excused = self.ask(|around| around.is_serving()).unwrap_or(false);
        let waits = self.activity.waits(what, excused);
        let done = if waits.waiting().is_ended() { None } else { Some(self.limits().paused(|| work(waits.waiting()))) };
        match done.filter(|_| !waits.waiting().is_ended()) {
            Some(done) => done.map_err(|error| error.throw(ctx)),
            None => Err(self.stop(ctx)),
        }
    }

    /// Says what is around the ops.
    pub fn set_around(&self, around: Rc<dyn Around>) {
        *self.around.borrow_mut() = Some(around);
    }

    fn ask<T>(&self, question: impl FnOnce(&dyn Around) -> T) -> Option<T> {
        self.around.borrow().as_deref().map(question)
    }

    /// The extension that asks for something which comes later. A job may be anybody's, so its code is looked at there.
    pub fn asking(&self, ctx: &Ctx<'_>) -> ExtensionId {
        let known = self.known().or_else(|| self.ask(|around| around.at_work(ctx)).flatten());
        known.unwrap_or_else(|| self.current())
    }

    /// Stops what is at work. The error cannot be caught, and whatever becomes of it, it is known who was stopped.
    pub fn stop(&self, ctx: &Ctx<'_>) -> rquickjs::Error {
        self.ask(|around| around.stops(ctx));
        crate::raw::interrupt(ctx)
    }

    /// As [`OpHost::stop`], for those who only have a context.
    pub fn stop_in(ctx: &Ctx<'_>) -> rquickjs::Error {
        let host = ctx.userdata::<Hosted>().and_then(|hosted| hosted.0.upgrade());
        host.map_or_else(|| crate::raw::interrupt(ctx), |host| host.stop(ctx))
    }

    /// Fails when the running stretch is over its time: for ops that take long, which ask in between.
    ///
    /// # Errors
    /// The stop.
    pub fn go_on(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        if self.limits().is_late() { Err(self.stop(ctx)) } else { Ok(()) }
    }

    /// Starts an asynchronous op; JavaScript gets a promise of its result. The future runs on the engine's thread
    /// between stretches of JavaScript, so it must never block.
    pub fn spawn<'js, T>(
        &self,
        ctx: &Ctx<'js>,
        future: impl Future<Output = Result<T, OpError>> + 'static,
    ) -> rquickjs::Result<Promised<'js, T>>
    where
        T: for<'a> IntoJs<'a> + 'static,
    {
        let arguments = self.account.keep_arguments().map_err(|error| error.throw(ctx))?;
        let (promise, resolve, reject) = ctx.promise()?;
        let resolve = Persistent::save(ctx, resolve);
        let reject = Persistent::save(ctx, reject);
        let extension = self.asking(ctx);
        let completions = self.completions.clone();
        let around = self.around.borrow().clone();
        let working = Working::begin(&self.working);
        tokio::task::spawn_local(async move {
            let result = future.await;
            drop((arguments, working));
            let settle = move |ctx: &Ctx<'_>| {
                let made = |error: &Value<'_>| {
                    if let Some(around) = &around {
                        around.made_error(error, extension);
                    }
                };
                settle(ctx, result, resolve, reject, made)
            };
            // The engine is gone when this fails, and with it whoever waited.
            let _ = completions.send((extension, Box::new(settle)));
        });
        Ok(Promised::new(promise.into_value()))
    }

    /// What goes on in the engine although no code of it runs.
    pub fn left(&self) -> Left {
        Left { ops: self.working.get(), timers: self.timers.count(), children: self.activity.group_count() }
    }

    /// For work on other tasks of the engine's thread that has something to tell JavaScript now and then.
    pub fn completions(&self) -> UnboundedSender<Completion> {
        self.completions.clone()
    }
}

/// What goes on in an engine although no code of it runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Left {
    /// Asynchronous ops that are at work.
    pub ops: usize,
    /// Timers and immediates.
    pub timers: usize,
    /// Groups of processes.
    pub children: usize,
}

/// An asynchronous op is at work as long as this is kept.
struct Working(Rc<Cell<usize>>);

impl Working {
    fn begin(count: &Rc<Cell<usize>>) -> Self {
        count.set(count.get() + 1);
        Self(Rc::clone(count))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

/// The variables of these names.
fn of_names(env: &BTreeMap<String, String>, names: &[&str]) -> BTreeMap<String, String> {
    names
        .iter()
        .filter_map(|name| env.get_key_value(*name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn settle<'js, T: IntoJs<'js>>(
    ctx: &Ctx<'js>,
    result: Result<T, OpError>,
    resolve: Persistent<Function<'static>>,
    reject: Persistent<Function<'static>>,
    made: impl FnOnce(&Value<'js>),
) -> rquickjs::Result<()> {
    let error = match result {
        Ok(value) => match value.into_js(ctx) {
            Ok(value) => return resolve.restore(ctx)?.call((value,)),
            Err(rquickjs::Error::Exception) => ctx.catch(),
            Err(error) => OpError::message(error.to_string()).to_value(ctx)?,
        },
        Err(error) => error.to_value(ctx)?,
    };
    made(&error);
    reject.restore(ctx)?.call((error,))
}
