//! How handlers and front ends hear of what happens in a run, and how messages get into its queues.

use std::sync::Arc;

use tau_ai::Message;
use tau_hooks::payload::StreamingBehavior;
use tau_hooks::{Dispatched, Event, Scope};

use crate::parts::{Lane, Live, NoRun, Parts, Queued, SessionEvent};
use tau_hooks::QueuedTexts;

/// Calls handlers within a run. What they send to it is delivered before the next step.
pub(crate) async fn tell<E: Event>(parts: &Parts, scope: &Scope, event: impl FnOnce() -> E::Payload) -> Dispatched<E> {
    let done = parts.hooks.dispatcher.dispatch::<E>(scope, event).await;
    delivered(parts, scope).await;
    done
}

/// Calls handlers without waiting for them, because the caller may be one.
pub(crate) fn tell_later<E: Event>(live: &Live, lane: &Lane, event: E::Payload) {
    if !live.hooks.dispatcher.has_handlers(E::ID) {
        return;
    }
    let scope = live.scope();
    let dispatcher = Arc::clone(&live.hooks.dispatcher);
    lane.push(live.lifecycle.background.begin(), async move {
        dispatcher.dispatch::<E>(&scope, || event).await;
    });
}

/// Waits until messages that extensions sent to the run are in its queues, but not after an abort.
pub(crate) async fn delivered(parts: &Parts, scope: &Scope) {
    tokio::select! {
        biased;
        () = parts.activity.deliveries.done() => {}
        () = scope.cancel.cancelled() => {}
    }
}

/// Puts a message into a queue of the run; gives it back when the run ended in the meantime and nobody would read the
/// queue.
pub(crate) fn queue(parts: &Parts, behavior: StreamingBehavior, queued: Queued) -> Result<(), NoRun<Queued>> {
    // Front ends show what the user typed, and messages of extensions when it is their turn.
    let shown = queued.text.is_some();
    parts.activity.queue(behavior, queued)?;
    if shown {
        tell_queues_in_time(parts);
    }
    Ok(())
}

/// Puts a message into a queue whether or not a run is under way; without one it waits for the next.
pub(crate) fn queue_anyway(parts: &Parts, behavior: StreamingBehavior, queued: Queued) {
    parts.activity.queue_anyway(behavior, queued);
    tell_queues(parts);
}

/// What the next request takes along from the queue of steering messages.
pub(crate) fn take_steering(parts: &Parts) -> Vec<Arc<Message>> {
    parts.activity.take(StreamingBehavior::Steer, parts.steering_mode())
}

/// What follows now that the model would otherwise stop.
pub(crate) fn take_follow_ups(parts: &Parts) -> Vec<Arc<Message>> {
    parts.activity.take(StreamingBehavior::FollowUp, parts.follow_up_mode())
}

/// The run came to a message: if it was queued, it waits no longer. Whether it was text of the user.
pub(crate) fn came_to(parts: &Parts, message: &Arc<Message>) -> bool {
    let typed = parts.activity.came_to(message);
    if typed {
        tell_queues(parts);
    }
    typed
}

/// Tells front ends of queued messages that they were not told of yet, once few are on their way.
pub(crate) fn tell_queues_in_time(parts: &Parts) {
    if parts.activity.take_untold() {
        tell_queues(parts);
    }
}

/// Tells front ends what is queued.
pub(crate) fn tell_queues(parts: &Parts) {
    parts.events.send(|| {
        let QueuedTexts { steering, follow_up } = parts.activity.queued_texts();
        SessionEvent::QueueUpdate { steering, follow_up }
    });
}
