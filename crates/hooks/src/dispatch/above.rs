//! Gates of a child session: what its own extensions let through is asked of the sessions above it, too.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use super::done::Done;
use super::{Dispatcher, Registration, Scope, Shut};
use crate::dialect::Rule;
use crate::error::HandlerError;
use crate::events::EventId;
use crate::fold::AnyFolding;
use crate::owner::Owner;
use crate::table::Inherited;

/// Who listens to an event.
pub(super) enum Listeners {
    /// Handlers of this session.
    Here(Arc<[Registration]>),
    /// Handlers of this session or of those above, all of which are asked.
    Family(Family),
}

/// The sessions above that are asked.
pub(super) struct Family {
    nearest: Above,
    /// All of them, the nearest first.
    all: Vec<Arc<dyn Parent>>,
}

/// A session whose gates are asked about what its children do.
pub(crate) trait Parent: Send + Sync {
    /// Calls its handlers.
    fn dispatcher(&self) -> &Dispatcher;

    /// Fails unless its gates can be asked by somebody else than the session itself.
    fn check_open(&self) -> Result<(), Shut>;

    /// Where it works and which extensions it has.
    fn scene(&self) -> Scene;
}

/// What the extensions of a session depend on beside their own code. In another folder, or beside other extensions, the same
/// gate may decide otherwise.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scene {
    pub(crate) cwd: Option<PathBuf>,
    /// The code of the extensions, as far as they have one.
    pub(crate) code: BTreeSet<Arc<str>>,
}

/// The session that opened a child.
#[derive(Clone)]
pub(crate) struct Above {
    /// The child.
    below: Weak<dyn Parent>,
    session: Weak<dyn Parent>,
    /// What the child is called.
    name: Arc<str>,
}

impl Above {
    pub(crate) fn new(below: Weak<dyn Parent>, session: Weak<dyn Parent>, name: &Arc<str>) -> Self {
        Self { below, session, name: Arc::clone(name) }
    }

    /// What the child is called.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// That session, as long as its gates can be asked.
    fn open(&self) -> Result<Arc<dyn Parent>, Shut> {
        let session = self.session.upgrade().ok_or_else(|| Shut::parent("has ended"))?;
        session.check_open()?;
        Ok(session)
    }
}

impl Shut {
    /// The gates of the parent session cannot be asked, because of its state.
    pub(crate) fn parent(state: &str) -> Self {
        let text = format!("Blocked: the parent session {state}, so nobody can ask its gates");
        Self { extension: Arc::from("<parent session>"), error: HandlerError::msg(text) }
    }
}

/// Which extensions of the sessions above need no question, because their copies were asked in a session below.
pub(super) struct Asked {
    /// How many handlers of some code saw the payload as it is now, in the session below that asked most of them.
    below: HashMap<Arc<str>, usize>,
    /// The same in the session that is being asked.
    here: HashMap<Arc<str>, usize>,
    /// The code that listens somewhere above.
    above: HashSet<Arc<str>>,
}

impl Asked {
    /// Nobody was asked; `above` are the sessions that are asked later.
    fn new(event: EventId, above: &[Arc<dyn Parent>]) -> Self {
        let listening = above.iter().flat_map(|session| session.dispatcher().handlers(event).to_vec());
        let above = listening.filter_map(|handler| handler.owner.code().cloned()).collect();
        Self { below: HashMap::new(), here: HashMap::new(), above }
    }

    /// Those of the next session who were not asked yet. An extension that has more handlers there than its copy has below
    /// is asked: it has a gate that the copy lacks, such as one that a command of the user added.
    pub(super) fn remaining(&mut self, handlers: Arc<[Registration]>) -> Arc<[Registration]> {
        for (code, count) in self.here.drain() {
            let most = self.below.entry(code).or_default();
            *most = count.max(*most);
        }
        if self.below.is_empty() {
            return handlers;
        }
        let mut there: HashMap<&Arc<str>, usize> = HashMap::new();
        for code in handlers.iter().filter_map(|handler| handler.owner.code()) {
            *there.entry(code).or_default() += 1;
        }
        let was_asked = |handler: &Registration| {
            let code = handler.owner.code();
            code.is_some_and(|code| self.below.get(code).is_some_and(|asked| *asked >= there[code]))
        };
        if handlers.iter().any(was_asked) {
            handlers.iter().filter(|handler| !was_asked(handler)).cloned().collect()
        } else {
            handlers.clone()
        }
    }

    /// These handlers were called. Whether they could decide does not matter: a gate whose handler fails stays shut.
    pub(super) fn answered(&mut self, handlers: &[Registration]) {
        let handlers = handlers.iter().filter(|handler| !handler.handler.is_over());
        for code in handlers.filter_map(|handler| handler.owner.code()).filter(|code| self.above.contains(*code)) {
            *self.here.entry(Arc::clone(code)).or_default() += 1;
        }
    }

    /// The next session that is asked works elsewhere or has other extensions, so no copy below speaks for its gates.
    fn forget(&mut self) {
        self.below.clear();
        self.here.clear();
    }

    /// An extension changed the payload. When no session above has it, those who were asked before have not seen what came
    /// out of it.
    pub(super) fn changed(&mut self, owner: &Owner) {
        if !owner.code().is_some_and(|code| self.above.contains(code)) {
            self.forget();
        }
    }

    /// The same after a group, where results take effect when all of it was called.
    pub(super) fn finished(&mut self, rule: Rule, last: Option<&Arc<Owner>>) {
        if let Some(owner) = last.filter(|_| rule.fold.applies_at_end()) {
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
    fn all_above(&self) -> Result<Vec<Arc<dyn Parent>>, Shut> {
        let mut all = Vec::new();
        let mut next = self.above.get().cloned();
        while let Some(above) = next {
            let session = above.open()?;
            next = session.dispatcher().above.get().cloned();
            all.push(session);
        }
        Ok(all)
    }

    /// Who listens in this session and in those above.
    pub(super) fn listeners_up(&self, first: &Above, event: EventId) -> Result<Option<Listeners>, Shut> {
        let all = self.all_above()?;
        let mut here_or_above = std::iter::once(self).chain(all.iter().map(|session| session.dispatcher()));
        let any = here_or_above.any(|one| one.has_handlers(event) || one.has_shut_gates());
        Ok(any.then(|| Listeners::Family(Family { nearest: first.clone(), all })))
    }

    /// Calls the handlers of this session, then those of the sessions above. Those above have the last word: they see the
    /// payload as it came out of the sessions below, and what they say replaces what was said there.
    pub(super) async fn ask_up(
        &self,
        scope: &Scope,
        event: EventId,
        family: Family,
        folding: &mut dyn AnyFolding,
    ) -> Done {
        let Family { nearest: mut above, all } = family;
        let mut asked = Asked::new(event, &all);
        let mut done = self.ask_next(scope, event, folding, &mut asked).await;
        let mut scene = above.below.upgrade().map(|session| session.scene());
        // What is noted of the gates above is about this session.
        let elsewhere = Scope { session_id: Some(scope.host.session().id().into()), ..scope.clone() };
        let is_final = event.row().inherited == Inherited::UnlessStopped;
        for (at, session) in all.iter().enumerate() {
            if done.shut.is_some() || (is_final && done.stopped_by.is_some()) {
                return done;
            }
            // It may have ended while others were asked.
            if let Err(closed) = above.open() {
                done.shut = Some(closed);
                return done;
            }
            asked.above = Asked::new(event, &all[at + 1..]).above;
            let there = Some(session.scene());
            // Where a session works may be unknown, and then nothing is the same.
            if scene != there || there.as_ref().is_none_or(|there| there.cwd.is_none()) {
                asked.forget();
            }
            scene = there;
            folding.go_up();
            let dispatcher = session.dispatcher();
            let said = dispatcher.ask_next(&elsewhere, event, folding, &mut asked).await;
            done = Done {
                called: said.called || done.called,
                stopped_by: said.stopped_by.or(done.stopped_by),
                changed_by: said.changed_by.or(done.changed_by),
                shut: said.shut,
                cut_off: said.cut_off || done.cut_off,
                withheld: said.withheld.or(done.withheld),
            };
            match dispatcher.above.get() {
                Some(next) => above = next.clone(),
                None => break,
            }
        }
        done
    }

    /// Calls the handlers of this session that were not asked in a session below.
    async fn ask_next(&self, scope: &Scope, event: EventId, folding: &mut dyn AnyFolding, asked: &mut Asked) -> Done {
        let handlers = match self.listeners_here(event) {
            Ok(Some(handlers)) => asked.remaining(handlers),
            Ok(None) => return Done::default(),
            Err(shut) => return Done::shut(shut),
        };
        if handlers.is_empty() {
            return Done::default();
        }
        self.round(scope, event, &handlers, folding, Some(asked)).await
    }
}
