//! The servers of a session: connected in the background, each when it is needed, and ended together.

mod attempt;
mod server;
mod state;
mod world;

use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use tau_hooks::Reach;

pub use server::Server;
pub use state::{ServerStatus, State};
pub use world::{Logins, Memory, NoLogins, NoMemory, Remembered, World};

use self::server::Home;
use crate::config::Entry;
use crate::names::namespace;

/// The servers of a session. Cheap to clone.
#[derive(Clone)]
pub struct Manager {
    home: Arc<Home>,
    servers: Arc<RwLock<Vec<Arc<Server>>>>,
}

impl Manager {
    /// No servers yet.
    pub fn new(world: World) -> Self {
        let home = Home {
            world,
            cancel: CancellationToken::new(),
            work: tokio_util::task::TaskTracker::new(),
            changes: watch::Sender::new(0),
        };
        Self { home: Arc::new(home), servers: Arc::default() }
    }

    /// Has these servers and no others: one whose entry is the same stays as it is, one whose way is another begins anew,
    /// one that is gone ends. Connects what is new in the background.
    pub fn set(&self, entries: Vec<Entry>) {
        self.expect(entries);
        self.begin();
    }

    /// As [`Self::set`], but what is new is connected by [`Self::begin`], or once somebody waits for it.
    pub fn expect(&self, entries: Vec<Entry>) {
        let mut gone = Vec::new();
        {
            let mut servers = self.servers.write();
            let mut before = std::mem::take(&mut *servers);
            for entry in entries {
                let known = before.iter().position(|server| server.name() == entry.name);
                match known.map(|at| before.swap_remove(at)) {
                    Some(server) if server.takes(&entry) => servers.push(server),
                    other => {
                        gone.extend(other);
                        servers.push(Server::new(&self.home, entry));
                    }
                }
            }
            gone.extend(before);
        }
        for server in gone {
            server.retire();
        }
        self.home.changed();
    }

    /// Connects in the background what was not tried yet.
    pub fn begin(&self) {
        for server in self.servers() {
            server.begin_first();
        }
    }

    /// All servers, also those that are switched off.
    pub fn servers(&self) -> Vec<Arc<Server>> {
        self.servers.read().clone()
    }

    /// The server of that name.
    pub fn server(&self, name: &str) -> Option<Arc<Server>> {
        self.servers.read().iter().find(|server| server.name() == name).cloned()
    }

    /// Counts changes of servers, their states and their tools.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.home.changes.subscribe()
    }

    /// Waits until the servers that somebody needs are connected or have failed; `false` when `cancel` fires first.
    pub async fn settled(&self, reach: &Reach, cancel: &CancellationToken) -> bool {
        let wanted = self.servers().into_iter().filter(|server| reach.wants(&namespace(&server.name())));
        let all = futures_util::future::join_all(wanted.map(|server| async move { server.settled().await }));
        tokio::select! {
            biased;
            _ = all => true,
            () = cancel.cancelled() => false,
        }
    }

    /// Tries servers again that wait for a login, where there is another one since.
    pub fn retry_signed_in(&self) {
        for server in self.servers() {
            server.retry_signed_in();
        }
    }

    /// Ends all servers and waits for that.
    pub async fn close(&self) {
        self.home.cancel.cancel();
        for server in std::mem::take(&mut *self.servers.write()) {
            server.retire();
        }
        self.home.work.close();
        self.home.work.wait().await;
    }
}

/// Servers end with the last one who knows them.
impl Drop for Home {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
