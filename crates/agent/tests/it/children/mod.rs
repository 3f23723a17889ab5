//! Child sessions: sessions that an extension of a session opens.

mod bounds;
mod environment;
mod gates;
mod life;
mod loaded;
mod process;
mod talk;

use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallResult;
use tau_hooks::{ChildError, ChildRequest, ChildSession, HostSessions, Owner, Registrar};

use crate::common::tools::recording;
use crate::common::{Log, Running, World, brief_list, calls, to_json};

/// A session with an extension `opener` that opens children.
pub struct Family {
    pub world: World,
    pub parent: Running,
    pub opener: Arc<Owner>,
}

impl Family {
    /// Starts the session of a world.
    pub async fn start(world: World) -> Self {
        world.extend("opener", |_| {});
        let extensions = world.hooks.extensions();
        let opener = extensions.into_iter().find(|owner| &*owner.name == "opener").expect("the opener");
        let parent = world.start().await;
        Self { world, parent, opener }
    }

    pub async fn try_open(&self, request: ChildRequest) -> Result<Arc<dyn ChildSession>, ChildError> {
        self.parent.session.open_child(request, Arc::clone(&self.opener)).await
    }

    pub async fn open(&self, request: ChildRequest) -> Arc<dyn ChildSession> {
        self.try_open(request).await.unwrap_or_else(|error| panic!("the child does not open: {error}"))
    }

    /// Why a child is not opened.
    pub async fn refused(&self, request: ChildRequest) -> ChildError {
        match self.try_open(request).await {
            Ok(_) => panic!("the child opens"),
            Err(error) => error,
        }
    }
}

/// A model that calls `work` with a text and then says `Done.`, as often as that.
pub fn working(times: usize) -> Value {
    let round = || [calls([("1", "work", json!({"text": "x"}))]), json!("Done.")];
    std::iter::repeat_with(round).take(times).flatten().collect()
}

/// A child with a tool `work` that notes what it was asked to do.
pub fn worker(name: &str, ran: &Log<Value>) -> ChildRequest {
    let ran = ran.clone();
    ChildRequest { no_builtin_tools: true, ..ChildRequest::new(name) }.with("worker", move |registrar| {
        recording(registrar, "work", &ran);
        Ok(())
    })
}

/// Blocks calls of `work`, and notes who made them: the child, the arguments.
pub fn gate(registrar: &mut Registrar, asked: &Log<(String, Value)>, block: bool) {
    let asked = asked.clone();
    registrar.on::<ToolCall>(move |call, ctx| {
        let child = ctx.child().map_or_else(|| "nobody".to_owned(), |child| child.name.to_string());
        asked.push((child, call.input.clone()));
        let answer = block.then(|| ToolCallResult::block(format!("not {}", call.tool_name)));
        async move { answer }
    });
}

/// The conversation of a child: role and text.
pub fn said(child: &dyn ChildSession) -> Vec<(String, String)> {
    let messages: Vec<Value> = child.messages().iter().map(to_json).collect();
    brief_list(&json!(messages))
}

/// What the child's tool results say.
pub fn results(child: &dyn ChildSession) -> Vec<String> {
    said(child).into_iter().filter(|(role, _)| role == "toolResult").map(|(_, text)| text).collect()
}
