//! Servers of this machine that were found.

use super::LocalServer;
use crate::{ModelRegistry, ProviderError};

impl ModelRegistry {
    /// Adds the models of a server that was found on this machine. What the user or an extension says of that provider, or of
    /// that address, stays as it is. Tells whether models were added.
    ///
    /// # Errors
    /// When what the server says makes no sense; nothing changes then.
    pub fn add_local_server(&self, server: &LocalServer) -> Result<bool, ProviderError> {
        let at = |url: &str| url.trim_end_matches('/').to_owned();
        let is_known = self
            .all()
            .iter()
            .any(|model| model.provider == server.provider || at(&model.base_url) == at(&server.base_url));
        if is_known || self.knows_provider(server.provider) {
            return Ok(false);
        }
        self.register_provider(server.provider, server.provider_config())?;
        Ok(true)
    }
}
