//! The prompts of a server: listed once it is there and whenever they change, and remembered for the next session.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{COLLECT, QUIET, Server};
use crate::connection::{Connection, ServerPrompt};
use crate::manager::world::Remembered;

/// How many prompts of a server are remembered.
const REMEMBERED: usize = 50;

/// The prompts of a server, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Prompts {
    /// The server that is there has listed them.
    is_listed: bool,
    all: Arc<[ServerPrompt]>,
}

impl Server {
    /// Its prompts: as it listed them last, else as they are remembered.
    pub fn prompts(&self) -> Arc<[ServerPrompt]> {
        let known = self.prompts.borrow().clone();
        if known.is_listed || !known.all.is_empty() {
            return known.all;
        }
        let remembered = self.home.world.memory.recall(&self.entry());
        remembered.map(|known| known.prompts.into()).unwrap_or_default()
    }

    /// Connects the server if it is not there, and waits until it has listed its prompts.
    ///
    /// # Errors
    /// Why it is not there, for people.
    pub async fn listed_prompts(
        &self,
        cancel: &CancellationToken,
    ) -> Result<(Arc<Connection>, Arc<[ServerPrompt]>), String> {
        let connection = self.client(cancel).await?;
        let mut prompts = self.prompts.subscribe();
        tokio::select! {
            biased;
            _ = prompts.wait_for(|prompts| prompts.is_listed) => {}
            () = connection.lost().cancelled() => return Err(self.absence()),
            () = cancel.cancelled() => return Err("Operation aborted".to_owned()),
        }
        Ok((connection, self.prompts()))
    }

    /// A new connection has not listed its prompts yet.
    pub(in crate::manager) fn forget_listed_prompts(&self) {
        self.prompts.send_modify(|prompts| prompts.is_listed = false);
    }

    /// Lists the prompts of a connection until it ends. A server that announces changes all the time is asked less and less
    /// often.
    pub(in crate::manager) async fn follow_prompts(self: Arc<Self>, connection: Arc<Connection>) {
        let mut pause = Duration::ZERO;
        loop {
            let ended = async {
                tokio::select! {
                    () = connection.lost().cancelled() => {}
                    () = self.gone.cancelled() => {}
                }
            };
            let quiet = tokio::time::Instant::now();
            let next = async {
                if !pause.is_zero() {
                    connection.prompts_changed().await;
                    tokio::time::sleep(pause).await;
                }
                connection.list_prompts().await
            };
            let listed = tokio::select! {
                biased;
                () = ended => return,
                listed = next => listed,
            };
            pause = if pause.is_zero() || quiet.elapsed() >= QUIET { COLLECT.0 } else { (pause * 2).min(COLLECT.1) };
            let all: Arc<[ServerPrompt]> = match listed {
                Ok(prompts) => prompts.into(),
                Err(error) => {
                    tracing::debug!(%error, "the prompts of an MCP server cannot be listed");
                    self.prompts()
                }
            };
            let is_news = *all != *self.prompts();
            self.prompts.send_replace(Prompts { is_listed: true, all: Arc::clone(&all) });
            if is_news {
                self.remember_prompts(&all);
                self.home.changed();
            }
        }
    }

    fn remember_prompts(&self, all: &[ServerPrompt]) {
        let (entry, memory) = (self.entry(), &self.home.world.memory);
        if let Some(known) = memory.recall(&entry) {
            let prompts = all.iter().take(REMEMBERED).cloned().collect();
            memory.keep(&entry, Remembered { prompts, ..known });
        }
    }
}
