//! Model servers on this machine that need no key: Ollama, LM Studio, llama.cpp and vLLM.
//!
//! Nothing is asked unless somebody calls [`LocalServers::find`], and no more than a few small requests to addresses of this
//! machine are sent then. What another program answers there is data: it is read within limits, and what does not have the
//! shape of such a server is no server.

mod add;
mod ask;
mod kinds;
mod place;

use std::time::Duration;

use futures_util::future::join_all;
use tau_http::{Clients, Policy};

use crate::{ModelConfig, ProviderConfig};
use ask::Asker;
use kinds::Kind;
use place::Outcome;
pub use place::{LocalPlace, LocalPlaces};

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
            keyless: true,
            models: Some(self.models.clone()),
            ..ProviderConfig::default()
        }
    }
}

/// Where servers are looked for.
#[derive(Debug, Clone)]
pub struct LocalServers {
    spots: Vec<Spot>,
}

/// An address where a server may be.
#[derive(Debug, Clone)]
struct Spot {
    kind: &'static Kind,
    url: reqwest::Url,
    /// The variable that names it; a usual address has none.
    variable: Option<&'static str>,
}

/// Whether a name of a provider, or of a model with its provider in front, is one of a server on this machine.
pub fn names_local_server(name: &str) -> bool {
    let provider = name.split(['/', ':']).next().unwrap_or_default();
    crate::LOCAL_SERVERS.iter().any(|known| known.eq_ignore_ascii_case(provider))
}

/// The variable with all addresses.
const ALL: &str = "TAU_LOCAL_SERVERS";

impl LocalServers {
    /// The usual addresses, or those of the variable `TAU_LOCAL_SERVERS`: `NAME=ADDRESS` with commas between them; empty for
    /// none. `OLLAMA_HOST` moves Ollama. Addresses of other machines are asked nothing.
    ///
    /// # Errors
    /// When `TAU_LOCAL_SERVERS` cannot be read.
    pub fn of(env: impl Fn(&str) -> Option<String>) -> Result<Self, LocalServersError> {
        let mut spots = Vec::new();
        match env(ALL) {
            Some(given) => {
                for entry in given.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                    let found = named(entry).ok_or_else(|| LocalServersError { entry: entry.to_owned() })?;
                    spots.push(Spot { kind: found.0, url: found.1, variable: Some(ALL) });
                }
            }
            None => {
                for kind in kinds::KINDS {
                    let moved = kind.variable.and_then(|name| Some((name, kinds::address(&env(name)?, kind.port)?)));
                    let (variable, url) = match moved {
                        Some((variable, url)) => (Some(variable), Some(url)),
                        None => (None, kinds::address("127.0.0.1", kind.port)),
                    };
                    spots.extend(url.map(|url| Spot { kind, url, variable }));
                }
            }
        }
        Ok(Self { spots })
    }

    /// Asks all of them at once. Those that do not answer within a second are not there.
    pub async fn look(&self) -> LocalPlaces {
        let clients =
            Clients::new(Policy { connect: CONNECT, silence: Some(PATIENCE), proxy: None, authorities: None });
        let looked = join_all(self.spots.iter().map(|spot| spot.look(&clients))).await;
        LocalPlaces(looked)
    }

    /// The servers that answer, as [`LocalServers::look`] finds them.
    pub async fn find(&self) -> Vec<LocalServer> {
        self.look().await.into_servers()
    }
}

impl Spot {
    async fn look(&self, clients: &Clients) -> LocalPlace {
        let Self { kind, url, variable } = self;
        let place = |outcome| LocalPlace { kind, address: shown(url), variable: *variable, outcome };
        if !kinds::is_here(url) {
            return place(Outcome::Elsewhere);
        }
        let asker = Asker::new(clients, url.clone());
        let models = tokio::time::timeout(PATIENCE, (kind.models)(&asker)).await.ok().flatten();
        let base_url = asker.url("/v1").map(|url| url.to_string());
        place(match (models, base_url) {
            (Some(models), Some(base_url)) if !models.is_empty() => {
                Outcome::Found(LocalServer { provider: kind.provider, base_url, models })
            }
            (Some(_), _) => Outcome::Empty,
            (None, _) if asker.is_answered() => Outcome::Other,
            (None, _) => Outcome::Silent,
        })
    }
}

/// An address for people, without what may be secret.
fn shown(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}", url.scheme())
}

fn named(entry: &str) -> Option<(&'static Kind, reqwest::Url)> {
    let (name, address) = entry.split_once('=')?;
    let kind = kinds::KINDS.iter().find(|kind| kind.provider == name.trim())?;
    Some((kind, kinds::address(address.trim(), kind.port)?))
}

/// `TAU_LOCAL_SERVERS` has an entry that is not `NAME=ADDRESS`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("TAU_LOCAL_SERVERS: cannot read \"{entry}\"; write NAME=ADDRESS, with one of the names {}", crate::LOCAL_SERVERS.join(", "))]
pub struct LocalServersError {
    /// The entry.
    entry: String,
}
