//! `.pi-co-author`: a file of older versions of pi-config that stands for the project's setting `co_author: true`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tau_hooks::{Api, Ctx, HandlerError, SettingLayer};
use tau_sys::replace::sync_folder;

use super::{aside, write};
use crate::shared::settings::{CO_AUTHOR, Files, Row, SECTION, row, shown};

const MARKER: &str = ".pi-co-author";

/// Makes the marker the setting that it stands for, and removes it once the setting is on the disk. Gives what the user
/// should know.
///
/// # Errors
/// When the session is gone. What keeps the marker from being taken over is no error: it is given as a text.
pub(super) async fn take_over(ctx: &Ctx, files: &Arc<Files>) -> Result<Vec<String>, HandlerError> {
    let api = ctx.api()?;
    let marker = api.folders()?.cwd.join(MARKER);
    let (Some(row), true) = (row(CO_AUTHOR), api.host()?.is_project_trusted()) else { return Ok(Vec::new()) };
    let place = shown(&marker);
    let found = match marker.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Ok(vec![format!("{place}: it cannot be looked at: {error}")]),
    };
    if !found.is_file() {
        let what = if found.is_symlink() { "a symbolic link" } else { "no regular file" };
        return Ok(vec![format!(
            "{place}: it is {what}, so it is not taken over as the setting {CO_AUTHOR}; remove it, and set {CO_AUTHOR} with \
             /pi-config-settings"
        )]);
    }
    Ok(vec![match moved(&api, files, row, &marker).await {
        Ok(text) => text,
        Err(error) => format!("{place}: it is not taken over as the setting {CO_AUTHOR}: {error}"),
    }])
}

async fn moved(api: &Api, files: &Arc<Files>, row: &'static Row, marker: &Path) -> Result<String, HandlerError> {
    let place = shown(marker);
    if let Some(path) = said_by_project(api, files, row)? {
        remove(marker)?;
        return Ok(format!("{place}: removed, because {} sets {CO_AUTHOR} already", shown(&path)));
    }
    let path = write::set(api, files, row, SettingLayer::Project, json!(true)).await?;
    let (written, marker) = (path.clone(), marker.to_owned());
    aside(move || {
        // The file, and the folder that may be new.
        let file = written.canonicalize()?;
        for folder in file.ancestors().skip(1).take(2) {
            sync_folder(folder)?;
        }
        remove(&marker)
    })
    .await?;
    Ok(format!("{place}: it is the project's setting {CO_AUTHOR} in {} now, and was removed", shown(&path)))
}

/// The file of the project that says something about the setting already.
fn said_by_project(api: &Api, files: &Files, row: &Row) -> Result<Option<PathBuf>, HandlerError> {
    let own = api.setting_in(SECTION, row.key, SettingLayer::Project)?;
    if own.says.map_err(HandlerError::msg)?.is_some() {
        return Ok(Some(own.path));
    }
    let project = files.view(&api.folders()?, api.host()?.is_project_trusted()).project.clone();
    match project.unread {
        Some(why) => Err(HandlerError::msg(why)),
        None => Ok(project.fields.get(row.key).filter(|(value, _)| !value.is_null()).map(|_| project.path)),
    }
}

/// Removes the marker, unless something else stands there by now. Another session may have been faster.
fn remove(marker: &Path) -> Result<(), HandlerError> {
    let failed = |error| HandlerError::msg(format!("{}: it cannot be removed: {error}", shown(marker)));
    let removed = match marker.symlink_metadata() {
        Ok(found) if found.is_file() => std::fs::remove_file(marker),
        Ok(_) => return Ok(()),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}
