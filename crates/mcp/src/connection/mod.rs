//! One server that is there: connected, asked, and ended.

mod begin;
mod client;
mod elicit;
mod error;
mod fate;
mod inbox;
mod limits;
mod lines;
mod prompts;
mod request;
mod setup;
mod stdio;
mod tools;
mod web;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::ServerPeerInfo;
use rmcp::service::Peer;
use tokio_util::sync::CancellationToken;

pub use begin::Lifecycle;
pub use elicit::{Elicit, Field, FieldKind, Reply};
pub use error::{CallError, ConnectError};
pub use fate::{Ending, Lost, Wrote};
pub use inbox::Progress;
pub use prompts::{PromptArgument, ServerPrompt};
pub use request::{Call, OnProgress};
pub use setup::{Setup, connect};
pub use tools::{Page, ServerTool};
pub use web::Tokens;
pub(crate) use web::{shown, unanswered};

use self::fate::Fate;
use self::inbox::Inbox;

/// Most bytes of a message.
const MOST: usize = 16 * 1024 * 1024;
/// Most bytes of the instructions of a server.
const INSTRUCTIONS: usize = 64 * 1024;

/// A connected server.
pub struct Connection {
    /// The name of the server.
    server: String,
    /// Where it is, as that is shown; empty for a program.
    address: Arc<str>,
    peer: Peer<RoleClient>,
    /// Answers what the server asks in the place of a result.
    client: client::Client,
    info: Arc<ServerPeerInfo>,
    inbox: Arc<Inbox>,
    timeout: Duration,
    /// Ends the connection.
    closing: CancellationToken,
    /// Fires when nothing can be asked any more.
    lost: CancellationToken,
    /// Fires when everything that belonged to the connection has ended.
    ended: CancellationToken,
    is_program: bool,
    /// What became of its program, once that has ended.
    fate: Arc<OnceLock<Fate>>,
    exceeded: Arc<AtomicBool>,
    lifecycle: Lifecycle,
    /// Why tools of the last list are left out.
    left_out: Mutex<String>,
}

impl Connection {
    /// What the server says of how to use it: foreign text.
    pub fn instructions(&self) -> Option<&str> {
        let text = self.info.instructions.as_deref()?.trim();
        let text = &text[..text.floor_char_boundary(INSTRUCTIONS)];
        (!text.is_empty()).then_some(text)
    }

    /// Whether it says that it has something of this kind: `tools`, `resources`, `prompts`.
    pub fn offers(&self, what: &str) -> bool {
        let capabilities = serde_json::to_value(&self.info.capabilities).unwrap_or_default();
        capabilities.get(what).is_some_and(|value| !value.is_null())
    }

    /// Whether it was reached with a handshake.
    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    /// Why tools of the last list are left out, if some are.
    pub fn left_out(&self) -> Option<String> {
        Some(self.left_out.lock().clone()).filter(|text| !text.is_empty())
    }

    /// Fires when the connection is lost or closed.
    pub fn lost(&self) -> &CancellationToken {
        &self.lost
    }

    /// Waits until the server says that its tools are others.
    pub async fn tools_changed(&self) {
        self.inbox.tools_changed.notified().await;
    }

    /// Waits until the server says that its prompts are others.
    pub async fn prompts_changed(&self) {
        self.inbox.prompts_changed.notified().await;
    }

    /// Ends the connection and waits until everything that belonged to it has ended.
    pub async fn close(&self) {
        self.closing.cancel();
        self.ended.cancelled().await;
    }

    /// Why nothing can be asked any more. What notices it first says so to all. Waits for what became of a program.
    async fn closed(&self, is_call: bool) -> CallError {
        // Nobody needs a reason who ended it.
        let is_wanted = self.closing.is_cancelled();
        self.lost.cancel();
        if self.exceeded.load(Ordering::SeqCst) {
            return CallError::TooLarge;
        }
        if is_wanted {
            return CallError::Closed;
        }
        self.ended.cancelled().await;
        let (ending, errors) = self.fate.get().map(|fate| (fate.ending, fate.errors.clone())).unwrap_or_default();
        let server = self.server.clone();
        CallError::Lost(Box::new(Lost { server, is_program: self.is_program, ending, errors, is_call }))
    }
}

/// A connection that nobody has any more ends.
impl Drop for Connection {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}
