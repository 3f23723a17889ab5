//! Where the credential of a provider would come from, without reading it.

use super::ModelRegistry;
use super::auth_json::StoredCredential;
use super::value::variables;

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
    /// Where the credential of a provider comes from. No command is run to find out.
    pub fn auth_status(&self, provider: &str) -> AuthStatus {
        if !self.has_auth(provider) {
            return AuthStatus::Missing;
        }
        let known = self.known(provider);
        if known.runtime.is_some() {
            return AuthStatus::Runtime;
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
