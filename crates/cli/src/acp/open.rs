//! Opens a session: everything from a directory to extensions that were told that it begins.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{RequestId, SessionId};
use agent_client_protocol::{Client, Error};
use tau_ai::{Model, ModelRegistry};
use tau_hooks::payload::SessionShutdownReason;
use tau_hooks::{Hooks, HostedMcpServer};
use tau_launch::{OpenError, Prepared, Ready, Request, Trust, Which};

use super::conversation::Conversation;
use super::dialogs::{self, Asker, Place};
use super::errors::{self, BRING_A_KEY, bad_params, failed, no_credentials, no_model, no_session};
use super::history;
use super::outbox::Outbox;
use super::server::Server;
use super::speakers::Speakers;
use super::teller::Teller;

/// What a client wants to open.
pub(super) struct Wanted {
    pub(super) cwd: PathBuf,
    /// A session that was saved; a new one when absent.
    pub(super) saved: Option<SessionId>,
    /// Whether the client is told what was said in it.
    pub(super) replay: bool,
    /// The MCP servers that the client hands over.
    pub(super) servers: Vec<HostedMcpServer>,
    /// The client's request.
    pub(super) request: RequestId,
}

impl Server {
    /// Opens a session. The client may not know a new one yet: nothing is told of it before its outbox is released.
    ///
    /// # Errors
    /// When there is no such directory or session, when no model can be asked, or when something cannot be read.
    pub(super) async fn open(
        self: &Arc<Self>,
        wanted: Wanted,
        connection: &ConnectionTo<Client>,
    ) -> Result<Arc<Conversation>, Error> {
        self.check_directory(&wanted.cwd)?;
        if let Some(id) = &wanted.saved {
            // Two of one file would write past each other.
            self.close(id).await;
        }
        let prepared = self.launcher.prepare(Request { cwd: Some(wanted.cwd.clone()) });
        prepared.hooks().host_mcp_servers(wanted.servers.clone());
        let session = prepared.ending();
        let speakers = self.speak(prepared.hooks(), &wanted, connection);
        let ready = tokio::select! {
            biased;
            () = self.ending.cancelled() => Err(ending()),
            ready = self.ready(prepared, &wanted) => ready,
        };
        let opened = match ready {
            Ok(ready) => self.start(ready, &wanted, &speakers, connection).await,
            Err(error) => Err(error),
        };
        match opened {
            Ok(conversation) => {
                self.keep(&conversation).await?;
                self.watch(&conversation);
                Ok(conversation)
            }
            Err(error) => {
                speakers.outbox.close();
                session.end().await;
                Err(error)
            }
        }
    }

    fn speak(self: &Arc<Self>, hooks: &Arc<Hooks>, wanted: &Wanted, connection: &ConnectionTo<Client>) -> Speakers {
        let client = self.client();
        let outbox = Outbox::new(wanted.saved.is_none());
        let teller = Teller::new(Arc::clone(&outbox), client);
        let told = Arc::clone(&teller);
        hooks.dispatcher.reports.listen(move |report| told.report(report));
        let place = match &wanted.saved {
            Some(id) => Place::Open(id.clone(), Weak::new()),
            None => Place::Opening(wanted.request.clone()),
        };
        let back_end = hooks.dialogs.subscribe_for(dialogs::shows(client));
        let (to, known) = (Arc::clone(&outbox), Arc::clone(&teller));
        let asker = Asker::start(hooks.dialogs.clone(), back_end, connection.clone(), to, known, place);
        Speakers { outbox, teller, asker }
    }

    /// Loads extensions, and chooses what the session begins with.
    async fn ready(&self, prepared: Prepared, wanted: &Wanted) -> Result<Ready, Error> {
        let loaded = prepared.load(Trust::Dialogs).await.map_err(failed)?;
        let configured = loaded.configure().await.map_err(failed)?;
        let cli = configured.cli();
        if !cli.messages.is_empty() || !cli.files.is_empty() {
            return Err(failed(
                "tau acp takes no prompts on its command line; remove them from the editor's settings.",
            ));
        }
        let which = wanted.saved.as_ref().map_or(Which::New, |id| Which::Saved(&id.0));
        let ready = configured.open(which).await.map_err(|error| match (error, &wanted.saved) {
            (OpenError::Unknown(_), Some(id)) => no_session(id),
            (OpenError::Saved(error), _) => bad_params(error),
            (error, _) => failed(error),
        })?;
        if let Some(missing) = ready.missing() {
            self.launcher.voice().warning(missing.notice());
        }
        check_model(ready.model(), ready.models())?;
        Ok(ready)
    }

    async fn start(
        self: &Arc<Self>,
        ready: Ready,
        wanted: &Wanted,
        speakers: &Speakers,
        connection: &ConnectionTo<Client>,
    ) -> Result<Arc<Conversation>, Error> {
        let Speakers { outbox, teller, asker } = speakers;
        let id = SessionId::new(ready.id());
        let client = self.client();
        tokio::spawn(Arc::clone(outbox).forward(id.clone(), connection.clone(), Arc::clone(&self.wire)));
        let unstarted = ready.build().map_err(|error| errors::problem(&error))?;
        let session = Arc::clone(unstarted.session());
        if wanted.saved.is_some() {
            asker.move_to(Place::Open(id.clone(), Arc::downgrade(&session)));
        }
        if wanted.replay {
            history::replay(&session, client, outbox);
            teller.usage(&session);
        }
        let (told, heard) = (Arc::clone(teller), Arc::downgrade(&session));
        session.listen(move |event| {
            if let Some(session) = heard.upgrade() {
                told.hear(&session, event);
            }
        });
        let started = tokio::select! {
            biased;
            () = self.ending.cancelled() => None,
            started = unstarted.start() => Some(started),
        };
        match started {
            Some(session) => Ok(Conversation::new(id, session, speakers.clone())),
            None => {
                // Extensions may hold something that `session_shutdown` has to release.
                session.shut_down(SessionShutdownReason::Quit).await;
                Err(ending())
            }
        }
    }

    /// Closes the session when something in it asks for its end and what is at work is done.
    fn watch(self: &Arc<Self>, conversation: &Arc<Conversation>) {
        let (server, conversation) = (Arc::downgrade(self), Arc::downgrade(conversation));
        let Some(exit) = conversation.upgrade().map(|open| open.session.exit_requested().clone()) else { return };
        tokio::spawn(async move {
            exit.cancelled().await;
            let (Some(server), Some(open)) = (server.upgrade(), conversation.upgrade()) else { return };
            open.quiet().await;
            server.close(&open.id).await;
        });
    }
}

fn ending() -> Error {
    failed("tau is ending.")
}

/// Makes sure that something can be asked: the client offers to authenticate if not.
fn check_model(model: Option<&Model>, registry: &ModelRegistry) -> Result<(), Error> {
    let model = model.ok_or_else(no_model)?;
    if registry.has_auth(&model.provider) {
        Ok(())
    } else {
        let (provider, id) = (&model.provider, &model.id);
        Err(no_credentials(format!("There is no key for {provider}/{id}. {BRING_A_KEY}")))
    }
}
