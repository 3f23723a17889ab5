//! `pi.events` beyond its own engine: to extensions with an engine of their own, and to those written in Rust.
//!
//! Within an engine the runtime calls listeners itself, with the very value that was emitted. Everybody else gets data
//! by value, and a function as one that answers with a promise.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use rquickjs::function::Rest;
use rquickjs::{Array, Ctx, Exception, Function, IntoJs, Object, Value};
use serde_json::{Map, Value as Json};
use tau_hooks::bus::{Bus, BusCallable, BusHandle, BusListener, BusPayload, EngineId};
use tau_hooks::{Report, ReportKind};

use super::callback::{making, reading};
use super::extract::{Bridged, Caller};
use super::guest::HasBridge as _;
use super::{Bridge, Callback, Extension, refused};
use crate::engine::{Core, ExtensionId, Fault, FaultKind, WeakEngine};
use crate::ops::OpError;
use crate::ops::table::{Promised, ops, typed};

ops! {
    /// `pi.
    pub(crate) static OPS: always;

    /// Calls a listener of this engine on behalf of its extension. Whatever goes wrong in it is reported, and the emitter continues; a listener that had to be stopped is marked, so that it is not called again.
    fn busHear(entry, data) = bus_hear, Pure;
    /// Reports a listener that threw.
    fn busFailed(owner, channel, error) = bus_failed, Pure;
    /// A number that changes when listeners come or go elsewhere.
    fn busVersion() = bus_version, Pure;
    /// Whether a channel has listeners outside this engine.
    fn busElsewhere(channel) = bus_elsewhere, Pure;
    /// Sends data on a channel to the listeners outside this engine.
    fn busEmit(id, channel, data) = bus_emit, Refused;
    /// Listens to a channel for an extension.
    fn busOn(id, channel, number) = bus_on, Pure;
    /// Stops listening.
    fn busOff(number) = bus_off, Pure;
}

/// How deep what is emitted may nest; a cycle is told by its endless depth.
const MAX_DEPTH: usize = 500;

/// An engine's place on the bus of its session.
pub(crate) struct Link {
    bus: Bus,
    engine: EngineId,
}

impl Link {
    /// Joins the bus. Events from elsewhere are delivered on the engine's thread, between two stretches.
    pub(super) fn new(bus: Bus, engine: WeakEngine) -> Self {
        let link = Self { bus, engine: EngineId::fresh() };
        let waker = move || {
            if let Some(engine) = engine.upgrade() {
                // Without the engine nobody listens.
                let _ = engine.post(drain);
            }
        };
        link.bus.attach_engine(link.engine, Arc::new(waker));
        link
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.bus.remove_engine(self.engine);
    }
}

thread_local! {
    /// The engine whose queue is being emptied on this thread.
    static HERE: RefCell<Weak<Core>> = RefCell::default();
}

fn drain(core: &Rc<Core>) {
    let Some(link) = core.bridge().link() else { return };
    HERE.set(Rc::downgrade(core));
    link.bus.drain(link.engine);
    HERE.take();
}

/// A listener as the bus knows it: it runs on the engine's thread, while the queue is emptied.
fn listener(extension: u32, number: u32) -> BusListener {
    Arc::new(move |event| {
        let Some(core) = HERE.with_borrow(Weak::upgrade) else { return };
        let modules = core.bridge().modules(extension);
        core.enter(modules, |js| {
            let hear = || -> rquickjs::Result<()> {
                let data = arrive(js, &core, &event.payload)?;
                core.entry(js, "hear")?.call((number, data))
            };
            if hear().and_then(|()| core.is_whole(js)).is_err() {
                let fault = Fault::caught(js, &core, modules);
                core.bridge().tell(extension, &event.channel, fault);
            }
        });
    })
}

/// A function of an extension as the rest of the bus knows it.
struct Shared {
    callback: Arc<Callback>,
    extension: ExtensionId,
    number: u32,
}

impl BusCallable for Shared {
    fn call(&self, args: Vec<BusPayload>) -> BoxFuture<'static, Result<BusPayload, String>> {
        let (callback, extension) = (Arc::clone(&self.callback), self.extension);
        Box::pin(async move {
            let make = making(move |js, core, _| args.iter().map(|arg| arrive(js, core, arg)).collect());
            let read = reading(move |js, core, value, _| depart(js, core, extension, &value, 0));
            callback.call(make, read).await.map_err(|error| error.to_string())
        })
    }
}

/// What leaves the engine. Data as `JSON.stringify` sees it, but functions stay callable.
fn depart<'js>(
    js: &Ctx<'js>,
    core: &Rc<Core>,
    extension: ExtensionId,
    value: &Value<'js>,
    depth: usize,
) -> rquickjs::Result<BusPayload> {
    if depth > MAX_DEPTH {
        return Err(Exception::throw_type(js, "Converting circular structure to JSON"));
    }
    if value.is_function() {
        let (Some(link), bridge) = (core.bridge().link(), core.bridge()) else { return Ok(BusPayload::Nothing) };
        let number: u32 = core.entry(js, "keep")?.call((value.clone(),))?;
        let callback = bridge.callback(extension.0, number, None);
        let shared = Arc::new(Shared { callback, extension, number });
        return Ok(BusHandle::callable(link.engine, Arc::clone(&shared), shared).into());
    }
    if let Some(array) = value.as_array() {
        let items = array.iter::<Value<'js>>().map(|item| depart(js, core, extension, &item?, depth + 1));
        let items: Vec<BusPayload> = items.collect::<rquickjs::Result<_>>()?;
        return Ok(if items.iter().all(is_data) {
            items.iter().map(|item| item.to_json().unwrap_or_default()).collect::<Json>().into()
        } else {
            BusPayload::list(items)
        });
    }
    let Some(object) = value.as_object().filter(|_| !value.is_symbol()) else {
        return Ok(crate::convert::from_js(js, value)?.map_or(BusPayload::Nothing, BusPayload::from));
    };
    if object.get::<_, Value<'js>>("toJSON")?.is_function() {
        return Ok(crate::convert::from_js(js, value)?.map_or(BusPayload::Nothing, BusPayload::from));
    }
    let mut fields = Vec::new();
    for name in object.keys::<String>() {
        let name = name?;
        let field = depart(js, core, extension, &object.get(name.as_str())?, depth + 1)?;
        if !matches!(field, BusPayload::Nothing) {
            fields.push((name, field));
        }
    }
    Ok(if fields.iter().all(|(_, field)| is_data(field)) {
        let fields = fields.into_iter().filter_map(|(name, field)| Some((name, field.to_json()?)));
        Json::Object(fields.collect::<Map<_, _>>()).into()
    } else {
        BusPayload::object(fields)
    })
}

fn is_data(payload: &BusPayload) -> bool {
    matches!(payload, BusPayload::Json(_) | BusPayload::Nothing)
}

/// What comes to the engine from elsewhere. Its own functions come back as they are.
fn arrive<'js>(js: &Ctx<'js>, core: &Rc<Core>, payload: &BusPayload) -> rquickjs::Result<Value<'js>> {
    match payload {
        BusPayload::Nothing => Ok(Value::new_undefined(js.clone())),
        BusPayload::Json(data) => crate::convert::to_js(js, data),
        BusPayload::List(items) => {
            let array = Array::new(js.clone())?;
            for (index, item) in items.iter().enumerate() {
                array.set(index, arrive(js, core, item)?)?;
            }
            Ok(array.into_value())
        }
        BusPayload::Object(fields) => {
            let object = Object::new(js.clone())?;
            for (name, field) in fields.iter() {
                object.set(name.as_str(), arrive(js, core, field)?)?;
            }
            Ok(object.into_value())
        }
        BusPayload::Handle(handle) => foreign(js, core, handle),
    }
}

fn foreign<'js>(js: &Ctx<'js>, core: &Rc<Core>, handle: &BusHandle) -> rquickjs::Result<Value<'js>> {
    let own = core.bridge().link().is_some_and(|link| link.engine == handle.engine());
    if own && let Some(shared) = handle.downcast::<Shared>() {
        return core.entry(js, "kept")?.call((shared.number,));
    }
    // What is neither data nor a function means nothing here.
    let Some(callable) = handle.as_callable().cloned() else { return Object::new(js.clone())?.into_js(js) };
    let weak = Rc::downgrade(core);
    let call = move |js: Ctx<'js>, args: Rest<Value<'js>>| -> rquickjs::Result<Promised<'js, Arrived>> {
        let core = weak.upgrade().ok_or_else(|| OpError::message("the engine has ended").throw(&js))?;
        let caller = core.host().current();
        let args = args.iter().map(|arg| depart(&js, &core, caller, arg, 0)).collect::<rquickjs::Result<Vec<_>>>()?;
        let answer = callable.call(args);
        let weak = weak.clone();
        core.host().spawn(&js, async move {
            let payload = answer.await.map_err(OpError::message)?;
            Ok(Arrived { core: weak, payload })
        })
    };
    Function::new(js.clone(), call)?.into_js(js)
}

/// The answer of a function elsewhere.
struct Arrived {
    core: Weak<Core>,
    payload: BusPayload,
}

typed! {
    Arrived = "unknown";
}

impl<'js> IntoJs<'js> for Arrived {
    fn into_js(self, js: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        match self.core.upgrade() {
            Some(core) => arrive(js, &core, &self.payload),
            None => Ok(Value::new_undefined(js.clone())),
        }
    }
}

impl Bridge {
    /// What an extension does for an event on the bus has failed. The emitter goes on, but what was stopped has not
    /// answered: a gate that the same extension holds meanwhile is shut.
    fn has_failed(&self, js: &Ctx<'_>, core: &Core, extension: u32, channel: &str, fault: Fault) {
        if fault.kind.cuts_off() {
            // The call that emitted may not be wanted any more; otherwise what goes on has its own time.
            if fault.kind != FaultKind::Stopped {
                core.limits().disarm();
                core.limits().arm();
            }
            core.cut_gates(js, self.modules(extension), &fault);
        }
        self.tell(extension, channel, fault);
    }

    /// Tells the user that a listener failed.
    fn tell(&self, extension: u32, channel: &str, fault: Fault) {
        let Some(extension) = self.get(extension) else { return };
        extension.report(&Report {
            extension: Arc::clone(&extension.owner.path),
            event: format!("bus:{channel}"),
            kind: ReportKind::Error { message: fault.message, stack: fault.stack },
            location: fault.location,
            failures: extension.owner.dialect.failures,
        });
    }
}

fn alive<'js>(js: &Ctx<'js>, extension: &Extension) -> rquickjs::Result<()> {
    extension.owner.check().map_err(|error| refused(js, &error))
}

fn bus_hear<'js>(
    js: Ctx<'js>,
    Bridged(bridge): Bridged,
    entry: Object<'js>,
    data: Value<'js>,
) -> rquickjs::Result<Value<'js>> {
    let (owner, channel): (u32, String) = (entry.get("owner")?, entry.get("channel")?);
    let hear: Function<'js> = entry.get("listener")?;
    let core = bridge.core(&js)?;
    let before = core.host().set_current(bridge.modules(owner));
    let heard = hear.call((data,));
    core.host().set_current(before);
    if !matches!(heard, Err(rquickjs::Error::Exception)) {
        return heard;
    }
    let fault = Fault::caught(&js, &core, bridge.modules(owner));
    let is_over = matches!(fault.kind, FaultKind::TooLong | FaultKind::OutOfMemory);
    bridge.has_failed(&js, &core, owner, &channel, fault);
    if is_over {
        entry.set("stopped", true)?;
    }
    Ok(Value::new_undefined(js))
}

fn bus_failed<'js>(
    js: Ctx<'js>,
    Bridged(bridge): Bridged,
    owner: u32,
    channel: String,
    error: Value<'js>,
) -> rquickjs::Result<()> {
    let core = bridge.core(&js)?;
    let fault = Fault::of_value(&js, &core, bridge.modules(owner), error);
    bridge.tell(owner, &channel, fault);
    Ok(())
}

fn bus_version(Bridged(bridge): Bridged) -> f64 {
    bridge.link().map_or(0.0, |link| link.bus.version() as f64)
}

fn bus_elsewhere(Bridged(bridge): Bridged, channel: String) -> bool {
    bridge.link().is_some_and(|link| link.bus.listens_elsewhere(&channel, link.engine))
}

fn bus_emit<'js>(
    js: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    channel: String,
    data: Value<'js>,
) -> rquickjs::Result<()> {
    alive(&js, &extension)?;
    let (core, Some(link)) = (bridge.core(&js)?, bridge.link()) else { return Ok(()) };
    match depart(&js, &core, ExtensionId(id), &data, 0) {
        Ok(payload) => link.bus.emit_abroad(&channel, payload, link.engine, &extension.owner.path),
        // The listeners of this engine get the event all the same.
        Err(_) => {
            let fault = Fault::caught(&js, &core, bridge.modules(id));
            bridge.has_failed(&js, &core, id, &channel, fault);
        }
    }
    Ok(())
}

fn bus_on<'js>(
    js: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    channel: String,
    number: u32,
) -> rquickjs::Result<()> {
    alive(&js, &extension)?;
    let Some(link) = bridge.link() else { return Ok(()) };
    let owner = Arc::clone(&extension.owner.path);
    if let Some(listener) = link.bus.on(&channel, link.engine, owner, listener(id, number)).detach() {
        bridge.listeners.borrow_mut().insert(number, listener);
    }
    Ok(())
}

fn bus_off(Bridged(bridge): Bridged, number: u32) {
    if let (Some(link), Some(listener)) = (bridge.link(), bridge.listeners.borrow_mut().remove(&number)) {
        link.bus.off(listener);
    }
}
