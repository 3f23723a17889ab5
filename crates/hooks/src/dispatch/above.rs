//! Gates of a child session: what its own extensions let through is asked of the sessions above it, too.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use super::{Dispatched, Dispatcher, Registration, Scope, Shut};
use crate::context::Host;
use crate::dialect::Rule;
use crate::events::EventId;
use crate::handler::{HandlerError, Owner};
use crate::hooks::Hooks;
use crate::table::{Event, Fold};

/// The session that opened a child.
#[derive(Clone)]
pub(crate) struct Above {
    hooks: Weak<Hooks>,
    /// What the child is called.
    name: Arc<str>,
}

impl Above {
    pub(crate) fn new(hooks: &Arc<Hooks>, name: &Arc<str>) -> Self {
        Self { hooks: Arc::downgrade(hooks), name: Arc::clone(name) }
    }

    /// What the child is called.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The hooks of that session, as long as its gates can be asked.
    fn open(&self) -> Result<Arc<Hooks>, Shut> {
        let hooks = self.hooks.upgrade().ok_or_else(|| closed(ENDED))?;
        hooks.check_open()?;
        Ok(hooks)
    }
}

const ENDED: &str = "the parent session has ended";

fn closed(why: &str) -> Shut {
    let text = format!("Blocked: {why}, so nobody can ask its gates");
    Shut { extension: Arc::from("<parent session>"), error: HandlerError::msg(text) }
}

impl Hooks {
    /// Fails unless the gates can be asked by somebody else than the session itself.
    fn check_open(&self) -> Result<(), Shut> {
        match (self.is_ended(), self.is_loading()) {
            (true, _) => Err(closed(ENDED)),
            (false, true) => Err(closed("the parent session is loading its extensions")),
            (false, false) => Ok(()),
        }
    }

    /// The session, for somebody who asks its gates about what another one does.
    ///
    /// # Errors
    /// When its gates cannot be asked, because it has ended or loads its extensions.
    pub fn open_host(&self) -> Result<Arc<dyn Host>, Shut> {
        self.check_open()?;
        self.host().map_err(|_| closed("the parent session is not there yet"))
    }
}

/// Which extensions of the sessions above need no question, because their copies were asked in a session below.
pub(super) struct Asked {
    /// The code of those that saw the payload as it is now.
    code: HashSet<Arc<str>>,
    /// The code that listens somewhere above.
    above: HashSet<Arc<str>>,
}

impl Asked {
    /// Nobody was asked; `above` are the sessions that are asked later.
    fn new(event: EventId, above: &[Arc<Hooks>]) -> Self {
        let listening = above.iter().flat_map(|hooks| hooks.dispatcher.handlers(event).to_vec());
        let above = listening.filter_map(|handler| handler.owner.code().cloned()).collect();
        Self { code: HashSet::new(), above }
    }

    /// Those who were not asked yet.
    pub(super) fn remaining(&self, handlers: Arc<[Registration]>) -> Arc<[Registration]> {
        let was_asked = |handler: &Registration| handler.owner.code().is_some_and(|code| self.code.contains(code));
        match handlers.iter().any(was_asked) {
            true => handlers.iter().filter(|handler| !was_asked(handler)).cloned().collect(),
            false => handlers,
        }
    }

    /// These handlers were called. Whether they could decide does not matter: a gate whose handler fails stays shut.
    pub(super) fn answered<'a>(&mut self, handlers: impl Iterator<Item = &'a Registration>) {
        let code = handlers.filter_map(|handler| handler.owner.code());
        self.code.extend(code.filter(|code| self.above.contains(*code)).cloned());
    }

    /// An extension changed the payload. When no session above has it, those who were asked before have not seen what came
    /// out of it.
    pub(super) fn changed(&mut self, owner: &Owner) {
        if !owner.code().is_some_and(|code| self.above.contains(code)) {
            self.code.clear();
        }
    }

    /// The same after a group, where results take effect when all of it was called.
    pub(super) fn finished(&mut self, rule: Rule, last: Option<&Arc<Owner>>) {
        if let (Fold::LastObject | Fold::FirstKept, Some(owner)) = (rule.fold, last) {
            self.changed(owner);
        }
    }
}

impl Dispatcher {
    /// From now on what is [inherited](crate::EventRow::inherited) is also asked of the session above.
    pub(crate) fn set_above(&self, above: Above) {
        // A session is opened once, by one other session.
        if self.above.set(above).is_err() {
            tau_ai::broken("a session was made the child of a second one");
        }
    }

    /// What the session is called, when another one opened it.
    pub(crate) fn child_name(&self) -> Option<&Arc<str>> {
        self.above.get().map(Above::name)
    }

    /// All sessions above, the nearest first.
    fn all_above(&self) -> Result<Vec<Arc<Hooks>>, Shut> {
        let mut all = Vec::new();
        let mut next = self.above.get().cloned();
        while let Some(above) = next {
            let hooks = above.open()?;
            next = hooks.dispatcher.above.get().cloned();
            all.push(hooks);
        }
        Ok(all)
    }

    /// Calls the handlers of this session, then those of the sessions above. Those above have the last word: they see the
    /// payload as it came out of the sessions below, and what they say replaces what was said there.
    pub(super) async fn dispatch_up<E: Event>(
        &self,
        first: &Above,
        scope: &Scope,
        payload: impl FnOnce() -> E::Payload,
        after_each: impl FnMut(&mut E::Payload, &Registration),
    ) -> Dispatched<E> {
        let shut = |shut| Dispatched { shut: Some(shut), ..Dispatched::untouched() };
        let all = match self.all_above() {
            Ok(all) => all,
            Err(closed) => return shut(closed),
        };
        let here_or_above = std::iter::once(self).chain(all.iter().map(|hooks| &*hooks.dispatcher));
        if !here_or_above.clone().any(|one| one.has_handlers(E::ID) || one.has_shut_gates()) {
            return Dispatched::untouched();
        }
        let mut current = payload();
        let mut asked = Asked::new(E::ID, &all);
        let mut done = self.dispatch_here::<E>(scope, || current.clone(), after_each, Some(&mut asked)).await;
        let mut above = first.clone();
        for (at, hooks) in all.iter().enumerate() {
            if done.shut.is_some() || (E::ID.row().fold == Fold::FirstBlock && done.stopped_by.is_some()) {
                return done;
            }
            // It may have ended while others were asked.
            if let Err(closed) = above.open() {
                done.shut = Some(closed);
                return done;
            }
            if let Some(changed) = &done.payload {
                current.clone_from(changed);
            }
            asked.above = Asked::new(E::ID, &all[at + 1..]).above;
            let said =
                hooks.dispatcher.dispatch_here::<E>(scope, || current.clone(), |_, _| {}, Some(&mut asked)).await;
            done.payload = said.payload.or(done.payload);
            done.output = said.output.or(done.output);
            done.stopped_by = said.stopped_by.or(done.stopped_by);
            done.changed_by = said.changed_by.or(done.changed_by);
            done.withheld = said.withheld.or(done.withheld);
            done.cut_off |= said.cut_off;
            done.shut = said.shut;
            match hooks.dispatcher.above.get() {
                Some(next) => above = next.clone(),
                None => break,
            }
        }
        done
    }
}
