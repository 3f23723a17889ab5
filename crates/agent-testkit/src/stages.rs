//! A model that stops at a chosen place of its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt, stream};
use tau_ai::scripted::ScriptedApi;
use tau_ai::{MessageBuilder, MessageStream, StopReason, StreamApi, StreamRequest};

use super::tools::Barrier;

/// Where the answer stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// Before its first event.
    Silent,
    /// In the middle of a text.
    Text,
    /// In the middle of the arguments of a tool call.
    Arguments,
    /// In the middle of a text, and it does not react to being stopped.
    Deaf,
}

/// Plays a script, but the answer to one request stops at a place and stays there until the request is aborted.
pub struct HaltingApi {
    script: ScriptedApi,
    at: Halt,
    request: usize,
    seen: AtomicUsize,
    barrier: Barrier,
}

impl HaltingApi {
    /// Stops the answer to the request of that number, from 0.
    pub fn new(script: ScriptedApi, request: usize, at: Halt, barrier: &Barrier) -> Self {
        Self { script, at, request, seen: AtomicUsize::new(0), barrier: barrier.clone() }
    }
}

impl StreamApi for HaltingApi {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        if self.seen.fetch_add(1, Ordering::SeqCst) != self.request {
            return self.script.stream(request);
        }
        let builder = Arc::new(MessageBuilder::new(MessageBuilder::head_for(&request.model)));
        let mut items = Vec::new();
        match self.at {
            Halt::Silent => {}
            Halt::Text | Halt::Deaf => {
                items.push(builder.start());
                let (index, start) = builder.text_start();
                items.extend([start, builder.text_delta(index, "half an ans")]);
            }
            Halt::Arguments => {
                items.push(builder.start());
                let (index, start) = builder.tool_call_start("cut", "work");
                items.extend([start, builder.tool_call_delta(index, r#"{"text": "ha"#)]);
            }
        }
        let (barrier, cancel, deaf) = (self.barrier.clone(), request.cancel, self.at == Halt::Deaf);
        let end = stream::once(async move {
            barrier.reach();
            cancel.cancelled().await;
            if deaf {
                std::future::pending::<()>().await;
            }
            builder.error(StopReason::Aborted, "Request was aborted")
        });
        stream::iter(items).chain(end).boxed()
    }
}
