//! Why a request cannot authenticate, and what to do about it.

use super::env_keys::env_keys;
use super::value::ValueError;
use crate::provider_names::provider_name;

/// Why a request cannot authenticate. The text says what to do and holds nothing secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// There is no credential.
    #[error("No API key found for {provider}. {}", missing_advice(provider, *has_login))]
    Missing {
        /// The provider.
        provider: String,
        /// Whether one can log in to it.
        has_login: bool,
    },
    /// The stored login could not be renewed, or gives no key. It is kept.
    #[error(
        "The stored login for {provider} cannot be used: {} If this stays so, log in again with `/login {provider}` or `tau \
         auth login {provider}`.",
        said_by(extension, reason)
    )]
    Login {
        /// The provider.
        provider: String,
        /// The extension whose login it is.
        extension: String,
        /// What it said, without secrets.
        reason: String,
    },
    /// The stored login is too old, and nothing else is there.
    #[error(
        "The stored login for {provider} has expired, and nothing can renew it. Log in again where it was made, or: {}",
        key_advice(provider)
    )]
    Expired {
        /// The provider.
        provider: String,
    },
    /// The stored login is one that only programs of the vendor may use.
    #[error(
        "The login for {provider} in auth.json was made for a program of its vendor, and tau does not use it. {}",
        key_advice_beside_login(provider)
    )]
    ForeignLogin {
        /// The provider.
        provider: String,
    },
    /// The identity of this workload could not be exchanged.
    #[error(
        "The workload identity of {provider} gives no token: {reason}. It is used because no key is set and the variables \
         ANTHROPIC_FEDERATION_RULE_ID, ANTHROPIC_ORGANIZATION_ID and ANTHROPIC_IDENTITY_TOKEN_FILE are."
    )]
    Workload {
        /// The provider.
        provider: String,
        /// Why, without tokens.
        reason: String,
    },
    /// A value names environment variables that are not set.
    #[error(
        "{what} of {provider} needs the environment variable {}, which is not set: set it, or correct the configuration that \
         names it (nothing else is used in its place)",
        names.join(", ")
    )]
    Environment {
        /// The provider.
        provider: String,
        /// Which value.
        what: String,
        /// The variables.
        names: Vec<String>,
    },
    /// A value comes from a command that failed.
    #[error("{what} of {provider} comes from the command `{program} …`, which failed: {reason}")]
    Command {
        /// The provider.
        provider: String,
        /// Which value.
        what: String,
        /// The first word of the command.
        program: String,
        /// Why it failed.
        reason: String,
    },
}

/// What the one who takes care of a login said, as a sentence that names it once.
fn said_by(extension: &str, reason: &str) -> String {
    let reason = reason.trim();
    let text = if reason.contains(extension) { reason.to_owned() } else { format!("{extension}: {reason}") };
    if text.ends_with(['.', '?', '!']) { text } else { format!("{text}.") }
}

fn missing_advice(provider: &str, has_login: bool) -> String {
    let key = key_advice(provider);
    if !has_login {
        return key;
    }
    format!("Log in with `/login {provider}` or `tau auth login {provider}`. Or: {key}")
}

/// How to give tau a key of a provider, as a sentence.
pub fn key_advice(provider: &str) -> String {
    advice(provider, &stores(provider))
}

fn stores(provider: &str) -> String {
    let stores = format!("store a key with `tau auth login {provider} --api-key`");
    match env_keys(provider_name(provider)).last() {
        Some(_) => stores,
        None => format!("{stores}, or add an apiKey to models.json"),
    }
}

/// As [`key_advice`], for commands that take no `--api-key`.
pub fn stored_key_advice(provider: &str) -> String {
    let files = stores(provider);
    match env_keys(provider_name(provider)).last() {
        Some(name) => format!("Set {name}, or {files}."),
        None => format!("To have one, {files}."),
    }
}

/// As [`key_advice`], where `auth.json` keeps a login that an entry with a key would replace.
pub fn key_advice_beside_login(provider: &str) -> String {
    advice(provider, "add an apiKey to models.json")
}

fn advice(provider: &str, files: &str) -> String {
    let provider = provider_name(provider);
    if provider == "google-vertex" {
        return format!(
            "Set GOOGLE_CLOUD_API_KEY, pass --api-key, or {files}. Without a key, log in with `gcloud auth \
             application-default login` and set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION."
        );
    }
    match env_keys(provider_name(provider)).last() {
        Some(name) => format!("Set {name}, pass --api-key, or {files}."),
        None => format!("Pass --api-key, {files}."),
    }
}

/// What is wrong with a value of the configuration.
pub(super) fn explain(provider: &str, what: &str, error: ValueError) -> AuthError {
    let (provider, what) = (provider.to_owned(), what.to_owned());
    match error {
        ValueError::Env(names) => AuthError::Environment { provider, what, names },
        ValueError::Command { program, reason } => AuthError::Command { provider, what, program, reason },
    }
}
