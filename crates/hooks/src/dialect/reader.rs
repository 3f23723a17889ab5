//! What the form of a payload depends on besides the event.

use std::sync::Arc;

use tau_ai::{Model, ThinkingLevel};
use tau_session::Session;

use super::Dialect;

/// Who is shown a payload, and where.
pub trait Reader {
    /// The session's tree.
    fn session(&self) -> Arc<Session>;
    /// The model in use.
    fn model(&self) -> Option<Arc<Model>>;
    /// The thinking level in use.
    fn thinking_level(&self) -> ThinkingLevel;
    /// The rules that the reader runs under.
    fn dialect(&self) -> &'static Dialect;
    /// Whether the reader was told of the start of a session before.
    fn has_begun(&self) -> bool;
}
