//! An extension that runs in the engine.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::runtime::Handle;

use tau_hooks::{ActionError, Api, Hooks, Owner, Registrar, Report};

/// `file:line:column`; asked for by the thread that waits for the factory.
pub(crate) type Place = Arc<Mutex<Option<String>>>;

/// What the engine's thread knows of an extension.
pub(crate) struct Extension {
    /// Who it is.
    pub(crate) owner: Arc<Owner>,
    /// What it can do in the session.
    pub(crate) api: Api,
    /// Takes registrations while the factory runs; `None` from then on.
    pub(crate) registrar: RefCell<Option<Registrar>>,
    /// Where its factory is, once that is known.
    pub(crate) place: Place,
    hooks: Weak<Hooks>,
    /// The threads the session runs on.
    pub(crate) runtime: Handle,
}

impl Extension {
    /// An extension whose factory is about to run.
    pub(crate) fn new(hooks: &Arc<Hooks>, registrar: Registrar, place: Place, runtime: Handle) -> Self {
        let api = registrar.api();
        Self {
            owner: Arc::clone(api.owner()),
            api,
            registrar: RefCell::new(Some(registrar)),
            place,
            hooks: Arc::downgrade(hooks),
            runtime,
        }
    }

    /// Whether the factory is still running.
    pub(crate) fn is_loading(&self) -> bool {
        self.registrar.borrow().is_some()
    }

    /// The session's hooks.
    pub(crate) fn hooks(&self) -> Result<Arc<Hooks>, ActionError> {
        self.hooks.upgrade().ok_or(ActionError::Stale)
    }

    /// Tells the user of something.
    pub(crate) fn report(&self, report: &Report) {
        if let Some(hooks) = self.hooks.upgrade() {
            hooks.dispatcher.reports.send(report);
        }
    }
}
