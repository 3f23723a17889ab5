//! What extensions see of a request on its way out, and of its answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{Model, RequestHooks, ResponseHead};
use tau_hooks::events::{
    AfterProviderResponse, BeforeProviderHeaders, BeforeProviderRequest, EventId, ProviderStreamEvent,
};
use tau_hooks::payload::{
    AfterProviderResponseEvent, BeforeProviderHeadersEvent, BeforeProviderRequestEvent, ProviderStreamEventEvent,
};
use tau_hooks::table::About;
use tau_hooks::{Hooks, Scope};

/// Shows a request on its way out to the handlers of extensions.
pub(super) struct ProviderHooks {
    hooks: Arc<Hooks>,
    scope: Scope,
    model: Arc<Model>,
}

impl ProviderHooks {
    /// Only when somebody wants to look: a provider without hooks need not build what nobody sees.
    pub(super) fn wanted(hooks: &Arc<Hooks>, scope: &Scope, model: &Arc<Model>) -> Option<Arc<dyn RequestHooks>> {
        let wanted = EventId::about(About::Request).any(|event| hooks.dispatcher.has_handlers(event));
        let (hooks, scope, model) = (Arc::clone(hooks), scope.clone(), Arc::clone(model));
        wanted.then(|| Arc::new(Self { hooks, scope, model }) as Arc<dyn RequestHooks>)
    }
}

#[async_trait]
impl RequestHooks for ProviderHooks {
    async fn headers(&self, headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        let event = || BeforeProviderHeadersEvent { headers: headers.clone() };
        let done = self.hooks.dispatcher.dispatch::<BeforeProviderHeaders>(&self.scope, event).await;
        done.into_payload().map_or(headers, |event| event.headers)
    }

    fn wants_payload(&self) -> bool {
        self.hooks.dispatcher.has_handlers(EventId::BeforeProviderRequest)
    }

    async fn payload(&self, payload: Value) -> Value {
        let mut payload = Some(payload);
        let event = || BeforeProviderRequestEvent { payload: payload.take().unwrap_or_default() };
        let done = self.hooks.dispatcher.dispatch::<BeforeProviderRequest>(&self.scope, event).await;
        done.into_payload().map(|event| event.payload).or(payload).unwrap_or_default()
    }

    async fn response(&self, head: ResponseHead) {
        let event = || AfterProviderResponseEvent { status: head.status, headers: head.headers };
        self.hooks.dispatcher.dispatch::<AfterProviderResponse>(&self.scope, event).await;
    }

    fn wants_wire_events(&self) -> bool {
        self.hooks.dispatcher.has_handlers(EventId::ProviderStreamEvent)
    }

    async fn wire_event(&self, data: Value) {
        let event = || ProviderStreamEventEvent {
            provider: self.model.provider.clone(),
            api: self.model.api.clone(),
            model: self.model.id.clone(),
            data,
        };
        self.hooks.updates.post::<ProviderStreamEvent>(&self.scope, event).await;
    }
}
