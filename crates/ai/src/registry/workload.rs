//! The workload identity of `anthropic`: used when there is no key, and exchanged for a token that is kept in memory.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::ModelRegistry;
use super::auth::{Known, has_own_authorization};
use super::auth_error::AuthError;
use crate::oauth::{Exchanged, WorkloadIdentity};
use crate::{Secret, now_ms};

const PROVIDER: &str = "anthropic";
const ADDRESS: &str = "https://api.anthropic.com";
/// A token that lives no longer than this is exchanged again.
const EARLY: Duration = Duration::from_secs(120);
/// What a token must live at least to be sent.
const LEAST: Duration = Duration::from_secs(30);

/// The token there is.
#[derive(Default)]
pub(super) struct Held {
    token: Mutex<Option<(WorkloadIdentity, Exchanged)>>,
    /// One exchange at a time: others wait for its token.
    turn: tokio::sync::Mutex<()>,
}

impl Held {
    /// The token of an identity, if it lives for longer than `least`.
    fn good_for(&self, identity: &WorkloadIdentity, least: Duration) -> Option<Secret> {
        let held = self.token.lock();
        let (of, exchanged) = held.as_ref()?;
        let until = now_ms().saturating_add(i64::try_from(least.as_millis()).unwrap_or(i64::MAX));
        (of == identity && exchanged.expires > until).then(|| exchanged.token.clone())
    }
}

impl ModelRegistry {
    /// The identity that requests to a provider would authenticate with: only where there is no key and no header.
    pub(super) fn workload_identity(&self, provider: &str, known: &Known) -> Option<WorkloadIdentity> {
        let has_key = known.runtime.is_some()
            || (known.stored.is_some() && !known.has_foreign_login(provider))
            || known.layers().any(|config| config.api_key.is_some() || has_own_authorization(config))
            || self.env_credential(provider).is_some();
        (provider == PROVIDER && !has_key).then(|| WorkloadIdentity::of(|name| self.resolver.env(name))).flatten()
    }

    pub(super) fn workload_token(&self, provider: &str, known: &Known) -> Option<Secret> {
        self.workload.good_for(&self.workload_identity(provider, known)?, Duration::ZERO)
    }

    /// Exchanges the identity of this workload for a token, if requests to a provider authenticate with one and the one
    /// there is expires soon. Call it before [`ModelRegistry::auth`].
    ///
    /// # Errors
    /// When the identity cannot be read or is refused, and no token is left.
    pub async fn ready_workload(self: &Arc<Self>, provider: &str) -> Result<(), AuthError> {
        let known = self.known(provider);
        let Some(identity) = self.workload_identity(provider, &known) else { return Ok(()) };
        if self.workload.good_for(&identity, EARLY).is_some() {
            return Ok(());
        }
        let _turn = self.workload.turn.lock().await;
        if self.workload.good_for(&identity, EARLY).is_some() {
            return Ok(());
        }
        let base = known.layers().find_map(|config| config.base_url.clone());
        let done = self.exchange(&identity, base.as_deref().unwrap_or(ADDRESS)).await;
        match done {
            Ok(exchanged) => *self.workload.token.lock() = Some((identity, exchanged)),
            // The platform may be slow to renew its own token; the next request tries again.
            Err(_) if self.workload.good_for(&identity, LEAST).is_some() => {}
            Err(reason) => return Err(AuthError::Workload { provider: provider.to_owned(), reason }),
        }
        Ok(())
    }

    async fn exchange(self: &Arc<Self>, identity: &WorkloadIdentity, base: &str) -> Result<Exchanged, String> {
        let (registry, path) = (Arc::clone(self), identity.token_file.clone());
        let read = tokio::task::spawn_blocking(move || registry.resolver.file(&path)).await;
        let assertion = read.map_err(|error| error.to_string())??;
        identity.exchange(&assertion, base, &self.connections).await.map_err(|error| error.to_string())
    }
}
