//! Several events of one kind at once, for observers that live where a visit costs more than a call.

use super::call::{Budget, VISIT};
use super::{Dispatcher, Scope};
use crate::changes::Changes;
use crate::dialect::Terms;
use crate::events::EventId;
use crate::handler::{AnyPayload, Registration};
use crate::output::parse_output;
use crate::table::{Event, Fold};
use crate::trace::TraceOutcome;

impl Dispatcher {
    /// Whether handlers of the event are called in visits.
    pub(crate) fn visits(&self, event: EventId) -> bool {
        self.handlers(event).first().is_some_and(|first| first.handler.together().is_some())
    }

    /// Calls the handlers of `E` for one payload after the other, with as few visits as it takes. `E` is an event whose
    /// results are ignored.
    pub(crate) async fn dispatch_several<E: Event>(&self, scope: &Scope, payloads: Vec<E::Payload>) {
        let handlers = self.handlers(E::ID);
        let mut payloads = payloads.into_iter().peekable();
        while payloads.peek().is_some() {
            let Some(terms) = self.one_visit::<E>(&handlers).filter(|_| payloads.len() > 1) else {
                if let Some(payload) = payloads.next() {
                    self.dispatch::<E>(scope, || payload).await;
                }
                continue;
            };
            let rest: Vec<E::Payload> = payloads.by_ref().collect();
            let done = self.go_round::<E>(scope, &handlers, &rest, &terms).await;
            payloads = rest.into_iter().skip(done).collect::<Vec<_>>().into_iter().peekable();
        }
    }

    /// The rule of all handlers, when they can be called in one visit.
    fn one_visit<E: Event>(&self, handlers: &[Registration]) -> Option<Terms> {
        let dialect = handlers.first()?.owner.dialect;
        let terms = Terms::of(dialect, E::ID).filter(|terms| terms.rule.fold == Fold::Observe)?;
        let alike = handlers.iter().all(|handler| std::ptr::eq(handler.owner.dialect, dialect));
        let ready = alike && !self.is_left_behind(handlers.first()?.id);
        (ready && self.neighbours(handlers, terms.rule, usize::MAX) == handlers.len()).then_some(terms)
    }

    /// Visits until all payloads are done, or one of them with a failure: then not every handler may be fit for a visit.
    /// Tells how many are done.
    async fn go_round<E: Event>(
        &self,
        scope: &Scope,
        handlers: &[Registration],
        payloads: &[E::Payload],
        terms: &Terms,
    ) -> usize {
        let mut budget = Budget::new(&self.limits.read(), scope.host.mode());
        let (mut done, mut first) = (0, 0);
        while let Some(rest) = payloads.get(done..).filter(|rest| !rest.is_empty()) {
            let views: Vec<&dyn AnyPayload> = rest.iter().map(|payload| payload as &dyn AnyPayload).collect();
            // Behind a failure only this payload is brought to its end.
            let views = if first > 0 { &views[..1] } else { &views[..] };
            // What is made ready for handlers behind one that ends the visit is made again.
            let end = if first > 0 { handlers.len().min(first + VISIT) } else { handlers.len() };
            let answered = self.call(scope, (&handlers[..end], first), views, E::ID, &mut budget, terms.rule).await;
            self.said_nothing(scope, E::ID, handlers.iter().cycle().skip(first).zip(&answered.quiet));
            let at = first + answered.quiet.len();
            let (payload, handler) = (done + at / handlers.len(), at % handlers.len());
            let registration = &handlers[handler];
            let answer = answered.answer.and_then(|any| {
                parse_output::<E>(any, &payloads[payload], terms, |remark| {
                    self.remark(registration, E::ID, terms, &remark);
                })
            });
            let failed = answer.is_err();
            let outcome = match answer {
                Ok(None) => TraceOutcome::Nothing,
                Ok(Some(_)) => TraceOutcome::Result,
                Err(error) => {
                    let kind = error.kind();
                    self.failed(registration, E::ID, terms.rule, error, &mut None);
                    TraceOutcome::Failed(kind.into())
                }
            };
            self.trace.record(scope, &registration.owner, E::ID, (answered.took, outcome), Changes::none());
            let last = handler + 1 == handlers.len();
            (done, first) = if last { (payload + 1, 0) } else { (payload, handler + 1) };
            if last && (failed || views.len() < rest.len()) {
                break;
            }
        }
        done
    }
}
