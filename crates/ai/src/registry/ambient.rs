//! Credentials that are no key: what the machine, or a login of other programs, gives.

use super::ModelRegistry;
use super::value::Lookup;
use crate::provider_names::provider_name;

impl ModelRegistry {
    /// Whether requests to a provider authenticate with what is there without a key. The provider's wire format takes care
    /// of it.
    pub(super) fn has_ambient(&self, provider: &str, lookup: &Lookup<'_>) -> bool {
        match provider_name(provider) {
            "google-vertex" => {
                crate::wire::has_vertex_login(|name| lookup.env(name), |path| lookup.resolver.file(path).is_ok())
            }
            _ => false,
        }
    }
}
