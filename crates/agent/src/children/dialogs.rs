//! Dialogs of a child go to the front end of its parent, with the child's name in front. When nobody is there to see
//! them, they are answered as they are without a user interface.

use std::collections::HashMap;
use std::sync::Arc;

use tau_hooks::dialogs::{DialogBroker, DialogEvent, DialogRequest, PromptKind, UiCall};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Hands questions and notices of `child` on to `parent` until `ended` fires. Everything else that an extension does to
/// the screen belongs to the parent.
pub(crate) fn hand_on(
    runtime: &Handle,
    child: &DialogBroker,
    parent: &DialogBroker,
    name: &Arc<str>,
    ended: CancellationToken,
) {
    // Whoever asks whether somebody is there gets the answer of the parent.
    let shown = parent.clone();
    let mut back_end = child.subscribe_for(move |request| {
        request.kind.name() != PromptKind::Custom && shown.can_show(&on_behalf(request, ""))
    });
    let (parent, name) = (parent.clone(), Arc::clone(name));
    runtime.spawn(async move {
        // In here, so they are on that runtime too.
        let mut answers = tokio::task::JoinSet::new();
        // What ends each question that is open.
        let mut open = HashMap::new();
        loop {
            tokio::select! {
                () = ended.cancelled() => return,
                Some(answered) = answers.join_next() => {
                    if let Ok((id, answer)) = answered {
                        open.remove(&id);
                        // The one who asked may have given up.
                        let _ = back_end.answer(id, answer);
                    }
                }
                event = back_end.recv() => match event {
                    Some(DialogEvent::Opened(request)) => {
                        let (id, cancel) = (request.id(), CancellationToken::new());
                        open.insert(id, cancel.clone());
                        let (parent, asked) = (parent.clone(), on_behalf(&request, &name));
                        answers.spawn(async move { (id, parent.ask(asked, &cancel, || ()).await) });
                    }
                    Some(DialogEvent::Closed { id, .. }) => {
                        if let Some(cancel) = open.remove(&id) {
                            cancel.cancel();
                        }
                    }
                    Some(DialogEvent::Ui(event)) => {
                        if let UiCall::Notify { message, level } = &event.call {
                            let message = format!("[{name}] {message}");
                            parent.call(Arc::clone(&event.owner), UiCall::Notify { message, level: level.clone() });
                        }
                    }
                    Some(DialogEvent::OwnerRemoved(_)) => {}
                    None => return,
                }
            }
        }
    });
}

fn on_behalf(request: &DialogRequest, name: &str) -> DialogRequest {
    let mut asked = DialogRequest::new(Arc::clone(&request.owner), request.kind.clone().on_behalf_of(name));
    asked.tool_call.clone_from(&request.tool_call);
    asked
}
