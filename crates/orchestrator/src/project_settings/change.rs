//! Setting a value for the user, and saying what came of it.

use serde_json::Value;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError, SettingLayer};

use super::words::name_of;
use super::{Work, write};
use crate::shared::say::{of_command, refuse};
use crate::shared::settings::{Resolved, Row, Says, Source, settings_of, shown};

/// The name of the command.
pub(super) const COMMAND: &str = "pi-config-settings";

/// What counts of one setting, and what each place says.
pub(super) fn resolved(ctx: &Ctx, row: &Row) -> Result<Resolved, HandlerError> {
    let settings = settings_of(&ctx.api()?)?;
    settings.get(row.key).cloned().ok_or_else(|| HandlerError::msg(format!("{} is not a setting", row.key)))
}

/// Sets a value, and says where it is now and whether it counts.
pub(super) async fn set(
    work: &Work,
    ctx: &Ctx,
    row: &'static Row,
    value: Value,
    layer: SettingLayer,
) -> Result<(), HandlerError> {
    let path = match write::set(&ctx.api()?, &work.files, row, layer, value.clone()).await {
        Ok(path) => path,
        Err(error) => return refuse(ctx, &error.to_string(), NotifyLevel::Error),
    };
    let now = resolved(ctx, row)?;
    let text = format!("{} = {value} is set in {} file {}", row.key, owner_of(layer), shown(&path));
    let is_here = |source: &Source| match source {
        Source::UserFile(file) | Source::ProjectFile(file) => *file == path,
        Source::Default | Source::Variable(_) => false,
    };
    if is_here(&now.source) {
        return say(ctx, &text, NotifyLevel::Info);
    }
    let refused = now.said.iter().find_map(|said| match &said.says {
        Says::Refused(_, why) if is_here(&said.source) => Some(*why),
        _ => None,
    });
    let why = refused.map_or_else(|| format!("{} says {}", now.source, now.value), str::to_owned);
    say(ctx, &format!("{text}\nIt does not count here: {why}"), NotifyLevel::Warning)
}

fn owner_of(layer: SettingLayer) -> String {
    match layer {
        SettingLayer::User => "your".to_owned(),
        SettingLayer::Project => format!("the {}'s", name_of(layer)),
    }
}

/// Says something where the user sees it.
pub(super) fn say(ctx: &Ctx, text: &str, level: NotifyLevel) -> Result<(), HandlerError> {
    crate::shared::say::say(ctx, &of_command(COMMAND), text, level)
}
