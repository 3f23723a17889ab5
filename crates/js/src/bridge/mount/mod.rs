//! Components in JavaScript: what stands between those on the screen and the engine that they live in.

mod arguments;
pub(super) mod blocks;
mod component;
pub(super) mod facts;
mod listener;
pub(super) mod ops;
mod render;
mod suggest;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rquickjs::IntoJs as _;
use tau_hooks::mount::{Component, ListenerHandle, Mount, Redraw, Stage, Suggests, UiHandle};
use tau_hooks::{BoxFuture, HandlerError};

use super::callback::{Callback, making, reading};
use super::guest::HasBridge as _;
use crate::engine::{ExtensionId, WeakEngine};

use component::JsComponent;

pub(super) use arguments::completer;
pub(super) use listener::JsListener;
pub(super) use render::{JsRenderer, JsToolResolver, Kind};
pub(super) use suggest::JsWrap;

/// How long a factory may take before it first awaits something, in processor time.
const FIRST: Duration = Duration::from_secs(1);
/// How long a call of a component may take, in processor time.
const LIMIT: Duration = Duration::from_millis(250);

/// What a factory says of a component over the screen: it takes the keys, it is out of sight there, it is hidden.
const CAPTURES: i32 = 1;
const OUT_OF_SIGHT: i32 = 2;
const HIDDEN: i32 = 4;

/// Numbers of components. No two have the same, also in different engines.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// What the bridge knows of the components of its engine, by number.
#[derive(Default)]
pub(super) struct Mounts {
    stages: RefCell<HashMap<u32, Stage>>,
    /// Providers of completions that scripts ask, by number.
    suggests: RefCell<HashMap<u32, Arc<dyn Suggests>>>,
    /// Listeners for what is typed, by the number of their functions.
    listeners: RefCell<HashMap<u32, ListenerHandle>>,
    /// Whom to tell that a block of the conversation looks different.
    redraws: RefCell<HashMap<Arc<str>, Redraw>>,
}

impl Mounts {
    fn stage(&self, number: u32) -> Option<Stage> {
        self.stages.borrow().get(&number).cloned()
    }

    /// Lets go of everything.
    pub(super) fn clear(&self) {
        self.stages.borrow_mut().clear();
        self.suggests.borrow_mut().clear();
        self.listeners.borrow_mut().clear();
        self.redraws.borrow_mut().clear();
    }
}

/// A factory of an extension.
pub(super) struct JsMount {
    callback: Arc<Callback>,
    engine: WeakEngine,
    extension: ExtensionId,
}

impl JsMount {
    pub(super) fn handle(callback: Arc<Callback>, engine: WeakEngine, extension: ExtensionId) -> UiHandle {
        UiHandle(Arc::new(Self { callback, engine, extension }))
    }
}

impl Mount for JsMount {
    fn mount(&self, stage: Stage) -> BoxFuture<Result<Arc<dyn Component>, HandlerError>> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let place = stage.place().as_str();
        let (callback, engine, extension) = (Arc::clone(&self.callback), self.engine.clone(), self.extension);
        Box::pin(async move {
            let args = making(move |js, core, _| {
                core.bridge().mounts().stages.borrow_mut().insert(number, stage);
                Ok(vec![number.into_js(js)?, place.into_js(js)?])
            });
            // Dropping it takes what is left of it away, also when this is given up.
            let component = JsComponent::new(engine, extension, number);
            let read = reading(|_, _, value, _| Ok(value.as_int().unwrap_or(0)));
            let flags = callback.call_within(FIRST, args, read).await?;
            let component = component.coming(flags);
            Ok(Arc::new(component) as Arc<dyn Component>)
        })
    }
}

impl super::Bridge {
    /// The components of the engine.
    pub(super) fn mounts(&self) -> &Rc<Mounts> {
        &self.mounts
    }
}
