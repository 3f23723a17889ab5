//! `/pi-config-settings`: shows the settings of the suite, says where a value comes from, and sets one.

use std::sync::Arc;

use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Command, Ctx, HandlerError, SettingLayer};

use super::change::{COMMAND, resolved, say, set};
use super::words::{Wanted, complete, read};
use super::{Work, ask};
use crate::shared::say::refuse;
use crate::shared::settings::{Resolved, settings_of};

/// The command.
pub(super) fn command(work: &Arc<Work>) -> Command {
    let work = Arc::clone(work);
    Command {
        name: COMMAND.to_owned(),
        description: Some("Show and change the settings of the suite".to_owned()),
        handler: Arc::new(move |args, ctx| {
            let work = Arc::clone(&work);
            Box::pin(async move { run(&work, &ctx, &args).await })
        }),
        completer: Some(Arc::new(|text| Box::pin(async move { Ok(complete(&text)) }))),
    }
}

async fn run(work: &Work, ctx: &Ctx, args: &str) -> Result<(), HandlerError> {
    match read(args) {
        Ok(Wanted::All) if ctx.has_ui() => ask::list(work, ctx).await,
        Ok(Wanted::All) => {
            let settings = settings_of(&ctx.api()?)?;
            let lines: Vec<String> = settings.all().iter().map(Resolved::to_string).collect();
            say(ctx, &lines.join("\n"), NotifyLevel::Info)
        }
        Ok(Wanted::Why(row)) => say(ctx, &resolved(ctx, row)?.explained(), NotifyLevel::Info),
        Ok(Wanted::Set(row, value, layer)) => {
            let layer = match layer {
                None if ctx.has_ui() => ask::layer(work, ctx, row, &value).await?,
                None => Some(SettingLayer::User),
                layer => layer,
            };
            match layer {
                Some(layer) => set(work, ctx, row, value, layer).await,
                None => Ok(()),
            }
        }
        Err(why) => refuse(ctx, &why, NotifyLevel::Warning),
    }
}
