//! Setting one key in a file of the user or of the project.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tau_hooks::{Api, HandlerError, SettingLayer};
use tau_sys::lock::FileLock;
use tau_sys::replace::replace_file;
use tau_sys::within::leads_out;

use super::{aside, read_again};
use crate::shared::settings::{Document, EditError, Files, LayerFile, Row, SECTION, shown};

/// How long to wait for the lock of a file of pi-config: longer than an abandoned lock lives.
const PATIENCE: Duration = Duration::from_secs(12);

/// The file in which a key is set: the one of the layer that says something about it already and counts most, else the file
/// of pi-config if there is one, else tau's own.
pub(super) enum Target {
    /// tau's own file.
    Own(PathBuf),
    /// The file of pi-config.
    PiConfig(PathBuf),
}

impl Target {
    pub(super) fn path(&self) -> &Path {
        let (Self::Own(path) | Self::PiConfig(path)) = self;
        path
    }
}

/// The file of a layer in which a key is set.
pub(super) fn target(api: &Api, files: &Files, row: &Row, layer: SettingLayer) -> Result<Target, HandlerError> {
    let own = api.setting_in(SECTION, row.key, layer)?;
    let loaded = files.view(&api.folders()?, api.host()?.is_project_trusted());
    let LayerFile { path, exists, .. } = match layer {
        SettingLayer::User => &loaded.user,
        SettingLayer::Project => &loaded.project,
    };
    // Beside a value of tau's own file another one would not count.
    let is_own = matches!(own.says, Ok(Some(_))) || !exists;
    Ok(if is_own { Target::Own(own.path) } else { Target::PiConfig(path.clone()) })
}

/// Sets a key, and gives the file that has it now. It counts at once, as far as it may.
///
/// # Errors
/// When the project is not trusted, or the file cannot be understood, locked or written; it is unchanged then.
pub(super) async fn set(
    api: &Api,
    files: &Arc<Files>,
    row: &'static Row,
    layer: SettingLayer,
    value: Value,
) -> Result<PathBuf, HandlerError> {
    if layer == SettingLayer::Project && !api.host()?.is_project_trusted() {
        let folder = shown(&api.folders()?.project_dir);
        return Err(HandlerError::msg(format!(
            "{folder}: {} is not set, because the project is not trusted; /trust yes changes that at the next start",
            row.key
        )));
    }
    let cwd = api.folders()?.cwd;
    let path = match target(api, files, row, layer)? {
        Target::PiConfig(path) if layer == SettingLayer::Project && leads_out(&path, &cwd) => {
            return Err(HandlerError::msg(format!(
                "{}: {} is not set: a link leads out of the project, so tau does not write there",
                shown(&path),
                row.key
            )));
        }
        Target::Own(_) => api.set_setting(row.key, layer, Some(value)).await?,
        Target::PiConfig(path) => {
            let written = path.clone();
            aside(move || change(&path, row.key, &value)).await?;
            written
        }
    };
    read_again(api, files).await?;
    Ok(path)
}

/// Sets a key in a file of pi-config, while no other program that knows the lock can change it.
fn change(path: &Path, key: &str, value: &Value) -> Result<(), HandlerError> {
    let failed = |why: String| HandlerError::msg(format!("{}: {key} is not set: {why}", shown(path)));
    let lock = FileLock::acquire(path, PATIENCE).map_err(|error| failed(error.to_string()))?;
    let bytes = tau_tools::read_small_file(path).map_err(|error| failed(format!("it cannot be read: {error}")))?;
    let document = Document::read(&bytes)
        .map_err(|problem| HandlerError::msg(format!("{}:{problem}; {key} is not set", shown(path))))?;
    let text = document.with(key, value).map_err(|error: EditError| failed(error.to_string()))?;
    if text.as_bytes() == bytes {
        return Ok(());
    }
    lock.verify().map_err(|error| failed(error.to_string()))?;
    replace_file(path, text.as_bytes()).map_err(|error| failed(format!("it cannot be written: {error}")))
}
