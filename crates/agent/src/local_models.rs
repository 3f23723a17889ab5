//! Models of servers on this machine, looked for when a list of models is wanted or none can be asked.

use tau_ai::{LocalServers, ModelRegistry};

use crate::session::AgentSession;
use crate::settings::Environment;

/// Adds the models of servers on this machine that need no key. Takes a moment: as long as the slowest of them takes to
/// answer, a second at most. Gives what is wrong, for the user: a server that is not there is, when a variable says where it
/// should be.
pub async fn add_local_models(models: &ModelRegistry, env: &Environment) -> Vec<String> {
    let servers = match LocalServers::of(|name| env.given(name).map(str::to_owned)) {
        Ok(servers) => servers,
        Err(error) => return vec![error.to_string()],
    };
    let places = servers.look().await;
    let mut problems = places.problems();
    problems.extend(models.add_local_places(&places).iter().map(ToString::to_string));
    problems
}

impl AgentSession {
    /// Adds the models of servers on this machine to those of the session, as [`add_local_models`] does.
    pub async fn add_local_models(&self) -> Vec<String> {
        add_local_models(self.models(), &self.env()).await
    }
}
