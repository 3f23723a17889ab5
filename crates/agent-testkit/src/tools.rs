//! Tools that remember what they were asked to do.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::Registrar;
use tau_tools::{Invocation, ToolFailure, ToolOutput, ToolSpec};
use tokio::sync::{Notify, watch};

use super::{Log, World};

/// A tool that takes an optional text.
pub fn spec(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        label: name.to_owned(),
        description: format!("Does {name}."),
        parameters: json!({"type": "object", "properties": {"text": {"type": "string"}}}),
        ..ToolSpec::default()
    }
}

/// Offers a tool that notes its arguments and answers `did TEXT`.
pub fn recording(registrar: &mut Registrar, name: &str, calls: &Log<Value>) {
    let calls = calls.clone();
    registrar.tool(spec(name), move |invocation: Invocation, _| {
        calls.push(invocation.args.clone());
        std::future::ready(Ok(ToolOutput::text(did(&invocation))))
    });
}

/// Gives a world a tool `work`, and what it was asked to do.
pub fn with_work(world: &World) -> Log<Value> {
    let calls = Log::default();
    world.extend("work", |registrar| recording(registrar, "work", &calls));
    calls
}

pub fn did(invocation: &Invocation) -> String {
    format!("did {}", invocation.args["text"].as_str().unwrap_or("nothing"))
}

/// A place that somebody reaches and stays at until it is opened.
#[derive(Clone)]
pub struct Barrier {
    reached: watch::Sender<usize>,
    open: Arc<Notify>,
}

impl Default for Barrier {
    fn default() -> Self {
        Self { reached: watch::Sender::new(0), open: Arc::default() }
    }
}

impl Barrier {
    /// Says that the place is reached, without staying.
    pub fn reach(&self) {
        self.reached.send_modify(|count| *count += 1);
    }

    /// Says that the place is reached and stays until it is opened.
    pub async fn stay(&self) {
        self.reach();
        self.open.notified().await;
    }

    /// Waits until the place has been reached that often.
    pub async fn reached(&self, times: usize) {
        // The sender lives as long as this barrier.
        let _ = self.reached.subscribe().wait_for(|count| *count >= times).await;
    }

    /// Lets one go on, now or when it comes.
    pub fn open(&self) {
        self.open.notify_one();
    }
}

/// Offers a tool that stays at the barrier, whatever happens, and then answers `did TEXT`.
pub fn waiting(registrar: &mut Registrar, name: &str, barrier: &Barrier) {
    let barrier = barrier.clone();
    registrar.tool(spec(name), move |invocation: Invocation, _| {
        let barrier = barrier.clone();
        async move {
            barrier.stay().await;
            Ok(ToolOutput::text(did(&invocation)))
        }
    });
}

/// Offers a tool that says when it is at work, and works until it is told to stop.
pub fn endless(registrar: &mut Registrar, name: &str, barrier: &Barrier) {
    let barrier = barrier.clone();
    registrar.tool(spec(name), move |invocation: Invocation, _| {
        let barrier = barrier.clone();
        async move {
            barrier.reach();
            invocation.cancel.cancelled().await;
            Err(ToolFailure::aborted())
        }
    });
}
