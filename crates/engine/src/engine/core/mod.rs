//! The engine proper: runtime, context, and the rules for entering JavaScript. Lives on the engine's thread.

mod around;
mod attempt;
mod guest;
mod stopping;

pub(super) use guest::Nobody;
pub use guest::{CallGuest, Guest, MakeGuest};

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Context, Ctx, Exception, Function, Object, Persistent, Runtime, Value};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::DropGuard;

use super::made_errors::MadeErrors;
use super::stops::{Ended, Stops};
use super::{Activity, EngineGone, EngineOptions, ExtensionId, Fault, FaultKind, Limits, WeakEngine};
use crate::loader::Loader;
use crate::ops::{Completion, Hosted, OpHost, defect};

/// Below the thread's own stack, so that the engine always notices first.
const MAX_STACK: usize = 4 << 20;

/// Until extensions are loaded almost everything that is made stays, so that looking for garbage earlier finds none.
const FIRST_COLLECTION: usize = 32 << 20;

/// What may be made afterwards at least before garbage is looked for.
const NEXT_COLLECTION: usize = 2 << 20;

/// What happens to a call's result: a value, or why there is none. Called exactly once.
pub type Settle = Box<dyn for<'js> FnOnce(&Ctx<'js>, Result<Value<'js>, Fault>, CallState)>;

/// What belongs to a call while it is under way.
#[derive(Default)]
pub struct CallState {
    /// What the guest keeps with it.
    guest: Option<Box<dyn CallGuest>>,
    /// Fire when the call is over; one for each signal that was made for it.
    pub done: Vec<DropGuard>,
}

impl CallState {
    /// What the guest keeps with the call.
    pub fn guest<T: CallGuest>(&self) -> Option<&T> {
        let guest: &dyn Any = self.guest.as_deref()?;
        guest.downcast_ref()
    }

    /// The same, to change it; made when there is nothing yet.
    pub fn guest_mut<T: CallGuest + Default>(&mut self) -> &mut T {
        if self.guest::<T>().is_none() {
            self.guest = Some(Box::new(T::default()));
        }
        let guest: Option<&mut dyn Any> = self.guest.as_deref_mut().map(|guest| guest as &mut dyn Any);
        guest.and_then(<dyn Any>::downcast_mut).unwrap_or_else(|| unreachable!("it was made above"))
    }

    /// Whether the guest says so of the call.
    pub(super) fn is(&self, it: impl FnOnce(&dyn CallGuest) -> bool) -> bool {
        self.guest.as_deref().is_some_and(it)
    }

    /// Code of the extension was stopped.
    pub(super) fn cut(&self) {
        if let Some(guest) = &self.guest {
            guest.cut();
        }
    }
}

/// A call into an extension that has not come back.
pub struct InFlight {
    /// Who was called.
    extension: ExtensionId,
    settle: Settle,
    state: CallState,
}

impl InFlight {
    /// Who was called.
    pub fn extension(&self) -> ExtensionId {
        self.extension
    }

    /// Gives the call its result.
    pub fn finish<'js>(self, ctx: &Ctx<'js>, result: Result<Value<'js>, Fault>) {
        (self.settle)(ctx, result, self.state);
    }

    /// A call into an extension, and what happens to its result.
    pub fn new(extension: ExtensionId, settle: Settle) -> Self {
        Self { extension, settle, state: CallState::default() }
    }
}

/// Hears of what goes wrong outside any call: throws in timers, rejections nobody handles.
pub type FaultSink = Box<dyn Fn(Fault)>;

/// One JavaScript runtime with everything around it.
pub struct Core {
    // Dropped before the runtime: they hold values of it.
    entry: RefCell<Option<Persistent<Object<'static>>>>,
    calls: RefCell<HashMap<u32, InFlight>>,
    rejections: Rc<RefCell<Vec<Rejection>>>,
    host: Rc<OpHost>,
    guest: Rc<dyn Guest>,
    loader: Rc<Loader>,
    limits: Arc<Limits>,
    next_call: Cell<u32>,
    handling: Cell<bool>,
    /// The number of the handler that was called last, of those that got one.
    last_handler: Cell<u32>,
    /// A gate may be waiting for its answer.
    guarding: Cell<bool>,
    /// The call that fails with the job at work, also when another extension is to blame.
    cut: Cell<Option<u32>>,
    /// Whose stretch runs for which nobody waits.
    unasked: Cell<Option<ExtensionId>>,
    /// Whose code is tried, and what it left for promises to do was stopped for.
    attempting: RefCell<Option<(ExtensionId, Option<Fault>)>>,
    stops: Rc<Stops>,
    made_errors: MadeErrors,
    sink: RefCell<Option<FaultSink>>,
    /// Goes before the runtime that it answers.
    interrupt: crate::raw::Interrupt,
    context: Context,
    runtime: Runtime,
}

struct Rejection {
    promise: Persistent<Value<'static>>,
    reason: Persistent<Value<'static>>,
    extension: ExtensionId,
    /// The extension is a guess.
    is_guess: bool,
    /// The job that it comes from, if it comes from one.
    job: u64,
}

impl Core {
    /// Starts a runtime. Nothing of an extension runs yet.
    pub fn new(
        options: &EngineOptions,
        activity: Arc<Activity>,
        engine: WeakEngine,
    ) -> rquickjs::Result<(Rc<Self>, UnboundedReceiver<Completion>)> {
        let limits = Arc::clone(activity.limits());
        let runtime = Runtime::new_with_alloc(crate::raw::Heap::new(Arc::clone(&activity)))?;
        runtime.set_max_stack_size(MAX_STACK);
        let context = Context::full(&runtime)?;
        let loader = Rc::new(Loader::new(options.cache.clone(), Arc::clone(limits.memory())));
        let stops = Rc::new(Stops::new(Rc::clone(&loader), Arc::clone(&activity)));
        let (watched, noted) = (Arc::clone(&limits), Rc::clone(&stops));
        let interrupt = context.with(|ctx| -> rquickjs::Result<_> {
            limits.memory().watch_compiler(ctx.as_raw().as_ptr().expose_provenance());
            ctx.eval::<(), _>("0")?;
            let collector = crate::raw::Collector::of(&ctx);
            Ok(crate::raw::Interrupt::set(&ctx, move |steps| {
                let stop = watched.must_stop() || watched.must_stop_for_memory(|| collector.collect());
                noted.look(steps);
                if noted.must_clear(steps, &watched) {
                    steps.ask_in(1);
                    return true;
                }
                if stop && !noted.note(&steps.frames()) && watched.spare() {
                    steps.ask_in(1);
                    return false;
                }
                if stop && let Some(soon) = watched.stop_again() {
                    steps.ask_in(soon);
                }
                stop
            }))
        })?;
        let (sender, completions) = tokio::sync::mpsc::unbounded_channel();
        let host = OpHost::new(options, activity, sender);
        let rejections = Rc::<RefCell<Vec<Rejection>>>::default();
        watch_rejections(&runtime, &rejections, &host, &stops);
        let core = Rc::new(Self {
            entry: RefCell::default(),
            calls: RefCell::default(),
            rejections,
            loader,
            host,
            guest: (options.guest.0)(engine),
            limits,
            next_call: Cell::new(0),
            handling: Cell::new(false),
            last_handler: Cell::new(0),
            guarding: Cell::new(false),
            cut: Cell::new(None),
            unasked: Cell::new(None),
            attempting: RefCell::default(),
            stops,
            made_errors: MadeErrors::default(),
            sink: RefCell::default(),
            interrupt,
            context,
            runtime,
        });
        core.host.set_around(Rc::new(around::AroundOps(Rc::downgrade(&core))));
        core.boot()?;
        core.limits.memory().booted();
        core.bound(options.memory, options.memory_setting);
        core.use_sources();
        Ok((core, completions))
    }

    /// Evaluates the part of the runtime that everything else is loaded with.
    fn boot(self: &Rc<Self>) -> rquickjs::Result<()> {
        self.limits.arm();
        let done = self.context.with(|ctx| -> rquickjs::Result<()> {
            let stored = ctx.store_userdata(self.host.account().clone());
            stored.map_err(|_| defect(&ctx, "the account of an engine's memory cannot be stored"))?;
            let stored = ctx.store_userdata(Hosted(Rc::downgrade(&self.host)));
            stored.map_err(|_| defect(&ctx, "what ops share cannot be stored"))?;
            self.host.add_part(Rc::new(super::calls::Calling(Rc::downgrade(self))));
            self.host.add_part(self.loader.clone());
            Rc::clone(&self.guest).begin(self);
            let ops = crate::ops::table::install(&ctx, &self.host, self.guest.tables())?;
            super::stack::install(&ctx, &self.host, &self.loader, &self.limits)?;
            super::made::install(&ctx, &self.loader, &self.host)?;
            self.note_makers(&ctx);
            self.made_errors.begin(&ctx)?;
            let entry = self.loader.boot(&ctx, ops)?;
            *self.entry.borrow_mut() = Some(Persistent::save(&ctx, entry));
            Ok(())
        });
        if done.is_err() {
            let text = self.context.with(|ctx| Fault::caught(&ctx, self, ExtensionId::HOST).to_string());
            tracing::error!(error = text, "the JavaScript runtime does not start");
        }
        self.limits.disarm();
        done
    }

    /// Sets how much memory extensions may hold, in bytes, as a setting says; zero is unlimited.
    fn bound(&self, memory: usize, setting: &'static str) {
        self.limits.memory().set_limit(memory);
        self.limits.memory().set_setting(setting);
        // What is garbage counts against the limit until it is looked for.
        self.runtime.set_gc_threshold(FIRST_COLLECTION.min(self.limits.memory().limit() / 4));
    }

    /// Gives an engine that was started ahead what it is for. Nothing of an extension has run in it.
    pub fn configure(&self, options: EngineOptions) {
        self.limits.set_budget(options.stretch);
        self.bound(options.memory, options.memory_setting);
        self.host.set_cwd(options.cwd);
        self.host.replace_env(options.env);
        self.host.set_sources(options.sources);
        self.use_sources();
    }

    /// Puts JavaScript on the clock and the chance of the engine, where they are not the system's.
    fn use_sources(&self) {
        let sources = self.host.sources();
        let (clock, random) = (!sources.clock.is_real(), !sources.random.is_real());
        if !clock && !random {
            return;
        }
        self.enter(ExtensionId::HOST, |ctx| {
            let done = self.entry(ctx, "useSources").and_then(|use_them| use_them.call::<_, ()>((clock, random)));
            if done.is_err() {
                let text = Fault::caught(ctx, self, ExtensionId::HOST).to_string();
                tau_ai::broken(&format!("an engine keeps the system's clock: {text}"));
            }
        });
    }

    /// Runs what of the runtime every extension needs.
    pub fn get_ready(&self) {
        self.enter(ExtensionId::HOST, |ctx| {
            let ready = self.entry(ctx, "getReady").and_then(|ready| ready.call::<_, ()>(()));
            if ready.is_err() {
                // The first extension meets the same and tells.
                let _ = ctx.catch();
            }
        });
    }

    /// What is left of stops.
    pub(super) fn stops(&self) -> &Stops {
        &self.stops
    }

    /// For whom ops made their errors.
    pub(super) fn made_errors(&self) -> &MadeErrors {
        &self.made_errors
    }

    /// What ops share.
    pub fn host(&self) -> &Rc<OpHost> {
        &self.host
    }

    /// What this engine runs scripts for.
    pub(super) fn guest(&self) -> &Rc<dyn Guest> {
        &self.guest
    }

    /// The modules of this engine.
    pub fn loader(&self) -> &Rc<Loader> {
        &self.loader
    }

    /// What the thread of this engine is at, for other threads.
    pub fn activity(&self) -> &Arc<Activity> {
        self.host.activity()
    }

    /// The limits of this engine.
    pub fn limits(&self) -> &Arc<Limits> {
        &self.limits
    }

    /// Says who hears of faults outside calls.
    pub fn set_sink(&self, sink: FaultSink) {
        *self.sink.borrow_mut() = Some(sink);
    }

    /// A function that the runtime's entry module gives to Rust.
    pub fn entry<'js>(&self, ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
        let entry = self.entry.borrow().clone();
        // It is gone when the engine is being ended.
        let gone = || Exception::throw_message(ctx, &EngineGone.to_string());
        entry.ok_or_else(gone)?.restore(ctx)?.get(name)
    }

    /// How much memory the runtime holds, in bytes.
    pub fn memory_used(&self) -> u64 {
        u64::try_from(self.limits.memory().heap()).unwrap_or(u64::MAX)
    }

    /// Loading is over: what it put off may happen.
    pub fn loaded(&self) {
        let used = self.limits.memory().heap();
        self.runtime.set_gc_threshold(used + (used / 2).max(NEXT_COLLECTION));
        self.loader.write_cache();
    }

    /// Runs `work`, whose stretches carry a tag: whoever gave it can stop them, and only them.
    pub fn in_tagged_stretch(&self, tag: u64, work: impl FnOnce()) {
        self.limits.tag(tag);
        work();
        self.limits.tag(0);
    }

    /// Runs `work` as a stretch on behalf of an extension, then the jobs that became ready.
    pub fn enter<T>(&self, extension: ExtensionId, work: impl FnOnce(&Ctx<'_>) -> T) -> T {
        let before = self.host.set_current(extension);
        let was_job = self.host.set_in_job(false);
        self.activity().set_at_work(None);
        self.limits.arm();
        let result = self.context.with(|ctx| {
            self.clear_context(&ctx);
            work(&ctx)
        });
        // Whoever began this has told what became of it.
        self.stops.forget();
        self.leave();
        self.drain();
        self.limits.disarm();
        self.host.set_current(before);
        self.host.set_in_job(was_job);
        self.activity().set_at_work(None);
        self.report_rejections();
        if self.limits.take_starved() {
            self.limits.memory().collect_rest(|| self.runtime.run_gc());
        }
        result
    }

    /// Runs what waits for the end of the running code, then pending jobs, until there is neither. After something
    /// that had to be stopped the rest waits for another turn, so that the thread gets to other work even when an
    /// extension makes jobs without end.
    pub fn drain(&self) {
        loop {
            if self.host.callbacks().has_ticks() {
                let ran = self.context.with(|ctx| {
                    self.clear_context(&ctx);
                    self.host.callbacks().run_ticks(&ctx).map_err(|_| self.describe(&ctx))
                });
                if let Err(fault) = ran {
                    return self.fail(&fault);
                }
                if self.leave() {
                    return;
                }
            }
            loop {
                if self.guarding.get() {
                    self.guard();
                }
                if self.host.callbacks().has_context() {
                    self.context.with(|ctx| self.clear_context(&ctx));
                }
                let clearing = self.stops.is_clearing().then(Limits::now);
                if clearing.is_some() && !self.may_clear() {
                    return;
                }
                self.limits.begin_job();
                self.stops.begin_job();
                let was_refused = self.limits.cause().is_some();
                let was_job = self.host.set_in_job(true);
                let job = self.runtime.execute_pending_job();
                let is_handed_over = !self.host.set_in_job(was_job);
                let how = self.stops.end_job();
                if let Some(began) = clearing {
                    self.has_cleared(began, &how);
                }
                match (job, how) {
                    (Ok(true), Ended::ByItself) if self.leave() => return,
                    (Ok(true), Ended::ByItself) if !was_refused && self.limits.cause().is_some() => {
                        // The engine caught that memory was refused, and nobody can say to whom.
                        let involved: Vec<ExtensionId> =
                            self.calls.borrow().values().map(|call| call.extension).collect();
                        let fault = Fault { involved, ..Fault::swallowed(self, &Ended::ByItself).of_nobody(self) };
                        return self.fail(&fault);
                    }
                    (Ok(true), Ended::ByItself) => {}
                    (Ok(false), _) => break,
                    (job, Ended::Cleared(extension)) => {
                        if let Err(job) = job {
                            job.0.with(|ctx| drop(ctx.catch()));
                        }
                        self.cleared(extension);
                    }
                    (Err(job), how) => {
                        let fault = job.0.with(|ctx| self.describe(&ctx));
                        let is_known = is_handed_over || self.activity().only_extension().is_some();
                        let fault = match &how {
                            // The stop was noted with whose code it was in, also where the error has no place.
                            Ended::Stopped(owners) => fault.stopped_in(owners),
                            _ if is_known => fault,
                            _ => fault.of_nobody(self),
                        };
                        if !self.stopped(fault, &how) {
                            return;
                        }
                    }
                    // The engine caught the stop.
                    (Ok(true), how) => {
                        let fault = self.caught_stop().unwrap_or_else(|| Fault::swallowed(self, &how));
                        if !self.stopped(fault, &how) {
                            return;
                        }
                    }
                }
            }
            if !self.host.callbacks().has_ticks() {
                return self.stops.are_over();
            }
        }
    }

    /// Takes note of code that wanted to end the program and was not stopped by that, because something swallowed it.
    fn leave(&self) -> bool {
        if !self.host.wants_exit() {
            return false;
        }
        self.limits.arm();
        let fault = self.context.with(|ctx| Fault::of_exit(&ctx, self, self.host.current()));
        if let Some(fault) = &fault {
            self.fail(fault);
        }
        fault.is_some()
    }

    /// A gate waits for its answer.
    pub fn guard_answers(&self) {
        self.guarding.set(true);
    }

    /// Before a promise is settled with an object, the language looks for `then`, also where all objects have what they
    /// have in common. What somebody puts there answers in the place of every asynchronous handler, so gates that wait for
    /// one fail. This looks before every job, for it may be gone again behind one.
    fn guard(&self) {
        self.context.with(|ctx| {
            let trusted = trusts_answers(&ctx);
            let calls = self.calls.borrow();
            let gate = |call: &InFlight| call.state.is(CallGuest::is_waiting_gate);
            let mut ids: Vec<u32> = calls.iter().filter(|(_, call)| gate(call)).map(|(id, _)| *id).collect();
            drop(calls);
            self.guarding.set(!ids.is_empty());
            if trusted {
                return;
            }
            ids.sort_unstable();
            for call in ids.into_iter().filter_map(|id| self.take_call(id)) {
                let fault = Fault { kind: FaultKind::Thrown, ..Fault::gone(call.extension(), UNTRUSTED) };
                call.finish(&ctx, Err(fault));
            }
        });
    }

    /// The exception of a job that was cut off.
    fn describe(&self, ctx: &Ctx<'_>) -> Fault {
        // A new budget: describing the fault must not be cut short by the old one.
        self.limits.arm();
        Fault::caught(ctx, self, self.host.current())
    }

    /// What begins now must not see the asynchronous context of what ran before.
    fn clear_context(&self, ctx: &Ctx<'_>) {
        if self.host.callbacks().clear_context(ctx).is_err() {
            let _ = ctx.catch();
        }
    }

    /// Whether no call is under way.
    pub fn is_idle(&self) -> bool {
        self.calls.borrow().is_empty()
    }

    /// Ends what runs on its own: timers, servers, processes.
    pub fn quiet(&self) {
        self.host.timers().clear();
        self.host.resources().clear();
    }

    /// Whether jobs wait for another turn.
    pub fn has_jobs(&self) -> bool {
        self.runtime.is_job_pending() || self.host.callbacks().has_ticks()
    }

    /// Runs jobs that were left over, as a stretch of their own.
    pub fn run_jobs(&self) {
        self.enter(ExtensionId::HOST, |_| ());
    }

    /// Notes a call that may come back later.
    pub fn add_call(&self, call: InFlight) -> u32 {
        let id = self.next_call.get().wrapping_add(1);
        self.next_call.set(id);
        self.calls.borrow_mut().insert(id, call);
        id
    }

    /// Takes a call out: whoever does settles it.
    pub fn take_call(&self, id: u32) -> Option<InFlight> {
        self.calls.borrow_mut().remove(&id)
    }

    /// Gives a call its result. Must not be called while JavaScript runs: there the context is at hand already.
    pub fn settle(&self, call: InFlight, result: Result<(), Fault>) {
        self.context.with(|ctx| {
            let result = result.map(|()| Value::new_undefined(ctx.clone()));
            call.finish(&ctx, result);
        });
    }

    /// Whether the extension at work has a call under way that is not one of a handler, such as that of a tool: what it
    /// does behind an `await` may belong to that call.
    fn is_serving(&self) -> bool {
        let current = self.host.current();
        let serves = |call: &InFlight| call.extension == current && !call.state.is(CallGuest::is_handler);
        self.calls.borrow().values().any(serves)
    }

    /// Calls a handler of an event, for which the session waits.
    pub fn handling<T>(&self, call: impl FnOnce() -> T) -> T {
        let before = self.handling.replace(true);
        let said = call();
        self.handling.set(before);
        said
    }

    /// Whether this very stretch of code is a handler of an event.
    pub fn is_handling(&self) -> bool {
        self.handling.get()
    }

    /// A number for the handler that is called next. `None` while nobody holds the context of a command, or no module
    /// could do with one what a handler must not: then nobody asks who runs behind an `await`, and it costs nothing.
    pub fn number_handler(&self) -> Option<u32> {
        if !self.guest.numbers_handlers() || !self.loader.has_tracked() {
            return None;
        }
        let number = self.last_handler.get().checked_add(1).unwrap_or(1);
        self.last_handler.set(number);
        Some(number)
    }

    /// Whether the handler of this number has not answered yet.
    pub fn is_handler_at_work(&self, number: u32) -> bool {
        let calls = self.calls.borrow();
        calls.values().any(|call| call.state.is(|guest| guest.is_at(number)))
    }

    /// Looks at what belongs to a call that is under way.
    pub fn with_call<T>(&self, id: u32, look: impl FnOnce(&mut CallState) -> T) -> Option<T> {
        self.calls.borrow_mut().get_mut(&id).map(|call| look(&mut call.state))
    }

    /// Continues the call with an extension, in a new stretch. `note` learns whether the extension changed.
    pub fn hand_over(&self, id: u32, extension: ExtensionId, note: impl FnOnce(&mut CallState, bool)) {
        if let Some(call) = self.calls.borrow_mut().get_mut(&id) {
            let is_another = std::mem::replace(&mut call.extension, extension) != extension;
            note(&mut call.state, is_another);
            self.host.set_current(extension);
            self.host.set_in_job(false);
            self.stops.forget();
            self.limits.turn();
        }
    }

    /// What is thrown next fails this call, too.
    pub fn is_cut(&self, call: u32) {
        self.cut.set(Some(call));
    }

    /// Calling into an extension failed before anything of it could answer. Must not be called while JavaScript runs.
    pub fn cut(&self, id: u32, fault: Fault) {
        if fault.kind.cuts_off() {
            self.fail(&fault);
        }
        // The call itself was cut off, even when another extension is to blame.
        if let Some(cut) = self.take_call(id) {
            self.settle(cut, Err(fault));
        }
    }

    /// A stretch had to be stopped: everything of that extension that is under way has failed with it, because
    /// what it waits for may have been in the part that was cut off.
    pub fn fail(&self, fault: &Fault) {
        if fault.kind == FaultKind::TooLong && self.unasked.get() == Some(fault.extension) {
            self.strike(fault.extension);
        }
        // What would have given it back does not run any more.
        for extension in &fault.involved {
            self.activity().give_terminal_back(Some(*extension));
        }
        let is_told = self.left_behind(fault);
        let ids: Vec<u32> = {
            let calls = self.calls.borrow();
            let of_extension = |call: &InFlight| fault.involved.contains(&call.extension);
            let mut ids: Vec<u32> = calls.iter().filter(|(_, call)| of_extension(call)).map(|(id, _)| *id).collect();
            ids.sort_unstable();
            ids
        };
        if ids.is_empty() {
            if !is_told {
                self.report(fault.clone());
            }
            return;
        }
        for id in ids {
            if let Some(call) = self.take_call(id) {
                let left =
                    matches!(fault.kind, FaultKind::Exit(code) if self.guest.leaves(call.extension, &call.state, code));
                self.settle(call, if left { Ok(()) } else { Err(fault.clone()) });
            }
        }
    }

    /// Tells whoever listens of a fault that no call takes.
    pub fn report(&self, fault: Fault) {
        // All there is to say was said when the engine was given up.
        if self.activity().is_lost() {
            return;
        }
        match &*self.sink.borrow() {
            Some(sink) => sink(fault),
            None => tracing::warn!(%fault, "an extension failed outside any call"),
        }
    }

    /// Promises that were rejected with this error are nobody's business: it is told in another way.
    pub(super) fn forget_rejections(&self, error: &Persistent<Value<'static>>) {
        self.rejections.borrow_mut().retain(|rejection| rejection.reason != *error);
    }

    fn report_rejections(&self) {
        let rejections = std::mem::take(&mut *self.rejections.borrow_mut());
        for rejection in rejections {
            self.limits.arm();
            let fault = self.context.with(|ctx| {
                let reason = rejection.reason.restore(&ctx).unwrap_or_else(|_| Value::new_undefined(ctx.clone()));
                let fault = Fault::of_value(&ctx, self, rejection.extension, reason).of_kind(FaultKind::Unhandled);
                if rejection.is_guess { fault.of_nobody(self) } else { fault }
            });
            self.limits.disarm();
            // Without memory a promise is rejected, but nobody who waits for it hears of that any more.
            if fault.kind.cuts_off() { self.fail(&fault) } else { self.report(fault) }
        }
    }

    /// Ends everything that holds values of the runtime.
    pub fn close(&self, why: &str) {
        let calls = std::mem::take(&mut *self.calls.borrow_mut());
        for call in calls.into_values() {
            let fault = Fault::gone(call.extension, why);
            self.settle(call, Err(fault));
        }
        self.guest.close();
        self.host.close();
        self.rejections.borrow_mut().clear();
        self.made_errors.close();
        *self.entry.borrow_mut() = None;
        *self.sink.borrow_mut() = None;
        self.runtime.set_host_promise_rejection_tracker(None);
    }
}

/// Why a gate fails where answers cannot be trusted.
pub const UNTRUSTED: &str =
    "an extension gave all objects a `then`, so what an asynchronous handler answers cannot be told";

/// Whether what an asynchronous handler answers is what its promise comes to.
pub fn trusts_answers(ctx: &Ctx<'_>) -> bool {
    let then = crate::raw::object_prototype(ctx).map(|common| crate::raw::own(&common, "then"));
    matches!(then, Some(Ok(crate::raw::Own::Nothing)))
}

fn watch_rejections(runtime: &Runtime, rejections: &Rc<RefCell<Vec<Rejection>>>, host: &Rc<OpHost>, stops: &Rc<Stops>) {
    let (rejections, host, stops) = (Rc::clone(rejections), Rc::clone(host), Rc::clone(stops));
    runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
        let promise = Persistent::save(&ctx, promise);
        let mut rejections = rejections.borrow_mut();
        if handled {
            rejections.retain(|rejection| rejection.promise != promise)
        } else {
            let reason = Persistent::save(&ctx, reason);
            let (known, current) = (host.known(), host.current());
            let extension = known.unwrap_or(current);
            let is_guess = known.is_none();
            rejections.push(Rejection { promise, reason, extension, is_guess, job: stops.job() });
        }
    })));
}
