//! What a server says by itself. It is taken where it arrives, in its order, and never waits in memory: of each thing only
//! the last is kept. What a server asks waits until earlier answers are on their way.
#![expect(deprecated, reason = "servers log, although the newest protocol does not")]

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ProgressToken, RequestId, ServerJsonRpcMessage,
    ServerNotification,
};
use rmcp::transport::Transport;
use tokio::sync::{Notify, watch};

use crate::log::ServerLog;

/// How many questions of a server may be without an answer.
const QUESTIONS: usize = 64;
/// How often a server may ask the user during one call.
pub(super) const FORMS: usize = 20;

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// A number that grows.
    pub progress: f64,
    /// What it grows to, if that is known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// Takes what a server says by itself.
pub(super) struct Inbox {
    server: String,
    log: ServerLog,
    progress: Mutex<HashMap<ProgressToken, watch::Sender<Option<Progress>>>>,
    /// The list of tools is another one. Holds at most one notice.
    pub(super) tools_changed: Notify,
    /// So are resources.
    pub(super) resources_changed: Notify,
    /// So are prompts.
    pub(super) prompts_changed: Notify,
    /// Its questions to the user.
    pub(super) forms: Forms,
}

/// What a server asks the user.
pub(super) struct Forms {
    /// So many have no answer.
    open: watch::Sender<usize>,
    /// So many were asked since a call began.
    asked: AtomicUsize,
    /// The user wants no more of them.
    is_refused: AtomicBool,
    /// One at a time.
    turn: tokio::sync::Mutex<()>,
}

/// A question that has no answer yet.
pub(super) struct OpenForm<'f> {
    forms: &'f Forms,
    /// The questions before it, since a call began.
    pub(super) before: usize,
}

impl Drop for OpenForm<'_> {
    fn drop(&mut self) {
        self.forms.open.send_modify(|open| *open -= 1);
    }
}

impl Forms {
    pub(super) fn new() -> Self {
        let (asked, is_refused, turn) = Default::default();
        Self { open: watch::Sender::new(0), asked, is_refused, turn }
    }

    /// A call begins. It has questions of its own, unless it runs beside one whose questions are open.
    pub(super) fn begin_call(&self) {
        if *self.open.borrow() == 0 {
            self.asked.store(0, Ordering::SeqCst);
        }
    }

    /// How many are open.
    pub(super) fn open(&self) -> watch::Receiver<usize> {
        self.open.subscribe()
    }

    /// A question comes in; `None` when there were too many.
    pub(super) fn begin(&self) -> Option<OpenForm<'_>> {
        let before = self.asked.fetch_add(1, Ordering::SeqCst);
        if before >= FORMS || self.is_refused() {
            return None;
        }
        self.open.send_modify(|open| *open += 1);
        Some(OpenForm { forms: self, before })
    }

    /// Waits until the user has answered those before.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// The user wants no more of them.
    pub(super) fn refuse(&self) {
        self.is_refused.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::SeqCst)
    }
}

impl Inbox {
    pub(super) fn new(server: &str, log: ServerLog) -> Self {
        Self {
            server: server.to_owned(),
            log,
            progress: Mutex::default(),
            tools_changed: Notify::new(),
            resources_changed: Notify::new(),
            forms: Forms::new(),
            prompts_changed: Notify::new(),
        }
    }

    /// Follows a call until the receiver is dropped.
    pub(super) fn watch(&self, token: ProgressToken) -> watch::Receiver<Option<Progress>> {
        let (sender, receiver) = watch::channel(None);
        let mut all = self.progress.lock();
        all.retain(|_, other| !other.is_closed());
        all.insert(token, sender);
        receiver
    }

    fn take(&self, notification: ServerNotification) {
        match notification {
            ServerNotification::ProgressNotification(progress) => {
                let params = progress.params;
                let now = Progress { progress: params.progress, total: params.total, message: params.message };
                if let Some(sender) = self.progress.lock().get(&params.progress_token) {
                    // What is not more than before is no progress, and keeps no call alive.
                    sender.send_if_modified(|before| {
                        let is_more = before.as_ref().is_none_or(|before| now.progress > before.progress);
                        if is_more {
                            *before = Some(now);
                        }
                        is_more
                    });
                }
            }
            ServerNotification::LoggingMessageNotification(message) => {
                let params = message.params;
                let level = serde_json::to_value(params.level).ok();
                let level = level.as_ref().and_then(|level| level.as_str()).unwrap_or("info");
                self.log.write(&self.server, level, params.logger.as_deref(), &params.data);
            }
            ServerNotification::ToolListChangedNotification(_) => self.tools_changed.notify_one(),
            ServerNotification::ResourceListChangedNotification(_) => self.resources_changed.notify_one(),
            ServerNotification::PromptListChangedNotification(_) => self.prompts_changed.notify_one(),
            _ => {}
        }
    }
}

/// The questions of a server that have no answer yet.
#[derive(Default)]
struct Questions {
    /// They are being thought about.
    open: HashSet<RequestId>,
    /// So many answers are on their way: a server that does not read lets them wait.
    leaving: usize,
}

/// A transport whose server cannot make this program keep more than a little.
pub(super) struct Guarded<T> {
    inner: T,
    inbox: Arc<Inbox>,
    questions: Arc<Mutex<Questions>>,
    room: Arc<Notify>,
    /// A question that waits for room.
    held: Option<ServerJsonRpcMessage>,
    /// The first request of a connection, which only newer servers know.
    probe: Option<RequestId>,
    /// The last request of the handshake. Answers to an earlier one come too late, and others are to nothing.
    awaited: Option<RequestId>,
}

impl<T> Guarded<T> {
    pub(super) fn new(inner: T, inbox: Arc<Inbox>) -> Self {
        let (inbox, questions, room) = (inbox, Arc::default(), Arc::default());
        Self { inner, inbox, questions, room, held: None, probe: None, awaited: None }
    }

    /// Whether something is an answer that the handshake does not wait for. A newer server that starts slowly may answer the
    /// first request after it has got another one; that it does is no stray, but what it is found out by.
    fn is_stray(&self, message: &ServerJsonRpcMessage) -> bool {
        let (id, is_result) = match message {
            JsonRpcMessage::Response(response) => (Some(&response.id), true),
            JsonRpcMessage::Error(error) => (error.id.as_ref(), false),
            _ => return false,
        };
        // Some servers write numbers as text.
        let is = |one: &RequestId, other: &RequestId| one.to_string() == other.to_string();
        let is_newer = is_result && id.zip(self.probe.as_ref()).is_some_and(|(id, probe)| is(id, probe));
        !is_newer && id.zip(self.awaited.as_ref()).is_some_and(|(id, awaited)| !is(id, awaited))
    }

    /// Notes a question; `false` when there is no room for it.
    fn note(&self, id: &RequestId) -> bool {
        let mut questions = self.questions.lock();
        let has_room = questions.open.len() + questions.leaving < QUESTIONS;
        if has_room {
            questions.open.insert(id.clone());
        }
        has_room
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Guarded<T> {
    type Error = T::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item {
            let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
            let shakes = is_probe || matches!(request.request, ClientRequest::InitializeRequest(_));
            self.awaited = shakes.then(|| request.id.clone());
            if is_probe {
                self.probe = Some(request.id.clone());
            }
        }
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let leaves = answered.is_some_and(|id| {
            let mut questions = self.questions.lock();
            let was_open = questions.open.remove(id);
            questions.leaving += usize::from(was_open);
            was_open
        });
        let (questions, room) = (Arc::clone(&self.questions), Arc::clone(&self.room));
        let sent = self.inner.send(item);
        async move {
            let done = sent.await;
            if leaves {
                questions.lock().leaving -= 1;
                room.notify_one();
            }
            done
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            // The caller may drop this at any wait, so what was received is kept here meanwhile.
            if self.held.is_none() {
                self.held = Some(self.inner.receive().await?);
            }
            if self.held.as_ref().is_some_and(|message| self.is_stray(message)) {
                self.held = None;
                tokio::task::consume_budget().await;
                continue;
            }
            match &self.held {
                Some(JsonRpcMessage::Notification(notification)) => {
                    if let ServerNotification::CancelledNotification(cancelled) = &notification.notification {
                        let id = cancelled.params.request_id.clone();
                        if id.is_some_and(|id| self.questions.lock().open.remove(&id)) {
                            self.room.notify_one();
                        }
                        return self.held.take();
                    }
                    if let Some(JsonRpcMessage::Notification(notification)) = self.held.take() {
                        self.inbox.take(notification.notification);
                    }
                    // A server that only talks must not keep a thread for itself.
                    tokio::task::consume_budget().await;
                }
                Some(JsonRpcMessage::Request(request)) => {
                    if self.note(&request.id) {
                        return self.held.take();
                    }
                    self.room.notified().await;
                }
                _ => return self.held.take(),
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rmcp::model::{DiscoverRequest, InitializeRequest, InitializeRequestParams, PingRequest};
    use serde_json::json;

    use super::*;

    /// Says what it was told to say.
    struct Says(Vec<serde_json::Value>);

    impl Transport<RoleClient> for Says {
        type Error = Infallible;

        fn send(&mut self, _: ClientJsonRpcMessage) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
            self.0.pop().map(|message| serde_json::from_value(message).expect("a message"))
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn an_error_that_comes_late_is_no_answer_to_the_handshake() {
        let error = |id: u32| json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "?"}});
        let folder = tempfile::tempdir().expect("a folder");
        let inbox = Arc::new(Inbox::new("s", ServerLog::new(folder.path().join("mcp.log"))));
        let mut guarded = Guarded::new(Says(vec![error(1), error(0), error(0)]), inbox);
        let ids = |message: Option<ServerJsonRpcMessage>| match message {
            Some(JsonRpcMessage::Error(error)) => error.id,
            _ => None,
        };
        let number = |id: u32| RequestId::Number(id.into());
        let discover = ClientRequest::DiscoverRequest(DiscoverRequest::default());
        guarded.send(ClientJsonRpcMessage::request(discover, number(0))).await.expect("sent");
        assert_eq!(ids(guarded.receive().await), Some(number(0)));
        let initialize = InitializeRequest::new(InitializeRequestParams::default());
        let initialize = ClientRequest::InitializeRequest(initialize);
        guarded.send(ClientJsonRpcMessage::request(initialize, number(1))).await.expect("sent");
        assert_eq!(ids(guarded.receive().await), Some(number(1)));
        let ping = ClientRequest::PingRequest(PingRequest::default());
        guarded.send(ClientJsonRpcMessage::request(ping, number(2))).await.expect("sent");
    }
}
