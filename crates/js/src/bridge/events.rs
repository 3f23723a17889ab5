//! Handlers of events.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use rquickjs::{Ctx as JsCtx, Function, Object, Persistent, Value};
use serde_json::Value as Json;
use tau_hooks::HandlerError;
use tau_hooks::events::EventId;

use super::extract::{Bridged, Caller};
use super::guest::HasBridge as _;
use crate::engine::{ExtensionId, Fault, WeakEngine};
use crate::ops::table::ops;

ops! {
    /// Handlers of events.
    pub(crate) static OPS: always;

    /// What is special about an event in the dialect of an extension; nothing when nothing is.
    fn extEvent(id, name) -> "{ signal?: boolean } | undefined" = ext_event, Pure;
    /// Removes a handler.
    fn extOff(number) = ext_off, Pure;
}

/// A handler written in JavaScript. When it is dropped, its function is let go of.
pub(super) struct JsHandler {
    pub(super) event: EventId,
    pub(super) engine: WeakEngine,
    /// By whose modules its code is blamed.
    pub(super) extension: ExtensionId,
    /// Its function, by its place in [`Functions`].
    pub(super) number: u32,
    /// Where it was registered.
    pub(super) location: Arc<str>,
    removed: AtomicBool,
}

impl JsHandler {
    pub(super) fn new(
        event: EventId,
        engine: WeakEngine,
        extension: ExtensionId,
        number: u32,
        location: Arc<str>,
    ) -> Arc<Self> {
        Arc::new(Self { event, engine, extension, number, location, removed: AtomicBool::new(false) })
    }

    /// The handler is not called any more.
    pub(super) fn remove(&self) {
        self.removed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_removed(&self) -> bool {
        self.removed.load(Ordering::Relaxed)
    }

    /// A fault of it as the dispatcher knows failures.
    pub(super) fn error(&self, fault: Fault) -> HandlerError {
        super::callback::failure(fault, Some(&self.location))
    }
}

impl Drop for JsHandler {
    fn drop(&mut self) {
        let number = self.number;
        if let Some(engine) = self.engine.upgrade() {
            // An engine that has ended holds no functions.
            let _ = engine.post(move |core| core.bridge().functions().forget(number));
        }
    }
}

/// The functions of handlers, by number. Numbers are not used again: an extension may keep one for as long as it likes.
#[derive(Default)]
pub(crate) struct Functions(RefCell<Vec<Option<Kept>>>);

struct Kept {
    function: Persistent<Function<'static>>,
    handler: Weak<JsHandler>,
}

impl Functions {
    /// Keeps the function of the handler that `make` makes with its number.
    pub(super) fn keep<'js>(
        &self,
        js: &JsCtx<'js>,
        function: Function<'js>,
        make: impl FnOnce(u32) -> Arc<JsHandler>,
    ) -> Arc<JsHandler> {
        let mut all = self.0.borrow_mut();
        let handler = make(u32::try_from(all.len()).unwrap_or(u32::MAX));
        all.push(Some(Kept { function: Persistent::save(js, function), handler: Arc::downgrade(&handler) }));
        handler
    }

    /// The function of a number, while it is kept.
    pub(super) fn get<'js>(&self, js: &JsCtx<'js>, number: u32) -> Option<rquickjs::Result<Function<'js>>> {
        let all = self.0.borrow();
        let kept = all.get(usize::try_from(number).ok()?)?.as_ref()?;
        Some(kept.function.clone().restore(js))
    }

    /// The handler of a number is not called any more.
    fn remove(&self, number: u32) {
        let all = self.0.borrow();
        let kept = usize::try_from(number).ok().and_then(|at| all.get(at)?.as_ref());
        if let Some(handler) = kept.and_then(|kept| kept.handler.upgrade()) {
            handler.remove();
        }
    }

    /// Lets go of a function.
    pub(super) fn forget(&self, number: u32) {
        let place = usize::try_from(number).ok();
        let kept = place.and_then(|at| self.0.borrow_mut().get_mut(at)?.take());
        drop(kept);
    }

    /// Lets go of all.
    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut *self.0.borrow_mut());
        drop(all);
    }
}

/// The fields that are not what they were.
pub(super) fn edited<'js>(
    js: &JsCtx<'js>,
    object: &Object<'js>,
    fields: &[&str],
    before: &[Option<Json>],
) -> rquickjs::Result<serde_json::Map<String, Json>> {
    let mut changed = serde_json::Map::new();
    for (field, before) in fields.iter().zip(before) {
        let before = before.as_ref().unwrap_or(&Json::Null);
        let now: Value<'js> = object.get(*field)?;
        if crate::convert::same::is_same(&now, before)? {
            continue;
        }
        let now = crate::convert::from_js_alone(js, &now)?.unwrap_or_default();
        if now != *before {
            changed.insert((*field).to_owned(), now);
        }
    }
    Ok(changed)
}

fn ext_event<'js>(js: JsCtx<'js>, Caller { extension, .. }: Caller, name: String) -> rquickjs::Result<Value<'js>> {
    let row = |event: EventId| event.row();
    let row = (extension.owner.dialect.event)(&name).map(row);
    if !row.is_some_and(|row| row.signal) {
        return Ok(Value::new_undefined(js));
    }
    crate::convert::to_js(&js, &serde_json::json!({ "signal": true }))
}

fn ext_off(Bridged(bridge): Bridged, number: u32) {
    bridge.functions().remove(number)
}

#[cfg(test)]
mod tests {

    use serde_json::json;
    use tau_agent::extensions::{ExtensionOrigin, FoundExtension, load_context};
    use tau_agent::settings::{Environment, SettingsStore};
    use tau_hooks::events::ToolCall;
    use tau_hooks::payload::ToolCallEvent;
    use tau_script::ScriptHost as _;
    use tau_testkit::{Stage, TempHome};
    use tau_tools::Leftovers;

    use crate::JsHost;
    use crate::bridge::guest::HasBridge as _;

    /// Nothing of tau lets go of a function whose handler is still called. If it did, that must not open a gate.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_gate_stays_shut_when_the_function_of_its_handler_is_gone() {
        let (home, stage) = (TempHome::new(), Stage::new());
        let allow = "  pi.on('tool_call', () => undefined);\n";
        let path = home.write("gate.ts", format!("export default (pi) => {{\n{allow}{allow}{allow}}};\n"));
        let env = Environment::new(home.home(), home.cwd());
        let settings = SettingsStore::open(&env, true).snapshot();
        let with = load_context(&stage.hooks, &env, &settings, Leftovers::default());
        let file = FoundExtension::module(path, ExtensionOrigin::UserFolder).script();
        let host = JsHost::new(None);
        host.load(vec![file], &with).await.remove(0).result.expect("an extension that loads");
        let call = || ToolCallEvent {
            tool_name: "bash".into(),
            tool_call_id: "c1".into(),
            parent_tool_call_id: None,
            input: json!({}),
        };
        assert!(stage.fire::<ToolCall>(call()).await.shut.is_none());
        let engine = host.engine(None, &with).expect("an engine");
        engine.run(|core| core.bridge().functions().forget(1)).await.expect("an engine that runs");
        let shut = stage.fire::<ToolCall>(call()).await.shut.expect("a gate that is shut");
        assert_eq!(shut.error.to_string(), "the handler is gone");
    }
}
