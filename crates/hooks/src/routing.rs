//! Virtual models of extensions: what they are asked before each request, and what they answer.

use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_ai::{Message, Model, ThinkingLevel};

use crate::context::Ctx;
use crate::error::HandlerError;
use crate::messages::Messages;

/// The type of the custom entries that hold what routers remember.
pub const VIRTUAL_MODEL_STATE: &str = "pi.virtual-model-state";

/// A model for which an extension chooses, request by request, the one that answers.
#[derive(Clone)]
pub struct VirtualModel {
    /// Its entry in the catalogue.
    pub model: Arc<Model>,
    /// Chooses.
    pub router: Arc<dyn Router>,
}

/// Chooses the model that answers a request.
#[async_trait]
pub trait Router: Send + Sync {
    /// The model and thinking level for one request.
    ///
    /// # Errors
    /// When there is none; the request fails then, and the user reads why.
    async fn route(&self, request: RouteRequest, ctx: Ctx) -> Result<Route, HandlerError>;
}

#[async_trait]
impl<F, Fut> Router for F
where
    F: Fn(RouteRequest, Ctx) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Route, HandlerError>> + Send + 'static,
{
    async fn route(&self, request: RouteRequest, ctx: Ctx) -> Result<Route, HandlerError> {
        self(request, ctx).await
    }
}

/// Why a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteReason {
    /// The first one after a message of the user.
    User,
    /// Another one of a run, such as after tool results or a message of an extension.
    Continuation,
    /// Once more, after a failed one.
    Retry,
    /// One outside of a run, such as for a summary.
    Direct,
}

/// A model that was asked, and how much it was to think, where that is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedModel {
    /// The model.
    pub model: Arc<Model>,
    /// Its thinking level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
}

/// A request that failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedRequest {
    /// Who was asked.
    #[serde(flatten)]
    pub asked: AskedModel,
    /// The answer, with its error.
    pub message: Arc<Message>,
}

/// A request that needs a model.
#[derive(Debug, Clone)]
pub struct RouteRequest {
    /// The virtual model that the user chose.
    pub model: Arc<Model>,
    /// The thinking level that the user chose.
    pub thinking_level: ThinkingLevel,
    /// Why the request is made.
    pub reason: RouteReason,
    /// Who gave the last good answer, when a physical model did that is still known.
    pub previous: Option<AskedModel>,
    /// For a retry: what failed. Absent when it was the router itself.
    pub failed: Option<FailedRequest>,
    /// What the router remembered on this branch; none for direct requests.
    pub state: Option<Value>,
    /// The conversation, with the system prompt in front.
    pub messages: Messages,
}

/// Who answers a request.
#[derive(Debug, Clone)]
pub struct Route {
    /// A physical model with a credential.
    pub model: Arc<Model>,
    /// How much it is to think; the nearest supported level is used.
    pub thinking_level: ThinkingLevel,
    /// What to remember on this branch; `None` keeps what is remembered.
    pub state: Option<Value>,
}
