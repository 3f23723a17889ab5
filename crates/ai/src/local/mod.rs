//! Model servers on this machine that need no key: Ollama, LM Studio, llama.cpp and vLLM.
//!
//! Nothing is asked unless somebody calls [`LocalServers::find`], and no more than a few small requests to addresses of this
//! machine are sent then. What another program answers there is data: it is read within limits, and what does not have the
//! shape of such a server is no server.

mod add;
mod ask;
mod kinds;

use std::time::Duration;

use futures_util::future::join_all;
use tau_http::{Clients, Policy};

use crate::{ModelConfig, ProviderConfig};
use ask::Asker;
use kinds::Kind;
pub use kinds::LOCAL_SERVERS;

/// How long one server may take for all that it is asked.
const PATIENCE: Duration = Duration::from_millis(800);
/// How long a connection to this machine may take.
const CONNECT: Duration = Duration::from_millis(250);
/// The key that such servers are sent; they ignore it.
const NO_KEY: &str = "none";

/// A server that answered.
#[derive(Debug, Clone)]
pub struct LocalServer {
    /// The name of its provider, for example `ollama`.
    pub provider: &'static str,
    /// Root of its OpenAI-compatible interface.
    pub base_url: String,
    /// Its models that can converse.
    pub models: Vec<ModelConfig>,
}

impl LocalServer {
    /// The provider of these models.
    pub fn provider_config(&self) -> ProviderConfig {
        ProviderConfig {
            base_url: Some(self.base_url.clone()),
            api: Some("openai-completions".to_owned()),
            api_key: Some(NO_KEY.to_owned()),
            models: Some(self.models.clone()),
            ..ProviderConfig::default()
        }
    }
}

/// Where servers are looked for.
#[derive(Debug, Clone)]
pub struct LocalServers {
    places: Vec<(&'static Kind, reqwest::Url)>,
}

impl LocalServers {
    /// The usual addresses, or those of the variable `TAU_LOCAL_SERVERS`: `NAME=ADDRESS` with commas between them; empty for
    /// none. `OLLAMA_HOST` moves Ollama. Addresses of other machines are left out.
    ///
    /// # Errors
    /// When `TAU_LOCAL_SERVERS` cannot be read.
    pub fn of(env: impl Fn(&str) -> Option<String>) -> Result<Self, LocalServersError> {
        let mut places = Vec::new();
        match env("TAU_LOCAL_SERVERS") {
            Some(given) => {
                for entry in given.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                    places.push(named(entry).ok_or_else(|| LocalServersError { entry: entry.to_owned() })?);
                }
            }
            None => {
                for kind in kinds::KINDS {
                    let moved = kind.variable.and_then(&env).and_then(|host| kinds::address(&host, kind.port));
                    places.extend(moved.or_else(|| kinds::address("127.0.0.1", kind.port)).map(|url| (kind, url)));
                }
            }
        }
        places.retain(|(_, url)| kinds::is_here(url));
        Ok(Self { places })
    }

    /// Asks all of them at once. Those that do not answer within a second are not there.
    pub async fn find(&self) -> Vec<LocalServer> {
        let clients =
            Clients::new(Policy { connect: CONNECT, silence: Some(PATIENCE), proxy: None, authorities: None });
        let ask = |(kind, url): &(&'static Kind, reqwest::Url)| {
            let (kind, asker) = (*kind, Asker::new(&clients, url.clone()));
            async move {
                let models = tokio::time::timeout(PATIENCE, (kind.models)(&asker)).await.ok().flatten()?;
                let base_url = asker.url("/v1")?.to_string();
                (!models.is_empty()).then_some(LocalServer { provider: kind.provider, base_url, models })
            }
        };
        join_all(self.places.iter().map(ask)).await.into_iter().flatten().collect()
    }
}

fn named(entry: &str) -> Option<(&'static Kind, reqwest::Url)> {
    let (name, address) = entry.split_once('=')?;
    let kind = kinds::KINDS.iter().find(|kind| kind.provider == name.trim())?;
    Some((kind, kinds::address(address.trim(), kind.port)?))
}

/// `TAU_LOCAL_SERVERS` has an entry that is not `NAME=ADDRESS`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("TAU_LOCAL_SERVERS: cannot read \"{entry}\"; write NAME=ADDRESS, with one of the names {}", LOCAL_SERVERS.join(", "))]
pub struct LocalServersError {
    /// The entry.
    entry: String,
}
