//! Turns an async function that emits stream items into a stream.
//!
//! The function runs only while somebody polls the stream and pauses after every item until that item was
//! taken, so a slow reader slows the socket down instead of filling memory.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt;
use parking_lot::Mutex;

use super::RETRY_AFTER_MS;
use super::error::WireError;
use crate::{MessageBuilder, MessageStream, StopReason, StreamItem, StreamRequest};

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
    let builder =
        Arc::new(MessageBuilder::new(MessageBuilder::head_at(&request.model, request.options.sources.clock.now_ms())));
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

async fn answer<F, Fut>(request: StreamRequest, emitter: Emitter, run: F)
where
    F: FnOnce(StreamRequest, Emitter) -> Fut,
    Fut: Future<Output = Result<StopReason, WireError>>,
{
    let cancel = request.cancel.clone();
    // Dropping `run` is what closes the connection.
    let outcome = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        outcome = run(request, emitter.clone()) => Some(outcome),
    };
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
