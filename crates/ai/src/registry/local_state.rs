//! What came of looking for servers on this machine, as far as models and credentials are concerned. Looking is for others.

use std::collections::BTreeMap;

use super::ModelRegistry;

/// The names of the providers of servers on this machine.
pub const LOCAL_SERVERS: [&str; 4] = ["ollama", "lmstudio", "llama.cpp", "vllm"];

/// What came of looking for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LocalState {
    /// Its models are there.
    Added,
    /// They are not, for this reason, which says what to do.
    Missing(String),
}

impl ModelRegistry {
    /// Remembers what came of looking for servers, by the names of their providers, in place of what was known before.
    pub(crate) fn keep_local(&self, states: BTreeMap<&'static str, LocalState>) {
        self.state.write().local = states;
    }

    /// Whether a provider is a server on this machine that was found.
    pub fn is_local_server(&self, provider: &str) -> bool {
        let is_added = self.state.read().local.get(provider) == Some(&LocalState::Added);
        is_added && !self.is_in_models_json(provider)
    }

    /// Why a server on this machine has no models here, and what to do: when it was looked for, and nobody described a
    /// provider of that name.
    pub fn local_problem(&self, provider: &str) -> Option<String> {
        let name = LOCAL_SERVERS.into_iter().find(|name| name.eq_ignore_ascii_case(provider))?;
        if self.knows_provider(name) {
            return None;
        }
        match self.state.read().local.get(name)? {
            LocalState::Missing(why) => Some(why.clone()),
            LocalState::Added => None,
        }
    }
}
