//! Requests of the client, and who answers them.
//!
//! The connection takes up the next message when this returns, so whatever takes time goes on by itself. What must keep
//! the order of the requests takes its place here.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

use std::future::Future;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    AuthenticateResponse, ClientRequest, CloseSessionResponse, DeleteSessionResponse, InitializeResponse,
    LoadSessionResponse, Meta, NewSessionResponse, PromptResponse, ResumeSessionResponse, SessionConfigOption,
    SessionModeState, SetSessionConfigOptionResponse, SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error, JsonRpcResponse};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::conversation::Conversation;
use super::errors;
use super::mcp::Handed;
use super::open::Wanted;
use super::options;
use super::server::Server;

/// Answers a request, now or later.
pub(super) fn handle(
    server: &Arc<Server>,
    request: ClientRequest,
    responder: Responder<Value>,
    connection: ConnectionTo<Client>,
) -> Result<(), Error> {
    let (server, id) = (Arc::clone(server), responder.id().clone());
    match request {
        ClientRequest::InitializeRequest(request) => {
            responder.cast::<InitializeResponse>().respond(server.initialize(&request))
        }
        ClientRequest::AuthenticateRequest(request) => later(responder, async move {
            server.authenticate(&request.method_id).await.map(|()| AuthenticateResponse::new())
        }),
        ClientRequest::NewSessionRequest(request) => {
            let Handed { servers, unreachable } = Handed::new(&request.mcp_servers);
            let ignored = Ignored::new(unreachable, request.additional_directories.len());
            let wanted = Wanted { cwd: request.cwd, saved: None, replay: false, servers, request: id };
            open(server, wanted, ignored, connection, responder, |conversation, (modes, options), meta| {
                NewSessionResponse::new(conversation.id.clone()).modes(modes).config_options(options).meta(meta)
            })
        }
        ClientRequest::LoadSessionRequest(request) => {
            let Handed { servers, unreachable } = Handed::new(&request.mcp_servers);
            let ignored = Ignored::new(unreachable, request.additional_directories.len());
            let wanted =
                Wanted { cwd: request.cwd, saved: Some(request.session_id), replay: true, servers, request: id };
            open(server, wanted, ignored, connection, responder, |_, (modes, options), meta| {
                LoadSessionResponse::new().modes(modes).config_options(options).meta(meta)
            })
        }
        ClientRequest::ResumeSessionRequest(request) => {
            let Handed { servers, unreachable } = Handed::new(&request.mcp_servers);
            let ignored = Ignored::new(unreachable, request.additional_directories.len());
            let wanted =
                Wanted { cwd: request.cwd, saved: Some(request.session_id), replay: false, servers, request: id };
            open(server, wanted, ignored, connection, responder, |_, (modes, options), meta| {
                ResumeSessionResponse::new().modes(modes).config_options(options).meta(meta)
            })
        }
        ClientRequest::ListSessionsRequest(request) => {
            later(responder, async move { server.list(request.cwd, request.cursor).await })
        }
        ClientRequest::DeleteSessionRequest(request) => {
            later(
                responder,
                async move { server.delete(&request.session_id).await.map(|()| DeleteSessionResponse::new()) },
            )
        }
        ClientRequest::CloseSessionRequest(request) => later(responder, async move {
            if server.close(&request.session_id).await {
                Ok(CloseSessionResponse::new())
            } else {
                Err(errors::no_session(&request.session_id))
            }
        }),
        ClientRequest::SetSessionModeRequest(request) => {
            let conversation = match server.conversation(&request.session_id) {
                Ok(conversation) => conversation,
                Err(error) => return responder.respond_with_error(error),
            };
            let session = Arc::clone(&conversation.session);
            let work = async move { options::choose_level(&session, &request.mode_id.0) };
            let changed = change(&conversation, work);
            later(responder, async move { changed.await.map(|()| SetSessionModeResponse::new()) })
        }
        ClientRequest::SetSessionConfigOptionRequest(request) => {
            let conversation = match server.conversation(&request.session_id) {
                Ok(conversation) => conversation,
                Err(error) => return responder.respond_with_error(error),
            };
            let session = Arc::clone(&conversation.session);
            let work = async move { options::choose(&session, &request.config_id, &request.value).await };
            let changed = change(&conversation, work);
            later(responder, async move {
                changed.await?;
                conversation.teller.catch_up(&conversation.session);
                Ok(SetSessionConfigOptionResponse::new(options::options(&conversation.session)))
            })
        }
        ClientRequest::PromptRequest(request) => {
            let conversation = match server.conversation(&request.session_id) {
                Ok(conversation) => conversation,
                Err(error) => return responder.respond_with_error(error),
            };
            let (turn, ready) = (conversation.begin_turn(), conversation.changes.done());
            let cancellation = responder.cancellation();
            later(responder, async move {
                let mut run = std::pin::pin!(turn.run(request.prompt, ready));
                tokio::select! {
                    done = &mut run => return done.map(PromptResponse::new),
                    () = cancellation.cancelled() => conversation.cancel(),
                }
                run.await.map(PromptResponse::new)
            })
        }
        _ => responder.respond_with_error(Error::method_not_found()),
    }
}

/// Answers when the work is done.
fn later<T: JsonRpcResponse>(
    responder: Responder<Value>,
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<(), Error> {
    tokio::spawn(async move {
        let done = work.await;
        // A client that is gone needs no answer.
        let _ = responder.cast::<T>().respond_with_result(done);
    });
    Ok(())
}

/// Changes something of a session after what was to be changed before.
fn change<W: Future<Output = Result<(), Error>> + Send + 'static>(
    conversation: &Conversation,
    work: W,
) -> impl Future<Output = Result<(), Error>> + Send + use<W> {
    let (sender, done) = oneshot::channel();
    // A request that was given up needs no answer.
    conversation.changes.push(async move { drop(sender.send(work.await)) });
    async move { done.await.map_err(errors::failed)? }
}

/// Opens a session, and answers before anything else is said of a new one.
fn open<T: JsonRpcResponse>(
    server: Arc<Server>,
    wanted: Wanted,
    ignored: Ignored,
    connection: ConnectionTo<Client>,
    responder: Responder<Value>,
    answer: impl FnOnce(&Conversation, (SessionModeState, Vec<SessionConfigOption>), Option<Meta>) -> T + Send + 'static,
) -> Result<(), Error> {
    let openings = server.openings.clone();
    openings.spawn(async move {
        let saved = wanted.saved.is_some();
        let done = server.open(wanted, &connection).await;
        let conversation = match done {
            Ok(conversation) => conversation,
            Err(error) => return drop(responder.respond_with_error(error)),
        };
        if saved {
            // What was said before comes before the answer.
            conversation.outbox.flush().await;
        }
        let options = conversation.teller.introduce(&conversation.session);
        let ignored = ignored.with_session(&conversation);
        let answer = answer(&conversation, options, ignored.meta());
        if let Some(text) = ignored.text() {
            conversation.teller.warn(&text);
        }
        conversation.begin();
        // A client that is gone needs no answer.
        let _ = responder.cast::<T>().respond(answer);
        conversation.outbox.release();
    });
    Ok(())
}

/// What a client asks for that tau does not have.
struct Ignored {
    /// Servers of a kind that tau does not reach.
    unreachable: Vec<String>,
    /// Servers that the user does not want.
    unwanted: Vec<String>,
    directories: usize,
}

impl Ignored {
    fn new(unreachable: Vec<String>, directories: usize) -> Self {
        Self { unreachable, unwanted: Vec::new(), directories }
    }

    /// Notes the servers of a session that connects none.
    fn with_session(self, conversation: &Conversation) -> Self {
        let hooks = conversation.session.hooks();
        let servers = if hooks.is_withheld(tau_mcp::extension::NAME) { hooks.hosted_mcp_servers() } else { Vec::new() };
        Self { unwanted: servers.into_iter().map(|server| server.name).collect(), ..self }
    }

    fn text(&self) -> Option<String> {
        let named = |servers: &[String], why: &str| {
            (!servers.is_empty()).then(|| format!("{why}, so these are not used: {}.", servers.join(", ")))
        };
        let texts = [
            named(&self.unreachable, "tau reaches MCP servers as programs and by streamable HTTP"),
            named(&self.unwanted, "MCP servers are switched off"),
            (self.directories > 0)
                .then(|| "tau works in one directory, so the additional ones are not used.".to_owned()),
        ];
        let texts: Vec<String> = texts.into_iter().flatten().collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// The same for programs, in the answer.
    fn meta(&self) -> Option<Meta> {
        let text = self.text()?;
        let servers: Vec<&String> = self.unreachable.iter().chain(&self.unwanted).collect();
        let ignored = json!({ "ignored": text, "ignoredMcpServers": servers });
        Some([("tau".to_owned(), ignored)].into_iter().collect())
    }
}
