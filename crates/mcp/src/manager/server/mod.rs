//! One server of a session, connected or not.

mod prompts;

use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tau_ai::Secrets;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::prompts::Prompts;
use super::state::{ServerStatus, State};
use super::world::World;
use crate::config::Entry;
use crate::connection::{Connection, ServerTool};
use crate::summary::{MOST_OF_ONE, first_line, one_line};

/// How long changes of a list are collected before it is read again: the shortest and the longest time. A server that
/// announces changes all the time is asked less and less often.
pub(super) const COLLECT: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// After so long without a change, a server is asked soon again.
pub(super) const QUIET: Duration = Duration::from_secs(60);

/// What all servers of a session share.
pub(super) struct Home {
    pub(super) world: World,
    /// Fires when the session ends.
    pub(super) cancel: CancellationToken,
    pub(super) work: TaskTracker,
    pub(super) changes: watch::Sender<u64>,
}

impl Home {
    pub(super) fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

/// A server of a session.
pub struct Server {
    pub(super) home: Arc<Home>,
    pub(super) me: Weak<Self>,
    pub(super) entry: RwLock<Entry>,
    pub(super) status: watch::Sender<ServerStatus>,
    pub(super) connection: Mutex<Option<Arc<Connection>>>,
    pub(super) tools: RwLock<Arc<[ServerTool]>>,
    prompts: watch::Sender<Prompts>,
    pub(super) instructions: RwLock<Option<String>>,
    /// What no text about it may quote.
    pub(super) secrets: RwLock<Secrets>,
    /// The login that was there when the server wanted one.
    pub(super) stamp: Mutex<Option<u64>>,
    /// Fires when nobody wants the server any more.
    pub(super) gone: CancellationToken,
}

impl Server {
    pub(super) fn new(home: &Arc<Home>, entry: Entry) -> Arc<Self> {
        let state = if entry.config.enabled { State::Starting } else { State::Disabled };
        Arc::new_cyclic(|me| Self {
            home: Arc::clone(home),
            me: me.clone(),
            entry: RwLock::new(entry),
            status: watch::Sender::new(ServerStatus::new(state)),
            connection: Mutex::default(),
            tools: RwLock::new(Arc::default()),
            prompts: watch::Sender::new(Prompts::default()),
            instructions: RwLock::default(),
            secrets: RwLock::default(),
            stamp: Mutex::default(),
            gone: home.cancel.child_token(),
        })
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.entry.read().name.clone()
    }

    /// What is known of it.
    pub fn entry(&self) -> Entry {
        self.entry.read().clone()
    }

    /// How far it is.
    pub fn status(&self) -> ServerStatus {
        self.status.borrow().clone()
    }

    /// Its tools, as of the last time that they were listed.
    pub fn tools(&self) -> Arc<[ServerTool]> {
        Arc::clone(&self.tools.read())
    }

    /// How to use it, as it says: foreign text.
    pub fn instructions(&self) -> Option<String> {
        self.instructions.read().clone()
    }

    /// A text about it without its secrets.
    pub fn without_secrets(&self, text: String) -> String {
        self.secrets.read().hide(text)
    }

    /// What it offers, in a line: in the words of the user, else in its own of now or of the last time, made safe.
    pub fn summary(&self) -> Option<String> {
        let entry = self.entry.read();
        if let Some(text) = &entry.config.description {
            return Some(one_line(first_line(text), MOST_OF_ONE));
        }
        let now = self.instructions.read().as_deref().map(|text| one_line(first_line(text), MOST_OF_ONE));
        now.or_else(|| self.home.world.memory.recall(&entry)?.summary).filter(|text| !text.is_empty())
    }

    /// Takes over another entry that reaches the server in the same way; `false` when it has to begin anew.
    pub(super) fn takes(&self, new: &Entry) -> bool {
        let mut entry = self.entry.write();
        let same = entry.config.transport == new.config.transport
            && entry.config.timeout == new.config.timeout
            && entry.config.enabled == new.config.enabled;
        if same {
            *entry = new.clone();
        }
        same
    }

    /// Ends it in the background.
    pub(super) fn retire(&self) {
        self.gone.cancel();
        if let Some(connection) = self.connection.lock().take() {
            self.home.work.spawn(async move { connection.close().await });
        }
        self.change(|status| status.state = State::Disabled);
    }

    /// Connects it in the background if it was not tried yet.
    pub(super) fn begin_first(&self) {
        if self.status.borrow().state == State::Starting {
            self.begin();
        }
    }

    /// Connects it in the background, unless it is there or on its way.
    pub fn begin(&self) {
        let Some(me) = self.me.upgrade() else { return };
        if self.gone.is_cancelled() {
            return;
        }
        let begins = self.status.send_if_modified(|status| {
            let wants = match status.state {
                State::Disabled | State::Connecting => false,
                State::Connected => self.current().is_none(),
                _ => true,
            };
            if wants {
                status.state = State::Connecting;
                status.error = None;
            }
            wants
        });
        if begins {
            self.home.changed();
            self.home.work.spawn(async move { me.attempt().await });
        }
    }

    /// Ends the connection, if there is one, and connects anew.
    pub async fn reconnect(&self) {
        let before = self.connection.lock().take();
        if let Some(connection) = before {
            connection.close().await;
        }
        self.begin();
        self.settled().await;
    }

    /// Waits until the server is connected or has failed. One that was not tried yet is connected now.
    pub async fn settled(&self) {
        self.begin_first();
        let mut receiver = self.status.subscribe();
        // The sender is a part of this.
        drop(receiver.wait_for(|status| !status.state.is_passing()).await);
    }

    /// The connection, which is made when there is none.
    ///
    /// # Errors
    /// Why there is none, for people and models.
    pub async fn client(&self, cancel: &CancellationToken) -> Result<Arc<Connection>, String> {
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        let name = self.name();
        if self.status.borrow().state == State::Disabled {
            return Err(format!("MCP server \"{name}\" is disabled"));
        }
        self.begin();
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err("Operation aborted".to_owned()),
            () = self.settled() => {}
        }
        self.current().ok_or_else(|| self.absence())
    }

    /// Why the server is not there, for people and models.
    pub fn absence(&self) -> String {
        let (name, status) = (self.name(), self.status());
        match (status.state, status.error) {
            (State::Disabled, _) => format!("MCP server \"{name}\" is disabled; the user can enable it with /mcp"),
            (State::NeedsSignIn, _) => {
                format!("MCP server \"{name}\" needs a sign-in; the user can run `tau mcp login {name}`")
            }
            (_, Some(error)) => format!("MCP server \"{name}\" is not connected: {error}"),
            (state, None) => format!("MCP server \"{name}\" is not connected ({})", state.as_str()),
        }
    }

    /// As [`Server::absence`], for the user.
    pub fn absence_for_user(&self) -> String {
        match self.status().state {
            State::NeedsSignIn => format!("MCP server \"{0}\" needs a sign-in: run `tau mcp login {0}`", self.name()),
            _ => self.absence(),
        }
    }

    /// The connection, if it is there.
    pub fn current(&self) -> Option<Arc<Connection>> {
        self.connection.lock().clone().filter(|connection| !connection.lost().is_cancelled())
    }

    pub(super) fn retry_signed_in(&self) {
        let before = *self.stamp.lock();
        let waits = self.status.borrow().state == State::NeedsSignIn;
        if waits && before != Some(self.home.world.logins.stamp(&self.entry(), &*self.home.world.values)) {
            self.begin();
        }
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut ServerStatus)) {
        self.status.send_modify(change);
        self.home.changed();
    }
}
