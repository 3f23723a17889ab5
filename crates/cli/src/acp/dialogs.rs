//! What extensions ask of the user and show to the user, on its way to the client.
//!
//! A yes-or-no question or a choice about a tool call is a request for permission, which every client knows. Everything
//! else is a form, if the client has forms; if not, nobody is asked, and extensions see that there is no user interface.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, ElicitationAction, ElicitationContentValue, ElicitationFormMode, ElicitationRequestScope,
    ElicitationSchema, ElicitationScope, ElicitationSessionScope, RequestId, SessionId, StringPropertySchema,
    ToolCallId,
};
use parking_lot::Mutex;
use tau_agent::AgentSession;
use tau_hooks::dialogs::{
    BackEndId, DialogAnswer, DialogBackEnd, DialogBroker, DialogEvent, DialogKind, DialogRequest, UiCall,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::outbox::Outbox;
use super::permission;
use super::teller::{Abilities, Teller};

/// The field of a form that holds the answer.
const ANSWER: &str = "answer";

/// Which questions reach the user.
pub(super) fn shows(client: Abilities) -> impl Fn(&DialogRequest) -> bool + Send + Sync + 'static {
    move |request| match &request.kind {
        DialogKind::Confirm { .. } | DialogKind::Select { .. } => client.forms || request.tool_call.is_some(),
        DialogKind::Input { .. } | DialogKind::Editor { .. } => client.forms,
        DialogKind::Custom { .. } => false,
    }
}

/// Where questions belong.
#[derive(Clone)]
pub(super) enum Place {
    /// The session is being opened; the client knows its own request only.
    Opening(RequestId),
    Open(SessionId, Weak<AgentSession>),
}

/// Asks the user of one session.
pub(super) struct Asker {
    broker: DialogBroker,
    back_end: BackEndId,
    connection: ConnectionTo<Client>,
    outbox: Arc<Outbox>,
    teller: Arc<Teller>,
    place: Mutex<Place>,
    events: Mutex<Events>,
    /// Ends the task that waits for events.
    _gone: DropGuard,
}

/// What comes from the broker, and the questions of it that are open.
struct Events {
    back_end: DialogBackEnd,
    open: HashMap<Uuid, CancellationToken>,
}

impl Asker {
    /// Takes up questions for as long as the broker lives.
    pub(super) fn start(
        broker: DialogBroker,
        back_end: DialogBackEnd,
        connection: ConnectionTo<Client>,
        outbox: Arc<Outbox>,
        teller: Arc<Teller>,
        place: Place,
    ) -> Arc<Self> {
        let (id, place) = (back_end.id(), Mutex::new(place));
        let events = Mutex::new(Events { back_end, open: HashMap::new() });
        let gone = CancellationToken::new();
        let over = gone.clone();
        let _gone = gone.drop_guard();
        let asker = Arc::new(Self { broker, back_end: id, connection, outbox, teller, place, events, _gone });
        let served = serve(Arc::downgrade(&asker));
        tokio::spawn(async move {
            tokio::select! {
                () = over.cancelled() => {}
                () = served => {}
            }
        });
        asker
    }

    /// The session is open.
    pub(super) fn move_to(&self, place: Place) {
        *self.place.lock() = place;
    }

    /// Takes back every question: its answer is the one that nobody gave.
    pub(super) fn withdraw(&self) {
        for request in self.broker.open_dialogs() {
            // Whoever was faster has the better answer.
            let _ = self.broker.answer(self.back_end, request.id(), request.kind.default_answer());
        }
    }

    async fn ask(&self, request: &DialogRequest) -> DialogAnswer {
        let place = self.place.lock().clone();
        if let Place::Open(session, _) = &place {
            // The client is to know what the question is about.
            self.outbox.flush().await;
            if let Some(call) = &request.tool_call {
                let known = self.teller.call(call);
                if let Some(asked) = permission::request(session.clone(), call, known.as_ref(), &request.kind) {
                    let outcome = self.connection.send_request(asked).block_task().await;
                    if let Some(now) = self.teller.call(call) {
                        self.teller.update_call(call, permission::afterwards(&now));
                    }
                    return match outcome {
                        Ok(response) => permission::answer(&request.kind, &response.outcome),
                        Err(error) => {
                            tracing::warn!(%error, "the client could not ask for permission");
                            request.kind.default_answer()
                        }
                    };
                }
            }
        }
        let scope: ElicitationScope = match place {
            Place::Opening(request) => ElicitationRequestScope::new(request).into(),
            Place::Open(session, _) => {
                let call = request.tool_call.as_deref().map(ToolCallId::new);
                ElicitationSessionScope::new(session).tool_call_id(call).into()
            }
        };
        let Some((message, form)) = form(&request.kind) else { return request.kind.default_answer() };
        let asked = CreateElicitationRequest::new(ElicitationFormMode::new(scope, form), message);
        match self.connection.send_request(asked).block_task().await {
            Ok(response) => answer(&request.kind, response.action),
            Err(error) => {
                tracing::warn!(%error, "the client could not show a form");
                request.kind.default_answer()
            }
        }
    }

    /// Takes everything that was asked and shown up to now.
    pub(super) fn catch_up(self: &Arc<Self>) {
        // Whether more will come is for whoever waits for it.
        let _ = self.take_all(None);
    }

    /// Ready when nothing will come any more. Events are taken in their order, whoever takes them.
    fn take_all(self: &Arc<Self>, mut cx: Option<&mut Context<'_>>) -> Poll<()> {
        let mut events = self.events.lock();
        loop {
            let event = match &mut cx {
                Some(cx) => match events.back_end.poll_recv(cx) {
                    Poll::Ready(Some(event)) => event,
                    Poll::Ready(None) => return Poll::Ready(()),
                    Poll::Pending => return Poll::Pending,
                },
                None => match events.back_end.try_recv() {
                    Some(event) => event,
                    None => return Poll::Pending,
                },
            };
            self.take(&mut events.open, event);
        }
    }

    fn take(self: &Arc<Self>, open: &mut HashMap<Uuid, CancellationToken>, event: DialogEvent) {
        match event {
            DialogEvent::Opened(request) => {
                let over = CancellationToken::new();
                open.insert(request.id(), over.clone());
                tokio::spawn(Arc::clone(self).settle(request, over));
            }
            DialogEvent::Closed { id, .. } => {
                if let Some(over) = open.remove(&id) {
                    over.cancel();
                }
            }
            DialogEvent::Ui(event) => self.show(&event.call),
            DialogEvent::OwnerRemoved(_) => {}
        }
    }

    async fn settle(self: Arc<Self>, request: Arc<DialogRequest>, over: CancellationToken) {
        let answer = tokio::select! {
            biased;
            // The request that is left tells the client that nobody waits for its answer.
            () = over.cancelled() => return,
            answer = self.ask(&request) => answer,
        };
        // The question may have been settled in this moment.
        let _ = self.broker.answer(self.back_end, request.id(), answer);
    }

    fn show(&self, call: &UiCall) {
        // A window's title, widgets and the like have no counterpart.
        if let UiCall::Notify { message, level } = call {
            let session = match &*self.place.lock() {
                Place::Open(_, session) => session.upgrade(),
                Place::Opening(_) => None,
            };
            self.teller.notify(&level.clone().unwrap_or_default(), message, session.as_deref());
        }
    }
}

/// Takes what the broker has to say, as it comes.
async fn serve(asker: Weak<Asker>) {
    poll_fn(|cx| match asker.upgrade() {
        Some(asker) => asker.take_all(Some(cx)),
        None => Poll::Ready(()),
    })
    .await;
}

/// The form for a question, and what stands above it.
fn form(question: &DialogKind) -> Option<(String, ElicitationSchema)> {
    let field = |property: StringPropertySchema| ElicitationSchema::new().property(ANSWER, property, true);
    Some(match question {
        // To accept a form without fields is to say yes.
        DialogKind::Confirm { title, message } => (permission::join(title, message), ElicitationSchema::new()),
        DialogKind::Select { title, options } => {
            let first = |(at, option): &(usize, &String)| !options[..*at].contains(option);
            let values: Vec<String> =
                options.iter().enumerate().filter(first).map(|(_, option)| option.clone()).collect();
            (title.clone(), field(StringPropertySchema::new().title(title.clone()).enum_values(values)))
        }
        DialogKind::Input { title, placeholder } => {
            (title.clone(), field(StringPropertySchema::new().title(title.clone()).description(placeholder.clone())))
        }
        DialogKind::Editor { title, prefill } => {
            (title.clone(), field(StringPropertySchema::new().title(title.clone()).default_value(prefill.clone())))
        }
        DialogKind::Custom { .. } => return None,
    })
}

fn answer(question: &DialogKind, action: ElicitationAction) -> DialogAnswer {
    let ElicitationAction::Accept(accepted) = action else { return question.default_answer() };
    match question {
        DialogKind::Confirm { .. } => DialogAnswer::Confirmed(true),
        DialogKind::Custom { .. } => question.default_answer(),
        _ => match accepted.content.and_then(|mut content| content.remove(ANSWER)) {
            Some(ElicitationContentValue::String(text)) => DialogAnswer::Value(text),
            _ => question.default_answer(),
        },
    }
}
