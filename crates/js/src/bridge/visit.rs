//! A visit of the dispatcher to an engine: handlers of several extensions called in a row, with one event object.
//!
//! What one more handler costs is what an extension pays for being loaded, so the way from a handler that says nothing to
//! the next one is short: no JavaScript runs between them, and the dispatcher only sees a number change.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::atom::PredefinedAtom;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx as JsCtx, Exception, Object, Persistent, Value};
use tau_hooks::events::EventId;
use tau_hooks::table::Failure;
use tau_hooks::{AnyOutput, BoxFuture, HandlerError, Step, Visit};
use tokio::sync::oneshot;

use super::Area;
use super::callback::{caught, gone};
use super::events::JsHandler;
use super::lazy::{List, SavedList};
use super::payload::{InPlace, Payload};
use crate::engine::{Core, ExtensionId, Fault, InFlight};

/// A visit that is under way in an engine.
pub(crate) struct Visiting {
    event: EventId,
    visit: Arc<Visit>,
    /// Those that handlers have not been told of.
    payloads: RefCell<VecDeque<Payload>>,
    /// What handlers are being told, while no JavaScript of the visit runs.
    saved: RefCell<Option<Saved>>,
    answer: Answer,
}

/// What handlers are being told.
struct Told<'js> {
    object: Object<'js>,
    /// What may be changed in place.
    in_place: Rc<InPlace>,
    /// The conversation, when it is about one.
    list: Option<List<'js>>,
    /// Whose handler is at work, and what its handlers get beside the event.
    acting: Option<(ExtensionId, Object<'js>)>,
}

/// [`Told`] between two stretches.
struct Saved {
    object: Persistent<Object<'static>>,
    in_place: Rc<InPlace>,
    list: Option<SavedList>,
    acting: Option<(ExtensionId, Persistent<Object<'static>>)>,
}

type Answer = RefCell<Option<oneshot::Sender<Result<AnyOutput, Fault>>>>;

/// Calls the handlers of a visit; `None` for one that is not of an engine.
pub(super) fn visit(
    visit: &Arc<Visit>,
    first: &JsHandler,
    payloads: Result<VecDeque<Payload>, HandlerError>,
) -> BoxFuture<Result<AnyOutput, HandlerError>> {
    let visit = Arc::clone(visit);
    let (event, engine) = (first.event, first.engine.clone());
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
        let handler = handler(&visit, visit.at()).ok_or_else(gone)?;
        match result {
            Ok(Ok(output)) => super::live::attach(event, &handler.engine, handler.extension, output),
            Ok(Err(fault)) => Err(handler.error(fault)),
            Err(_) => Err(gone()),
        }
    })
}

/// The handler of a call.
fn handler(visit: &Visit, at: Step) -> Option<&JsHandler> {
    let (handler, _) = visit.calls().get(at.handler)?;
    let handler: &dyn Any = handler.together()?;
    handler.downcast_ref()
}

fn begin(
    core: &Rc<Core>,
    event: EventId,
    visit: Arc<Visit>,
    payloads: VecDeque<Payload>,
    sender: oneshot::Sender<Result<AnyOutput, Fault>>,
) {
    let Some(extension) = handler(&visit, visit.at()).map(|handler| handler.extension) else { return };
    let answer = RefCell::new(Some(sender));
    let visiting = Visiting { event, visit, payloads: RefCell::new(payloads), saved: RefCell::default(), answer };
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
            failing.settle(result);
        }),
    ));
    core.with_call(call, |state| state.visiting = Some(Rc::clone(&visiting)));
    let fault = core.enter(extension, |js| {
        let error = visiting.go_on(js, core, call, None).err()?;
        let fault = caught(js, core, core.host().current(), error);
        if fault.kind.cuts_off() {
            return Some(fault);
        }
        // What the handler left behind may still run for long.
        if let Some(failed) = core.take_call(call) {
            failed.finish(js, Err(fault));
        }
        None
    });
    if let Some(fault) = fault {
        core.cut(call, fault);
    }
}

impl Visiting {
    /// Takes in what the handler at work said, if one is, and calls handlers for as long as they say nothing. One whose
    /// answer is not there yet ends the stretch; the visit goes on when it is.
    ///
    /// # Errors
    /// What a handler threw.
    fn go_on<'js>(
        &self,
        js: &JsCtx<'js>,
        core: &Rc<Core>,
        call: u32,
        said: Option<Value<'js>>,
    ) -> rquickjs::Result<()> {
        let saved = self.saved.borrow_mut().take();
        let mut told = match saved {
            Some(saved) => saved.restore(js)?,
            None => self.tell(js, core)?,
        };
        let mut at = self.visit.at();
        let mut said = said;
        loop {
            if let Some(value) = said.take() {
                let output = self.judge(js, core, &told, &value)?;
                let next = if matches!(output, AnyOutput::Empty) { self.visit.advance() } else { None };
                let Some(next) = next else {
                    drop(core.take_call(call));
                    self.settle(Ok(output));
                    return Ok(());
                };
                if next.payload != at.payload {
                    told = Told { acting: told.acting, ..self.tell(js, core)? };
                }
                at = next;
            }
            let Some(handler) = handler(&self.visit, at) else { return Err(rquickjs::Error::Unknown) };
            self.enter(js, core, call, handler, at, &mut told)?;
            // A handler that was taken back says nothing. One that is not there for another reason has failed: a gate must
            // not open for want of it.
            let value = if handler.is_removed() {
                Value::new_undefined(js.clone())
            } else {
                let Some(function) = core.bridge().functions().get(js, handler.number) else {
                    return Err(Exception::throw_message(js, "the handler is gone"));
                };
                let ctx = told.acting.as_ref().map(|(_, ctx)| ctx.clone());
                let function = function?;
                core.handling(|| function.call((told.object.clone(), ctx)))?
            };
            match answered(js, value)? {
                Answered::Now(value) => said = Some(value),
                Answered::Later(value) => {
                    *self.saved.borrow_mut() = Some(told.save(js));
                    return core.entry(js, "awaitHandler")?.call((call, value));
                }
            }
        }
    }

    /// The handler of a call is about to run, in a stretch of its own.
    fn enter<'js>(
        &self,
        js: &JsCtx<'js>,
        core: &Rc<Core>,
        call: u32,
        handler: &JsHandler,
        at: Step,
        told: &mut Told<'js>,
    ) -> rquickjs::Result<()> {
        if told.acting.as_ref().is_some_and(|(extension, _)| *extension == handler.extension)
            && core.host().current() == handler.extension
        {
            core.limits().turn();
            return Ok(());
        }
        let context = || self.visit.calls().get(at.handler).map(|(_, ctx)| ctx.clone());
        core.hand_over(call, handler.extension, context);
        if told.acting.as_ref().is_none_or(|(extension, _)| *extension != handler.extension) {
            let ctx = core.entry(js, "handlerContext")?.call((handler.extension.0, call))?;
            told.acting = Some((handler.extension, ctx));
        }
        Ok(())
    }

    /// The next event.
    fn tell<'js>(&self, js: &JsCtx<'js>, core: &Core) -> rquickjs::Result<Told<'js>> {
        let payload = self.payloads.borrow_mut().pop_front().ok_or(rquickjs::Error::Unknown)?;
        let (object, list, in_place) = payload.object(js, core, self.event)?;
        Ok(Told { object, in_place, list, acting: None })
    }

    /// What a handler said.
    fn judge<'js>(
        &self,
        js: &JsCtx<'js>,
        core: &Core,
        told: &Told<'js>,
        value: &Value<'js>,
    ) -> rquickjs::Result<AnyOutput> {
        let row = self.event.row();
        if let Some(list) = &told.list {
            return super::lazy::answer(js, core, &told.object, value, list);
        }
        // Whatever an observer returns is ignored, so it need not be read.
        let result = if row.has_output() { super::events::answer(js, value)? } else { None };
        let last = result.is_some() || self.visit.at().handler + 1 == self.visit.calls().len();
        let before = &told.in_place.before;
        if before.is_empty() || !told.in_place.is_touched(js, &told.object, self.event, last)? {
            return Ok(result.map_or(AnyOutput::Empty, AnyOutput::Json));
        }
        let fields = super::events::edited(js, &told.object, row.in_place, before)?;
        Ok(match (result, fields.is_empty()) {
            (None, true) => AnyOutput::Empty,
            (Some(result), true) => AnyOutput::Json(result),
            (result, false) => AnyOutput::Edited { result, fields },
        })
    }

    fn settle(&self, result: Result<AnyOutput, Fault>) {
        if let Some(sender) = self.answer.borrow_mut().take() {
            // Nobody may be waiting any more.
            let _ = sender.send(result);
        }
    }
}

impl<'js> Told<'js> {
    fn save(self, js: &JsCtx<'js>) -> Saved {
        Saved {
            object: Persistent::save(js, self.object),
            in_place: self.in_place,
            list: self.list.map(|list| list.save(js)),
            acting: self.acting.map(|(extension, ctx)| (extension, Persistent::save(js, ctx))),
        }
    }
}

impl Saved {
    fn restore<'js>(self, js: &JsCtx<'js>) -> rquickjs::Result<Told<'js>> {
        let acting = self.acting.map(|(extension, ctx)| Ok::<_, rquickjs::Error>((extension, ctx.restore(js)?)));
        Ok(Told {
            object: self.object.restore(js)?,
            in_place: self.in_place,
            list: self.list.map(|list| List::restore(js, list)).transpose()?,
            acting: acting.transpose()?,
        })
    }
}

/// Whether the answer of a handler is there.
enum Answered<'js> {
    Now(Value<'js>),
    Later(Value<'js>),
}

/// Handlers are called as if each were awaited: what one leaves for promises to do is done before the next one is called.
/// When there is nothing of that kind, and no promise to wait for, waiting would change nothing.
fn answered<'js>(js: &JsCtx<'js>, value: Value<'js>) -> rquickjs::Result<Answered<'js>> {
    if crate::raw::has_jobs(js) {
        return Ok(Answered::Later(value));
    }
    let Some(object) = value.as_object() else { return Ok(Answered::Now(value)) };
    if let Some(promise) = value.as_promise() {
        let resolved = if promise.state() == PromiseState::Resolved { promise.result() } else { None };
        return resolved.map_or_else(|| Ok(Answered::Later(value.clone())), |value| value.map(Answered::Now));
    }
    let then: Value<'js> = object.get(PredefinedAtom::Then)?;
    Ok(if then.is_function() { Answered::Later(value) } else { Answered::Now(value) })
}

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    // A handler that was waited for has answered.
    let go_on = move |js: JsCtx<'js>, call: u32, value: Value<'js>| -> rquickjs::Result<()> {
        let core = bridge.core(&js)?;
        // None when it was given up.
        let Some(visiting) = core.with_call(call, |state| state.visiting.clone()).flatten() else { return Ok(()) };
        visiting.go_on(&js, &core, call, Some(value))
    };
    area.function("handlersGoOn", go_on)
}
