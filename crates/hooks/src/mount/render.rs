//! Those who draw blocks of the conversation.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use super::Drawn;
use crate::error::HandlerError;
use crate::future::BoxFuture;
use crate::rendering::ToolRenderers;

/// A block that is to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderAsk {
    /// The block: what it keeps between two times is kept under this name, which all parts of a tool call share.
    pub block: Arc<str>,
    /// What is drawn, as extensions know it: the arguments of a call, a result, a message, an entry.
    pub what: Value,
    /// What they get beside it.
    pub about: Value,
    /// The columns that it has; at least one.
    pub width: usize,
    /// What may have been kept of it must be made anew: colours have changed.
    pub invalidates: bool,
    /// It looks different now.
    pub redraw: Redraw,
}

/// Says that a block looks different now.
#[derive(Clone)]
pub struct Redraw(pub Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Redraw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redraw")
    }
}

/// Compared by identity.
impl PartialEq for Redraw {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Draws blocks of the conversation.
pub trait Renders: Any + Send + Sync {
    /// Draws one. Without lines it leaves the block to others.
    ///
    /// # Errors
    /// What it failed with; the block looks as it would without it.
    fn render(&self, ask: RenderAsk) -> BoxFuture<Result<Drawn, HandlerError>>;

    /// A block is not drawn any more: nothing of it need be kept.
    fn forget(&self, block: &Arc<str>);
}

/// Chooses how calls of tools are drawn, also of those that nobody has registered.
pub trait ResolvesTools: Send + Sync {
    /// How a tool is drawn; `next` is what would draw it otherwise.
    fn resolve(&self, tool: &str, next: ToolRenderers) -> ToolRenderers;
}
