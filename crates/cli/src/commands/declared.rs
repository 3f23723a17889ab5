//! What `tau config` knows of the settings that extensions declare: for these it loads them as a session would.

use std::sync::Arc;

use tau_agent::extensions::{DiscoveryOptions, Extensions};
use tau_agent::services::ExtensionServices;
use tau_agent::settings::{Declared, Explanation, KeyPath, Settings};
use tau_hooks::{Hooks, Mode};
use tau_launch::load_own;

use super::context::Context;
use crate::diagnostics;
use crate::exit::PATIENCE;

/// Whether a key lies in the section of extensions.
fn is_of_extension(key: &KeyPath) -> bool {
    matches!(key.names(), [tau, extensions, _, ..] if tau == "tau" && extensions == "extensions")
}

/// The settings of all extensions that a session would load, and whether all of them could be loaded.
pub(super) async fn of_all(context: &Context) -> (Vec<Declared>, bool) {
    let hooks = Hooks::new();
    hooks.serve(ExtensionServices::new(Arc::clone(&context.settings)));
    let failures = load_own(&hooks, &context.extensions);
    let mut all = failures.is_empty();
    let (env, scripts) = (context.env.clone(), context.scripts.clone());
    let extensions = Extensions::new(env, Arc::clone(&hooks), DiscoveryOptions::default(), scripts, failures);
    let extensions = extensions.with_builtins(Arc::clone(&context.builtins));
    if let Err(error) = extensions.start(&context.settings, Some(context.is_trusted()), Mode::Print).await {
        diagnostics::warning(&error.to_string());
        all = false;
    }
    let declared = Declared::all(&hooks);
    all &= extensions.failures().is_empty();
    extensions.shut_down(PATIENCE).await;
    (declared, all)
}

/// What every file says about a key.
pub(super) async fn explain(context: &Context, settings: &Settings, key: &KeyPath) -> Explanation {
    if is_of_extension(key) {
        let (all, _) = of_all(context).await;
        if let Some(declared) = all.iter().find(|declared| declared.key() == *key) {
            return settings.explain_declared(declared);
        }
    }
    settings.explain(key)
}
