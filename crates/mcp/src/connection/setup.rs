//! Connects a server.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransport;
use tau_http::Clients;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::Connection;
use super::begin::{Followed, Joined, Lifecycle, Service, begin};
use super::client::{Client, OFFERED, WITHOUT_HANDSHAKE};
use super::elicit::Elicit;
use super::error::ConnectError;
use super::fate::{Fate, Wrote};
use super::inbox::{Guarded, Inbox};
use super::lines::{Lines, Noise, Source, is_unreadable};
use super::stdio::{Program, Tail, follow_errors};
use super::web::{self, Fault, Tokens, Web, WebError};
use crate::config::{Resolved, ResolvedTransport};
use crate::log::ServerLog;

/// How long to wait before an address is tried again.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];

/// Everything that a connection needs.
#[derive(Clone)]
pub struct Setup {
    /// The name of the server.
    pub name: String,
    /// How it is reached, with all values filled in.
    pub resolved: Resolved,
    /// How long a request may take without progress.
    pub timeout: Duration,
    /// The folder that the session works in.
    pub cwd: PathBuf,
    /// The variables of the session.
    pub environment: Arc<[(OsString, OsString)]>,
    /// Where what it logs goes.
    pub log: ServerLog,
    /// How the web is reached.
    pub clients: Arc<Clients>,
    /// Tokens to send.
    pub tokens: Option<Arc<dyn Tokens>>,
    /// Who answers its questions.
    pub elicit: Option<Arc<dyn Elicit>>,
    /// How it began the last time, where that is known.
    pub lifecycle: Option<Lifecycle>,
    /// Runs the tasks of the connection.
    pub work: TaskTracker,
}

/// Connects a server; gives up when `cancel` fires.
///
/// # Errors
/// When the server cannot be started or reached, does not answer in time, or wants a login.
pub async fn connect(setup: &Setup, cancel: &CancellationToken) -> Result<Connection, ConnectError> {
    let mut pauses = PAUSES.iter();
    loop {
        let done = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ConnectError::Cancelled),
            done = attempt(setup) => done,
        };
        let failure = match done {
            Ok(joined) => {
                let client = setup.client(&joined.inbox);
                return begin(joined, client, setup.timeout, &setup.work);
            }
            Err(failure) => failure,
        };
        let Some(pause) = pauses.next().filter(|_| failure.is_passing) else { return Err(failure.error) };
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ConnectError::Cancelled),
            () = tokio::time::sleep(*pause) => {}
        }
    }
}

struct Failure {
    error: ConnectError,
    is_passing: bool,
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        Self { error, is_passing: false }
    }
}

async fn attempt(setup: &Setup) -> Result<Joined, Failure> {
    match once(setup, setup.lifecycle).await {
        Err(Failure { error, .. }) if setup.lifecycle.is_none() && matches!(error, ConnectError::Late) => {
            once(setup, Some(Lifecycle::Stateless)).await
        }
        Err(Failure { error, .. }) if wants_handshake(setup, &error) => once(setup, Some(Lifecycle::Handshake)).await,
        done => done,
    }
}

/// Whether a server failed because it was asked without a handshake.
fn wants_handshake(setup: &Setup, error: &ConnectError) -> bool {
    let is_program = matches!(setup.resolved.transport, ResolvedTransport::Stdio { .. });
    match setup.lifecycle {
        // Some programs end at a request that they do not know.
        None => is_program && matches!(error, ConnectError::Ended { .. }),
        // It had none the last time, and may be another one now.
        Some(Lifecycle::Stateless) => match error {
            ConnectError::Ended { .. } => is_program,
            ConnectError::Rejected(_) | ConnectError::Version(_) => true,
            _ => false,
        },
        Some(Lifecycle::Handshake) => false,
    }
}

async fn once(setup: &Setup, lifecycle: Option<Lifecycle>) -> Result<Joined, Failure> {
    match &setup.resolved.transport {
        ResolvedTransport::Stdio { command, .. } => Ok(start(setup, command, lifecycle).await?),
        ResolvedTransport::Http { url, headers, .. } => reach(setup, url, headers, lifecycle).await,
    }
}

fn mode(lifecycle: Option<Lifecycle>) -> ClientLifecycleMode {
    let preferred_versions = vec![WITHOUT_HANDSHAKE];
    match lifecycle {
        Some(Lifecycle::Handshake) => ClientLifecycleMode::Initialize,
        Some(Lifecycle::Stateless) => ClientLifecycleMode::Discover { preferred_versions },
        None => ClientLifecycleMode::Auto { preferred_versions, legacy_version: Some(OFFERED) },
    }
}

impl Setup {
    fn client(&self, inbox: &Arc<Inbox>) -> Client {
        let (server, cwd, elicit) = (self.name.clone(), self.cwd.clone(), self.elicit.clone());
        Client { server, cwd, elicit, inbox: Arc::clone(inbox) }
    }

    /// `None` when it takes too long.
    async fn shake<T>(
        &self,
        transport: T,
        inbox: &Arc<Inbox>,
        lifecycle: Option<Lifecycle>,
    ) -> Option<Result<Service, ClientInitializeError>>
    where
        T: Transport<RoleClient> + 'static,
    {
        let transport = Guarded::new(transport, Arc::clone(inbox));
        let served = self.client(inbox).serve_with_lifecycle(transport, mode(lifecycle));
        tokio::time::timeout(self.timeout, served).await.ok()
    }

    fn slow(&self, wrote: Wrote) -> ConnectError {
        ConnectError::Slow { limit: self.timeout, wrote }
    }
}

async fn start(setup: &Setup, command: &str, lifecycle: Option<Lifecycle>) -> Result<Joined, ConnectError> {
    let started = Program::start(&setup.resolved.transport, &setup.environment);
    let (program, pipes) =
        started.map_err(|error| ConnectError::Start { program: command.to_owned(), reason: error.to_string() })?;
    let (tail, noise) = (Tail::default(), Noise::default());
    let errors = setup.work.spawn(follow_errors(pipes.stderr, tail.clone(), pipes.over));
    let program = Followed { program, tail, errors };
    let exceeded = pipes.stdout.exceeded();
    let inbox = Arc::new(Inbox::new(&setup.name, setup.log.clone()));
    let source = Source::new(pipes.stdout, noise.clone());
    let transport = Lines::new(Arc::clone(&source), pipes.stdin);
    // When nobody wants this any more, it is dropped, and with it the program.
    match setup.shake(transport, &inbox, lifecycle).await {
        Some(Ok(service)) => Ok(Joined { service, inbox, exceeded, program: Some(program), address: "".into() }),
        failed => {
            let Fate { ending, errors } = program.stop().await;
            source.lock().await.drain().await;
            let wrote = Wrote { noise: noise.text(), errors };
            Err(match failed {
                Some(Err(error)) => refused(error, None).unwrap_or(ConnectError::Ended { ending, wrote }),
                _ => setup.slow(wrote),
            })
        }
    }
}

async fn reach(
    setup: &Setup,
    url: &str,
    headers: &[(String, String)],
    lifecycle: Option<Lifecycle>,
) -> Result<Joined, Failure> {
    let address = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let address = address.ok_or_else(|| ConnectError::Entry("url is no http or https address".to_owned()))?;
    let headers = web::headers(headers).map_err(ConnectError::Entry)?;
    let client = setup.clients.get(&address).await.map_err(|error| ConnectError::Refused(error.to_string()))?;
    let proxy = setup.clients.proxy_of(&address).map_err(|error| ConnectError::Refused(error.to_string()))?;
    let (last, address): (_, Arc<str>) = (Arc::new(Mutex::new(None)), web::shown(&address).into());
    let web = Web {
        client: client.clone(),
        address: Arc::clone(&address),
        proxy,
        tokens: setup.tokens.clone(),
        last: Arc::clone(&last),
    };
    let inbox = Arc::new(Inbox::new(&setup.name, setup.log.clone()));
    let transport = StreamableHttpClientTransport::with_client(web, web::settings(url, headers));
    match setup.shake(transport, &inbox, lifecycle).await {
        Some(Ok(service)) => Ok(Joined { service, inbox, exceeded: Arc::default(), program: None, address }),
        None => Err(setup.slow(Wrote::default()).into()),
        Some(Err(error)) => {
            let last: Option<WebError> = last.lock().take();
            let is_passing = last.as_ref().is_some_and(|last| last.fault.is_passing());
            // An address does not end by itself: the reason is what was noted last.
            let ended = || {
                let told = last.as_ref().map(ToString::to_string);
                ConnectError::Refused(
                    told.unwrap_or_else(|| format!("the connection to {address} ended before the server was ready")),
                )
            };
            let error = refused(error, last.as_ref()).unwrap_or_else(ended);
            Err(Failure { error, is_passing })
        }
    }
}

/// What people read of a connection that did not come about; nothing when the other end is gone. `last` is what went wrong last
/// on the way to an address.
fn refused(error: ClientInitializeError, last: Option<&WebError>) -> Option<ConnectError> {
    if let Some(WebError { fault: Fault::NeedsSignIn(challenge), .. }) = last {
        return Some(ConnectError::NeedsSignIn { challenge: challenge.clone() });
    }
    Some(match error {
        ClientInitializeError::ConnectionClosed(_) => return None,
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return refused(*fallback, last),
        ClientInitializeError::TransportError { error, .. } => {
            tracing::debug!(error = %error.error, "an MCP server cannot be written to");
            return None;
        }
        ClientInitializeError::JsonRpcError(error) if is_unreadable(&error) => ConnectError::Refused(format!(
            "the answer of the server to the handshake cannot be understood: {}",
            error.message
        )),
        ClientInitializeError::JsonRpcError(error) => {
            let why = crate::summary::one_line(&error.message, web::SHOWN);
            ConnectError::Rejected(format!("the server refused: {why} (code {})", error.code.0))
        }
        ClientInitializeError::ConflictInitResponseId(..) => ConnectError::Late,
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let all: Vec<String> = server_supported.iter().map(ToString::to_string).collect();
            ConnectError::Version(all.join(", "))
        }
        // These hold whole messages of the server.
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            ConnectError::Refused("what the server answers is no answer to the handshake".to_owned())
        }
        other => ConnectError::Refused(crate::summary::one_line(&other.to_string(), web::SHOWN)),
    })
}
