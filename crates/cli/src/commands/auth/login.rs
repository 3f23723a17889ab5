//! `tau auth login` and `logout`.

use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::StoredKind;
use tokio_util::sync::CancellationToken;

use super::terminal::Terminal;
use super::{Asked, Open};
use crate::run::{diagnostics, say};

const OTHERS: &str = "Environment variables and models.json stay as they are.";

pub(super) async fn login(asked: &Asked<'_>, provider: &str) -> ExitCode {
    if asked.has("--api-key") && asked.has("--no-browser") {
        return diagnostics::fail("--no-browser has no meaning together with --api-key");
    }
    let provider = tau_ai::provider_name(provider);
    let mut open = asked.open();
    let done = log_in(asked, &mut open, provider).await;
    let file = asked.context.env.agent_dir().join("auth.json");
    open.close().await;
    match done {
        Ok(done) => say(&format!("{done} It is kept in {}.\n", file.display())),
        Err(error) => diagnostics::fail(&error),
    }
}

async fn log_in(asked: &Asked<'_>, open: &mut Open, provider: &str) -> Result<String, String> {
    let by_key = asked.has("--api-key");
    if !by_key || !open.registry.knows_provider(provider) {
        open.load_extensions(asked.context).await?;
    }
    if !open.registry.knows_provider(provider) {
        return Err(format!("Unknown provider \"{provider}\". Known providers: {}", known(open).join(", ")));
    }
    let Some(terminal) = Terminal::open() else {
        return Err(format!("Login is interactive and needs a terminal. {}", tau_ai::key_advice(provider)));
    };
    if !by_key && open.registry.oauth(provider).is_some() {
        let (ui, cancel) = (Arc::new(terminal), CancellationToken::new());
        let left = cancel.clone();
        let done = tokio::select! {
            done = open.logins.login(provider, ui, cancel) => done,
            _ = tokio::signal::ctrl_c() => {
                left.cancel();
                return Err("The login was cancelled.".to_owned());
            }
        };
        done.map_err(|error| error.to_string())?;
        return Ok(format!("Logged in to {provider}."));
    }
    let key = terminal.secret(&format!("API key for {provider}:")).await.ok_or("The login was cancelled.")?;
    open.logins.store_key(provider, key.trim()).await.map_err(|error| error.to_string())?;
    Ok(format!("The API key for {provider} is stored."))
}

fn known(open: &Open) -> Vec<String> {
    let mut names: Vec<String> = open.registry.all().iter().map(|model| model.provider.clone()).collect();
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
            StoredKind::Key | StoredKind::Other => format!("What was stored for {provider} is removed. {OTHERS}"),
        });
    }
    if !open.registry.knows_provider(provider) {
        // Only extensions could know it.
        open.load_extensions(asked.context).await?;
    }
    if open.registry.knows_provider(provider) {
        return Ok(format!("Nothing is stored for {provider}. {OTHERS}"));
    }
    let stored: Vec<String> = stored.iter().map(|(name, kind)| format!("{name} ({kind})")).collect();
    let stored = if stored.is_empty() { "nothing".to_owned() } else { stored.join(", ") };
    Err(format!("Unknown provider \"{provider}\". Stored: {stored}"))
}
