//! An editor: starts tau, speaks the protocol with it, answers its questions, and remembers what it was told.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    CancelNotification, ClientCapabilities, ClientSessionCapabilities, CompactionCapabilities, ContentBlock,
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAction, ElicitationCapabilities,
    ElicitationFormCapabilities, InitializeRequest, InitializeResponse, LoadSessionRequest, NewSessionRequest,
    NewSessionResponse, NoticeCapabilities, PromptRequest, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification, SessionUpdate, StopReason,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, JsonRpcRequest, Lines};
use futures_util::{sink, stream};
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Notify;

use crate::place::{Place, Tau};
use crate::shown::{Shown, shown};

/// What the editor was told and asked.
#[derive(Default)]
pub struct Log {
    pub updates: Vec<SessionNotification>,
    pub permissions: Vec<RequestPermissionRequest>,
    pub forms: Vec<CreateElicitationRequest>,
    /// Questions that tau took back.
    pub withdrawn: usize,
}

/// How the editor answers.
#[derive(Default)]
struct Answers {
    /// Ids of options, in the order of the questions. Without one a question stays open until tau takes it back.
    permissions: VecDeque<String>,
    forms: VecDeque<ElicitationAction>,
}

#[derive(Default)]
struct State {
    log: Mutex<Log>,
    answers: Mutex<Answers>,
    changed: Notify,
}

/// The editor's side of a connection.
#[derive(Clone)]
pub struct Editor {
    state: Arc<State>,
    connection: ConnectionTo<Agent>,
}

/// How tau ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stderr: String,
}

/// A client that can do everything.
pub fn able() -> ClientCapabilities {
    let session =
        ClientSessionCapabilities::new().notices(NoticeCapabilities::new()).compaction(CompactionCapabilities::new());
    let forms = ElicitationCapabilities::new().form(ElicitationFormCapabilities::new());
    ClientCapabilities::new().session(session).elicitation(forms)
}

/// tau with a script in place of a model, for an editor.
pub fn play<S: AsRef<OsStr>>(place: &Place, script: &str, args: impl IntoIterator<Item = S>) -> Tau {
    let path = place.write("script.yaml", script);
    let own = ["acp".as_ref(), "--script".as_ref(), path.as_os_str()].map(OsStr::to_owned);
    place.tau(own.into_iter().chain(args.into_iter().map(|arg| arg.as_ref().to_owned())))
}

/// Starts tau, initializes it as a client with these abilities, works with it, and waits for its end.
pub async fn edit(mut tau: Tau, client: ClientCapabilities, work: impl AsyncFnOnce(Editor)) -> Ended {
    let mut child = tau.spawn();
    let stdin = ChildStdin::from_std(child.stdin.take().expect("a pipe")).expect("an asynchronous pipe");
    let stdout = ChildStdout::from_std(child.stdout.take().expect("a pipe")).expect("an asynchronous pipe");
    let mut stderr = child.stderr.take().expect("a pipe");
    let stderr = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).expect("text");
        text
    });
    let state = Arc::new(State::default());
    let done = connect(stdin, stdout, Arc::clone(&state), async |connection| {
        let editor = Editor { state: Arc::clone(&state), connection };
        editor.send(InitializeRequest::new(ProtocolVersion::V1).client_capabilities(client)).await.expect("an answer");
        work(editor).await;
    });
    done.await;
    let status = tokio::task::spawn_blocking(move || child.wait().expect("its end")).await.expect("a status");
    Ended { status, stderr: stderr.join().expect("its log") }
}

/// As [`edit`], for a client that can do nothing special and a tau that ends well.
pub async fn with<S: AsRef<OsStr>>(place: &Place, script: &str, args: &[S], work: impl AsyncFnOnce(Editor)) -> String {
    with_able(place, script, args, ClientCapabilities::new(), work).await
}

/// As [`with`], for a client of these abilities.
pub async fn with_able<S: AsRef<OsStr>>(
    place: &Place,
    script: &str,
    args: &[S],
    client: ClientCapabilities,
    work: impl AsyncFnOnce(Editor),
) -> String {
    let ended = edit(play(place, script, args), client, work).await;
    assert!(ended.status.success(), "{ended:?}");
    ended.stderr
}

async fn connect(
    stdin: ChildStdin,
    stdout: ChildStdout,
    state: Arc<State>,
    work: impl AsyncFnOnce(ConnectionTo<Agent>),
) {
    let outgoing = sink::unfold(stdin, async |mut stdin, line: String| {
        stdin.write_all(format!("{line}\n").as_bytes()).await.map(|()| stdin)
    });
    let incoming = stream::unfold(BufReader::new(stdout).lines(), async |mut lines| {
        lines.next_line().await.transpose().map(|line| (line, lines))
    });
    let (updates, permissions, forms) = (Arc::clone(&state), Arc::clone(&state), Arc::clone(&state));
    let client = Client
        .v1()
        .on_receive_notification(
            async move |update: SessionNotification, _: ConnectionTo<Agent>| {
                updates.log.lock().updates.push(update);
                updates.changed.notify_waiters();
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _: ConnectionTo<Agent>| {
                permissions.permission(request, responder)
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CreateElicitationRequest, responder, _: ConnectionTo<Agent>| {
                forms.form(request, responder)
            },
            agent_client_protocol::on_receive_request!(),
        );
    let done = client.connect_with(Lines::new(Box::pin(outgoing), Box::pin(incoming)), async |connection| {
        work(connection).await;
        Ok(())
    });
    done.await.expect("a connection");
}

impl State {
    fn permission(
        self: &Arc<Self>,
        request: RequestPermissionRequest,
        responder: Responder<RequestPermissionResponse>,
    ) -> Result<(), Error> {
        self.log.lock().permissions.push(request);
        self.changed.notify_waiters();
        let choice = self.answers.lock().permissions.pop_front();
        if let Some(id) = choice {
            let outcome = RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id));
            return responder.respond(RequestPermissionResponse::new(outcome));
        }
        let me = Arc::clone(self);
        tokio::spawn(async move {
            responder.cancellation().cancelled().await;
            me.log.lock().withdrawn += 1;
            me.changed.notify_waiters();
            responder.respond(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled))
        });
        Ok(())
    }

    fn form(
        self: &Arc<Self>,
        request: CreateElicitationRequest,
        responder: Responder<CreateElicitationResponse>,
    ) -> Result<(), Error> {
        self.log.lock().forms.push(request);
        self.changed.notify_waiters();
        let action = self.answers.lock().forms.pop_front();
        responder.respond(CreateElicitationResponse::new(action.unwrap_or(ElicitationAction::Cancel)))
    }
}

impl Editor {
    /// The next questions about tool calls are answered with these options.
    pub fn will_choose(&self, options: &[&str]) {
        self.state.answers.lock().permissions.extend(options.iter().map(|option| (*option).to_owned()));
    }

    /// The next forms are answered so.
    pub fn will_answer(&self, actions: impl IntoIterator<Item = ElicitationAction>) {
        self.state.answers.lock().forms.extend(actions);
    }

    /// Sends a request and waits for its answer.
    pub async fn send<R: JsonRpcRequest>(&self, request: R) -> Result<R::Response, Error> {
        self.connection.send_request(request).block_task().await
    }

    pub async fn initialize(&self, client: ClientCapabilities) -> InitializeResponse {
        let request = InitializeRequest::new(ProtocolVersion::V1).client_capabilities(client);
        self.send(request).await.expect("an answer")
    }

    pub async fn open(&self, cwd: &Path) -> NewSessionResponse {
        self.send(NewSessionRequest::new(cwd)).await.expect("a session")
    }

    /// Opens a session in the directory that tau was started in.
    pub async fn begin(&self, place: &Place) -> SessionId {
        self.open(&place.work()).await.session_id
    }

    pub async fn load(&self, id: &SessionId, cwd: &Path) {
        self.send(LoadSessionRequest::new(id.clone(), cwd)).await.expect("a session");
    }

    pub async fn prompt(&self, id: &SessionId, text: &str) -> Result<StopReason, Error> {
        self.prompt_with(id, vec![text.into()]).await
    }

    pub async fn prompt_with(&self, id: &SessionId, prompt: Vec<ContentBlock>) -> Result<StopReason, Error> {
        self.send(PromptRequest::new(id.clone(), prompt)).await.map(|response| response.stop_reason)
    }

    pub fn cancel(&self, id: &SessionId) {
        self.connection.send_notification(CancelNotification::new(id.clone())).expect("a connection");
    }

    /// Waits until something was told or asked.
    pub async fn until<T>(&self, look: impl Fn(&Log) -> Option<T>) -> T {
        loop {
            let mut changed = std::pin::pin!(self.state.changed.notified());
            changed.as_mut().enable();
            if let Some(found) = look(&self.state.log.lock()) {
                return found;
            }
            changed.await;
        }
    }

    /// What it knows by now.
    pub fn log<T>(&self, look: impl FnOnce(&Log) -> T) -> T {
        look(&self.state.log.lock())
    }

    /// The updates of a session.
    pub fn updates(&self, id: &SessionId) -> Vec<SessionUpdate> {
        let of = |update: &&SessionNotification| update.session_id == *id;
        self.log(|log| log.updates.iter().filter(of).map(|update| update.update.clone()).collect())
    }

    /// What the user sees of a session.
    pub fn shown(&self, id: &SessionId) -> Vec<Shown> {
        shown(&self.updates(id))
    }

    /// What was said in a session, and by whom.
    pub fn said(&self, id: &SessionId) -> Vec<String> {
        self.shown(id).iter().map(Shown::line).collect()
    }
}
