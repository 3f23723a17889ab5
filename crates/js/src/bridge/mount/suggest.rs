//! Providers of completions of extensions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rquickjs::IntoJs as _;
use serde::Deserialize;
use serde_json::json;
use tau_hooks::mount::{SuggestHandle, Suggested, SuggestedItem, Suggests, WrapSuggests, Written};
use tau_hooks::{BoxFuture, HandlerError};

use super::super::callback::{Callback, making, reading};
use super::super::guest::HasBridge as _;
use super::{LIMIT, NEXT};
use crate::engine::{ExtensionId, WeakEngine};

/// A factory of a provider.
pub(in crate::bridge) struct JsWrap {
    callback: Arc<Callback>,
    engine: WeakEngine,
    extension: ExtensionId,
}

impl JsWrap {
    pub(in crate::bridge) fn handle(
        callback: Arc<Callback>,
        engine: WeakEngine,
        extension: ExtensionId,
    ) -> SuggestHandle {
        SuggestHandle(Arc::new(Self { callback, engine, extension }))
    }
}

/// The numbers of a provider's functions.
#[derive(Deserialize)]
struct Functions {
    suggest: u32,
    apply: Option<u32>,
    triggers: Vec<String>,
}

impl WrapSuggests for JsWrap {
    fn wrap(&self, current: Arc<dyn Suggests>) -> BoxFuture<Result<Arc<dyn Suggests>, HandlerError>> {
        let (callback, engine, extension) = (Arc::clone(&self.callback), self.engine.clone(), self.extension);
        Box::pin(async move {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let args = making(move |js, core, _| {
                let before = current.number();
                core.bridge().mounts().suggests.borrow_mut().insert(number, current);
                Ok(vec![number.into_js(js)?, before.into_js(js)?])
            });
            let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
            let made = callback.call_within(LIMIT, args, read).await?;
            let Functions { suggest, apply, triggers } = serde_json::from_value(made.unwrap_or_default())?;
            let apply = apply.map(|apply| Callback::new(engine.clone(), extension, apply, None));
            let suggest = Callback::new(engine, extension, suggest, None);
            let triggers = triggers.iter().filter_map(|text| text.chars().next()).collect();
            Ok(Arc::new(JsSuggests { number, suggest, apply, asked: AtomicU32::new(0), triggers }) as Arc<dyn Suggests>)
        })
    }
}

struct JsSuggests {
    number: u32,
    suggest: Arc<Callback>,
    /// Says what an item makes of the text, where the provider does that itself.
    apply: Option<Arc<Callback>>,
    /// How often it was asked.
    asked: AtomicU32,
    triggers: Vec<char>,
}

impl Suggests for JsSuggests {
    fn suggest(&self, written: Written, force: bool) -> BoxFuture<Result<Option<Suggested>, HandlerError>> {
        let callback = Arc::clone(&self.suggest);
        // Questions may reach the engine in another order than they were asked in.
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let args = making(move |js, _, _| {
                Ok(vec![crate::convert::to_js(js, &json!(written))?, force.into_js(js)?, number.into_js(js)?])
            });
            let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
            let found = callback.call_within(LIMIT, args, read).await?.filter(|found| !found.is_null());
            let found = found.map(serde_json::from_value).transpose();
            found.map_err(|error| HandlerError::Malformed(error.to_string()))
        })
    }

    fn applies(&self) -> bool {
        self.apply.is_some()
    }

    fn apply(
        &self,
        written: Written,
        item: SuggestedItem,
        prefix: String,
    ) -> BoxFuture<Result<Option<Written>, HandlerError>> {
        let callback = self.apply.clone();
        Box::pin(async move {
            let Some(callback) = callback else { return Ok(None) };
            let args = making(move |js, _, _| {
                let (written, item) = (json!(written), json!(item));
                Ok(vec![crate::convert::to_js(js, &written)?, crate::convert::to_js(js, &item)?, prefix.into_js(js)?])
            });
            let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
            let applied = callback.call_within(LIMIT, args, read).await?.filter(|applied| !applied.is_null());
            let applied = applied.map(serde_json::from_value).transpose();
            applied.map_err(|error| HandlerError::Malformed(error.to_string()))
        })
    }

    fn number(&self) -> Option<u32> {
        Some(self.number)
    }

    fn triggers(&self) -> Vec<char> {
        self.triggers.clone()
    }
}
