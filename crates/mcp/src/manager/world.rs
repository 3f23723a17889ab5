//! What servers need from the program around them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tau_http::Clients;

use crate::config::{Entry, Values};
use crate::connection::{Elicit, Lifecycle, ServerPrompt, Tokens};
use crate::log::ServerLog;

/// What servers need from the program around them. Cheap to clone.
#[derive(Clone)]
pub struct World {
    /// The folder that the session works in.
    pub cwd: PathBuf,
    /// The variables of the session.
    pub environment: Arc<[(OsString, OsString)]>,
    /// Where values come from that entries only name.
    pub values: Arc<dyn Values>,
    /// Where what servers log goes.
    pub log: ServerLog,
    /// How the web is reached.
    pub clients: Arc<Clients>,
    /// Who has tokens.
    pub logins: Arc<dyn Logins>,
    /// Who answers questions of servers.
    pub elicit: Option<Arc<dyn Elicit>>,
    /// What is known from earlier connections.
    pub memory: Arc<dyn Memory>,
}

/// Who has tokens for servers.
pub trait Logins: Send + Sync {
    /// Tokens for a server at this address; `None` where none are sent.
    fn tokens(&self, entry: &Entry, url: &str, client_secret: Option<&str>) -> Option<Arc<dyn Tokens>>;

    /// Changes whenever there is another login for a server.
    fn stamp(&self, _entry: &Entry, _values: &dyn Values) -> u64 {
        0
    }
}

/// Sends no tokens.
pub struct NoLogins;

impl Logins for NoLogins {
    fn tokens(&self, _: &Entry, _: &str, _: Option<&str>) -> Option<Arc<dyn Tokens>> {
        None
    }
}

/// What is known of a server from its last connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The first line of its instructions, made safe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How it began.
    pub lifecycle: Lifecycle,
    /// Its prompts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<ServerPrompt>,
}

/// What is known from earlier connections.
pub trait Memory: Send + Sync {
    /// What is known of a server.
    fn recall(&self, entry: &Entry) -> Option<Remembered>;

    /// Keeps what is known of it now. Must not wait for the disk.
    fn keep(&self, entry: &Entry, remembered: Remembered);
}

/// Remembers nothing.
pub struct NoMemory;

impl Memory for NoMemory {
    fn recall(&self, _: &Entry) -> Option<Remembered> {
        None
    }

    fn keep(&self, _: &Entry, _: Remembered) {}
}
