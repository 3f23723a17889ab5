//! A visit of the dispatcher to an engine: handlers of several extensions called in a row, with one event object.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::function::Args;
use rquickjs::{Ctx as JsCtx, Object, Persistent, Value};
use serde_json::Value as Json;
use tau_hooks::events::EventId;
use tau_hooks::table::Failure;
use tau_hooks::{AnyOutput, BoxFuture, HandlerError, Messages, Visit};
use tokio::sync::oneshot;

use super::Area;
use super::callback::{caught, gone};
use super::events::JsHandler;
use super::payload::Payload;
use crate::engine::{Core, ExtensionId, Fault, InFlight};

/// A visit that is under way in an engine.
pub(crate) struct Visiting {
    event: EventId,
    visit: Arc<Visit>,
    /// Those that handlers have not been told of.
    payloads: RefCell<VecDeque<Payload>>,
    told: RefCell<Option<Told>>,
    answer: Answer,
}

/// What handlers are being told.
struct Told {
    object: Persistent<Object<'static>>,
    /// What may be changed in place, as it was.
    before: Vec<Json>,
    /// The conversation, and the array that stands for it.
    messages: Option<(Messages, Persistent<Object<'static>>)>,
}

type Answer = RefCell<Option<oneshot::Sender<Result<AnyOutput, Fault>>>>;

/// Calls the handlers of a visit; `None` for one that is not of an engine.
pub(super) fn visit(
    visit: &Arc<Visit>,
    first: &JsHandler,
    payloads: Result<VecDeque<Payload>, HandlerError>,
) -> BoxFuture<Result<AnyOutput, HandlerError>> {
    let visit = Arc::clone(visit);
    let (event, engine) = (first.event, first.callback.engine());
    Box::pin(async move {
        let payloads = payloads?;
        let engine = engine.upgrade().ok_or_else(gone)?;
        let (sender, result) = oneshot::channel();
        let stretch = engine.stretch();
        let guard = engine.stop_on_drop(stretch);
        let visited = Arc::clone(&visit);
        let begin =
            move |core: &Rc<Core>| core.in_tagged_stretch(stretch, || begin(core, event, visited, payloads, sender));
        engine.post(begin).map_err(|_| gone())?;
        // The handle must not keep the engine alive while handlers are at work.
        drop(engine);
        let result = result.await;
        guard.disarm();
        let handler = handler(&visit, visit.at().handler).ok_or_else(gone)?;
        match result {
            Ok(Ok(output)) => {
                super::live::attach(event, &handler.callback.engine(), handler.callback.place().0, output)
            }
            Ok(Err(fault)) => Err(handler.callback.error(fault)),
            Err(_) => Err(gone()),
        }
    })
}

/// The handler at a place of a visit.
fn handler(visit: &Visit, at: usize) -> Option<&JsHandler> {
    let (handler, _) = visit.calls().get(at)?;
    let handler: &dyn Any = handler.together()?;
    handler.downcast_ref()
}

/// The extension and the number of the function at a place; no number when the handler was taken back.
fn function(visit: &Visit, at: usize) -> Option<(ExtensionId, u32)> {
    let handler = handler(visit, at)?;
    let (extension, id) = handler.callback.place();
    Some((extension, if handler.is_removed() { 0 } else { id }))
}

fn begin(
    core: &Rc<Core>,
    event: EventId,
    visit: Arc<Visit>,
    payloads: VecDeque<Payload>,
    sender: oneshot::Sender<Result<AnyOutput, Fault>>,
) {
    let first = visit.at().handler;
    let (Some((extension, id)), Some((_, ctx))) = (function(&visit, first), visit.calls().get(first)) else { return };
    let ctx = ctx.clone();
    let answer = RefCell::new(Some(sender));
    let visiting = Visiting { event, visit, payloads: RefCell::new(payloads), told: RefCell::default(), answer };
    let visiting = Rc::new(visiting);
    let failing = Rc::clone(&visiting);
    let call = core.add_call(InFlight::new(
        extension,
        Box::new(move |_, result, _| {
            // Without a fault it was the handler's wish to end; that is no decision, so a gate stays shut.
            let gate = event.row().failure == Failure::Block;
            let result = match result {
                Ok(_) if gate => Err(Fault::gone(extension, "it ended the program instead of deciding")),
                result => result.map(|_| AnyOutput::Empty),
            };
            if let Some(sender) = failing.answer.borrow_mut().take() {
                let _ = sender.send(result);
            }
        }),
    ));
    core.with_call(call, |state| {
        state.contexts.push(ctx);
        state.visiting = Some(Rc::clone(&visiting));
    });
    let fault = core.enter(extension, |js| {
        let start = || -> rquickjs::Result<()> {
            let mut args = Args::new(js.clone(), 4);
            args.push_arg(call)?;
            args.push_arg(visiting.tell(js, core)?)?;
            args.push_arg(extension.0)?;
            args.push_arg(id)?;
            core.entry(js, "runHandlers")?.call_arg(args)
        };
        start().err().map(|error| caught(js, core, extension, error))
    });
    if let Some(fault) = fault {
        core.cut(call, fault);
    }
}

/// What comes after a handler.
struct Next {
    extension: ExtensionId,
    function: u32,
    /// Another event than the one before.
    anew: bool,
}

/// A handler is done; gives the next one to call, or nothing when the visit is over.
fn next<'js>(js: &JsCtx<'js>, core: &Rc<Core>, call: u32, value: &Value<'js>) -> Option<Next> {
    let visiting = core.with_call(call, |state| state.visiting.clone()).flatten()?;
    let output = match visiting.judge(js, core, value) {
        Ok(AnyOutput::Empty) => {
            let before = visiting.visit.at();
            if let Some(at) = visiting.visit.advance() {
                let (extension, id) = function(&visiting.visit, at.handler)?;
                let ctx = visiting.visit.calls().get(at.handler).map(|(_, ctx)| ctx.clone());
                core.hand_over(call, extension, ctx);
                return Some(Next { extension, function: id, anew: at.payload != before.payload });
            }
            Ok(AnyOutput::Empty)
        }
        Ok(output) => Ok(output),
        Err(error) => {
            let (extension, _) = function(&visiting.visit, visiting.visit.at().handler)?;
            Err(caught(js, core, extension, error))
        }
    };
    drop(core.take_call(call));
    if let Some(sender) = visiting.answer.borrow_mut().take() {
        let _ = sender.send(output);
    }
    None
}

impl Visiting {
    /// The next event as an object.
    fn tell<'js>(&self, js: &JsCtx<'js>, core: &Core) -> rquickjs::Result<Value<'js>> {
        let payload = self.payloads.borrow_mut().pop_front().ok_or(rquickjs::Error::Unknown)?;
        let before = payload.before(self.event);
        let messages = match &payload {
            Payload::Messages(messages) => Some(messages.clone()),
            Payload::Whole(_) | Payload::Late(_) => None,
        };
        let value = payload.object(js, core, self.event)?;
        let object = value.as_object().cloned().ok_or(rquickjs::Error::Unknown)?;
        let messages = match messages {
            Some(messages) => Some((messages, Persistent::save(js, object.get::<_, Object<'js>>("messages")?))),
            None => None,
        };
        *self.told.borrow_mut() = Some(Told { object: Persistent::save(js, object), before, messages });
        Ok(value)
    }

    /// What a handler said.
    fn judge<'js>(&self, js: &JsCtx<'js>, core: &Core, value: &Value<'js>) -> rquickjs::Result<AnyOutput> {
        let row = self.event.row();
        let told = self.told.borrow();
        let Some(Told { object, before, messages }) = &*told else { return Ok(AnyOutput::Empty) };
        if let Some((messages, array)) = messages {
            let (object, array) = (object.clone().restore(js)?, array.clone().restore(js)?);
            return super::lazy::answer(js, core, &object, value, (messages, &array));
        }
        // Whatever an observer returns is ignored, so it need not be read.
        let result = if row.has_output() { super::events::answer(js, value)? } else { None };
        if before.is_empty() {
            return Ok(result.map_or(AnyOutput::Empty, AnyOutput::Json));
        }
        let object = object.clone().restore(js)?;
        let fields = super::events::edited(js, &object, row.in_place, before)?;
        Ok(match (result, fields.is_empty()) {
            (None, true) => AnyOutput::Empty,
            (Some(result), true) => AnyOutput::Json(result),
            (result, false) => AnyOutput::Edited { result, fields },
        })
    }
}

/// Numbers of functions are below this.
const FUNCTIONS: f64 = 4_294_967_296.0;

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    // `0` when there is no handler to call any more, `extension * 2^32 + function` else; negative when another event
    // begins with it.
    let next = move |js: JsCtx<'js>, call: u32, value: Value<'js>| -> rquickjs::Result<f64> {
        let core = bridge.core(&js)?;
        let Some(Next { extension, function, anew }) = next(&js, &core, call, &value) else { return Ok(0.0) };
        let place = f64::from(extension.0) * FUNCTIONS + f64::from(function);
        Ok(if anew { -place } else { place })
    };
    area.function("handlerNext", next)?;
    let bridge = area.bridge();
    area.function("handlerEvent", move |js: JsCtx<'js>, call: u32| -> rquickjs::Result<Value<'js>> {
        let core = bridge.core(&js)?;
        let visiting = core.with_call(call, |state| state.visiting.clone()).flatten();
        visiting.ok_or(rquickjs::Error::Unknown)?.tell(&js, &core)
    })
}
