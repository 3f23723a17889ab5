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
mod open;
mod options;
mod outbox;
mod permission;
mod requests;
mod server;
mod teller;
mod tools;
mod transport;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{CancelNotification, ClientRequest, InitializeRequest};
use agent_client_protocol::{Agent, Client, Lines};
use tau_agent::settings::Environment;

use self::server::Server;
use crate::args::{Args, ArgsError, Parsed, parse};
use crate::run::signals::Signalled;
use crate::run::{Setup, diagnostics, log, say};

const NAME: &str = "acp";

const HELP: &str = "\
Usage: tau acp [options]

Speak the Agent Client Protocol on standard input and output, for editors: Zed, JetBrains, Neovim and others
start this program and open sessions in it. docs/acp.md says how to set them up.

The options are those of tau (see tau --help), and hold for every session: --model, --thinking, --tools, -e,
--approve, --script and so on. Which session is open and what is said in it is up to the editor, so --print,
--mode, --continue, --resume, --session, --session-id, --fork, --name and --export have no place here, nor have
prompts.

Keys come from the environment that the editor gives to tau, or from auth.json.
";

/// Whether the arguments ask for this mode.
pub(crate) fn is_asked(args: &[OsString]) -> bool {
    args.first().is_some_and(|first| first == NAME)
}

/// Runs until the editor goes away. `args` begin with the name of the mode.
pub(crate) fn run(args: Vec<OsString>, setup: Setup) -> ExitCode {
    let parsed = match parse(args.into_iter().skip(1)) {
        Ok(parsed) => parsed,
        Err(error) => {
            diagnostics::error(&error);
            return ExitCode::from(ArgsError::EXIT_CODE);
        }
    };
    match &parsed.args {
        args if args.help => return say(HELP),
        args if args.version => return say(&format!("{}\n", env!("CARGO_PKG_VERSION"))),
        args => {
            if let Some(flag) = out_of_place(args) {
                return diagnostics::fail(&format!("{flag} has no place in `tau acp`; see `tau acp --help`"));
            }
        }
    }
    log::start(parsed.args.verbose);
    match crate::runtime::start() {
        Ok(runtime) => {
            let code = runtime.block_on(serve(parsed, setup));
            // Whoever reads standard input, and handlers that were left behind, must not keep the program alive.
            runtime.shutdown_background();
            tau_sys::process::kill_running_processes();
            log::finish();
            code
        }
        Err(error) => diagnostics::fail(&format!("cannot start: {error}")),
    }
}

/// A flag that speaks of one session or of prompts.
fn out_of_place(args: &Args) -> Option<&'static str> {
    let flags = [
        ("--print", args.print),
        ("--mode", args.mode.is_some()),
        ("--continue", args.continue_session),
        ("--resume", args.resume),
        ("--session", args.session.is_some()),
        ("--session-id", args.session_id.is_some()),
        ("--fork", args.fork.is_some()),
        ("--name", args.name.is_some()),
        ("--export", args.export.is_some()),
        ("--list-models", args.list_models.is_some()),
    ];
    flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
}

async fn serve(parsed: Parsed, setup: Setup) -> ExitCode {
    let env = match Environment::from_process() {
        Ok(env) => env,
        Err(error) => return diagnostics::fail(&format!("the working directory cannot be used: {error}")),
    };
    let signalled = match Signalled::watch() {
        Ok(signalled) => signalled,
        Err(error) => return diagnostics::fail(&error.to_string()),
    };
    let server = Server::new(parsed, env, setup);
    let gone = server.wire.gone().clone();
    let done = signalled.unless(async {
        tokio::select! {
            done = connect(&server) => done,
            () = gone.cancelled() => Ok(()),
        }
    });
    let done = done.await;
    server.shut_down().await;
    match (signalled.code(), done) {
        (Some(code), _) => code,
        (None, Some(Err(error))) => diagnostics::fail(&format!("the connection to the editor broke: {error}")),
        (None, _) => ExitCode::SUCCESS,
    }
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
