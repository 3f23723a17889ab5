//! What the program keeps for extensions beside a session.

mod settings;
mod state;

use std::sync::Arc;

use crate::action_error::ActionError;
use crate::api::Api;
use crate::owner::Owner;
use crate::registry::Hooks;

pub use settings::{SettingGuard, SettingScope, SettingSource, SettingSpec, SettingValue};
pub use state::{StateChange, StateDir, StateError, StateFile, StateScope, StateStore};

/// What the program keeps for extensions. The agent implements this; extensions reach it by [`Api`].
pub trait Services: Send + Sync {
    /// The folder of an extension's state.
    fn state(&self, extension: &Owner, scope: StateScope) -> Arc<dyn StateStore>;

    /// What the files of settings say about a setting of an extension.
    fn setting(&self, extension: &Owner, spec: &SettingSpec) -> SettingValue;
}

impl Hooks {
    /// Connects extensions with what the program keeps for them.
    pub fn serve(&self, services: Arc<dyn Services>) {
        *self.services.write() = Some(services);
    }

    pub(crate) fn services(&self) -> Result<Arc<dyn Services>, ActionError> {
        self.services.read().clone().ok_or(ActionError::Loading)
    }
}

impl Api {
    /// The folder of this extension's state, for the user or for the project that the session works in. No other extension
    /// has it.
    ///
    /// # Errors
    /// While tau starts, and when the session or the extension is gone.
    pub fn state(&self, scope: StateScope) -> Result<StateDir, ActionError> {
        self.owner().check()?;
        Ok(StateDir::new(self.hooks()?.services()?.state(self.owner(), scope)))
    }
}
