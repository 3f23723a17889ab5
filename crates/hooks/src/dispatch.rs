//! Calls handlers: in order, within their limits, by the rules of their dialect, and with a record of each call.

mod above;
mod call;
mod list;
mod several;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

pub(crate) use self::above::Above;
use self::above::Asked;
pub use self::call::RunningCall;
pub(crate) use self::call::panicked;
use self::call::{Budget, VISIT};
use self::list::List;
use crate::changes::Changes;
use crate::context::{Host, Mode};
use crate::dialect::{Occasion, Part, Rule, Terms};
use crate::events::{EventId, TABLE};
use crate::fold::Folding;
use crate::handler::{AnyHandler, AnyPayload, HandlerError, Owner, Registration};
use crate::limits::Limits;
use crate::output::{Remark, parse_output};
use crate::payload::Output;
use crate::report::{Report, ReportKind, Reports};
use crate::table::{Deadline, Delivery, Event, Failure, Nesting};
use crate::trace::{Trace, TraceOutcome};
use crate::ui::UiSource;
use crate::visit::Quiet;

/// Where a round of calls happens.
#[derive(Clone)]
pub struct Scope {
    /// The session.
    pub host: Arc<dyn Host>,
    /// Ends the round: handlers still at work are left behind.
    pub cancel: CancellationToken,
    /// The id of the tool call that the round is about.
    pub tool_call: Option<Arc<str>>,
}

impl Scope {
    /// A scope that nothing ends.
    pub fn new(host: Arc<dyn Host>) -> Self {
        Self { host, cancel: CancellationToken::new(), tool_call: None }
    }

    /// The same place, within a tool call: what is asked of the user there is asked about the call.
    #[must_use]
    pub fn in_tool_call(self, id: &str) -> Self {
        Self { tool_call: Some(id.into()), ..self }
    }
}

/// What a round of calls came to.
pub struct Dispatched<E: Event> {
    /// The payload as the handlers left it; `None` when nobody was called.
    pub payload: Option<E::Payload>,
    /// The results as one, by the fold rule.
    pub output: Option<E::Output>,
    /// Whose result ended the round.
    pub stopped_by: Option<Arc<Owner>>,
    /// Whose result changed the payload last.
    pub changed_by: Option<Arc<Owner>>,
    /// Why the gate stays shut although nobody decided to shut it.
    pub shut: Option<Shut>,
    /// The round was cancelled while a handler was at work: what it would have said is missing.
    pub cut_off: bool,
    /// Of an event that [withholds](crate::table::EventRow::withholds): the first handler that was ended before it
    /// answered.
    pub withheld: Option<Shut>,
}

/// A gate that stays shut because somebody could not decide.
#[derive(Debug, Clone)]
pub struct Shut {
    /// The extension's file, or `<native:name>`.
    pub extension: Arc<str>,
    /// What went wrong.
    pub error: HandlerError,
}

impl Shut {
    /// What the model reads instead of a result.
    pub fn reason(&self) -> String {
        match &self.error {
            HandlerError::Failed { message, .. } => message.clone(),
            HandlerError::Aborted => self.error.to_string(),
            error => format!("Blocked: extension {} {error}", self.extension),
        }
    }

    /// What the model reads instead of the result of a tool that ran.
    pub fn withheld(&self) -> String {
        let colon = if matches!(self.error, HandlerError::Failed { .. }) { ":" } else { "" };
        format!("The tool ran, but its result is withheld: extension {}{colon} {}", self.extension, self.error)
    }
}

impl<E: Event> Dispatched<E> {
    fn untouched() -> Self {
        Self {
            payload: None,
            output: None,
            stopped_by: None,
            changed_by: None,
            shut: None,
            cut_off: false,
            withheld: None,
        }
    }
}

/// Gates that are shut because their guard is not there.
struct Gate {
    shut: Shut,
    /// Only those of these events; all when empty.
    events: Vec<EventId>,
}

/// Holds the handlers of a session and calls them.
pub struct Dispatcher {
    lists: Vec<List>,
    next_id: AtomicU64,
    gates: RwLock<Vec<Gate>>,
    any_gate: AtomicBool,
    limits: RwLock<Limits>,
    running: Mutex<Vec<call::Entry>>,
    /// Observers that were left behind and are still at work: they are not called again before they are done.
    left_behind: Arc<Mutex<HashSet<u64>>>,
    any_left_behind: Arc<AtomicBool>,
    /// The session that opened this one.
    above: OnceLock<Above>,
    /// What has been reported once and would otherwise be repeated with every token.
    told: Mutex<HashSet<(u64, String)>>,
    /// One record per call.
    pub trace: Trace,
    /// What the user should know.
    pub reports: Reports,
    ui: UiSource,
}

impl Dispatcher {
    pub(crate) fn new(ui: UiSource) -> Self {
        Self {
            lists: TABLE.iter().map(|_| List::default()).collect(),
            next_id: AtomicU64::new(1),
            gates: RwLock::default(),
            any_gate: AtomicBool::new(false),
            limits: RwLock::default(),
            running: Mutex::default(),
            left_behind: Arc::default(),
            any_left_behind: Arc::default(),
            above: OnceLock::new(),
            told: Mutex::default(),
            trace: Trace::default(),
            reports: Reports::default(),
            ui,
        }
    }

    /// Sets the time limits.
    pub fn set_limits(&self, limits: Limits) {
        *self.limits.write() = limits;
    }

    /// How long one handler of a kind may take; `None` is as long as it wants.
    pub fn limit(&self, deadline: Deadline, mode: Mode) -> Option<Duration> {
        self.limits.read().hard(deadline, mode)
    }

    /// Adds a handler behind all others of its extension; it takes part from the next round on.
    pub fn add(&self, event: EventId, owner: Arc<Owner>, handler: Arc<dyn AnyHandler>, location: Arc<str>) -> u64 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.lists[event as usize].add(Registration { owner, handler, location, id });
        id
    }

    /// Removes one handler.
    pub fn remove(&self, event: EventId, id: u64) {
        self.retain(event, |registration| registration.id != id);
    }

    /// Removes every handler of an extension.
    pub fn remove_owner(&self, owner: &Arc<Owner>) {
        for row in TABLE {
            self.retain(row.id, |registration| !Arc::ptr_eq(&registration.owner, owner));
        }
    }

    /// Puts all handlers in order again, after the order of extensions changed.
    pub(crate) fn sort(&self) {
        self.lists.iter().for_each(List::sort);
    }

    fn retain(&self, event: EventId, keep: impl Fn(&Registration) -> bool) {
        self.lists[event as usize].retain(keep);
    }

    /// Whether anybody handles the event.
    #[inline]
    pub fn has_handlers(&self, event: EventId) -> bool {
        self.lists[event as usize].is_listening()
    }

    /// The handlers of an event in the order they are called.
    pub fn handlers(&self, event: EventId) -> Arc<[Registration]> {
        self.lists[event as usize].all()
    }

    /// Shuts every gate until the set of extensions is replaced or that one is loaded: an extension that guards them is not there.
    pub fn shut_gates(&self, extension: impl Into<Arc<str>>, why: impl Into<String>) {
        self.shut_gates_of(extension.into(), &[], HandlerError::Absent(why.into()));
    }

    /// Shuts the gates of these events, all of them when there are none; once for each extension.
    pub(crate) fn shut_gates_of(&self, extension: Arc<str>, events: &[EventId], error: HandlerError) {
        let mut gates = self.gates.write();
        gates.retain(|gate| gate.shut.extension != extension);
        gates.push(Gate { shut: Shut { extension, error }, events: events.to_vec() });
        self.any_gate.store(true, Ordering::Release);
    }

    /// Opens the gates that the absence of one extension shut.
    pub(crate) fn open_gates_of(&self, extension: &str) {
        let mut gates = self.gates.write();
        gates.retain(|gate| *gate.shut.extension != *extension);
        self.any_gate.store(!gates.is_empty(), Ordering::Release);
    }

    /// Opens the gates that absent extensions shut, and shuts those of `absent`, in one step: there is no moment in which
    /// a gate of both is open. Each has its name, the events of its gates, all when there are none, and why.
    pub(crate) fn replace_gates(&self, absent: Vec<(Arc<str>, Vec<EventId>, HandlerError)>) {
        let mut gates = self.gates.write();
        gates.clear();
        for (extension, events, error) in absent {
            gates.push(Gate { shut: Shut { extension, error }, events });
        }
        self.any_gate.store(!gates.is_empty(), Ordering::Release);
    }

    /// Whether an extension that guarded this event is not there, so that its gate is shut also without handlers.
    pub fn lacks_guard(&self, event: EventId) -> bool {
        self.any_gate.load(Ordering::Acquire) && self.gates.read().iter().any(|gate| gate.events.contains(&event))
    }

    /// The gates that are shut because an extension is not there: which one, the events, and why.
    pub fn absent_guards(&self) -> Vec<(Shut, Vec<EventId>)> {
        let of = |gate: &Gate| match gate.events.is_empty() {
            true => TABLE.iter().filter(|row| row.failure == Failure::Block).map(|row| row.id).collect(),
            false => gate.events.clone(),
        };
        self.gates.read().iter().map(|gate| (gate.shut.clone(), of(gate))).collect()
    }

    fn has_shut_gates(&self) -> bool {
        self.any_gate.load(Ordering::Acquire)
    }

    fn shut_gate(&self, event: EventId) -> Option<Shut> {
        let gates = self.gates.read();
        // What only some dialects can forbid is no gate unless one of them held it.
        let is_gate = event.row().failure == Failure::Block;
        let gate = gates.iter().find(|gate| (gate.events.is_empty() && is_gate) || gate.events.contains(&event))?;
        Some(gate.shut.clone())
    }

    /// Calls the handlers of `E`. The payload is built only when there are any; otherwise this costs next to
    /// nothing.
    pub async fn dispatch<E: Event>(&self, scope: &Scope, payload: impl FnOnce() -> E::Payload) -> Dispatched<E> {
        self.dispatch_with::<E>(scope, payload, |_, _| {}).await
    }

    /// As [`Dispatcher::dispatch`]; `after_each` brings the payload up to date after every result, and knows whose it was.
    pub async fn dispatch_with<E: Event>(
        &self,
        scope: &Scope,
        payload: impl FnOnce() -> E::Payload,
        after_each: impl FnMut(&mut E::Payload, &Registration),
    ) -> Dispatched<E> {
        match self.above.get() {
            Some(above) if E::ID.row().inherited => self.dispatch_up::<E>(above, scope, payload, after_each).await,
            _ => self.dispatch_here::<E>(scope, payload, after_each, None).await,
        }
    }

    /// Calls the handlers of this session.
    async fn dispatch_here<E: Event>(
        &self,
        scope: &Scope,
        payload: impl FnOnce() -> E::Payload,
        after_each: impl FnMut(&mut E::Payload, &Registration),
        asked: Option<&mut Asked>,
    ) -> Dispatched<E> {
        let event = E::ID;
        // Before the gates are looked at: a guard shuts them before its handlers are gone.
        let handlers = self.has_handlers(event).then(|| self.handlers(event));
        if self.any_gate.load(Ordering::Acquire)
            && let Some(shut) = self.shut_gate(event)
        {
            return Dispatched { shut: Some(shut), ..Dispatched::untouched() };
        }
        let Some(mut handlers) = handlers else { return Dispatched::untouched() };
        if let Some(asked) = &asked {
            handlers = asked.remaining(handlers);
        }
        if handlers.is_empty() {
            return Dispatched::untouched();
        }
        self.round::<E>(scope, &handlers, payload(), after_each, asked).await
    }

    async fn round<E: Event>(
        &self,
        scope: &Scope,
        handlers: &[Registration],
        payload: E::Payload,
        mut after_each: impl FnMut(&mut E::Payload, &Registration),
        mut asked: Option<&mut Asked>,
    ) -> Dispatched<E> {
        let mut done = Dispatched::<E> { payload: Some(payload), ..Dispatched::untouched() };
        let mut budget = Budget::new(&self.limits.read(), scope.host.mode());
        let mut groups: Vec<&[Registration]> =
            handlers.chunk_by(|a, b| std::ptr::eq(a.owner.dialect, b.owner.dialect)).collect();
        if E::ID.row().nesting == Nesting::Outward {
            groups.reverse();
        }
        for group in groups {
            let Some(terms) = group.first().and_then(|first| Terms::of(first.owner.dialect, E::ID)) else { continue };
            let Some(current) = done.payload.take() else { break };
            let occasion = E::ID.row().occasion(&current);
            let part = terms.rule.part(occasion);
            let group = called(group, part, occasion);
            let mut folding = Folding::<E>::new(terms, current, done.output.take());
            let mut last = None;
            let (mut at, mut most) = (0, usize::MAX);
            while let Some(rest) = group.get(at..).filter(|rest| !rest.is_empty()) {
                if self.is_left_behind(rest[0].id) {
                    at += 1;
                    continue;
                }
                let handlers = &rest[..self.neighbours(rest, terms.rule, most)];
                let span = handler_span(&handlers[0], E::ID);
                let views: [&dyn AnyPayload; 1] = [folding.view()];
                let call = self.call(scope, (handlers, 0), &views, E::ID, &mut budget, terms.rule);
                let answered = call.instrument(span.clone()).await;
                self.said_nothing(E::ID, handlers.iter().zip(&answered.quiet));
                let registration = &handlers[answered.quiet.len()];
                let called = answered.quiet.len() + 1;
                at += called;
                most = if called == handlers.len() { most.saturating_mul(2) } else { (2 * called).max(VISIT) };
                if matches!(occasion, Occasion::Beginning | Occasion::Renewal) {
                    handlers[..=answered.quiet.len()].iter().for_each(|handler| handler.owner.set_begun());
                }
                let answer = answered.answer.and_then(|any| match part {
                    Part::Full => parse_output::<E>(any, folding.payload(), &terms, |remark| {
                        self.remark(registration, E::ID, &terms, &remark);
                    }),
                    Part::Observe | Part::Skip => Ok(None),
                });
                if let Some(asked) = asked.as_deref_mut() {
                    asked.answered(handlers.iter().take(called));
                }
                let (outcome, changes) = match answer {
                    Ok(None) => (TraceOutcome::Nothing, Changes::none()),
                    Ok(Some(mut output)) => {
                        output.attribute(&registration.owner);
                        let (changes, stop) = folding.step(output, |payload| after_each(payload, registration));
                        last = Some(&registration.owner);
                        if changes.any() {
                            done.changed_by = Some(Arc::clone(&registration.owner));
                            if let Some(asked) = asked.as_deref_mut() {
                                asked.changed(&registration.owner);
                            }
                        }
                        if stop {
                            done.stopped_by = Some(Arc::clone(&registration.owner));
                        }
                        (if stop { TraceOutcome::Stopped } else { TraceOutcome::Result }, changes)
                    }
                    Err(error) => {
                        let kind = error.kind();
                        done.cut_off |= matches!(error, HandlerError::Aborted);
                        if E::ID.row().withholds && part == Part::Full && error.is_cut_off() && done.withheld.is_none()
                        {
                            let extension = Arc::clone(&registration.owner.path);
                            done.withheld = Some(Shut { extension, error: error.clone() });
                        }
                        self.failed(registration, E::ID, terms.rule, error, &mut done.shut);
                        (TraceOutcome::Failed(kind), Changes::none())
                    }
                };
                span.record("outcome", outcome.name());
                self.trace.record(&registration.owner, E::ID, answered.took, outcome, changes);
                // Once the round is cancelled, observers are still called but nobody waits for them; a gate asks no more.
                let cut = scope.cancel.is_cancelled() && terms.rule.failure == Failure::Block;
                if done.stopped_by.is_some() || done.shut.is_some() || cut {
                    break;
                }
            }
            let (payload, output) = folding.finish();
            if let Some(asked) = asked.as_deref_mut() {
                asked.finished(terms.rule, last);
            }
            // What a group comes to may end the round although none of its results did.
            if done.stopped_by.is_none() && output.as_ref().is_some_and(Output::stops) {
                done.stopped_by = last.cloned();
            }
            done.payload = Some(payload);
            done.output = output;
            if done.stopped_by.is_some() || done.shut.is_some() {
                break;
            }
        }
        // A gate must not be passed because the round was cut short before everybody was asked.
        if scope.cancel.is_cancelled() && E::ID.row().failure == Failure::Block && done.shut.is_none() {
            done.shut = Some(Shut { extension: Arc::from(""), error: HandlerError::Aborted });
        }
        done
    }

    /// Notes the calls on the way of a visit.
    fn said_nothing<'a>(&self, event: EventId, calls: impl Iterator<Item = (&'a Registration, &'a Quiet)>) {
        self.trace.record_quiet(
            event,
            calls.map(|(registration, quiet)| {
                handler_span(registration, event).record("outcome", TraceOutcome::Nothing.name());
                (&registration.owner, *quiet)
            }),
        );
    }

    fn failed(
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

    /// Whether this was said about this handler before; from now on it was.
    fn was_told(&self, registration: &Registration, what: String) -> bool {
        !self.told.lock().insert((registration.id, what))
    }

    fn is_left_behind(&self, registration: u64) -> bool {
        self.any_left_behind.load(Ordering::Acquire) && self.left_behind.lock().contains(&registration)
    }

    /// Tells the author of a handler, once, what has no effect.
    fn remark(&self, registration: &Registration, event: EventId, terms: &Terms, remark: &Remark<'_>) {
        let nearest = |name: &str| {
            let known = event.row().output_fields().into_iter().flatten().map(String::as_str);
            crate::table::nearest(name, known.filter(|name| terms.rule.counts(name)))
        };
        let (told, kind) = match remark {
            Remark::Unknown(name) => {
                let (nearest, name) = (nearest(name).map(str::to_owned), (*name).to_owned());
                (format!("unknown field {name}"), ReportKind::UnknownName { what: "result field", name, nearest })
            }
            Remark::Undecided(name) => {
                let hint = nearest(name).map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default();
                let text = format!(
                    "answered with the unknown field `{name}` and with no field of `{}`, so it blocked nothing{hint}",
                    terms.rule.name
                );
                (text.clone(), ReportKind::Diagnostic(text))
            }
            Remark::Idle(field) => {
                let text = format!("changed `{field}` in place, which has no effect in {}", terms.dialect.title);
                (text.clone(), ReportKind::Diagnostic(text))
            }
            Remark::Meant(text) => ((*text).to_owned(), ReportKind::Diagnostic((*text).to_owned())),
            Remark::LeftOut(text) => {
                ((*text).to_owned(), ReportKind::Error { message: (*text).to_owned(), stack: None })
            }
        };
        if self.was_told(registration, told) {
            return;
        }
        self.reports.send(&Report {
            extension: Arc::clone(&registration.owner.path),
            event: terms.rule.name.to_owned(),
            kind,
            location: Some(registration.location.to_string()),
            failures: terms.dialect.failures,
        });
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

/// What handlers are ordered by.
fn place(owner: &Owner) -> (u8, u64) {
    (owner.dialect.layer, owner.rank())
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
