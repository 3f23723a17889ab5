//! Functions of extensions that hear what the user types.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rquickjs::IntoJs as _;
use tau_hooks::mount::{Heard, InputListener, ListenerHandle};
use tau_hooks::{BoxFuture, HandlerError};

use super::super::callback::{Callback, making, reading};
use super::LIMIT;
use crate::engine::Engine;

/// A listener of an extension.
pub(in crate::bridge) struct JsListener {
    callback: Arc<Callback>,
    /// What it was asked about last has reached it.
    has_begun: Arc<AtomicBool>,
}

impl JsListener {
    pub(in crate::bridge) fn handle(callback: Arc<Callback>) -> ListenerHandle {
        ListenerHandle(Arc::new(Self { callback, has_begun: Arc::default() }))
    }
}

impl InputListener for JsListener {
    fn hear(&self, data: Arc<str>) -> BoxFuture<Result<Heard, HandlerError>> {
        let (callback, has_begun) = (Arc::clone(&self.callback), Arc::clone(&self.has_begun));
        has_begun.store(false, Ordering::Relaxed);
        Box::pin(async move {
            let args = making(move |js, _, _| {
                has_begun.store(true, Ordering::Relaxed);
                Ok(vec![data.into_js(js)?])
            });
            let read = reading(|_, _, value, _| {
                Ok(match (value.as_bool(), value.as_string()) {
                    (Some(true), _) => Heard::Consumed,
                    (_, Some(text)) => Heard::Replaced(crate::raw::text_of(text)?),
                    _ => Heard::Pass,
                })
            });
            callback.call_within(LIMIT, args, read).await
        })
    }

    fn is_held_up(&self) -> bool {
        let is_own = |engine: Engine| engine.activity().is_at_work(self.callback.extension());
        !self.has_begun.load(Ordering::Relaxed) && !self.callback.engine().upgrade().is_some_and(is_own)
    }
}
