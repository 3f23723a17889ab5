//! Where the credential of a provider would come from, without reading it.

use super::ModelRegistry;
use super::auth::is_auth_header;
use super::auth_json::StoredCredential;
use super::value::{ValueError, variables};

/// Whether and from where a provider has a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthStatus {
    /// There is none.
    Missing,
    /// Given for this run.
    Runtime,
    /// `auth.json`.
    Stored,
    /// The configuration names environment variables, or they are those that the provider is known by.
    Environment(Vec<String>),
    /// What is given in exchange for the identity of this workload.
    Workload,
    /// A command that the configuration names.
    Command,
    /// A key in `models.json`.
    Configured,
    /// A key that an extension brought.
    Registered,
    /// The headers authenticate, or nothing needs to.
    Other,
}

impl ModelRegistry {
    /// The environment variables that the key of a provider, or a header in the place of one, names and that are not set. They keep it
    /// from being used.
    pub fn unset_variables(&self, provider: &str) -> Vec<String> {
        let known = self.known(provider);
        if self.has_auth(provider) {
            return Vec::new();
        }
        let stored = match known.stored.as_deref() {
            Some(StoredCredential::ApiKey { key, .. }) if !key.is_empty() => Some(key.as_str()),
            _ => None,
        };
        let key = stored.or_else(|| known.key().map(|(key, _)| key));
        let headers = known.layers().flat_map(|config| &config.headers);
        let headers = headers.filter(|(name, _)| is_auth_header(name)).map(|(_, value)| value.as_str());
        let mut unset: Vec<String> = Vec::new();
        for value in key.into_iter().chain(headers) {
            if let Err(ValueError::Env(names)) = self.look_up(&known, value) {
                unset.extend(names);
            }
        }
        unset.dedup();
        unset
    }

    /// Where the credential of a provider comes from. No command is run to find out.
    pub fn auth_status(&self, provider: &str) -> AuthStatus {
        if !self.has_auth(provider) {
            return AuthStatus::Missing;
        }
        let known = self.known(provider);
        if known.runtime.is_some() {
            return AuthStatus::Runtime;
        }
        if known.keyless() {
            return AuthStatus::Other;
        }
        match known.stored.as_deref() {
            Some(StoredCredential::ApiKey { key, .. }) if !key.is_empty() => return AuthStatus::Stored,
            Some(StoredCredential::OAuth { .. }) if !known.has_foreign_login(provider) => return AuthStatus::Stored,
            _ => {}
        }
        if let Some((key, registered)) = known.key() {
            let names = variables(key, |name| self.resolver.env(name).is_some());
            return match (key.starts_with('!'), names.is_empty(), registered) {
                (true, ..) => AuthStatus::Command,
                (_, false, _) => AuthStatus::Environment(names),
                (_, _, true) => AuthStatus::Registered,
                _ => AuthStatus::Configured,
            };
        }
        match self.env_credential(provider) {
            Some((name, _)) => AuthStatus::Environment(vec![name.to_owned()]),
            None if self.workload_identity(provider, &known).is_some() => AuthStatus::Workload,
            None => match self.ambient(provider, &known) {
                Some(name) => AuthStatus::Environment(vec![name.to_owned()]),
                None => AuthStatus::Other,
            },
        }
    }
}
