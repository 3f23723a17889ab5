//! Handlers: what is called, and with what.

pub mod visit;

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use serde_json::Value;

use self::visit::Visit;
use crate::context::Ctx;
use crate::dialect::Rule;
use crate::error::HandlerError;
use crate::events::EventId;
use crate::future::BoxFuture;
use crate::owner::Owner;
use crate::table::Event;

/// What a handler of `E` resolves to.
pub type Outcome<E> = Result<Option<<E as Event>::Output>, HandlerError>;

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

/// A handler whose event is known only at run time, by where it lives.
#[derive(Clone)]
pub enum Callable {
    /// It is called by itself.
    Local(Arc<dyn LocalHandler>),
    /// It is visited, together with its neighbours.
    Remote(Arc<dyn RemoteHandler>),
}

impl Callable {
    /// Whether the handler was taken back: it is called without effect.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Local(_) => false,
            Self::Remote(handler) => handler.is_over(),
        }
    }

    /// Whether there are times at which the handler does not listen.
    pub(crate) fn may_sleep(&self) -> bool {
        matches!(self, Self::Local(handler) if handler.may_sleep())
    }

    /// Whether the handler listens now.
    pub(crate) fn is_awake(&self) -> bool {
        match self {
            Self::Local(handler) => handler.is_awake(),
            Self::Remote(_) => true,
        }
    }
}

/// A handler that runs where the dispatcher does.
pub trait LocalHandler: Send + Sync {
    /// Calls the handler with the payload of its event.
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>>;

    /// Whether there are times at which the handler does not listen. Always the same for one handler.
    fn may_sleep(&self) -> bool {
        false
    }

    /// Whether the handler listens now. Called before each event: it must not wait.
    fn is_awake(&self) -> bool {
        true
    }
}

/// A handler that lives where a visit costs more than a call, such as on a thread of its own.
pub trait RemoteHandler: Any + Send + Sync {
    /// Whether `next` lives in the same place.
    fn joins(&self, next: &dyn RemoteHandler) -> bool;

    /// Whether the handler was taken back: it is visited without effect.
    fn is_over(&self) -> bool;

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
    /// An object without fields from outside, which is no plain one: what it is, in words for its author.
    Fieldless(String),
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
    pub handler: Callable,
    /// `file:line` where it was registered.
    pub location: Arc<str>,
    /// Tells registrations apart.
    pub id: u64,
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

impl<E, F, Fut, R> LocalHandler for Typed<E, F>
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

/// A handler that only listens while `wanted` says so.
pub(crate) struct Sleeper<H, W> {
    pub(crate) handler: H,
    pub(crate) wanted: W,
}

impl<H: LocalHandler, W: Fn() -> bool + Send + Sync> LocalHandler for Sleeper<H, W> {
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        self.handler.call(payload, ctx)
    }

    fn may_sleep(&self) -> bool {
        true
    }

    fn is_awake(&self) -> bool {
        (self.wanted)()
    }
}

pub(crate) struct Dynamic<F> {
    pub(crate) event: EventId,
    pub(crate) call: F,
}

impl<F, Fut> LocalHandler for Dynamic<F>
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
