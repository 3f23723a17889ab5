//! An extension that runs in the engine.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::runtime::Handle;

use tau_hooks::{ActionError, Api, Hooks, Owner, Registrar, Report};
use tau_mcp::extension::GivenConfig;

use crate::engine::ExtensionId;

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
    /// Its modules, by which code is blamed. An extension that began anew for another session has those of before.
    pub(crate) modules: ExtensionId,
    /// Where its factory is, once that is known.
    pub(crate) place: Place,
    hooks: Weak<Hooks>,
    /// The threads the session runs on.
    pub(crate) runtime: Handle,
    /// The MCP servers that it names in place of the files.
    pub(super) mcp_config: GivenConfig,
}

impl Extension {
    /// An extension whose factory is about to run.
    pub(crate) fn new(hooks: &Arc<Hooks>, registrar: Registrar, modules: ExtensionId, runtime: Handle) -> Self {
        let api = registrar.api();
        Self {
            owner: Arc::clone(api.owner()),
            api,
            registrar: RefCell::new(Some(registrar)),
            modules,
            place: Place::default(),
            hooks: Arc::downgrade(hooks),
            runtime,
            mcp_config: GivenConfig::default(),
        }
    }

    /// The same code on behalf of an extension that is loaded now.
    pub(super) fn as_owner(&self, hooks: &Arc<Hooks>, owner: &Arc<Owner>) -> Self {
        Self {
            owner: Arc::clone(owner),
            api: hooks.api(owner),
            registrar: RefCell::new(None),
            modules: self.modules,
            place: Place::default(),
            hooks: Arc::downgrade(hooks),
            runtime: self.runtime.clone(),
            mcp_config: GivenConfig::default(),
        }
    }

    /// Whether the factory is still running.
    pub(crate) fn is_loading(&self) -> bool {
        self.registrar.borrow().is_some()
    }

    /// Why an action was refused, in the words of the extension's dialect.
    pub(crate) fn refusal(&self, action: &str, error: &ActionError) -> String {
        match (error, self.owner.dialect.script.not_ready) {
            (ActionError::Loading, Some(not_ready)) => format!("{action}{not_ready}"),
            _ => error.to_string(),
        }
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
