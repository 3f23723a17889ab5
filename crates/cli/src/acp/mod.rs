//! `tau acp`: tau for editors, by the Agent Client Protocol over standard input and output.
//!
//! One process holds any number of sessions, each with its own directory, extensions and engine. Requests come in at
//! `requests.rs`; a session is opened in `open.rs` and lives as a [`conversation`]; what happens in it goes out through
//! `teller.rs` and `outbox.rs`; what extensions ask of the user goes out through `dialogs.rs`.
//!
//! Standard output belongs to the protocol. What is for people goes to standard error, which editors keep as a log.

mod commands;
mod content;
mod conversation;
mod dialogs;
mod errors;
mod history;
mod lane;
mod list;
mod mcp;
mod open;
mod options;
mod outbox;
mod permission;
mod requests;
mod server;
mod speakers;
mod teller;
mod tools;
mod transport;

use std::process::ExitCode;
use std::sync::Arc;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{CancelNotification, ClientRequest, InitializeRequest};
use agent_client_protocol::{Agent, Client, Lines};
use async_trait::async_trait;
use tau_launch::args::{FLAGS, Modes, wrapped};
use tau_launch::{FrontEnd, Launcher, Request, Stop, Trust};

use self::server::Server;
use crate::exit::Reported;
use crate::{diagnostics, exit};

/// What `tau acp --help` says.
pub(crate) fn help() -> String {
    let about_one: Vec<String> =
        FLAGS.iter().filter(|flag| flag.modes == Modes::OneSession).map(|flag| format!("--{}", flag.long)).collect();
    let about_one = match about_one.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    let options = wrapped(&format!(
        "The options are those of tau (see tau --help), and hold for every session: --model, --thinking, --tools, -e, \
         --approve, --script and so on. Which session is open and what is said in it is up to the editor, so {about_one} \
         cannot be used here, and neither can prompts."
    ));
    format!(
        "\
Usage: tau acp [options]

Speak the Agent Client Protocol on standard input and output, for editors: Zed, JetBrains, Neovim and others
start this program and open sessions in it. docs/acp.md says how to set them up.

{options}
Keys come from the environment that the editor gives to tau, or from auth.json.
"
    )
}

/// The mode in which an editor opens sessions.
pub(crate) struct Editor;

#[async_trait(?Send)]
impl FrontEnd for Editor {
    /// Runs until the editor goes away.
    async fn run(self: Box<Self>, launcher: &Launcher, stop: Stop) -> ExitCode {
        if let Err(error) = stop.watch() {
            return diagnostics::fail(&error);
        }
        if let Err(Reported(code)) = check_flags(launcher).await {
            return code;
        }
        let server = Server::new(launcher);
        let gone = server.wire.gone().clone();
        let done = stop.unless(async {
            tokio::select! {
                done = connect(&server) => done,
                () = gone.cancelled() => Ok(()),
            }
        });
        let done = done.await;
        server.shut_down().await;
        match (stop.code(), done) {
            (Some(code), _) => code,
            (None, Some(Err(error))) => diagnostics::fail(&format!("the connection to the editor broke: {error}")),
            (None, _) => ExitCode::SUCCESS,
        }
    }
}

/// Refuses a flag that nobody knows: no session would open with it, and an editor shows that late or not at all. A flag that
/// holds for every session is one of extensions that every session has, so those of this directory are asked.
async fn check_flags(launcher: &Launcher) -> Result<(), Reported> {
    if !launcher.has_other_flags() {
        return Ok(());
    }
    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    let checked = match Box::pin(prepared.load(Trust::Dialogs)).await {
        Ok(loaded) => loaded.check_arguments().map_err(|error| Reported(exit::usage_error(&error))),
        Err(error) => Err(Reported::fail(&error)),
    };
    ending.end().await;
    checked
}

/// Answers requests until standard input ends, or nobody reads the answers.
async fn connect(server: &Arc<Server>) -> Result<(), agent_client_protocol::Error> {
    let lines = Lines::new(transport::outgoing(Arc::clone(&server.wire)), transport::incoming(tokio::io::stdin()));
    let (first, requests, cancels) = (Arc::clone(server), Arc::clone(server), Arc::clone(server));
    Agent
        .v1()
        .name("tau")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _: ConnectionTo<Client>| {
                responder.respond(first.initialize(&request))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ClientRequest, responder, connection: ConnectionTo<Client>| {
                requests::handle(&requests, request, responder, connection)
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: CancelNotification, _: ConnectionTo<Client>| {
                if let Ok(conversation) = cancels.conversation(&cancel.session_id) {
                    conversation.cancel();
                }
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_to(lines)
        .await
}
