//! `tau auth login` and `logout`.

use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::StoredKind;
use tau_agent::settings::Environment;
use tau_ai::names_local_server;
use tau_launch::Stop;
use tokio_util::sync::CancellationToken;

use super::check::no_key;
use super::terminal::Terminal;
use super::{Asked, Open};
use crate::diagnostics;
use crate::output::say;
use crate::signals;

const CANCELLED: &str = "The login was cancelled.";
const OTHERS: &str = "Environment variables and models.json stay as they are.";

pub(super) async fn login(asked: &Asked<'_>, provider: &str) -> ExitCode {
    if asked.has("--api-key") && asked.has("--no-browser") {
        return diagnostics::fail("--no-browser cannot be combined with --api-key");
    }
    let provider = tau_ai::provider_name(provider);
    // From here on a signal ends a question in order: the terminal echoes again.
    let stop = Stop::new(signals::watch);
    if let Err(error) = stop.watch() {
        return diagnostics::fail(&error.to_string());
    }
    let mut open = asked.open();
    let done = stop.unless(log_in(asked, &mut open, provider)).await;
    let file = asked.auth_file();
    open.close().await;
    match done {
        Some(Ok(done)) => say(&format!("{done} It is kept in {}.\n", file.display())),
        Some(Err(error)) => diagnostics::fail(&error),
        None => {
            let failed = diagnostics::fail(CANCELLED);
            stop.code().unwrap_or(failed)
        }
    }
}

async fn log_in(asked: &Asked<'_>, open: &mut Open, provider: &str) -> Result<String, String> {
    let by_key = asked.has("--api-key");
    // A login that is stored may be one that an extension takes care of.
    if !by_key || !open.registry.knows_provider(provider) || keeps_login_of_others(open, provider).await? {
        open.load_extensions(asked.context).await?;
    }
    if names_local_server(provider) && !open.registry.knows_provider(provider) {
        return Err(format!("{}, so there is nothing to log in to", no_key(provider)));
    }
    if !open.registry.knows_provider(provider) {
        let known = known(open).join(", ");
        return Err(if by_key {
            // What follows the flag is taken for the provider, and may be a key.
            format!("Unknown provider; --api-key takes no value here. Known providers: {known}")
        } else {
            format!("Unknown provider \"{provider}\". Known providers: {known}")
        });
    }
    let replaces = keeps_login_of_others(open, provider).await?;
    let has_browser = !asked.has("--no-browser") && has_screen(&asked.context.env);
    let Some(terminal) = Terminal::open(has_browser) else {
        let advice =
            if replaces { tau_ai::key_advice_beside_login(provider) } else { tau_ai::stored_key_advice(provider) };
        let vendor = vendor(open, provider).map(|advice| format!(" {advice}")).unwrap_or_default();
        return Err(format!("Login is interactive and needs a terminal. {advice}{vendor}"));
    };
    if !by_key && open.registry.oauth(provider).is_some() {
        let done = open.logins.login(provider, Arc::new(terminal), CancellationToken::new()).await;
        done.map_err(|error| error.to_string())?;
        return Ok(format!("Logged in to {provider}."));
    }
    if replaces {
        let file = asked.auth_file();
        let question = format!(
            "{} keeps a login for {provider} that tau does not manage. An API key replaces it, and the program that made \
             it has to log in again. Replace it? [y/N]",
            file.display()
        );
        if !terminal.confirm(&question).await {
            return Err(CANCELLED.to_owned());
        }
    }
    if let Some(advice) = vendor(open, provider) {
        diagnostics::line(&advice);
    }
    let key = terminal.secret(&format!("API key for {provider}:")).await.ok_or(CANCELLED)?;
    open.logins.store_key(provider, key.trim()).await.map_err(|error| error.to_string())?;
    Ok(format!("The API key for {provider} is stored."))
}

/// What to use in place of a login that only programs of the vendor may use.
fn vendor(open: &Open, provider: &str) -> Option<String> {
    let login = tau_ai::vendor_login(provider).filter(|_| open.registry.oauth(provider).is_none());
    login.map(tau_ai::VendorLogin::advice)
}

/// Whether a browser that is started here would be seen.
fn has_screen(env: &Environment) -> bool {
    let is_set = |name: &str| env.var(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "macos") { !is_set("SSH_CONNECTION") } else { is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") }
}

async fn keeps_login_of_others(open: &Open, provider: &str) -> Result<bool, String> {
    open.logins.keeps_login_of_others(provider).await.map_err(|error| error.to_string())
}

/// The providers that a credential could be for, in order.
pub(super) fn known(open: &Open) -> Vec<String> {
    let mut names = open.registry.providers();
    names.extend(open.registry.logins().into_iter().map(|(name, _)| name));
    names.sort();
    names.dedup();
    names
}

pub(super) async fn logout(asked: &Asked<'_>, provider: &str) -> ExitCode {
    let mut open = asked.open();
    let done = log_out(asked, &mut open, provider).await;
    open.close().await;
    match done {
        Ok(done) => say(&format!("{done}\n")),
        Err(error) => diagnostics::fail(&error),
    }
}

async fn log_out(asked: &Asked<'_>, open: &mut Open, provider: &str) -> Result<String, String> {
    let stored = open.logins.stored().await.map_err(|error| error.to_string())?;
    if let Some(kind) = open.logins.logout(provider).await.map_err(|error| error.to_string())? {
        return Ok(match kind {
            StoredKind::Account => format!("Logged out of {provider}. {OTHERS}"),
            StoredKind::Key | StoredKind::Other => format!("Removed the stored credential for {provider}. {OTHERS}"),
        });
    }
    if !open.registry.knows_provider(provider) {
        // Only extensions could know it.
        open.load_extensions(asked.context).await?;
    }
    if open.registry.knows_provider(provider) || names_local_server(provider) {
        return Ok(format!("Nothing is stored for {provider}. {OTHERS}"));
    }
    let stored: Vec<String> = stored.iter().map(|(name, kind)| format!("{name} ({kind})")).collect();
    let stored = if stored.is_empty() { "nothing".to_owned() } else { stored.join(", ") };
    Err(format!("Unknown provider \"{provider}\". Stored: {stored}"))
}
