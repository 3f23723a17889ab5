//! The list of settings, and what is asked to change one. Any front end shows these questions.

use serde_json::{Value, json};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError, SettingLayer};

use super::Work;
use super::change::set;
use super::words::{name_of, value_of};
use super::write::target;
use crate::shared::settings::{Kind, Resolved, Row, settings_of, shown};

/// Shows all settings until the user leaves them; a chosen one is changed.
pub(super) async fn list(work: &Work, ctx: &Ctx) -> Result<(), HandlerError> {
    loop {
        let settings = settings_of(&ctx.api()?)?;
        let rows: Vec<String> = settings.all().iter().map(Resolved::to_string).collect();
        let shown: Vec<&str> = rows.iter().map(String::as_str).collect();
        let Some(chosen) = ctx.ui().select("Settings of the suite", &shown).await else { return Ok(()) };
        let Some(at) = rows.iter().position(|row| *row == chosen) else { return Ok(()) };
        let one = &settings.all()[at];
        let Some(value) = new_value(ctx, one).await else { continue };
        if let Some(layer) = layer(work, ctx, one.row, &value).await? {
            set(work, ctx, one.row, value, layer).await?;
        }
    }
}

/// The other value of a switch, or the number that the user types.
async fn new_value(ctx: &Ctx, setting: &Resolved) -> Option<Value> {
    let row = setting.row;
    if let Kind::Switch { .. } = row.kind {
        return Some(json!(setting.value != json!(true)));
    }
    let title = format!("{}: {} ({})", row.key, row.about, row.takes());
    loop {
        let text = ctx.ui().input(&title, Some(&setting.value.to_string())).await?;
        if text.trim().is_empty() {
            return None;
        }
        match value_of(row, &text) {
            Ok(value) => return Some(value),
            Err(why) => ctx.ui().notify(&why, NotifyLevel::Warning),
        }
    }
}

/// Asks for the file in which a value is to be set.
pub(super) async fn layer(
    work: &Work,
    ctx: &Ctx,
    row: &Row,
    value: &Value,
) -> Result<Option<SettingLayer>, HandlerError> {
    let api = ctx.api()?;
    let mut layers = vec![SettingLayer::User];
    // The file of a project that is not trusted is neither read nor written.
    layers.extend(api.host()?.is_project_trusted().then_some(SettingLayer::Project));
    let mut options = Vec::with_capacity(layers.len());
    for layer in &layers {
        let target = target(&api, &work.files, row, *layer)?;
        options.push(format!("{}: {}", name_of(*layer), shown(target.path())));
    }
    let offered: Vec<&str> = options.iter().map(String::as_str).collect();
    let title = format!("Where is {} = {value} set?", row.key);
    let chosen = ctx.ui().select(&title, &offered).await;
    Ok(chosen.and_then(|chosen| options.iter().position(|option| *option == chosen)).map(|at| layers[at]))
}
