//! What there is to authenticate with at a provider, for people.

use std::fmt;

use tau_ai::{AuthStatus, ModelRegistry, vendor_login};

/// Whether there is a credential, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialState {
    /// There is none.
    Missing,
    /// There is a key, and it names environment variables that are not set.
    Unset(Vec<String>),
    /// The stored login has expired, and nobody can renew it.
    Expired,
    /// The stored login is one for programs of its vendor.
    Foreign,
    /// A stored login.
    Login,
    /// A key, or what takes its place, from here.
    From(String),
}

impl CredentialState {
    /// What there is for a provider. No command is run and nobody is asked.
    pub fn of(models: &ModelRegistry, provider: &str) -> Self {
        let from = match models.auth_status(provider) {
            AuthStatus::Missing if !models.uses_login(provider) => {
                let names = models.unset_variables(provider);
                return if names.is_empty() { Self::Missing } else { Self::Unset(names) };
            }
            AuthStatus::Missing if models.oauth(provider).is_none() && vendor_login(provider).is_some() => {
                return Self::Foreign;
            }
            AuthStatus::Missing => return Self::Expired,
            AuthStatus::Stored if models.uses_login(provider) => return Self::Login,
            AuthStatus::Runtime => "--api-key".to_owned(),
            AuthStatus::Stored => "auth.json".to_owned(),
            AuthStatus::Environment(names) => names.join(", "),
            AuthStatus::Workload => "workload identity".to_owned(),
            AuthStatus::Command => "a command in models.json".to_owned(),
            AuthStatus::Configured => "models.json".to_owned(),
            AuthStatus::Registered => "an extension".to_owned(),
            AuthStatus::Other => return Self::From("no key needed".to_owned()),
        };
        Self::From(format!("key from {from}"))
    }

    /// A word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Missing | Self::Unset(_) => "missing",
            Self::Expired => "expired",
            Self::Foreign => "refused",
            Self::Login | Self::From(_) => "ready",
        }
    }
}

impl fmt::Display for CredentialState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unset(names) => {
                return write!(f, "no credential: its key names {}, which is not set", names.join(", "));
            }
            Self::Missing => "no credential",
            Self::Expired => "the login has expired",
            Self::Foreign => "a login for programs of the vendor, which tau does not use",
            Self::Login => "logged in",
            Self::From(from) => from,
        })
    }
}
