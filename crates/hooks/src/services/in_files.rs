//! Settings of extensions as each file has them, for extensions that put other places beside the files.

use std::path::PathBuf;

use serde_json::Value;

use crate::action_error::ActionError;
use crate::api::Api;

/// One of the two files of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SettingLayer {
    /// The user's, for all projects.
    User,
    /// The project's.
    Project,
}

/// What one file says about a setting. Neither its schema nor its guard has been asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingInFile {
    /// The file, which may not exist.
    pub path: PathBuf,
    /// The value, if there is one; or why the file as a whole is not used.
    pub says: Result<Option<Value>, String>,
}

impl Api {
    /// What the file of one layer says about the key of an extension with this short name, whether it is loaded or not.
    ///
    /// # Errors
    /// While tau starts, and when the session or the extension is gone.
    pub fn setting_in(&self, extension: &str, key: &str, layer: SettingLayer) -> Result<SettingInFile, ActionError> {
        self.owner().check()?;
        Ok(self.hooks()?.services()?.setting_in(extension, key, layer))
    }

    /// Sets a setting that this extension declared in the file of one layer, or removes it with `None`, and gives the file.
    /// The rest of the file stays, and the value counts at once.
    ///
    /// # Errors
    /// When it was not declared or the value does not fit; when the project is not trusted; when the file cannot be understood,
    /// locked or written, in which case it is unchanged; and as [`Api::setting`].
    pub async fn set_setting(
        &self,
        key: &str,
        layer: SettingLayer,
        value: Option<Value>,
    ) -> Result<PathBuf, ActionError> {
        self.owner().check()?;
        let spec = self.declared_setting(key)?;
        let complaints = value.as_ref().map(|value| spec.complaints(value)).unwrap_or_default();
        if !complaints.is_empty() {
            return Err(ActionError::Refused(format!("{key} cannot be set: {}", complaints.join("; "))));
        }
        let (services, extension) = (self.hooks()?.services()?, self.owner().name.clone());
        let write = move || services.set_setting(&extension, &spec.key, layer, value);
        match tokio::task::spawn_blocking(write).await {
            Ok(done) => done.map_err(ActionError::Refused),
            // A panic of it is one of the caller; without a panic the program ends.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(error) => Err(ActionError::Refused(error.to_string())),
        }
    }

    /// Reads the files of settings again, as after a change of them. Gives what is wrong with those that could not be read,
    /// with their places; their last values stay.
    ///
    /// # Errors
    /// As [`Api::setting_in`].
    pub fn read_settings_again(&self) -> Result<Vec<String>, ActionError> {
        self.owner().check()?;
        Ok(self.hooks()?.services()?.read_settings_again())
    }
}
