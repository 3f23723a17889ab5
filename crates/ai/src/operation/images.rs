//! Pictures that models make.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::OperationRequest;
use crate::{ContentBlock, Model, StopReason, Usage};

/// A wire format that asks for pictures.
#[async_trait]
pub trait ImagesApi: Send + Sync {
    /// Makes pictures. A failure is a result whose stop reason is [`StopReason::Error`], or [`StopReason::Aborted`] when
    /// the request was cancelled.
    async fn generate(&self, request: OperationRequest<ImagesContext>) -> AssistantImages;
}

/// What pictures are made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ImagesContext {
    /// Texts, and pictures to change or to go by; other blocks are not sent.
    pub input: Vec<ContentBlock>,
}

/// What a model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantImages {
    /// The wire format.
    pub api: String,
    /// The provider.
    pub provider: String,
    /// The model's id.
    pub model: String,
    /// Texts and pictures.
    pub output: Vec<ContentBlock>,
    /// The provider's id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// Tokens and their price, where the provider reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// [`StopReason::Stop`], [`StopReason::Error`] or [`StopReason::Aborted`].
    pub stop_reason: StopReason,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// When it was asked, in milliseconds since the epoch.
    pub timestamp: i64,
}

impl AssistantImages {
    /// A result without pictures.
    pub fn of(model: &Model, timestamp: i64) -> Self {
        Self {
            api: model.api.clone(),
            provider: model.provider.clone(),
            model: model.id.clone(),
            output: Vec::new(),
            response_id: None,
            usage: None,
            stop_reason: StopReason::Stop,
            error_message: None,
            timestamp,
        }
    }
}
