//! `tau doctor`: what is found, what is missing, what is wrong, and how to fix it.

use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;
use tau_agent::doctor::{Checked, examine, examine_extensions, has_problem, text};
use tau_agent::extensions::{DiscoveryOptions, Extensions};
use tau_agent::services::ExtensionServices;
use tau_hooks::{Finding, Hooks, Mode};
use tau_interactive::examine_terminal;
use tau_launch::args::Args;
use tau_launch::{load_own, models};

use super::context::Context;
use super::options::Options;
use crate::diagnostics;
use crate::exit::PATIENCE;
use crate::output::say;

/// What the checks found, for programs.
#[derive(Serialize)]
struct Report<'a> {
    /// Whether nothing has to be fixed.
    ok: bool,
    checks: &'a [Checked],
}

pub(super) async fn doctor(context: &Context, options: &Options) -> ExitCode {
    let registry = models::registry(&Args::default(), &context.env, &diagnostics::voice());
    let hooks = Hooks::new();
    hooks.serve(ExtensionServices::new(Arc::clone(&context.settings)));
    let failures = load_own(&hooks, &context.extensions);
    let (env, scripts) = (context.env.clone(), context.scripts.clone());
    let extensions = Extensions::new(env, Arc::clone(&hooks), DiscoveryOptions::default(), scripts, failures);
    let extensions = extensions.with_builtins(Arc::clone(&context.builtins));
    let started = extensions.start(&context.settings, Some(context.is_trusted()), Mode::Print).await;
    // Their providers are looked at as all others.
    extensions.register_providers(&registry);
    models::add_local(&registry, &context.env, &diagnostics::voice()).await;
    let mut checked = examine(&context.env, &context.settings.snapshot(), &registry);
    checked.extend(examine_terminal(|name| context.env.var(name).map(str::to_owned)).await);
    checked.push(of_loading(&extensions, started.err().map(|error| error.to_string())));
    checked.extend(examine_extensions(&hooks).await);
    extensions.shut_down(PATIENCE).await;
    let ok = !has_problem(&checked);
    let written = if options.given.contains_key("--json") {
        serde_json::to_string_pretty(&Report { ok, checks: &checked }).map_err(|error| error.to_string())
    } else {
        Ok(text(&checked))
    };
    match written {
        Ok(text) => {
            let said = say(&format!("{text}\n"));
            if ok { said } else { ExitCode::FAILURE }
        }
        Err(error) => diagnostics::fail(&error),
    }
}

/// Whether all extensions could be loaded.
fn of_loading(extensions: &Extensions, failed: Option<String>) -> Checked {
    let mut findings: Vec<Finding> = failed.map(|why| Finding::problem(why, SEE_HOOKS)).into_iter().collect();
    let mut loaded = 0;
    for record in extensions.loads() {
        match record.error {
            None => loaded += 1,
            Some(why) => {
                let path = record.extension.path.display().to_string();
                findings.push(Finding::problem(format!("an extension was not loaded: {why}"), SEE_HOOKS).at(path));
            }
        }
    }
    if findings.is_empty() {
        let noun = if loaded == 1 { "extension" } else { "extensions" };
        findings.push(Finding::fine(format!("{loaded} {noun} loaded")));
    }
    Checked::own("extensions", findings)
}

const SEE_HOOKS: &str = "Correct or remove it; `tau hooks list` shows every extension with where it comes from";
