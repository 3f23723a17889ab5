//! A round of calls, for an event that is known only at run time.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tracing::{Instrument, Span};

use super::above::{Asked, Listeners};
use super::call::{Budget, VISIT};
use super::done::Done;
use super::{Dispatcher, Scope, Shut};
use crate::changes::Changes;
use crate::dialect::{Part, Rule, Terms};
use crate::error::HandlerError;
use crate::events::EventId;
use crate::fold::{AnyFolding, Taken};
use crate::handler::visit::Quiet;
use crate::handler::{AnyPayload, Registration};
use crate::occasion::Occasion;
use crate::report::Report;
use crate::table::{Delivery, Failure, Fold, Nesting};
use crate::trace::TraceOutcome;

impl Dispatcher {
    /// Who listens to an event; `None` is nobody.
    ///
    /// # Errors
    /// When the gate is shut, whether or not anybody listens.
    pub(super) fn listeners(&self, event: EventId) -> Result<Option<Listeners>, Shut> {
        match self.above.get() {
            Some(above) if event.row().inherited => self.listeners_up(above, event),
            _ => Ok(self.listeners_here(event)?.map(Listeners::Here)),
        }
    }

    /// Who listens in this session.
    pub(super) fn listeners_here(&self, event: EventId) -> Result<Option<Arc<[Registration]>>, Shut> {
        // Before the gates are looked at: a guard shuts them before its handlers are gone.
        let handlers = self.has_handlers(event).then(|| self.handlers(event));
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
            Listeners::Family(above, all) => self.ask_up(scope, event, (above, all), folding).await,
        }
    }

    /// Calls handlers of this session, group by group.
    pub(super) async fn round(
        &self,
        scope: &Scope,
        event: EventId,
        handlers: &[Registration],
        folding: &mut dyn AnyFolding,
        mut asked: Option<&mut Asked>,
    ) -> Done {
        let mut done = Done { called: true, ..Done::default() };
        let mut budget = Budget::new(&self.limits.read(), scope.host.mode());
        let mut groups: Vec<&[Registration]> =
            handlers.chunk_by(|a, b| std::ptr::eq(a.owner.dialect, b.owner.dialect)).collect();
        if event.row().nesting == Nesting::Outward {
            groups.reverse();
        }
        for group in groups {
            let Some(terms) = group.first().and_then(|first| Terms::of(first.owner.dialect, event)) else { continue };
            let occasion = event.row().occasion(folding.payload());
            let part = terms.rule.part(occasion);
            let counts = part == Part::Full && terms.rule.fold != Fold::Observe;
            let group = called(group, part, occasion);
            folding.begin(&terms);
            let mut last = None;
            let (mut at, mut most) = (0, usize::MAX);
            while let Some(rest) = group.get(at..).filter(|rest| !rest.is_empty()) {
                if self.is_left_behind(rest[0].id) {
                    at += 1;
                    continue;
                }
                let handlers = &rest[..self.neighbours(rest, terms.rule, most)];
                let span = handler_span(&handlers[0], event);
                let views: [&dyn AnyPayload; 1] = [folding.view()];
                let call = self.call(scope, (handlers, 0), &views, event, &mut budget, terms.rule);
                let answered = call.instrument(span.clone()).await;
                self.said_nothing(scope, event, handlers.iter().zip(&answered.quiet));
                let registration = &handlers[answered.quiet.len()];
                let called = answered.quiet.len() + 1;
                at += called;
                most = if called == handlers.len() { most.saturating_mul(2) } else { (2 * called).max(VISIT) };
                if matches!(occasion, Occasion::Beginning | Occasion::Renewal) {
                    handlers[..called].iter().for_each(|handler| handler.owner.set_begun());
                }
                if let Some(asked) = asked.as_deref_mut() {
                    asked.answered(&handlers[..called]);
                }
                let taken = answered.answer.and_then(|any| match counts {
                    true => folding.take_in(any, &terms, registration, &mut |remark| {
                        self.remark(registration, event, &terms, &remark);
                    }),
                    false => Ok(None),
                });
                let (outcome, changes) = match taken {
                    Ok(None) => (TraceOutcome::Nothing, Changes::none()),
                    Ok(Some(Taken { changes, stops })) => {
                        last = Some(&registration.owner);
                        if changes.any() {
                            done.changed_by = Some(Arc::clone(&registration.owner));
                            if let Some(asked) = asked.as_deref_mut() {
                                asked.changed(&registration.owner);
                            }
                        }
                        if stops {
                            done.stopped_by = Some(Arc::clone(&registration.owner));
                        }
                        (if stops { TraceOutcome::Stopped } else { TraceOutcome::Result }, changes)
                    }
                    Err(error) => {
                        let kind = error.kind();
                        done.cut_off |= matches!(error, HandlerError::Aborted);
                        if event.row().withholds && part == Part::Full && error.is_cut_off() && done.withheld.is_none()
                        {
                            let extension = Arc::clone(&registration.owner.path);
                            done.withheld = Some(Shut { extension, error: error.clone() });
                        }
                        self.failed(registration, event, terms.rule, error, &mut done.shut);
                        (TraceOutcome::Failed(kind.into()), Changes::none())
                    }
                };
                span.record("outcome", outcome.name());
                self.trace.record(scope, &registration.owner, event, (answered.took, outcome), changes);
                // Once the round is cancelled, observers are still called but nobody waits for them; a gate asks no more.
                let cut = scope.cancel.is_cancelled() && terms.rule.failure == Failure::Block;
                if done.stopped_by.is_some() || done.shut.is_some() || cut {
                    break;
                }
            }
            let stops = folding.end(&terms);
            if let Some(asked) = asked.as_deref_mut() {
                asked.finished(terms.rule, last);
            }
            // What a group comes to may end the round although none of its results did.
            if done.stopped_by.is_none() && stops {
                done.stopped_by = last.cloned();
            }
            if done.stopped_by.is_some() || done.shut.is_some() {
                break;
            }
        }
        // A gate must not be passed because the round was cut short before everybody was asked.
        if scope.cancel.is_cancelled() && event.row().failure == Failure::Block && done.shut.is_none() {
            done.shut = Some(Shut { extension: Arc::from(""), error: HandlerError::Aborted });
        }
        done
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
        let known = matches!(error, HandlerError::Aborted | HandlerError::Lost(_));
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
