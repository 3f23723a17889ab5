//! A child session in the hands of the extension that opened it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;
use serde_json::{Value, json};
use tau_ai::{Message, Usage};
use tau_hooks::payload::{BashResult, Outcome, SessionShutdownReason, Snapshot, StreamUpdate};
use tau_hooks::{
    ChildError, ChildEvent, ChildInfo, ChildListener, ChildPrompt, ChildSession, ChildSubscription, Host, Messages,
    SessionDriver, WholeEvent,
};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::parts::{SessionEvent, Update};
use crate::pipeline::bash::{BashError, UserCommand};
use crate::pipeline::prompt::{Prompt, PromptError};
use crate::session::AgentSession;

/// A child session that is open.
pub(crate) struct Child {
    session: Arc<AgentSession>,
    info: ChildInfo,
    listeners: Arc<Listeners>,
    closed: OnceCell<()>,
    ended: CancellationToken,
}

/// Those who hear what happens, by number.
#[derive(Default)]
pub(super) struct Listeners {
    state: RwLock<(u64, BTreeMap<u64, ChildListener>)>,
}

impl Listeners {
    /// Tells everybody.
    pub(super) fn tell(&self, event: &SessionEvent) {
        let all: Vec<ChildListener> = self.state.read().1.values().cloned().collect();
        all.iter().for_each(|listener| listener(event));
    }

    fn add(self: &Arc<Self>, listener: ChildListener) -> ChildSubscription {
        let number = {
            let mut state = self.state.write();
            state.0 += 1;
            let number = state.0;
            state.1.insert(number, listener);
            number
        };
        let listeners = Arc::clone(self);
        ChildSubscription::new(move || drop(listeners.state.write().1.remove(&number)))
    }
}

impl Child {
    pub(super) fn new(session: Arc<AgentSession>, info: ChildInfo, listeners: Arc<Listeners>) -> Self {
        Self { session, info, listeners, closed: OnceCell::new(), ended: CancellationToken::new() }
    }

    pub(super) fn session(&self) -> &Arc<AgentSession> {
        &self.session
    }

    fn check(&self) -> Result<(), ChildError> {
        if self.ended.is_cancelled() || self.session.is_shut_down() { Err(ChildError::Ended) } else { Ok(()) }
    }
}

impl From<PromptError> for ChildError {
    fn from(error: PromptError) -> Self {
        match error {
            PromptError::Busy => Self::Busy,
            PromptError::ShuttingDown => Self::Ended,
            error => Self::Prompt(error.to_string()),
        }
    }
}

#[async_trait]
impl ChildSession for Child {
    fn info(&self) -> ChildInfo {
        self.info.clone()
    }

    fn host(&self) -> Arc<dyn Host> {
        Arc::clone(&self.session) as Arc<dyn Host>
    }

    async fn prompt(&self, prompt: ChildPrompt) -> Result<(), ChildError> {
        self.check()?;
        let prompt = Prompt::from(prompt);
        let session = Arc::clone(&self.session);
        // The caller may live on a thread of its own, and may stop waiting.
        let task = self.session.parts.services.runtime.spawn(async move { session.prompt(prompt).await });
        match task.await {
            Ok(done) => Ok(done.map(drop)?),
            Err(error) => Err(ChildError::Prompt(error.to_string())),
        }
    }

    async fn run_bash(&self, command: String, hidden: bool) -> Result<BashResult, ChildError> {
        self.check()?;
        let session = Arc::clone(&self.session);
        let command = UserCommand { command, exclude_from_context: hidden };
        let task = self.session.parts.services.runtime.spawn(async move { session.run_bash(command, None).await });
        match task.await {
            Ok(Err(BashError::ShuttingDown)) => Err(ChildError::Ended),
            Ok(done) => done.map_err(|error| ChildError::Bash(error.to_string())),
            Err(error) => Err(ChildError::Bash(error.to_string())),
        }
    }

    fn listen(&self, listener: ChildListener) -> ChildSubscription {
        self.listeners.add(listener)
    }

    fn messages(&self) -> Messages {
        self.session.history()
    }

    fn last_text(&self) -> Option<String> {
        self.session.last_answer_text()
    }

    fn outcome(&self) -> Outcome {
        self.session.last_outcome()
    }

    fn usage(&self) -> Usage {
        self.session.spent()
    }

    fn abort(&self) {
        self.session.abort();
    }

    async fn wait_for_idle(&self) {
        self.session.wait_until_idle().await;
    }

    fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    async fn close(&self) {
        let session = Arc::clone(&self.session);
        let shut_down = || async move {
            let closing = self.session.parts.services.runtime.spawn(async move {
                session.shut_down(SessionShutdownReason::Quit).await;
            });
            // A panic in there is no reason for the caller to panic: what was open is gone with it.
            if let Err(error) = closing.await {
                tracing::warn!(%error, "a child session did not end in order");
            }
        };
        self.closed.get_or_init(shut_down).await;
        self.ended.cancel();
    }

    fn driver(&self) -> Arc<dyn SessionDriver> {
        Arc::clone(&self.session) as Arc<dyn SessionDriver>
    }
}

impl ChildEvent for SessionEvent {
    fn to_json(&self) -> Value {
        tau_ai::to_json(self)
    }

    fn message_end(&self) -> Option<&Arc<Message>> {
        match self {
            Self::MessageEnd { message } => Some(message),
            _ => None,
        }
    }

    fn text_delta(&self) -> Option<&str> {
        match self {
            Self::MessageUpdate(update) => update.text_delta(),
            _ => None,
        }
    }

    fn whole(&self) -> WholeEvent {
        let event = self.clone();
        Box::new(move || match event {
            Self::MessageUpdate(Update(item)) => json!({
                "type": "message_update",
                "message": tau_ai::to_json(Snapshot(item.partial.clone())),
                "assistantMessageEvent": tau_ai::to_json(StreamUpdate(item)),
            }),
            event => tau_ai::to_json(event),
        })
    }
}
