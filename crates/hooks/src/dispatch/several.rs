//! Several events of one kind at once, for observers that live where a visit costs more than a call.

use super::call::{Budget, Calls, VISIT};
use super::{Dispatcher, Scope};
use crate::changes::Changes;
use crate::dialect::{Rule, Terms};
use crate::events::EventId;
use crate::fold::AnyFolding;
use crate::handler::{AnyPayload, Callable, Registration};
use crate::trace::{Handled, TraceOutcome};

impl Dispatcher {
    /// Whether handlers of the event are called in visits.
    pub(crate) fn visits(&self, event: EventId) -> bool {
        self.handlers(event).first().is_some_and(|first| matches!(first.handler, Callable::Remote(_)))
    }

    /// Calls the handlers of an event for one payload after the other, with as few visits as it takes. Results of the event
    /// are ignored.
    pub(crate) async fn dispatch_several(&self, scope: &Scope, event: EventId, mut foldings: Vec<Box<dyn AnyFolding>>) {
        let handlers = self.awake(event);
        let mut done = 0;
        while let Some(rest) = foldings.get_mut(done..).filter(|rest| !rest.is_empty()) {
            if let Some(rule) = self.one_visit(event, &handlers).filter(|_| rest.len() > 1) {
                let views: Vec<&dyn AnyPayload> = rest.iter().map(|folding| folding.view()).collect();
                done += self.go_round(scope, event, &handlers, &views, rule).await;
            } else {
                // Nobody is called where a gate is shut.
                if let Ok(Some(listeners)) = self.listeners(event) {
                    self.ask(scope, event, listeners, &mut *rest[0]).await;
                }
                done += 1;
            }
        }
    }

    /// The rule of all handlers, when they can be called in one visit.
    fn one_visit(&self, event: EventId, handlers: &[Registration]) -> Option<Rule> {
        let dialect = handlers.first()?.owner.dialect;
        let rule = Terms::of(dialect, event).map(|terms| terms.rule).filter(|rule| !rule.fold.takes_results())?;
        let alike = handlers.iter().all(|handler| std::ptr::eq(handler.owner.dialect, dialect));
        let ready = alike && !self.is_left_behind(handlers.first()?.id);
        (ready && self.neighbours(handlers, rule, usize::MAX) == handlers.len()).then_some(rule)
    }

    /// Visits until all payloads are done, or one of them with a failure: then not every handler may be fit for a visit.
    /// Tells how many are done.
    async fn go_round(
        &self,
        scope: &Scope,
        event: EventId,
        handlers: &[Registration],
        payloads: &[&dyn AnyPayload],
        rule: Rule,
    ) -> usize {
        let mut budget = Budget::new(&self.limits.read(), scope.host.mode());
        let (mut done, mut first) = (0, 0);
        while let Some(rest) = payloads.get(done..).filter(|rest| !rest.is_empty()) {
            // Behind a failure only this payload is brought to its end.
            let views = if first > 0 { &rest[..1] } else { rest };
            // What is made ready for handlers behind one that ends the visit is made again.
            let end = if first > 0 { handlers.len().min(first + VISIT) } else { handlers.len() };
            let calls = Calls { handlers: &handlers[..end], first, payloads: views, event, rule };
            let answered = self.call(scope, calls, &mut budget).await;
            self.said_nothing(scope, event, handlers.iter().cycle().skip(first).zip(&answered.quiet));
            let at = first + answered.quiet.len();
            let (payload, handler) = (done + at / handlers.len(), at % handlers.len());
            let registration = &handlers[handler];
            let failed = answered.answer.is_err();
            let outcome = match answered.answer {
                Ok(_) => TraceOutcome::Nothing,
                Err(error) => {
                    let kind = error.kind();
                    self.failed(registration, event, rule, error, &mut None);
                    TraceOutcome::Failed(kind.into())
                }
            };
            let handled = Handled { duration: answered.took, outcome, changes: Changes::none() };
            self.trace.record(scope, &registration.owner, event, handled);
            let last = handler + 1 == handlers.len();
            (done, first) = if last { (payload + 1, 0) } else { (payload, handler + 1) };
            if last && (failed || views.len() < rest.len()) {
                break;
            }
        }
        done
    }
}
