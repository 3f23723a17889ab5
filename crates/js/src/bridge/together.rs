//! Handlers of one engine, called on one visit.

use std::sync::Arc;

use tau_hooks::{AnyOutput, AnyPayload, BoxFuture, HandlerError, HeldUp, RemoteHandler, Visit};

use super::events::JsHandler;
use super::guest::owner_of;
use super::payload::Payload;
use super::visit;
use crate::engine::{ExtensionId, Whose};

impl RemoteHandler for JsHandler {
    fn joins(&self, next: &dyn RemoteHandler) -> bool {
        let next: &dyn std::any::Any = next;
        next.downcast_ref::<Self>().is_some_and(|next| self.engine.is_same(&next.engine))
    }

    fn is_over(&self) -> bool {
        self.is_removed()
    }

    fn visit(&self, visit: &Arc<Visit>, payloads: &[&dyn AnyPayload]) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        let ctx = visit.calls().first().map(|(_, ctx)| ctx);
        let read = |payload: &&dyn AnyPayload| match ctx {
            Some(ctx) => Payload::new(self.event, *payload, ctx),
            None => Err(HandlerError::msg("a visit without handlers")),
        };
        visit::visit(visit, self, payloads.iter().map(read).collect())
    }

    fn held_up(&self, visit: &Visit) -> Option<HeldUp> {
        let engine = self.engine.upgrade()?;
        let held_up = engine.activity().held_up(visit.mark(), at_work(self, visit))?;
        Some(HeldUp { by: held_up.as_ref().and_then(owner_of) })
    }

    fn cut(&self, visit: &Visit, held_up: bool) -> Option<String> {
        let engine = self.engine.upgrade()?;
        let tag = visit.mark();
        let explained = engine.activity().explain(tag, at_work(self, visit));
        engine.activity().end(if held_up { Whose::CallOrNobody(tag) } else { Whose::Call(tag) });
        explained
    }
}

/// The extension whose handler is at work.
fn at_work(first: &JsHandler, visit: &Visit) -> ExtensionId {
    visit::handler(visit, visit.at()).map_or(first.extension, |handler| handler.extension)
}
