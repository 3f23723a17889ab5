//! Turns an async function that emits stream items into a stream.
//!
//! The function runs only while somebody polls the stream and pauses after every item until that item was
//! taken, so a slow reader slows the socket down instead of filling memory.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::RETRY_AFTER_MS;
use super::error::WireError;
use crate::{MessageBuilder, MessageStream, Secrets, StopReason, StreamItem, StreamRequest};

pub(super) const ABORTED: &str = "Request was aborted";

/// Where a wire format puts what it reads.
#[derive(Clone)]
pub(super) struct Emitter {
    /// The answer so far.
    pub builder: Arc<MessageBuilder>,
    queue: Arc<Mutex<VecDeque<StreamItem>>>,
    /// For calls whose ids the provider leaves out.
    pub(super) ids: crate::Ids,
}

impl Emitter {
    /// Whether there is an item that the reader has not taken.
    fn has_items(&self) -> bool {
        !self.queue.lock().is_empty()
    }

    /// Hands an item to the reader and waits until it was taken.
    pub async fn emit(&self, item: StreamItem) {
        self.queue.lock().push_back(item);
        let mut handed_over = false;
        // The reader polls again once its queue is empty, so no waker is needed.
        poll_fn(|_| if std::mem::replace(&mut handed_over, true) { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

/// Runs `run` as the stream of one answer. Its result ends the stream; cancelling the request drops it.
pub(super) fn stream<F, Fut>(request: StreamRequest, run: F) -> MessageStream
where
    F: FnOnce(StreamRequest, Emitter) -> Fut + Send + 'static,
    Fut: Future<Output = Result<StopReason, WireError>> + Send + 'static,
{
    let queue = Arc::new(Mutex::new(VecDeque::new()));
    let head = MessageBuilder::head_at(&request.model, request.options.sources.clock.now_ms());
    let builder = Arc::new(MessageBuilder::new(head).hiding(Secrets::of_request(&request)));
    let emitter = Emitter { builder, queue: Arc::clone(&queue), ids: request.options.sources.ids.clone() };
    let mut task = Box::pin(answer(request, emitter, run));
    let mut finished = false;
    futures_util::stream::poll_fn(move |context| {
        loop {
            if let Some(item) = queue.lock().pop_front() {
                return Poll::Ready(Some(item));
            }
            if finished {
                return Poll::Ready(None);
            }
            match task.as_mut().poll(context) {
                Poll::Ready(()) => finished = true,
                Poll::Pending if queue.lock().is_empty() => return Poll::Pending,
                Poll::Pending => {}
            }
        }
    })
    .boxed()
}

/// The result of `run`, or nothing once the request is cancelled. To wait for that costs more than to look, and there is an
/// item for each token, so it is only waited for when `run` waits too.
async fn unless_cancelled<T>(cancel: &CancellationToken, emitter: &Emitter, run: impl Future<Output = T>) -> Option<T> {
    let mut cancelled = pin!(cancel.cancelled());
    let mut run = pin!(run);
    poll_fn(|context| {
        if cancel.is_cancelled() {
            return Poll::Ready(None);
        }
        match run.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            // The reader takes what is there and polls again.
            Poll::Pending if emitter.has_items() => Poll::Pending,
            Poll::Pending => cancelled.as_mut().poll(context).map(|()| None),
        }
    })
    .await
}

async fn answer<F, Fut>(request: StreamRequest, emitter: Emitter, run: F)
where
    F: FnOnce(StreamRequest, Emitter) -> Fut,
    Fut: Future<Output = Result<StopReason, WireError>>,
{
    let cancel = request.cancel.clone();
    // Dropping `run` is what closes the connection.
    let outcome = unless_cancelled(&cancel, &emitter, run(request, emitter.clone())).await;
    let builder = Arc::clone(&emitter.builder);
    let last = match outcome {
        None => builder.error(StopReason::Aborted, ABORTED),
        Some(Ok(stop_reason)) => builder.done(stop_reason),
        Some(Err(error)) => {
            if let Some(pause) = error.retry_after() {
                let millis = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
                builder.set_extra(RETRY_AFTER_MS, millis.into());
            }
            builder.error(StopReason::Error, error.to_string())
        }
    };
    emitter.emit(last).await;
}
