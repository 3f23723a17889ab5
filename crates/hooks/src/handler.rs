//! Handlers: what is called, with what, and how it can fail.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::context::{ActionError, Ctx};
use crate::dialect::Rule;
use crate::events::EventId;
use crate::table::Event;
use crate::visit::Visit;

/// A boxed future that may move between threads.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What a handler of `E` resolves to.
pub type Outcome<E> = Result<Option<<E as Event>::Output>, HandlerError>;

/// Why a handler gave no usable result.
///
/// Not a `std::error::Error` itself, so that `?` turns any error into one.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerError {
    /// It threw or returned an error.
    Failed {
        /// The error's text.
        message: String,
        /// The stack, mapped to source positions, when there is one.
        stack: Option<String>,
        /// `file:line` of the failure, when it is known.
        location: Option<String>,
        /// Whether the code was cut off in the middle, by a limit or because it wanted to end the program.
        ended: bool,
    },
    /// It panicked.
    Panicked(String),
    /// It did not answer within its hard limit, or within what others had left of a shared one; with the setting that
    /// says how long that is.
    TimedOut(Duration, &'static str),
    /// It did not answer within the time of the setting `hookTimeout`.
    HookTimedOut(Duration),
    /// The user went on without it.
    Skipped,
    /// The run was aborted while it was at work.
    Aborted,
    /// It returned something its event does not allow.
    Malformed(String),
    /// Its engine is gone.
    Gone(String),
    /// It is not loaded, and must be.
    Absent(String),
    /// Its engine does not answer any more, which the user was told of when it showed.
    Lost(String),
    /// It failed for want of time, and this is what went on meanwhile.
    Busy {
        /// The failure.
        error: Box<HandlerError>,
        /// Such as "it waited for the command `make`".
        doing: String,
    },
}

impl HandlerError {
    /// A failure with a message.
    pub fn msg(message: impl fmt::Display) -> Self {
        Self::Failed { message: message.to_string(), stack: None, location: None, ended: false }
    }

    /// A short name of the kind of failure, for traces.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Failed { .. } => "failed",
            Self::Panicked(_) => "panicked",
            Self::TimedOut(..) | Self::HookTimedOut(_) => "timed_out",
            Self::Skipped => "skipped",
            Self::Aborted => "aborted",
            Self::Malformed(_) => "malformed",
            Self::Gone(_) | Self::Absent(_) => "gone",
            Self::Lost(_) => "lost",
            Self::Busy { error, .. } => error.kind(),
        }
    }

    /// Whether the handler was ended before it could answer, in a way that the extension API does not know: by a limit of
    /// tau, by the user who went on without it, or with its engine. What throws has had its say.
    pub fn is_cut_off(&self) -> bool {
        match self {
            Self::Failed { ended, .. } => *ended,
            Self::TimedOut(..) | Self::Skipped | Self::Aborted | Self::Gone(_) | Self::Lost(_) => true,
            Self::Busy { error, .. } => error.is_cut_off(),
            Self::Panicked(_) | Self::HookTimedOut(_) | Self::Malformed(_) | Self::Absent(_) => false,
        }
    }

    /// The same failure with what went on meanwhile, if that is known.
    #[must_use]
    pub(crate) fn while_doing(self, doing: Option<String>) -> Self {
        match doing {
            Some(doing) => Self::Busy { error: Box::new(self), doing },
            None => self,
        }
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { message, .. } => f.write_str(message),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
            Self::TimedOut(limit, setting) if limit.is_zero() => {
                write!(f, "was still at work when the time that all handlers share was used up ({setting})")
            }
            Self::TimedOut(limit, setting) => write!(f, "did not answer within {limit:?}, the limit of {setting}"),
            Self::HookTimedOut(limit) => write!(f, "Hook timed out after {}ms", limit.as_millis()),
            Self::Skipped => f.write_str("was skipped by the user"),
            Self::Aborted => f.write_str("Operation aborted"),
            Self::Malformed(what) => write!(f, "returned a malformed result: {what}"),
            Self::Gone(why) => write!(f, "is gone: {why}"),
            Self::Absent(why) => write!(f, "is not loaded: {why}"),
            Self::Lost(why) => write!(f, "is lost: {why}"),
            Self::Busy { error, doing } => write!(f, "{error} ({doing})"),
        }
    }
}

impl<E: std::error::Error> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self::msg(error)
    }
}

/// What a native handler may evaluate to: nothing, an optional result, or either in a `Result`.
pub trait IntoOutcome<O> {
    /// The common form.
    fn into_outcome(self) -> Result<Option<O>, HandlerError>;
}

impl<O> IntoOutcome<O> for () {
    fn into_outcome(self) -> Result<Option<O>, HandlerError> {
        Ok(None)
    }
}

impl<O> IntoOutcome<O> for Option<O> {
    fn into_outcome(self) -> Result<Option<O>, HandlerError> {
        Ok(self)
    }
}

impl<O> IntoOutcome<O> for Result<(), HandlerError> {
    fn into_outcome(self) -> Result<Option<O>, HandlerError> {
        self.map(|()| None)
    }
}

impl<O> IntoOutcome<O> for Result<Option<O>, HandlerError> {
    fn into_outcome(self) -> Self {
        self
    }
}

/// A handler whose event is known only at run time.
pub trait AnyHandler: Send + Sync {
    /// Calls the handler with the payload of its event.
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>>;

    /// The handler as one that can be called together with its neighbours, where that is cheaper.
    fn together(&self) -> Option<&dyn Together> {
        None
    }
}

/// A handler that lives where a visit costs more than a call, such as on a thread of its own.
pub trait Together: Any + Send + Sync {
    /// Whether `next` lives in the same place.
    fn joins(&self, next: &dyn Together) -> bool;

    /// Calls the handlers of a visit, of which this is one: one after another, as long as they say nothing, and that
    /// for every payload. The answer is that of the call the visit stands at when it ends.
    fn visit(&self, visit: &Arc<Visit>, payloads: &[&dyn AnyPayload]) -> BoxFuture<Result<AnyOutput, HandlerError>>;

    /// Whether the handler at work in the visit waits only because the place is busy with something else.
    fn held_up(&self, visit: &Visit) -> Option<HeldUp> {
        let _ = visit;
        None
    }

    /// A handler of the visit is over its time: what keeps the place busy on its behalf ends. When the handler was
    /// waited for until now, and so was held up, that holds too for what stands in its way and belongs to no call.
    ///
    /// Gives what the place was doing when that explains why there was no answer, such as "it waited for the command
    /// `make`".
    fn cut(&self, visit: &Visit, held_up: bool) -> Option<String> {
        let _ = (visit, held_up);
        None
    }
}

/// Why a handler waits that has done nothing wrong.
#[derive(Debug, Clone)]
pub struct HeldUp {
    /// The extension that keeps the place busy, where that is known.
    pub by: Option<Arc<Owner>>,
}

/// A payload whose event is known only at run time.
pub trait AnyPayload: Any + Send + Sync {
    /// The payload as JSON.
    fn to_json(&self) -> Result<Value, HandlerError>;
    /// For a downcast to the event's payload type.
    fn as_any(&self) -> &dyn Any;
}

impl<P: serde::Serialize + Any + Send + Sync> AnyPayload for P {
    fn to_json(&self) -> Result<Value, HandlerError> {
        Ok(serde_json::to_value(self)?)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A result whose event is known only at run time.
pub enum AnyOutput {
    /// The handler returned nothing.
    Empty,
    /// The result in its event's own type.
    Typed(Box<dyn Any + Send>),
    /// As [`Self::Typed`], with why parts of what the handler returned are left out, in words for its author.
    Partly(Box<dyn Any + Send>, Vec<String>),
    /// A result from outside, not checked yet.
    Json(Value),
    /// A result from outside that JSON cannot hold, and why.
    Malformed(String),
    /// A result from outside and the fields of the payload that the handler changed in place.
    Edited {
        /// What it returned, if anything.
        result: Option<Value>,
        /// The changed fields, as they are now; `null` where a field was deleted.
        fields: tau_ai::JsonMap,
    },
}

/// One registered handler.
#[derive(Clone)]
pub struct Registration {
    /// The extension it belongs to.
    pub owner: Arc<Owner>,
    /// The handler.
    pub handler: Arc<dyn AnyHandler>,
    /// `file:line` where it was registered.
    pub location: Arc<str>,
    /// Tells registrations apart.
    pub id: u64,
}

/// Who registered something.
#[derive(Debug)]
pub struct Owner {
    /// The file, or `<native:name>`.
    pub path: Arc<str>,
    /// The short name.
    pub name: Arc<str>,
    /// The rules its handlers run under.
    pub dialect: &'static crate::dialect::Dialect,
    phase: AtomicU8,
    /// Place among the extensions of its dialect.
    rank: AtomicU64,
    /// It was told that a session started.
    begun: AtomicBool,
    /// Which code it is, where that is known.
    code: OnceLock<Arc<str>>,
    /// Fires when it is removed or fails to register.
    gone: CancellationToken,
}

/// Where an extension is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// It is being registered, or was never meant to be.
    Registering = 0,
    /// It is at work.
    Loaded = 1,
    /// Its registration failed.
    Failed = 2,
    /// It was removed.
    Gone = 3,
}

impl Owner {
    /// An extension that is about to be registered. `path` is its file, `name` its short name.
    pub fn new(
        path: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        dialect: &'static crate::dialect::Dialect,
    ) -> Arc<Self> {
        Arc::new(Self {
            path: path.into(),
            name: name.into(),
            dialect,
            phase: AtomicU8::new(Phase::Registering as u8),
            rank: AtomicU64::new(u64::MAX),
            begun: AtomicBool::new(false),
            code: OnceLock::new(),
            gone: CancellationToken::new(),
        })
    }

    /// An extension written in Rust under the rules of `dialect`.
    pub fn native(name: &str, dialect: &'static crate::dialect::Dialect) -> Arc<Self> {
        Self::new(format!("<native:{name}>"), name, dialect)
    }

    /// What the model reads when this extension blocks: its reason, else the words of its dialect and who it was.
    pub fn blocks_with(&self, reason: Option<String>) -> String {
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        reason.unwrap_or_else(|| format!("{}: {} gives no reason", self.dialect.default_block_reason, self.path))
    }

    /// Whether the extension was removed or failed to register: nothing it kept may act any more.
    pub fn is_gone(&self) -> bool {
        matches!(self.phase(), Phase::Failed | Phase::Gone)
    }

    /// Fails once the extension was removed, as by a reload, or failed to register.
    ///
    /// # Errors
    /// [`ActionError::Stale`], or [`ActionError::FailedToLoad`] when the extension never got to work.
    pub fn check(&self) -> Result<(), ActionError> {
        match self.phase() {
            Phase::Registering | Phase::Loaded => Ok(()),
            Phase::Failed => Err(ActionError::FailedToLoad(Arc::clone(&self.path))),
            Phase::Gone => Err(ActionError::Stale),
        }
    }

    /// Fires when the extension is removed, as by a reload, or fails to register: what it has open ends.
    pub fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    /// Notes which code the extension is: the places and the content of everything that was read of it. Two extensions of
    /// one dialect with the same code, in a session and in a child of it, answer alike, so only one of them is asked. A
    /// host that cannot tell says nothing. The first word counts.
    pub fn set_code(&self, code: &str) {
        self.code.get_or_init(|| format!("{}:{code}", self.dialect.id).into());
    }

    /// Which code it is, where that is known.
    pub(crate) fn code(&self) -> Option<&Arc<str>> {
        self.code.get()
    }

    /// Whether it is at work.
    pub(crate) fn is_loaded(&self) -> bool {
        self.phase() == Phase::Loaded
    }

    /// Whether `wanted` can mean this extension: its short name, its path, or the end of its path. Anybody can call a
    /// file so: what depends on an extension for safety asks besides where it comes from.
    pub fn answers_to(&self, wanted: &str) -> bool {
        answers_to(&self.path, &self.name, wanted)
    }

    /// Whether it was told of the start of a session before: for dialects whose extensions outlive sessions.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    pub(crate) fn set_begun(&self) {
        self.begun.store(true, Ordering::Release);
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Registering,
            1 => Phase::Loaded,
            2 => Phase::Failed,
            _ => Phase::Gone,
        }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
        if matches!(phase, Phase::Failed | Phase::Gone) {
            self.gone.cancel();
        }
    }

    pub(crate) fn rank(&self) -> u64 {
        self.rank.load(Ordering::Acquire)
    }

    pub(crate) fn set_rank(&self, rank: u64) {
        self.rank.store(rank, Ordering::Release);
    }
}

/// Whether `wanted` names the extension with this path and short name.
pub(crate) fn answers_to(path: &str, name: &str, wanted: &str) -> bool {
    path == wanted || name == wanted || path.strip_suffix(wanted).is_some_and(|before| before.ends_with('/'))
}

pub(crate) struct Typed<E, F> {
    call: F,
    event: PhantomData<fn() -> E>,
}

impl<E: Event, F> Typed<E, F> {
    pub(crate) fn new(call: F) -> Self {
        Self { call, event: PhantomData }
    }
}

impl<E, F, Fut, R> AnyHandler for Typed<E, F>
where
    E: Event,
    F: Fn(E::Payload, Ctx) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = R> + Send + 'static,
    R: IntoOutcome<E::Output> + 'static,
{
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        let Some(payload) = payload.as_any().downcast_ref::<E::Payload>() else {
            return Box::pin(std::future::ready(Err(wrong_payload(E::ID))));
        };
        let payload = payload.clone();
        let call = self.call.clone();
        Box::pin(async move {
            let output = call(payload, ctx).await.into_outcome()?;
            Ok(output.map_or(AnyOutput::Empty, |output| AnyOutput::Typed(Box::new(output))))
        })
    }
}

pub(crate) struct Dynamic<F> {
    pub(crate) event: EventId,
    pub(crate) call: F,
}

impl<F, Fut> AnyHandler for Dynamic<F>
where
    F: Fn(Value, Ctx) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<Option<Value>, HandlerError>> + Send + 'static,
{
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        let payload = payload.to_json();
        let call = self.call.clone();
        let event = self.event;
        Box::pin(async move {
            let payload = as_seen(&ctx, event, payload?);
            Ok(call(payload, ctx).await?.map_or(AnyOutput::Empty, AnyOutput::Json))
        })
    }
}

/// A payload as a handler sees it in JSON, by the dialect of its extension, with the event's name in front.
pub fn as_seen(ctx: &Ctx, event: EventId, payload: Value) -> Value {
    let fields = match payload {
        Value::Object(fields) => fields,
        Value::Null => tau_ai::JsonMap::new(),
        other => tau_ai::JsonMap::from_iter([("payload".to_owned(), other)]),
    };
    let dialect = ctx.owner().dialect;
    (dialect.rule)(event).unwrap_or_else(|| Rule::of(event)).show(fields, ctx)
}

fn wrong_payload(event: EventId) -> HandlerError {
    HandlerError::Malformed(format!("the handler was registered for another event than `{event}`"))
}

/// `file:line` of the caller.
#[track_caller]
pub(crate) fn caller() -> Arc<str> {
    let place = Location::caller();
    format!("{}:{}", place.file(), place.line()).into()
}
