//! Connecting a server, and what happens while it is connected.

use std::sync::Arc;

use super::server::{COLLECT, QUIET, Server};
use super::state::{ServerStatus, State};
use super::world::Remembered;
use crate::config::{Entry, ResolvedTransport, Transport, resolve};
use crate::connection::{ConnectError, Connection, ServerTool, Setup, connect};
use crate::summary::{MOST_OF_ONE, first_line, one_line};

impl Server {
    /// Connects it once, and follows the connection.
    pub(super) async fn attempt(self: Arc<Self>) {
        let entry = self.entry();
        *self.stamp.lock() = Some(self.home.world.logins.stamp(&entry, &*self.home.world.values));
        let made = tokio::select! {
            biased;
            () = self.gone.cancelled() => Err(ConnectError::Cancelled),
            made = self.made(&entry) => made,
        };
        match made {
            Ok((connection, tools)) => self.joined(&entry, connection, tools),
            Err(error) => {
                let state = match &error {
                    ConnectError::NeedsSignIn { .. } => State::NeedsSignIn,
                    ConnectError::Cancelled => State::Disabled,
                    _ => State::Failed,
                };
                let challenge = match &error {
                    ConnectError::NeedsSignIn { challenge } => challenge.clone(),
                    _ => None,
                };
                self.change(|status| {
                    status.state = state;
                    status.error = Some(self.without_secrets(error.to_string()));
                    status.challenge = challenge;
                });
            }
        }
    }

    async fn made(&self, entry: &Entry) -> Result<(Connection, Vec<ServerTool>), ConnectError> {
        let world = &self.home.world;
        let (config, cwd, values) = (entry.config.clone(), world.cwd.clone(), Arc::clone(&world.values));
        // Commands that give values take as long as they like.
        let resolved = tokio::task::spawn_blocking(move || resolve(&config, &cwd, values.as_ref())).await;
        let resolved = resolved.map_err(|error| ConnectError::Entry(error.to_string()))??;
        *self.secrets.write() = resolved.secrets(&entry.config);
        let tokens = match (&resolved.transport, &entry.config.transport) {
            (ResolvedTransport::Http { url, client_secret, .. }, Transport::Http { .. }) => {
                world.logins.tokens(entry, url, client_secret.as_deref())
            }
            _ => None,
        };
        let setup = Setup {
            name: entry.name.clone(),
            resolved,
            timeout: entry.config.timeout,
            cwd: world.cwd.clone(),
            environment: Arc::clone(&world.environment),
            log: world.log.clone(),
            clients: Arc::clone(&world.clients),
            tokens,
            elicit: world.elicit.clone(),
            lifecycle: world.memory.recall(entry).map(|known| known.lifecycle),
            work: self.home.work.clone(),
        };
        let connection = match connect(&setup, &self.gone).await {
            // What was remembered may not hold any more.
            Err(ConnectError::Refused(_) | ConnectError::Ended { .. }) if setup.lifecycle.is_some() => {
                connect(&Setup { lifecycle: None, ..setup }, &self.gone).await?
            }
            done => done?,
        };
        match connection.list_tools().await {
            Ok(tools) => Ok((connection, tools)),
            Err(error) => {
                connection.close().await;
                Err(ConnectError::Tools(error))
            }
        }
    }

    fn joined(self: &Arc<Self>, entry: &Entry, connection: Connection, tools: Vec<ServerTool>) {
        let connection = Arc::new(connection);
        let instructions = connection.instructions().map(str::to_owned);
        let summary = instructions.as_deref().map(|text| one_line(first_line(text), MOST_OF_ONE));
        let memory = &self.home.world.memory;
        let remembered = Remembered {
            summary: summary.filter(|text| !text.is_empty()),
            lifecycle: connection.lifecycle(),
            // They are listed again in a moment.
            prompts: memory.recall(entry).map(|known| known.prompts).unwrap_or_default(),
        };
        memory.keep(entry, remembered);
        self.forget_listed_prompts();
        *self.instructions.write() = instructions;
        let (count, has_resources) = (tools.len(), connection.offers("resources"));
        *self.tools.write() = tools.into();
        *self.connection.lock() = Some(Arc::clone(&connection));
        if self.gone.is_cancelled() {
            // It was retired between its answer and now.
            self.connection.lock().take();
            self.home.work.spawn(async move { connection.close().await });
            return;
        }
        self.change(|status| {
            *status = ServerStatus { tools: count, has_resources, ..ServerStatus::new(State::Connected) }
        });
        let (me, followed) = (Arc::clone(self), Arc::clone(&connection));
        self.home.work.spawn(async move { me.follow_prompts(followed).await });
        let me = Arc::clone(self);
        self.home.work.spawn(async move { me.follow(connection).await });
    }

    /// Follows a connection to its end.
    async fn follow(self: Arc<Self>, connection: Arc<Connection>) {
        let mut pause = COLLECT.0;
        loop {
            let quiet = tokio::time::Instant::now();
            tokio::select! {
                biased;
                () = connection.lost().cancelled() => break,
                () = self.gone.cancelled() => return,
                () = connection.tools_changed() => {}
            }
            pause = if quiet.elapsed() >= QUIET { COLLECT.0 } else { pause };
            tokio::select! {
                biased;
                () = connection.lost().cancelled() => break,
                () = self.gone.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(COLLECT.1);
            match connection.list_tools().await {
                Ok(tools) => {
                    let count = tools.len();
                    let tools: Arc<[ServerTool]> = tools.into();
                    let is_other = *self.tools.read() != tools;
                    if is_other {
                        *self.tools.write() = tools;
                        self.change(|status| status.tools = count);
                    }
                }
                Err(error) => tracing::debug!(%error, "the tools of an MCP server cannot be listed again"),
            }
        }
        let mut current = self.connection.lock();
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, &connection)) {
            current.take();
            drop(current);
            // Somebody may be connecting it again by now.
            let is_news = self.status.send_if_modified(|status| {
                let was_there = status.state == State::Connected;
                if was_there {
                    status.state = State::Disconnected;
                }
                was_there
            });
            if is_news {
                self.home.changed();
            }
        }
    }
}
