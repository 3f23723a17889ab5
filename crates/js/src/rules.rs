//! Looks for the expressions of stream rules, which are JavaScript's, in what the model writes.
//!
//! They get a runtime of their own on a thread of their own: nothing of an extension is in their way, nor they in that of
//! an extension. Regular expressions of the engine ask the interrupt handler now and then, so that one that never
//! comes to an end is stopped after the processor time it has.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use rquickjs::context::intrinsic::{Eval, RegExp, RegExpCompiler};
use rquickjs::function::{Args, IntoArgs};
use rquickjs::{CaughtError, Context, Ctx, FromJs, Function, Object, Runtime};
use rustix::time::{ClockId, clock_gettime};
use tau_script::{Expression, Found, PatternEngine, Patterns, PatternsGone, Search, Seen, Started, Try};
use tokio::sync::oneshot;

use crate::engine::{Activity, Limits};

/// What the runtime may take of memory, in bytes: far more than an answer of a model and a wicked expression need.
const MEMORY: usize = 64 << 20;
/// How often somebody who waits for the expressions looks whether the thread still answers.
const LOOK: Duration = Duration::from_millis(100);
/// Processor time for making one expression ready.
const COMPILING: Duration = Duration::from_millis(500);

/// The texts and expressions, as JavaScript. Expressions are global: such begin at `lastIndex`, but see all of the text.
const KEEPER: &str = "({
    expressions: [],
    texts: [],
    compile(place, source, flags) { this.expressions[place] = new RegExp(source, flags + 'g'); },
    add(text, more) { this.texts[text] = (this.texts[text] ?? '') + more; },
    look(expression, text, from) {
        const found = this.expressions[expression];
        if (!found) return false;
        found.lastIndex = from;
        return found.test(this.texts[text]);
    },
    forget() { this.texts = []; },
})";

/// Makes the expressions of stream rules ready in an engine for JavaScript.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleEngine;

impl PatternEngine for RuleEngine {
    fn start(&self, expressions: Vec<Expression>) -> Result<Started, PatternsGone> {
        let (orders, inbox) = channel();
        let (ready, compiled) = channel();
        let activity = Activity::new(Arc::new(Limits::new(COMPILING)));
        let own = Arc::clone(&activity);
        let work = move || {
            // Whoever waits for an answer finds the other end gone.
            let _ = Keeper::run(&expressions, &ready, &inbox, own);
        };
        thread::Builder::new().name("tau-rules".to_owned()).spawn(work).map_err(|_| PatternsGone)?;
        let invalid = loop {
            match compiled.recv_timeout(LOOK) {
                Ok(invalid) => break invalid,
                Err(RecvTimeoutError::Timeout) if !activity.is_lost() => {}
                Err(_) => return Err(PatternsGone),
            }
        };
        Ok(Started { patterns: Box::new(RulePatterns { orders, activity }), invalid })
    }
}

enum Order {
    Search(Search, oneshot::Sender<Vec<Found>>),
    Forget,
}

/// The way to the thread, which ends when this is dropped.
struct RulePatterns {
    orders: Sender<Order>,
    activity: Arc<Activity>,
}

#[async_trait]
impl Patterns for RulePatterns {
    async fn search(&self, search: Search) -> Result<Vec<Found>, PatternsGone> {
        let (answer, found) = oneshot::channel();
        self.orders.send(Order::Search(search, answer)).map_err(|_| PatternsGone)?;
        self.activity.answer(found).await.ok_or(PatternsGone)
    }

    fn forget(&self) {
        // Without the thread the next search says so.
        let _ = self.orders.send(Order::Forget);
    }
}

/// What lives on the thread.
struct Keeper<'js> {
    ctx: Ctx<'js>,
    object: Object<'js>,
    /// Processor time of this thread at which JavaScript is stopped.
    deadline: Rc<Cell<Duration>>,
}

impl Keeper<'_> {
    fn run(
        expressions: &[Expression],
        ready: &Sender<Vec<Option<String>>>,
        inbox: &Receiver<Order>,
        activity: Arc<Activity>,
    ) -> rquickjs::Result<()> {
        let deadline = Rc::new(Cell::new(Duration::MAX));
        let limits = Arc::clone(activity.limits());
        let runtime = Runtime::new_with_alloc(crate::raw::Heap::new(activity))?;
        limits.memory().set_limit(MEMORY);
        let until = Rc::clone(&deadline);
        let must_stop = move || processor_time() >= until.get() || limits.memory().is_over();
        runtime.set_interrupt_handler(Some(Box::new(must_stop)));
        let context = Context::builder().with::<Eval>().with::<RegExpCompiler>().with::<RegExp>().build(&runtime)?;
        context.with(|ctx| {
            let object = ctx.eval::<Object<'_>, _>(KEEPER)?;
            let keeper = Keeper { ctx, object, deadline };
            let invalid = expressions.iter().enumerate();
            let invalid = invalid.map(|(place, expression)| keeper.compile(place, expression)).collect();
            if ready.send(invalid).is_err() {
                return Ok(());
            }
            while let Ok(order) = inbox.recv() {
                match order {
                    Order::Search(search, answer) => {
                        // The run that asked may have been aborted.
                        let _ = answer.send(keeper.search(&search));
                    }
                    Order::Forget => keeper.forget(),
                }
            }
            Ok(())
        })
    }
}

impl<'js> Keeper<'js> {
    /// Makes an expression ready; what is wrong with it.
    fn compile(&self, place: usize, expression: &Expression) -> Option<String> {
        let Expression { source, flags } = expression;
        let compiled: Result<(), _> = self.within(COMPILING, "compile", (place, source.as_str(), flags.as_str()));
        compiled.err()
    }

    fn search(&self, search: &Search) -> Vec<Found> {
        let added: Result<(), _> = self.within(search.limit, "add", (search.text, search.more.as_str()));
        let look = |tried: &Try| {
            let before = processor_time();
            let seen = if added.is_ok() {
                self.within(search.limit, "look", (tried.expression, search.text, tried.from))
            } else {
                Err(String::new())
            };
            let seen = match seen {
                Ok(true) => Seen::Match,
                Ok(false) => Seen::Nothing,
                Err(_) => Seen::GaveUp,
            };
            Found { seen, spent: processor_time().saturating_sub(before) }
        };
        search.tries.iter().map(look).collect()
    }

    fn forget(&self) {
        // It cannot fail, and a text that stays is begun again.
        let _: Result<(), _> = self.within(COMPILING, "forget", ());
    }

    /// Calls a function of the keeper with a limit on processor time.
    fn within<A, R>(&self, limit: Duration, name: &str, args: A) -> Result<R, String>
    where
        A: IntoArgs<'js>,
        R: FromJs<'js>,
    {
        self.deadline.set(processor_time().saturating_add(limit));
        let call = || {
            let function: Function<'js> = self.object.get(name)?;
            let mut all = Args::new(self.ctx.clone(), args.num_args());
            all.this(self.object.clone())?;
            args.into_args(&mut all)?;
            function.call_arg(all)
        };
        let done = call();
        self.deadline.set(Duration::MAX);
        done.map_err(|error| match CaughtError::from_error(&self.ctx, error) {
            CaughtError::Exception(exception) => exception.message().unwrap_or_default(),
            other => other.to_string(),
        })
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0));
    Duration::new(seconds, nanos)
}
