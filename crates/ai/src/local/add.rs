//! Servers of this machine that were looked for.

use reqwest::Url;

use super::{LocalPlaces, LocalServer};
use crate::registry::LocalState;
use crate::{LOCAL_SERVERS, ModelRegistry, ProviderError};

impl ModelRegistry {
    /// Adds the models of the servers that were found on this machine, and remembers where none was, to say so when
    /// somebody asks for one. Tells what is wrong with servers that answer.
    pub fn add_local_places(&self, places: &LocalPlaces) -> Vec<ProviderError> {
        let taken = |server: &LocalServer| self.at_address(&server.base_url).filter(|other| other != server.provider);
        let missing = LOCAL_SERVERS.map(|name| (name, places.why_missing(name, taken)));
        let errors = places.servers().filter_map(|server| self.add_local_server(server).err()).collect();
        let state = |why: Option<String>| why.map_or(LocalState::Added, LocalState::Missing);
        self.keep_local(missing.into_iter().map(|(name, why)| (name, state(why))).collect());
        errors
    }

    /// Adds the models of a server that was found on this machine. What the user or an extension says of that provider, or of
    /// that address, stays as it is. Tells whether models were added.
    ///
    /// # Errors
    /// When what the server says makes no sense; nothing changes then.
    pub fn add_local_server(&self, server: &LocalServer) -> Result<bool, ProviderError> {
        if self.at_address(&server.base_url).is_some() || self.knows_provider(server.provider) {
            return Ok(false);
        }
        self.register_provider(server.provider, server.provider_config())?;
        Ok(true)
    }

    /// The provider with a model at an address.
    fn at_address(&self, url: &str) -> Option<String> {
        let wanted = same(url);
        self.all().iter().find(|model| same(&model.base_url) == wanted).map(|model| model.provider.clone())
    }
}

/// An address in one spelling: this machine has two names.
fn same(url: &str) -> String {
    let plain = url.trim_end_matches('/');
    let Ok(mut parsed) = Url::parse(plain) else { return plain.to_owned() };
    if parsed.host_str() == Some("localhost") && parsed.set_host(Some("127.0.0.1")).is_err() {
        return plain.to_owned();
    }
    parsed.as_str().trim_end_matches('/').to_owned()
}
