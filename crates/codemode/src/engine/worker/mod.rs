//! The thread of a script: its runtime, and the loop that runs it.

mod ops;

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, Object, Promise, Runtime, Value};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::host::Ask;
use super::output::Output;
use super::store::StoreWrites;
use super::surface::Surface;
use ops::Ops;

/// The most memory of a script.
const HEAP: usize = 256 * 1024 * 1024;
/// The stack of the thread.
const THREAD_STACK: usize = 4 * 1024 * 1024;
/// How much of it JavaScript may use.
const SCRIPT_STACK: usize = 1024 * 1024;

/// The globals, made before the script runs.
const PRELUDE: &str = include_str!("prelude.js");
/// Bounds the loops of built-in functions, after the prelude has taken those that it uses.
const BOUNDS: &str = include_str!("bounds.js");
/// What errors call it; its lines are no lines of the script.
const PRELUDE_NAME: &str = "tau:codemode";
/// What errors call the script.
const SCRIPT_NAME: &str = "script.js";

/// What a script waits on that has nothing to wait for.
const STALLED: &str =
    "Error: the script waits for a promise that nothing can settle: no call is under way, and there are no timers";

/// What both sides look at.
#[derive(Debug)]
pub(super) struct Links {
    /// What was put out. It stays when the thread is left behind.
    pub(super) output: Mutex<Output>,
    /// The script has to end.
    pub(super) stop: AtomicBool,
    /// The size of the questions that have no answer.
    pub(super) backlog: AtomicUsize,
}

/// What the thread gets.
pub(super) struct Brief {
    pub(super) code: String,
    pub(super) surface: Surface,
    pub(super) asks: UnboundedSender<(u64, Ask)>,
    pub(super) answers: UnboundedReceiver<ToScript>,
    pub(super) links: Arc<Links>,
}

/// What the thread is sent.
pub(super) enum ToScript {
    /// The answer to a question: JSON, or the text of an error.
    Answer { id: u64, answer: Result<Option<String>, String> },
    /// Something is to be looked at: the script has to end.
    Stop,
}

/// How the script ended.
#[derive(Debug)]
pub(super) enum End {
    Completed(StoreWrites),
    Threw(String),
    Interrupted,
}

/// Why the loop has nothing more to do.
enum Over {
    Returned,
    Threw(String),
    Interrupted,
}

/// Starts the thread. `done` gets how it ended.
pub(super) fn start(brief: Brief, done: impl FnOnce(End) + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("codemode".to_owned()).stack_size(THREAD_STACK);
    thread
        .spawn(move || {
            let work = std::panic::AssertUnwindSafe(|| work(brief));
            // Without an answer the other side says that the thread crashed.
            if let Ok(end) = std::panic::catch_unwind(work) {
                done(end);
            }
        })
        .map(drop)
}

fn work(brief: Brief) -> End {
    let Brief { code, surface, asks, mut answers, links } = brief;
    let failed = |error: rquickjs::Error| End::Threw(format!("the engine cannot be set up: {error}"));
    let ops = Rc::new(Ops::new(surface, asks, Arc::clone(&links)));
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(error),
    };
    runtime.set_memory_limit(HEAP);
    runtime.set_max_stack_size(SCRIPT_STACK);
    let (stop, finished) = (Arc::clone(&links), ops.finished());
    runtime.set_interrupt_handler(Some(Box::new(move || finished.get() || stop.stop.load(Ordering::Acquire))));
    let context = match Context::full(&runtime) {
        Ok(context) => context,
        Err(error) => return failed(error),
    };
    let over = context.with(|ctx| match Script::prepare(&ctx, &ops) {
        Ok(script) => script.run(&ctx, code, &ops, &mut answers, &links),
        Err(error) => {
            let thrown = ctx.catch().as_exception().and_then(|exception| exception.message());
            Over::Threw(format!("the globals cannot be made: {}", thrown.unwrap_or_else(|| error.to_string())))
        }
    });
    // Before anybody hears of the end: whatever was of the script is gone.
    drop(context);
    drop(runtime);
    if links.stop.load(Ordering::Acquire) {
        return End::Interrupted;
    }
    match (ops.ended_by_itself(), over) {
        (Some(Ok(())), _) | (None, Over::Returned) => End::Completed(ops.take_writes()),
        (Some(Err(text)), _) | (None, Over::Threw(text)) => End::Threw(text),
        (None, Over::Interrupted) => End::Interrupted,
    }
}

/// The functions of the prelude that the script cannot reach.
struct Script<'js> {
    settle: Function<'js>,
    describe: Function<'js>,
    give: Function<'js>,
}

impl<'js> Script<'js> {
    /// Makes the globals.
    fn prepare(ctx: &Ctx<'js>, ops: &Rc<Ops>) -> rquickjs::Result<Self> {
        let make: Function = ctx.eval_with_options(PRELUDE, named(PRELUDE_NAME, true))?;
        let made: Object = make.call((ops::object(ctx, ops)?,))?;
        let bound: Function = ctx.eval_with_options(BOUNDS, named(PRELUDE_NAME, true))?;
        bound.call::<_, ()>(())?;
        Ok(Self { settle: made.get("settle")?, describe: made.get("describe")?, give: made.get("give")? })
    }

    /// Runs the source as the body of an async function until it is over.
    fn run(
        &self,
        ctx: &Ctx<'js>,
        code: String,
        ops: &Ops,
        answers: &mut UnboundedReceiver<ToScript>,
        links: &Links,
    ) -> Over {
        if let Err(over) = self.check(ctx, &code) {
            return over;
        }
        // On the first line, so that errors name the lines of the script.
        let body = format!("(async () => {{{code}\n}})()");
        let promise: Promise = match ctx.eval_with_options(body, named(SCRIPT_NAME, false)) {
            Ok(promise) => promise,
            Err(_) => return self.thrown(ctx, ctx.catch()),
        };
        loop {
            while !ops.is_finished() && ctx.execute_pending_job() {}
            if ops.is_finished() || links.stop.load(Ordering::Acquire) {
                return Over::Interrupted;
            }
            match promise.state() {
                PromiseState::Resolved => return self.returned(ctx, &promise),
                PromiseState::Rejected => {
                    // The result of a rejected promise is an exception.
                    drop(promise.result::<Value>());
                    return self.thrown(ctx, ctx.catch());
                }
                PromiseState::Pending if ops.open() == 0 => return Over::Threw(STALLED.to_owned()),
                PromiseState::Pending => {}
            }
            let Some(first) = answers.blocking_recv() else { return Over::Interrupted };
            for message in std::iter::once(first).chain(std::iter::from_fn(|| answers.try_recv().ok())) {
                match message {
                    ToScript::Stop => return Over::Interrupted,
                    ToScript::Answer { id, answer } => self.answer(ctx, ops, id, answer),
                }
            }
        }
    }

    /// Parses the source and runs nothing of it. Source that closed the function around it, to go on outside, would be whole
    /// either here or where it runs: what can follow the end of the function is `:` here, and `)` or `,` there.
    fn check(&self, ctx: &Ctx<'js>, code: &str) -> Result<(), Over> {
        let source = format!("throw true;0?async () => {{{code}\n}}:0");
        if ctx.eval_with_options::<(), _>(source, named(SCRIPT_NAME, false)).is_ok() {
            return Ok(());
        }
        let thrown = ctx.catch();
        if thrown.as_bool() == Some(true) { Ok(()) } else { Err(self.thrown(ctx, thrown)) }
    }

    /// The script gets an answer. One that has no room fails the promise, as far as there is room for that.
    fn answer(&self, ctx: &Ctx<'js>, ops: &Ops, id: u64, answer: Result<Option<String>, String>) {
        ops.answered(id);
        let (is_ok, text) = match answer {
            Ok(json) => (true, json),
            Err(text) => (false, Some(text)),
        };
        #[expect(clippy::cast_precision_loss, reason = "a script does not live to ask so often")]
        let number = id as f64;
        if self.settle.call::<_, ()>((number, is_ok, text)).is_err() {
            drop(ctx.catch());
            let failed = (number, false, "InternalError: out of memory");
            if self.settle.call::<_, ()>(failed).is_err() {
                drop(ctx.catch());
            }
        }
    }

    fn returned(&self, ctx: &Ctx<'js>, promise: &Promise<'js>) -> Over {
        let given = promise.result::<Value>().unwrap_or_else(|| Ok(Value::new_undefined(ctx.clone())));
        match given.and_then(|value| self.give.call::<_, ()>((value,))) {
            Ok(()) => Over::Returned,
            Err(_) => self.thrown(ctx, ctx.catch()),
        }
    }

    /// What was thrown, as text. Asking for it runs the script's own code, which may throw again.
    fn thrown(&self, ctx: &Ctx<'js>, value: Value<'js>) -> Over {
        if value.is_null() {
            // What is left of an exception that there was no memory for.
            return Over::Threw("InternalError: out of memory (or null was thrown)".to_owned());
        }
        match self.describe.call::<_, String>((value,)) {
            Ok(text) => Over::Threw(text),
            Err(_) => {
                drop(ctx.catch());
                Over::Threw("Error: the script threw something that cannot be shown".to_owned())
            }
        }
    }
}

fn named(name: &str, strict: bool) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = strict;
    options.filename = Some(name.to_owned());
    options
}

/// What a script that is over must not do any more.
type Finished = Rc<Cell<bool>>;
