//! A round of calls, for an event that is known only at run time.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tracing::{Instrument, Span};

use super::above::{Asked, Listeners};
use super::call::{Answered, Budget, Calls, VISIT};
use super::done::Done;
use super::{Dispatcher, Scope, Shut};
use crate::changes::Changes;
use crate::dialect::{Part, Rule, Terms};
use crate::error::HandlerError;
use crate::events::EventId;
use crate::fold::{AnyFolding, Taken};
use crate::handler::visit::Quiet;
use crate::handler::{AnyOutput, AnyPayload, Registration};
use crate::occasion::Occasion;
use crate::output::Remark;
use crate::owner::Owner;
use crate::report::Report;
use crate::table::{Delivery, Failure, Inherited, Nesting};
use crate::trace::{Handled, TraceOutcome};

impl Dispatcher {
    /// Who listens to an event; `None` is nobody.
    ///
    /// # Errors
    /// When the gate is shut, whether or not anybody listens.
    pub(super) fn listeners(&self, event: EventId) -> Result<Option<Listeners>, Shut> {
        match self.above.get() {
            Some(above) if event.row().inherited != Inherited::No => self.listeners_up(above, event),
            _ => Ok(self.listeners_here(event)?.map(Listeners::Here)),
        }
    }

    /// Who listens in this session.
    pub(super) fn listeners_here(&self, event: EventId) -> Result<Option<Arc<[Registration]>>, Shut> {
        // Before the gates are looked at: a guard shuts them before its handlers are gone.
        let handlers = self.has_handlers(event).then(|| self.awake(event));
        if self.has_shut_gates()
            && let Some(shut) = self.shut_gate(event)
        {
            return Err(shut);
        }
        Ok(handlers.filter(|handlers| !handlers.is_empty()))
    }

    /// Calls those who listen.
    pub(super) async fn ask(
        &self,
        scope: &Scope,
        event: EventId,
        listeners: Listeners,
        folding: &mut dyn AnyFolding,
    ) -> Done {
        match listeners {
            Listeners::Here(handlers) => self.round(scope, event, &handlers, folding, None).await,
            Listeners::Family(family) => self.ask_up(scope, event, family, folding).await,
        }
    }

    /// Calls handlers of this session, group by group.
    pub(super) async fn round(
        &self,
        scope: &Scope,
        event: EventId,
        handlers: &[Registration],
        folding: &mut dyn AnyFolding,
        asked: Option<&mut Asked>,
    ) -> Done {
        let budget = Budget::new(&self.limits.read(), scope.host.mode());
        let done = Done { called: true, ..Done::default() };
        let mut round = Round { dispatcher: self, scope, event, folding, asked, budget, done };
        for handlers in groups(handlers, event.row().nesting) {
            let terms = handlers.first().and_then(|first| Terms::of(first.owner.dialect, event));
            if let Some(terms) = terms {
                round.call_group(handlers, terms).await;
            }
            if round.is_decided() {
                break;
            }
        }
        round.finish()
    }

    /// Notes the calls on the way of a visit.
    pub(super) fn said_nothing<'a>(
        &self,
        scope: &Scope,
        event: EventId,
        calls: impl Iterator<Item = (&'a Registration, &'a Quiet)>,
    ) {
        self.trace.record_quiet(
            scope,
            event,
            calls.map(|(registration, quiet)| {
                handler_span(registration, event).record("outcome", TraceOutcome::Nothing.name());
                (&registration.owner, *quiet)
            }),
        );
    }

    pub(super) fn failed(
        &self,
        registration: &Registration,
        event: EventId,
        rule: Rule,
        error: HandlerError,
        shut: &mut Option<Shut>,
    ) {
        let often = event.row().delivery == Delivery::Queued;
        let known = match &error {
            HandlerError::Aborted | HandlerError::Lost(_) => true,
            // A reload removes extensions on purpose, also while one of them is called.
            HandlerError::Gone(_) => registration.owner.is_gone(),
            _ => false,
        };
        let repeated = || often && self.was_told(registration, error.to_string());
        if !known && !repeated() {
            self.reports.send(&Report::failure(&registration.owner, event, &error, &registration.location));
        }
        if rule.failure == Failure::Block {
            *shut = Some(Shut { extension: Arc::clone(&registration.owner.path), error });
        }
    }

    pub(super) fn is_left_behind(&self, registration: u64) -> bool {
        self.any_left_behind.load(Ordering::Acquire) && self.left_behind.lock().contains(&registration)
    }
}

/// A round that is under way.
struct Round<'a> {
    dispatcher: &'a Dispatcher,
    scope: &'a Scope,
    event: EventId,
    folding: &'a mut dyn AnyFolding,
    asked: Option<&'a mut Asked>,
    budget: Budget,
    done: Done,
}

/// What holds for all handlers of a group.
struct Group {
    terms: Terms,
    occasion: Occasion,
    part: Part,
}

impl Group {
    /// Whether what the handlers return counts.
    fn counts(&self) -> bool {
        self.part == Part::Full && self.terms.rule.fold.takes_results()
    }
}

/// What one handler answered; those before it in a visit said nothing.
struct Answer<'a> {
    registration: &'a Registration,
    /// How many were called, this one included.
    called: usize,
    took: Duration,
    said: Result<AnyOutput, HandlerError>,
    span: Span,
}

impl Round<'_> {
    /// Calls the handlers of a group and adds what they say to what the groups before said.
    async fn call_group(&mut self, handlers: &[Registration], terms: Terms) {
        let occasion = self.event.row().occasion(self.folding.payload());
        let group = Group { terms, occasion, part: terms.rule.part(occasion) };
        let handlers = called(handlers, group.part, occasion);
        self.folding.begin(&terms);
        let mut last = None;
        let (mut at, mut most) = (0, usize::MAX);
        while let Some(rest) = handlers.get(at..).filter(|rest| !rest.is_empty()) {
            if self.dispatcher.is_left_behind(rest[0].id) {
                at += 1;
                continue;
            }
            let visited = self.dispatcher.neighbours(rest, terms.rule, most);
            let answer = self.call_next(&group, &rest[..visited]).await;
            at += answer.called;
            most = if answer.called == visited { most.saturating_mul(2) } else { (2 * answer.called).max(VISIT) };
            if let Some(owner) = self.take_in(&group, answer) {
                last = Some(owner);
            }
            if self.is_decided() || self.is_cut(&group) {
                break;
            }
        }
        self.end_group(&group, last);
    }

    /// Calls neighbours until one of them answers.
    async fn call_next<'h>(&mut self, group: &Group, handlers: &'h [Registration]) -> Answer<'h> {
        let (dispatcher, event) = (self.dispatcher, self.event);
        let span = handler_span(&handlers[0], event);
        let views: [&dyn AnyPayload; 1] = [self.folding.view()];
        let calls = Calls { handlers, first: 0, payloads: &views, event, rule: group.terms.rule };
        let Answered { quiet, took, answer: said } =
            dispatcher.call(self.scope, calls, &mut self.budget).instrument(span.clone()).await;
        dispatcher.said_nothing(self.scope, event, handlers.iter().zip(&quiet));
        let called = quiet.len() + 1;
        if matches!(group.occasion, Occasion::Beginning | Occasion::Renewal) {
            handlers[..called].iter().for_each(|handler| handler.owner.set_begun());
        }
        if let Some(asked) = &mut self.asked {
            asked.answered(&handlers[..called]);
        }
        Answer { registration: &handlers[quiet.len()], called, took, said, span }
    }

    /// Judges an answer, takes it in and records it. Gives whose it was when it counts.
    fn take_in<'h>(&mut self, group: &Group, answer: Answer<'h>) -> Option<&'h Arc<Owner>> {
        let Answer { registration, took, said, span, .. } = answer;
        let (dispatcher, event) = (self.dispatcher, self.event);
        let judged = said.and_then(|any| {
            if !group.counts() {
                return Ok(None);
            }
            let mut tell = |remark: Remark<'_>| dispatcher.remark(registration, event, &group.terms, &remark);
            self.folding.take_in(any, &group.terms, registration, &mut tell)
        });
        let is_taken = matches!(judged, Ok(Some(_)));
        let (outcome, changes) = match judged {
            Ok(None) => (TraceOutcome::Nothing, Changes::none()),
            Ok(Some(taken)) => self.taken(&registration.owner, taken),
            Err(error) => (self.failed(group, registration, error), Changes::none()),
        };
        span.record("outcome", outcome.name());
        dispatcher.trace.record(self.scope, &registration.owner, event, Handled { duration: took, outcome, changes });
        is_taken.then_some(&registration.owner)
    }

    /// Notes what a result did.
    fn taken(&mut self, owner: &Arc<Owner>, taken: Taken) -> (TraceOutcome, Changes) {
        let Taken { changes, stops } = taken;
        if changes.any() {
            self.done.changed_by = Some(Arc::clone(owner));
            if let Some(asked) = &mut self.asked {
                asked.changed(owner);
            }
        }
        if stops {
            self.done.stopped_by = Some(Arc::clone(owner));
        }
        (if stops { TraceOutcome::Stopped } else { TraceOutcome::Result }, changes)
    }

    /// Notes and reports that a handler failed.
    fn failed(&mut self, group: &Group, registration: &Registration, error: HandlerError) -> TraceOutcome {
        let kind = error.kind();
        self.done.cut_off |= matches!(error, HandlerError::Aborted);
        let withholds = self.event.row().withholds && group.part == Part::Full && error.is_cut_off();
        if withholds && self.done.withheld.is_none() {
            let extension = Arc::clone(&registration.owner.path);
            self.done.withheld = Some(Shut { extension, error: error.clone() });
        }
        self.dispatcher.failed(registration, self.event, group.terms.rule, error, &mut self.done.shut);
        TraceOutcome::Failed(kind.into())
    }

    /// All handlers of a group were called that will be; `last` is who said something last.
    fn end_group(&mut self, group: &Group, last: Option<&Arc<Owner>>) {
        let stops = self.folding.end(&group.terms);
        if let Some(asked) = &mut self.asked {
            asked.finished(group.terms.rule, last);
        }
        // What a group comes to may end the round although none of its results did.
        if self.done.stopped_by.is_none() && stops {
            self.done.stopped_by = last.cloned();
        }
    }

    /// Whether nobody else needs to be asked.
    fn is_decided(&self) -> bool {
        self.done.stopped_by.is_some() || self.done.shut.is_some()
    }

    /// Once the round is cancelled, observers are still called but nobody waits for them; a gate asks no more.
    fn is_cut(&self, group: &Group) -> bool {
        self.scope.cancel.is_cancelled() && group.terms.rule.failure == Failure::Block
    }

    fn finish(mut self) -> Done {
        // A gate must not be passed because the round was cut short before everybody was asked.
        let is_gate = self.event.row().failure == Failure::Block;
        if is_gate && self.scope.cancel.is_cancelled() && self.done.shut.is_none() {
            self.done.shut = Some(Shut { extension: Arc::from(""), error: HandlerError::Aborted });
        }
        self.done
    }
}

/// The handlers by dialect, in the order in which dialects are asked.
fn groups(handlers: &[Registration], nesting: Nesting) -> Vec<&[Registration]> {
    let mut groups: Vec<_> = handlers.chunk_by(|a, b| std::ptr::eq(a.owner.dialect, b.owner.dialect)).collect();
    if nesting == Nesting::Outward {
        groups.reverse();
    }
    groups
}

/// The handlers of a group that are called.
fn called(group: &[Registration], part: Part, occasion: Occasion) -> Cow<'_, [Registration]> {
    match (part, occasion) {
        (Part::Full | Part::Observe, _) => Cow::Borrowed(group),
        // For those that were loaded meanwhile it is the beginning.
        (Part::Skip, Occasion::Renewal) => group.iter().filter(|handler| !handler.owner.has_begun()).cloned().collect(),
        (Part::Skip, _) => Cow::Borrowed(&[]),
    }
}

/// The call as a span; costs next to nothing while nobody collects spans.
fn handler_span(registration: &Registration, event: EventId) -> Span {
    tracing::trace_span!(
        target: "tau::hooks",
        "handler",
        extension = &*registration.owner.path,
        event = event.name(),
        outcome = tracing::field::Empty
    )
}
