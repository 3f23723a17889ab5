//! `tau models`: the models that can be asked, and newer lists of them.

mod update;

use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::extensions::{DiscoveryOptions, Extensions, Lists};
use tau_agent::services::ExtensionServices;
use tau_ai::ModelRegistry;
use tau_hooks::{Hooks, Mode};
use tau_launch::args::Args;
use tau_launch::{load_own, models};
use tokio_util::sync::CancellationToken;

use super::command::Command;
use super::context::Context;
use super::options::Options;
use crate::diagnostics;
use crate::exit::PATIENCE;
use crate::output::say;

pub(super) async fn models(context: &Context, options: &Options, command: &Command) -> ExitCode {
    let has = |flag: &str| options.given.contains_key(flag);
    match options.words.split_first() {
        Some((verb, words)) if verb == "update" => {
            if has("--json") || words.len() > 1 {
                return diagnostics::fail(&format!("tau models update: too much is given\nUsage: {}", command.usage));
            }
            update::update(context, words.first().map(String::as_str), has("--force")).await
        }
        _ if has("--force") => diagnostics::fail(&format!("--force is for `update`\nUsage: {}", command.usage)),
        _ => list(context, &options.words.join(" "), has("--json")).await,
    }
}

async fn list(context: &Context, search: &str, json: bool) -> ExitCode {
    let registry = models::registry(&Args::default(), &context.env, &diagnostics::voice());
    let hooks = Hooks::new();
    let voice = diagnostics::voice();
    hooks.dispatcher.reports.listen(move |report| voice.report(report));
    hooks.serve(ExtensionServices::new(Arc::clone(&context.settings)));
    let failures = load_own(&hooks, &context.extensions);
    let (env, scripts) = (context.env.clone(), context.scripts.clone());
    let extensions = Extensions::new(env, Arc::clone(&hooks), DiscoveryOptions::default(), scripts, failures);
    let started = extensions.start(&context.settings, Some(context.is_trusted()), Mode::Print).await;
    extensions.register_providers(&registry);
    extensions.refresh_models(&registry, Lists::All, &CancellationToken::new()).await;
    models::add_local(&registry, &context.env, &diagnostics::voice()).await;
    let code = match started.map_err(|error| error.to_string()).and_then(|_| written(&registry, search, json)) {
        Ok(text) => say(&text),
        Err(error) => diagnostics::fail(&error),
    };
    extensions.shut_down(PATIENCE).await;
    code
}

fn written(registry: &ModelRegistry, search: &str, json: bool) -> Result<String, String> {
    if json {
        let text =
            serde_json::to_string_pretty(&models::usable(search, registry)).map_err(|error| error.to_string())?;
        return Ok(format!("{text}\n"));
    }
    if registry.has_available() {
        models::warn_of_unlisted(registry, &diagnostics::voice());
    }
    Ok(models::list(Some(search), registry))
}
