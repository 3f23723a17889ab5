//! Where a tool call is made, and what ends it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tau_ai::ToolCallBlock;
use tau_hooks::{Host, Scope};
use tau_tools::{Progress, Tool};
use tokio_util::sync::CancellationToken;

use super::family::Family;
use crate::pipeline::run_state::{Run, RunEnds};

/// Who made a call.
#[derive(Clone)]
pub(crate) enum Maker {
    /// The model, in a message.
    Model,
    /// A tool at work.
    Tool {
        /// The id of the call that the tool is at work on.
        parent: Arc<str>,
        /// Takes partial results for that tool.
        progress: Progress,
        /// What is called when it is no tool of the session.
        own: Option<Arc<dyn Tool>>,
    },
}

/// Where a call is made.
#[derive(Clone)]
pub(crate) struct CallSite {
    /// What ends the run.
    pub(in crate::pipeline) run: RunEnds,
    /// Ends this call.
    pub(in crate::pipeline) cancel: CancellationToken,
    pub(in crate::pipeline) maker: Maker,
    /// How many calls stand above this one.
    pub(in crate::pipeline) depth: usize,
    /// What is common to the calls that one call of the model leads to.
    pub(in crate::pipeline) family: Arc<Family>,
    /// This call, or one above it, keeps other sequential calls waiting. It must not wait for itself.
    pub(in crate::pipeline) is_alone: bool,
    /// Everybody heard that the call began, and not yet that it ended.
    pub(in crate::pipeline) is_begun: Arc<AtomicBool>,
}

impl CallSite {
    /// A call of the model.
    pub(crate) fn of_model(run: &Run) -> Self {
        let run = run.ends();
        let cancel = run.cancel.clone();
        Self {
            run,
            cancel,
            maker: Maker::Model,
            depth: 0,
            family: Arc::default(),
            is_alone: false,
            is_begun: Arc::default(),
        }
    }

    /// The id of the call that made this one.
    pub(in crate::pipeline) fn parent(&self) -> Option<String> {
        match &self.maker {
            Maker::Model => None,
            Maker::Tool { parent, .. } => Some(parent.to_string()),
        }
    }

    /// The scope of the call's events. Only the end of the run cuts their handlers off, because a filter sees the result
    /// also when the call ends early.
    pub(in crate::pipeline) fn scope(&self, host: &Arc<dyn Host>, call: &ToolCallBlock) -> Scope {
        self.run.scope(host).in_tool_call(&call.id)
    }

    /// Where the gate is asked: what ends the call ends the question.
    pub(in crate::pipeline) fn gate(&self, host: &Arc<dyn Host>, call: &ToolCallBlock) -> Scope {
        Scope { cancel: self.cancel.clone(), ..self.scope(host, call) }
    }
}
