//! A server that has answered: its connection, and what follows it to its end.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::RunningService;
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Connection;
use super::client::Client;
use super::error::ConnectError;
use super::fate::{Fate, last_lines};
use super::inbox::Inbox;
use super::stdio::{Program, Tail};

/// How long a connection may take to end by itself. A server that does not read could keep it for ever.
const END: Duration = Duration::from_secs(1);

/// How a server begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    /// With a handshake.
    Handshake,
    /// Every request says for itself what it needs.
    Stateless,
}

pub(super) type Service = RunningService<RoleClient, Client>;

/// What is at the other end.
pub(super) struct Joined {
    pub(super) service: Service,
    pub(super) inbox: Arc<Inbox>,
    pub(super) exceeded: Arc<AtomicBool>,
    pub(super) program: Option<Followed>,
    /// As of [`Connection`].
    pub(super) address: Arc<str>,
}

/// A program whose errors are read.
pub(super) struct Followed {
    pub(super) program: Program,
    pub(super) tail: Tail,
    /// Ends shortly after the program.
    pub(super) errors: JoinHandle<()>,
}

impl Followed {
    /// Ends it, and says what became of it.
    pub(super) async fn stop(self) -> Fate {
        let ending = self.program.stop().await;
        // What it wrote last may still be in the pipe.
        if let Err(error) = self.errors.await {
            tracing::debug!(%error, "the errors of an MCP server are not read to their end");
        }
        Fate { ending, errors: last_lines(&self.tail.text()) }
    }
}

/// A server that has answered.
pub(super) fn begin(
    joined: Joined,
    client: Client,
    timeout: Duration,
    work: &TaskTracker,
) -> Result<Connection, ConnectError> {
    let Joined { service, inbox, exceeded, program, address } = joined;
    let peer = service.peer().clone();
    let end = service.cancellation_token();
    let info = peer.peer_info().ok_or_else(|| ConnectError::Refused("the server says nothing of itself".to_owned()))?;
    let (closing, lost, ended) = (CancellationToken::new(), CancellationToken::new(), CancellationToken::new());
    let (is_closing, is_lost, has_ended) = (closing.clone(), lost.clone(), ended.clone());
    let (is_program, fate) = (program.is_some(), Arc::new(OnceLock::<Fate>::new()));
    let its_fate = Arc::clone(&fate);
    work.spawn(async move {
        let mut waiting = std::pin::pin!(service.waiting());
        let over = async {
            tokio::select! {
                () = is_closing.cancelled() => {}
                () = is_lost.cancelled() => {}
            }
        };
        let done = tokio::select! {
            biased;
            done = &mut waiting => Some(done),
            () = over => {
                end.cancel();
                tokio::time::timeout(END, &mut waiting).await.ok()
            }
        };
        match done {
            Some(Ok(_)) => {}
            Some(Err(error)) => tracing::debug!(%error, "the connection of an MCP server failed"),
            None => tracing::debug!("the connection of an MCP server does not end"),
        }
        is_lost.cancel();
        if let Some(program) = program {
            let became = program.stop().await;
            its_fate.get_or_init(|| became);
        }
        has_ended.cancel();
    });
    let version = info.protocol_version.clone();
    let lifecycle = if version.has_initialize() { Lifecycle::Handshake } else { Lifecycle::Stateless };
    let connection = Connection {
        server: client.server.clone(),
        address,
        peer,
        client,
        info,
        inbox,
        timeout,
        closing,
        lost,
        ended,
        is_program,
        fate,
        exceeded,
        lifecycle,
        left_out: Mutex::default(),
    };
    // The connection ends when it is dropped.
    if ProtocolVersion::KNOWN_VERSIONS.contains(&version) {
        Ok(connection)
    } else {
        Err(ConnectError::Version(crate::summary::one_line(version.as_str(), 40)))
    }
}
