//! Models of servers on this machine, looked for when a list of models is wanted or none can be asked.

use tau_ai::{LocalServers, ModelRegistry};

use crate::session::AgentSession;
use crate::settings::Environment;

/// Adds the models of servers on this machine that need no key. Takes a moment: as long as the slowest of them takes to
/// answer, a second at most. Gives what is wrong, for the user; servers that are not there are not wrong.
pub async fn add_local_models(models: &ModelRegistry, env: &Environment) -> Vec<String> {
    let servers = match LocalServers::of(|name| env.var(name).map(str::to_owned)) {
        Ok(servers) => servers,
        Err(error) => return vec![error.to_string()],
    };
    let added = servers.find().await.into_iter().map(|server| models.add_local_server(&server));
    added.filter_map(|added| added.err().map(|error| error.to_string())).collect()
}

/// Whether a name of a provider, or of a model with its provider in front, is one of a server on this machine.
pub fn names_local_server(name: &str) -> bool {
    let provider = name.split('/').next().unwrap_or_default();
    tau_ai::LOCAL_SERVERS.contains(&provider)
}

impl AgentSession {
    /// Adds the models of servers on this machine to those of the session, as [`add_local_models`] does.
    pub async fn add_local_models(&self) -> Vec<String> {
        add_local_models(self.models(), &self.env()).await
    }
}
