//! What the program keeps for extensions beside a session.

mod in_files;
mod settings;
mod shared;
mod state;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tau_ai::HttpSettings;

use crate::action_error::ActionError;
use crate::api::Api;
use crate::owner::Owner;
use crate::registry::Hooks;

pub use in_files::{SettingInFile, SettingLayer};
pub use settings::{SettingGuard, SettingScope, SettingSource, SettingSpec, SettingValue};
pub(crate) use shared::SharedValues;
pub use state::{StateChange, StateDir, StateError, StateFile, StateScope, StateStore};

/// The folders of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The user's settings.
    pub agent_dir: PathBuf,
    /// The settings of the project in the working directory.
    pub project_dir: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// The user's home.
    pub home: PathBuf,
}

/// What the program keeps for extensions. The agent implements this; extensions reach it by [`Api`].
pub trait Services: Send + Sync {
    /// The folder of an extension's state.
    fn state(&self, extension: &Owner, scope: StateScope) -> Arc<dyn StateStore>;

    /// What the files of settings say about a setting of an extension.
    fn setting(&self, extension: &Owner, spec: &SettingSpec) -> SettingValue;

    /// What the file of one layer says about the key of an extension with this short name.
    fn setting_in(&self, extension: &str, key: &str, layer: SettingLayer) -> SettingInFile;

    /// Sets a setting of an extension in the file of one layer, or removes it with `None`, and gives the file. Blocks while
    /// another program holds its lock.
    ///
    /// # Errors
    /// When the file may not be written, or cannot be; it is unchanged then. The text names it.
    fn set_setting(
        &self,
        extension: &str,
        key: &str,
        layer: SettingLayer,
        value: Option<Value>,
    ) -> Result<PathBuf, String>;

    /// Reads the files of settings again. Gives what is wrong with those that could not be read, with their places.
    fn read_settings_again(&self) -> Vec<String>;

    /// Where the session works.
    fn folders(&self) -> Folders;

    /// The environment variables that the session began with.
    fn variables(&self) -> BTreeMap<String, String>;

    /// How the web is reached.
    fn http(&self) -> HttpSettings;
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

    /// Where the session works. Known as soon as extensions of files register.
    ///
    /// # Errors
    /// While tau starts, and when the session is gone.
    pub fn folders(&self) -> Result<Folders, ActionError> {
        Ok(self.hooks()?.services()?.folders())
    }

    /// A copy of the environment variables that the session began with.
    ///
    /// # Errors
    /// As [`Api::folders`].
    pub fn variables(&self) -> Result<BTreeMap<String, String>, ActionError> {
        Ok(self.hooks()?.services()?.variables())
    }

    /// A copy of the variables that commands of the session find: those that it began with, as [`Api::set_variable`] changed
    /// them since.
    ///
    /// # Errors
    /// As [`Api::folders`].
    pub fn command_variables(&self) -> Result<BTreeMap<String, String>, ActionError> {
        let mut variables = self.variables()?;
        self.hooks()?.variables.apply(&mut variables);
        Ok(variables)
    }

    /// Sets a variable, or removes it with `None`, for commands that the session runs for the model and the user and for
    /// programs that its extensions start. The environment of tau itself stays as it is, and so does a variable that tau
    /// sets for good in this session.
    ///
    /// # Errors
    /// When the session is gone, and for a name or a value that no variable can have.
    pub fn set_variable(&self, name: &str, value: Option<&str>) -> Result<(), ActionError> {
        let is_possible = !name.is_empty() && !name.contains(['=', '\0']) && !value.is_some_and(|it| it.contains('\0'));
        if !is_possible {
            return Err(ActionError::Refused(format!("{name:?} cannot be set: the name or the value is not possible")));
        }
        self.owner().check()?;
        self.hooks()?.variables.set(name, value);
        Ok(())
    }

    /// How the settings say that the web is reached.
    ///
    /// # Errors
    /// As [`Api::folders`].
    pub fn http(&self) -> Result<HttpSettings, ActionError> {
        Ok(self.hooks()?.services()?.http())
    }
}
