//! What is printed instead of a session: the help with the flags of extensions, the list of models, a session as a page.

mod export;

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use tau_ai::Model;
use tau_launch::args::help;
use tau_launch::{FrontEnd, Launcher, Prepared, Request, Stop, Trust, models};

pub(crate) use self::export::export;
use crate::exit::Reported;
use crate::output::say;
use crate::{commands, diagnostics, one_session};

/// `--help`.
pub(crate) struct Help;

/// `--list-models`.
pub(crate) struct Models;

#[async_trait(?Send)]
impl FrontEnd for Help {
    async fn run(self: Box<Self>, launcher: &Launcher, _: Stop) -> ExitCode {
        show(launcher, async |prepared| {
            let loaded = prepared.load(Trust::Dialogs).await.map_err(|error| Reported::fail(&error))?;
            // A subcommand of tau itself comes first.
            let mut subcommands = loaded.subcommands();
            subcommands.retain(|(name, _)| !commands::is_own(name));
            Ok(help(&loaded.flags(), &subcommands))
        })
        .await
    }
}

#[async_trait(?Send)]
impl FrontEnd for Models {
    async fn run(self: Box<Self>, launcher: &Launcher, _: Stop) -> ExitCode {
        show(launcher, async |prepared| {
            let configured = one_session::configure(prepared).await?;
            let registry = configured.models();
            models::add_local(registry, configured.env(), launcher.voice()).await;
            if registry.has_available() {
                models::warn_of_unlisted(registry, launcher.voice());
            }
            let wanted = configured.cli().args.list_models.clone().unwrap_or_default();
            if !wanted.json {
                return Ok(models::list(&wanted, registry));
            }
            let listed = models::found(&wanted, registry);
            if listed.is_empty() {
                // An empty list alone does not say why it is empty.
                diagnostics::line(models::list(&wanted, registry).trim_end());
            }
            as_json(&listed)
        })
        .await
    }
}

/// Models as JSON. Characters that some terminals obey stand escaped in it.
fn as_json(models: &[Arc<Model>]) -> Result<String, Reported> {
    let text = serde_json::to_string_pretty(models).map_err(|error| Reported::fail(&error.to_string()))?;
    let is_obeyed = |c: char| ('\u{7f}'..='\u{9f}').contains(&c);
    if !text.contains(is_obeyed) {
        return Ok(format!("{text}\n"));
    }
    let escaped = |c: char| if is_obeyed(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Ok(format!("{}\n", text.chars().map(escaped).collect::<String>()))
}

/// Prints what comes of a start that ends without a session.
async fn show(launcher: &Launcher, text: impl AsyncFnOnce(Prepared) -> Result<String, Reported>) -> ExitCode {
    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    let code = match Box::pin(text(prepared)).await {
        Ok(text) => say(&text),
        Err(Reported(code)) => code,
    };
    ending.end().await;
    code
}
