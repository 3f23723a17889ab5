//! A visit of the dispatcher to an engine: handlers of several extensions called in a row, with one event object.
//!
//! What one more handler costs is what an extension pays for being loaded, so the way from a handler that says nothing to
//! the next one is short: no JavaScript runs between them, and the dispatcher only sees a number change.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx as JsCtx, Exception, Function, Object, Persistent, Value};
use tau_hooks::events::EventId;
use tau_hooks::table::Failure;
use tau_hooks::{AnyOutput, BoxFuture, HandlerError, Step, Visit};
use tokio::sync::oneshot;

use super::answer::{Answered, Later, answered};
use super::callback::{caught, ended, gone};
use super::events::JsHandler;
use super::guest::HasBridge as _;
use super::lazy::{List, SavedList};
use super::payload::{InPlace, Made, Payload, Source};
use crate::engine::{CallGuest, Core, ExtensionId, Fault, InFlight, UNTRUSTED, trusts_answers};
use crate::ops::defect;

/// A visit that is under way in an engine.
pub(crate) struct Visiting {
    event: EventId,
    visit: Arc<Visit>,
    /// Those that handlers have not been told of.
    payloads: RefCell<VecDeque<Payload>>,
    /// What handlers are being told, while no JavaScript of the visit runs.
    saved: RefCell<Option<Saved>>,
    answer: Answer,
    /// The number of the handler at work, when code knows for which one it runs; zero otherwise.
    handler: Cell<u32>,
    /// Code of the handler's extension was stopped, so that whatever it says is no answer.
    is_cut: Cell<bool>,
}

/// What handlers are being told.
struct Told<'js> {
    object: Object<'js>,
    /// What may be changed in place.
    in_place: Rc<InPlace>,
    /// The conversation, when it is about one.
    list: Option<List<'js>>,
    /// What the object of the next extension is made of, where each gets one of its own.
    source: Option<Rc<Source>>,
    /// Whose handler is at work, and what its handlers get beside the event.
    acting: Option<(ExtensionId, Object<'js>)>,
}

/// [`Told`] between two stretches.
struct Saved {
    object: Persistent<Object<'static>>,
    in_place: Rc<InPlace>,
    list: Option<SavedList>,
    source: Option<Rc<Source>>,
    acting: Option<(ExtensionId, Persistent<Object<'static>>)>,
    /// What the handler answered, when only what it left behind is waited for.
    answer: Option<Persistent<Value<'static>>>,
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
        let engine = engine.upgrade().ok_or_else(ended)?;
        let (sender, result) = oneshot::channel();
        let stretch = engine.stretch();
        visit.set_mark(stretch);
        let guard = engine.stop_on_drop(stretch);
        let activity = Arc::clone(engine.activity());
        let visited = Arc::clone(&visit);
        let begin =
            move |core: &Rc<Core>| core.in_tagged_stretch(stretch, || begin(core, event, visited, payloads, sender));
        engine.post(begin).map_err(|_| gone(&activity))?;
        // The handle must not keep the engine alive while handlers are at work.
        drop(engine);
        let result = activity.answer(result).await;
        guard.disarm();
        let handler = handler(&visit, visit.at()).ok_or_else(|| gone(&activity))?;
        match result {
            Some(Ok(output)) => super::live::attach(event, handler, output),
            Some(Err(fault)) => Err(handler.error(fault)),
            None => Err(gone(&activity)),
        }
    })
}

/// The handler of a call.
pub(super) fn handler(visit: &Visit, at: Step) -> Option<&JsHandler> {
    let (handler, _) = visit.calls().get(at.handler)?;
    let handler: &dyn Any = &**handler;
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
    let visiting = Visiting {
        event,
        visit,
        payloads: RefCell::new(payloads),
        saved: RefCell::default(),
        answer,
        handler: Cell::new(0),
        is_cut: Cell::new(false),
    };
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
    core.set_visit(call, visiting.clone());
    core.set_event(Some(event));
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
    core.set_event(None);
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
        mut said: Option<Value<'js>>,
    ) -> rquickjs::Result<()> {
        let saved = self.saved.borrow_mut().take();
        let mut told = match saved {
            Some(mut saved) => {
                if let Some(answer) = saved.answer.take() {
                    said = Some(answer.restore(js)?);
                }
                saved.restore(js)?
            }
            None => self.tell(js, core)?,
        };
        let mut at = self.visit.at();
        loop {
            if let Some(value) = said.take() {
                let output = self.judge(js, core, &told, &value)?;
                is_staying(js, core)?;
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
            let Some(handler) = handler(&self.visit, at) else {
                return Err(defect(js, "a visit calls a handler that is not JavaScript's"));
            };
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
                let number = core.number_handler();
                self.handler.set(number.unwrap_or(0));
                core.handling(|| match number {
                    Some(number) => core.entry(js, "callHandler")?.call((number, function, told.object.clone(), ctx)),
                    None => function.call((told.object.clone(), ctx)),
                })?
            };
            is_staying(js, core)?;
            if self.is_cut.get() {
                return Ok(());
            }
            match answered(js, value)? {
                Answered::Now(value) => said = Some(value),
                Answered::Later(later) => return self.wait(js, core, call, told, later),
            }
        }
    }

    /// Waits for an answer; the visit goes on when it is there. Neither the promise nor what becomes of it passes through
    /// anything that a program can replace.
    fn wait<'js>(
        &self,
        js: &JsCtx<'js>,
        core: &Rc<Core>,
        call: u32,
        told: Told<'js>,
        Later { until, answer }: Later<'js>,
    ) -> rquickjs::Result<()> {
        if answer.is_some() {
            // It is not waited for any more.
            self.handler.set(0);
        }
        *self.saved.borrow_mut() = Some(told.save(js, answer));
        if self.event.row().failure == Failure::Block {
            core.guard_answers();
        }
        let weak = Rc::downgrade(core);
        let then = |fulfilled: bool| {
            let weak = weak.clone();
            let settled = move |js: JsCtx<'js>, value: Value<'js>| match weak.upgrade() {
                Some(core) => resume(&js, &core, call, if fulfilled { Ok(value) } else { Err(value) }),
                None => Ok(()),
            };
            Function::new(js.clone(), settled)
        };
        crate::raw::then(&until, &then(true)?, &then(false)?)
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
        core.go_on_with(call, handler.extension, context);
        if told.acting.as_ref().is_none_or(|(extension, _)| *extension != handler.extension) {
            // It may be there for the first look only, which is that of the handler's own promise.
            if told.source.is_some() && !trusts_answers(js) {
                return Err(Exception::throw_message(js, UNTRUSTED));
            }
            if let (Some(source), Some(_)) = (&told.source, &told.acting) {
                (told.object, told.in_place) = source.make(js, core, self.event)?;
            }
            let ctx = core.entry(js, "handlerContext")?.call((handler.extension.0, call))?;
            told.acting = Some((handler.extension, ctx));
        }
        Ok(())
    }

    /// The next event.
    fn tell<'js>(&self, js: &JsCtx<'js>, core: &Core) -> rquickjs::Result<Told<'js>> {
        let payload = self.payloads.borrow_mut().pop_front();
        let payload = payload.ok_or_else(|| defect(js, "a visit has more events than payloads"))?;
        let Made { object, list, in_place, source } = payload.object(js, core, self.event)?;
        Ok(Told { object, in_place, list, source, acting: None })
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
            return super::lazy::answer(js, core, self.event, &told.object, value, list);
        }
        // Whatever an observer returns is ignored, so it need not be read.
        let result =
            if row.has_output() { super::answer::read(js, core, self.event, value)? } else { AnyOutput::Empty };
        let before = &told.in_place.before;
        let surely = || !matches!(result, AnyOutput::Empty) || self.is_last_look(told);
        if before.is_empty() || !told.in_place.is_touched(&told.object, self.event, surely)? {
            return Ok(result);
        }
        let fields = super::events::edited(js, &told.object, row.in_place, before)?;
        Ok(match result {
            result if fields.is_empty() => result,
            AnyOutput::Json(result) => AnyOutput::Edited { result: Some(result), fields },
            AnyOutput::Empty | AnyOutput::Fieldless(_) => AnyOutput::Edited { result: None, fields },
            malformed => malformed,
        })
    }

    /// Whether nobody else gets the object that the handler at work was given.
    fn is_last_look(&self, told: &Told<'_>) -> bool {
        let at = self.visit.at();
        let next = Step { handler: at.handler + 1, ..at };
        match handler(&self.visit, next) {
            None => true,
            Some(next) => {
                let acting = told.acting.as_ref().map(|(extension, _)| *extension);
                told.source.is_some() && acting != Some(next.extension)
            }
        }
    }

    fn settle(&self, result: Result<AnyOutput, Fault>) {
        if let Some(sender) = self.answer.borrow_mut().take() {
            // Nobody may be waiting any more.
            let _ = sender.send(result);
        }
    }
}

impl<'js> Told<'js> {
    fn save(self, js: &JsCtx<'js>, answer: Option<Value<'js>>) -> Saved {
        Saved {
            object: Persistent::save(js, self.object),
            answer: answer.map(|answer| Persistent::save(js, answer)),
            in_place: self.in_place,
            source: self.source,
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
            source: self.source,
            list: self.list.map(|list| List::restore(js, list)).transpose()?,
            acting: acting.transpose()?,
        })
    }
}

impl CallGuest for Visiting {
    fn is_handler(&self) -> bool {
        true
    }

    fn is_at(&self, handler: u32) -> bool {
        self.handler.get() == handler
    }

    fn needs_whole_answers(&self) -> bool {
        let row = self.event.row();
        row.failure == Failure::Block || row.withholds
    }

    fn cut(&self) {
        self.is_cut.set(true);
    }

    fn is_waiting_gate(&self) -> bool {
        self.event.row().failure == Failure::Block && self.saved.borrow().is_some()
    }
}

/// The visit that a call is.
fn visiting(core: &Core, call: u32) -> Option<Rc<Visiting>> {
    let visit: Rc<dyn Any> = core.visit(call)?;
    visit.downcast().ok()
}

/// What was waited for is there.
fn resume<'js>(
    js: &JsCtx<'js>,
    core: &Rc<Core>,
    call: u32,
    settled: Result<Value<'js>, Value<'js>>,
) -> rquickjs::Result<()> {
    // None when it was given up.
    let Some(visiting) = visiting(core, call) else { return Ok(()) };
    let error = match settled {
        Err(reason) => reason,
        Ok(value) => match visiting.go_on(js, core, call, Some(value)) {
            Ok(()) => return Ok(()),
            Err(rquickjs::Error::Exception) => js.catch(),
            Err(error) => Exception::from_message(js.clone(), &error.to_string())?.into_value(),
        },
    };
    // What had to be stopped is for the pump: more than this call may have failed with it.
    if crate::raw::is_uncatchable(&error) {
        core.is_cut(call);
        return Err(js.throw(error));
    }
    core.failed(js, call, error);
    Ok(())
}

/// Fails when the code that ran wanted to end the program: whatever it went on to return is no answer.
fn is_staying(js: &JsCtx<'_>, core: &Core) -> rquickjs::Result<()> {
    if core.host().wants_exit() { Err(crate::raw::interrupt(js)) } else { core.is_whole(js) }
}
