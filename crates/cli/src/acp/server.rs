//! What all sessions of the process share, and the table of those that are open.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::Error;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthMethodId, Implementation, InitializeRequest,
    InitializeResponse, McpCapabilities, PromptCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionId, SessionListCapabilities, SessionResumeCapabilities,
};
use futures_util::future::join_all;
use parking_lot::{Mutex, RwLock};
use tau_launch::args::Args;
use tau_launch::{Launcher, models};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::conversation::Conversation;
use super::errors;
use super::teller::Abilities;
use super::transport::Wire;

/// The one way to authenticate: the user sees to it outside of the protocol.
const API_KEY: &str = "api-key";

/// How long the end waits for sessions that are being opened.
const PATIENCE: Duration = Duration::from_secs(5);

/// The agent of one client.
pub(super) struct Server {
    pub(super) launcher: Launcher,
    /// What the command line says, for sessions in any directory.
    pub(super) args: Args,
    pub(super) wire: Arc<Wire>,
    /// Fires when nothing new begins.
    pub(super) ending: CancellationToken,
    /// Sessions that are being opened.
    pub(super) openings: TaskTracker,
    client: RwLock<Abilities>,
    sessions: Mutex<HashMap<SessionId, Arc<Conversation>>>,
}

impl Server {
    pub(super) fn new(launcher: &Launcher) -> Arc<Self> {
        Arc::new(Self {
            launcher: launcher.clone(),
            args: launcher.args_elsewhere(),
            wire: Arc::default(),
            ending: CancellationToken::new(),
            openings: TaskTracker::new(),
            client: RwLock::default(),
            sessions: Mutex::default(),
        })
    }

    /// What tau can do.
    pub(super) fn initialize(&self, request: &InitializeRequest) -> InitializeResponse {
        *self.client.write() = Abilities::of(&request.client_capabilities);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .mcp_capabilities(McpCapabilities::new().http(true))
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .session_capabilities(sessions);
        let key = AuthMethodAgent::new(API_KEY, "API key").description(errors::BRING_A_KEY.to_owned());
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .agent_info(Implementation::new("tau", env!("CARGO_PKG_VERSION")).title("tau".to_owned()))
            .auth_methods(vec![AuthMethod::Agent(key)])
    }

    pub(super) fn client(&self) -> Abilities {
        *self.client.read()
    }

    /// Looks again whether some model can be asked.
    pub(super) async fn authenticate(self: &Arc<Self>, method: &AuthMethodId) -> Result<(), Error> {
        if &*method.0 != API_KEY {
            return Err(errors::bad_params(format!(
                "There is no way to authenticate called {method}; there is {API_KEY}."
            )));
        }
        let server = Arc::clone(self);
        let any = tokio::task::spawn_blocking(move || {
            let registry = models::registry(&server.args, server.launcher.env(), server.launcher.voice());
            let scripted = server.args.demo || server.args.script.is_some();
            scripted || registry.has_available()
        });
        if any.await.map_err(errors::failed)? { Ok(()) } else { Err(errors::no_model()) }
    }

    /// Makes sure that sessions can be opened in a directory.
    pub(super) fn check_directory(&self, cwd: &Path) -> Result<(), Error> {
        if !cwd.is_absolute() {
            return Err(errors::bad_params(format!("The working directory must be absolute: {}", cwd.display())));
        }
        if !cwd.is_dir() {
            return Err(errors::bad_params(format!("The working directory does not exist: {}", cwd.display())));
        }
        Ok(())
    }

    /// The open session of an id.
    pub(super) fn conversation(&self, id: &SessionId) -> Result<Arc<Conversation>, Error> {
        self.sessions.lock().get(id).cloned().ok_or_else(|| errors::no_session(id))
    }

    /// Keeps a session until it is closed. One of the same id is closed.
    pub(super) async fn keep(&self, conversation: &Arc<Conversation>) -> Result<(), Error> {
        let old = self.sessions.lock().insert(conversation.id.clone(), Arc::clone(conversation));
        if let Some(old) = old {
            old.close().await;
        }
        // Whoever ends everything may have looked already.
        if self.ending.is_cancelled() {
            self.close(&conversation.id).await;
            return Err(errors::failed("tau is ending."));
        }
        Ok(())
    }

    /// Ends a session; `false` when there is none.
    pub(super) async fn close(&self, id: &SessionId) -> bool {
        let open = self.sessions.lock().remove(id);
        match open {
            Some(conversation) => {
                conversation.close().await;
                true
            }
            None => false,
        }
    }

    /// Ends everything in order.
    pub(super) async fn shut_down(&self) {
        self.ending.cancel();
        self.wire.gone().cancel();
        self.openings.close();
        let opened = tokio::time::timeout(PATIENCE, self.openings.wait()).await;
        if opened.is_err() {
            tracing::warn!("ended while a session was still being opened");
        }
        let open: Vec<Arc<Conversation>> = self.sessions.lock().drain().map(|(_, open)| open).collect();
        join_all(open.iter().map(|conversation| conversation.close())).await;
    }
}
